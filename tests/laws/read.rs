//! What was read: a number that was picked out of a tensor stays one of its numbers, however the tensor is computed later.
//!
//! A tensor that is read keeps its numbers; what it was computed from may be computed again in another way, with other roundings.
//! Lives here: comparisons of both. Not here: what is read (`order`, `reduction`), gradients of the largest (`gradients`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{chans, kernel, seq, seq_};

type Rows = Tensor<R![seq, chans]>;

fn normal(n: usize, c: usize) -> Rows {
    Tensor::normal(&mut seeded(0), (seq.of(n), chans.of(c)), 0.0, 1.0)
}

/// What attention sees, and its weights: computed together with these it is not one step.
fn attention(x: &Rows) -> (Tensor<R![seq_, chans]>, Tensor<R![seq_, seq]>) {
    let weights = x.rename(seq, seq_).dot(chans, x).softmax(seq);
    (weights.dot(seq, x), weights)
}

fn count(truth: &Tensor<R![seq_, chans], bool>, beside: &Tensor<R![seq_, seq]>) -> f32 {
    let (count, _) = Together((truth.real::<f32>().sum((seq_, chans)), beside.max(seq))).eval().unwrap().0;
    count.item().unwrap()
}

#[test]
fn a_number_that_was_picked_out_and_read_is_found_where_its_tensor_is_computed_again() {
    let pick: [fn(&Tensor<R![seq_, chans]>) -> Tensor<R![chans]>; 6] = [
        |y| y.max(seq_),
        |y| y.min(seq_),
        |y| y.at(seq_, 5),
        |y| y.slice(seq_, 3..9).at(seq_, 2),
        |y| y.sort(seq_).at(seq_, 0),
        |y| y.maxk(seq_, kernel.of(3)).at(kernel, 2),
    ];
    for (number, pick) in pick.iter().enumerate() {
        for is_read in [false, true] {
            let (y, weights) = attention(&normal(33, 8));
            let picked = pick(&y);
            if is_read {
                picked.to_vec(chans).unwrap();
            }
            assert_eq!(count(&y.eq(&picked), &weights), 8.0, "pick {number}, read {is_read}");
        }
    }
}

#[test]
fn what_was_read_on_the_way_is_no_other_number_either() {
    let (y, weights) = attention(&normal(33, 8));
    let sorted = y.sort(seq_);
    sorted.to_vec((seq_, chans)).unwrap();
    let third = sorted.at(seq_, 2);
    third.to_vec(chans).unwrap();
    assert_eq!(count(&y.le(&third), &weights), 24.0);
    y.to_vec((seq_, chans)).unwrap();
    assert_eq!(count(&y.le(&third), &weights), 24.0, "known as well, from another plan");
}

#[test]
fn no_distance_is_larger_than_the_largest_that_was_read() {
    let x = normal(33, 8);
    let distances: Tensor<R![seq_, seq]> = (x.rename(seq, seq_) - &x).abs().sum(chans);
    let far = distances.max(seq);
    let kept = distances.eq(&far).select(&distances, &Tensor::scalar(0.0)).sum((seq, seq_));
    let rest = (&far - &distances).sqrt().sum((seq, seq_));
    let of = |loss: &Tensor<R![]>| {
        let (value, slope) = value_and_grad(loss, &x).unwrap();
        (value, slope.norm((seq, chans)).item().unwrap())
    };
    let before = (of(&kept), rest.item().unwrap());
    far.to_vec(seq_).unwrap();
    let kept = distances.eq(&far).select(&distances, &Tensor::scalar(0.0)).sum((seq, seq_));
    let rest =
        (&far - &distances).sqrt().sum((seq, seq_)) + grad(&distances.sum((seq, seq_)), &x).sum((seq, chans)) * 0.0;
    let ((value, slope), rest) = (of(&kept), rest.item().unwrap());
    let is_near = |x: f32, y: f32| (x - y).abs() < 1e-4 * x.abs();
    assert!(is_near(before.0.0, value) && is_near(before.0.1, slope), "{before:?}, then {value}, {slope}");
    assert!(is_near(before.1, rest), "{before:?}, then {rest}");
}
