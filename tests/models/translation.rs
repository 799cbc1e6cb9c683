//! The translation model of source 004 against its own formulas on rows: rows 4.1, 4.2, 4.10 to 4.16, 4.22, 4.23.
//!
//! Not here: one layer (`layer`), the loss (`training`), how words are chosen.

use named_tensor::axes::selector::Extents;
use named_tensor::prelude::*;
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::differences::{assert_gradients, with_numbers};
use named_tensor_tests::reference::contraction;
use named_tensor_tests::reference::elementwise::{map, zip};
use named_tensor_tests::reference::language_model::one_hot;
use named_tensor_tests::reference::position::sinusoidal;
use named_tensor_tests::reference::softmax::softmax;
use named_tensor_tests::reference::sources::{self as plain, shifted};
use named_tensor_tests::strategies::{cases, tensor};
use proptest::prelude::*;
use std::collections::BTreeMap;
use transformer::axes::{batch, chans, heads, hidden, key, layers, seq, source, val, vocab};
use transformer::embedding::{Embedding, OneHotEmbedding, PositionalEncoding, ReadOut, ScaledEmbedding, Shifted};
use transformer::layer::Order;
use transformer::loss::CrossEntropy;
use transformer::models::translation::{Reader, Translation, Writer};

use crate::Numbers;
use crate::layer::{self, NEAR};

type Words<A> = Tensor<A, Index<vocab>>;

fn words(text: &[usize]) -> Words<R![seq]> {
    Tensor::indices_from_vec(seq.of(text.len()), vocab, text.to_vec()).unwrap()
}

fn from(text: &[usize]) -> Words<R![source]> {
    Tensor::indices_from_vec(source.of(text.len()), vocab, text.to_vec()).unwrap()
}

fn seen(n: usize) -> Tensor<R![source], f64> {
    Tensor::zeros(source.of(n))
}

fn drawn(seed: u64, count: usize, v: usize, c: usize) -> plain::Translation {
    let mut numbers = Numbers(seed);
    plain::Translation {
        embedding: numbers.grid(&[v, c]),
        encoder: (0..count).map(|_| layer::drawn(&mut numbers, c, 2, 2)).collect(),
        decoder: (0..count).map(|_| layer::drawn_decoder(&mut numbers, c, 2, 2)).collect(),
        w_s: numbers.weights(c, &[c, v]),
        b_s: numbers.grid(&[v]),
    }
}

fn named(plain: &plain::Translation) -> Translation<f64> {
    let encoder: Vec<_> = plain.encoder.iter().map(|one| layer::named(one, false).normalised(Order::After)).collect();
    let decoder: Vec<_> = plain.decoder.iter().map(layer::named_decoder).collect();
    let head = ReadOut { W_S: tensor!(f64, &plain.w_s, (chans, vocab)), b_S: Some(tensor!(f64, &plain.b_s, (vocab))) };
    Translation {
        E: tensor!(f64, &plain.embedding, (vocab, chans)),
        reader: Reader { encoder: stack(layers, &encoder).unwrap() },
        writer: Writer { decoder: stack(layers, &decoder).unwrap(), head },
    }
}

/// Two texts of words below a number of words.
fn texts() -> impl Strategy<Value = (Vec<usize>, Vec<usize>, usize)> {
    (2_usize..7).prop_flat_map(|v| (prop::collection::vec(0..v, 1..6), prop::collection::vec(0..v, 0..6), Just(v)))
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn s4_12_s4_15_s4_16_s4_23_the_model_is_the_plain_one_for_texts_of_any_two_lengths(
        (input, output, v) in texts(), count in 1_usize..3, c in 2_usize..5, seed: u64,
    ) {
        let plain = drawn(seed, count, v, 2 * c);
        let model = named(&plain);
        let scores: Tensor<R![seq, vocab], f64> = model.apply(&from(&input), &words(&output), &seen(input.len()));
        let expected = plain.apply(&one_hot(&input, v), &shifted(&output, v));
        // As many predictions as words and one more, whatever the length of the input.
        prop_assert_eq!([scores.size(seq), scores.size(vocab)], [output.len() + 1, v]);
        assert_close(&scores.to_vec((seq, vocab)).unwrap(), &expected, NEAR);
        let probabilities = scores.softmax(vocab);
        assert_close(&probabilities.to_vec((seq, vocab)).unwrap(), &softmax(&expected, &[1]), NEAR);
    }

    #[test]
    fn s4_12_what_is_read_is_the_last_stack_of_the_encoder((input, _, v) in texts(), seed: u64) {
        let plain = drawn(seed, 2, v, 4);
        let model = named(&plain);
        let z: Tensor<R![source, chans], f64> = model.reader.apply(&from(&input), &model.E, &seen(input.len()));
        assert_close(&z.to_vec((source, chans)).unwrap(), &plain.encoded(&one_hot(&input, v)), NEAR);
    }

    #[test]
    fn s4_10_s4_11_words_as_positions_and_as_ones_among_zeros_are_the_same_vectors((input, _, v) in texts(), seed: u64) {
        let e = Numbers(seed).grid(&[v, 6]);
        let table = tensor!(f64, &e, (vocab, chans));
        let by_index = ScaledEmbedding { E: table.clone() }.apply(&words(&input));
        let ones = one_hot(&input, v);
        let by_ones = OneHotEmbedding { E: table.clone() }.apply(&tensor!(f64, &ones, (seq, vocab)));
        let expected = map(&contraction::matrix_matrix(&ones, &e), |x| x * 6_f64.sqrt());
        let bound = Bound::roundings(v + 2, 3.0, f64::EPSILON);
        assert_close(&by_index.to_vec((seq, chans)).unwrap(), &expected, bound);
        assert_close(&by_ones.to_vec((seq, chans)).unwrap(), &expected, bound);
        // Without the factor it is the embedding of source 001.
        let unscaled = Embedding { E: table }.apply(&words(&input)) * 6_f64.sqrt();
        assert_close(&unscaled.to_vec((seq, chans)).unwrap(), &expected, bound);
        let x = zip(&expected, &sinusoidal(input.len(), 6), |x, p| p + x);
        let bound = Bound::roundings(8, input.len() as f64 + 6.0, f64::EPSILON);
        assert_close(&PositionalEncoding(&by_index).to_vec((seq, chans)).unwrap(), &x, bound);
    }

    #[test]
    fn s4_13_s4_14_the_target_begins_with_a_zero_vector_that_has_only_its_position((_, output, v) in texts(), seed: u64) {
        let plain = drawn(seed, 1, v, 4);
        let embedding = ScaledEmbedding { E: tensor!(f64, &plain.embedding, (vocab, chans)) };
        let y = PositionalEncoding(&Shifted(&embedding.apply(&words(&output))));
        prop_assert_eq!(y.size(seq), output.len() + 1);
        prop_assert_eq!(y.at(seq, 0).to_vec(chans).unwrap(), vec![0., 1., 0., 1.]);
        let bound = Bound::roundings(8 + v, output.len() as f64 + 6.0, f64::EPSILON);
        assert_close(&y.to_vec((seq, chans)).unwrap(), &plain.embedded(&shifted(&output, v)), bound);
    }

    #[test]
    fn texts_filled_up_in_a_batch_are_translated_as_each_by_itself((input, output, v) in texts(), seed: u64) {
        let plain = drawn(seed, 1, v, 4);
        let (model, n) = (named(&plain), input.len());
        let other: Vec<usize> = input.iter().map(|word| (word + 1) % v).chain([0, 0]).collect();
        let filled: Vec<usize> = input.iter().copied().chain([1, 1]).collect();
        let both = Tensor::indices_from_vec((batch.of(2), source.of(n + 2)), vocab, [filled, other.clone()].concat()).unwrap();
        let hidden_end = Tensor::from_fn((batch.of(2), source.of(n + 2)), |[text, place]| {
            if text == 0 && place >= n { f64::NEG_INFINITY } else { 0.0 }
        });
        let scores = model.apply(&both, &words(&output), &hidden_end);
        for (text, input) in [(0, &input), (1, &other)] {
            let expected = plain.apply(&one_hot(input, v), &shifted(&output, v));
            assert_close(&scores.at(batch, text).to_vec((seq, vocab)).unwrap(), &expected, NEAR);
        }
    }
}

fn sizes(n: usize) -> impl Extents<Set = R![layers, vocab, chans, heads, key, val, hidden], Repeated = ()> {
    (layers.of(n), vocab.of(9), chans.of(8), heads.of(2), key.of(3), val.of(5), hidden.of(16))
}

#[test]
fn s4_1_s4_2_the_parameters_are_those_of_the_list_and_the_norms_that_it_lacks() {
    let model = Translation::init(&mut seeded(0), sizes(3)).unwrap().as_printed().unwrap();
    let found: BTreeMap<String, String> =
        model.parameters().into_iter().map(|(name, shape)| (name, shape.to_string())).collect();
    let expect = |name: &str, shape: &str| assert_eq!(found.get(name).map(String::as_str), Some(shape), "{name}");
    expect("E", "[chans: 8, vocab: 9]");
    expect("writer.head.W_S", "[chans: 8, vocab: 9]");
    expect("writer.head.b_S", "[vocab: 9]");
    for attention in ["reader.encoder.att", "writer.decoder.att", "writer.decoder.cross"] {
        expect(&format!("{attention}.W_Q"), "[layers: 3, chans: 8, heads: 2, key: 3]");
        expect(&format!("{attention}.W_K"), "[layers: 3, chans: 8, heads: 2, key: 3]");
        expect(&format!("{attention}.W_V"), "[layers: 3, chans: 8, heads: 2, val: 5]");
        expect(&format!("{attention}.W_O"), "[layers: 3, chans: 8, heads: 2, val: 5]");
    }
    for network in ["reader.encoder.ffn", "writer.decoder.ffn"] {
        expect(&format!("{network}.W1"), "[layers: 3, chans: 8, hidden: 16]");
        expect(&format!("{network}.b1"), "[layers: 3, hidden: 16]");
        expect(&format!("{network}.W2"), "[layers: 3, chans: 8, hidden: 16]");
        expect(&format!("{network}.b2"), "[layers: 3, chans: 8]");
    }
    // The list of the source has no gains and biases of normalisations: two in each encoder stack, three in a decoder's.
    let norms = found.keys().filter(|name| name.contains("γ") || name.contains("β"));
    assert_eq!(norms.count(), 2 * (2 + 3));
    assert_eq!(found.len(), 3 + 3 * 4 + 2 * 4 + 2 * (2 + 3), "{found:#?}");
}

#[test]
fn s4_22_each_word_of_the_example_is_predicted_from_those_before_it_and_then_the_stop() {
    let vocabulary = ["je", "suis", "étudiant", "i", "am", "a", "student", "he", "×"];
    let ids = |text: &str| -> Vec<usize> {
        text.split(' ').map(|word| vocabulary.iter().position(|other| *other == word).unwrap()).collect()
    };
    let model = Translation::init(&mut seeded(1), sizes(2)).unwrap().as_printed().unwrap();
    let french = from(&ids("je suis étudiant"));
    let open = Tensor::zeros(source.of(3));
    // The target is "i am a student ×": its words are predicted from nothing, "i", "i am", and so on.
    let target = words(&ids("i am a student ×"));
    let scores = model.apply(&french, &words(&ids("i am a student")), &open);
    assert_eq!((scores.size(seq), french.size(source)), (5, 3));
    let loss = CrossEntropy(&scores, &target).sum(seq);
    let by_hand: f32 = (0..5)
        .map(|i| {
            let word = target.to_vec(seq).unwrap()[i];
            -scores.softmax(vocab).at(seq, i).at(vocab, word).item().unwrap().ln()
        })
        .sum();
    assert!((loss.item().unwrap() - by_hand).abs() < 1e-4, "the loss is summed over words, not averaged");
    // Another beginning, "he", changes what follows, and not the first prediction.
    let other = model.apply(&french, &words(&ids("he am a student")), &open);
    let apart = (&scores - &other).abs().max(vocab).to_vec(seq).unwrap();
    assert!(apart[0] < 1e-6 && apart[1..].iter().all(|&apart| apart > 1e-4), "{apart:?}");
}

#[test]
fn the_translation_model_has_the_gradients_of_differences() {
    let small = (layers.of(2), vocab.of(3), chans.of(4), heads.of(2), key.of(2), val.of(1), hidden.of(3));
    let model = Translation::init(&mut seeded(3), small).unwrap().as_printed().unwrap();
    let model = with_numbers(model.cast::<f64>(), 1);
    let (french, english) = (from(&[0, 2, 1]), words(&[2, 0]));
    let target = words(&[2, 0, 1]);
    assert_gradients(&model, |model| CrossEntropy(&model.apply(&french, &english, &seen(3)), &target).sum(seq));
}

#[test]
fn a_word_out_of_the_vocabulary_is_an_error_that_names_it() {
    let model = Translation::init(&mut seeded(1), sizes(1)).unwrap();
    let error = model.apply(&from(&[9]), &words(&[0]), &Tensor::zeros(source.of(1))).to_vec((seq, vocab)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IndexOutOfRange, "{error}");
    assert!(error.to_string().contains("vocab"), "{error}");
}
