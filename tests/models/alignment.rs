//! Attention with any score, rows 1.10, 3.4, 3.7 to 3.9, 3.13 and 3.14.
//!
//! Not here: recurrent networks that align (`seq2seq`), attention as the Transformer writes it (`attention`).

use named_tensor::prelude::*;
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::differences::{assert_gradients, with_numbers};
use named_tensor_tests::reference::Grid;
use named_tensor_tests::reference::alignment::{self as plain, additive, bilinear, dot};
use named_tensor_tests::reference::attention as plain_attention;
use named_tensor_tests::reference::rearrangement::at;
use named_tensor_tests::strategies::{cases, grids, in_both_precisions, laid_out, layout, tensor};
use proptest::prelude::*;
use transformer::alignment::{Additive, Bilinear, DotProduct, Found, Retrieved, ScaledDotProduct, retrieval};
use transformer::attention::Attention;
use transformer::axes::{batch, hidden, key, query, seq, seq_, val};

/// What each query retrieves, key by key.
fn retrieved(q: &Grid, k: &Grid, v: &Grid, score: impl Fn(&[f64], &[f64]) -> f64) -> Grid {
    let rows = (0..q.sizes[0]).flat_map(|s| plain::retrieved(&plain::weights(&score, &at(q, 0, s).values, k), v));
    Grid::new(&[q.sizes[0], v.sizes[1]], rows.collect())
}

/// Scores of n·m products of numbers below 8 err by so many roundings of them; s values below 2 are averaged.
fn bound(n: usize, m: usize, s: usize, unit: f64) -> Bound {
    Bound::roundings(4 * (n + m) + n * m + s + 20, 16.0 * (n * m) as f64, unit)
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn s1_10_s3_8_any_score_gives_the_plain_retrieval(
        [q, k, v, w, w_q, w_k, b] in grids(|[t, s, n, h]| [
            vec![t, n], vec![s, n], vec![s, h], vec![n, n], vec![n, h], vec![n, h], vec![2, h],
        ]), l in layout(), m in layout(),
    ) {
        in_both_precisions!({
            let queries = laid_out!(Number, &q, l, (seq_, query));
            let (keys, values) = (laid_out!(Number, &k, m, (seq, key)), laid_out!(Number, &v, l, (seq, val)));
            let (n, h, s) = (q.sizes[1], v.sizes[1], k.sizes[0]);
            let check = |y: Tensor<R![seq_, val], Number>, score: &dyn Fn(&[f64], &[f64]) -> f64| {
                assert_close(&y.to_vec((seq_, val)).unwrap(), &retrieved(&q, &k, &v, score), bound(n, n.max(h), s, UNIT));
            };
            check(retrieval(|q, k| DotProduct(q, k), &queries, &keys, &values), &dot);
            let root = (n as f64).sqrt();
            check(retrieval(|q, k| ScaledDotProduct(q, k), &queries, &keys, &values), &|q, k| dot(q, k) / root);
            let general = Bilinear { W: tensor!(Number, &w, (query, key)) };
            check(retrieval(|q, k| general.apply(q, k), &queries, &keys, &values), &|q, k| bilinear(q, k, &w));
            let (bias, last) = (at(&b, 0, 0), at(&b, 0, 1));
            let network = Additive {
                W_Q: tensor!(Number, &w_q, (query, hidden)),
                W_K: tensor!(Number, &w_k, (key, hidden)),
                b: tensor!(Number, &bias, (hidden)),
                v: tensor!(Number, &last, (hidden)),
            };
            let plain = |q: &[f64], k: &[f64]| additive(q, k, &w_q, &w_k, &bias.values, &last.values);
            check(retrieval(|q, k| network.apply(q, k), &queries, &keys, &values), &plain);
        });
    }

    #[test]
    fn s3_4_the_score_of_two_vectors_one_above_the_other_is_that_of_two_matrices(
        [q, k, w_q, w_k, v] in grids(|[n, m, h]| [vec![n], vec![m], vec![n, h], vec![m, h], vec![h]]),
    ) {
        // The plain score puts the vectors one above the other, and the matrices too.
        let expected = additive(&q.values, &k.values, &w_q, &w_k, &vec![0.0; v.values.len()], &v.values);
        let network = Additive {
            W_Q: tensor!(f64, &w_q, (query, hidden)),
            W_K: tensor!(f64, &w_k, (key, hidden)),
            b: Tensor::zeros(hidden.of(v.values.len())),
            v: tensor!(f64, &v, (hidden)),
        };
        let found = network.apply(&tensor!(f64, &q, (query)), &tensor!(f64, &k, (key))).item().unwrap();
        let [n, m, h] = [q.values.len(), k.values.len(), v.values.len()];
        assert_close(&[found], &Grid::scalar(expected), Bound::roundings(n + m + h + 10, 8.0 * (n + m + h) as f64, f64::EPSILON));
    }

    #[test]
    fn s1_10_s3_9_with_the_scaled_product_it_is_the_attention_of_transformers(
        [q, k, v] in grids(|[t, s, n, v]| [vec![t, n], vec![s, n], vec![s, v]]),
    ) {
        let (keys, values) = (tensor!(f64, &k, (seq, key)), tensor!(f64, &v, (seq, val)));
        let scored = retrieval(|q, k| ScaledDotProduct(q, k), &tensor!(f64, &q, (seq_, query)), &keys, &values);
        let written: Tensor<R![seq_, val], f64> = Attention(&tensor!(f64, &q, (seq_, key)), &keys, &values);
        let written = Grid::new(&[q.sizes[0], v.sizes[1]], written.to_vec((seq_, val)).unwrap());
        assert_close(&scored.to_vec((seq_, val)).unwrap(), &written, bound(q.sizes[1], 1, k.sizes[0], f64::EPSILON));
    }

    #[test]
    fn s3_8_the_weights_of_what_is_retrieved_sum_to_one([s] in grids(|[t, s]| [vec![t, s]]), number in -2.0_f64..2.0) {
        // Values that are all alike come back as they are.
        let values = Tensor::<R![seq, val], f64>::full((seq.of(s.sizes[1]), val.of(2)), number);
        let found = Retrieved(&tensor!(f64, &s, (seq_, seq)), &values).to_vec((seq_, val)).unwrap();
        let expected = Grid::from_fn(&[s.sizes[0], 2], |_| number);
        assert_close(&found, &expected, Bound::roundings(2 * s.sizes[1] + 10, 2.0, f64::EPSILON));
    }

    #[test]
    fn s3_7_with_scores_far_apart_what_is_retrieved_is_the_value_of_the_best_key(
        best in 0_usize..7, [v] in grids(|[s, v]| [vec![s + 1, v]]), seed: u64,
    ) {
        // The best score is ahead of the others by 1 at least; at temperature 1/λ their weights are below e^-λ each.
        let n = v.sizes[0];
        let scores = Grid::from_fn(&[n], |place| {
            let noise = ((seed >> (place[0] % 50)) & 1) as f64 / 2.0;
            if place[0] == best % n { 2.0 } else { noise }
        });
        let (scores, values) = (tensor!(f64, &scores, (seq)), tensor!(f64, &v, (seq, val)));
        let hard = Grid::new(&[v.sizes[1]], Found(&scores, &values).to_vec(val).unwrap());
        assert_close(&hard.values, &at(&v, 0, best % n), Bound::EXACT);
        for λ in [1.0, 5.0, 20.0, 100.0, 1000.0] {
            let soft = Retrieved(&(&scores * λ), &values).to_vec(val).unwrap();
            let far = 4.0 * (n - 1) as f64 * (-λ).exp() + 1e-14;
            assert_close(&soft, &hard, Bound::absolute(far));
        }
    }

    #[test]
    fn s3_14_attention_is_the_expected_value_given_the_query(
        [q, k, v] in grids(|[t, s, n, v]| [vec![t, n], vec![s, n], vec![s, v]]),
    ) {
        // p(x_t | x_s) = exp(q_s · k_t / √|key|) / Σ_r exp(q_s · k_r / √|key|), with the transpose and the root that the
        // source leaves out.
        let root = (q.sizes[1] as f64).sqrt();
        let e = |s: usize, t: usize| (dot(&at(&q, 0, s).values, &at(&k, 0, t).values) / root).exp();
        let expected = Grid::from_fn(&[q.sizes[0], v.sizes[1]], |place| {
            let all: f64 = (0..k.sizes[0]).map(|r| e(place[0], r)).sum();
            (0..k.sizes[0]).map(|t| e(place[0], t) / all * v.get(&[t, place[1]])).sum()
        });
        let (keys, values) = (tensor!(f64, &k, (seq, key)), tensor!(f64, &v, (seq, val)));
        let found: Tensor<R![seq_, val], f64> = Attention(&tensor!(f64, &q, (seq_, key)), &keys, &values);
        // Without the largest score taken off, exponentials err relatively as their exponents do absolutely.
        let largest = 4.0 * q.sizes[1] as f64;
        let bound = Bound::roundings(8 * q.sizes[1] + k.sizes[0] + 40, 4.0 * largest, f64::EPSILON);
        assert_close(&found.to_vec((seq_, val)).unwrap(), &expected, bound);
    }
}

#[test]
fn s3_14_values_drawn_by_their_weights_have_attention_as_their_mean() {
    let mut rng = seeded(4);
    let mut drawn = |n: usize, m: usize| -> Tensor<R![seq, key], f64> {
        Tensor::normal(&mut rng, (seq.of(n), key.of(m)), 0.0, 1.0)
    };
    let (q, k, v) = (drawn(1, 4).at(seq, 0), drawn(6, 4), drawn(6, 1));
    let v: Tensor<R![seq, val], f64> = v.rename(key, val);
    let mean = Attention(&q, &k, &v).to_vec(val).unwrap()[0];
    let weights =
        plain_attention::weights(&q.to_vec(key).unwrap(), &Grid::new(&[6, 4], k.to_vec((seq, key)).unwrap()), None);
    let values = v.to_vec((seq, val)).unwrap();

    // A position for each uniform number, by the sums of the weights up to it.
    const DRAWS: usize = 40_000;
    let uniform: Tensor<R![batch], f64> = Tensor::uniform(&mut seeded(9), batch.of(DRAWS), 0.0, 1.0);
    let chosen = uniform.to_vec(batch).unwrap().into_iter().map(|u| {
        let mut sum = 0.0;
        let place = weights.iter().position(|weight| {
            sum += weight;
            u < sum
        });
        values[place.unwrap_or(5)]
    });
    let (sum, squares) = chosen.fold((0.0, 0.0), |(sum, squares), v| (sum + v, squares + v * v));
    let n = DRAWS as f64;
    let deviation = (squares / n - (sum / n).powi(2)).sqrt();
    assert!(deviation > 0.1, "values that differ");
    assert!((sum / n - mean).abs() < 4.0 * deviation / n.sqrt(), "{} instead of {mean}", sum / n);
}

#[test]
fn s3_13_weights_over_another_axis_than_the_keys_are_other_weights() {
    // Two queries and two keys: over the keys each query's weights sum to 1, over the queries each key's do. That the
    // queries' axis is not there to be normalised over inside `retrieval` is an example of its documentation.
    let scores = Tensor::<R![seq_, seq], f64>::from_array((seq_, seq), [[0.0, 1.0], [3.0, 5.0]]);
    let (right, wrong) = (scores.softmax(seq), scores.softmax(seq_));
    let sums = |weights: &Tensor<R![seq_, seq], f64>| weights.sum(seq).to_vec(seq_).unwrap();
    assert!(sums(&right).iter().all(|sum| (sum - 1.0).abs() < 1e-15));
    assert!(sums(&wrong).iter().all(|sum| (sum - 1.0).abs() > 0.5), "{:?}", sums(&wrong));
}

#[test]
fn s3_9_a_product_of_vectors_from_different_spaces_has_no_meaning() {
    let (q, k) = (Tensor::<_, f64>::ones(query.of(3)), Tensor::<_, f64>::ones((seq.of(2), key.of(4))));
    for (name, error) in [
        ("DotProduct", DotProduct(&q, &k).checked().unwrap_err()),
        ("ScaledDotProduct", ScaledDotProduct(&q, &k).checked().unwrap_err()),
    ] {
        assert_eq!(error.kind(), ErrorKind::Condition);
        for word in [name, "|query| = |key|", "3", "4"] {
            assert!(error.to_string().contains(word), "`{word}` is not in: {error}");
        }
    }
    // Scores with parameters lead from one space to the other.
    let general = Bilinear::init(&mut seeded(0), (query.of(3), key.of(4))).unwrap().cast::<f64>();
    assert_eq!(general.apply(&q, &k).size(seq), 2);
}

#[test]
fn s1_10_scores_with_parameters_have_the_gradients_of_differences() {
    let mut rng = seeded(3);
    let q = Tensor::normal(&mut rng, (seq_.of(2), query.of(3)), 0.0, 1.0);
    let k = Tensor::normal(&mut rng, (seq.of(3), key.of(2)), 0.0, 1.0);
    let v = Tensor::normal(&mut rng, (seq.of(3), val.of(2)), 0.0, 1.0);
    let network = with_numbers(Additive::init(&mut rng, (query.of(3), key.of(2), hidden.of(4))).unwrap().cast(), 2);
    assert_gradients(&network, |network: &Additive<f64>| {
        retrieval(|q, k| network.apply(q, k), &q, &k, &v).sin().sum((seq_, val))
    });
    let general = with_numbers(Bilinear::init(&mut rng, (query.of(3), key.of(2))).unwrap().cast(), 2);
    assert_gradients(&general, |general: &Bilinear<f64>| {
        retrieval(|q, k| general.apply(q, k), &q, &k, &v).sin().sum((seq_, val))
    });
}
