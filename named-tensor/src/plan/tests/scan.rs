//! Scans planned and plain: the same numbers, whatever the layouts, the kinds and the sizes.
//!
//! Lives here: scans of random bodies, and what a step must not do. Not here: what a scan means (`graph::op::scan`).

use super::draw::Draw;
use super::{both_ways, random_graph};
use crate::axis::Name;
use crate::element::{Binary, Comparison, Kind, Unary};
use crate::graph::op::{Distribution, Reduction};
use crate::graph::testing::tensor;
use crate::graph::{Node, Op, Shape};
use crate::plan;
use crate::plan::key::Trace;
use crate::plan::lower;
use crate::plan::schedule::Action;

const TIME: Name = Name::declared("time");
const A: Name = Name::declared("a");
const B: Name = Name::declared("b");

fn normal(seed: u64, kind: Kind, axes: &[(Name, usize)]) -> Node {
    Node::random(Distribution::Normal { mean: 0.0, deviation: 0.5 }, seed, kind, Shape::new(axes.iter().copied()))
}

#[test]
fn a_recurrent_network_has_the_same_numbers_planned_and_plain() {
    for (seed, sizes) in [[0, 3, 4], [1, 1, 1], [5, 3, 4], [7, 4, 0], [40, 17, 2]].into_iter().enumerate() {
        for backwards in [false, true] {
            for kind in [Kind::F32, Kind::F64] {
                let [time, hidden, batch] = sizes;
                let seed = 10 * seed as u64;
                let x = normal(seed, kind, &[(B, batch), (TIME, time), (A, hidden)]);
                let w = normal(seed + 1, kind, &[(A, hidden), (Name::declared("a_"), hidden)]);
                let first = normal(seed + 2, kind, &[(A, hidden)]);
                let [last, all] = Node::scan(TIME, backwards, &[first], &[x], |h, x| {
                    let product = h[0].contract(&w, &[A]).rename(&[(Name::declared("a_"), A)]);
                    let next = product.binary(Binary::Add, &x[0]).unary(Unary::Tanh);
                    [vec![next.clone()], vec![next, h[0].reduce(Reduction::Sum, &[A])]]
                });
                let roots = [last, all].concat();
                assert!(both_ways(&roots, "a recurrent network").is_some(), "no errors");
            }
        }
    }
}

#[test]
fn carries_that_change_places_and_lie_in_any_order_are_handed_over() {
    let (x, y) = (normal(1, Kind::F64, &[(TIME, 5), (A, 2), (B, 3)]), normal(2, Kind::F64, &[(B, 3), (A, 2)]));
    let constant = Node::fill(Kind::F64, 0.3, Shape::new([(A, 2), (B, 3)]));
    let [last, all] = Node::scan(TIME, false, &[y.clone(), y, constant], &[x], |h, x| {
        [vec![h[1].clone(), h[2].clone(), x[0].clone()], vec![h[0].clone(), x[0].clone(), h[2].at(A, 1)]]
    });
    assert!(both_ways(&[last, all].concat(), "changing places").is_some(), "no errors");
}

#[test]
fn positions_and_truth_are_carried_beside_numbers() {
    let x = normal(3, Kind::F32, &[(TIME, 6), (A, 4)]);
    let none = Node::fill(Kind::Index, 0.0, Shape::default());
    let [last, all] = Node::scan(TIME, true, &[none], &[x], |n, x| {
        let order = x[0].argsort(A, true);
        let best = order.at(A, 0).binary(Binary::Add, &n[0]);
        [vec![best.clone()], vec![order, x[0].gather(A, &x[0].argsort(A, false).at(A, 0)), best]]
    });
    assert!(both_ways(&[last, all].concat(), "several kinds").is_some(), "no errors");
}

#[test]
fn random_bodies_have_the_same_numbers_planned_and_plain() {
    let mut compared = 0;
    for seed in 0..400 {
        let mut draw = Draw::new(seed);
        let kind = if seed % 3 == 0 { Kind::F32 } else { Kind::F64 };
        let count = 1 + draw.below(10);
        let captured = random_graph(&mut draw, kind, count);
        if captured.iter().any(|node| node.error().is_some()) {
            continue;
        }
        let size = draw.below(4);
        let along: Vec<Node> = captured
            .iter()
            .filter(|node| node.kind() == kind)
            .map(|node| node.binary(Binary::Mul, &normal(seed, kind, &[(TIME, size)])))
            .collect();
        let Some(first) = along.first() else { continue };
        let [last, all] = Node::scan(TIME, seed % 2 == 0, &[captured[0].cast(kind)], &along, |h, x| {
            let sum = x
                .iter()
                .chain(&captured)
                .filter(|node| node.kind() == kind)
                .fold(h[0].clone(), |sum, node| sum.binary(Binary::Add, node).unary(Unary::Sin));
            [vec![sum.clone()], [x, &captured, &[sum]].concat()]
        });
        let roots = [last, all, vec![first.clone()]].concat();
        compared += both_ways(&roots, &format!("scan {seed}")).unwrap_or(0);
    }
    assert!(compared > 10_000, "most scans have numbers: {compared}");
}

#[test]
fn one_plan_serves_scans_that_differ_in_their_constants() {
    let sum = |factor: f64| {
        let x = normal(1, Kind::F64, &[(TIME, 3)]);
        let zero = Node::fill(Kind::F64, 0.0, Shape::default());
        let [last, _] = Node::scan(TIME, false, &[zero], &[x], |h, x| {
            let factor = Node::fill(Kind::F64, factor, Shape::default());
            [vec![h[0].binary(Binary::Add, &x[0].binary(Binary::Mul, &factor))], vec![]]
        });
        last[0].clone()
    };
    let (roots, other) = ([sum(0.1), sum(0.2)], [sum(0.3), sum(0.4)]);
    let keys = [&roots, &other].map(|roots| Trace::new(roots).unwrap().key);
    assert_eq!(keys[0], keys[1], "constants are data");
    for roots in [roots, other] {
        assert!(both_ways(&roots, "constants").is_some(), "no errors");
    }
}

#[test]
fn a_scan_is_one_step_and_prints_its_work() {
    let x = normal(1, Kind::F64, &[(TIME, 30), (A, 4)]);
    let zero = Node::fill(Kind::F64, 0.0, Shape::default());
    let [last, _] = Node::scan(TIME, false, &[zero], &[x], |h, x| [vec![h[0].binary(Binary::Add, &x[0])], vec![]]);
    let trace = Trace::new(&last).unwrap();
    let scans = lower::schedule(&trace).steps;
    let count = scans.iter().filter(|step| matches!(trace.node(step.node).op(), Op::Scan(_))).count();
    assert_eq!(count, 1, "{scans:?}");
    let page = plan::describe(&last).unwrap();
    assert!(page.contains("scan(") && page.contains("as 30 of 1 step ") && page.contains("120 FLOP"), "{page}");
}

#[test]
fn a_position_that_is_missing_in_some_step_is_told_by_both() {
    let x = normal(1, Kind::F64, &[(A, 4)]);
    let [_, all] = Node::scan(TIME, false, &[], &[Node::iota(TIME, 6)], |_, i| [vec![], vec![x.gather(A, &i[0])]]);
    let plain = crate::graph::evaluate::plainly(&all).unwrap_err().to_string();
    assert!(plain.contains("position 4"), "{plain}");
    assert_eq!(plan::evaluate(&all).unwrap_err().to_string(), plain);
}

/// The actions of the plan of these roots that are scans.
fn scans(roots: &[Node]) -> usize {
    let steps = lower::schedule(&Trace::new(roots).unwrap()).steps;
    steps.iter().filter(|step| matches!(step.action, Action::Scan { .. })).count()
}

#[test]
fn steps_that_a_gradient_needs_more_of_are_taken_once() {
    let size = [5, 3];
    let x = || normal(1, Kind::F64, &[(TIME, size[0]), (A, size[1])]);
    let network = |x: &Node, w: &Node, factor: f64| {
        let [last, all] =
            Node::scan(TIME, false, &[normal(3, Kind::F64, &[(A, 3)])], std::slice::from_ref(x), |h, x| {
                let product = h[0].contract(w, &[A]).rename(&[(Name::declared("a_"), A)]);
                let next = product.binary(Binary::Add, &x[0]).unary(Unary::Tanh);
                let scaled = next.binary(Binary::Mul, &Node::fill(Kind::F64, factor, Shape::default()));
                [vec![scaled], vec![next]]
            });
        [last, all].concat()
    };
    let w = normal(2, Kind::F64, &[(A, 3), (Name::declared("a_"), 3)]);
    let loss = |results: &[Node]| {
        let squares = results[1].binary(Binary::Mul, &results[1]).reduce(Reduction::Sum, &[TIME, A]);
        squares.binary(Binary::Add, &results[0].reduce(Reduction::Sum, &[A]))
    };
    let with_gradient = |x: &Node, factor: f64| {
        let loss = loss(&network(x, &w, factor));
        let one = Node::fill(Kind::F64, 1.0, Shape::default());
        let owed = crate::graph::calculus::reverse(&[(loss.clone(), one)], std::slice::from_ref(&w), &[]);
        [vec![loss], owed.into_iter().flatten().collect()].concat()
    };
    let roots = with_gradient(&x(), 0.5);
    assert_eq!(scans(&roots), 2, "forwards once, and backwards: {}", plan::describe(&roots).unwrap());
    assert!(both_ways(&roots, "a loss and its gradient").is_some());
    // Whichever is asked for first.
    let [loss_, gradient] = &with_gradient(&x(), 0.5)[..] else { panic!("two roots") };
    assert_eq!(scans(&[gradient.clone(), loss_.clone()]), 2, "the gradient first");
    assert!(both_ways(&[gradient.clone(), loss_.clone()], "a gradient and its loss").is_some());
    // The bodies of two networks have one structure; what differs is a constant.
    let both = [with_gradient(&x(), 0.5), with_gradient(&x(), 0.25)].concat();
    assert_eq!(scans(&both), 4, "two networks");
    assert!(both_ways(&both, "two networks").is_some());
}

#[test]
fn a_plan_shows_the_steps_of_a_body() {
    let x = normal(1, Kind::F32, &[(TIME, 4), (A, 3)]);
    let w = normal(2, Kind::F32, &[(A, 3), (B, 3)]);
    let first = normal(3, Kind::F32, &[(A, 3)]);
    let [last, _] = Node::scan(TIME, false, &[first], &[x], |h, x| {
        let next = h[0].contract(&w, &[A]).rename(&[(B, A)]).binary(Binary::Add, &x[0]).unary(Unary::Tanh);
        [vec![next], vec![]]
    });
    let page = plan::describe(&last).unwrap();
    for line in ["= carry 1\n", "[a: 3] = a position of #", "      · #", "= dot, +, tanh("] {
        assert!(page.contains(line), "{line:?} in\n{page}");
    }
}

#[test]
fn scans_as_roots_are_not_taken_for_a_scan_and_its_beginning() {
    let (x, h) = (normal(1, Kind::F64, &[(TIME, 3), (A, 4)]), normal(2, Kind::F64, &[(A, 4)]));
    let scan = |more: bool, constant: f64| {
        let [last, _] = Node::scan(TIME, false, std::slice::from_ref(&h), std::slice::from_ref(&x), |h, x| {
            let constant = Node::fill(Kind::F64, constant, Shape::default());
            let next = h[0].binary(Binary::Mul, &x[0]).binary(Binary::Add, &constant).unary(Unary::Tanh);
            let more = more.then(|| next.unary(Unary::Exp));
            [vec![next.clone()], [next].into_iter().chain(more).collect()]
        });
        Node::walk(&last).into_iter().find(|node| matches!(node.op(), Op::Scan(_))).unwrap()
    };
    let sum = |a: &Node, b: &Node| a.part(0).binary(Binary::Add, &b.part(0));
    // What is drawn at random is stored from now on, in both graphs.
    plan::evaluate(&[x.clone(), h.clone()]).unwrap();
    let first = scan(false, 0.37);
    let Op::Scan(body) = first.op() else { panic!("a scan") };
    let more = body.with_results(&first, vec![body.results[0].unary(Unary::Exp)]);
    assert!(both_ways(&[sum(&first, &more)], "a scan and its beginning").is_some());
    let (one, other) = (scan(false, 0.37), scan(true, 0.41));
    assert!(both_ways(&[sum(&one, &other), one, other], "two scans that are roots").is_some());
}

/// A scan along `x` that starts with `h`.
fn product_scan(h: &Node, x: &Node) -> Node {
    let [last, _] = Node::scan(TIME, false, std::slice::from_ref(h), std::slice::from_ref(x), |h, x| {
        [vec![h[0].binary(Binary::Mul, &x[0]).unary(Unary::Tanh)], vec![]]
    });
    Node::walk(&last).into_iter().find(|node| matches!(node.op(), Op::Scan(_))).unwrap()
}

#[test]
fn a_scan_with_other_results_is_not_the_beginning_of_a_longer_one() {
    let (x, h) = (normal(1, Kind::F64, &[(TIME, 3), (A, 4)]), normal(2, Kind::F64, &[(A, 4)]));
    let first = product_scan(&h, &x);
    let Op::Scan(body) = first.op() else { panic!("a scan") };
    // Each gives out more than the steps do, as two derivatives of one scan may; what is more differs.
    let of = |functions: &[Unary]| functions.iter().map(|&function| body.results[0].unary(function)).collect();
    let short = body.with_results(&first, of(&[Unary::Exp]));
    let long = body.with_results(&first, of(&[Unary::Sin, Unary::Cos]));
    let roots = [short.part(1), long.part(1), long.part(2)];
    assert_eq!(scans(&roots), 2, "their second results differ");
    assert!(both_ways(&roots, "two scans that go on otherwise").is_some());
}

#[test]
fn which_scan_is_the_beginning_of_which_is_a_part_of_the_structure() {
    let (x, h) = (normal(1, Kind::F64, &[(TIME, 3), (A, 4)]), normal(2, Kind::F64, &[(A, 4)]));
    plan::evaluate(&[x.clone(), h.clone()]).unwrap();
    let scan = |factor: f64| {
        let [last, _] = Node::scan(TIME, false, std::slice::from_ref(&h), std::slice::from_ref(&x), |h, x| {
            let factor = Node::fill(Kind::F64, factor, Shape::default());
            [vec![h[0].binary(Binary::Mul, &x[0]).binary(Binary::Add, &factor).unary(Unary::Tanh)], vec![]]
        });
        Node::walk(&last).into_iter().find(|node| matches!(node.op(), Op::Scan(_))).unwrap()
    };
    let longer = |first: &Node| {
        let Op::Scan(body) = first.op() else { panic!("a scan") };
        body.with_results(first, vec![body.results[0].unary(Unary::Exp)])
    };
    let [first, other] = [scan(0.37), scan(0.41)];
    let roots = || [first.part(0), longer(&first).part(1), longer(&other).part(1)];
    let turned = || [first.part(0), longer(&other).part(1), longer(&first).part(1)];
    assert_ne!(Trace::new(&roots()).unwrap().key, Trace::new(&turned()).unwrap().key, "the second or the third one");
    for roots in [roots(), turned(), roots()] {
        assert_eq!(scans(&roots), 2, "one of them is there already");
        assert!(both_ways(&roots, "a scan, and one of two that go on").is_some());
    }
    let both = [first.part(0), other.part(0)];
    assert!(both_ways(&both, "scans on the same inputs that differ in a constant").is_some());
}

#[test]
fn scans_with_the_same_results_or_results_of_other_kinds_are_no_beginnings() {
    let (x, h) = (normal(1, Kind::F32, &[(TIME, 3), (A, 4)]), normal(2, Kind::F32, &[(A, 4)]));
    let first = product_scan(&h, &x);
    let Op::Scan(body) = first.op() else { panic!("a scan") };
    // As two derivatives of one scan are made.
    let more = body.results[0].unary(Unary::Exp);
    let [one, same] = [(); 2].map(|()| body.with_results(&first, vec![more.clone()]));
    assert!(both_ways(&[one.part(1), same.part(1), same.part(0)], "the same results").is_some());
    let [one, same] = [(); 2].map(|()| body.with_results(&first, vec![more.clone()]));
    assert!(both_ways(&[first.part(0), one.part(1), same.part(1)], "and their beginning").is_some());
    // All results of a scan are kept as doubles if they are of several kinds.
    let kinds = body.with_results(&first, vec![more.compare(Comparison::Gt, &body.results[0])]);
    assert!(both_ways(&[first.part(0).unary(Unary::Exp), kinds.part(1)], "results of several kinds").is_some());
}

#[test]
fn one_body_on_other_inputs_is_another_scan() {
    let (x, h) = (normal(1, Kind::F64, &[(TIME, 3), (A, 4)]), normal(2, Kind::F64, &[(A, 4)]));
    let first = product_scan(&h, &x);
    let Op::Scan(body) = first.op() else { panic!("a scan") };
    let more = body.with_results(&first, vec![body.results[0].unary(Unary::Exp)]);
    let other = normal(3, Kind::F64, &[(TIME, 3), (A, 4)]);
    let moved = Node::substitute(&[more.part(1)], &[(x.id(), other)].into_iter().collect()).remove(0);
    let roots = [first.part(0), moved];
    assert_eq!(scans(&roots), 2, "they read other tensors");
    assert!(both_ways(&roots, "one body, two inputs").is_some());
}

/// How often a recurrent network whose weights have these axes, slowest first, copies them before its steps begin.
fn copies(weights: [(Name, usize); 2], others: &[(Name, usize)], time: usize) -> usize {
    let numbers: Vec<f32> = (0..weights[0].1 * weights[1].1).map(|i| 0.1 * (i % 17) as f32).collect();
    let (w, size) = (tensor(&weights, &numbers), weights[0].1);
    let first = normal(2, Kind::F32, &[others, &[(A, size)]].concat());
    let x = normal(3, Kind::F32, &[(TIME, time), (A, size)]);
    let [last, all] = Node::scan(TIME, false, &[first], &[x], |h, x| {
        let product = h[0].contract(&w, &[A]).rename(&[(Name::declared("a_"), A)]);
        let next = product.binary(Binary::Add, &x[0]).unary(Unary::Tanh);
        [vec![next.clone()], vec![next]]
    });
    let roots = [last, all].concat();
    let steps = lower::schedule(&Trace::new(&roots).unwrap()).steps;
    assert!(both_ways(&roots, "a recurrent network").is_some(), "no errors");
    steps.iter().filter(|step| matches!(&step.action, Action::Join { pieces, .. } if pieces.len() == 1)).count()
}

#[test]
fn a_matrix_that_every_step_sums_along_is_turned_once_for_all_of_them() {
    let (along, across) = ([(Name::declared("a_"), 4), (A, 4)], [(A, 4), (Name::declared("a_"), 4)]);
    assert_eq!(copies(along, &[(B, 3)], 5), 1, "three rows times a matrix that lies along the sum");
    assert_eq!(copies(across, &[(B, 3)], 5), 0, "it lies across the sum");
    assert_eq!(copies(along, &[(B, 1)], 5), 1, "one row");
    assert_eq!(copies(along, &[], 5), 1, "a vector");
    let large = [(Name::declared("a_"), 512), (A, 512)];
    assert_eq!(copies(large, &[], 2), 0, "a vector times what fills a cache");
    assert_eq!(copies(large, &[(B, 2)], 2), 1, "which is read once for two");
    assert_eq!(copies(along, &[(B, 70)], 5), 0, "many rows: each step spends little time on it");
    assert_eq!(copies(along, &[(B, 3)], 1), 0, "one step");
}
