//! Derivatives by central differences: what every gradient and every jacobian is compared with.
//!
//! Lives here: the differences and how far they may be off. Not here: any rule of differentiation.

use crate::closeness::{Bound, assert_close};
use crate::reference::Grid;

/// The distance of the two points of a difference, halved. In `f64` the error of a difference of smooth functions of
/// order 1 is about `STEP²` from the third derivative and `f64::EPSILON / STEP` from rounding, both near 1e-10.
const STEP: f64 = 1e-5;

/// What a difference may be off, for functions whose third derivatives are below some hundred.
pub const BOUND: Bound = Bound { absolute: 1e-6, relative: 1e-6 };

/// `∂ f(x)(i) / ∂ x(j)` at place (i, j), for a function of grids with `results` results.
///
/// # Panics
/// If the function gives another number of results.
pub fn derivative(x: &Grid, results: usize, f: impl Fn(&Grid) -> Vec<f64>) -> Grid {
    let moved = |j: usize, by: f64| {
        let mut moved = x.clone();
        moved.values[j] += by;
        let found = f(&moved);
        assert_eq!(found.len(), results, "the number of results");
        found
    };
    let columns: Vec<Vec<f64>> = (0..x.values.len())
        .map(|j| {
            let (after, before) = (moved(j, STEP), moved(j, -STEP));
            after.iter().zip(before).map(|(after, before)| (after - before) / (2.0 * STEP)).collect()
        })
        .collect();
    Grid::from_fn(&[results, x.values.len()], |place| columns[place[1]][place[0]])
}

/// Asserts that `found`, the derivative with the places of the results slowest, is that of differences.
///
/// # Panics
/// If it is not.
#[track_caller]
pub fn assert_derivative(found: &[f64], x: &Grid, results: usize, f: impl Fn(&Grid) -> Vec<f64>) {
    assert_close(found, &derivative(x, results, f), BOUND);
}

/// Asserts that `found` is the gradient of a scalar function.
///
/// # Panics
/// If it is not.
#[track_caller]
pub fn assert_gradient(found: &[f64], x: &Grid, f: impl Fn(&Grid) -> f64) {
    assert_derivative(found, x, 1, |x| vec![f(x)]);
}
