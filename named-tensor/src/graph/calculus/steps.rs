//! Sums over all steps of a scan, taken at once when all steps are done.
//!
//! A weight that every step multiplies by owes  `Σ_i Σ_b X(i) g(i)`.  In the loop that is a product of small matrices in each step, and
//! a weight that is read and written as often. Where X(i) and g(i) are no larger than the weight, they are kept
//! instead, and  `Σ_{i,b} X g`  is one product. What goes along the steps anyway is not kept again.
//! Lives here: when that is better, what each step gives out for it, and the sum. Not here: the scan (`scan`).

use super::forms::{dot, total};
use crate::axis::Name;
use crate::graph::op::{Reduction, Scan};
use crate::graph::{Node, Op};

/// How many times as large as the sum what is multiplied in each step may be.
const REPAID: usize = 2;
/// How many times as large as all that goes along the steps what is kept for it may be.
const KEPT: usize = 8;

/// A sum over all steps.
pub(super) struct AtOnce {
    /// What is summed, and what it is multiplied by.
    first: Factor,
    second: Option<Factor>,
    /// Besides the steps, the axes that it is summed over.
    over: Vec<Name>,
    /// What the axes are called then.
    names: Vec<(Name, Name)>,
}

/// A tensor with the axis of the steps.
enum Factor {
    /// One of those that the scan goes along, and its axes' names in the step.
    Along(usize, Vec<(Name, Name)>),
    /// One of the results of all steps.
    Given(usize),
}

impl AtOnce {
    /// Which of these constants owe something that is better summed when all steps are done, and which do not; `shares` are
    /// those of a step, by number.
    pub(super) fn chosen(constants: &[usize], shares: &[Node], scan: &Scan) -> (Vec<usize>, Vec<usize>) {
        let along = &scan.placeholders[..scan.carries + scan.slices];
        let sums: Vec<Option<Node>> = constants
            .iter()
            .map(|&number| {
                let (sum, _) = renamed(&shares[number]);
                let is_sum = matches!(sum.op(), Op::Contract(_) | Op::Reduce(Reduction::Sum, _));
                Some(sum).filter(|_| is_sum && scan.size > 1)
            })
            .collect();
        let is_small = |sum: &Node| {
            let size = |factor: &Node| factor.shape().elements();
            let is_kept = |factor: &&Node| !along.iter().any(|slice| slice.id() == renamed(factor).0.id());
            let (all, kept) = (sum.inputs().iter(), sum.inputs().iter().filter(is_kept));
            all.map(size).sum::<usize>() <= REPAID.saturating_mul(sum.shape().elements())
                && kept.map(size).sum::<usize>() <= KEPT.saturating_mul(along.iter().map(size).sum())
        };
        let kept: Vec<usize> = sums
            .iter()
            .flatten()
            .filter(|sum| is_small(sum))
            .flat_map(|sum| sum.inputs().iter().map(Node::id))
            .collect();
        // A bias owes a sum of what is kept for the weights beside it.
        let is_kept = |sum: &Node| is_small(sum) || sum.inputs().iter().all(|factor| kept.contains(&factor.id()));
        let all = constants.iter().copied().zip(&sums);
        let (at_once, summed): (Vec<_>, Vec<_>) = all.partition(|(_, sum)| sum.as_ref().is_some_and(is_kept));
        let numbers = |some: Vec<(usize, _)>| some.into_iter().map(|(number, _)| number).collect();
        (numbers(at_once), numbers(summed))
    }

    /// The sum of this share over all steps, which go along `slices`. What it needs of a step besides is put to `results`.
    pub(super) fn of(share: &Node, slices: &[Node], results: &mut Vec<Node>) -> AtOnce {
        let (sum, names) = renamed(share);
        let (first, second, over) = match (sum.op(), sum.inputs()) {
            (Op::Contract(axes), [x, y]) => (x, Some(y), axes.to_vec()),
            (Op::Reduce(Reduction::Sum, axes), [x]) => (x, None, axes.to_vec()),
            _ => (&sum, None, Vec::new()),
        };
        let mut factor = |factor: &Node| {
            let (stored, names) = renamed(factor);
            if let Some(at) = slices.iter().position(|slice| slice.id() == stored.id()) {
                return Factor::Along(at, names);
            }
            let known = results.iter().position(|result| result.id() == factor.id());
            Factor::Given(known.unwrap_or_else(|| {
                results.push(factor.clone());
                results.len() - 1
            }))
        };
        AtOnce { first: factor(first), second: second.map(factor), over, names }
    }

    /// The sum, of what the scan goes along this axis and what its steps have given out.
    pub(super) fn over_all(&self, axis: Name, along: &[Node], given: &[Node]) -> Node {
        let tensor = |factor: &Factor| match factor {
            Factor::Along(at, names) => along[*at].rename(names),
            Factor::Given(at) => given[*at].clone(),
        };
        let over: Vec<Name> = self.over.iter().copied().chain([axis]).collect();
        let first = tensor(&self.first);
        let sum = match &self.second {
            Some(second) => dot(&first, &tensor(second), &over, first.shape()),
            None => total(&first, &over, first.shape()),
        };
        sum.rename(&self.names)
    }
}

/// What a node is under another name, and its names there and here.
fn renamed(node: &Node) -> (Node, Vec<(Name, Name)>) {
    match (node.op(), node.inputs()) {
        (Op::Rename, [x]) => {
            let (inner, before) = renamed(x);
            let now = |name: Name| x.shape().position(name).and_then(|at| node.shape().names().nth(at)).unwrap_or(name);
            let names = inner.shape().names().map(|name| {
                let then = before.iter().find(|(from, _)| *from == name).map_or(name, |(_, to)| *to);
                (name, now(then))
            });
            let names = names.collect();
            (inner, names)
        }
        _ => (node.clone(), Vec::new()),
    }
}
