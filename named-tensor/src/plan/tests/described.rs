//! Plans that are printed.
//!
//! Lives here: what the lines say. Not here: times, and how numbers are printed (`describe`).

use super::several::dense;
use super::*;

const A: Name = Name::declared("a");
const B: Name = Name::declared("b");
const C: Name = Name::declared("c");

#[track_caller]
fn says(root: &Node, lines: &[&str]) {
    let page = describe(std::slice::from_ref(root)).unwrap();
    lines.iter().for_each(|line| assert!(page.contains(line), "{line:?} in\n{page}"));
    both_ways(std::slice::from_ref(root), &page);
}

#[test]
fn a_plan_is_printed_with_axes_work_and_buffers() {
    let [seq, chans, hidden] = ["seq", "chans", "hidden"].map(Name::declared);
    let x = stored(&mut Draw::new(1), Kind::F32, Shape::new([(seq, 50), (chans, 30)]), 1);
    let w = stored(&mut Draw::new(3), Kind::F32, Shape::new([(chans, 30), (hidden, 40)]), 1);
    let root = x.contract(&w, &[chans]).unary(Unary::Relu).binary(Binary::Add, &scalar(0.5));
    let text = describe(&[root]).unwrap();
    for part in [
        "#0[seq: 50, chans: 30] = stored",
        "[seq: 50, hidden: 40] = dot, relu, +(#",
        "as 1 of 50×30×40   124 kFLOP",
        "1 step   ",
        "on a nominal core",
        "measured",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
}

#[test]
fn a_plan_says_how_much_work_a_determinant_and_an_inverse_are() {
    let [a, b] = ["rows", "columns"].map(Name::declared);
    let x = stored(&mut Draw::new(1), Kind::F64, Shape::new([(a, 30), (b, 30)]), 1);
    for (root, work) in [(x.determinant(a, b), "18.0 kFLOP"), (x.inverse(a, b), "72.0 kFLOP")] {
        let page = describe(&[root]).unwrap();
        assert!(page.contains(work), "{page}");
    }
}

#[test]
fn a_sum_says_over_which_axes() {
    let x = dense(1, &[(A, 40), (B, 30), (C, 20)]);
    says(&x.reduce(Reduction::Sum, &[B]), &["[a: 40, c: 20] = sum_b(#0)   "]);
    says(&x.reduce(Reduction::Max, &[A, B]), &["[c: 20] = max_{a, b}(#0)   "]);
    let squares = x.binary(Binary::Sub, &dense(2, &[(C, 20)])).unary(Unary::Tanh);
    says(&squares.reduce(Reduction::Sum, &[C]), &["= -, tanh, sum_c(#"]);
}

#[test]
fn a_sum_of_products_that_is_scaled_says_each_step() {
    let (x, y) = (dense(1, &[(A, 40), (B, 30)]), dense(2, &[(B, 30), (A, 40)]));
    // What was read is known from then on.
    let sum = || x.contract(&y, &[B]);
    says(&sum(), &["1 #2 = *(#0, #1)   ", "[a: 40] = sum_b(#2)   "]);
    let scaled = sum().binary(Binary::Div, &scalar(0.3));
    says(&scaled, &["#3 = *(#", "#4 = sum(#3) over 30   ", "[a: 40] = /(#4, #"]);
}

#[test]
fn what_an_order_brings_has_words_of_its_own_and_no_axes_of_the_node() {
    let (x, w) = (dense(1, &[(C, 30), (A, 20)]), dense(2, &[(A, 20), (B, 30)]));
    let sum = x.binary(Binary::Mul, &w).reduce(Reduction::Sum, &[A, B]);
    says(&sum, &["#2 = sum(#1) over 30   ", "[c: 30] = dot(#"]);
    // Σ_ab X W (1 / v)
    let quotients = x.binary(Binary::Mul, &w).binary(Binary::Div, &dense(3, &[(B, 30)]));
    says(&quotients.reduce(Reduction::Sum, &[A, B]), &["#3 = /(#2)   ", "#4 = dot(#", "[c: 30] = dot(#"]);
}
