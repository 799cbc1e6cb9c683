//! The normal distribution in `f32`: its tail, and with it erf and the exact gelu.
//!
//! Derivation of the tail `Φ(-t)`, `t ≥ 0`, with small *relative* error even where it is tiny:
//! 1. `Φ(-t) = e^(-t²/2) h(t)` with the scaled tail `h(t) = ½ erfcx(t/√2)`, which falls slowly, like `0.4 / t`.
//! 2. With `q = (t - K) / (t + K)`, `(t + K) h(t)` is smooth and nearly straight in `q` (the variable of Shepherd and
//!    Laframboise, "Chebyshev approximation of (1 + 2x) exp(x²) erfc x", Math. Comp. 36, 1981). K = 4 and a
//!    minimax fit (Remez, weighted) of degree 9 for t ≤ 14.5 have a relative error of 8.6e-9.
//! 3. `t²` is rounded; what rounding lost is found by a fused multiply-add and multiplied in as `1 - lost/2`.
//!
//! For |x| < 0.9, `erf x = x + x p(x²)`, where `1 + p` of degree 6 is the minimax fit with relative error 2.9e-10.
//! Beyond, `erf x = 1 - 2 Φ(-√2 x)`.

use super::exp::exp;
use super::{between, polynomial};
use std::f32::consts::SQRT_2;

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

/// `erf x` within 2 ulp.
#[inline(always)]
pub(super) fn erf(x: f32) -> f32 {
    const NEAR: [f32; 7] =
        [0.128_379_17, -0.376_126_35, 0.112_837_15, -0.026_860_509, 0.005_203_859, -0.000_817_563_9, 0.000_085_131_03];
    let far = (-2.0_f32).mul_add(tail(SQRT_2 * x.abs()), 1.0).copysign(x);
    if x.abs() < 0.9 { x.mul_add(polynomial(x * x, NEAR), x) } else { far }
}
