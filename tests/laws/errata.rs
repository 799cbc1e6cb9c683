//! The misprints of the paper: the equation as it must be read, beside the numbers of the printed one.
//!
//! Lives here: rows E1, E2 and E4 to E16, each by numbers that tell both readings apart. Not here: what the compiler
//! refuses, `e1_..`, `e3_..` and `e16_..` in `ui`.

use named_tensor::prelude::*;
use named_tensor_tests::axes::{
    a, b, batch, beam, chans, clusters, depth, heads, height, height_, kernel, key, layer, seq, seq_, state, subseq,
    val, vocab, width, width_,
};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::attention::{attend, weights};
use named_tensor_tests::reference::rearrangement::at;
use named_tensor_tests::reference::softmax::softmax_of;
use named_tensor_tests::reference::{Grid, contraction};
use named_tensor_tests::strategies::tensor;

use crate::examples::{GroupNorm, Squares};

/// A pattern of numbers, no two of a small grid alike.
fn pattern(sizes: &[usize]) -> Grid {
    let mut next = 0.37;
    Grid::from_fn(sizes, |_| {
        next = (next * 7.1 + 0.29) % 2.0 - 1.0;
        next
    })
}

#[track_caller]
fn differ(x: &[f64], y: &[f64]) {
    assert!(x.len() != y.len() || x.iter().zip(y).any(|(x, y)| (x - y).abs() > 1e-3), "{x:?} and {y:?}");
}

/// The derivatives of `f` by each number of x, by central differences: over (place of the result, place of x).
fn differences(x: &[f64], f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<Vec<f64>> {
    let moved = |i: usize, by: f64| {
        let mut x = x.to_vec();
        x[i] += by;
        f(&x)
    };
    let step = 1e-5;
    let columns: Vec<Vec<f64>> = (0..x.len())
        .map(|i| moved(i, step).iter().zip(moved(i, -step)).map(|(high, low)| (high - low) / (2.0 * step)).collect())
        .collect();
    (0..f(x).len()).map(|result| columns.iter().map(|column| column[result]).collect()).collect()
}

/// A step of 1e-5 errs by about its square times a third derivative below 10, and by 1e-16 / 1e-5 in rounding.
const DIFFERENCES: Bound = Bound::absolute(1e-8);

named! {
    fn Both(P: R[seq, vocab], I: seq[subseq], J: vocab[subseq]) -> R[subseq] {
        index_vocab(index_seq(P, I), J)
    }

    fn Chosen(P: R[seq, vocab], I: vocab[seq]) -> R[seq] {
        index_vocab(P, I)
    }

    fn MaxPool2d(X: R[height, width]) -> R[height, width] {
        max_{depth, kernel}(pool_{height, depth}(pool_{width, kernel}(X, 3), 2))
    }

    fn MaxPool2dAsPrinted(X: R[height, width]) -> R[height, width] {
        max_{depth, kernel}(pool_{height, depth}(pool_{width, kernel}(X, 2), 2))
    }

    /// ∂ Att / ∂ K* for the weights A, with key* spelt depth and seq* spelt seq′.
    fn ByKeys(A: R[seq], Q: R[key], V: R[seq, val], I: R[seq, seq_]) -> R[val, seq_, depth] {
        D = Q_{key -> depth} * I;
        V dot_seq (A * (D - A dot_seq D)) / sqrt(|key|)
    }

    fn ByKeysOtherwise(A: R[seq], Q: R[key], V: R[seq, val], I: R[seq, seq_]) -> R[val, seq_, depth] {
        D = Q_{key -> depth} * I;
        V dot_seq (A * D - A dot_seq D) / sqrt(|key|)
    }

    /// ∂ softmax X / ∂ X*, with width* spelt width′.
    fn SoftmaxByX(X: R[width], I: R[width, width_]) -> R[width, width_] {
        S = softmax_width(X);
        S * (I - S_{width -> width_})
    }

    fn SoftmaxByXUnstarred(X: R[width]) -> R[width] {
        S = softmax_width(X);
        S * (1 - S)
    }

    fn LayerNorm(X: R[chans, layer]; γ: R[chans, layer] = 1, β: R[chans, layer] = 0) -> R[chans, layer] {
        standardize_{chans, layer}(X) * γ + β
    }

    fn Norm3(X: R[width]) -> R[] {
        norm_width(X, 3)
    }

    fn Norm3AsPrinted(X: R[width]) -> R[] {
        sum_width(X ^ 3) ^ (1 / 3)
    }

    fn Cooled(X: R[width], T: R[]) -> R[width] {
        softmax_width(X / T)
    }

    fn GroupNormOtherwise(X: R[batch, chans, layer]) -> R[batch, chans, layer] {
        standardize_{kernel, layer}(pool_{chans, kernel}(X, 2))_{(kernel, chans) -> chans}
    }

    fn FlatProduct(H: R[heads, val], W: R[heads, val, chans]) -> R[chans] {
        H_{(heads, val) -> layer} dot_layer W_{(heads, val) -> layer}
    }

    fn FlatProductOtherwise(H: R[heads, val], W: R[heads, val, chans]) -> R[chans] {
        H_{(heads, val) -> layer} dot_layer W_{(val, heads) -> layer}
    }

    /// Positions 3 h′ + h - 1 for h′ and h from 1 to 3, less the 1 from which the paper counts.
    fn RowsOfSquaresAsPrinted(X: R[height]) -> R[height_, depth] {
        Y_{height_(i: 3), depth(j: 3)} = X_{height(3 * (i + 1) + (j + 1) - 2)};
        Y
    }

    fn CentresAsPrinted(C: R[clusters, depth], X: R[batch, depth]) -> R[clusters, depth] {
        Q = argmin_clusters(norm_depth(C - X));
        sum_batch(Q * X / Q)
    }

    fn Centres(C: R[clusters, depth], X: R[batch, depth]) -> R[clusters, depth] {
        Q = argmin_clusters(norm_depth(C - X));
        sum_batch(Q * X) / sum_batch(Q)
    }

    fn AtBest(A: R[state], B: R[beam]) -> R[beam] {
        A dot_state one_hot_state(argmaxk_state(A, |beam|)_{state -> beam}, |state|)
    }

    fn ProductWithInverse(S: R[a, b]) -> R[a, depth] {
        S dot_b inv_{a, b}(S)_{a -> depth}
    }

    fn ProductWithInverseAsPrinted(S: R[a, b]) -> R[a, depth] {
        S dot_b inv_{a, b}(S)_{a -> b, b -> a}_{a -> depth}
    }

    fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
        softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V
    }

    fn SumOfProducts(X: R[height, width], Y: R[width]) -> R[width] {
        sum_height(X * Y)
    }
}

#[test]
fn e1_the_second_index_is_j_and_not_i_again() {
    let p = pattern(&[3, 3]);
    let t = tensor!(f64, &p, (seq, vocab));
    let (i, j) = (Tensor::indices(subseq, seq, [1, 0, 2, 1]), Tensor::indices(subseq, vocab, [0, 2, 2, 1]));
    let right: Vec<f64> = [[1, 0], [0, 2], [2, 2], [1, 1]].iter().map(|place| p.get(place)).collect();
    let printed: Vec<f64> = [[1, 1], [0, 0], [2, 2], [1, 1]].iter().map(|place| p.get(place)).collect();
    assert_eq!(Both(&t, &i, &j).to_vec(subseq).unwrap(), right);
    differ(&right, &printed);
}

#[test]
fn e2_words_are_chosen_along_vocab_and_not_along_the_first_axis() {
    let p = tensor!(f64, &pattern(&[2, 3]), (seq, vocab));
    let words = Tensor::indices(seq, vocab, [2, 0]);
    let right = [pattern(&[2, 3]).get(&[0, 2]), pattern(&[2, 3]).get(&[1, 0])];
    assert_eq!(Chosen(&p, &words).to_vec(seq).unwrap(), right);
    // Along axis 0, which is seq, the word 2 has no row.
    let printed = p.rename(seq, seq_).index(seq_, &Tensor::indices(seq, seq_, [2, 0]));
    let error = printed.to_vec((seq, vocab)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IndexOutOfRange, "{error}");
}

#[test]
fn e4_max_pool_has_one_window_for_the_height_and_one_for_the_width() {
    let x = Tensor::<_, f64>::from_fn((height.of(4), width.of(6)), |[i, j]| (6 * i + j) as f64);
    assert_eq!(MaxPool2d(&x).to_vec((height, width)).unwrap(), [8.0, 11.0, 20.0, 23.0]);
    differ(&MaxPool2dAsPrinted(&x).to_vec((height, width)).unwrap(), &[8.0, 11.0, 20.0, 23.0]);
    // With the other window for both, the height has a rest.
    let error = x.pool(height, depth.of(3)).checked().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SizeClash, "{error}");
}

#[test]
fn e5_the_derivative_of_attention_by_its_keys_has_the_weights_outside_both_terms() {
    let (q, k, v) = (pattern(&[3]), pattern(&[4, 3]), pattern(&[4, 2]));
    let weights = Grid::new(&[4], weights(&q.values, &k, None));
    let expected = differences(&k.values, |keys| attend(&q.values, &Grid::new(&[4, 3], keys.to_vec()), &v, None));
    let (alpha, q) = (tensor!(f64, &weights, (seq)), tensor!(f64, &q, (key)));
    let (v, identity) = (tensor!(f64, &v, (seq, val)), Tensor::eye(seq, seq_, 4));
    let expected = Grid::new(&[2, 4, 3], expected.concat());
    let right = ByKeys(&alpha, &q, &v, &identity).to_vec((val, seq_, depth)).unwrap();
    assert_close(&right, &expected, DIFFERENCES);
    differ(&ByKeysOtherwise(&alpha, &q, &v, &identity).to_vec((val, seq_, depth)).unwrap(), &right);
}

#[test]
fn e6_the_derivative_of_softmax_has_a_second_axis() {
    let x = pattern(&[4]);
    let expected = Grid::new(&[4, 4], differences(&x.values, softmax_of).concat());
    let x = tensor!(f64, &x, (width));
    let right = SoftmaxByX(&x, &Tensor::eye(width, width_, 4)).to_vec((width, width_)).unwrap();
    assert_close(&right, &expected, DIFFERENCES);
    // Without the star there is one axis, which holds the diagonal alone: moving X₀ would not change the others.
    let unstarred = SoftmaxByXUnstarred(&x).to_vec(width).unwrap();
    let diagonal = Grid::from_fn(&[4], |place| expected.get(&[place[0], place[0]]));
    assert_close(&unstarred, &diagonal, DIFFERENCES);
    differ(
        &contraction::matrix_vector(&expected, &Grid::new(&[4], vec![1., 0., 0., 0.])).values,
        &[unstarred[0], 0., 0., 0.],
    );
}

#[test]
fn e7_a_comma_between_axes_is_their_product() {
    // unroll : R^seq -> R^(seq x kernel), one number for each pair.
    let windows = tensor!(f64, &pattern(&[5]), (seq)).unroll(seq, kernel.of(2));
    assert_eq!(windows.to_vec((seq, kernel)).unwrap().len(), 4 * 2);
    // A gain in R^(chans x layer) is one number for each pair; of a vector over chans and one over layer, the
    // products would make a matrix whose determinant is 0.
    let gain = tensor!(f64, &Grid::new(&[2, 2], vec![1., 2., 3., 5.]), (chans, layer));
    let norm = LayerNorm { γ: gain, β: Tensor::zeros((chans.of(2), layer.of(2))) };
    assert_eq!(norm.γ.det(chans, layer).item().unwrap().round(), -1.0);
    let x = tensor!(f64, &pattern(&[1, 2, 2]), (batch, chans, layer));
    let gained = (norm.apply(&x) / x.standardize((chans, layer))).at(batch, 0).to_vec((chans, layer)).unwrap();
    assert_close(&gained, &Grid::new(&[2, 2], vec![1., 2., 3., 5.]), Bound::roundings(40, 100.0, f64::EPSILON));
}

#[test]
fn e8_the_p_norm_is_of_absolute_values() {
    let x = tensor!(f64, &Grid::new(&[3], vec![3., -5., 1.]), (width));
    assert_close(&[Norm3(&x).item().unwrap()], &Grid::new(&[1], vec![153_f64.cbrt()]), Bound::absolute(1e-13));
    // 27 - 125 + 1 has no real root of this kind.
    assert!(Norm3AsPrinted(&x).item().unwrap().is_nan());
    let x = x.abs();
    assert_close(
        &[Norm3(&x).item().unwrap()],
        &Grid::scalar(Norm3AsPrinted(&x).item().unwrap()),
        Bound::absolute(1e-13),
    );
}

#[test]
fn e9_the_limit_of_softmax_is_uniform_over_ties_and_argmax_takes_the_first() {
    let x = tensor!(f64, &Grid::new(&[4], vec![2., 5., 5., 1.]), (width));
    let limit = Cooled(&x, &Tensor::scalar(1e-3)).to_vec(width).unwrap();
    assert_eq!(limit, [0.0, 0.5, 0.5, 0.0]);
    assert_eq!(x.argmax(width).to_vec(width).unwrap(), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!((-x).argmin(width).to_vec(width).unwrap(), [0.0, 1.0, 0.0, 0.0]);
    let apart = tensor!(f64, &Grid::new(&[3], vec![2., 5., 4.],), (width));
    let limit = Cooled(&apart, &Tensor::scalar(1e-3)).to_vec(width).unwrap();
    assert_eq!(limit, apart.argmax(width).to_vec(width).unwrap());
}

#[test]
fn e10_group_norm_and_output_weights_need_the_stated_order_of_flattening() {
    let x = tensor!(f64, &pattern(&[1, 4, 3]), (batch, chans, layer));
    let groups = GroupNorm { g: Tensor::full(chans.of(4), 1.0), b: Tensor::zeros(chans.of(4)) };
    let right = groups.apply(&x).to_vec((batch, chans, layer)).unwrap();
    // Channel 1 is normalised with channel 0.
    let first = x.slice(chans, 0..2).standardize((chans, layer)).to_vec((batch, chans, layer)).unwrap();
    assert_close(&right[..6], &Grid::new(&[6], first), Bound::roundings(60, 100.0, f64::EPSILON));
    differ(&GroupNormOtherwise(&x).to_vec((batch, chans, layer)).unwrap(), &right);

    let (h, w) =
        (tensor!(f64, &pattern(&[2, 3]), (heads, val)), tensor!(f64, &pattern(&[2, 3, 2]), (heads, val, chans)));
    let right = h.dot((heads, val), &w).to_vec(chans).unwrap();
    let bound = Bound::roundings(12, 6.0, f64::EPSILON);
    assert_close(&FlatProduct(&h, &w).to_vec(chans).unwrap(), &Grid::new(&[2], right.clone()), bound);
    differ(&FlatProductOtherwise(&h, &w).to_vec(chans).unwrap(), &right);
}

#[test]
fn e11_cells_of_a_square_are_counted_from_its_first_cell() {
    let x = Tensor::<_, f64>::from_fn((height.of(9), width.of(9)), |[i, j]| (9 * i + j) as f64);
    let rows = Squares(&x).at(width_, 0).at(width, 0).to_vec((height_, height)).unwrap();
    assert_eq!(rows, [0.0, 9.0, 18.0, 27.0, 36.0, 45.0, 54.0, 63.0, 72.0]);
    // As printed they run from 3 to 11, and there is no row 10.
    let error = RowsOfSquaresAsPrinted(&x).to_vec((height_, depth, width)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IndexOutOfRange, "{error}");
    assert!(error.to_string().contains("position 9 of axis `height`"), "{error}");
}

#[test]
fn e12_a_centre_is_the_quotient_of_sums_and_not_the_sum_of_quotients() {
    let c = tensor!(f64, &Grid::new(&[2, 2], vec![0., 0., 10., 10.]), (clusters, depth));
    let x = tensor!(f64, &Grid::new(&[4, 2], vec![1., 0., 0., 1., 9., 10., 10., 9.]), (batch, depth));
    assert_eq!(Centres(&c, &x).to_vec((clusters, depth)).unwrap(), [0.5, 0.5, 9.5, 9.5]);
    assert!(CentresAsPrinted(&c, &x).to_vec((clusters, depth)).unwrap().iter().all(|x| x.is_nan()));
}

#[test]
fn e13_numbers_at_argmaxk_are_maxk_and_not_max() {
    let x = tensor!(f64, &Grid::new(&[3], vec![0.2, 0.42, 0.12]), (state));
    let best = AtBest(&x, &Tensor::zeros(beam.of(2))).to_vec(beam).unwrap();
    assert_eq!(best, [0.42, 0.2]);
    assert_eq!(x.maxk(state, beam.of(2)).to_vec(beam).unwrap(), best);
    differ(&[x.max(state).item().unwrap(); 2], &best);
}

#[test]
fn e14_the_inverse_leads_from_the_second_axis_to_the_first() {
    let s = tensor!(f64, &Grid::new(&[2, 2], vec![1., 2., 3., 5.]), (a, b));
    let bound = Bound::absolute(1e-13);
    assert_close(&ProductWithInverse(&s).to_vec((a, depth)).unwrap(), &contraction::eye(2), bound);
    differ(&ProductWithInverseAsPrinted(&s).to_vec((a, depth)).unwrap(), &contraction::eye(2).values);
    // A covariance is symmetric, so there the printed order does no harm.
    let s = tensor!(f64, &Grid::new(&[2, 2], vec![2., 0.5, 0.5, 1.]), (a, b));
    assert_close(&ProductWithInverse(&s).to_vec((a, depth)).unwrap(), &contraction::eye(2), bound);
    assert_close(&ProductWithInverseAsPrinted(&s).to_vec((a, depth)).unwrap(), &contraction::eye(2), bound);
}

#[test]
fn e15_queries_over_seq_or_seq_primed_are_the_same_when_lifted_and_not_when_inlined() {
    let (q, k, v) = (pattern(&[4, 3]), pattern(&[4, 3]), pattern(&[4, 2]));
    let (keys, values) = (tensor!(f64, &k, (seq, key)), tensor!(f64, &v, (seq, val)));
    let (same, apart) = (tensor!(f64, &q, (seq, key)), tensor!(f64, &q, (seq_, key)));
    let lifted: Tensor<R![seq, val], f64> = Attention(&same, &keys, &values);
    let lifted = lifted.to_vec((seq, val)).unwrap();
    assert_eq!(lifted, Attention(&apart, &keys, &values).to_vec((seq_, val)).unwrap());
    for i in 0..4 {
        let expected = Grid::new(&[2], attend(&at(&q, 0, i).values, &k, &v, None));
        assert_close(&lifted[2 * i..2 * i + 2], &expected, Bound::roundings(40, 4.0, f64::EPSILON));
    }
    // In place of the call, the body meets the seq of the keys, and one query is left of four.
    let inlined: Tensor<R![val], f64> = (same.dot(key, &keys) / 3_f64.sqrt()).softmax(seq).dot(seq, &values);
    differ(&inlined.to_vec(val).unwrap(), &lifted[..2]);
}

#[test]
fn e16_the_sum_of_products_accepts_an_axis_of_one_operand_and_contraction_does_not() {
    // `x.dot(height, &y)` does not compile (`ui`); the sum of products has a value, the sum times the other operand.
    let (x, y) = (tensor!(f64, &pattern(&[3, 2]), (height, width)), tensor!(f64, &pattern(&[2]), (width)));
    let sums = (x.sum(height) * &y).to_vec(width).unwrap();
    let bound = Bound::roundings(6, 3.0, f64::EPSILON);
    assert_close(&SumOfProducts(&x, &y).to_vec(width).unwrap(), &Grid::new(&[2], sums), bound);
    // With the axis in both operands, both definitions are one.
    let z = tensor!(f64, &pattern(&[3]), (height));
    let strict = Grid::new(&[2], x.dot(height, &z).to_vec(width).unwrap());
    assert_close(&(&x * &z).sum(height).to_vec(width).unwrap(), &strict, bound);
}
