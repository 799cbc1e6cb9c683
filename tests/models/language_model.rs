//! The Transformer of the paper's appendix, used as a language model (row N18), with the paper's own choices.
//!
//! As printed, each layer normalises what a part gives and then adds its input, T = LayerNorm(SelfAtt(X)) + X, where
//! Vaswani et al. normalise the sum; words are embedded by the table that also reads them out. The paper's bias over
//! the wrong axis is row E3. The crate's language model, which has these choices and others, is the same.

use named_tensor::prelude::*;
use named_tensor_tests::axes::{batch, heads, hidden, key, layer, seq, seq_, val, vocab};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::differences::{assert_gradients, with_numbers};
use named_tensor_tests::reference::elementwise::map;
use named_tensor_tests::reference::language_model::{self as plain, one_hot};
use named_tensor_tests::reference::rearrangement::at;
use named_tensor_tests::reference::{Grid, norm};
use named_tensor_tests::strategies::{cases, tensor};
use proptest::prelude::*;
use transformer::axes;
use transformer::embedding::ReadOut;
use transformer::layer::Order;
use transformer::models::language_model::LanguageModel as LanguageModelOfTheCrate;

use crate::{Numbers, layer as layers_of_the_crate};

named! {
    /// W = (E ⊙_vocab I) √|layer| and P, whose positions the paper counts from 1 and takes 1 off again.
    fn Embedded(I: R[seq, vocab], E: R[vocab, layer]) -> R[seq, layer] {
        W = (E dot_vocab I) * sqrt(|layer|);
        P_{seq(p), layer(i)} = if i % 2 == 0 { sin(p / 10000 ^ (i / |layer|)) } else { cos(p / 10000 ^ ((i - 1) / |layer|)) };
        W + P
    }

    fn LayerNorm(X: R[layer]; γ: R[layer] = 1, β: R[layer] = 0) -> R[layer] {
        standardize_layer(X) * γ + β
    }

    fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val], M: R[seq]) -> R[val] {
        softmax_seq(Q dot_key K / sqrt(|key|) + M) dot_seq V
    }

    fn SelfAtt(X: R[seq, layer]; W_Q: R[heads, layer, key], W_K: R[heads, layer, key], W_V: R[heads, layer, val],
               W_O: R[heads, val, layer]) -> R[seq, layer] where |key| = |layer| / |heads|, |val| = |layer| / |heads| {
        Q = W_Q dot_layer X_{seq -> seq_};
        K = W_K dot_layer X;
        V = W_V dot_layer X;
        M_{seq(i), seq_(j: |seq|)} = if i <= j { 0 } else { -inf };
        (W_O dot_{heads, val} Attention(Q, K, V, M))_{seq_ -> seq}
    }

    fn FFN(X: R[layer]; W1: R[hidden, layer], b1: R[hidden], W2: R[layer, hidden], b2: R[layer]) -> R[layer] {
        X1 = relu(W1 dot_layer X + b1);
        W2 dot_hidden X1 + b2
    }

    fn Layer(X: R[seq, layer]; att: SelfAtt, norm: LayerNorm, ffn: FFN, norm_: LayerNorm) -> R[seq, layer] {
        T = norm(att(X)) + X;
        norm_(ffn(T)) + T
    }

    fn LanguageModel(I: R[seq, vocab]; E: R[vocab, layer] ~ normal(0, 1), layer1: Layer, layer2: Layer) -> R[seq, vocab] {
        X0 = Embedded(I, E);
        X1 = layer1(X0);
        X2 = layer2(X1);
        softmax_vocab(E dot_layer X2)
    }
}

fn named_norm(norm: &norm::LayerNorm) -> LayerNorm<f64> {
    LayerNorm { γ: tensor!(f64, &norm.gain, (layer)), β: tensor!(f64, &norm.bias, (layer)) }
}

fn named_layer(plain: &plain::Layer) -> Layer<f64> {
    let (attention, ffn) = (&plain.attention, &plain.feed_forward);
    Layer {
        att: SelfAtt {
            W_Q: tensor!(f64, &attention.w_q, (heads, layer, key)),
            W_K: tensor!(f64, &attention.w_k, (heads, layer, key)),
            W_V: tensor!(f64, &attention.w_v, (heads, layer, val)),
            W_O: tensor!(f64, &attention.w_o, (heads, val, layer)),
        },
        norm: named_norm(&plain.norm1),
        ffn: FFN {
            W1: tensor!(f64, &ffn.w1, (layer, hidden)),
            b1: tensor!(f64, &ffn.b1, (hidden)),
            W2: tensor!(f64, &ffn.w2, (hidden, layer)),
            b2: tensor!(f64, &ffn.b2, (layer)),
        },
        norm_: named_norm(&plain.norm2),
    }
}

fn named(plain: &plain::LanguageModel) -> LanguageModel<f64> {
    LanguageModel {
        E: tensor!(f64, &plain.embedding, (vocab, layer)),
        layer1: named_layer(&plain.layers[0]),
        layer2: named_layer(&plain.layers[1]),
    }
}

/// A model for this many words, with h heads of k features, and no biases in its attention.
fn drawn(seed: u64, words: usize, h: usize, k: usize) -> plain::LanguageModel {
    let (mut numbers, c) = (Numbers(seed), h * k);
    let mut one = || {
        let mut attention = numbers.multi_head(h, c, k, k);
        for bias in [&mut attention.b_q, &mut attention.b_k, &mut attention.b_v] {
            *bias = map(bias, |_| 0.0);
        }
        let (norm1, norm2) = (numbers.layer_norm(c), numbers.layer_norm(c));
        plain::Layer { attention, norm1, feed_forward: numbers.feed_forward(c, c + 1), norm2 }
    };
    let layers = vec![one(), one()];
    plain::LanguageModel { embedding: map(&numbers.grid(&[words, c]), |x| x / 4.0), layers }
}

/// Each of five stages adds errors of some hundred roundings of numbers below 8, and passes the earlier ones on.
fn bound(growth: f64) -> Bound {
    Bound::roundings(5 * 100, 8.0 * growth, f64::EPSILON)
}

fn text() -> impl Strategy<Value = (Vec<usize>, usize)> {
    (2_usize..6).prop_flat_map(|words| (prop::collection::vec(0..words, 1..7), Just(words)))
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn n18_the_language_model_is_the_plain_one((text, words) in text(), h in 1_usize..3, k in 2_usize..4, seed: u64) {
        let plain = drawn(seed, words, h, k);
        let expected = plain.apply(&text);
        let found = named(&plain).apply(&tensor!(f64, &one_hot(&text, words), (seq, vocab))).to_vec((seq, vocab)).unwrap();
        assert_close(&found, &expected, bound(plain.growth(&text)));
        // The growth is the worst of each step; readings that differ differ by much more than this.
        assert_close(&found, &expected, Bound::absolute(1e-6));
    }

    #[test]
    fn n18_a_later_word_changes_no_earlier_prediction((text, words) in text(), seed: u64) {
        let model = named(&drawn(seed, words, 2, 2));
        let whole = model.apply(&tensor!(f64, &one_hot(&text, words), (seq, vocab)));
        let first = model.apply(&tensor!(f64, &one_hot(&text[..1], words), (seq, vocab)));
        let whole = Grid::new(&[text.len(), words], whole.to_vec((seq, vocab)).unwrap());
        let bound = bound(drawn(seed, words, 2, 2).growth(&text));
        assert_close(&first.to_vec((seq, vocab)).unwrap(), &Grid::new(&[1, words], at(&whole, 0, 0).values), bound);
    }
}

/// The crate's model with this model's weights: words by their positions, chans for layer.
fn of_the_crate(plain: &plain::LanguageModel) -> LanguageModelOfTheCrate<f64> {
    let layers: Vec<_> =
        plain.layers.iter().map(|one| layers_of_the_crate::named(one, false).normalised(Order::Between)).collect();
    let encoder = stack(axes::layers, &layers).unwrap();
    let table = tensor!(f64, &plain.embedding, (vocab, layer));
    LanguageModelOfTheCrate {
        E: table.rename((vocab, layer), (axes::vocab, axes::chans)),
        encoder,
        norm: None,
        head: None,
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn n18_the_crates_model_with_the_choices_of_the_paper_is_the_printed_one((text, words) in text(), k in 1_usize..4, seed: u64) {
        let plain = drawn(seed, words, 2, k);
        let ids = Tensor::indices_from_vec(axes::seq.of(text.len()), axes::vocab, text.clone()).unwrap();
        let root = Tensor::scalar(((2 * k) as f64).sqrt());
        let found = of_the_crate(&plain).apply(&ids, &root).softmax(axes::vocab);
        let found = found.to_vec((axes::seq, axes::vocab)).unwrap();
        assert_close(&found, &plain.apply(&text), Bound::absolute(1e-6));
    }

    #[test]
    fn s1_5_s4_16_words_without_the_factor_and_a_head_of_its_own_are_choices_of_the_same_model(
        (text, words) in text(), seed: u64,
    ) {
        let plain = drawn(seed, words, 2, 2);
        let ids = Tensor::indices_from_vec(axes::seq.of(text.len()), axes::vocab, text.clone()).unwrap();
        let tied = of_the_crate(&plain);
        // The factor may stand in the table, if another table reads words out.
        let own = ReadOut { W_S: tied.E.clone(), b_S: None };
        let apart = LanguageModelOfTheCrate { E: &tied.E * 2.0, head: Some(own), ..tied.clone() };
        let (found, expected) = (apart.apply(&ids, &Tensor::scalar(1.0)), tied.apply(&ids, &Tensor::scalar(2.0)));
        let expected = Grid::new(&[text.len(), words], expected.to_vec((axes::seq, axes::vocab)).unwrap());
        assert_close(&found.to_vec((axes::seq, axes::vocab)).unwrap(), &expected, Bound::absolute(1e-6));
        // A normalisation after all layers, as pre-LN models have it.
        let ones = transformer::norm::LayerNorm { γ: Tensor::ones(axes::chans.of(4)), β: Tensor::zeros(axes::chans.of(4)) };
        let last = LanguageModelOfTheCrate { norm: Some(ones), ..tied.clone() };
        prop_assert_eq!(last.count(), tied.count() + 8);
        let moved = (last.apply(&ids, &Tensor::scalar(2.0)) - tied.apply(&ids, &Tensor::scalar(2.0))).abs();
        prop_assert!(moved.max((axes::seq, axes::vocab)).item().unwrap() > 0.0);
    }
}

#[test]
fn n18_predictions_of_each_position_sum_to_one_for_texts_together() {
    let sizes = (vocab.of(5), layer.of(6), heads.of(2), key.of(3), val.of(3), hidden.of(8));
    let model = LanguageModel::init(&mut seeded(0), sizes).unwrap();
    let texts = Tensor::indices((batch, seq), vocab, [[0, 1, 2, 3], [4, 0, 0, 1]]).one_hot(vocab.of(5));
    let sums = model.apply(&texts).sum(vocab).to_vec((batch, seq)).unwrap();
    assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-5), "{sums:?}");
    // |layer| = 6 is not 4 heads of some size.
    let sizes = (vocab.of(5), layer.of(6), heads.of(4), key.of(2), val.of(2), hidden.of(8));
    let error = LanguageModel::init(&mut seeded(0), sizes).unwrap().apply(&texts).checked().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Condition, "{error}");
}

#[test]
fn n18_to_normalise_the_sum_instead_is_another_model() {
    let plain = drawn(3, 4, 2, 2);
    let x = plain.embedded(&[0, 3, 1]);
    let layer = &plain.layers[0];
    let summed = layer.norm1.apply(&norm::residual(&layer.attended(&x), &x));
    let apart = layer.middle(&x);
    assert!(summed.values.iter().zip(&apart.values).any(|(x, y)| (x - y).abs() > 0.1));
}

#[test]
fn n18_the_language_model_has_the_gradients_of_differences() {
    let sizes = (vocab.of(5), layer.of(4), heads.of(2), key.of(2), val.of(2), hidden.of(3));
    let model = with_numbers(LanguageModel::init(&mut seeded(6), sizes).unwrap().cast::<f64>(), 1);
    let words = Tensor::indices((batch, seq), vocab, [[0, 2, 2], [4, 1, 0]]).one_hot(vocab.of(5));
    assert_gradients(&model, |model| model.apply(&words).sin().sum((batch, seq, vocab)));
}
