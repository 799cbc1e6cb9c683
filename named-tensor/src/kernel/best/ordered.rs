//! Numbers that have an order, and what registers of them can do.
//!
//! Not here: what is looked for with it (`best`).

use crate::element::Stored;
use pulp::Simd;

/// Numbers that have an order, and registers of them.
pub(crate) trait Ordered: Stored + PartialOrd {
    /// The factor that leaves the order of numbers as it is.
    const PLUS: Self;
    /// The factor that turns it around.
    const MINUS: Self;
    /// What no number is less than.
    const LOWEST: Self;
    /// What no number is more than.
    const HIGHEST: Self;
    /// What is no number.
    const NONE: Self;
    /// The places of a register, counted from 0.
    const PLACES: [Self; 16];
    /// The same number, or that with the other sign.
    fn signed(self, sign: Self) -> Self;
    /// A small number of places.
    fn of_place(place: usize) -> Self;
    /// The place, unless it is the highest number.
    fn place(self) -> Option<usize>;
    /// A register of the instruction set `S`.
    type Register<S: Simd>: Copy;
    /// The same number everywhere.
    fn splat<S: Simd>(simd: S, x: Self) -> Self::Register<S>;
    /// Some numbers as registers, and those that are left.
    fn registers<S: Simd>(numbers: &[Self]) -> (&[Self::Register<S>], &[Self]);
    /// `a · b`.
    fn times<S: Simd>(simd: S, a: Self::Register<S>, b: Self::Register<S>) -> Self::Register<S>;
    /// `a + b`.
    fn plus<S: Simd>(simd: S, a: Self::Register<S>, b: Self::Register<S>) -> Self::Register<S>;
    /// The larger of each two; `most` where `x` is NaN.
    fn larger<S: Simd>(simd: S, most: Self::Register<S>, x: Self::Register<S>) -> Self::Register<S>;
    /// `yes` where `x` equals `y`, and `no` elsewhere.
    fn where_equal<S: Simd>(
        simd: S,
        x: Self::Register<S>,
        y: Self::Register<S>,
        yes: Self::Register<S>,
        no: Self::Register<S>,
    ) -> Self::Register<S>;
    /// The largest of a register without NaN.
    fn largest_in<S: Simd>(simd: S, x: Self::Register<S>) -> Self;
    /// The smallest of a register without NaN.
    fn smallest_in<S: Simd>(simd: S, x: Self::Register<S>) -> Self;
}

macro_rules! ordered {
    ($type:ident, $register:ident, [$splat:ident, $registers:ident, $mul:ident, $add:ident, $greater:ident, $equal:ident, $select:ident, $max:ident, $min:ident]) => {
        impl Ordered for $type {
            const PLUS: $type = 1.0;
            const MINUS: $type = -1.0;
            const LOWEST: $type = $type::NEG_INFINITY;
            const HIGHEST: $type = $type::INFINITY;
            const NONE: $type = $type::NAN;
            const PLACES: [$type; 16] =
                [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0];
            #[inline(always)]
            fn signed(self, sign: $type) -> $type {
                self * sign
            }
            #[inline(always)]
            fn of_place(place: usize) -> $type {
                place as $type
            }
            #[inline(always)]
            fn place(self) -> Option<usize> {
                (self < $type::INFINITY).then_some(self as usize)
            }
            type Register<S: Simd> = S::$register;
            #[inline(always)]
            fn splat<S: Simd>(simd: S, x: $type) -> S::$register {
                simd.$splat(x)
            }
            #[inline(always)]
            fn registers<S: Simd>(numbers: &[$type]) -> (&[S::$register], &[$type]) {
                S::$registers(numbers)
            }
            #[inline(always)]
            fn times<S: Simd>(simd: S, a: S::$register, b: S::$register) -> S::$register {
                simd.$mul(a, b)
            }
            #[inline(always)]
            fn plus<S: Simd>(simd: S, a: S::$register, b: S::$register) -> S::$register {
                simd.$add(a, b)
            }
            #[inline(always)]
            fn larger<S: Simd>(simd: S, most: S::$register, x: S::$register) -> S::$register {
                simd.$select(simd.$greater(x, most), x, most)
            }
            #[inline(always)]
            fn where_equal<S: Simd>(
                simd: S,
                x: S::$register,
                y: S::$register,
                yes: S::$register,
                no: S::$register,
            ) -> S::$register {
                simd.$select(simd.$equal(x, y), yes, no)
            }
            #[inline(always)]
            fn largest_in<S: Simd>(simd: S, x: S::$register) -> $type {
                simd.$max(x)
            }
            #[inline(always)]
            fn smallest_in<S: Simd>(simd: S, x: S::$register) -> $type {
                simd.$min(x)
            }
        }
    };
}

ordered!(
    f32,
    f32s,
    [
        splat_f32s,
        as_simd_f32s,
        mul_f32s,
        add_f32s,
        greater_than_f32s,
        equal_f32s,
        select_f32s,
        reduce_max_f32s,
        reduce_min_f32s
    ]
);
ordered!(
    f64,
    f64s,
    [
        splat_f64s,
        as_simd_f64s,
        mul_f64s,
        add_f64s,
        greater_than_f64s,
        equal_f64s,
        select_f64s,
        reduce_max_f64s,
        reduce_min_f64s
    ]
);
