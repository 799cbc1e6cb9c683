//! Elementwise functions: one number in, or two, and one number out.
//!
//! Lives here: each function of the notation on plain numbers, and its lifting to grids of equal sizes.
//! Not here: functions that look along an axis (`softmax`, `reduction`).

use super::Grid;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// `F(X)` with `F(X)_place = f(X_place)`, the lifting of a function of one number.
#[must_use]
pub fn map(x: &Grid, f: impl Fn(f64) -> f64) -> Grid {
    Grid::from_fn(&x.sizes, |place| f(x.get(place)))
}

/// `F(X, Y)_place = f(X_place, Y_place)` for grids of equal sizes.
///
/// # Panics
/// If the sizes differ.
#[must_use]
pub fn zip(x: &Grid, y: &Grid, f: impl Fn(f64, f64) -> f64) -> Grid {
    assert_eq!(x.sizes, y.sizes);
    Grid::from_fn(&x.sizes, |place| f(x.get(place), y.get(place)))
}

/// `F(X, Y)_{i,j} = f(X_{i,j}, Y_j)` where the axes of Y are the last ones of X.
#[must_use]
pub fn zip_with_last(x: &Grid, y: &Grid, f: impl Fn(f64, f64) -> f64) -> Grid {
    let first = x.sizes.len() - y.sizes.len();
    Grid::from_fn(&x.sizes, |place| f(x.get(place), y.get(&place[first..])))
}

/// `F(X, Y)_{i,j} = f(X_{i,j}, Y_i)` where the axes of Y are the first ones of X.
#[must_use]
pub fn zip_with_first(x: &Grid, y: &Grid, f: impl Fn(f64, f64) -> f64) -> Grid {
    Grid::from_fn(&x.sizes, |place| f(x.get(place), y.get(&place[..y.sizes.len()])))
}

/// `σ(x) = 1 / (1 + e^-x)`
#[must_use]
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// `relu(x) = max(0, x)`; NaN stays NaN.
#[must_use]
pub fn relu(x: f64) -> f64 {
    if x < 0.0 { 0.0 } else { x }
}

/// `erf(x) = 2/√π ∫₀ˣ e^(-t²) dt`
///
/// Computed as `2/√π e^(-x²) Σ_n 2ⁿ x^(2n+1) / (1·3·…·(2n+1))`, whose terms have one sign, so that nothing cancels.
/// Beyond 6 the difference from ±1 is below 3e-17.
#[must_use]
pub fn erf(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.abs() > 6.0 {
        return x.signum();
    }
    let mut term = x;
    let mut sum = x;
    let mut n = 0.0;
    while term.abs() > sum.abs() * 1e-18 {
        n += 1.0;
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
    }
    2.0 / PI.sqrt() * (-x * x).exp() * sum
}

/// `gelu(x) = x Φ(x)` with `Φ(x) = (1 + erf(x/√2)) / 2`
#[must_use]
pub fn gelu(x: f64) -> f64 {
    x * (1.0 + erf(x * FRAC_1_SQRT_2)) / 2.0
}

/// `gelu_tanh(x) = x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))`
#[must_use]
pub fn gelu_tanh(x: f64) -> f64 {
    x / 2.0 * (1.0 + ((2.0 / PI).sqrt() * (x + 0.044715 * x * x * x)).tanh())
}

/// `silu(x) = x σ(x)`
#[must_use]
pub fn silu(x: f64) -> f64 {
    x * sigmoid(x)
}

/// The larger of two numbers; NaN if either is NaN.
#[must_use]
pub fn max(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        f64::NAN
    } else if x < y {
        y
    } else {
        x
    }
}

/// The smaller of two numbers; NaN if either is NaN.
#[must_use]
pub fn min(x: f64, y: f64) -> f64 {
    -max(-x, -y)
}

/// `clamp(x) = min(max(x, low), high)`
#[must_use]
pub fn clamp(x: f64, low: f64, high: f64) -> f64 {
    min(max(x, low), high)
}

/// A function of one number, with its name in equations.
pub type Named = (&'static str, fn(f64) -> f64);

/// Every function of one number that the notation has.
pub const UNARY: [Named; 14] = [
    ("neg", |x| -x),
    ("abs", |x| if x < 0.0 { -x } else { x }),
    ("exp", f64::exp),
    ("log", f64::ln),
    ("sqrt", f64::sqrt),
    ("tanh", f64::tanh),
    ("sigmoid", sigmoid),
    ("relu", relu),
    ("gelu", gelu),
    ("gelu_tanh", gelu_tanh),
    ("silu", silu),
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("erf", erf),
];

#[cfg(test)]
mod tests {
    use super::super::paper;
    use super::*;
    use crate::closeness::{Bound, assert_close};

    #[test]
    fn erf_has_the_values_of_the_tables() {
        let table = [
            (0.0, 0.0),
            (0.1, 0.112_462_916_018_284_89),
            (0.5, 0.520_499_877_813_046_5),
            (1.0, 0.842_700_792_949_714_9),
            (1.5, 0.966_105_146_475_310_8),
            (2.0, 0.995_322_265_018_952_7),
            (3.0, 0.999_977_909_503_001_4),
            (7.0, 1.0),
        ];
        for (x, value) in table {
            assert!((erf(x) - value).abs() <= 1e-14, "erf({x}) = {}, not {value}", erf(x));
            assert!((erf(-x) + value).abs() <= 1e-14, "erf({}) = {}, not {}", -x, erf(-x), -value);
        }
    }

    #[test]
    fn p5_sigmoid_of_a() {
        let expected =
            [0.952_574, 0.731_059, 0.982_014, 0.731_059, 0.993_307, 0.999_877, 0.880_797, 0.997_527, 0.993_307];
        assert_close(&map(&paper::a(), sigmoid).values, &Grid::new(&[3, 3], expected.to_vec()), Bound::absolute(5e-7));
    }

    #[test]
    fn p7_sums_of_a_with_a_column_and_with_a_row() {
        let (a, x, y) = (paper::a(), paper::x(), paper::y());
        assert_eq!(zip_with_first(&a, &x, |a, x| a + x).values, [5., 3., 6., 8., 12., 16., 3., 7., 6.]);
        assert_eq!(zip_with_last(&a, &y, |a, y| a + y).values, [4., 5., 5., 2., 9., 10., 3., 10., 6.]);
    }
}
