//! The natural logarithm in `f32`.
//!
//! Derivation:
//! 1. `x = 2ᵉ m` with `m` in [2/3, 4/3): subtracting the bits of 2/3 leaves `e` in the exponent field.
//!    Subnormal `x` is first multiplied by 2²³.
//! 2. With `f = m - 1` in [-1/3, 1/3): `ln(1 + f) = f - f²/2 + f³ p(f)`, where `p` of degree 7 is the minimax fit (Remez)
//!    with weight `f²`, error 5.0e-9 of `f`.
//! 3. `ln x = e ln 2 + ln m`, with `ln 2` as a sum of two `f32`. For `e = 0` the result begins with the exact `f`, so
//!    it keeps its relative accuracy around 1.

use super::{polynomial, usually};

/// The bits of the smallest `f32` above 2/3.
const TWO_THIRDS: u32 = 0x3F2A_AAAB;
/// The top of `ln 2` with its last bits 0, so that multiples up to 2⁸ are exact.
pub(super) const LN_2_HIGH: f32 = 0.693_145_75;
/// `ln 2` less [`LN_2_HIGH`].
pub(super) const LN_2_LOW: f32 = 1.428_606_8e-6;
/// `p`: about `1/3, -1/4, 1/5, …, -1/10`.
const SERIES: [f32; 8] = [
    0.333_332_24,
    -0.249_996_89,
    0.200_100_43,
    -0.166_854_67,
    0.140_109_27,
    -0.121_151_03,
    0.139_624_15,
    -0.131_917_63,
];

/// `ln(x 2^-shift)` within 1 ulp, where `x` is a normal number above 0.
#[inline(always)]
fn normal(x: f32, shift: f32) -> f32 {
    let bits = x.to_bits();
    let exponent = bits.wrapping_sub(TWO_THIRDS).cast_signed() >> 23;
    let m = f32::from_bits(bits.wrapping_sub((exponent << 23).cast_unsigned()));
    let e = exponent as f32 - shift;
    let f = m - 1.0;
    let square = f * f;
    let tail = square.mul_add(f * polynomial(f, SERIES), -0.5 * square);
    e.mul_add(LN_2_HIGH, f + e.mul_add(LN_2_LOW, tail))
}

/// `ln x` within 1 ulp, subnormals included; `ln 0 = -∞`, `ln ∞ = ∞`, NaN below 0.
#[inline(always)]
fn any(x: f32) -> f32 {
    let (scaled, shift) = if x < f32::MIN_POSITIVE { (x * 8_388_608.0, 23.0) } else { (x, 0.0) };
    let ln = normal(scaled, shift);
    let ln = if x == f32::INFINITY { x } else { ln };
    if x > 0.0 {
        ln
    } else if x == 0.0 {
        f32::NEG_INFINITY
    } else {
        f32::NAN
    }
}

/// `ln x` within 1 ulp for every element, as [`any`]; where all are normal numbers above 0, with fewer operations.
pub(super) fn log(src: &[f32], dst: &mut [f32]) {
    const LEAST: u32 = f32::MIN_POSITIVE.to_bits();
    usually(src, dst, |x| x.to_bits().wrapping_sub(LEAST), f32::MAX.to_bits() - LEAST, |x| normal(x, 0.0), any);
}
