//! Sums of pieces with zeros around them, which together cover an axis: the pieces put side by side.
//!
//! A tensor that is taken apart, as the gates of a recurrent cell are, owes the sum of what its parts owe, each with zeros where
//! the others stand. Nothing is added there. Lives here: which sums these are. Not here: the step (`lower::joining`).

use smallvec::SmallVec;

use super::simplify::{Items, Work};
use crate::axis::Name;
use crate::element::Binary;
use crate::graph::Op;

/// At most so many pieces are looked for.
const LARGEST: usize = 64;

impl Items<'_> {
    /// Puts side by side what item `i` adds, if nobody else needs the pieces with zeros around them.
    pub(super) fn put_beside(&mut self, i: usize) {
        let mut pieces: SmallVec<[(usize, u32); 8]> = SmallVec::new();
        let mut along = None;
        let mut stack: SmallVec<[u32; 8]> = SmallVec::new();
        if !self.is_sum(i) {
            return;
        }
        stack.extend(self.list[i].inputs.iter().copied());
        while let Some(at) = stack.pop() {
            let item = self.item(at);
            match item.work {
                _ if self.uses[at as usize] != 1 || pieces.len() + stack.len() >= LARGEST => return,
                _ if self.is_sum(at as usize) => stack.extend(item.inputs.iter().copied()),
                Work::Op(&Op::Pad { axis, before, value: 0.0 }) if along.is_none_or(|along| along == axis) => {
                    along = Some(axis);
                    pieces.push((before, item.inputs[0]));
                }
                _ => return,
            }
        }
        let Some(axis) = along else { return };
        pieces.sort_unstable();
        if self.cover(axis, &pieces) == self.list[i].shape.size(axis) {
            self.list[i].work = Work::Beside(axis);
            self.list[i].inputs = pieces.into_iter().map(|(_, piece)| piece).collect();
        }
    }

    fn is_sum(&self, i: usize) -> bool {
        matches!(self.list[i].work, Work::Op(Op::Binary(Binary::Add)))
    }

    /// How many positions of the axis the pieces have together, if each begins where the one before it ends.
    fn cover(&self, axis: Name, pieces: &[(usize, u32)]) -> Option<usize> {
        pieces.iter().try_fold(0, |end, &(start, piece)| {
            let size = self.item(piece).shape.size(axis)?;
            (start == end).then_some(end + size)
        })
    }
}
