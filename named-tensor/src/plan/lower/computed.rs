//! Reductions of an elementwise group that nobody else reads: both are one step, and the group is stored nowhere.
//!
//! `Σ_k (X - Y)²` over `m × k × n` positions needs no memory for them.
//! Lives here: which groups are reduced on the way, and the copies of operands that lie across the order of the group.
//! Not here: the group (`group`), the loop (`kernel::reduce::computed`).

use super::Lowering;
use super::forwards::read_forwards;
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::plan::fuse::Part;
use crate::plan::layout::{self, Order, Place};
use crate::plan::numbered::few;
use crate::plan::remade;
use crate::plan::schedule::{Action, Sizes, Step};
use crate::plan::weighed;

/// How many times as large as an operand the group is at least, if the operand may be copied into its order.
const REPAID: usize = 4;

/// The same of differences, whose sums stay in registers: to store them all costs more than any copy.
const REPAID_OF_DIFFERENCES: usize = 1;

/// How many times as many numbers are copied if one axis is the last one and not another, at least, if the other is better.
const FEWER: usize = 4;

/// Positions of an axis from which on it is better last than the reduced ones.
const LONG: usize = if cfg!(test) { 3 } else { 32 };
/// The same where its sums stay in registers.
const REGISTER: usize = if cfg!(test) { 3 } else { 8 };

impl Lowering<'_, '_> {
    /// The step of a reduction and of the group that it reads, if it alone does so and the group is large. The axes that are
    /// reduced must follow each other in the order of the group.
    pub(super) fn reduce_computed(&mut self, i: u32, reduction: Reduction, axes: &Names) -> bool {
        let items = self.items;
        let (item, input) = (items.item(i), items.item(i).inputs[0]);
        let shape = items.item(input).shape;
        // What nobody else reads, nor wants as a root, is the result of its group.
        let is_alone = matches!(self.parts[input as usize], Part::In(..)) && items.uses[input as usize] == 1;
        if !is_alone || !item.kind.is_real() {
            return false;
        }
        let Some(at) = self.schedule.steps.iter().rposition(|step| step.out == self.places[&input].slot) else {
            return false;
        };
        let Step { action: Action::Map { program, sizes, operands, .. }, tail: None, .. } = &self.schedule.steps[at]
        else {
            return false;
        };
        let is_of_difference = reduction == Reduction::Sum && program.is_of_difference();
        if !remade::is_large(shape.elements(), is_of_difference) {
            return false;
        }
        let names: Names = shape.names().collect();
        let all: Sizes = shape.sizes().collect();
        let Some(mut order) = in_sizes(layout::by_stride(&self.places[&input].strides), &all, sizes) else {
            return false;
        };
        let (reduced, mut kept): (Order, Order) = (0..sizes.len()).partition(|&at| axes.contains(&names[order[at]]));
        // Where operands repeat each other, any order is as good for them, and one with a long axis last is best: the last one, or
        // another along which far fewer numbers have to be copied.
        let total = shape.elements();
        let is_free = !program.has_positions() && operands.iter().all(|operand| covered(operand, sizes) != total);
        let long = if is_of_difference { REGISTER } else { LONG };
        let copied = |at: usize| -> usize {
            let across = operands.iter().filter(|operand| !matches!(operand.strides[at], 0 | 1));
            across.map(|operand| covered(operand, sizes)).fold(0, usize::saturating_add)
        };
        // What all operands have is a batch: its positions are no columns of a tile, and no rows.
        let is_batch = |at: usize| is_of_difference && operands.iter().all(|operand| operand.strides[at] != 0);
        let is_long = |&at: &usize| is_free && !is_batch(at) && !weighed::is_less(sizes[at], long);
        let mut are_long = kept.iter().rev().copied().filter(is_long);
        let first = are_long.next();
        let last = first.map(|first| {
            let is_better = |best, at| weighed::is_less(copied(at).saturating_mul(FEWER), copied(best));
            are_long.fold(first, |best, at| if is_better(best, at) { at } else { best })
        });
        let turned: Order = match last {
            Some(last) => {
                kept.retain(|&mut at| at != last);
                let (batch, rows): (Order, Order) = kept.iter().copied().partition(|&at| is_batch(at));
                kept = few(batch.into_iter().chain(rows));
                kept.iter().chain(&reduced).copied().chain([last]).collect()
            }
            // Those of pairs within a batch may have its axis between them.
            None if is_free && reduced.windows(2).any(|two| two[0] + 1 != two[1]) => {
                kept.iter().chain(&reduced).copied().collect()
            }
            None => (0..sizes.len()).collect(),
        };
        let sizes: Sizes = few(turned.iter().map(|&at| sizes[at]));
        let mut operands: Box<[Place]> = operands.iter().map(|operand| operand.in_order(&turned)).collect();
        order = few(turned.iter().map(|&at| order[at]));
        let is_reduced = |at: &usize| axes.contains(&names[*at]);
        let (from, to) = match (order.iter().position(is_reduced), order.iter().rposition(is_reduced)) {
            (Some(first), Some(last)) if order[first..=last].iter().all(is_reduced) => (first, last + 1),
            _ => return false,
        };
        if !program.has_positions() {
            read_forwards(&mut operands, &sizes, from..to);
        }
        let across: Order = few((0..operands.len()).filter(|&number| lies_across(&operands[number], &sizes)));
        let repaid = if is_of_difference { REPAID_OF_DIFFERENCES } else { REPAID };
        let is_repaid =
            |&number: &usize| !weighed::is_less(total, covered(&operands[number], &sizes).saturating_mul(repaid));
        if !across.iter().all(is_repaid) {
            return false;
        }
        let program = program.clone();
        let step = self.schedule.steps.remove(at);
        self.schedule.slots[step.out as usize].size = 0;
        for number in across {
            operands[number] = self.turned(input, &operands[number], &sizes);
        }
        let order: Order = order.iter().filter_map(|&at| item.shape.position(names[at])).collect();
        let over = [from, to].map(|at| u8::try_from(at).unwrap_or(u8::MAX));
        self.step(
            i,
            &order,
            Action::ReduceComputed { reduction, program, sizes, operands, over, others: Box::default() },
        );
        let mut fused = step.fused;
        if step.node != item.node {
            fused.push(step.node);
        }
        self.last_step(|step| step.fused = fused);
        true
    }

    /// A copy of an operand of item `i` whose axes, as far as it has them, lie in the order of the group.
    pub(super) fn turned(&mut self, i: u32, operand: &Place, sizes: &[usize]) -> Place {
        let has: Order = few((0..sizes.len()).filter(|&at| operand.strides[at] != 0));
        let own: Sizes = few(has.iter().map(|&at| sizes[at]));
        let order: Order = few(0..has.len());
        let copy = self.copied(i, &operand.in_order(&has), &own, &order);
        let mut place = Place { strides: smallvec::smallvec![0; sizes.len()], ..copy.clone() };
        has.iter().zip(&copy.strides).for_each(|(&at, &stride)| place.strides[at] = stride);
        place
    }
}

/// The axes in the order of these sizes, from an order in which those of one position may stand anywhere.
fn in_sizes(mut order: Order, all: &[usize], sizes: &[usize]) -> Option<Order> {
    let next = |&size: &usize| {
        let at = order.iter().position(|&at| all[at] == size)?;
        let is_next = size == 1 || order[..at].iter().all(|&before| all[before] == 1);
        is_next.then(|| order.remove(at))
    };
    sizes.iter().map(next).collect()
}

/// Whether elements that follow each other in the order of the group lie apart in the operand.
pub(super) fn lies_across(operand: &Place, sizes: &[usize]) -> bool {
    let last = (0..sizes.len()).rev().find(|&at| sizes[at] != 1);
    last.is_some_and(|at| !matches!(operand.strides[at], 0 | 1))
}

/// How many elements the operand has along the axes of the group.
pub(super) fn covered(operand: &Place, sizes: &[usize]) -> usize {
    let has = |at: &usize| operand.strides[*at] != 0;
    (0..sizes.len()).filter(has).map(|at| sizes[at]).fold(1, usize::saturating_mul)
}
