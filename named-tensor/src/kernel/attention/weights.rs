//! The weights of rows of scores: exponentials below the largest score of each row.
//!
//! All rows of a stripe go through one loop: for a row of some tens of positions, to enter a loop and to join its partial
//! results would cost more than its exponentials. Here a row is filled up with what has the exponential 0, and keeps as many
//! partial results as a vector has numbers. A single row of any length is taken by itself.
//! Not here: scores, and what is added to them before (`stripe`).

use super::far::is_nothing;
use super::seen::Sight;
use super::stripe::{BLOCK, LANES, total};
use crate::kernel::lanes::{fold, vectorised};
use crate::kernel::simd::Lanes;
use std::ops::Range;

/// Scores that are taken together. The rows of a stripe are as far apart as they are long in whole parts, or further.
const PART: usize = 16;

/// The whole parts of a row that hold what it sees.
fn parts(sight: &Sight) -> Range<usize> {
    sight.start / PART * PART..sight.end.next_multiple_of(PART)
}

/// Fills what a row does not see of the positions `all`, with what has the exponential 0 up to whole parts, and with 0.
pub(super) fn fill_up<T: Lanes>(row: &mut [T], all: &Range<usize>, sight: &Sight) {
    let parts = parts(sight);
    row[parts.start..sight.start].fill(T::LOWEST);
    row[sight.end..parts.end].fill(T::LOWEST);
    row[all.start..parts.start].fill(T::default());
    row[parts.end..all.end.max(parts.end)].fill(T::default());
}

/// The exponentials of scores of rows that are `step` apart, in their place; returns one over the sum of each row. None if
/// some row would see what is beyond its sight.
pub(super) fn weights<T: Lanes>(scores: &mut [T], step: usize, sights: &[Sight]) -> Option<Vec<T>> {
    let mut inverses = vec![T::default(); sights.len()];
    let (out, mut nothing_beyond) = (&mut inverses[..], true);
    let all = &mut nothing_beyond;
    vectorised(
        #[inline(always)]
        move || {
            for ((row, sight), inverse) in scores.chunks_mut(step).zip(sights).zip(out) {
                let (parts, _) = row[parts(sight)].as_chunks_mut::<PART>();
                let mut tops = [T::LOWEST; PART];
                for part in parts.iter() {
                    tops = std::array::from_fn(
                        #[inline(always)]
                        |i| higher(tops[i], part[i]),
                    );
                }
                let top = joined(tops, higher);
                *all &= is_nothing(sight, top);
                // Where nothing is seen every weight is 0, and one over their sum ∞: the results are NaN.
                let top = if top == T::LOWEST { T::default() } else { top };
                let mut sum = 0.0;
                for block in parts.chunks_mut(BLOCK / PART) {
                    let mut sums = [T::default(); PART];
                    for part in block {
                        for (x, sum) in part.iter_mut().zip(&mut sums) {
                            *x = (*x - top).decay();
                            *sum = *sum + *x;
                        }
                    }
                    sum += joined(sums, |sum, other| sum + other).wide();
                }
                *inverse = T::narrow(1.0 / sum);
            }
        },
    );
    nothing_beyond.then_some(inverses)
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

/// The largest score of a row.
pub(super) fn largest<T: Lanes>(row: &[T]) -> T {
    fold(row, T::LOWEST, higher, higher)
}

/// The exponentials of what is below `top`, in their place, and their sum.
pub(super) fn raised<T: Lanes>(top: T, row: &mut [T]) -> f64 {
    row.chunks_mut(BLOCK).map(|block| exponentials(top, block).wide()).sum()
}

/// The same of a part of a row.
fn exponentials<T: Lanes>(top: T, row: &mut [T]) -> T {
    vectorised(
        #[inline(always)]
        move || {
            let mut sums = [T::default(); LANES];
            let (whole, rest) = row.as_chunks_mut::<LANES>();
            whole.iter_mut().for_each(|chunk| raise(top, chunk, &mut sums));
            let (parts, rest) = rest.as_chunks_mut::<PART>();
            parts.iter_mut().for_each(|part| raise(top, part, &mut sums));
            if !rest.is_empty() {
                // What is added to make it a whole part has the exponential 0.
                let mut part = [T::LOWEST; PART];
                part[..rest.len()].copy_from_slice(rest);
                raise(top, &mut part, &mut sums);
                rest.copy_from_slice(&part[..rest.len()]);
            }
            total(sums)
        },
    )
}

/// Exponentials in their place, each added to a sum of its own.
#[inline(always)]
fn raise<T: Lanes, const N: usize>(top: T, numbers: &mut [T; N], sums: &mut [T; LANES]) {
    for (x, sum) in numbers.iter_mut().zip(sums) {
        *x = (*x - top).decay();
        *sum = *sum + *x;
    }
}

/// The larger of a number so far and another one. NaN may be passed over: it comes back with the exponentials.
#[inline(always)]
fn higher<T: Lanes>(top: T, x: T) -> T {
    if x > top { x } else { top }
}
