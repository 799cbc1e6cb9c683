//! Models in lifted functions, whose weights have further axes, as those of an ensemble or of tasks have.
//!
//! The first law holds for them too: the model at each position is the model of the weights and of the arguments there.
//! Lives here: one model, models inside of models, repeated ones, and what all of these owe. Not here: lifting alone (`lifting`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{batch, key, val};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::Grid;
use named_tensor_tests::strategies::{cases, grids, laid_out, layout, tensor};
use proptest::prelude::*;

axes! { layers }

named! {
    fn Unit(x: R[key]; W: R[key, val] = 1, b: R[key] = 0) -> R[key] { tanh((x dot_key W)_{val -> key} + b) }
    fn Doubled(x: R[key]; first: Unit, second: Unit) -> R[key] { second(first(x)) + x }
}

type Weights = Tensor<R![key, val], f64>;
type Shift = Tensor<R![key], f64>;

fn doubled(w: &Weights, b: &Shift) -> Doubled<f64> {
    Doubled { first: Unit { W: w.clone(), b: b.clone() }, second: Unit { W: w * 0.5, b: b * b } }
}

#[lift]
fn unit(x: &Tensor<R![key], f64>, w: &Tensor<R![key, val], f64>, b: &Tensor<R![key], f64>) -> Tensor<R![key], f64> {
    Unit { W: w.clone(), b: b.clone() }.apply(x)
}

#[lift]
fn nested(x: &Tensor<R![key], f64>, w: &Tensor<R![key, val], f64>, b: &Tensor<R![key], f64>) -> Tensor<R![key], f64> {
    doubled(w, b).apply(x)
}

#[lift]
fn repeated(x: &Tensor<R![key], f64>, w: &Tensor<R![key, val], f64>, b: &Tensor<R![key], f64>) -> Tensor<R![key], f64> {
    // The last layer has nothing of the arguments, so no axis beyond its own.
    let (k, v) = (w.size(key), w.size(val));
    let last = Unit { W: Tensor::full((key.of(k), val.of(v)), 0.3), b: Tensor::full(key.of(k), 0.1) };
    let all = [Unit { W: w.clone(), b: b.clone() }, Unit { W: w * 0.5, b: b * b }, last];
    match stack(layers, &all) {
        Ok(all) => scan(layers, x.clone(), &all, |x, layer| (layer.apply(&x), ())).0,
        Err(error) => panic!("{error}"),
    }
}

/// A step of descent of the weights themselves, which is no longer than 1, and the model after it.
#[lift]
fn adapted(x: &Tensor<R![key], f64>, w: &Tensor<R![key, val], f64>, b: &Tensor<R![key], f64>) -> Tensor<R![key], f64> {
    let model = doubled(w, b);
    let owed = grad(&model.apply(x).pow(2.0).sum(key), &model);
    let length = owed.norm() + 8.0;
    model.combine([&owed], |_, θ, [g]| θ - g / &length).apply(x)
}

/// Two of the arguments or all have the axis `batch`: the function is that of the arguments at each of its positions, and so
/// is what `x` and the weights owe.
macro_rules! holds {
    ($function:ident, $x:expr, $w:expr, $b:expr) => {{
        let (x, w, b) = ($x, $w, $b);
        let bound = Bound::absolute(1e-12);
        let all: Tensor<R![batch, key], f64> = $function(&x, &w, &b);
        let (dx, dw) = grad(&all.pow(2.0).sum((batch, key)), (&x, &w));
        for at in 0..x.size(batch) {
            let (x, w, b) = (x.at(batch, at), w.at(batch, at), b.clone());
            let one = $function(&x, &w, &b);
            let expected = Grid::new(&[x.size(key)], one.to_vec(key).unwrap());
            assert_close(&all.at(batch, at).to_vec(key).unwrap(), &expected, bound);
            let (x_owes, w_owes) = grad(&one.pow(2.0).sum(key), (&x, &w));
            let expected = Grid::new(&[x.size(key)], x_owes.to_vec(key).unwrap());
            assert_close(&dx.at(batch, at).to_vec(key).unwrap(), &expected, bound);
            let expected = Grid::new(&[w.size(key), w.size(val)], w_owes.to_vec((key, val)).unwrap());
            assert_close(&dw.at(batch, at).to_vec((key, val)).unwrap(), &expected, bound);
        }
    }};
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn a_model_whose_weights_are_lifted_with_its_argument_is_that_of_each_position(
        [x, w, b] in grids(|[n, k]| [vec![n, k], vec![n, k, k], vec![k]]), l in layout()
    ) {
        let x = laid_out!(f64, &x, l, (batch, key));
        let (w, b) = (laid_out!(f64, &w, l, (batch, key, val)), tensor!(f64, &b, (key)));
        holds!(unit, x.clone(), w.clone(), b.clone());
        holds!(nested, x.clone(), w.clone(), b.clone());
        holds!(repeated, x.clone(), w.clone(), b.clone());
        holds!(adapted, x, w, b);
    }
}
