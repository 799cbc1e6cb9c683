//! The weights of a stripe whose rows are short: all rows in one loop, in whole vectors.
//!
//! For a row of some tens of positions, to enter a loop and to join its partial results costs more than its exponentials.
//! Here a row is filled up with what has the exponential 0, and keeps as many partial results as a vector has numbers.
//! Not here: long rows, and what is added to scores before (`stripe`).

use super::stripe::higher;
use crate::kernel::lanes::vectorised;
use crate::kernel::simd::Lanes;
use std::ops::Range;

/// Positions of a short row.
pub(super) const SHORT: usize = 128;

/// Scores that are taken together. The rows of a stripe are as far apart as they are long in whole parts, or further.
const PART: usize = 16;

/// Fills what a row does not see up to whole parts, so that the exponentials there are 0.
pub(super) fn fill_up<T: Lanes>(row: &mut [T], all: &Range<usize>, seen: Range<usize>) {
    row[all.start..seen.start].fill(T::LOWEST);
    row[seen.end..all.start + all.len().next_multiple_of(PART)].fill(T::LOWEST);
}

/// The exponentials of the scores `all` of rows that are `step` apart, in their place; returns one over the sum of each row.
pub(super) fn weights<T: Lanes>(scores: &mut [T], step: usize, all: &Range<usize>, rows: usize) -> Vec<T> {
    let mut inverses = vec![T::default(); rows];
    let (first, size, out) = (all.start, all.len().next_multiple_of(PART), &mut inverses[..]);
    vectorised(
        #[inline(always)]
        move || {
            for (row, inverse) in scores.chunks_mut(step).zip(out) {
                let (parts, _) = row[first..][..size].as_chunks_mut::<PART>();
                let mut tops = [T::LOWEST; PART];
                for part in parts.iter() {
                    tops = std::array::from_fn(
                        #[inline(always)]
                        |i| higher(tops[i], part[i]),
                    );
                }
                let top = joined(tops, higher);
                // Where nothing is seen every weight is 0, and one over their sum ∞: the results are NaN.
                let top = if top == T::LOWEST { T::default() } else { top };
                let mut sums = [T::default(); PART];
                for part in parts {
                    for (x, sum) in part.iter_mut().zip(&mut sums) {
                        *x = (*x - top).decay();
                        *sum = *sum + *x;
                    }
                }
                *inverse = T::narrow(1.0 / joined(sums, |sum, other| sum + other).wide());
            }
        },
    );
    inverses
}

/// Partial results as one, by halves, so that they need not wait for each other. Each half is an array of its own: a loop
/// over halves would be left as one, that reads single numbers from memory.
#[inline(always)]
fn joined<T: Copy>(parts: [T; PART], join: impl Fn(T, T) -> T + Copy) -> T {
    let eight: [T; PART / 2] = half(parts, join);
    let four: [T; PART / 4] = half(eight, join);
    let [first, second] = half(four, join);
    join(first, second)
}

/// The joined pairs of numbers that are half an array apart.
#[inline(always)]
fn half<T: Copy, const N: usize, const M: usize>(parts: [T; N], join: impl Fn(T, T) -> T) -> [T; M] {
    std::array::from_fn(
        #[inline(always)]
        |i| join(parts[i], parts[i + M]),
    )
}
