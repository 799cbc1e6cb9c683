//! The exponential function in `f32`, and what is made of it: tanh, sigmoid, silu, gelu in its tanh form.
//!
//! Derivation of `e^x`:
//! 1. `n = round(x / ln 2)` and `r = x - n ln 2`, so `|r| ≤ ln 2 / 2 ≈ 0.3466` and `e^x = 2ⁿ e^r`. Adding 1.5·2²³ rounds
//!    to an integer and leaves it in the low bits. `ln 2` is taken as a sum of two `f32`, so that `r` is exact to 2⁻⁴⁸ n.
//! 2. `e^r - 1 = r + r² q(r)`, where `q` of degree 4 is the minimax fit (Remez) on that interval, error 3.1e-9 of `e^r`.
//! 3. `2ⁿ` is multiplied in as two factors of about `2^(n/2)`, so that subnormal results and overflow come out by
//!    themselves. Outside of [-105, 89] the result is 0 or ∞ in any case. Normal results need one factor. It is made by
//!    shifting alone: what has to be added to `n` is rounded along with it.
//!
//! A gate needs `e^x` for `x ≤ 0` only, but to be multiplied by another number: it is computed times 2³², with one factor,
//! so that it is no subnormal number before that is done.

use super::{between, polynomial, usually};
use std::f32::consts::LOG2_E;

/// 1.5·2²³: adding it to a number below 2²² leaves its nearest integer in the low bits.
pub(super) const ROUNDER: f32 = 12_582_912.0;
/// What is added to the exponent of a number where it is stored.
pub(super) const BIAS: f32 = 127.0;
/// The power of 2 that an exponential which is to be multiplied is raised by, and the factor that takes it back.
pub(super) const RAISED: f32 = 32.0;
pub(super) const LOWERING: f32 = 1.0 / 4_294_967_296.0;
/// `ln 2` rounded to `f32`.
const LN_2_HIGH: f32 = std::f32::consts::LN_2;
/// `ln 2` less [`LN_2_HIGH`].
const LN_2_LOW: f32 = -1.904_654_3e-9;
/// `q`: about `1/2!, 1/3!, 1/4!, 1/5!, 1/6!`.
const GROWTH: [f32; 5] = [0.499_999_93, 0.166_665_2, 0.041_668_39, 0.008_368_717, 0.001_381_459_9];

/// `e^r - 1` for `|r| ≤ 0.3466`.
#[inline(always)]
pub(super) fn growth(r: f32) -> f32 {
    (r * r).mul_add(polynomial(r, GROWTH), r)
}

/// `e^r - 1` with `x = n ln 2 + r`, and the bits of a number whose low ones are `n + added`, for `|x| < 2²⁰`.
#[inline(always)]
fn split(x: f32, added: f32) -> (f32, u32) {
    let shifted = x.mul_add(LOG2_E, ROUNDER + added);
    let n = shifted - (ROUNDER + added);
    let r = n.mul_add(-LN_2_LOW, n.mul_add(-LN_2_HIGH, x));
    (growth(r), shifted.to_bits())
}

/// `2^(n - 127)`, where `n` from 1 to 254 stands in the low bits.
#[inline(always)]
pub(super) fn power_of_two(n: u32) -> f32 {
    f32::from_bits(n << 23)
}

/// `e^x` times a power of 2 within 1.02 ulp, where that is neither subnormal nor ∞; `added` is [`BIAS`] for `e^x` itself.
#[inline(always)]
fn normal(x: f32, added: f32) -> f32 {
    let (growth, n) = split(x, added);
    let power = power_of_two(n);
    growth.mul_add(power, power)
}

/// `e^x` within 1.02 ulp, subnormal results included; `e^-∞ = 0`, `e^∞ = ∞`, NaN stays NaN.
#[inline(always)]
fn any(x: f32) -> f32 {
    let (growth, n) = split(between(x, -105.0, 89.0), 2.0 * BIAS);
    let half = n >> 1;
    // 0 at once, since processors take long to find that a product is too small.
    let power = if x < -104.0 { 0.0 } else { power_of_two(half) };
    growth.mul_add(power, power) * power_of_two(n.wrapping_sub(half))
}

/// `e^x` within 1.02 ulp for every element, as [`any`]; where all are normal numbers, with fewer operations.
pub(super) fn exp(src: &[f32], dst: &mut [f32]) {
    usually(src, dst, |x| x.abs().to_bits(), 87.33_f32.to_bits(), |x| normal(x, BIAS), any);
}

/// `e^x` within 1.02 ulp for `x ≤ 1`, and 0 where that is below 2⁻¹²⁶; NaN stays NaN.
#[inline(always)]
pub(super) fn decay(x: f32) -> f32 {
    /// The least number of which it is not, `-126 ln 2` rounded up.
    const LOWEST: f32 = -87.336_54;
    if x < LOWEST { 0.0 } else { normal(x, BIAS) }
}

/// `tanh x` within 2.61 ulp: with `t = e^(2|x|) - 1`, it is `t / (t + 2)` with the sign of `x`. From 9.02 on it is 1.
#[inline(always)]
pub(super) fn tanh(x: f32) -> f32 {
    let distance = if x.abs() > 9.1 { 9.1 } else { x.abs() };
    let (growth, n) = split(2.0 * distance, BIAS);
    let scale = power_of_two(n);
    let t = scale.mul_add(growth, scale - 1.0);
    (t / (t + 2.0)).copysign(x)
}

/// `2³² e^-|x|` within 1.02 ulp, and 0 from 109 on, where `|x| e^-|x|` is below 2⁻¹⁵⁰; NaN stays NaN.
#[inline(always)]
fn raised(x: f32) -> f32 {
    let x = -x.abs();
    if x < -109.0 { 0.0 } else { normal(x, BIAS + RAISED) }
}

/// `1 / (1 + e^-x)` within 3 ulp. With `e = e^-|x|` it is `1 / (1 + e)` or `e / (1 + e)`: nothing overflows.
#[inline(always)]
pub(super) fn sigmoid(x: f32) -> f32 {
    let e = raised(x);
    let top = if x < 0.0 { e * LOWERING } else { 1.0 };
    top / e.mul_add(LOWERING, 1.0)
}

/// `x σ(u)`, where `x` and `u` have the same sign: within 4 ulp, subnormal results included; NaN where it is ∞ · 0.
#[inline(always)]
fn gate(x: f32, u: f32) -> f32 {
    let e = raised(u);
    let top = if u < 0.0 { x * e * LOWERING } else { x };
    top / e.mul_add(LOWERING, 1.0)
}

/// `x σ(x)` within 4 ulp; NaN at -∞, where the product is -∞ · 0.
#[inline(always)]
pub(super) fn silu(x: f32) -> f32 {
    gate(x, x)
}

/// `x σ(2u)` with `u = √(2/π) (x + 0.044715 x³)`, which is `x/2 (1 + tanh u)`; NaN at -∞, where the product is -∞ · 0.
/// Within `4 + 6 |u|` ulp, since rounding `u` is felt where `e^2u` is small.
#[inline(always)]
pub(super) fn gelu_tanh(x: f32) -> f32 {
    /// `2 √(2/π)`
    const SLOPE: f32 = 1.595_769;
    /// `2 √(2/π) · 0.044715`
    const CUBIC: f32 = 0.071_354_816;
    gate(x, x * (x * x).mul_add(CUBIC, SLOPE))
}
