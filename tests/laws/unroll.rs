//! Windows of an axis, and the convolutions and maxima made of them, are the plain ones.
//!
//! Lives here: unroll and pool, rows N5 to N9. Not here: windows that do not fit (`refusals`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{batch, chans, height, height_, kernel, out, seq, width, width_};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::differences::{assert_gradient, assert_gradients, with_numbers};
use named_tensor_tests::reference::{Grid, contraction, paper, unroll as plain};
use named_tensor_tests::strategies::{cases, grid, in_both_precisions, laid_out, layout, number, tensor};
use proptest::prelude::*;

named! {
    fn Conv1d(X: R[chans, seq]; W: R[chans, kernel], b: R[]) -> R[seq] {
        W dot_{chans, kernel} unroll_{seq, kernel}(X, |kernel|) + b
    }

    fn Conv2d(X: R[height, width]; W: R[height_, width_]) -> R[height, width] {
        W dot_{height_, width_} unroll_{height, height_}(unroll_{width, width_}(X, |width_|), |height_|)
    }

    fn Backwards(X: R[seq]) -> R[seq] {
        Y_{seq(i)} = X_{seq(|seq| - 1 - i)};
        Y
    }

    fn Before(X: R[seq], W: R[kernel]) -> R[seq, kernel] {
        Y_{seq(i: |seq| - |kernel| + 1), kernel(k: |kernel|)} = X_{seq(i + |kernel| - 1 - k)};
        Y
    }

    fn Signal1d(X: R[chans, seq], w: R[kernel]; W: R[chans, kernel]) -> R[seq] {
        W dot_{chans, kernel} Before(X, w)
    }

    fn MaxPool1d(X: R[seq]) -> R[seq] {
        max_kernel(pool_{seq, kernel}(X, 2))
    }

    fn MaxPool2d(X: R[height, width]) -> R[height, width] {
        max_{height_, width_}(pool_{height, height_}(pool_{width, width_}(X, 2), 2))
    }
}

#[test]
fn n5_unroll_of_x_by_2() {
    let x = tensor!(f64, &paper::x(), (seq));
    assert_eq!(x.unroll(seq, kernel.of(2)).to_vec((seq, kernel)).unwrap(), [2., 7., 7., 1.]);
}

#[test]
fn n6_convolution_of_x() {
    let x = tensor!(f64, &Grid::new(&[1, 3], paper::x().values), (chans, seq));
    let w = tensor!(f64, &Grid::new(&[1, 2], vec![1., -1.]), (chans, kernel));
    let y = w.dot((chans, kernel), &x.unroll(seq, kernel.of(2))) + 0.5;
    assert_eq!(y.to_vec(seq).unwrap(), [-4.5, 6.5]);
    assert_eq!(Conv1d { W: w, b: Tensor::scalar(0.5) }.apply(&x).to_vec(seq).unwrap(), [-4.5, 6.5]);
}

#[test]
fn n7_convolution_of_a_in_two_axes_with_the_identity() {
    let a = tensor!(f64, &paper::a(), (height, width));
    let windows = a.unroll(height, height_.of(2)).unroll(width, width_.of(2));
    let y = Tensor::<_, f64>::eye(height_, width_, 2).dot((height_, width_), &windows);
    assert_eq!(y.to_vec((height, width)).unwrap(), [8., 10., 7., 10.]);
    let model = Conv2d { W: Tensor::eye(height_, width_, 2) };
    assert_eq!(model.apply(&a).to_vec((height, width)).unwrap(), [8., 10., 7., 10.]);
}

#[test]
fn n8_pool_by_2() {
    let x = tensor!(f64, &Grid::new(&[4], vec![3., 1., 4., 1.]), (seq));
    assert_eq!(x.pool(seq, kernel.of(2)).to_vec((seq, kernel)).unwrap(), [3., 1., 4., 1.]);
}

#[test]
fn n9_max_pool_in_one_axis() {
    let x = tensor!(f64, &Grid::new(&[4], vec![3., 1., 4., 1.]), (seq));
    assert_eq!(MaxPool1d(&x).to_vec(seq).unwrap(), [3., 4.]);
}

#[test]
fn n9_max_pool_of_the_first_sixteen_numbers() {
    let x = Tensor::<_, f64>::from_fn((height.of(4), width.of(4)), |[i, j]| (4 * i + j) as f64);
    let y = x.pool(height, height_.of(2)).pool(width, width_.of(2)).max((height_, width_));
    assert_eq!(y.to_vec((height, width)).unwrap(), [5., 7., 13., 15.]);
    assert_eq!(MaxPool2d(&x).to_vec((height, width)).unwrap(), [5., 7., 13., 15.]);
}

/// Channels, an axis of windows, a size of windows that fits, and numbers for them.
fn signal() -> impl Strategy<Value = (Grid, usize)> {
    (1_usize..4, 1_usize..20).prop_flat_map(|(channels, n)| (grid(&[channels, n]), 1..=n))
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn unrolling_is_the_plain_one((x, k) in signal(), l in layout()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (chans, seq));
            let windows = t.unroll(seq, kernel.of(k));
            prop_assert_eq!(windows.size(seq), x.sizes[1] - k + 1);
            assert_close(&windows.to_vec((chans, seq, kernel)).unwrap(), &plain::unroll(&x, k), Bound::EXACT);
        });
    }

    #[test]
    fn pooling_is_the_plain_one((x, k) in signal(), l in layout()) {
        // Only a multiple of the window has no rest.
        let n = x.sizes[1] / k * k;
        let x = Grid::from_fn(&[x.sizes[0], n], |place| x.get(place));
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (chans, seq));
            let windows = t.pool(seq, kernel.of(k));
            assert_close(&windows.to_vec((chans, seq, kernel)).unwrap(), &plain::pool(&x, k), Bound::EXACT);
        });
    }

    #[test]
    fn convolution_is_the_plain_one(
        (x, k) in signal(), outputs in 1_usize..4, seed in prop::collection::vec(number(), 40), l in layout(),
    ) {
        let mut numbers = seed.iter().copied().cycle();
        let w = Grid::from_fn(&[outputs, x.sizes[0], k], |_| numbers.next().unwrap_or(0.0));
        let b = Grid::from_fn(&[outputs], |_| numbers.next().unwrap_or(0.0));
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (chans, seq));
            let (weights, bias) = (tensor!(Number, &w, (out, chans, kernel)), tensor!(Number, &b, (out)));
            let y = &weights.dot((kernel, chans), &t.unroll(seq, kernel.of(k))) + &bias;
            let n = x.sizes[0] * k;
            let bound = Bound::roundings(n + 2, 4.0 * n as f64 + 2.0, UNIT);
            assert_close(&y.to_vec((out, seq)).unwrap(), &plain::convolution(&x, &w, &b), bound);
        });
    }

    #[test]
    fn a_convolution_of_what_came_before_is_one_with_the_weights_from_their_end_on(
        (x, k) in signal(), outputs in 1_usize..4, seed in prop::collection::vec(number(), 40), l in layout(),
    ) {
        let mut numbers = seed.iter().copied().cycle();
        let w = Grid::from_fn(&[outputs, x.sizes[0], k], |_| numbers.next().unwrap_or(0.0));
        let turned = Grid::from_fn(&w.sizes, |place| w.get(&[place[0], place[1], k - 1 - place[2]]));
        let b = Grid::from_fn(&[outputs], |_| 0.0);
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (chans, seq));
            let weights = tensor!(Number, &w, (out, chans, kernel));
            let one = Tensor::<R![kernel], Number>::ones(kernel.of(k));
            let y = weights.dot((kernel, chans), &Before(&t, &one));
            let n = x.sizes[0] * k;
            let bound = Bound::roundings(n + 2, 4.0 * n as f64 + 2.0, UNIT);
            assert_close(&y.to_vec((out, seq)).unwrap(), &plain::convolution(&x, &turned, &b), bound);
            let back = Grid::from_fn(&x.sizes, |place| x.get(&[place[0], x.sizes[1] - 1 - place[1]]));
            assert_close(&Backwards(&t).to_vec((chans, seq)).unwrap(), &back, Bound::EXACT);
        });
    }

    #[test]
    fn pooling_then_flattening_is_nothing((x, k) in signal(), l in layout()) {
        let n = x.sizes[1] / k * k;
        let x = Grid::from_fn(&[x.sizes[0], n], |place| x.get(place));
        let t = laid_out!(f64, &x, l, (chans, seq));
        let back = t.pool(seq, kernel.of(k)).flatten((seq, kernel), width);
        assert_close(&back.to_vec((chans, width)).unwrap(), &x, Bound::EXACT);
    }

    #[test]
    fn the_identity_is_the_plain_one(n in 0_usize..9) {
        in_both_precisions!({
            let identity = Tensor::<_, Number>::eye(height, width, n);
            assert_close(&identity.to_vec((height, width)).unwrap(), &contraction::eye(n), Bound::EXACT);
        });
    }
}

#[test]
fn n6_n7_convolutions_have_the_gradients_of_differences() {
    let mut rng = seeded(4);
    let text = Tensor::<_, f64>::normal(&mut rng, (batch.of(2), chans.of(2), seq.of(6)), 0.0, 1.0);
    let conv = with_numbers(Conv1d::init(&mut rng, (chans.of(2), kernel.of(3))).unwrap().cast::<f64>(), 1);
    assert_gradients(&conv, |model| model.apply(&text).sin().sum((batch, seq)));

    let picture = Tensor::<_, f64>::normal(&mut rng, (batch.of(2), height.of(5), width.of(4)), 0.0, 1.0);
    let one = Tensor::<R![kernel], f64>::ones(kernel.of(3));
    let conv = with_numbers(Signal1d::init(&mut rng, (chans.of(2), kernel.of(3))).unwrap().cast::<f64>(), 3);
    let signal = |model: &Signal1d<f64>, x: &Tensor<R![batch, chans, seq], f64>| {
        (Backwards(&model.apply(x, &one)).sin() * &model.apply(x, &one)).sum((batch, seq))
    };
    assert_gradients(&conv, |model| signal(model, &text));
    let numbers = Grid::new(&[2, 2, 6], text.to_vec((batch, chans, seq)).unwrap());
    let found = grad(&signal(&conv, &text), &text).to_vec((batch, chans, seq)).unwrap();
    assert_gradient(&found, &numbers, |x| signal(&conv, &tensor!(f64, x, (batch, chans, seq))).item().unwrap());

    let conv = with_numbers(Conv2d::init(&mut rng, (height_.of(2), width_.of(3))).unwrap().cast::<f64>(), 2);
    // The picture's gradient meets every window it is in, and that of a maximum.
    let pooled = |model: &Conv2d<f64>, x: &Tensor<R![batch, height, width], f64>| {
        MaxPool2d(&model.apply(x)).sin().sum((batch, height, width))
    };
    assert_gradients(&conv, |model| pooled(model, &picture));
    let numbers = Grid::new(&[2, 5, 4], picture.to_vec((batch, height, width)).unwrap());
    let found = grad(&pooled(&conv, &picture), &picture).to_vec((batch, height, width)).unwrap();
    assert_gradient(&found, &numbers, |x| pooled(&conv, &tensor!(f64, x, (batch, height, width))).item().unwrap());
}
