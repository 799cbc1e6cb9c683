//! Products with matrices at computed positions as steps.
//!
//! Lives here: which axes are rows, terms and columns.
//! Not here: which contractions these are (`simplify::grouped`), the products (`kernel::grouped`).

use super::Lowering;
use crate::axis::Name;
use crate::graph::Shape;
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::graph::value::{Strides, row_major};
use crate::kernel::order::sort_few;
use crate::plan::layout::{Order, Place, far_first};
use crate::plan::numbered::few;
use crate::plan::schedule::{Action, Sizes, Step};

impl Lowering<'_, '_> {
    /// The steps of `Σ_summed table(axis = positions) · rows`. Axes of the positions that are summed are so after the products.
    pub(super) fn chosen(&mut self, i: u32, axis: Name, summed: &Names, told: u32) {
        let items = self.items;
        let item = items.item(i);
        let inputs = [item.inputs[0], item.inputs[1], item.inputs[2]];
        let shapes = inputs.map(|input| items.item(input).shape);
        let [table, positions, rows] = shapes;
        let places = inputs.map(|input| self.places[&input].clone());
        let along = |place: &Place, shape: &Shape, name| shape.position(name).map_or(0, |at| place.strides[at]);
        let size = |shape: &Shape, name: Name| shape.size(name).unwrap_or(1);
        let (mut batch, own): (Names, Names) =
            table.names().filter(|&name| name != axis).partition(|&name| rows.has(name) && !summed.contains(&name));
        let (mut terms, mut columns): (Names, Names) = own.into_iter().partition(|name| summed.contains(name));
        sort_few(&mut batch, |&name| far_first(along(&places[2], rows, name)));
        sort_few(&mut terms, |&name| far_first(along(&places[0], table, name)));
        sort_few(&mut columns, |&name| far_first(along(&places[0], table, name)));
        let (mut over, mut outer): (Names, Names) = positions.names().partition(|name| summed.contains(name));
        sort_few(&mut outer, |&name| far_first(along(&places[1], positions, name)));
        sort_few(&mut over, |&name| far_first(along(&places[1], positions, name)));
        let mut between: Names = rows.names().filter(|&name| !positions.has(name) && !table.has(name)).collect();
        sort_few(&mut between, |&name| far_first(along(&places[2], rows, name)));
        let kept = outer.clone();
        outer.extend(over.iter().copied());
        let sizes = |shape: &Shape, names: &Names| -> Sizes { names.iter().map(|&name| size(shape, name)).collect() };
        let read = [
            places[1].along(&outer, positions),
            places[2].along(batch.iter().chain(&outer).chain(&between).chain(&terms), rows),
            places[0].along(batch.iter().chain([&axis]).chain(&terms).chain(&columns), table),
        ];
        let spaces = [(positions, &outer), (rows, &between), (table, &terms), (table, &columns)];
        let spaces = spaces.map(|(shape, names)| sizes(shape, names));
        let action = Action::Grouped {
            inputs: [0, 1].map(|which| self.places[&inputs[which]].clone()).into(),
            told,
            read: Box::new(read),
            batch: sizes(table, &batch),
            sizes: Box::new(spaces.clone()),
            limit: size(table, axis),
            is_owed: false,
        };
        let names = batch.iter().chain(&kept).chain(&between).chain(&columns);
        let order: Order = names.filter_map(|&name| item.shape.position(name)).collect();
        if over.is_empty() {
            return self.step(i, &order, action);
        }
        let others = [0, 1, 3].iter().flat_map(|&space| spaces[space].iter().copied());
        let all: Sizes = sizes(table, &batch).into_iter().chain(others).collect();
        let out = self.slot(item.kind, all.iter().fold(1, |total: usize, &size| total.saturating_mul(size)));
        self.schedule.steps.push(Step::new(action, out, item.node));
        let strides: Strides = row_major(all.iter().copied());
        let at = batch.len() + kept.len()..batch.len() + outer.len();
        let is_over = |place: &usize| at.contains(place);
        let (summed, others): (Order, Order) = (0..all.len()).partition(is_over);
        let action = Action::Reduce {
            reduction: Reduction::Sum,
            source: Place { slot: out, offset: 0, strides }.in_order(others.iter().chain(&summed)),
            sizes: others.iter().map(|&at| all[at]).collect(),
            over: summed.iter().map(|&at| all[at]).collect(),
        };
        self.step(i, &order, action);
    }

    /// The step of what matrices along `axis` owe: the products of both, summed over some axes and at the positions.
    pub(super) fn owed(&mut self, i: u32, axis: Name, summed: &Names) {
        let items = self.items;
        let item = items.item(i);
        let inputs = [item.inputs[0], item.inputs[1], item.inputs[2]];
        let of_both = [0, 1].map(|which| items.item(inputs[which]).shape);
        // The columns of the result are those that are wanted side by side.
        let wanted = self.tails.get(&i).and_then(|tail| tail.axes.last().copied());
        let is_turned = wanted.is_some_and(|name| of_both[0].has(name) && !of_both[1].has(name));
        let [x, y] = if is_turned { [inputs[1], inputs[0]] } else { [inputs[0], inputs[1]] };
        let [left, right, positions] = [x, y, inputs[2]].map(|input| items.item(input).shape);
        let places = [x, y, inputs[2]].map(|input| &self.places[&input]);
        let own = |shape: &Shape, is_shared: bool, other: &Shape| -> Names {
            shape.names().filter(|&name| item.shape.has(name) && other.has(name) == is_shared).collect()
        };
        let mut outer: Names = positions.names().collect();
        let mut batch = own(left, true, right);
        let (mut terms, mut columns) = (own(left, false, right), own(right, false, left));
        sort_few(&mut batch, |&name| far_first(places[0].strides[left.position(name).unwrap_or(0)]));
        sort_few(&mut outer, |&name| far_first(places[2].strides[positions.position(name).unwrap_or(0)]));
        sort_few(&mut terms, |&name| far_first(places[0].strides[left.position(name).unwrap_or(0)]));
        sort_few(&mut columns, |&name| far_first(places[1].strides[right.position(name).unwrap_or(0)]));
        let size = |shape: &Shape, name: Name| shape.size(name);
        let sizes = |names: &Names| -> Sizes {
            names
                .iter()
                .map(|&name| size(left, name).or(size(right, name)).or(size(positions, name)).unwrap_or(1))
                .collect()
        };
        // Nothing is read of the products: only positions that are wrong are told from them.
        let rank = positions.rank() + batch.len() + terms.len() + columns.len();
        let nothing = Place { strides: few((0..rank).map(|_| 0)), ..places[0].clone() };
        let action = Action::Grouped {
            inputs: [nothing, places[2].clone()].into(),
            told: item.node,
            read: Box::new([
                places[2].along(&outer, positions),
                places[0].along(batch.iter().chain(&outer).chain(summed).chain(&terms), left),
                places[1].along(batch.iter().chain(&outer).chain(summed).chain(&columns), right),
            ]),
            batch: sizes(&batch),
            sizes: Box::new([&outer, summed, &terms, &columns].map(sizes)),
            limit: item.shape.size(axis).unwrap_or(0),
            is_owed: true,
        };
        let names = batch.iter().chain([&axis]).chain(&terms).chain(&columns);
        let order: Order = names.filter_map(|&name| item.shape.position(name)).collect();
        self.step(i, &order, action);
    }
}
