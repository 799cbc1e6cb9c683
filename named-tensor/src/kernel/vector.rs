//! Products of a matrix and a few vectors, as fast as memory gives the matrix.
//!
//! Computes  `sums[i, j] = Σₖ x[i, k] w[k, j]`  for a few rows i, with `w` contiguous along j.
//! With so few rows every element of `w` is used as often as there are rows, and a product of matrices, which first copies
//! `w` into another order, would spend its time on the copy. Here `w` is read once, in the order in which it lies.
//! Not here: products of large matrices (`matmul`), threads.
//! The sum over k is taken in a fixed order, so that a column does not depend on which others are computed with it.

use super::lanes::vectorised;
use super::math::Scalar;
use std::ops::Range;

/// Rows of `w` that are added to the sums together, so that the sums are read and written once for all of them.
const DEPTH: usize = 8;

/// A few rows, and the matrix they are multiplied with.
#[derive(Debug)]
pub(super) struct Few<'a, T> {
    /// The rows, contiguous, `k` elements each; a factor of the product is already in them.
    pub(super) x: Vec<T>,
    /// The size of the summed axis.
    pub(super) k: usize,
    /// The matrix, from its first element on.
    pub(super) w: &'a [T],
    /// Its stride along k; along the columns it is 1.
    pub(super) along: usize,
}

impl<T: Scalar> Few<'_, T> {
    /// The number of rows.
    fn rows(&self) -> usize {
        self.x.len() / self.k
    }

    /// Computes some columns of the result: `sums` holds them row by row, and what it held before does not matter.
    ///
    /// # Panics
    /// If the columns leave the matrix, or `sums` has another size.
    pub(super) fn columns(&self, range: Range<usize>, sums: &mut [T]) {
        assert_eq!(sums.len(), self.rows() * range.len(), "room for some columns of every row");
        let width = range.len();
        let row = |k: usize| &self.w[range.start + k * self.along..][..width];
        sums.fill(T::default());
        let whole = self.k - self.k % DEPTH;
        for k in (0..whole).step_by(DEPTH) {
            let rows: [&[T]; DEPTH] = std::array::from_fn(|r| row(k + r));
            for (x, sums) in self.x.chunks_exact(self.k).zip(sums.chunks_exact_mut(width)) {
                let x: [T; DEPTH] = std::array::from_fn(|r| x[k + r]);
                vectorised(
                    #[inline(always)]
                    move || add(x, rows, sums),
                );
            }
        }
        for k in whole..self.k {
            for (x, sums) in self.x.chunks_exact(self.k).zip(sums.chunks_exact_mut(width)) {
                vectorised(
                    #[inline(always)]
                    move || add([x[k]], [row(k)], sums),
                );
            }
        }
    }
}

/// `sumsⱼ += Σᵣ xᵣ rowsᵣⱼ`, in the order of r.
#[inline(always)]
fn add<T: Scalar, const N: usize>(x: [T; N], rows: [&[T]; N], sums: &mut [T]) {
    let width = sums.len();
    let rows = rows.map(|row| &row[..width]);
    for j in 0..width {
        let mut sum = sums[j];
        for r in 0..N {
            sum = x[r].times_plus(rows[r][j], sum);
        }
        sums[j] = sum;
    }
}
