//! bfloat16: the upper half of an `f32`, in which weights are stored.
//!
//! A sign, the 8 bits of exponent of an `f32`, and the upper 7 of its 23 bits of fraction. Widening is exact. Rounding is
//! to the nearest, a tie to the even one; where the number is not subnormal it changes by at most 2⁻⁸ of itself, and
//! numbers beyond the largest, about 3.39·10³⁸, become infinite. Nothing is computed in this format.
//! Lives here: one number, in both directions. Not here: which tensors are stored so (`params::storage`).

use std::cmp::Ordering;
use std::fmt;

/// A number stored in 16 bits.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct Bf16(u16);

impl Bf16 {
    /// The number with these bits.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Bf16 {
        Bf16(bits)
    }

    /// Its bits.
    #[must_use]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// The nearest number, a tie to the even one. NaN stays NaN.
    #[inline(always)]
    #[must_use]
    pub fn rounded(number: f32) -> Bf16 {
        let bits = number.to_bits();
        // Half of the last place that is kept, less one where that is even: a carry rounds up, also into the exponent.
        let nearest = bits.wrapping_add(0x7FFF + (bits >> 16 & 1)) >> 16;
        // The fraction of NaN could be lost below, or its carry make it a zero: one bit is kept for certain.
        let bits = if number.is_nan() { bits >> 16 | 0x40 } else { nearest };
        Bf16(bits as u16)
    }

    /// The same number.
    #[inline(always)]
    #[must_use]
    pub fn widened(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }

    /// The nearest number to one of double precision, rounded once.
    #[must_use]
    pub(super) fn rounded_f64(number: f64) -> Bf16 {
        let near = number as f32;
        // Towards zero, and odd if that lost anything: then no tie is seen where there was none.
        let cut = near.to_bits() - u32::from(f64::from(near).abs() > number.abs());
        Bf16::rounded(f32::from_bits(cut | u32::from(f64::from(near) != number)))
    }
}

impl PartialEq for Bf16 {
    fn eq(&self, other: &Bf16) -> bool {
        self.widened() == other.widened()
    }
}

impl PartialOrd for Bf16 {
    fn partial_cmp(&self, other: &Bf16) -> Option<Ordering> {
        self.widened().partial_cmp(&other.widened())
    }
}

impl fmt::Debug for Bf16 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.widened().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All patterns, as numbers by the definition of the format: a sign, an exponent and a fraction.
    fn defined(bits: u16) -> f64 {
        let (exponent, fraction) = (i32::from(bits >> 7 & 0xFF), f64::from(bits & 0x7F) / 128.0);
        let size = match exponent {
            0 => fraction * 2.0_f64.powi(-126),
            255 if fraction == 0.0 => f64::INFINITY,
            255 => f64::NAN,
            _ => (1.0 + fraction) * 2.0_f64.powi(exponent - 127),
        };
        if bits >> 15 == 0 { size } else { -size }
    }

    #[test]
    fn every_pattern_is_the_number_of_its_sign_exponent_and_fraction_and_comes_back() {
        for bits in 0..=u16::MAX {
            let (number, exact) = (Bf16::from_bits(bits).widened(), defined(bits));
            assert!(f64::from(number) == exact || (number.is_nan() && exact.is_nan()), "{bits:#x}: {number}");
            if number.is_nan() {
                assert!(Bf16::rounded(number).widened().is_nan(), "{bits:#x} stays NaN");
            } else {
                assert_eq!(Bf16::rounded(number).to_bits(), bits, "{number} needs no rounding");
            }
        }
    }

    #[test]
    fn between_all_neighbours_the_nearer_one_is_taken_and_of_two_equally_near_the_even_one() {
        // Finite positive neighbours, the last one with what would follow if the exponent went on.
        for bits in 0..0x7F80_u16 {
            let low = defined(bits);
            let high = if bits + 1 == 0x7F80 { 2.0_f64.powi(128) } else { defined(bits + 1) };
            let even = if bits & 1 == 0 { bits } else { bits + 1 };
            let cases = [(0.25, bits), (0.4999, bits), (0.5, even), (0.5001, bits + 1), (0.75, bits + 1)];
            for (part, nearest) in cases {
                let between = low + part * (high - low);
                for (sign, number) in [(0, between), (0x8000, -between)] {
                    assert_eq!(Bf16::rounded_f64(number).to_bits(), nearest | sign, "{number:e} of {bits:#x}");
                    let single = number as f32;
                    // A number that single precision has to round as well may have become a tie.
                    if f64::from(single) == number {
                        assert_eq!(Bf16::rounded(single).to_bits(), nearest | sign, "{single:e} of {bits:#x}");
                    }
                }
            }
        }
        assert_eq!(Bf16::rounded(f32::MAX).widened(), f32::INFINITY, "beyond the largest");
        assert!(Bf16::rounded_f64(f64::NAN).widened().is_nan(), "NaN");
        assert!(Bf16::rounded(f32::from_bits(0x7F80_0001)).widened().is_nan(), "NaN in the lower half alone");
        assert_eq!(Bf16::rounded_f64(1e300).widened(), f32::INFINITY, "far beyond");
        assert_eq!(Bf16::rounded_f64(-1e-300).to_bits(), 0x8000, "less than the least");
    }

    #[test]
    fn rounding_changes_a_number_by_at_most_a_256th_of_itself() {
        for bits in (0x0080_0000..0x7F00_0000_u32).step_by(4001) {
            let number = f32::from_bits(bits);
            let error = (f64::from(Bf16::rounded(number).widened()) - f64::from(number)).abs();
            assert!(error <= f64::from(number) / 256.0, "{number:e} is off by {error:e}");
        }
    }
}
