//! The sums by indices of source 002, each as its string of letters and as its equation of names.
//!
//! Lives here: rows 2.1 to 2.19: single products, then attention as a whole, its cache and its prompts.
//! The letters of the source are b batch, h heads, m keys (seq), n queries (seq′), d channels, k and v features of a head.
//! Not here: the attention of the transformer crate (`models`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{batch, chans, heads, key, seq, seq_, val};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::einsum::{einsum, shapes};
use named_tensor_tests::reference::elementwise::map;
use named_tensor_tests::reference::rearrangement::{at, concat, flatten, reorder, slice};
use named_tensor_tests::reference::{Grid, attention as plain, contraction, places, softmax};
use named_tensor_tests::strategies::{cases, grid, in_both_precisions, laid_out, layout, sizes, tensor};
use proptest::prelude::*;

named! {
    fn Dot(A: R[chans], B: R[chans]) -> R[] {
        A dot_chans B
    }

    fn MatrixVector(A: R[seq, chans], B: R[chans]) -> R[seq] {
        A dot_chans B
    }

    fn MatrixMatrix(A: R[seq, key], B: R[seq_, key]) -> R[seq, seq_] {
        A dot_key B
    }

    fn HeadScores(K: R[heads, seq, key], Q: R[heads, key]) -> R[heads, seq] {
        K dot_key Q
    }

    fn Queries(X: R[batch, seq_, chans], P: R[heads, chans, key]) -> R[batch, heads, seq_, key] {
        X dot_chans P
    }

    fn Keys(X: R[batch, seq, chans], P: R[heads, chans, key]) -> R[batch, heads, seq, key] {
        X dot_chans P
    }

    fn Values(X: R[batch, seq, chans], P: R[heads, chans, val]) -> R[batch, heads, seq, val] {
        X dot_chans P
    }

    fn Scores(K: R[batch, heads, seq, key], Q: R[batch, heads, seq_, key]) -> R[batch, heads, seq, seq_] {
        K dot_key Q
    }

    fn Weighted(W: R[batch, heads, seq, seq_], V: R[batch, heads, seq, val]) -> R[batch, heads, seq_, val] {
        W dot_seq V
    }

    fn Output(O: R[batch, heads, seq_, val], P: R[heads, chans, val]) -> R[batch, seq_, chans] {
        O dot_{heads, val} P
    }

    /// Row 2.11 with the scale that the source leaves out, and row 2.12.
    fn Weights(K: R[seq, key], Q: R[key], M: R[seq]) -> R[seq] {
        softmax_seq(K dot_key Q / sqrt(|key|) + M)
    }

    /// Rows 2.13 and 2.19: query i sees the keys before it, those of the context first.
    fn Causal(K: R[seq, key], Q: R[seq_, key]) -> R[seq, seq_] {
        M_{seq(j), seq_(i)} = if j <= i + (|seq| - |seq_|) { 0 } else { -inf };
        M
    }

    /// Rows 2.8 to 2.15, for one example.
    fn Attention(X_Q: R[seq_, chans], X_K: R[seq, chans], M: R[seq, seq_];
                 P_Q: R[heads, chans, key], P_K: R[heads, chans, key], P_V: R[heads, chans, val], P_O: R[heads, chans, val])
                 -> R[seq_, chans] where |heads| * |key| = |chans|, |heads| * |val| = |chans| {
        W = Weights(X_K dot_chans P_K, X_Q dot_chans P_Q, M);
        W dot_seq (X_K dot_chans P_V) dot_{heads, val} P_O
    }
}

/// Two grids for the letters of a string.
fn operands(equation: &'static str) -> impl Strategy<Value = [Grid; 2]> {
    sizes::<7>().prop_flat_map(move |sizes| {
        let size = |letter: &char| sizes["bhmnkdv".find(*letter).expect("a letter of the source")];
        let (shapes, _) = shapes(equation);
        [0, 1].map(|operand| grid(&shapes[operand].iter().map(size).collect::<Vec<usize>>()))
    })
}

/// n products of numbers below 2, summed; n is the product of the sizes that are summed.
fn summed(equation: &str, [x, y]: &[Grid; 2], unit: f64) -> Bound {
    let (shapes, result) = shapes(equation);
    let sizes = shapes.concat().into_iter().zip([&x.sizes[..], &y.sizes].concat());
    let mut lost: Vec<(char, usize)> = sizes.filter(|(letter, _)| !result.contains(letter)).collect();
    lost.sort_unstable();
    lost.dedup();
    let n: usize = lost.iter().map(|(_, size)| size).product();
    Bound::roundings(n + 2, 4.0 * n as f64, unit)
}

/// Tests that a function of names is a string of letters, whose axes stand in brackets in the order of the letters.
macro_rules! rows {
    ($(#[$test_of:meta] fn $test:ident() $equation:literal = $function:ident($a:tt, $b:tt) -> $c:tt;)*) => {
        proptest! {
            #![proptest_config(cases(32))]
            $(
                #[$test_of]
                fn $test(grids in operands($equation), l in layout(), m in layout()) {
                    in_both_precisions!({
                        let [x, y] = &grids;
                        let found = $function(&laid_out!(Number, x, l, $a), &laid_out!(Number, y, m, $b));
                        let bound = summed($equation, &grids, UNIT);
                        assert_close(&found.to_vec($c).unwrap(), &einsum($equation, &[x, y]), bound);
                    });
                }
            )*
        }
    };
}

rows! {
    #[test]
    fn s2_3_a_dot_product_is_a_contraction_of_vectors() "d,d->" = Dot(chans, chans) -> ();
    #[test]
    fn s2_4_a_matrix_times_a_vector() "md,d->m" = MatrixVector((seq, chans), chans) -> seq;
    #[test]
    fn s2_5_a_matrix_times_a_vector_for_each_head() "hmk,hk->hm" =
        HeadScores((heads, seq, key), (heads, key)) -> (heads, seq);
    #[test]
    fn s2_6_a_matrix_times_a_matrix_for_each_head_of_each_example() "bhmk,bhnk->bhmn" =
        Scores((batch, heads, seq, key), (batch, heads, seq_, key)) -> (batch, heads, seq, seq_);
    #[test]
    fn s2_7_a_matrix_times_a_transposed_matrix() "mk,nk->mn" = MatrixMatrix((seq, key), (seq_, key)) -> (seq, seq_);
    #[test]
    fn s2_8_the_projection_to_queries() "bnd,hdk->bhnk" =
        Queries((batch, seq_, chans), (heads, chans, key)) -> (batch, heads, seq_, key);
    #[test]
    fn s2_9_the_projection_to_keys() "bmd,hdk->bhmk" =
        Keys((batch, seq, chans), (heads, chans, key)) -> (batch, heads, seq, key);
    #[test]
    fn s2_10_the_projection_to_values() "bmd,hdv->bhmv" =
        Values((batch, seq, chans), (heads, chans, val)) -> (batch, heads, seq, val);
    #[test]
    fn s2_14_the_values_weighted_and_summed_over_keys() "bhmn,bhmv->bhnv" =
        Weighted((batch, heads, seq, seq_), (batch, heads, seq, val)) -> (batch, heads, seq_, val);
    #[test]
    fn s2_15_the_output_is_summed_over_heads_and_values() "bhnv,hdv->bnd" =
        Output((batch, heads, seq_, val), (heads, chans, val)) -> (batch, seq_, chans);
}

/// The projections of source 002, over the letters hdk, hdk, hdv and hdv.
#[derive(Clone, Debug)]
struct Projections {
    q: Grid,
    k: Grid,
    v: Grid,
    o: Grid,
}

impl Projections {
    /// Rows 2.8 to 2.15 in strings of letters: queries over bnd, keys over bmd, a mask over mn.
    fn attend(&self, queries: &Grid, keys: &Grid, mask: &Grid) -> Grid {
        let k = einsum("bmd,hdk->bhmk", &[keys, &self.k]);
        let v = einsum("bmd,hdv->bhmv", &[keys, &self.v]);
        self.attend_to(queries, &k, &v, mask)
    }

    /// The same, with keys over bhmk and values over bhmv that are there already.
    fn attend_to(&self, queries: &Grid, k: &Grid, v: &Grid, mask: &Grid) -> Grid {
        let q = einsum("bnd,hdk->bhnk", &[queries, &self.q]);
        let scores = einsum("bhmk,bhnk->bhmn", &[k, &q]);
        let root = (self.q.sizes[2] as f64).sqrt();
        let scores = Grid::from_fn(&scores.sizes, |at| scores.get(at) / root + mask.get(&at[2..]));
        let weighted = einsum("bhmn,bhmv->bhnv", &[&softmax::softmax(&scores, &[2]), v]);
        einsum("bhnv,hdv->bnd", &[&weighted, &self.o])
    }

    fn named(&self) -> Attention<f64> {
        Attention {
            P_Q: tensor!(f64, &self.q, (heads, chans, key)),
            P_K: tensor!(f64, &self.k, (heads, chans, key)),
            P_V: tensor!(f64, &self.v, (heads, chans, val)),
            P_O: tensor!(f64, &self.o, (heads, chans, val)),
        }
    }
}

/// `M_{m,n} = 0 if m ≤ n + offset, else -∞`
fn causal(keys: usize, queries: usize, offset: usize) -> Grid {
    reorder(&plain::causal_mask(queries, keys, offset), &[1, 0])
}

/// Projections with numbers below 1/4, where d = h k = h v, and inputs over b, m and n and d.
fn layers() -> impl Strategy<Value = (Projections, Grid, Grid)> {
    [1_usize..4, 1_usize..4, 1_usize..4, 1_usize..6, 1_usize..6].prop_flat_map(|[b, h, k, m, n]| {
        let d = h * k;
        let projections = [(); 4].map(|()| grid(&[h, d, k]).prop_map(|grid| map(&grid, |number| number / 8.0)));
        let projections = projections.prop_map(|[q, k, v, o]| Projections { q, k, v, o });
        (projections, grid(&[b, n, d]), grid(&[b, m, d]))
    })
}

/// Projections of d ≤ 9 numbers below 2, with weights below 1/4, are below 5; scores are sums of k ≤ 3 products of them
/// over √k, so below 44, and err by so many roundings of that; what a softmax makes of an error is relative and at most
/// twice as large. Weighted values are below 5 again, and the output is a sum of 9 of them over 4.
fn attended(m: usize) -> Bound {
    Bound::roundings(4 * (9 + 3 + m + 20), 44.0 * 5.0 * 3.0, f64::EPSILON)
}

fn row(x: &Grid, axis: usize, position: usize) -> Grid {
    slice(x, axis, position..position + 1)
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn s2_2_an_axis_that_the_result_lacks_is_summed_also_if_only_one_operand_has_it(
        grids in operands("mk,nk->"), l in layout(), m in layout(),
    ) {
        let [x, y] = &grids;
        let (a, b) = (laid_out!(f64, x, l, (seq, key)), laid_out!(f64, y, m, (seq_, key)));
        let near = |found: Vec<f64>, equation| {
            assert_close(&found, &einsum(equation, &[x, y]), summed(equation, &grids, f64::EPSILON));
        };
        near((&a * &b).to_vec((seq, seq_, key)).unwrap(), "mk,nk->mnk");
        near(a.dot(key, &b).to_vec((seq_, seq)).unwrap(), "mk,nk->nm");
        near((&a * &b).sum((seq, seq_)).to_vec(key).unwrap(), "mk,nk->k");
        near((&a * &b).sum((seq, key)).to_vec(seq_).unwrap(), "mk,nk->n");
        near(vec![a.dot(key, &b).sum((seq, seq_)).item().unwrap()], "mk,nk->");
    }

    #[test]
    fn s2_1_the_channels_are_heads_times_keys_and_heads_times_values((p, queries, keys) in layers()) {
        let (h, d, k) = (p.q.sizes[0], p.q.sizes[1], p.q.sizes[2]);
        prop_assert_eq!(d, h * k);
        // hk is a product of sizes in d = hk, and two axes everywhere else.
        let split = tensor!(f64, &queries, (batch, seq_, chans)).split(chans, (heads.of(h), key));
        prop_assert_eq!((split.size(heads), split.size(key)), (h, k));
        // k = v is an equality of sizes, not of names: the type of the values is another one than that of the keys.
        let mut wide = p.named();
        wide.P_V = Tensor::zeros((heads.of(h), chans.of(d), val.of(k + 1)));
        wide.P_O = wide.P_V.clone();
        let (queries, keys) = (tensor!(f64, &queries, (batch, seq_, chans)), tensor!(f64, &keys, (batch, seq, chans)));
        let mask = Tensor::zeros((seq.of(keys.size(seq)), seq_.of(queries.size(seq_))));
        let error = wide.apply(&queries, &keys, &mask).checked().unwrap_err();
        prop_assert_eq!(error.kind(), ErrorKind::Condition);
        prop_assert!(error.to_string().contains("|heads| * |val| = |chans|"), "{}", error);
    }

    #[test]
    fn s2_11_scores_are_divided_by_the_root_of_the_keys_size(
        grids in operands("hmk,hk->hm"), l in layout(),
    ) {
        let [k, q] = &grids;
        let weights = Weights(
            &laid_out!(f64, k, l, (heads, seq, key)),
            &tensor!(f64, q, (heads, key)),
            &Tensor::zeros(seq.of(k.sizes[1])),
        );
        let scores = map(&einsum("hmk,hk->hm", &[k, q]), |score| score / (k.sizes[2] as f64).sqrt());
        let n = k.sizes[2];
        let bound = Bound::roundings(2 * n + k.sizes[1] + 12, 4.0 * n as f64, f64::EPSILON);
        assert_close(&weights.to_vec((heads, seq)).unwrap(), &softmax::softmax(&scores, &[1]), bound);
    }

    #[test]
    fn s2_12_the_weights_of_each_query_sum_to_one_over_the_keys((p, queries, keys) in layers()) {
        let k = tensor!(f64, &einsum("bmd,hdk->bhmk", &[&keys, &p.k]), (batch, heads, seq, key));
        let q = tensor!(f64, &einsum("bnd,hdk->bhnk", &[&queries, &p.q]), (batch, heads, seq_, key));
        let weights: Tensor<R![batch, heads, seq, seq_], f64> = Weights(&k, &q, &Tensor::zeros(seq.of(k.size(seq))));
        let sums = weights.sum(seq).to_vec((batch, heads, seq_)).unwrap();
        let ones = Grid::new(&[sums.len()], vec![1.0; sums.len()]);
        assert_close(&sums, &ones, Bound::roundings(keys.sizes[1] + 4, 1.0, f64::EPSILON));
    }

    #[test]
    fn s2_13_a_masked_key_has_no_weight_and_a_score_of_zero_would_leak((p, _, x) in layers()) {
        let n = x.sizes[1];
        let (k, q) = (einsum("bmd,hdk->bhmk", &[&x, &p.k]), einsum("bnd,hdk->bhnk", &[&x, &p.q]));
        let (keys, queries) = (tensor!(f64, &k, (batch, heads, seq, key)), tensor!(f64, &q, (batch, heads, seq_, key)));
        let mask = Causal(&keys.at(batch, 0).at(heads, 0), &queries.at(batch, 0).at(heads, 0));
        assert_close(&mask.to_vec((seq, seq_)).unwrap(), &causal(n, n, 0), Bound::EXACT);
        let sizes = [x.sizes[0], p.q.sizes[0], n, n];
        let weights = |mask: &Tensor<R![seq, seq_], f64>| {
            Grid::new(&sizes, Weights(&keys, &queries, mask).to_vec((batch, heads, seq, seq_)).unwrap())
        };
        let (masked, free) = (weights(&mask), weights(&Tensor::zeros((seq.of(n), seq_.of(n)))));
        let later = |at: &[usize]| at[2] > at[3];
        prop_assert!(places(&sizes).iter().all(|at| !later(at) || masked.get(at) == 0.0));
        // A weight that is set to 0 after the softmax is the same, once the others are divided by their sum again.
        let kept = Grid::from_fn(&sizes, |at| if later(at) { 0.0 } else { free.get(at) });
        let again = kept.along(&[2], |line| line.iter().map(|weight| weight / line.iter().sum::<f64>()).collect());
        assert_close(&masked.values, &again, Bound::roundings(n + 40, 1.0 / least(&kept), f64::EPSILON));
        // A score that is set to 0 before it is a weight like any other: the first query would see every key.
        let scores = einsum("bhmk,bhnk->bhmn", &[&k, &q]);
        let zeroed = Grid::from_fn(&sizes, |at| if later(at) { 0.0 } else { scores.get(at) });
        let leaking = softmax::softmax(&zeroed, &[2]);
        prop_assert!(places(&sizes).iter().all(|at| leaking.get(at) > 0.0));
    }

    #[test]
    fn s2_16_context_is_attention_of_all_positions_to_all_before_them((p, _, x) in layers()) {
        let n = x.sizes[1];
        let t = tensor!(f64, &x, (batch, seq, chans));
        let mask = tensor!(f64, &causal(n, n, 0), (seq, seq_));
        let y = p.named().apply(&t.rename(seq, seq_), &t, &mask);
        let expected = p.attend(&x, &x, &causal(n, n, 0));
        assert_close(&y.to_vec((batch, seq_, chans)).unwrap(), &expected, attended(n));
    }

    #[test]
    fn s2_17_queries_and_keys_may_come_from_inputs_of_different_lengths((p, queries, keys) in layers()) {
        let mask = Grid::from_fn(&[keys.sizes[1], queries.sizes[1]], |_| 0.0);
        let (x_q, x_k) = (tensor!(f64, &queries, (batch, seq_, chans)), tensor!(f64, &keys, (batch, seq, chans)));
        let y = p.named().apply(&x_q, &x_k, &tensor!(f64, &mask, (seq, seq_)));
        let expected = p.attend(&queries, &keys, &mask);
        assert_close(&y.to_vec((batch, seq_, chans)).unwrap(), &expected, attended(keys.sizes[1]));
    }

    #[test]
    fn s2_18_one_position_at_a_time_with_kept_keys_is_the_whole_context((p, _, x) in layers()) {
        let (b, n, h, k) = (x.sizes[0], x.sizes[1], p.q.sizes[0], p.q.sizes[2]);
        let whole = p.attend(&x, &x, &causal(n, n, 0));
        let t = tensor!(f64, &x, (batch, seq, chans));
        let layer = p.named();
        let mut keys = Tensor::<R![batch, heads, seq, key], f64>::zeros((batch.of(b), heads.of(h), seq.of(0), key.of(k)));
        let mut values = Tensor::<R![batch, heads, seq, val], f64>::zeros((batch.of(b), heads.of(h), seq.of(0), val.of(k)));
        for i in 0..n {
            let position = t.slice(seq, i..i + 1);
            keys = keys.concat(seq, &Keys(&position, &layer.P_K));
            values = values.concat(seq, &Values(&position, &layer.P_V));
            let query = Queries(&position.rename(seq, seq_), &layer.P_Q);
            let weights = Weights(&keys, &query, &Tensor::zeros(seq.of(i + 1)));
            let y = Output(&Weighted(&weights, &values), &layer.P_O);
            assert_close(&y.to_vec((batch, seq_, chans)).unwrap(), &row(&whole, 1, i), attended(n));
        }
    }

    #[test]
    fn s2_19_a_prompt_of_keys_and_values_stands_before_the_context(
        (p, _, x) in layers(), prompt in 0_usize..4, seed in grid(&[2, 3, 3, 3, 3]),
    ) {
        let (b, n, h, k) = (x.sizes[0], x.sizes[1], p.q.sizes[0], p.q.sizes[2]);
        let initial = |which: usize| Grid::from_fn(&[b, h, prompt, k], |at| seed.get(&[which, at[0], at[1], at[2], at[3]]));
        let (k0, v0) = (initial(0), initial(1));
        let keys = concat(&k0, &einsum("bmd,hdk->bhmk", &[&x, &p.k]), 2);
        let values = concat(&v0, &einsum("bmd,hdv->bhmv", &[&x, &p.v]), 2);
        let expected = p.attend_to(&x, &keys, &values, &causal(prompt + n, n, prompt));
        let (t, layer) = (tensor!(f64, &x, (batch, seq, chans)), p.named());
        let keys = tensor!(f64, &k0, (batch, heads, seq, key)).concat(seq, &Keys(&t, &layer.P_K));
        let values = tensor!(f64, &v0, (batch, heads, seq, val)).concat(seq, &Values(&t, &layer.P_V));
        let queries = Queries(&t.rename(seq, seq_), &layer.P_Q);
        // The mask has an offset: every query sees the whole prompt.
        let mask = Causal(&keys.at(batch, 0).at(heads, 0), &queries.at(batch, 0).at(heads, 0));
        assert_close(&mask.to_vec((seq, seq_)).unwrap(), &causal(prompt + n, n, prompt), Bound::EXACT);
        let y = Output(&Weighted(&Weights(&keys, &queries, &mask), &values), &layer.P_O);
        assert_close(&y.to_vec((batch, seq_, chans)).unwrap(), &expected, attended(prompt + n));
    }

    #[test]
    fn s2_15_the_output_in_matrices_flattens_heads_before_values((p, x, _) in layers()) {
        let (n, h, v) = (x.sizes[1], p.v.sizes[0], p.v.sizes[2]);
        let keys = x.clone();
        let mask = Grid::from_fn(&[n, n], |_| 0.0);
        let whole = p.attend(&x, &keys, &mask);
        // [head_1, .., head_h] W^O, with W^O over (h v, d).
        let by_heads = flatten(&reorder(&p.o, &[0, 2, 1]));
        for b in 0..x.sizes[0] {
            let x = at(&x, 0, b);
            let head = |i: usize| {
                let project = |w: &Grid| contraction::matrix_matrix(&x, &at(w, 0, i));
                plain::attention(&project(&p.q), &project(&p.k), &project(&p.v), None)
            };
            let heads = (1..h).fold(head(0), |heads, i| concat(&heads, &head(i), 1));
            prop_assert_eq!(heads.sizes[1], h * v);
            let y = contraction::matrix_matrix(&heads, &by_heads);
            assert_close(&y.values, &at(&whole, 0, b), attended(n));
        }
    }
}

/// The least sum of a line of weights.
fn least(weights: &Grid) -> f64 {
    weights.reduce(&[2], |line| line.iter().sum()).values.into_iter().fold(1.0, f64::min)
}
