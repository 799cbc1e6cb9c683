//! The exponential function in `f64`, and what is made of it: tanh, sigmoid, silu, gelu in its tanh form.
//!
//! The derivation is that of `f32` (`math::exp`), with other numbers:
//! 1. `x = n ln 2 + r` with `|r| ≤ ln 2 / 2`; `ln 2` is a sum of two `f64`, and `x - n ln 2` is exact before the second.
//! 2. `e^r - 1 = r + r² q(r)` with `q` of degree 9, error 3.7e-18 of `e^r`.
//! 3. `2ⁿ` is multiplied in as two factors. Outside of [-746, 710] the result is 0 or ∞ in any case.

use super::super::{between, polynomial};
use super::ROUNDER;
use std::f64::consts::{LN_2, LOG2_E};

/// `ln 2` less what `f64` has of it.
const LN_2_LOW: f64 = 2.319_046_813_846_299_6e-17;
/// `q`: about `1/2!, 1/3!, …, 1/11!`.
const GROWTH: [f64; 10] = [
    0.500_000_000_000_001_1,
    0.166_666_666_666_664_13,
    0.041_666_666_666_530_14,
    0.008_333_333_333_494_68,
    0.001_388_888_894_363_984_8,
    0.000_198_412_695_065_125_92,
    2.480_149_308_552_776e-5,
    2.755_758_615_068_922e-6,
    2.763_025_395_591_565e-7,
    2.500_020_161_993_183e-8,
];

/// `(r, n)` with `x = n ln 2 + r`, for `|x| < 2⁵⁰`.
#[inline(always)]
fn split(x: f64) -> (f64, i64) {
    let shifted = x.mul_add(LOG2_E, ROUNDER);
    let n = shifted - ROUNDER;
    let r = n.mul_add(-LN_2_LOW, n.mul_add(-LN_2, x));
    (r, shifted.to_bits().wrapping_sub(ROUNDER.to_bits()).cast_signed())
}

/// `e^r - 1` for `|r| ≤ 0.3466`.
#[inline(always)]
fn growth(r: f64) -> f64 {
    (r * r).mul_add(polynomial(r, GROWTH), r)
}

/// `2ⁿ` for `-1022 ≤ n ≤ 1023`.
#[inline(always)]
fn power_of_two(n: i64) -> f64 {
    f64::from_bits((n.wrapping_add(1023) << 52).cast_unsigned())
}

/// `e^(x + low)` for `low` far below `x`: within 1 ulp, subnormal results included; `e^-∞ = 0`, `e^∞ = ∞`, NaN stays NaN.
#[inline(always)]
pub(super) fn exp_of_sum(x: f64, low: f64) -> f64 {
    let (r, n) = split(between(x, -746.0, 710.0));
    // Half of `n`, without the shift of signed numbers that some processors lack for vectors.
    let half = ((n.wrapping_add(2048)).cast_unsigned() >> 1).cast_signed() - 1024;
    (1.0 + growth(r + low)) * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

/// `e^x` within 1 ulp, subnormal results included; `e^-∞ = 0`, `e^∞ = ∞`, NaN stays NaN.
#[inline(always)]
pub(in super::super) fn exp(x: f64) -> f64 {
    exp_of_sum(x, 0.0)
}

/// `e^x` within 1 ulp for `x ≤ 1`, and 0 where that is below 2⁻¹⁰²²; NaN stays NaN. With no subnormal results `2ⁿ` is one
/// factor, whose exponent is left in the low bits when 1023 is rounded along with `n`.
#[inline(always)]
pub(in super::super) fn decay(x: f64) -> f64 {
    /// The least number of which it is not, `-1022 ln 2` rounded up.
    const LOWEST: f64 = -708.396_418_532_264;
    const BIASED: f64 = ROUNDER + 1023.0;
    let shifted = x.mul_add(LOG2_E, BIASED);
    let n = shifted - BIASED;
    let r = n.mul_add(-LN_2_LOW, n.mul_add(-LN_2, x));
    let power = f64::from_bits(shifted.to_bits() << 52);
    if x < LOWEST { 0.0 } else { growth(r).mul_add(power, power) }
}

/// `tanh x` within 2.5 ulp: with `t = e^(2|x|) - 1`, it is `t / (t + 2)` with the sign of `x`. From 19.1 on it is 1.
#[inline(always)]
pub(in super::super) fn tanh(x: f64) -> f64 {
    let (r, n) = split(2.0 * between(x.abs(), 0.0, 20.0));
    let scale = power_of_two(n);
    let t = scale.mul_add(growth(r), scale - 1.0);
    (t / (t + 2.0)).copysign(x)
}

/// `1 / (1 + e^-x)` within 3 ulp. With `e = e^-|x|` it is `1 / (1 + e)` or `e / (1 + e)`: nothing overflows.
#[inline(always)]
pub(in super::super) fn sigmoid(x: f64) -> f64 {
    let e = exp(-x.abs());
    let top = if x < 0.0 { e } else { 1.0 };
    top / (1.0 + e)
}

/// `x σ(x)` within 4 ulp, and |x| 2⁻¹⁰⁷⁴ where `σ` is subnormal; NaN at -∞, where the product is -∞ · 0.
#[inline(always)]
pub(in super::super) fn silu(x: f64) -> f64 {
    x * sigmoid(x)
}

/// `x σ(2u)` with `u = √(2/π) (x + 0.044715 x³)`, which is `x/2 (1 + tanh u)`; NaN at -∞, where the product is -∞ · 0.
/// Within `4 + 6 |u|` ulp, since rounding `u` is felt where `e^2u` is small, and |x| 2⁻¹⁰⁷⁴ where `σ` is subnormal.
#[inline(always)]
pub(in super::super) fn gelu_tanh(x: f64) -> f64 {
    /// `2 √(2/π)`
    const SLOPE: f64 = 1.595_769_121_605_730_7;
    /// `2 √(2/π) · 0.044715`
    const CUBIC: f64 = 0.071_354_816_272_600_25;
    x * sigmoid(x * (x * x).mul_add(CUBIC, SLOPE))
}
