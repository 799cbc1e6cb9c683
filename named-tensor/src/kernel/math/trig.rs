//! Sine and cosine in `f32`.
//!
//! Derivation:
//! 1. `n = round(2x/π)` and `r + low = x - n π/2`, so `|r| ≤ π/4`. `π/2` is a sum of three `f32`. The difference with the
//!    first part has few bits, and is exact. The product of `n` and the second one is taken as a sum of two `f32`, and what
//!    subtracting its top loses is exact: it is not if it is found by a fused step, where that leaves little of `r`.
//! 2. `sin r = r + r³ s(r²)` and `cos r = 1 - r²/2 + r⁴ c(r²)`, minimax fits (Remez) with relative errors 4.7e-9 and
//!    1.6e-10; `low` adds itself to the sine and `2 r low` to the square.
//! 3. `n mod 4` chooses between them and gives the sign.
//! 4. Numbers above 2²⁰ are rare. Where there are some, they are computed in `f64` and rounded once, the same way with
//!    `π/2` as a sum of two `f64`: for `|x| ≤ 2³⁰`, `r` is exact to 2⁻⁸⁰, and no `f32` is closer to a multiple of `π/2` than
//!    2⁻⁶² of itself. Still larger ones go through the standard library one by one.
//!
//! Bound: 0.91 ulp for all `f32` up to 2²⁰, beyond 0.51 ulp. `sin ±∞` is NaN, and `sin -0` is -0.

use super::polynomial;
use crate::kernel::lanes::vectorised;

/// Up to here `f32` are enough.
const NEAR: f32 = 1_048_576.0;
/// Up to here `r` is exact enough in `f64`.
const LARGE: f32 = 1_073_741_824.0;

/// `sin(x + quarter π/2)` for `|x| ≤` [`NEAR`].
#[inline(always)]
fn turn(x: f32, quarter: u32) -> f32 {
    /// 1.5·2²³: adding it rounds to an integer and leaves that in the low bits.
    const ROUNDER: f32 = 12_582_912.0;
    /// `π/2` in three parts.
    const HALF_PI: [f32; 3] = [1.570_796_4, -4.371_139e-8, -1.715_124_5e-15];
    const SINE: [f32; 3] = [-0.166_666_54, 0.008_332_093, -0.000_195_051_46];
    const COSINE: [f32; 3] = [0.041_666_64, -0.001_388_713, 0.000_024_412_086];
    let [high, middle, least] = HALF_PI;
    let shifted = x.mul_add(std::f32::consts::FRAC_2_PI, ROUNDER);
    let n = shifted - ROUNDER;
    let first = n.mul_add(-high, x);
    let part = n * middle;
    let r = first - part;
    let low = ((first - r) - part) - n.mul_add(least, n.mul_add(middle, -part));
    let square = r.mul_add(r, r * (low + low));
    let sine = r + (r * square).mul_add(polynomial(square, SINE), low);
    let cosine = square.mul_add(square.mul_add(polynomial(square, COSINE), -0.5), 1.0);
    let quadrant = shifted.to_bits().wrapping_add(quarter);
    let value = if quadrant & 1 == 0 { sine } else { cosine };
    f32::from_bits(value.to_bits() ^ (quadrant & 2) << 30)
}

/// `sin(x + quarter π/2)` for `|x| ≤` [`LARGE`].
#[inline(always)]
fn turn_in_f64(x: f32, quarter: u64) -> f32 {
    /// 1.5·2⁵², of the same use.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    /// `π/2` in two parts.
    const HALF_PI: [f64; 2] = [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17];
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
    let ([high, low], x) = (HALF_PI, f64::from(x));
    let shifted = x.mul_add(std::f64::consts::FRAC_2_PI, ROUNDER);
    let n = shifted - ROUNDER;
    let r = n.mul_add(-low, n.mul_add(-high, x));
    let square = r * r;
    let sine = (r * square).mul_add(polynomial(square, SINE), r);
    let cosine = (square * square).mul_add(polynomial(square, COSINE), square.mul_add(-0.5, 1.0));
    let quadrant = shifted.to_bits().wrapping_add(quarter);
    let value = if quadrant & 1 == 0 { sine } else { cosine };
    (if quadrant & 2 == 0 { value } else { -value }) as f32
}

/// Writes `near(x)` for every element, and has `far` do what is too large for it.
#[inline(always)]
fn of_each(src: &[f32], dst: &mut [f32], near: impl Fn(f32) -> f32, far: impl FnOnce(&mut [f32])) {
    let written = &mut *dst;
    let largest = vectorised(
        #[inline(always)]
        move || {
            let mut largest = 0;
            for (d, &x) in written.iter_mut().zip(src) {
                *d = near(x);
                largest = largest.max(x.abs().to_bits());
            }
            largest
        },
    );
    if largest > NEAR.to_bits() {
        far(dst);
    }
}

/// Writes `sin(x + quarter π/2)` for every element that is too large for [`turn`]; `exact` does what is too large here, too.
#[cold]
#[inline(never)]
fn far(src: &[f32], dst: &mut [f32], quarter: u64, exact: fn(f64) -> f64) {
    let written = &mut *dst;
    vectorised(
        #[inline(always)]
        move || {
            for (d, &x) in written.iter_mut().zip(src) {
                *d = if x.abs() > NEAR { turn_in_f64(x, quarter) } else { *d };
            }
        },
    );
    for (d, &x) in dst.iter_mut().zip(src) {
        if x.abs() > LARGE {
            *d = exact(f64::from(x)) as f32;
        }
    }
}

/// `sin x` for every element.
pub(super) fn sin(src: &[f32], dst: &mut [f32]) {
    of_each(src, dst, |x| if x == 0.0 { x } else { turn(x, 0) }, |dst| far(src, dst, 0, f64::sin));
}

/// `cos x` for every element.
pub(super) fn cos(src: &[f32], dst: &mut [f32]) {
    of_each(src, dst, |x| turn(x, 1), |dst| far(src, dst, 1, f64::cos));
}
