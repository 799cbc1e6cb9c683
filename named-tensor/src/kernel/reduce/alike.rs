//! Sums of squares and sizes of differences of numbers that lie alike: variances, mean squared and absolute errors.
//!
//! Computes  `Σₖ (x[i, k] - y[i, k])²`  and  `Σₖ |x[i, k] - y[k]|`  and the like, where both operands go on as one, or one of
//! them stays: along rows, and down neighbouring columns; and  `Σₖ |x[i, k]|`  along rows, where what is subtracted is 0.
//! A difference is rounded once, its square is not, and all are summed in `f64`, as squares of what is stored are.
//! Lives here: which sums are such, and their two loops. Not here: differences of each row and each column (`differences`), the
//! sums of all other programs (`computed`).

use super::computed::{FEW, MANY, PIECE, PIECES};
use crate::kernel::lanes::{fold, vectorised};
use crate::kernel::map::{Difference, Operand, Program, Then};
use crate::kernel::math::Scalar;
use crate::kernel::parallel::{self, GRAIN, grain_of};
use crate::kernel::span::{Odometer, Span, check_inside};
#[cfg(target_arch = "x86_64")]
use crate::kernel::vectors;
use std::ops::Range;

/// Terms of a row from which on it is worth a loop of its own.
const LONG: usize = 64;
/// Rows from which on columns are worth one.
const DEEP: usize = 4;
/// Columns that are worth one, and that go down together at most: their sums stay in the nearest cache.
const WIDE: usize = 256;
const TILE: usize = 1024;
/// Sums that a row of two operands has: half as many as one of a single operand, so that there are registers for both.
const LANES: usize = 32;

/// Computes the sum if it is such a one. Returns whether it did.
pub(super) fn sum<T: Scalar>(
    program: &Program,
    sizes: &[usize],
    over: Range<usize>,
    operands: &[Operand<'_>],
    dst: &mut [T],
) -> bool {
    let sized = program.sized();
    let from_zero = sized.map(|of| Difference { of: [of; 2], then: Then::Abs, times: 1.0 });
    let Some(Difference { of, then, times }) = from_zero.or_else(|| program.difference()) else { return false };
    let strides = |range: Range<usize>| of.map(|number| &operands[number].strides[range.clone()]);
    let groups = [0..over.start, over.clone(), over.end..sizes.len()];
    let [outer, over, inner] = groups.map(|range| Span::new(&sizes[range.clone()], &strides(range)));
    if over.sizes.len() != 1 || inner.sizes.len() > 1 || outer.total() == 0 || over.total() == 0 {
        return false;
    }
    for number in of {
        let Operand { buffer, offset, strides } = operands[number];
        check_inside("reduce: operand", buffer.size(), offset, sizes, strides);
    }
    let [x, y] = [0, 1].map(|n| Reads {
        numbers: T::of(operands[of[n]].buffer),
        first: operands[of[n]].offset as isize,
        outer: &outer.strides[n],
        over: over.strides[n][0],
        inner: inner.inner_stride(n),
    });
    let (zero, stays) = ([T::default()], vec![0; outer.sizes.len()]);
    let from_zero = sized.map(|_| Reads { numbers: &zero, first: 0, outer: &stays, over: 0, inner: 0 });
    let y = from_zero.unwrap_or(y);
    // The square, or the size, is that of the difference turned around.
    let of = if x.over == 0 { [y, x] } else { [x, y] };
    let job = Job { outer: &outer.sizes, over: over.total(), inner: inner.total(), of, times };
    let are_rows = job.inner == 1 && job.over >= LONG && of[0].over == 1 && matches!(of[1].over, 0 | 1);
    let are_columns = job.inner >= WIDE && job.over >= DEEP && of.iter().all(|reads| reads.inner == 1);
    match then {
        Then::Square if are_rows => job.rows(dst, square),
        Then::Abs if are_rows => job.rows(dst, size),
        Then::Square if are_columns => job.columns(dst, square),
        Then::Abs if are_columns => job.columns(dst, size),
        _ => return false,
    }
    true
}

/// `(x - y)²`
#[inline(always)]
fn square<T: Scalar>(x: T, y: T) -> f64 {
    let apart = (x - y).wide();
    apart * apart
}

/// `|x - y|`
#[inline(always)]
fn size<T: Scalar>(x: T, y: T) -> f64 {
    (x - y).wide().abs()
}

/// Where the numbers of an operand are: the first one, and how far it is to the next along each axis.
#[derive(Clone, Copy)]
struct Reads<'a, T> {
    numbers: &'a [T],
    first: isize,
    outer: &'a [isize],
    over: isize,
    inner: isize,
}

impl<'a, T> Reads<'a, T> {
    /// So many numbers that follow each other.
    #[inline(always)]
    fn some(&self, start: isize, count: usize) -> &'a [T] {
        &self.numbers[start as usize..][..count]
    }
}

/// The sums of some outer and inner positions.
struct Job<'a, T> {
    outer: &'a [usize],
    over: usize,
    inner: usize,
    of: [Reads<'a, T>; 2],
    /// How many times the sums are the results.
    times: f64,
}

impl<T: Scalar> Job<'_, T> {
    /// How far the operands are at an outer position, and at those that follow.
    fn odometers(&self, position: usize) -> [Odometer<'_>; 2] {
        [0, 1].map(|n| Odometer::new(self.outer, self.of[n].outer, position))
    }

    /// Along rows. Few long ones are cut into pieces, whose bounds depend on the sizes alone.
    fn rows(&self, dst: &mut [T], term: impl Fn(T, T) -> f64 + Copy + Sync) {
        let is_cut = dst.len() < MANY && dst.len() * self.over >= 2 * PIECE;
        let depth = self.over.div_ceil(if is_cut { (self.over / PIECE).clamp(1, PIECES) } else { 1 });
        let pieces = self.over.div_ceil(depth);
        let mut sums = vec![0.0; dst.len() * pieces];
        let grain = grain_of(sums.len(), GRAIN.div_ceil(depth));
        parallel::for_each_chunk(&mut sums, grain, |first, sums| {
            let mut at = self.odometers(first / pieces);
            for (piece, sum) in (first % pieces..).zip(sums) {
                let start = piece % pieces * depth;
                if piece > 0 && start == 0 {
                    at.iter_mut().for_each(Odometer::step);
                }
                let count = depth.min(self.over - start);
                let [x, y] = [0, 1].map(|n| self.of[n].first + at[n].distance + start as isize * self.of[n].over);
                let xs = self.of[0].some(x, count);
                *sum = if self.of[1].over == 0 {
                    let y = self.of[1].numbers[y as usize];
                    fold(
                        xs,
                        0.0,
                        #[inline(always)]
                        move |sum, x| sum + term(x, y),
                        |a, b| a + b,
                    )
                } else {
                    pairs(xs, self.of[1].some(y, count), term)
                };
            }
        });
        for (d, sums) in dst.iter_mut().zip(sums.chunks_exact(pieces)) {
            *d = self.result(sums.iter().sum());
        }
    }

    /// Down columns. Where there are few of them, their rows are cut into such pieces.
    fn columns(&self, dst: &mut [T], term: impl Fn(T, T) -> f64 + Copy + Sync) {
        let size = dst.len();
        if size < MANY * self.inner && self.inner <= FEW && size * self.over >= 2 * PIECE {
            let depth = self.over.div_ceil((size * self.over / PIECE).clamp(1, PIECES)).max(DEEP);
            let mut sums = vec![0.0; self.over.div_ceil(depth) * size];
            parallel::for_each_chunk(&mut sums, size, |first, sums| {
                let start = first / size * depth;
                for (position, sums) in sums.chunks_exact_mut(self.inner).enumerate() {
                    self.down([position, 0], start..self.over.min(start + depth), sums, term);
                }
            });
            for (i, d) in dst.iter_mut().enumerate() {
                *d = self.result(sums[i..].iter().step_by(size).sum());
            }
            return;
        }
        let grain = grain_of(size, GRAIN.div_ceil(self.over)).next_multiple_of(WIDE);
        parallel::for_each_chunk(dst, grain, |first, dst| {
            let mut done = 0;
            while done < dst.len() {
                let (position, column) = ((first + done) / self.inner, (first + done) % self.inner);
                let width = (self.inner - column).min(dst.len() - done).min(TILE);
                let mut room = [0.0; TILE];
                self.down([position, column], 0..self.over, &mut room[..width], term);
                dst[done..done + width].iter_mut().zip(room).for_each(|(d, sum)| *d = self.result(sum));
                done += width;
            }
        });
    }

    /// Takes these rows of an outer position into the sums of some columns.
    fn down(
        &self,
        [position, column]: [usize; 2],
        rows: Range<usize>,
        sums: &mut [f64],
        term: impl Fn(T, T) -> f64 + Copy,
    ) {
        let at = self.odometers(position).map(|at| at.distance + column as isize);
        let width = sums.len();
        let row = |n: usize, r: usize| self.of[n].some(self.of[n].first + at[n] + r as isize * self.of[n].over, width);
        let whole = rows.start + rows.len() / 4 * 4;
        for r in (rows.start..whole).step_by(4) {
            let some = [0, 1].map(|n| [row(n, r), row(n, r + 1), row(n, r + 2), row(n, r + 3)]);
            take(some, sums, term);
        }
        for r in whole..rows.end {
            take([[row(0, r)], [row(1, r)]], sums, term);
        }
    }

    /// The result of a sum. It is no -0 where all terms are 0, however often it is taken.
    fn result(&self, sum: f64) -> T {
        T::narrow(0.0 + sum * self.times)
    }
}

/// Takes some rows into the sums of their columns.
fn take<T: Scalar, const N: usize>([xs, ys]: [[&[T]; N]; 2], sums: &mut [f64], term: impl Fn(T, T) -> f64) {
    vectorised(
        #[inline(always)]
        move || {
            let xs = xs.map(
                #[inline(always)]
                |row| &row[..sums.len()],
            );
            let ys = ys.map(
                #[inline(always)]
                |row| &row[..sums.len()],
            );
            for (column, sum) in sums.iter_mut().enumerate() {
                let mut taken = *sum;
                for row in 0..N {
                    taken += term(xs[row][column], ys[row][column]);
                }
                *sum = taken;
            }
        },
    );
}

/// The sum over two rows, of no wider registers than those of 256 bits: numbers are widened to twice that.
fn pairs<T: Scalar>(xs: &[T], ys: &[T], term: impl Fn(T, T) -> f64) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = vectors::of_256() {
        return vectors::in_256_bits(
            simd,
            #[inline(always)]
            move || in_lanes(xs, ys, term),
        );
    }
    vectorised(
        #[inline(always)]
        move || in_lanes(xs, ys, term),
    )
}

#[inline(always)]
fn in_lanes<T: Scalar>(xs: &[T], ys: &[T], term: impl Fn(T, T) -> f64) -> f64 {
    let mut lanes = [0.0; LANES];
    let ((xs, x), (ys, y)) = (xs.as_chunks::<LANES>(), ys.as_chunks::<LANES>());
    for (xs, ys) in xs.iter().zip(ys) {
        for i in 0..LANES {
            lanes[i] += term(xs[i], ys[i]);
        }
    }
    // Others for the rest, whose number is known only now: so the first ones stay in registers.
    let mut all = lanes;
    for (sum, (&x, &y)) in all.iter_mut().zip(x.iter().zip(y)) {
        *sum += term(x, y);
    }
    for half in [LANES / 2, LANES / 4, LANES / 8, LANES / 16, LANES / 32] {
        for i in 0..half {
            all[i] += all[i + half];
        }
    }
    all[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Binary, Stored, Unary};
    use crate::kernel::map::Instruction;
    use crate::kernel::testing::Random;

    /// Sums of eighths, which are exact in whatever order: of squares, or of sizes times -2, of `x` with all axes, and of `y`
    /// with those that are told.
    fn check<T: Scalar>([outer, over, inner]: [usize; 3], has: [bool; 3], is_turned: bool, is_square: bool) {
        let sizes = [outer, over, inner];
        let strides = |has: [bool; 3]| {
            let mut step = 1;
            let mut strides = [0; 3];
            for axis in (0..3).rev().filter(|&axis| has[axis]) {
                strides[axis] = step;
                step *= sizes[axis] as isize;
            }
            (strides, step as usize)
        };
        let mut random = Random::new(5);
        let mut numbers = |size: usize| -> Vec<T> {
            random.reals(3 + size).into_iter().map(|x| T::narrow(f64::from((x * 8.0).round()) / 8.0)).collect()
        };
        let ((x_strides, xs), (y_strides, ys)) = (strides([true; 3]), strides(has));
        let (xs, ys) = (numbers(xs), numbers(ys));
        let buffers = [T::into_buffer(xs.clone()), T::into_buffer(ys.clone())];
        let mut instructions = vec![Instruction::Load(0), Instruction::Load(1)];
        instructions.push(Instruction::Binary(Binary::Sub, usize::from(is_turned), usize::from(!is_turned)));
        if is_square {
            instructions.push(Instruction::Binary(Binary::Mul, 2, 2));
        } else {
            instructions.push(Instruction::Unary(Unary::Abs, 2));
            instructions.push(Instruction::Constant(T::KIND, -2.0));
            instructions.push(Instruction::Binary(Binary::Mul, 3, 4));
        }
        let operands = [(&buffers[0], &x_strides), (&buffers[1], &y_strides)].map(|(buffer, strides)| Operand {
            buffer,
            offset: 3,
            strides,
        });
        let program = Program::new(instructions, &[T::KIND; 2]);
        let mut out = vec![T::narrow(77.0); outer * inner];
        assert!(sum(&program, &sizes, 1..2, &operands, &mut out), "{sizes:?} {has:?} is such a sum");
        for (at, got) in out.into_iter().map(T::wide).enumerate() {
            let term = |k: usize| {
                let place = [at / inner, k, at % inner];
                let read = |numbers: &[T], strides: [isize; 3]| {
                    numbers[3 + (0..3).map(|axis| place[axis] * strides[axis] as usize).sum::<usize>()].wide()
                };
                let apart = read(&xs, x_strides) - read(&ys, y_strides);
                if is_square { apart * apart } else { -2.0 * apart.abs() }
            };
            let exact = T::narrow((0..over).map(term).sum()).wide();
            assert_eq!(got, exact, "{sizes:?}, the other one has {has:?}, turned: {is_turned}, at {at}");
        }
    }

    #[test]
    fn sums_of_nothing_or_of_few_rows_are_none_of_these() {
        let buffer = f32::into_buffer(vec![1.0; 1200]);
        let [difference, square] =
            [(Binary::Sub, 0, 1), (Binary::Mul, 2, 2)].map(|(op, x, y)| Instruction::Binary(op, x, y));
        let loads = [Instruction::Load(0), Instruction::Load(1)];
        let program = Program::new([&loads[..], &[difference, square]].concat(), &[f32::KIND; 2]);
        let operands = [Operand { buffer: &buffer, offset: 0, strides: &[300, 1] }; 2];
        for (rows, is_done) in [(0, false), (1, false), (3, false), (4, true)] {
            let mut out = vec![77.0_f32; 300];
            assert_eq!(sum(&program, &[rows, 300], 0..1, &operands, &mut out), is_done, "{rows} rows");
            assert!(!is_done || out.iter().all(|&out| out == 0.0), "{rows} rows");
        }
    }

    #[test]
    fn a_negative_multiple_of_a_sum_that_is_zero_is_zero() {
        let buffer = f32::into_buffer(vec![1.0; 100]);
        let steps = [(Binary::Sub, 0, 1), (Binary::Mul, 2, 2)].map(|(op, x, y)| Instruction::Binary(op, x, y));
        let loads = [Instruction::Load(0), Instruction::Load(1)];
        let negative = [Instruction::Unary(Unary::Neg, 3)];
        let program = Program::new([&loads[..], &steps, &negative].concat(), &[f32::KIND; 2]);
        let operands = [Operand { buffer: &buffer, offset: 0, strides: &[1] }; 2];
        let mut out = [77.0_f32];
        assert!(sum(&program, &[100], 0..1, &operands, &mut out), "it is such a sum");
        assert_eq!(out[0].to_bits(), 0, "as the sum of a hundred -0 is");
    }

    #[test]
    fn sums_of_sizes_along_rows_are_those_of_plain_loops() {
        let numbers: Vec<f32> = Random::new(9).reals(70 * 100).into_iter().map(|x| (x * 8.0).round() / 8.0).collect();
        let buffer = f32::into_buffer(numbers.clone());
        let program = Program::new(vec![Instruction::Load(0), Instruction::Unary(Unary::Abs, 0)], &[f32::KIND]);
        // Backwards from row to row, and a row that is there twice.
        for (strides, first) in [([100, 1], 0), ([-100, 1], 6900), ([0, 1], 500)] {
            let mut out = vec![77.0; 70];
            let operands = [Operand { buffer: &buffer, offset: first, strides: &strides }];
            assert!(sum(&program, &[70, 100], 1..2, &operands, &mut out), "rows {} apart", strides[0]);
            for (row, got) in out.into_iter().enumerate() {
                let start = (first as isize + row as isize * strides[0]) as usize;
                let exact: f32 = numbers[start..start + 100].iter().map(|x| x.abs()).sum();
                assert_eq!(got, exact, "row {row} of rows {} apart", strides[0]);
            }
        }
        let operands = [Operand { buffer: &buffer, offset: 0, strides: &[1, 100] }];
        assert!(!sum(&program, &[100, 70], 1..2, &operands, &mut [0.0_f32; 100]), "down columns it is no such sum");
    }

    #[test]
    fn sums_of_differences_of_numbers_that_lie_alike_are_those_of_plain_loops() {
        let rows = [[1, 64, 1], [3, 65, 1], [40, 773, 1], [1, 70_000, 1], [2, 100_001, 1], [17, 96, 1]];
        let columns =
            [[1, 4, 256], [3, 5, 257], [1, 30, 1500], [2, 9, 1024], [5, 4, 300], [2, 501, 260], [17, 50, 256]];
        let both = rows.map(|sizes| (sizes, [[true, true, false], [true, false, false], [false, true, false]]));
        let others = columns.map(|sizes| (sizes, [[true; 3], [true, false, true], [false, true, true]]));
        for (sizes, operands) in both.into_iter().chain(others) {
            for has in operands.into_iter().filter(|has| sizes[2] == 1 || has[2]) {
                for (is_turned, is_square) in [(false, true), (true, true), (false, false), (true, false)] {
                    check::<f32>(sizes, has, is_turned, is_square);
                    check::<f64>(sizes, has, is_turned, is_square);
                }
            }
        }
    }
}
