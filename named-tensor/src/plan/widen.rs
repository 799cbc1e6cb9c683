//! Numbers stored in 16 bits are widened where they are used, not where they lie.
//!
//! Widening commutes with whatever moves numbers: a renaming, a slice, rows of a table. So it is put after those, and what
//! is widened is what is needed; a table of words is never widened whole. The contraction of a few rows with a stored
//! matrix takes the matrix as it is: its kernel widens each number in a register. Elsewhere the widening is an
//! elementwise item like any other, in a group with what follows.
//! Not here: how a few rows are multiplied (`kernel::few`), which layouts that kernel does not take (`lower::product`).

use smallvec::SmallVec;

use super::LARGEST_RANK;
use super::key::narrow;
use super::simplify::{Item, Items, Work};
use super::weighed;
use crate::element::Kind;
use crate::graph::shape::Names;
use crate::graph::{Op, Shape};

/// Rows for which it is quicker to widen the matrix while it is multiplied than before.
const FEW: usize = 8;

static WIDEN: Op = Op::Cast;

/// The items, all widening done late.
pub(super) fn late(items: Items<'_>) -> Items<'_> {
    if items.list.iter().all(|item| item.kind != Kind::Bf16) {
        return items;
    }
    let mut late = Late { list: Vec::with_capacity(items.list.len()), stored: Vec::new() };
    let mut now: Vec<u32> = Vec::with_capacity(items.list.len());
    for mut item in items.list {
        item.inputs.iter_mut().for_each(|input| *input = now[*input as usize]);
        now.push(late.item(item));
    }
    let roots = items.roots.iter().map(|&root| now[root as usize]).collect();
    Items { list: late.list, roots, uses: Vec::new() }
}

struct Late<'a> {
    list: Vec<Item<'a>>,
    /// For each item that widens another one, which.
    stored: Vec<Option<u32>>,
}

impl<'a> Late<'a> {
    fn add(&mut self, item: Item<'a>, stored: Option<u32>) -> u32 {
        self.list.push(item);
        self.stored.push(stored);
        narrow(self.list.len() - 1)
    }

    /// Adds an item whose inputs are there.
    fn item(&mut self, mut item: Item<'a>) -> u32 {
        let stored = |late: &Self, which: usize| late.stored[*item.inputs.get(which)? as usize];
        match item.work {
            Work::Op(Op::Cast) if item.kind.is_real() && self.list[item.inputs[0] as usize].kind == Kind::Bf16 => {
                let of = item.inputs[0];
                self.add(item, Some(of))
            }
            Work::Op(op) if moves(op) && stored(self, 0).is_some() => {
                let (shape, kind, node) = (item.shape, item.kind, item.node);
                item.inputs[0] = stored(self, 0).unwrap_or(item.inputs[0]);
                item.kind = Kind::Bf16;
                let moved = self.add(item, None);
                let inputs = SmallVec::from_slice(&[moved]);
                self.add(Item { work: Work::Op(&WIDEN), inputs, shape, kind, node }, Some(moved))
            }
            _ => self.add(item, None),
        }
    }
}

/// Contractions of a few rows with a stored matrix take the matrix as it lies.
pub(super) fn in_products(items: &mut Items<'_>) {
    for i in 0..items.list.len() {
        let Work::Contract(axes, _) = items.list[i].work else { continue };
        let stored = |which: usize| {
            let input = items.item(items.list[i].inputs[which]);
            let of = *input.inputs.first()?;
            (matches!(input.work, Work::Op(Op::Cast)) && items.item(of).kind == Kind::Bf16).then_some(of)
        };
        let (stored, shapes) = ([0, 1].map(stored), [0, 1].map(|which| items.item(items.list[i].inputs[which]).shape));
        // One of more axes is evaluated plainly.
        let fits = items.list[i].shape.rank() + axes.len() <= LARGEST_RANK;
        for which in (0..2).filter(|_| fits) {
            if let (Some(matrix), None) = (stored[which], stored[1 - which])
                && are_few(shapes[1 - which], shapes[which], axes)
            {
                items.list[i].inputs[which] = matrix;
            }
        }
    }
}

/// Whether a primitive only moves the numbers of its first input, or leaves some out.
fn moves(op: &Op) -> bool {
    use Op::{At, Flip, Gather, Merge, Rename, Slice, Split, StopGradient};
    matches!(op, Rename | StopGradient | Split(..) | Merge(..) | Slice { .. } | At(..) | Flip(_) | Gather(_))
}

/// Whether the rows of a contraction with one matrix are few.
fn are_few(rows: &Shape, matrix: &Shape, summed: &Names) -> bool {
    let own = |name| !summed.contains(&name);
    let is_batch = rows.iter().any(|(name, size)| own(name) && size != 1 && matrix.has(name));
    let count: usize = rows.iter().filter(|&(name, _)| own(name) && !matrix.has(name)).map(|(_, size)| size).product();
    !is_batch && !weighed::is_less(FEW, count)
}
