//! Softmax of short rows that follow each other, some at a time.
//!
//! What is done to each element by itself is done to all rows at once, so that no row leaves a vector half empty: the
//! exponentials, and the logarithms of the sums.
//! Not here: longer rows (`softmax`), lines that lie side by side (`columns`).

use super::{Unary, higher};
use crate::kernel::lanes::vectorised;
use crate::kernel::math::Scalar;

/// Rows that go through each loop before the next begins, at most.
pub(super) const ROWS: usize = 64;
/// Elements of a row that are compared or added together.
const TOGETHER: usize = 8;

/// Softmax of [`ROWS`] rows at most.
pub(super) fn short<T: Scalar>(size: usize, src: &[T], dst: &mut [T]) {
    vectorised(
        #[inline(always)]
        move || {
            decays(size, src, dst, &mut [T::default(); ROWS]);
            for row in dst.chunks_exact_mut(size) {
                let scale = T::narrow(1.0 / sum(row));
                row.iter_mut().for_each(|y| *y = *y * scale);
            }
        },
    );
}

/// The logarithms of softmax of [`ROWS`] rows at most.
pub(super) fn short_logs<T: Scalar>(size: usize, src: &[T], dst: &mut [T]) {
    let (mut tops, mut sums, mut logs) = ([T::default(); ROWS], [1.0; ROWS], [0.0; ROWS]);
    short_sums(size, src, dst, &mut tops, &mut sums);
    let rows = src.len() / size;
    f64::unary(Unary::Log, &sums[..rows], &mut logs[..rows]);
    vectorised(
        #[inline(always)]
        move || {
            let rows = src.chunks_exact(size).zip(dst.chunks_exact_mut(size));
            for ((src, dst), (top, log)) in rows.zip(tops.into_iter().zip(logs)) {
                let log = T::narrow(log);
                dst.iter_mut().zip(src).for_each(|(y, &x)| *y = (x - top) - log);
            }
        },
    );
}

/// The exponentials of rows below the largest of each, which it writes as well, and their sums.
pub(super) fn short_sums<T: Scalar>(
    size: usize,
    src: &[T],
    dst: &mut [T],
    tops: &mut [T; ROWS],
    sums: &mut [f64; ROWS],
) {
    vectorised(
        #[inline(always)]
        move || {
            decays(size, src, dst, tops);
            sums.iter_mut().zip(dst.chunks_exact(size)).for_each(|(to, row)| *to = sum(row));
        },
    );
}

/// The exponentials of rows below the largest of each, which it writes as well.
#[inline(always)]
fn decays<T: Scalar>(size: usize, src: &[T], dst: &mut [T], tops: &mut [T; ROWS]) {
    assert!(src.len() <= ROWS * size, "there is room for all rows");
    for ((src, dst), to) in src.chunks_exact(size).zip(dst.chunks_exact_mut(size)).zip(tops) {
        let top = folded(src, T::LOWEST, higher, higher);
        dst.iter_mut().zip(src).for_each(|(y, &x)| *y = x - top);
        *to = top;
    }
    dst.iter_mut().for_each(|y| *y = y.decay());
}

/// The sum of a row, in `f64`.
#[inline(always)]
fn sum<T: Scalar>(row: &[T]) -> f64 {
    folded(row, 0.0, |sum, y| sum + y.wide(), |sum, other| sum + other)
}

/// A fold over a row, [`TOGETHER`] elements at a time as far as they go.
#[inline(always)]
fn folded<T: Copy, A: Copy>(row: &[T], start: A, step: impl Fn(A, T) -> A, join: impl Fn(A, A) -> A) -> A {
    let (groups, rest) = row.as_chunks::<TOGETHER>();
    let result = rest.iter().fold(start, |result, &x| step(result, x));
    if groups.is_empty() {
        return result;
    }
    let mut all = [start; TOGETHER];
    for group in groups {
        (0..TOGETHER).for_each(|i| all[i] = step(all[i], group[i]));
    }
    for half in [TOGETHER / 2, TOGETHER / 4, TOGETHER / 8] {
        (0..half).for_each(|i| all[i] = join(all[i], all[i + half]));
    }
    join(result, all[0])
}
