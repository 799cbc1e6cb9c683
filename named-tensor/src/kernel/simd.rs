//! Registers of several numbers, of whatever instruction set is at hand.
//!
//! Lives here: what a loop that keeps its sums in registers does with them, for each kind of number, by `pulp`.
//! Not here: such loops (`tiles`, `near`), and plain loops that the compiler brings into registers (`lanes`).

use super::math::Scalar;
use super::matmul::Multiply;
use pulp::{MemMask, Simd};

/// A number of which a register holds several.
pub(crate) trait Lanes: Scalar + Multiply {
    /// A register of the instruction set `S`.
    type Register<S: Simd>: Copy;
    /// The same number everywhere.
    fn splat<S: Simd>(simd: S, x: Self) -> Self::Register<S>;
    /// `a · b + c`, rounded once.
    fn fused<S: Simd>(simd: S, a: Self::Register<S>, b: Self::Register<S>, c: Self::Register<S>) -> Self::Register<S>;
    /// Some of the numbers of a register, the first ones.
    type Mask<S: Simd>: Copy;
    /// The first `count` numbers of a register, or all of them.
    fn first<S: Simd>(simd: S, count: usize) -> Self::Mask<S>;
    /// Some of the numbers from `from` on; the others are 0.
    ///
    /// # Safety
    /// Those numbers may be read.
    unsafe fn read<S: Simd>(simd: S, some: Self::Mask<S>, from: *const Self) -> Self::Register<S>;
    /// Writes some of the numbers of a register.
    ///
    /// # Safety
    /// Those numbers may be written from `to` on.
    unsafe fn write<S: Simd>(simd: S, some: Self::Mask<S>, to: *mut Self, numbers: Self::Register<S>);
    /// `a · b`.
    fn times<S: Simd>(simd: S, a: Self::Register<S>, b: Self::Register<S>) -> Self::Register<S>;
    /// `a + b`.
    fn plus<S: Simd>(simd: S, a: Self::Register<S>, b: Self::Register<S>) -> Self::Register<S>;
    /// `a - b`.
    fn minus<S: Simd>(simd: S, a: Self::Register<S>, b: Self::Register<S>) -> Self::Register<S>;
    /// `a / b`.
    fn over<S: Simd>(simd: S, a: Self::Register<S>, b: Self::Register<S>) -> Self::Register<S>;
    /// `-x`.
    fn negated<S: Simd>(simd: S, x: Self::Register<S>) -> Self::Register<S>;
    /// `√x`.
    fn root_of<S: Simd>(simd: S, x: Self::Register<S>) -> Self::Register<S>;
    /// The sum of all numbers, half by half: the first half and the second one, and so on.
    fn sum_of<S: Simd>(simd: S, x: Self::Register<S>) -> Self;
    /// [`Scalar::larger`] of each number and another one, which is not NaN; and [`Scalar::smaller`].
    fn at_least<S: Simd>(simd: S, x: Self::Register<S>, other: Self::Register<S>) -> Self::Register<S>;
    fn at_most<S: Simd>(simd: S, x: Self::Register<S>, other: Self::Register<S>) -> Self::Register<S>;
    /// [`Scalar::larger`] of each number and another one.
    fn larger_of<S: Simd>(simd: S, x: Self::Register<S>, other: Self::Register<S>) -> Self::Register<S>;
    /// [`Scalar::smaller`] of each number and another one.
    fn smaller_of<S: Simd>(simd: S, x: Self::Register<S>, other: Self::Register<S>) -> Self::Register<S>;
    /// `|x|`.
    fn abs_of<S: Simd>(simd: S, x: Self::Register<S>) -> Self::Register<S>;
    /// [`Scalar::relu`] of each number.
    fn relu_of<S: Simd>(simd: S, x: Self::Register<S>) -> Self::Register<S>;
    /// `x` where the number in `positive` is so, 0 elsewhere.
    fn where_positive<S: Simd>(simd: S, positive: Self::Register<S>, x: Self::Register<S>) -> Self::Register<S>;
    /// `x` where the number in `positive` is not so, 0 elsewhere.
    fn unless_positive<S: Simd>(simd: S, positive: Self::Register<S>, x: Self::Register<S>) -> Self::Register<S>;
    /// 1 where `x < y`, 0 elsewhere; and the like.
    fn is_less<S: Simd>(simd: S, x: Self::Register<S>, y: Self::Register<S>) -> Self::Register<S>;
    fn is_not_more<S: Simd>(simd: S, x: Self::Register<S>, y: Self::Register<S>) -> Self::Register<S>;
    fn is_equal<S: Simd>(simd: S, x: Self::Register<S>, y: Self::Register<S>) -> Self::Register<S>;
    fn differs<S: Simd>(simd: S, x: Self::Register<S>, y: Self::Register<S>) -> Self::Register<S>;
}

/// Whether a register holds one number alone: there are no vectors. A loop that has a shape for each number of rows has one
/// shape then. The others gain next to nothing where each `fused` is a call of a function, as on x86-64, and such calls by the
/// hundred took the compiler a seventh of its time.
pub(super) const fn is_plain<T: Lanes, S: Simd>() -> bool {
    size_of::<T::Register<S>>() == size_of::<T>()
}

/// Whether an instruction takes the larger of two numbers, and the second one where one of them is NaN or both are zeros, as a
/// comparison and a choice do. Elsewhere it takes another one then.
const HAS_LARGER: bool = cfg!(target_arch = "x86_64");

/// The first numbers of a register: a mask for what takes one, and how many there are, or more where they are all.
#[derive(Clone, Copy)]
pub(crate) struct First<M> {
    mask: MemMask<M>,
    count: usize,
}

/// Bytes of a register whose first numbers are written by pieces: those of AVX2, whose masked stores some processors take apart
/// into dozens of steps.
const BY_PIECES: usize = 32;

/// Writes the first `count` numbers of a register, or all of them, by pieces of 4, 2 and 1.
///
/// # Safety
/// The register holds numbers alone, no more than 8; so many may be written from `to` on.
#[inline(always)]
unsafe fn write_first<T: Copy, R: Copy>(numbers: R, count: usize, to: *mut T) {
    if count >= size_of::<R>() / size_of::<T>() {
        // SAFETY: by the contract of this function all numbers may be written; the store asks for no alignment.
        return unsafe { to.cast::<R>().write_unaligned(numbers) };
    }
    // A copy of its own: the register would go through memory above too if it had an address.
    let copied = numbers;
    let from = std::ptr::from_ref(&copied).cast::<T>();
    let mut at = 0;
    if count & 4 != 0 {
        // SAFETY: four numbers of the register, which may be written by the contract of this function.
        unsafe { std::ptr::copy_nonoverlapping(from, to, 4) };
        at = 4;
    }
    if count & 2 != 0 {
        // SAFETY: as above, the two that follow.
        unsafe { std::ptr::copy_nonoverlapping(from.wrapping_add(at), to.wrapping_add(at), 2) };
        at += 2;
    }
    if count & 1 != 0 {
        // SAFETY: as above, the last one.
        unsafe { std::ptr::copy_nonoverlapping(from.wrapping_add(at), to.wrapping_add(at), 1) };
    }
}

macro_rules! lanes {
    ($type:ident, $register:ident, $mask:ident, [$splat:ident, $fused:ident, $times:ident, $plus:ident, $minus:ident, $over:ident, $neg:ident, $sqrt:ident, $sum:ident, $abs:ident, $less:ident, $not_more:ident, $equal:ident, $select:ident, $max:ident, $min:ident, $between:ident, $read:ident, $write:ident]) => {
        impl Lanes for $type {
            type Register<S: Simd> = S::$register;
            #[inline(always)]
            fn splat<S: Simd>(simd: S, x: $type) -> S::$register {
                simd.$splat(x)
            }
            #[inline(always)]
            fn fused<S: Simd>(simd: S, a: S::$register, b: S::$register, c: S::$register) -> S::$register {
                simd.$fused(a, b, c)
            }
            type Mask<S: Simd> = First<S::$mask>;
            #[inline(always)]
            fn first<S: Simd>(simd: S, count: usize) -> First<S::$mask> {
                let lanes = size_of::<S::$register>() / size_of::<$type>();
                // What `pulp` finds for it besides, a function for each number of elements, is slower than a mask.
                let mask = MemMask::new(simd.$between(0, count.min(lanes) as _).mask());
                First { mask, count }
            }
            /// # Safety
            /// As of the trait.
            #[inline(always)]
            unsafe fn read<S: Simd>(simd: S, some: First<S::$mask>, from: *const $type) -> S::$register {
                // SAFETY: the numbers of the mask may be read by the contract of this function.
                unsafe { simd.$read(some.mask, from) }
            }
            /// # Safety
            /// As of the trait.
            #[inline(always)]
            unsafe fn write<S: Simd>(simd: S, some: First<S::$mask>, to: *mut $type, numbers: S::$register) {
                if const { size_of::<S::$register>() == BY_PIECES } {
                    // SAFETY: a register is plain numbers; the first ones may be written by the contract of this function.
                    unsafe { write_first(numbers, some.count, to) }
                } else {
                    // SAFETY: the numbers of the mask may be written by the contract of this function.
                    unsafe { simd.$write(some.mask, to, numbers) }
                }
            }
            #[inline(always)]
            fn times<S: Simd>(simd: S, a: S::$register, b: S::$register) -> S::$register {
                simd.$times(a, b)
            }
            #[inline(always)]
            fn plus<S: Simd>(simd: S, a: S::$register, b: S::$register) -> S::$register {
                simd.$plus(a, b)
            }
            #[inline(always)]
            fn minus<S: Simd>(simd: S, a: S::$register, b: S::$register) -> S::$register {
                simd.$minus(a, b)
            }
            #[inline(always)]
            fn over<S: Simd>(simd: S, a: S::$register, b: S::$register) -> S::$register {
                simd.$over(a, b)
            }
            #[inline(always)]
            fn negated<S: Simd>(simd: S, x: S::$register) -> S::$register {
                simd.$neg(x)
            }
            #[inline(always)]
            fn root_of<S: Simd>(simd: S, x: S::$register) -> S::$register {
                simd.$sqrt(x)
            }
            #[inline(always)]
            fn sum_of<S: Simd>(simd: S, x: S::$register) -> $type {
                simd.$sum(x)
            }
            #[inline(always)]
            fn at_least<S: Simd>(simd: S, x: S::$register, other: S::$register) -> S::$register {
                if const { HAS_LARGER && !is_plain::<$type, S>() } {
                    return simd.$max(other, x);
                }
                simd.$select(simd.$less(x, other), other, x)
            }
            #[inline(always)]
            fn at_most<S: Simd>(simd: S, x: S::$register, other: S::$register) -> S::$register {
                if const { HAS_LARGER && !is_plain::<$type, S>() } {
                    return simd.$min(other, x);
                }
                simd.$select(simd.$less(other, x), other, x)
            }
            // What is not equal to itself is NaN.
            #[inline(always)]
            fn larger_of<S: Simd>(simd: S, x: S::$register, other: S::$register) -> S::$register {
                simd.$select(simd.$equal(other, other), Self::at_least(simd, x, other), other)
            }
            #[inline(always)]
            fn smaller_of<S: Simd>(simd: S, x: S::$register, other: S::$register) -> S::$register {
                simd.$select(simd.$equal(other, other), Self::at_most(simd, x, other), other)
            }
            #[inline(always)]
            fn abs_of<S: Simd>(simd: S, x: S::$register) -> S::$register {
                simd.$abs(x)
            }
            #[inline(always)]
            fn relu_of<S: Simd>(simd: S, x: S::$register) -> S::$register {
                Self::at_least(simd, x, simd.$splat(0.0))
            }
            #[inline(always)]
            fn where_positive<S: Simd>(simd: S, positive: S::$register, x: S::$register) -> S::$register {
                let zero = simd.$splat(0.0);
                simd.$select(simd.$less(zero, positive), x, zero)
            }
            #[inline(always)]
            fn unless_positive<S: Simd>(simd: S, positive: S::$register, x: S::$register) -> S::$register {
                let zero = simd.$splat(0.0);
                simd.$select(simd.$less(zero, positive), zero, x)
            }
            #[inline(always)]
            fn is_less<S: Simd>(simd: S, x: S::$register, y: S::$register) -> S::$register {
                simd.$select(simd.$less(x, y), simd.$splat(1.0), simd.$splat(0.0))
            }
            #[inline(always)]
            fn is_not_more<S: Simd>(simd: S, x: S::$register, y: S::$register) -> S::$register {
                simd.$select(simd.$not_more(x, y), simd.$splat(1.0), simd.$splat(0.0))
            }
            #[inline(always)]
            fn is_equal<S: Simd>(simd: S, x: S::$register, y: S::$register) -> S::$register {
                simd.$select(simd.$equal(x, y), simd.$splat(1.0), simd.$splat(0.0))
            }
            #[inline(always)]
            fn differs<S: Simd>(simd: S, x: S::$register, y: S::$register) -> S::$register {
                simd.$select(simd.$equal(x, y), simd.$splat(0.0), simd.$splat(1.0))
            }
        }
    };
}

lanes!(
    f32,
    f32s,
    m32s,
    [
        splat_f32s,
        mul_add_f32s,
        mul_f32s,
        add_f32s,
        sub_f32s,
        div_f32s,
        neg_f32s,
        sqrt_f32s,
        reduce_sum_f32s,
        abs_f32s,
        less_than_f32s,
        less_than_or_equal_f32s,
        equal_f32s,
        select_f32s,
        max_f32s,
        min_f32s,
        mask_between_m32s,
        mask_load_ptr_f32s,
        mask_store_ptr_f32s
    ]
);
lanes!(
    f64,
    f64s,
    m64s,
    [
        splat_f64s,
        mul_add_f64s,
        mul_f64s,
        add_f64s,
        sub_f64s,
        div_f64s,
        neg_f64s,
        sqrt_f64s,
        reduce_sum_f64s,
        abs_f64s,
        less_than_f64s,
        less_than_or_equal_f64s,
        equal_f64s,
        select_f64s,
        max_f64s,
        min_f64s,
        mask_between_m64s,
        mask_load_ptr_f64s,
        mask_store_ptr_f64s
    ]
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::vectors;
    use pulp::WithSimd;

    /// Copies the first numbers of a register between others.
    struct Kept<T>(usize, fn(usize) -> T);

    impl<T: Lanes> WithSimd for Kept<T> {
        type Output = ();

        fn with_simd<S: Simd>(self, simd: S) {
            let Kept(count, number) = self;
            let lanes = size_of::<T::Register<S>>() / size_of::<T>();
            let kept = count.min(lanes);
            // Right behind what may be read and written there is nothing.
            let (from, mut to): (Vec<T>, Vec<T>) = (0..kept).map(|i| (number(i + 1), number(99))).unzip();
            let some = T::first(simd, count);
            // SAFETY: so many numbers are there.
            let register = unsafe { T::read(simd, some, from.as_ptr()) };
            // SAFETY: as above.
            unsafe { T::write(simd, some, to.as_mut_ptr(), register) };
            assert_eq!(to, from, "{count} of {lanes}");
            let mut all = vec![number(99); lanes];
            // SAFETY: a whole register has room.
            unsafe { T::write(simd, some, all.as_mut_ptr(), register) };
            assert_eq!(all[..kept], from, "{count} of {lanes}");
            assert!(all[kept..].iter().all(|&x| x == number(99)), "no others are written: {count} of {lanes}");
        }
    }

    #[test]
    fn the_first_numbers_of_a_register_are_read_and_written_and_no_others() {
        for count in 0..20 {
            vectors::dispatch(Kept::<f32>(count, |i| i as f32));
            vectors::dispatch(Kept::<f64>(count, |i| i as f64));
            #[cfg(target_arch = "x86_64")]
            if let Some(simd) = pulp::x86::V3::try_new() {
                Kept::<f32>(count, |i| i as f32).with_simd(simd);
                Kept::<f64>(count, |i| i as f64).with_simd(simd);
            }
        }
    }
}
