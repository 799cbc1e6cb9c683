//! Derivatives by central differences: what every gradient and every jacobian is compared with.
//!
//! Lives here: the differences and how far they may be off. Not here: any rule of differentiation.

use named_tensor::prelude::*;

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

/// Asserts that the gradient of `loss` by each parameter of `model` is that of differences, each number by itself.
///
/// # Panics
/// If one is not: the message names the parameter.
#[track_caller]
pub fn assert_gradients<P: Parameters<f64>>(model: &P, loss: impl Fn(&P) -> Tensor<R![], f64>) {
    let found = grad(&loss(model), model);
    let read = |model: &P| {
        let mut all = Vec::new();
        model.each(|parameter| {
            all.push((parameter.name.to_owned(), parameter.axes.clone(), parameter.to_vec().expect("a gradient")));
        });
        all
    };
    let shape = |model: &P, name: &str| {
        model.parameters().into_iter().find(|(other, _)| other == name).expect("a parameter of this name").1
    };
    for ((name, axes, numbers), (_, _, owed)) in read(model).into_iter().zip(read(&found)) {
        let shape = shape(model, &name).only(&axes);
        for (place, owed) in owed.into_iter().enumerate() {
            let at = |by: f64| {
                let (mut moved, mut numbers) = (model.clone(), numbers.clone());
                numbers[place] += by;
                moved.each_mut(|mut parameter| {
                    if parameter.name == name {
                        parameter.set(shape.clone(), numbers.clone()).expect("as many numbers");
                    }
                });
                loss(&moved).item().expect("a loss")
            };
            let expected = (at(STEP) - at(-STEP)) / (2.0 * STEP);
            let bound = BOUND.at(expected);
            assert!((owed - expected).abs() <= bound, "`{name}` at {place}: {owed} instead of {expected}");
        }
    }
}

/// The same parameters with other numbers between -1 and 1, so that none of them is 0 or 1 as biases and gains begin.
///
/// # Panics
/// Never: each parameter gets as many numbers as it has.
#[must_use]
pub fn with_numbers<P: Parameters<f64>>(mut model: P, seed: u64) -> P {
    let mut state = seed;
    model.each_mut(|mut parameter| {
        let shape = parameter.shape();
        let numbers = (0..shape.elements()).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 23) - 1.0
        });
        let numbers = numbers.collect();
        parameter.set(shape, numbers).expect("as many numbers");
    });
    model
}
