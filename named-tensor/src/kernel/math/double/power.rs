//! Powers `x^y`.
//!
//! Derivation: `x^y = ± e^(y ln |x|)`. The error of `ln |x|` is multiplied by `y` and becomes relative to the result, so for
//! `f64` the logarithm and the product are sums of two `f64`, which hold some 65 bits of them:
//! 1. with `x = 2ᵉ m` and `f = m - 1`, `s = f / (m + 1)` is a quotient and what it lacks, found by fused steps;
//! 2. `ln m = 2 s + s³ p(s²)`, where the first term is taken in two parts as well, and the rest is too small to need it.
//!
//! For `f32` all of it in `f64` is more than enough.
//! The sign is that of `x` for odd `y`; the special cases are those of IEEE 754 (`pow`).

use super::super::polynomial;
use super::exp::{exp, exp_of_sum};
use super::log::{LN_2_HIGH, LN_2_LOW, SERIES, log, split};

/// `a + b`, and what rounding lost, for `|a| ≥ |b|`.
#[inline(always)]
fn added(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// `ln x` as a sum of two, for `x ≥ 0`; the second is 0 for 0, ∞ and NaN.
#[inline(always)]
fn log_in_two(x: f64) -> (f64, f64) {
    /// What `f64` lacks of the first term of `p`.
    const LACKING: f64 = -1.995_661_584e-17;
    let (m, e) = split(x);
    let f = m - 1.0;
    let whole = m + 1.0;
    let part = m - (whole - 1.0);
    let one_over = 1.0 / whole;
    let s = f * one_over;
    let s_low = s.mul_add(-part, s.mul_add(-whole, f)) * one_over;
    let square = s * s;
    let square_low = s.mul_add(s, -square) + 2.0 * s * s_low;
    let cube = square * s;
    let cube_low = square.mul_add(s, -cube) + square_low.mul_add(s, square * s_low);
    let [first, rest @ ..] = SERIES;
    let third = first * cube;
    let third_low = first.mul_add(cube, -third) + first.mul_add(cube_low, LACKING * cube);
    let fifth = cube * square * polynomial(square, rest);
    let (near, near_low) = added(2.0 * s, third);
    let (high, high_low) = added(e * LN_2_HIGH, near);
    let (high, high_low) = if e == 0.0 { (near, 0.0) } else { (high, high_low) };
    let low = high_low + e.mul_add(LN_2_LOW, near_low + (2.0 * s_low + (third_low + fifth)));
    let (sum, lost) = added(high, low);
    if x == 0.0 {
        (f64::NEG_INFINITY, 0.0)
    } else if x < f64::INFINITY {
        (sum, lost)
    } else {
        (x, 0.0)
    }
}

/// The power of which `magnitude` is that of `|x|`: its sign, and the special cases.
#[inline(always)]
fn signed(x: f64, y: f64, magnitude: f64) -> f64 {
    let is_whole = y.floor() == y;
    let is_odd = is_whole && (0.5 * y).floor() != 0.5 * y;
    let magnitude = if x.abs() == 1.0 { 1.0 } else { magnitude };
    let value = if is_odd { magnitude.copysign(x) } else { magnitude };
    let value = if x < 0.0 && x.is_finite() && !is_whole { f64::NAN } else { value };
    if y == 0.0 || x == 1.0 { 1.0 } else { value }
}

/// `x^y` within 1.2 ulp.
#[inline(always)]
pub(in super::super) fn power(x: f64, y: f64) -> f64 {
    let (log, log_low) = log_in_two(x.abs());
    let product = y * log;
    let low = y.mul_add(log, -product) + y * log_low;
    let low = if product.abs() < 800.0 { low } else { 0.0 };
    signed(x, y, exp_of_sum(product, low))
}

/// `x^y` for `f32`, within 0.51 ulp.
#[inline(always)]
pub(in super::super) fn power_of_floats(x: f32, y: f32) -> f32 {
    /// Below, the result is 0. It is not computed: it would be subnormal on the way, for which processors take their time.
    const LOWEST: f64 = -104.0;
    let (x, y) = (f64::from(x), f64::from(y));
    let product = y * log(x.abs());
    let magnitude = exp(if product < LOWEST { LOWEST } else { product });
    signed(x, y, if product < LOWEST { 0.0 } else { magnitude }) as f32
}
