//! Sine and cosine in `f64`.
//!
//! Derivation:
//! 1. `n = round(2x/π)` and `r + low = x - n π/2`, so `|r| ≤ π/4`. With `π/2` as a sum of three `f64` and fused steps the
//!    difference with the first part is exact, and what rounding `r` lost is in `low`. No `f64` is closer to a multiple of
//!    `π/2` than about 2⁻⁶² of itself, so the rest of `π/2` is not felt for `|x| ≤ 2³⁰`.
//!    Larger `x` are rare and go through the definition one by one.
//! 2. `sin r = r + r³ s(r²)` and `cos r = 1 - r²/2 + r⁴ c(r²)`, minimax fits with errors 3.5e-18 and 5.6e-20; `low` adds
//!    `low cos r` and `-r low`.
//! 3. `n mod 4` chooses between them and gives the sign.

use super::super::polynomial;
use super::ROUNDER;
use crate::element::Unary;
use crate::kernel::lanes::each;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// `π/2` less what `f64` has of it, in two parts.
const HALF_PI_MIDDLE: f64 = 6.123_233_995_736_766e-17;
const HALF_PI_LOW: f64 = -1.497_384_904_859_169_9e-33;
/// Up to here `r` is exact enough.
const LARGE: f64 = 1_073_741_824.0;

/// `sin(x + quarter π/2)` within 1 ulp for `|x| ≤` [`LARGE`].
#[inline(always)]
fn turn(x: f64, quarter: u64) -> f64 {
    const SINE: [f64; 6] = [
        -0.166_666_666_666_666_32,
        0.008_333_333_333_322_418,
        -0.000_198_412_698_298_122_6,
        2.755_731_369_353_793_7e-6,
        -2.505_075_837_971_682e-8,
        1.589_681_156_295_725_2e-10,
    ];
    const COSINE: [f64; 6] = [
        0.041_666_666_666_666_595,
        -0.001_388_888_888_887_305,
        2.480_158_728_884_661_5e-5,
        -2.755_731_417_778_604e-7,
        2.087_570_063_136_896_7e-9,
        -1.135_852_535_309_401_1e-11,
    ];
    let shifted = x.mul_add(FRAC_2_PI, ROUNDER);
    let n = shifted - ROUNDER;
    let first = n.mul_add(-FRAC_PI_2, x);
    let r = n.mul_add(-HALF_PI_MIDDLE, first);
    let low = n.mul_add(-HALF_PI_LOW, n.mul_add(-HALF_PI_MIDDLE, first - r));
    let square = r * r;
    let half = 0.5 * square;
    let sine = r + (r * square).mul_add(polynomial(square, SINE), low);
    let nearly = 1.0 - half;
    let lost = (1.0 - nearly) - half;
    let cosine = nearly + (square * square).mul_add(polynomial(square, COSINE), r.mul_add(-low, lost));
    let quadrant = shifted.to_bits().wrapping_add(quarter);
    let value = if quadrant & 1 == 0 { sine } else { cosine };
    if quadrant & 2 == 0 { value } else { -value }
}

/// Sends what [`turn`] cannot do to the definition.
fn patch(src: &[f64], dst: &mut [f64], op: Unary) {
    for (d, &x) in dst.iter_mut().zip(src) {
        if x.abs() > LARGE {
            *d = op.of(x);
        }
    }
}

/// `sin x` for every element.
pub(in super::super) fn sin(src: &[f64], dst: &mut [f64]) {
    each(src, dst, |x| if x == 0.0 { x } else { turn(x, 0) });
    patch(src, dst, Unary::Sin);
}

/// `cos x` for every element.
pub(in super::super) fn cos(src: &[f64], dst: &mut [f64]) {
    each(src, dst, |x| turn(x, 1));
    patch(src, dst, Unary::Cos);
}
