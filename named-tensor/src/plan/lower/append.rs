//! Concatenation to a stored tensor as a step that appends.
//!
//! Lives here: which concatenations append, and how their results lie: the axis outermost, so that new positions stand
//! behind the old ones, the other axes as they lie in the tensor that grows. Not here: the memory (`plan::append`).

use super::{Lowering, dense};
use crate::axis::Name;
use crate::graph::Op;
use crate::graph::value::Strides;
use crate::kernel::order::sort_few;
use crate::plan::layout::{Order, Place, far_first};
use crate::plan::numbered::few;
use crate::plan::schedule::{Action, Piece, Sizes};
use crate::plan::simplify::Work;
use crate::plan::weighed;

/// So many times as many positions as are added at least, where a tensor is held to grow.
const FEW: usize = 4;

impl Lowering<'_, '_> {
    /// Whether a concatenation puts a few positions behind those of a stored tensor, or any behind none, and its result is
    /// kept: then it may be expected to grow on. Room for as many positions again, and the axis outermost whatever lies
    /// otherwise, are not for anything else: two tensors of about one size are put side by side as they lie.
    pub(super) fn grows(&self, i: u32) -> bool {
        let item = self.items.item(i);
        if item.inputs.len() > 2 {
            return false;
        }
        let [first, second] = [0, 1].map(|which| self.items.item(item.inputs[which]));
        let [before, added] = [first, second].map(|part| part.shape.elements());
        let few = added > 0 && !weighed::is_less(before, added.saturating_mul(FEW));
        let stored = self.trace.value(first.node).is_some();
        let begins = before == 0;
        (few && stored || begins) && first.shape.rank() == item.shape.rank() && self.is_kept(i)
    }

    /// Whether an item is a root, maybe under other names.
    fn is_kept(&self, i: u32) -> bool {
        self.items.roots.iter().any(|&root| {
            let mut kept = root;
            while kept > i && matches!(self.items.item(kept).work, Work::Op(Op::Rename | Op::StopGradient)) {
                kept = self.items.item(kept).inputs[0];
            }
            kept == i
        })
    }

    /// The step that appends along `axis`.
    pub(super) fn append(&mut self, i: u32, axis: Name) {
        let item = self.items.item(i);
        let [before, added] = [0, 1].map(|which| {
            let input = item.inputs[which];
            let (shape, place) = (self.items.item(input).shape, &self.places[&input]);
            let along = |name| shape.position(name).map_or(0, |at| place.strides[at]);
            let strides: Strides = few(item.shape.names().map(along));
            (shape.size(axis).unwrap_or(0), Place { slot: place.slot, offset: place.offset, strides })
        });
        let mut order: Order = (0..item.shape.rank()).collect();
        // An axis of one position lies anywhere; a stable order keeps such axes where they are.
        sort_few(&mut order, |&at| (item.shape.names().nth(at) != Some(axis), far_first(before.1.strides[at])));
        let strides = dense(item.shape, &order);
        let sizes = |positions: usize| -> Sizes {
            few(item.shape.iter().map(|(name, size)| if name == axis { positions } else { size }))
        };
        let old = sizes(before.0);
        let continues =
            old.iter().zip(&strides).zip(&before.1.strides).all(|((&size, to), from)| size == 1 || to == from);
        let start = old.iter().product();
        let first = Piece { source: before.1, sizes: old, offset: 0, strides: strides.clone() };
        let second = Piece { source: added.1, sizes: sizes(added.0), offset: start, strides };
        self.step(i, &order, Action::Append { pieces: Box::new([first, second]), continues });
    }
}
