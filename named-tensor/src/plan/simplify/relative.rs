//! Vectors of a table at far more positions than it has vectors, as what they are: none is copied for each position.
//!
//! `Q ⊙_key index_dist(R, D)`  with D over seq and seq′ chooses among the products of each query with all of R;
//! `A ⊙_seq index_dist(V, D)`  sums A at the positions D before it is multiplied, and so does what R owes. These are relative
//! positions (Shaw et al., 2018), and kinds of edges of a graph.
//! Lives here: which items these are. Not here: their steps (`lower::relative`), the loops (`kernel::relative`).

use smallvec::SmallVec;

use super::{Items, Scale, Work};
use crate::axis::Name;
use crate::element::{Binary, Kind};
use crate::graph::shape::Names;
use crate::graph::{Op, Shape};
use crate::plan::LARGEST_RANK;
use crate::plan::weighed;

/// What rows do with vectors at positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plan) enum Relative {
    /// Each is multiplied by them, and summed over their axes.
    Products,
    /// Weights, summed over axes of the positions, are multiplied by them.
    Sums,
    /// They owe the rows times these weights.
    Owed,
}

/// A number is chosen or summed at a position in the time of so many that are multiplied in a product of matrices.
const CHOSEN: usize = 32;
const SUMMED: usize = 100;
/// Vectors that are copied for each position take so many for each number, and their products so many in all where rows beside
/// each other are few, since there is a product of matrices for each position of the others.
const COPIED: usize = 16;
const APART: usize = 64;
/// Those of one row at most so many.
const ALONE: usize = 32;

/// So many vectors a table has at most.
const MOST: usize = u32::MAX as usize;

impl<'a> Items<'a> {
    /// Makes a contraction with vectors at positions, item `i`, and the sum of what they owe, what they are.
    pub(super) fn take_relative(&mut self, i: usize) {
        let item = &self.list[i];
        if !matches!(item.kind, Kind::F32 | Kind::F64) || item.shape.elements() == 0 {
            return;
        }
        let found = match (item.work, &item.inputs[..]) {
            (Work::Contract(axes, Scale::None), &[x, y]) => {
                self.at_positions(i, axes, [x, y]).or_else(|| self.at_positions(i, axes, [y, x]))
            }
            (Work::Op(Op::ScatterAdd { axis, over }), &[updates, positions]) if self.uses[updates as usize] == 1 => {
                let item = self.item(updates);
                let none = Names::new();
                match (item.work, &item.inputs[..]) {
                    (Work::Contract(axes, Scale::None), &[x, y]) => {
                        self.owed_at(i, (*axis, over, axes), [x, y, positions])
                    }
                    (Work::Op(Op::Binary(Binary::Mul)), &[x, y]) => {
                        self.owed_at(i, (*axis, over, &none), [x, y, positions])
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some((work, inputs)) = found {
            self.list[i].work = work;
            self.list[i].inputs = SmallVec::from_slice(&inputs);
        }
    }

    /// A contraction of vectors at positions, the first of both, with something.
    fn at_positions(&self, i: usize, summed: &Names, [vectors, other]: [u32; 2]) -> Option<(Work<'a>, [u32; 3])> {
        let gather = self.item(vectors);
        let (&Work::Op(&Op::Gather(axis)), &[table, positions]) = (&gather.work, &gather.inputs[..]) else {
            return None;
        };
        let [of, at, with] = [table, positions, other].map(|input| self.item(input).shape);
        let own = |name: Name| of.has(name) && name != axis;
        let columns = sizes(of, &|name| name != axis);
        let is_apart = !at.has(axis) && !with.has(axis) && !at.names().any(|name| of.has(name));
        let rank = with.rank().max(self.list[i].shape.rank()) + at.rank() + of.rank();
        if !is_apart || self.item(table).kind != self.list[i].kind || rank > LARGEST_RANK || summed.is_empty() {
            return None;
        }
        let beside = sizes(with, &|name| !at.has(name) && !summed.contains(&name));
        // Rows that are the same for all positions meet the vectors of all in one product as it is.
        let are_vectors = summed.iter().all(|&name| own(name) && with.has(name))
            && of.rank() == summed.len() + 1
            && at.names().any(|name| with.has(name));
        let are_weights =
            summed.iter().all(|&name| at.has(name) && with.has(name)) && of.rank() > 1 && !with.names().any(own);
        let (way, fine, each) = match () {
            () if are_vectors => (Relative::Products, sizes(at, &|name| !with.has(name)), CHOSEN),
            () if are_weights => (Relative::Sums, sizes(at, &|name| summed.contains(&name)), SUMMED),
            () => return None,
        };
        is_worth(of.size(axis)?, columns, fine, beside, each)
            .then_some((Work::Relative { way, axis, told: gather.node }, [positions, other, table]))
    }

    /// The sum at positions of the products of weights, which have no axes beside those of the positions and those that are
    /// summed, with something that has.
    fn owed_at(
        &self,
        i: usize,
        (axis, over, summed): (Name, &[Name], &Names),
        [x, y, positions]: [u32; 3],
    ) -> Option<(Work<'a>, [u32; 3])> {
        let at = self.item(positions).shape;
        let is_shared = |name: Name| at.has(name) || summed.contains(&name);
        let are_weights = |of: u32| self.item(of).shape.names().all(is_shared);
        let [weights, rows] = match [x, y].map(are_weights) {
            [true, false] => [x, y],
            [false, true] => [y, x],
            _ => return None,
        };
        let of = self.item(rows).shape;
        // Where nothing is multiplied there is nothing to tell a wrong position from.
        let is_it = ![x, y].iter().any(|&input| self.item(input).shape.elements() == 0)
            && over.len() == at.rank()
            && over.iter().all(|&name| at.has(name))
            && !summed.iter().any(|&name| at.has(name))
            && ![x, y, positions].iter().any(|&input| self.item(input).shape.has(axis))
            && at.rank() + of.rank() + summed.len() < LARGEST_RANK;
        let fine = sizes(at, &|name| !of.has(name));
        let columns = sizes(of, &|name| !is_shared(name));
        let beside = sizes(of, &|name| summed.contains(&name));
        let told = self.list[i].node;
        (is_it && is_worth(self.list[i].shape.size(axis)?, columns, fine, beside, SUMMED))
            .then_some((Work::Relative { way: Relative::Owed, axis, told }, [positions, weights, rows]))
    }
}

/// How many positions some axes have together.
fn sizes(of: &Shape, which: &dyn Fn(Name) -> bool) -> usize {
    of.iter().filter(|&(name, _)| which(name)).fold(1, |all, (_, size)| all.saturating_mul(size))
}

/// Whether it takes less time to meet all vectors of a table than those at so many positions of a row, of which there are so many
/// beside each other.
fn is_worth(limit: usize, columns: usize, fine: usize, beside: usize, each: usize) -> bool {
    let all = limit.saturating_mul(columns).saturating_add(each.saturating_mul(fine)).saturating_mul(beside);
    let apart = match () {
        () if weighed::is_less(APART, beside) => beside,
        () if weighed::is_less(beside, APART / ALONE) => ALONE,
        () => APART,
    };
    let those = (COPIED + apart).saturating_mul(fine).saturating_mul(columns);
    !weighed::is_less(MOST, limit) && beside > 0 && weighed::is_less(1, fine) && !weighed::is_less(those, all)
}
