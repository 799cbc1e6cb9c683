//! Sums of pieces with zeros around them, which together cover an axis: the pieces put side by side.
//!
//! And what is joined to what was joined along the same axis: all of it at once, so that nothing is copied more than once.
//! A tensor that is taken apart, as the gates of a recurrent cell are, owes the sum of what its parts owe, each with zeros where
//! the others stand. Nothing is added there, and to what else it owes as many numbers as it has, and not those of every part.
//! Lives here: which sums and which joins these are. Not here: the step (`lower::joining`).

use smallvec::SmallVec;

use super::numbered::few;
use super::simplify::{Items, Work};
use crate::axis::Name;
use crate::element::Binary;
use crate::graph::Op;

/// At most so many pieces are looked for.
const LARGEST: usize = 64;

/// A piece with zeros around it: where it begins, how many positions it has, which item it is, and which is the whole.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Piece {
    start: usize,
    size: usize,
    item: u32,
    whole: u32,
}

impl Items<'_> {
    /// Puts side by side what item `i` adds, if nobody else needs the pieces with zeros around them: all of it, or what it adds
    /// last to something else.
    pub(super) fn put_beside(&mut self, i: usize) {
        let mut pieces: SmallVec<[Piece; 8]> = SmallVec::new();
        // The axis, and how many positions of it are left.
        let mut along: Option<(Name, usize)> = None;
        let mut sum = i;
        while self.is_sum(sum) && (sum == i || self.uses[sum] == 1) && pieces.len() < LARGEST {
            let [x, y] = [self.list[sum].inputs[0], self.list[sum].inputs[1]];
            let found = self.piece(y).map(|found| (x, found)).or_else(|| Some((y, self.piece(x)?)));
            let Some((rest, (axis, piece))) = found else { return };
            let (same, left) =
                along.unwrap_or_else(|| (axis, self.item(piece.whole).shape.size(axis).unwrap_or(piece.size)));
            let Some(left) = left.checked_sub(piece.size).filter(|_| same == axis) else { return };
            along = Some((axis, left));
            pieces.push(piece);
            if left == 0 && self.put_beside_rest(i, axis, &pieces, rest) {
                return;
            }
            // What everything is added to is the last piece.
            if let Some((_, first)) = self.piece(rest).filter(|&(other, first)| other == axis && first.size == left) {
                pieces.push(first);
                if let Some(inputs) = in_turn(pieces) {
                    self.list[i].work = Work::Beside(axis);
                    self.list[i].inputs = inputs;
                }
                return;
            }
            sum = rest as usize;
        }
    }

    /// Puts side by side what item `i` adds to the rest, if it covers the axis; tells whether it does.
    fn put_beside_rest(&mut self, i: usize, axis: Name, pieces: &[Piece], rest: u32) -> bool {
        // It stands where the last of the pieces did, behind all that it is made of, and has its axes.
        let last = pieces.iter().map(|piece| piece.whole).max().unwrap_or(rest);
        let are_alike = pieces.iter().all(|piece| self.item(piece.whole).shape == self.item(last).shape);
        let Some(inputs) = in_turn(pieces.into()).filter(|_| are_alike) else { return false };
        self.list[last as usize].work = Work::Beside(axis);
        self.list[last as usize].inputs = inputs;
        self.list[i].inputs = [rest, last].into_iter().collect();
        true
    }

    /// Joins at once what item `i` joins along an axis and what those parts join along it that nobody else needs.
    pub(super) fn join_at_once(&mut self, i: usize) {
        let Work::Op(&Op::Concat(axis)) = self.list[i].work else { return };
        let goes_on = |items: &Self, part: u32| {
            let is_alike = matches!(items.item(part).work, Work::Op(&Op::Concat(other)) if other == axis);
            is_alike && items.uses[part as usize] == 1
        };
        if !self.list[i].inputs.iter().any(|&part| goes_on(self, part)) {
            return;
        }
        let mut all: SmallVec<[u32; 3]> = SmallVec::new();
        for part in std::mem::take(&mut self.list[i].inputs) {
            if !goes_on(self, part) {
                all.push(part);
                continue;
            }
            // Nobody reads that part any more. Of a chain the list is made longer, not copied.
            let first = few(self.item(part).inputs.first().copied());
            let mut its = std::mem::replace(&mut self.list[part as usize].inputs, first);
            if all.is_empty() {
                std::mem::swap(&mut all, &mut its);
            }
            all.append(&mut its);
        }
        self.list[i].inputs = all;
    }

    fn is_sum(&self, i: usize) -> bool {
        matches!(self.list[i].work, Work::Op(Op::Binary(Binary::Add)))
    }

    /// The piece that this item has zeros around, along which axis, if nobody else needs it with zeros.
    fn piece(&self, at: u32) -> Option<(Name, Piece)> {
        match self.item(at).work {
            Work::Op(&Op::Pad { axis, before: start, value: 0.0 }) if self.uses[at as usize] == 1 => {
                let item = self.item(at).inputs[0];
                let size = self.item(item).shape.size(axis)?;
                Some((axis, Piece { start, size, item, whole: at }))
            }
            _ => None,
        }
    }
}

/// Several pieces in their order, if each begins where the one before it ends.
fn in_turn(mut pieces: SmallVec<[Piece; 8]>) -> Option<SmallVec<[u32; 3]>> {
    pieces.sort_unstable();
    let goes_on = |end: usize, piece: &Piece| (piece.start == end).then_some(end + piece.size);
    let are_in_turn = pieces.len() > 1 && pieces.iter().try_fold(0, goes_on).is_some();
    are_in_turn.then(|| pieces.iter().map(|piece| piece.item).collect())
}
