//! Sums of pieces with zeros around them, which together cover an axis: the pieces put side by side.
//!
//! A tensor that is taken apart, as the gates of a recurrent cell are, owes the sum of what its parts owe, each with zeros where
//! the others stand. Nothing is added there, and to what else it owes as many numbers as it has, and not those of every part.
//! Lives here: which sums these are. Not here: the step (`lower::joining`).

use smallvec::SmallVec;

use super::simplify::{Items, Work};
use crate::axis::Name;
use crate::element::Binary;
use crate::graph::Op;

/// At most so many pieces are looked for.
const LARGEST: usize = 64;

/// A piece with zeros around it: where it begins, which item it is, and which is the whole.
type Piece = (usize, u32, u32);

impl Items<'_> {
    /// Puts side by side what item `i` adds, if nobody else needs the pieces with zeros around them: all of it, or what it adds
    /// last to something else.
    pub(super) fn put_beside(&mut self, i: usize) {
        let mut pieces: SmallVec<[Piece; 8]> = SmallVec::new();
        let mut along = None;
        let mut sum = i;
        while self.is_sum(sum) && (sum == i || self.uses[sum] == 1) && pieces.len() < LARGEST {
            let [x, y] = [self.list[sum].inputs[0], self.list[sum].inputs[1]];
            let found = self.piece(y).map(|found| (x, found)).or_else(|| Some((y, self.piece(x)?)));
            let Some((rest, (axis, piece))) = found else { return };
            if along.is_some_and(|along| along != axis) {
                return;
            }
            along = Some(axis);
            pieces.push(piece);
            // The first of all is a piece, too, or all others stand beside something else.
            let all = self.piece(rest).filter(|&(other, _)| other == axis).map(|(_, first)| first);
            let whole = all.map(|first| pieces.iter().copied().chain([first]).collect());
            if let Some(whole) = whole.and_then(|whole| self.side_by_side(axis, whole)) {
                self.list[i].work = Work::Beside(axis);
                self.list[i].inputs = whole;
                return;
            }
            // It stands where the last of the pieces did, behind all that it is made of, and has its axes.
            let last = pieces.iter().map(|&(.., whole)| whole).max().unwrap_or(rest);
            let are_alike = pieces.iter().all(|&(.., whole)| self.item(whole).shape == self.item(last).shape);
            if let Some(inputs) = self.side_by_side(axis, pieces.clone()).filter(|_| are_alike) {
                self.list[last as usize].work = Work::Beside(axis);
                self.list[last as usize].inputs = inputs;
                self.list[i].inputs = [rest, last].into_iter().collect();
                return;
            }
            sum = rest as usize;
        }
    }

    fn is_sum(&self, i: usize) -> bool {
        matches!(self.list[i].work, Work::Op(Op::Binary(Binary::Add)))
    }

    /// The piece that this item has zeros around, along which axis, if nobody else needs it with zeros.
    fn piece(&self, at: u32) -> Option<(Name, Piece)> {
        match self.item(at).work {
            Work::Op(&Op::Pad { axis, before, value: 0.0 }) if self.uses[at as usize] == 1 => {
                Some((axis, (before, self.item(at).inputs[0], at)))
            }
            _ => None,
        }
    }

    /// The pieces in their order, if they cover the axis: each begins where the one before it ends.
    fn side_by_side(&self, axis: Name, mut pieces: SmallVec<[Piece; 8]>) -> Option<SmallVec<[u32; 3]>> {
        pieces.sort_unstable();
        let end = pieces.iter().try_fold(0, |end, &(start, piece, _)| {
            let size = self.item(piece).shape.size(axis)?;
            (start == end).then_some(end + size)
        })?;
        let (.., whole) = *pieces.first()?;
        (pieces.len() > 1 && self.item(whole).shape.size(axis) == Some(end))
            .then(|| pieces.iter().map(|&(_, piece, _)| piece).collect())
    }
}
