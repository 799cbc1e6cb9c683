//! Determinants, their logarithms and inverses of square matrices, from their factors.
//!
//! Computed in `f64`, whatever the numbers are, and rounded once. A matrix is singular if one of its pivots is 0 or not
//! finite. Pivots, and so determinants, are those of the plain elimination, bit for bit.
//! Lives here: how matrices are found in a strided view, one after the other, eight at a time or by several threads, and
//! what is written of each. Not here: the factors (`square`, `beside`), axes (`graph::op::matrix`).

mod beside;
mod rows;
mod square;

use super::View;
use super::math::Scalar;
use super::parallel::{self, GRAIN, grain_of};
use super::span::{Odometer, check_inside};
use beside::Beside;
use rows::EIGHT;
use square::Square;
use std::sync::atomic::{AtomicBool, Ordering};

/// So many matrices repay the room of eight.
const LEAST: usize = 4;

/// Writes the determinant of each matrix of `src`, a view over `outer`, rows and columns; 1 where `size` is 0.
///
/// # Panics
/// If the view leaves its slice, or if `dst` does not have one element per position of `outer`.
pub(crate) fn determinant<T: Scalar>(outer: &[usize], size: usize, src: View<'_, T>, dst: &mut [T]) {
    of_pivots(outer, size, src, dst, |pivots, sign| pivots.product::<f64>() * sign);
}

/// Writes the logarithm of the magnitude of each determinant; 0 where `size` is 0.
///
/// # Panics
/// As [`determinant`].
pub(crate) fn log_determinant<T: Scalar>(outer: &[usize], size: usize, src: View<'_, T>, dst: &mut [T]) {
    of_pivots(outer, size, src, dst, |pivots, _| pivots.fold(0.0, |sum, pivot| sum + pivot.abs().ln()));
}

/// Writes what is computed of the pivots of each matrix, and of the sign of its permutation.
fn of_pivots<T: Scalar>(
    outer: &[usize],
    size: usize,
    src: View<'_, T>,
    dst: &mut [T],
    of: impl Fn(&mut dyn Iterator<Item = f64>, f64) -> f64 + Sync,
) {
    let matrices = Matrices::new("determinant", outer, size, src);
    assert_eq!(dst.len(), matrices.count(), "determinant: one result per matrix is needed");
    parallel::for_each_chunk(dst, matrices.grain(), |first, dst| {
        if matrices.are_beside() {
            return matrices.visit_eight(Beside::new(size, false), first, dst.len(), |i, count, beside| {
                for (matrix, to) in dst[i..][..count].iter_mut().enumerate() {
                    let (mut pivots, sign) = beside.pivots_of(matrix);
                    *to = T::narrow(of(&mut pivots, sign));
                }
            });
        }
        matrices.visit(Square::new(size, false), first, dst.len(), |i, square| {
            let (mut pivots, sign) = square.pivots_and_sign();
            dst[i] = T::narrow(of(&mut pivots, sign));
        });
    });
}

/// Writes the inverse of each matrix, transposed: over rows and columns as they are named in `src`, without gaps. Returns
/// whether there are all of them; if not, some numbers of `dst` are none.
///
/// # Panics
/// If the view leaves its slice, or if `dst` does not have as many elements as the view.
pub(crate) fn inverse<T: Scalar>(outer: &[usize], size: usize, src: View<'_, T>, dst: &mut [T]) -> bool {
    let matrices = Matrices::new("inverse", outer, size, src);
    let numbers = size * size;
    assert_eq!(dst.len(), matrices.count() * numbers, "inverse: as many numbers as there are are needed");
    let is_singular = AtomicBool::new(false);
    parallel::for_each_chunk(dst, matrices.grain() * numbers, |start, dst| {
        let (first, count) = (start / numbers, dst.len() / numbers);
        if matrices.are_beside() {
            return matrices.visit_eight(Beside::new(size, true), first, count, |i, count, beside| {
                if !(0..count).all(|matrix| beside.is_regular(matrix)) {
                    return is_singular.store(true, Ordering::Relaxed);
                }
                beside.invert();
                for (rows, registers) in beside.inverse() {
                    for (matrix, row) in rows.iter().enumerate().take(count) {
                        let dst = &mut dst[(i + matrix) * numbers + *row as usize * size..][..size];
                        for (to, register) in dst.iter_mut().zip(registers) {
                            *to = T::narrow(register[matrix]);
                        }
                    }
                }
            });
        }
        matrices.visit(Square::new(size, true), first, count, |i, square| {
            if !square.is_regular() {
                return is_singular.store(true, Ordering::Relaxed);
            }
            let dst = &mut dst[i * numbers..][..numbers];
            for (row, numbers) in square.inverse() {
                for (to, &number) in dst[row * size..].iter_mut().zip(numbers) {
                    *to = T::narrow(number);
                }
            }
        });
    });
    !is_singular.into_inner()
}

/// The matrices of a view over `outer`, rows and columns.
struct Matrices<'a, T> {
    outer: &'a [usize],
    size: usize,
    src: View<'a, T>,
}

impl<'a, T: Scalar> Matrices<'a, T> {
    fn new(what: &str, outer: &'a [usize], size: usize, src: View<'a, T>) -> Matrices<'a, T> {
        check_inside(what, src.data.len(), src.offset, &[outer, &[size; 2]].concat(), src.strides);
        Matrices { outer, size, src }
    }

    fn count(&self) -> usize {
        self.outer.iter().product()
    }

    /// How many a thread takes at a time.
    fn grain(&self) -> usize {
        // Of small matrices each column takes time, however short it is.
        let cost = self.size.saturating_pow(2).saturating_mul(self.size + 8);
        let grain = grain_of(self.count(), GRAIN.div_ceil(cost.max(1)));
        if self.are_beside() { grain.next_multiple_of(EIGHT) } else { grain }
    }

    /// Whether eight of them are factored at a time.
    fn are_beside(&self) -> bool {
        self.size <= beside::LARGEST && self.count() >= LEAST
    }

    /// Factors `count` matrices, one after the other, from the one with the number `first` on, and says when each is done.
    fn visit(&self, mut square: Square, first: usize, count: usize, mut done: impl FnMut(usize, &mut Square)) {
        let mut matrix = self.odometer(first);
        for i in 0..count {
            for (row, numbers) in square.rows_mut().enumerate() {
                numbers.iter_mut().zip(self.row(matrix.distance, row)).for_each(|(number, x)| *number = x);
            }
            square.factor();
            done(i, &mut square);
            matrix.step();
        }
    }

    /// The same of eight at a time, or of those that are left: says of how many.
    fn visit_eight(
        &self,
        mut beside: Beside,
        first: usize,
        count: usize,
        mut done: impl FnMut(usize, usize, &mut Beside),
    ) {
        let mut matrix = self.odometer(first);
        for i in (0..count).step_by(EIGHT) {
            let count = EIGHT.min(count - i);
            for place in 0..count {
                for (row, registers) in beside.rows_mut().enumerate() {
                    let numbers = self.row(matrix.distance, row);
                    registers.iter_mut().zip(numbers).for_each(|(register, x)| register[place] = x);
                }
                matrix.step();
            }
            beside.factor();
            done(i, count, &mut beside);
        }
    }

    /// Where matrices begin, from the one with this number on.
    fn odometer(&self, first: usize) -> Odometer<'_> {
        Odometer::new(self.outer, &self.src.strides[..self.outer.len()], first)
    }

    /// The numbers of a row of the matrix that is so far from the first one.
    #[inline(always)]
    fn row(&self, distance: isize, row: usize) -> impl Iterator<Item = f64> {
        let [down, along] = [0, 1].map(|axis| self.src.strides[self.outer.len() + axis]);
        let start = self.src.offset as isize + distance + row as isize * down;
        (0..self.size as isize).map(move |i| self.src.data[(start + i * along) as usize].wide())
    }
}

#[cfg(test)]
mod tests;
