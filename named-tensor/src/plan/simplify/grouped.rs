//! Products with matrices at computed positions as what they are: no matrix is copied for each of its rows.
//!
//! Of  `index_ax(W, I) ⊙_k X`  the matrices of W that rows of X meet, and not one for each row, are read: experts, relations,
//! adapters.
//! What W owes, the sum of  `X · G`  at the positions I, has a product of matrices for each position, and `X · G` is not made.
//! Lives here: which items these are. Not here: their steps (`lower::grouped`), the products (`kernel::grouped`).

use std::sync::LazyLock;

use smallvec::SmallVec;

use super::{Items, Scale, Work};
use crate::axis::Name;
use crate::element::{Binary, Kind};
use crate::graph::shape::Names;
use crate::graph::{Op, Shape};
use crate::plan::LARGEST_RANK;
use crate::plan::weighed;

/// Numbers of a matrix from which on it is not copied: a call for smaller ones takes longer.
const LEAST: usize = if cfg!(test) { 4 } else { 64 };

static NOTHING: LazyLock<Names> = LazyLock::new(Names::new);

impl<'a> Items<'a> {
    /// Makes a contraction with matrices at positions, item `i`, and the sum of what they owe, what they are.
    pub(super) fn take_grouped(&mut self, i: usize) {
        let item = &self.list[i];
        // Of a result without numbers nobody would ask whether the positions are there.
        if !matches!(item.kind, Kind::F32 | Kind::F64) || item.shape.elements() == 0 {
            return;
        }
        match (item.work, &item.inputs[..]) {
            (Work::Contract(axes, Scale::None), &[x, y]) => {
                let found = self.product_at(i, axes, [x, y]).or_else(|| self.product_at(i, axes, [y, x]));
                if let Some((work, inputs)) = found {
                    self.list[i].work = work;
                    self.list[i].inputs = SmallVec::from_slice(&inputs);
                }
            }
            (Work::Op(Op::ScatterAdd { axis, over }), &[updates, positions]) => {
                let item = self.item(updates);
                let (summed, &[x, y]) = (
                    match item.work {
                        Work::Contract(axes, Scale::None) => axes,
                        Work::Op(Op::Binary(Binary::Mul)) => &*NOTHING,
                        _ => return,
                    },
                    &item.inputs[..],
                ) else {
                    return;
                };
                if self.uses[updates as usize] == 1 && self.are_owed([x, y, positions], *axis, over, summed) {
                    self.list[i].work = Work::Owed(*axis, summed);
                    self.list[i].inputs = SmallVec::from_slice(&[x, y, positions]);
                }
            }
            _ => {}
        }
    }

    /// A contraction of matrices at positions with rows, if the first of both is such a table.
    fn product_at(&self, i: usize, summed: &'a Names, [matrices, x]: [u32; 2]) -> Option<(Work<'a>, [u32; 3])> {
        let kind = self.list[i].kind;
        // What is stored in 16 bits is widened after it was taken.
        let gather = match (self.item(matrices).work, &self.item(matrices).inputs[..]) {
            (Work::Op(Op::Cast), &[narrow]) if self.item(narrow).kind == Kind::Bf16 => self.item(narrow),
            _ => self.item(matrices),
        };
        let (&Work::Op(&Op::Gather(axis)), &[table, positions]) = (&gather.work, &gather.inputs[..]) else {
            return None;
        };
        let [of, at, rows] = [table, positions, x].map(|input| self.item(input).shape);
        // What is of both and not summed is a batch.
        let is_column = |name: Name| name != axis && !summed.contains(&name) && !rows.has(name);
        let is_summed = |name: &Name| at.has(*name) || of.has(*name) && rows.has(*name);
        let rank = self.list[i].shape.rank() + summed.len() + 1;
        let is_it = [kind, Kind::Bf16].contains(&self.item(table).kind)
            && self.item(x).kind == kind
            && !at.has(axis)
            && !rows.has(axis)
            && !at.names().any(|name| of.has(name))
            && summed.iter().all(is_summed)
            && rank <= LARGEST_RANK
            && of.names().any(|name| summed.contains(&name))
            && of.names().any(is_column);
        let numbers = of.iter().filter(|&(name, _)| is_column(name) || summed.contains(&name)).map(|(_, size)| size);
        (is_it && !weighed::is_less(numbers.fold(1, usize::saturating_mul), LEAST))
            .then_some((Work::Chosen { axis, summed, told: gather.node }, [table, positions, x]))
    }

    /// Whether the products of both, summed over some axes, and then at positions over all of these, are what matrices owe.
    fn are_owed(&self, [x, y, positions]: [u32; 3], axis: Name, over: &[Name], summed: &Names) -> bool {
        let [x, y, at] = [x, y, positions].map(|input| self.item(input).shape);
        let shared = |name: &Name| at.has(*name) || summed.contains(name);
        // What both have of their own is a batch.
        let own = |of: &Shape, other: &Shape| -> Names {
            of.names().filter(|name| !shared(name) && !other.has(*name)).collect()
        };
        let [of_x, of_y] = [own(x, y), own(y, x)];
        let size = |of: &Shape, names: &Names| names.iter().filter_map(|&name| of.size(name)).product::<usize>();
        // Where nothing is multiplied there is nothing to tell a wrong position from.
        ![x, y].iter().any(|of| of.elements() == 0)
            && !of_x.is_empty()
            && !of_y.is_empty()
            && ![x, y, at].iter().any(|of| of.has(axis))
            && !summed.iter().any(|&name| at.has(name))
            && over.len() == at.rank()
            && over.iter().all(|&name| at.has(name))
            && at.rank() + x.rank() + y.rank() < LARGEST_RANK
            && !weighed::is_less(size(x, &of_x).saturating_mul(size(y, &of_y)), LEAST)
    }
}
