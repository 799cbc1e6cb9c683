//! Attention, rows 0.7 to 0.10, heads and masks.
//!
//! Not here: the block around it (`block`).

use named_tensor::prelude::*;
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::Grid;
use named_tensor_tests::reference::attention::{self as plain, causal_mask};
use named_tensor_tests::reference::einsum::einsum;
use named_tensor_tests::reference::elementwise::map;
use named_tensor_tests::reference::norm::residual;
use named_tensor_tests::reference::rearrangement::at;
use named_tensor_tests::reference::softmax::softmax;
use named_tensor_tests::strategies::{cases, grids, in_both_precisions, laid_out, layout, tensor};
use proptest::prelude::*;
use transformer::attention::{Attention, CausalMask, MaskedAttention};
use transformer::axes::{batch, chans, heads, key, out, seq, seq_, val};
use transformer::feed_forward::Linear;

use crate::{Numbers, masked_multi_head, multi_head, self_attention};

/// Scores of n products below 4 err by about n² units times 4; a softmax does not enlarge them; m values are averaged.
fn attended(n: usize, m: usize, unit: f64) -> Bound {
    Bound::roundings(4 * n * n + m + 20, 4.0, unit)
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn s0_7_attention_of_one_query_is_the_plain_one(
        [q, k, v] in grids(|[n, s, v]| [vec![n], vec![s, n], vec![s, v]]), l in layout(), m in layout(),
    ) {
        in_both_precisions!({
            let query = laid_out!(Number, &q, l, key);
            let (keys, values) = (laid_out!(Number, &k, m, (seq, key)), laid_out!(Number, &v, l, (seq, val)));
            let y: Tensor<R![val], Number> = Attention(&query, &keys, &values);
            let expected = Grid::new(&[v.sizes[1]], plain::attend(&q.values, &k, &v, None));
            assert_close(&y.to_vec(val).unwrap(), &expected, attended(q.sizes[0], k.sizes[0], UNIT));
        });
    }

    #[test]
    fn s0_8_attention_lifted_over_queries_named_as_the_keys_or_apart(
        [q, k, v] in grids(|[t, n, v]| [vec![t, n], vec![t, n], vec![t, v]]), l in layout(), m in layout(),
    ) {
        in_both_precisions!({
            let (keys, values) = (laid_out!(Number, &k, m, (seq, key)), laid_out!(Number, &v, l, (seq, val)));
            let expected = plain::attention(&q, &k, &v, None);
            let bound = attended(q.sizes[1], k.sizes[0], UNIT);
            let queries = laid_out!(Number, &q, l, (seq_, key));
            let apart: Tensor<R![seq_, val], Number> = Attention(&queries, &keys, &values);
            assert_close(&apart.to_vec((seq_, val)).unwrap(), &expected, bound);
            let same: Tensor<R![seq, val], Number> = Attention(&laid_out!(Number, &q, l, (seq, key)), &keys, &values);
            assert_close(&same.to_vec((seq, val)).unwrap(), &expected, bound);
        });
    }

    #[test]
    fn s0_8_attention_lifted_over_heads_is_attention_of_each_head(
        [q, k, v] in grids(|[h, t, s, n, v]| [vec![h, t, n], vec![h, s, n], vec![h, s, v]]), l in layout(),
    ) {
        let (queries, keys) = (laid_out!(f64, &q, l, (heads, seq_, key)), laid_out!(f64, &k, l, (heads, seq, key)));
        let values = laid_out!(f64, &v, l, (heads, seq, val));
        let y: Tensor<R![heads, seq_, val], f64> = Attention(&queries, &keys, &values);
        for h in 0..q.sizes[0] {
            let expected = plain::attention(&at(&q, 0, h), &at(&k, 0, h), &at(&v, 0, h), None);
            let actual = y.at(heads, h).to_vec((seq_, val)).unwrap();
            assert_close(&actual, &expected, attended(q.sizes[2], k.sizes[1], f64::EPSILON));
        }
    }

    #[test]
    fn s0_9_self_attention_is_the_plain_one(
        [x] in grids(|[s, c]| [vec![s, c]]), k in 1_usize..6, l in layout(), seed: u64,
    ) {
        in_both_precisions!({
            let plain = Numbers(seed).self_attention(x.sizes[1], k, x.sizes[1]);
            let t = laid_out!(Number, &x, l, (seq, chans));
            let y: Tensor<R![val, seq], Number> = self_attention::<Number>(&plain).apply(&t);
            let bound = projected(x.sizes[1], k, x.sizes[0], UNIT);
            assert_close(&y.to_vec((seq, val)).unwrap(), &plain.apply(&x, None), bound);
        });
    }

    #[test]
    fn attention_whose_values_have_the_axis_of_the_keys_is_the_plain_one(
        [q, k] in grids(|[t, s, n]| [vec![t, n], vec![s, n]]), l in layout(),
    ) {
        in_both_precisions!({
            // Retrieval from a memory: what is looked up is what is compared.
            let (queries, memory) = (laid_out!(Number, &q, l, (seq_, key)), laid_out!(Number, &k, l, (seq, key)));
            let scale = (q.sizes[1] as f64).sqrt() as Number;
            let found = (queries.dot(key, &memory) / scale).softmax(seq).dot(seq, &memory);
            let expected = plain::attention(&q, &k, &k, None);
            assert_close(&found.to_vec((seq_, key)).unwrap(), &expected, attended(q.sizes[1], k.sizes[0], UNIT));
        });
    }

    #[test]
    fn s0_20_the_summary_writes_out_the_linear_layers_of_self_attention(
        [x] in grids(|[s, c]| [vec![s, c]]), seed: u64,
    ) {
        let att = self_attention::<f64>(&Numbers(seed).self_attention(x.sizes[1], 3, x.sizes[1]));
        let t = tensor!(f64, &x, (seq, chans));
        let keys = |weights: &Tensor<R![chans, key], f64>, bias: &Tensor<R![key], f64>| {
            Linear { W: weights.rename(key, out), b: bias.rename(key, out) }.apply(&t).rename(out, key)
        };
        let values = Linear { W: att.W_V.rename(val, out), b: att.b_V.rename(val, out) }.apply(&t).rename(out, val);
        let layers = Attention(&keys(&att.W_Q, &att.b_Q), &keys(&att.W_K, &att.b_K), &values);
        let written_out = att.apply(&t).to_vec((seq, val)).unwrap();
        prop_assert_eq!(layers.to_vec((seq, val)).unwrap(), written_out);
    }

    #[test]
    fn s0_10_the_residual_adds_the_values_under_the_name_of_the_channels(
        [x] in grids(|[s, c]| [vec![s, c]]), l in layout(), seed: u64,
    ) {
        let plain = Numbers(seed).self_attention(x.sizes[1], 3, x.sizes[1]);
        let t = laid_out!(f64, &x, l, (seq, chans));
        let y: Tensor<R![chans, seq], f64> = &t + &self_attention::<f64>(&plain).apply(&t).rename(val, chans);
        let expected = residual(&x, &plain.apply(&x, None));
        assert_close(&y.to_vec((seq, chans)).unwrap(), &expected, projected(x.sizes[1], 3, x.sizes[0], f64::EPSILON));
    }

    #[test]
    fn n20_attention_in_index_notation_is_the_lifted_one(
        [q, k, v] in grids(|[b, h, i, j, k]| [vec![b, h, i, k], vec![b, h, j, k], vec![b, h, j, k]]), l in layout(),
    ) {
        in_both_precisions!({
            let queries = laid_out!(Number, &q, l, (batch, heads, seq_, key));
            let keys = laid_out!(Number, &k, l, (batch, heads, seq, key));
            let values = laid_out!(Number, &v, l, (batch, heads, seq, val));
            let y: Tensor<R![batch, heads, seq_, val], Number> = Attention(&queries, &keys, &values);
            let scores = map(&einsum("bhik,bhjk->bhij", &[&q, &k]), |score| score / (q.sizes[3] as f64).sqrt());
            let expected = einsum("bhij,bhjv->bhiv", &[&softmax(&scores, &[3]), &v]);
            let bound = attended(q.sizes[3], k.sizes[2], UNIT);
            assert_close(&y.to_vec((batch, heads, seq_, val)).unwrap(), &expected, bound);
        });
    }

    #[test]
    fn n4_masked_attention_is_the_plain_one_with_the_mask_added(
        [q, k, v, m] in grids(|[t, s, n, v]| [vec![t, n], vec![s, n], vec![s, v], vec![t, s]]), l in layout(),
    ) {
        in_both_precisions!({
            let (queries, mask) = (laid_out!(Number, &q, l, (seq_, key)), laid_out!(Number, &m, l, (seq_, seq)));
            let (keys, values) = (laid_out!(Number, &k, l, (seq, key)), laid_out!(Number, &v, l, (seq, val)));
            let y: Tensor<R![seq_, val], Number> = MaskedAttention(&queries, &keys, &values, &mask);
            let expected = plain::attention(&q, &k, &v, Some(&m));
            assert_close(&y.to_vec((seq_, val)).unwrap(), &expected, attended(q.sizes[1], k.sizes[0], UNIT));
        });
    }

    #[test]
    fn s4_6_under_a_causal_mask_each_query_sees_itself_and_what_came_before(
        [q, k, v] in grids(|[s, n, v]| [vec![s, n], vec![s, n], vec![s, v]]), l in layout(),
    ) {
        in_both_precisions!({
            let (queries, keys) = (laid_out!(Number, &q, l, (seq_, key)), laid_out!(Number, &k, l, (seq, key)));
            let values = laid_out!(Number, &v, l, (seq, val));
            let mask: Tensor<R![seq, seq_], Number> = CausalMask(&keys.at(key, 0));
            let plain_mask = causal_mask(q.sizes[0], q.sizes[0], 0);
            assert_close(&mask.to_vec((seq_, seq)).unwrap(), &plain_mask, Bound::EXACT);
            let y = MaskedAttention(&queries, &keys, &values, &mask).to_vec((seq_, val)).unwrap();
            let expected = plain::attention(&q, &k, &v, Some(&plain_mask));
            assert_close(&y, &expected, attended(q.sizes[1], k.sizes[0], UNIT));
        });
    }

    #[test]
    fn s1_8_attention_with_heads_is_the_plain_one_summed_over_heads_and_values(
        [x] in grids(|[s, c]| [vec![s, c]]), [h, k, v] in [1_usize..4, 1_usize..5, 1_usize..5],
        l in layout(), seed: u64,
    ) {
        in_both_precisions!({
            let plain = Numbers(seed).multi_head(h, x.sizes[1], k, v);
            let t = laid_out!(Number, &x, l, (seq, chans));
            let mask = causal_mask(x.sizes[0], x.sizes[0], 0);
            let bound = projected(x.sizes[1] + h * v, k, x.sizes[0], UNIT);
            let y: Tensor<R![seq, chans], Number> = multi_head::<Number>(&plain).apply(&t);
            assert_close(&y.to_vec((seq, chans)).unwrap(), &plain.apply(&x, &x, None), bound);
            let masked = masked_multi_head::<Number>(&plain).apply(&t, &tensor!(Number, &mask, (seq_, seq)));
            assert_close(&masked.to_vec((seq, chans)).unwrap(), &plain.apply(&x, &x, Some(&mask)), bound);
        });
    }
}

/// With weights of size 1/c and biases of size 1, queries, keys and values of numbers below 2 are below 3 and err by c
/// roundings of them. A score of k of their products, over √k, is below 9 √k, and its error is relative in a weight.
pub(crate) fn projected(c: usize, k: usize, s: usize, unit: f64) -> Bound {
    Bound::roundings(2 * c + k + s + 20, 3.0 * 9.0 * (k as f64).sqrt(), unit)
}

#[test]
fn s0_9_self_attention_refuses_values_of_another_size_than_the_channels() {
    let model = self_attention::<f64>(&Numbers(1).self_attention(2, 3, 4));
    let error = model.apply(&Tensor::<_, f64>::zeros((seq.of(5), chans.of(2)))).to_vec((seq, val)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Condition);
    for word in ["SelfAttention", "|val| = |chans|", "2", "4"] {
        assert!(error.to_string().contains(word), "`{word}` is not in: {error}");
    }
}
