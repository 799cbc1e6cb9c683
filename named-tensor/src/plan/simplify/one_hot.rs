//! Contractions with one-hot tensors as what they are: rows that are taken, and rows that are summed or counted.
//!
//! Lives here: `one_hot_ax(I) ⊙_ax E`, the rows of E at the positions I, and `one_hot_ax(I) ⊙ U` over axes of I, the sums of U
//! at them; also where product and sum are written, and the sum of `one_hot_ax(I)` alone, which counts. The tensor of ones and
//! zeros is not made, and not multiplied by: where E or U is infinite or NaN, only the results that a 1 leads to are.
//! Not here: the loops (`kernel::one_hot`).

use std::sync::LazyLock;

use smallvec::SmallVec;

use super::{Item, Items, Scale, Work};
use crate::axis::Name;
use crate::element::{Binary, Comparison, Kind};
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::graph::{Op, Shape};
use crate::plan::LARGEST_RANK;
use crate::plan::key::narrow;
use crate::plan::numbered::few;

/// The shape of one number.
pub(super) static SCALAR: LazyLock<Shape> = LazyLock::new(Shape::default);

impl<'a> Items<'a> {
    /// Makes a contraction with a one-hot tensor what it is. Tells whether there is a new item behind its user.
    pub(super) fn take_one_hot(&mut self, i: usize) -> bool {
        let item = &self.list[i];
        if !matches!(item.kind, Kind::F32 | Kind::F64) {
            return false;
        }
        match item.work {
            Work::Contract(axes, Scale::None) => self.take_rows(i, axes, [item.inputs[0], item.inputs[1]]),
            Work::Op(Op::Reduce(Reduction::Sum, axes)) => {
                let summed = item.inputs[0];
                match (self.item(summed).work, &self.item(summed).inputs[..]) {
                    (Work::Op(Op::Binary(Binary::Mul)), &[x, y]) => self.take_rows(i, axes, [x, y]),
                    _ => return self.take_counts(i, axes, summed),
                }
            }
            _ => {}
        }
        false
    }

    /// Makes a sum of a one-hot tensor alone what it is: sums of a 1 for each position.
    fn take_counts(&mut self, i: usize, axes: &'a Names, hot: u32) -> bool {
        let Some((axis, positions)) = self.one_hot(hot) else { return false };
        let at = self.item(positions).shape;
        if !axes.iter().all(|&name| at.has(name)) || at.rank() >= LARGEST_RANK {
            return false;
        }
        let one = narrow(self.list.len());
        let (kind, node) = (self.list[i].kind, self.item(hot).node);
        self.list.push(Item { work: Work::Constant(1.0), inputs: SmallVec::new(), shape: &SCALAR, kind, node });
        self.uses.push(1);
        self.list[i].inputs = few([one, positions]);
        self.list[i].work = Work::SumsAt(axis, axes);
        true
    }

    /// Makes the sum over these axes of the product of both what it is, if one of them is one-hot.
    fn take_rows(&mut self, i: usize, axes: &'a Names, both: [u32; 2]) {
        for [hot, other] in [both, [both[1], both[0]]] {
            let Some((axis, positions)) = self.one_hot(hot) else { continue };
            let (of, at) = (self.item(other), self.item(positions).shape);
            let fits = |rank: usize| rank <= LARGEST_RANK;
            if of.kind != self.list[i].kind || !fits(of.shape.rank() + at.rank() + 1) {
                continue;
            }
            let work = if axes[..] == [axis] && of.shape.has(axis) {
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
