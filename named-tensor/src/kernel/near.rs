//! Products of matrices so small that they end before others would have packed their operands.
//!
//! Computes  `dst[i, j] = scale · Σₖ lhs[i, k] rhs[k, j]`  with `rhs` and `dst` contiguous along j.
//! The sums of a few rows and columns stay in registers while the whole sum goes by; each element of an operand is read
//! where it lies. A sum is taken from the first k to the last, whatever rows and columns are computed with it.
//! Not here: what is small (`matmul`).

use super::lanes::vectorised;
use super::math::Scalar;
use super::span::{check_distinct, check_inside};
use super::{View, ViewMut};

/// Columns whose sums are kept in one register.
const LANES: usize = 8;
/// Rows that are computed together: their sums do not wait for each other.
const ROWS: usize = 4;

/// The product of a matrix of `m` rows and one of `n` columns.
///
/// # Panics
/// If a view leaves its slice, if positions of the destination overlap, or if columns of `rhs` or `dst` have gaps.
pub(super) fn product<T: Scalar>(
    scale: T,
    [m, k, n]: [usize; 3],
    lhs: View<'_, T>,
    rhs: View<'_, T>,
    dst: ViewMut<'_, T>,
) {
    check_inside("matmul: left operand", lhs.data.len(), lhs.offset, &[m, k], lhs.strides);
    check_inside("matmul: right operand", rhs.data.len(), rhs.offset, &[k, n], rhs.strides);
    check_inside("matmul: destination", dst.data.len(), dst.offset, &[m, n], dst.strides);
    check_distinct("matmul", &[m, n], dst.strides);
    assert!(rhs.strides[1] == 1 && dst.strides[1] == 1, "matmul: columns follow each other");
    let mut product = Product { scale, m, k, lhs, rhs, dst };
    vectorised(
        #[inline(always)]
        move || {
            let mut column = 0;
            while column + LANES <= n {
                product.columns::<LANES>(column);
                column += LANES;
            }
            if column + LANES / 2 <= n {
                product.columns::<{ LANES / 2 }>(column);
                column += LANES / 2;
            }
            while column < n {
                product.columns::<1>(column);
                column += 1;
            }
        },
    );
}

struct Product<'a, T> {
    scale: T,
    m: usize,
    k: usize,
    lhs: View<'a, T>,
    rhs: View<'a, T>,
    dst: ViewMut<'a, T>,
}

impl<T: Scalar> Product<'_, T> {
    /// So many columns from this one on.
    #[inline(always)]
    fn columns<const WIDTH: usize>(&mut self, column: usize) {
        let mut row = 0;
        while row + ROWS <= self.m {
            self.tile::<ROWS, WIDTH>(row, column);
            row += ROWS;
        }
        while row < self.m {
            self.tile::<1, WIDTH>(row, column);
            row += 1;
        }
    }

    /// So many rows and columns from these on.
    #[inline(always)]
    fn tile<const HEIGHT: usize, const WIDTH: usize>(&mut self, row: usize, column: usize) {
        let at = |offset: usize, first: usize, stride: isize| offset.wrapping_add_signed(first as isize * stride);
        let (across, along) = (self.lhs.strides[0], self.lhs.strides[1]);
        let mut sums = [[T::default(); WIDTH]; HEIGHT];
        let (mut left, mut right) = (at(self.lhs.offset, row, across), self.rhs.offset + column);
        for _ in 0..self.k {
            let right_row = &self.rhs.data[right..right + WIDTH];
            for (i, sums) in sums.iter_mut().enumerate() {
                let factor = self.scale * self.lhs.data[at(left, i, across)];
                (0..WIDTH).for_each(|j| sums[j] = right_row[j].times_plus(factor, sums[j]));
            }
            left = left.wrapping_add_signed(along);
            right = right.wrapping_add_signed(self.rhs.strides[0]);
        }
        for (i, sums) in sums.iter().enumerate() {
            let start = at(self.dst.offset, row + i, self.dst.strides[0]) + column;
            self.dst.data[start..start + WIDTH].copy_from_slice(sums);
        }
    }
}
