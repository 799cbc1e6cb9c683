//! What is printed, and that reading it gives the same numbers.
//!
//! Lives here: chosen graphs with their text, random graphs printed and read again (`reader`). Not here: the printed
//! text as programs, which is a law (`tests/laws/equations.rs`).

mod functions;
mod reader;

use super::*;
use crate::axis::Name;
use crate::element::{Binary, Comparison, Kind, Unary};
use crate::graph::Op;
use crate::graph::evaluate::plainly;
use crate::graph::op::Reduction;
use crate::graph::testing::{A, B, C, axes, counting, numbers, tensor};
use crate::plan::tests::draw::{Draw, random_graph};

/// The equations of a graph whose leaves are called X and Y.
fn page(root: &Node, x: &Node, y: &Node) -> String {
    let names = [("X", x), ("Y", y)].map(|(name, node)| (name.to_owned(), node.clone())).to_vec();
    let text = Equations { root: root.clone(), names: names.clone() }.to_string();
    let (again, root) = (reader::read(&text, &names), root.cast(Kind::F64));
    assert_eq!(axes(&again), axes(&root), "{text}");
    same(&root, &again, &text);
    text
}

/// Whether two graphs have the same numbers; how many they are.
#[track_caller]
fn same(root: &Node, again: &Node, text: &str) -> usize {
    let values = plainly(std::slice::from_ref(root)).expect("numbers");
    let expected = numbers(&values[0], root.shape());
    // A one-hot contraction makes NaN of an infinite number times 0.
    if !expected.iter().all(|x| x.is_finite()) {
        return 0;
    }
    let order: Vec<Name> = root.shape().names().collect();
    let again = again.cast(Kind::F64).merge(&order, Name::declared("all"));
    let found = plainly(std::slice::from_ref(&again)).unwrap_or_else(|error| panic!("{error}\n{text}"));
    for (x, y) in expected.iter().zip(numbers(&found[0], again.shape())) {
        assert!((x - y).abs() <= 1e-9 * (1.0 + x.abs()), "{x} is read as {y}\n{text}");
    }
    expected.len()
}

fn number(value: f64) -> Node {
    Node::fill(Kind::F64, value, Shape::default())
}

fn place(value: f64) -> Node {
    Node::fill(Kind::Index, value, Shape::default())
}

/// The tensors that a graph is computed from.
fn leaves(root: &Node) -> Vec<Node> {
    let given = |node: &Node| {
        node.widens().is_some() || (matches!(node.op(), Op::Input | Op::Random(..)) && node.kind() != Kind::Bf16)
    };
    Node::walk(std::slice::from_ref(root)).into_iter().filter(given).collect()
}

#[test]
fn random_graphs_are_printed_and_read_again_without_loss() {
    let (mut compared, mut longest) = (0, 0);
    for seed in 0..2000 {
        let mut draw = Draw::new(seed);
        let steps = 1 + draw.below(14);
        for root in random_graph(&mut draw, Kind::F64, steps) {
            let leaves = leaves(&root);
            // The reader knows an axis by its text alone.
            if leaves.iter().any(|leaf| leaf.shape().names().any(Name::is_fresh)) {
                continue;
            }
            let outside = ["o0", "o1", "o2", "o3", "o4", "o5", "o6"].map(Name::declared);
            let root = root.rename(&root.shape().names().zip(outside).collect::<Vec<_>>());
            let names: Vec<(String, Node)> =
                leaves.into_iter().enumerate().map(|(i, leaf)| (format!("L{i}"), leaf)).collect();
            let text = Equations { root: root.clone(), names: names.clone() }.to_string();
            let again = reader::read(&text, &names);
            if let Some(error) = again.error() {
                panic!("graph {seed}: {error}\n{text}");
            }
            assert_eq!(axes(&again), axes(&root), "graph {seed}\n{text}");
            // What is in error (a position out of range) has no numbers to compare.
            if plainly(std::slice::from_ref(&root)).is_ok() {
                compared += same(&root, &again, &format!("graph {seed}\n{text}"));
                longest = longest.max(text.lines().count());
            }
        }
    }
    assert!(compared > 20_000 && longest > 4, "{compared} numbers, at most {longest} lines");
}

#[test]
fn there_are_just_the_parentheses_that_the_grammar_needs() {
    let (x, y) = (counting(&[(A, 2)]), counting(&[(A, 2)]));
    let of = |function, left: &Node, right: &Node| left.binary(function, right);
    let sum = of(Binary::Add, &x, &y);
    let printed = |root: &Node| page(root, &x, &y);
    assert_eq!(printed(&of(Binary::Sub, &of(Binary::Sub, &x, &y), &x)), "X - Y - X");
    assert_eq!(printed(&of(Binary::Sub, &x, &of(Binary::Sub, &y, &x))), "X - (Y - X)");
    assert_eq!(printed(&of(Binary::Mul, &of(Binary::Div, &x, &y), &sum)), "X / Y * (X + Y)");
    assert_eq!(printed(&of(Binary::Div, &x, &of(Binary::Mul, &x, &y))), "X / (X * Y)");
    assert_eq!(printed(&of(Binary::Mul, &x, &y).contract(&sum, &[A])), "X * Y dot_a (X + Y)");
}

#[test]
fn a_contraction_is_read_from_left_to_right() {
    let (x, y) = (counting(&[(A, 2), (B, 3)]), counting(&[(A, 2), (B, 3), (C, 2)]));
    let left = x.contract(&y, &[A]).contract(&y, &[B]);
    assert_eq!(page(&left, &x, &y), "X dot_a Y dot_b Y");
    let right = x.contract(&y.contract(&y, &[C]), &[A, B]);
    assert_eq!(page(&right, &x, &y), "X dot_{a, b} (Y dot_c Y)");
    let power = x.binary(Binary::Pow, &number(2.0)).unary(Unary::Neg).binary(Binary::Pow, &number(-1.0));
    assert_eq!(page(&power, &x, &y), "(-X^2)^-1");
}

#[test]
fn what_is_used_twice_has_an_equation_with_its_axes() {
    let (x, y) = (counting(&[(A, 2), (B, 2)]), counting(&[(B, 2)]));
    let shared = x.contract(&y, &[B]).unary(Unary::Exp);
    let root = shared.binary(Binary::Div, &shared.reduce(Reduction::Sum, &[A]));
    assert_eq!(page(&root, &x, &y), "Y1: R[a] = exp(X dot_b Y);\nY1 / sum_a(Y1)");
    // Made twice, it is the same equation.
    let again = x.contract(&y, &[B]).unary(Unary::Exp);
    let root = shared.binary(Binary::Div, &again.reduce(Reduction::Sum, &[A]));
    assert_eq!(page(&root, &x, &y), "Y1: R[a] = exp(X dot_b Y);\nY1 / sum_a(Y1)");
}

#[test]
fn compositions_that_have_a_word_are_printed_as_that_word() {
    let (x, y) = (counting(&[(A, 3), (B, 2)]), counting(&[(A, 3)]));
    let printed = |root: &Node| page(root, &x, &y);
    assert_eq!(printed(&x.mean(&[A, B])), "mean_{a, b}(X)");
    assert_eq!(printed(&x.variance(&[A])), "var_a(X)");
    assert_eq!(printed(&x.contract(&x, &[B]).unary(Unary::Sqrt)), "norm_b(X)");
    let powers = x.unary(Unary::Abs).binary(Binary::Pow, &number(3.0)).reduce(Reduction::Sum, &[A]);
    assert_eq!(printed(&powers.binary(Binary::Pow, &number(1.0 / 3.0))), "norm_a(X, 3)");
    let clamped = x.binary(Binary::Max, &number(-1.0)).binary(Binary::Min, &number(2.5));
    assert_eq!(printed(&clamped), "clamp(X, -1, 2.5)");
    // A sum divided by another number is no mean.
    let other = x.reduce(Reduction::Sum, &[A]).binary(Binary::Div, &number(2.0));
    assert_eq!(printed(&other), "sum_a(X) / 2");
    let best = |descending| {
        let first = x.argsort(A, descending).at(A, 0);
        Node::iota(A, 3).compare(Comparison::Eq, &first).cast(Kind::F64)
    };
    assert_eq!(printed(&best(true)), "argmax_a(X)");
    assert_eq!(printed(&best(false)), "argmin_a(X)");
    assert_eq!(printed(&x.sort(A, true).slice(A, 0..2, 1)), "maxk_a(X, 2)");
    assert_eq!(printed(&x.standardize(&[A], 1e-5)), "standardize_a(X)");
    assert_eq!(printed(&x.standardize(&[A], 0.01)), "standardize_a(X, 0.01)");
    assert_eq!(
        printed(&x.standardize_gradient(&x, &[A], 0.01)),
        "Y1: R[a, b] = standardize_a(X, 0.01);\n(X - mean_a(X) - Y1 * (Y1 dot_a X / 3)) / sqrt(var_a(X) + 0.01)"
    );
}

#[test]
fn identities_and_one_hot_tensors_are_recognised() {
    let (x, y) = (tensor(&[(A, 2)], &[2_i64, 0]), counting(&[(A, 2)]));
    let equal = |left: &Node, right: &Node| left.compare(Comparison::Eq, right).cast(Kind::F64);
    assert_eq!(page(&equal(&Node::iota(A, 2), &Node::iota(B, 2)), &x, &y), "eye_{a, b}(2)");
    assert_eq!(page(&equal(&Node::iota(B, 3), &x), &x, &y), "one_hot_b(X, 3)");
    // Of two sizes, it is none.
    let text = "M1_{a(i: 2), b(j: 3)} = if i == j { 1 } else { 0 };\nM1";
    assert_eq!(page(&equal(&Node::iota(A, 2), &Node::iota(B, 3)), &x, &y), text);
}

#[test]
fn what_is_made_of_positions_is_an_equation_by_positions() {
    let (x, y) = (counting(&[(A, 2), (B, 2)]), counting(&[(A, 3)]));
    let below = Node::iota(A, 2).compare(Comparison::Le, &Node::iota(B, 2));
    let mask = below.select(&number(0.0), &number(f64::NEG_INFINITY));
    let masked = x.binary(Binary::Add, &mask).softmax(&[A], false);
    let text = "M1_{a(i: 2), b(j: 2)} = if i <= j { 0 } else { -inf };\nsoftmax_a(X + M1)";
    assert_eq!(page(&masked, &x, &y), text);
    // A choice between tensors has a condition by positions.
    let text = "M1_{a(i: 2), b(j: 2)} = i <= j;\nif M1 { X } else { -1 }";
    assert_eq!(page(&below.select(&x, &number(-1.0)), &x, &y), text);
    let turned = y.gather(A, &place(2.0).binary(Binary::Sub, &Node::iota(A, 3)));
    assert_eq!(page(&turned, &x, &y), "I1_{a(i: 3)} = i;\nindex_a(Y, 2 - I1)");
    let everywhere = Node::fill(Kind::F64, 0.5, Shape::new([(C, 2)]));
    assert_eq!(page(&everywhere, &x, &y), "M1_{c(i: 2)} = 0.5;\nM1");
    assert_eq!(page(&y.spread(Shape::new([(C, 2)])), &x, &y), "M1_{c(i: 2)} = 0;\nY + M1");
}

#[test]
fn renamings_are_told_once_and_only_where_something_is_renamed() {
    let (x, y) = (counting(&[(A, 2), (B, 2)]), counting(&[(A, 2)]));
    let fresh = A.freshened();
    let printed = |root: &Node| page(root, &x, &y);
    // Into a lifted function and out of it.
    assert_eq!(printed(&x.rename(&[(A, fresh)]).unary(Unary::Exp).rename(&[(fresh, A)])), "exp(X)");
    assert_eq!(printed(&x.rename(&[(A, C)]).rename(&[(C, A), (B, C)])), "X_{b -> c}");
    assert_eq!(printed(&x.rename(&[(A, B), (B, A)])), "X_{a -> b, b -> a}");
    // Two axes of one name meet: one is primed.
    let text = "(X_{a -> a_} + Y)_{a_ -> c}";
    assert_eq!(printed(&x.rename(&[(A, fresh)]).binary(Binary::Add, &y).rename(&[(fresh, C)])), text);
}

#[test]
fn subscripts_stand_side_by_side() {
    let (x, y) = (counting(&[(A, 6), (B, 2)]), counting(&[(A, 3)]));
    assert_eq!(page(&x.slice(A, 1..3, 1).at(B, 1), &x, &y), "X_{a(1..3), b(1)}");
    assert_eq!(page(&x.split(A, &[(A, Some(2)), (C, None)]), &x, &y), "X_{a -> (a: 2, c: 3)}");
    assert_eq!(page(&x.merge(&[B, A], C), &x, &y), "X_{(b, a) -> c}");
    assert_eq!(page(&x.window(A, C, 2, 2), &x, &y), "pool_{a, c}(X, 2)");
    assert_eq!(page(&x.pad(A, 1, 0, 0.0), &x, &y), "M1_{a(i: 1), b(j: 2)} = 0;\nconcat_a(M1, X)");
    assert_eq!(
        page(&x.running_sum(A, true), &x, &y),
        "I1_{a(i: 6)} = i;\nI2 = 5 - I1;\nindex_a(cumsum_a(index_a(X, I2)), I2)"
    );
}

#[test]
fn names_are_given_in_order_and_never_twice() {
    let (x, y) = (counting(&[(A, 2)]), counting(&[(A, 2)]));
    let sum = x.binary(Binary::Add, &y);
    let named = |names: &[(&str, &Node)]| {
        let names = names.iter().map(|&(name, node)| (name.to_owned(), node.clone())).collect();
        Equations { root: sum.unary(Unary::Exp), names }.to_string()
    };
    assert_eq!(named(&[]), "exp(X1 + X2)");
    assert_eq!(named(&[("W", &x)]), "exp(W + X)");
    assert_eq!(named(&[("X", &x)]), "exp(X + X1)");
    assert_eq!(named(&[("X", &x), ("b", &y), ("S", &sum)]), "S: R[a] = X + b;\nexp(S)");
    // A name for what is not there is not there.
    assert_eq!(named(&[("X", &x), ("b", &y), ("Z", &x.unary(Unary::Neg))]), "exp(X + b)");
}

#[test]
fn two_constants_with_names_are_two_tensors() {
    let zeros = || Node::fill(Kind::F64, 0.0, Shape::new([(A, 2)]));
    let (b, c) = (zeros(), zeros());
    assert_eq!(page(&b.binary(Binary::Sub, &c), &b, &c), "X - Y");
}

#[test]
fn an_error_prints_itself() {
    let clash = counting(&[(A, 2)]).binary(Binary::Add, &counting(&[(A, 3)]));
    let text = Equations::new(clash.unary(Unary::Exp)).to_string();
    assert!(text.contains("axis `a` has size 2 on the left, 3 on the right"), "{text}");
}

#[test]
fn a_long_chain_is_broken_into_parts_and_a_long_page_is_shortened() {
    let mut chain = counting(&[(A, 2)]);
    for _ in 0..100_000 {
        chain = chain.binary(Binary::Add, &number(0.5)).unary(Unary::Sin);
    }
    let text = Equations::new(chain).to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), LINES + 1);
    assert!(lines[LINES / 2].ends_with(" more equations …"), "{}", lines[LINES / 2]);
    assert!(lines.iter().all(|line| line.chars().count() < 2 * 100 + 40), "{}", lines[0]);
    // As a tree, it would have 2¹⁰⁰⁰⁰ nodes.
    let mut doubled = counting(&[(A, 2)]);
    for _ in 0..10_000 {
        doubled = doubled.binary(Binary::Mul, &doubled);
    }
    assert_eq!(Equations::new(doubled).to_string().lines().count(), LINES + 1);
}
