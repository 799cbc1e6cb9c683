//! The error function in `f64`.
//!
//! Computes  `erf x = 2/√π ∫₀ˣ e^(-t²) dt`  and  `erfc x = 1 - erf x`, the first within 1e-15, the second
//! within 3e-14 of its value: most just below [`MEETING`], where 1 - erf x cancels.
//! Lives here: the two expansions. Not here: fast versions for `f32` (`kernel::math`).
//!
//! Both are written from their definitions: Abramowitz and Stegun, "Handbook of Mathematical Functions", 7.1.6 and
//! 7.1.14, with the exponential taken so that the rounding of x² does not count.

use std::f64::consts::FRAC_2_SQRT_PI;

/// From here on the continued fraction is used: below it 1 - erf x keeps its digits, above it the fraction is fast.
const MEETING: f64 = 1.5;

/// erfc x is 0 in `f64` from here on: the exact value is below 5e-324.
const VANISHED: f64 = 27.3;

/// `2/√π ∫₀ˣ e^(-t²) dt`
pub(super) fn erf(x: f64) -> f64 {
    if x.abs() < MEETING { series(x) } else { (1.0 - fraction(x.abs())).copysign(x) }
}

/// `1 - erf x`, with all its digits where it is small.
pub(super) fn erfc(x: f64) -> f64 {
    if x.abs() < MEETING {
        1.0 - series(x)
    } else if x < 0.0 {
        2.0 - fraction(-x)
    } else {
        fraction(x)
    }
}

/// erf x = 2/√π e^(-x²) Σₙ 2ⁿ x^(2n+1) / (1·3·…·(2n+1)): all terms have one sign, so nothing cancels.
fn series(x: f64) -> f64 {
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    // Twenty-five terms reach the last bit at the meeting point; the sum no longer changes after that.
    for _ in 0..30 {
        odd += 2.0;
        term *= 2.0 * x * x / odd;
        sum += term;
    }
    FRAC_2_SQRT_PI * gauss(x) * sum
}

/// erfc x = e^(-x²)/√π · 1/(x + (1/2)/(x + (2/2)/(x + (3/2)/(x + …)))), for positive x, from the inside out.
fn fraction(x: f64) -> f64 {
    if x > VANISHED {
        return 0.0;
    }
    // Ninety levels reach the last bit at the meeting point, fewer beyond it.
    let denominator = (1..=90).rev().fold(x, |inner, level| x + f64::from(level) / 2.0 / inner);
    FRAC_2_SQRT_PI / 2.0 * gauss(x) / denominator
}

/// e^(-x²). The part of x² that rounding drops, which would cost x² units in the last place, is put back.
fn gauss(x: f64) -> f64 {
    let square = x * x;
    let dropped = x.mul_add(x, -square);
    (-square).exp() * (1.0 - dropped)
}

#[cfg(test)]
mod tests {
    use super::*;

    // (x, erf x, erfc x), computed from the power series of erf with 400 digits.
    const KNOWN: [(f64, f64, f64); 14] = [
        (1e-10, 1.128_379_167_095_512_6e-10, 0.999_999_999_887_162),
        (0.125, 0.140_316_204_801_333_8, 0.859_683_795_198_666_2),
        (0.5, 0.520_499_877_813_046_5, 0.479_500_122_186_953_5),
        (1.0, 0.842_700_792_949_714_9, 0.157_299_207_050_285_13),
        (1.25, 0.922_900_128_256_458_3, 0.077_099_871_743_541_77),
        (1.375, 0.948_170_072_782_090_3, 0.051_829_927_217_909_674),
        (1.437_5, 0.957_940_606_056_46, 0.042_059_393_943_539_934),
        (1.49, 0.964_897_864_843_204_2, 0.035_102_135_156_795_79),
        (1.5, 0.966_105_146_475_310_8, 0.033_894_853_524_689_274),
        (2.0, 0.995_322_265_018_952_7, 0.004_677_734_981_047_266),
        (3.0, 0.999_977_909_503_001_4, 2.209_049_699_858_544e-05),
        (5.0, 0.999_999_999_998_462_6, 1.537_459_794_428_035e-12),
        (10.0, 1.0, 2.088_487_583_762_545e-45),
        (26.0, 1.0, 5.663_192_408_856_143e-296),
    ];

    #[test]
    fn erf_and_erfc_have_all_their_digits() {
        for (x, expected, complement) in KNOWN {
            assert!((erf(x) / expected - 1.0).abs() < 1e-15, "erf {x} is {:e}, not {expected:e}", erf(x));
            assert!((erfc(x) / complement - 1.0).abs() < 1e-14, "erfc {x} is {:e}, not {complement:e}", erfc(x));
            assert_eq!(erf(-x), -erf(x), "odd at {x}");
        }
    }

    #[test]
    fn erf_of_zero_infinity_and_nan_is_exact() {
        assert_eq!(erf(0.0), 0.0);
        assert!(erf(-0.0).is_sign_negative());
        assert_eq!((erf(f64::INFINITY), erf(f64::NEG_INFINITY)), (1.0, -1.0));
        assert_eq!((erfc(f64::INFINITY), erfc(f64::NEG_INFINITY)), (0.0, 2.0));
        assert!(erf(f64::NAN).is_nan() && erfc(f64::NAN).is_nan());
    }

    #[test]
    fn the_two_expansions_meet_without_a_step() {
        let (below, above) = (MEETING.next_down(), MEETING);
        // Neighbouring numbers near 1 are 1.1e-16 apart; each expansion has its own last bits.
        assert!((erf(above) - erf(below)).abs() < 5e-16);
        assert!((erfc(above) - erfc(below)).abs() < 5e-16);
    }
}
