//! Rows that meet matrices at computed positions: experts of which each position chooses a few, relations, adapters.
//!
//! Lives here: their sums by plain loops, their gradients by differences, and that no matrix is copied for each row.
//! Not here: other indices (`indexing`), experts that are all weighed (the benches).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{batch, beam, chans, hidden, input, key, layer, out, seq};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::differences::{assert_gradients, with_numbers};
use named_tensor_tests::reference::Grid;
use named_tensor_tests::strategies::{cases, grid, in_both_precisions, laid_out, layout, sizes, tensor};
use proptest::prelude::*;

named! {
    /// Each position has several experts (Shazeer et al., 2017): `layer` numbers them, `beam` those of one position.
    fn Experts(X: R[seq, chans], I: layer[seq, beam], G: R[seq, beam]; W: R[layer, chans, hidden], V: R[layer, hidden, chans])
        -> R[seq, chans] {
        H = tanh(index_layer(W, I) dot_chans X);
        G dot_beam (index_layer(V, I) dot_hidden H)
    }

    /// Each text has an adapter of low rank beside one matrix for all (Hu et al., 2021).
    fn Adapted(X: R[batch, seq, input], I: layer[batch]; W: R[input, out], A: R[layer, input, key], B: R[layer, key, out])
        -> R[batch, seq, out] {
        W dot_input X + index_layer(B, I) dot_key (index_layer(A, I) dot_input X)
    }

    /// The same matrix for the parts of a row, several of whose axes are summed.
    fn Folded(X: R[seq, beam, chans], I: layer[seq, beam]; W: R[layer, chans, hidden]) -> R[seq, hidden] {
        index_layer(W, I) dot_{chans, beam} X
    }
}

fn chosen(sizes: &[usize], limit: usize) -> impl Strategy<Value = Vec<usize>> + use<> {
    prop::collection::vec(0..limit, sizes.iter().product::<usize>())
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn experts_that_positions_choose_are_the_plain_sums(
        (x, g, w, v, i, l) in sizes().prop_flat_map(|[n, k, e, c, h]| (
            grid(&[n * 3, c * 4]), grid(&[n * 3, k]), grid(&[e, c * 4, h * 2]), grid(&[e, h * 2, c * 4]), chosen(&[n * 3, k], e),
            layout(),
        )),
    ) {
        let [n, k, e, c, h] = [x.sizes[0], g.sizes[1], w.sizes[0], w.sizes[1], w.sizes[2]];
        let product = |at: usize, which: usize, h: usize| -> f64 {
            (0..c).map(|c| x.get(&[at, c]) * w.get(&[which, c, h])).sum::<f64>().tanh()
        };
        let expected = Grid::from_fn(&[n, c], |place| {
            let (at, c) = (place[0], place[1]);
            let one = |which: usize| (0..h).map(|h| product(at, which, h) * v.get(&[which, h, c])).sum::<f64>();
            (0..k).map(|choice| g.get(&[at, choice]) * one(i[at * k + choice])).sum()
        });
        in_both_precisions!({
            let experts = Experts {
                W: laid_out!(Number, &w, l, (layer, chans, hidden)),
                V: tensor!(Number, &v, (layer, hidden, chans)),
            };
            let places = Tensor::indices_from_vec((seq.of(n), beam.of(k)), layer, i.clone()).unwrap();
            let y = experts.apply(&laid_out!(Number, &x, l, (seq, chans)), &places, &tensor!(Number, &g, (seq, beam)));
            let bound = Bound::roundings(2 * c + h + k + 20, 4.0 * (c * h * k * e) as f64 + 8.0, UNIT);
            assert_close(&y.to_vec((seq, chans)).unwrap(), &expected, bound);
        });
    }
}

#[test]
fn experts_adapters_and_folded_rows_have_the_gradients_of_differences() {
    let mut rng = seeded(5);
    let sizes = (layer.of(3), chans.of(6), hidden.of(5), input.of(7), out.of(4), key.of(2), beam.of(2));
    let at = |n: usize, k: usize| {
        Tensor::<R![seq, beam], Index<layer>>::indices_from_vec(
            (seq.of(n), beam.of(k)),
            layer,
            (0..n * k).map(|i| i * i % 3).collect(),
        )
    };
    let places = at(5, 2).unwrap();
    let x = Tensor::<_, f64>::normal(&mut rng, (seq.of(5), chans.of(6)), 0.0, 1.0);
    let g = Tensor::<_, f64>::normal(&mut rng, (seq.of(5), beam.of(2)), 0.0, 1.0);
    let experts = with_numbers(Experts::init(&mut rng, sizes).unwrap().cast::<f64>(), 1);
    assert_gradients(&experts, |model| model.apply(&x, &places, &g).sin().sum((seq, chans)));

    let texts = Tensor::indices(batch, layer, [2, 0, 2]);
    let y = Tensor::<_, f64>::normal(&mut rng, (batch.of(3), seq.of(4), input.of(7)), 0.0, 1.0);
    let adapted = with_numbers(Adapted::init(&mut rng, sizes).unwrap().cast::<f64>(), 2);
    assert_gradients(&adapted, |model| model.apply(&y, &texts).sin().sum((batch, seq, out)));

    let z = Tensor::<_, f64>::normal(&mut rng, (seq.of(5), beam.of(2), chans.of(6)), 0.0, 1.0);
    let folded = with_numbers(Folded::init(&mut rng, sizes).unwrap().cast::<f64>(), 3);
    assert_gradients(&folded, |model| model.apply(&z, &places).sin().sum((seq, hidden)));
}

#[test]
fn no_expert_is_copied_for_each_position_that_chooses_it() {
    let mut rng = seeded(6);
    let sizes = (layer.of(4), chans.of(16), hidden.of(32));
    let experts = Experts::init(&mut rng, sizes).unwrap();
    let x = Tensor::normal(&mut rng, (seq.of(100), chans.of(16)), 0.0, 1.0);
    let g = Tensor::ones((seq.of(100), beam.of(2)));
    let places = Tensor::indices_from_vec((seq.of(100), beam.of(2)), layer, (0..200).map(|i| i % 4).collect()).unwrap();
    let plan = experts.apply(&x, &places, &g).plan().unwrap();
    assert_eq!(plan.matches("by 4 matrices").count(), 2, "{plan}");
    assert!(!plan.contains("index("), "{plan}");
}

#[test]
fn an_expert_that_is_not_there_is_told_with_the_place_of_its_index() {
    let mut rng = seeded(7);
    let experts = Experts::init(&mut rng, (layer.of(4), chans.of(16), hidden.of(32))).unwrap();
    let x = Tensor::normal(&mut rng, (seq.of(3), chans.of(16)), 0.0, 1.0);
    let (g, places) = (Tensor::ones((seq.of(3), beam.of(1))), [1, 4, 0]);
    let places = Tensor::indices_from_vec((seq.of(3), beam.of(1)), layer, places.to_vec()).unwrap();
    let message = experts.apply(&x, &places, &g).to_vec((seq, chans)).unwrap_err().to_string();
    assert!(
        message.starts_with("index out of range in `index`: position 4 of axis `layer`, whose size is 4"),
        "{message}"
    );
    assert!(message.contains("experts.rs"), "{message}");
}
