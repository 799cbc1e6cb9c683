//! Sums of what is made of differences, with the sums of a few rows and columns in registers.
//!
//! Computes  `Σₖ (x[i, k] - y[k, j])²`  and  `Σₖ |x[i, k] - y[k, j]|`:  distances of points from points; differences that are
//! weighed,  `Σₖ w[i, k] (x[i, k] - y[k, j])`  and  `Σₖ w[k, j] (x[i, k] - y[k, j])`;  and what gradients of distances
//! sum,  `Σₖ w[k, j] (x[i, k] - e[i, j])`  and  `Σₖ w[i, k] (e[i, j] - y[k, j])`.
//! Such a sum is computed as a product of matrices is, and takes about as long; through `x² - 2 x y + y²` it would be one, and
//! near points would lose all digits. In registers go so many terms as an `f32` can sum, of more there are partial sums.
//! Lives here: which sums are such, and their tiles. Not here: the sums of all other programs (`computed`).

use super::Reducible;
use crate::kernel::map::{Difference, Operand, Program, Then};
use crate::kernel::parallel::{self, GRAIN, grain_of};
use crate::kernel::simd::{Lanes, is_plain};
use crate::kernel::span::{Odometer, Span, check_inside};
use crate::kernel::vectors;
use pulp::{Simd, WithSimd};
use smallvec::SmallVec;
use std::marker::PhantomData;
use std::ops::Range;

/// Rows of a tile.
const ROWS: usize = 4;
/// Terms of a sum in registers.
const DEEP: usize = 512;
/// Columns from which on registers are filled well enough.
const COLUMNS: usize = 8;

/// Computes the sum if it is such a one. Returns whether it did.
pub(super) fn sum<T: Reducible + Lanes>(
    program: &Program,
    sizes: &[usize],
    over: Range<usize>,
    operands: &[Operand<'_>],
    dst: &mut [T],
) -> bool {
    let Some(Difference { of: [x, y], then, times }) = program.difference() else { return false };
    let strides = |range: Range<usize>| -> SmallVec<[&[isize]; 4]> {
        operands.iter().map(|operand| &operand.strides[range.clone()]).collect()
    };
    let groups = [0..over.start, over.clone(), over.end..sizes.len()];
    let [outer, over, inner] = groups.map(|range| Span::new(&sizes[range.clone()], &strides(range)));
    let is_one = over.sizes.len() <= 1 && inner.sizes.len() == 1;
    if !is_one || inner.total() < COLUMNS || over.total() == 0 || vectors::are_none() {
        return false;
    }
    for operand in operands {
        check_inside("reduce: operand", operand.buffer.size(), operand.offset, sizes, operand.strides);
    }
    let batch = outer.sizes.len().saturating_sub(1);
    let reads = |number: usize| {
        // Along an axis of one position an operand may be anything.
        let step = |span: &Span, axis: usize| span.strides[number].get(axis).copied().unwrap_or(0);
        let steps = [step(&outer, batch), step(&over, 0), step(&inner, 0)];
        Reads {
            numbers: T::of(operands[number].buffer),
            first: operands[number].offset as isize,
            batch: &outer.strides[number][..batch],
            steps,
        }
    };
    let is_across = |number: usize| reads(number).steps[2] == 0;
    let is_down = |number: usize| matches!(reads(number).steps, [0, _, 1]);
    let is_own = |number: usize| matches!(reads(number).steps, [_, 0, 1]);
    let job = |[across, down, third]: [usize; 3], times: f64| Job {
        batch: &outer.sizes[..batch],
        size: [outer.sizes.get(batch).copied().unwrap_or(1), over.total(), inner.total()],
        across: reads(across),
        down: reads(down),
        third: reads(third),
        times: T::narrow(times),
    };
    let pair = match () {
        () if is_across(x) && is_down(y) => Some([x, y, y]),
        () if is_across(y) && is_down(x) => Some([y, x, x]),
        () => None,
    };
    let signed = |first: usize| if first == x { times } else { -times };
    match (then, pair) {
        (Then::Square, Some(pair)) => job(pair, times).run::<Square>(dst),
        (Then::Abs, Some(pair)) => job(pair, times).run::<Abs>(dst),
        (Then::Times(w), _) if is_across(x) && is_own(y) && is_down(w) => job([x, w, y], times).run::<TimesDown>(dst),
        (Then::Times(w), _) if is_across(y) && is_own(x) && is_down(w) => job([y, w, x], -times).run::<TimesDown>(dst),
        (Then::Times(w), _) if is_own(x) && is_down(y) && is_across(w) => job([w, y, x], times).run::<TimesAcross>(dst),
        (Then::Times(w), _) if is_own(y) && is_down(x) && is_across(w) => {
            job([w, x, y], -times).run::<TimesAcross>(dst);
        }
        (Then::Times(w), Some([a, b, _])) if is_across(w) => job([a, b, w], signed(a)).run::<WeighedAcross>(dst),
        (Then::Times(w), Some([a, b, _])) if is_down(w) => job([a, b, w], signed(a)).run::<WeighedDown>(dst),
        _ => return false,
    }
    true
}

/// What is read besides a number of the row and one of the column.
enum Third {
    None,
    /// A number of each sum, the same for all terms.
    Own,
    /// One of the row, another one for each term.
    Across,
    /// One of the column.
    Down,
}

/// A term of the sum.
trait Term {
    /// What it reads besides.
    const THIRD: Third;
    /// A sum with a term of a number of its row, one of its column, and a third one.
    fn add<T: Lanes, S: Simd>(simd: S, sum: T::Register<S>, of: [T::Register<S>; 3]) -> T::Register<S>;
}

/// `(a - b)²`
struct Square;
/// `|a - b|`
struct Abs;
/// `b (a - e)`
struct TimesDown;
/// `a (e - b)`
struct TimesAcross;
/// `w (a - b)`, with a weight of the row.
struct WeighedAcross;
/// The same with one of the column.
struct WeighedDown;

macro_rules! term {
    ($name:ident, $third:ident, |$simd:ident, $sum:ident, [$a:ident, $b:ident, $own:ident]| $value:expr) => {
        impl Term for $name {
            const THIRD: Third = Third::$third;
            #[inline(always)]
            fn add<T: Lanes, S: Simd>(
                $simd: S,
                $sum: T::Register<S>,
                [$a, $b, $own]: [T::Register<S>; 3],
            ) -> T::Register<S> {
                $value
            }
        }
    };
}

term!(Square, None, |simd, sum, [a, b, _own]| {
    let apart = T::minus(simd, a, b);
    T::fused(simd, apart, apart, sum)
});
term!(Abs, None, |simd, sum, [a, b, _own]| T::plus(simd, sum, T::abs_of(simd, T::minus(simd, a, b))));
term!(TimesDown, Own, |simd, sum, [a, b, own]| T::fused(simd, b, T::minus(simd, a, own), sum));
term!(TimesAcross, Own, |simd, sum, [a, b, own]| T::fused(simd, a, T::minus(simd, own, b), sum));
term!(WeighedAcross, Across, |simd, sum, [a, b, weight]| T::fused(simd, weight, T::minus(simd, a, b), sum));
term!(WeighedDown, Down, |simd, sum, [a, b, weight]| T::fused(simd, weight, T::minus(simd, a, b), sum));

/// Where the numbers of an operand are: the first one, and how far it is to the next batch position, row, term and column.
#[derive(Clone, Copy)]
struct Reads<'a, T> {
    numbers: &'a [T],
    first: isize,
    batch: &'a [isize],
    steps: [isize; 3],
}

/// The sums of some batch positions, rows and columns. All that is read was found to be inside.
struct Job<'a, T> {
    batch: &'a [usize],
    /// Rows, terms, columns.
    size: [usize; 3],
    /// Numbers of rows, the same for all columns.
    across: Reads<'a, T>,
    /// Numbers of columns, which follow each other, the same for all rows.
    down: Reads<'a, T>,
    /// What is read besides ([`Third`]).
    third: Reads<'a, T>,
    /// How many times the sums are the results.
    times: T,
}

impl<T: Reducible + Lanes> Job<'_, T> {
    fn run<F: Term>(&self, dst: &mut [T]) {
        let [rows, terms, columns] = self.size;
        let grain = grain_of(dst.len() / columns, GRAIN.div_ceil(terms * columns)).next_multiple_of(ROWS);
        parallel::for_each_chunk(dst, grain * columns, |first, mut dst| {
            let mut row = first / columns;
            while !dst.is_empty() {
                let (batch, within) = (row / rows, row % rows);
                let count = (rows - within).min(dst.len() / columns);
                let (some, rest) = std::mem::take(&mut dst).split_at_mut(count * columns);
                let start = |reads: &Reads<'_, T>| {
                    let first = reads.first + Odometer::new(self.batch, reads.batch, batch).distance;
                    reads.numbers.as_ptr().wrapping_offset(first + within as isize * reads.steps[0])
                };
                let starts = [&self.across, &self.down, &self.third].map(start);
                vectors::dispatch(Rows { job: self, starts, to: some, term: PhantomData::<F> });
                (dst, row) = (rest, row + count);
            }
        });
    }
}

/// Some rows of one batch position, and where the numbers of the first one begin.
struct Rows<'a, T, F> {
    job: &'a Job<'a, T>,
    starts: [*const T; 3],
    to: &'a mut [T],
    term: PhantomData<F>,
}

impl<T: Reducible + Lanes, F: Term> WithSimd for Rows<'_, T, F> {
    type Output = ();

    /// All rows go by some columns before the next columns, and by some terms before the next terms: those numbers stay near.
    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        if const { is_plain::<T, S>() } {
            return;
        }
        let [_, terms, columns] = self.job.size;
        let (lanes, rows) = (size_of::<T::Register<S>>() / size_of::<T>(), self.to.len() / columns);
        for from in (0..terms).step_by(DEEP) {
            let some = from..terms.min(from + DEEP);
            let mut column = 0;
            while column < columns {
                let is_wide = const { has_wide::<S, F>() } && columns - column > 2 * lanes;
                for row in (0..rows).step_by(ROWS) {
                    if const { has_wide::<S, F>() } && is_wide {
                        self.tile::<S, 4>(simd, [row, column], some.clone());
                    } else {
                        self.tile::<S, 2>(simd, [row, column], some.clone());
                    }
                }
                column += lanes * if is_wide { 4 } else { 2 };
            }
        }
    }
}

/// Whether there are enough registers for tiles of four in a row; else those are not compiled.
const fn has_wide<S: Simd, F: Term>() -> bool {
    S::REGISTER_COUNT >= 32 && matches!(F::THIRD, Third::None)
}

impl<T: Reducible + Lanes, F: Term> Rows<'_, T, F> {
    /// Some terms of the sums of a few rows and registers. Rows that are missing are the last one again.
    #[inline(always)]
    fn tile<S: Simd, const N: usize>(&mut self, simd: S, [row, column]: [usize; 2], terms: Range<usize>) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let columns = self.job.size[2];
        let count = (self.to.len() / columns - row).min(ROWS);
        let [[a_row, a_term, _], [_, b_term, _], [third_row, third_term, _]] =
            [&self.job.across, &self.job.down, &self.job.third].map(|reads| reads.steps);
        let zero = T::splat(simd, T::default());
        let mut some = [T::first(simd, columns - column); N];
        for (n, some) in some.iter_mut().enumerate() {
            *some = T::first(simd, (columns - column).saturating_sub(n * lanes));
        }
        let (mut across, mut own) = ([self.starts[0]; ROWS], [[zero; N]; ROWS]);
        let mut weights = [self.starts[2]; ROWS];
        for i in 0..ROWS {
            let row = (row + i.min(count - 1)) as isize;
            across[i] = self.starts[0].wrapping_offset(row * a_row + terms.start as isize * a_term);
            weights[i] = self.starts[2].wrapping_offset(row * third_row + terms.start as isize * third_term);
            if const { matches!(F::THIRD, Third::Own) } {
                let from = self.starts[2].wrapping_offset(row * third_row).wrapping_add(column);
                for n in 0..N {
                    // SAFETY: this row and the columns of the mask are inside.
                    own[i][n] = unsafe { T::read(simd, some[n], from.wrapping_add(n * lanes)) };
                }
            }
        }
        let mut down = self.starts[1].wrapping_offset(terms.start as isize * b_term).wrapping_add(column);
        let mut sums = [[zero; N]; ROWS];
        for _ in terms.clone() {
            let mut b = [zero; N];
            for n in 0..N {
                // SAFETY: this term and the columns of the mask are inside.
                b[n] = unsafe { T::read(simd, some[n], down.wrapping_add(n * lanes)) };
            }
            if const { matches!(F::THIRD, Third::Down) } {
                let from = weights[0].wrapping_add(column);
                for n in 0..N {
                    // SAFETY: as above; the weights are the same for all rows.
                    own[0][n] = unsafe { T::read(simd, some[n], from.wrapping_add(n * lanes)) };
                }
                weights[0] = weights[0].wrapping_offset(third_term);
            }
            for i in 0..ROWS {
                // SAFETY: this row and this term are inside.
                let a = T::splat(simd, unsafe { *across[i] });
                if const { matches!(F::THIRD, Third::Across) } {
                    // SAFETY: as above.
                    own[i] = [T::splat(simd, unsafe { *weights[i] }); N];
                    weights[i] = weights[i].wrapping_offset(third_term);
                }
                for n in 0..N {
                    let third = if const { matches!(F::THIRD, Third::Down) } { own[0][n] } else { own[i][n] };
                    sums[i][n] = F::add::<T, S>(simd, sums[i][n], [a, b[n], third]);
                }
                across[i] = across[i].wrapping_offset(a_term);
            }
            down = down.wrapping_offset(b_term);
        }
        let times = T::splat(simd, self.job.times);
        for (i, sums) in sums.into_iter().enumerate().take(count) {
            let to = &mut self.to[(row + i) * columns + column..(row + i + 1) * columns];
            for (n, sum) in sums.into_iter().enumerate() {
                let (to, mut sum) = (to.as_mut_ptr().wrapping_add(n * lanes), T::times(simd, sum, times));
                // The sum of what is -0 is 0.
                let mut before = T::splat(simd, T::default());
                if terms.start > 0 {
                    // SAFETY: the numbers of the mask are those of `to` from here on.
                    before = unsafe { T::read(simd, some[n], to) };
                }
                sum = T::plus(simd, sum, before);
                // SAFETY: as above.
                unsafe { T::write(simd, some[n], to, sum) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Binary, Stored, Unary};
    use crate::kernel::map::Instruction;
    use crate::kernel::testing::{Random, positions};

    /// Which of the axes (batch, row, term, column) the operands of a case have.
    type Axes = [bool; 4];
    const ACROSS: Axes = [true, true, true, false];
    const DOWN: Axes = [true, false, true, true];
    const OWN: Axes = [true, true, false, true];

    /// The strides of an operand that lies dense along its axes, in this order, with some room between rows.
    fn strides(sizes: [usize; 4], has: Axes, is_turned: bool) -> [isize; 4] {
        let (mut strides, mut step) = ([0; 4], 1);
        let order = if is_turned && !has[3] { [0, 2, 1, 3] } else { [0, 1, 2, 3] };
        for axis in order.into_iter().rev().filter(|&axis| has[axis]) {
            strides[axis] = step;
            step = step * sizes[axis] as isize + 3;
        }
        strides
    }

    /// Compares with plain loops; the numbers are eighths, so that every sum is exact.
    fn check<T: Reducible + Lanes>(sizes: [usize; 4], of: [Axes; 3], is_turned: bool, then: usize) {
        let mut random = Random::new(5);
        let strides = of.map(|has| strides(sizes, has, is_turned));
        let buffers = strides.map(|strides| {
            let size = 8 + sizes.iter().zip(strides).map(|(&size, stride)| (size - 1) * stride as usize).sum::<usize>();
            let eighth = |x: f32| T::from_f64(f64::from((x * 8.0).round()) / 8.0);
            T::into_buffer(random.reals(size).into_iter().map(eighth).collect::<Vec<_>>())
        });
        let operand = |n: usize| Operand { buffer: &buffers[n], offset: 5, strides: &strides[n] };
        let operands = [0, 1, 2].map(operand);
        let (binary, constant) = (Instruction::Binary, Instruction::Constant(T::KIND, -2.0));
        let begin = [Instruction::Load(0), Instruction::Load(1), Instruction::Load(2), binary(Binary::Sub, 0, 1)];
        let end = match then {
            0 => vec![binary(Binary::Mul, 3, 3)],
            1 => vec![Instruction::Unary(Unary::Abs, 3)],
            _ => vec![binary(Binary::Mul, 3, 2), constant, binary(Binary::Mul, 4, 5)],
        };
        let program = Program::new([&begin, &end[..]].concat(), &[T::KIND; 3]);
        let kept = sizes[0] * sizes[1] * sizes[3];
        let mut out = vec![T::from_f64(77.0); kept];
        let is_done = sum(&program, &sizes, 2..3, &operands, &mut out);
        assert_eq!(is_done, !vectors::are_none(), "{sizes:?} {of:?} {then}");
        let mut exact = vec![0.0; kept];
        let [xs, ys, ws] = strides.map(|strides| positions(&sizes, &strides).collect::<Vec<_>>());
        let [_, rows, terms, columns] = sizes;
        for (position, ((x, y), w)) in xs.into_iter().zip(ys).zip(ws).enumerate() {
            let read = |n: usize, at: isize| T::of(&buffers[n])[5 + at as usize].to_f64();
            let (x, y, w) = (read(0, x), read(1, y), read(2, w));
            let (column, row) = (position % columns, position / columns / terms);
            exact[row * columns + column] += match then {
                0 => (x - y) * (x - y),
                1 => (x - y).abs(),
                _ => -2.0 * w * (x - y),
            };
            assert!(row < sizes[0] * rows, "a row of the result");
        }
        let is_same = out.iter().zip(&exact).all(|(out, &exact)| out.to_f64() == exact);
        assert!(!is_done || is_same, "{sizes:?} {of:?} turned: {is_turned}, {then}");
    }

    #[test]
    fn sums_of_differences_are_those_of_plain_loops() {
        for sizes in [
            [1, 1, 1, 8],
            [1, 4, 3, 8],
            [1, 5, 7, 33],
            [2, 3, 5, 64],
            [3, 9, 2, 31],
            [1, 70, 40, 129],
            [2, 6, 1100, 17],
            [1, 301, 9, 101],
        ] {
            for is_turned in [false, true] {
                for (of, thens) in [
                    ([ACROSS, DOWN, DOWN], &[0, 1][..]),
                    ([DOWN, ACROSS, ACROSS], &[0, 1]),
                    ([ACROSS, OWN, DOWN], &[2]),
                    ([OWN, ACROSS, DOWN], &[2]),
                    ([OWN, DOWN, ACROSS], &[2]),
                    ([DOWN, OWN, ACROSS], &[2]),
                    ([ACROSS, DOWN, ACROSS], &[2]),
                    ([ACROSS, DOWN, DOWN], &[2]),
                    ([DOWN, ACROSS, ACROSS], &[2]),
                    ([DOWN, ACROSS, DOWN], &[2]),
                ] {
                    for &then in thens {
                        check::<f32>(sizes, of, is_turned, then);
                        check::<f64>(sizes, of, is_turned, then);
                    }
                }
            }
        }
    }

    #[test]
    fn near_points_far_from_the_origin_keep_their_digits() {
        let [x, y] = [[1.0e4_f32; 8], [1.0e4 + 0.01; 8]].map(|numbers| f32::into_buffer(numbers.repeat(8)));
        let difference = Instruction::Binary(Binary::Sub, 0, 1);
        let square = Instruction::Binary(Binary::Mul, 2, 2);
        let program =
            Program::new(vec![Instruction::Load(0), Instruction::Load(1), difference, square], &[f32::KIND; 2]);
        let operands = [
            Operand { buffer: &x, offset: 0, strides: &[8, 1, 0] },
            Operand { buffer: &y, offset: 0, strides: &[0, 8, 1] },
        ];
        let mut out = vec![0.0_f32; 64];
        if sum(&program, &[8, 8, 8], 1..2, &operands, &mut out) {
            let apart = 1.0e4_f32 - (1.0e4 + 0.01);
            assert!(out.iter().all(|&out| (out - 8.0 * apart * apart).abs() <= 1e-6 * out), "{out:?}");
        }
    }

    #[test]
    fn a_negative_multiple_of_distances_that_are_zero_is_zero() {
        let x = f32::into_buffer(vec![1.0; 64]);
        let steps = [(Binary::Sub, 0, 1), (Binary::Mul, 2, 2)].map(|(op, x, y)| Instruction::Binary(op, x, y));
        let loads = [Instruction::Load(0), Instruction::Load(1)];
        let program =
            Program::new([&loads[..], &steps, &[Instruction::Unary(Unary::Neg, 3)]].concat(), &[f32::KIND; 2]);
        let operands = [&[8, 1, 0][..], &[0, 8, 1]].map(|strides| Operand { buffer: &x, offset: 0, strides });
        let mut out = vec![77.0_f32; 64];
        let is_done = sum(&program, &[8, 8, 8], 1..2, &operands, &mut out);
        assert!(!is_done || out.iter().all(|out| out.to_bits() == 0), "as sums of eight -0 are: {out:?}");
    }
}
