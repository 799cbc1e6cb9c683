//! What the steps of a fused program are for each kind of element.
//!
//! Lives here: which functions each kind has, the passage from one kind to another, and choosing by truth values.
//! Not here: where the elements lie (`block`), how functions are computed (`math`).

use super::register::Register;
use super::strip::{self, Light, Line, Lines, Numbers, Three};
use crate::element::{Bf16, Binary, Comparison, Stored, Unary, position};
use crate::kernel::lanes::{each, pairs, vectorised};
use crate::kernel::math::Scalar;
use crate::kernel::stream::Stream;

/// What steps do to each kind of element.
pub(crate) trait Cell: Stored {
    /// What a light program works in.
    type Strips: Default;
    /// The room of a light program.
    fn strips(light: &Light) -> Self::Strips;
    /// Runs a light program on these sources; results go this way to memory, and so do others.
    fn run_light(
        light: &Light,
        sources: &[Numbers<'_, Self>],
        strips: &mut Self::Strips,
        stream: &Stream,
        out: &mut [Self],
        others: &mut [&mut [Self]],
    );
    /// Runs a light program on rows of so many elements.
    fn run_light_rows(
        light: &Light,
        counts: Three,
        size: usize,
        lines: &[Line<'_, Self>],
        strips: &mut Self::Strips,
        out: &mut [Self],
    );
    /// Runs a light program on the rows of a tile.
    fn run_light_tile<'r>(
        light: &Light,
        sources: &[Lines<'_, Self>],
        strips: &mut Self::Strips,
        stream: &Stream,
        sides: [usize; 2],
        row: &mut dyn FnMut(usize) -> &'r mut [Self],
    );
    fn unary(op: Unary, xs: &[Self], out: &mut [Self]);
    fn binary(op: Binary, xs: &[Self], ys: &[Self], out: &mut [Self]);
    /// `x` where the condition holds, else `y`, by masks: a plain choice would be compiled to a choice of addresses.
    fn choose(condition: bool, x: Self, y: Self) -> Self;
    fn from_f32(xs: &[f32], out: &mut [Self]);
    fn from_f64_slice(xs: &[f64], out: &mut [Self]);
    fn from_index(xs: &[i64], out: &mut [Self]);
    fn from_bool(xs: &[bool], out: &mut [Self]);
    fn from_bf16(xs: &[Bf16], out: &mut [Self]);
    /// The same slice if these are truth values; only they are asked for it.
    fn as_truth_values(_: &mut [Self]) -> &mut [bool] {
        unreachable!("a comparison gives truth values")
    }
}

macro_rules! casts {
    ($from_f32:expr, $from_f64:expr, $from_index:expr, $from_bool:expr, $from_bf16:expr) => {
        fn from_f32(xs: &[f32], out: &mut [Self]) {
            each(xs, out, $from_f32);
        }
        fn from_f64_slice(xs: &[f64], out: &mut [Self]) {
            each(xs, out, $from_f64);
        }
        fn from_index(xs: &[i64], out: &mut [Self]) {
            each(xs, out, $from_index);
        }
        fn from_bool(xs: &[bool], out: &mut [Self]) {
            each(xs, out, $from_bool);
        }
        fn from_bf16(xs: &[Bf16], out: &mut [Self]) {
            each(xs, out, $from_bf16);
        }
    };
}

macro_rules! real_cell {
    ($type:ident, $bits:ident) => {
        impl Cell for $type {
            type Strips = Register;
            fn strips(light: &Light) -> Self::Strips {
                light.room::<$type>()
            }
            fn run_light(
                light: &Light,
                sources: &[Numbers<'_, $type>],
                strips: &mut Self::Strips,
                stream: &Stream,
                out: &mut [$type],
                others: &mut [&mut [$type]],
            ) {
                light.run(sources, strip::strips(strips), stream, out, others);
            }
            fn run_light_rows(
                light: &Light,
                counts: Three,
                size: usize,
                lines: &[Line<'_, $type>],
                strips: &mut Self::Strips,
                out: &mut [$type],
            ) {
                light.rows(counts, size, lines, strip::strips(strips), out);
            }
            fn run_light_tile<'r>(
                light: &Light,
                sources: &[Lines<'_, $type>],
                strips: &mut Self::Strips,
                stream: &Stream,
                sides: [usize; 2],
                row: &mut dyn FnMut(usize) -> &'r mut [$type],
            ) {
                light.tile(sources, strip::strips(strips), stream, sides, row);
            }
            #[inline(always)]
            fn choose(condition: bool, x: $type, y: $type) -> $type {
                let mask = $bits::from(condition).wrapping_neg();
                $type::from_bits(x.to_bits() & mask | y.to_bits() & !mask)
            }
            fn unary(op: Unary, xs: &[$type], out: &mut [$type]) {
                Scalar::unary(op, xs, out);
            }
            fn binary(op: Binary, xs: &[$type], ys: &[$type], out: &mut [$type]) {
                Scalar::binary(op, xs, ys, out);
            }
            casts!(|x| x as $type, |x| x as $type, |x| x as $type, |x| $type::from(u8::from(x)), |x| {
                $type::from(x.widened())
            });
        }
    };
}

real_cell!(f32, u32);
real_cell!(f64, u64);

/// Light programs are programs of reals.
macro_rules! never_light {
    () => {
        type Strips = ();
        fn strips(_: &Light) {}
        fn run_light(
            _: &Light,
            _: &[Numbers<'_, Self>],
            (): &mut (),
            _: &Stream,
            _: &mut [Self],
            _: &mut [&mut [Self]],
        ) {
            unreachable!("a light program computes reals")
        }
        fn run_light_rows(_: &Light, _: Three, _: usize, _: &[Line<'_, Self>], (): &mut (), _: &mut [Self]) {
            unreachable!("a light program computes reals")
        }
        fn run_light_tile<'r>(
            _: &Light,
            _: &[Lines<'_, Self>],
            (): &mut (),
            _: &Stream,
            _: [usize; 2],
            _: &mut dyn FnMut(usize) -> &'r mut [Self],
        ) {
            unreachable!("a light program computes reals")
        }
    };
}

impl Cell for i64 {
    never_light!();
    #[inline(always)]
    fn choose(condition: bool, x: i64, y: i64) -> i64 {
        let mask = i64::from(condition).wrapping_neg();
        x & mask | y & !mask
    }
    fn unary(op: Unary, xs: &[i64], out: &mut [i64]) {
        each(xs, out, |x| op.of_index(x));
    }
    fn binary(op: Binary, xs: &[i64], ys: &[i64], out: &mut [i64]) {
        // Each of the frequent ones has a loop of its own: asked for every number, the question took longer than the answer.
        macro_rules! of {
            ($($name:ident)*) => {
                match op {
                    $(Binary::$name => pairs(xs, ys, out, #[inline(always)] |x, y| Binary::$name.of_index(x, y)),)*
                    _ => pairs(xs, ys, out, |x, y| op.of_index(x, y)),
                }
            };
        }
        of!(Add Sub Mul Max Min);
    }
    casts!(|x| position(f64::from(x)), position, |x| x, i64::from, |x| position(f64::from(x.widened())));
}

impl Cell for bool {
    never_light!();
    #[inline(always)]
    fn choose(condition: bool, x: bool, y: bool) -> bool {
        x & condition | y & !condition
    }
    fn unary(_: Unary, xs: &[bool], out: &mut [bool]) {
        each(xs, out, |x| !x);
    }
    fn binary(op: Binary, xs: &[bool], ys: &[bool], out: &mut [bool]) {
        match op {
            Binary::And => pairs(xs, ys, out, |x, y| x & y),
            _ => pairs(xs, ys, out, |x, y| x | y),
        }
    }
    casts!(|x| x != 0.0, |x| x != 0.0, |x| x != 0, |x| x, |x| x.widened() != 0.0);
    fn as_truth_values(out: &mut [bool]) -> &mut [bool] {
        out
    }
}

/// Numbers of 16 bits are read and written; the rules of shapes leave no arithmetic of them.
impl Cell for Bf16 {
    never_light!();
    #[inline(always)]
    fn choose(condition: bool, x: Bf16, y: Bf16) -> Bf16 {
        let mask = u16::from(condition).wrapping_neg();
        Bf16::from_bits(x.to_bits() & mask | y.to_bits() & !mask)
    }
    fn unary(op: Unary, _: &[Bf16], _: &mut [Bf16]) {
        unreachable!("`{}` in 16 bits", op.name())
    }
    fn binary(op: Binary, _: &[Bf16], _: &[Bf16], _: &mut [Bf16]) {
        unreachable!("`{}` in 16 bits", op.name())
    }
    casts!(
        Bf16::rounded,
        Stored::from_f64,
        |x| Stored::from_f64(x as f64),
        |x| Stored::from_f64(f64::from(u8::from(x))),
        |x| x
    );
}

/// The truth values of a comparison.
pub(super) fn compare<S: Stored>(op: Comparison, xs: &[S], ys: &[S], out: &mut [bool]) {
    match op {
        Comparison::Eq => pairs(xs, ys, out, |x, y| x == y),
        Comparison::Ne => pairs(xs, ys, out, |x, y| x != y),
        Comparison::Lt => pairs(xs, ys, out, |x, y| x < y),
        Comparison::Le => pairs(xs, ys, out, |x, y| x <= y),
        Comparison::Gt => pairs(xs, ys, out, |x, y| x > y),
        Comparison::Ge => pairs(xs, ys, out, |x, y| x >= y),
    }
}

/// `x` where the condition holds, else `y`.
pub(super) fn select<T: Cell>(conditions: &[bool], xs: &[T], ys: &[T], out: &mut [T]) {
    vectorised(
        #[inline(always)]
        move || {
            for (((z, &condition), &x), &y) in out.iter_mut().zip(conditions).zip(xs).zip(ys) {
                *z = T::choose(condition, x, y);
            }
        },
    );
}
