//! Attention with heads in all its forms, against concatenated matrices: rows 1.6 to 1.9, 1.17, 2.17, 4.3 to 4.5.
//!
//! Not here: the attention of one head under names (`attention`), layers (`layer`).

use named_tensor::prelude::*;
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::attention::{MultiHead as Plain, causal_mask};
use named_tensor_tests::reference::contraction::{eye, matrix_matrix};
use named_tensor_tests::reference::rearrangement::at;
use named_tensor_tests::reference::{Grid, sources};
use named_tensor_tests::strategies::{cases, grids, in_both_precisions, laid_out, layout, tensor};
use proptest::prelude::*;
use transformer::attention::{Attention, GroupedQuery, MultiHead, MultiQuery};
use transformer::axes::{batch, chans, groups, heads, key, seq, seq_, shared, val};

use crate::Numbers;
use crate::attention::projected;

/// The weights with or without their biases; b_O is 0 where there are others.
pub(crate) fn named<T: Real>(plain: &Plain, biases: bool) -> MultiHead<T> {
    let bias = |grid| biases.then(|| tensor!(T, grid, (heads, key)));
    MultiHead {
        W_Q: tensor!(T, &plain.w_q, (heads, chans, key)),
        b_Q: bias(&plain.b_q),
        W_K: tensor!(T, &plain.w_k, (heads, chans, key)),
        b_K: bias(&plain.b_k),
        W_V: tensor!(T, &plain.w_v, (heads, chans, val)),
        b_V: biases.then(|| tensor!(T, &plain.b_v, (heads, val))),
        W_O: tensor!(T, &plain.w_o, (heads, val, chans)),
        b_O: biases.then(|| Tensor::zeros(chans.of(plain.w_o.sizes[2]))),
    }
}

/// A mask that hides nothing.
fn open<T: Real>(keys: usize) -> Tensor<R![seq], T> {
    Tensor::zeros(seq.of(keys))
}

fn sizes() -> impl Strategy<Value = [usize; 5]> {
    [1_usize..6, 1_usize..6, 1_usize..4, 1_usize..5, 1_usize..5]
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn s1_6_s4_3_attention_is_softmax_of_q_times_k_transposed_times_v(
        [q, k, v] in grids(|[t, s, n, v]| [vec![t, n], vec![s, n], vec![s, v]]), l in layout(),
    ) {
        in_both_precisions!({
            let (queries, keys) = (laid_out!(Number, &q, l, (seq_, key)), laid_out!(Number, &k, l, (seq, key)));
            let y = Attention(&queries, &keys, &laid_out!(Number, &v, l, (seq, val)));
            let expected = sources::attention_in_matrices(&q, &k, &v, false);
            let bound = Bound::roundings(4 * q.sizes[1] * q.sizes[1] + k.sizes[0] + 20, 4.0, UNIT);
            assert_close(&y.to_vec((seq_, val)).unwrap(), &expected, bound);
        });
    }

    #[test]
    fn s1_8_s1_9_s4_4_heads_are_concatenated_and_multiplied_by_one_matrix(
        [x] in grids(|[s, c]| [vec![s, c]]), [_, _, h, k, v] in sizes(), l in layout(), seed: u64,
    ) {
        in_both_precisions!({
            let plain = Numbers(seed).multi_head(h, x.sizes[1], k, v);
            let t = laid_out!(Number, &x, l, (seq, chans));
            let bound = projected(x.sizes[1] + h * v, k, x.sizes[0], UNIT);
            let y: Tensor<R![seq, chans], Number> = named::<Number>(&plain, false).apply(&t, &t, &open(x.sizes[0]));
            assert_close(&y.to_vec((seq, chans)).unwrap(), &sources::multi_head(&plain, &x, &x, false), bound);
        });
    }

    #[test]
    fn s1_9_each_head_is_attention_of_its_own_projections([s, c, h, k, _] in sizes(), seed: u64) {
        let (mut numbers, mut plain) = (Numbers(seed), Numbers(seed).multi_head(h, c, k, c));
        let x = numbers.grid(&[s, c]);
        // An output matrix that hands one head on as it is.
        for j in 0..h {
            plain.w_o = Grid::from_fn(&[h, c, c], |at| if at[0] == j { eye(c).get(&at[1..]) } else { 0.0 });
            let t = tensor!(f64, &x, (seq, chans));
            let y = named::<f64>(&plain, false).apply(&t, &t, &open(s)).to_vec((seq, chans)).unwrap();
            let project = |w: &Grid| matrix_matrix(&x, &at(w, 0, j));
            let expected =
                sources::attention_in_matrices(&project(&plain.w_q), &project(&plain.w_k), &project(&plain.w_v), false);
            assert_close(&y, &expected, projected(c + h * c, k, s, f64::EPSILON));
        }
    }

    #[test]
    fn s4_5_masked_heads_are_softmax_of_masked_scores([s, c, h, k, v] in sizes(), seed: u64) {
        let plain = Numbers(seed).multi_head(h, c, k, v);
        let x = Numbers(seed ^ 1).grid(&[s, c]);
        let (t, mask) = (tensor!(f64, &x, (seq, chans)), tensor!(f64, &causal_mask(s, s, 0), (seq_, seq)));
        let y: Tensor<R![seq_, chans], f64> = named::<f64>(&plain, false).apply(&t.rename(seq, seq_), &t, &mask);
        let expected = sources::multi_head(&plain, &x, &x, true);
        assert_close(&y.to_vec((seq_, chans)).unwrap(), &expected, projected(c + h * v, k, s, f64::EPSILON));
    }

    #[test]
    fn s2_17_s4_23_queries_may_come_from_a_text_of_another_length([s, t, h, k, v] in sizes(), seed: u64) {
        let (c, mut numbers) = (3, Numbers(seed));
        let plain = numbers.multi_head(h, c, k, v);
        let (x, z) = (numbers.grid(&[2, s, c]), numbers.grid(&[2, t, c]));
        let model = named::<f64>(&plain, true);
        // Both texts may even have their positions under one name, since those of the queries are extra.
        let y: Tensor<R![batch, seq, chans], f64> =
            model.apply(&tensor!(f64, &x, (batch, seq, chans)), &tensor!(f64, &z, (batch, seq, chans)), &open(t));
        for b in 0..2 {
            let expected = plain.apply(&at(&x, 0, b), &at(&z, 0, b), None);
            let found = y.at(batch, b).to_vec((seq, chans)).unwrap();
            assert_close(&found, &expected, projected(c + h * v, k, t, f64::EPSILON));
        }
    }

    #[test]
    fn s1_17_no_position_waits_for_the_result_of_another([s, c, h, k, v] in sizes(), seed: u64) {
        let plain = Numbers(seed).multi_head(h, c, k, v);
        let t = tensor!(f64, &Numbers(seed ^ 1).grid(&[s, c]), (seq, chans));
        let model = named::<f64>(&plain, true);
        let whole = model.apply(&t, &t, &open(s));
        for i in 0..s {
            let alone: Tensor<R![chans], f64> = model.apply(&t.at(seq, i), &t, &open(s));
            let expected = Grid::new(&[c], whole.at(seq, i).to_vec(chans).unwrap());
            assert_close(&alone.to_vec(chans).unwrap(), &expected, projected(c + h * v, k, s, f64::EPSILON));
        }
    }

    #[test]
    fn heads_of_a_group_share_keys_and_values([s, c, g, k, v] in sizes(), per_group in 1_usize..4, seed: u64) {
        // As many plain heads, where those of a group have copies of one pair of matrices.
        let h = g * per_group;
        let mut plain = Numbers(seed).multi_head(h, c, k, v);
        for w in [&mut plain.w_k, &mut plain.w_v] {
            let first = w.clone();
            *w = Grid::from_fn(&first.sizes, |at| first.get(&[at[0] / per_group * per_group, at[1], at[2]]));
        }
        let x = Numbers(seed ^ 1).grid(&[s, c]);
        let expected = sources::multi_head(&plain, &x, &x, false);
        let (t, bound) = (tensor!(f64, &x, (seq, chans)), projected(c + h * v, k, s, f64::EPSILON));
        let MultiHead { W_Q, W_K, W_V, W_O, .. } = named::<f64>(&plain, false);
        let first = |w: Tensor<R![heads, chans, key], f64>| w.split(heads, (groups.of(g), shared)).at(shared, 0);
        let model = GroupedQuery {
            W_Q: W_Q.split(heads, (groups.of(g), shared)),
            W_K: first(W_K.clone()),
            W_V: first(W_V.rename(val, key)).rename(key, val),
            W_O: W_O.split(heads, (groups.of(g), shared)),
        };
        let y = model.apply(&t, &t, &open(s));
        assert_close(&y.to_vec((seq, chans)).unwrap(), &expected, bound);
        if g == 1 {
            let model = MultiQuery { W_Q, W_K: W_K.at(heads, 0), W_V: W_V.at(heads, 0), W_O };
            assert_close(&model.apply(&t, &t, &open(s)).to_vec((seq, chans)).unwrap(), &expected, bound);
        }
    }
}

/// All vectors of ±1, which have mean 0 and variance 1 in each place, independently.
fn signs(d: usize) -> Grid {
    Grid::from_fn(&[1 << d, d], |at| if at[0] >> at[1] & 1 == 0 { 1.0 } else { -1.0 })
}

#[test]
fn s1_7_the_product_of_independent_vectors_has_mean_0_and_variance_d() {
    for d in 1..=5 {
        let q = tensor!(f64, &signs(d), (seq_, key));
        let products: Tensor<R![seq, seq_], f64> = q.dot(key, &q.rename(seq_, seq));
        assert_eq!(products.mean((seq, seq_)).item().unwrap(), 0.0);
        assert_eq!(products.var((seq, seq_)).item().unwrap(), d as f64);
        // Divided by √d the variance is 1, whatever d; a product of a vector with itself is not independent.
        let scaled = (&products / (d as f64).sqrt()).var((seq, seq_)).item().unwrap();
        assert!((scaled - 1.0).abs() < 1e-12, "{scaled}");
        assert_eq!(q.dot(key, &q).var(seq_).item().unwrap(), 0.0);
    }
}

#[test]
fn the_bias_of_the_output_is_added_once() {
    let plain = Numbers(1).multi_head(3, 2, 2, 2);
    let t = tensor!(f64, &Numbers(2).grid(&[4, 2]), (seq, chans));
    let (with, without) = (named::<f64>(&plain, true), named::<f64>(&plain, false));
    let bias = tensor!(f64, &Grid::new(&[2], vec![10.0, 20.0]), (chans));
    let shifted = MultiHead { b_O: Some(bias), ..with.clone() }.apply(&t, &t, &open(4));
    let difference = (shifted - with.apply(&t, &t, &open(4))).to_vec((seq, chans)).unwrap();
    assert_close(&difference, &Grid::from_fn(&[4, 2], |at| [10.0, 20.0][at[1]]), Bound::absolute(1e-13));
    // Biases count and matter where they are.
    assert_eq!(with.count() - without.count(), 3 * (2 + 2 + 2) + 2);
    let apart = (with.apply(&t, &t, &open(4)) - without.apply(&t, &t, &open(4))).abs().max((seq, chans));
    assert!(apart.item().unwrap() > 1e-3);
}
