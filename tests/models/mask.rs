//! Masks against their sentences, rows 2.13, 2.19 and 4.6, and what attention makes of them.
//!
//! Not here: attention under a mask of any numbers (`attention`).

use named_tensor::prelude::*;
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::mask::mask;
use named_tensor_tests::reference::{Grid, attention as plain};
use named_tensor_tests::strategies::{cases, tensor};
use proptest::prelude::*;
use transformer::attention::MaskedAttention;
use transformer::axes::{batch, key, seq, seq_, val, vocab};
use transformer::mask::{
    CausalMask, ContextMask, LengthMask, OpenMask, PaddingMask, PlacedMask, PrefixMask, WindowMask,
};

use crate::Numbers;

type Scores = Tensor<R![seq, seq_], f64>;

fn sides(queries: usize, keys: usize) -> (Tensor<R![seq], f64>, Tensor<R![seq_], f64>) {
    (Tensor::zeros(seq.of(keys)), Tensor::zeros(seq_.of(queries)))
}

#[track_caller]
fn assert_mask(found: &Scores, expected: &Grid) {
    assert_close(&found.to_vec((seq_, seq)).unwrap(), expected, Bound::EXACT);
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn s4_6_s2_19_masks_show_what_their_sentences_say(queries in 1_usize..7, context in 0_usize..5, n in 0_usize..9) {
        let keys = context + queries;
        let (k, q) = sides(queries, keys);
        let count = Tensor::scalar(n as f64);
        assert_mask(&ContextMask(&k, &q), &plain::causal_mask(queries, keys, context));
        assert_mask(&OpenMask(&k, &q), &mask(queries, keys, |_, _| true));
        assert_mask(&WindowMask(&k, &q, &count), &mask(queries, keys, |j, i| i <= j && j < i + n));
        assert_mask(&PrefixMask(&k, &q, &count), &mask(queries, keys, |j, i| i < n || i <= j));
        // Places are numbers of any order: here the keys are counted, the queries are the last of them.
        let p: Tensor<R![seq], f64> = Tensor::positions(seq.of(keys)).real();
        let places = p.slice(seq, context..).rename(seq, seq_);
        assert_mask(&PlacedMask(&p, &places), &plain::causal_mask(queries, keys, context));
        if context == 0 {
            assert_mask(&CausalMask(&k), &plain::causal_mask(queries, queries, 0));
        }
    }

    #[test]
    fn s2_13_masks_are_combined_by_adding_them(queries in 1_usize..7, context in 0_usize..5, n in 1_usize..9) {
        let keys = context + queries;
        let (k, q) = sides(queries, keys);
        let count = Tensor::scalar(n as f64);
        let both = ContextMask(&k, &q) + LengthMask(&k, &count);
        assert_mask(&both, &mask(queries, keys, |j, i| i <= j && i < n));
        let both = WindowMask(&k, &q, &count) + ContextMask(&k, &q);
        assert_mask(&both, &mask(queries, keys, |j, i| i <= j && j < i + n));
    }

    #[test]
    fn padded_texts_of_a_batch_are_attended_to_as_each_by_itself(
        lengths in prop::collection::vec(1_usize..6, 1..4), seed: u64,
    ) {
        let (texts, longest) = (lengths.len(), *lengths.iter().max().unwrap());
        let mut numbers = Numbers(seed);
        let [q, k, v] = [(); 3].map(|()| numbers.grid(&[texts, longest, 3]));
        let (queries, keys) = (tensor!(f64, &q, (batch, seq_, key)), tensor!(f64, &k, (batch, seq, key)));
        let values = tensor!(f64, &v, (batch, seq, val));
        let counts = Tensor::from_vec(batch.of(texts), lengths.iter().map(|&n| n as f64).collect()).unwrap();
        let by_length = LengthMask(&Tensor::zeros(seq.of(longest)), &counts);

        // The same mask from the words: word 0 fills up.
        let words = lengths.iter().flat_map(|&n| (0..longest).map(move |i| usize::from(i < n))).collect();
        let words = Tensor::indices_from_vec((batch.of(texts), seq.of(longest)), vocab, words).unwrap();
        let by_word: Tensor<R![batch, seq], f64> = PaddingMask(&words, &Tensor::positions(vocab.of(1)).at(vocab, 0));
        prop_assert_eq!(by_length.to_vec((batch, seq)).unwrap(), by_word.to_vec((batch, seq)).unwrap());

        let together = MaskedAttention(&queries, &keys, &values, &by_length);
        for (text, &n) in lengths.iter().enumerate() {
            let (k, v) = (keys.at(batch, text).slice(seq, ..n), values.at(batch, text).slice(seq, ..n));
            let alone = MaskedAttention(&queries.at(batch, text), &k, &v, &Tensor::zeros(seq.of(n)));
            let expected = Grid::new(&[longest, 3], alone.to_vec((seq_, val)).unwrap());
            let found = together.at(batch, text).to_vec((seq_, val)).unwrap();
            assert_close(&found, &expected, Bound::roundings(2 * longest + 20, 4.0, f64::EPSILON));
        }
    }
}

#[test]
fn a_query_that_may_see_nothing_has_no_value_and_changes_no_other_query() {
    let mut numbers = Numbers(5);
    let (queries, keys) =
        (tensor!(f64, &numbers.grid(&[2, 3]), (seq_, key)), tensor!(f64, &numbers.grid(&[3, 3]), (seq, key)));
    let values = tensor!(f64, &numbers.grid(&[3, 2]), (seq, val));
    let mask = tensor!(f64, &mask(2, 3, |query, _| query == 1), (seq_, seq));
    let found = MaskedAttention(&queries, &keys, &values, &mask);
    assert!(found.at(seq_, 1).to_vec(val).unwrap().iter().all(|x| x.is_nan()));
    let open = MaskedAttention(&queries, &keys, &values, &Tensor::zeros(seq.of(3)));
    let expected = Grid::new(&[2], open.at(seq_, 0).to_vec(val).unwrap());
    assert_close(&found.at(seq_, 0).to_vec(val).unwrap(), &expected, Bound::roundings(40, 4.0, f64::EPSILON));
}
