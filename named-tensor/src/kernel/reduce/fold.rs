//! What a reduction does with one more element, and with two partial results: sums, products and extremes.
//!
//! Sums, those of squares and products of real numbers are kept in `f64`, those of positions stay at the largest number
//! where they would pass it, as the sum and the product of two do; extremes pass NaN on.
//! Not here: in which order elements come (`reduce`).

use crate::element::Stored;
use crate::kernel::lanes::{LANES, joined};
use crate::kernel::math::Scalar;

/// One kind of reduction of elements `T`.
pub(super) trait Fold<T> {
    /// What partial results are kept in.
    type Partial: Stored;
    /// The result over nothing.
    const START: Self::Partial;
    /// Takes one more element in.
    fn step(partial: Self::Partial, x: T) -> Self::Partial;
    /// The result over the elements of both.
    fn join(a: Self::Partial, b: Self::Partial) -> Self::Partial;
    /// The result over the elements of all.
    #[inline(always)]
    fn join_all(partial: [Self::Partial; LANES]) -> Self::Partial {
        joined(partial, Self::join)
    }
    /// The result as an element.
    fn end(partial: Self::Partial) -> T;
}

pub(super) struct Sum;
pub(super) struct Squares;
pub(super) struct Product;
pub(super) struct Max;
pub(super) struct Min;

macro_rules! fold {
    ($name:ident of $type:ident in $partial:ident from $start:expr, $step:expr, $join:expr $(, $join_all:expr)?) => {
        impl Fold<$type> for $name {
            type Partial = $partial;
            const START: $partial = $start;
            #[inline(always)]
            fn step(partial: $partial, x: $type) -> $partial {
                ($step)(partial, x)
            }
            #[inline(always)]
            fn join(a: $partial, b: $partial) -> $partial {
                ($join)(a, b)
            }
            $(#[inline(always)]
            fn join_all(partial: [$partial; LANES]) -> $partial {
                ($join_all)(partial)
            })?
            #[inline(always)]
            fn end(partial: $partial) -> $type {
                partial as $type
            }
        }
    };
}

fold!(Sum of f32 in f64 from 0.0, |a: f64, x: f32| a + x.wide(), |a: f64, b: f64| a + b);
fold!(Sum of f64 in f64 from 0.0, |a: f64, x: f64| a + x, |a: f64, b: f64| a + b);
fold!(Sum of i64 in i64 from 0, i64::saturating_add, i64::saturating_add);
fold!(Product of f32 in f64 from 1.0, |a: f64, x: f32| a * x.wide(), |a: f64, b: f64| a * b);
fold!(Product of f64 in f64 from 1.0, |a: f64, x: f64| a * x, |a: f64, b: f64| a * b);
fold!(Product of i64 in i64 from 1, i64::saturating_mul, i64::saturating_mul);
fold!(Max of f32 in f32 from f32::NEG_INFINITY, f32::larger, f32::larger, |all| extreme(all, |a, b| a < b));
fold!(Max of f64 in f64 from f64::NEG_INFINITY, f64::larger, f64::larger, |all| extreme(all, |a, b| a < b));
fold!(Max of i64 in i64 from i64::MIN, i64::max, i64::max);
fold!(Min of f32 in f32 from f32::INFINITY, f32::smaller, f32::smaller, |all| extreme(all, |a, b| a > b));
fold!(Min of f64 in f64 from f64::INFINITY, f64::smaller, f64::smaller, |all| extreme(all, |a, b| a > b));
fold!(Min of i64 in i64 from i64::MAX, i64::min, i64::min);

impl<T: Scalar> Fold<T> for Squares {
    type Partial = f64;
    const START: f64 = 0.0;
    #[inline(always)]
    fn step(partial: f64, x: T) -> f64 {
        partial + x.wide() * x.wide()
    }
    #[inline(always)]
    fn join(a: f64, b: f64) -> f64 {
        a + b
    }
    #[inline(always)]
    fn end(partial: f64) -> T {
        T::narrow(partial)
    }
}

/// Of all numbers the one that comes `before` no other; NaN if any is NaN. Those are looked for apart, so that each of the
/// others is joined by one instruction.
#[inline(always)]
fn extreme<T: Scalar>(all: [T; LANES], before: impl Fn(T, T) -> bool) -> T {
    let with_nan = all.iter().fold(false, |known, x| known | x.wide().is_nan());
    let extreme = joined(
        all,
        #[inline(always)]
        |a, b| if before(a, b) { b } else { a },
    );
    if with_nan { T::narrow(f64::NAN) } else { extreme }
}
