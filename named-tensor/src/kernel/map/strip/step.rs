//! The steps of light programs: their loops over a strip, or over all of a program that is one step.
//!
//! Not here: which programs are light, and where their values are (`strip`).

use super::{LONG, Numbers};
use crate::kernel::lanes::{each, pairs, vectorised};
use crate::kernel::math::Scalar;

/// Elements that are computed in registers before they are stored: a vector of the widest kind, or two.
pub(in crate::kernel::map) const FEW: usize = 16;

/// What a step computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Op {
    Copy,
    Neg,
    Abs,
    Sqrt,
    Relu,
    Add,
    Sub,
    Mul,
    Div,
    Max,
    Min,
    /// The first number where the second is positive, 0 elsewhere: what relu passes back.
    WherePositive,
    /// The first number where the second is not positive, 0 elsewhere.
    Unless,
    /// 1 where the first number is less than the second one, 0 elsewhere: a truth value is such a number here.
    Less,
    NotMore,
    Equal,
    Differs,
    /// The sum of a product, rounded, and a third number: a scale and a shift, which would cost a store and a load more.
    MulAdd,
    /// The sum of a sum, rounded, and a third number: a bias and a residual.
    AddAdd,
}

/// One step of a light program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) op: Op,
    /// The numbers of the values that it reads. Those that it does not have are its last one again.
    pub(super) values: [usize; 3],
}

impl Step {
    /// Whether it reads no more than two numbers.
    pub(super) fn is_of_two(&self) -> bool {
        !matches!(self.op, Op::MulAdd | Op::AddAdd)
    }

    /// Runs a step that is a program by itself, as far at once as each value lies in one piece. Tells whether it did: not where
    /// one of more than two values is the same for many results, or where pieces are short.
    pub(super) fn run_pieces<T: Scalar>(&self, mut values: [Numbers<'_, T>; 3], out: &mut [T]) -> bool {
        let read = if self.is_of_two() { &values[..2] } else { &values };
        if !values.iter().all(|numbers| numbers.is_long(LONG)) || read.len() > 2 && read.iter().any(Numbers::repeats) {
            return false;
        }
        let mut left = out;
        while !left.is_empty() {
            let size = values.iter().map(|numbers| numbers.left(0, 1)).fold(left.len(), usize::min);
            let (now, later) = left.split_at_mut(size);
            let [x, y, z] = &mut values;
            self.run_whole([x.take(size), y.take(size), z.take(size)], now);
            left = later;
        }
        true
    }

    /// Runs it in one loop, with nothing between its values and memory. Only of two values one may be the same for all.
    pub(super) fn run_whole<T: Scalar>(&self, [xs, ys, zs]: [Numbers<'_, T>; 3], out: &mut [T]) {
        match self.op {
            Op::Copy => alone(xs, out, |x| x),
            Op::Neg => alone(xs, out, |x| -x),
            Op::Abs => alone(xs, out, T::abs),
            Op::Sqrt => alone(xs, out, T::sqrt),
            Op::Relu => alone(xs, out, T::relu),
            Op::Add => beside(xs, ys, out, |x, y| x + y),
            Op::Sub => beside(xs, ys, out, |x, y| x - y),
            Op::Mul => beside(xs, ys, out, |x, y| x * y),
            Op::Div => beside(xs, ys, out, |x, y| x / y),
            Op::Max => beside(xs, ys, out, T::larger),
            Op::Min => beside(xs, ys, out, T::smaller),
            Op::WherePositive => beside(xs, ys, out, |x, y| chosen(y, x, T::default())),
            Op::Unless => beside(xs, ys, out, |x, y| chosen(y, T::default(), x)),
            Op::Less => beside(xs, ys, out, |x, y| truth(x < y)),
            Op::NotMore => beside(xs, ys, out, |x, y| truth(x <= y)),
            Op::Equal => beside(xs, ys, out, |x, y| truth(x == y)),
            Op::Differs => beside(xs, ys, out, |x, y| truth(x != y)),
            Op::MulAdd => triples([xs, ys, zs], out, |x, y, z| x * y + z),
            Op::AddAdd => triples([xs, ys, zs], out, |x, y, z| x + y + z),
        }
    }
}

impl Op {
    /// Runs it over one strip.
    #[inline(always)]
    pub(super) fn run<T: Scalar, const W: usize>(self, [xs, ys, zs]: [&[T; W]; 3], out: &mut [T; W]) {
        match self {
            Op::Copy => one(xs, out, |x| x),
            Op::Neg => one(xs, out, |x| -x),
            Op::Abs => one(xs, out, T::abs),
            Op::Sqrt => one(xs, out, T::sqrt),
            Op::Relu => one(xs, out, T::relu),
            Op::Add => two(xs, ys, out, |x, y| x + y),
            Op::Sub => two(xs, ys, out, |x, y| x - y),
            Op::Mul => two(xs, ys, out, |x, y| x * y),
            Op::Div => two(xs, ys, out, |x, y| x / y),
            Op::Max => two(xs, ys, out, T::larger),
            Op::Min => two(xs, ys, out, T::smaller),
            Op::WherePositive => two(xs, ys, out, |x, y| chosen(y, x, T::default())),
            Op::Unless => two(xs, ys, out, |x, y| chosen(y, T::default(), x)),
            Op::Less => two(xs, ys, out, |x, y| truth(x < y)),
            Op::NotMore => two(xs, ys, out, |x, y| truth(x <= y)),
            Op::Equal => two(xs, ys, out, |x, y| truth(x == y)),
            Op::Differs => two(xs, ys, out, |x, y| truth(x != y)),
            Op::MulAdd => three(xs, ys, zs, out, |x, y, z| x * y + z),
            Op::AddAdd => three(xs, ys, zs, out, |x, y, z| x + y + z),
        }
    }
}

/// `x` where the truth is positive, `y` elsewhere.
#[inline(always)]
fn chosen<T: Scalar>(truth: T, x: T, y: T) -> T {
    if truth > T::default() { x } else { y }
}

/// A truth value as a number.
#[inline(always)]
fn truth<T: Scalar>(is_so: bool) -> T {
    if is_so { T::ONE } else { T::default() }
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
    strip.as_chunks_mut().0
}

/// A function of one number, over all of a result.
fn alone<T: Scalar>(xs: Numbers<'_, T>, out: &mut [T], f: impl Fn(T) -> T) {
    match xs.one() {
        Some(x) => out.fill(f(x)),
        None => each(xs.all(), out, f),
    }
}

/// A function of two numbers, over all of a result.
fn beside<T: Scalar>(xs: Numbers<'_, T>, ys: Numbers<'_, T>, out: &mut [T], f: impl Fn(T, T) -> T) {
    match (xs.one(), ys.one()) {
        (None, None) => pairs(xs.all(), ys.all(), out, f),
        (Some(x), None) => each(
            ys.all(),
            out,
            #[inline(always)]
            move |y| f(x, y),
        ),
        (None, Some(y)) => each(
            xs.all(),
            out,
            #[inline(always)]
            move |x| f(x, y),
        ),
        (Some(x), Some(y)) => out.fill(f(x, y)),
    }
}

/// A function of three numbers, each of which is another one for each result.
fn triples<T: Scalar>(values: [Numbers<'_, T>; 3], out: &mut [T], f: impl Fn(T, T, T) -> T) {
    let [xs, ys, zs] = values.map(|numbers| &numbers.all()[..out.len()]);
    vectorised(
        #[inline(always)]
        move || {
            for (((result, &x), &y), &z) in out.iter_mut().zip(xs).zip(ys).zip(zs) {
                *result = f(x, y, z);
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a step gives of these numbers, over a strip and as a program of its own.
    fn both(op: Op, [x, y, z]: [f32; 3]) -> [f32; 2] {
        let (values, mut strip, mut whole) = ([[x; FEW], [y; FEW], [z; FEW]], [0.0; FEW], [0.0; FEW]);
        op.run([&values[0], &values[1], &values[2]], &mut strip);
        let step = Step { op, values: [0, 1, 2] };
        step.run_whole([0, 1, 2].map(|i| Numbers::each(&values[i])), &mut whole);
        assert_eq!([strip, whole], [[strip[0]; FEW], [whole[0]; FEW]], "all elements of {op:?} are the same");
        [strip[0], whole[0]]
    }

    #[test]
    fn joined_steps_round_as_the_two_steps_do() {
        assert_eq!(both(Op::AddAdd, [1e8, -1e8, 1.0]), [1.0; 2], "the first sum is taken first");
        assert_eq!(both(Op::AddAdd, [1.0, 1e8, -1e8]), [0.0; 2], "and is rounded");
        let x = 1.0 + f32::powi(2.0, -12);
        assert_eq!(both(Op::MulAdd, [x, x, -1.0 - f32::powi(2.0, -11)]), [0.0; 2], "the product is rounded");
    }

    #[test]
    fn a_comparison_gives_1_or_0_and_what_is_left_out_is_0() {
        for (x, y) in [(1.0, 2.0), (2.0, 1.0), (2.0, 2.0), (0.0, -0.0), (f32::NAN, 1.0), (f32::NAN, f32::NAN)] {
            let holds = [(Op::Less, x < y), (Op::NotMore, x <= y), (Op::Equal, x == y), (Op::Differs, x != y)];
            for (op, holds) in holds {
                assert_eq!(both(op, [x, y, 0.0]), [f32::from(u8::from(holds)); 2], "{op:?} of {x} and {y}");
            }
        }
        for (truth, [is, is_not]) in [(1.0, [3.0, 0.0]), (0.0, [0.0, 3.0])] {
            assert_eq!(both(Op::WherePositive, [3.0, truth, 0.0]), [is; 2]);
            assert_eq!(both(Op::Unless, [3.0, truth, 0.0]), [is_not; 2]);
        }
    }

    #[test]
    fn a_program_of_one_step_goes_over_pieces_however_its_numbers_follow_each_other() {
        const SIZE: usize = 500;
        let numbers: Vec<f64> = (0..SIZE + 1).map(|i| (i * 37 % 101) as f64 - 50.0).collect();
        let often = Numbers::<f64>::OFTEN;
        // A row of so many elements, and what follows behind it.
        let row = |period: usize| -> Vec<f64> { (0..period + often).map(|i| 0.5 + (i % period) as f64).collect() };
        let (long, short) = (row(LONG + 6), row(LONG - 1));
        let two: Vec<f64> = (0..2 * often).map(|i| if i < often { 3.0 } else { -7.0 }).collect();
        let one = vec![-2.5; often];
        let each = Numbers::each(&numbers[1..]);
        let others = [
            (Numbers::same(&one), Box::new(|_| -2.5) as Box<dyn Fn(usize) -> f64>),
            (Numbers::two(&two, 130), Box::new(|i| if i < 130 { 3.0 } else { -7.0 })),
            (Numbers::rows(&long, LONG + 6, 33), Box::new(|i| 0.5 + ((i + 33) % (LONG + 6)) as f64)),
            (each, Box::new(|i| numbers[i + 1])),
        ];
        for (other, at) in &others {
            let mut out = [0.0; SIZE];
            let step = Step { op: Op::Sub, values: [0, 1, 1] };
            assert!(step.run_pieces([each, *other, *other], &mut out), "{other:?}");
            assert!((0..SIZE).all(|i| out[i] == numbers[i + 1] - at(i)), "what it is subtracted from is each");
            assert!(step.run_pieces([*other, each, each], &mut out), "{other:?}");
            assert!((0..SIZE).all(|i| out[i] == at(i) - numbers[i + 1]), "and the other way around");
            let step = Step { op: Op::Neg, values: [0; 3] };
            assert!(step.run_pieces([*other; 3], &mut out), "{other:?}");
            assert!((0..SIZE).all(|i| out[i] == -at(i)), "and alone");
            let step = Step { op: Op::MulAdd, values: [0, 1, 2] };
            assert_eq!(step.run_pieces([each, each, *other], &mut out), !other.repeats(), "{other:?}");
            assert!(other.repeats() || (0..SIZE).all(|i| out[i] == numbers[i + 1].powi(2) + at(i)), "three of them");
        }
        let mut out = [9.0; SIZE];
        let rows = Numbers::rows(&short, LONG - 1, 0);
        assert!(!Step { op: Op::Add, values: [0, 1, 1] }.run_pieces([each, rows, rows], &mut out), "rows are short");
        assert_eq!(out, [9.0; SIZE], "nothing was done");
    }
}
