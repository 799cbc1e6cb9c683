//! Indexing chooses rows by numbers: the four forms of the paper, and the one-hot contraction they equal.
//!
//! Lives here: rows P24 to P28. Not here: positions that do not exist (`refusals`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{batch, emb, seq, subseq, vocab};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::indexing::{self as plain, Positions};
use named_tensor_tests::reference::{Grid, paper};
use named_tensor_tests::strategies::{cases, grid, in_both_precisions, laid_out, layout, sizes, tensor};
use proptest::prelude::*;

type Over<S, A> = Tensor<S, Index<A>>;

fn sequence(values: &[usize]) -> Over<R![seq], vocab> {
    Tensor::indices_from_vec(seq.of(values.len()), vocab, values.to_vec()).unwrap()
}

#[test]
fn p24_a_scalar_index_is_a_row() {
    let e = tensor!(f64, &paper::a(), (vocab, emb));
    let i: Over<R![], vocab> = Tensor::indices_from_vec((), vocab, vec![1]).unwrap();
    let row: Tensor<R![emb], f64> = e.index(vocab, &i);
    assert_eq!(row.to_vec(emb).unwrap(), [1., 5., 9.]);
}

#[test]
fn p25_a_sequence_of_indices_is_a_sequence_of_rows() {
    let e = tensor!(f64, &paper::a(), (vocab, emb));
    let rows: Tensor<R![seq, emb], f64> = e.index(vocab, &sequence(&[2, 0, 2]));
    assert_eq!(rows.to_vec((seq, emb)).unwrap(), [2., 6., 5., 3., 1., 4., 2., 6., 5.]);
}

#[test]
fn p26_an_index_over_an_axis_of_the_table_is_aligned() {
    let p = tensor!(f64, &paper::a(), (seq, vocab));
    let chosen: Tensor<R![seq], f64> = p.index(vocab, &sequence(&[2, 0, 1]));
    assert_eq!(chosen.to_vec(seq).unwrap(), [4., 1., 6.]);
}

#[test]
fn p27_an_index_with_a_batch_axis_is_aligned_in_it() {
    let e = Tensor::<_, f64>::from_fn((batch.of(2), vocab.of(3), emb.of(1)), |[b, v, _]| (10 * b + v) as f64);
    let i: Over<R![batch, seq], vocab> = Tensor::indices((batch, seq), vocab, [[2, 0], [1, 1]]);
    let rows: Tensor<R![batch, seq, emb], f64> = e.index(vocab, &i);
    assert_eq!(rows.to_vec((batch, seq, emb)).unwrap(), [2., 0., 11., 11.]);
}

#[test]
fn p28_an_index_of_an_index_chooses_pairs() {
    let p = tensor!(f64, &paper::a(), (seq, vocab));
    let i: Over<R![subseq], seq> = Tensor::indices(subseq, seq, [2, 0]);
    let j: Over<R![subseq], vocab> = Tensor::indices(subseq, vocab, [1, 2]);
    assert_eq!(p.index(seq, &i).index(vocab, &j).to_vec(subseq).unwrap(), [6., 4.]);
}

#[test]
fn p28_many_pairs_are_chosen_and_owed_one_by_one() {
    let sizes = [3, 9, 11];
    let x = Grid::from_fn(&sizes, |place| ((place[0] * 99 + place[1] * 11 + place[2]) as f64).sin());
    let pairs: Vec<[usize; 2]> = (0..400).map(|i| [i * 7 % 9, i * 5 % 11]).collect();
    let i: Over<R![subseq], seq> =
        Tensor::indices_from_vec(subseq.of(400), seq, pairs.iter().map(|pair| pair[0]).collect()).unwrap();
    let j: Over<R![subseq], vocab> =
        Tensor::indices_from_vec(subseq.of(400), vocab, pairs.iter().map(|pair| pair[1]).collect()).unwrap();
    let t = tensor!(f64, &x, (emb, seq, vocab));
    let taken = t.index(seq, &i).index(vocab, &j);
    let at = |e: usize, pair: &[usize; 2]| x.get(&[e, pair[0], pair[1]]);
    let wanted: Vec<f64> = (0..3).flat_map(|e| pairs.iter().map(move |pair| at(e, pair))).collect();
    assert_eq!(taken.to_vec((emb, subseq)).unwrap(), wanted);
    let owed = grad(&taken.pow(2.0).sum((emb, subseq)), &t).to_vec((emb, seq, vocab)).unwrap();
    let mut sums = Grid::from_fn(&sizes, |_| 0.0);
    for (e, [a, b]) in (0..3).flat_map(|e| pairs.iter().map(move |&pair| (e, pair))) {
        sums.values[(e * 9 + a) * 11 + b] += 2.0 * x.get(&[e, a, b]);
    }
    assert!(owed.iter().zip(&sums.values).all(|(owed, sum)| (owed - sum).abs() < 1e-12 * (1.0 + sum.abs())));
    let past: Over<R![subseq], vocab> =
        Tensor::indices_from_vec(subseq.of(400), vocab, pairs.iter().map(|pair| pair[1] + 1).collect()).unwrap();
    let error = t.index(seq, &i).index(vocab, &past).eval().map(drop).unwrap_err().to_string();
    assert!(error.contains("position 11 of axis `vocab`, whose size is 11"), "{error}");
}

mod another {
    use super::*;

    named! {
        pub fn Largest(X: R[vocab]) -> vocab[] { argmaxk_vocab(X, 1)_{vocab(0)} }
        pub fn Positive(X: R[vocab]) -> B[vocab] { X > 0 }
    }
}

named! {
    fn Subscript(X: R[vocab], E: R[vocab, emb]) -> R[emb] { E_{vocab(another::Largest(X))} }
    fn Looked(X: R[vocab], E: R[vocab, emb]) -> R[emb] { I = another::Largest(X); index_vocab(E, I) }
    fn Stated(X: R[vocab]) -> R[vocab] { I: vocab[] = another::Largest(X); one_hot_vocab(I, |vocab|) }
    fn Row(I: vocab[], E: R[vocab, emb]) -> R[emb] { index_vocab(E, I) }
    fn Handed(X: R[vocab], E: R[vocab, emb]) -> R[emb] { I = another::Largest(X); Row(I, E) + Row(another::Largest(X), E) }
    fn Given(X: R[vocab]) -> vocab[] { another::Largest(X) }
    fn Chosen(X: R[vocab]) -> R[vocab] { if another::Positive(X) && !another::Positive(X - 1) { X } else { 0 } }
}

#[test]
fn what_a_function_of_another_block_gives_may_be_positions_or_truth_values() {
    let e = tensor!(f64, &paper::a(), (vocab, emb));
    let x: Tensor<R![vocab], f64> = Tensor::from_array(vocab, [-1., 2., 0.5]);
    for row in [Subscript(&x, &e), Looked(&x, &e), Handed(&x, &e) / 2.0] {
        assert_eq!(row.to_vec(emb).unwrap(), [1., 5., 9.]);
    }
    assert_eq!(Stated(&x).to_vec(vocab).unwrap(), [0., 1., 0.]);
    assert_eq!(Given(&x).item().unwrap(), 1);
    assert_eq!(Chosen(&x).to_vec(vocab).unwrap(), [0., 0., 0.5]);
}

/// Some positions below `below`, on a grid of these sizes.
fn positions(sizes: &[usize], below: usize) -> impl Strategy<Value = Positions> + use<> {
    let sizes = sizes.to_vec();
    prop::collection::vec(0..below, sizes.iter().product::<usize>())
        .prop_map(move |values| Positions { sizes: sizes.clone(), values })
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn a_sequence_of_rows_is_the_plain_one_and_the_contraction_with_one_hot_rows(
        (e, i) in sizes().prop_flat_map(|[v, d, s]| (grid(&[v, d]), positions(&[s], v))), l in layout(),
    ) {
        in_both_precisions!({
            let table = laid_out!(Number, &e, l, (vocab, emb));
            let rows = table.index(vocab, &sequence(&i.values)).to_vec((seq, emb)).unwrap();
            assert_close(&rows, &plain::sequence(&e, &i), Bound::EXACT);
            let one_hot = tensor!(Number, &plain::one_hot(&i, e.sizes[0]), (seq, vocab));
            // All products but one are with 0, so that nothing rounds.
            let contracted = one_hot.dot(vocab, &table).to_vec((seq, emb)).unwrap();
            assert_close(&contracted, &plain::sequence(&e, &i), Bound::EXACT);
        });
    }

    #[test]
    fn aligned_and_batched_indices_are_the_plain_ones(
        (p, i, e, j) in sizes().prop_flat_map(|[b, s, v, d]| {
            (grid(&[s, v]), positions(&[s], v), grid(&[b, v, d]), positions(&[b, s], v))
        }),
        l in layout(),
    ) {
        in_both_precisions!({
            let table = laid_out!(Number, &p, l, (seq, vocab));
            let chosen = table.index(vocab, &sequence(&i.values)).to_vec(seq).unwrap();
            assert_close(&chosen, &plain::aligned(&p, &i), Bound::EXACT);
            let tables = laid_out!(Number, &e, l, (batch, vocab, emb));
            let extents = (batch.of(j.sizes[0]), seq.of(j.sizes[1]));
            let indices = Tensor::indices_from_vec(extents, vocab, j.values.clone()).unwrap();
            let rows = tables.index(vocab, &indices).to_vec((batch, seq, emb)).unwrap();
            assert_close(&rows, &plain::batched(&e, &j), Bound::EXACT);
        });
    }

    #[test]
    fn a_double_index_is_the_plain_one_in_either_order(
        (p, i, j) in sizes().prop_flat_map(|[s, v, n]| (grid(&[s, v]), positions(&[n], s), positions(&[n], v))),
        l in layout(),
    ) {
        let table = laid_out!(f64, &p, l, (seq, vocab));
        let rows = Tensor::indices_from_vec(subseq.of(i.sizes[0]), seq, i.values.clone()).unwrap();
        let columns = Tensor::indices_from_vec(subseq.of(i.sizes[0]), vocab, j.values.clone()).unwrap();
        let expected: Grid = plain::double(&p, &i, &j);
        let first = table.index(seq, &rows).index(vocab, &columns).to_vec(subseq).unwrap();
        assert_close(&first, &expected, Bound::EXACT);
        let second = table.index(vocab, &columns).index(seq, &rows).to_vec(subseq).unwrap();
        assert_close(&second, &expected, Bound::EXACT);
    }
}

#[test]
fn a_position_that_is_not_a_number_is_on_no_axis() -> Result<(), Error> {
    named! {
        fn Roots(X: R[seq]) -> R[seq] { M_{seq(i)} = X_{seq(floor(sqrt(i - 1)))}; M }
        fn Rests(X: R[seq]) -> R[seq] { M_{seq(i)} = X_{seq(i % (i - 1))}; M }
        fn Beginning(X: R[seq]) -> R[seq] { M_{seq(i)} = X_{seq(floor(log(i)))}; M }
    }
    let x = Tensor::new(seq, [7.0, 8.0, 9.0]);
    for none in [Roots(&x), Rests(&x)] {
        let message = none.to_vec(seq).expect_err("the position is none").to_string();
        assert!(
            message.starts_with("index out of range in `index`: position NaN of axis `seq`, whose size is 3"),
            "{message}"
        );
    }
    let message = Beginning(&x).to_vec(seq).expect_err("the position is before all").to_string();
    assert!(message.starts_with("index out of range in `index`: position -9223372036854775807"), "{message}");
    Ok(())
}

#[test]
fn a_position_of_a_case_that_is_not_taken_is_told_to_stay_inside_and_does_as_advised() -> Result<(), Error> {
    named! {
        fn Before(X: R[vocab], I: vocab[seq]) -> R[seq] { if I > 0 { X_{vocab(I - 1)} } else { 0 } }
        fn Behind(X: R[vocab]) -> R[vocab] { Y_{vocab(i)} = if X_{vocab(i)} < 3 { X_{vocab(i + 1)} } else { 0 }; Y }
        fn BeforeInside(X: R[vocab], I: vocab[seq]) -> R[seq] { if I > 0 { X_{vocab(max(I - 1, 0))} } else { 0 } }
        fn BehindInside(X: R[vocab]) -> R[vocab] {
            Y_{vocab(i)} = if X_{vocab(i)} < 3 { X_{vocab(min(i + 1, |vocab| - 1))} } else { 0 }; Y
        }
    }
    let (x, i) = (Tensor::new(vocab, [1.0, 2.0, 3.0]), Tensor::indices(seq, vocab, [0, 2]));
    let failures = [Before(&x, &i).to_vec(seq), Behind(&x).to_vec(vocab)];
    for (failure, inside) in failures.into_iter().zip(["`max(i - 1, 0)`", "`min(i + 1, |vocab| - 1)`"]) {
        let message = failure.expect_err("it is on no axis").to_string();
        assert!(message.contains("whose size is 3; of an `if` both cases are computed"), "{message}");
        assert!(message.contains(inside) && message.contains("indexing.rs"), "{message}");
    }
    assert_eq!(BeforeInside(&x, &i).to_vec(seq)?, [0.0, 2.0]);
    assert_eq!(BehindInside(&x).to_vec(vocab)?, [2.0, 3.0, 0.0]);
    let table = x.index(vocab, &Tensor::indices(seq, vocab, [4]));
    let message = table.to_vec(seq).expect_err("there is none").to_string();
    assert!(message.contains("whose size is 3, at "), "given positions are in no case: {message}");
    Ok(())
}

#[test]
fn positions_that_letters_choose_or_move_are_positions_of_their_axis() -> Result<(), Error> {
    named! {
        fn Blanks(L: vocab[seq]) -> vocab[subseq] {
            Y_{subseq(s: 2 * |seq|)} = if s % 2 == 0 { L_{seq(0)} } else { L_{seq(div(s, 2))} };
            Y
        }
        fn AtMostOne(L: vocab[seq]) -> vocab[seq] { Y_{seq(s)} = min(L_{seq(s)}, 1); Y }
        fn Next(X: R[seq]) -> R[seq] { I_{seq(i)} = (i + 1) % |seq|; index_seq(X, I) }
        fn Odd(L: vocab[seq]) -> R[seq] { Y_{seq(s)} = 2 * L_{seq(s)} + 1; sqrt(Y) * Y / 2 }
    }
    let of = Tensor::indices(seq, vocab, [2, 0, 12]);
    assert_eq!(Blanks(&of).to_vec(subseq)?, [2, 2, 2, 0, 2, 12]);
    assert_eq!(AtMostOne(&of).to_vec(seq)?, [1, 0, 1]);
    assert_eq!(Next(&Tensor::new(seq, [7.0, 8.0, 9.0])).to_vec(seq)?, [8.0, 9.0, 7.0]);
    let odd: Tensor<seq> = Odd(&Tensor::indices(seq, vocab, [0, 4, 12]));
    assert_eq!(odd.to_vec(seq)?, [0.5, 13.5, 62.5]);
    Ok(())
}
