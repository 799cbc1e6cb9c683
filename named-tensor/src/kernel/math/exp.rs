//! The exponential function in `f32`, and what is made of it: tanh, sigmoid, silu, gelu in its tanh form.
//!
//! Derivation of `e^x`:
//! 1. `n = round(x / ln 2)` and `r = x - n ln 2`, so `|r| ≤ ln 2 / 2 ≈ 0.3466` and `e^x = 2ⁿ e^r`. Adding 1.5·2²³ rounds
//!    to an integer and leaves it in the low bits. `ln 2` is taken as a sum of two `f32`, so that `r` is exact to 2⁻⁴⁸ n.
//! 2. `e^r - 1 = r + r² q(r)`, where `q` of degree 4 is the minimax fit (Remez) on that interval, error 3.1e-9 of `e^r`.
//! 3. `2ⁿ` is multiplied in as two factors of about `2^(n/2)`, so that subnormal results and overflow come out by
//!    themselves. Outside of [-105, 89] the result is 0 or ∞ in any case.

use super::{between, polynomial};
use std::f32::consts::LOG2_E;

/// 1.5·2²³: adding it to a number below 2²² leaves its nearest integer in the low bits.
const ROUNDER: f32 = 12_582_912.0;
/// `ln 2` rounded to `f32`.
const LN_2_HIGH: f32 = std::f32::consts::LN_2;
/// `ln 2` less [`LN_2_HIGH`].
const LN_2_LOW: f32 = -1.904_654_3e-9;
/// `q`: about `1/2!, 1/3!, 1/4!, 1/5!, 1/6!`.
const GROWTH: [f32; 5] = [0.499_999_93, 0.166_665_2, 0.041_668_39, 0.008_368_717, 0.001_381_459_9];

/// `(r, n)` with `x = n ln 2 + r`, for `|x| < 2²⁰`.
#[inline(always)]
fn split(x: f32) -> (f32, i32) {
    let shifted = x.mul_add(LOG2_E, ROUNDER);
    let n = shifted - ROUNDER;
    let r = n.mul_add(-LN_2_LOW, n.mul_add(-LN_2_HIGH, x));
    (r, shifted.to_bits().wrapping_sub(ROUNDER.to_bits()).cast_signed())
}

/// `e^r - 1` for `|r| ≤ 0.3466`.
#[inline(always)]
fn growth(r: f32) -> f32 {
    (r * r).mul_add(polynomial(r, GROWTH), r)
}

/// `2ⁿ` for `-126 ≤ n ≤ 127`.
#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) << 23).cast_unsigned())
}

/// `e^x` within 1 ulp, subnormal results included; `e^-∞ = 0`, `e^∞ = ∞`, NaN stays NaN.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    let (r, n) = split(between(x, -105.0, 89.0));
    let half = n >> 1;
    (1.0 + growth(r)) * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

/// `e^x` within 1 ulp for `x ≤ 1`, and 0 where that is below 2⁻¹²⁶; NaN stays NaN. With no subnormal results `2ⁿ` is one
/// factor, whose exponent is left in the low bits when 127 is rounded along with `n`.
#[inline(always)]
pub(super) fn decay(x: f32) -> f32 {
    /// The least number of which it is not, `-126 ln 2` rounded up.
    const LOWEST: f32 = -87.336_54;
    const BIASED: f32 = ROUNDER + 127.0;
    let shifted = x.mul_add(LOG2_E, BIASED);
    let n = shifted - BIASED;
    let r = n.mul_add(-LN_2_LOW, n.mul_add(-LN_2_HIGH, x));
    let power = f32::from_bits(shifted.to_bits() << 23);
    if x < LOWEST { 0.0 } else { growth(r).mul_add(power, power) }
}

/// `tanh x` within 2.5 ulp: with `t = e^(2|x|) - 1`, it is `t / (t + 2)` with the sign of `x`. From 9.02 on it is 1.
#[inline(always)]
pub(super) fn tanh(x: f32) -> f32 {
    let (r, n) = split(2.0 * between(x.abs(), 0.0, 9.1));
    let scale = power_of_two(n);
    let t = scale.mul_add(growth(r), scale - 1.0);
    (t / (t + 2.0)).copysign(x)
}

/// `1 / (1 + e^-x)` within 3 ulp. With `e = e^-|x|` it is `1 / (1 + e)` or `e / (1 + e)`: nothing overflows.
#[inline(always)]
pub(super) fn sigmoid(x: f32) -> f32 {
    let e = exp(-x.abs());
    let top = if x < 0.0 { e } else { 1.0 };
    top / (1.0 + e)
}

/// `x σ(x)` within 4 ulp, and |x| 2⁻¹⁴⁹ where `σ` is subnormal; NaN at -∞, where the product is -∞ · 0.
#[inline(always)]
pub(super) fn silu(x: f32) -> f32 {
    x * sigmoid(x)
}

/// `x σ(2u)` with `u = √(2/π) (x + 0.044715 x³)`, which is `x/2 (1 + tanh u)`; NaN at -∞, where the product is -∞ · 0.
/// Within `4 + 6 |u|` ulp, since rounding `u` is felt where `e^2u` is small, and |x| 2⁻¹⁴⁹ where `σ` is subnormal.
#[inline(always)]
pub(super) fn gelu_tanh(x: f32) -> f32 {
    /// `2 √(2/π)`
    const SLOPE: f32 = 1.595_769;
    /// `2 √(2/π) · 0.044715`
    const CUBIC: f32 = 0.071_354_816;
    x * sigmoid(x * (x * x).mul_add(CUBIC, SLOPE))
}
