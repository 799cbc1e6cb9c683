//! What the parts of something joined are owed: slices of a product, which are the product with slices.
//!
//! `sum_i((G ⊙_out W)_{in(..3)})`  is  `sum_i(G) ⊙_out W_{in(..3)}`, where the part lacks i; where it was read at
//! positions, what it is owed is summed at them before it is multiplied.
//! Lives here: when all that is needed of a product are such slices. Not here: sums at positions, which the order of products
//! brings to their place (`order`).

use smallvec::SmallVec;

use super::{LARGEST_RANK, MOVED, Parting, STEP, SUMMED, WORTH, renamed, summed};
use crate::axis::Name;
use crate::element::Binary;
use crate::graph::op::Reduction;
use crate::graph::{Node, Op};
use crate::plan::weighed;

/// The axes that a product sums, if a node is one.
fn multiplied(node: &Node) -> Option<&[Name]> {
    match node.op() {
        Op::Contract(axes) => Some(axes),
        Op::Binary(Binary::Mul) if node.kind().is_real() => Some(&[]),
        _ => None,
    }
}

impl Parting<'_, '_> {
    /// A slice of a product as the product with a slice, summed over these axes, if that is worth it.
    pub(super) fn sliced(&mut self, made: &[Node], slice: u32, lost: &[Name]) -> Option<Node> {
        let trace = self.trace;
        let (node, &[mut at]) = (trace.node(slice), trace.inputs(slice)) else { return None };
        let &Op::Slice { axis, mut start, mut step } = node.op() else { return None };
        let mut names: SmallVec<[[Name; 2]; 8]> = node.shape().names().map(|name| [name, name]).collect();
        let inside = |names: &[[Name; 2]]| names.iter().find(|name| name[1] == axis).map(|name| name[0]);
        loop {
            match (trace.node(at).op(), trace.inputs(at)) {
                (Op::Rename, &[x]) => {
                    for [inner, _] in &mut names {
                        *inner = trace.node(x).shape().names().nth(trace.node(at).shape().position(*inner)?)?;
                    }
                    at = x;
                }
                // A slice of a slice is one.
                (&Op::Slice { axis, start: first, step: each }, &[x]) if inside(&names) == Some(axis) => {
                    (start, step, at) = (first + start * each, step * each, x);
                }
                _ => break,
            }
        }
        let (axes, &[x, y]) = (multiplied(trace.node(at))?, trace.inputs(at)) else { return None };
        let inside = inside(&names)?;
        let has = |input: u32| trace.node(input).shape().has(inside);
        let [cut, other] = if has(x) { [x, y] } else { [y, x] };
        let fits = !has(other)
            && !self.softened.contains(&inside)
            && trace.node(at).shape().rank() + axes.len() <= LARGEST_RANK;
        // A name that is summed may stand for another axis further out.
        if !fits || names.iter().any(|[_, outer]| axes.contains(outer)) || !self.is_worth(at, cut, other) {
            return None;
        }
        let outside = |name| names.iter().find(|names| names[0] == name).map(|names| names[1]);
        let [cut, other] = [cut, other].map(|input| renamed(&made[input as usize], outside));
        if lost.iter().any(|&name| cut.shape().has(name)) {
            return None;
        }
        let size = node.shape().size(axis)?;
        let end = if size == 0 { start } else { start + (size - 1) * step + 1 };
        let inputs = [summed(&other, lost), cut.slice(axis, start..end, step)];
        let shape = node.shape().without(lost);
        inputs
            .iter()
            .all(|input| input.error().is_none())
            .then(|| Node::new(trace.node(at).op().clone(), inputs, shape, node.kind()))
    }

    /// Whether a product is only taken apart, and takes much less if its operand `cut` is, because slices of it are summed.
    fn is_worth(&self, product: u32, cut: u32, other: u32) -> bool {
        let number = |of: u32| self.trace.node(of).shape().sizes().map(|size| size as f64).product::<f64>();
        let Some(slices) = self.slices(product) else { return false };
        let Some(axes) = multiplied(self.trace.node(product)) else { return false };
        let terms = axes.iter().filter_map(|&name| self.trace.node(cut).shape().size(name));
        let terms = terms.map(|size| size as f64).product::<f64>();
        let (mut apart, mut together, mut are_summed) = (0.0, STEP + terms * number(product), false);
        for slice in slices {
            let all = terms * number(slice);
            let moved = self.user(slice).and_then(|user| match self.trace.node(user).op() {
                Op::Reduce(Reduction::Sum, _) => Some((user, MOVED)),
                Op::ScatterAdd { .. } => Some((user, SUMMED)),
                _ => None,
            });
            apart += STEP;
            let Some((user, moved)) = moved else {
                apart += all;
                continue;
            };
            let least = moved * number(other) + terms * number(user);
            let after = all + moved * number(slice);
            together += moved * number(slice);
            are_summed = true;
            apart += if weighed::is_cheaper(least, after) { least } else { after };
        }
        are_summed && weighed::is_cheaper(apart, WORTH * together)
    }

    /// The only node that needs another one, under whatever names.
    fn user(&self, mut node: u32) -> Option<u32> {
        loop {
            let &[user] = &self.users[node as usize][..] else { return None };
            match self.trace.node(user).op() {
                _ if self.is_root[node as usize] => return None,
                Op::Rename => node = user,
                _ => return Some(user),
            }
        }
    }

    /// The slices along one axis that are all that is needed of a node.
    fn slices(&self, node: u32) -> Option<SmallVec<[u32; 4]>> {
        let (mut slices, mut next) = (SmallVec::<[u32; 4]>::new(), SmallVec::<[u32; 4]>::from_slice(&[node]));
        let mut along = None;
        while let Some(at) = next.pop() {
            if self.is_root[at as usize] || self.users[at as usize].is_empty() {
                return None;
            }
            for &user in &self.users[at as usize] {
                match self.trace.node(user).op() {
                    Op::Rename => next.push(user),
                    Op::Slice { axis, .. } => {
                        let place = self.trace.node(at).shape().position(*axis);
                        if along.is_some_and(|along| along != place) {
                            return None;
                        }
                        along = Some(place);
                        let is_slice = |&other: &u32| matches!(self.trace.node(other).op(), Op::Slice { .. });
                        let users = &self.users[user as usize];
                        let is_between =
                            !self.is_root[user as usize] && !users.is_empty() && users.iter().all(is_slice);
                        if is_between { next.push(user) } else { slices.push(user) }
                    }
                    _ => return None,
                }
            }
        }
        Some(slices)
    }
}
