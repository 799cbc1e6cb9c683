//! Small matrices side by side: the same number of eight matrices in each register.
//!
//! What is computed is what `square` computes, in the same order, so the numbers are the same; but no register is half
//! empty, and no number waits for another one of its own row. Which row has the pivot is another one in each matrix, so
//! rows are exchanged by choices between two registers.
//! Not here: large matrices, and one alone (`square`); where matrices are read and written (`factors`).

use super::rows::{EIGHT, Eight, Room};
use crate::kernel::lanes::vectorised;

/// The largest size: both the matrices and their inverses stay in the nearest cache.
pub(super) const LARGEST: usize = 16;

/// Room for eight matrices and their inverses.
#[derive(Debug)]
pub(super) struct Beside {
    size: usize,
    /// The matrices, and then their factors. Behind the last column stands which row of the matrix each row is.
    factors: Room,
    /// -1 where the rows were exchanged an odd number of times, else 1.
    sign: Eight,
    /// The rows of the inverses of the transposed matrices, in the order of those of the factors.
    inverse: Room,
}

impl Beside {
    /// Room for matrices of this size, and for their inverses too if these are wanted.
    pub(super) fn new(size: usize, is_inverted: bool) -> Beside {
        let inverse = Room::new(if is_inverted { size * size } else { 0 });
        Beside { size, factors: Room::new(size * (size + 1)), sign: [1.0; EIGHT], inverse }
    }

    /// The rows of the matrices, which are written before they are factored.
    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut [Eight]> {
        let size = self.size;
        self.factors.get_mut().chunks_exact_mut(size + 1).map(move |row| &mut row[..size])
    }

    /// Puts their factors in the place of the matrices.
    pub(super) fn factor(&mut self) {
        let (size, rows) = (self.size, self.factors.get_mut());
        self.sign = vectorised(
            #[inline(always)]
            move || eliminate(rows, size),
        );
    }

    /// The pivots of all matrices, one after the other.
    fn pivots(&self) -> impl Iterator<Item = &Eight> {
        self.factors.get().iter().step_by(self.size + 2)
    }

    /// Whether one of the matrices has an inverse: no pivot is 0, and each is a finite number.
    pub(super) fn is_regular(&self, matrix: usize) -> bool {
        self.pivots().all(|pivot| pivot[matrix] != 0.0 && pivot[matrix].is_finite())
    }

    /// The pivots of one of the matrices, and -1 if its rows were exchanged an odd number of times, else 1.
    pub(super) fn pivots_of(&self, matrix: usize) -> (impl Iterator<Item = f64> + '_, f64) {
        (self.pivots().map(move |pivot| pivot[matrix]), self.sign[matrix])
    }

    /// Computes the inverses.
    pub(super) fn invert(&mut self) {
        let (size, factors, inverse) = (self.size, self.factors.get(), self.inverse.get_mut());
        vectorised(
            #[inline(always)]
            move || solve(factors, inverse, size),
        );
    }

    /// The rows of the inverses of the transposed matrices, each with its number in each of them.
    pub(super) fn inverse(&self) -> impl Iterator<Item = (&Eight, &[Eight])> {
        let numbers = self.factors.get().iter().skip(self.size).step_by(self.size + 1);
        numbers.zip(self.inverse.get().chunks_exact(self.size.max(1)))
    }
}

#[inline(always)]
fn each(f: impl Fn(usize) -> f64) -> Eight {
    std::array::from_fn(f)
}

/// Eliminates one column after the other. Returns the sign of the exchanges.
#[inline(always)]
fn eliminate(rows: &mut [Eight], size: usize) -> Eight {
    let width = size + 1;
    for (i, row) in rows.chunks_exact_mut(width).enumerate() {
        row[size] = [i as f64; EIGHT];
    }
    let mut sign = [1.0; EIGHT];
    for column in 0..size {
        let (mut pivot, mut largest) = ([column as f64; EIGHT], rows[column * width + column].map(f64::abs));
        for (i, row) in rows.chunks_exact(width).enumerate().skip(column + 1) {
            // What is no number is larger than nothing.
            let (here, number) = (i as f64, row[column]);
            pivot = each(
                #[inline(always)]
                |lane| if number[lane].abs() > largest[lane] { here } else { pivot[lane] },
            );
            largest = each(
                #[inline(always)]
                |lane| if number[lane].abs() > largest[lane] { number[lane].abs() } else { largest[lane] },
            );
        }
        let (above, below) = rows.split_at_mut((column + 1) * width);
        let top = &mut above[column * width..];
        for (i, row) in below.chunks_exact_mut(width).enumerate() {
            let here = (column + 1 + i) as f64;
            for (x, y) in top.iter_mut().zip(row) {
                let (upper, lower) = (*x, *y);
                *x = each(
                    #[inline(always)]
                    |lane| if pivot[lane] == here { lower[lane] } else { upper[lane] },
                );
                *y = each(
                    #[inline(always)]
                    |lane| if pivot[lane] == here { upper[lane] } else { lower[lane] },
                );
            }
        }
        sign = each(
            #[inline(always)]
            |lane| if pivot[lane] == column as f64 { sign[lane] } else { -sign[lane] },
        );
        for row in below.chunks_exact_mut(width) {
            let number = row[column];
            let times = each(
                #[inline(always)]
                |lane| if largest[lane] == 0.0 { 0.0 } else { number[lane] / top[column][lane] },
            );
            for (x, y) in row[column + 1..size].iter_mut().zip(&top[column + 1..size]) {
                let old = *x;
                *x = each(
                    #[inline(always)]
                    |lane| if largest[lane] == 0.0 { old[lane] } else { old[lane] - times[lane] * y[lane] },
                );
            }
            row[column] = each(
                #[inline(always)]
                |lane| if largest[lane] == 0.0 { number[lane] } else { times[lane] },
            );
        }
    }
    sign
}

/// Takes `times` the other row from a row.
#[inline(always)]
fn subtract(row: &mut [Eight], times: &Eight, other: &[Eight]) {
    for (x, y) in row.iter_mut().zip(other) {
        let old = *x;
        *x = each(
            #[inline(always)]
            |lane| old[lane] - times[lane] * y[lane],
        );
    }
}

/// Solves `Uᵀ V = I` and `Lᵀ W = V`.
#[inline(always)]
fn solve(factors: &[Eight], rows: &mut [Eight], size: usize) {
    let width = size + 1;
    for i in 0..size {
        let (done, rest) = rows.split_at_mut(i * size);
        let row = &mut rest[..size];
        row.fill([0.0; EIGHT]);
        row[i] = [1.0; EIGHT];
        for k in 0..i {
            subtract(row, &factors[k * width + i], &done[k * size..][..=k]);
        }
        divide(&mut row[..=i], &factors[i * width + i]);
    }
    for i in (0..size).rev() {
        let (rest, done) = rows.split_at_mut((i + 1) * size);
        let row = &mut rest[i * size..];
        for (k, other) in done.chunks_exact(size).enumerate() {
            subtract(row, &factors[(i + 1 + k) * width + i], other);
        }
    }
}

/// Divides the numbers of a row as `rows` does.
#[inline(always)]
fn divide(row: &mut [Eight], by: &Eight) {
    let inverse = by.map(|by| 1.0 / by);
    let is_exact = inverse.iter().all(|inverse| inverse.is_normal());
    for numbers in row {
        let old = *numbers;
        *numbers = if is_exact {
            each(
                #[inline(always)]
                |lane| old[lane] * inverse[lane],
            )
        } else {
            each(|lane| if inverse[lane].is_normal() { old[lane] * inverse[lane] } else { old[lane] / by[lane] })
        };
    }
}
