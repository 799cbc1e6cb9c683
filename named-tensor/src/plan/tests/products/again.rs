//! Products that have a factor again: squares, an axis by one name within a sum and beside it, and what the terms of a sum share.

use super::super::indexing::multiplied;
use super::super::*;
use super::{most, owed, with_gradients};
use crate::element::Comparison;

const N: Name = Name::declared("n");
const M: Name = Name::declared("m");
const D: Name = Name::declared("d");
const H: Name = Name::declared("h");

pub(super) fn some(draw: &mut Draw, axes: &[(Name, usize)]) -> Node {
    stored(draw, Kind::F64, Shape::new(axes.iter().copied()), 1)
}

/// No step makes more numbers than the largest of the tensors, nor sums what it makes on the way.
pub(super) fn stays_small(roots: &[Node], limit: usize, what: &str) {
    let steps = lower::schedule(&Trace::new(roots).unwrap()).steps;
    let is_made = steps.iter().any(|step| named(&step.action) == "reduce computed");
    assert!(most(roots) <= limit && !is_made, "{what}: {}", describe(roots).unwrap());
    both_ways(roots, what);
}

fn squared(node: &Node) -> Node {
    node.binary(Binary::Pow, &Node::fill(Kind::F64, 2.0, Shape::default()))
}

#[test]
fn an_axis_that_is_summed_within_a_product_may_have_the_name_of_one_that_is_left() {
    // What a Fisher matrix does to a vector: of each row the weight is a sum over the axes of the result.
    let mut draw = Draw::new(1);
    let (x, p, v) = (
        some(&mut draw, &[(N, 30), (D, 20)]),
        some(&mut draw, &[(N, 30), (H, 25)]),
        some(&mut draw, &[(D, 20), (H, 25)]),
    );
    let row = x.binary(Binary::Mul, &p);
    let weight = row.binary(Binary::Mul, &v).reduce(Reduction::Sum, &[D, H]);
    let root = row.binary(Binary::Mul, &weight).reduce(Reduction::Sum, &[N]);
    stays_small(std::slice::from_ref(&root), 30 * 25, "forwards");
    stays_small(&owed(&root, &[x, p, v]), 30 * 25, "backwards");
}

#[test]
fn the_square_of_a_product_is_the_product_of_squares() {
    // Of each row the norm of its gradient of a matrix.
    let mut draw = Draw::new(2);
    let (x, p) = (some(&mut draw, &[(N, 30), (D, 20)]), some(&mut draw, &[(N, 30), (H, 25)]));
    let square = squared(&x.binary(Binary::Mul, &p));
    for axes in [&[D, H][..], &[N, D, H], &[N]] {
        let root = square.reduce(Reduction::Sum, axes);
        let owed = owed(&root, &[x.clone(), p.clone()]);
        stays_small(&[&[root][..], &owed].concat(), 30 * 25, &format!("without {axes:?}"));
    }
}

#[test]
fn the_square_of_a_quotient_stays_one() {
    // It does not depend on how large x is, as its square does.
    let mut draw = Draw::new(7);
    let (x, p) = (some(&mut draw, &[(N, 30), (D, 20)]), some(&mut draw, &[(N, 30), (H, 25)]));
    let x = x.binary(Binary::Mul, &Node::fill(Kind::F64, 1e170, Shape::default()));
    let largest = x.reduce(Reduction::Max, &[D]);
    for quotient in [
        x.binary(Binary::Div, &largest).binary(Binary::Mul, &p),
        x.binary(Binary::Mul, &p).binary(Binary::Div, &largest),
    ] {
        let root = squared(&quotient).reduce(Reduction::Sum, &[D, H]);
        both_ways(&[root], "a quotient");
    }
}

#[test]
fn the_square_of_a_sum_over_an_axis_is_that_of_the_sum() {
    // Rows that are nearly at right angles: a product of the two matrices' own products would lose them in rounding.
    let mut draw = Draw::new(3);
    let (x, y) = (some(&mut draw, &[(N, 40), (D, 4)]), some(&mut draw, &[(M, 50), (D, 4)]));
    let product = x.contract(&y, &[D]);
    let root = squared(&product.binary(Binary::Mul, &some(&mut draw, &[(N, 40)]))).reduce(Reduction::Sum, &[N, M]);
    assert!(order::reordered(&Trace::new(std::slice::from_ref(&root)).unwrap()).is_empty());
    both_ways(&[root], "a square");
}

#[test]
fn what_all_terms_of_a_sum_share_goes_into_products_with_it() {
    // The gradient of a kernel of gradients: both terms have the outer product, and both factors are owed their sum.
    let mut draw = Draw::new(4);
    let (x, p) = (some(&mut draw, &[(N, 30), (D, 20)]), some(&mut draw, &[(N, 30), (H, 25)]));
    let row = x.binary(Binary::Mul, &p);
    let root = row.contract(&row.rename(&[(N, M)]), &[D, H]);
    stays_small(&owed(&root, &[x, p]), 30 * 30, "a kernel of gradients");
}

#[test]
fn a_long_product_and_what_all_its_factors_are_owed_make_no_product_larger_than_them() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"].map(Name::declared);
    for (many, is_square, which) in (3..=8).flat_map(|many| (0..6).map(move |i| (many, i > 2, i % 3))) {
        // A ring of matrices, or a chain times itself, of which each factor is owed something at two places.
        let mut draw = Draw::new(5);
        let count = if is_square { many / 2 } else { many };
        let size = if many > 6 { 4 } else { 5 };
        let factors: Vec<Node> =
            (0..count).map(|i| some(&mut draw, &[(names[i], size), (names[(i + 1) % many], size)])).collect();
        let again = factors.iter().enumerate().filter(|_| is_square).map(|(i, factor)| {
            let back = [(names[i], names[(many - i) % many]), (names[i + 1], names[many - i - 1])];
            factor.rename(&back.into_iter().filter(|(from, to)| from != to).collect::<Vec<_>>())
        });
        let all: Vec<Node> = factors.iter().cloned().chain(again).collect();
        let product = all[1..].iter().fold(all[0].clone(), |product, next| product.binary(Binary::Mul, next));
        let value = product.reduce(Reduction::Sum, &product.shape().names().collect::<Vec<_>>());
        let owed = owed(&value, &factors);
        let all = [&[value][..], &owed].concat();
        let roots = [&all[..1], &all[1..], &all][which];
        let what = format!("{many} factors, {is_square}, {which}");
        assert!(most(roots) <= size * size, "{what}: {}", describe(roots).unwrap());
        both_ways(roots, &what);
    }
}

#[test]
fn sums_over_either_axis_of_one_product_and_what_its_factors_are_owed_do_not_make_it() {
    // Responsibilities of topics, of documents and of words.
    let mut draw = Draw::new(6);
    let (a, b) = (some(&mut draw, &[(D, 20), (H, 16)]), some(&mut draw, &[(H, 16), (M, 50)]));
    let (a, b) = (a.unary(Unary::Exp), b.unary(Unary::Exp));
    let count = some(&mut draw, &[(D, 20), (M, 50)]);
    let share = a.binary(Binary::Mul, &b).binary(Binary::Div, &a.contract(&b, &[H]));
    let [rows, columns] = [M, D].map(|axis| count.binary(Binary::Mul, &share).reduce(Reduction::Sum, &[axis]));
    let [rows, columns] = [(rows, D), (columns, M)].map(|(all, axis)| squared(&all).reduce(Reduction::Sum, &[H, axis]));
    // Of two kinds of topics, within one sum.
    let one = Node::fill(Kind::F64, 1.0, Shape::default());
    let others = one.binary(Binary::Sub, &b);
    let of_others = a.binary(Binary::Mul, &others).binary(Binary::Div, &a.contract(&others, &[H]));
    let both = count
        .binary(Binary::Mul, &share)
        .binary(Binary::Add, &of_others.binary(Binary::Mul, &some(&mut draw, &[(D, 20), (M, 50)])));
    let both = both.reduce(Reduction::Sum, &[M]).binary(Binary::Mul, &some(&mut draw, &[(D, 20), (H, 16)]));
    for (root, products, what) in [
        (rows.binary(Binary::Add, &columns), 11, "over either axis"),
        (rows, 6, "over the one"),
        (columns, 7, "over the other"),
        (both.reduce(Reduction::Sum, &[D, H]), 12, "of both kinds"),
    ] {
        let owed = graph::calculus::reverse(&[(root.clone(), one.clone())], &[a.clone(), b.clone()], &[]);
        let all: Vec<Node> = std::iter::once(root).chain(owed.into_iter().flatten()).collect();
        // What several of them have in common is computed once.
        assert!(multiplied(&all) / (20 * 16 * 50) <= products, "{what}: {}", describe(&all).unwrap());
        for roots in [&all[..1], &all[1..], &all] {
            stays_small(roots, 20 * 50, what);
        }
    }
}

#[test]
fn what_only_the_terms_of_a_sum_share_goes_in_with_it() {
    // A tangent kernel: what its gradient multiplies is a sum of two products of the same Jacobian, which is large.
    let mut draw = Draw::new(9);
    let other = Name::declared("n_");
    let (x, a) = (some(&mut draw, &[(N, 30), (D, 20)]), some(&mut draw, &[(N, 30), (H, 25)]));
    let jacobian = x.binary(Binary::Mul, &a);
    let root = jacobian.contract(&jacobian.rename(&[(N, other)]), &[D, H]);
    let weights = some(&mut draw, &[(N, 30), (other, 30)]);
    let owed = graph::calculus::reverse(&[(root, weights)], &[x, a], &[]);
    let owed: Vec<Node> = owed.into_iter().flatten().collect();
    stays_small(&owed, 30 * 30, "gradients alone");
}

#[test]
fn a_weighed_kernel_and_all_that_it_owes_are_small() {
    // The dual of a support vector machine: Σ α α′ y y′ (x · x′).
    let mut draw = Draw::new(10);
    let other = Name::declared("n_");
    let (x, a, y) = (some(&mut draw, &[(N, 300), (D, 20)]), some(&mut draw, &[(N, 300)]), some(&mut draw, &[(N, 300)]));
    let [x_, a_, y_] = [&x, &a, &y].map(|one| one.rename(&[(N, other)]));
    let weights = a.binary(Binary::Mul, &a_).binary(Binary::Mul, &y).binary(Binary::Mul, &y_);
    let kernel = weights.binary(Binary::Mul, &x.contract(&x_, &[D])).reduce(Reduction::Sum, &[N, other]);
    let half = Node::fill(Kind::F64, 0.5, Shape::default());
    let root = a.reduce(Reduction::Sum, &[N]).binary(Binary::Sub, &half.binary(Binary::Mul, &kernel));
    let owed = with_gradients(&root, &Node::fill(Kind::F64, 1.0, Shape::default()), &[x, a]);
    let owed = owed[..2].to_vec();
    stays_small(&owed, 300 * 20, "gradients alone");
    stays_small(&[&[root][..], &owed].concat(), 300 * 20, "all");
}

#[test]
fn a_sum_of_sums_of_products_is_one_contraction() {
    let mut draw = Draw::new(11);
    let (a, b) = (some(&mut draw, &[(N, 30), (M, 4), (D, 8)]), some(&mut draw, &[(N, 30), (M, 4), (D, 8), (H, 5)]));
    for (inner, outer) in [(&[D][..], &[N, M][..]), (&[N], &[D]), (&[D, M], &[N]), (&[M], &[D, N])] {
        let root = a.contract(&b, inner).reduce(Reduction::Sum, outer);
        let steps = lower::schedule(&Trace::new(std::slice::from_ref(&root)).unwrap()).steps;
        let names: Vec<&str> = steps.iter().map(|step| named(&step.action)).collect();
        assert!(!names.iter().any(|name| name.starts_with("reduce")), "{inner:?}, {outer:?}: {names:?}");
        both_ways(&owed(&root, &[a.clone(), b.clone()]), "backwards");
        both_ways(&[root], "forwards");
    }
    // What only one of them has is summed before.
    both_ways(&[a.contract(&b, &[D]).reduce(Reduction::Sum, &[N, H])], "an axis of one alone");
}

#[test]
fn a_contraction_that_a_sum_needs_besides_another_one_goes_into_both() {
    // Attention without a softmax: what weighs the values is summed with a little added to it.
    let mut draw = Draw::new(14);
    let (q, k) = (some(&mut draw, &[(N, 60), (D, 4)]), some(&mut draw, &[(M, 50), (D, 4)]));
    let v = some(&mut draw, &[(M, 50), (H, 3)]);
    let scores = q.contract(&k, &[D]);
    let little = Node::fill(Kind::F64, 1e-3, Shape::default());
    let divisor = scores.binary(Binary::Add, &little).reduce(Reduction::Sum, &[M]);
    let roots = [scores.contract(&v, &[M]), divisor];
    stays_small(&roots, 60 * 4, "forwards");
    let root = roots[0].binary(Binary::Mul, &roots[1]);
    stays_small(&[&[root.clone()][..], &owed(&root, &[q, k, v])].concat(), 60 * 12, "and backwards");
}

#[test]
fn differences_that_are_weighed_by_their_distances_stay_differences() {
    // Forces between bodies: the weight of a body with itself is the largest by far, and its difference is 0.
    let mut draw = Draw::new(31);
    let (other, fill) = (Name::declared("n_"), |value| Node::fill(Kind::F64, value, Shape::default()));
    let (x, m) = (some(&mut draw, &[(N, 40), (D, 3)]), some(&mut draw, &[(N, 40)]));
    // Two sets of points may be the same as well.
    let same = x.rename(&[(N, M)]).binary(Binary::Mul, &fill(1.0));
    evaluate(std::slice::from_ref(&same)).unwrap();
    for (to, sides) in [(other, [x.rename(&[(N, other)]), x.clone()]), (M, [same, x.clone()])] {
        let difference = sides[0].binary(Binary::Sub, &sides[1]);
        let square = squared(&difference).reduce(Reduction::Sum, &[D]).binary(Binary::Add, &fill(1e-9));
        let weight = m.rename(&[(N, to)]).binary(Binary::Mul, &square.binary(Binary::Pow, &fill(-1.5)));
        let turned = sides[1].binary(Binary::Sub, &sides[0]);
        let again = [x.rename(&[(N, to)]), x.clone()];
        for difference in [difference, turned, again[0].binary(Binary::Sub, &again[1])] {
            let force = weight.binary(Binary::Mul, &difference);
            both_ways(&[force.reduce(Reduction::Sum, &[to])], "a sum of products");
            both_ways(&[force.reduce(Reduction::Sum, &[N])], "of the others");
            both_ways(&[weight.contract(&difference, &[to])], "a contraction");
        }
    }
    // Each side may be computed.
    let [double, other_double] =
        [&x, &x.rename(&[(N, other)])].map(|x| x.unary(Unary::Exp).binary(Binary::Mul, &fill(2.0)));
    let difference = other_double.binary(Binary::Sub, &double);
    let square = squared(&difference).reduce(Reduction::Sum, &[D]).binary(Binary::Add, &fill(1e-9));
    both_ways(
        &[difference.binary(Binary::Div, &square.binary(Binary::Mul, &square)).reduce(Reduction::Sum, &[other])],
        "of functions",
    );
    // Weights from outside may be as large.
    let eye = Node::iota(N, 40).compare(Comparison::Eq, &Node::iota(other, 40)).cast(Kind::F64);
    let weight = eye.binary(Binary::Mul, &fill(1e12)).binary(Binary::Add, &some(&mut draw, &[(N, 40), (other, 40)]));
    evaluate(std::slice::from_ref(&weight)).unwrap();
    let difference = x.rename(&[(N, other)]).binary(Binary::Sub, &x);
    both_ways(&[weight.contract(&difference, &[other])], "weights of their own");
}
