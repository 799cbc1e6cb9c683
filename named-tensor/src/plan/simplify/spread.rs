//! Choices between a tensor and itself: that tensor, repeated along the axes of the condition.
//!
//! Lives here: when it is so. A condition that may tell a wrong position or a matrix without an inverse is computed all the
//! same, as by the plain evaluation. Not here: choices of other tensors.

use super::{Items, Work};
use crate::graph::Op;
use crate::plan::numbered::{FoldSet, few};

impl Items<'_> {
    /// What is chosen from one tensor twice is that tensor, with the axes of the condition.
    pub(super) fn take_spread(&mut self, i: usize) {
        if let (Work::Op(Op::Select), &[condition, yes, no]) = (self.list[i].work, &self.list[i].inputs[..])
            && yes == no
            && !self.may_fail(condition)
        {
            self.list[i].inputs = few([yes]);
            self.list[i].work = Work::Spread;
        }
    }

    /// Whether an item, or what it is computed from, may have no numbers: also if it is computed from many.
    fn may_fail(&self, item: u32) -> bool {
        const MANY: usize = 64;
        let mut seen = FoldSet::default();
        let mut left = vec![item];
        while let Some(at) = left.pop() {
            if !seen.insert(at) {
                continue;
            }
            if seen.len() > MANY {
                return true;
            }
            let item = self.item(at);
            let is_sound = match item.work {
                Work::Op(op) => !matches!(
                    op,
                    Op::Gather(_)
                        | Op::ScatterAdd { .. }
                        | Op::DynamicSlice(_)
                        | Op::DynamicUpdate(_)
                        | Op::Inverse(..)
                        | Op::Scan(_)
                ),
                // These take positions.
                Work::SumsAt(..) | Work::Chosen { .. } | Work::Owed(..) | Work::Relative { .. } => false,
                _ => true,
            };
            if !is_sound {
                return true;
            }
            left.extend_from_slice(&item.inputs);
        }
        false
    }
}
