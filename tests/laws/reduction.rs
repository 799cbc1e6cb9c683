//! Reductions are the plain reductions, over one axis and over several.
//!
//! Lives here: sum, mean, var, max, min, prod, norm, norm_p. Not here: reductions of nothing (`extremes`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{depth, height, width};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::{Grid, paper, reduction};
use named_tensor_tests::strategies::{cases, grids, in_both_precisions, laid_out, layout, tensor};
use proptest::prelude::*;

const PRINTED: Bound = Bound::absolute(5e-7);

fn a() -> Tensor<R![height, width], f64> {
    tensor!(f64, &paper::a(), (height, width))
}

fn row(values: [f64; 3]) -> Grid {
    Grid::new(&[3], values.to_vec())
}

#[test]
fn p8_sum_over_height_over_width_and_over_both() {
    assert_eq!(a().sum(height).to_vec(width).unwrap(), [6., 12., 18.]);
    assert_eq!(a().sum(width).to_vec(height).unwrap(), [8., 15., 13.]);
    assert_eq!(a().sum((height, width)).item().unwrap(), 36.);
}

#[test]
fn p9_norm_over_height_and_over_width() {
    assert_close(
        &a().norm(height).to_vec(width).unwrap(),
        &row([14., 62., 122.].map(f64::sqrt)),
        Bound::absolute(4e-15),
    );
    assert_close(
        &a().norm(width).to_vec(height).unwrap(),
        &row([26., 107., 65.].map(f64::sqrt)),
        Bound::absolute(4e-15),
    );
}

#[test]
fn p10_norm_p_with_p_3_over_height() {
    assert_close(&a().norm_p(height, 3.0).to_vec(width).unwrap(), &row([3.301_927, 6.993_191, 9.718_835]), PRINTED);
}

#[test]
fn the_norm_of_infinite_order_is_the_largest_or_the_smallest_of_the_absolute_values() {
    named! {
        fn Largest(X: R[height]) -> R[] {
            norm_height(X, inf)
        }
    }
    let x = a() - 5.5;
    assert_eq!(x.norm_p(height, f64::INFINITY).to_vec(width).unwrap(), [4.5, 4.5, 3.5]);
    assert_eq!(Largest(&x).to_vec(width).unwrap(), [4.5, 4.5, 3.5]);
    assert_eq!(x.norm_p(height, f64::NEG_INFINITY).to_vec(width).unwrap(), [2.5, 0.5, 0.5]);
    // 1e300 is infinite to `f32`.
    let x = Tensor::<_, f32>::new(height, [1.0, -3.0, 2.0]);
    assert_eq!([x.norm_p(height, 1e300), x.norm_p(height, -1e300)].map(|norm| norm.item().unwrap()), [3.0, 1.0]);
}

#[test]
fn p11_min_and_max_over_height_and_over_width() {
    assert_eq!(a().min(height).to_vec(width).unwrap(), [1., 1., 4.]);
    assert_eq!(a().min(width).to_vec(height).unwrap(), [1., 1., 2.]);
    assert_eq!(a().max(height).to_vec(width).unwrap(), [3., 6., 9.]);
    assert_eq!(a().max(width).to_vec(height).unwrap(), [4., 9., 6.]);
}

#[test]
fn p12_mean_and_var_over_height_and_over_width() {
    assert_close(&a().mean(height).to_vec(width).unwrap(), &row([2., 4., 6.]), PRINTED);
    assert_close(&a().mean(width).to_vec(height).unwrap(), &row([2.666_667, 5., 4.333_333]), PRINTED);
    assert_close(&a().var(height).to_vec(width).unwrap(), &row([0.666_667, 4.666_667, 4.666_667]), PRINTED);
    assert_close(&a().var(width).to_vec(height).unwrap(), &row([1.555_556, 10.666_667, 2.888_889]), PRINTED);
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn sums_over_one_two_and_three_axes_are_the_plain_sums([x] in grids(|[h, w, d]| [vec![h, w, d]]), l in layout()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width, depth));
            let bound = |n: usize| Bound::roundings(n, 2.0 * n as f64, UNIT);
            let [h, w, d] = [x.sizes[0], x.sizes[1], x.sizes[2]];
            assert_close(&t.sum(height).to_vec((width, depth)).unwrap(), &reduction::sum(&x, &[0]), bound(h));
            assert_close(&t.sum(width).to_vec((height, depth)).unwrap(), &reduction::sum(&x, &[1]), bound(w));
            assert_close(&t.sum(depth).to_vec((height, width)).unwrap(), &reduction::sum(&x, &[2]), bound(d));
            assert_close(&t.sum((depth, height)).to_vec(width).unwrap(), &reduction::sum(&x, &[0, 2]), bound(h * d));
            let all = t.sum((width, depth, height)).item().unwrap();
            assert_close(&[all], &reduction::sum(&x, &[0, 1, 2]), bound(h * w * d));
        });
    }

    #[test]
    fn a_sum_over_two_axes_is_a_sum_of_sums_in_either_order([x] in grids(|[h, w]| [vec![h, w]]), l in layout()) {
        let t = laid_out!(f64, &x, l, (height, width));
        let n = x.sizes[0] * x.sizes[1];
        let both = Grid::scalar(t.sum((height, width)).item().unwrap());
        let bound = Bound::roundings(n, 2.0 * n as f64, f64::EPSILON);
        assert_close(&[t.sum(height).sum(width).item().unwrap()], &both, bound);
        assert_close(&[t.sum(width).sum(height).item().unwrap()], &both, bound);
    }

    #[test]
    fn max_and_min_are_the_plain_ones_to_the_last_bit([x] in grids(|[h, w, d]| [vec![h, w, d]]), l in layout()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width, depth));
            assert_close(&t.max(height).to_vec((width, depth)).unwrap(), &reduction::max(&x, &[0]), Bound::EXACT);
            assert_close(&t.min(depth).to_vec((height, width)).unwrap(), &reduction::min(&x, &[2]), Bound::EXACT);
            assert_close(&t.max((width, depth)).to_vec(height).unwrap(), &reduction::max(&x, &[1, 2]), Bound::EXACT);
            assert_close(&t.min((height, depth)).to_vec(width).unwrap(), &reduction::min(&x, &[0, 2]), Bound::EXACT);
        });
    }

    #[test]
    fn mean_and_var_are_the_plain_ones([x] in grids(|[h, w]| [vec![h, w]]), l in layout()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width));
            // A mean of n numbers below 2 rounds n + 1 times; a variance squares differences below 4 of such means.
            let mean = |n: usize| Bound::roundings(n + 1, 2.0, UNIT);
            let var = |n: usize| Bound::roundings(2 * n + 6, 16.0, UNIT);
            let [h, w] = [x.sizes[0], x.sizes[1]];
            assert_close(&t.mean(height).to_vec(width).unwrap(), &reduction::mean(&x, &[0]), mean(h));
            assert_close(&t.var(width).to_vec(height).unwrap(), &reduction::var(&x, &[1]), var(w));
            assert_close(&[t.mean((height, width)).item().unwrap()], &reduction::mean(&x, &[0, 1]), mean(h * w));
            assert_close(&[t.var((width, height)).item().unwrap()], &reduction::var(&x, &[0, 1]), var(h * w));
        });
    }

    #[test]
    fn norms_are_the_plain_norms([x] in grids(|[h, w]| [vec![h, w]]), l in layout(), p in 1.0_f64..4.0) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width));
            let [h, w] = [x.sizes[0], x.sizes[1]];
            // Under the root stand n squares below 4, summed with relative error n; a root halves relative errors.
            let norm = |n: usize| Bound::roundings(n + 3, 2.0 * (n as f64).sqrt(), UNIT);
            assert_close(&t.norm(height).to_vec(width).unwrap(), &reduction::norm(&x, &[0]), norm(h));
            assert_close(&t.norm(width).to_vec(height).unwrap(), &reduction::norm(&x, &[1]), norm(w));
            // Powers below 2⁴ each round some times, and the exponent 1/p is itself rounded.
            let norm_p = |n: usize| Bound::roundings(n + 16, 2.0 * n as f64, UNIT);
            assert_close(&t.norm_p(height, p).to_vec(width).unwrap(), &reduction::norm_p(&x, &[0], p), norm_p(h));
        });
    }

    #[test]
    fn prod_is_the_plain_product([x] in grids(|[h, w]| [vec![h, w]]), l in layout()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width));
            // Relative to the product: one rounding per factor; below, a product may underflow.
            let prod = |n: usize| Bound { absolute: LEAST, relative: n as f64 * UNIT };
            assert_close(&t.prod(height).to_vec(width).unwrap(), &reduction::prod(&x, &[0]), prod(x.sizes[0]));
            assert_close(&t.prod(width).to_vec(height).unwrap(), &reduction::prod(&x, &[1]), prod(x.sizes[1]));
        });
    }
}
