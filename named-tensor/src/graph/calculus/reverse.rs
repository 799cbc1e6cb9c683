//! Backwards: from the cotangents of results to those of variables.
//!
//! The cotangent of a node is the derivative of what is differentiated by it, its axes beside those of the seeds.
//! Lives here: the sweep. Not here: the adjoint of each primitive (`adjoint`).

use std::collections::HashMap;

use super::adjoint::adjoint;
use super::dependent;
use super::forms::{is_real, plus};
use crate::axis::Name;
use crate::graph::Node;

/// What `variables` owe when the roots are owed their seeds, (root, seed); none where no root depends on a variable.
/// The axes `keep` of the seeds, or of a lifted function, are carried along. A variable that is computed from another
/// one passes on what it owes.
pub(crate) fn reverse(seeds: &[(Node, Node)], variables: &[Node], keep: &[Name]) -> Vec<Option<Node>> {
    let roots: Vec<Node> = seeds.iter().map(|(root, _)| root.clone()).collect();
    let order = dependent(&roots, variables);
    // What each node that depends on a variable owes; the others are not asked.
    let mut owed: HashMap<usize, Option<Node>> = order.iter().map(|node| (node.id(), None)).collect();
    let owe = |owed: &mut HashMap<usize, Option<Node>>, node: &Node, more: Node| {
        if let Some(sum) = owed.get_mut(&node.id()) {
            *sum = Some(sum.as_ref().map_or_else(|| more.clone(), |sum| plus(sum, &more)));
        }
    };
    for (root, seed) in seeds {
        owe(&mut owed, root, seed.clone());
    }
    for node in order.iter().rev().filter(|node| is_real(node.kind())) {
        let Some(cotangent) = owed.get(&node.id()).cloned().flatten() else { continue };
        let wanted = |input: usize| node.inputs().get(input).is_some_and(|input| owed.contains_key(&input.id()));
        let shares = adjoint(node, &cotangent, &wanted, keep);
        for (input, share) in node.inputs().iter().zip(shares) {
            if let Some(share) = share.filter(|_| is_real(input.kind())) {
                owe(&mut owed, input, share);
            }
        }
    }
    variables.iter().map(|variable| owed.get(&variable.id()).cloned().flatten()).collect()
}
