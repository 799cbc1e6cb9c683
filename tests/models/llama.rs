//! Llama against the reference implementation: grouped heads, one group, a tied head, bf16 in several files.

use named_tensor::params::init;
use named_tensor::prelude::*;
use named_tensor_tests::differences::{assert_gradients, with_numbers};
use transformer::axes::{chans, heads, hidden, key, pair, seq, seq_, shared, val};
use transformer::models::llama::{Layer, Llama};

use crate::published::{assert_reads_as_expected, assert_texts_are_alone, golden};

#[test]
fn s2_16_s2_18_llama_computes_what_the_reference_implementation_computes() {
    for name in ["llama", "llama-tied", "llama-bf16-sharded"] {
        assert_reads_as_expected(name, &Llama::load(golden(name)).unwrap(), &golden(name));
    }
}

#[test]
fn s2_17_texts_of_different_lengths_side_by_side_give_what_each_gives_alone_in_llama() {
    let model = Llama::load(golden("llama")).unwrap();
    let texts = [vec![1, 17, 63, 4, 5], vec![9], vec![2, 2, 30]];
    assert_texts_are_alone(&model, &texts, &[vec![8, 7], vec![5, 5, 5, 60], vec![0]]);
}

#[test]
fn s2_18_a_layer_of_llama_has_the_gradients_of_differences() {
    let sizes = (chans.of(4), heads.of(2), shared.of(2), key.of(2), val.of(2), hidden.of(3));
    let layer: Layer = init(&mut seeded(5), sizes).unwrap();
    let layer = with_numbers(layer.cast::<f64>(), 4);
    let x = Tensor::<_, f64>::normal(&mut seeded(1), (seq_.of(2), chans.of(4)), 0.0, 1.0);
    let θ = Tensor::<_, f64>::normal(&mut seeded(6), (seq_.of(2), pair.of(1)), 0.0, 1.0);
    let k = Tensor::<_, f64>::normal(&mut seeded(2), (seq.of(1), heads.of(2), key.of(2)), 0.0, 1.0);
    let v = Tensor::<_, f64>::normal(&mut seeded(3), (seq.of(1), heads.of(2), val.of(2)), 0.0, 1.0);
    let (mask, ε) = (Tensor::zeros((seq.of(3), seq_.of(2))), Tensor::scalar(1e-5_f64));
    assert_gradients(&layer, |layer| layer.extend(&x, &mask, &θ, &ε, &k, &v).0.sin().sum((seq_, chans)));
}
