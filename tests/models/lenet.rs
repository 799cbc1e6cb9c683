//! LeNet of the paper's appendix (row N19), whose two last layers are written in two ways that must agree.
//!
//! Not here: single convolutions and pools (`laws::unroll`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{batch, chans, chans_, classes, height, hidden, kh, kw, layer, width};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::differences::{assert_gradients, with_numbers};
use named_tensor_tests::reference::lenet as plain;
use named_tensor_tests::reference::rearrangement::at;
use named_tensor_tests::strategies::{cases, in_both_precisions, laid_out, layout, tensor};
use proptest::prelude::*;

use crate::Numbers;

named! {
    fn Conv2d(X: R[chans, height, width]; W: R[chans_, chans, kh, kw], b: R[chans_]) -> R[chans, height, width] {
        U = unroll_{height, kh}(unroll_{width, kw}(X, |kw|), |kh|);
        (W dot_{chans, kh, kw} U + b)_{chans_ -> chans}
    }

    /// With windows of two rows and three columns; the paper prints the rows twice (row E4).
    fn MaxPool1(X: R[height, width]) -> R[height, width] {
        max_{kh, kw}(pool_{height, kh}(pool_{width, kw}(X, 3), 2))
    }

    fn MaxPool2(X: R[height, width]) -> R[height, width] {
        max_{kh, kw}(pool_{height, kh}(pool_{width, kw}(X, 2), 2))
    }

    fn LeNet(X: R[chans, height, width]; conv1: Conv2d, conv2: Conv2d, W3: R[hidden, layer], b3: R[hidden],
             W4: R[classes, hidden], b4: R[classes]) -> R[classes] {
        X1 = MaxPool1(relu(conv1(X)));
        X2 = MaxPool2(relu(conv2(X1)))_{(height, width, chans) -> layer};
        X3 = relu(W3 dot_layer X2 + b3);
        softmax_classes(W4 dot_hidden X3 + b4)
    }

    /// The same, where W³ has the axes that would have been flattened.
    fn LeNetUnflattened(X: R[chans, height, width]; conv1: Conv2d, conv2: Conv2d, W3: R[hidden, height, width, chans],
                        b3: R[hidden], W4: R[classes, hidden], b4: R[classes]) -> R[classes] {
        X1 = MaxPool1(relu(conv1(X)));
        X2 = MaxPool2(relu(conv2(X1)));
        X3 = relu(W3 dot_{height, width, chans} X2 + b3);
        softmax_classes(W4 dot_hidden X3 + b4)
    }
}

/// Pictures of 14 rows and 19 columns: 12 by 18 convolved, 6 by 6 pooled, 4 by 4 convolved, 2 by 2 pooled.
const SIZES: [usize; 3] = [2, 14, 19];

fn drawn(seed: u64) -> plain::LeNet {
    let mut numbers = Numbers(seed);
    let (c0, c1, c2, inner, classes) = (SIZES[0], 3, 2, 5, 4);
    plain::LeNet {
        first: (numbers.weights(c0 * 6, &[c1, c0, 3, 2]), numbers.grid(&[c1]), [2, 3]),
        second: (numbers.weights(c1 * 9, &[c2, c1, 3, 3]), numbers.grid(&[c2]), [2, 2]),
        third: (numbers.weights(4 * c2, &[inner, 4 * c2]), numbers.grid(&[inner])),
        fourth: (numbers.weights(inner, &[classes, inner]), numbers.grid(&[classes])),
    }
}

fn named<T: Real>(plain: &plain::LeNet) -> LeNet<T> {
    let convolution = |(w, b, _): &(_, _, [usize; 2])| Conv2d {
        W: tensor!(T, w, (chans_, chans, kh, kw)),
        b: tensor!(T, b, (chans_)),
    };
    LeNet {
        conv1: convolution(&plain.first),
        conv2: convolution(&plain.second),
        W3: tensor!(T, &plain.third.0, (hidden, layer)),
        b3: tensor!(T, &plain.third.1, (hidden)),
        W4: tensor!(T, &plain.fourth.0, (classes, hidden)),
        b4: tensor!(T, &plain.fourth.1, (classes)),
    }
}

/// The same weights with the layer split again, in this order of axes.
fn unflattened<T: Real>(model: &LeNet<T>, split: Tensor<R![hidden, height, width, chans], T>) -> LeNetUnflattened<T> {
    let LeNet { conv1, conv2, b3, W4, b4, .. } = model.clone();
    LeNetUnflattened { conv1, conv2, W3: split, b3, W4, b4 }
}

/// Weights sum to at most 1 over what comes in, so numbers grow by a bias below 1 in each of four layers and errors by
/// as many roundings as there are products; a softmax doubles them.
fn bound(unit: f64) -> Bound {
    Bound::roundings(12 + 27 + 8 + 5 + 20, 2.0 * 5.0, unit)
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn n19_lenet_is_the_plain_one_flattened_and_not_flattened(seed: u64, l in layout()) {
        in_both_precisions!({
            let (plain, x) = (drawn(seed), Numbers(seed ^ 1).grid(&[2, SIZES[0], SIZES[1], SIZES[2]]));
            let t = laid_out!(Number, &x, l, (batch, chans, height, width));
            let model = named::<Number>(&plain);
            let split = model.W3.split(layer, (height.of(2), width.of(2), chans));
            let (flat, other) = (model.apply(&t), unflattened(&model, split).apply(&t));
            for example in 0..2 {
                let expected = plain.apply(&at(&x, 0, example));
                assert_close(&flat.at(batch, example).to_vec(classes).unwrap(), &expected, bound(UNIT));
                assert_close(&other.at(batch, example).to_vec(classes).unwrap(), &expected, bound(UNIT));
            }
        });
    }
}

#[test]
fn n19_the_two_ways_agree_only_in_the_same_order_of_flattening() {
    let model = named::<f64>(&drawn(5));
    let x = tensor!(f64, &Numbers(6).grid(&SIZES), (chans, height, width));
    let otherwise = model.W3.split(layer, (chans.of(2), height.of(2), width));
    let (right, wrong) = (model.apply(&x), unflattened(&model, otherwise).apply(&x));
    let distance = (right - wrong).abs().max(classes).item().unwrap();
    assert!(distance > 1e-3, "{distance}");
}

#[test]
fn n19_lenet_has_the_gradients_of_differences_written_either_way() {
    let mut rng = seeded(7);
    // 7 by 9; 6 by 6 convolved, 3 by 2 pooled; 2 by 2 convolved, 1 by 1 pooled.
    let x = Tensor::<_, f64>::normal(&mut rng, (chans.of(1), height.of(7), width.of(9)), 0.0, 1.0);
    let conv = |kh_: usize, kw_: usize, rng: &mut _| {
        Conv2d::init(rng, (chans_.of(1), chans.of(1), kh.of(kh_), kw.of(kw_))).unwrap().cast::<f64>()
    };
    let (first, second) = (conv(2, 4, &mut rng), conv(2, 1, &mut rng));
    let weights = |w3: Tensor<R![hidden, layer], f64>| LeNet {
        conv1: first.clone(),
        conv2: second.clone(),
        W3: w3,
        b3: Tensor::zeros(hidden.of(3)),
        W4: Tensor::zeros((classes.of(2), hidden.of(3))),
        b4: Tensor::zeros(classes.of(2)),
    };
    let model = with_numbers(weights(Tensor::zeros((hidden.of(3), layer.of(1)))), 1);
    assert_gradients(&model, |model| model.apply(&x).sin().sum(classes));
    let LeNet { conv1, conv2, W3: flat, b3, W4, b4 } = model;
    let unflattened = flat.split(layer, (height.of(1), width.of(1), chans.of(1)));
    assert_gradients(&LeNetUnflattened { conv1, conv2, W3: unflattened, b3, W4, b4 }, |model| {
        model.apply(&x).sin().sum(classes)
    });
}
