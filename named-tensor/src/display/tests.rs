//! Printed tensors as exact strings. Each begins with a line break, so that the picture below is what a reader sees.

use std::fmt::Display;

use crate::axes::selector::Extents;
use crate::axis::Name;
use crate::graph::Node;
use crate::prelude::*;

axes! { batch, chans, depth, height, seq, seq_, vocab, width }

fn printed(tensor: impl Display) -> String {
    format!("\n{tensor}")
}

fn counting<A: Axes>(axes: impl Extents<Set = A, Repeated = ()>) -> Tensor<A> {
    let mut next = -1.0;
    Tensor::from_fn(axes, |_| {
        next += 1.0;
        next
    })
}

#[test]
fn a_matrix_has_its_names_at_the_sides() {
    let a = Tensor::new((height, width), [[3.0, 1.0, 4.0], [1.0, 5.0, 9.0], [2.0, 6.0, 5.0]]);
    let expected = "
         width
       ⎡3  1  4⎤
height ⎢1  5  9⎥
       ⎣2  6  5⎦";
    assert_eq!(printed(&a), expected);
    let transposed = Tensor::new((width, height), [[3.0, 1.0, 2.0], [1.0, 5.0, 6.0], [4.0, 9.0, 5.0]]);
    assert_eq!(printed(transposed), expected);
}

#[test]
fn a_vector_stands_on_one_line_and_a_scalar_alone() {
    assert_eq!(Tensor::new(width, [15.0, 43.0, 76.0]).to_string(), "width[15 43 76]");
    assert_eq!(Tensor::new(seq_, [0.5]).to_string(), "seq′[0.5]");
    assert_eq!(Tensor::scalar(1.0 / 3.0).to_string(), "0.333333");
    assert_eq!(format!("{:.2}", Tensor::new(width, [1.0, 2.0]) / 3.0), "width[0.33 0.67]");
}

#[test]
fn columns_are_aligned_and_strange_numbers_are_told() {
    let x = Tensor::new(
        (height, width),
        [[1.0, -0.0, f32::NEG_INFINITY], [-12.25, f32::NAN, 0.5], [1e-7, 2.0 / 3.0, f32::INFINITY]],
    );
    let expected = "
                  width
       ⎡  1      -0         -inf  ⎤
height ⎢-12.25  NaN            0.5⎥
       ⎣  1e-7    0.666667   inf  ⎦";
    assert_eq!(printed(x), expected);
}

#[test]
fn two_rows_and_one_row_have_their_own_brackets() {
    let mask = Tensor::new((seq, seq_), [[0.0, f32::NEG_INFINITY], [0.0, 0.0]]);
    let expected = "
      seq′
seq ⎡0  -inf⎤
    ⎣0     0⎦";
    assert_eq!(printed(mask), expected);
    let row = Tensor::new((seq_, width), [[1.0, 2.0]]);
    let expected = "
      width
seq′ [1  2]";
    assert_eq!(printed(row), expected);
}

#[test]
fn more_than_two_axes_are_a_matrix_for_each_leading_position() {
    let x = counting((batch.of(2), chans.of(1), height.of(2), width.of(2)));
    let expected = "
batch(0), chans(0)
        width
height ⎡0  1⎤
       ⎣2  3⎦

batch(1), chans(0)
        width
height ⎡4  5⎤
       ⎣6  7⎦";
    assert_eq!(printed(x), expected);
}

#[test]
fn a_large_matrix_shows_its_corners() {
    let expected = "
                  width
       ⎡ 0   1   2  …   6   7   8⎤
       ⎢ 9  10  11  …  15  16  17⎥
       ⎢18  19  20  …  24  25  26⎥
height ⎢ ⋮   ⋮   ⋮  ⋱   ⋮   ⋮   ⋮⎥
       ⎢63  64  65  …  69  70  71⎥
       ⎢72  73  74  …  78  79  80⎥
       ⎣81  82  83  …  87  88  89⎦";
    assert_eq!(printed(counting((height.of(10), width.of(9)))), expected);
}

#[test]
fn eight_positions_are_shown_and_nine_are_shortened() {
    assert_eq!(counting(width.of(8)).to_string(), "width[0 1 2 3 4 5 6 7]");
    assert_eq!(counting(width.of(9)).to_string(), "width[0 1 2 … 6 7 8]");
    assert_eq!(counting(width.of(100_000)).to_string(), "width[0 1 2 … 99997 99998 99999]");
}

#[test]
fn many_matrices_are_the_first_two_and_the_last() {
    let expected = "
batch(0), chans(0)
        width
height [0  1]

batch(0), chans(1)
        width
height [2  3]

…

batch(2), chans(1)
        width
height [10  11]";
    assert_eq!(printed(counting((batch.of(3), chans.of(2), height.of(1), width.of(2)))), expected);
}

#[test]
fn positions_and_truth_values_are_printed_as_they_are() {
    let i = Tensor::positions(seq.of(3));
    assert_eq!(i.to_string(), "seq[0 1 2]");
    assert_eq!(i.ge(1).to_string(), "seq[false true true]");
    assert_eq!(Tensor::indices(seq, vocab, [7, 0]).to_string(), "seq[7 0]");
}

#[test]
fn empty_tensors_are_told_by_their_sizes() {
    assert_eq!(counting(width.of(0)).to_string(), "width[]");
    assert_eq!(counting((height.of(0), width.of(3))).to_string(), "empty [height: 0, width: 3]");
    assert_eq!(counting((batch.of(2), chans.of(1), depth.of(0))).to_string(), "empty [batch: 2, chans: 1, depth: 0]");
}

#[test]
fn views_are_printed_by_position_and_not_by_memory() {
    let x = counting((height.of(2), width.of(3)));
    assert_eq!(x.at(width, 1).to_string(), "height[1 4]");
    assert_eq!(x.at(height, 1).slice(width, 1..3).to_string(), "width[4 5]");
    let spread: Tensor<R![height, width]> = x.at(width, 0) + Tensor::zeros(width.of(2));
    let expected = "
        width
height ⎡0  0⎤
       ⎣3  3⎦";
    assert_eq!(printed(spread), expected);
}

#[test]
fn an_error_is_printed_instead_of_numbers() {
    let clash = Tensor::new(width, [1.0, 2.0]) + Tensor::new(width, [1.0, 2.0, 3.0]);
    let text = clash.to_string();
    assert!(
        text.starts_with("error: sizes clash in `+`: axis `width` has size 2 on the left, 3 on the right"),
        "{text}"
    );
    let table = Tensor::new(vocab, [1.0, 2.0]);
    let beyond = table.index(vocab, &Tensor::indices(seq, vocab, [5]));
    assert!(beyond.to_string().starts_with("error: index out of range"), "{beyond}");
}

#[test]
fn a_tensor_inside_a_lifted_function_is_refused() {
    let node = counting((height.of(2), width.of(2))).node().clone();
    let text = Tensor::<R![width], f32>::from_node(node).to_string();
    let words = "error: a tensor cannot be printed inside a lifted function: here its shape is [height: 2, width: 2]";
    assert!(text.starts_with(words), "{text}");
}

#[test]
fn debug_is_one_line_and_computes_nothing() {
    let x = Tensor::<R![height, width], f64>::zeros((width.of(2), height.of(3)));
    assert_eq!(format!("{x:?}"), "Tensor[height: 3, width: 2] f64 (lazy)");
    assert_eq!(format!("{x:?}"), "Tensor[height: 3, width: 2] f64 (lazy)");
    let _ = x.to_string();
    assert_eq!(format!("{x:?}"), "Tensor[height: 3, width: 2] f64 (computed)");
    assert_eq!(format!("{:?}", Tensor::scalar(1.0_f32)), "Tensor[] f32 (lazy)");
    let wide = Tensor::new(seq, [1.0, 2.0]);
    let narrow = wide.in_bf16().unwrap();
    assert_eq!(format!("{narrow:?}"), "Tensor[seq: 2] f32 (stored in bf16)");
    let equation = |x: &Tensor<R![seq]>| (x * x).equations().to_string();
    assert_eq!(equation(&narrow), equation(&wide), "it is a tensor like another");
    assert_eq!(format!("{:?}", Tensor::positions(seq_.of(4))), "Tensor[seq′: 4] index (lazy)");
    assert_eq!(format!("{:?}", Tensor::from_array(seq, [true])), "Tensor[seq: 1] bool (computed)");
}

#[test]
fn debug_tells_the_error_and_unseen_axes() {
    let clash = Tensor::new(width, [1.0, 2.0]) + Tensor::new(width, [1.0, 2.0, 3.0]);
    let text = format!("{clash:?}");
    assert!(text.starts_with("Tensor[width] f32 (error: sizes clash in `+`"), "{text}");
    let node = Node::iota(Name::declared("width"), 2);
    assert_eq!(format!("{:?}", Tensor::<R![], Index<width>>::from_node(node)), "Tensor[width: 2] index (lazy)");
}
