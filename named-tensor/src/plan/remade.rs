//! What is far larger than all that it is made of, and is only summed, is made again for each sum and stored nowhere.
//!
//! Of `D = X - Y` over `m × k × n` positions a distance needs `Σ_k D·D`, and its gradient `Σ_n D·s` and `Σ_m D·s`. Shared, `D` and
//! `D·s` are `m·k·n` numbers each that are written and read; where each sum has its own, it makes them on the way
//! (`lower::computed`).
//! Lives here: which items these are, and a copy of them for each of their reductions.
//! Not here: how a reduction makes what it reads.

use smallvec::SmallVec;

use super::LARGEST_RANK;
use super::key::narrow;
use super::simplify::{Item, Items, Scale, TIMES, Work};
use super::weighed;
use crate::element::{Binary, Kind, Unary};
use crate::graph::{Op, Shape};

/// Numbers from which on a group is not stored: fewer stay in a near cache until they are read. Less in tests, so that they come
/// here too.
const STORED: usize = if cfg!(test) { 24 } else { 32 * 1024 };
/// The same of those that several reductions share, each of which has to make them.
const SHARED: usize = if cfg!(test) { 24 } else { 1024 * 1024 };
/// The same of differences and their multiples, whose sums take as long as those of a product of matrices.
const DIFFERENCES: usize = if cfg!(test) { 24 } else { 2 * 1024 };
/// Numbers up to which it is not: what is larger than any memory is refused, as it would be for anybody else, and not computed for
/// hours.
const LARGEST: usize = if usize::BITS > 40 { 1 << 40 } else { usize::MAX };
/// How many times as large as all that it reads a group is at least, if it is made more than once.
const REPAID: usize = 4;
/// The same of differences and their multiples.
const REPAID_OF_DIFFERENCES: usize = 2;
/// So many operations are made again at most for each number that is summed.
const OPERATIONS: usize = 6;

/// Whether so many numbers need not be stored to be reduced; of differences, their squares or multiples, fewer.
pub(super) fn is_large(elements: usize, are_of_differences: bool) -> bool {
    let least = if are_of_differences { DIFFERENCES } else { STORED };
    !weighed::is_less(elements, least) && !weighed::is_less(LARGEST, elements)
}

/// An item that can be made again.
#[derive(Clone, Default)]
struct Made {
    operations: usize,
    /// If it is a difference, its square, or a multiple of it: how many factors it has besides, constants apart.
    factors: Option<usize>,
    /// What it is made of.
    of: SmallVec<[u32; 4]>,
}

/// Items and their copies.
type Copies = SmallVec<[(u32, u32); OPERATIONS]>;

/// The items, where each reduction of one that can be made again has a copy of it.
pub(super) fn apart(mut items: Items<'_>) -> Items<'_> {
    let is_reduced = items.only_reduced();
    if !is_reduced.contains(&true) {
        return items;
    }
    let mut made: Vec<Option<Made>> = Vec::with_capacity(items.list.len());
    for (i, &is_reduced) in is_reduced.iter().enumerate() {
        let of = is_reduced.then(|| items.made(&made, &items.list[i])).flatten();
        made.push(of);
    }
    let mut moved = false;
    for i in 0..is_reduced.len() {
        moved |= items.uses[i] > 0 && items.reduce_a_copy(&made, i);
    }
    if moved {
        items.uses.resize(items.list.len(), 0);
        items = items.sorted();
        items.count_uses();
    }
    items
}

impl<'a> Items<'a> {
    /// Of each item, whether it is simple and all it is needed for are reductions, perhaps of what else is made with it.
    fn only_reduced(&self) -> Vec<bool> {
        let simple = |(item, &uses): (&Item<'_>, &u32)| uses > 0 && self.is_simple(item);
        let mut is_reduced: Vec<bool> = self.list.iter().zip(&self.uses).map(simple).collect();
        self.roots.iter().for_each(|&root| is_reduced[root as usize] = false);
        for (i, item) in self.list.iter().enumerate().rev() {
            if self.uses[i] > 0 && !is_reduced[i] && !self.is_reduction(item) {
                item.inputs.iter().for_each(|&input| is_reduced[input as usize] = false);
            }
        }
        is_reduced
    }

    /// Whether an item is a simple function of each element.
    fn is_simple(&self, item: &Item<'_>) -> bool {
        use Binary::{Add, Div, Max, Min, Mul, Sub};
        let is_one = matches!(
            item.work,
            Work::Op(
                Op::Binary(Add | Sub | Mul | Div | Max | Min)
                    | Op::Unary(Unary::Neg | Unary::Abs)
                    | Op::Compare(_)
                    | Op::Select
                    | Op::Cast
                    | Op::Rename
            )
        );
        (is_one || self.is_square(item)) && item.shape.rank() <= LARGEST_RANK
    }

    /// Whether an item is `x²`, written as a power.
    fn is_square(&self, item: &Item<'_>) -> bool {
        let is_two = |&exponent: &u32| matches!(self.item(exponent).work, Work::Constant(2.0));
        matches!(item.work, Work::Op(Op::Binary(Binary::Pow))) && item.inputs.get(1).is_some_and(is_two)
    }

    /// Whether an item sums, or otherwise reduces, what might be made on the way: also products with a tensor that has no axes
    /// but those of the other one.
    fn is_reduction(&self, item: &Item<'_>) -> bool {
        let fits = match item.work {
            Work::Op(Op::Reduce(..)) => true,
            Work::Contract(_, Scale::None) => self.whole(item).is_some(),
            _ => false,
        };
        fits && matches!(item.kind, Kind::F32 | Kind::F64)
    }

    /// The shape of an operand of a product that has all of its axes.
    fn whole(&self, item: &Item<'_>) -> Option<&'a Shape> {
        let [left, right] = [item.inputs[0], item.inputs[1]].map(|input| self.item(input).shape);
        let has_all = |all: &Shape, other: &Shape| other.names().all(|name| all.has(name));
        [(left, right), (right, left)].into_iter().find(|(all, other)| has_all(all, other)).map(|(all, _)| all)
    }

    /// What this item is made of, if that is far smaller and not many operations away.
    fn made(&self, made: &[Option<Made>], item: &Item<'_>) -> Option<Made> {
        let mut all = Made { operations: 1, factors: self.factors(made, item), of: SmallVec::new() };
        for &input in &item.inputs {
            match &made[input as usize] {
                Some(Made { operations, of, .. }) => {
                    all.operations += operations;
                    all.of.extend(of.iter().copied());
                }
                None if self.item(input).is_free() => {}
                None => all.of.push(input),
            }
        }
        all.of.sort_unstable();
        all.of.dedup();
        let read = all.of.iter().map(|&of| self.item(of).shape.elements()).fold(0, usize::saturating_add);
        let elements = item.shape.elements();
        let (least, repaid) =
            if all.factors.is_some() { (DIFFERENCES, REPAID_OF_DIFFERENCES) } else { (SHARED, REPAID) };
        let is_repaid =
            || !weighed::is_less(elements, least) && !weighed::is_less(elements, read.saturating_mul(repaid));
        (all.operations <= OPERATIONS && is_large(elements, all.factors.is_some()) && is_repaid()).then_some(all)
    }

    /// Of a difference of tensors that are not made again, and of a product with such a one: how many factors it has, if one at most.
    fn factors(&self, made: &[Option<Made>], item: &Item<'_>) -> Option<usize> {
        let of = |&input: &u32| made[input as usize].as_ref();
        match (&item.work, &item.inputs[..]) {
            (Work::Op(Op::Binary(Binary::Sub)), inputs) => inputs.iter().all(|input| of(input).is_none()).then_some(0),
            (Work::Op(Op::Binary(Binary::Mul)), [x, y]) => {
                let (difference, other) = if of(x).is_some() { (of(x)?, y) } else { (of(y)?, x) };
                let more = usize::from(!self.item(*other).is_free());
                difference.factors.map(|factors| factors + more).filter(|&factors| factors <= 1)
            }
            (_, [x, _]) if self.is_square(item) => of(x)?.factors.filter(|&factors| factors == 0).map(|_| 1),
            _ => None,
        }
    }

    /// Lets a reduction reduce a copy of its own, if what it reduces can be made again and somebody shares a part of it. Returns
    /// whether it does.
    fn reduce_a_copy(&mut self, made: &[Option<Made>], i: usize) -> bool {
        let item = &self.list[i];
        if !self.is_reduction(item) {
            return false;
        }
        let mut copies = Copies::new();
        let copy = if let Work::Contract(axes, _) = item.work {
            let Some(shape) = self.whole(item) else { return false };
            let product = Item { work: Work::Op(&TIMES), shape, inputs: item.inputs.clone(), ..*item };
            if self.made(made, &product).is_none() {
                return false;
            }
            let inputs = product.inputs.iter().map(|&input| self.copy(made, &mut copies, input)).collect();
            self.list.push(Item { inputs, ..product });
            self.list[i].work = Work::Sum(axes);
            narrow(self.list.len() - 1)
        } else if self.is_shared(made, item.inputs[0]) {
            self.copy(made, &mut copies, item.inputs[0])
        } else {
            return false;
        };
        self.list[i].inputs = SmallVec::from_slice(&[copy]);
        true
    }

    /// Whether somebody else needs what would be copied.
    fn is_shared(&self, made: &[Option<Made>], i: u32) -> bool {
        made[i as usize].is_some()
            && (self.uses[i as usize] > 1 || self.item(i).inputs.iter().any(|&input| self.is_shared(made, input)))
    }

    /// A copy of an item and of all that can be made again with it; of any other, itself.
    fn copy(&mut self, made: &[Option<Made>], copies: &mut Copies, i: u32) -> u32 {
        if made[i as usize].is_none() {
            return i;
        }
        if let Some(&(_, copy)) = copies.iter().find(|(of, _)| *of == i) {
            return copy;
        }
        let inputs = self.item(i).inputs.clone();
        let inputs = inputs.into_iter().map(|input| self.copy(made, copies, input)).collect();
        self.list.push(Item { inputs, ..self.list[i as usize] });
        copies.push((i, narrow(self.list.len() - 1)));
        narrow(self.list.len() - 1)
    }
}
