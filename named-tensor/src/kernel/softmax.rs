//! Softmax and its logarithm along one axis.
//!
//! Computes  `yᵢ = e^(xᵢ - m) / Σⱼ e^(xⱼ - m)`  or  `yᵢ = xᵢ - m - ln Σⱼ e^(xⱼ - m)`  with  `m = max xⱼ`.
//! The sum is accumulated in `f64`, four exponentials at a time. For `f32` the relative error of softmax is at most
//! `(4 + |xᵢ - m| / 2) 2⁻²³` (the subtraction is rounded) where the result is not subnormal; that of its logarithm is
//! absolute, `2⁻²³ (1 + |yᵢ|)`: neither of its two differences is farther from 0 than the result. For the softmax of lines
//! side by side, `m` may be a quarter less than the largest element: 2⁻²⁶ of the result more.
//! A line with NaN or +∞, or of -∞ alone, has no softmax: all of it becomes NaN. Next to a finite number, -∞ gives exactly
//! 0 (logarithm: -∞).

mod columns;
mod few;
mod rows;
mod short;
mod total;

use super::lanes::vectorised;
use super::line::{FEW, LANES, Line, Sweep, Tile, WIDTH, along};
use super::map::Tail;
use super::math::Scalar;
use super::stream::{AT_ONCE, Departing, LINE, Stream, lined_up_mut};
use super::{View, ViewMut};
use crate::element::Unary;
use columns::Sums;
use few::{few, few_logs};
use rows::{Rest, ask, asks, decays, highest_of};
use short::{ROWS, short, short_logs};
use smallvec::SmallVec;
pub(crate) use total::log_sum;

/// Softmax along the last axis of two views over `outer` and an axis of `size`, and then the tail.
///
/// # Panics
/// If a view leaves its slice, if positions of the destination overlap, or if the tail is one of another result.
pub(crate) fn softmax<T: Scalar>(
    outer: &[usize],
    size: usize,
    src: View<'_, T>,
    dst: ViewMut<'_, T>,
    tail: Option<&Tail<'_>>,
) {
    along("softmax", &Softmax, outer, size, src, dst, tail);
}

/// The logarithm of softmax along the last axis of two views over `outer` and an axis of `size`, and then the tail.
///
/// # Panics
/// If a view leaves its slice, if positions of the destination overlap, or if the tail is one of another result.
pub(crate) fn log_softmax<T: Scalar>(
    outer: &[usize],
    size: usize,
    src: View<'_, T>,
    dst: ViewMut<'_, T>,
    tail: Option<&Tail<'_>>,
) {
    along("log softmax", &LogSoftmax, outer, size, src, dst, tail);
}

/// Softmax of rows that follow each other.
pub(super) fn softmax_rows<T: Scalar>(size: usize, src: &[T], dst: &mut [T]) {
    Softmax.rows(size, src, dst);
}

struct Softmax;
struct LogSoftmax;

/// Elements of a line for which one loop after the other, each with accumulators of its own, costs more than it brings.
const SHORT: usize = 128;
/// Elements of short lines that go through each loop before the next begins.
const BLOCK: usize = 1024;

/// Short rows that follow each other, some at a time.
fn blocks<T>(size: usize, src: &[T], dst: &mut [T], compute: impl Fn(&[T], &mut [T])) {
    let at_once = (BLOCK / size).min(ROWS) * size;
    src.chunks(at_once).zip(dst.chunks_mut(at_once)).for_each(|(src, dst)| compute(src, dst));
}

impl<T: Scalar> Line<T> for Softmax {
    type Known = Sums<T>;

    fn row(&self, src: &[T], dst: &mut [T]) {
        self.rows(src.len(), src, dst);
    }

    fn rows(&self, size: usize, src: &[T], dst: &mut [T]) {
        if size > SHORT {
            rows::softmax(size, src, dst);
        } else {
            blocks(size, src, dst, |src, dst| short(size, src, dst));
        }
    }

    const AT_HAND: usize = rows::AT_HAND;

    const IS_SENT_BESIDE: bool = true;

    /// While exponentials are computed, the next line is on its way here, and the last results are on their way to memory.
    fn rows_by(&self, size: usize, src: &[T], stream: &Stream, room: &mut [T], dst: &mut [T]) {
        if size <= SHORT {
            return stream.fill(room, dst, |dst| self.rows(size, &src[..dst.len()], dst));
        }
        if !stream.passes_by() {
            return rows::softmax(size, src, dst);
        }
        let pitch = size.next_multiple_of(LINE / size_of::<T>());
        let (mut now, mut before) = lined_up_mut(room).split_at_mut(pitch);
        let mut results: Option<(&mut [T], T)> = None;
        for (i, dst) in dst.chunks_exact_mut(size).enumerate() {
            let (row, ahead) = src[i * size..].split_at(size);
            let sum = match results.take() {
                None => exponentials(row, &mut now[..size], ahead, |_| ()),
                Some((to, scale)) => {
                    let mut departing = Departing::new(stream, &before[..size], to);
                    let sum = exponentials(
                        row,
                        &mut now[..size],
                        ahead,
                        #[inline(always)]
                        |i| departing.send(i, |y| y * scale),
                    );
                    departing.finish(size / AT_ONCE, |y| y * scale);
                    sum
                }
            };
            results = Some((dst, T::narrow(1.0 / sum)));
            std::mem::swap(&mut now, &mut before);
        }
        if let Some((to, scale)) = results {
            Departing::new(stream, &before[..size], to).finish(0, |y| y * scale);
        }
    }

    fn start(&self) -> Sums<T> {
        Sums::NONE
    }

    fn read(&self, known: &mut Sums<T>, rows: &[[T; WIDTH]]) {
        known.add(rows);
    }

    fn write(&self, known: &Sums<T>, rows: &mut [[T; WIDTH]]) {
        let (top, scale) = (known.top, known.sum.map(|sum| T::narrow(1.0 / sum)));
        vectorised(
            #[inline(always)]
            move || {
                for row in rows {
                    for ((x, &top), &scale) in row.iter_mut().zip(&top).zip(&scale) {
                        *x = (*x - top).decay() * scale;
                    }
                }
            },
        );
    }

    const IS_IN_PARTS: bool = true;

    /// Exponentials of what is below the largest element so far, which is returned.
    fn read_raw(&self, known: &mut Sums<T>, rows: &mut [[T; WIDTH]], ask: impl Fn(usize)) -> [T; WIDTH] {
        let base = known.rise_nearly(rows);
        known.add_decays(&base, rows, ask);
        known.top
    }

    fn factors(&self, known: &Sums<T>, before: Option<&[T; WIDTH]>, now: &[T; WIDTH], factors: &mut [T; WIDTH]) {
        known.factors(before, now, factors);
    }

    const IS_FEW: bool = true;

    fn few(&self, rows: &[&[T]], results: SmallVec<[&mut [T]; FEW]>) {
        few(rows, results);
    }

    const IS_SWEPT: bool = true;

    fn sweep(&self, mut sweep: Sweep<'_, T>, tiles: impl Iterator<Item = Tile>) {
        sweep.run::<Sums<T, LANES>>(tiles);
    }
}

impl<T: Scalar> Line<T> for LogSoftmax {
    type Known = Sums<T>;

    fn row(&self, src: &[T], dst: &mut [T]) {
        self.rows(src.len(), src, dst);
    }

    fn rows(&self, size: usize, src: &[T], dst: &mut [T]) {
        if size > SHORT {
            rows::log_softmax(size, src, dst);
        } else {
            blocks(size, src, dst, |src, dst| short_logs(size, src, dst));
        }
    }

    fn rows_by(&self, size: usize, src: &[T], stream: &Stream, room: &mut [T], dst: &mut [T]) {
        if size > SHORT && !stream.passes_by() {
            return rows::log_softmax(size, src, dst);
        }
        stream.fill(room, dst, |dst| self.rows(size, &src[..dst.len()], dst));
    }

    const AT_HAND: usize = rows::AT_HAND;

    const IS_FEW: bool = true;

    fn few(&self, rows: &[&[T]], results: SmallVec<[&mut [T]; FEW]>) {
        few_logs(rows, results);
    }

    fn start(&self) -> Sums<T> {
        Sums::NONE
    }

    fn read(&self, known: &mut Sums<T>, rows: &[[T; WIDTH]]) {
        known.add(rows);
    }

    fn write(&self, known: &Sums<T>, rows: &mut [[T; WIDTH]]) {
        let mut logs = [0.0; WIDTH];
        Scalar::unary(Unary::Log, &known.sum, &mut logs);
        let (top, log) = (known.top, logs.map(T::narrow));
        vectorised(
            #[inline(always)]
            move || {
                for row in rows {
                    for ((x, &top), &log) in row.iter_mut().zip(&top).zip(&log) {
                        *x = (*x - top) - log;
                    }
                }
            },
        );
    }
}

/// The larger of a number so far and another one. NaN may be passed over: it comes back with the exponentials.
#[inline(always)]
fn higher<T: Scalar>(top: T, x: T) -> T {
    if x > top { x } else { top }
}

/// Elements of a line up to which the next one is asked for: both stay in the second-level cache, with the results.
const NEAR: usize = 64 * 1024;

/// Writes `e^(x - m)`, where `m` is the largest element; returns the sum of what was written. Meanwhile asks for as many
/// elements of what is read next, and calls `beside(i)` with the number of each [`AT_ONCE`] elements. They are added in four
/// steps, each of a vector, before they are widened: that costs as much as to add them.
#[inline(always)]
fn exponentials<T: Scalar>(src: &[T], dst: &mut [T], ahead: &[T], mut beside: impl FnMut(usize)) -> f64 {
    let (rest, asks) = (Rest::of(src.len()), asks(ahead, src.len()));
    vectorised(
        #[inline(always)]
        move || {
            let mut end = [[T::default(); LANES]; 4];
            let sum = decays(
                src,
                highest_of(src),
                dst,
                &rest,
                &mut end,
                #[inline(always)]
                |at| {
                    if asks {
                        ask(ahead, at * AT_ONCE);
                    }
                    beside(at);
                },
            );
            rest.put(&end, dst);
            sum
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::span::row_major;
    use crate::kernel::testing::{Random, positions};

    /// Both functions of one line, in `f64`.
    fn plain(line: &[f64]) -> Vec<(f64, f64)> {
        let top = line.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = line.iter().map(|x| (x - top).exp()).sum();
        line.iter().map(|x| ((x - top).exp() / sum, x - top - sum.ln())).collect()
    }

    /// Runs both functions from one layout to another and compares with plain loops.
    fn check<T: Scalar>(outer: &[usize], size: usize, from: &[isize], to: &[isize], tolerance: f64) {
        let sizes = [outer, &[size]].concat();
        let total = sizes.iter().product();
        let data: Vec<T> = Random::new(3).reals(total).into_iter().map(|x| T::narrow(12.0 * f64::from(x))).collect();
        let (mut soft, mut log) = (vec![T::default(); total], vec![T::default(); total]);
        let src = View { data: &data, offset: 0, strides: from };
        softmax(outer, size, src, ViewMut { data: &mut soft, offset: 0, strides: to }, None);
        log_softmax(outer, size, src, ViewMut { data: &mut log, offset: 0, strides: to }, None);
        let read: Vec<f64> = positions(&sizes, from).map(|d| data[d as usize].wide()).collect();
        let write: Vec<usize> = positions(&sizes, to).map(|d| d as usize).collect();
        for (line, places) in read.chunks(size).zip(write.chunks(size)) {
            for ((exact, exact_log), &at) in plain(line).into_iter().zip(places) {
                let (got, got_log) = (soft[at].wide(), log[at].wide());
                let allowed = tolerance * (3.0 - exact_log / 2.0);
                assert!((got - exact).abs() <= allowed * exact, "softmax {got} for {exact}, {sizes:?} {from:?} {to:?}");
                let allowed = tolerance * (1.0 + exact_log.abs());
                assert!(
                    (got_log - exact_log).abs() <= allowed,
                    "log {got_log} for {exact_log}, {sizes:?} {from:?} {to:?}"
                );
            }
        }
    }

    #[test]
    fn every_layout_agrees_with_plain_loops() {
        for (a, b, size) in [
            (3, 5, 1),
            (2, 70, 33),
            (1, 8, 200),
            (7, 3, 64),
            (9, 4, 128),
            (3, 2, 129),
            (1, 1, 1000),
            (40, 130, 9),
            (2, 530, 7),
            (1, 600, 32),
        ] {
            let (outer, dense) = ([a, b], row_major(&[a, b, size]));
            let last: &[isize] = &dense;
            let middle: &[isize] = &[(b * size) as isize, 1, b as isize];
            let first: &[isize] = &[b as isize, 1, (a * b) as isize];
            let swapped: &[isize] = &[1, (a * size) as isize, a as isize];
            for from in [last, middle, first, swapped] {
                for to in [last, middle, first, swapped] {
                    check::<f32>(&outer, size, from, to, f64::from(f32::EPSILON));
                    check::<f64>(&outer, size, from, to, 8.0 * f64::EPSILON);
                }
            }
        }
    }

    /// The softmax of one line, computed as a row and as a column among 20.
    fn both_ways(line: &[f32]) -> [Vec<f32>; 2] {
        let n = line.len();
        let mut row = vec![9.0; n];
        let strides: &[isize] = &[1];
        softmax(&[], n, View { data: line, offset: 0, strides }, ViewMut { data: &mut row, offset: 0, strides }, None);
        let mut columns = vec![1.0; 20 * n];
        (0..n).for_each(|i| columns[20 * i + 7] = line[i]);
        let (mut out, strides): (_, &[isize]) = (vec![9.0; 20 * n], &[1, 20]);
        let src = View { data: &columns, offset: 0, strides };
        softmax(&[20], n, src, ViewMut { data: &mut out, offset: 0, strides }, None);
        assert_eq!(out[3], 1.0 / n as f32, "its neighbours are not touched");
        [row, (0..n).map(|i| out[20 * i + 7]).collect()]
    }

    #[test]
    fn minus_infinity_is_given_nothing() {
        for out in both_ways(&[1.0, f32::NEG_INFINITY, 1.0, f32::NEG_INFINITY]) {
            assert_eq!(out, [0.5, 0.0, 0.5, 0.0], "the two finite numbers share");
        }
    }

    #[test]
    fn a_line_may_begin_with_minus_infinity_and_rise_to_its_end() {
        let mut line = vec![f32::NEG_INFINITY; 50];
        line.extend((0..1024).map(|i| i as f32 / 20.0));
        let exact = plain(&line.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
        for out in both_ways(&line) {
            for (&got, &(exact, exact_log)) in out.iter().zip(&exact) {
                let allowed = f64::from(f32::EPSILON) * (3.0 - exact_log.max(-200.0) / 2.0);
                assert!((f64::from(got) - exact).abs() <= allowed * exact, "{got} for {exact}");
            }
        }
        line[20] = f32::NAN;
        assert!(both_ways(&line).iter().flatten().all(|x| x.is_nan()), "NaN among them is not lost");
    }

    #[test]
    fn a_line_without_a_softmax_is_nan_everywhere() {
        for bad in [[f32::NEG_INFINITY; 4], [1.0, f32::NAN, 2.0, 3.0], [1.0, f32::INFINITY, f32::NEG_INFINITY, 3.0]] {
            for out in both_ways(&bad) {
                assert!(out.iter().all(|x| x.is_nan()), "{bad:?} gives {out:?}");
            }
        }
    }

    #[test]
    fn large_numbers_do_not_overflow() {
        for out in both_ways(&[3.0e38, 3.0e38, -3.0e38, 1.0]) {
            assert_eq!(out, [0.5, 0.5, 0.0, 0.0], "the largest share");
        }
    }

    #[test]
    fn an_empty_axis_writes_nothing() {
        let strides: &[isize] = &[1, 1];
        let dst = ViewMut { data: &mut [], offset: 0, strides };
        softmax::<f32>(&[3], 0, View { data: &[], offset: 0, strides }, dst, None);
    }
}
