//! Derivatives of scans: those of the steps written out, and what stands in them.
//!
//! Lives here: random sizes, orders and axes; a cell with gates; which products a step of the adjoint has. Not here: scans
//! themselves (`graph::op::scan`), what a plan makes of them (`plan`).

mod names;

use proptest::prelude::*;

use super::*;
use crate::element::{Binary, Unary};
use crate::graph::evaluate::plainly;
use crate::graph::testing::{A, B, C, D, laid_otherwise, numbers, tensor};

const NEXT: Name = Name::declared("next");

/// One step on (h, m, x, w): a state that depends on its weights, and a product of all inputs so far.
fn step(h: &Node, m: &Node, x: &Node, w: &Node) -> [Node; 3] {
    let sum = h.contract(w, &[A]).rename(&[(NEXT, A)]).binary(Binary::Add, x);
    let next = sum.unary(Unary::Tanh);
    let product = m.binary(Binary::Mul, &x.reduce(crate::graph::op::Reduction::Sum, &[A]).unary(Unary::Cos));
    let y = next.binary(Binary::Mul, &h.unary(Unary::Sin)).binary(Binary::Add, &product);
    [next, product, y]
}

/// The last carries and all results, as a scan.
fn scanned([h, m, x, w]: [&Node; 4], backwards: bool, shown: bool) -> Vec<Node> {
    let first = [h.clone(), m.clone()];
    let [last, all] = Node::scan(B, backwards, &first, std::slice::from_ref(x), |carries, x| {
        let [next, product, y] = step(&carries[0], &carries[1], &x[0], w);
        // With the state among the results, its derivative need not step through it again.
        let ys = if shown { vec![y, next.clone()] } else { vec![y] };
        [vec![next, product], ys]
    });
    [last, all].concat()
}

/// The same, written out.
fn unrolled([h, m, x, w]: [&Node; 4], backwards: bool, shown: bool) -> Vec<Node> {
    let size = x.shape().size(B).unwrap();
    let (mut h, mut m) = (h.clone(), m.clone());
    let mut all: Vec<[Node; 2]> = Vec::new();
    for i in 0..size {
        let [next, product, y] = step(&h, &m, &x.at(B, if backwards { size - 1 - i } else { i }), w);
        (h, m) = (next, product);
        all.push([y, h.clone()]);
    }
    if backwards {
        all.reverse();
    }
    let stacked = |which: usize| {
        let parts = all.iter().map(|ys| ys[which].spread(Shape::new([(B, 1)])));
        parts.reduce(|all, part| all.concat(B, &part)).unwrap()
    };
    let ys = if shown { vec![stacked(0), stacked(1)] } else { vec![stacked(0)] };
    [vec![h.clone(), m.clone()], ys].concat()
}

fn some(seed: usize, axes: &[(Name, usize)]) -> Node {
    let count: usize = axes.iter().map(|&(_, size)| size).product();
    let values: Vec<f64> = (0..count).map(|i| ((i * 7 + seed * 13 + 3) % 23) as f64 / 20.0 - 0.5).collect();
    tensor(axes, &values)
}

/// The numbers with all axes of `like`, in its order of axes by name.
fn read(node: Option<Node>, like: &Node) -> Vec<f64> {
    let node = node.unwrap_or_else(|| number(like, 0.0)).filled(like.shape());
    let mut names: Vec<Name> = node.shape().names().collect();
    names.sort_by_key(|name| format!("{name:?}"));
    let value = plainly(std::slice::from_ref(&node)).unwrap().remove(0);
    let strides = names.iter().map(|&name| value.strides[node.shape().position(name).unwrap()]).collect();
    numbers(&crate::graph::Value { strides, ..value }, &node.shape().only(&names))
}

fn close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (x, y) in found.iter().zip(expected) {
        assert!((x - y).abs() <= 1e-9 * (1.0 + y.abs()), "{what}: {found:?} {expected:?}");
    }
}

/// A number that depends on all results, whose derivative by each differs.
fn loss(results: &[Node], keep: &[Name]) -> Node {
    let weighed = results.iter().enumerate().map(|(i, result)| {
        let mut axes: Vec<(Name, usize)> = result.shape().iter().filter(|(name, _)| !keep.contains(name)).collect();
        // Whatever order the shape has them in.
        axes.sort_by_key(|(name, _)| format!("{name:?}"));
        let names: Vec<Name> = axes.iter().map(|&(name, _)| name).collect();
        let product = result.binary(Binary::Mul, &some(i + 5, &axes));
        product.binary(Binary::Mul, result).reduce(crate::graph::op::Reduction::Sum, &names)
    });
    weighed.reduce(|sum, more| plus(&sum, &more)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn derivatives_of_a_scan_are_those_of_its_steps_written_out(
        size in 1..4_usize, width in 1..3_usize, backwards: bool, shown: bool, batch: bool, lifted: bool, other: bool,
    ) {
        let extra = |axes: &[(Name, usize)], on: bool, axis: Name| {
            if on { [&[(axis, 2)], axes].concat() } else { axes.to_vec() }
        };
        let inputs = [
            some(0, &[(A, width)]),
            some(1, &extra(&[], lifted, D)),
            some(2, &extra(&extra(&[(A, width), (B, size)], batch, C), lifted, D)),
            some(3, &[(NEXT, width), (A, width)]),
        ];
        let inputs = if other { inputs.map(|x| laid_otherwise(&x)) } else { inputs };
        let of = [&inputs[0], &inputs[1], &inputs[2], &inputs[3]];
        // An axis of a lifted function is kept: one derivative for each of its positions.
        let keep: &[Name] = if lifted { &[D] } else { &[] };
        let [found, expected] = [scanned, unrolled].map(|make| make(of, backwards, shown));
        let losses = [loss(&found, keep), loss(&expected, keep)];
        let [found, expected] = losses.clone().map(|loss| reverse(&[(loss, number(&inputs[0], 1.0))], &inputs, keep));
        for (which, input) in inputs.iter().enumerate() {
            let like = if lifted { input.filled(&Shape::new([(D, 2)])) } else { input.clone() };
            let [found, expected] = [&found, &expected].map(|owed| owed[which].clone());
            close(&read(found, &like), &read(expected, &like), &format!("what input {which} owes"));
        }
        // By the change of each input, and a second time along the first derivative.
        for (which, input) in inputs.iter().enumerate() {
            let change = some(9, &input.shape().iter().collect::<Vec<_>>());
            let [found, expected] = losses.clone().map(|loss| {
                forward(&[loss], &[(input.clone(), Tangent::new(change.clone()))]).remove(0).unwrap().node()
            });
            let like = losses[1].clone();
            close(&read(Some(found.clone()), &like), &read(Some(expected.clone()), &like), &format!("change {which}"));
            if size < 3 {
                let [found, expected] =
                    [found, expected].map(|d| reverse(&[(d, number(input, 1.0))], &inputs[3..], keep).remove(0));
                let like = if lifted { inputs[3].filled(&Shape::new([(D, 2)])) } else { inputs[3].clone() };
                close(&read(found, &like), &read(expected, &like), &format!("second derivative {which}"));
            }
        }
    }
}

#[test]
fn a_jacobian_of_a_scan_has_starred_axes_of_its_own() {
    let inputs = [some(0, &[(A, 2)]), some(1, &[]), some(2, &[(A, 2), (B, 3)]), some(3, &[(NEXT, 2), (A, 2)])];
    let of = [&inputs[0], &inputs[1], &inputs[2], &inputs[3]];
    let star = A.freshened();
    let [found, expected] = [scanned, unrolled].map(|make| {
        let seed = Tangent::identity(Kind::F64, [(A, star, 2)]);
        let changes = forward(&make(of, false, false), &[(inputs[0].clone(), seed)]);
        changes.into_iter().map(|d| d.map(|d| d.node())).collect::<Vec<_>>()
    });
    for ((found, expected), like) in found.into_iter().zip(expected).zip(unrolled(of, false, false)) {
        let like = like.filled(&Shape::new([(star, 2)]));
        close(&read(found, &like), &read(expected, &like), "jacobian");
    }
}

#[test]
fn nothing_is_owed_through_no_steps_but_what_the_carry_owes() {
    let (h, x) = (some(0, &[(A, 2)]), some(1, &[(B, 0), (A, 2)]));
    let all = scanned([&h, &some(2, &[]), &x, &some(3, &[(NEXT, 2), (A, 2)])], false, true);
    let owed = reverse(&[(loss(&all, &[]), number(&h, 1.0))], &[h.clone(), x.clone()], &[]);
    let expected = reverse(&[(loss(std::slice::from_ref(&h), &[]), number(&h, 1.0))], std::slice::from_ref(&h), &[]);
    close(&read(owed[0].clone(), &h), &read(expected[0].clone(), &h), "the carry");
    assert!(read(owed[1].clone(), &x).is_empty(), "no steps");
}

const GATE: Name = Name::declared("gate");
const TIME: Name = Name::declared("time");

/// The two carries and all states of a cell with three gates, on (x, w, u, b) with the axes (batch D, TIME, C), (C, GATE, NEXT),
/// (A, GATE, NEXT), (GATE, NEXT): as a scan, or written out.
fn gated([x, w, u, b]: [&Node; 4], written_out: bool) -> Vec<Node> {
    let step = |h: &Node, c: &Node, x: &Node| {
        let sum = plus(&plus(&x.contract(w, &[C]), &h.contract(u, &[A])), b).rename(&[(NEXT, A)]);
        let [forget, add, show] = [0, 1, 2].map(|at| sum.at(GATE, at));
        let c = plus(&c.binary(Binary::Mul, &forget.unary(Unary::Sigmoid)), &add.unary(Unary::Tanh));
        let h = c.unary(Unary::Tanh).binary(Binary::Mul, &show.unary(Unary::Sigmoid));
        [h, c]
    };
    let start =
        number(x, 0.0).filled(&Shape::new([(D, x.shape().size(D).unwrap()), (A, b.shape().size(NEXT).unwrap())]));
    if !written_out {
        let first = [start.clone(), start];
        let [last, all] = Node::scan(TIME, false, &first, std::slice::from_ref(x), |carries, x| {
            let [h, c] = step(&carries[0], &carries[1], &x[0]);
            [vec![h.clone(), c], vec![h]]
        });
        return [last, all].concat();
    }
    let (mut h, mut c) = (start.clone(), start);
    let mut all: Vec<Node> = Vec::new();
    for i in 0..x.shape().size(TIME).unwrap() {
        [h, c] = step(&h, &c, &x.at(TIME, i));
        all.push(h.spread(Shape::new([(TIME, 1)])));
    }
    vec![h, c, all.into_iter().reduce(|all, h| all.concat(TIME, &h)).unwrap()]
}

/// Inputs of a cell: so many in a batch, steps, numbers of an input and of a state.
fn cell([batch, steps, wide, states]: [usize; 4]) -> [Node; 4] {
    [
        some(0, &[(D, batch), (TIME, steps), (C, wide)]),
        some(1, &[(C, wide), (GATE, 3), (NEXT, states)]),
        some(2, &[(A, states), (GATE, 3), (NEXT, states)]),
        some(3, &[(GATE, 3), (NEXT, states)]),
    ]
}

/// The scans that these roots need, those that come first first.
fn scans(roots: &[Node]) -> Vec<std::sync::Arc<Scan>> {
    let of = |node: Node| if let Op::Scan(scan) = node.op() { Some(scan.clone()) } else { None };
    Node::walk(roots).into_iter().filter_map(of).collect()
}

/// How many products of two tensors that share an axis stand in the body of a scan.
fn products(scan: &Scan) -> usize {
    let is_product = |node: &Node| matches!(node.op(), Op::Contract(axes) if !axes.is_empty());
    Node::walk(&scan.results).iter().filter(|node| is_product(node)).count()
}

#[test]
fn what_a_cell_with_gates_owes_is_what_its_steps_owe_written_out() {
    // One step; more in a batch than weights, which then sum step by step; a second derivative.
    for sizes in [[2, 3, 4, 5], [1, 4, 2, 3], [3, 1, 2, 2], [40, 3, 2, 2], [2, 2, 30, 1]] {
        let inputs = cell(sizes);
        let of = inputs.each_ref();
        let losses = [false, true].map(|written_out| loss(&gated(of, written_out), &[]));
        let owed = losses.clone().map(|loss| reverse(&[(loss, number(&inputs[0], 1.0))], &inputs, &[]));
        for (which, input) in inputs.iter().enumerate() {
            let [found, expected] = [&owed[0], &owed[1]].map(|owed| read(owed[which].clone(), input));
            close(&found, &expected, &format!("what input {which} of a cell of {sizes:?} owes"));
        }
        let twice = owed.map(|owed| {
            let square = loss(&owed.into_iter().flatten().collect::<Vec<_>>(), &[]);
            reverse(&[(square, number(&inputs[0], 1.0))], &inputs[1..3], &[])
        });
        for (which, input) in inputs[1..3].iter().enumerate() {
            let [found, expected] = [&twice[0], &twice[1]].map(|owed| read(owed[which].clone(), input));
            close(&found, &expected, &format!("what weight {which} of a cell of {sizes:?} owes for what is owed"));
        }
    }
}

#[test]
fn a_step_of_the_adjoint_of_a_cell_has_one_product_and_no_weights() {
    let inputs = cell([2, 3, 4, 5]);
    let results = gated(inputs.each_ref(), false);
    let owed = reverse(&[(loss(&results, &[]), number(&inputs[0], 1.0))], &inputs, &[]);
    let owed: Vec<Node> = owed.into_iter().flatten().collect();
    let all = scans(&owed);
    assert_eq!(
        all.iter().map(|scan| products(scan)).collect::<Vec<_>>(),
        [1, 1, 1],
        "x times its weights comes before"
    );
    let adjoint = all.last().unwrap();
    assert_eq!(adjoint.carries, 2, "what is owed to the states, and no sums of weights");
    let forwards = scans(&results);
    assert!(
        all.iter().any(|scan| forwards[0].is_beginning_of(scan)),
        "the steps give out more, and are the same steps"
    );
    // Of a large batch the weights are less than what would be kept.
    let inputs = cell([40, 3, 2, 2]);
    let owed = reverse(&[(loss(&gated(inputs.each_ref(), false), &[]), number(&inputs[0], 1.0))], &inputs[2..3], &[]);
    assert_eq!(scans(&owed.into_iter().flatten().collect::<Vec<_>>()).last().unwrap().carries, 3, "a sum in a carry");
}

#[test]
fn of_a_step_with_attention_only_the_carries_are_kept() {
    let (x, w) = (some(1, &[(TIME, 3), (A, 2)]), some(2, &[(A, 2), (NEXT, 2)]));
    let make = |written_out: bool| {
        let step = |h: &Node, x: &Node| {
            let h = h.contract(&w, &[A]).rename(&[(NEXT, A)]);
            h.contract(x, &[]).softmax(&[A], false).binary(Binary::Mul, &h)
        };
        let first = some(3, &[(A, 2)]);
        if written_out {
            vec![(0..3).fold(first, |h, i| step(&h, &x.at(TIME, i)))]
        } else {
            let [last, _] =
                Node::scan(TIME, false, &[first], std::slice::from_ref(&x), |h, x| [vec![step(&h[0], &x[0])], vec![]]);
            last
        }
    };
    let [found, expected] = [false, true]
        .map(|written_out| reverse(&[(loss(&make(written_out), &[]), number(&x, 1.0))], &[x.clone(), w.clone()], &[]));
    let adjoint = scans(&found.iter().flatten().cloned().collect::<Vec<_>>()).pop().unwrap();
    assert_eq!(products(&adjoint), 2, "the product of the step is computed again");
    for ((found, expected), like) in found.into_iter().zip(expected).zip([&x, &w]) {
        close(&read(found, like), &read(expected, like), "a step with a softmax");
    }
}

/// What the variables owe for the sum of the squares of all results.
fn owed_for_squares(results: &[Node], variables: &[Node]) -> Vec<Node> {
    let owed = reverse(&[(loss(results, &[]), number(&variables[0], 1.0))], variables, &[]);
    owed.into_iter().zip(variables).map(|(owed, of)| owed.unwrap_or_else(|| zero(of)).filled(of.shape())).collect()
}

#[test]
fn what_is_kept_of_each_step_is_no_more_than_some_times_what_goes_along_the_steps() {
    let (batch, wide, steps) = (20, 50, 30);
    let (first, x) = (some(1, &[(D, batch)]), some(2, &[(TIME, steps)]));
    let weights = [some(3, &[(A, wide)]), some(4, &[(A, wide), (NEXT, wide)]), some(5, &[(NEXT, wide)])];
    let [last, _] = Node::scan(TIME, false, &[first], &[x], |h, x| {
        let hidden = h[0].binary(Binary::Mul, &weights[0]).unary(Unary::Tanh);
        let more = hidden.contract(&weights[1], &[A]).unary(Unary::Tanh);
        [vec![plus(&more.contract(&weights[2], &[NEXT]), &x[0])], vec![]]
    });
    let owed = owed_for_squares(&last, &weights);
    let largest = Node::walk(&owed).iter().map(|node| node.shape().elements()).max().unwrap();
    assert!(largest < batch * wide * steps, "{largest} numbers are kept");
}

#[test]
fn a_count_that_is_carried_beside_numbers_has_no_derivative() {
    let variables = [some(1, &[(TIME, 3), (A, 2)]), some(2, &[(A, 2)])];
    let [x, first] = &variables;
    let one = || Node::fill(Kind::Index, 1.0, Shape::default());
    let step = |h: &Node, n: &Node, x: &Node| {
        let sum = plus(h, &x.binary(Binary::Mul, &n.cast(Kind::F64))).unary(Unary::Sin);
        [sum, n.binary(Binary::Add, &one())]
    };
    let none = Node::fill(Kind::Index, 0.0, Shape::default());
    let start = [none.clone(), first.clone()];
    let [last, all] = Node::scan(TIME, false, &start, std::slice::from_ref(x), |carries, x| {
        let [h, n] = step(&carries[1], &carries[0], &x[0]);
        [vec![n.clone(), h.clone()], vec![n, h]]
    });
    let [mut h, mut n] = [first.clone(), none];
    let mut shown = Vec::new();
    for i in 0..3 {
        [h, n] = step(&h, &n, &x.at(TIME, i));
        shown.push(h.spread(Shape::new([(TIME, 1)])));
    }
    let shown = shown.into_iter().reduce(|all, part| all.concat(TIME, &part)).unwrap();
    let [found, expected] = [vec![last[1].clone(), all[1].clone()], vec![h, shown]].map(|results| {
        let change = some(3, &[(A, 2)]);
        let change = forward(&results[..1], &[(first.clone(), Tangent::new(change))]).remove(0).unwrap().node();
        [owed_for_squares(&results, &variables), vec![change]].concat()
    });
    for ((found, expected), like) in found.into_iter().zip(expected).zip([x, first, first]) {
        close(&read(Some(found), like), &read(Some(expected), like), "a count beside numbers");
    }
}

#[test]
fn what_goes_along_the_steps_may_change_alike_at_all_of_them() {
    let (x, first, by) = (some(1, &[(TIME, 3), (A, 2)]), some(2, &[(A, 2)]), some(3, &[(A, 2)]));
    let along = plus(&x, &by);
    let step = |h: &Node, x: &Node| h.binary(Binary::Mul, x).unary(Unary::Sin);
    let [last, _] = Node::scan(TIME, false, std::slice::from_ref(&first), std::slice::from_ref(&along), |h, x| {
        [vec![step(&h[0], &x[0])], vec![]]
    });
    let written_out = (0..3).fold(first, |h, i| step(&h, &along.at(TIME, i)));
    let [found, expected] = [last.into_iter().next().unwrap(), written_out].map(|root| {
        forward(&[root], &[(by.clone(), Tangent::new(number(&by, 0.5)))]).remove(0).map(|change| change.node())
    });
    close(&read(found, &by), &read(expected, &by), "a change without the axis of the steps");
}

#[test]
fn a_scan_that_reads_no_slice_has_derivatives_of_both_kinds() {
    let (first, w) = (some(1, &[(A, 2)]), some(2, &[(A, 2)]));
    let step = |h: &Node| h.binary(Binary::Mul, &w).unary(Unary::Sin);
    let [last, _] = Node::scan(TIME, false, std::slice::from_ref(&first), &[Node::iota(TIME, 3)], |h, _| {
        [vec![step(&h[0])], vec![]]
    });
    let written_out = step(&step(&step(&first)));
    let change = some(3, &[(A, 2)]);
    let [found, expected] = [last, vec![written_out]].map(|results| {
        let change = forward(&results, &[(w.clone(), Tangent::new(change.clone()))]).remove(0).unwrap().node();
        [vec![change], owed_for_squares(&results, std::slice::from_ref(&w))].concat()
    });
    for (found, expected) in found.into_iter().zip(expected) {
        close(&read(Some(found), &w), &read(Some(expected), &w), "no slice is read");
    }
}
