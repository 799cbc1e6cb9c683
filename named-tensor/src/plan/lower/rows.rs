//! Reductions and functions of rows as steps.
//!
//! Lives here: which axes make a row, and the copy that brings them side by side when they are several.
//! Not here: the loops (`kernel`).

use super::{Lowering, dense};
use crate::axis::Name;
use crate::graph::Shape;
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::graph::value::Strides;
use crate::plan::layout::{self, Order, Place};
use crate::plan::numbered::few;
use crate::plan::schedule::{Action, RowFunction, Sizes};

impl Lowering<'_, '_> {
    /// The step of a reduction. Its result lies in the order of its source.
    pub(super) fn reduce(&mut self, i: u32, reduction: Reduction, axes: &Names) {
        let item = self.items.item(i);
        let (shape, source) = (self.items.item(item.inputs[0]).shape, &self.places[&item.inputs[0]]);
        let names: Names = shape.names().collect();
        let sizes: Sizes = shape.sizes().collect();
        let (over, kept): (Order, Order) =
            layout::by_stride(&source.strides).into_iter().partition(|&at| axes.contains(&names[at]));
        let action = Action::Reduce {
            reduction,
            source: source.in_order(kept.iter().chain(&over)),
            sizes: kept.iter().map(|&at| sizes[at]).collect(),
            over: over.iter().map(|&at| sizes[at]).collect(),
        };
        let order: Order = kept.iter().filter_map(|&at| item.shape.position(names[at])).collect();
        self.step(i, &order, action);
    }

    pub(super) fn softmax(&mut self, i: u32, axes: &Names, log: bool) {
        self.rows(i, axes, RowFunction::Softmax { log });
    }

    pub(super) fn standardize(&mut self, i: u32, axes: &Names, epsilon: f64) {
        self.rows(i, axes, RowFunction::Standardize { epsilon });
    }

    /// The step of what rows owe for their standardization. Its result lies in the order of what is owed, rows last.
    pub(super) fn standardize_gradient(&mut self, i: u32, axes: &Names, epsilon: f64) {
        let item = self.items.item(i);
        let inputs = [0, 1].map(|which| {
            let input = item.inputs[which];
            (self.items.item(input).shape, self.places[&input].clone())
        });
        let stride = |(shape, place): &(&Shape, Place), name| shape.position(name).map_or(0, |at| place.strides[at]);
        let strides: Strides = few(item.shape.names().map(|name| match stride(&inputs[1], name) {
            0 => stride(&inputs[0], name),
            owed => owed,
        }));
        let names: Names = few(item.shape.names());
        let (row, others): (Order, Order) =
            layout::by_stride(&strides).into_iter().partition(|&at| axes.contains(&names[at]));
        let along = |order: &Order| -> Names { few(order.iter().map(|&at| names[at])) };
        let (row_names, other_names) = (along(&row), along(&others));
        let operands = inputs.map(|input| {
            let (shape, mut place) = input;
            let at = |names: &Names| -> Order { few(names.iter().filter_map(|&name| shape.position(name))) };
            let (row, others) = (at(&row_names), at(&other_names));
            let sizes: Sizes = few(shape.sizes());
            let run: (Sizes, Strides) = row.iter().map(|&at| (sizes[at], place.strides[at])).unzip();
            let fastest = row.iter().rev().find(|&&at| sizes[at] != 1).map_or(1, |&at| place.strides[at]);
            if fastest != 1 || !layout::is_one_run(&run.0, &run.1) {
                let order: Order = few(others.iter().chain(&row).copied());
                place = self.copied(i, &place, &sizes, &order);
            }
            let stride = |&name: &Name| shape.position(name).map_or(0, |at| place.strides[at]);
            let strides = other_names.iter().map(stride).chain([1]);
            Place { slot: place.slot, offset: place.offset, strides: few(strides) }
        });
        let sizes: Sizes = few(item.shape.sizes());
        let action = Action::StandardizeGradient {
            epsilon,
            operands: Box::new(operands),
            sizes: few(others.iter().map(|&at| sizes[at])),
            row: row.iter().map(|&at| sizes[at]).product(),
        };
        let order: Order = few(others.iter().chain(&row).copied());
        self.step(i, &order, action);
    }

    /// The step of a function along one axis.
    pub(super) fn line(&mut self, i: u32, axis: Name, function: RowFunction) {
        self.rows(i, &Names::from_slice(&[axis]), function);
    }

    /// The step that finds the best position along an axis. Its result lies in the order of its source.
    pub(super) fn best(&mut self, i: u32, axis: Name, largest: bool) {
        let item = self.items.item(i);
        let (shape, source) = (self.items.item(item.inputs[0]).shape, &self.places[&item.inputs[0]]);
        let names: Names = few(shape.names());
        let sizes: Sizes = few(shape.sizes());
        let (along, kept): (Order, Order) =
            layout::by_stride(&source.strides).into_iter().partition(|&at| names[at] == axis);
        let action = Action::Best {
            largest,
            source: source.in_order(kept.iter().chain(&along)),
            sizes: few(kept.iter().map(|&at| sizes[at])),
            size: along.iter().map(|&at| sizes[at]).product(),
        };
        // A slice keeps the axis, with one position.
        let left = kept.iter().map(|&at| names[at]).chain([axis]);
        let order: Order = left.filter_map(|name| item.shape.position(name)).collect();
        self.step(i, &order, action);
    }

    /// The step of a function of rows. Its result lies in the order of its source, several axes of a row side by side.
    fn rows(&mut self, i: u32, axes: &Names, function: RowFunction) {
        let item = self.items.item(i);
        let (shape, mut source) = (self.items.item(item.inputs[0]).shape, self.places[&item.inputs[0]].clone());
        let names: Names = few(shape.names());
        let sizes: Sizes = few(shape.sizes());
        let mut order = layout::by_stride(&source.strides);
        let row: Order = few(order.iter().copied().filter(|&at| axes.contains(&names[at])));
        let run = |strides: &[isize]| {
            let (sizes, strides): (Sizes, Strides) = row.iter().map(|&at| (sizes[at], strides[at])).unzip();
            layout::is_one_run(&sizes, &strides)
        };
        if !run(&source.strides) || !run(&dense(shape, &order)) {
            order = order.iter().copied().filter(|at| !row.contains(at)).chain(row.iter().copied()).collect();
            source = self.copied(i, &source, &sizes, &order);
        }
        let out = dense(shape, &order);
        let others: Order = few(order.iter().copied().filter(|at| !row.contains(at)));
        // The step along the row is that of its fastest axis; an axis of one position has none.
        let fastest: Order =
            row.iter().rev().copied().find(|&at| sizes[at] != 1).or(row.last().copied()).into_iter().collect();
        let along = || others.iter().chain(&fastest);
        let mut rows = source.in_order(along());
        let mut out: Strides = few(along().map(|&at| out[at]));
        // A row over no axes is one number.
        if row.is_empty() {
            rows.strides.push(0);
            out.push(0);
        }
        let action = Action::Rows {
            function,
            source: rows,
            sizes: few(others.iter().map(|&at| sizes[at])),
            row: row.iter().map(|&at| sizes[at]).product(),
            out,
        };
        self.step(i, &order, action);
    }
}
