//! The natural logarithm in `f64`.
//!
//! Derivation:
//! 1. `x = 2ᵉ m` with `m` in [√½, √2): subtracting the bits of √½ leaves `e` in the exponent field.
//!    Subnormal `x` is first multiplied by 2⁵⁴.
//! 2. With `f = m - 1` and `s = f / (2 + f)`, `ln m = 2 artanh s = f - f²/2 + s (f²/2 + s² p(s²))`, where `p` of degree 7 is
//!    the minimax fit, error 8.2e-21 of `ln m`: a division in place of the many terms of the series in `f`.
//! 3. `ln x = e ln 2 + ln m`, with `ln 2` as a sum of two `f64`. For `e = 0` the result begins with the exact `f`, so
//!    it keeps its relative accuracy around 1.

use super::super::polynomial;
use super::ROUNDER;
use std::f64::consts::FRAC_1_SQRT_2;

/// The top of `ln 2` with its last bits 0, so that multiples up to 2¹¹ are exact, and the rest.
pub(super) const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
pub(super) const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// `p`: about `2/3, 2/5, 2/7, …, 2/17`.
pub(super) const SERIES: [f64; 8] = [
    0.666_666_666_666_666_6,
    0.400_000_000_000_062_53,
    0.285_714_285_690_844_7,
    0.222_222_226_470_069_1,
    0.181_817_756_488_204_5,
    0.153_870_914_838_340_34,
    0.132_501_018_009_495,
    0.132_514_774_281_490_94,
];

/// `(m, e)` with `x = 2ᵉ m` and `m` in [√½, √2), for finite `x > 0`.
#[inline(always)]
pub(super) fn split(x: f64) -> (f64, f64) {
    const BIAS: u64 = 1023;
    let is_subnormal = x < f64::MIN_POSITIVE;
    let bits = if is_subnormal { x * 18_014_398_509_481_984.0 } else { x }.to_bits();
    // Above 0, since vectors of some processors have no shift of signed numbers.
    let above = bits.wrapping_sub(FRAC_1_SQRT_2.to_bits()).wrapping_add(BIAS << 52) >> 52;
    let m = f64::from_bits(bits.wrapping_sub(above.wrapping_sub(BIAS) << 52));
    let e = f64::from_bits(ROUNDER.to_bits().wrapping_add(above)) - (ROUNDER + BIAS as f64);
    (m, e - if is_subnormal { 54.0 } else { 0.0 })
}

/// `ln x` within 1 ulp, subnormals included; `ln 0 = -∞`, `ln ∞ = ∞`, NaN below 0.
#[inline(always)]
pub(in super::super) fn log(x: f64) -> f64 {
    let (m, e) = split(x);
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let (square, half) = (s * s, 0.5 * f * f);
    let tail = s.mul_add(square.mul_add(polynomial(square, SERIES), half), e * LN_2_LOW);
    let ln = e.mul_add(LN_2_HIGH, f - (half - tail));
    let ln = if x == f64::INFINITY { x } else { ln };
    if x > 0.0 {
        ln
    } else if x == 0.0 {
        f64::NEG_INFINITY
    } else {
        f64::NAN
    }
}
