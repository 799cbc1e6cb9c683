//! Standardisation along one axis, the heart of layer normalisation.
//!
//! Computes  `yᵢ = (xᵢ - μ) / √(σ² + ε)`  with  `μ = Σ xⱼ / n`  and the biased variance  `σ² = Σ (xⱼ - μ)² / n`.
//! All of it in `f64`: for `f32` the result is rounded once, an error of at most 1 ulp. The sums of  `dⱼ = xⱼ - x₀`  and of
//! their squares are taken in one pass, and  `σ² = Σ dⱼ² / n - (Σ dⱼ / n)²`.  A large mean does not swallow the variance,
//! since  `(μ - x₀)² ≤ n σ²`  whatever the line is: the difference loses a factor `n` at most, 2⁻²⁹ of σ² if `n` is 2²⁰.
//! NaN or an infinity makes the whole line NaN, and so do numbers whose squares are too large for `f64`. A constant line
//! gives 0 if `ε > 0`.

use super::lanes::{each, vectorised};
use super::line::{Columns, ColumnsMut, Line, WIDTH, along};
use super::map::Tail;
use super::math::Scalar;
use super::{View, ViewMut};

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
    /// `μ` and `1 / √(σ² + ε)`, from the first element and the sums of distances from it and of their squares.
    #[inline(always)]
    fn moments(&self, first: f64, sum: f64, squares: f64, size: usize) -> (f64, f64) {
        let n = size as f64;
        let variance = squares / n - (sum / n) * (sum / n);
        // Rounding may leave less than nothing; NaN stays.
        let variance = if variance < 0.0 { 0.0 } else { variance };
        (first + sum / n, 1.0 / (variance + self.epsilon).sqrt())
    }
}

/// Partial sums of a row.
const LANES: usize = 32;

/// The sums of the distances from the first element and of their squares.
fn sums<T: Scalar>(src: &[T], first: f64) -> (f64, f64) {
    vectorised(
        #[inline(always)]
        move || {
            let (mut sums, mut squares) = ([0.0; LANES], [0.0; LANES]);
            let (whole, rest) = src.as_chunks::<LANES>();
            for chunk in whole {
                for ((sum, square), &x) in sums.iter_mut().zip(&mut squares).zip(chunk) {
                    let distance = x.wide() - first;
                    *sum += distance;
                    *square = distance.mul_add(distance, *square);
                }
            }
            for ((sum, square), &x) in sums.iter_mut().zip(&mut squares).zip(rest) {
                let distance = x.wide() - first;
                *sum += distance;
                *square = distance.mul_add(distance, *square);
            }
            let mut half = LANES / 2;
            while half > 0 {
                for i in 0..half {
                    sums[i] += sums[i + half];
                    squares[i] += squares[i + half];
                }
                half /= 2;
            }
            (sums[0], squares[0])
        },
    )
}

impl<T: Scalar> Line<T> for Standardize {
    fn row(&self, src: &[T], dst: &mut [T]) {
        let first = src.first().map_or(0.0, |x| x.wide());
        let (sum, squares) = sums(src, first);
        let (mean, scale) = self.moments(first, sum, squares, src.len());
        each(src, dst, move |x| T::narrow((x.wide() - mean) * scale));
    }

    fn columns(&self, src: &Columns<'_, T>, dst: &mut ColumnsMut<'_, T>) {
        vectorised(
            #[inline(always)]
            move || {
                let (mut first, mut mean, mut scale) = ([0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]);
                first.iter_mut().zip(src.row(0)).for_each(|(first, x)| *first = x.wide());
                for i in 0..src.size {
                    for (((sum, square), &x), &first) in mean.iter_mut().zip(&mut scale).zip(src.row(i)).zip(&first) {
                        let distance = x.wide() - first;
                        *sum += distance;
                        *square = distance.mul_add(distance, *square);
                    }
                }
                for ((mean, scale), &first) in mean.iter_mut().zip(&mut scale).zip(&first) {
                    (*mean, *scale) = self.moments(first, *mean, *scale, src.size);
                }
                for i in 0..src.size {
                    for (((y, &x), &mean), &scale) in dst.row(i).iter_mut().zip(src.row(i)).zip(&mean).zip(&scale) {
                        *y = T::narrow((x.wide() - mean) * scale);
                    }
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
}
