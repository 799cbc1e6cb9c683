//! The logarithm of a sum of exponentials, of rows whose elements follow each other, or of rows side by side.
//!
//! Computes  `y = m + ln Σᵢ e^(xᵢ - m)`  with  `m = max xᵢ`.  The sum is accumulated in `f64`; for `f32` the error is at most
//! `2⁻²³ (4 + |y|)`. A row of -∞ alone gives -∞, one with +∞ gives +∞, and one with NaN gives NaN.
//! Long rows are cut into pieces where there are few, whose bounds depend on the sizes alone.
//! Not here: where rows are copied to lie so (`plan`), the exponentials themselves (`softmax`).

use super::columns::Sums;
use super::higher;
use super::rows::totals;
use super::short::{ROWS, short_sums};
use super::{AT_ONCE, SHORT, View, WIDTH};
use crate::element::Unary;
use crate::kernel::math::Scalar;
use crate::kernel::parallel::{self, GRAIN, grain_of};
use crate::kernel::span::{Span, check_inside};

/// Rows from which on there is enough to do for all threads, and elements of a piece of a long row.
const MANY: usize = 16;
const PIECE: usize = 64 * 1024;

/// Elements of rows side by side that are taken in at once.
const DEEP: usize = 32;

/// Writes  `ln Σ e^x`  over the last axis of `src`, a view over `outer` and an axis of `size`.
///
/// # Panics
/// If neither elements of a row follow each other nor rows, if the view leaves its slice, or if `dst` does not have one element
/// per row.
pub(crate) fn log_sum<T: Scalar>(outer: &[usize], size: usize, src: View<'_, T>, dst: &mut [T]) {
    check_inside("log of a sum: source", src.data.len(), src.offset, &[outer, &[size]].concat(), src.strides);
    assert_eq!(dst.len(), outer.iter().product::<usize>(), "log of a sum: one result per row is needed");
    let (&step, strides) = src.strides.split_last().expect("a view over rows has a stride along them");
    if size == 0 {
        return dst.fill(T::LOWEST);
    }
    let rows = Rows { data: src.data, offset: src.offset, kept: Span::new(outer, &[strides]), size, step };
    if size > 1 && step != 1 {
        assert!(rows.kept.inner_stride(0) == 1, "log of a sum: rows follow each other, or their elements do");
        if rows.kept.sizes.len() == 1 && step == dst.len().cast_signed() && 2 * dst.len() <= WIDTH {
            return rows.narrow(dst);
        }
        let grain = grain_of(dst.len(), GRAIN.div_ceil(size)).next_multiple_of(WIDTH);
        return parallel::for_each_chunk(dst, grain, |first, dst| rows.columns(first, dst));
    }
    if dst.len() < MANY && size >= 2 * PIECE {
        return dst.iter_mut().enumerate().for_each(|(i, to)| *to = in_pieces(rows.row(i)));
    }
    let grain = grain_of(dst.len(), GRAIN.div_ceil(size)).next_multiple_of(ROWS.min(dst.len().max(1)));
    parallel::for_each_chunk(dst, grain, |first, dst| {
        let room = if size <= SHORT { ROWS * size } else { 0 };
        let (mut powers, mut copies) = (vec![T::default(); room], Vec::new());
        for (number, dst) in dst.chunks_mut(ROWS).enumerate() {
            rows.some(first + number * ROWS, dst, &mut powers, &mut copies);
        }
    });
}

/// Rows of `size` elements, so far apart.
struct Rows<'a, T> {
    data: &'a [T],
    offset: usize,
    kept: Span,
    size: usize,
    step: isize,
}

impl<'a, T: Scalar> Rows<'a, T> {
    fn row(&self, number: usize) -> &'a [T] {
        let distance = self.kept.distance(0, &self.kept.index(number));
        &self.data[self.offset.wrapping_add_signed(distance)..][..self.size]
    }

    /// The results of all rows, which are few, side by side and without gaps: some elements of each are those of as many rows.
    fn narrow(&self, dst: &mut [T]) {
        let width = dst.len();
        let lanes = WIDTH / width * width;
        let mut known = Sums::<T>::NONE;
        let mut room = [[T::LOWEST; WIDTH]; DEEP];
        let data = &self.data[self.offset..][..width * self.size];
        for some in data.chunks(lanes * DEEP) {
            let lines = some.chunks(lanes).zip(&mut room);
            let count = some.len().div_ceil(lanes);
            lines.for_each(|(from, to)| {
                to[..from.len()].copy_from_slice(from);
                to[from.len()..lanes].fill(T::LOWEST);
            });
            known.add(&room[..count]);
        }
        for (j, to) in dst.iter_mut().enumerate() {
            let parts = || (j..lanes).step_by(width).map(|lane| (known.top[lane], known.sum[lane]));
            let row = || data.iter().skip(j).step_by(width);
            *to = together(parts, row);
        }
    }

    /// The results of rows side by side, from that numbered `first` on.
    fn columns(&self, first: usize, dst: &mut [T]) {
        let mut room = [[T::LOWEST; WIDTH]; DEEP];
        let mut done = 0;
        while done < dst.len() {
            let column = (first + done) % self.kept.inner();
            let width = (self.kept.inner() - column).min(dst.len() - done).min(WIDTH);
            let start = self.offset as isize + self.kept.distance(0, &self.kept.index(first + done));
            let line = |at: usize| &self.data[(start + at as isize * self.step) as usize..][..width];
            let mut known = Sums::<T>::NONE;
            for from in (0..self.size).step_by(DEEP) {
                let some = &mut room[..DEEP.min(self.size - from)];
                some.iter_mut().enumerate().for_each(|(i, to)| to[..width].copy_from_slice(line(from + i)));
                known.add(some);
            }
            for (j, sum) in known.sum.iter_mut().enumerate().take(width) {
                // Of what is not finite there is no difference.
                if known.top[j].wide() == f64::INFINITY && (0..self.size).all(|at| !line(at)[j].wide().is_nan()) {
                    *sum = 1.0;
                }
            }
            let mut logs = [0.0; WIDTH];
            f64::unary(Unary::Log, &known.sum, &mut logs);
            for (to, (top, log)) in dst[done..done + width].iter_mut().zip(known.top.into_iter().zip(logs)) {
                *to = T::narrow(top.wide() + log);
            }
            done += width;
        }
    }

    /// The results of [`ROWS`] rows at most, from that numbered `first` on, with room for their exponentials and for copies.
    fn some(&self, first: usize, dst: &mut [T], powers: &mut [T], copies: &mut Vec<T>) {
        let (mut tops, mut sums, mut logs) = ([T::default(); ROWS], [1.0; ROWS], [0.0; ROWS]);
        let (count, size) = (dst.len(), self.size);
        // Rows that follow each other are read where they stand.
        let is_dense = self.kept.sizes.len() <= 1 && self.kept.inner_stride(0) == size.cast_signed();
        let in_place = || &self.data[self.offset + first * size..][..count * size];
        if size <= SHORT {
            let src = if is_dense {
                in_place()
            } else {
                copies.clear();
                (first..first + count).for_each(|number| copies.extend_from_slice(self.row(number)));
                &copies[..]
            };
            short_sums(size, src, &mut powers[..count * size], &mut tops, &mut sums);
            for ((row, &top), sum) in src.chunks_exact(size).zip(&tops).zip(&mut sums) {
                *sum = without_limits(row, top, *sum);
            }
        } else if is_dense {
            let src = in_place();
            totals(size, src, &mut tops[..count], &mut sums[..count]);
            for ((row, &top), sum) in src.chunks_exact(size).zip(&tops).zip(&mut sums) {
                *sum = without_limits(row, top, *sum);
            }
        } else {
            for (i, (top, sum)) in tops.iter_mut().zip(&mut sums).take(count).enumerate() {
                (*top, *sum) = total(self.row(first + i));
            }
        }
        f64::unary(Unary::Log, &sums[..count], &mut logs[..count]);
        for (to, (top, log)) in dst.iter_mut().zip(tops.into_iter().zip(logs)) {
            *to = T::narrow(top.wide() + log);
        }
    }
}

/// The result of a long row, whose pieces are shared among the threads.
fn in_pieces<T: Scalar>(row: &[T]) -> T {
    let mut parts = vec![(T::LOWEST, 0.0); row.len().div_ceil(PIECE)];
    parallel::for_each_chunk(&mut parts, 1, |number, parts| {
        let piece = &row[number * PIECE..];
        parts[0] = total(&piece[..piece.len().min(PIECE)]);
    });
    together(|| parts.iter().copied(), || row.iter())
}

/// The result of a row of whose parts these are the largest elements and the sums.
fn together<'a, T: Scalar, P: Iterator<Item = (T, f64)>, R: Iterator<Item = &'a T>>(
    parts: impl Fn() -> P,
    row: impl Fn() -> R,
) -> T {
    let top = parts().fold(T::LOWEST, |top, part| higher(top, part.0));
    if top.wide() == f64::INFINITY && !row().any(|x| x.wide().is_nan()) {
        return top;
    }
    // What is as high is not scaled: there is no difference of infinite numbers.
    let scaled = |(high, sum): (T, f64)| if high == top { sum } else { sum * (high.wide() - top.wide()).exp() };
    T::narrow(top.wide() + parts().map(scaled).sum::<f64>().ln())
}

/// The largest element `m`, and the sum of `e^(x - m)`.
fn total<T: Scalar>(row: &[T]) -> (T, f64) {
    let mut room = [T::LOWEST; AT_ONCE];
    let some = match room.get_mut(..row.len()) {
        // What is added to it adds nothing.
        Some(first) => {
            first.copy_from_slice(row);
            &room[..]
        }
        None => row,
    };
    let (mut top, mut sum) = ([T::LOWEST], [0.0]);
    totals(some.len(), some, &mut top, &mut sum);
    (top[0], without_limits(row, top[0], sum[0]))
}

/// The sum of `e^(x - m)`; where `m` is infinite, that which leads to `m`, unless there is NaN.
#[inline]
fn without_limits<T: Scalar>(row: &[T], top: T, sum: f64) -> f64 {
    if top.wide().is_finite() || row.iter().any(|x| x.wide().is_nan()) {
        return sum;
    }
    if top == T::LOWEST { 0.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::span::row_major;
    use crate::kernel::testing::Random;

    /// Compares rows of views with plain loops in `f64`.
    fn check<T: Scalar>(outer: &[usize], size: usize, strides: &[isize], tolerance: f64) {
        let step = strides[outer.len()].unsigned_abs();
        let sizes = [outer, &[size]].concat();
        let room: isize = sizes.iter().zip(strides).map(|(&size, step)| (size.max(1) as isize - 1) * step).sum();
        let mut random = Random::new(5);
        let data: Vec<T> =
            random.reals(room as usize + 1).into_iter().map(|x| T::narrow(12.0 * f64::from(x))).collect();
        let mut dst = vec![T::default(); outer.iter().product()];
        log_sum(outer, size, View { data: &data, offset: 0, strides }, &mut dst);
        let span = row_major(outer);
        for (i, got) in dst.iter().enumerate() {
            let at = |axis: usize| (i / span[axis].unsigned_abs() % outer[axis]) as isize * strides[axis];
            let start = (0..outer.len()).map(at).sum::<isize>() as usize;
            let row = data[start..].iter().step_by(step).take(size);
            let exact = row.map(|x| x.wide().exp()).sum::<f64>().ln();
            let error = (got.wide() - exact).abs();
            assert!(error <= tolerance * (4.0 + exact.abs()), "{got:?} for {exact} in row {i} of {sizes:?}");
        }
    }

    #[test]
    fn rows_of_every_size_agree_with_plain_loops() {
        for size in [1, 2, 7, 8, 20, 127, 128, 129, 200, 256, 300, 1000] {
            for (outer, strides) in [
                (&[1][..], &[size, 1][..]),
                (&[150], &[size, 1]),
                (&[70], &[size + 3, 1]),
                // One row behind those that are taken together.
                (&[ROWS + 1], &[size + 3, 1]),
                (&[5, 30], &[size, 5 * size, 1]),
                (&[70], &[1, 75]),
                (&[7], &[1, 7]),
                (&[2, 16], &[16, 1, 32]),
                (&[3, 130], &[130 * size, 1, 130]),
                (&[70], &[0, 1]),
            ] {
                let strides: Vec<isize> = strides.iter().map(|&step| step as isize).collect();
                check::<f32>(outer, size, &strides, f64::from(f32::EPSILON));
                check::<f64>(outer, size, &strides, 8.0 * f64::EPSILON);
            }
        }
    }

    #[test]
    fn a_long_row_is_summed_in_pieces() {
        check::<f32>(&[2], 3 * PIECE + 77, &[3 * PIECE as isize + 80, 1], f64::from(f32::EPSILON));
        check::<f64>(&[], 2 * PIECE, &[1], 8.0 * f64::EPSILON);
    }

    #[test]
    fn infinite_numbers_are_their_limits_and_nan_is_nan() {
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        for size in [4, 100, 130, 2 * PIECE + 5] {
            let of = |some: &[f32], rest: f32| {
                let mut row = vec![rest; size];
                row[size - some.len()..].copy_from_slice(some);
                let mut out = [9.0];
                log_sum(&[], size, View { data: &row, offset: 0, strides: &[1] }, &mut out);
                // The same as the last of two rows side by side.
                let mut sides = [9.0; 2];
                let both: Vec<f32> = row.iter().flat_map(|&x| [nan, x]).collect();
                log_sum(&[2], size, View { data: &both, offset: 0, strides: &[1, 2] }, &mut sides);
                assert!(sides[0].is_nan() && sides[1].to_bits() == out[0].to_bits() || out[0].is_nan(), "{sides:?}");
                out[0]
            };
            assert_eq!(of(&[], -inf), -inf, "nothing is summed");
            assert_eq!(of(&[3.5], -inf), 3.5, "one number");
            assert_eq!(of(&[inf, 1.0], 0.0), inf);
            assert_eq!(of(&[inf, -inf], -inf), inf);
            for some in [[nan, 1.0], [nan, inf], [nan, -inf]] {
                assert!(of(&some, -inf).is_nan() && of(&some, 2.0).is_nan(), "{some:?}");
            }
            assert_eq!(of(&[3.0e38, -3.0e38], -inf), 3.0e38, "nothing overflows");
        }
        let mut out = [9.0_f32; 2];
        log_sum(&[2], 0, View { data: &[], offset: 0, strides: &[1, 1] }, &mut out);
        assert_eq!(out, [-inf; 2], "a sum of nothing");
    }
}
