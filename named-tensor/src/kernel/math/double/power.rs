//! Powers `x^y`.
//!
//! Derivation: `x^y = ± e^(y ln |x|)`. The error of `ln |x|` is multiplied by `y` and becomes relative to the result, so for
//! `f64` the logarithm and the product are sums of two `f64`, which hold some 65 bits of them:
//! 1. with `x = 2ᵉ m` and `f = m - 1`, `s = f / (m + 1)` is a quotient and what it lacks, found by fused steps;
//! 2. `ln m = 2 s + s³ p(s²)`, where the first term is taken in two parts as well, and the rest is too small to need it.
//!
//! For `f32` one `f64` is more than enough of each, and so are short polynomials (minimax fits), for powers of 2:
//! 1. with `x = 2ᵉ m`, `m` in [2/3, 4/3) and `f = m - 1`, `log₂ x = e + f p(f)` with `p` of degree 12, error 1.6e-11 of it;
//! 2. `y log₂ x = n + r` with `|r| ≤ 1/2`, and `2^r = 1 + r q(r)` with `q` of degree 6, error 2.4e-10. `2ⁿ` is one factor
//!    in `f64`, whose exponent is left in the low bits when 1023 is rounded along with `n`; `f32` rounds once, in the end.
//!
//! The sign is that of `x` for odd `y`; the special cases are those of IEEE 754 (`pow`).

use super::super::{between, polynomial};
use super::ROUNDER;
use super::exp::exp_of_sum;
use super::log::{LN_2_HIGH, LN_2_LOW, SERIES, split};
use crate::kernel::lanes::{pairs, vectorised};

/// `a + b`, and what rounding lost, for `|a| ≥ |b|`.
#[inline(always)]
fn added(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// `ln x` as a sum of two, for `x ≥ 0`; the second is 0 for 0, ∞ and NaN.
#[inline(always)]
fn log_in_two(x: f64) -> (f64, f64) {
    /// What `f64` lacks of the first term of `p`.
    const LACKING: f64 = -1.995_661_584e-17;
    let (m, e) = split(x);
    let f = m - 1.0;
    let whole = m + 1.0;
    let part = m - (whole - 1.0);
    let one_over = 1.0 / whole;
    let s = f * one_over;
    let s_low = s.mul_add(-part, s.mul_add(-whole, f)) * one_over;
    let square = s * s;
    let square_low = s.mul_add(s, -square) + 2.0 * s * s_low;
    let cube = square * s;
    let cube_low = square.mul_add(s, -cube) + square_low.mul_add(s, square * s_low);
    let [first, rest @ ..] = SERIES;
    let third = first * cube;
    let third_low = first.mul_add(cube, -third) + first.mul_add(cube_low, LACKING * cube);
    let fifth = cube * square * polynomial(square, rest);
    let (near, near_low) = added(2.0 * s, third);
    let (high, high_low) = added(e * LN_2_HIGH, near);
    let (high, high_low) = if e == 0.0 { (near, 0.0) } else { (high, high_low) };
    let low = high_low + e.mul_add(LN_2_LOW, near_low + (2.0 * s_low + (third_low + fifth)));
    let (sum, lost) = added(high, low);
    if x == 0.0 {
        (f64::NEG_INFINITY, 0.0)
    } else if x < f64::INFINITY {
        (sum, lost)
    } else {
        (x, 0.0)
    }
}

macro_rules! signed {
    ($name:ident, $type:ident) => {
        /// The power of which `magnitude` is that of `|x|`: its sign, and the special cases.
        #[inline(always)]
        fn $name(x: $type, y: $type, magnitude: $type) -> $type {
            let is_whole = y.floor() == y;
            let is_odd = is_whole && (0.5 * y).floor() != 0.5 * y;
            let magnitude = if x.abs() == 1.0 { 1.0 } else { magnitude };
            let value = if is_odd { magnitude.copysign(x) } else { magnitude };
            let value = if x < 0.0 && x.is_finite() && !is_whole { $type::NAN } else { value };
            if y == 0.0 || x == 1.0 { 1.0 } else { value }
        }
    };
}

signed!(signed, f64);
signed!(signed_float, f32);

/// `x^y` within 1.2 ulp.
#[inline(always)]
fn power(x: f64, y: f64) -> f64 {
    let (log, log_low) = log_in_two(x.abs());
    let product = y * log;
    let low = y.mul_add(log, -product) + y * log_low;
    let low = if product.abs() < 800.0 { low } else { 0.0 };
    signed(x, y, exp_of_sum(product, low))
}

/// Writes `x^y` for every pair, within 1.2 ulp.
#[expect(
    clippy::redundant_closure,
    reason = "a function so long would be called by its name, and compiled for no vectors"
)]
#[inline(always)]
pub(in super::super) fn powers(xs: &[f64], ys: &[f64], dst: &mut [f64]) {
    pairs(
        xs,
        ys,
        dst,
        #[inline(always)]
        |x, y| power(x, y),
    );
}

/// `log₂(1 + f) / f` on [-1/3, 1/3): about `1, -1/2, 1/3, …, 1/13` of `1 / ln 2`.
const LOG_2: [f64; 13] = [
    1.442_695_040_892_322_3,
    -0.721_347_519_569_398_9,
    0.480_898_343_966_452_65,
    -0.360_673_978_612_832_2,
    0.288_539_441_321_525,
    -0.240_433_660_346_313_4,
    0.206_075_987_371_498_02,
    -0.180_806_066_520_850_52,
    0.160_891_004_702_658_02,
    -0.137_461_073_634_949_64,
    0.123_564_513_487_406_42,
    -0.166_105_381_752_981_53,
    0.157_536_823_289_310_1,
];
/// `(2^r - 1) / r` for `|r| ≤ 1/2`: about `ln 2, (ln 2)²/2!, …, (ln 2)⁷/7!`.
const EXP_2: [f64; 7] = [
    0.693_147_183_816_711_9,
    0.240_226_509_207_988_21,
    0.055_504_003_760_445_675,
    0.009_618_056_916_017_626,
    0.001_334_195_010_136_094_4,
    0.000_154_613_688_726_102,
    1.335_999_024_195_545_4e-5,
];
/// `2^-152` and less are 0 in `f32`, `2^129` and more are ∞.
const LOWEST: f64 = -152.0;
const HIGHEST: f64 = 129.0;

/// `x^y` for `x = 2^exponent m`, where `m` is what `bits` has when its exponent is taken away: of a normal number, above 0.
/// `exponent` makes an exponent of that of the bits.
#[inline(always)]
fn of_bits(bits: u32, y: f32, exponent: impl Fn(f32) -> f32) -> f32 {
    /// The bits of the smallest `f32` above 2/3.
    const TWO_THIRDS: u32 = 0x3F2A_AAAB;
    /// A rounder after which `n + 1023` stands in the low bits.
    const BIASED: f64 = ROUNDER + 1023.0;
    let above = bits.wrapping_sub(TWO_THIRDS).cast_signed() >> 23;
    let m = f32::from_bits(bits.wrapping_sub((above << 23).cast_unsigned()));
    let (f, e) = (f64::from(m - 1.0), f64::from(exponent(above as f32)));
    let product = between(f64::from(y) * f.mul_add(polynomial(f, LOG_2), e), LOWEST, HIGHEST);
    let shifted = product + BIASED;
    let r = product - (shifted - BIASED);
    let power = f64::from_bits(shifted.to_bits() << 52);
    (r * polynomial(r, EXP_2)).mul_add(power, power) as f32
}

/// `x^y` for `f32`, where [`is_usual`] says so.
#[inline(always)]
fn usual(x: f32, y: f32) -> f32 {
    of_bits(
        x.to_bits(),
        y,
        #[inline(always)]
        |e| if x == 0.0 { f32::NEG_INFINITY } else { e },
    )
}

/// Whether `x` is 0 or a normal number above, and `y` finite and not 0.
#[inline(always)]
fn is_usual(x: f32, y: f32) -> bool {
    const LEAST: u32 = f32::MIN_POSITIVE.to_bits();
    const INFINITY: u32 = f32::INFINITY.to_bits();
    let bits = x.to_bits();
    // No `&&`, which would be a branch.
    ((bits == 0) | (bits.wrapping_sub(LEAST) < INFINITY - LEAST)) & (y.abs().to_bits().wrapping_sub(1) < INFINITY - 1)
}

/// `x^y` for all `f32`.
#[inline(always)]
fn any(x: f32, y: f32) -> f32 {
    let size = x.abs();
    let (scaled, shift) = if size < f32::MIN_POSITIVE { (size * 8_388_608.0, 23.0) } else { (size, 0.0) };
    let magnitude = of_bits(
        scaled.to_bits(),
        y,
        // Of 0, ∞ and NaN the logarithm is that of the exponent, whatever `m` is.
        #[inline(always)]
        |e| {
            let e = if size < f32::INFINITY { e - shift } else { size };
            if size == 0.0 { f32::NEG_INFINITY } else { e }
        },
    );
    signed_float(x, y, magnitude)
}

/// Writes `x^y` for every pair of `f32`, within 0.53 ulp. Bases of at least 0 have no sign to be found: where all are such, and
/// nothing else is special, that takes half the time. It is the same number.
#[expect(
    clippy::redundant_closure,
    reason = "a function so long would be called by its name, and compiled for no vectors"
)]
#[inline(always)]
pub(in super::super) fn powers_of_floats(xs: &[f32], ys: &[f32], dst: &mut [f32]) {
    let unusual = vectorised(
        #[inline(always)]
        move || xs.iter().zip(ys).fold(0, |unusual, (&x, &y)| unusual | u32::from(!is_usual(x, y))),
    );
    if unusual == 0 {
        pairs(
            xs,
            ys,
            dst,
            #[inline(always)]
            |x, y| usual(x, y),
        );
    } else {
        pairs(
            xs,
            ys,
            dst,
            #[inline(always)]
            |x, y| any(x, y),
        );
    }
}
