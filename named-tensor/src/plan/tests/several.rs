//! Elementwise steps that are one step with several results, against the plain evaluation.
//!
//! Lives here: which steps are joined and which are not. Not here: their loop (`kernel::map`); random graphs have such steps
//! too (`mod`).

use super::edges::{Look, leaf};
use super::*;
use crate::element::Comparison;
use crate::graph::value::row_major;

const A: Name = Name::declared("a");
const B: Name = Name::declared("b");

/// Numbers that lie without gaps.
pub(super) fn dense(seed: u64, axes: &[(Name, usize)]) -> Node {
    let (mut draw, shape) = (Draw::new(seed), Shape::new(axes.iter().copied()));
    let numbers = (0..shape.elements()).map(|_| draw.below(1000) as f32 / 500.0 - 1.0).collect();
    let strides = row_major(shape.sizes());
    Node::input(Value { buffer: Arc::new(Buffer::F32(numbers)), offset: 0, strides }, shape)
}

fn x(seed: u64) -> Node {
    dense(seed, &[(A, 40), (B, 70)])
}

/// How many elementwise steps the plan has, and how many results they have together.
fn steps(roots: &[Node]) -> [usize; 2] {
    let mut count = [0, 0];
    for step in lower::schedule(&Trace::new(roots).unwrap()).steps {
        if let Action::Map { others, .. } = &step.action {
            count[0] += 1;
            count[1] += 1 + others.len();
        }
    }
    count
}

#[track_caller]
fn are(roots: &[Node], wanted: [usize; 2], context: &str) {
    assert_eq!(steps(roots), wanted, "{context}: {}", describe(roots).unwrap());
    assert!(both_ways(roots, context).is_some(), "{context} has numbers");
}

#[test]
fn averages_and_what_is_made_of_them_are_one_step() {
    let (g, m, v, p) = (x(1), x(2), x(3), x(4));
    let rate = Node::fill(Kind::F32, 0.1, Shape::new([]));
    let towards =
        |old: &Node, new: &Node| old.binary(Binary::Add, &new.binary(Binary::Sub, old).binary(Binary::Mul, &rate));
    let m = towards(&m, &g);
    let v = towards(&v, &g.binary(Binary::Mul, &g));
    let step = m.binary(Binary::Div, &v.unary(Unary::Abs).unary(Unary::Sqrt).binary(Binary::Add, &rate));
    are(&[p.binary(Binary::Sub, &step), m, v], [1, 3], "Adam");
}

#[test]
fn a_step_is_the_last_one_where_no_later_step_reads_a_result_of_it() {
    let last = |roots: &[Node]| -> Vec<bool> {
        lower::schedule(&Trace::new(roots).unwrap()).steps.iter().map(|step| step.is_last).collect()
    };
    let product = x(1).binary(Binary::Mul, &x(2));
    let both = [product.binary(Binary::Add, &x(3)), product.clone()];
    assert_eq!(last(&both), [true], "one step with both");
    let ranks = both[0].sort(B, false);
    let steps = last(&[both[0].clone(), product, ranks.clone()]);
    assert_eq!(steps, [false, true], "a root that another step sorts");
}

#[test]
fn what_only_joined_steps_read_is_no_result() {
    let of = |e: &Node| [e.binary(Binary::Mul, &x(2)), e.unary(Unary::Neg).binary(Binary::Add, &x(3))];
    are(&of(&x(1).unary(Unary::Exp)), [1, 2], "an exponential in two groups");
    let e = x(1).unary(Unary::Exp);
    are(&[&of(&e)[..], &[e]].concat(), [1, 3], "the exponential is wanted too");
}

#[test]
fn steps_are_joined_if_they_read_the_same_numbers_at_the_same_places() {
    let (g, row) = (x(1), dense(5, &[(B, 70)]));
    are(&[g.binary(Binary::Mul, &x(2)), g.binary(Binary::Mul, &x(3))], [1, 2], "two products with one tensor");
    are(&[x(2).binary(Binary::Mul, &row), x(3).binary(Binary::Mul, &row)], [2, 2], "they share a row only");
    are(&[x(2).unary(Unary::Exp), x(3).unary(Unary::Exp)], [2, 2], "they share nothing");
    let square = dense(6, &[(A, 40), (B, 40)]);
    let turned = square.rename(&[(A, B), (B, A)]);
    are(
        &[square.unary(Unary::Exp), turned.unary(Unary::Exp).binary(Binary::Mul, &square)],
        [2, 2],
        "one is turned around",
    );
}

#[test]
fn one_tensor_is_read_at_two_places_by_one_step() {
    let t = x(1);
    // The first row lies where the tensor does, and is the same in every row.
    let row = t.at(A, 0);
    are(&[t.unary(Unary::Exp), t.binary(Binary::Mul, &row)], [1, 2], "a tensor, and its first row");
}

#[test]
fn an_axis_of_one_position_does_not_part_steps() {
    let (t, c) = (x(1), Name::declared("c"));
    for at in 0..3 {
        let mut axes = vec![(A, 40), (B, 70)];
        axes.insert(at, (c, 1));
        let wide = || t.spread(Shape::new(axes.clone())).binary(Binary::Mul, &x(2));
        are(&[t.unary(Unary::Exp), wide()], [1, 2], "another axis, of one position");
        are(&[wide(), t.unary(Unary::Exp)], [1, 2], "and that step first");
    }
}

#[test]
fn steps_are_one_wherever_an_axis_of_one_position_lies() {
    let c = Name::declared("c");
    for at in 0..3 {
        let mut axes = vec![(A, 40), (B, 70)];
        axes.insert(at, (c, 1));
        // Here the axis has a step of its own, and stands where the numbers have it.
        let wide = dense(1, &axes);
        let narrow = wide.at(c, 0);
        let roots = [wide.unary(Unary::Exp), narrow.binary(Binary::Mul, &x(2))];
        are(&roots, [1, 2], "a tensor, and the same without the axis");
        let wide = dense(1, &axes);
        let roots = [wide.at(c, 0).unary(Unary::Exp), wide.binary(Binary::Mul, &dense(2, &axes))];
        are(&roots, [1, 2], "and that first");
    }
}

#[test]
fn a_step_does_not_join_one_before_what_it_reads() {
    let g = x(1);
    let first = g.unary(Unary::Exp);
    let largest = first.reduce(Reduction::Max, &[B]);
    are(&[first, g.binary(Binary::Mul, &largest)], [2, 2], "it reads a maximum of the first one's results");
}

#[test]
fn results_of_several_kinds_are_not_joined() {
    let g = x(1);
    are(&[g.unary(Unary::Exp), g.compare(Comparison::Gt, &x(2))], [2, 2], "truth values");
    are(&[g.unary(Unary::Exp), g.cast(Kind::F64).unary(Unary::Exp)], [2, 2], "two precisions");
}

#[test]
fn a_step_has_a_few_results_at_most() {
    let g = x(1);
    let all: Vec<Node> = (2..22).map(|seed| g.binary(Binary::Mul, &x(seed))).collect();
    are(&all, [2, 20], "twenty products with one tensor");
}

#[test]
fn random_functions_of_a_few_tensors_have_the_same_numbers_planned_and_plain() {
    let mut joined = 0;
    for seed in 0..600 {
        let mut draw = Draw::new(0x5e7e + seed);
        let draw = &mut draw;
        let kind = if draw.below(2) == 0 { Kind::F32 } else { Kind::F64 };
        let axes: Vec<(Name, usize)> =
            [A, B].into_iter().map(|name| (name, *draw.of(&[1, 2, 7, 16, 33, 127, 300]))).collect();
        let mut nodes: Vec<Node> = (0..3).map(|_| leaf(draw, kind, &axes, Look::Small)).collect();
        nodes.push(leaf(draw, kind, &axes[1..], Look::Small));
        let mut roots = Vec::new();
        for _ in 0..1 + draw.below(9) {
            let [x, y] = [(); 2].map(|()| draw.of(&nodes).clone());
            let node = match draw.below(6) {
                0 => x.unary(Unary::Exp).unary(Unary::Neg),
                1 => x.unary(Unary::Relu),
                2 => x.binary(Binary::Add, &y),
                3 => x.binary(Binary::Sub, &y),
                _ => x.binary(Binary::Mul, &y),
            };
            if draw.below(2) == 0 {
                roots.push(node.clone());
            }
            nodes.push(node);
        }
        roots.extend(nodes.pop());
        let [steps, results] = steps(&roots);
        joined += results - steps;
        both_ways(&roots, &format!("functions {seed}"));
    }
    assert!(joined > 200, "many of them have several results: {joined}");
}
