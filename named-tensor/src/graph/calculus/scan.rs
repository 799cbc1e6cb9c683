//! The calculus of a scan: its derivative is a scan again, forwards with the steps, or against them.
//!
//! For  `(h, Y(i)) = f(h, X(i), W)`  the differential steps with `(h, dh)`. The adjoint steps the other way, with what h is
//! owed as the carry: it takes the h before each step, and what Y(i) is owed, and gives what X(i) owes; what W owes is
//! summed in a carry of its own.  Lives here: both. Not here: the rules of what stands in a body (`forward`, `adjoint`).

use super::adjoint::Shares;
use super::forms::{filled, is_real, number, plus, with_axes};
use super::{Tangent, forward, reverse};
use crate::axis::Name;
use crate::element::Kind;
use crate::graph::op::Scan;
use crate::graph::{Node, Shape};

/// The differential of the scan `node`, given those of its inputs.
pub(super) fn differential(node: &Node, scan: &Scan, d: &[Option<&Tangent>]) -> Option<Tangent> {
    let (inputs, joint) = (node.inputs(), node.shape().names().next()?);
    let steps = scan.carries..scan.carries + scan.slices;
    let mut first = inputs.get(..scan.carries)?.to_vec();
    let mut along = inputs.get(steps.clone())?.to_vec();
    // Which input each further carry or slice is the differential of.
    let (mut carried, mut sliced) = (Vec::new(), Vec::new());
    for (number, (input, d)) in inputs.iter().zip(d).enumerate().filter(|(_, (input, _))| is_real(input.kind())) {
        if number < scan.carries {
            // A carry that starts without a differential may get one on the way. It has all its axes from the start: the
            // rules below take an axis that is missing as one along which nothing changes.
            carried.push(number);
            first.push(filled(&d.map_or_else(|| zero(input), Tangent::node), input.shape()));
        } else if let (true, Some(d)) = (steps.contains(&number), d) {
            sliced.push(number);
            along.push(with_axes(&d.node(), &[scan.axis], input.shape()));
        }
    }
    let [last, all] = Node::scan(scan.axis, scan.backwards, &first, &along, |carries, slices| {
        let (carries, d_carries) = carries.split_at(scan.carries.min(carries.len()));
        let (slices, d_slices) = slices.split_at(scan.slices.min(slices.len()));
        let given = carried.iter().zip(d_carries).chain(sliced.iter().zip(d_slices));
        let mut variables: Vec<(Node, Tangent)> =
            given.map(|(&number, d)| (scan.placeholders[number].clone(), Tangent::new(d.clone()))).collect();
        for (placeholder, d) in scan.placeholders.iter().zip(d).skip(steps.end) {
            variables.extend(d.map(|d| (placeholder.clone(), d.clone())));
        }
        let changes = forward(&scan.results, &variables);
        let changes = scan.results.iter().zip(changes).map(|(of, d)| d.map_or_else(|| zero(of), |d| d.node()));
        let roots: Vec<Node> = scan.results.iter().take(scan.carries).cloned().chain(changes).collect();
        let mut next = onto_inputs(&roots, scan, &[carries, slices, &inputs[steps.end..]].concat());
        let d_ys = next.split_off(2 * scan.carries);
        let d_next = next.split_off(scan.carries);
        next.extend(carried.iter().map(|&number| d_next[number].clone()));
        [next, d_ys]
    });
    let mut d_last = last.into_iter().skip(scan.carries);
    let changes = (0..scan.carries)
        .filter_map(|number| if carried.contains(&number) { d_last.next() } else { Some(zero(&scan.results[number])) });
    let parts: Vec<Node> = changes.chain(all).collect();
    Some(Tangent::new(scan.whole(joint, &parts)))
}

/// What the `wanted` inputs of the scan `node` owe when it is owed `g`.
pub(super) fn adjoint(node: &Node, scan: &Scan, g: &Node, wanted: &dyn Fn(usize) -> bool, keep: &[Name]) -> Shares {
    let inputs = node.inputs();
    let Some(joint) = node.shape().names().next() else { return Shares::new() };
    let steps = scan.carries..scan.carries + scan.slices;
    let g = with_axes(g, &[joint], node.shape());
    let places = scan.places();
    let real = |number: &usize| scan.results.get(*number).is_some_and(|result| is_real(result.kind()));
    let part = |number: usize| scan.part(&g, joint, number, &places);
    let carried: Vec<usize> = (0..scan.carries).filter(real).collect();
    let given: Vec<usize> = (scan.carries..scan.results.len()).filter(real).collect();
    let asked = |number: &usize| is_real(inputs[*number].kind()) && wanted(*number);
    let sliced: Vec<usize> = steps.clone().filter(asked).collect();
    let constants: Vec<usize> = (steps.end..inputs.len()).filter(asked).collect();

    let sums = constants.iter().map(|&number| filled(&zero(&inputs[number]), inputs[number].shape()));
    let first: Vec<Node> = carried.iter().map(|&number| part(number)).chain(sums).collect();
    let mut along = before(node, scan);
    along.extend_from_slice(&inputs[steps.clone()]);
    along.extend(given.iter().map(|&number| part(number)));
    let [last, all] = Node::scan(scan.axis, !scan.backwards, &first, &along, |owed, slices| {
        let (slices, ys) = slices.split_at(steps.end.min(slices.len()));
        let (owed, sums) = owed.split_at(carried.len().min(owed.len()));
        let roots = carried.iter().zip(owed).chain(given.iter().zip(ys));
        let seeds: Vec<(Node, Node)> =
            roots.map(|(&number, owed)| (scan.results[number].clone(), owed.clone())).collect();
        let shares = reverse(&seeds, &scan.placeholders, keep);
        let shares: Vec<Node> =
            scan.placeholders.iter().zip(shares).map(|(of, share)| share.unwrap_or_else(|| zero(of))).collect();
        let shares = onto_inputs(&shares, scan, &[slices, &inputs[steps.end..]].concat());
        let next = carried.iter().map(|&number| shares[number].clone());
        let sums = constants.iter().zip(sums).map(|(&number, sum)| plus(sum, &shares[number]));
        [next.chain(sums).collect(), sliced.iter().map(|&number| shares[number].clone()).collect()]
    });
    let mut shares = Shares::from_elem(None, inputs.len());
    let owners = carried.iter().chain(&constants).zip(last).chain(sliced.iter().zip(all));
    owners.for_each(|(&number, share)| shares[number] = Some(share));
    shares
}

/// Roots that are made of a scan's placeholders, made of these nodes.
fn onto_inputs(roots: &[Node], scan: &Scan, inputs: &[Node]) -> Vec<Node> {
    let replaced = scan.placeholders.iter().map(Node::id).zip(inputs.iter().cloned()).collect();
    Node::substitute(roots, &replaced)
}

/// A zero of the kind of a node, the same along all axes.
fn zero(of: &Node) -> Node {
    if is_real(of.kind()) { number(of, 0.0) } else { Node::fill(Kind::F64, 0.0, Shape::default()) }
}

/// Each carry as it is before the step at each position.
fn before(node: &Node, scan: &Scan) -> Vec<Node> {
    let inputs = node.inputs();
    let (first, along) = (&inputs[..scan.carries], &inputs[scan.carries..scan.carries + scan.slices]);
    let [_, again] = Node::scan(scan.axis, scan.backwards, first, along, |carries, slices| {
        let constants = &inputs[scan.carries + scan.slices..];
        let mut next = scan.body(&[carries, slices, constants].concat());
        next.truncate(scan.carries);
        [next, carries.to_vec()]
    });
    let (next, ys) = scan.results.split_at(scan.carries);
    let known = |number: usize| ys.iter().position(|y| y.id() == next[number].id());
    let stacked = |(number, again): (usize, Node)| match known(number) {
        // What the scan gives out already need not be computed again.
        Some(y) if scan.size > 0 => {
            let all = node.part(scan.carries + y);
            let first = filled(&first[number], &Shape::new([(scan.axis, 1)]));
            if scan.backwards {
                all.slice(scan.axis, 1..scan.size, 1).concat(scan.axis, &first)
            } else {
                first.concat(scan.axis, &all.slice(scan.axis, 0..scan.size - 1, 1))
            }
        }
        _ => again,
    };
    again.into_iter().enumerate().map(stacked).collect()
}

#[cfg(test)]
mod tests {
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
            let axes: Vec<(Name, usize)> = result.shape().iter().filter(|(name, _)| !keep.contains(name)).collect();
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
        let expected =
            reverse(&[(loss(std::slice::from_ref(&h), &[]), number(&h, 1.0))], std::slice::from_ref(&h), &[]);
        close(&read(owed[0].clone(), &h), &read(expected[0].clone(), &h), "the carry");
        assert!(read(owed[1].clone(), &x).is_empty(), "no steps");
    }
}
