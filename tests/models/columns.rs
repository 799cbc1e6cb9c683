//! The Transformer as source 003 writes it, on columns: rows 3.10 to 3.12, 3.15 to 3.18 and 3.20.
//!
//! The source's matrices have one column for each position, except in the feed-forward network, where each is a row;
//! here it is written in that order, and compared with the equations, which know no order.
//! Not here: recurrent networks (`seq2seq`), other scores (`alignment`).

use named_tensor::prelude::*;
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::contraction::matrix_matrix;
use named_tensor_tests::reference::norm::residual;
use named_tensor_tests::reference::rearrangement::{at, reorder};
use named_tensor_tests::reference::reduction::{mean, var};
use named_tensor_tests::reference::softmax::softmax;
use named_tensor_tests::reference::{Grid, elementwise};
use named_tensor_tests::strategies::{cases, grids, tensor};
use proptest::prelude::*;
use transformer::attention::Attention;
use transformer::axes::{chans, hidden, key, layer, seq, seq_, val};
use transformer::embedding::PositionalEncoding;
use transformer::feed_forward::FFN;
use transformer::models::practical::BareAttention;
use transformer::norm::LayerNorm;

use crate::{Numbers, multi_head, multi_head_block};

/// `A^T`
fn transposed(a: &Grid) -> Grid {
    reorder(a, &[1, 0])
}

/// `Y = V softmax_t(K^T Q / √k)`, each position a column: column s is `Σ_t softmax_t(Q_s^T K_t / √k) V_t`.
fn attended(q: &Grid, k: &Grid, v: &Grid) -> Grid {
    let root = (k.sizes[0] as f64).sqrt();
    let scores = elementwise::map(&matrix_matrix(&transposed(k), q), |score| score / root);
    matrix_matrix(v, &softmax(&scores, &[0]))
}

/// Projections of c numbers below 2 are below 4c; their k products are below 16 c² k, and errors of scores are
/// relative errors of weights.
fn bound(c: usize, k: usize, s: usize) -> Bound {
    let (projected, roundings) = (4.0 * c as f64, 4 * (c + k + s) + 20);
    Bound::roundings(roundings, projected * (1.0 + projected * projected * (k as f64).sqrt()), f64::EPSILON)
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn s3_10_queries_come_from_one_input_and_keys_and_values_from_another(
        [x, z, w_q, w_k, w_v] in grids(|[s, t, c, d, k]| [vec![c, s], vec![d, t], vec![k, c], vec![k, d], vec![3, d]]),
    ) {
        let (q, k, v) = (matrix_matrix(&w_q, &x), matrix_matrix(&w_k, &z), matrix_matrix(&w_v, &z));
        // Inputs of different spaces: d_in is chans here, d′ is layer.
        let (x_, z_) = (tensor!(f64, &x, (chans, seq_)), tensor!(f64, &z, (layer, seq)));
        let queries = x_.dot(chans, &tensor!(f64, &w_q, (key, chans)));
        let (keys, values) = (z_.dot(layer, &tensor!(f64, &w_k, (key, layer))), z_.dot(layer, &tensor!(f64, &w_v, (val, layer))));
        let y: Tensor<R![val, seq_], f64> = Attention(&queries, &keys, &values);
        let bound = bound(x.sizes[0].max(z.sizes[0]), k.sizes[0], z.sizes[1]);
        assert_close(&y.to_vec((val, seq_)).unwrap(), &attended(&q, &k, &v), bound);
    }

    #[test]
    fn s3_11_s3_12_self_attention_on_columns_is_the_named_one_for_texts_of_any_length(
        [x, z, w_q, w_k, w_v] in grids(|[s, t, c, k]| [vec![c, s], vec![c, t], vec![k, c], vec![k, c], vec![c, c]]),
    ) {
        // One set of weights, W_Q, W_K in R^{k x d} and W_V in R^{d x d}, for both lengths.
        let att = BareAttention {
            W_Q: tensor!(f64, &w_q, (key, chans)),
            W_K: tensor!(f64, &w_k, (key, chans)),
            W_V: tensor!(f64, &w_v, (val, chans)),
        };
        for x in [&x, &z] {
            // X_s^T W_Q^T W_K X_t, as it is printed.
            let root = (w_q.sizes[0] as f64).sqrt();
            let middle = matrix_matrix(&transposed(&w_q), &w_k);
            let scores = matrix_matrix(&matrix_matrix(&transposed(x), &middle), x);
            let weights = softmax(&elementwise::map(&scores, |score| score / root), &[1]);
            let expected = matrix_matrix(&matrix_matrix(&w_v, x), &transposed(&weights));
            let found: Tensor<R![chans, seq], f64> = att.apply(&tensor!(f64, x, (chans, seq)));
            assert_close(&found.to_vec((chans, seq)).unwrap(), &expected, bound(x.sizes[0], w_q.sizes[0], x.sizes[1]));
        }
    }

    #[test]
    fn s3_15_heads_in_parallel_are_concatenated_along_features_and_transformed_once_more(
        [x] in grids(|[s, c]| [vec![s, c]]), [h, k, v] in [1_usize..4, 1_usize..4, 1_usize..4], seed: u64,
    ) {
        let plain = Numbers(seed).multi_head(h, x.sizes[1], k, v);
        let columns = transposed(&x);
        let project = |w: &Grid, b: &Grid, head: usize| {
            let (w, b) = (at(w, 0, head), at(b, 0, head));
            elementwise::zip_with_first(&matrix_matrix(&transposed(&w), &columns), &b, |x, b| x + b)
        };
        // Feature v of head h is row h·|val| + v of what is concatenated.
        let mut concatenated = Vec::new();
        for head in 0..h {
            let [q, k] = [(&plain.w_q, &plain.b_q), (&plain.w_k, &plain.b_k)].map(|(w, b)| project(w, b, head));
            concatenated.extend(attended(&q, &k, &project(&plain.w_v, &plain.b_v, head)).values);
        }
        let concatenated = Grid::new(&[h * v, x.sizes[0]], concatenated);
        let w_o = Grid::new(&[h * v, x.sizes[1]], plain.w_o.values.clone());
        let expected = matrix_matrix(&transposed(&w_o), &concatenated);
        let found = multi_head::<f64>(&plain).apply(&tensor!(f64, &x, (seq, chans)));
        assert_close(&found.to_vec((chans, seq)).unwrap(), &expected, bound(x.sizes[1] + h * v, k, x.sizes[0]));
    }

    #[test]
    fn s3_16_layer_norm_is_gain_times_the_deviation_from_the_mean_over_the_deviation_plus_bias(
        [x, g] in grids(|[s, c]| [vec![s, c + 1], vec![2, c + 1]]),
    ) {
        let (gain, bias) = (at(&g, 0, 0), at(&g, 0, 1));
        let norm = LayerNorm { γ: tensor!(f64, &gain, (chans)), β: tensor!(f64, &bias, (chans)) };
        let found = norm.apply(&tensor!(f64, &x, (seq, chans))).to_vec((seq, chans)).unwrap();
        let (mean, var) = (mean(&x, &[1]), var(&x, &[1]));
        let expected = Grid::from_fn(&x.sizes, |place| {
            let std = (var.get(&place[..1]) + 1e-5).sqrt();
            gain.get(&place[1..]) * (x.get(place) - mean.get(&place[..1])) / std + bias.get(&place[1..])
        });
        assert_close(&found, &expected, Bound::roundings(4 * x.sizes[1] + 20, 4.0 / 1e-5_f64.sqrt(), f64::EPSILON));
    }

    #[test]
    fn s3_17_the_feed_forward_network_takes_each_position_as_a_row(
        [x, w1, b1, w2, b2] in grids(|[s, d, h]| [vec![s, d], vec![d, h], vec![h], vec![h, d], vec![d]]),
    ) {
        let ffn = FFN {
            W1: tensor!(f64, &w1, (chans, hidden)),
            b1: tensor!(f64, &b1, (hidden)),
            W2: tensor!(f64, &w2, (hidden, chans)),
            b2: tensor!(f64, &b2, (chans)),
        };
        let (s, d, h) = (x.sizes[0], w1.sizes[0], w1.sizes[1]);
        let inside = Grid::from_fn(&[s, h], |place| {
            let sum: f64 = (0..d).map(|c| x.get(&[place[0], c]) * w1.get(&[c, place[1]])).sum();
            (sum + b1.values[place[1]]).max(0.0)
        });
        let expected = Grid::from_fn(&[s, d], |place| {
            let sum: f64 = (0..h).map(|i| inside.get(&[place[0], i]) * w2.get(&[i, place[1]])).sum();
            sum + b2.values[place[1]]
        });
        let found = ffn.apply(&tensor!(f64, &x, (seq, chans))).to_vec((seq, chans)).unwrap();
        let size = 2.0 * h as f64 * (4.0 * d as f64 + 2.0) + 2.0;
        assert_close(&found, &expected, Bound::roundings(2 * (d + h) + 10, size, f64::EPSILON));
    }

    #[test]
    fn s3_18_the_block_normalises_attends_and_adds_then_normalises_feeds_forward_and_adds(
        s in 1_usize..6, c in 2_usize..6, seed: u64,
    ) {
        let mut numbers = Numbers(seed);
        let heads = numbers.multi_head(2, c, 3, 2);
        let plain = numbers.block(c, 5, heads);
        let noise = numbers.grid(&[s, c]);
        let x = Grid::from_fn(&[s, c], |place| noise.get(place) + if place[1] % 2 == 0 { 2.0 } else { -2.0 });
        // The figure, read from below: x + MHA(LN x), then + FFN(LN .).
        let normed = plain.norm1.apply(&x);
        let middle = residual(&x, &plain.attention.apply(&normed, &normed, None));
        let expected = residual(&middle, &plain.feed_forward.apply(&plain.norm2.apply(&middle)));
        let found = multi_head_block::<f64>(&plain).apply(&tensor!(f64, &x, (seq, chans)));
        assert_close(&found.to_vec((seq, chans)).unwrap(), &expected, Bound::absolute(1e-9));
    }

    #[test]
    fn s3_20_an_encoding_depends_on_the_position_alone_and_is_added([x, z] in grids(|[s, c]| [vec![s, c], vec![s, c]])) {
        let [p, q] = [&x, &z].map(|words| {
            let encoded = PositionalEncoding(&tensor!(f64, words, (seq, chans))).to_vec((seq, chans)).unwrap();
            Grid::new(&x.sizes, encoded.iter().zip(&words.values).map(|(sum, word)| sum - word).collect())
        });
        assert_close(&p.values, &q, Bound::roundings(4, 3.0, f64::EPSILON));
    }
}

#[test]
fn s3_16_without_an_epsilon_equal_numbers_would_be_zero_over_zero() {
    let x = Tensor::<R![chans], f64>::full(chans.of(4), 7.0);
    let printed = x.standardize_with(chans, 0.0).to_vec(chans).unwrap();
    assert!(printed.iter().all(|number| number.is_nan()), "{printed:?}");
    let norm: LayerNorm<f64> = LayerNorm::init(&mut seeded(0), chans.of(4)).unwrap().cast();
    assert_eq!(norm.apply(&x).to_vec(chans).unwrap(), [0.0; 4]);
}

#[test]
fn s3_20_with_positions_added_the_block_is_no_longer_equivariant() {
    let mut numbers = Numbers(3);
    let heads = numbers.multi_head(2, 4, 3, 2);
    let model = multi_head_block::<f64>(&numbers.block(4, 5, heads));
    let x = tensor!(f64, &numbers.grid(&[3, 4]), (seq, chans));
    let turned = x.slice(seq, 1..3).concat(seq, &x.slice(seq, 0..1));
    let far = |y: &Tensor<R![chans, seq], f64>, z: &Tensor<R![chans, seq], f64>| {
        let turned = y.slice(seq, 1..3).concat(seq, &y.slice(seq, 0..1));
        (turned - z).abs().max((chans, seq)).item().unwrap()
    };
    assert!(far(&model.apply(&x), &model.apply(&turned)) < 1e-12);
    let with = |x: &Tensor<R![chans, seq], f64>| model.apply(&PositionalEncoding(x));
    assert!(far(&with(&x), &with(&turned)) > 0.1);
}
