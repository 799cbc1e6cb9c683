//! Sine and cosine in `f32`, computed in `f64` within and rounded once.
//!
//! Derivation:
//! 1. `n = round(2x/π)` and `r = x - n π/2`, so `|r| ≤ π/4`. With `π/2` as a sum of two `f64` and fused steps, `r` is
//!    exact to 2⁻⁸⁰ for `|x| ≤ 2³⁰`, and no `f32` is closer to a multiple of `π/2` than 2⁻⁶² of itself.
//!    Larger `x` are rare and go through the standard library one by one.
//! 2. `sin r = r + r³ s(r²)` and `cos r = 1 - r²/2 + r⁴ c(r²)`, minimax fits (Remez) with errors 4.8e-15 and 1.0e-13.
//! 3. `n mod 4` chooses between them and gives the sign.
//!
//! Bound: 0.51 ulp, which is the last rounding. `sin ±∞` is NaN.

use super::polynomial;
use crate::kernel::lanes::each;
use std::f64::consts::FRAC_2_PI;

/// 1.5·2⁵²: adding it rounds to an integer and leaves that in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// `π/2` rounded to `f64`.
const HALF_PI_HIGH: f64 = std::f64::consts::FRAC_PI_2;
/// `π/2` less [`HALF_PI_HIGH`].
const HALF_PI_LOW: f64 = 6.123_233_995_736_766e-17;
/// Up to here `r` is exact enough.
const LARGE: f32 = 1_073_741_824.0;

/// `sin(x + quarter π/2)` for `|x| ≤` [`LARGE`].
#[inline(always)]
fn turn(x: f32, quarter: u64) -> f32 {
    const SINE: [f64; 5] = [
        -0.166_666_666_666_314_5,
        0.008_333_333_325_244_978,
        -0.000_198_412_638_078_462_8,
        2.755_535_445_105_787_4e-6,
        -2.476_140_698_511_279e-8,
    ];
    const COSINE: [f64; 4] = [
        0.041_666_666_622_653_115,
        -0.001_388_888_373_804_607_2,
        0.000_024_799_515_890_772_704,
        -2.720_989_291_962_257e-7,
    ];
    let x = f64::from(x);
    let shifted = x.mul_add(FRAC_2_PI, ROUNDER);
    let n = shifted - ROUNDER;
    let r = n.mul_add(-HALF_PI_LOW, n.mul_add(-HALF_PI_HIGH, x));
    let square = r * r;
    let sine = (r * square).mul_add(polynomial(square, SINE), r);
    let cosine = (square * square).mul_add(polynomial(square, COSINE), square.mul_add(-0.5, 1.0));
    let quadrant = shifted.to_bits().wrapping_add(quarter);
    let value = if quadrant & 1 == 0 { sine } else { cosine };
    (if quadrant & 2 == 0 { value } else { -value }) as f32
}

/// Sends what [`turn`] cannot do to `exact`.
fn patch(src: &[f32], dst: &mut [f32], exact: impl Fn(f64) -> f64) {
    for (d, &x) in dst.iter_mut().zip(src) {
        if x.abs() > LARGE {
            *d = exact(f64::from(x)) as f32;
        }
    }
}

/// `sin x` for every element.
pub(super) fn sin(src: &[f32], dst: &mut [f32]) {
    each(src, dst, |x| if x == 0.0 { x } else { turn(x, 0) });
    patch(src, dst, f64::sin);
}

/// `cos x` for every element.
pub(super) fn cos(src: &[f32], dst: &mut [f32]) {
    each(src, dst, |x| turn(x, 1));
    patch(src, dst, f64::cos);
}
