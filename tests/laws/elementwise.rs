//! Elementwise functions are the plain functions; of two tensors, the axes are united.
//!
//! Lives here: functions of one and of two numbers, numbers beside tensors, the rule of union.
//! Not here: infinities and NaN (`extremes`), sizes that clash (`refusals`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{depth, height, width};
use named_tensor_tests::closeness::{Bound, assert_close, worst};
use named_tensor_tests::reference::elementwise::{self, UNARY, map, zip, zip_with_first, zip_with_last};
use named_tensor_tests::reference::{Grid, paper};
use named_tensor_tests::strategies::{cases, grids, in_both_precisions, laid_out, layout, number, tensor};
use proptest::prelude::*;

type Matrix<T> = Tensor<R![height, width], T>;

fn a() -> Matrix<f64> {
    tensor!(f64, &paper::a(), (height, width))
}

#[test]
fn p5_sigmoid_of_a() {
    let expected = [0.952_574, 0.731_059, 0.982_014, 0.731_059, 0.993_307, 0.999_877, 0.880_797, 0.997_527, 0.993_307];
    let sigmoid = a().sigmoid().to_vec((height, width)).unwrap();
    assert_close(&sigmoid, &Grid::new(&[3, 3], expected.to_vec()), Bound::absolute(5e-7));
}

#[test]
fn p6_relu_negation_and_the_elementwise_product() {
    let negative = -&a();
    assert_eq!(negative.to_vec((height, width)).unwrap(), [-3., -1., -4., -1., -5., -9., -2., -6., -5.]);
    assert_eq!(negative.relu().to_vec((height, width)).unwrap(), [0.; 9]);
    assert_eq!(a().relu().to_vec((height, width)).unwrap(), paper::a().values);
    assert_eq!((&a() * &a()).to_vec((height, width)).unwrap(), [9., 1., 16., 1., 25., 81., 4., 36., 25.]);
}

#[test]
fn p7_a_plus_a_column_and_a_plus_a_row() {
    let (x, y) = (tensor!(f64, &paper::x(), (height)), tensor!(f64, &paper::y(), (width)));
    assert_eq!((&a() + &x).to_vec((height, width)).unwrap(), [5., 3., 6., 8., 12., 16., 3., 7., 6.]);
    assert_eq!((&a() + &y).to_vec((height, width)).unwrap(), [4., 5., 5., 2., 9., 10., 3., 10., 6.]);
}

/// Every function of one number, by the method that applies it, in the order of the reference's table.
fn unary<T: Real>(x: &Matrix<T>) -> [Matrix<T>; 14] {
    [
        -x,
        x.abs(),
        x.exp(),
        x.log(),
        x.sqrt(),
        x.tanh(),
        x.sigmoid(),
        x.relu(),
        x.gelu(),
        x.gelu_tanh(),
        x.silu(),
        x.sin(),
        x.cos(),
        x.erf(),
    ]
}

/// The stated error of a vectorised function: some units of the result, of the argument where it cancels, or of 1.
fn function(unit: f64, magnitude: f64) -> Bound {
    // The series of the reference itself is good to 1e-14.
    Bound { absolute: 4.0 * unit * magnitude + 1e-14, relative: 8.0 * unit }
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn functions_of_one_number_are_the_plain_functions([x] in grids(|[h, w]| [vec![h, w]]), l in layout()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width));
            for (actual, (_, plain)) in unary(&t).iter().zip(UNARY) {
                assert_close(&actual.to_vec((height, width)).unwrap(), &map(&x, plain), function(UNIT, 2.0));
            }
        });
    }

    #[test]
    fn functions_of_one_large_number_are_the_plain_functions(
        values in prop::collection::vec(-700_i32..700, 1..40), scale in prop_oneof![Just(0.125), Just(0.01)],
    ) {
        let x = Grid::new(&[1, values.len()], values.into_iter().map(|k| f64::from(k as f32 * scale)).collect());
        in_both_precisions!({
            let t = tensor!(Number, &x, (height, width));
            for (actual, (name, plain)) in unary(&t).iter().zip(UNARY) {
                // Below the normal numbers a result may be any of them.
                let mut bound = function(UNIT, 88.0);
                bound.absolute = bound.absolute.max(LEAST);
                let expected = map(&x, plain);
                let worst = worst(&actual.to_vec((height, width)).unwrap(), &expected, bound);
                prop_assert!(worst.as_ref().is_none_or(|worst| worst.3 <= 1.0), "{name}: {worst:?}");
            }
        });
    }

    #[test]
    fn the_axes_of_two_operands_are_united(
        [x, y] in grids(|[h, w, d]| [vec![h, w], vec![w, d]]), l in layout(), m in layout(),
    ) {
        in_both_precisions!({
            let (left, right) = (laid_out!(Number, &x, l, (height, width)), laid_out!(Number, &y, m, (width, depth)));
            let united = |f: fn(f64, f64) -> f64| {
                Grid::from_fn(&[x.sizes[0], x.sizes[1], y.sizes[1]], |place| f(x.get(&place[..2]), y.get(&place[1..])))
            };
            let order = (height, width, depth);
            let bound = Bound::roundings(1, 4.0, UNIT);
            assert_close(&(&left + &right).to_vec(order).unwrap(), &united(|x, y| x + y), bound);
            assert_close(&(&left - &right).to_vec(order).unwrap(), &united(|x, y| x - y), bound);
            assert_close(&(&left * &right).to_vec(order).unwrap(), &united(|x, y| x * y), bound);
            let quotient = Bound { absolute: 0.0, relative: UNIT };
            assert_close(&(&left / &right).to_vec(order).unwrap(), &united(|x, y| x / y), quotient);
            assert_close(&(&right / &left).to_vec(order).unwrap(), &united(|x, y| y / x), quotient);
        });
    }

    #[test]
    fn operands_over_the_same_axes_meet_place_by_place(
        [x, y] in grids(|[h, w]| [vec![h, w], vec![h, w]]), l in layout(), m in layout(),
    ) {
        in_both_precisions!({
            let (left, right) = (laid_out!(Number, &x, l, (height, width)), laid_out!(Number, &y, m, (height, width)));
            let difference = (&left - &right).to_vec((height, width)).unwrap();
            assert_close(&difference, &zip(&x, &y, |x, y| x - y), Bound::roundings(1, 4.0, UNIT));
        });
    }

    #[test]
    fn a_row_and_a_column_are_repeated_over_the_axis_they_lack(
        [a, x, y] in grids(|[h, w]| [vec![h, w], vec![h], vec![w]]), l in layout(), m in layout(),
    ) {
        in_both_precisions!({
            let t = laid_out!(Number, &a, l, (height, width));
            let (column, row) = (laid_out!(Number, &x, m, height), laid_out!(Number, &y, m, width));
            let order = (height, width);
            let bound = Bound::roundings(1, 4.0, UNIT);
            assert_close(&(&t - &column).to_vec(order).unwrap(), &zip_with_first(&a, &x, |a, x| a - x), bound);
            assert_close(&(&row - &t).to_vec(order).unwrap(), &zip_with_last(&a, &y, |a, y| y - a), bound);
        });
    }

    #[test]
    fn a_number_stands_on_either_side([x] in grids(|[h, w]| [vec![h, w]]), l in layout(), c in number()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width));
            let number = c as Number;
            let scalar = Tensor::<R![], Number>::scalar(number);
            let order = (height, width);
            let bound = Bound::roundings(1, 4.0, UNIT);
            assert_close(&(&t + number).to_vec(order).unwrap(), &map(&x, |x| x + c), bound);
            assert_close(&(number - &t).to_vec(order).unwrap(), &map(&x, |x| c - x), bound);
            assert_close(&(number * &t).to_vec(order).unwrap(), &map(&x, |x| c * x), bound);
            assert_close(&(&t - &scalar).to_vec(order).unwrap(), &map(&x, |x| x - c), bound);
            let quotient = Bound { absolute: 0.0, relative: UNIT };
            assert_close(&(number / &t).to_vec(order).unwrap(), &map(&x, |x| c / x), quotient);
        });
    }

    #[test]
    fn powers_and_clamped_numbers_are_the_plain_ones(
        [x] in grids(|[h, w]| [vec![h, w]]), l in layout(), low in number(), p in 0.5_f64..3.0,
    ) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width));
            let order = (height, width);
            let clamped = t.clamp(low as Number, low as Number + 1.0).to_vec(order).unwrap();
            assert_close(&clamped, &map(&x, |x| elementwise::clamp(x, low, low + 1.0)), Bound::roundings(1, 3.0, UNIT));
            // The exponent rounds too, and its error is multiplied by the logarithm of the base, at most ln 1024.
            let power = Bound { absolute: 1e-14, relative: 32.0 * UNIT };
            assert_close(&t.abs().pow(p as Number).to_vec(order).unwrap(), &map(&x, |x| x.abs().powf(p)), power);
            assert_close(&t.pow(2.0).to_vec(order).unwrap(), &map(&x, |x| x * x), Bound::roundings(2, 4.0, UNIT));
            assert_close(&t.pow(3.0).to_vec(order).unwrap(), &map(&x, |x| x * x * x), Bound::roundings(4, 8.0, UNIT));
        });
    }

    #[test]
    fn many_operations_in_one_expression_are_the_plain_expression(
        [x, y, z] in grids(|[h, w]| [vec![h, w], vec![w], vec![h]]), l in layout(), m in layout(),
    ) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width));
            let (row, column) = (laid_out!(Number, &y, m, width), laid_out!(Number, &z, m, height));
            // One tensor is used twice, and numbers stand between.
            let shifted = &t * &row + &column;
            let result = &(&shifted.tanh() * 0.5 + &t) / &(&shifted * &shifted + 1.0);
            let expected = Grid::from_fn(&x.sizes, |place| {
                let shifted = x.get(place) * y.get(&place[1..]) + z.get(&place[..1]);
                (shifted.tanh() * 0.5 + x.get(place)) / (shifted * shifted + 1.0)
            });
            assert_close(&result.to_vec((height, width)).unwrap(), &expected, Bound::roundings(16, 6.0, UNIT));
        });
    }
}
