//! The edges of numbers and sizes: nothing, one, infinity, NaN, and very long chains. Never a wrong number.
//!
//! Lives here: behaviour that the documentation states. Not here: what is refused with an error (`refusals`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{depth, height, seq, seq_, width};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::{Grid, reduction, softmax};
use named_tensor_tests::strategies::{cases, in_both_precisions, laid_out, layout};
use proptest::prelude::*;

const INFINITY: f64 = f64::INFINITY;

fn row(values: &[f64]) -> Tensor<R![width], f64> {
    Tensor::from_vec(width.of(values.len()), values.to_vec()).unwrap()
}

fn nothing() -> Tensor<R![height, width], f64> {
    Tensor::from_vec((height.of(0), width.of(3)), vec![]).unwrap()
}

#[test]
fn sums_over_no_positions_are_zero_and_products_one() {
    assert_eq!(nothing().sum(height).to_vec(width).unwrap(), [0.; 3]);
    assert_eq!(nothing().prod(height).to_vec(width).unwrap(), [1.; 3]);
    assert_eq!(nothing().norm(height).to_vec(width).unwrap(), [0.; 3]);
    assert_eq!(nothing().sum((height, width)).item().unwrap(), 0.);
}

#[cfg(target_pointer_width = "64")]
#[test]
fn a_constant_of_more_positions_than_memory_holds_is_reduced_at_once() {
    let many = 1_usize << 50;
    let x = Tensor::<R![width], f64>::full(width.of(many), 0.5);
    let count = many as f64;
    assert_eq!(x.sum(width).item().unwrap(), count / 2.);
    assert_eq!(x.mean(width).item().unwrap(), 0.5);
    assert_eq!(x.prod(width).item().unwrap(), 0.);
    assert_eq!((x.max(width).item().unwrap(), x.min(width).item().unwrap()), (0.5, 0.5));
    assert_eq!(x.dot(width, &x).item().unwrap(), count / 4.);
    assert_eq!(x.norm(width).item().unwrap(), (count / 4.).sqrt());
    assert_eq!(x.argmaxk(width, seq.of(1)).to_vec(seq).unwrap(), [0]);
    assert_eq!(x.argmin(width).at(width, 0).item().unwrap(), 1.);
    let y = Tensor::<_, f64>::full((height.of(2), width.of(many)), 0.5);
    let z = Tensor::<_, f64>::full((height.of(2), depth.of(3), width.of(many)), 2.);
    assert_eq!(z.dot((width, height), &y).exp().to_vec(depth).unwrap(), [INFINITY; 3]);
    assert_eq!(z.dot(width, &y).to_vec((height, depth)).unwrap(), [count; 6]);
}

#[test]
fn contraction_over_no_positions_is_zero() {
    let other = Tensor::<_, f64>::from_vec((height.of(0), depth.of(2)), vec![]).unwrap();
    assert_eq!(nothing().dot(height, &other).to_vec((width, depth)).unwrap(), [0.; 6]);
}

#[test]
fn an_axis_without_positions_goes_through_every_operation_that_keeps_it() {
    let empty: [f64; 0] = [];
    let x = nothing();
    let order = (height, width);
    assert_eq!(x.softmax(width).to_vec(order).unwrap(), empty);
    assert_eq!(x.standardize(width).to_vec(order).unwrap(), empty);
    assert_eq!((&x.exp() + &row(&[1., 2., 3.])).to_vec(order).unwrap(), empty);
    assert_eq!(x.sum(width).to_vec(height).unwrap(), empty);
    assert_eq!(x.max(width).to_vec(height).unwrap(), empty);
    assert_eq!(x.flatten((height, width), depth).to_vec(depth).unwrap(), empty);
    assert_eq!(x.slice(width, 1..2).to_vec(order).unwrap(), empty);
    let one = Tensor::<_, f64>::from_vec((height.of(1), width.of(3)), vec![1., 2., 3.]).unwrap();
    assert_eq!(x.concat(height, &one).to_vec(order).unwrap(), [1., 2., 3.]);
    assert_eq!(one.slice(height, 0..0).to_vec(order).unwrap(), empty);
}

#[test]
fn a_reduction_of_nothing_that_has_no_value_is_an_error_that_names_it() {
    let errors = [
        ("max", nothing().max(height).to_vec(width).unwrap_err()),
        ("min", nothing().min(height).to_vec(width).unwrap_err()),
        ("mean", nothing().mean(height).to_vec(width).unwrap_err()),
        ("var", nothing().var(height).to_vec(width).unwrap_err()),
    ];
    for (name, error) in errors {
        assert_eq!(error.kind(), ErrorKind::Empty, "{error}");
        assert!(error.to_string().starts_with(&format!("`{name}` of nothing: axis `height`")), "{error}");
    }
}

#[test]
fn a_size_of_one_is_kept_and_means_one() {
    let x = Tensor::<_, f64>::from_vec((height.of(1), width.of(2)), vec![3., 4.]).unwrap();
    assert_eq!(x.softmax(height).to_vec((height, width)).unwrap(), [1., 1.]);
    assert_eq!(x.var(height).to_vec(width).unwrap(), [0., 0.]);
    assert_eq!(x.standardize(height).to_vec((height, width)).unwrap(), [0., 0.]);
    assert_eq!(x.sum(height).to_vec(width).unwrap(), [3., 4.]);
}

#[test]
fn softmax_of_a_row_with_minus_infinity_is_exactly_zero_there() {
    in_both_precisions!({
        let hidden = Number::NEG_INFINITY;
        let x = Tensor::<_, Number>::from_vec(width.of(3), vec![1.0, hidden, 1.0]).unwrap();
        assert_eq!(x.softmax(width).to_vec(width).unwrap(), [0.5, 0.0, 0.5]);
        let logarithm = x.log_softmax(width).to_vec(width).unwrap();
        assert_eq!(logarithm[1], hidden);
    });
}

#[test]
fn softmax_of_a_row_with_infinity_or_nan_or_wholly_masked_is_nan_everywhere_in_that_row_alone() {
    in_both_precisions!({
        let rows = [[1.0, INFINITY, 2.0], [1.0, f64::NAN, 2.0], [-INFINITY; 3], [0.0, 0.0, 0.0]];
        let numbers: Vec<Number> = rows.iter().flatten().map(|&value| value as Number).collect();
        let x = Tensor::<_, Number>::from_vec((height.of(4), width.of(3)), numbers).unwrap();
        let softmax = x.softmax(width).to_vec((height, width)).unwrap();
        assert!(softmax[..9].iter().all(|value| value.is_nan()), "{softmax:?}");
        assert_close(&softmax[9..], &Grid::new(&[3], vec![1.0 / 3.0; 3]), Bound::roundings(2, 1.0, UNIT));
    });
}

#[test]
fn softmax_of_large_numbers_does_not_overflow() {
    in_both_precisions!({
        let x = Tensor::<_, Number>::from_vec(width.of(3), vec![1e30, 1e30, -1e30]).unwrap();
        assert_eq!(x.softmax(width).to_vec(width).unwrap(), [0.5, 0.5, 0.0]);
    });
}

#[test]
fn the_largest_and_the_smallest_of_numbers_with_nan_are_nan() {
    for position in 0..70 {
        let mut values = vec![1.0; 70];
        values[position] = f64::NAN;
        assert!(row(&values).max(width).item().unwrap().is_nan(), "NaN at {position}");
        assert!(row(&values).min(width).item().unwrap().is_nan(), "NaN at {position}");
    }
    assert!(row(&[f64::NAN, 1.0]).maximum(&row(&[1.0, f64::NAN])).to_vec(width).unwrap().iter().all(|x| x.is_nan()));
    assert!(row(&[f64::NAN, 1.0]).minimum(&row(&[1.0, f64::NAN])).to_vec(width).unwrap().iter().all(|x| x.is_nan()));
    assert!(row(&[f64::NAN]).relu().to_vec(width).unwrap()[0].is_nan());
}

#[test]
fn infinities_are_the_largest_and_the_smallest() {
    assert_eq!(row(&[1., INFINITY, 2.]).max(width).item().unwrap(), INFINITY);
    assert_eq!(row(&[-INFINITY; 3]).max(width).item().unwrap(), -INFINITY);
    assert_eq!(row(&[1., -INFINITY, 2.]).min(width).item().unwrap(), -INFINITY);
    assert!(row(&[INFINITY, -INFINITY]).sum(width).item().unwrap().is_nan());
}

#[test]
fn functions_of_infinity_and_nan_are_the_limits() {
    in_both_precisions!({
        let x = Tensor::<_, Number>::from_vec(width.of(3), vec![Number::INFINITY, Number::NEG_INFINITY, Number::NAN])
            .unwrap();
        let limits: [(_, [Number; 2]); 6] = [
            (x.exp(), [Number::INFINITY, 0.0]),
            (x.tanh(), [1.0, -1.0]),
            (x.sigmoid(), [1.0, 0.0]),
            (x.relu(), [Number::INFINITY, 0.0]),
            (x.erf(), [1.0, -1.0]),
            (x.abs(), [Number::INFINITY, Number::INFINITY]),
        ];
        for (actual, limit) in limits {
            let actual = actual.to_vec(width).unwrap();
            assert_eq!(actual[..2], limit);
            assert!(actual[2].is_nan());
        }
        let log = Tensor::<_, Number>::from_vec(width.of(3), vec![0.0, Number::INFINITY, -1.0]).unwrap().log();
        let log = log.to_vec(width).unwrap();
        assert_eq!(log[..2], [Number::NEG_INFINITY, Number::INFINITY]);
        assert!(log[2].is_nan());
    });
}

#[test]
fn the_slope_of_gelu_far_from_0_is_1_above_and_0_below() {
    for far in [6e4, 2e13, 1e14, 1e19, 3e38] {
        let x = Tensor::new(width, [far, -far]);
        assert_eq!(grad(&x.gelu_tanh().sum(width), &x).to_vec(width).unwrap(), [1.0, 0.0], "by tanh, at {far}");
        assert_eq!(grad(&x.gelu().sum(width), &x).to_vec(width).unwrap(), [1.0, 0.0], "at {far}");
        assert_eq!(grad(&x.silu().sum(width), &x).to_vec(width).unwrap(), [1.0, 0.0], "silu, at {far}");
    }
}

#[test]
fn the_slopes_of_gelu_by_tanh_keep_their_digits_below_0() {
    let numbers: Vec<f32> = (-60..=60).map(|i| i as f32 / 8.0).collect();
    let slopes = |x: &[f64]| {
        let x = Tensor::<width, f64>::from_vec(width.of(x.len()), x.to_vec()).unwrap();
        let slope = grad(&x.gelu_tanh().sum(width), &x);
        [&slope, &grad(&slope.sum(width), &x)].map(|slope| slope.to_vec(width).unwrap())
    };
    let x = Tensor::<width>::from_vec(width.of(numbers.len()), numbers.clone()).unwrap();
    let slope = grad(&x.gelu_tanh().sum(width), &x);
    let second = grad(&slope.sum(width), &x);
    let wide: Vec<f64> = numbers.iter().map(|&x| f64::from(x)).collect();
    for (found, expected) in [&slope, &second].into_iter().zip(slopes(&wide)) {
        for ((x, found), expected) in numbers.iter().zip(found.to_vec(width).unwrap()).zip(expected) {
            // The slope is 0 near -0.75, the second one near ±1.4; above 0 what is lacking of 1 has few digits.
            let size = if *x < -2.0 { expected.abs() + 1e-37 } else { 0.5 };
            let error = (f64::from(found) - expected).abs();
            assert!(error < 4e-5 * size, "{found} at {x}, not {expected}");
        }
    }
    // By 50 digits.
    let [slope, second] = slopes(&[-5.0]);
    assert!(
        (slope[0] / -1.546_361_987_532_594_6e-6 - 1.0).abs() < 1e-12
            && (second[0] / -9.934_132_224_996_202e-6 - 1.0).abs() < 1e-12,
        "{slope:?} {second:?}"
    );
}

#[cfg(target_pointer_width = "64")]
#[test]
fn positions_that_are_known_have_all_their_digits() {
    // The first whole number that is no `f64`, and the last position.
    for large in [(1_usize << 53) + 1, i64::MAX as usize] {
        let none = Tensor::positions(width.of(1));
        assert_eq!((&none + large).to_vec(width).unwrap(), [large]);
        assert_eq!((&(&none + large) - (large - 1)).to_vec(width).unwrap(), [1]);
        let before = Tensor::indices_from_vec(seq.of(2), width, vec![large, large - 1]).unwrap();
        assert_eq!(before.lt(large).to_vec(seq).unwrap(), [false, true]);
        assert_eq!(before.eq(large).to_vec(seq).unwrap(), [true, false]);
    }
    let beyond = i64::MAX as usize + 1;
    let error = Tensor::positions(width.of(1)).lt(beyond).to_vec(width).unwrap_err();
    let words = "9223372036854775808 is no position of the axis `width`: positions are 0 to 9223372036854775807";
    assert!(error.to_string().starts_with(words), "{error}");
    assert!(error.place().is_some_and(|place| place.file().ends_with("extremes.rs")), "{error}");
}

#[test]
fn a_masked_position_changes_nothing_elsewhere_even_if_its_value_is_infinite() {
    // The weight of a masked position is exactly 0, and 0 times infinity would be NaN: what is masked must not be NaN.
    let scores = Tensor::<_, f64>::from_vec((seq_.of(1), seq.of(2)), vec![1.0, -INFINITY]).unwrap();
    assert_eq!(scores.softmax(seq).to_vec((seq_, seq)).unwrap(), [1.0, 0.0]);
}

#[test]
fn a_variance_of_large_numbers_close_to_each_other_does_not_cancel() {
    let x = row(&[1e8 + 1.0, 1e8 + 2.0, 1e8 + 3.0, 1e8 + 4.0]);
    assert_close(&[x.var(width).item().unwrap()], &Grid::scalar(1.25), Bound::absolute(1e-12));
    let standardized = x.standardize_with(width, 1e-5).to_vec(width).unwrap();
    let plain = softmax::standardize(&Grid::new(&[4], vec![1., 2., 3., 4.]), &[0], 1e-5);
    assert_close(&standardized, &plain, Bound::absolute(1e-12));
}

#[test]
fn a_million_chained_nodes_build_evaluate_and_drop() {
    let mut x = Tensor::<_, f64>::from_vec(width.of(2), vec![0.0, 1.0]).unwrap();
    for _ in 0..1_000_000 {
        x = &x + 1.0;
    }
    assert_eq!(x.to_vec(width).unwrap(), [1e6, 1e6 + 1.0]);
    drop(x);
}

#[test]
fn a_million_chained_nodes_of_several_kinds_drop_without_evaluation() {
    let start = Tensor::<_, f64>::from_vec((height.of(2), width.of(2)), vec![0.5; 4]).unwrap();
    let mut x = start.clone();
    for step in 0..1_000_000 {
        x = match step % 4 {
            0 => x.rename((height, width), (width, height)),
            1 => &x * &start,
            2 => x.softmax(height),
            _ => x.slice(width, 0..2),
        };
    }
    drop(x);
    assert_eq!(start.sum((height, width)).item().unwrap(), 2.0);
}

#[test]
fn a_diamond_of_a_hundred_doublings_is_computed_once_per_node() {
    // 2¹⁰⁰ paths lead to the first node; only a walk by nodes ends.
    let mut x = Tensor::<_, f64>::from_vec(width.of(1), vec![1.0]).unwrap();
    for _ in 0..100 {
        x = &x + &x;
    }
    assert_eq!(x.to_vec(width).unwrap(), [2.0_f64.powi(100)]);
}

/// 1, and now and then an infinity or NaN.
fn mostly_finite() -> impl Strategy<Value = f64> {
    prop_oneof![8 => Just(1.0), 1 => Just(INFINITY), 1 => Just(-INFINITY), 1 => Just(f64::NAN)]
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn sums_with_infinities_and_nan_are_the_plain_sums(
        values in prop::collection::vec(mostly_finite(), 60), l in layout(),
    ) {
        let x = Grid::new(&[4, 15], values);
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (height, width));
            assert_close(&t.sum(height).to_vec(width).unwrap(), &reduction::sum(&x, &[0]), Bound::EXACT);
            assert_close(&t.sum(width).to_vec(height).unwrap(), &reduction::sum(&x, &[1]), Bound::EXACT);
            assert_close(&t.max(height).to_vec(width).unwrap(), &reduction::max(&x, &[0]), Bound::EXACT);
            assert_close(&t.min(width).to_vec(height).unwrap(), &reduction::min(&x, &[1]), Bound::EXACT);
            let order = (height, width);
            let bound = Bound::roundings(20, 1.0, UNIT);
            assert_close(&t.softmax(width).to_vec(order).unwrap(), &softmax::softmax(&x, &[1]), bound);
            assert_close(&t.softmax(height).to_vec(order).unwrap(), &softmax::softmax(&x, &[0]), bound);
        });
    }
}

/// Whose drop computes, and tells what came out.
struct Last(Tensor<R![width]>, std::sync::mpsc::Sender<Vec<f32>>);

impl Drop for Last {
    fn drop(&mut self) {
        let _ = self.1.send(self.0.softmax(width).to_vec(width).unwrap_or_default());
    }
}

#[test]
fn what_is_computed_while_a_thread_ends_is_computed_as_ever() {
    thread_local! {
        static LAST: std::cell::RefCell<Option<Last>> = const { std::cell::RefCell::new(None) };
    }
    let (sender, receiver) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        LAST.set(Some(Last(Tensor::new(width, [0.0, 0.0]), sender)));
        // Whatever the library keeps for this thread is made later, and so it is dropped before.
        Tensor::new(width, [1.0, 2.0]).exp().to_vec(width)
    });
    assert!(thread.join().unwrap().is_ok());
    assert_eq!(receiver.recv().unwrap(), [0.5, 0.5]);
}

/// Everything that keeps something for its thread: an inverse, in pieces of another library, and a derivative of its own.
fn inverse_and_slope() -> (f64, f64) {
    let near_one = |[i, j]: [usize; 2]| if i == j { 2.0 } else { 0.01 };
    let a: Tensor<R![height, width], f64> = Tensor::from_fn((height.of(100), width.of(100)), near_one);
    let square = |x| with_adjoint("square", x, |x| &x * &x, |x, _, owed| x * owed * 2.0);
    let x: Tensor<R![], f64> = Tensor::scalar(3.0);
    (a.inv(height, width).sum((height, width)).item().unwrap(), grad(&square(x.clone()), &x).item().unwrap())
}

/// Whose drop computes those.
struct LastInverse(std::sync::mpsc::Sender<(f64, f64)>);

impl Drop for LastInverse {
    fn drop(&mut self) {
        let _ = self.0.send(inverse_and_slope());
    }
}

#[test]
fn an_inverse_and_a_derivative_of_its_own_are_computed_while_a_thread_ends() {
    thread_local! {
        static LAST: std::cell::RefCell<Option<LastInverse>> = const { std::cell::RefCell::new(None) };
    }
    let (sender, receiver) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        LAST.set(Some(LastInverse(sender)));
        inverse_and_slope()
    });
    let (expected, found) = (thread.join().unwrap(), receiver.recv().unwrap());
    assert_eq!((found, found.1), (expected, 6.0));
}

named! {
    fn RootOfMax(X: R[width]) -> R[] { sum_width(sqrt(max(X, 0))) }
    fn RootOfClamp(X: R[width]) -> R[] { sum_width(sqrt(clamp(X, 0, 9))) }
    fn OverMax(X: R[width]) -> R[] { sum_width(1 / max(0, X)) }
    fn LogOfMin(X: R[width]) -> R[] { sum_width(log(1 - min(X, 1))) }
    fn RootOfRelu(X: R[width]) -> R[] { sum_width(sqrt(relu(X))) }
}

#[test]
fn what_is_not_taken_of_two_numbers_owes_nothing_however_steep() {
    let x = row(&[-1., 0., 1., 2., 4.]);
    let slopes = |loss: Tensor<(), f64>| grad(&loss, &x).to_vec(width).unwrap();
    let half_root = |x: f64| 0.5 / x.sqrt();
    let right = [half_root(1.), half_root(2.), half_root(4.)];
    assert_eq!(slopes(RootOfRelu(&x))[..1], [0.]);
    for roots in [slopes(RootOfMax(&x)), slopes(RootOfClamp(&x))] {
        assert_eq!((roots[0], &roots[2..]), (0., &right[..]), "{roots:?}");
    }
    let over = slopes(OverMax(&x));
    assert_eq!((over[0], &over[2..]), (0., &[-1., -0.25, -0.0625][..]), "{over:?}");
    let logs = slopes(LogOfMin(&x));
    assert_eq!((&logs[..2], &logs[3..]), (&[-0.5, -1.][..], &[0., 0.][..]), "{logs:?}");
}
