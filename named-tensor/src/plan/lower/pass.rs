//! A step as one pass over a space: what it reads at each position, what it computes there, and along which axes it reduces that.
//!
//! Elementwise programs, reductions of stored numbers, reductions of what is computed, and dot products of neighbours are such
//! passes. Lives here: each of them in one form. Not here: which passes become one (`several`).

use smallvec::{SmallVec, smallvec};

use super::once::{Instructions, Kinds, Programs};
use crate::element::{Binary, Kind};
use crate::graph::op::Reduction;
use crate::graph::value::row_major;
use crate::kernel::map::Instruction;
use crate::plan::contract::Loop;
use crate::plan::layout::Place;
use crate::plan::schedule::{Action, Schedule, Sizes, Step};

/// What is done along some axes of a space, those from the one number on, up to the other.
pub(super) type Reduced = (Reduction, [u8; 2]);

/// One pass over a space.
pub(super) struct Pass {
    pub(super) sizes: Sizes,
    /// What is done along some axes, if it is done.
    pub(super) reduced: Option<Reduced>,
    pub(super) operands: SmallVec<[Place; 4]>,
    pub(super) kinds: Kinds,
    /// The last one is the result.
    pub(super) instructions: Instructions,
    /// The buffers of other results, and the instructions that compute them.
    pub(super) others: SmallVec<[(u32, usize); 4]>,
}

impl Pass {
    /// The pass that a step is, if its results are real and what follows in the space lies side by side in all that it reads.
    pub(super) fn of(step: &Step, schedule: &Schedule, programs: &Programs) -> Option<Pass> {
        let kind = |slot: u32| schedule.slots[slot as usize].kind;
        let own = kind(step.out);
        if !own.is_real() || step.tail.is_some() {
            return None;
        }
        let pass = match &step.action {
            Action::Map { program, sizes, operands, others } => {
                Pass::of_program(programs.parts(program)?, sizes, None, operands, others)
            }
            Action::ReduceComputed { reduction, program, sizes, operands, over, others } => {
                Pass::of_program(programs.parts(program)?, sizes, Some((*reduction, *over)), operands, others)
            }
            Action::Reduce { reduction, source, sizes, over } => {
                let kept = sizes.iter().zip(&source.strides).map(|(&size, &stride)| (size, [stride]));
                let along = over.iter().zip(&source.strides[sizes.len()..]).map(|(&size, &stride)| (size, [stride]));
                let space = Space::of(kept, along)?;
                let places = [(source.slot, source.offset)];
                space.pass(*reduction, places, smallvec![Instruction::Load(0), Instruction::Cast(own, 0)], own)
            }
            Action::Product { left, right, batch, rows, columns, inner, scale: None, windows: None }
                if [rows, columns].map(|axis| axis.size) == [1; 2]
                    && [left, right].map(|of| kind(of.0)) == [own; 2] =>
            {
                let is_result = batch.iter().map(|axis| axis.out).eq(row_major(batch.iter().map(|axis| axis.size)));
                if batch.iter().any(Loop::is_summed) || !is_result {
                    return None;
                }
                let axis = |axis: &Loop| (axis.size, [axis.left, axis.right]);
                let space = Space::of(batch.iter().map(axis), [axis(inner)].into_iter())?;
                let times = Instruction::Binary(Binary::Mul, 0, 1);
                let instructions = smallvec![Instruction::Load(0), Instruction::Load(1), times];
                space.pass(Reduction::Sum, [*left, *right], instructions, own)
            }
            _ => return None,
        };
        pass.operands.iter().all(|place| is_in_order(place, &pass.sizes)).then_some(pass)
    }

    fn of_program(
        (instructions, kinds, results): (&[Instruction], &[Kind], &[usize]),
        sizes: &Sizes,
        reduced: Option<Reduced>,
        operands: &[Place],
        others: &[u32],
    ) -> Pass {
        Pass {
            sizes: sizes.clone(),
            reduced,
            operands: operands.iter().cloned().collect(),
            kinds: Kinds::from_slice(kinds),
            instructions: Instructions::from_slice(instructions),
            others: others.iter().copied().zip(results.iter().copied()).collect(),
        }
    }

    /// Whether it sums numbers, or products or squared differences of two, along rows: those sums have loops of their own.
    pub(super) fn is_quick(&self) -> bool {
        let Some((Reduction::Sum, [_, end])) = self.reduced else { return false };
        let are_rows = self.sizes[usize::from(end)..].iter().all(|&size| size == 1);
        let is_simple = |instruction: &Instruction| match instruction {
            Instruction::Load(_) | Instruction::Cast(..) => true,
            Instruction::Binary(op, ..) => matches!(op, Binary::Mul | Binary::Sub),
            _ => false,
        };
        are_rows && self.others.is_empty() && self.instructions.len() <= 4 && self.instructions.iter().all(is_simple)
    }

    /// Whether positions along an axis are counted.
    pub(super) fn has_positions(&self) -> bool {
        self.instructions.iter().any(|instruction| matches!(instruction, Instruction::Position(_)))
    }
}

/// Axes that are kept, and among them, side by side, those that are reduced. `N` operands have strides along them.
struct Space<const N: usize> {
    axes: SmallVec<[(usize, [isize; N]); 6]>,
    over: [u8; 2],
}

impl<const N: usize> Space<N> {
    /// Axes that are reduced come before those that are kept and go in smaller steps. The kept ones stay in their order.
    fn of(
        kept: impl Iterator<Item = (usize, [isize; N])>,
        along: impl Iterator<Item = (usize, [isize; N])>,
    ) -> Option<Space<N>> {
        let step = |axis: &(usize, [isize; N])| axis.1.iter().map(|stride| stride.unsigned_abs()).max();
        let mut axes: SmallVec<[(usize, [isize; N]); 6]> = kept.collect();
        let along: SmallVec<[(usize, [isize; N]); 6]> = along.collect();
        let least = along.iter().map(step).min().flatten()?;
        let from = axes.iter().position(|axis| step(axis) < Some(least)).unwrap_or(axes.len());
        let over = [u8::try_from(from).ok()?, u8::try_from(from + along.len()).ok()?];
        axes.insert_many(from, along);
        Some(Space { axes, over })
    }

    fn pass(&self, reduction: Reduction, places: [(u32, usize); N], instructions: Instructions, kind: Kind) -> Pass {
        let place = |(operand, (slot, offset)): (usize, (u32, usize))| {
            let strides = self.axes.iter().map(|(_, strides)| strides[operand]).collect();
            Place { slot, offset, strides }
        };
        Pass {
            sizes: self.axes.iter().map(|&(size, _)| size).collect(),
            reduced: Some((reduction, self.over)),
            operands: places.into_iter().enumerate().map(place).collect(),
            kinds: Kinds::from_elem(kind, N),
            instructions,
            others: SmallVec::new(),
        }
    }
}

/// Whether numbers that follow each other in the space lie side by side, or are the same.
fn is_in_order(place: &Place, sizes: &Sizes) -> bool {
    let last = (0..sizes.len()).rev().find(|&at| sizes[at] != 1);
    last.is_none_or(|at| matches!(place.strides[at], 0 | 1))
}
