//! The calculus of a scan: its derivative is a scan again, forwards with the steps, or against them.
//!
//! For  `(h, Y(i)) = f(h, X(i), W)`  the differential steps with `(h, dh)`. The adjoint steps the other way, with what h is
//! owed as the carry: it takes the h before each step, and what Y(i) is owed, and gives what X(i) owes. What W owes is summed
//! over all steps: where it is itself a sum of what is smaller, as `Σ_b X(i) g(i)` is, all steps give out that, and it is
//! summed at once; else it is summed in a carry of its own.
//! Lives here: both. Not here: sums over all steps (`steps`), the rules of what stands in a body (`forward`, `adjoint`).

use super::adjoint::Shares;
use super::forms::{filled, is_real, number, plus, with_axes};
use super::kept::Kept;
use super::steps::AtOnce;
use super::{Tangent, forward, reverse};
use crate::axis::Name;
use crate::element::Kind;
use crate::graph::op::Scan;
use crate::graph::{Node, Op, Shape};

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
    if Node::walk(&scan.results).iter().any(|inside| inside.shape().has(scan.axis)) {
        // Numbers of a step could not be kept beside each other along an axis that they have.
        let (other, moved) = scan.along_another_axis(node);
        let to: Vec<(Name, Name)> = [joint].into_iter().zip(moved.shape().names()).collect();
        let g = with_axes(g, &[joint], node.shape()).rename(&to);
        let mut shares = adjoint(&moved, &other, &g, wanted, keep);
        for share in shares.iter_mut().skip(steps.start).take(scan.slices).flatten() {
            *share = share.rename(&[(other.axis, scan.axis)]);
        }
        return shares;
    }
    let g = with_axes(g, &[joint], node.shape());
    let places = scan.places();
    let real = |number: &usize| scan.results.get(*number).is_some_and(|result| is_real(result.kind()));
    let part = |number: usize| scan.part(&g, joint, number, &places);
    let carried: Vec<usize> = (0..scan.carries).filter(real).collect();
    let given: Vec<usize> = (scan.carries..scan.results.len()).filter(real).collect();
    let asked = |number: &usize| is_real(inputs[*number].kind()) && wanted(*number);
    let sliced: Vec<usize> = steps.clone().filter(asked).collect();
    let constants: Vec<usize> = (steps.end..inputs.len()).filter(asked).collect();

    // What all placeholders owe when these results are owed this.
    let owed = |seeds: &[(Node, Node)]| -> Vec<Node> {
        let shares = reverse(seeds, &scan.placeholders, keep);
        scan.placeholders.iter().zip(shares).map(|(of, share)| share.unwrap_or_else(|| zero(of))).collect()
    };
    // Whichever way it is summed, it is the same sum; what the shares of a step look like tells which is better.
    let seeds: Vec<(Node, Node)> = carried.iter().chain(&given).map(|&at| like(&scan.results[at])).collect();
    let trial = owed(&seeds);
    let (at_once, summed) = AtOnce::chosen(&constants, &trial, scan);

    let sums = summed.iter().map(|&number| filled(&zero(&inputs[number]), inputs[number].shape()));
    let first: Vec<Node> = carried.iter().map(|&number| part(number)).chain(sums).collect();
    let kept = Kept::of(scan, &trial);
    let [mut along, stacked] = kept.stacked(node, scan);
    along.extend_from_slice(&inputs[steps.clone()]);
    along.extend(given.iter().map(|&number| part(number)).chain(stacked));
    let mut later: Vec<AtOnce> = Vec::new();
    let [last, all] = Node::scan(scan.axis, !scan.backwards, &first, &along, |owes, slices| {
        let (befores, others) = slices.split_at(steps.end.min(slices.len()));
        let (ys, again) = others.split_at(given.len().min(others.len()));
        let (owes, sums) = owes.split_at(carried.len().min(owes.len()));
        let roots = carried.iter().zip(owes).chain(given.iter().zip(ys));
        let seeds: Vec<(Node, Node)> =
            roots.map(|(&number, owes)| (scan.results[number].clone(), owes.clone())).collect();
        let shares = kept.onto(&owed(&seeds), scan, &[befores, &inputs[steps.end..]].concat(), again);
        let next = carried.iter().map(|&number| shares[number].clone());
        let sums = summed.iter().zip(sums).map(|(&number, sum)| plus(sum, &shares[number]));
        let mut results: Vec<Node> = sliced.iter().map(|&number| shares[number].clone()).collect();
        later = at_once.iter().map(|&number| AtOnce::of(&shares[number], slices, &mut results)).collect();
        [next.chain(sums).collect(), results]
    });
    let at_once = at_once.iter().zip(later.iter().map(|sum| sum.over_all(scan.axis, &along, &all)));
    let mut shares = Shares::from_elem(None, inputs.len());
    at_once.for_each(|(&number, share)| shares[number] = Some(share));
    let owners = carried.iter().chain(&summed).zip(last).chain(sliced.iter().zip(all));
    owners.for_each(|(&number, share)| shares[number] = Some(share));
    shares
}

/// A result, and something that stands for what it is owed.
fn like(result: &Node) -> (Node, Node) {
    (result.clone(), Node::new(Op::Placeholder(0), [], result.shape().clone(), result.kind()))
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

#[cfg(test)]
mod tests;
