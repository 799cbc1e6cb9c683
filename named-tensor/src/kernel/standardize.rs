//! Standardisation along one axis, the heart of layer normalisation.
//!
//! Computes  `yᵢ = (xᵢ - μ) / √(σ² + ε)`  with  `μ = Σ xⱼ / n`  and the biased variance  `σ² = Σ (xⱼ - μ)² / n`.
//! Both moments are computed in `f64`, and results of `f32` from each of them as a sum of two `f32`: an error of at most
//! 2⁻²³ of the result, and 2⁻⁴⁸ |μ| / σ where that is more. The sums of  `dⱼ = xⱼ - s`  and of their squares are taken in
//! one pass, and  `σ² = Σ dⱼ² / n - (Σ dⱼ / n)²`.  Rows are tried with `s = 0`: the difference loses a factor of
//! `Σ xⱼ² / n σ²`, and is kept if that is no more than [`FLAT`]. Other rows, and lines side by side, have `s = x₀`. So a
//! large mean does not swallow the variance, since  `(μ - x₀)² ≤ n σ²`  whatever the line is: the difference loses a factor
//! `n` at most, 2⁻²⁹ of σ² if `n` is 2²⁰.
//! NaN or an infinity makes the whole line NaN; distances whose squares are too large for `f64` make it NaN or 0. A constant line
//! gives 0 if `ε > 0`, or what rounding its mean leaves where squares are too small for `f64`.

mod beside;
pub(crate) mod gradient;

use super::ahead::fetch_line;
use super::lanes::vectorised;
use super::line::{Line, WIDTH, along};
use super::map::Tail;
use super::math::Scalar;
use super::stream::{LINE, lined_up_mut};
use super::{View, ViewMut};
use beside::Distances;
use std::ops::RangeInclusive;

/// Standardises along the last axis of two views over `outer` and an axis of `size`, and then does what the tail says.
///
/// # Panics
/// If a view leaves its slice, if positions of the destination overlap, or if the tail is one of another result.
pub(crate) fn standardize<T: Scalar>(
    epsilon: f64,
    outer: &[usize],
    size: usize,
    src: View<'_, T>,
    dst: ViewMut<'_, T>,
    tail: Option<&Tail<'_>>,
) {
    along("standardize", &Standardize { epsilon }, outer, size, src, dst, tail);
}

struct Standardize {
    epsilon: f64,
}

impl Standardize {
    /// `μ` and `1 / √(σ² + ε)`, from a number, the sums of distances from it and of their squares, and from  `1 / n`.
    #[inline(always)]
    fn moments(&self, from: f64, sum: f64, squares: f64, part: f64) -> (f64, f64) {
        let distance = sum * part;
        let variance = distance.mul_add(-distance, squares * part);
        // Rounding may leave less than nothing; NaN stays.
        let variance = if variance < 0.0 { 0.0 } else { variance };
        (from + distance, 1.0 / (variance + self.epsilon).sqrt())
    }
}

/// Scales with which no step of [`Near::apply`] leaves the range of `f32`.
const ORDINARY: RangeInclusive<f64> = 1e-18..=1e18;

/// `(x - μ) s` without `f64`: both numbers are sums of two, so that only the first and the last step round.
#[derive(Clone, Copy)]
struct Near<T> {
    mean: T,
    scale: T,
    scale_rest: T,
    /// `-s` times the rest of `μ`.
    shift: T,
}

impl<T: Scalar> Near<T> {
    fn of(mean: f64, scale: f64) -> Near<T> {
        let (high, factor) = (T::narrow(mean), T::narrow(scale));
        let shift = T::narrow((high.wide() - mean) * scale);
        Near { mean: high, scale: factor, scale_rest: T::narrow(scale - factor.wide()), shift }
    }

    #[inline(always)]
    fn apply(self, x: T) -> T {
        let distance = x - self.mean;
        distance.times_plus(self.scale, distance.times_plus(self.scale_rest, self.shift))
    }
}

/// Partial sums of a row.
const LANES: usize = 32;
/// How many times the variance of a row its mean square may be, where the sums are those of the elements themselves.
const FLAT: f64 = 64.0;
/// How far ahead elements are asked for while sums are taken, in bytes. A processor that expects the next elements of a row
/// by itself forgets them while results are written, and waits at the beginning of each row.
const AHEAD: usize = 8 * 1024;

/// The sums of the distances of elements and of their squares. What is asked for is the next rows where these follow each
/// other, as they do as a rule.
#[inline(always)]
fn sums<T: Scalar>(src: &[T], distance: impl Fn(T) -> f64) -> (f64, f64) {
    let (whole, rest) = src.as_chunks();
    let (fours, rest) = rest.as_chunks();
    let (ones, _) = rest.as_chunks();
    let a = sums_of::<T, LANES>(
        whole,
        &distance,
        #[inline(always)]
        |chunk| {
            let at = chunk * LANES + AHEAD / size_of::<T>();
            (0..LANES).step_by(LINE / size_of::<T>()).for_each(|i| fetch_line(src, at + i));
        },
    );
    let [b, c] = [sums_of::<T, 4>(fours, &distance, |_| ()), sums_of::<T, 1>(ones, &distance, |_| ())];
    (a.0 + b.0 + c.0, a.1 + b.1 + c.1)
}

/// The same for whole chunks, so that partial sums have places known beforehand and stay in registers. While chunk `i` is
/// taken in, `ask(i)` asks for what is read later.
#[inline(always)]
fn sums_of<T: Scalar, const N: usize>(
    chunks: &[[T; N]],
    distance: impl Fn(T) -> f64,
    ask: impl Fn(usize),
) -> (f64, f64) {
    let (mut sums, mut squares) = ([0.0; N], [0.0; N]);
    for (i, chunk) in chunks.iter().enumerate() {
        ask(i);
        for ((sum, square), &x) in sums.iter_mut().zip(&mut squares).zip(chunk) {
            let distance = distance(x);
            *sum += distance;
            *square = distance.mul_add(distance, *square);
        }
    }
    (joined(sums), joined(squares))
}

/// The sum of partial sums, half of them and half at a time.
#[inline(always)]
fn joined<const N: usize>(mut sums: [f64; N]) -> f64 {
    let mut half = N / 2;
    while half > 0 {
        for i in 0..half {
            sums[i] += sums[i + half];
        }
        half /= 2;
    }
    sums[0]
}

/// Writes `finish(near(x), beside)` for each element of a line and what stands beside it.
#[inline(always)]
fn standardized<T: Scalar, S: Copy>(
    moments: (f64, f64),
    src: &[T],
    beside: impl Iterator<Item = S>,
    dst: &mut [T],
    finish: impl Fn(T, S) -> T,
) {
    let (mean, scale) = moments;
    let elements = dst.iter_mut().zip(src).zip(beside);
    if ORDINARY.contains(&scale) {
        let line = Near::of(mean, scale);
        elements.for_each(|((y, &x), beside)| *y = finish(line.apply(x), beside));
    } else {
        elements.for_each(|((y, &x), beside)| *y = finish(T::narrow((x.wide() - mean) * scale), beside));
    }
}

impl Standardize {
    /// Mean and scale of a line.
    #[inline(always)]
    fn moments_of<T: Scalar>(&self, src: &[T]) -> (f64, f64) {
        let part = 1.0 / src.len() as f64;
        let (sum, squares) = sums(src, T::wide);
        // Σ x² / n ≤ FLAT σ²;  where squares are too large, distances need not be.
        if FLAT * (sum * part) * sum <= (FLAT - 1.0) * squares && squares.is_finite() {
            return self.moments(0.0, sum, squares, part);
        }
        let first = src.first().map_or(0.0, |x| x.wide());
        let (sum, squares) = sums(src, |x| x.wide() - first);
        self.moments(first, sum, squares, part)
    }
}

/// Rows for which gain and shift are worth copies that begin where lines of memory do.
const MANY: usize = 64;

/// Copies that begin where lines of memory do: both are read for every row, and a vector that lies in two lines costs
/// twice.
fn copied_to_lines<'a, T: Scalar>(room: &'a mut Vec<T>, [gain, shift]: [&[T]; 2]) -> [&'a [T]; 2] {
    let (size, per_line) = (gain.len(), LINE / size_of::<T>());
    let pitch = size.next_multiple_of(per_line);
    room.resize(2 * pitch + per_line, T::default());
    let (first, second) = lined_up_mut(room).split_at_mut(pitch);
    first[..size].copy_from_slice(gain);
    second[..size].copy_from_slice(shift);
    [&first[..size], &second[..size]]
}

impl<T: Scalar> Line<T> for Standardize {
    type Known = Distances;

    fn row(&self, src: &[T], dst: &mut [T]) {
        self.rows(src.len(), src, dst);
    }

    fn rows(&self, size: usize, src: &[T], dst: &mut [T]) {
        let all = Standardize { epsilon: self.epsilon };
        vectorised(
            #[inline(always)]
            move || {
                for (src, dst) in src.chunks_exact(size).zip(dst.chunks_exact_mut(size)) {
                    standardized(all.moments_of(src), src, std::iter::repeat(()), dst, |y, ()| y);
                }
            },
        );
    }

    const IS_SCALED: bool = true;

    fn rows_scaled(&self, src: &[T], both: [&[T]; 2], dst: &mut [T]) {
        let all = Standardize { epsilon: self.epsilon };
        let (mut room, is_worth_it) = (Vec::new(), dst.len() >= MANY * both[0].len());
        let [gain, shift] = if is_worth_it { copied_to_lines(&mut room, both) } else { both };
        vectorised(
            #[inline(always)]
            move || {
                for (src, dst) in src.chunks_exact(gain.len()).zip(dst.chunks_exact_mut(gain.len())) {
                    let beside = gain.iter().zip(shift);
                    standardized(all.moments_of(src), src, beside, dst, |y, (&gain, &shift)| y * gain + shift);
                }
            },
        );
    }

    fn start(&self) -> Distances {
        Distances::NONE
    }

    fn read(&self, known: &mut Distances, rows: &[[T; WIDTH]]) {
        if known.size[0] == 0 {
            rows.iter().take(1).for_each(|row| known.first = row.map(|x| x.wide()));
        }
        known.size.iter_mut().for_each(|size| *size += rows.len());
        let (first, mut sums, mut squares) = (known.first, known.sum, known.squares);
        (known.sum, known.squares) = vectorised(
            #[inline(always)]
            move || {
                let (pairs, last) = rows.as_chunks::<2>();
                for [a, b] in pairs {
                    let elements = a.iter().zip(b).zip(&first);
                    for ((sum, square), ((&a, &b), &first)) in sums.iter_mut().zip(&mut squares).zip(elements) {
                        let (a, b) = (a.wide() - first, b.wide() - first);
                        *sum += a + b;
                        *square = a.mul_add(a, b.mul_add(b, *square));
                    }
                }
                for row in last {
                    for (((sum, square), &x), &first) in sums.iter_mut().zip(&mut squares).zip(row).zip(&first) {
                        let distance = x.wide() - first;
                        *sum += distance;
                        *square = distance.mul_add(distance, *square);
                    }
                }
                (sums, squares)
            },
        );
    }

    fn write(&self, known: &Distances, rows: &mut [[T; WIDTH]]) {
        let all = Standardize { epsilon: self.epsilon };
        vectorised(
            #[inline(always)]
            move || {
                let moments = known.moments(&all);
                if moments.are_ordinary() {
                    rows.iter_mut().for_each(|row| *row = moments.standardized::<true>(*row));
                } else {
                    rows.iter_mut().for_each(|row| *row = moments.standardized::<false>(*row));
                }
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::span::row_major;
    use crate::kernel::testing::{Random, positions};

    const EPSILON: f64 = 1e-5;

    fn plain(line: &[f64]) -> Vec<f64> {
        let n = line.len() as f64;
        let mean = line.iter().sum::<f64>() / n;
        let variance = line.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        line.iter().map(|x| (x - mean) / (variance + EPSILON).sqrt()).collect()
    }

    fn check<T: Scalar>(outer: &[usize], size: usize, from: &[isize], to: &[isize], shift: f64, tolerance: f64) {
        let sizes = [outer, &[size]].concat();
        let total = sizes.iter().product();
        let data: Vec<T> = Random::new(5).reals(total).into_iter().map(|x| T::narrow(shift + f64::from(x))).collect();
        let mut out = vec![T::default(); total];
        let src = View { data: &data, offset: 0, strides: from };
        standardize(EPSILON, outer, size, src, ViewMut { data: &mut out, offset: 0, strides: to }, None);
        let read: Vec<f64> = positions(&sizes, from).map(|d| data[d as usize].wide()).collect();
        let write: Vec<usize> = positions(&sizes, to).map(|d| d as usize).collect();
        for (line, places) in read.chunks(size).zip(write.chunks(size)) {
            for (exact, &at) in plain(line).into_iter().zip(places) {
                let error = (out[at].wide() - exact).abs();
                assert!(
                    error <= tolerance * (exact.abs() + 1e-6),
                    "{} for {exact}, {sizes:?} {from:?} {to:?}",
                    out[at].wide()
                );
            }
        }
    }

    #[test]
    fn every_layout_agrees_with_plain_loops() {
        for (a, b, size) in [(3, 5, 1), (2, 70, 33), (1, 8, 200), (7, 3, 64), (1, 1, 1000), (40, 130, 9)] {
            let (outer, dense) = ([a, b], row_major(&[a, b, size]));
            let last: &[isize] = &dense;
            let first: &[isize] = &[b as isize, 1, (a * b) as isize];
            let swapped: &[isize] = &[1, (a * size) as isize, a as isize];
            for from in [last, first, swapped] {
                for to in [last, first, swapped] {
                    check::<f32>(&outer, size, from, to, 0.0, f64::from(f32::EPSILON));
                    check::<f64>(&outer, size, from, to, 0.0, 1e-9);
                }
            }
        }
    }

    #[test]
    fn a_large_mean_does_not_swallow_the_variance() {
        check::<f32>(&[2], 700, &[700, 1], &[700, 1], 4096.0, f64::from(f32::EPSILON));
        check::<f32>(&[70], 70, &[1, 70], &[1, 70], 4096.0, f64::from(f32::EPSILON));
    }

    #[test]
    fn a_first_element_far_from_all_others_does_not_swallow_the_variance() {
        let size = 3000;
        let mut data: Vec<f32> = Random::new(7).reals(size);
        data[0] = 1e6;
        let mut out = vec![0.0; size];
        let strides: &[isize] = &[1];
        let src = View { data: &data, offset: 0, strides };
        standardize(EPSILON, &[], size, src, ViewMut { data: &mut out, offset: 0, strides }, None);
        let line: Vec<f64> = data.iter().map(|&x| f64::from(x)).collect();
        for (got, exact) in out.into_iter().zip(plain(&line)) {
            assert!((f64::from(got) - exact).abs() <= f64::from(f32::EPSILON) * exact.abs(), "{got} for {exact}");
        }
    }

    #[test]
    fn a_mean_of_any_size_does_not_swallow_the_variance() {
        // From means that rows are summed with as they are to those of which even distances keep few bits.
        for shift in [0.0, 0.5, 2.0, 4.0, 4.6, 5.0, 8.0, 100.0, 1e4, 1e6] {
            check::<f32>(&[5], 768, &[768, 1], &[768, 1], shift, f64::from(f32::EPSILON));
            check::<f32>(&[5], 771, &[771, 1], &[771, 1], -shift, f64::from(f32::EPSILON));
        }
    }

    #[test]
    fn a_row_whose_squares_are_too_large_is_standardized_if_its_distances_are_not() {
        let step = f64::powi(2.0, 470);
        let data = [0.0, 1.0, 2.0, 1.0].map(|i| f64::powi(2.0, 520) + i * step);
        let mut out = [1.0; 4];
        let strides: &[isize] = &[1];
        let src = View { data: &data, offset: 0, strides };
        standardize(EPSILON, &[], 4, src, ViewMut { data: &mut out, offset: 0, strides }, None);
        let root = f64::sqrt(2.0);
        let error = |(got, exact): (&f64, &f64)| (got - exact).abs();
        assert!(out.iter().zip(&[-root, 0.0, root, 0.0]).map(error).all(|error| error < 1e-12), "{out:?}");
    }

    #[test]
    fn rows_have_the_same_numbers_however_many_share_their_gain_and_shift() {
        fn check<T: Scalar>(size: usize) {
            let numbers = |seed, count| -> Vec<T> {
                Random::new(seed).reals(count).into_iter().map(|x| T::narrow(f64::from(x))).collect()
            };
            let (src, gain, shift) = (numbers(1, (MANY + 1) * size), numbers(2, size + 1), numbers(3, size + 2));
            let (line, both) = (Standardize { epsilon: EPSILON }, [&gain[1..], &shift[2..]]);
            let (mut together, mut alone) = (src.clone(), src.clone());
            line.rows_scaled(&src, both, &mut together);
            for (src, dst) in src.chunks(size).zip(alone.chunks_mut(size)) {
                line.rows_scaled(src, both, dst);
            }
            assert_eq!(together, alone, "rows of {size}");
        }
        for size in [1, 2, 15, 16, 17, 33, 64, 100] {
            check::<f32>(size);
            check::<f64>(size);
        }
    }

    #[test]
    fn a_constant_line_is_zero_and_a_line_with_nan_or_infinity_is_nan() {
        for (bad, expected) in [(3.0, 0.0), (f32::NAN, f32::NAN), (f32::INFINITY, f32::NAN)] {
            let data = [3.0, 3.0, bad, 3.0];
            let mut out = [1.0; 4];
            let strides: &[isize] = &[1];
            let src = View { data: &data, offset: 0, strides };
            standardize(EPSILON, &[], 4, src, ViewMut { data: &mut out, offset: 0, strides }, None);
            let as_expected = |x: &f32| *x == expected || (x.is_nan() && expected.is_nan());
            assert!(out.iter().all(as_expected), "{data:?} gives {out:?}");
        }
    }

    #[test]
    fn a_line_has_the_same_numbers_whatever_the_lines_beside_it_hold() {
        // More lines than are computed together, and some that are left.
        let (size, lines) = (37, 1034);
        let mut data: Vec<f32> = Random::new(9).reals(size * lines);
        let run = |data: &[f32]| {
            let mut out = vec![0.0; size * lines];
            let strides: &[isize] = &[1, lines as isize];
            let src = View { data, offset: 0, strides };
            standardize(EPSILON, &[lines], size, src, ViewMut { data: &mut out, offset: 0, strides }, None);
            out
        };
        let before = run(&data);
        let bad = [(63, f32::NAN), (320, f32::INFINITY), (1027, 1e30)];
        bad.iter().for_each(|&(line, x)| data[5 * lines + line] = x);
        let changed = run(&data).into_iter().zip(before).enumerate().filter(|(_, (x, y))| x.to_bits() != y.to_bits());
        let others = changed.map(|(at, _)| at % lines).filter(|line| bad.iter().all(|(bad, _)| bad != line));
        assert_eq!(others.count(), 0, "elements of other lines change");
    }
}
