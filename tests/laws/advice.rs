//! What messages of the macro advise is right: each advice computes what the foreign word does.
//!
//! Lives here: advice that takes more than another name. Not here: when it is given (`named-tensor-macros`).

use named_tensor::prelude::*;

named_tensor::axes! { seq, seq_, key, chans, kernel, out, row, col, vocab, half, pair }

named! {
    fn Sinh(X: R[]) -> R[] { (exp(X) - exp(-X)) / 2 }

    fn Cosh(X: R[]) -> R[] { (exp(X) + exp(-X)) / 2 }

    fn LayerNorm(X: R[chans]; γ: R[chans] = 1, β: R[chans] = 0) -> R[chans] { standardize_chans(X) * γ + β }

    fn Convolution(X: R[seq, chans]; W: R[chans, kernel, out]) -> R[seq, out] {
        unroll_{seq, kernel}(X, |kernel|) dot_{chans, kernel} W
    }

    fn Below(X: R[seq, seq_]) -> R[seq, seq_] {
        Y_{seq(i), seq_(j)} = if j <= i { X_{seq(i), seq_(j)} } else { 0 };
        Y
    }

    fn Diagonal(X: R[row, col]) -> R[row] {
        Y_{row(i)} = X_{row(i), col(i + 0)};
        Y
    }

    fn Matrix(X: R[row]) -> R[row, col] { X * eye_{row, col}(|row|) }

    fn Trace(S: R[row, col]) -> R[] { sum_{row, col}(S * eye_{row, col}(|row|)) }

    fn Flip(X: R[seq]) -> R[seq] {
        Y_{seq(i)} = X_{seq(|seq| - 1 - i)};
        Y
    }

    fn FlipOfMore(X: R[seq, key]) -> R[seq, key] {
        Y_{seq(i), key(j)} = X_{seq(|seq| - 1 - i), key(j)};
        Y
    }

    fn Dropout(X: R[seq, chans], U: R[seq, chans], p: R[]) -> R[seq, chans] { if U < p { 0 } else { X / (1 - p) } }

    fn Rows(E: R[vocab, chans], I: vocab[seq]) -> R[seq, chans] { index_vocab(E, I) }

    fn EverySecond(X: R[seq]) -> R[half] { X_{seq -> (half, pair: 2)}_{pair(0)} }

    fn LastTwo(X: R[seq]) -> R[seq] { X_{seq(|seq| - 2..)} }

    fn Last(X: R[seq]) -> R[] { X_{seq(|seq| - 1)} }

    fn NotAbove(X: R[seq]) -> R[seq] { if !(X > 0) { X } else { 0 } }
}

fn x() -> Tensor<seq> {
    Tensor::new(seq, [-1.0, 2.0, 5.0])
}

#[test]
fn functions_of_each_number_are_made_of_others() {
    let numbers: Vec<f32> = x().to_vec(seq).unwrap();
    let of = |f: fn(f32) -> f32| numbers.iter().map(|&x| f(x)).collect::<Vec<_>>();
    for (found, expected) in [(Sinh(&x()), of(f32::sinh)), (Cosh(&x()), of(f32::cosh))] {
        let found = found.to_vec(seq).unwrap();
        assert!(found.iter().zip(&expected).all(|(x, y)| (x - y).abs() <= 1e-6 * y.abs()), "{found:?}, {expected:?}");
    }
    assert_eq!(NotAbove(&x()).to_vec(seq).unwrap(), [-1.0, 0.0, 0.0]);
}

#[test]
fn rows_columns_and_diagonals_are_chosen_by_positions() {
    let square: Tensor<R![row, col]> = Tensor::new((row, col), [[1.0, 2.0], [3.0, 4.0]]);
    let below = Below(&square.rename((row, col), (seq, seq_)));
    assert_eq!(below.to_vec((seq, seq_)).unwrap(), [1.0, 0.0, 3.0, 4.0]);
    assert_eq!(Diagonal(&square).to_vec(row).unwrap(), [1.0, 4.0]);
    assert_eq!(Matrix(&Diagonal(&square)).to_vec((row, col)).unwrap(), [1.0, 0.0, 0.0, 4.0]);
    assert_eq!(Trace(&square).item().unwrap(), 5.0);
    assert_eq!(Flip(&x()).to_vec(seq).unwrap(), [5.0, 2.0, -1.0]);
    let flipped = FlipOfMore(&square.rename((row, col), (seq, key)));
    assert_eq!(flipped.to_vec((seq, key)).unwrap(), [3.0, 4.0, 1.0, 2.0]);
    assert_eq!(EverySecond(&Tensor::new(seq, [1.0, 2.0, 3.0, 4.0])).to_vec(half).unwrap(), [1.0, 3.0]);
    assert_eq!(LastTwo(&x()).to_vec(seq).unwrap(), [2.0, 5.0]);
    assert_eq!(Last(&x()).item().unwrap(), 5.0);
    let rows = Rows(&square.rename((row, col), (vocab, chans)), &Tensor::indices(seq, vocab, [1, 1]));
    assert_eq!(rows.to_vec((seq, chans)).unwrap(), [3.0, 4.0, 3.0, 4.0]);
}

#[test]
fn layers_of_other_libraries_are_a_line() {
    let square: Tensor<R![seq, chans]> = Tensor::new((seq, chans), [[1.0, 3.0], [3.0, 5.0], [0.0, 9.0]]);
    let norm = LayerNorm::init(&mut seeded(0), chans.of(2)).unwrap();
    let standard = square.standardize(chans);
    assert_eq!(norm.apply(&square).to_vec((seq, chans)).unwrap(), standard.to_vec((seq, chans)).unwrap());
    let w = Tensor::new((chans, kernel, out), [[[1.0], [2.0]], [[0.0], [0.0]]]);
    assert_eq!(Convolution { W: w }.apply(&square).to_vec((seq, out)).unwrap(), [7.0, 3.0]);
    let u = Tensor::new((seq, chans), [[0.4, 0.6], [0.5, 0.1], [0.0, 0.9]]);
    let dropped = Dropout(&square, &u, &Tensor::scalar(0.5));
    assert_eq!(dropped.to_vec((seq, chans)).unwrap(), [0.0, 6.0, 6.0, 0.0, 0.0, 18.0]);
}
