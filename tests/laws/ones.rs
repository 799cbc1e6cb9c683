//! Products with one-hot tensors, whichever axes the other factor has, summed along any of theirs, are plain sums.
//!
//! A planner that makes no ones and zeros takes or counts positions instead. Lives here: all ways in which axes meet there, and the
//! losses that are written so. Not here: indexing itself (`indexing`), graphs drawn at random (the planner's own tests).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{seq, vocab};

const SEQ: usize = 4;
const VOCAB: usize = 3;
const IDS: [usize; SEQ] = [2, 0, 0, 1];

type Both = Tensor<R![seq, vocab], f64>;

fn ids() -> Tensor<R![seq], Index<vocab>> {
    Tensor::indices(seq, vocab, IDS)
}

/// The ones and zeros, computed anew, and where the ones are.
fn one_hot() -> (Both, fn(usize, usize) -> bool) {
    (ids().one_hot(vocab.of(VOCAB)), |s, v| IDS[s] == v)
}

/// The same of a comparison of positions along both axes.
fn shifted() -> (Both, fn(usize, usize) -> bool) {
    (Before(), |s, v| s == v + 1)
}

named! {
    fn Before() -> R[seq, vocab] {
        M_{seq(i: 4), vocab(j: 3)} = if i == j + 1 { 1 } else { 0 };
        M
    }
    fn CrossEntropy(Z: R[seq, vocab], y: vocab[seq]) -> R[] {
        -mean_seq(log_softmax_vocab(Z) dot_vocab one_hot_vocab(y, |vocab|))
    }
}

/// Compares the sums along each axis, and along both, of ones and zeros times `w` with those of the plain products.
macro_rules! check {
    ($make:ident, $w:expr, $order:expr, $plain:expr) => {{
        let (w, plain): (_, &dyn Fn(usize, usize) -> f64) = ($w, &$plain);
        let (_, is_one) = $make();
        let product = |s, v| if is_one(s, v) { plain(s, v) } else { 0.0 };
        let by_seq: Vec<f64> = (0..SEQ).map(|s| (0..VOCAB).map(|v| product(s, v)).sum()).collect();
        let by_vocab: Vec<f64> = (0..VOCAB).map(|v| (0..SEQ).map(|s| product(s, v)).sum()).collect();
        let ones = || -> Both { $make().0 };
        let along_vocab: Tensor<R![seq], f64> = (ones() * &w).sum(vocab);
        assert_eq!(along_vocab.to_vec(seq).unwrap(), by_seq);
        let along_seq: Tensor<R![vocab], f64> = (&w * ones()).sum(seq);
        assert_eq!(along_seq.to_vec(vocab).unwrap(), by_vocab);
        let mean: Tensor<R![seq], f64> = (ones() * &w).mean(vocab);
        assert_eq!(mean.to_vec(seq).unwrap(), by_seq.iter().map(|x| x / VOCAB as f64).collect::<Vec<_>>());
        let all: Tensor<R![], f64> = (ones() * &w).sum((seq, vocab));
        assert_eq!(all.item().unwrap(), by_seq.iter().sum::<f64>());
        // What the other factor owes is what ones and zeros that are stored owe it.
        let stored = ones();
        stored.eval().unwrap();
        let owed = [ones(), stored].map(|ones| {
            let sums: Tensor<R![seq], f64> = (ones * &w).sum(vocab);
            grad(&(&sums * &sums).sum(seq), &w).to_vec($order).unwrap()
        });
        assert_eq!(owed[0], owed[1]);
    }};
}

#[test]
fn ones_and_zeros_times_a_tensor_of_any_of_their_axes_are_summed_along_any_of_them() {
    let number = |s: usize, v: usize| (1 + 3 * s + 7 * v) as f64;
    let scalar = || Tensor::<R![], f64>::scalar(2.0);
    let of_seq = || Tensor::<R![seq], f64>::from_fn(seq.of(SEQ), |[s]| number(s, 0));
    let of_vocab = || Tensor::<R![vocab], f64>::from_fn(vocab.of(VOCAB), |[v]| number(0, v));
    let of_both = || Tensor::<R![seq, vocab], f64>::from_fn((seq.of(SEQ), vocab.of(VOCAB)), |[s, v]| number(s, v));
    check!(one_hot, scalar(), (), |_, _| 2.0);
    check!(one_hot, of_seq(), seq, |s, _| number(s, 0));
    check!(one_hot, of_vocab(), vocab, |_, v| number(0, v));
    check!(one_hot, of_both(), (seq, vocab), number);
    check!(shifted, scalar(), (), |_, _| 2.0);
    check!(shifted, of_seq(), seq, |s, _| number(s, 0));
    check!(shifted, of_vocab(), vocab, |_, v| number(0, v));
    check!(shifted, of_both(), (seq, vocab), number);
}

#[test]
fn a_mean_of_cross_entropies_by_ones_and_zeros_owes_what_probabilities_lack() {
    let logits = |s: usize, v: usize| (s as f64 - 1.5) * (v as f64 + 0.5) / 2.0;
    let z = Tensor::<R![seq, vocab], f64>::from_fn((seq.of(SEQ), vocab.of(VOCAB)), |[s, v]| logits(s, v));
    let owed = grad(&CrossEntropy(&z, &ids()), &z).to_vec((seq, vocab)).unwrap();
    for s in 0..SEQ {
        let total: f64 = (0..VOCAB).map(|v| logits(s, v).exp()).sum();
        for v in 0..VOCAB {
            let wanted = (logits(s, v).exp() / total - f64::from(u8::from(IDS[s] == v))) / SEQ as f64;
            let found = owed[s * VOCAB + v];
            assert!((found - wanted).abs() < 1e-14, "position {s}, word {v}: {found}, not {wanted}");
        }
    }
}
