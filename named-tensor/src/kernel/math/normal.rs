//! The normal distribution in `f32`: its tail, and with it the exact gelu; and erf.
//!
//! Derivation of `t Φ(-t)`, `t ≥ 0`, with small *relative* error even where it is tiny; gelu is that less than relu:
//! 1. `Φ(-t) = e^(-t²/2) h(t)` with the scaled tail `h(t) = ½ erfcx(t/√2)`, which falls slowly, like `0.4 / t`.
//! 2. With `d = t / (t + 3)`, `t h(t) = d p(d)`, where `p` is smooth (see Shepherd and Laframboise, "Chebyshev
//!    approximation of (1 + 2x) exp(x²) erfc x", Math. Comp. 36, 1981, for such a variable). A minimax fit (Remez) of degree
//!    8 for t ≤ 13.25 has a relative error of 4.1e-8.
//! 3. `-t²/2 = n ln 2 + r` as in `exp`. It is rounded to find `n` only: `r` is computed from `t` by a fused step, after
//!    the top of `n ln 2`, which is exact. `2ⁿ` is raised until all is multiplied, so that no factor is subnormal.
//!
//! Derivation of erf, which needs no exponential, since it is not small where its tail is:
//! 1. For |x| < 1.1, `erf x = x + x p(x²)`, where `1 + p` of degree 6 is the minimax fit with relative error 4.8e-9.
//! 2. Beyond, `erf x = 1 - r⁴`: the fourth root `r` of `1 - erf x` bends little, and where it is small, its error is not
//!    felt. It is a polynomial of degree 7 in `x - 2.5`, which is exact; the minimax fit of `r⁴` up to 4 has the error
//!    1.1e-8. From 3.92 on the result is 1.

use super::exp::{BIAS, LOWERING, RAISED, ROUNDER, growth, power_of_two};
use super::log::{LN_2_HIGH, LN_2_LOW};
use super::{between, polynomial};
use std::f32::consts::LOG2_E;

/// `2³² e^(-t²/2)` within 1.2 ulp for `|t| ≤ 14.7`.
#[inline(always)]
fn raised_bell(t: f32) -> f32 {
    const ADDED: f32 = ROUNDER + BIAS + RAISED;
    let half = -0.5 * t;
    let shifted = (half * t).mul_add(LOG2_E, ADDED);
    let n = shifted - ADDED;
    let r = n.mul_add(-LN_2_LOW, half.mul_add(t, -LN_2_HIGH * n));
    let power = power_of_two(shifted.to_bits());
    growth(r).mul_add(power, power)
}

/// `x Φ(x)` within 5.5 ulp, subnormal results included; NaN at -∞, where the product is -∞ · 0.
#[inline(always)]
pub(super) fn gelu(x: f32) -> f32 {
    /// `p`
    const SCALED: [f32; 9] = [
        1.5,
        -2.090_485,
        1.069_152,
        0.206_306_83,
        -0.259_057_34,
        -0.107_344_426,
        -0.013_591_567,
        0.164_129_1,
        -0.070_253_745,
    ];
    /// From here on `t Φ(-t)` is below 2⁻¹⁵⁰.
    const FAR: f32 = 14.7;
    let t = x.abs();
    let d = t / (t + 3.0);
    let relu = if x > 0.0 { x } else { 0.0 * x };
    let gelu = (d * polynomial(d, SCALED) * raised_bell(t)).mul_add(-LOWERING, relu);
    if t > FAR { relu } else { gelu }
}

/// `erf x` within 1.6 ulp.
#[inline(always)]
pub(super) fn erf(x: f32) -> f32 {
    const NEAR: [f32; 7] =
        [0.128_379_17, -0.376_126_1, 0.112_833_64, -0.026_843_518, 0.005_167_731, -0.000_782_473_9, 0.000_072_360_64];
    const ROOT: [f32; 8] = [
        0.142_032_79,
        -0.190_061_27,
        0.093_629_96,
        -0.012_326_851,
        -0.006_503_24,
        0.002_754_939,
        0.000_106_901_79,
        -0.000_175_600_22,
    ];
    let root = polynomial(between(x.abs(), 0.0, 4.0) - 2.5, ROOT);
    let square = root * root;
    let far = (-square).mul_add(square, 1.0).copysign(x);
    if x.abs() < 1.1 { x.mul_add(polynomial(x * x, NEAR), x) } else { far }
}
