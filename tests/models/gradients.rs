//! Gradients of whole models against differences, by every parameter.
//!
//! Each model is lifted over a batch, so that its parameters are shared by several applications. The loss weighs every
//! number of the result by another factor. Not here: each primitive's rule (`graph::calculus` of the library).

use named_tensor::prelude::*;
use named_tensor_tests::differences::{assert_gradient, assert_gradients};
use named_tensor_tests::reference::Grid;
use named_tensor_tests::strategies::tensor;
use transformer::attention::{
    CausalMask, GroupedQuery, MaskedMultiHeadAttention, MultiHead, MultiHeadAttention, MultiQuery, SelfAttention,
};
use transformer::axes::{
    batch, chans, groups, heads, hidden, key, layer, layers, out, places, seq, shared, val, vocab,
};
use transformer::block::{Block, MaskedMultiHeadBlock, MultiHeadBlock};
use transformer::embedding::{Embedding, PositionalEncoding};
use transformer::feed_forward::{FFN, Linear};
use transformer::models::language_model::LanguageModel;
use transformer::norm::{BatchNorm, InstanceNorm, LayerNorm, LayerNorm2d};
use transformer::position::{Angles, InterleavedRotary, LearnedPosition, Rotary};

use crate::Numbers;

/// The sizes of all axes: small, and all unlike where they may be.
macro_rules! init {
    ($model:ident) => {
        init!($model(chans.of(4), heads.of(2), hidden.of(5), key.of(3), val.of(4), out.of(3), layer.of(2), vocab.of(5)))
    };
    ($model:ident $sizes:expr) => {{
        let drawn: $model = $model::init(&mut seeded(5), $sizes).expect("parameters");
        let mut model = drawn.cast::<f64>();
        // Biases begin with 0 and gains with 1, at which mistakes could hide.
        let mut seed = 3;
        model.each_mut(|mut parameter| {
            seed += 1;
            let (shape, count) = (parameter.shape(), parameter.shape().elements());
            parameter.set(shape, Numbers(seed).grid(&[count]).values).expect("as many numbers");
        });
        model
    }};
}

fn sequence() -> Grid {
    Numbers(1).grid(&[2, 3, 4])
}

/// Every number of the result, each by a weight of its own.
macro_rules! weighed {
    ($result:expr, ($($axis:ident),+)) => {{
        let result = $result;
        let grid = Numbers(11).grid(&[$(result.size($axis)),+]);
        result.dot(($($axis),+), &tensor!(f64, &grid, ($($axis),+)))
    }};
}

macro_rules! gradients_of_blocks {
    ($($test:ident $model:ident ($($axis:ident),+) $apply:expr;)+) => {$(
        #[test]
        fn $test() {
            let model = init!($model);
            let x = sequence();
            let loss = |model: &$model<f64>, x: &Tensor<R![batch, seq, chans], f64>| {
                let apply: fn(&$model<f64>, &Tensor<R![batch, seq, chans], f64>) -> _ = $apply;
                weighed!(apply(model, x), (batch, $($axis),+))
            };
            let x_ = tensor!(f64, &x, (batch, seq, chans));
            assert_gradients(&model, |model| loss(model, &x_));
            let by_x = grad(&loss(&model, &x_), &x_).to_vec((batch, seq, chans)).unwrap();
            assert_gradient(&by_x, &x, |x| loss(&model, &tensor!(f64, x, (batch, seq, chans))).item().unwrap());
        }
    )+};
}

gradients_of_blocks! {
    layer_norm_has_the_gradients_of_differences LayerNorm (seq, chans) |model, x| model.apply(x);
    a_linear_layer_has_the_gradients_of_differences Linear (seq, out) |model, x| model.apply(x);
    the_feed_forward_network_has_the_gradients_of_differences FFN (seq, chans) |model, x| model.apply(x);
    self_attention_has_the_gradients_of_differences SelfAttention (seq, val) |model, x| model.apply(x);
    multi_head_attention_has_the_gradients_of_differences MultiHeadAttention (seq, chans) |model, x| model.apply(x);
    masked_attention_has_the_gradients_of_differences MaskedMultiHeadAttention (seq, chans) |model, x| {
        let causal = CausalMask(&x.at(chans, 0).at(batch, 0));
        model.apply(x, &causal)
    };
    the_pre_ln_block_has_the_gradients_of_differences Block (seq, chans) |model, x| model.apply(x);
    the_block_with_heads_has_the_gradients_of_differences MultiHeadBlock (seq, chans) |model, x| model.apply(x);
    the_masked_block_has_the_gradients_of_differences MaskedMultiHeadBlock (seq, chans) |model, x| {
        let causal = CausalMask(&x.at(chans, 0).at(batch, 0));
        model.apply(x, &causal)
    };
}

#[test]
fn attention_with_shared_keys_and_values_has_the_gradients_of_differences() {
    let x = tensor!(f64, &sequence(), (batch, seq, chans));
    let seen = Tensor::zeros(seq.of(3));
    assert_gradients(&init!(MultiHead), |model| weighed!(model.apply(&x, &x, &seen), (batch, seq, chans)));
    assert_gradients(&init!(GroupedQuery(chans.of(4), groups.of(2), shared.of(2), key.of(3), val.of(2))), |model| {
        weighed!(model.apply(&x, &x, &seen), (batch, seq, chans))
    });
    assert_gradients(&init!(MultiQuery), |model| weighed!(model.apply(&x, &x, &seen), (batch, seq, chans)));
}

#[test]
fn positions_have_the_gradients_of_differences() {
    let (x, at) = (tensor!(f64, &sequence(), (batch, seq, chans)), Tensor::indices(seq, places, [2, 0, 2]));
    assert_gradients(&init!(LearnedPosition(places.of(3), chans.of(4))), |model| {
        weighed!(model.apply(&x, &at).sin(), (batch, seq, chans))
    });
    let p: Tensor<R![seq], f64> = Tensor::positions(seq.of(3)).real();
    let turned = |x: &Grid| {
        let x = tensor!(f64, x, (batch, seq, chans)).rename(chans, key);
        let θ = Angles(&x, &p, &Tensor::scalar(100.0));
        weighed!(Rotary(&x, &θ) * InterleavedRotary(&x, &θ), (batch, seq, key))
    };
    let variable = tensor!(f64, &sequence(), (batch, seq, chans));
    let x = variable.rename(chans, key);
    let θ = Angles(&x, &p, &Tensor::scalar(100.0));
    let result = weighed!(Rotary(&x, &θ) * InterleavedRotary(&x, &θ), (batch, seq, key));
    let found = grad(&result, &variable).to_vec((batch, seq, chans)).unwrap();
    assert_gradient(&found, &sequence(), |x| turned(x).item().unwrap());
}

#[test]
fn a_language_model_has_the_gradients_of_differences_with_every_parameter_it_may_have() {
    let words = Tensor::indices((batch, seq), vocab, [[0, 2, 2], [4, 1, 0]]);
    let scores = |model: &LanguageModel<f64>| model.apply(&words, &Tensor::scalar(2.0)).sin().sum((batch, seq, vocab));
    let model =
        init!(LanguageModel(vocab.of(5), chans.of(4), heads.of(2), key.of(2), val.of(1), hidden.of(3), layers.of(2)));
    assert_gradients(&model, scores);
    assert_gradients(&LanguageModel { norm: None, head: None, ..model }, scores);
}

#[test]
fn the_normalisations_have_the_gradients_of_differences() {
    let x = tensor!(f64, &Numbers(1).grid(&[3, 4, 2]), (batch, chans, layer));
    assert_gradients(&init!(BatchNorm), |model| weighed!(model.apply(&x), (batch, chans, layer)));
    assert_gradients(&init!(InstanceNorm), |model| weighed!(model.apply(&x), (batch, chans, layer)));
    assert_gradients(&init!(LayerNorm2d), |model| weighed!(model.apply(&x), (batch, chans, layer)));
}

#[test]
fn an_embedding_has_the_gradients_of_differences_where_words_repeat() {
    let words = Tensor::indices((batch, seq), vocab, [[0, 2, 2], [4, 0, 2]]);
    assert_gradients(&init!(Embedding), |model| {
        weighed!(PositionalEncoding(&model.apply(&words)).sin(), (batch, seq, chans))
    });
}

#[test]
fn the_gradient_of_a_block_holds_nothing_as_large_as_the_weights_of_its_attention_unless_they_are_few() {
    let model = init!(MultiHeadBlock);
    for (positions, stored) in [(37, true), (64, true), (65, false), (97, false)] {
        let x = tensor!(f64, &Numbers(2).grid(&[2, positions, 4]), (batch, seq, chans));
        let y = model.apply(&x);
        let d = grad(&(&y * &y).sum((batch, seq, chans)), &model).att;
        let all = d.W_Q.sum((chans, heads, key)) + d.W_K.sum((chans, heads, key)) + d.W_V.sum((chans, heads, val));
        let plan = all.plan().unwrap();
        assert_eq!(plan.contains("attention gradient("), !stored, "{plan}");
        let size = format!(": {positions}");
        assert_eq!(plan.lines().any(|line| line.matches(&size).count() == 2), stored, "{plan}");
    }
}
