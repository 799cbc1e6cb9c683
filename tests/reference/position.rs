//! Positional encodings: sines and cosines of the position, and rotations by it.
//!
//! Lives here: rows 1.2 and 1.3, rotary positions in both orders. Positions and features are counted from 0.
//! Not here: learned positions, which are an index into a table (`indexing`).

use super::Grid;

/// `P(k, 2i) = sin(k / 10000^(2i/d))` and `P(k, 2i+1) = cos(k / 10000^(2i/d))`, over (position, feature).
#[must_use]
pub fn sinusoidal(positions: usize, features: usize) -> Grid {
    sinusoidal_with(positions, features, 10_000.0)
}

/// The same with another base than 10000.
#[must_use]
pub fn sinusoidal_with(positions: usize, features: usize, base: f64) -> Grid {
    Grid::from_fn(&[positions, features], |place| {
        let (k, i) = (place[0] as f64, place[1] / 2);
        let angle = k / base.powf(2.0 * i as f64 / features as f64);
        if place[1] % 2 == 0 { angle.sin() } else { angle.cos() }
    })
}

/// `(x_{2c}, x_{2c+1})` turned by `θ_c = p / base^(2c/d)`, over (position, feature); positions from `from`.
#[must_use]
pub fn rotated(x: &Grid, from: usize, base: f64) -> Grid {
    turned(x, from, base, |c, second| 2 * c + usize::from(second))
}

/// The same for the pairs `(x_c, x_{c + d/2})`.
#[must_use]
pub fn rotated_by_halves(x: &Grid, from: usize, base: f64) -> Grid {
    let half = x.sizes[1] / 2;
    turned(x, from, base, |c, second| c + if second { half } else { 0 })
}

fn turned(x: &Grid, from: usize, base: f64, place: impl Fn(usize, bool) -> usize) -> Grid {
    let (mut y, d) = (x.clone(), x.sizes[1]);
    for p in 0..x.sizes[0] {
        for c in 0..d / 2 {
            let angle = (p + from) as f64 / base.powf(2.0 * c as f64 / d as f64);
            let (first, second) = (x.get(&[p, place(c, false)]), x.get(&[p, place(c, true)]));
            y.set(&[p, place(c, false)], first * angle.cos() - second * angle.sin());
            y.set(&[p, place(c, true)], first * angle.sin() + second * angle.cos());
        }
    }
    y
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
