//! What the derivative of a scan keeps of each step: the carries before it, and what would take a product to compute again.
//!
//! The adjoint of a step needs numbers of the step. All of them follow from its carries; but if those of products are few, as
//! the gates of a recurrent cell are, they are kept as well, after what is added to them. Of a step with attention, or with
//! more, nothing but the carries is kept: memory is worth more there than what is computed again.
//! Lives here: which numbers those are, and the scan that gives them out. Not here: the adjoint (`scan`).

use super::forms::filled;
use crate::graph::ids::{ById, Ids};
use crate::graph::op::Scan;
use crate::graph::{Node, Op, Shape};

/// How many times as many numbers as the carries have are kept besides.
const REPAID: usize = 8;

/// What is kept of each step besides the carries, as nodes of its body.
pub(super) struct Kept(Vec<Node>);

impl Kept {
    /// Chosen by what the adjoint of a step, these shares, reads.
    pub(super) fn of(scan: &Scan, shares: &[Node]) -> Kept {
        let body = Node::walk(&scan.results);
        let is_inside: Ids = body.iter().map(Node::id).collect();
        if body.iter().any(|node| matches!(node.op(), Op::Softmax { .. } | Op::Scan(_) | Op::Call(_))) {
            return Kept(Vec::new());
        }
        // What is read by the adjoint, and by what else that it needs.
        let mut read: Ids = shares.iter().map(Node::id).filter(|id| is_inside.contains(id)).collect();
        for node in Node::walk_until(shares, |node| is_inside.contains(&node.id())) {
            if !is_inside.contains(&node.id()) {
                read.extend(node.inputs().iter().map(Node::id).filter(|id| is_inside.contains(id)));
            }
        }
        let mut readers: ById<Vec<usize>> = ById::default();
        let mut needed = read.clone();
        for (at, node) in body.iter().enumerate().rev().filter(|(_, node)| !node.inputs().is_empty()) {
            if needed.contains(&node.id()) {
                for input in node.inputs() {
                    needed.insert(input.id());
                    readers.entry(input.id()).or_default().push(at);
                }
            }
        }
        // A product, or what alone reads it and is no larger.
        let last = |node: &Node| {
            let mut node = node.clone();
            while let (false, Some([reader])) = (read.contains(&node.id()), readers.get(&node.id()).map(Vec::as_slice))
            {
                let next = &body[*reader];
                let is_like = matches!(next.op(), Op::Unary(_) | Op::Binary(_) | Op::Rename);
                if !is_like || next.shape().elements() > node.shape().elements() {
                    break;
                }
                node = next.clone();
            }
            node
        };
        let is_product = |node: &&Node| matches!(node.op(), Op::Contract(axes) if !axes.is_empty());
        let products: Vec<Node> =
            body.iter().filter(is_product).filter(|node| needed.contains(&node.id())).map(last).collect();
        let ids: Ids = products.iter().map(Node::id).collect();
        // Only those that are met on the way down from what is read.
        let roots: Vec<Node> = body.iter().filter(|node| read.contains(&node.id())).cloned().collect();
        let met = Node::walk_until(&roots, |node| ids.contains(&node.id()));
        let kept: Vec<Node> = met.into_iter().filter(|node| ids.contains(&node.id())).collect();
        let size = |nodes: &[Node]| nodes.iter().map(|node| node.shape().elements()).fold(0, usize::saturating_add);
        let fits = size(&kept) <= REPAID.saturating_mul(size(&scan.placeholders[..scan.carries]));
        Kept(if fits { kept } else { Vec::new() })
    }

    /// Each carry as it is before the step at each position, and what else is kept.
    pub(super) fn stacked(&self, node: &Node, scan: &Scan) -> [Vec<Node>; 2] {
        let (next, ys) = scan.results.split_at(scan.carries);
        let known = |number: usize| ys.iter().position(|y| scan.size > 0 && y.id() == next[number].id());
        let unknown: Vec<usize> = (0..scan.carries).filter(|&number| known(number).is_none()).collect();
        let further: Vec<Node> =
            unknown.iter().map(|&number| scan.placeholders[number].clone()).chain(self.0.iter().cloned()).collect();
        let more = if further.is_empty() { node.clone() } else { scan.with_results(node, further) };
        let mut further = (scan.results.len()..).map(|number| more.part(number));
        let before = |number: usize| match known(number) {
            // What the scan gives out already need not be given out again.
            Some(y) => {
                let all = node.part(scan.carries + y);
                let first = filled(&node.inputs()[number], &Shape::new([(scan.axis, 1)]));
                if scan.backwards {
                    all.slice(scan.axis, 1..scan.size, 1).concat(scan.axis, &first)
                } else {
                    first.concat(scan.axis, &all.slice(scan.axis, 0..scan.size - 1, 1))
                }
            }
            None => further.next().unwrap_or_else(|| node.clone()),
        };
        let carries = (0..scan.carries).map(before).collect();
        [carries, further.take(self.0.len()).collect()]
    }

    /// Roots that are made of what stands in the body, made of these inputs and of what was kept.
    pub(super) fn onto(&self, roots: &[Node], scan: &Scan, inputs: &[Node], again: &[Node]) -> Vec<Node> {
        let stood = scan.placeholders.iter().chain(&self.0).map(Node::id);
        Node::substitute(roots, &stood.zip(inputs.iter().chain(again).cloned()).collect())
    }
}
