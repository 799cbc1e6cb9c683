//! Contractions with one-hot tensors as what they are: rows that are taken, and rows that are summed or counted.
//!
//! Lives here: `one_hot_ax(I) ⊙_ax E`, the rows of E at the positions I, and `one_hot_ax(I) ⊙ U` over axes of I, the sums of U
//! at them; also where product and sum are written, and the sum of `one_hot_ax(I)` alone, which counts, over axes of I, or is 1
//! where I is a position, over ax. It may be written by cases,  `if i == 100 * t + j { 1 } else { 0 }`, of positions as
//! numbers. The tensor of ones and zeros is not made, and not multiplied by: where E or U is infinite or NaN, only the results
//! that a 1 leads to are.
//! Not here: the loops (`kernel::one_hot`).

use std::sync::LazyLock;

use smallvec::SmallVec;

use super::{Item, Items, Scale, Work};
use crate::axis::Name;
use crate::element::{Binary, Comparison, Kind, Unary};
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::graph::{Op, Shape};
use crate::plan::LARGEST_RANK;
use crate::plan::key::narrow;
use crate::plan::numbered::{FoldMap, few};

/// Positions that were made of numbers, by these: all contractions with the same ones take them.
pub(super) type Positions = FoldMap<u32, u32>;

/// A tensor that is 1 along an axis at some numbers, and 0 elsewhere.
struct Hot {
    axis: Name,
    /// The numbers, and the positions of the axis that they are compared with.
    at: u32,
    counted: u32,
}

static FLOOR: Op = Op::Unary(Unary::Floor);
static EQUAL: Op = Op::Compare(Comparison::Eq);

/// The shape of one number.
pub(super) static SCALAR: LazyLock<Shape> = LazyLock::new(Shape::default);

impl<'a> Items<'a> {
    /// Makes a contraction with a one-hot tensor what it is. Tells whether there are new items behind their users.
    pub(super) fn take_one_hot(&mut self, i: usize, known: &mut Positions) -> bool {
        let item = &self.list[i];
        if !matches!(item.kind, Kind::F32 | Kind::F64) {
            return false;
        }
        let size = self.list.len();
        match item.work {
            Work::Contract(axes, Scale::None) => self.take_rows(i, axes, [item.inputs[0], item.inputs[1]], known),
            Work::Op(Op::Reduce(Reduction::Sum, axes)) | Work::Sum(axes) => {
                let summed = item.inputs[0];
                match (self.item(summed).work, &self.item(summed).inputs[..]) {
                    (Work::Op(Op::Binary(Binary::Mul)), &[x, y]) => self.take_rows(i, axes, [x, y], known),
                    _ => self.take_counts(i, axes, summed, known),
                }
            }
            _ => {}
        }
        self.list.len() > size
    }

    /// Makes a sum of a one-hot tensor alone what it is: sums of a 1 for each position, or the 1 that is at each of them.
    fn take_counts(&mut self, i: usize, axes: &'a Names, hot: u32, known: &mut Positions) {
        for Hot { axis, at, counted } in self.one_hot(hot) {
            let shape = self.item(at).shape;
            let all = self.item(counted).shape;
            if let (true, Some(name)) = (axes[..] == [axis] && shape.rank() + 1 < LARGEST_RANK, all.names().next()) {
                let (kind, node) = (self.list[i].kind, self.item(hot).node);
                let ones = self.put(Work::Constant(1.0), &[], all, kind, node);
                self.list[i].inputs = few([ones, self.positions(at, node, known)]);
                self.list[i].work = Work::RowsAt(name);
                return;
            }
            if axes.iter().all(|&name| shape.has(name)) && shape.rank() < LARGEST_RANK {
                let (kind, node) = (self.list[i].kind, self.item(hot).node);
                let one = self.put(Work::Constant(1.0), &[], &SCALAR, kind, node);
                self.list[i].inputs = few([one, self.positions(at, node, known)]);
                self.list[i].work = Work::SumsAt(axis, axes);
                return;
            }
        }
    }

    /// Makes the sum over these axes of the product of both what it is, if one of them is one-hot.
    fn take_rows(&mut self, i: usize, axes: &'a Names, both: [u32; 2], known: &mut Positions) {
        for [hot, other] in [both, [both[1], both[0]]] {
            let found = self.one_hot(hot);
            let of = self.item(other);
            let fits = |hot: &Hot| of.shape.rank() + self.item(hot.at).shape.rank() < LARGEST_RANK;
            if of.kind != self.list[i].kind || !found.iter().all(fits) {
                continue;
            }
            let rows = |hot: &&Hot| axes[..] == [hot.axis] && of.shape.has(hot.axis);
            let sums =
                |hot: &&Hot| !of.shape.has(hot.axis) && axes.iter().all(|&name| self.item(hot.at).shape.has(name));
            let (work, at) = match (found.iter().find(rows), found.iter().find(sums)) {
                (Some(hot), _) => (Work::RowsAt(hot.axis), hot.at),
                (None, Some(hot)) => (Work::SumsAt(hot.axis, axes), hot.at),
                (None, None) => continue,
            };
            let positions = self.positions(at, self.item(hot).node, known);
            self.list[i].inputs = few([other, positions]);
            self.list[i].work = work;
            return;
        }
    }

    /// The ways in which a tensor is 1 at some numbers and 0 elsewhere. Its axis, but none of the numbers, may have a new name.
    fn one_hot(&self, hot: u32) -> SmallVec<[Hot; 2]> {
        let mut of = hot;
        while self.item(of).is_rename() {
            of = self.item(of).inputs[0];
        }
        let [names, called] = [of, hot].map(|number| self.item(number).shape);
        let called = |name: Name| called.names().nth(names.position(name)?);
        let is_same = |hot: &Hot| self.item(hot.at).shape.names().all(|name| called(name) == Some(name));
        let both = self.equal(of).into_iter().flat_map(|[left, right]| [[left, right], [right, left]]);
        let found = both.filter_map(|[counted, at]| Some(Hot { axis: self.counted_along(counted, at)?, at, counted }));
        found.filter(is_same).filter_map(|hot| Some(Hot { axis: called(hot.axis)?, ..hot })).collect()
    }

    /// The two of which an item says by 1 and 0 where they are equal.
    fn equal(&self, hot: u32) -> Option<[u32; 2]> {
        let item = self.item(hot);
        let is_number = |of: u32, number: f64| matches!(self.item(of).work, Work::Constant(value) if value == number);
        let (mut condition, mut holds) = match (item.work, &item.inputs[..]) {
            (Work::Op(Op::Cast), &[condition]) => (condition, true),
            (Work::Op(Op::Select), &[condition, yes, no]) => match () {
                () if is_number(yes, 1.0) && is_number(no, 0.0) => (condition, true),
                () if is_number(yes, 0.0) && is_number(no, 1.0) => (condition, false),
                () => return None,
            },
            _ => return None,
        };
        if let (Work::Op(Op::Unary(Unary::Not)), &[other]) =
            (self.item(condition).work, &self.item(condition).inputs[..])
        {
            (condition, holds) = (other, !holds);
        }
        let equal = self.item(condition);
        let wanted = if holds { Comparison::Eq } else { Comparison::Ne };
        match (equal.work, &equal.inputs[..]) {
            // Numbers that are chosen from may have axes of their own.
            (Work::Op(Op::Compare(comparison)), &[left, right])
                if *comparison == wanted && equal.shape.rank() == item.shape.rank() =>
            {
                Some([left, right])
            }
            _ => None,
        }
    }

    /// The axis that an item counts the positions of, each as a number of its own, if others lack it.
    fn counted_along(&self, counted: u32, others: u32) -> Option<Name> {
        let (all, at) = (self.item(counted), self.item(others));
        let (axis, size) = all.shape.iter().next().filter(|_| all.shape.rank() == 1)?;
        let is_iota = |item: &Item<'_>| matches!(item.work, Work::Op(Op::Iota));
        let is_count = match (all.work, &all.inputs[..]) {
            (Work::Op(Op::Cast), &[x]) => is_iota(self.item(x)),
            _ => is_iota(all),
        };
        // Up to here each number is one position, and one that is more is rounded to none that is less.
        let digits = match all.kind {
            Kind::Index => 63,
            Kind::F64 => f64::MANTISSA_DIGITS,
            Kind::F32 => f32::MANTISSA_DIGITS,
            _ => return None,
        };
        (is_count && size as u64 <= 1 << digits && !at.shape.has(axis)).then_some(axis)
    }

    /// Numbers as positions: those that are not whole, or that are no numbers, are none.
    fn positions(&mut self, at: u32, node: u32, known: &mut Positions) -> u32 {
        let (work, kind, shape) = (self.item(at).work, self.item(at).kind, self.item(at).shape);
        match (work, &self.item(at).inputs[..]) {
            _ if kind == Kind::Index => return at,
            (Work::Op(Op::Cast), &[x]) if self.item(x).kind == Kind::Index => return x,
            _ => {}
        }
        if let Some(&positions) = known.get(&at) {
            return positions;
        }
        self.uses[at as usize] += 1;
        // `if x == floor(x) { x } else { -1 }`
        let floor = self.put(Work::Op(&FLOOR), &[at], shape, kind, node);
        let is_whole = self.put(Work::Op(&EQUAL), &[at, floor], shape, Kind::Bool, node);
        let none = self.put(Work::Constant(-1.0), &[], &SCALAR, kind, node);
        let whole = self.put(Work::Op(&Op::Select), &[is_whole, at, none], shape, kind, node);
        let positions = self.put(Work::Op(&Op::Cast), &[whole], shape, Kind::Index, node);
        known.insert(at, positions);
        positions
    }

    /// A new item, behind all others.
    fn put(&mut self, work: Work<'a>, inputs: &[u32], shape: &'a Shape, kind: Kind, node: u32) -> u32 {
        self.list.push(Item { work, inputs: SmallVec::from_slice(inputs), shape, kind, node });
        self.uses.push(1);
        narrow(self.list.len() - 1)
    }
}
