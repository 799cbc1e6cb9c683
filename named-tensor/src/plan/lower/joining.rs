//! Pieces put side by side as steps: concatenation, a border, merged axes that lie apart.
//!
//! A result lies as the largest of its pieces does, so that what follows each other in memory does so in the result, too.
//! Lives here: that order, and where each piece lies in the result. Not here: the loops (`kernel::copy`), what is appended
//! to in place (`append`).

use std::cmp::Reverse;

use smallvec::SmallVec;

use super::{LARGEST_RANK, Lowering};
use crate::axis::Name;
use crate::graph::Op;
use crate::graph::shape::Names;
use crate::graph::value::row_major;
use crate::kernel::order::sort_few;
use crate::plan::layout::{Order, Place};
use crate::plan::numbered::{FoldSet, few};
use crate::plan::schedule::{Action, Piece, Sizes};
use crate::plan::simplify::{Item, Items, Work};
use crate::plan::weighed;

/// Positions of which rows are worth their copy.
const FEW: usize = 4;

/// The borders around which a border of the same number is put, and that nobody else reads.
pub(super) fn inside_others(items: &Items<'_>) -> FoldSet<u32> {
    let inside = |item: &Item<'_>| {
        let &Work::Op(&Op::Pad { value, .. }) = &item.work else { return None };
        let input = item.inputs[0];
        let is_alike = match items.item(input).work {
            Work::Op(&Op::Pad { value: other, .. }) => other.to_bits() == value.to_bits(),
            _ => false,
        };
        let fits = item.shape.rank() <= LARGEST_RANK && item.shape.elements() > 0;
        (is_alike && fits && items.uses[input as usize] == 1).then_some(input)
    };
    items.list.iter().zip(&items.uses).filter(|&(_, &uses)| uses > 0).filter_map(|(item, _)| inside(item)).collect()
}

impl Lowering<'_, '_> {
    /// Copies the only input, which lies apart, to where its axes begin.
    pub(super) fn join(&mut self, i: u32) {
        let all = &self.items.item(i).inputs[..1];
        let order = self.order_of_pieces(i, all);
        let pieces = Box::new([self.piece(i, all[0], &order, &[])]);
        self.step(i, &order, Action::Join { around: None, pieces });
    }

    /// Copies an input with a number around it. What has the same number around itself, for this alone, is copied once.
    pub(super) fn border(&mut self, i: u32, value: f64) {
        if self.borders.contains(&i) {
            return;
        }
        let (mut input, mut from) = (i, SmallVec::<[(Name, usize); 2]>::new());
        while let Work::Op(&Op::Pad { axis, before, .. }) = self.items.item(input).work
            && (input == i || self.borders.contains(&input))
        {
            // Along one axis twice it begins behind both borders.
            from.push((axis, before));
            input = self.items.item(input).inputs[0];
        }
        let order = self.order_of_pieces(i, &[input]);
        let pieces = Box::new([self.piece(i, input, &order, &from)]);
        self.step(i, &order, Action::Join { around: Some(value), pieces });
    }

    /// All inputs, one behind the other along an axis. If the users want other axes fastest, of which the last one is fastest
    /// in the inputs, it lies so.
    pub(super) fn join_beside(&mut self, i: u32, axis: Name) {
        let item = self.items.item(i);
        let mut order = self.order_of_pieces(i, &item.inputs);
        let name = |at: usize| item.shape.names().nth(at);
        if let (Some(tail), Some(&last)) = (self.tails.get(&i), order.last())
            && tail.axes.last().copied() == name(last)
        {
            let rank = |at: usize| name(at).and_then(|name| tail.axes.iter().position(|&other| other == name));
            sort_few(&mut order, |&at| rank(at).map_or(0, |rank| rank + 1));
        }
        self.join_along(i, axis, &order);
    }

    /// All inputs, one behind the other along an axis.
    pub(super) fn concat(&mut self, i: u32, axis: Name) {
        let order = self.order_of_pieces(i, &self.items.item(i).inputs);
        self.join_along(i, axis, &order);
    }

    /// The same, the axes of the result in this order.
    fn join_along(&mut self, i: u32, axis: Name, order: &Order) {
        let mut start = 0;
        let piece = |&input: &u32| {
            let piece = self.piece(i, input, order, &[(axis, start)]);
            start += self.items.item(input).shape.size(axis).unwrap_or(0);
            piece
        };
        let pieces = self.items.item(i).inputs.iter().map(piece).collect();
        self.step(i, order, Action::Join { around: None, pieces });
    }

    /// The axes of a result made of these inputs, in the order in which the largest of them lies. Along which it has one
    /// number or repeats itself, those come first. A merged axis stands where its fastest part does; where that has few
    /// positions, rows of them would be all that is copied at a time, and it stands where its slowest part does.
    pub(super) fn order_of_pieces(&self, i: u32, inputs: &[u32]) -> Order {
        let item = self.items.item(i);
        let elements = |input: u32| self.items.item(input).shape.elements();
        let larger =
            |most: u32, other: u32| if weighed::is_less(elements(most), elements(other)) { other } else { most };
        let input = inputs[1..].iter().copied().fold(inputs[0], larger);
        let (shape, place) = (self.items.item(input).shape, &self.places[&input]);
        let stride = |name: Name| match shape.position(name) {
            Some(at) if shape.size(name) != Some(1) => place.strides[at].unsigned_abs(),
            _ => 0,
        };
        let steps: SmallVec<[usize; 8]> = few(item.shape.names().map(|name| {
            let parts = self.parts_of(i, name);
            let several = || parts.iter().map(|&part| (stride(part), part)).filter(|&(stride, _)| stride > 0);
            let Some((fastest, part)) = several().min_by_key(|&(stride, _)| stride) else { return usize::MAX };
            let is_few = parts.len() > 1 && shape.size(part).is_some_and(|size| weighed::is_less(size, FEW));
            if is_few { several().map(|(stride, _)| stride).max().unwrap_or(fastest) } else { fastest }
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

    /// An input as a piece of the result, whose axes lie in this order: from its beginning on, or from some position of some
    /// axes.
    pub(super) fn piece(&self, i: u32, input: u32, order: &[usize], from: &[(Name, usize)]) -> Piece {
        let item = self.items.item(i);
        let (shape, place) = (self.items.item(input).shape, &self.places[&input]);
        let (all, sizes): (Names, Sizes) = item.shape.iter().unzip();
        let names: Names = order.iter().flat_map(|&at| self.parts_of(i, all[at])).collect();
        let whole = row_major(order.iter().map(|&at| sizes[at]));
        let distance = |&(axis, positions): &(Name, usize)| {
            let along = order.iter().zip(&whole).find(|&(&at, _)| all[at] == axis);
            positions * along.map_or(0, |(_, step)| step.unsigned_abs())
        };
        let offset = from.iter().map(distance).sum();
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
