//! Embeddings and positions, rows 1.1 to 1.5 and 4.9.
//!
//! Not here: indexing itself (`laws`).

use named_tensor::prelude::*;
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::elementwise::zip;
use named_tensor_tests::reference::indexing::{self, Positions};
use named_tensor_tests::reference::position::sinusoidal;
use named_tensor_tests::strategies::{cases, grid, grids, in_both_precisions, laid_out, layout, sizes, tensor};
use proptest::prelude::*;
use transformer::axes::{chans, seq, vocab};
use transformer::embedding::{Embedding, PositionalEncoding};

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn s1_2_s1_3_positions_are_added_as_sines_and_cosines([x] in grids(|[s, c]| [vec![s, c]]), l in layout()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (seq, chans));
            let y: Tensor<R![seq, chans], Number> = PositionalEncoding(&t);
            let expected = zip(&x, &sinusoidal(x.sizes[0], x.sizes[1]), |x, p| x + p);
            // An angle is below |seq| and its power and quotient round 8 times; sines do not enlarge distances.
            let bound = Bound::roundings(8, x.sizes[0] as f64 + 4.0, UNIT);
            assert_close(&y.to_vec((seq, chans)).unwrap(), &expected, bound);
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

#[test]
fn s1_4_each_position_has_a_row_of_its_own_with_values_between_minus_one_and_one() {
    let encoding = PositionalEncoding(&Tensor::<R![seq, chans], f64>::zeros((seq.of(50), chans.of(6))));
    assert!(encoding.to_vec((seq, chans)).unwrap().iter().all(|value| value.abs() <= 1.0));
    let rows: Vec<Vec<f64>> = (0..50).map(|p| encoding.at(seq, p).to_vec(chans).unwrap()).collect();
    assert_eq!(rows[0], [0., 1., 0., 1., 0., 1.]);
    for (p, row) in rows.iter().enumerate() {
        let nearest = rows[..p].iter().map(|other| row.iter().zip(other).map(|(x, y)| (x - y).abs()).sum::<f64>());
        assert!(nearest.fold(f64::INFINITY, f64::min) > 1e-3, "position {p}");
    }
}
