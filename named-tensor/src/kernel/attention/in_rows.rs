//! Keys and values that lie in rows, one for each position, and are read once for a few rows of attention.
//!
//! What one head has of a position is short, but heads are neighbours as a rule: a run of matrices that are is read row by
//! row through all of them, in a few places that are far apart, and each place goes on where it was. So memory is read as
//! a processor expects it, as in `vector`, whose sums these are.
//! Not here: which positions are taken at a time, and what the weights are (`parts`).

use crate::kernel::lanes::vectorised;
use crate::kernel::simd::Lanes;
use crate::kernel::vector::{STREAMS, Weight, add, dot};
use std::ops::Range;

/// Matrices in the same memory.
pub(super) struct InRows<'a, T> {
    pub(super) data: &'a [T],
    /// Where each begins.
    pub(super) starts: Vec<usize>,
    /// How far the row of the next position is, and how many elements each has.
    pub(super) apart: usize,
    pub(super) size: usize,
}

impl<T: Lanes> InRows<'_, T> {
    /// Whether the rows of matrix `i` are followed by those of the next one.
    pub(super) fn goes_on(&self, i: usize) -> bool {
        self.starts[i + 1] == self.starts[i] + self.size
    }

    /// The row of a position of matrix `i`.
    #[inline(always)]
    fn row(&self, i: usize, position: usize) -> &[T] {
        &self.data[self.starts[i] + position * self.apart..][..self.size]
    }

    /// The rows of a few positions of matrix `i`, so far apart.
    #[inline(always)]
    fn rows(&self, i: usize, first: usize, apart: usize) -> [&[T]; STREAMS] {
        let [second, third] = [first + apart, first + 2 * apart];
        [self.row(i, first), self.row(i, second), self.row(i, third), self.row(i, third + apart)]
    }

    /// Writes the products of each row of `x` and some positions of its matrix, row by row; each matrix has `rows` of them.
    pub(super) fn dots(&self, matrices: Range<usize>, positions: Range<usize>, rows: usize, x: &[T], out: &mut [T]) {
        let (size, count, round) = (self.size, positions.len(), positions.len() / STREAMS);
        let first = positions.start;
        let (some, each) = (&mut *out, matrices.clone());
        vectorised(
            #[inline(always)]
            move || {
                for j in 0..round {
                    for (at, i) in each.clone().enumerate() {
                        let four = self.rows(i, first + j, round);
                        for row in at * rows..(at + 1) * rows {
                            let out = &mut some[row * count..][..count];
                            let [dots] = T::dots::<1>(&[&x[row * size..][..size]], four);
                            for stream in 0..STREAMS {
                                out[j + stream * round] = dots[stream];
                            }
                        }
                    }
                }
            },
        );
        for j in STREAMS * round..count {
            for (at, i) in matrices.clone().enumerate() {
                let position = self.row(i, first + j);
                for row in at * rows..(at + 1) * rows {
                    let x = &x[row * size..][..size];
                    out[row * count + j] = vectorised(
                        #[inline(always)]
                        move || dot(x, position),
                    );
                }
            }
        }
    }

    /// Adds some positions of the matrix of each row of `weights`, times those, to a row of `sums`; these are `pitch` apart.
    pub(super) fn add(
        &self,
        matrices: Range<usize>,
        positions: Range<usize>,
        rows: usize,
        weights: &[T],
        (sums, pitch): (&mut [T], usize),
    ) {
        let (size, count, round) = (self.size, positions.len(), positions.len() / STREAMS);
        let first = positions.start;
        let (some, each) = (&mut *sums, matrices.clone());
        vectorised(
            #[inline(always)]
            move || {
                for j in 0..round {
                    for (at, i) in each.clone().enumerate() {
                        let four = self.rows(i, first + j, round);
                        for row in at * rows..(at + 1) * rows {
                            let [w0, w1, w2, w3] = [0, round, 2 * round, 3 * round];
                            let weights = &weights[row * count + j..];
                            let weights = [weights[w0], weights[w1], weights[w2], weights[w3]];
                            add(weights, four, &mut some[row * pitch..][..size]);
                        }
                    }
                }
            },
        );
        for j in STREAMS * round..count {
            for (at, i) in matrices.clone().enumerate() {
                let position = self.row(i, first + j);
                for row in at * rows..(at + 1) * rows {
                    let (weight, sums) = (weights[row * count + j], &mut sums[row * pitch..][..size]);
                    vectorised(
                        #[inline(always)]
                        move || add([weight], [position], sums),
                    );
                }
            }
        }
    }
}
