//! Contraction is the plain sum of products, and obeys the paper's laws.
//!
//! Lives here: one and several axes, aligned axes, the laws of row P18. Not here: contraction with the identity, which
//! is renaming (`rearrangement`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{batch, depth, heads, height, key, layer, seq, val, width, width_};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::rearrangement::reorder;
use named_tensor_tests::reference::{Grid, contraction, paper};
use named_tensor_tests::strategies::{cases, grids, in_both_precisions, laid_out, layout, tensor};
use proptest::prelude::*;

fn a() -> Tensor<R![height, width], f64> {
    tensor!(f64, &paper::a(), (height, width))
}

fn x() -> Tensor<R![height], f64> {
    tensor!(f64, &paper::x(), (height))
}

fn y() -> Tensor<R![width], f64> {
    tensor!(f64, &paper::y(), (width))
}

/// The error of a sum of n products of numbers below 2: each product rounds once, and each sum once.
fn products(n: usize, unit: f64) -> Bound {
    Bound::roundings(n + 1, 4.0 * n as f64, unit)
}

#[test]
fn p13_contraction_of_a_with_a_row_and_with_a_column() {
    assert_eq!(a().dot(height, &x()).to_vec(width).unwrap(), [15., 43., 76.]);
    assert_eq!(a().dot(width, &y()).to_vec(height).unwrap(), [11., 30., 31.]);
}

#[test]
fn p14_contraction_of_a_with_itself_over_both_axes() {
    assert_eq!(a().dot((height, width), &a()).item().unwrap(), 198.);
    assert_eq!(a().dot((width, height), &a()).item().unwrap(), 198.);
}

#[test]
fn p15_inner_and_outer_products_of_vectors() {
    assert_eq!(x().dot(height, &x()).item().unwrap(), 54.);
    assert_eq!((&x() * &y()).to_vec((height, width)).unwrap(), [2., 8., 2., 7., 28., 7., 1., 4., 1.]);
}

#[test]
fn p16_the_products_of_linear_algebra() {
    assert_eq!(x().dot(height, &a()).to_vec(width).unwrap(), [15., 43., 76.]);
    let b = a().rename((height, width), (width, width_));
    let product = contraction::matrix_matrix(&paper::a(), &paper::a());
    assert_eq!(a().dot(width, &b).to_vec((height, width_)).unwrap(), product.values);
}

#[test]
fn p17_a_product_of_three_summed() {
    let z = tensor!(f64, &Grid::new(&[3], vec![2., 3., 5.]), (width));
    let sum = (&(&y() * &z) * &a().at(height, 0)).sum(width);
    assert_eq!(sum.item().unwrap(), 1. * 2. * 3. + 4. * 3. * 1. + 1. * 5. * 4.);
}

#[test]
fn p18_contraction_over_one_name_is_not_associative() {
    // The axis is gone after one contraction, so the second product scales; the two orders differ.
    let x = tensor!(f64, &Grid::new(&[2], vec![1., 2.]), (height));
    let y = tensor!(f64, &Grid::new(&[2], vec![3., 5.]), (height));
    let z = tensor!(f64, &Grid::new(&[2], vec![7., 11.]), (height));
    let left = &x.dot(height, &y) * &z;
    let right = &x * &y.dot(height, &z);
    assert_eq!(left.to_vec(height).unwrap(), [13. * 7., 13. * 11.]);
    assert_eq!(right.to_vec(height).unwrap(), [76., 152.]);
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn a_matrix_product_is_the_plain_one(
        [a, b] in grids(|[i, k, j]| [vec![i, k], vec![k, j]]), l in layout(), m in layout(),
    ) {
        in_both_precisions!({
            let left = laid_out!(Number, &a, l, (height, width));
            let right = laid_out!(Number, &b, m, (width, depth));
            let expected = contraction::matrix_matrix(&a, &b);
            let bound = products(a.sizes[1], UNIT);
            assert_close(&left.dot(width, &right).to_vec((height, depth)).unwrap(), &expected, bound);
            let turned = right.dot(width, &left).to_vec((depth, height)).unwrap();
            assert_close(&turned, &reorder(&expected, &[1, 0]), bound);
        });
    }

    #[test]
    fn an_axis_that_both_have_and_that_is_not_summed_is_aligned(
        [a, b] in grids(|[n, i, k, j]| [vec![n, i, k], vec![n, k, j]]), l in layout(), m in layout(),
    ) {
        in_both_precisions!({
            let left = laid_out!(Number, &a, l, (batch, seq, key));
            let right = laid_out!(Number, &b, m, (batch, key, val));
            let product = left.dot(key, &right).to_vec((batch, seq, val)).unwrap();
            assert_close(&product, &contraction::batched(&a, &b), products(a.sizes[2], UNIT));
        });
    }

    #[test]
    fn contraction_over_two_axes_sums_over_their_pairs(
        [a, b] in grids(|[n, i, k, l, j]| [vec![n, i, k, l], vec![n, k, l, j]]), l in layout(), m in layout(),
    ) {
        in_both_precisions!({
            let left = laid_out!(Number, &a, l, (batch, seq, heads, key));
            let right = laid_out!(Number, &b, m, (batch, heads, key, val));
            let product = left.dot((heads, key), &right).to_vec((batch, seq, val)).unwrap();
            let n = a.sizes[2] * a.sizes[3];
            assert_close(&product, &contraction::batched_over_two_axes(&a, &b), products(n, UNIT));
        });
    }

    #[test]
    fn vectors_and_matrices_multiply_as_plain_ones(
        [a, x, y] in grids(|[i, j]| [vec![i, j], vec![i], vec![j]]), l in layout(), m in layout(),
    ) {
        in_both_precisions!({
            let t = laid_out!(Number, &a, l, (height, width));
            let (row, column) = (laid_out!(Number, &x, m, height), laid_out!(Number, &y, m, width));
            let [h, w] = [a.sizes[0], a.sizes[1]];
            let [h_bound, w_bound] = [products(h, UNIT), products(w, UNIT)];
            assert_close(&t.dot(height, &row).to_vec(width).unwrap(), &contraction::vector_matrix(&x, &a), h_bound);
            assert_close(&t.dot(width, &column).to_vec(height).unwrap(), &contraction::matrix_vector(&a, &y), w_bound);
            let inner = Grid::scalar(contraction::inner(&x, &x));
            assert_close(&[row.dot(height, &row).item().unwrap()], &inner, h_bound);
            let outer = (&row * &column).to_vec((height, width)).unwrap();
            assert_close(&outer, &contraction::outer(&x, &y), Bound::roundings(1, 4.0, UNIT));
            let both = Grid::scalar(contraction::over_both_axes(&a, &a));
            assert_close(&[t.dot((width, height), &t).item().unwrap()], &both, products(h * w, UNIT));
        });
    }

    #[test]
    fn p18_contraction_is_commutative(
        [a, b] in grids(|[i, k, j]| [vec![i, k], vec![k, j]]), l in layout(), m in layout(),
    ) {
        let (left, right) = (laid_out!(f64, &a, l, (height, width)), laid_out!(f64, &b, m, (width, depth)));
        let expected = Grid::new(&[a.sizes[0], b.sizes[1]], left.dot(width, &right).to_vec((height, depth)).unwrap());
        let turned = right.dot(width, &left).to_vec((height, depth)).unwrap();
        assert_close(&turned, &expected, products(a.sizes[1], f64::EPSILON));
    }

    #[test]
    fn p18_contraction_is_associative_where_each_axis_is_shared_by_two(
        [a, b, c] in grids(|[i, k, l, j]| [vec![i, k], vec![k, l], vec![l, j]]), l in layout(),
    ) {
        let a_ = laid_out!(f64, &a, l, (height, width));
        let (b_, c_) = (tensor!(f64, &b, (width, depth)), tensor!(f64, &c, (depth, layer)));
        let left = a_.dot(width, &b_).dot(depth, &c_).to_vec((height, layer)).unwrap();
        let right = a_.dot(width, &b_.dot(depth, &c_)).to_vec((height, layer)).unwrap();
        let (k, l) = (a.sizes[1], b.sizes[1]);
        let bound = Bound::roundings(k + l + 2, 8.0 * (k * l) as f64, f64::EPSILON);
        assert_close(&left, &Grid::new(&[a.sizes[0], c.sizes[1]], right), bound);
    }

    #[test]
    fn contraction_is_the_sum_of_the_elementwise_product(
        [a, b] in grids(|[n, i, k, j]| [vec![n, i, k], vec![n, k, j]]), l in layout(), m in layout(),
    ) {
        let left = laid_out!(f64, &a, l, (batch, seq, key));
        let right = laid_out!(f64, &b, m, (batch, key, val));
        let order = (batch, seq, val);
        let sum = (&left * &right).sum(key).to_vec(order).unwrap();
        let expected = Grid::new(&[a.sizes[0], a.sizes[1], b.sizes[2]], left.dot(key, &right).to_vec(order).unwrap());
        assert_close(&sum, &expected, products(a.sizes[2], f64::EPSILON));
    }
}

#[test]
fn a_product_of_matrices_larger_than_a_cache_line_is_the_plain_one() {
    // Past every block size of a matrix kernel, and no size a multiple of a power of 2.
    let number = |place: &[usize]| ((place[0] * 31 + place[1] * 17) % 97) as f64 / 64.0 - 0.75;
    let (a, b) = (Grid::from_fn(&[131, 259], number), Grid::from_fn(&[259, 67], number));
    let expected = contraction::matrix_matrix(&a, &b);
    in_both_precisions!({
        let (left, right) = (tensor!(Number, &a, (height, width)), tensor!(Number, &b, (width, depth)));
        let product = left.dot(width, &right).to_vec((height, depth)).unwrap();
        assert_close(&product, &expected, products(259, UNIT));
    });
}
