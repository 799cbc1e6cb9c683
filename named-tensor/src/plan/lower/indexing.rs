//! Reading and writing at computed positions as steps.
//!
//! Lives here: gather and the dynamic slice as rows of a table, sums at positions, the dynamic update as a piece that is moved.
//! Not here: the loops (`kernel::gather`, `kernel::scatter`, `kernel::copy`).

use super::Lowering;
use crate::axis::Name;
use crate::graph::Shape;
use crate::graph::shape::Names;
use crate::kernel::order::sort_few;
use crate::plan::layout::{self, Order, Place, far_first};
use crate::plan::numbered::few;
use crate::plan::schedule::{Action, Sizes};
use crate::plan::simplify::Work;
use crate::plan::weighed;

/// For so many positions of an axis there is one update at least where sums of all of them are taken.
const SPARSE: usize = 4;

impl Lowering<'_, '_> {
    /// The step of a gather along `axis`, from positions below `limit`. A slice has that many positions from each on.
    pub(super) fn gather(&mut self, i: u32, axis: Name, limit: usize, slice: Option<usize>) {
        let item = self.items.item(i);
        let [table, positions] =
            [0, 1].map(|which| (self.items.item(item.inputs[which]).shape, &self.places[&item.inputs[which]]));
        let along = |(shape, place): (&Shape, &Place), name| shape.position(name).map_or(0, |at| place.strides[at]);
        // The positions may bring back an axis of the table's name; the table itself is not stepped along it.
        let shared = |&name: &Name| if name == axis { 0 } else { along(table, name) };
        let chosen: Names = positions.0.names().collect();
        let mut inner: Names =
            table.0.names().filter(|name| !chosen.contains(name) && (*name != axis || slice.is_some())).collect();
        sort_few(&mut inner, |&name| far_first(along(table, name)));
        // Of rows that lie along the axis the same elements are taken, one row after the other.
        let is_by_rows = slice.is_none() && along(table, axis) == 1;
        let outer: Names = if is_by_rows { std::mem::take(&mut inner) } else { Names::new() };
        let outer: Names = outer.into_iter().chain(chosen).collect();
        let size = |name: &Name| item.shape.size(*name).unwrap_or(1);
        let strides =
            outer.iter().map(shared).chain(inner.iter().map(|&name| along(table, name))).chain([along(table, axis)]);
        let action = Action::Gather {
            inputs: self.inputs(i),
            read: Box::new([
                Place { slot: table.1.slot, offset: table.1.offset, strides: strides.collect() },
                Place { strides: outer.iter().map(|&name| along(positions, name)).collect(), ..positions.1.clone() },
            ]),
            outer: outer.iter().map(size).collect(),
            inner: inner.iter().map(size).collect(),
            limit,
            is_hot: matches!(item.work, Work::RowsAt(_)),
        };
        let order: Order = outer.iter().chain(&inner).filter_map(|&name| item.shape.position(name)).collect();
        self.step(i, &order, action);
    }

    /// Gives each number of an item a place of its own: those that are the same along some axes are copied, these outermost.
    fn put_apart(&mut self, i: u32) {
        let (shape, place) = (self.items.item(i).shape, self.places[&i].clone());
        let repeats = |at: usize, size: usize| size > 1 && place.strides[at] == 0;
        if shape.elements() > 0 && shape.sizes().enumerate().any(|(at, size)| repeats(at, size)) {
            let sizes: Sizes = few(shape.sizes());
            let mut order = layout::by_stride(&place.strides);
            sort_few(&mut order, |&at| !repeats(at, sizes[at]));
            let place = self.copied(i, &place, &sizes, &order);
            self.places.insert(i, place);
        }
    }

    /// The step of sums at positions of `axis`. All axes `over` are those of positions.
    pub(super) fn scatter(&mut self, i: u32, axis: Name, over: &[Name]) {
        let items = self.items;
        let item = items.item(i);
        self.put_apart(item.inputs[0]);
        let [updates, positions] =
            [0, 1].map(|which| (self.items.item(item.inputs[which]).shape, &self.places[&item.inputs[which]]));
        let along = |(shape, place): (&Shape, &Place), name| shape.position(name).map_or(0, |at| place.strides[at]);
        let (mut summed, shared): (Names, Names) = positions.0.names().partition(|name| over.contains(name));
        let mut inner: Names = updates.0.names().filter(|&name| !positions.0.has(name)).collect();
        sort_few(&mut inner, |&name| (updates.0.size(name) != Some(1), far_first(along(updates, name))));
        sort_few(&mut summed, |&name| far_first(along(updates, name)));
        let of = |shape: &Shape, names: &Names| names.iter().filter_map(|&name| shape.size(name)).product::<usize>();
        let size = item.shape.size(axis).unwrap_or(0);
        // Sums of all positions are taken for each of several rows then, and should be worth it.
        let lies_along = |name: &Name| along(updates, *name) == 1 && positions.0.size(*name) != Some(1);
        let is_worth = || !weighed::is_less(of(positions.0, &summed).saturating_mul(SPARSE), size);
        let several = |names: &Names| weighed::is_less(1, of(updates.0, names));
        let is_hot = matches!(item.work, Work::SumsAt(..));
        let mut rows = inner.clone();
        let is_stretch = |name: &Name| along(updates, *name) == 1 && items.is_counted(item.inputs[1]);
        let across = match rows.pop().filter(is_stretch) {
            _ if is_hot || !several(&inner) || !is_worth() => None,
            // What windows owe, row by row of a picture.
            Some(stretch) if several(&rows) => {
                inner = rows;
                Some(Some(stretch))
            }
            _ => summed.iter().any(lies_along).then_some(None),
        };
        let sizes = |(shape, names): (&Shape, &Names)| -> Sizes {
            names.iter().map(|&name| shape.size(name).unwrap_or(1)).collect()
        };
        let outer = || shared.iter().chain(&summed);
        let action = Action::Scatter {
            inputs: self.inputs(i),
            read: Box::new([
                Place {
                    strides: outer().chain(&inner).map(|&name| along(updates, name)).collect(),
                    ..updates.1.clone()
                },
                Place { strides: outer().map(|&name| along(positions, name)).collect(), ..positions.1.clone() },
            ]),
            sizes: Box::new([(positions.0, &shared), (positions.0, &summed), (updates.0, &inner)].map(sizes)),
            size,
            is_hot,
            across: across.map(|stretch| stretch.and_then(|name| updates.0.size(name)).unwrap_or(1)),
        };
        let last = if across.is_some() { [&*inner, &[axis]] } else { [&[axis], &*inner] };
        let order = shared.iter().chain(last.into_iter().flatten()).copied().chain(across.flatten());
        let order: Order = order.filter_map(|name| item.shape.position(name)).collect();
        self.step(i, &order, action);
    }

    /// The step of an update from one start on.
    pub(super) fn update(&mut self, i: u32, axis: Name) {
        let item = self.items.item(i);
        let part = self.items.item(item.inputs[1]).shape;
        if part.elements() == 0 {
            // Nothing is put anywhere, and nobody asks where.
            return self.plain(i);
        }
        let inputs = &self.items.item(i).inputs;
        let order = self.order_of_pieces(i, &inputs[..1]);
        let pieces = [self.piece(i, inputs[0], &order, &[]), self.piece(i, inputs[1], &order, &[])];
        let along = order.iter().zip(&pieces[0].strides).find(|&(&at, _)| item.shape.names().nth(at) == Some(axis));
        let step = along.map_or(0, |(_, step)| step.unsigned_abs());
        let start = &self.places[&item.inputs[2]];
        let action = Action::Update {
            inputs: self.inputs(i),
            pieces: Box::new(pieces),
            start: (start.slot, start.offset),
            step,
            limit: item.shape.size(axis).map_or(0, |whole| whole + 1 - part.size(axis).unwrap_or(0)),
        };
        self.step(i, &order, action);
    }
}
