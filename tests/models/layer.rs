//! Layers and stacks with the choices of every source, each against that source's own plain code: rows 1.11 to 1.16,
//! 3.18, 4.7, 4.8, 4.12, 4.15.
//!
//! One set of weights is used by all of them; what differs is the place of the normalisation, which biases there are, the
//! mask, and the matrix after the heads. Not here: words (`translation`, `language_model`).

use named_tensor::prelude::*;
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::differences::assert_gradients;
use named_tensor_tests::reference::attention::{SelfAttention, causal_mask};
use named_tensor_tests::reference::block::Block;
use named_tensor_tests::reference::contraction::eye;
use named_tensor_tests::reference::language_model::Layer as Plain;
use named_tensor_tests::reference::rearrangement::{at, reorder};
use named_tensor_tests::reference::sources::{self, DecoderStack};
use named_tensor_tests::reference::{Grid, elementwise, softmax};
use named_tensor_tests::strategies::{cases, grids, tensor};
use proptest::prelude::*;
use transformer::axes::{batch, chans, heads, hidden, key, layers, seq, seq_, source, val};
use transformer::layer::{DecoderLayer, Layer, Order};
use transformer::stack::{Decode as _, Decoder, Encode as _, Encoder};

use crate::{EPSILON, Numbers, feed_forward, layer_norm, multi_head as many};

/// In `f64` errors of 1e-14 grow in a normalisation by at most 1/√ε; other readings differ by much more than this.
pub(crate) const NEAR: Bound = Bound::absolute(1e-7);

/// The weights of a layer of c features with h heads of k features.
pub(crate) fn drawn(numbers: &mut Numbers, c: usize, h: usize, k: usize) -> Plain {
    let (attention, norm1) = (numbers.multi_head(h, c, k, k), numbers.layer_norm(c));
    Plain { attention, norm1, feed_forward: numbers.feed_forward(c, c + 1), norm2: numbers.layer_norm(c) }
}

pub(crate) fn drawn_decoder(numbers: &mut Numbers, c: usize, h: usize, k: usize) -> DecoderStack {
    let Plain { attention, norm1, feed_forward, norm2 } = drawn(numbers, c, h, k);
    let (cross, norm3) = (numbers.multi_head(h, c, k, k + 1), numbers.layer_norm(c));
    DecoderStack { masked: attention, norm1, cross, norm2, feed_forward, norm3 }
}

/// The layer with all its normalisations before anything is chosen, and with or without biases.
pub(crate) fn named(plain: &Plain, biases: bool) -> Layer<f64> {
    Layer {
        pre1: Some(layer_norm(&plain.norm1)),
        att: many::named(&plain.attention, biases),
        mid1: None,
        post1: None,
        pre2: Some(layer_norm(&plain.norm2)),
        ffn: feed_forward(&plain.feed_forward),
        mid2: None,
        post2: None,
    }
}

pub(crate) fn named_decoder(plain: &DecoderStack) -> DecoderLayer<f64> {
    DecoderLayer {
        pre1: None,
        att: many::named(&plain.masked, false),
        mid1: None,
        post1: Some(layer_norm(&plain.norm1)),
        pre2: None,
        cross: many::named(&plain.cross, false),
        mid2: None,
        post2: Some(layer_norm(&plain.norm2)),
        pre3: None,
        ffn: feed_forward(&plain.feed_forward),
        mid3: None,
        post3: Some(layer_norm(&plain.norm3)),
    }
}

type Mask = Tensor<R![seq, seq_], f64>;

fn open(n: usize) -> Mask {
    Tensor::zeros((seq.of(n), seq_.of(n)))
}

fn causal(n: usize) -> Mask {
    tensor!(f64, &causal_mask(n, n, 0), (seq_, seq))
}

fn text(x: &Grid) -> Tensor<R![seq, chans], f64> {
    tensor!(f64, x, (seq, chans))
}

fn rows(x: &Tensor<R![seq, chans], f64>) -> Vec<f64> {
    x.to_vec((seq, chans)).unwrap()
}

/// Numbers over (position, feature) that are far from constant along the features.
fn spread(numbers: &mut Numbers, n: usize, c: usize) -> Grid {
    let noise = numbers.grid(&[n, c]);
    Grid::from_fn(&[n, c], |at| noise.get(at) / 4.0 + if at[1] % 2 == 0 { 1.0 } else { -1.0 })
}

fn sizes() -> impl Strategy<Value = [usize; 4]> {
    [1_usize..6, 3_usize..7, 1_usize..4, 1_usize..4]
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn s1_16_s3_18_s4_12_one_set_of_weights_gives_the_layer_of_every_source([n, c, h, k] in sizes(), seed: u64) {
        let mut numbers = Numbers(seed);
        let (plain, x) = (drawn(&mut numbers, c, h, k), spread(&mut numbers, n, c));
        let layer = named(&plain, false);
        let (t, apply) = (text(&x), |order, mask: &Mask| layer.clone().normalised(order).apply(&text(&x), mask));
        // 001: rows, the sum is normalised, no mask. 004 is the same, in its decoder under a mask.
        assert_close(&rows(&apply(Order::After, &open(n))), &sources::post_ln(&plain, &x, false), NEAR);
        assert_close(&rows(&apply(Order::After, &causal(n))), &sources::post_ln(&plain, &x, true), NEAR);
        // 003: columns, normalised before each part.
        let columns = sources::pre_ln_on_columns(&plain, &reorder(&x, &[1, 0]));
        assert_close(&rows(&apply(Order::Before, &open(n))), &reorder(&columns, &[1, 0]), NEAR);
        // The paper's appendix: what a part gives is normalised, under a mask. Its plain code adds biases of 0.
        let mut paper = plain.clone();
        for bias in [&mut paper.attention.b_q, &mut paper.attention.b_k, &mut paper.attention.b_v] {
            *bias = elementwise::map(bias, |_| 0.0);
        }
        assert_close(&rows(&apply(Order::Between, &causal(n))), &paper.apply(&x), NEAR);
        // With biases, it is the appendix' code again, with the biases.
        let biased = named(&plain, true).normalised(Order::Between).apply(&t, &causal(n));
        assert_close(&rows(&biased), &plain.apply(&x), NEAR);
    }

    #[test]
    fn s0_17_with_one_head_and_no_matrix_after_it_the_layer_is_that_of_source_000([n, c, _, k] in sizes(), seed: u64) {
        let mut numbers = Numbers(seed);
        let mut plain = drawn(&mut numbers, c, 1, k);
        let (attention, x) = (numbers.self_attention(c, k, c), spread(&mut numbers, n, c));
        let SelfAttention { w_q, b_q, w_k, b_k, w_v, b_v } = attention.clone();
        let one = |grid: Grid| Grid::new(&[&[1], &grid.sizes[..]].concat(), grid.values);
        (plain.attention.w_q, plain.attention.b_q) = (one(w_q), one(b_q));
        (plain.attention.w_k, plain.attention.b_k) = (one(w_k), one(b_k));
        (plain.attention.w_v, plain.attention.b_v) = (one(w_v), one(b_v));
        plain.attention.w_o = one(eye(c));
        let found = named(&plain, true).normalised(Order::Before).apply(&text(&x), &open(n));
        let Plain { norm1, feed_forward, norm2, .. } = plain;
        let expected = Block { norm1, attention, norm2, feed_forward }.apply(&x, None);
        assert_close(&rows(&found), &expected, NEAR);
    }

    #[test]
    fn s1_16_s4_15_a_decoder_layer_is_masked_and_looks_at_another_text([n, c, h, k] in sizes(), m in 1_usize..6, seed: u64) {
        let mut numbers = Numbers(seed);
        let plain = drawn_decoder(&mut numbers, c, h, k);
        let (y, z) = (spread(&mut numbers, n, c), spread(&mut numbers, m, c));
        let seen = Tensor::zeros(source.of(m));
        let found = named_decoder(&plain).apply(&text(&y), &causal(n), &tensor!(f64, &z, (source, chans)), &seen);
        assert_close(&rows(&found), &plain.apply(&y, &z), NEAR);
        let apply = |order| {
            let layer = named_decoder(&plain).normalised(order);
            rows(&layer.apply(&text(&y), &causal(n), &tensor!(f64, &z, (source, chans)), &seen))
        };
        assert_close(&apply(Order::Before), &plain.apply_before(&y, &z), NEAR);
        assert_close(&apply(Order::Between), &plain.apply_between(&y, &z), NEAR);
        // A text that is filled up, with the rest hidden, is the text.
        let longer = Grid::from_fn(&[m + 2, c], |at| if at[0] < m { z.get(at) } else { 7.0 });
        let seen = Grid::from_fn(&[m + 2], |at| if at[0] < m { 0.0 } else { f64::NEG_INFINITY });
        let (longer, seen) = (tensor!(f64, &longer, (source, chans)), tensor!(f64, &seen, (source)));
        assert_close(&rows(&named_decoder(&plain).apply(&text(&y), &causal(n), &longer, &seen)), &plain.apply(&y, &z), NEAR);
    }

    #[test]
    fn s4_12_s4_15_layers_along_an_axis_and_layers_in_a_list_are_the_same_stack(
        [n, c, h, k] in sizes(), count in 1_usize..4, seed: u64,
    ) {
        let mut numbers = Numbers(seed);
        let plain: Vec<Plain> = (0..count).map(|_| drawn(&mut numbers, c, h, k)).collect();
        let list: Vec<Layer<f64>> = plain.iter().map(|layer| named(layer, false).normalised(Order::After)).collect();
        let (axis, x): (Encoder<f64>, Grid) = (stack(layers, &list).unwrap(), spread(&mut numbers, n, c));
        let expected = plain.iter().fold(x.clone(), |x, layer| sources::post_ln(layer, &x, false));
        assert_close(&rows(&list.apply(&text(&x), &open(n))), &expected, NEAR);
        assert_close(&rows(&axis.apply(&text(&x), &open(n))), &expected, NEAR);

        let plain: Vec<DecoderStack> = (0..count).map(|_| drawn_decoder(&mut numbers, c, h, k)).collect();
        let list: Vec<DecoderLayer<f64>> = plain.iter().map(named_decoder).collect();
        let axis: Decoder<f64> = stack(layers, &list).unwrap();
        let (z, seen) = (spread(&mut numbers, n + 1, c), Tensor::zeros(source.of(n + 1)));
        let expected = plain.iter().fold(x.clone(), |y, layer| layer.apply(&y, &z));
        let z = tensor!(f64, &z, (source, chans));
        assert_close(&rows(&list.apply(&text(&x), &causal(n), &z, &seen)), &expected, NEAR);
        assert_close(&rows(&axis.apply(&text(&x), &causal(n), &z, &seen)), &expected, NEAR);
    }

    #[test]
    fn s1_15_s4_8_the_feed_forward_network_is_the_same_at_each_position([n, c, h, _] in sizes(), seed: u64) {
        let mut numbers = Numbers(seed);
        let (plain, x) = (numbers.feed_forward(c, h), numbers.grid(&[n, c]));
        let whole = feed_forward::<f64>(&plain).apply(&text(&x));
        assert_close(&rows(&whole), &plain.apply(&x), Bound::roundings(c + h + 4, 4.0, f64::EPSILON));
        for i in 0..n {
            let alone = feed_forward::<f64>(&plain).apply(&text(&x).at(seq, i)).to_vec(chans).unwrap();
            let expected = Grid::new(&[c], whole.at(seq, i).to_vec(chans).unwrap());
            assert_close(&alone, &expected, Bound::roundings(c + h + 4, 4.0, f64::EPSILON));
        }
    }

    #[test]
    fn s1_11_s1_12_s4_7_layer_norm_divides_by_the_deviation_of_the_features_with_divisor_k(
        [x] in grids(|[s, c]| [vec![s, c]]), seed: u64,
    ) {
        let plain = Numbers(seed).layer_norm(x.sizes[1]);
        let found = layer_norm::<f64>(&plain).apply(&text(&x));
        prop_assert_eq!([found.size(seq), found.size(chans)], [x.sizes[0], x.sizes[1]]);
        let k = x.sizes[1] as f64;
        let expected = Grid::from_fn(&x.sizes, |place| {
            let row = at(&x, 0, place[0]).values;
            let mean = row.iter().sum::<f64>() / k;
            let square = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / k;
            let standard = (x.get(place) - mean) / (square + EPSILON).sqrt();
            plain.gain.get(&place[1..]) * standard + plain.bias.get(&place[1..])
        });
        assert_close(&rows(&found), &expected, Bound::absolute(1e-9));
    }
}

#[test]
fn s1_12_the_moments_of_1_2_3_4_have_divisor_4_and_not_3() {
    let x = tensor!(f64, &Grid::new(&[4], vec![1., 2., 3., 4.]), (chans));
    let expected = Grid::new(&[4], vec![-1.341635, -0.447212, 0.447212, 1.341635]);
    assert_close(&x.standardize(chans).to_vec(chans).unwrap(), &expected, Bound::absolute(5e-7));
    assert_close(
        &softmax::standardize(&Grid::new(&[1, 4], vec![1., 2., 3., 4.]), &[1], EPSILON).values,
        &expected,
        Bound::absolute(5e-7),
    );
}

#[test]
fn the_places_of_normalisation_are_three_different_models() {
    let mut numbers = Numbers(4);
    let (plain, x) = (drawn(&mut numbers, 4, 2, 2), spread(&mut numbers, 3, 4));
    let apply = |order| named(&plain, false).normalised(order).apply(&text(&x), &open(3));
    let apart = |a, b| (apply(a) - apply(b)).abs().max((seq, chans)).item().unwrap();
    assert!(apart(Order::Before, Order::Between) > 0.1 && apart(Order::Between, Order::After) > 0.1);
    assert!(apart(Order::Before, Order::After) > 0.1);
    let drawn = Layer::init(&mut seeded(0), (chans.of(4), heads.of(2), key.of(2), val.of(2), hidden.of(5))).unwrap();
    let names = |layer: &Layer| layer.parameters().into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert!(names(&drawn).contains(&"mid2.γ".to_owned()) && names(&drawn).contains(&"att.b_O".to_owned()));
    let plain = drawn.normalised(Order::After).without_biases();
    let expected = [
        "att.W_Q", "att.W_K", "att.W_V", "att.W_O", "post1.γ", "post1.β", "ffn.W1", "ffn.b1", "ffn.W2", "ffn.b2",
        "post2.γ", "post2.β",
    ];
    assert_eq!(names(&plain), expected);
}

#[test]
fn layers_have_the_gradients_of_differences_in_a_batch_and_in_a_stack() {
    let mut numbers = Numbers(8);
    let x = tensor!(f64, &numbers.grid(&[2, 3, 4]), (batch, seq, chans));
    let z = tensor!(f64, &numbers.grid(&[2, 2, 4]), (batch, source, chans));
    let seen = Tensor::zeros(source.of(2));
    let plain = drawn(&mut numbers, 4, 2, 3);
    for order in [Order::Before, Order::Between, Order::After] {
        let layer = named(&plain, true).normalised(order);
        assert_gradients(&layer, |layer| layer.apply(&x, &causal(3)).sin().sum((batch, seq, chans)));
    }
    let decoder = named_decoder(&drawn_decoder(&mut numbers, 4, 2, 3));
    assert_gradients(&decoder, |layer| layer.apply(&x, &causal(3), &z, &seen).sin().sum((batch, seq, chans)));
    let two = [named(&plain, false), named(&drawn(&mut numbers, 4, 2, 3), false)];
    let deep: Encoder<f64> = stack(layers, &two).unwrap();
    let one = x.at(batch, 0);
    assert_gradients(&deep, |deep| deep.apply(&one, &causal(3)).sin().sum((seq, chans)));
}

#[test]
fn a_file_has_what_the_layer_has_and_a_layer_with_more_or_less_refuses_it_by_name() {
    let mut numbers = Numbers(9);
    let plain = drawn(&mut numbers, 4, 2, 2);
    let layer = named(&plain, false).normalised(Order::After);
    let path = std::env::temp_dir().join(format!("named-tensor-layer-{}.safetensors", std::process::id()));
    layer.save(&path).unwrap();
    let mut same = named(&drawn(&mut numbers, 4, 2, 2), false).normalised(Order::After);
    same.load(&path).unwrap();
    let x = text(&spread(&mut numbers, 3, 4));
    assert_eq!(rows(&same.apply(&x, &open(3))), rows(&layer.apply(&x, &open(3))));
    let lacking = named(&plain, true).normalised(Order::After).load(&path).unwrap_err();
    assert!(lacking.to_string().contains("att.b_Q"), "{lacking}");
    let elsewhere = named(&plain, false).normalised(Order::Before).load(&path).unwrap_err();
    assert!(elsewhere.to_string().contains("pre1.γ") || elsewhere.to_string().contains("post1.γ"), "{elsewhere}");
    std::fs::remove_file(&path).unwrap();
}
