//! Sizes at which work is split over threads and into blocks: the same numbers as plain loops.
//!
//! Lives here: each kind of loop once, past any threshold, in each orientation. Not here: small sizes (other files).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{batch, depth, height, key, seq, val, vocab, width};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::indexing::{Positions, sequence};
use named_tensor_tests::reference::rearrangement::reorder;
use named_tensor_tests::reference::{Grid, contraction, elementwise, reduction, softmax};
use named_tensor_tests::strategies::{in_both_precisions, tensor};

/// Numbers between -1 and 1 without a period that a block size could share, exact in `f32`.
fn numbers(sizes: &[usize]) -> Grid {
    let mut state = 1_u64;
    Grid::from_fn(sizes, |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 53) as f64 - 1024.0) / 1024.0
    })
}

/// The error of a sum of n products of numbers below 1.
fn products(n: usize, unit: f64) -> Bound {
    Bound::roundings(n + 1, n as f64, unit)
}

#[test]
fn a_chain_of_elementwise_operations() {
    let (x, y) = (numbers(&[401, 503]), numbers(&[503]));
    let expected =
        elementwise::zip_with_last(&x, &y, |x, y| (x * y + 1.0).exp() / (1.0 + x * x) - elementwise::relu(y - x));
    in_both_precisions!({
        let (t, row) = (tensor!(Number, &x, (height, width)), tensor!(Number, &y, (width)));
        let result = (&t * &row + 1.0).exp() / (&t * &t + 1.0) - (&row - &t).relu();
        let bound = Bound::roundings(16, 10.0, UNIT);
        assert_close(&result.to_vec((height, width)).unwrap(), &expected, bound);
        assert_close(&result.to_vec((width, height)).unwrap(), &reorder(&expected, &[1, 0]), bound);
    });
}

#[test]
fn operands_stored_across_each_other() {
    let (x, y) = (numbers(&[401, 503]), numbers(&[503, 401]));
    let expected = elementwise::zip(&x, &reorder(&y, &[1, 0]), |x, y| x - 2.0 * y);
    in_both_precisions!({
        let (t, u) = (tensor!(Number, &x, (height, width)), tensor!(Number, &y, (width, height)));
        assert_close(&(&t - &u * 2.0).to_vec((height, width)).unwrap(), &expected, Bound::roundings(2, 3.0, UNIT));
    });
}

#[test]
fn reductions_of_the_fast_axis_of_the_slow_axis_and_of_all() {
    let x = numbers(&[401, 503]);
    in_both_precisions!({
        let t = tensor!(Number, &x, (height, width));
        assert_close(&t.sum(width).to_vec(height).unwrap(), &reduction::sum(&x, &[1]), products(503, UNIT));
        assert_close(&t.sum(height).to_vec(width).unwrap(), &reduction::sum(&x, &[0]), products(401, UNIT));
        let all = t.sum((height, width)).item().unwrap();
        assert_close(&[all], &reduction::sum(&x, &[0, 1]), products(401 * 503, UNIT));
        assert_close(&t.max(height).to_vec(width).unwrap(), &reduction::max(&x, &[0]), Bound::EXACT);
        assert_close(&t.min(width).to_vec(height).unwrap(), &reduction::min(&x, &[1]), Bound::EXACT);
        assert_close(&[t.max((width, height)).item().unwrap()], &reduction::max(&x, &[0, 1]), Bound::EXACT);
    });
}

#[test]
fn reductions_of_a_middle_axis_and_of_both_outer_axes() {
    let x = numbers(&[53, 61, 67]);
    in_both_precisions!({
        let t = tensor!(Number, &x, (height, width, depth));
        let middle = t.sum(width).to_vec((height, depth)).unwrap();
        assert_close(&middle, &reduction::sum(&x, &[1]), products(61, UNIT));
        let outer = t.sum((height, depth)).to_vec(width).unwrap();
        assert_close(&outer, &reduction::sum(&x, &[0, 2]), products(53 * 67, UNIT));
        let mean = t.mean((height, width)).to_vec(depth).unwrap();
        assert_close(&mean, &reduction::mean(&x, &[0, 1]), Bound::roundings(53 * 61 + 1, 1.0, UNIT));
    });
}

#[test]
fn softmax_and_standardisation_of_the_fast_and_of_the_slow_axis() {
    let x = numbers(&[401, 503]);
    in_both_precisions!({
        let t = tensor!(Number, &x, (height, width));
        let order = (height, width);
        // A weight is below e² / 401, and n exponentials of error 2 units are summed.
        let bound = Bound::roundings(520, 8.0 / 401.0, UNIT);
        assert_close(&t.softmax(width).to_vec(order).unwrap(), &softmax::softmax(&x, &[1]), bound);
        assert_close(&t.softmax(height).to_vec(order).unwrap(), &softmax::softmax(&x, &[0]), bound);
        let logarithm = t.log_softmax(width).to_vec(order).unwrap();
        assert_close(&logarithm, &softmax::log_softmax(&x, &[1]), Bound::roundings(520, 9.0, UNIT));
        // The deviation of these numbers is near 1/√3.
        let bound = Bound::roundings(1100, 4.0, UNIT);
        assert_close(&t.standardize(width).to_vec(order).unwrap(), &softmax::standardize(&x, &[1], 1e-5), bound);
        assert_close(&t.standardize(height).to_vec(order).unwrap(), &softmax::standardize(&x, &[0], 1e-5), bound);
    });
}

#[test]
fn one_row_times_a_large_matrix_and_a_large_matrix_times_one_column() {
    let (a, x, y) = (numbers(&[769, 1031]), numbers(&[769]), numbers(&[1031]));
    in_both_precisions!({
        let t = tensor!(Number, &a, (height, width));
        let row = tensor!(Number, &x, (height)).dot(height, &t).to_vec(width).unwrap();
        assert_close(&row, &contraction::vector_matrix(&x, &a), products(769, UNIT));
        let column = t.dot(width, &tensor!(Number, &y, (width))).to_vec(height).unwrap();
        assert_close(&column, &contraction::matrix_vector(&a, &y), products(1031, UNIT));
    });
}

#[test]
fn many_small_products_and_products_stored_in_every_order() {
    let (a, b) = (numbers(&[37, 41, 43]), numbers(&[37, 43, 47]));
    let expected = contraction::batched(&a, &b);
    in_both_precisions!({
        let lefts = [
            tensor!(Number, &a, (batch, seq, key)),
            tensor!(Number, &reorder(&a, &[0, 2, 1]), (batch, key, seq)),
            tensor!(Number, &reorder(&a, &[1, 0, 2]), (seq, batch, key)),
            tensor!(Number, &reorder(&a, &[2, 1, 0]), (key, seq, batch)),
        ];
        let rights = [
            tensor!(Number, &b, (batch, key, val)),
            tensor!(Number, &reorder(&b, &[0, 2, 1]), (batch, val, key)),
            tensor!(Number, &reorder(&b, &[2, 1, 0]), (val, key, batch)),
        ];
        for left in &lefts {
            for right in &rights {
                let product = left.dot(key, right);
                assert_close(&product.to_vec((batch, seq, val)).unwrap(), &expected, products(43, UNIT));
            }
        }
    });
}

#[test]
fn many_rows_of_a_table() {
    let e = numbers(&[97, 131]);
    let i = Positions { sizes: vec![1009], values: (0..1009).map(|s| s * s % 97).collect() };
    let expected = Grid::from_fn(&[1009, 131], |place| e.get(&[place[0] * place[0] % 97, place[1]]));
    assert_eq!(sequence(&e, &Positions { sizes: vec![2], values: vec![0, 1] }).values, expected.values[..2 * 131]);
    in_both_precisions!({
        let words = Tensor::indices_from_vec(seq.of(1009), vocab, i.values.clone()).unwrap();
        let rows = tensor!(Number, &e, (vocab, depth)).index(vocab, &words);
        assert_close(&rows.to_vec((seq, depth)).unwrap(), &expected, Bound::EXACT);
    });
}
