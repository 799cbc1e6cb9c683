//! Softmax, standardisation and order along an axis are the plain ones, and keep the axis.
//!
//! Lives here: softmax, log_softmax, argmax, argmin, standardize, cumsum, sort, argsort, maxk, argmaxk.
//! Not here: infinities (`extremes`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{beam, depth, height, width};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::{Grid, elementwise, paper, reduction, softmax};
use named_tensor_tests::strategies::{cases, grids, in_both_precisions, laid_out, layout, tensor};
use proptest::prelude::*;

named! {
    fn Cumulated(X: R[width]) -> R[width] { cumsum_width(X) }
    fn Sorted(X: R[width]) -> R[width] { sort_width(X) }
    fn Order(X: R[width]) -> width[width] { argsort_width(X) }
    fn Largest(X: R[width]) -> R[width] { argmax_width(X) }
    fn Smallest(X: R[width]) -> R[width] { argmin_width(X) }
    fn Best(X: R[width], B: R[beam]) -> R[beam] { maxk_width(X, |beam|)_{width -> beam} }
    fn Places(X: R[width], B: R[beam]) -> width[beam] { argmaxk_width(X, |beam|)_{width -> beam} }
}

const PRINTED: Bound = Bound::absolute(5e-7);

fn a() -> Tensor<R![height, width], f64> {
    tensor!(f64, &paper::a(), (height, width))
}

#[test]
fn p19_softmax_over_height() {
    let expected = [0.665_241, 0.004_902, 0.006_573, 0.090_031, 0.267_623, 0.975_559, 0.244_728, 0.727_475, 0.017_868];
    assert_close(
        &a().softmax(height).to_vec((height, width)).unwrap(),
        &Grid::new(&[3, 3], expected.to_vec()),
        PRINTED,
    );
}

#[test]
fn p20_softmax_over_width() {
    let expected = [0.259_496, 0.035_119, 0.705_385, 0.000_329, 0.017_980, 0.981_690, 0.013_213, 0.721_399, 0.265_388];
    assert_close(&a().softmax(width).to_vec((height, width)).unwrap(), &Grid::new(&[3, 3], expected.to_vec()), PRINTED);
}

#[test]
fn p21_argmax_and_argmin_over_height_as_one_hot() {
    assert_eq!(a().argmax(height).to_vec((height, width)).unwrap(), [1., 0., 0., 0., 0., 1., 0., 1., 0.]);
    assert_eq!(a().argmin(height).to_vec((height, width)).unwrap(), [0., 1., 1., 1., 0., 0., 0., 0., 0.]);
}

#[test]
fn n10_standardize_over_width_without_epsilon() {
    let standardized = a().standardize_with(width, 0.0).at(height, 0).to_vec(width).unwrap();
    assert_close(&standardized, &Grid::new(&[3], vec![0.267_261, -1.336_306, 1.069_045]), PRINTED);
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn softmax_is_the_plain_softmax([x] in grids(|[h, w, d]| [vec![h, w, d]]), l in layout()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width, depth));
            let order = (height, width, depth);
            // Exponents below 4 in size, an exponential of each, a sum of n and a quotient.
            let bound = |n: usize| Bound::roundings(n + 12, 1.0, UNIT);
            let log_bound = |n: usize| Bound::roundings(n + 12, 8.0, UNIT);
            for (axis, actual, logarithm) in [
                (0, t.softmax(height), t.log_softmax(height)),
                (1, t.softmax(width), t.log_softmax(width)),
                (2, t.softmax(depth), t.log_softmax(depth)),
            ] {
                let n = x.sizes[axis];
                assert_close(&actual.to_vec(order).unwrap(), &softmax::softmax(&x, &[axis]), bound(n));
                assert_close(&logarithm.to_vec(order).unwrap(), &softmax::log_softmax(&x, &[axis]), log_bound(n));
            }
            let both = t.softmax((width, height)).to_vec(order).unwrap();
            assert_close(&both, &softmax::softmax(&x, &[0, 1]), bound(x.sizes[0] * x.sizes[1]));
        });
    }

    #[test]
    fn softmax_sums_to_one([x] in grids(|[h, w]| [vec![h, w]]), l in layout()) {
        let t = laid_out!(f64, &x, l, (height, width));
        let ones = elementwise::map(&reduction::sum(&x, &[0]), |_| 1.0);
        let bound = Bound::roundings(2 * x.sizes[0], 1.0, f64::EPSILON);
        assert_close(&t.softmax(height).sum(height).to_vec(width).unwrap(), &ones, bound);
    }

    #[test]
    fn softmax_does_not_change_when_a_constant_is_added([x] in grids(|[h, w]| [vec![h, w]]), shift in -500_i32..500) {
        let t = tensor!(f64, &x, (height, width));
        let moved = (&t + f64::from(shift)).softmax(width).to_vec((height, width)).unwrap();
        // Adding and taking away the shift rounds numbers of its size.
        let bound = Bound::roundings(x.sizes[1] + 12, 502.0, f64::EPSILON);
        assert_close(&moved, &softmax::softmax(&x, &[1]), bound);
    }

    #[test]
    fn argmax_and_argmin_are_one_at_the_first_of_equals(
        values in prop::collection::vec(0_i32..3, 12), l in layout(),
    ) {
        let x = Grid::new(&[3, 4], values.into_iter().map(f64::from).collect());
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width));
            let order = (height, width);
            assert_close(&t.argmax(height).to_vec(order).unwrap(), &softmax::argmax(&x, &[0]), Bound::EXACT);
            assert_close(&t.argmax(width).to_vec(order).unwrap(), &softmax::argmax(&x, &[1]), Bound::EXACT);
            assert_close(&t.argmin(height).to_vec(order).unwrap(), &softmax::argmin(&x, &[0]), Bound::EXACT);
            assert_close(&t.argmin(width).to_vec(order).unwrap(), &softmax::argmin(&x, &[1]), Bound::EXACT);
        });
    }

    #[test]
    fn standardize_is_the_plain_standardisation([x] in grids(|[h, w, d]| [vec![h, w, d]]), l in layout()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width, depth));
            let order = (height, width, depth);
            // Differences below 4 with error 2 (n + 1) units are divided by a deviation of at least √(1/100), whose own
            // relative error is that of a variance over its least value.
            let bound = |n: usize| Bound::roundings(4 * n + 20, 40.0 * 160.0, UNIT);
            let plain = |axes: &[usize]| softmax::standardize(&x, axes, 0.01);
            let near = |t: Tensor<R![height, width, depth], Number>, axes: &[usize]| {
                let n: usize = axes.iter().map(|&axis| x.sizes[axis]).product();
                assert_close(&t.to_vec(order).unwrap(), &plain(axes), bound(n));
            };
            near(t.standardize_with(height, 0.01), &[0]);
            near(t.standardize_with(width, 0.01), &[1]);
            near(t.standardize_with(depth, 0.01), &[2]);
            near(t.standardize_with((height, depth), 0.01), &[0, 2]);
            near(t.standardize_with((depth, width), 0.01), &[1, 2]);
        });
    }

    #[test]
    fn cumulative_sums_are_the_plain_ones([x] in grids(|[h, w]| [vec![h, w]]), l in layout()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width));
            let bound = |n: usize| Bound::roundings(n, 2.0 * n as f64, UNIT);
            let order = (height, width);
            assert_close(&t.cumsum(height).to_vec(order).unwrap(), &softmax::cumsum(&x, 0), bound(x.sizes[0]));
            assert_close(&t.cumsum(width).to_vec(order).unwrap(), &softmax::cumsum(&x, 1), bound(x.sizes[1]));
        });
    }

    #[test]
    fn sorted_numbers_are_the_plain_sorted_ones([x] in grids(|[h, w]| [vec![h, w]]), l in layout()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width));
            let order = (height, width);
            assert_close(&t.sort(height).to_vec(order).unwrap(), &softmax::sort(&x, 0), Bound::EXACT);
            assert_close(&t.sort(width).to_vec(order).unwrap(), &softmax::sort(&x, 1), Bound::EXACT);
        });
    }

    #[test]
    fn positions_in_order_are_the_plain_ones_and_lead_to_the_sorted_numbers(
        values in prop::collection::vec(0_i32..4, 12), l in layout(),
    ) {
        let x = Grid::new(&[3, 4], values.into_iter().map(f64::from).collect());
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width));
            // Rising numbers of X are falling ones of -X; of equal ones the first comes first in both.
            let negative = elementwise::map(&x, |x| -x);
            for (axis, order, sorted) in [
                (0, t.argsort(height).to_vec((height, width)), t.index(height, &t.argsort(height))),
                (1, t.argsort(width).to_vec((height, width)), t.index(width, &t.argsort(width))),
            ] {
                let order: Vec<f64> = order.unwrap().into_iter().map(|position| position as f64).collect();
                let expected = softmax::argmaxk(&negative, axis, x.sizes[axis]);
                assert_close(&order, &expected, Bound::EXACT);
                assert_close(&sorted.to_vec((height, width)).unwrap(), &softmax::sort(&x, axis), Bound::EXACT);
            }
        });
    }

    #[test]
    fn the_k_largest_and_their_positions_are_the_plain_ones(
        values in prop::collection::vec(0_i32..4, 12), k in 0_usize..=4, l in layout(),
    ) {
        let x = Grid::new(&[3, 4], values.into_iter().map(f64::from).collect());
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width));
            let (best, places) = (softmax::maxk(&x, 1, k), softmax::argmaxk(&x, 1, k));
            let order = (height, beam);
            let width_of_beam = Tensor::<_, Number>::zeros(beam.of(k));
            for found in [t.maxk(width, beam.of(k)), Best(&t, &width_of_beam)] {
                assert_close(&found.to_vec(order).unwrap(), &best, Bound::EXACT);
            }
            for found in [t.argmaxk(width, beam.of(k)), Places(&t, &width_of_beam)] {
                let found: Vec<f64> = found.to_vec(order).unwrap().into_iter().map(|place| place as f64).collect();
                assert_close(&found, &places, Bound::EXACT);
            }
            let first = t.maxk(height, beam.of(1)).at(beam, 0).to_vec(width).unwrap();
            prop_assert_eq!(first, t.max(height).to_vec(width).unwrap());
        });
    }

    #[test]
    fn equations_of_order_are_the_methods([x] in grids(|[h, w]| [vec![h, w]]), l in layout()) {
        let t = laid_out!(f64, &x, l, (height, width));
        let order = (height, width);
        prop_assert_eq!(Cumulated(&t).to_vec(order).unwrap(), t.cumsum(width).to_vec(order).unwrap());
        prop_assert_eq!(Sorted(&t).to_vec(order).unwrap(), t.sort(width).to_vec(order).unwrap());
        prop_assert_eq!(Order(&t).to_vec(order).unwrap(), t.argsort(width).to_vec(order).unwrap());
        prop_assert_eq!(Largest(&t).to_vec(order).unwrap(), t.argmax(width).to_vec(order).unwrap());
        prop_assert_eq!(Smallest(&t).to_vec(order).unwrap(), t.argmin(width).to_vec(order).unwrap());
    }
}

#[test]
fn along_an_axis_of_size_0_order_is_empty_and_of_size_1_nothing_moves() {
    let empty = Tensor::<_, f64>::zeros((height.of(2), width.of(0)));
    for x in [empty.cumsum(width), empty.sort(width), empty.maxk(width, width.of(0))] {
        assert!(x.to_vec((height, width)).unwrap().is_empty());
    }
    assert!(empty.argsort(width).to_vec((height, width)).unwrap().is_empty());
    let one = tensor!(f64, &Grid::new(&[2, 1], vec![3.0, -1.0]), (height, width));
    for x in [one.cumsum(width), one.sort(width), one.maxk(width, width.of(1))] {
        assert_eq!(x.to_vec((height, width)).unwrap(), [3.0, -1.0]);
    }
    assert_eq!(one.argsort(width).to_vec((height, width)).unwrap(), [0, 0]);
    assert_eq!(one.argmax(width).to_vec((height, width)).unwrap(), [1.0, 1.0]);
}
