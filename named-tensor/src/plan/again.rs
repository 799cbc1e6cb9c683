//! Numbers that are known, and are taken again from what they were taken from.
//!
//! A tensor that was read keeps its numbers, and what it was computed from does not. Where a later graph computes that once
//! more, it may do so in another way, with other roundings: the largest number of a tensor would then be none of its numbers.
//! So what was only picked out of a tensor is picked again where the tensor is computed again, or is known itself.
//! Lives here: which of the known nodes that a walk ends at these are. Not here: the walk (`key`).

use smallvec::SmallVec;

use super::numbered::FoldMap;
use crate::element::{Binary, Unary};
use crate::graph::op::Reduction;
use crate::graph::{Node, Op};

/// Primitives between a known node and the tensor that it was picked from, at most.
const FAR: usize = 32;

/// Addresses of nodes, in their order.
pub(super) type Again = SmallVec<[usize; 4]>;

/// Whether the numbers of a node are numbers of its inputs, but for signs, or say where these are.
fn picks(node: &Node) -> bool {
    match node.op() {
        Op::Reduce(reduction, _) => matches!(reduction, Reduction::Max | Reduction::Min),
        Op::Unary(function) => matches!(function, Unary::Neg | Unary::Abs | Unary::Relu),
        Op::Binary(function) => matches!(function, Binary::Max | Binary::Min),
        op => matches!(
            op,
            Op::Sort { .. }
                | Op::ArgSort { .. }
                | Op::Gather(_)
                | Op::At(..)
                | Op::Slice { .. }
                | Op::Flip(_)
                | Op::DynamicSlice(_)
                | Op::Window { .. }
                | Op::Rename
                | Op::StopGradient
                | Op::Split(..)
                | Op::Merge(..)
        ),
    }
}

/// Whether a known node may be one of these: what is picked out of leaves is the same whenever it is.
pub(super) fn may_be(node: &Node) -> bool {
    picks(node) && node.inputs().iter().any(|input| !input.inputs().is_empty())
}

/// Those of these known nodes, and of known ones below them, that are picked out of a node in the list.
pub(super) fn picked(known: &[&Node], is_listed: impl Fn(&Node) -> bool) -> Again {
    if known.is_empty() {
        return Again::new();
    }
    let mut search = Search { is_listed, seen: FoldMap::default(), again: Again::new() };
    for node in known {
        search.comes_from_listed(node, FAR);
    }
    search.again.sort_unstable();
    search.again
}

struct Search<F> {
    is_listed: F,
    /// What was found of nodes, by their addresses.
    seen: FoldMap<usize, Option<bool>>,
    again: Again,
}

impl<F: Fn(&Node) -> bool> Search<F> {
    /// Whether a node is in the list or picked out of nodes in it; none if it is neither, nor known, nor a leaf.
    fn comes_from_listed(&mut self, node: &Node, far: usize) -> Option<bool> {
        if node.inputs().is_empty() {
            return Some(false);
        }
        if let Some(&found) = self.seen.get(&node.id()) {
            return found;
        }
        let (is_listed, is_known_pick) = ((self.is_listed)(node), node.value().is_some() && picks(node));
        let mut found = match () {
            () if is_listed && !is_known_pick => Some(true),
            () if picks(node) && far > 0 => {
                let all = |found: bool, input| Some(self.comes_from_listed(input, far - 1)? || found);
                node.inputs().iter().try_fold(false, all)
            }
            () => None,
        };
        if is_known_pick && found == Some(true) {
            self.again.push(node.id());
        } else if node.value().is_some() && found != Some(true) {
            // As it is known it may be in the list itself, or a leaf beside it.
            found = Some(is_listed);
        }
        self.seen.insert(node.id(), found);
        found
    }
}
