//! The numbers of a schedule: sizes, strides, offsets. What it does is the rest.
//!
//! Lives here: the walk over all of them. Those in the body of a scan are not met. Not here: what changes them (`growth`).

use super::contract::Loop;
use super::layout::Place;
use super::schedule::{Action, Factor, Piece, Schedule};

/// Something that consists of numbers, or has some.
trait Numbers {
    /// Lets each number be changed, always in the same order.
    fn each(&mut self, change: &mut impl FnMut(&mut isize));
}

impl Schedule {
    /// Lets each number be changed, always in the same order.
    pub(super) fn each_number(&mut self, change: &mut impl FnMut(&mut isize)) {
        self.slots.iter_mut().for_each(|slot| slot.size.each(change));
        for step in &mut self.steps {
            step.action.each(change);
            if let Some(tail) = &mut step.tail {
                tail.sizes[..].each(change);
                tail.operands.each(change);
            }
        }
        self.roots[..].each(change);
        self.weighed.iter_mut().for_each(|pair| pair.each(change));
    }
}

impl Numbers for isize {
    fn each(&mut self, change: &mut impl FnMut(&mut isize)) {
        change(self);
    }
}

impl Numbers for usize {
    fn each(&mut self, change: &mut impl FnMut(&mut isize)) {
        let mut number = self.cast_signed();
        change(&mut number);
        *self = number.cast_unsigned();
    }
}

impl<T: Numbers> Numbers for [T] {
    fn each(&mut self, change: &mut impl FnMut(&mut isize)) {
        self.iter_mut().for_each(|number| number.each(change));
    }
}

impl Numbers for Place {
    fn each(&mut self, change: &mut impl FnMut(&mut isize)) {
        self.offset.each(change);
        self.strides[..].each(change);
    }
}

impl Numbers for Piece {
    fn each(&mut self, change: &mut impl FnMut(&mut isize)) {
        self.source.each(change);
        self.sizes[..].each(change);
        self.offset.each(change);
        self.strides[..].each(change);
    }
}

impl Numbers for Loop {
    fn each(&mut self, change: &mut impl FnMut(&mut isize)) {
        self.size.each(change);
        [&mut self.left, &mut self.right, &mut self.out].into_iter().for_each(change);
    }
}

impl Numbers for Option<Factor> {
    fn each(&mut self, change: &mut impl FnMut(&mut isize)) {
        self.iter_mut().for_each(|factor| factor.0.each(change));
    }
}

impl Numbers for Action {
    fn each(&mut self, change: &mut impl FnMut(&mut isize)) {
        match self {
            Action::Map { sizes, operands, .. } => {
                sizes[..].each(change);
                operands.each(change);
            }
            Action::Product { left, right, batch, rows, columns, inner, scale, windows } => {
                left.1.each(change);
                right.1.each(change);
                batch.each(change);
                [rows, columns, inner].into_iter().for_each(|axis| axis.each(change));
                for (size, stride) in windows.iter_mut().flat_map(|windows| windows.axes()) {
                    size.each(change);
                    change(stride);
                }
                scale.each(change);
            }
            Action::Attention { operands, batch, rows, sizes, scale, out, instead: _ } => {
                operands.each(change);
                batch[..].each(change);
                rows[..].each(change);
                sizes.each(change);
                scale.each(change);
                out[..].each(change);
            }
            Action::AttentionGradient { operands, batch, rows, sizes, scale, out, instead: _ } => {
                operands.each(change);
                batch[..].each(change);
                rows[..].each(change);
                sizes.each(change);
                scale.each(change);
                for (offset, strides) in out.iter_mut().flatten() {
                    offset.each(change);
                    strides[..].each(change);
                }
            }
            Action::Reduce { source, sizes, over, .. } => {
                source.each(change);
                sizes[..].each(change);
                over[..].each(change);
            }
            Action::ReduceComputed { sizes, operands, .. } => {
                sizes[..].each(change);
                operands.each(change);
            }
            Action::Best { source, sizes, size, .. } => {
                source.each(change);
                sizes[..].each(change);
                size.each(change);
            }
            Action::Rows { source, sizes, row, wanted, out, .. } => {
                source.each(change);
                sizes[..].each(change);
                row.each(change);
                wanted.each(change);
                out[..].each(change);
            }
            Action::StandardizeGradient { operands, gain, sizes, row, out, .. } => {
                operands.each(change);
                gain.iter_mut().for_each(|gain| gain.1.each(change));
                sizes[..].each(change);
                row.each(change);
                out[..].each(change);
            }
            Action::Matrix { inputs, source, sizes, size, .. } => {
                inputs.each(change);
                source.each(change);
                sizes[..].each(change);
                size.each(change);
            }
            Action::Join { pieces, .. } => pieces.each(change),
            Action::Append { pieces, .. } => pieces.each(change),
            Action::Gather { inputs, read, outer, inner, limit, is_hot: _ } => {
                inputs.each(change);
                read.each(change);
                outer[..].each(change);
                inner[..].each(change);
                limit.each(change);
            }
            Action::Scatter { inputs, read, sizes, size, across, is_hot: _ } => {
                inputs.each(change);
                read.each(change);
                sizes.iter_mut().for_each(|sizes| sizes[..].each(change));
                size.each(change);
                across.iter_mut().for_each(|stretch| stretch.each(change));
            }
            Action::Grouped { inputs, told: _, read, batch, sizes, limit, is_owed: _ } => {
                inputs.each(change);
                read.each(change);
                batch[..].each(change);
                sizes.iter_mut().for_each(|sizes| sizes[..].each(change));
                limit.each(change);
            }
            Action::Relative { way: _, inputs, told: _, read, sizes, limit } => {
                inputs.each(change);
                read.each(change);
                sizes.iter_mut().for_each(|sizes| sizes[..].each(change));
                limit.each(change);
            }
            Action::Update { inputs, pieces, start, step, limit } => {
                inputs.each(change);
                pieces.each(change);
                start.1.each(change);
                step.each(change);
                limit.each(change);
            }
            Action::Plain { inputs } | Action::Scan { inputs, .. } => inputs.each(change),
            Action::Fill(_) => {}
        }
    }
}
