//! Contractions with one-hot tensors as what they are: rows that are taken, and rows that are summed.
//!
//! Lives here: `one_hot_ax(I) ⊙_ax E`, the rows of E at the positions I, and `one_hot_ax(I) ⊙ U` over axes of I, the sums of U
//! at them. The tensor of ones and zeros is not made, and not multiplied by: where E or U is infinite or NaN, only the results
//! that a 1 leads to are. Not here: the loops (`kernel::one_hot`).

use smallvec::SmallVec;

use super::{Items, Scale, Work};
use crate::axis::Name;
use crate::element::{Comparison, Kind};
use crate::graph::Op;
use crate::plan::LARGEST_RANK;

impl Items<'_> {
    /// Makes a contraction with a one-hot tensor what it is.
    pub(super) fn take_one_hot(&mut self, i: usize) {
        let item = &self.list[i];
        let (Work::Contract(axes, Scale::None), Kind::F32 | Kind::F64) = (item.work, item.kind) else { return };
        let both = [item.inputs[0], item.inputs[1]];
        for [hot, other] in [both, [both[1], both[0]]] {
            let Some((axis, positions)) = self.one_hot(hot) else { continue };
            let (of, at) = (self.item(other), self.item(positions).shape);
            let fits = |rank: usize| rank <= LARGEST_RANK;
            if of.kind != self.list[i].kind || !fits(of.shape.rank() + at.rank() + 1) {
                continue;
            }
            let work = if axes[..] == [axis] && !at.has(axis) {
                Work::RowsAt(axis)
            } else if !of.shape.has(axis) && axes.iter().all(|&name| at.has(name)) {
                Work::SumsAt(axis, axes)
            } else {
                continue;
            };
            self.list[i].inputs = SmallVec::from_slice(&[other, positions]);
            self.list[i].work = work;
            return;
        }
    }

    /// The axis and the positions of a tensor that is 1 at them and 0 elsewhere.
    fn one_hot(&self, hot: u32) -> Option<(Name, u32)> {
        let Work::Op(Op::Cast) = self.item(hot).work else { return None };
        let equal = self.item(*self.item(hot).inputs.first()?);
        let (Work::Op(Op::Compare(Comparison::Eq)), &[left, right]) = (equal.work, &equal.inputs[..]) else {
            return None;
        };
        let here = |counted: u32, positions: u32| {
            let (all, at) = (self.item(counted), self.item(positions));
            let axis = all.shape.names().next().filter(|_| all.shape.rank() == 1)?;
            let is_count = matches!(all.work, Work::Op(Op::Iota)) && at.kind == Kind::Index && !at.shape.has(axis);
            is_count.then_some((axis, positions))
        };
        here(left, right).or_else(|| here(right, left))
    }
}
