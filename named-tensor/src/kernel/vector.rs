//! Products of a matrix and a few vectors, as fast as memory gives the matrix.
//!
//! Computes  `sums[i, j] = Σₖ x[i, k] w[k, j]`  for a few rows i, with `w` contiguous along j.
//! With so few rows every element of `w` is used as often as there are rows, and a product of matrices, which first copies
//! `w` into another order, would spend its time on the copy. Here `w` is read once, in the order in which it lies, and
//! widened in a register if it is stored in 16 bits.
//! Not here: products of large matrices (`matmul`), threads.
//! The sum over k is taken in a fixed order, so that a column does not depend on which others are computed with it.

use super::lanes::vectorised;
use super::math::Scalar;
use crate::element::Bf16;
use std::ops::Range;

/// Rows of `w` that are added to the sums together, so that the sums are read and written once for all of them.
const DEPTH: usize = 8;
/// The same where whole rows are read, which go on without gaps: then the rows are far apart, and each is followed by its
/// neighbour in the next round. A processor fetches ahead in several places of memory at once, but not in several places
/// of one page, and short rows come twice as fast so.
pub(super) const STREAMS: usize = 4;

/// An element of a matrix as it is stored, to be computed with in `T`.
pub(super) trait Weight<T>: Copy + Sync {
    /// The same number.
    fn widen(self) -> T;
}

impl<T: Scalar> Weight<T> for T {
    #[inline(always)]
    fn widen(self) -> T {
        self
    }
}

impl<T: Scalar> Weight<T> for Bf16 {
    #[inline(always)]
    fn widen(self) -> T {
        T::of_bf16(self)
    }
}

/// A few rows, and the matrix they are multiplied with.
#[derive(Debug)]
pub(super) struct Few<'a, T, W = T> {
    /// The rows, contiguous, `k` elements each; a factor of the product is already in them.
    pub(super) x: Vec<T>,
    /// The size of the summed axis.
    pub(super) k: usize,
    /// The matrix, from its first element on.
    pub(super) w: &'a [W],
    /// Its stride along k; along the columns it is 1.
    pub(super) along: usize,
    /// Whether rows far apart are added together. The order of the sum follows from it, so it may depend on the sizes, and
    /// not on how columns are split.
    pub(super) far: bool,
}

impl<T: Scalar, W: Weight<T>> Few<'_, T, W> {
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
        let row = |k: usize| -> &[W] { &self.w[range.start + k * self.along..][..width] };
        sums.fill(T::default());
        let done = if self.far {
            let apart = self.k / STREAMS;
            (0..apart).for_each(|k| self.rows_at::<STREAMS>(k, apart, row, sums));
            STREAMS * apart
        } else {
            let whole = self.k - self.k % DEPTH;
            (0..whole).step_by(DEPTH).for_each(|k| self.rows_at::<DEPTH>(k, 1, row, sums));
            whole
        };
        (done..self.k).for_each(|k| self.rows_at::<1>(k, 1, row, sums));
    }

    /// Adds some rows of the matrix to the sums, so far apart from the first on.
    fn rows_at<'w, const N: usize>(&'w self, k: usize, apart: usize, row: impl Fn(usize) -> &'w [W], sums: &mut [T]) {
        let rows: [&[W]; N] = std::array::from_fn(|r| row(k + r * apart));
        for (x, sums) in self.x.chunks_exact(self.k).zip(sums.chunks_exact_mut(rows[0].len())) {
            let x: [T; N] = std::array::from_fn(|r| x[k + r * apart]);
            vectorised(
                #[inline(always)]
                move || add(x, rows, sums),
            );
        }
    }
}

/// `sumsⱼ += Σᵣ xᵣ rowsᵣⱼ`, in the order of r.
#[inline(always)]
fn add<T: Scalar, W: Weight<T>, const N: usize>(x: [T; N], rows: [&[W]; N], sums: &mut [T]) {
    let width = sums.len();
    let rows = rows.map(|row| &row[..width]);
    for j in 0..width {
        let mut sum = sums[j];
        for r in 0..N {
            sum = x[r].times_plus(rows[r][j].widen(), sum);
        }
        sums[j] = sum;
    }
}
