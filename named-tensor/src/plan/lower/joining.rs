//! Pieces put side by side as steps: concatenation, a border, merged axes that lie apart.
//!
//! A result lies as the largest of its pieces does, so that what follows each other in memory does so in the result, too.
//! Lives here: that order, and where each piece lies in the result. Not here: the loops (`kernel::copy`), what is appended
//! to in place (`append`).

use std::cmp::Reverse;

use smallvec::SmallVec;

use super::Lowering;
use crate::axis::Name;
use crate::graph::Op;
use crate::graph::shape::Names;
use crate::graph::value::row_major;
use crate::kernel::order::sort_few;
use crate::plan::layout::{Order, Place};
use crate::plan::numbered::few;
use crate::plan::schedule::{Action, Piece, Sizes};
use crate::plan::simplify::Work;
use crate::plan::weighed;

impl Lowering<'_, '_> {
    /// Copies inputs, each to where its axes begin or to some position of one of them.
    pub(super) fn join(&mut self, i: u32, around: Option<f64>, inputs: &[(usize, Option<(Name, usize)>)]) {
        let order = self.order_of_pieces(i, inputs.len());
        let pieces = inputs.iter().map(|&(which, from)| self.piece(i, which, &order, from)).collect();
        self.step(i, &order, Action::Join { around, pieces });
    }

    /// All inputs, one behind the other along an axis. If the users want other axes fastest, of which the last one is fastest
    /// in the inputs, it lies so.
    pub(super) fn join_beside(&mut self, i: u32, axis: Name) {
        let item = self.items.item(i);
        let mut start = 0;
        let inputs: SmallVec<[(usize, Option<(Name, usize)>); 4]> = few((0..item.inputs.len()).map(|which| {
            let from = start;
            start += self.items.item(item.inputs[which]).shape.size(axis).unwrap_or(0);
            (which, Some((axis, from)))
        }));
        let mut order = self.order_of_pieces(i, inputs.len());
        let name = |at: usize| item.shape.names().nth(at);
        if let (Some(tail), Some(&last)) = (self.tails.get(&i), order.last())
            && tail.last().copied() == name(last)
        {
            let rank = |at: usize| name(at).and_then(|name| tail.iter().position(|&other| other == name));
            sort_few(&mut order, |&at| rank(at).map_or(0, |rank| rank + 1));
        }
        let pieces = inputs.iter().map(|&(which, from)| self.piece(i, which, &order, from)).collect();
        self.step(i, &order, Action::Join { around: None, pieces });
    }

    /// The axes of a result made of its first inputs, in the order in which the largest of them lies. Along which it has one
    /// number or repeats itself, those come first.
    pub(super) fn order_of_pieces(&self, i: u32, count: usize) -> Order {
        let item = self.items.item(i);
        let elements = |which: usize| self.items.item(item.inputs[which]).shape.elements();
        let larger =
            |most: usize, which: usize| if weighed::is_less(elements(most), elements(which)) { which } else { most };
        let input = item.inputs[(1..count).fold(0, larger)];
        let (shape, place) = (self.items.item(input).shape, &self.places[&input]);
        let stride = |name: Name| match shape.position(name) {
            Some(at) if shape.size(name) != Some(1) => place.strides[at].unsigned_abs(),
            _ => 0,
        };
        let steps: SmallVec<[usize; 8]> = few(item.shape.names().map(|name| {
            let several = self.parts_of(i, name).into_iter().map(stride).filter(|&stride| stride > 0);
            several.min().unwrap_or(usize::MAX)
        }));
        let mut order: Order = few(0..steps.len());
        sort_few(&mut order, |&at| Reverse(steps[at]));
        order
    }

    /// What stands in the place of an axis: the axes that it was merged of, or itself.
    fn parts_of(&self, i: u32, name: Name) -> Names {
        match self.items.item(i).work {
            Work::Op(Op::Merge(parts, into)) if *into == name => (**parts).clone(),
            _ => Names::from_slice(&[name]),
        }
    }

    /// The input `which` as a piece of the result, whose axes lie in this order: from its beginning on, or from some position
    /// of an axis.
    pub(super) fn piece(&self, i: u32, which: usize, order: &[usize], from: Option<(Name, usize)>) -> Piece {
        let item = self.items.item(i);
        let (shape, place) = (self.items.item(item.inputs[which]).shape, &self.places[&item.inputs[which]]);
        let (all, sizes): (Names, Sizes) = item.shape.iter().unzip();
        let names: Names = order.iter().flat_map(|&at| self.parts_of(i, all[at])).collect();
        let whole = row_major(order.iter().map(|&at| sizes[at]));
        let offset = from.map_or(0, |(axis, positions)| {
            let along = order.iter().zip(&whole).find(|&(&at, _)| all[at] == axis);
            positions * along.map_or(0, |(_, step)| step.unsigned_abs())
        });
        // Along an axis that only the result has, the input repeats itself.
        let sizes: Sizes = few(names.iter().map(|&name| shape.size(name).or(item.shape.size(name)).unwrap_or(1)));
        // A merged axis has several in its place: then the result is walked as if it had them.
        let merged = matches!(item.work, Work::Op(Op::Merge(..)));
        let strides = if merged { row_major(sizes.iter().copied()) } else { whole };
        let along = |&name: &Name| shape.position(name).map_or(0, |at| place.strides[at]);
        let source = Place { slot: place.slot, offset: place.offset, strides: few(names.iter().map(along)) };
        Piece { source, sizes, offset, strides }
    }
}
