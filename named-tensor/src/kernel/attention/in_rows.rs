//! Keys and values that lie in rows, one for each position, and are read once for a few rows of attention.
//!
//! A few positions of every matrix at hand are taken in turn, and those that come next are asked for beside the work: what
//! one head has of a position is too short, and too far from the next, for a processor to expect it.
//! The sums over keys are taken as `vector` does it, those over positions from the first to the last of a block.
//! Not here: which matrices are taken together, and what the weights are (`few`).

use crate::kernel::ahead::fetch;
use crate::kernel::lanes::vectorised;
use crate::kernel::simd::Lanes;
use crate::kernel::vector::{STREAMS, add, dot, dots};

/// Positions that are taken at a time.
const BLOCK: usize = 8;

/// Elements that are asked for at a time: as many as have room in the nearest cache beside those at hand.
const NEAR: usize = 8 * 1024;

/// Matrices with rows of so many elements that are best read together.
pub(super) fn at_once(size: usize) -> usize {
    NEAR / (BLOCK * size).max(1)
}

/// Matrices in the same memory.
pub(super) struct InRows<'a, T> {
    pub(super) data: &'a [T],
    /// Where each begins, and how many positions it has.
    pub(super) matrices: Vec<(usize, usize)>,
    /// How far the row of the next position is, and how many elements each has.
    pub(super) apart: usize,
    pub(super) size: usize,
}

/// A few positions of one of them.
pub(super) struct Block<'a, T> {
    /// From the first of them on.
    data: &'a [T],
    apart: usize,
    size: usize,
    /// The number of the first, and how many there are.
    pub(super) first: usize,
    count: usize,
}

impl<'a, T: Lanes> InRows<'a, T> {
    /// Calls `work` with the number of each matrix and a few of its positions.
    pub(super) fn block_by_block(&self, mut work: impl FnMut(usize, &Block<'a, T>)) {
        let InRows { data, apart, size, .. } = *self;
        let block = |&(start, positions): &(usize, usize), first: usize| {
            (first < positions).then(|| {
                let count = BLOCK.min(positions - first);
                Block { data: &data[start + first * apart..], apart, size, first, count }
            })
        };
        self.matrices.iter().filter_map(|matrix| block(matrix, 0)).for_each(|block| block.ask(0, BLOCK));
        let most = self.matrices.iter().map(|&(_, positions)| positions).max().unwrap_or(0);
        for first in (0..most).step_by(BLOCK) {
            for (i, matrix) in self.matrices.iter().enumerate() {
                block(matrix, first).iter().for_each(|block| work(i, block));
            }
        }
    }
}

impl<T: Lanes> Block<'_, T> {
    fn row(&self, position: usize) -> &[T] {
        &self.data[position * self.apart..][..self.size]
    }

    /// Asks for some positions, counted from the first of these. They need not exist.
    #[inline(always)]
    fn ask(&self, first: usize, count: usize) {
        (first..first + count).for_each(|j| fetch(self.data, j.wrapping_mul(self.apart), self.size));
    }

    /// Writes the products of rows `x` and each position to a row of `out` for each, which are so far apart.
    pub(super) fn dots(&self, x: &[T], out: &mut [T], pitch: usize) {
        for j in (0..self.count).step_by(STREAMS) {
            // Not more at once, or they are waited for.
            self.ask(BLOCK + j, STREAMS);
            for (x, out) in x.chunks_exact(self.size).zip(out.chunks_mut(pitch)) {
                if j + STREAMS <= self.count {
                    let rows: [&[T]; STREAMS] = std::array::from_fn(|c| self.row(j + c));
                    let dots = vectorised(
                        #[inline(always)]
                        move || dots(x, rows),
                    );
                    out[j..j + STREAMS].copy_from_slice(&dots);
                    continue;
                }
                for (j, out) in (j..self.count).zip(&mut out[j..]) {
                    let row = self.row(j);
                    *out = vectorised(
                        #[inline(always)]
                        move || dot(x, row),
                    );
                }
            }
        }
    }

    /// Adds the positions, times the weights of each of some rows that are so far apart, to a row of `sums` for each.
    pub(super) fn add(&self, weights: &[T], pitch: usize, sums: &mut [T]) {
        self.ask(BLOCK, BLOCK);
        for (weights, sums) in weights.chunks(pitch).zip(sums.chunks_exact_mut(self.size)) {
            let whole = weights.first_chunk().filter(|_| self.count == BLOCK);
            if let Some(&weights) = whole {
                let rows: [&[T]; BLOCK] = std::array::from_fn(|j| self.row(j));
                vectorised(
                    #[inline(always)]
                    move || add(weights, rows, sums),
                );
                continue;
            }
            for (j, &weight) in weights[..self.count].iter().enumerate() {
                let row = self.row(j);
                let sums = &mut *sums;
                vectorised(
                    #[inline(always)]
                    move || add([weight], [row], sums),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_position_has_no_next_one_however_far_that_would_be() {
        let data = [1.0_f32, 2.0, 3.0, 4.0];
        let all = InRows { data: &data, matrices: vec![(1, 1), (2, 1)], apart: usize::MAX / 3, size: 2 };
        let (mut products, mut sums) = ([[0.0; 1]; 2], [[0.0; 2]; 2]);
        all.block_by_block(|i, block| {
            block.dots(&[10.0, 1.0], &mut products[i], 1);
            block.add(&[2.0], 1, &mut sums[i]);
        });
        assert_eq!(products, [[23.0], [34.0]]);
        assert_eq!(sums, [[4.0, 6.0], [6.0, 8.0]]);
    }
}
