//! The steps of light programs: their loops over a strip, or over all of a program that is one step.
//!
//! Not here: which programs are light, and where their values are (`strip`).

use crate::kernel::lanes::{each, pairs, vectorised};
use crate::kernel::math::Scalar;

/// Elements that are computed in registers before they are stored: a vector of the widest kind, or two.
pub(super) const FEW: usize = 16;

/// One step of a light program, on the values of these numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Copy(usize),
    Neg(usize),
    Abs(usize),
    Sqrt(usize),
    Relu(usize),
    Add(usize, usize),
    Sub(usize, usize),
    Mul(usize, usize),
    Div(usize, usize),
    Max(usize, usize),
    Min(usize, usize),
    /// The sum of a product, rounded, and a third number: a scale and a shift, which would cost a store and a load more.
    MulAdd(usize, usize, usize),
    /// The sum of a sum, rounded, and a third number: a bias and a residual.
    AddAdd(usize, usize, usize),
}

impl Step {
    /// The values that it reads, if all of them are sources. Those that it does not have are its last one again.
    pub(super) fn of_sources<'a, T>(self, sources: &[&'a [T]], count: usize) -> Option<[&'a [T]; 3]> {
        let values = match self {
            Step::Copy(x) | Step::Neg(x) | Step::Abs(x) | Step::Sqrt(x) | Step::Relu(x) => [x; 3],
            Step::Add(x, y)
            | Step::Sub(x, y)
            | Step::Mul(x, y)
            | Step::Div(x, y)
            | Step::Max(x, y)
            | Step::Min(x, y) => [x, y, y],
            Step::MulAdd(x, y, z) | Step::AddAdd(x, y, z) => [x, y, z],
        };
        values.iter().all(|&value| value < count).then(|| values.map(|value| sources[value]))
    }

    /// Runs a step that is a program by itself: one loop, and nothing between its values and memory.
    pub(super) fn run_whole<T: Scalar>(self, [xs, ys, zs]: [&[T]; 3], out: &mut [T]) {
        match self {
            Step::Copy(_) => out.copy_from_slice(xs),
            Step::Neg(_) => each(xs, out, |x| -x),
            Step::Abs(_) => each(xs, out, T::abs),
            Step::Sqrt(_) => each(xs, out, T::sqrt),
            Step::Relu(_) => each(xs, out, T::relu),
            Step::Add(..) => pairs(xs, ys, out, |x, y| x + y),
            Step::Sub(..) => pairs(xs, ys, out, |x, y| x - y),
            Step::Mul(..) => pairs(xs, ys, out, |x, y| x * y),
            Step::Div(..) => pairs(xs, ys, out, |x, y| x / y),
            Step::Max(..) => pairs(xs, ys, out, T::larger),
            Step::Min(..) => pairs(xs, ys, out, T::smaller),
            Step::MulAdd(..) => triples(xs, ys, zs, out, |x, y, z| x * y + z),
            Step::AddAdd(..) => triples(xs, ys, zs, out, |x, y, z| x + y + z),
        }
    }

    /// Runs it over one strip.
    #[inline(always)]
    pub(super) fn run<'a, T: Scalar, const W: usize>(self, value: impl Fn(usize) -> &'a [T; W], out: &mut [T; W]) {
        match self {
            Step::Copy(x) => one(value(x), out, |x| x),
            Step::Neg(x) => one(value(x), out, |x| -x),
            Step::Abs(x) => one(value(x), out, T::abs),
            Step::Sqrt(x) => one(value(x), out, T::sqrt),
            Step::Relu(x) => one(value(x), out, T::relu),
            Step::Add(x, y) => two(value(x), value(y), out, |x, y| x + y),
            Step::Sub(x, y) => two(value(x), value(y), out, |x, y| x - y),
            Step::Mul(x, y) => two(value(x), value(y), out, |x, y| x * y),
            Step::Div(x, y) => two(value(x), value(y), out, |x, y| x / y),
            Step::Max(x, y) => two(value(x), value(y), out, T::larger),
            Step::Min(x, y) => two(value(x), value(y), out, T::smaller),
            Step::MulAdd(x, y, z) => three(value(x), value(y), value(z), out, |x, y, z| x * y + z),
            Step::AddAdd(x, y, z) => three(value(x), value(y), value(z), out, |x, y, z| x + y + z),
        }
    }
}

// A few results stand in registers until all of them are known, so that the compiler need not ask whether they are inputs
// too. More of them would stand in memory, and be copied from there by a call.

#[inline(always)]
fn one<T: Scalar, const W: usize>(xs: &[T; W], out: &mut [T; W], f: impl Fn(T) -> T) {
    for (out, xs) in few_mut(out).iter_mut().zip(few(xs)) {
        let mut some = [T::default(); FEW];
        some.iter_mut().zip(xs).for_each(|(z, &x)| *z = f(x));
        *out = some;
    }
}

#[inline(always)]
fn two<T: Scalar, const W: usize>(xs: &[T; W], ys: &[T; W], out: &mut [T; W], f: impl Fn(T, T) -> T) {
    for (out, (xs, ys)) in few_mut(out).iter_mut().zip(few(xs).iter().zip(few(ys))) {
        let mut some = [T::default(); FEW];
        some.iter_mut().zip(xs).zip(ys).for_each(|((z, &x), &y)| *z = f(x, y));
        *out = some;
    }
}

#[inline(always)]
fn three<T: Scalar, const W: usize>(xs: &[T; W], ys: &[T; W], zs: &[T; W], out: &mut [T; W], f: impl Fn(T, T, T) -> T) {
    for (out, ((xs, ys), zs)) in few_mut(out).iter_mut().zip(few(xs).iter().zip(few(ys)).zip(few(zs))) {
        let mut some = [T::default(); FEW];
        let terms = xs.iter().zip(ys).zip(zs);
        some.iter_mut().zip(terms).for_each(|(result, ((&x, &y), &z))| *result = f(x, y, z));
        *out = some;
    }
}

/// A strip, a few elements at a time.
#[inline(always)]
fn few<T, const W: usize>(strip: &[T; W]) -> &[[T; FEW]] {
    const { assert!(W.is_multiple_of(FEW)) }
    strip.as_chunks().0
}

/// The same, to write.
#[inline(always)]
fn few_mut<T, const W: usize>(strip: &mut [T; W]) -> &mut [[T; FEW]] {
    const { assert!(W.is_multiple_of(FEW)) }
    strip.as_chunks_mut().0
}

/// A function of three slices, element by element.
fn triples<T: Scalar>(xs: &[T], ys: &[T], zs: &[T], out: &mut [T], f: impl Fn(T, T, T) -> T) {
    vectorised(
        #[inline(always)]
        move || {
            for (((result, &x), &y), &z) in out.iter_mut().zip(xs).zip(ys).zip(zs) {
                *result = f(x, y, z);
            }
        },
    );
}
