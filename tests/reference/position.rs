//! Positional encodings: sines and cosines of the position.
//!
//! Lives here: rows 1.2 and 1.3. Positions and features are counted from 0.
//! Not here: learned positions, which are an index into a table (`indexing`).

use super::Grid;

/// `P(k, 2i) = sin(k / 10000^(2i/d))` and `P(k, 2i+1) = cos(k / 10000^(2i/d))`, over (position, feature).
#[must_use]
pub fn sinusoidal(positions: usize, features: usize) -> Grid {
    Grid::from_fn(&[positions, features], |place| {
        let (k, i) = (place[0] as f64, place[1] / 2);
        let angle = k / 10_000_f64.powf(2.0 * i as f64 / features as f64);
        if place[1] % 2 == 0 { angle.sin() } else { angle.cos() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::rearrangement::at;

    #[test]
    fn s1_4_each_position_has_a_row_of_its_own_with_values_between_minus_one_and_one() {
        let p = sinusoidal(50, 6);
        assert!(p.values.iter().all(|value| value.abs() <= 1.0));
        assert_eq!(at(&p, 0, 0).values, [0., 1., 0., 1., 0., 1.]);
        for k in 0..50 {
            for other in 0..k {
                assert_ne!(at(&p, 0, k), at(&p, 0, other), "positions {k} and {other}");
            }
        }
    }
}
