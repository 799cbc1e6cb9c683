//! Reductions and functions of rows as steps.
//!
//! Lives here: which axes make a row, and the copy that brings them side by side when they are several.
//! Not here: the loops (`kernel`).

use super::forwards::read_forwards;
use super::{Lowering, dense};
use crate::axis::Name;
use crate::element::Binary;
use crate::graph::Shape;
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::graph::value::{Strides, row_major};
use crate::kernel::map::Instruction;
use crate::plan::layout::{self, Order, Place};
use crate::plan::numbered::few;
use crate::plan::schedule::{Action, MatrixFunction, RowFunction, Sizes, Step};
use crate::plan::weighed;

/// So many rows at least are computed side by side: fewer fill no tile, and are copied one after the other.
const BESIDE: usize = 64;
/// The same of rows that are only summed.
const FEW_BESIDE: usize = if cfg!(test) { 3 } else { 16 };

impl Lowering<'_, '_> {
    /// The step of a reduction. Its result lies in the order of its source.
    pub(super) fn reduce(&mut self, i: u32, reduction: Reduction, axes: &Names) {
        if self.reduce_computed(i, reduction, axes) {
            return;
        }
        let item = self.items.item(i);
        let (shape, source) = (self.items.item(item.inputs[0]).shape, &self.places[&item.inputs[0]]);
        let names: Names = shape.names().collect();
        let sizes: Sizes = shape.sizes().collect();
        let (over, kept): (Order, Order) =
            layout::by_stride(&source.strides).into_iter().partition(|&at| axes.contains(&names[at]));
        let mut source = source.clone();
        read_forwards(std::slice::from_mut(&mut source), &sizes, over.iter().copied());
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

    /// The step of what rows owe for their standardization. Its result lies in the order of what is owed, if rows lie side by
    /// side there, or else with rows last.
    pub(super) fn standardize_gradient(&mut self, i: u32, axes: &Names, epsilon: f64) {
        let item = self.items.item(i);
        let inputs = [0, 1].map(|which| {
            let input = item.inputs[which];
            (self.items.item(input).shape, self.places[&input].clone())
        });
        self.owed_to_rows(i, axes, epsilon, inputs, item.inputs.get(2).copied());
    }

    /// The same with these inputs, and an item that is the gain.
    fn owed_to_rows(
        &mut self,
        i: u32,
        axes: &Names,
        epsilon: f64,
        mut inputs: [(&Shape, Place); 2],
        gain: Option<u32>,
    ) {
        let item = self.items.item(i);
        let (names, sizes): (Names, Sizes) = item.shape.iter().unzip();
        let stride = |(shape, place): &(&Shape, Place), name| shape.position(name).map_or(0, |at| place.strides[at]);
        let along = |input: &(&Shape, Place)| -> Strides { few(names.iter().map(|&name| stride(input, name))) };
        let [of_x, of_owed] = inputs.each_ref().map(along);
        let strides: Strides = few(of_x.iter().zip(&of_owed).map(|(&x, &owed)| if owed == 0 { x } else { owed }));
        let mut order = layout::by_stride(&strides);
        let (row, others): (Order, Order) = order.iter().copied().partition(|&at| axes.contains(&names[at]));
        let run = |strides: &Strides| -> (Sizes, Strides) { row.iter().map(|&at| (sizes[at], strides[at])).unzip() };
        let is_run = |strides: &Strides| layout::is_one_run(&run(strides).0, &run(strides).1);
        let fastest = |of: &Order| of.iter().rev().copied().find(|&at| sizes[at] != 1);
        let all = [of_x, of_owed, dense(item.shape, &order)];
        let lie_side_by_side = |of: &Order| all.iter().all(|strides| fastest(of).is_none_or(|at| strides[at] == 1));
        let is_whole_rows = all.iter().all(is_run) && lie_side_by_side(&row);
        if let (Some(gain), false) = (gain, is_whole_rows) {
            inputs[1].1 = self.multiplied(i, &inputs[1], gain);
            return self.owed_to_rows(i, axes, epsilon, inputs, None);
        }
        let gain = gain.map(|gain| self.gain(gain, row.iter().map(|&at| names[at])));
        let is_wide = fastest(&others).is_some_and(|at| !weighed::is_less(sizes[at], BESIDE));
        let is_in_columns = all.iter().all(is_run) && is_wide && lie_side_by_side(&others);
        if !(is_whole_rows || is_in_columns) {
            order = few(others.iter().chain(&row).copied());
            for (shape, place) in &mut inputs {
                let order: Order = few(order.iter().filter_map(|&at| shape.position(names[at])));
                let sizes: Sizes = few(shape.sizes());
                *place = self.copied(i, place, &sizes, &order);
            }
        }
        // An axis of one position has no step.
        let along_row = fastest(&row);
        let in_order = |strides: &Strides| -> Strides {
            few(others.iter().map(|&at| strides[at]).chain([along_row.map_or(1, |at| strides[at])]))
        };
        let action = Action::StandardizeGradient {
            epsilon,
            gain,
            operands: Box::new(inputs.each_ref().map(|input| Place {
                slot: input.1.slot,
                offset: input.1.offset,
                strides: in_order(&along(input)),
            })),
            sizes: few(others.iter().map(|&at| sizes[at])),
            row: row.iter().map(|&at| sizes[at]).product(),
            out: in_order(&dense(item.shape, &order)),
        };
        self.step(i, &order, action);
    }

    /// Where the numbers of item `i` stand without gaps, its axes in this order.
    fn gain(&mut self, i: u32, row: impl Iterator<Item = Name>) -> (u32, usize) {
        let (shape, place) = (self.items.item(i).shape, self.places[&i].clone());
        let (order, sizes): (Order, Sizes) = (few(row.filter_map(|name| shape.position(name))), few(shape.sizes()));
        let along: Sizes = few(order.iter().map(|&at| sizes[at]));
        let dense = row_major(along.iter().copied());
        let mut strides = along.iter().zip(order.iter().zip(&dense));
        let is_dense = strides.all(|(&size, (&at, &step))| size == 1 || place.strides[at] == step);
        let place = if is_dense { place } else { self.copied(i, &place, &sizes, &order) };
        (place.slot, place.offset)
    }

    /// A tensor with the axes of item `i`, times the item `by` with some of them, in the order of the first.
    fn multiplied(&mut self, i: u32, (shape, place): &(&Shape, Place), by: u32) -> Place {
        let (item, other, by) = (self.items.item(i), self.items.item(by).shape, &self.places[&by]);
        let (names, sizes): (Names, Sizes) = shape.iter().unzip();
        let order = layout::by_stride(&place.strides);
        let along = |name| other.position(name).map_or(0, |at| by.strides[at]);
        let by = Place { strides: few(order.iter().map(|&at| along(names[at]))), ..*by };
        let times = [Instruction::Load(0), Instruction::Load(1), Instruction::Binary(Binary::Mul, 0, 1)];
        let action = Action::Map {
            program: self.programs.of(&times, &[item.kind; 2]),
            sizes: few(order.iter().map(|&at| sizes[at])),
            operands: Box::new([place.in_order(&order), by]),
            others: Box::default(),
        };
        let out = self.slot(item.kind, shape.elements());
        self.schedule.steps.push(Step::new(action, out, self.items.item(item.inputs[1]).node));
        Place { slot: out, offset: 0, strides: dense(shape, &order) }
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

    /// The step that finds the first of an axis that would be sorted. Its result lies in the order of its source.
    pub(super) fn first(&mut self, i: u32, axis: Name, function: RowFunction) {
        let item = self.items.item(i);
        let (shape, source) = (self.items.item(item.inputs[0]).shape, &self.places[&item.inputs[0]]);
        let (names, sizes): (Names, Sizes) = shape.iter().unzip();
        let order = layout::by_stride(&source.strides);
        let (row, others): (Order, Order) = order.iter().copied().partition(|&at| names[at] == axis);
        // One position may have left the axis.
        let lies: Order = few(order.iter().filter_map(|&at| item.shape.position(names[at])));
        let dense = dense(item.shape, &lies);
        let along = || others.iter().chain(&row);
        let action = Action::Rows {
            function,
            source: source.in_order(along()),
            sizes: few(others.iter().map(|&at| sizes[at])),
            row: row.iter().map(|&at| sizes[at]).product(),
            wanted: item.shape.size(axis).unwrap_or(1),
            out: few(along().map(|&at| item.shape.position(names[at]).map_or(0, |at| dense[at]))),
        };
        self.step(i, &lies, action);
    }

    /// The step of the logarithm of a sum of exponentials. Its result lies in the order of its source.
    pub(super) fn log_sum(&mut self, i: u32, axes: &Names) {
        let item = self.items.item(i);
        let (shape, mut source) = (self.items.item(item.inputs[0]).shape, self.places[&item.inputs[0]].clone());
        let (names, sizes): (Names, Sizes) = shape.iter().unzip();
        let (row, others): (Order, Order) =
            layout::by_stride(&source.strides).into_iter().partition(|&at| axes.contains(&names[at]));
        read_forwards(std::slice::from_mut(&mut source), &sizes, row.iter().copied());
        let (along, strides): (Sizes, Strides) = row.iter().map(|&at| (sizes[at], source.strides[at])).unzip();
        let fastest = row.iter().rev().copied().find(|&at| sizes[at] != 1);
        let last = others.iter().rev().copied().find(|&at| sizes[at] != 1);
        let step = fastest.map_or(1, |at| source.strides[at]);
        // Few rows side by side are many where nothing lies between them.
        let is_narrow = |at: usize| {
            let others: usize = others.iter().map(|&at| sizes[at]).product();
            others == sizes[at] && others.cast_signed() == step
        };
        let are_beside = last
            .is_some_and(|at| source.strides[at] == 1 && (is_narrow(at) || !weighed::is_less(sizes[at], FEW_BESIDE)));
        let mut is_turned = false;
        if !layout::is_one_run(&along, &strides) || step != 1 && !are_beside {
            is_turned = true;
            let order: Order = few(others.iter().chain(&row).copied());
            source = self.copied(i, &source, &sizes, &order);
        }
        let mut rows = source.in_order(&others);
        rows.strides.push(if is_turned { 1 } else { step });
        let order: Order = few(others.iter().filter_map(|&at| item.shape.position(names[at])));
        let dense = dense(item.shape, &order);
        let action = Action::Rows {
            function: RowFunction::LogSum,
            source: rows,
            sizes: few(others.iter().map(|&at| sizes[at])),
            row: along.iter().product(),
            wanted: 1,
            out: few(order.iter().map(|&at| dense[at]).chain([0])),
        };
        self.step(i, &order, action);
    }

    /// The step of a determinant or an inverse. Its result lies in the order of its source, the axes of an inverse behind
    /// the others. The first one named is that of rows, whatever the layout is: so the numbers do not depend on it.
    pub(super) fn matrix(&mut self, i: u32, function: MatrixFunction, axes: [Name; 2]) {
        let item = self.items.item(i);
        let (shape, source) = (self.items.item(item.inputs[0]).shape, &self.places[&item.inputs[0]]);
        let (names, sizes): (Names, Sizes) = shape.iter().unzip();
        let both: Order = axes.iter().filter_map(|&axis| shape.position(axis)).collect();
        let others: Order = layout::by_stride(&source.strides).into_iter().filter(|at| !both.contains(at)).collect();
        let action = Action::Matrix {
            inputs: self.inputs(i),
            function,
            source: Box::new(source.in_order(others.iter().chain(&both))),
            sizes: few(others.iter().map(|&at| sizes[at])),
            size: both.first().map_or(0, |&at| sizes[at]),
        };
        let order: Order = others.iter().chain(&both).filter_map(|&at| item.shape.position(names[at])).collect();
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
            wanted: row.iter().map(|&at| sizes[at]).product(),
            out,
        };
        self.step(i, &order, action);
    }
}
