//! Equations that are written out, where the notation has a word or a contraction for them.
//!
//! Lives here: that functions of rows, sums over products of several tensors and distances have the numbers of plain loops
//! and the gradients of the words, and are planned as these are. Not here: the words (`softmax`), other orders (`order`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{batch, chans, hidden, key, out, seq, seq_, val};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::Grid;
use named_tensor_tests::strategies::{cases, grid, in_both_precisions, laid_out, layout, sizes};
use proptest::prelude::*;

named! {
    /// Layer normalisation as its paper prints it (Ba et al., 2016).
    fn Normalised(X: R[chans]) -> R[chans] {
        μ = mean_chans(X);
        (X - μ) / sqrt(mean_chans((X - μ)^2) + 1e-5)
    }

    /// Softmax as the paper of the notation defines it.
    fn Shares(X: R[chans]) -> R[chans] { exp(X) / sum_chans(exp(X)) }

    /// The same in the way that is safe for large numbers.
    fn SafeShares(X: R[chans]) -> R[chans] { E = exp(X - max_chans(X)); E / sum_chans(E) }

    /// The logarithm of a sum of exponentials, in the safe way.
    fn LogSum(X: R[chans]) -> R[] { M = max_chans(X); M + log(sum_chans(exp(X - M))) }

    /// What a softmax is the exponential of.
    fn LogShares(X: R[chans]) -> R[chans] { X - log(sum_chans(exp(X))) }

    /// Attention without the word softmax.
    fn Attended(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
        E = exp(Q dot_key K / sqrt(|key|));
        (E / sum_seq(E)) dot_seq V
    }

    /// A bilinear form, summed over both axes at once.
    fn Bilinear(X: R[chans], W: R[chans, hidden, out], Y: R[hidden]) -> R[out] { sum_{chans, hidden}(X * W * Y) }

    /// Squares of distances between the points of two sets.
    fn Distances(X: R[seq, key], Y: R[seq_, key]) -> R[seq, seq_] { sum_key((X - Y)^2) }

    /// An axis with a stroke, and a subscript inside of the argument.
    fn Passed(H: R[seq, key], E: R[seq, seq_, key]) -> R[seq, key] { sum_seq_(H_{seq -> seq_} * E) }
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn functions_of_rows_that_are_written_out_are_the_plain_formulas(
        (x, l) in sizes().prop_flat_map(|[n, k]| (grid(&[n * 5, k * 3 + 1]), layout())),
    ) {
        let [n, k] = [x.sizes[0], x.sizes[1]];
        let row = |i: usize| (0..k).map(|j| x.get(&[i, j])).collect::<Vec<f64>>();
        let total = |i: usize| row(i).iter().map(|x| x.exp()).sum::<f64>();
        let standard = |i: usize, j: usize| {
            let mean = row(i).iter().sum::<f64>() / k as f64;
            let variance = row(i).iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / k as f64;
            (x.get(&[i, j]) - mean) / (variance + 1e-5).sqrt()
        };
        let of = |one: &dyn Fn(usize, usize) -> f64| Grid::from_fn(&[n, k], |at| one(at[0], at[1]));
        in_both_precisions!({
            let tensor = laid_out!(Number, &x, l, (seq, chans));
            let close = |found: &Tensor<R![seq, chans], Number>, expected: &Grid, size: f64| {
                let bound = Bound::roundings(2 * k + 30, size, UNIT);
                assert_close(&found.to_vec((seq, chans)).unwrap(), expected, bound);
            };
            close(&Normalised(&tensor), &of(&standard), 400.0 * (k as f64).sqrt());
            close(&Shares(&tensor), &of(&|i, j| x.get(&[i, j]).exp() / total(i)), 8.0);
            close(&SafeShares(&tensor), &of(&|i, j| x.get(&[i, j]).exp() / total(i)), 8.0);
            close(&LogShares(&tensor), &of(&|i, j| x.get(&[i, j]) - total(i).ln()), 16.0);
            let sums = Grid::from_fn(&[n], |at| total(at[0]).ln());
            assert_close(&LogSum(&tensor).to_vec(seq).unwrap(), &sums, Bound::roundings(2 * k + 30, 16.0, UNIT));
        });
    }
}

/// A tensor of these axes with numbers of its own.
macro_rules! drawn {
    ($seed:expr, $axes:expr) => {
        Tensor::<_, f64>::normal(&mut seeded($seed), $axes, 0.0, 1.0)
    };
}

#[test]
fn what_is_written_out_owes_what_the_word_does() {
    let [x, weight] = [1, 2].map(|seed| drawn!(seed, (seq.of(4), chans.of(9))));
    let owed =
        |y: Tensor<R![seq, chans], f64>| grad(&(y * &weight).sum((seq, chans)), &x).to_vec((seq, chans)).unwrap();
    let pairs = [
        (owed(Normalised(&x)), owed(x.standardize(chans))),
        (owed(Shares(&x)), owed(x.softmax(chans))),
        (owed(SafeShares(&x)), owed(x.softmax(chans))),
        (owed(LogShares(&x)), owed(x.log_softmax(chans))),
    ];
    for (found, expected) in pairs {
        assert!(found.iter().zip(&expected).all(|(x, y)| (x - y).abs() < 1e-12), "{found:?} and {expected:?}");
    }
    let sums = grad(&LogSum(&x).sum(seq), &x).to_vec((seq, chans)).unwrap();
    let shares = x.softmax(chans).to_vec((seq, chans)).unwrap();
    assert!(sums.iter().zip(&shares).all(|(x, y)| (x - y).abs() < 1e-12), "{sums:?} and {shares:?}");
}

#[test]
fn large_numbers_do_not_overflow_in_a_softmax_that_is_written_out() {
    let x = Tensor::<R![chans]>::from_vec(chans.of(3), vec![1000.0, 1000.0, -1000.0]).unwrap();
    assert_eq!(Shares(&x).to_vec(chans).unwrap(), [0.5, 0.5, 0.0]);
    assert_eq!(LogSum(&x).item().unwrap(), 1000.0 + std::f32::consts::LN_2);
}

#[test]
fn attention_without_the_word_is_planned_as_attention() {
    let q = drawn!(1, (batch.of(5), key.of(8))).cast::<f32>();
    let k = drawn!(2, (seq.of(70), key.of(8))).cast::<f32>();
    let v = drawn!(3, (seq.of(70), val.of(8))).cast::<f32>();
    let plan = Attended(&q, &k, &v).plan().unwrap();
    assert!(plan.contains("attention") && !plan.contains("exp"), "{plan}");
}

#[test]
fn a_sum_over_a_product_of_three_is_planned_as_contractions() {
    let (x, w) = (drawn!(1, (batch.of(6), chans.of(20))), drawn!(2, (chans.of(20), hidden.of(30), out.of(7))));
    let y = drawn!(3, (batch.of(6), hidden.of(30)));
    let sum = Bilinear(&x, &w, &y);
    let expected = x.dot(chans, &w).dot(hidden, &y).to_vec((batch, out)).unwrap();
    let found = sum.to_vec((batch, out)).unwrap();
    assert!(found.iter().zip(&expected).all(|(x, y)| (x - y).abs() < 1e-11), "{found:?} and {expected:?}");
    let plan = Bilinear(&x, &w, &y).plan().unwrap();
    assert!(plan.contains("dot") && !plan.contains("*, sum"), "{plan}");
}

#[test]
fn distances_of_every_batch_and_a_subscript_in_an_argument_have_the_plain_numbers() {
    let (x, y) = (drawn!(1, (batch.of(3), seq.of(5), key.of(2))), drawn!(2, (batch.of(3), seq_.of(4), key.of(2))));
    let [xs, ys] = [x.to_vec((batch, seq, key)).unwrap(), y.to_vec((batch, seq_, key)).unwrap()];
    let found = Distances(&x, &y).to_vec((batch, seq, seq_)).unwrap();
    for (at, &found) in found.iter().enumerate() {
        let [b, i, j] = [at / 20, at / 4 % 5, at % 4];
        let apart = |k: usize| xs[(b * 5 + i) * 2 + k] - ys[(b * 4 + j) * 2 + k];
        assert!((found - apart(0).powi(2) - apart(1).powi(2)).abs() < 1e-12, "{found} at {at}");
    }
    let (h, e) = (drawn!(3, (seq.of(4), key.of(2))), drawn!(4, (seq.of(4), seq_.of(4), key.of(2))));
    let passed = Passed(&h, &e).to_vec((seq, key)).unwrap();
    let [hs, es] = [h.to_vec((seq, key)).unwrap(), e.to_vec((seq, seq_, key)).unwrap()];
    for (at, &found) in passed.iter().enumerate() {
        let [i, k] = [at / 2, at % 2];
        let sum: f64 = (0..4).map(|j| hs[j * 2 + k] * es[(i * 4 + j) * 2 + k]).sum();
        assert!((found - sum).abs() < 1e-12, "{found} at {at}");
    }
}
