//! Backwards: from the cotangents of results to those of variables.
//!
//! The cotangent of a node is the derivative of what is differentiated by it, its axes beside those of the seeds.
//! Lives here: the sweep. Not here: the adjoint of each primitive (`adjoint`).

use smallvec::SmallVec;

use super::adjoint::{adjoint, of_rows};
use super::forms::{is_real, minus, plus, times};
use super::{Tangent, dependent};
use crate::axis::Name;
use crate::element::Unary;
use crate::graph::ids::ById;
use crate::graph::op::Whole;
use crate::graph::shape::Names;
use crate::graph::{Node, Op};

/// What `variables` owe when the roots are owed their seeds, (root, seed); none where no root depends on a variable.
/// The axes `keep` of the seeds, or of a lifted function, are carried along, under whatever names functions that are
/// lifted again give them. A variable that is computed from another one passes on what it owes.
pub(crate) fn reverse(seeds: &[(Node, Node)], variables: &[Node], keep: &[Name]) -> Vec<Option<Node>> {
    let mut kept = Kept::new(keep);
    let roots: Vec<Node> = seeds.iter().map(|(root, _)| root.clone()).collect();
    let order = dependent(&roots, variables);
    // What each node that depends on a variable owes; the others are not asked.
    let mut owed: ById<Option<Node>> = order.iter().map(|node| (node.id(), None)).collect();
    let owe = |owed: &mut ById<Option<Node>>, node: &Node, more: Node| {
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
        kept.meet(node);
        if let Some((x, share)) = whole(node, &cotangent, variables) {
            owe(&mut owed, &x, kept.seen_from(&x, share));
            continue;
        }
        let shares = adjoint(node, &cotangent, &wanted, &kept.names);
        for (input, share) in node.inputs().iter().zip(shares) {
            if let Some(share) = share.filter(|_| is_real(input.kind())) {
                owe(&mut owed, input, kept.seen_from(input, share));
            }
        }
    }
    variables.iter().map(|variable| owed.get(&variable.id()).cloned().flatten()).collect()
}

/// What the tensor owes that `node` is a function of, if it is a primitive that is written out and no variable stands inside.
fn whole(node: &Node, g: &Node, variables: &[Node]) -> Option<(Node, Node)> {
    let written = node.written_out()?;
    let is_variable = |inside: &Node| variables.iter().any(|variable| variable.id() == inside.id());
    if written.has_inside(node, is_variable) {
        return None;
    }
    let x = &written.of;
    let share = match &written.whole {
        Whole::Op(op) => of_rows(op, x, node, g)?,
        // y = log Σ exp X:  X owes exp(X - y) * g
        Whole::LogSum(_) => times(&minus(x, node).unary(Unary::Exp), g),
    };
    Some((x.clone(), share))
}

/// The axes that are carried along. A function that is lifted again, inside, has names of its own for them.
pub(super) struct Kept {
    names: Names,
    /// For each of the names, what the axis is called outside.
    outside: Names,
}

impl Kept {
    pub(super) fn new(names: &[Name]) -> Kept {
        Kept { names: names.into(), outside: names.into() }
    }

    /// Learns the names under which a renaming hands them on.
    pub(super) fn meet(&mut self, node: &Node) {
        let (Op::Rename, [x]) = (node.op(), node.inputs()) else { return };
        for (inside, name) in x.shape().names().zip(node.shape().names()) {
            if let Some(at) =
                self.names.iter().position(|other| *other == name).filter(|_| !self.names.contains(&inside))
            {
                self.names.push(inside);
                self.outside.push(self.outside[at]);
            }
        }
    }

    /// A share of `node`. An axis that the node has not got itself is called as it is outside: nothing below the node has
    /// it, and nothing there renames it back.
    fn seen_from(&self, node: &Node, share: Node) -> Node {
        let inner = self.names.iter().copied().zip(self.outside.iter().copied());
        let foreign =
            |&(name, outside): &(Name, Name)| name != outside && share.shape().has(name) && !node.shape().has(name);
        let pairs: SmallVec<[(Name, Name); 2]> = inner.filter(foreign).collect();
        if pairs.is_empty() { share } else { share.rename(&pairs) }
    }

    /// The change of an input of `node`. An axis that the input has not got itself is called as the other inputs call it.
    pub(super) fn seen_beside(&self, node: &Node, input: &Node, change: &Tangent) -> Option<Tangent> {
        let has = |name: &Name| node.inputs().iter().any(|input| input.shape().has(*name));
        let beside = |outside: Name| {
            let inner = self.names.iter().zip(&self.outside).filter(|&(_, other)| *other == outside);
            inner.map(|(name, _)| *name).find(has)
        };
        let known = self.names.iter().zip(&self.outside);
        let foreign = known.filter(|&(name, _)| change.has(*name) && !input.shape().has(*name));
        let renamed = foreign.filter_map(|(&name, &outside)| beside(outside).map(|other| (name, other)));
        let pairs: SmallVec<[(Name, Name); 2]> = renamed.filter(|(name, other)| name != other).collect();
        (!pairs.is_empty()).then(|| change.renamed(&pairs))
    }
}
