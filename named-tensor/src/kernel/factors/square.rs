//! The factors of one square matrix, and what follows from them: `P S = L U`, with the rows exchanged so that each pivot is
//! the largest of its column.
//!
//! L has ones on the diagonal and U nothing below it, so both stand in the room of S. By the textbook (Golub and Van Loan,
//! *Matrix Computations*, section 3.4), in blocks of columns: those of a block are eliminated one after the other, and then
//! all columns behind it at once. No number of L is larger than 1, which keeps the rounding errors small.
//! The inverse of the transposed matrix is `Pᵀ L⁻ᵀ U⁻ᵀ`: its rows come in the order in which they are written. What it takes
//! from a block of rows at once is a product of matrices, whose steps are fused: no pivot follows from it.
//! Not here: loops along rows (`rows`), where a matrix is read and written (`factors`).

use super::rows::{EIGHT, Eight, Room, TOGETHER, divide, number, subtract, subtract_from_all, sweep};
use crate::kernel::lanes::vectorised;
use crate::kernel::matmul::take_away;
use crate::kernel::{View, ViewMut, parallel};
use std::ops::Range;

/// Columns of a block, and rows.
const BLOCK: usize = TOGETHER * EIGHT;
/// Rows of an inverse that a thread computes at a time.
const PART: usize = 16;

/// Room for a matrix and its inverse, for one matrix after the other.
#[derive(Debug)]
pub(super) struct Square {
    size: usize,
    /// Registers of a row. What stands behind the last column is not looked at.
    width: usize,
    /// The matrix, and then its factors: L below the diagonal, U on it and above.
    factors: Room,
    /// Which row of the matrix each row of L U is.
    order: Vec<usize>,
    /// Whether the rows were exchanged an odd number of times.
    is_odd: bool,
    /// The rows of the inverse of the transposed matrix, in the order of those of L U.
    inverse: Room,
}

impl Square {
    /// Room for a matrix of this size, and for its inverse too if that is wanted.
    pub(super) fn new(size: usize, is_inverted: bool) -> Square {
        let width = size.div_ceil(EIGHT);
        let registers = size * width;
        let inverse = Room::new(if is_inverted { registers } else { 0 });
        Square { size, width, factors: Room::new(registers), order: (0..size).collect(), is_odd: false, inverse }
    }

    /// The rows of the matrix, which are written before it is factored.
    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        let size = self.size;
        let rows = self.factors.get_mut().chunks_exact_mut(self.width.max(1));
        rows.map(move |row| &mut row.as_flattened_mut()[..size])
    }

    /// Puts its factors in the place of the matrix.
    pub(super) fn factor(&mut self) {
        let (size, width) = (self.size, self.width);
        for (place, order) in self.order.iter_mut().enumerate() {
            *order = place;
        }
        self.is_odd = false;
        for start in (0..size).step_by(BLOCK) {
            let end = size.min(start + BLOCK);
            let rows = &mut self.factors.get_mut()[start * width..];
            let order = &mut self.order[start..];
            let is_odd = vectorised(
                #[inline(always)]
                move || eliminate(rows, width, [start, end], order),
            );
            self.is_odd ^= is_odd;
            if end < size {
                self.take_from_rest([start, end]);
            }
        }
    }

    /// Does to the columns behind a block what has been done to those of the block.
    fn take_from_rest(&mut self, [start, end]: [usize; 2]) {
        let width = self.width;
        let rows = &mut self.factors.get_mut()[start * width..];
        let (beside, below) = rows.split_at_mut((end - start) * width);
        let registers = end / EIGHT..width;
        let lower: Vec<Eight> =
            below.chunks_exact(width).flat_map(|row| &row[start / EIGHT..end / EIGHT]).copied().collect();
        let (rows, right) = (&mut *beside, registers.clone());
        vectorised(
            #[inline(always)]
            move || {
                for i in 1..end - start {
                    let (above, row) = rows.split_at_mut(i * width);
                    let (left, _) = row.split_at(end / EIGHT);
                    let mut times = [[0.0; EIGHT]; TOGETHER];
                    times.copy_from_slice(&left[start / EIGHT..]);
                    subtract(row, times.as_flattened()[..i].iter().copied(), above, width, right.clone());
                }
            },
        );
        let lower = lower.as_slice();
        subtract_from_all(
            below,
            #[inline(always)]
            |i, k| lower[i * TOGETHER + k / EIGHT][k % EIGHT],
            beside,
            width,
            registers,
        );
    }

    fn pivots(&self) -> impl Iterator<Item = f64> {
        let rows = self.factors.get();
        (0..self.size).map(|i| number(&rows[i * self.width..], i))
    }

    /// Whether there is an inverse: no pivot is 0, and each is a finite number.
    pub(super) fn is_regular(&self) -> bool {
        self.pivots().all(|pivot| pivot != 0.0 && pivot.is_finite())
    }

    /// The pivots, and -1 if rows were exchanged an odd number of times, else 1.
    pub(super) fn pivots_and_sign(&self) -> (impl Iterator<Item = f64> + '_, f64) {
        (self.pivots(), if self.is_odd { -1.0 } else { 1.0 })
    }

    /// The rows of the inverse of the transposed matrix, each with its number.
    pub(super) fn inverse(&mut self) -> impl Iterator<Item = (usize, &[f64])> {
        let (size, width) = (self.size, self.width);
        let (factors, inverse) = (self.factors.get(), self.inverse.get_mut());
        inverse.fill([0.0; EIGHT]);
        for start in (0..size).step_by(BLOCK) {
            let end = size.min(start + BLOCK);
            let (done, rest) = inverse.split_at_mut(start * width);
            let rows = &mut rest[..(end - start) * width];
            if start > 0 {
                take_products(rows, (factors, start), done, width, 0..start / EIGHT);
            }
            vectorised(
                #[inline(always)]
                move || forwards(factors, rows, width, [start, end]),
            );
        }
        for start in (0..size).step_by(BLOCK).rev() {
            let end = size.min(start + BLOCK);
            let (rows, done) = inverse[start * width..].split_at_mut((end - start) * width);
            if end < size {
                take_products(rows, (&factors[end * width..], start), done, width, 0..width);
            }
            vectorised(
                #[inline(always)]
                move || backwards(factors, rows, width, [start, end]),
            );
        }
        let rows = self.inverse.get().chunks_exact(width.max(1));
        self.order.iter().copied().zip(rows.map(move |row| &row.as_flattened()[..size]))
    }
}

/// Takes from each row `i` of a block the number `start + i` of each row of the factors times that row of `from`.
fn take_products(
    rows: &mut [Eight],
    (factors, start): (&[Eight], usize),
    from: &[Eight],
    width: usize,
    registers: Range<usize>,
) {
    let (step, terms) = ((width * EIGHT) as isize, from.len() / width);
    parallel::for_each_chunk(rows, PART * width, |first, rows| {
        let sizes = [rows.len() / width, terms, registers.len() * EIGHT];
        let lhs = View { data: factors.as_flattened(), offset: start + first / width, strides: &[1, step] };
        let rhs = View { data: from.as_flattened(), offset: registers.start * EIGHT, strides: &[step, 1] };
        let to = ViewMut { data: rows.as_flattened_mut(), offset: registers.start * EIGHT, strides: &[step, 1] };
        take_away(sizes, lhs, rhs, to);
    });
}

/// Eliminates the columns of a block in all rows from its first one on. Returns whether they were exchanged an odd number
/// of times.
#[inline(always)]
fn eliminate(rows: &mut [Eight], width: usize, [start, end]: [usize; 2], order: &mut [usize]) -> bool {
    let mut is_odd = false;
    for column in start..end {
        let place = column - start;
        let (at, lane) = (column / EIGHT, column % EIGHT);
        let (mut pivot, mut largest) = (place, rows[place * width + at][lane].abs());
        for (i, row) in rows.chunks_exact(width).enumerate().skip(place + 1) {
            // What is no number is larger than nothing; it spoils its own row, whose pivot says so later.
            let number = row[at][lane].abs();
            if number > largest {
                (pivot, largest) = (i, number);
            }
        }
        let (above, below) = rows.split_at_mut((place + 1) * width);
        let top = &mut above[place * width..];
        if pivot != place {
            top.swap_with_slice(&mut below[(pivot - place - 1) * width..][..width]);
            order.swap(pivot, place);
            is_odd = !is_odd;
        }
        if largest != 0.0 {
            sweep(top, below, width, column, end.div_ceil(EIGHT));
        }
    }
    is_odd
}

/// Solves `Uᵀ V = I` for the rows of a block, from which all multiples of rows before it have been taken.
#[inline(always)]
fn forwards(factors: &[Eight], rows: &mut [Eight], width: usize, [start, end]: [usize; 2]) {
    for i in start..end {
        let (done, rest) = rows.split_at_mut((i - start) * width);
        let row = &mut rest[..=i / EIGHT];
        row[i / EIGHT][i % EIGHT] = 1.0;
        let column = (start..i).map(
            #[inline(always)]
            |k| number(&factors[k * width..], i),
        );
        subtract(row, column, done, width, 0..i.div_ceil(EIGHT));
        divide(row, number(&factors[i * width..], i));
    }
}

/// Solves `Lᵀ W = V` for the rows of a block, from which all multiples of rows behind it have been taken.
#[inline(always)]
fn backwards(factors: &[Eight], rows: &mut [Eight], width: usize, [start, end]: [usize; 2]) {
    for i in (start..end).rev() {
        let (rest, done) = rows.split_at_mut((i + 1 - start) * width);
        let row = &mut rest[(i - start) * width..];
        let column = (i + 1..end).map(
            #[inline(always)]
            |k| number(&factors[k * width..], i),
        );
        subtract(row, column, done, width, 0..width);
    }
}
