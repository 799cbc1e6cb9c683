//! Advice about what goes along axes: variances, running results, losses, layers, products and matrices.
//!
//! What is compared with is computed in `f64` by loops, in the words of PyTorch. Not here: functions of each number
//! (`numbers`).

use super::{chans, col, kernel, key, out, row, seq, seq_, vocab};
use named_tensor::prelude::*;

named_tensor::axes! { group, part, step, height, width, kh, kw, row_, col_, half, val }

named! {
    fn Deviation(X: R[seq]) -> R[] { sqrt(var_seq(X) * |seq| / (|seq| - 1)) }

    fn DeviationOfBoth(X: R[seq, key]) -> R[] { sqrt(var_{seq, key}(X) * |seq| * |key| / (|seq| * |key| - 1)) }

    fn CumulativeProduct(X: R[seq]) -> R[seq] {
        M_{seq_(i: |seq|), seq(j)} = if j <= i { X_{seq(j)} } else { 1 };
        prod_seq(M)_{seq_ -> seq}
    }

    fn CumulativeMaximum(X: R[seq]) -> R[seq] {
        M_{seq_(i: |seq|), seq(j)} = if j <= i { X_{seq(j)} } else { -inf };
        max_seq(M)_{seq_ -> seq}
    }

    fn LogCumulativeSum(X: R[seq]) -> R[seq] {
        M_{seq_(i: |seq|), seq(j)} = if j <= i { X_{seq(j)} } else { -inf };
        T = clamp(max_seq(M), -3e38, 3e38);
        (T + log(sum_seq(exp(M - T))))_{seq_ -> seq}
    }

    fn Median(X: R[seq]) -> R[] { sort_seq(X)_{seq(div(|seq| - 1, 2))} }

    fn Quantile(X: R[seq], Q: R[]) -> R[] {
        W_{seq(i)} = max(0, 1 - abs(i - Q * (|seq| - 1)));
        W dot_seq sort_seq(X)
    }

    fn IsIn(X: R[key], Y: R[seq]) -> B[key] { sum_seq(if X == Y { 1 } else { 0 }) > 0 }

    fn Huber(X: R[seq], Y: R[seq]) -> R[] {
        D = X - Y;
        C = clamp(D, -1, 1);
        mean_seq(C * (D - C / 2))
    }

    fn Divergence(X: R[seq], Y: R[seq]) -> R[] {
        L = log(if Y > 0 { Y } else { 1 });
        sum_seq(Y * (L - X))
    }

    fn NegativeLikelihood(X: R[seq, vocab], I: vocab[seq]) -> R[seq] { -X_{vocab(I)} }

    fn BinaryCrossEntropy(X: R[seq], Y: R[seq]) -> R[] {
        E = exp(if X > 0 { -X } else { X });
        U = 1 + E;
        mean_seq((if X > 0 { X } else { 0 }) - X * Y + log(U) + (E - (U - 1)) / U)
    }

    fn Cosine(X: R[seq], Y: R[seq]) -> R[] {
        X dot_seq Y / (sqrt(max(sum_seq(X^2), 1e-16)) * sqrt(max(sum_seq(Y^2), 1e-16)))
    }

    fn Normalize(X: R[seq]) -> R[seq] { X / sqrt(max(sum_seq(X^2), 1e-24)) }

    fn RmsNorm(X: R[seq]; γ: R[seq] = 1) -> R[seq] { X / sqrt(mean_seq(X^2) + 1e-6) * γ }

    fn GroupNorm(X: R[seq, chans]; γ: R[chans] = 1, β: R[chans] = 0) -> R[seq, chans] {
        standardize_{seq, part}(X_{chans -> (group: 2, part)})_{(group, part) -> chans} * γ + β
    }

    fn Distances(X: R[seq, key], Y: R[seq, key]) -> R[seq, seq_] { norm_key(X - Y_{seq -> seq_}) }

    fn Count(I: vocab[seq]) -> R[vocab] { sum_seq(one_hot_vocab(I, 4)) }

    fn Linear(X: R[chans]; W: R[chans, out], b: R[out]) -> R[out] { X dot_chans W + b }

    fn Conv2d(X: R[height, width, chans]; W: R[chans, kh, kw, out]) -> R[height, width, out] {
        unroll_{width, kw}(unroll_{height, kh}(X, |kh|), |kw|) dot_{chans, kh, kw} W
    }

    fn ConvTranspose1d(X: R[seq, chans]; W: R[chans, kernel, out]) -> R[seq, out] {
        P = (X dot_chans W)_{kernel -> (part: 2, step: 2)}_{(seq, step) -> seq};
        Z = 0 * P_{part(0), seq(..2)};
        concat_seq(P_{part(0)}, Z) + concat_seq(Z, P_{part(1)})
    }

    fn ConvTranspose2d(X: R[height, width, chans]; W: R[chans, kh, kw, out]) -> R[height, width, out] {
        P = (X dot_chans W)_{kh -> (part: 2, step: 2)}_{(height, step) -> height};
        Z = 0 * P_{part(0), height(..2)};
        H = concat_height(P_{part(0)}, Z) + concat_height(Z, P_{part(1)});
        Q = H_{kw -> (part: 2, step: 2)}_{(width, step) -> width};
        N = 0 * Q_{part(0), width(..2)};
        concat_width(Q_{part(0)}, N) + concat_width(N, Q_{part(1)})
    }

    fn MaxPool(X: R[seq]) -> R[seq] { max_kernel(pool_{seq, kernel}(X, 2)) }

    fn MeanPool2d(X: R[height, width]) -> R[height, width] {
        mean_{kh, kw}(pool_{width, kw}(pool_{height, kh}(X, 2), 2))
    }

    fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
        softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V
    }

    fn Glu(X: R[key]) -> R[key] {
        H = X_{key -> (half: 2, key)};
        H_{half(0)} * sigmoid(H_{half(1)})
    }

    fn Kronecker(X: R[row, col], Y: R[row, col]) -> R[row, col] {
        (X * Y_{row -> row_, col -> col_})_{(row, row_) -> row, (col, col_) -> col}
    }

    fn Cross(X: R[key], Y: R[key]) -> R[key] {
        Z_{key(i: 3)} = X_{key((i + 1) % 3)} * Y_{key((i + 2) % 3)} - X_{key((i + 2) % 3)} * Y_{key((i + 1) % 3)};
        Z
    }

    fn PseudoInverse(S: R[row, col]) -> R[row, col] {
        inv_{col, col_}(S dot_row S_{col -> col_}) dot_col_ S_{col -> col_}
    }

    fn Above(X: R[seq, seq_]) -> R[seq, seq_] {
        Y_{seq(i), seq_(j)} = if i + 1 <= j { X_{seq(i), seq_(j)} } else { 0 };
        Y
    }

    fn Below(X: R[seq, seq_]) -> R[seq, seq_] {
        Y_{seq(i), seq_(j)} = if j + 1 <= i { X_{seq(i), seq_(j)} } else { 0 };
        Y
    }

    fn Lines(X: R[]) -> R[seq] {
        Y_{seq(i: 5)} = 2 + 3 * i / 4;
        Y + 0 * X
    }
}

const INF: f32 = f32::INFINITY;

fn of(numbers: &[f32]) -> Tensor<seq> {
    Tensor::from_vec(seq.of(numbers.len()), numbers.to_vec()).unwrap()
}

/// Whether the numbers are those, or near enough for `f32`.
fn same(found: &[f32], expected: &[f64]) {
    let near = |x: f32, y: f64| x == y as f32 || f64::from((x - y as f32).abs()) <= 2e-6 * y.abs().max(1e-3);
    let all = found.len() == expected.len() && found.iter().zip(expected).all(|(&x, &y)| near(x, y));
    assert!(all, "{found:?}, not {expected:?}");
}

#[test]
fn a_deviation_of_pytorch_has_a_divisor_that_is_one_less() {
    let numbers: [f32; 6] = [1.0, 2.5, -3.0, 4.0, 0.5, 7.0];
    let mean = numbers.iter().map(|&x| f64::from(x)).sum::<f64>() / 6.0;
    let squares: f64 = numbers.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum();
    same(&[Deviation(&of(&numbers)).item().unwrap()], &[(squares / 5.0).sqrt()]);
    let square = of(&numbers).split(seq, (seq.of(2), key));
    same(&[DeviationOfBoth(&square).item().unwrap()], &[(squares / 5.0).sqrt()]);
    assert!(Deviation(&of(&[1.0])).item().unwrap().is_nan());
}

#[test]
fn running_results_are_those_of_a_loop_whatever_the_signs() {
    let rows: [&[f32]; 5] = [&[2.0, -3.0, 0.0, 5.0], &[-1.5], &[], &[-INF, -INF, 1.0, -80.0], &[90.0, -90.0, 0.0, INF]];
    for row in rows {
        let wide: Vec<f64> = row.iter().map(|&x| f64::from(x)).collect();
        let running = |from: f64, next: fn(f64, f64) -> f64| -> Vec<f64> {
            let step = |last: &mut f64, x: &f64| {
                *last = next(*last, *x);
                Some(*last)
            };
            wide.iter().scan(from, step).collect()
        };
        same(&CumulativeMaximum(&of(row)).to_vec(seq).unwrap_or_default(), &running(f64::NEG_INFINITY, f64::max));
        let added = |x: f64, y: f64| if x == y { x + 2f64.ln() } else { x.max(y) + (-(x - y).abs()).exp().ln_1p() };
        same(&LogCumulativeSum(&of(row)).to_vec(seq).unwrap_or_default(), &running(f64::NEG_INFINITY, added));
        if row.iter().all(|x| x.is_finite()) {
            same(&CumulativeProduct(&of(row)).to_vec(seq).unwrap(), &running(1.0, |x, y| x * y));
        }
    }
    let x = of(&[2.0, 0.0, -3.0]);
    // 1 + 0 + 0, 2 + 2 · -3, 2 · 0.
    same(&grad(&CumulativeProduct(&x).sum(seq), &x).to_vec(seq).unwrap(), &[1.0, -4.0, 0.0]);
}

#[test]
fn medians_and_quantiles_are_read_from_the_sorted_row() {
    for (row, median) in [(&[3.0, 1.0, 2.0][..], 2.0), (&[4.0, 1.0, 3.0, 2.0], 2.0), (&[7.0], 7.0)] {
        assert_eq!(Median(&of(row)).item().unwrap(), median);
        let mut sorted: Vec<f64> = row.iter().map(|&x: &f32| f64::from(x)).collect();
        sorted.sort_by(f64::total_cmp);
        for level in [0.0f32, 0.25, 0.3, 0.5, 1.0] {
            let place = f64::from(level) * (sorted.len() - 1) as f64;
            let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
            let found = Quantile(&of(row), &Tensor::scalar(level)).item().unwrap();
            same(&[found], &[low + (high - low) * place.fract()]);
        }
    }
    let found = IsIn(&Tensor::new(key, [1.0, 5.0]), &of(&[5.0, 5.0, 2.0])).to_vec(key).unwrap();
    assert_eq!(found, [false, true]);
}

#[test]
fn losses_keep_their_digits_and_their_slopes() {
    let (a, b) = ([0.5f32, 3.0, -2.0, 1.0], [0.5f32, 1.0, -1.0, 0.25]);
    let (x, y) = (of(&a), of(&b));
    let huber =
        a.iter().zip(b).map(|(&x, y)| f64::from((x - y).abs())).map(|d| if d < 1.0 { d * d / 2.0 } else { d - 0.5 });
    same(&[Huber(&x, &y).item().unwrap()], &[huber.sum::<f64>() / 4.0]);
    same(&grad(&Huber(&x, &y), &x).to_vec(seq).unwrap(), &[0.0, 0.25, -0.25, 0.1875]);
    let (logs, shares) = (of(&[-1.0, -2.0, -0.5]), of(&[0.25, 0.0, 0.75]));
    let expected = 0.25 * (0.25f64.ln() + 1.0) + 0.75 * (0.75f64.ln() + 0.5);
    same(&[Divergence(&logs, &shares).item().unwrap()], &[expected]);
    let scores = Tensor::new((seq, vocab), [[-1.0, -2.0], [-3.0, -0.5]]);
    let found = NegativeLikelihood(&scores, &Tensor::indices(seq, vocab, [1, 0])).to_vec(seq).unwrap();
    assert_eq!(found, [2.0, 3.0]);
    for (score, truth) in [(30.0f32, 1.0f32), (-30.0, 0.0), (30.0, 0.0), (0.0, 1.0), (0.3, 0.5), (1000.0, 0.0)] {
        let (x, wide) = (of(&[score]), f64::from(score));
        let expected = wide.max(0.0) - wide * f64::from(truth) + (-wide.abs()).exp().ln_1p();
        let found = BinaryCrossEntropy(&x, &of(&[truth])).item().unwrap();
        assert!((f64::from(found) - expected).abs() <= 1e-6 * expected, "{found}, not {expected}");
        let slope = grad(&BinaryCrossEntropy(&x, &of(&[truth])), &x).to_vec(seq).unwrap();
        same(&slope, &[1.0 / (1.0 + (-wide).exp()) - f64::from(truth)]);
    }
}

#[test]
fn norms_and_distances_of_nothing_but_zeros_are_no_exception() {
    let (x, y, zero) = (of(&[3.0, 4.0]), of(&[4.0, 3.0]), of(&[0.0, 0.0]));
    same(&[Cosine(&x, &y).item().unwrap(), Cosine(&x, &zero).item().unwrap()], &[0.96, 0.0]);
    same(&Normalize(&x).to_vec(seq).unwrap(), &[0.6, 0.8]);
    same(&Normalize(&zero).to_vec(seq).unwrap(), &[0.0, 0.0]);
    // As of PyTorch: what is divided by does not change there.
    assert_eq!(grad(&Normalize(&zero).sum(seq), &zero).to_vec(seq).unwrap(), [1e12, 1e12]);
    same(&grad(&Normalize(&x).at(seq, 0), &x).to_vec(seq).unwrap(), &[0.128, -0.096]);
    let slopes = grad(&Cosine(&x, &zero), (&x, &zero));
    same(&[slopes.0.to_vec(seq).unwrap(), slopes.1.to_vec(seq).unwrap()].concat(), &[0.0, 0.0, 6e7, 8e7]);
    let norm = RmsNorm::init(&mut seeded(0), seq.of(2)).unwrap();
    same(&norm.apply(&x).to_vec(seq).unwrap(), &[3.0 / (12.5f64 + 1e-6).sqrt(), 4.0 / (12.5f64 + 1e-6).sqrt()]);
    let points = Tensor::new((seq, key), [[0.0, 0.0], [3.0, 4.0]]);
    same(&Distances(&points, &points).to_vec((seq, seq_)).unwrap(), &[0.0, 5.0, 5.0, 0.0]);
    let numbers = [[1.0f32, 2.0, 5.0, 8.0], [3.0, 4.0, -1.0, 0.0], [0.5, 0.0, 2.0, 7.0]];
    let grouped = GroupNorm::init(&mut seeded(0), chans.of(4)).unwrap().apply(&Tensor::new((seq, chans), numbers));
    let expected = numbers.iter().flat_map(|row| (0..4).map(|c| (row[c], c / 2))).map(|(x, group)| {
        let of_group: Vec<f64> =
            numbers.iter().flat_map(|row| &row[2 * group..2 * group + 2]).map(|&x| x.into()).collect();
        let mean = of_group.iter().sum::<f64>() / 6.0;
        let variance = of_group.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 6.0;
        (f64::from(x) - mean) / (variance + 1e-5).sqrt()
    });
    same(&grouped.to_vec((seq, chans)).unwrap(), &expected.collect::<Vec<_>>());
}

#[test]
fn layers_and_products_are_those_of_loops() {
    let counts: Tensor<vocab> = Count(&Tensor::indices(seq, vocab, [2, 0, 2]));
    assert_eq!(counts.to_vec(vocab).unwrap(), [1.0, 0.0, 2.0, 0.0]);
    let linear = Linear { W: Tensor::new((chans, out), [[1.0, 2.0], [3.0, 4.0]]), b: Tensor::new(out, [0.5, 0.0]) };
    assert_eq!(linear.apply(&Tensor::new(chans, [1.0, 10.0])).to_vec(out).unwrap(), [31.5, 42.0]);
    let image = Tensor::new((height, width, chans), [[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]]);
    let w = Tensor::new((chans, kh, kw, out), [[[[1.0], [10.0]], [[100.0], [1000.0]]]]);
    assert_eq!(Conv2d { W: w }.apply(&image).to_vec((height, width, out)).unwrap(), [5421.0, 6532.0]);
    assert_eq!(MaxPool(&of(&[1.0, 4.0, 2.0, 0.0])).to_vec(seq).unwrap(), [4.0, 2.0]);
    let square = Tensor::new((height, width), [[1.0, 2.0], [3.0, 6.0]]);
    assert_eq!(MeanPool2d(&square).to_vec((height, width)).unwrap(), [3.0]);
    let keys = Tensor::new((seq, key), [[1.0, 0.0], [0.0, 1.0]]);
    let values = Tensor::new((seq, val), [[1.0], [0.0]]);
    let found = Attention(&Tensor::new(key, [2.0, 0.0]), &keys, &values).to_vec(val).unwrap();
    same(&found, &[1.0 / (1.0 + (-2f64.sqrt()).exp())]);
    let gated = Glu(&Tensor::new(key, [1.0, -2.0, 0.0, 1.0])).to_vec(key).unwrap();
    same(&gated, &[0.5, -2.0 / (1.0 + (-1f64).exp())]);
    let crossed = Cross(&Tensor::new(key, [1.0, 2.0, 3.0]), &Tensor::new(key, [4.0, 5.0, 7.0]));
    assert_eq!(crossed.to_vec(key).unwrap(), [-1.0, 5.0, -3.0]);
    assert_eq!(Lines(&Tensor::scalar(0.0)).to_vec(seq).unwrap(), [2.0, 2.75, 3.5, 4.25, 5.0]);
}

#[test]
fn transposed_convolutions_add_what_the_positions_give_where_it_overlaps() {
    // Small whole numbers, whose sums are exact in any order.
    let number = |n: usize| ((n * 7 + 3) % 11) as f32 - 5.0;
    for (h, w) in [(1, 1), (1, 4), (3, 2), (5, 3)] {
        let image = Tensor::from_fn((height.of(h), width.of(w), chans.of(3)), |[i, j, c]| number((i * w + j) * 3 + c));
        let weights =
            Tensor::from_fn((chans.of(3), kh.of(4), kw.of(4), out.of(2)), |[c, k, l, o]| number(c + 5 * k + 2 * l + o));
        let mut expected = vec![0.0; (2 * h + 2) * (2 * w + 2) * 2];
        let mut line = vec![0.0; (2 * w + 2) * 2];
        for (at, [i, j, c]) in (0..h * w * 3).map(|n| (n, [n / (3 * w), n / 3 % w, n % 3])) {
            for [k, l, o] in (0..32).map(|n| [n / 8, n / 2 % 4, n % 2]) {
                let product = number(at) * number(c + 5 * k + 2 * l + o);
                expected[((2 * i + k) * (2 * w + 2) + 2 * j + l) * 2 + o] += product;
                // One row of the image under the first row of the kernel.
                if i == 0 && k == 0 {
                    line[(2 * j + l) * 2 + o] += product;
                }
            }
        }
        let found = ConvTranspose2d { W: weights.clone() }.apply(&image);
        assert_eq!(found.to_vec((height, width, out)).unwrap(), expected, "{h} times {w}");
        let found = ConvTranspose1d { W: weights.at(kh, 0).rename(kw, kernel) };
        let found = found.apply(&image.at(height, 0).rename(width, seq));
        assert_eq!(found.to_vec((seq, out)).unwrap(), line, "{w}");
    }
}

#[test]
fn matrices_are_joined_inverted_and_cut_as_pytorch_does() {
    let (x, y) = (Tensor::new((row, col), [[1.0, 2.0]]), Tensor::new((row, col), [[1.0], [10.0]]));
    assert_eq!(Kronecker(&x, &y).to_vec((row, col)).unwrap(), [1.0, 2.0, 10.0, 20.0]);
    let tall = Tensor::new((row, col), [[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]);
    // (Sᵀ S)⁻¹ Sᵀ with Sᵀ S = [2 1; 1 5].
    let expected = [[5.0, -2.0, 4.0], [-1.0, 4.0, 1.0]].map(|row| row.map(|x| x / 9.0));
    same(&PseudoInverse(&tall).to_vec((col, row)).unwrap(), &expected.concat());
    let square = Tensor::new((seq, seq_), [[1.0, 2.0], [3.0, 4.0]]);
    assert_eq!(Above(&square).to_vec((seq, seq_)).unwrap(), [0.0, 2.0, 0.0, 0.0]);
    assert_eq!(Below(&square).to_vec((seq, seq_)).unwrap(), [0.0, 0.0, 3.0, 0.0]);
}
