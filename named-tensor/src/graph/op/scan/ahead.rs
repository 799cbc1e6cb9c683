//! What the steps of a scan multiply by weights and no carry has a part in: computed for all positions at once.
//!
//! A recurrent network computes  `f(X(i) ⊙ W + h ⊙ U)`.  The first product needs no h: as  `X ⊙ W`, with the axis of the steps as any other, it is
//! one product of matrices, and each step takes its position of it.
//! Lives here: which products these are. Not here: the body of the scan (`scan`).

use super::Draft;
use crate::graph::ids::{ById, Ids, no_ids};
use crate::graph::{Node, Op};

/// How many times as large as what goes along the steps a product may be: it is kept for all of them.
const LARGEST: usize = 8;

impl Draft {
    /// Puts products that no carry has a part in among the tensors that the scan goes along.
    pub(super) fn take_ahead(&mut self, results: &mut [Node]) {
        let mut carried = no_ids();
        carried.extend(self.carries.iter().map(Node::id));
        let mut placeholders: ById<Node> = ById::default();
        for node in Node::walk(results) {
            if node.inputs().iter().any(|input| carried.contains(&input.id())) {
                carried.insert(node.id());
            } else if let Some(product) = self.at_all_positions(&node) {
                let placeholder = Node::new(Op::Placeholder(0), [], node.shape().clone(), node.kind());
                self.slices.push(placeholder.clone());
                self.along.push(product);
                placeholders.insert(node.id(), placeholder);
            }
        }
        if !placeholders.is_empty() {
            let replaced = Node::substitute(results, &placeholders);
            results.clone_from_slice(&replaced);
        }
    }

    /// The product that is `node` at each position, if one of its factors goes along the steps and it is not much larger.
    fn at_all_positions(&self, node: &Node) -> Option<Node> {
        let (Op::Contract(axes), [x, y]) = (node.op(), node.inputs()) else { return None };
        let has_axis = |node: &Node| node.shape().has(self.axis);
        if axes.is_empty() || [x, y, node].into_iter().any(has_axis) {
            return None;
        }
        let [left, right] = [x, y].map(|factor| self.along(factor));
        let along = [(x, &left), (y, &right)].into_iter().filter(|(_, along)| along.is_some());
        let largest = along.map(|(factor, _)| factor.shape().elements()).max()?;
        let fits = node.shape().elements() <= LARGEST.saturating_mul(largest);
        let is_known = |factor: &Node, along: &Option<Node>| along.is_some() || !self.depends(factor);
        if !fits || !is_known(x, &left) || !is_known(y, &right) {
            return None;
        }
        let product = left.as_ref().unwrap_or(x).contract(right.as_ref().unwrap_or(y), axes);
        product.error().is_none().then_some(product)
    }

    /// What is this node at each position: one of the tensors that the scan goes along, perhaps under other names.
    fn along(&self, node: &Node) -> Option<Node> {
        if let Some(at) = self.slices.iter().position(|slice| slice.id() == node.id()) {
            return self.along.get(at).cloned();
        }
        match (node.op(), node.inputs()) {
            (Op::Rename, [x]) => {
                let names: Vec<_> = x.shape().names().zip(node.shape().names()).collect();
                self.along(x).map(|along| along.rename(&names))
            }
            _ => None,
        }
    }

    /// Whether a node depends on the position. What it is computed from is looked through as far as there is something of a step.
    fn depends(&self, node: &Node) -> bool {
        let mut seen = Ids::default();
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            if self.slices.iter().any(|slice| slice.id() == node.id()) {
                return true;
            }
            if node.value().is_none() && seen.insert(node.id()) {
                stack.extend(node.inputs());
            }
        }
        false
    }
}
