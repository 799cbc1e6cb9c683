//! The worked networks of the paper as equations, against plain code.
//!
//! Lives here: rows N1 to N3. Not here: windows (`unroll`), attention and larger models (`models`), the examples that the
//! paper did not publish (`examples`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{batch, hidden, hidden_, hidden1, hidden2, input, layer, layer_, out, seq};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::differences::{assert_gradients, with_numbers};
use named_tensor_tests::reference::elementwise::{map, sigmoid};
use named_tensor_tests::reference::feed_forward::{elman_step, fully_connected};
use named_tensor_tests::reference::rearrangement::at;
use named_tensor_tests::reference::{Grid, contraction};
use named_tensor_tests::strategies::{cases, grids, in_both_precisions, laid_out, layout, tensor};
use proptest::prelude::*;

named! {
    /// Row N1.
    fn ThreeLayers(X: R[input]; W1: R[input, hidden1], b1: R[hidden1], W2: R[hidden1, hidden2], b2: R[hidden2],
                   W3: R[hidden2, out], b3: R[out]) -> R[out] {
        X1 = σ(W1 dot_input X + b1);
        X2 = σ(W2 dot_hidden1 X1 + b2);
        σ(W3 dot_hidden2 X2 + b3)
    }

    /// Row N2: the same name for the sizes before and after.
    fn FullConn(X: R[layer]; W: R[layer, layer_], b: R[layer_]) -> R[layer] {
        σ(W dot_layer X + b)_{layer_ -> layer}
    }

    /// Row N3: one step of the network.
    fn Elman(H: R[hidden], X: R[input]; W_h: R[hidden, hidden_], W_i: R[input, hidden_], b: R[hidden_]) -> R[hidden] {
        σ(W_h dot_hidden H + W_i dot_input X + b)_{hidden_ -> hidden}
    }
}

fn sigmoids(w: &Grid, x: &Grid, b: &Grid) -> Grid {
    fully_connected(&Grid::from_fn(&[w.sizes[1], w.sizes[0]], |place| w.get(&[place[1], place[0]])), x, b)
}

/// Sums of n products below 4, and a sigmoid, which does not enlarge errors.
fn neurons(n: usize, unit: f64) -> Bound {
    Bound::roundings(n + 12, 4.0 * n as f64 + 2.0, unit)
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn n1_a_network_of_three_layers_is_the_plain_one(
        [x, w1, b1, w2, b2, w3, b3] in grids(|[i, h, k, o]| {
            [vec![i], vec![i, h], vec![h], vec![h, k], vec![k], vec![k, o], vec![o]]
        }),
    ) {
        in_both_precisions!({
            let model = ThreeLayers {
                W1: tensor!(Number, &w1, (input, hidden1)),
                b1: tensor!(Number, &b1, (hidden1)),
                W2: tensor!(Number, &w2, (hidden1, hidden2)),
                b2: tensor!(Number, &b2, (hidden2)),
                W3: tensor!(Number, &w3, (hidden2, out)),
                b3: tensor!(Number, &b3, (out)),
            };
            let y = model.apply(&tensor!(Number, &x, (input))).to_vec(out).unwrap();
            let expected = sigmoids(&w3, &sigmoids(&w2, &sigmoids(&w1, &x, &b1), &b2), &b3);
            let n = x.sizes[0] + b1.sizes[0] * 2 + b2.sizes[0] * 2;
            assert_close(&y, &expected, neurons(n, UNIT));
        });
    }

    #[test]
    fn n2_a_fully_connected_layer_keeps_the_name_and_may_change_the_size(
        [x, w, b] in grids(|[i, o]| [vec![i], vec![i, o], vec![o]]), l in layout(),
    ) {
        in_both_precisions!({
            let model = FullConn { W: tensor!(Number, &w, (layer, layer_)), b: tensor!(Number, &b, (layer_)) };
            let y: Tensor<R![layer], Number> = model.apply(&laid_out!(Number, &x, l, layer));
            prop_assert_eq!(y.size(layer), b.sizes[0]);
            assert_close(&y.to_vec(layer).unwrap(), &sigmoids(&w, &x, &b), neurons(x.sizes[0], UNIT));
        });
    }

    #[test]
    fn n3_steps_of_an_elman_network_are_the_plain_steps(
        [xs, h, w_h, w_i, b] in grids(|[t, i, h]| [vec![t, i], vec![h], vec![h, h], vec![i, h], vec![h]]),
    ) {
        let model = Elman {
            W_h: tensor!(f64, &w_h, (hidden, hidden_)),
            W_i: tensor!(f64, &w_i, (input, hidden_)),
            b: tensor!(f64, &b, (hidden_)),
        };
        let turned = |w: &Grid| Grid::from_fn(&[w.sizes[1], w.sizes[0]], |place| w.get(&[place[1], place[0]]));
        let inputs = tensor!(f64, &xs, (seq, input));
        let (mut state, mut expected) = (tensor!(f64, &h, (hidden)), h.clone());
        for t in 0..xs.sizes[0] {
            state = model.apply(&state, &inputs.at(seq, t));
            expected = elman_step(&turned(&w_h), &turned(&w_i), &b, &expected, &at(&xs, 0, t));
            // Each step passes on the errors before it, times at most |h| weights of 2 and a slope of 1/4.
            let growth = (h.sizes[0] as f64 / 2.0).max(1.0).powi(i32::try_from(t).unwrap().min(20));
            let (roundings, magnitude) = (xs.sizes[1] + h.sizes[0] + 12, 4.0 * growth * xs.sizes[1] as f64 + 8.0);
            let bound = Bound::roundings((t + 1) * roundings, magnitude, f64::EPSILON);
            assert_close(&state.to_vec(hidden).unwrap(), &expected, bound);
        }
    }
}

#[test]
fn the_sigmoid_of_equations_is_the_plain_one() {
    let x = Grid::new(&[3], vec![-1.0, 0.0, 2.0]);
    let identity = contraction::eye(3);
    let model = FullConn { W: tensor!(f64, &identity, (layer, layer_)), b: Tensor::zeros(layer_.of(3)) };
    let y = model.apply(&tensor!(f64, &x, (layer))).to_vec(layer).unwrap();
    assert_close(&y, &map(&x, sigmoid), Bound::roundings(4, 1.0, f64::EPSILON));
}

#[test]
fn n1_n2_n3_the_networks_have_the_gradients_of_differences() {
    let mut rng = seeded(3);
    let sizes =
        (input.of(3), hidden1.of(4), hidden2.of(2), out.of(3), layer.of(3), layer_.of(4), hidden.of(3), hidden_.of(3));
    let x = Tensor::<_, f64>::normal(&mut rng, (batch.of(2), input.of(3)), 0.0, 1.0);

    let three = with_numbers(ThreeLayers::init(&mut rng, sizes).unwrap().cast::<f64>(), 1);
    assert_gradients(&three, |model| model.apply(&x).sin().sum((batch, out)));

    let full = with_numbers(FullConn::init(&mut rng, sizes).unwrap().cast::<f64>(), 2);
    assert_gradients(&full, |model| model.apply(&x.rename(input, layer)).sin().sum((batch, layer)));

    // Three steps in time with the same weights.
    let elman = with_numbers(Elman::init(&mut rng, sizes).unwrap().cast::<f64>(), 3);
    assert_gradients(&elman, |model| {
        let h = Tensor::full((batch.of(2), hidden.of(3)), 0.25);
        let h = (0..3).fold(h, |h, t| model.apply(&h, &(&x * f64::from(t))));
        h.sin().sum((batch, hidden))
    });
}
