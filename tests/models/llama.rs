//! Llama against the reference implementation: grouped heads, one group, a tied head, bf16 in several files.

use named_tensor::params::init;
use named_tensor::prelude::*;
use named_tensor_tests::differences::{assert_gradients, with_numbers};
use named_tensor_tests::strategies::cases;
use proptest::prelude::*;
use transformer::axes::{chans, heads, hidden, key, pair, seq, seq_, shared, val};
use transformer::models::context::Reads;
use transformer::models::llama::{Layer, Llama};

use crate::published::{
    assert_agreement, assert_later_words_change_nothing, assert_mask_is_needed, assert_reads_as_expected,
    assert_texts_are_alone, golden,
};

#[test]
fn s2_16_s2_18_llama_computes_what_the_reference_implementation_computes() {
    for name in ["llama", "llama-tied", "llama-bf16-sharded"] {
        assert_reads_as_expected(name, &Llama::load(golden(name)).unwrap(), &golden(name));
    }
}

/// One to so many words of the vocabulary.
fn words(most: usize) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0_usize..64, 1..=most)
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn s2_18_s4_21_a_text_that_llama_reads_in_pieces_is_the_text_read_at_once(text in words(10), cut in 0_usize..10) {
        let model = Llama::load(golden("llama")).unwrap();
        let (whole, _) = model.features(&text, &model.start()).unwrap();
        let (mut context, mut pieces) = (model.start(), Vec::new());
        for piece in [&text[..cut.min(text.len())], &text[cut.min(text.len())..]] {
            if !piece.is_empty() {
                let (x, longer) = model.features(piece, &context).unwrap();
                pieces.extend(x.to_vec((seq_, chans)).unwrap());
                context = longer;
            }
        }
        assert_agreement("pieces", &pieces, &whole.to_vec((seq_, chans)).unwrap(), 1e-5);
    }

    #[test]
    fn s4_20_later_words_change_no_earlier_prediction_of_llama(text in words(8)) {
        assert_later_words_change_nothing(&Llama::load(golden("llama")).unwrap(), &text);
    }

    #[test]
    fn s2_17_texts_of_different_lengths_side_by_side_give_what_each_gives_alone_in_llama(
        texts in prop::collection::vec((words(5), words(3)), 1..4)
    ) {
        let (first, second): (Vec<_>, Vec<_>) = texts.into_iter().unzip();
        assert_texts_are_alone(&Llama::load(golden("llama-tied")).unwrap(), &first, &second);
    }
}

#[test]
fn s4_19_without_the_mask_later_words_change_what_llama_says_of_earlier_ones() {
    assert_mask_is_needed(&Llama::load(golden("llama")).unwrap(), &[1, 17, 63, 4]);
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
