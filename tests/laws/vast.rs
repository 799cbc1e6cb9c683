//! What has more numbers than memory holds, or than can be counted: one error, no abort, that names the axis and the line.
//!
//! Lives here: lazy tensors of such sizes, most of them one number that is repeated. Not here: what else is refused (`refusals`).

use crate::refusals::refused;
use named_tensor::Result;
use named_tensor::prelude::*;
use named_tensor_tests::axes::{depth, emb, height, kernel, key, layer, seq, val, width};

#[test]
fn a_result_that_no_address_space_holds_is_refused_when_it_is_wanted() {
    // 2⁴⁶ numbers of 8 bytes can be counted, and a lazy tensor of them may stand; reading it is an error, no abort.
    let (tall, wide) = (Tensor::<_, f64>::zeros(height.of(1 << 23)), Tensor::<_, f64>::zeros(width.of(1 << 23)));
    refused((&tall + &wide).to_vec((height, width)), ErrorKind::TooLarge, &[]);
    refused((&tall + &wide).exp().softmax(width).to_vec((height, width)), ErrorKind::TooLarge, &[]);
    let constant = Tensor::<_, f64>::zeros((height.of(1 << 23), width.of(1 << 23)));
    refused(constant.to_vec((height, width)), ErrorKind::TooLarge, &[]);
}

#[test]
fn what_needs_more_memory_than_there_is_names_the_operation_and_the_axis_with_its_size() {
    let vast = Tensor::<R![width], f64>::full(width.of(1 << 50), 2.0);
    let words = &["too large for memory", "width: 1125899906842624"];
    refused(vast.softmax(width).sum(width).item(), ErrorKind::TooLarge, words);
    refused(vast.cumsum(width).at(width, 1).item(), ErrorKind::TooLarge, words);
    refused(vast.concat(width, &vast).sum(width).item(), ErrorKind::TooLarge, &["`concat`", "width: 1125899906842624"]);
    // What could be appended where the first one lies.
    let none = Tensor::<R![width], f64>::zeros(width.of(0)).eval().unwrap();
    refused(none.concat(width, &vast).eval(), ErrorKind::TooLarge, &["`concat`", "width: 1125899906842624"]);
    let tall = Tensor::<_, f64>::zeros((height.of(3), width.of(1))).sum(width) + &vast;
    refused(tall.max(width).to_vec(height), ErrorKind::TooLarge, &["height: 3, width: 1125899906842624"]);
}

#[test]
fn a_line_of_more_numbers_than_can_be_sorted_is_refused() {
    let vast = Tensor::<R![width], f64>::full(width.of(1 << 32), 2.0);
    let words = &["too large to be sorted", "width: 4294967296"];
    refused(vast.sort(width).at(width, 0).item(), ErrorKind::TooLarge, words);
    refused(vast.argsort(width).to_vec(width), ErrorKind::TooLarge, words);
    refused(vast.maxk(width, kernel.of(2)).to_vec(kernel), ErrorKind::TooLarge, words);
    refused(vast.argmaxk(width, kernel.of(2)).to_vec(kernel), ErrorKind::TooLarge, words);
}

#[test]
fn attention_over_more_positions_than_memory_holds_is_refused() {
    named! {
        fn Attention(Q: R[key], K: R[seq, key], V: R[seq, emb]) -> R[emb] {
            softmax_seq(Q dot_key K) dot_seq V
        }
    }
    let vast = 1 << 50;
    let (q, k) = (Tensor::<_, f64>::zeros(key.of(2)), Tensor::<_, f64>::zeros((seq.of(vast), key.of(2))));
    let y = Attention(&q, &k, &Tensor::zeros((seq.of(vast), emb.of(2))));
    refused(y.to_vec(emb), ErrorKind::TooLarge, &["seq: 1125899906842624"]);
}

#[test]
fn what_cannot_be_printed_says_where_it_was_written() {
    let vast = Tensor::<R![width], f64>::full(width.of(1 << 50), 2.0).exp();
    let text = vast.to_string();
    assert!(text.contains("too large for memory") && text.contains("vast.rs"), "{text}");
}

#[test]
fn a_scan_whose_results_cannot_be_counted_is_refused() {
    let steps = Tensor::<_, f64>::ones(seq.of(32));
    let words = ["too large for memory", "`scan`"];
    // One result beyond all, and several of which each could be.
    let wide = Tensor::<_, f64>::ones(width.of(1 << 59));
    let (last, all) =
        scan(seq, Tensor::scalar(0.0), &steps, |h: Tensor<R![], f64>, x: Tensor<R![], f64>| (&h + &x, x * &wide));
    refused(last.checked(), ErrorKind::TooLarge, &words);
    refused(all.checked(), ErrorKind::TooLarge, &words);
    let wide = Tensor::<_, f64>::ones(width.of((1 << 54) + (1 << 53)));
    let twice = |h: Tensor<R![], f64>, x: Tensor<R![], f64>| (h, (&x * &wide, &x * &wide));
    let (_, (one, two)) = scan(seq, Tensor::scalar(0.0), &steps, twice);
    refused(one.checked(), ErrorKind::TooLarge, &words);
    refused(two.checked(), ErrorKind::TooLarge, &words);
}

#[test]
fn a_scan_of_nothing_may_have_results_of_any_size_beside() {
    let empty = Tensor::<_, f64>::ones((height.of(usize::MAX), depth.of(0)));
    let along = Tensor::<_, f64>::ones(seq.of(1));
    let step = |h: Tensor<R![], f64>, x: Tensor<R![], f64>| (h, x * &empty);
    let (last, all) = scan(seq, Tensor::scalar(2.0), &along, step);
    assert_eq!(last.item().unwrap(), 2.0);
    assert_eq!(all.to_vec((height, seq, depth)).unwrap(), [0.0; 0]);
    let none = Tensor::<_, f64>::ones((seq.of(0), height.of(1 << 32), width.of(1 << 31)));
    let step = |h: Tensor<R![], f64>, x: Tensor<R![height, width], f64>| (h, x);
    let (last, all) = scan(seq, Tensor::scalar(2.0), &none, step);
    assert_eq!(last.item().unwrap(), 2.0);
    assert_eq!(all.to_vec((height, width, seq)).unwrap(), [0.0; 0]);
}

#[test]
fn a_determinant_or_an_inverse_whose_factors_no_memory_holds_is_refused() {
    // One number in memory, repeated; its factors are all different.
    let vast = Tensor::<_, f64>::ones((height.of(1 << 28), width.of(1 << 28)));
    let words = ["too large for memory", "height: 268435456, width: 268435456"];
    refused(vast.det(height, width).item(), ErrorKind::TooLarge, &words);
    refused(vast.inv(height, width).at(width, 0).at(height, 0).item(), ErrorKind::TooLarge, &words);
}

#[test]
fn an_empty_tensor_whose_other_sizes_cannot_be_multiplied_is_refused_and_may_have_one_that_is_as_large() {
    let words = ["too large for memory", "height: 18446744073709551615, width: 2, depth: 0"];
    let empty = Tensor::<_, f64>::ones((height.of(usize::MAX), width.of(2), depth.of(0)));
    refused(empty.flatten((height, width), val).checked(), ErrorKind::TooLarge, &words);
    let empty = Tensor::<_, f64>::ones((height.of(usize::MAX), depth.of(0)));
    refused((&empty + Tensor::ones(width.of(2))).checked(), ErrorKind::TooLarge, &["height: 18446744073709551615"]);
    assert_eq!(empty.flatten((height, depth), val).size(val), 0);
    assert_eq!(empty.flatten(height, val).size(val), usize::MAX);
    assert_eq!((&empty * 2.0).mean(height).to_vec(depth).unwrap(), [0.0; 0]);
    assert_eq!(empty.sum(depth).size(height), 0, "of what cannot be held");
}

#[test]
fn what_is_too_long_together_names_the_axis() {
    let long = Tensor::<_, f64>::ones(width.of(usize::MAX / 2));
    refused(long.checked(), ErrorKind::TooLarge, &["width"]);
    let empty = Tensor::<_, f64>::ones((height.of(0), width.of(usize::MAX)));
    let words = ["too large for memory", "`concat`", "18446744073709551615 + 18446744073709551615", "axis `width`"];
    refused(empty.concat(width, &empty).checked(), ErrorKind::TooLarge, &words);
}

#[test]
fn a_derivative_too_large_for_memory_says_where_it_was_asked_for() {
    let x = Tensor::<_, f64>::ones(width.of(1 << 40));
    refused(jacobian(&(&x * &x), &x).checked(), ErrorKind::TooLarge, &["width*"]);
    refused(hessian(&(&x * &x).sum(width), &x).checked(), ErrorKind::TooLarge, &["width*"]);
    let long = Tensor::<_, f64>::ones((height.of(4), width.of(1 << 57)));
    let x = Tensor::<_, f64>::ones((height.of(4), width.of(1 << 57)));
    refused(jacobian(&(&x * &long), &x).checked(), ErrorKind::TooLarge, &["height*"]);
    let z = Tensor::<_, f64>::ones((height.of(4), seq.of(1)));
    refused(jacobian(&(&z * &long), &z).checked(), ErrorKind::TooLarge, &["height*"]);
}

#[test]
fn layers_that_are_too_large_together_say_where_they_are_stacked() {
    let one = Tensor::<_, f64>::ones(width.of(1 << 59));
    let stacked: Result<Stacked<layer, _, f64>> = stack(layer, &[one.clone(), one.clone(), one.clone()]);
    refused(stacked, ErrorKind::TooLarge, &["layer: 3", "width: 576460752303423488"]);
    assert_eq!(vec![one; 33].count(), usize::MAX, "no overflow");
}
