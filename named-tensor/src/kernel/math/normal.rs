//! The normal distribution in `f32`: its tail, and with it erf and the exact gelu.
//!
//! Derivation of the tail `Φ(-t)`, `t ≥ 0`, with small *relative* error even where it is tiny:
//! 1. `Φ(-t) = e^(-t²/2) h(t)` with the scaled tail `h(t) = ½ erfcx(t/√2)`, which falls slowly, like `0.4 / t`.
//! 2. With `q = (t - K) / (t + K)`, `(t + K) h(t)` is smooth and nearly straight in `q` (the variable of Shepherd and
//!    Laframboise, "Chebyshev approximation of (1 + 2x) exp(x²) erfc x", Math. Comp. 36, 1981). K = 4 and a
//!    minimax fit (Remez, weighted) of degree 9 for t ≤ 14.5 have a relative error of 8.6e-9.
//! 3. `t²` is rounded; what rounding lost is found by a fused multiply-add and multiplied in as `1 - lost/2`.
//!
//! Derivation of erf, which needs no exponential, since it is not small where its tail is:
//! 1. For |x| < 1.1, `erf x = x + x p(x²)`, where `1 + p` of degree 6 is the minimax fit with relative error 4.8e-9.
//! 2. Beyond, `erf x = 1 - r⁴`: the fourth root `r` of `1 - erf x` bends little, and where it is small, its error is not
//!    felt. It is a polynomial of degree 7 in `x - 2.5`, which is exact; the minimax fit of `r⁴` up to 4 has the error
//!    1.1e-8. From 3.92 on the result is 1.

use super::exp::exp;
use super::{between, polynomial};

/// `Φ(-t)` for `t ≥ 0`, within 4 ulp.
#[inline(always)]
fn tail(t: f32) -> f32 {
    const SCALED: [f32; 10] = [
        0.755_285_14,
        -0.607_896_6,
        0.387_136_9,
        -0.186_523_44,
        0.060_403_83,
        -0.007_525_271,
        -0.003_512_553_3,
        0.001_569_922_5,
        0.000_179_352_84,
        -0.000_131_972_2,
    ];
    let t = between(t, 0.0, 14.5);
    let r = 1.0 / (t + 4.0);
    let h = r * polynomial((-8.0_f32).mul_add(r, 1.0), SCALED);
    let square = t * t;
    let lost = t.mul_add(t, -square);
    exp(-0.5 * square) * h.mul_add(-0.5 * lost, h)
}

/// `x Φ(x)` within 7 ulp, and |x| 2⁻¹⁴⁹ where `Φ` is subnormal; NaN at -∞, where the product is -∞ · 0.
#[inline(always)]
pub(super) fn gelu(x: f32) -> f32 {
    let tail = tail(x.abs());
    x * if x < 0.0 { tail } else { 1.0 - tail }
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
