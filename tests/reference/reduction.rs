//! Reductions: the numbers along some axes become one number.
//!
//! Lives here: sum, mean, var, max, min, prod and the norms. Not here: functions that keep the axis (`softmax`).

use super::{Grid, elementwise};

/// `sum X = Σ_i X_i`
#[must_use]
pub fn sum(x: &Grid, axes: &[usize]) -> Grid {
    x.reduce(axes, |line| line.iter().sum())
}

/// `prod X = Π_i X_i`
#[must_use]
pub fn prod(x: &Grid, axes: &[usize]) -> Grid {
    x.reduce(axes, |line| line.iter().product())
}

/// `mean X = (1/n) Σ_i X_i`
#[must_use]
pub fn mean(x: &Grid, axes: &[usize]) -> Grid {
    x.reduce(axes, mean_of)
}

/// `var X = (1/n) Σ_i (X_i - mean X)²`, with the divisor n and not n - 1.
#[must_use]
pub fn var(x: &Grid, axes: &[usize]) -> Grid {
    x.reduce(axes, var_of)
}

/// The mean of some numbers.
#[must_use]
pub fn mean_of(line: &[f64]) -> f64 {
    line.iter().sum::<f64>() / line.len() as f64
}

/// The variance of some numbers, with the divisor n.
#[must_use]
pub fn var_of(line: &[f64]) -> f64 {
    let mean = mean_of(line);
    line.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / line.len() as f64
}

/// `max X`; NaN if one number is.
#[must_use]
pub fn max(x: &Grid, axes: &[usize]) -> Grid {
    x.reduce(axes, |line| line.iter().fold(f64::NEG_INFINITY, |largest, &x| elementwise::max(largest, x)))
}

/// `min X`; NaN if one number is.
#[must_use]
pub fn min(x: &Grid, axes: &[usize]) -> Grid {
    x.reduce(axes, |line| line.iter().fold(f64::INFINITY, |smallest, &x| elementwise::min(smallest, x)))
}

/// `norm X = √(Σ_i X_i²)`
#[must_use]
pub fn norm(x: &Grid, axes: &[usize]) -> Grid {
    x.reduce(axes, |line| line.iter().map(|x| x * x).sum::<f64>().sqrt())
}

/// `norm_p X = (Σ_i |X_i|^p)^(1/p)` (the paper prints `X^p`; the absolute value is meant, row E8).
#[must_use]
pub fn norm_p(x: &Grid, axes: &[usize], p: f64) -> Grid {
    x.reduce(axes, |line| line.iter().map(|x| x.abs().powf(p)).sum::<f64>().powf(1.0 / p))
}

#[cfg(test)]
mod tests {
    use super::super::paper::a;
    use super::*;
    use crate::closeness::{Bound, assert_close};

    const PRINTED: Bound = Bound::absolute(5e-7);

    fn row(values: [f64; 3]) -> Grid {
        Grid::new(&[3], values.to_vec())
    }

    #[test]
    fn p8_sums() {
        assert_eq!(sum(&a(), &[0]), row([6., 12., 18.]));
        assert_eq!(sum(&a(), &[1]), row([8., 15., 13.]));
        assert_eq!(sum(&a(), &[0, 1]).item(), 36.);
    }

    #[test]
    fn p9_p10_norms() {
        assert_eq!(norm(&a(), &[0]), row([14., 62., 122.].map(f64::sqrt)));
        assert_eq!(norm(&a(), &[1]), row([26., 107., 65.].map(f64::sqrt)));
        assert_close(&norm_p(&a(), &[0], 3.0).values, &row([3.301_927, 6.993_191, 9.718_835]), PRINTED);
    }

    #[test]
    fn p11_extremes() {
        assert_eq!(min(&a(), &[0]), row([1., 1., 4.]));
        assert_eq!(min(&a(), &[1]), row([1., 1., 2.]));
        assert_eq!(max(&a(), &[0]), row([3., 6., 9.]));
        assert_eq!(max(&a(), &[1]), row([4., 9., 6.]));
    }

    #[test]
    fn p12_mean_and_variance() {
        assert_eq!(mean(&a(), &[0]), row([2., 4., 6.]));
        assert_close(&mean(&a(), &[1]).values, &row([2.666_667, 5., 4.333_333]), PRINTED);
        assert_close(&var(&a(), &[0]).values, &row([0.666_667, 4.666_667, 4.666_667]), PRINTED);
        assert_close(&var(&a(), &[1]).values, &row([1.555_556, 10.666_667, 2.888_889]), PRINTED);
    }
}
