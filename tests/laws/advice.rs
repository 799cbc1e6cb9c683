//! What messages of the macro advise is right: each advice computes what the foreign word does.
//!
//! Lives here: advice that takes more than another name. Not here: when it is given (`named-tensor-macros`), and what
//! replaces functions of PyTorch (`numbers` of each number, `layers` along axes).

mod bends;
mod layers;
mod numbers;
mod segments;

use named_tensor::prelude::*;

named_tensor::axes! { seq, seq_, key, chans, kernel, out, row, col, vocab, half, pair, new }

#[expect(non_upper_case_globals, unused_qualifications, reason = "as a program may write it, and as it is advised")]
mod constants {
    use super::seq;
    use named_tensor::prelude::*;

    const eps: f32 = 0.5;
    const N: usize = 2;

    named! {
        pub fn ByPath(X: R[seq]) -> R[seq] { X + self::eps * self::N }
    }
}

named! {
    fn Causal(X: R[seq]) -> R[seq, seq_] {
        M_{seq(i), seq_(j: |seq|)} = if i <= j { X_{seq(i)} } else { -inf };
        M
    }

    fn Sinh(X: R[]) -> R[] { tanh(X) * (exp(X) + exp(-X)) / 2 }

    fn Expm1(X: R[]) -> R[] { if abs(X) < 1 { tanh(X / 2) * (exp(X) + 1) } else { exp(X) - 1 } }

    fn Softplus(X: R[]) -> R[] {
        E = exp(if X > 0 { -X } else { X });
        U = 1 + E;
        (if X > 0 { X } else { 0 }) + log(U) + (E - (U - 1)) / U
    }

    fn LogSumExp(X: R[seq]) -> R[] {
        M = clamp(max_seq(X), -3e38, 3e38);
        M + log(sum_seq(exp(X - M)))
    }

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

    fn Roll(X: R[seq]) -> R[seq] {
        Y_{seq(i)} = X_{seq((i + |seq| - 1) % |seq|)};
        Y
    }

    fn Pad(X: R[seq]) -> R[seq] {
        Y_{seq(i: |seq| + 2)} = if i < |seq| { X_{seq(min(i, |seq| - 1))} } else { 0 };
        Y
    }

    fn Tile(X: R[seq]) -> R[seq] {
        Y_{seq(i: 2 * |seq|)} = X_{seq(i % |seq|)};
        Y
    }

    fn RepeatEach(X: R[seq]) -> R[seq] {
        Y_{seq(i: 2 * |seq|)} = X_{seq(div(i, 2))};
        Y
    }

    fn Expand(X: R[seq]) -> R[seq, new] {
        Y_{new(i: 2), seq(j)} = X_{seq(j)};
        Y
    }

    fn Stack(X: R[seq], Y: R[seq]) -> R[seq, new] {
        Z_{new(i: 2), seq(j)} = if i == 0 { X_{seq(j)} } else { Y_{seq(j)} };
        Z
    }

    fn CrossEntropy(X: R[seq, vocab], I: vocab[seq]) -> R[seq] { -log_softmax_vocab(X)_{vocab(I)} }

    fn ScatterAdd(X: R[seq, chans], I: vocab[seq]) -> R[vocab, chans] { one_hot_vocab(I, 3) dot_seq X }

    fn Solve(S: R[row, col], X: R[row]) -> R[col] { inv_{row, col}(S) dot_row X }

    fn LogDet(S: R[row, col]) -> R[] { log(det_{row, col}(S)) }

    fn MaskedFill(X: R[seq], M: B[seq]) -> R[seq] { if M { -inf } else { X } }

    fn NotAbove(X: R[seq]) -> R[seq] { if !(X > 0) { X } else { 0 } }
}

fn x() -> Tensor<seq> {
    Tensor::new(seq, [-1.0, 2.0, 5.0])
}

/// Whether both are one number, or near enough for `f32`.
fn near(found: f32, expected: f64) -> bool {
    let expected = expected as f32;
    found == expected || (found - expected).abs() <= 1e-6 * expected.abs()
}

/// A function of the notation, that of Rust, and its derivative.
type Case = (fn(&Tensor<seq>) -> Tensor<seq>, fn(f64) -> f64, fn(f64) -> f64);

#[test]
fn functions_of_each_number_keep_their_digits_and_have_their_derivatives() {
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let softplus = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
    let cases: [Case; 3] = [
        (|x| Sinh(x), f64::sinh, f64::cosh),
        (|x| Expm1(x), f64::exp_m1, f64::exp),
        (|x| Softplus(x), softplus, sigmoid),
    ];
    let numbers: [f32; 18] =
        [-80.0, -50.0, -20.0, -5.0, -1.0, -0.9, -0.5, -1e-3, -1e-8, 0.0, 1e-8, 1e-5, 1e-3, 0.3, 1.0, 2.5, 20.0, 40.0];
    for (place, (found, expected, slope)) in cases.into_iter().enumerate() {
        let x = Tensor::from_vec(seq.of(numbers.len()), numbers.to_vec()).unwrap();
        let y = found(&x);
        let slopes = grad(&y.sum(seq), &x).to_vec(seq).unwrap();
        for ((&x, y), d) in numbers.iter().zip(y.to_vec(seq).unwrap()).zip(slopes) {
            let x = f64::from(x);
            assert!(near(y, expected(x)), "{place}: {y} at {x}, not {}", expected(x));
            assert!(near(d, slope(x)), "{place}: the derivative {d} at {x}, not {}", slope(x));
        }
    }
    assert_eq!(NotAbove(&x()).to_vec(seq).unwrap(), [-1.0, 0.0, 0.0]);
}

#[test]
fn a_logarithm_of_a_sum_of_exponentials_neither_overflows_nor_fails_at_a_row_that_is_masked() {
    let of = |row: [f32; 3]| LogSumExp(&Tensor::new(seq, row)).item().unwrap();
    let masked = f32::NEG_INFINITY;
    assert_eq!(of([masked; 3]), masked);
    assert_eq!(of([f32::INFINITY, 1.0, masked]), f32::INFINITY);
    assert!(near(of([masked, 1.0, 1.0]), 1.0 + f64::ln(2.0)));
    assert!(near(of([1000.0, 1000.0, -1000.0]), 1000.0 + f64::ln(2.0)));
    assert!(near(of([-1000.0, -1000.0, -1000.0]), f64::ln(3.0) - 1000.0));
    for row in [[1.0, 2.0, 3.0], [2.0, 2.0, -1.0], [masked, 0.0, 100.0]] {
        let x = Tensor::<seq>::new(seq, row);
        let (found, expected) = (grad(&LogSumExp(&x), &x).to_vec(seq).unwrap(), x.softmax(seq).to_vec(seq).unwrap());
        assert!(found.iter().zip(&expected).all(|(x, y)| (x - y).abs() <= 1e-6), "{found:?}, {expected:?}");
    }
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
fn constants_have_paths_and_a_size_that_no_argument_has_is_stated() {
    assert_eq!(constants::ByPath(&x()).to_vec(seq).unwrap(), [0.0, 3.0, 6.0]);
    let masked = Causal(&x().slice(seq, ..2));
    assert_eq!(masked.to_vec((seq, seq_)).unwrap(), [-1.0, -1.0, f32::NEG_INFINITY, 2.0]);
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

#[test]
fn what_moves_repeats_and_pads_is_written_by_positions() {
    let y = Tensor::<seq>::new(seq, [7.0, 8.0, 9.0]);
    assert_eq!(Roll(&x()).to_vec(seq).unwrap(), [5.0, -1.0, 2.0]);
    assert_eq!(Pad(&x()).to_vec(seq).unwrap(), [-1.0, 2.0, 5.0, 0.0, 0.0]);
    assert_eq!(Tile(&x()).to_vec(seq).unwrap(), [-1.0, 2.0, 5.0, -1.0, 2.0, 5.0]);
    assert_eq!(RepeatEach(&x()).to_vec(seq).unwrap(), [-1.0, -1.0, 2.0, 2.0, 5.0, 5.0]);
    assert_eq!(Expand(&x()).to_vec((seq, new)).unwrap(), [-1.0, -1.0, 2.0, 2.0, 5.0, 5.0]);
    assert_eq!(Stack(&x(), &y).to_vec((new, seq)).unwrap(), [-1.0, 2.0, 5.0, 7.0, 8.0, 9.0]);
}

#[test]
fn losses_sums_by_position_and_equations_of_matrices_are_a_line() {
    let scores = Tensor::new((seq, vocab), [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]);
    let words = Tensor::indices(seq, vocab, [2, 0]);
    let losses = CrossEntropy(&scores, &words).to_vec(seq).unwrap();
    let of_first = (f64::exp(-2.0) + f64::exp(-1.0)).ln_1p();
    assert!(near(losses[0], of_first) && near(losses[1], f64::ln(3.0)), "{losses:?}");
    let rows = Tensor::new((seq, chans), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    let sums = ScatterAdd(&rows, &Tensor::indices(seq, vocab, [2, 0, 2]));
    assert_eq!(sums.to_vec((vocab, chans)).unwrap(), [3.0, 4.0, 0.0, 0.0, 6.0, 8.0]);
    let square: Tensor<R![row, col]> = Tensor::new((row, col), [[1.0, 2.0], [3.0, 8.0]]);
    let b = Tensor::<row>::new(row, [5.0, 19.0]);
    let solution = Solve(&square, &b);
    assert!((square.dot(col, &solution) - &b).abs().max(row).item().unwrap() < 1e-4, "{solution}");
    assert!(near(LogDet(&square).item().unwrap(), f64::ln(2.0)));
    let filled = MaskedFill(&x(), &x().gt(&Tensor::scalar(0.0)));
    assert_eq!(filled.to_vec(seq).unwrap(), [-1.0, f32::NEG_INFINITY, f32::NEG_INFINITY]);
}
