//! Softmax of rows that are not short and follow each other, some at a time.
//!
//! Each loop goes through some rows before the next one begins: what comes at the end of a row, the largest of all lanes, their
//! sum and a quotient, would be waited for, and is computed beside other rows. Behind the last whole unit of a row stand
//! registers that end with it. The first of them may begin with elements that were computed before: they are added as 0, and
//! are kept beside the row until it was read for the last time, since what lies in two stores cannot be loaded at once.
//! Not here: short rows (`short`), rows whose results pass the caches by (`softmax`).

use super::columns::four_decays;
use super::{AT_ONCE, NEAR, Unary, higher};
use crate::kernel::ahead::{fetch_line, fetch_line_aside};
use crate::kernel::lanes::vectorised;
use crate::kernel::line::{LANES, Unit};
use crate::kernel::math::Scalar;
use crate::kernel::stream::LINE;
use smallvec::SmallVec;

/// Elements of rows that go through each loop before the next begins: with the results they have room in the nearest cache.
const BLOCK: usize = 4096;
/// Elements of rows that are computed in one call, if they need no room beside them.
pub(super) const AT_HAND: usize = 16 * BLOCK;
/// Rows of a block at most, each of which is longer than a short one.
const ROWS: usize = BLOCK / super::SHORT;

/// Softmax of rows of this size. What follows them in `src` is read next: some of it is asked for.
pub(super) fn softmax<T: Scalar>(size: usize, src: &[T], dst: &mut [T]) {
    let rest = Rest::of(size);
    // Only as many as there are rows: to make all of them takes as long as a row.
    let mut ends = SmallVec::<[Unit<T>; ROWS]>::new();
    ends.resize((dst.len() / size).min(block_of(size) / size), [[T::default(); LANES]; 4]);
    for (number, dst) in dst.chunks_mut(block_of(size)).enumerate() {
        let (src, ahead) = src[number * block_of(size)..].split_at(dst.len());
        let (mut tops, mut sums, ends) = ([T::default(); ROWS], [0.0; ROWS], &mut ends[..]);
        let (count, asks) = (dst.len() / size, asks(ahead, dst.len()));
        vectorised(
            #[inline(always)]
            move || {
                for i in 0..count {
                    tops[i] = highest_of(&src[i * size..][..size]);
                }
                for i in 0..count {
                    let (row, dst) = (&src[i * size..][..size], &mut dst[i * size..][..size]);
                    sums[i] = decays(
                        row,
                        tops[i],
                        dst,
                        &rest,
                        &mut ends[i],
                        #[inline(always)]
                        |at| {
                            if asks {
                                ask(ahead, i * size + at * AT_ONCE);
                            }
                        },
                    );
                }
                for i in 0..count {
                    let (scale, dst) = (T::narrow(1.0 / sums[i]), &mut dst[i * size..][..size]);
                    for unit in dst.as_chunks_mut::<AT_ONCE>().0 {
                        unit.iter_mut().for_each(|y| *y = *y * scale);
                    }
                    for (y, from) in rest.rows_mut(dst).iter_mut().zip(&ends[i]) {
                        *y = *from;
                        y.iter_mut().for_each(|y| *y = *y * scale);
                    }
                }
            },
        );
    }
}

/// The logarithm of softmax of rows of this size. What follows them in `src` is asked for as well.
pub(super) fn log_softmax<T: Scalar>(size: usize, src: &[T], dst: &mut [T]) {
    let rest = Rest::of(size);
    for (number, dst) in dst.chunks_mut(block_of(size)).enumerate() {
        let (src, ahead) = src[number * block_of(size)..].split_at(dst.len());
        let (mut tops, mut sums, mut logs) = ([T::default(); ROWS], [1.0; ROWS], [0.0; ROWS]);
        let count = src.len() / size;
        // What is written then is on its way here as well.
        let (asks, is_near, to) = (asks(ahead, dst.len()), size <= NEAR, &*dst);
        sums_of_decays(
            size,
            src,
            &mut tops[..count],
            &mut sums[..count],
            #[inline(always)]
            |at| {
                if asks {
                    ask(ahead, at);
                }
                if is_near {
                    (0..AT_ONCE).step_by(LINE / size_of::<T>()).for_each(|i| fetch_line(to, at + i));
                }
            },
        );
        f64::unary(Unary::Log, &sums[..count], &mut logs[..count]);
        vectorised(
            #[inline(always)]
            move || {
                for i in 0..count {
                    let (top, log) = (tops[i], T::narrow(logs[i]));
                    let (row, dst) = (&src[i * size..][..size], &mut dst[i * size..][..size]);
                    for (y, x) in dst.as_chunks_mut::<AT_ONCE>().0.iter_mut().zip(row.as_chunks::<AT_ONCE>().0) {
                        y.iter_mut().zip(x).for_each(|(y, &x)| *y = (x - top) - log);
                    }
                    for (y, x) in rest.rows_mut(dst).iter_mut().zip(rest.rows(row)) {
                        y.iter_mut().zip(x).for_each(|(y, &x)| *y = (x - top) - log);
                    }
                }
            },
        );
    }
}

/// The largest element `m` of each row of this size, and the sum of `e^(x - m)`.
pub(super) fn totals<T: Scalar>(size: usize, src: &[T], tops: &mut [T], sums: &mut [f64]) {
    let rows = block_of(size) / size;
    for (src, (tops, sums)) in src.chunks(rows * size).zip(tops.chunks_mut(rows).zip(sums.chunks_mut(rows))) {
        sums_of_decays(size, src, tops, sums, |_| ());
    }
}

/// The same of the rows of a block. Calls `beside` with the number of the first element of each unit.
#[inline(always)]
fn sums_of_decays<T: Scalar>(size: usize, src: &[T], tops: &mut [T], sums: &mut [f64], beside: impl Fn(usize)) {
    let rest = Rest::of(size);
    vectorised(
        #[inline(always)]
        move || {
            for (i, top) in tops.iter_mut().enumerate() {
                *top = highest_of(&src[i * size..][..size]);
            }
            for (i, (&top, to)) in tops.iter().zip(sums).enumerate() {
                let row = &src[i * size..][..size];
                let (base, mut sums) = ([top; LANES], [0.0; LANES]);
                for (at, unit) in units(row).iter().enumerate() {
                    beside(i * size + at * AT_ONCE);
                    four_decays(unit, &base, &mut sums);
                }
                rest.decays(row, &base, &mut sums, &mut [[T::default(); LANES]; 4]);
                *to = sum_of(&sums);
            }
        },
    );
}

/// Elements of rows of a block: at least one row.
fn block_of(size: usize) -> usize {
    (BLOCK / size).max(1) * size
}

/// Whether what is read after so many elements is asked for.
pub(super) fn asks<T>(ahead: &[T], size: usize) -> bool {
    !ahead.is_empty() && size <= NEAR
}

/// Asks for as many elements as are computed at once.
#[inline(always)]
pub(super) fn ask<T: Scalar>(ahead: &[T], from: usize) {
    (0..AT_ONCE).step_by(LINE / size_of::<T>()).for_each(|i| fetch_line_aside(ahead, from + i));
}

/// The largest element of a row of [`AT_ONCE`] elements at least.
#[inline(always)]
pub(super) fn highest_of<T: Scalar>(row: &[T]) -> T {
    let (whole, rest) = row.as_chunks::<AT_ONCE>();
    let last = row.last_chunk().filter(|_| !rest.is_empty());
    let mut tops = [T::LOWEST; AT_ONCE];
    for some in whole {
        tops = both(&tops, some);
    }
    if let Some(last) = last {
        tops = both(&tops, last);
    }
    let tops: [T; 32] = halved(&tops, higher);
    let tops: [T; 16] = halved(&tops, higher);
    let tops: [T; 8] = halved(&tops, higher);
    let [a, b, c, d] = halved(&tops, higher);
    higher(higher(a, c), higher(b, d))
}

/// The larger of two numbers in each lane.
#[inline(always)]
fn both<T: Scalar>(tops: &[T; AT_ONCE], some: &[T; AT_ONCE]) -> [T; AT_ONCE] {
    std::array::from_fn(
        #[inline(always)]
        |i| higher(tops[i], some[i]),
    )
}

/// The sum of all lanes.
#[inline(always)]
pub(super) fn sum_of(sums: &[f64; LANES]) -> f64 {
    let sums: [f64; 8] = halved(sums, |a, b| a + b);
    let [a, b, c, d] = halved(&sums, |a, b| a + b);
    (a + c) + (b + d)
}

/// What becomes of the first and the second half of some lanes.
#[inline(always)]
fn halved<A: Copy, const N: usize, const M: usize>(lanes: &[A; N], join: impl Fn(A, A) -> A) -> [A; M] {
    std::array::from_fn(
        #[inline(always)]
        |i| join(lanes[i], lanes[i + M]),
    )
}

/// The whole units of a row.
#[inline(always)]
fn units<T>(row: &[T]) -> &[Unit<T>] {
    row.as_chunks().0.as_chunks().0
}

/// Writes `e^(x - m)` of whole units, and that of the rest to its end; returns the sum of both. Calls `beside(i)` with the
/// number of each unit.
#[inline(always)]
pub(super) fn decays<T: Scalar>(
    row: &[T],
    top: T,
    dst: &mut [T],
    rest: &Rest<T>,
    end: &mut Unit<T>,
    mut beside: impl FnMut(usize),
) -> f64 {
    let (base, mut sums) = ([top; LANES], [0.0; LANES]);
    let results = dst.as_chunks_mut().0.as_chunks_mut().0;
    for (at, (xs, ys)) in units(row).iter().zip(results).enumerate() {
        *ys = four_decays(xs, &base, &mut sums);
        beside(at);
    }
    rest.decays(row, &base, &mut sums, end);
    sum_of(&sums)
}

/// What is left of rows behind the last whole unit, in registers that end with the row.
#[derive(Clone, Copy)]
pub(super) struct Rest<T> {
    /// Elements in those registers.
    count: usize,
    /// 0 for each element of the first one that is in a unit as well, 1 for the others.
    is_new: [T; LANES],
}

impl<T: Scalar> Rest<T> {
    /// That of rows of this size, which is no less than [`AT_ONCE`].
    pub(super) fn of(size: usize) -> Rest<T> {
        let left = size % AT_ONCE;
        let count = left.next_multiple_of(LANES);
        let is_new = std::array::from_fn(|lane| if lane < count - left { T::default() } else { T::ONE });
        Rest { count, is_new }
    }

    #[inline(always)]
    fn rows<'a>(&self, row: &'a [T]) -> &'a [[T; LANES]] {
        row[row.len() - self.count..].as_chunks().0
    }

    #[inline(always)]
    fn rows_mut<'a>(&self, row: &'a mut [T]) -> &'a mut [[T; LANES]] {
        let first = row.len() - self.count;
        row[first..].as_chunks_mut().0
    }

    /// `e^(x - m)` of each element, which is added if it is new.
    #[inline(always)]
    fn decays(&self, row: &[T], base: &[T; LANES], sums: &mut [f64; LANES], end: &mut Unit<T>) {
        let mut is_new = self.is_new;
        for (row, result) in self.rows(row).iter().zip(end) {
            let mut some = *row;
            some.iter_mut().zip(base).for_each(|(x, &base)| *x = (*x - base).decay());
            for lane in 0..LANES {
                sums[lane] += (some[lane] * is_new[lane]).wide();
            }
            *result = some;
            is_new = [T::ONE; LANES];
        }
    }

    /// Puts them at the end of a row.
    #[inline(always)]
    pub(super) fn put(&self, end: &Unit<T>, row: &mut [T]) {
        self.rows_mut(row).iter_mut().zip(end).for_each(|(to, from)| *to = *from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::softmax::{Line, LogSoftmax, Softmax};
    use crate::kernel::testing::Random;

    #[test]
    fn a_row_has_the_same_results_alone_and_among_others() {
        for size in [129, 144, 191, 192, 300, 1000, 1025, 5000] {
            let src: Vec<f32> = Random::new(7).reals(40 * size).into_iter().map(|x| 9.0 * x).collect();
            for log in [false, true] {
                let compute = |size: usize, src: &[f32]| {
                    let mut dst = vec![9.0; src.len()];
                    if log {
                        LogSoftmax.rows(size, src, &mut dst);
                    } else {
                        Softmax.rows(size, src, &mut dst);
                    }
                    dst
                };
                let all = compute(size, &src);
                for (number, row) in src.chunks(size).enumerate() {
                    assert_eq!(compute(size, row), all[number * size..][..size], "row {number} of {size}, log: {log}");
                }
            }
        }
    }

    #[test]
    fn the_sum_has_every_element_once_and_the_largest_is_found_wherever_it_is() {
        for size in 64..400 {
            for at in [0, 63, size / 2, size - 17, size - 1] {
                let mut row = vec![1.0_f32; size];
                row[at] = 2.0;
                let (mut top, mut sum) = ([0.0], [0.0]);
                totals(size, &row, &mut top, &mut sum);
                let expected = 1.0 + (size - 1) as f64 * (-1.0_f64).exp();
                assert_eq!(top, [2.0], "the largest of {size} at {at}");
                assert!((sum[0] - expected).abs() < 1e-7 * expected, "{sum:?} for {expected}, {size}");
            }
        }
    }
}
