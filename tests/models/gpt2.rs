//! GPT-2 against the reference implementation, and reading piece by piece; rows 2.16 to 2.18, 4.19 to 4.21.

use named_tensor::element::{Bf16, Stored};
use named_tensor::params::init;
use named_tensor::prelude::*;
use named_tensor_tests::differences::{assert_gradients, with_numbers};
use named_tensor_tests::strategies::cases;
use proptest::prelude::*;
use transformer::axes::{chans, heads, hidden, key, places, seq, seq_, val, vocab};
use transformer::models::context::Reads;
use transformer::models::gpt2::{Gpt2, Layer};

use crate::published::{
    assert_agreement, assert_later_words_change_nothing, assert_mask_is_needed, assert_reads_as_expected,
    assert_texts_are_alone, golden,
};

fn small(seed: u64, layers: usize) -> Gpt2 {
    let sizes = (vocab.of(11), places.of(9), chans.of(6), hidden.of(8), heads.of(2), key.of(3), val.of(3));
    Gpt2::init(&mut seeded(seed), layers, sizes).unwrap()
}

#[test]
fn s2_16_s2_18_gpt2_computes_what_the_reference_implementation_computes() {
    for name in ["gpt2", "gpt2-f16"] {
        assert_reads_as_expected(name, &Gpt2::load(golden(name)).unwrap(), &golden(name));
    }
}

/// The model with its numbers rounded to 16 bits, and stored in 32.
fn rounded(model: &Gpt2) -> Gpt2 {
    let mut rounded = model.in_bf16().unwrap();
    let mut numbers: Vec<Vec<f32>> = Vec::new();
    rounded.each(|parameter| {
        let stored = parameter.stored().unwrap();
        numbers.push(Bf16::of(&stored).iter().map(|number| number.widened()).collect());
    });
    let mut numbers = numbers.into_iter();
    rounded.each_mut(|mut parameter| {
        let shape = parameter.shape().only(&parameter.axes);
        parameter.set(shape, numbers.next().unwrap()).unwrap();
    });
    rounded
}

#[test]
fn weights_stored_in_16_bits_say_what_the_rounded_weights_say() {
    let model = Gpt2::load(golden("gpt2")).unwrap();
    let (narrow, rounded) = (model.in_bf16().unwrap(), rounded(&model));
    for text in [&[7, 250, 3][..], &[1; 20]] {
        let (mut context, mut other) = (narrow.start(), rounded.start());
        let mut words = text.to_vec();
        for _ in 0..8 {
            let ((said, longer), (expected, others)) =
                (narrow.next(&words, &context).unwrap(), rounded.next(&words, &other).unwrap());
            let [said, expected] = [said, expected].map(|logits| logits.to_vec(vocab).unwrap());
            assert_agreement("logits", &said, &expected, 1e-5);
            let likeliest = |logits: &[f32]| (0..logits.len()).max_by(|&i, &j| logits[i].total_cmp(&logits[j]));
            assert_eq!(likeliest(&said), likeliest(&expected), "the next word");
            (context, other, words) = (longer, others, likeliest(&said).into_iter().collect());
        }
    }
}

#[test]
fn gradients_by_weights_in_16_bits_are_those_by_the_rounded_weights() {
    let model = small(5, 2);
    let gradient = |model: &Gpt2| {
        let words = Tensor::indices(seq_, vocab, [1, 2, 3]);
        let at = Tensor::indices(seq_, places, [0, 1, 2]);
        let mask = Tensor::zeros((seq.of(3), seq_.of(3)));
        let (x, _) = model.read(&words, &at, &mask, &model.start().layers);
        let gradient = grad(&model.logits(&x).sin().sum((seq_, vocab)), model).eval().unwrap();
        let mut numbers: Vec<f32> = Vec::new();
        gradient.each(|parameter| numbers.extend(parameter.to_vec().unwrap()));
        numbers
    };
    let (found, expected) = (gradient(&model.in_bf16().unwrap()), gradient(&rounded(&model)));
    assert_agreement("all gradients", &found, &expected, 1e-5);
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn s2_18_s4_21_a_text_read_in_pieces_is_the_text_read_at_once(
        words in prop::collection::vec(0_usize..11, 1..9), cut in 0_usize..9, seed: u64, layers in 0_usize..3
    ) {
        let (model, cut) = (small(seed, layers), cut.min(words.len()));
        let (whole, _) = model.features(&words, &model.start()).unwrap();
        let mut context = model.start();
        let mut pieces = Vec::new();
        for piece in [&words[..cut], &words[cut..]].into_iter().filter(|piece| !piece.is_empty()) {
            let (x, longer) = model.features(piece, &context).unwrap();
            pieces.extend(x.to_vec((seq_, chans)).unwrap());
            // Where nothing is kept, nothing can be gone on from.
            if layers == 0 { break; }
            context = longer;
        }
        let whole = whole.to_vec((seq_, chans)).unwrap();
        assert_agreement("pieces", &pieces, &whole[..pieces.len()], 1e-5);
    }

    #[test]
    fn s4_20_later_words_change_no_earlier_prediction(words in prop::collection::vec(0_usize..11, 2..9), seed: u64) {
        assert_later_words_change_nothing(&small(seed, 2), &words);
    }

    #[test]
    fn s2_17_texts_of_different_lengths_side_by_side_give_what_each_gives_alone(
        texts in prop::collection::vec((prop::collection::vec(0_usize..11, 1..6), prop::collection::vec(0_usize..11, 1..4)), 1..4),
        seed: u64
    ) {
        let (first, second): (Vec<_>, Vec<_>) = texts.into_iter().unzip();
        assert_texts_are_alone(&small(seed, 2), &first, &second);
    }
}

#[test]
fn s4_19_without_the_mask_later_words_change_what_gpt2_says_of_earlier_ones() {
    assert_mask_is_needed(&small(3, 2), &[1, 5, 2, 7]);
}

#[test]
fn s2_18_a_layer_of_gpt2_has_the_gradients_of_differences() {
    let sizes = (chans.of(4), heads.of(2), key.of(2), val.of(2), hidden.of(3));
    let layer: Layer = init(&mut seeded(5), sizes).unwrap();
    let layer = with_numbers(layer.cast::<f64>(), 4);
    let x = Tensor::<_, f64>::normal(&mut seeded(1), (seq_.of(2), chans.of(4)), 0.0, 1.0);
    let k = Tensor::<_, f64>::normal(&mut seeded(2), (seq.of(1), heads.of(2), key.of(2)), 0.0, 1.0);
    let v = Tensor::<_, f64>::normal(&mut seeded(3), (seq.of(1), heads.of(2), val.of(2)), 0.0, 1.0);
    let mask = Tensor::zeros((seq.of(3), seq_.of(2)));
    assert_gradients(&layer, |layer| layer.extend(&x, &mask, &k, &v).0.sin().sum((seq_, chans)));
}

#[test]
fn what_gpt2_cannot_read_is_told() {
    let model = small(0, 1);
    let told = |words: &[usize]| model.features(words, &model.start()).map(drop).unwrap_err();
    assert_eq!(told(&[]).kind(), ErrorKind::Empty);
    let error = told(&[3, 11]).to_string();
    assert!(error.starts_with("word 11 at position 1 is outside of the vocabulary of 11 words"), "{error}");
    let error = told(&[0; 10]).to_string();
    assert!(error.starts_with("the text has 10 words, but the model has 9 positions"), "{error}");
    // The context counts.
    let (_, context) = model.features(&[0; 6], &model.start()).unwrap();
    let error = model.features(&[0; 4], &context).map(drop).unwrap_err().to_string();
    assert!(error.starts_with("the text has 10 words"), "{error}");
    let error = model.extend_texts(&[vec![1]], &model.start_texts(2)).map(drop).unwrap_err().to_string();
    assert!(error.starts_with("1 texts cannot go on after 2 contexts"), "{error}");
}
