//! Reductions over one space that are one pass with several results, against the plain evaluation.
//!
//! Lives here: which are joined and which are not, and random ones. Not here: elementwise steps that are (`several`), the loops
//! (`kernel::reduce`).

use super::edges::{Look, leaf};
use super::several::dense;
use super::*;

const A: Name = Name::declared("a");
const B: Name = Name::declared("b");
const C: Name = Name::declared("c");

fn x(seed: u64) -> Node {
    dense(seed, &[(A, 40), (B, 70)])
}

fn sum(x: &Node, axes: &[Name]) -> Node {
    x.reduce(Reduction::Sum, axes)
}

fn times(x: &Node, y: &Node) -> Node {
    x.binary(Binary::Mul, y)
}

/// How many steps that reduce the plan has, and how many results they have together.
fn steps(roots: &[Node]) -> [usize; 2] {
    let steps = lower::schedule(&Trace::new(roots).unwrap()).steps;
    let reduces = |step: &&schedule::Step| {
        matches!(step.action, Action::ReduceComputed { .. } | Action::Reduce { .. } | Action::Product { .. })
    };
    let results = steps.iter().filter(reduces).map(|step| 1 + step.action.others().len());
    results.fold([0, 0], |[steps, all], results| [steps + 1, all + results])
}

#[track_caller]
fn are(roots: &[Node], wanted: [usize; 2], context: &str) {
    assert_eq!(steps(roots), wanted, "{context}: {}", describe(roots).unwrap());
    assert!(both_ways(roots, context).is_some(), "{context} has numbers");
}

#[test]
fn what_gain_and_shift_owe_is_one_pass() {
    let of = |axes: &[Name]| -> Vec<Node> {
        let (y, g) = (x(1), x(2));
        vec![y.contract(&g, axes), sum(&g, axes)]
    };
    are(&of(&[A]), [1, 2], "down the rows");
    let y = x(1);
    are(&[sum(&times(&y, &x(2)).unary(Unary::Tanh), &[A, B]), sum(&y, &[A, B])], [1, 2], "of everything");
    let (y, g) = (x(1), x(2));
    let shifted = times(&y, &dense(3, &[(B, 70)])).binary(Binary::Add, &dense(4, &[(B, 70)]));
    let all = [sum(&times(&shifted.unary(Unary::Tanh), &g), &[A]), y.contract(&g, &[A]), sum(&g, &[A]), sum(&y, &[A])];
    are(&all, [1, 4], "and what a loss is");
}

#[test]
fn quick_sums_along_rows_are_one_pass_only_where_memory_is_read_for_them() {
    for (size, wanted) in [(40, 2), (60, 1)] {
        let [y, g] = [1, 2].map(|seed| dense(seed, &[(A, size), (B, 70)]));
        are(&[y.contract(&g, &[B]), sum(&g, &[B])], [wanted, 2], "a product and a sum");
        let [y, g] = [1, 2].map(|seed| dense(seed, &[(A, size), (B, 70)]));
        are(&[y.contract(&g, &[B]), sum(&times(&y, &y), &[B])], [wanted, 2], "a product and a square");
        let [y, g] = [1, 2].map(|seed| dense(seed, &[(A, size), (B, 70)]));
        are(&[sum(&times(&y, &g).unary(Unary::Tanh), &[B]), sum(&y, &[B])], [1, 2], "a program is slower anyhow");
    }
}

#[test]
fn a_sum_of_one_tensor_and_of_its_square_are_one_pass() {
    let y = x(1);
    are(&[sum(&y, &[A]), sum(&times(&y, &y), &[A])], [1, 2], "first the sum");
    let y = x(1);
    are(&[sum(&times(&y, &y), &[A]), sum(&y, &[A])], [1, 2], "first that of squares");
}

#[test]
fn what_is_reduced_otherwise_is_a_pass_of_its_own() {
    let y = x(1);
    are(&[sum(&y, &[A]), sum(&times(&y, &y), &[B])], [2, 2], "along another axis");
    let y = x(1);
    are(&[sum(&y, &[A]), y.reduce(Reduction::Max, &[A])], [2, 2], "the largest");
    are(&[sum(&x(1), &[A]), sum(&x(2), &[A])], [2, 2], "another tensor");
    let y = x(1);
    let turned = y.rename(&[(A, B), (B, A)]);
    are(&[sum(&y, &[A]), sum(&turned, &[A])], [2, 2], "the same turned around");
    let square = dense(3, &[(A, 60), (B, 60)]);
    let turned = square.rename(&[(A, B), (B, A)]);
    are(&[sum(&square, &[A]), sum(&turned, &[A])], [2, 2], "a square turned around");
    let few = dense(4, &[(A, 5), (B, 40)]);
    are(&[sum(&few, &[A]), sum(&times(&few, &few), &[A])], [2, 2], "few numbers");
}

#[test]
fn a_sum_that_needs_another_sum_comes_after_it() {
    let y = x(1);
    let mean = sum(&y, &[A]);
    let rest = y.binary(Binary::Sub, &mean);
    are(&[mean, sum(&times(&rest, &rest), &[A])], [2, 2], "squares of distances from a sum");
}

#[test]
fn random_reductions_of_a_few_tensors_have_the_same_numbers_planned_and_plain() {
    let mut joined = 0;
    for seed in 0..500 {
        let mut draw = Draw::new(0x7096 + seed);
        let draw = &mut draw;
        let kind = if draw.below(2) == 0 { Kind::F32 } else { Kind::F64 };
        let axes: Vec<(Name, usize)> =
            [A, B, C].into_iter().map(|name| (name, *draw.of(&[1, 2, 7, 16, 33, 127]))).collect();
        let mut nodes: Vec<Node> = (0..3).map(|_| leaf(draw, kind, &axes, Look::Small)).collect();
        nodes.push(leaf(draw, kind, &axes[1..], Look::Small));
        let over: Vec<Name> = [A, B, C].into_iter().filter(|_| draw.below(2) == 0).collect();
        let mut roots = Vec::new();
        for _ in 0..2 + draw.below(5) {
            let [x, y] = [(); 2].map(|()| draw.of(&nodes).clone());
            let node = match draw.below(5) {
                0 => x.clone(),
                1 => x.unary(Unary::Tanh),
                2 => x.binary(Binary::Add, &y),
                _ => x.binary(Binary::Mul, &y),
            };
            let over: Vec<Name> = over.iter().copied().filter(|&axis| node.shape().has(axis)).collect();
            let reduction = *draw.of(&[Reduction::Sum, Reduction::Sum, Reduction::Sum, Reduction::Max, Reduction::Min]);
            roots.push(node.reduce(reduction, &over));
            nodes.push(node);
        }
        let [steps, results] = steps(&roots);
        joined += results - steps;
        both_ways(&roots, &format!("reductions {seed}"));
    }
    assert!(joined > 40, "many of them are one pass: {joined}");
}
