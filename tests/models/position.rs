//! Embeddings and positions, rows 1.1 to 1.5, 3.20 and 4.9 to 4.11: sines, learned vectors, rotary positions, ALiBi.
//!
//! Each source's form of the sines is written out as printed, counted as it counts, and equal to the crate's one function.
//! Not here: indexing itself (`laws`), masks (`mask`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::layer;
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::elementwise::zip;
use named_tensor_tests::reference::indexing::{self, Positions};
use named_tensor_tests::reference::mask::slopes;
use named_tensor_tests::reference::position::sinusoidal;
use named_tensor_tests::reference::position::{rotated, rotated_by_halves};
use named_tensor_tests::reference::{Grid, position as plain};
use named_tensor_tests::strategies::{cases, grid, grids, in_both_precisions, laid_out, layout, sizes, tensor};
use proptest::prelude::*;
use transformer::axes::{chans, heads, key, pair, places, seq, seq_, vocab};
use transformer::embedding::Embedding;
use transformer::position::{
    Angles, InterleavedRotary, LearnedPosition, LinearBias, PositionalEncoding, Rotary, Sinusoids, Slopes,
};

named! {
    /// Rows 1.2 and 1.3: P(k, 2i) and P(k, 2i+1), i from 0, here i = ⌊c/2⌋.
    fn ByPairs(X: R[seq, chans], n: R[]) -> R[seq, chans] {
        P_{seq(k), chans(c)} =
            if c % 2 == 0 { sin(k / n ^ (2 * div(c, 2) / |chans|)) } else { cos(k / n ^ (2 * div(c, 2) / |chans|)) };
        X + P
    }

    /// Row 4.9: i is the position and j the feature, both from 0.
    fn ByFeatures(X: R[seq, chans]) -> R[seq, chans] {
        P_{seq(i), chans(j)} = if j % 2 == 0 { sin(i / 10000 ^ (j / |chans|)) } else { cos(i / 10000 ^ ((j - 1) / |chans|)) };
        P + X
    }

    /// The paper's appendix: p and i are counted from 1, so that an odd i is a sine.
    fn CountedFromOne(X: R[seq, layer]) -> R[seq, layer] {
        P_{seq(p0), layer(i0)} = if (i0 + 1) % 2 == 1 {
            sin((p0 + 1 - 1) / 10000 ^ ((i0 + 1 - 1) / |layer|))
        } else {
            cos((p0 + 1 - 1) / 10000 ^ ((i0 + 1 - 2) / |layer|))
        };
        X + P
    }
}

/// An angle is below |seq| and its power and quotient round 8 times; sines do not enlarge distances.
fn angles(positions: usize, unit: f64) -> Bound {
    Bound::roundings(8, positions as f64 + 4.0, unit)
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn s1_2_s1_3_positions_are_added_as_sines_and_cosines([x] in grids(|[s, c]| [vec![s, c]]), l in layout()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (seq, chans));
            let y: Tensor<R![seq, chans], Number> = PositionalEncoding(&t);
            let expected = zip(&x, &sinusoidal(x.sizes[0], x.sizes[1]), |x, p| x + p);
            assert_close(&y.to_vec((seq, chans)).unwrap(), &expected, angles(x.sizes[0], UNIT));
        });
    }

    #[test]
    fn s1_1_an_embedding_is_the_rows_of_its_table(
        (e, words) in sizes().prop_flat_map(|[v, c, s]| (grid(&[v, c]), prop::collection::vec(0..v, s))),
    ) {
        let model = Embedding { E: tensor!(f64, &e, (vocab, chans)) };
        let text = Tensor::indices_from_vec(seq.of(words.len()), vocab, words.clone()).unwrap();
        let y: Tensor<R![seq, chans], f64> = model.apply(&text);
        let expected = indexing::sequence(&e, &Positions { sizes: vec![words.len()], values: words });
        assert_close(&y.to_vec((seq, chans)).unwrap(), &expected, Bound::EXACT);
    }
    #[test]
    fn s1_5_a_word_and_its_position_are_added(
        (e, words) in sizes().prop_flat_map(|[v, c, s]| (grid(&[v, c]), prop::collection::vec(0..v, s))),
    ) {
        let model = Embedding { E: tensor!(f64, &e, (vocab, chans)) };
        let text = Tensor::indices_from_vec(seq.of(words.len()), vocab, words.clone()).unwrap();
        let y: Tensor<R![seq, chans], f64> = PositionalEncoding(&model.apply(&text));
        let (n, c) = (words.len(), e.sizes[1]);
        let rows = indexing::sequence(&e, &Positions { sizes: vec![n], values: words });
        let expected = zip(&rows, &sinusoidal(n, c), |word, position| word + position);
        assert_close(&y.to_vec((seq, chans)).unwrap(), &expected, Bound::roundings(8, n as f64 + 4.0, f64::EPSILON));
    }
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn s1_2_s1_3_s4_9_s4_11_the_forms_of_all_sources_are_one_function([x] in grids(|[s, c]| [vec![s, c]])) {
        let (n, t) = (x.sizes[0], tensor!(f64, &x, (seq, chans)));
        let one = Grid::new(&x.sizes, PositionalEncoding(&t).to_vec((seq, chans)).unwrap());
        let pairs = ByPairs(&t, &Tensor::scalar(10_000.0)).to_vec((seq, chans)).unwrap();
        assert_close(&pairs, &one, angles(n, f64::EPSILON));
        assert_close(&ByFeatures(&t).to_vec((seq, chans)).unwrap(), &one, angles(n, f64::EPSILON));
        let from_one = CountedFromOne(&t.rename(chans, layer)).to_vec((seq, layer)).unwrap();
        assert_close(&from_one, &one, angles(n, f64::EPSILON));
    }

    #[test]
    fn s4_9_a_text_that_goes_on_has_the_positions_of_the_whole_text(
        [x] in grids(|[s, c]| [vec![s, c]]), base in 2_usize..50, from in 0_usize..9,
    ) {
        let (n, c) = (x.sizes[0], x.sizes[1]);
        let from = from.min(n);
        let places: Tensor<R![seq], f64> = Tensor::positions(seq.of(n)).real();
        let found = Sinusoids(&Tensor::zeros(chans.of(c)), &places.slice(seq, from..), &Tensor::scalar(base as f64));
        let all = plain::sinusoidal_with(n, c, base as f64);
        let expected = Grid::from_fn(&[n - from, c], |at| all.get(&[at[0] + from, at[1]]));
        assert_close(&found.to_vec((seq, chans)).unwrap(), &expected, angles(n, f64::EPSILON));
    }

    #[test]
    fn learned_positions_are_rows_of_a_table_added_to_words(
        [x, table] in grids(|[s, c]| [vec![s, c], vec![s + 2, c]]), from in 0_usize..3,
    ) {
        let model = LearnedPosition { P: tensor!(f64, &table, (places, chans)) };
        let at = (from..from + x.sizes[0]).collect();
        let at = Tensor::indices_from_vec(seq.of(x.sizes[0]), places, at).unwrap();
        let found = model.apply(&tensor!(f64, &x, (seq, chans)), &at).to_vec((seq, chans)).unwrap();
        let expected = Grid::from_fn(&x.sizes, |at| x.get(at) + table.get(&[at[0] + from, at[1]]));
        assert_close(&found, &expected, Bound::EXACT);
    }

    #[test]
    fn rotary_positions_turn_pairs_of_features_in_either_order(
        [x] in grids(|[s, k]| [vec![s, 2 * k]]), l in layout(), from in 0_usize..9, base in 2_usize..50,
    ) {
        in_both_precisions!({
            let (n, t) = (x.sizes[0], laid_out!(Number, &x, l, (seq, key)));
            let p: Tensor<R![seq], Number> = Tensor::positions(seq.of(from + n)).real();
            let θ = Angles(&t.at(seq, 0), &p.slice(seq, from..), &Tensor::scalar(base as Number));
            let bound = Bound::roundings(12, 4.0 * (from + n + 4) as f64, UNIT);
            let halves = Rotary(&t, &θ).to_vec((seq, key)).unwrap();
            assert_close(&halves, &rotated_by_halves(&x, from, base as f64), bound);
            let interleaved = InterleavedRotary(&t, &θ).to_vec((seq, key)).unwrap();
            assert_close(&interleaved, &rotated(&x, from, base as f64), bound);
        });
    }

    #[test]
    fn with_rotary_positions_a_score_depends_on_the_distance_alone(k in 1_usize..5, i in 0_usize..9, j in 0_usize..9, seed: u64) {
        let mut numbers = crate::Numbers(seed);
        let [q, x] = [(); 2].map(|()| tensor!(f64, &numbers.grid(&[2 * k]), (key)));
        let at = |x: &Tensor<R![key], f64>, place: usize| {
            Rotary(x, &Angles(x, &Tensor::scalar(place as f64), &Tensor::scalar(10_000.0)))
        };
        let score = |i: usize, j: usize| at(&q, i).dot(key, &at(&x, j)).item().unwrap();
        prop_assert!((score(i, j) - score(i + 7, j + 7)).abs() < 1e-12);
        prop_assert!((at(&x, i).norm(key).item().unwrap() - x.norm(key).item().unwrap()).abs() < 1e-12);
    }

    #[test]
    fn linear_bias_lowers_scores_by_slope_times_distance(h in 1_usize..20, queries in 1_usize..5, context in 0_usize..4) {
        let m: Tensor<R![heads], f64> = Slopes(&Tensor::zeros(heads.of(h)));
        assert_close(&m.to_vec(heads).unwrap(), &Grid::new(&[h], slopes(h)), Bound::roundings(4, 1.0, f64::EPSILON));
        let keys = context + queries;
        let bias = LinearBias(&Tensor::zeros(seq.of(keys)), &Tensor::zeros(seq_.of(queries)), &m);
        let slopes = slopes(h);
        let expected =
            Grid::from_fn(&[h, queries, keys], |at| -slopes[at[0]] * ((at[1] + context) as f64 - at[2] as f64));
        assert_close(&bias.to_vec((heads, seq_, seq)).unwrap(), &expected, Bound::roundings(6, 10.0, f64::EPSILON));
    }
}

#[test]
fn a_position_beyond_the_learned_ones_is_an_error_that_names_both() {
    let model = LearnedPosition::init(&mut seeded(0), (places.of(4), chans.of(2))).unwrap();
    let at = Tensor::indices(seq, places, [3, 4]);
    let error = model.apply(&Tensor::zeros((seq.of(2), chans.of(2))), &at).to_vec((seq, chans)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IndexOutOfRange, "{error}");
    assert!(error.to_string().contains("places") && error.to_string().contains('4'), "{error}");
}

#[test]
fn rotary_angles_refuse_an_odd_number_of_features() {
    let x = Tensor::<R![key], f64>::zeros(key.of(3));
    let error = Angles(&x, &Tensor::scalar(1.0), &Tensor::scalar(10_000.0)).to_vec(pair).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Condition);
    assert!(error.to_string().contains("|key| = 3"), "{error}");
}

#[test]
fn s3_20_s1_4_each_position_has_a_row_of_its_own_with_values_between_minus_one_and_one() {
    let encoding = PositionalEncoding(&Tensor::<R![seq, chans], f64>::zeros((seq.of(50), chans.of(6))));
    assert!(encoding.to_vec((seq, chans)).unwrap().iter().all(|value| value.abs() <= 1.0));
    let rows: Vec<Vec<f64>> = (0..50).map(|p| encoding.at(seq, p).to_vec(chans).unwrap()).collect();
    assert_eq!(rows[0], [0., 1., 0., 1., 0., 1.]);
    for (p, row) in rows.iter().enumerate() {
        let nearest = rows[..p].iter().map(|other| row.iter().zip(other).map(|(x, y)| (x - y).abs()).sum::<f64>());
        assert!(nearest.fold(f64::INFINITY, f64::min) > 1e-3, "position {p}");
    }
}
