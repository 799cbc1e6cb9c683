//! Closeness: whether computed numbers are the expected ones up to a stated bound, and which is the worst if not.
//!
//! Lives here: the bound, where bounds come from (how many roundings, of numbers how large, in which precision),
//! and the assertion. Not here: what is expected (`reference`).

use crate::reference::{Grid, places};

/// How far a number may be from what is expected: `absolute + relative · |expected|`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// A distance.
    pub absolute: f64,
    /// A fraction of the expected number.
    pub relative: f64,
}

impl Bound {
    /// Equal, to the last bit (and NaN where NaN is expected).
    pub const EXACT: Bound = Bound { absolute: 0.0, relative: 0.0 };

    /// A distance that does not depend on the expected number.
    #[must_use]
    pub const fn absolute(absolute: f64) -> Bound {
        Bound { absolute, relative: 0.0 }
    }

    /// The error of `roundings` roundings, one after the other, of numbers no larger than `magnitude`.
    ///
    /// One rounding to nearest errs by at most `unit/2 · magnitude`, where `unit` is `EPSILON` of the precision; the
    /// factor 2 that this leaves covers the growth of the products `(1 + unit/2)^roundings` (Higham, *Accuracy and
    /// Stability of Numerical Algorithms*, lemma 3.1) and the roundings of the expected numbers in `f64`.
    #[must_use]
    pub fn roundings(roundings: usize, magnitude: f64, unit: f64) -> Bound {
        Bound::absolute((roundings.max(1)) as f64 * unit * magnitude)
    }

    /// How far a number may be from `expected`.
    #[must_use]
    pub fn at(self, expected: f64) -> f64 {
        self.absolute + self.relative * expected.abs()
    }
}

/// The place, the actual and the expected number that are furthest apart, measured in their bound, and that measure;
/// nothing if all agree to the last bit.
#[must_use]
pub fn worst<T: Copy + Into<f64>>(actual: &[T], expected: &Grid, bound: Bound) -> Option<(Vec<usize>, f64, f64, f64)> {
    let mut worst: Option<(Vec<usize>, f64, f64, f64)> = None;
    for (position, place) in places(&expected.sizes).into_iter().enumerate() {
        let (a, e): (f64, f64) = (actual[position].into(), expected.values[position]);
        if a == e || (a.is_nan() && e.is_nan()) {
            continue;
        }
        // A distance of NaN (one number is NaN, or infinities differ) is worse than any bound.
        let distance = (a - e).abs() / bound.at(e);
        let distance = if distance.is_nan() { f64::INFINITY } else { distance };
        if worst.as_ref().is_none_or(|(.., so_far)| distance > *so_far) {
            worst = Some((place, a, e, distance));
        }
    }
    worst
}

/// Asserts that each actual number, the last axis fastest, is within `bound` of the expected one.
///
/// # Panics
/// If one is not: the message names the worst element. NaN is equal to NaN, and an infinity only to itself.
#[track_caller]
pub fn assert_close<T: Copy + Into<f64>>(actual: &[T], expected: &Grid, bound: Bound) {
    assert_eq!(actual.len(), expected.values.len(), "as many numbers as places of {:?}", expected.sizes);
    if let Some((place, a, e, distance)) = worst(actual, expected, bound) {
        assert!(
            distance <= 1.0,
            "the worst element is at {place:?} of {:?}: {a:e} instead of {e:e}, off by {:e} where {:e} is allowed",
            expected.sizes,
            (a - e).abs(),
            bound.at(e)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_element_is_named_by_its_place() {
        let expected = Grid::new(&[2, 2], vec![1., 2., 3., 4.]);
        let (place, actual, wanted, _) = worst(&[1., 2., 3.5, 4.1], &expected, Bound::absolute(0.01)).unwrap();
        assert_eq!((place, actual, wanted), (vec![1, 0], 3.5, 3.0));
    }

    #[test]
    fn nan_is_close_only_to_nan_and_infinity_only_to_itself() {
        let one = |value| Grid::new(&[1], vec![value]);
        let far = |a, e| worst(&[a], &one(e), Bound::absolute(1e300)).is_some_and(|(.., distance)| distance > 1.0);
        assert!(far(f64::NAN, 1.0) && far(1.0, f64::NAN) && far(f64::INFINITY, f64::NEG_INFINITY));
        assert!(far(f64::INFINITY, 1.0) && far(1.0, f64::INFINITY));
        assert!(!far(f64::NAN, f64::NAN) && !far(f64::INFINITY, f64::INFINITY));
    }

    #[test]
    fn an_exact_bound_refuses_the_smallest_difference() {
        let expected = Grid::new(&[1], vec![1.0]);
        let (.., distance) = worst(&[1.0 + f64::EPSILON], &expected, Bound::EXACT).unwrap();
        assert_eq!(distance, f64::INFINITY);
    }
}
