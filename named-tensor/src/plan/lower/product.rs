//! Contractions as steps: copies if strides demand them, and a batched product of matrices.
//!
//! Lives here: from names to axes, and the steps for what `contract` describes. Axes along which both operands repeat
//! themselves are summed after the product, where that is a factor, however many positions they have.
//! Not here: the choice of rows, columns and order (`contract`), the product itself (`kernel::matmul`).

use crate::kernel::order::sort_few;
use std::sync::Arc;

use smallvec::SmallVec;

use super::Lowering;
use super::widen::is_read_narrow;
use crate::axis::Name;
use crate::element::Binary;
use crate::graph::Shape;
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::graph::value::{Strides, row_major};
use crate::kernel::map::{Instruction, Program};
use crate::plan::contract::{Axis, Product, Wanted};
use crate::plan::layout::{Order, Place, far_first};
use crate::plan::schedule::{Action, Sizes, Step};
use crate::plan::simplify::{Scale, Work};
use crate::plan::windows::Side;

impl Lowering<'_, '_> {
    /// The steps of `Σ_summed left · right`.
    pub(super) fn product(&mut self, i: u32, summed: &Names, scale: Scale) {
        let items = self.items;
        let item = items.item(i);
        let mut inputs = [item.inputs[0], item.inputs[1]];
        // Without other wishes the axes of the left operand are the slowest of the result. What is computed has the
        // positions of a text there, stored parameters have features; so do all results then, and lie alike.
        let is_stored = inputs.map(|input| matches!(items.item(input).work, Work::Leaf));
        let is_narrow = inputs.map(|input| items.item(input).kind != item.kind);
        if is_narrow[0] || (is_stored == [true, false] && !is_narrow[1]) {
            inputs.reverse();
        }
        let mut places = inputs.map(|input| self.places[&input].clone());
        let shapes = inputs.map(|input| items.item(input).shape);
        self.go_forwards(i, shapes, &mut places, summed);
        let (names, mut axes) = together(shapes, &places, summed);
        if item.shape.elements() == 0 || axes.iter().any(|axis| axis.size == 0) {
            return self.fill(i, 0.0);
        }
        let mut times = take_repeated(&mut axes);
        let tail = self.tails.get(&i);
        let wanted = tail.into_iter().flat_map(|tail| &tail.axes);
        let wanted: Order = wanted.filter_map(|tail| names.iter().position(|name| name == tail)).collect();
        let tail = Wanted { axes: &wanted, anywhere: tail.is_some_and(|tail| tail.anywhere) };
        let mut product = self.products.of(&axes, tail);
        if is_narrow.contains(&true) && !is_read_narrow(&product) {
            places[1] = self.widened(i, inputs[1], &places[1]);
            axes = together(shapes, &places, summed).1;
            // What is widened repeats itself no more.
            times = take_repeated(&mut axes);
            product = self.products.of(&axes, tail);
        }
        let (left, right) = ((places[0].slot, places[0].offset), (places[1].slot, places[1].offset));
        // The axes of the result by their places in its shape.
        let placed =
            |order: &[usize]| -> Order { order.iter().filter_map(|&at| item.shape.position(names[at])).collect() };
        // Rows times rows that both lie along the sum are dot products; else both are read in the order of the result.
        let along = product.inner.left == 1 && product.inner.right == 1;
        let one_kind = !is_narrow.contains(&true);
        // Neighbours with a sum each are taken side by side; what is neither is slow to gather.
        let side_by_side = product.batch.iter().any(|axis| [axis.left, axis.right, axis.out] == [1; 3]);
        let is_apart = !along && !side_by_side;
        if product.rows.size == 1 && product.columns.size == 1 && is_apart && one_kind {
            let order = placed(&product.order);
            self.products_then_sum(i, &axes, &product.order, &order, left, right);
            self.as_often(i, &order, times);
            return self.scaled(i, &order, scale);
        }
        let left = self.readable(i, left, &axes, |axis| axis.left, product.copy_left.as_ref());
        let right = self.readable(i, right, &axes, |axis| axis.right, product.copy_right.as_ref());
        let scale =
            (scale != Scale::None).then(|| Box::new((self.places[&item.inputs[2]].clone(), scale == Scale::By)));
        let order = placed(&product.order);
        // What is packed from where it lies is the right operand.
        let is_turned = product.windows.as_ref().is_some_and(|windows| windows.side == Side::Left);
        let (left, right) = if is_turned { (right, left) } else { (left, right) };
        let Product { batch, rows, columns, inner, windows, .. } = if is_turned { product.turned() } else { product };
        let windows = windows.map(Box::new);
        self.step(i, &order, Action::Product { left, right, batch, rows, columns, inner, scale, windows });
        self.as_often(i, &order, times);
    }

    /// The sum of so many results that are all the same, if they are several.
    fn as_often(&mut self, i: u32, order: &[usize], times: usize) {
        if times > 1 {
            let sizes: Sizes = self.items.item(i).shape.sizes().collect();
            let mut source = self.places[&i].in_order(order);
            source.strides.push(0);
            let (sizes, over) = (order.iter().map(|&at| sizes[at]).collect(), Sizes::from_slice(&[times]));
            self.step(i, order, Action::Reduce { reduction: Reduction::Sum, source, sizes, over });
        }
    }

    /// The sums that are there, in this order of their axes without gaps, times or by their scale, if they have one.
    fn scaled(&mut self, i: u32, order: &[usize], scale: Scale) {
        let function = match scale {
            Scale::None => return,
            Scale::Times => Binary::Mul,
            Scale::By => Binary::Div,
        };
        let item = self.items.item(i);
        let all: Sizes = item.shape.sizes().collect();
        let sizes: Sizes = order.iter().map(|&at| all[at]).collect();
        let sum = self.places[&i].in_order(order);
        let factor = Place { strides: Strides::from_elem(0, order.len()), ..self.places[&item.inputs[2]].clone() };
        let instructions = [Instruction::Load(0), Instruction::Load(1), Instruction::Binary(function, 0, 1)];
        let program = self.programs.of(&instructions, &[item.kind; 2]);
        let operands = Box::new([sum, factor]);
        self.step(i, order, Action::Map { program, sizes, operands, others: Box::default() });
    }

    /// Where an operand is read: where it lies, or where it is copied to.
    fn readable(
        &mut self,
        i: u32,
        (slot, offset): (u32, usize),
        axes: &[Axis],
        stride: fn(&Axis) -> isize,
        copy: Option<&Order>,
    ) -> (u32, usize) {
        let Some(order) = copy else { return (slot, offset) };
        let sizes: Sizes = axes.iter().map(|axis| axis.size).collect();
        let place = Place { slot, offset, strides: axes.iter().map(stride).collect() };
        (self.copied(i, &place, &sizes, order).slot, 0)
    }

    /// Rows times rows: without columns to share a row, the products are one pass over memory, and their sums another.
    fn products_then_sum(
        &mut self,
        i: u32,
        axes: &[Axis],
        kept: &[usize],
        order: &[usize],
        left: (u32, usize),
        right: (u32, usize),
    ) {
        let item = self.items.item(i);
        let mut summed: Order = (0..axes.len()).filter(|&at| axes[at].summed).collect();
        sort_few(&mut summed, |&at| (far_first(axes[at].left), far_first(axes[at].right)));
        let space: Order = kept.iter().chain(&summed).copied().collect();
        let sizes: Sizes = space.iter().map(|&at| axes[at].size).collect();
        let strides = |stride: fn(&Axis) -> isize| space.iter().map(|&at| stride(&axes[at])).collect();
        let mut operands = [
            Place { slot: left.0, offset: left.1, strides: strides(|axis| axis.left) },
            Place { slot: right.0, offset: right.1, strides: strides(|axis| axis.right) },
        ];
        let all: Order = (0..space.len()).collect();
        operands.iter_mut().for_each(|place| self.in_longer_rows(i, place, &sizes, &all));
        let times = vec![Instruction::Load(0), Instruction::Load(1), Instruction::Binary(Binary::Mul, 0, 1)];
        let action = Action::Map {
            program: Arc::new(Program::new(times, &[item.kind; 2])),
            sizes: sizes.clone(),
            operands: operands.into(),
            others: Box::default(),
        };
        let out = self.slot(item.kind, sizes.iter().fold(1, |total, &size| total.saturating_mul(size)));
        self.schedule.steps.push(Step::new(action, out, item.node));

        let strides: Strides = row_major(sizes.iter().copied());
        let (sizes, over) = sizes.split_at(kept.len());
        let source = Place { slot: out, offset: 0, strides };
        let action = Action::Reduce { reduction: Reduction::Sum, source, sizes: sizes.into(), over: over.into() };
        self.step(i, order, action);
    }
}

/// Leaves one position of the summed axes along which both operands repeat themselves, and returns how many there were.
fn take_repeated(axes: &mut [Axis]) -> usize {
    let is_repeated = |axis: &&mut Axis| axis.summed && axis.left == 0 && axis.right == 0;
    axes.iter_mut().filter(is_repeated).map(|axis| std::mem::replace(&mut axis.size, 1)).product()
}

/// The axes of two operands, by name and as a contraction sees them.
fn together([left, right]: [&Shape; 2], places: &[Place; 2], summed: &Names) -> (Names, SmallVec<[Axis; 8]>) {
    let mut names: Names = left.names().collect();
    names.extend(right.names().filter(|&name| !left.has(name)));
    let axis = |&name: &Name| {
        let at = [left.position(name), right.position(name)];
        Axis {
            size: left.size(name).or(right.size(name)).unwrap_or(1),
            left: at[0].map_or(0, |at| places[0].strides[at]),
            right: at[1].map_or(0, |at| places[1].strides[at]),
            has: (at[0].is_some(), at[1].is_some()),
            summed: summed.contains(&name),
        }
    };
    let axes = names.iter().map(axis).collect();
    (names, axes)
}
