//! From the nodes of a graph to the items of a plan: common parts once, a few rewritings.
//!
//! Lives here: sharing of equal items, contraction over nothing as a product elementwise, a sum of products as a
//! contraction, a scalar factor of a contraction taken into it, the first of a sorted axis found without sorting the rest, and
//! what is dead after that. Each keeps the numbers, up to rounding. Not here: the order of several contractions (`order`), attention (`attention`).

mod grouped;
mod one_hot;
mod paired;
mod relative;
mod spread;
mod sums;

use smallvec::SmallVec;

use super::LARGEST_RANK;
use super::attention::{self, Attention, AttentionGradient};
use super::key::{Trace, narrow};
use super::numbered::{FoldMap, Sentences, few};
use super::order::Pair;
use super::remade;
use super::widen;
use super::words::{self, KeyWords};
use crate::axis::Name;
use crate::element::{Binary, Kind};
use crate::graph::op::Whole;
use crate::graph::shape::Names;
use crate::graph::{Op, Shape};
use paired::Paired;
pub(super) use relative::Relative;

/// What an item does with its inputs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work<'a> {
    /// Its numbers come with the run: stored ones, or a constant that is no part of the structure.
    Leaf,
    /// A constant that is a part of the structure.
    Constant(f64),
    /// A primitive as the graph has it.
    Op(&'a Op),
    /// Σ over the axes of the product of the first two inputs, times or by the third if there is one.
    Contract(&'a Names, Scale),
    /// Σ over the axes of the only input, the product that was to be contracted.
    Sum(&'a Names),
    /// Inputs (queries, keys, values, the scale if there is one, the mask if there is one).
    Attention(Attention<'a>),
    /// Inputs (queries, keys, values, the cotangent of the results, scale, mask); its results are the shares.
    AttentionGradient(AttentionGradient<'a>),
    /// One of the results of its only input.
    Share,
    /// The first of the results of its only input, a scan.
    Beginning,
    /// The numbers of its only input, the same at all positions of the axes that it lacks.
    Spread,
    /// Its inputs, side by side along this axis.
    Beside(Name),
    /// The rows of the first input at the positions of the second, zeros for those that are not there.
    RowsAt(Name),
    /// The sums of the first input over these axes at the positions of the second, which are of the first axis.
    SumsAt(Name, &'a Names),
    /// Inputs (table, positions, rows): Σ over `summed` of the rows times the matrices of the table at the positions along `axis`.
    /// The node `told` takes these.
    Chosen { axis: Name, summed: &'a Names, told: u32 },
    /// The sum at the positions, the third input, of the products of the first two, summed over these axes: what the matrices
    /// of a table along the first axis owe.
    Owed(Name, &'a Names),
    /// Inputs (positions, rows or weights, table or rows): rows and the vectors of a table along `axis` at the positions. The node
    /// `told` takes these.
    Relative { way: Relative, axis: Name, told: u32 },
    /// The first position of the largest (or smallest) numbers along an axis.
    Best { axis: Name, largest: bool },
    /// The logarithm of the sum of exponentials over these axes.
    LogSum(&'a Names),
    /// The first ones of what this operation sorts, or the first one, which may have left the axis.
    First(&'a Op),
}

/// What a contraction does with its third input, a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scale {
    /// It has none.
    None,
    /// Multiplies by it.
    Times,
    /// Divides by it.
    By,
}

/// A step of the computation, before it is fused and laid out.
pub(super) struct Item<'a> {
    pub(super) work: Work<'a>,
    pub(super) inputs: SmallVec<[u32; 3]>,
    pub(super) shape: &'a Shape,
    pub(super) kind: Kind,
    /// The node whose numbers these are.
    pub(super) node: u32,
}

/// The items, inputs before users.
pub(super) struct Items<'a> {
    pub(super) list: Vec<Item<'a>>,
    pub(super) roots: SmallVec<[u32; 4]>,
    /// How many users and roots each item has; none if it is dead.
    pub(super) uses: Vec<u32>,
}

pub(super) static TIMES: Op = Op::Binary(Binary::Mul);

impl<'a> Work<'a> {
    fn of(whole: &'a Whole) -> Work<'a> {
        match whole {
            Whole::Op(op) => Work::Op(op),
            Whole::LogSum(axes) => Work::LogSum(axes),
        }
    }
}

impl Item<'_> {
    /// Whether each element comes from the elements at the same place.
    pub(super) fn is_elementwise(&self) -> bool {
        use Op::{Binary, Cast, Compare, Iota, Select, Unary};
        matches!(self.work, Work::Spread | Work::Op(Iota | Cast | Unary(_) | Binary(_) | Compare(_) | Select))
    }

    /// Whether it costs less to make it again than to read it: positions and known constants.
    pub(super) fn is_free(&self) -> bool {
        matches!(self.work, Work::Op(Op::Iota) | Work::Constant(_))
    }

    /// Whether it only renames.
    pub(super) fn is_rename(&self) -> bool {
        matches!(self.work, Work::Op(Op::Rename))
    }
}

/// The items that are to be computed, some of them rewritten.
pub(super) fn rewritten(items: Items<'_>) -> Items<'_> {
    let mut items = widen::late(items);
    items.count_uses();
    let (mut is_sorted, mut positions) = (true, FoldMap::default());
    let sums = items.sums_of_products();
    for i in 0..items.list.len() {
        items.sum_of_product(i, &sums);
        is_sorted &= !items.take_one_hot(i, &mut positions);
        items.take_best(i);
        items.put_beside(i);
        items.join_at_once(i);
        items.take_gain(i);
    }
    let items = if is_sorted { items } else { items.sorted() };
    let mut items = remade::apart(attention::fused(items));
    for i in 0..items.list.len() {
        items.take_grouped(i);
        items.take_relative(i);
        items.take_scale(i);
        items.take_spread(i);
    }
    widen::in_products(&mut items);
    items.count_uses();
    items
}

/// Each node as an item, equal nodes as one, contractions in their new orders.
pub(super) fn shared<'a, 't: 'a>(trace: &'a Trace<'t>, orders: &'a FoldMap<u32, Vec<Pair>>) -> Items<'a> {
    let mut list: Vec<Item<'a>> = Vec::with_capacity(trace.size());
    let mut item_of: Vec<u32> = Vec::with_capacity(trace.size());
    let mut known = Sentences::new(trace.size());
    let mut words = KeyWords::new();
    let mut paired = Paired::default();
    let written = trace.written();
    for number in 0..narrow(trace.size()) {
        let node = trace.node(number);
        let inputs: SmallVec<[u32; 3]> = few(trace.inputs(number).iter().map(|&input| item_of[input as usize]));
        let value = trace.value(number);
        let stored = value.is_some();
        if let (Op::Call(_) | Op::Constrain(..), false, Some(&same)) = (node.op(), stored, inputs.first()) {
            item_of.push(same);
            continue;
        }
        // One of so many axes is evaluated as the node says.
        let border = trace.border(number).filter(|_| node.shape().rank() <= LARGEST_RANK);
        let mut digest = None;
        // Stored numbers are not compared. Neither are random ones and scans: the seed, and the constants in a body, are
        // no part of the structure.
        if !stored && !matches!(node.op(), Op::Random(..) | Op::Scan(_)) {
            words.clear();
            words.extend_from_slice(trace.words(number));
            words::put_inputs(&inputs, &mut words);
            match known.find(&words) {
                Ok(item) => {
                    item_of.push(item);
                    continue;
                }
                Err(unknown) => digest = Some(unknown),
            }
        }
        // Of several contractions in a new order, and of what makes a border, the last is the node; so is what is written out.
        let several = match (orders.get(&number), border) {
            (Some(pairs), _) => Some(paired.put(pairs, &item_of, (node.kind(), number), &mut list)),
            (None, Some((table, [before @ .., last]))) => {
                let mut input = item_of[table as usize];
                for step in before {
                    let work = Work::Op(step.op());
                    list.push(Item {
                        work,
                        inputs: few([input]),
                        shape: step.shape(),
                        kind: node.kind(),
                        node: number,
                    });
                    input = narrow(list.len() - 1);
                }
                Some((Work::Op(last.op()), few([input]), number))
            }
            _ => written
                .get(&number)
                .filter(|(of, _)| trace.node(*of).shape().rank() <= LARGEST_RANK)
                .map(|&(of, whole)| (Work::of(whole), few([item_of[of as usize]]), number)),
        };
        let work = match node.op() {
            _ if stored => Work::Leaf,
            Op::Fill(value) if words::is_structural(*value) => Work::Constant(*value),
            Op::Fill(_) | Op::Placeholder(_) => Work::Leaf,
            Op::Contract(axes) if axes.is_empty() => Work::Op(&TIMES),
            Op::Contract(axes) => Work::Contract(axes, Scale::None),
            op => Work::Op(op),
        };
        let next = narrow(list.len());
        let (work, inputs, number) = several.unwrap_or((work, inputs, number));
        if !orders.is_empty() {
            paired.note(work, &inputs, next);
        }
        if let Some(digest) = digest {
            known.keep(digest, &words, next);
        }
        item_of.push(next);
        list.push(Item { work, inputs, shape: node.shape(), kind: node.kind(), node: number });
    }
    let roots = trace.roots.iter().map(|&root| item_of[root as usize]).collect();
    let mut items = Items { list, roots, uses: Vec::new() };
    if !trace.beginnings.is_empty() {
        for &(some, other) in &trace.beginnings {
            let [some, other] = [some, other].map(|number| item_of[number as usize]);
            items.list[some as usize].work = Work::Beginning;
            items.list[some as usize].inputs = few([other]);
        }
        items.count_uses();
        items = items.sorted();
    }
    items
}

impl<'a> Items<'a> {
    pub(super) fn count_uses(&mut self) {
        self.uses.clear();
        self.uses.resize(self.list.len(), 0);
        for &root in &self.roots {
            self.uses[root as usize] += 1;
        }
        for i in (0..self.list.len()).rev() {
            if self.uses[i] > 0 {
                for &input in &self.list[i].inputs {
                    self.uses[input as usize] += 1;
                }
            }
        }
    }

    /// The items that are needed, inputs before users again.
    pub(super) fn sorted(self) -> Items<'a> {
        const UNSEEN: u32 = u32::MAX;
        let mut place = vec![UNSEEN; self.list.len()];
        let mut order: Vec<u32> = Vec::with_capacity(self.list.len());
        // (item, whether its inputs are done)
        let mut stack: Vec<(u32, bool)> = self.roots.iter().rev().map(|&root| (root, false)).collect();
        while let Some((item, done)) = stack.pop() {
            if place[item as usize] != UNSEEN {
                continue;
            }
            if done {
                place[item as usize] = narrow(order.len());
                order.push(item);
            } else {
                stack.push((item, true));
                stack.extend(self.item(item).inputs.iter().rev().map(|&input| (input, false)));
            }
        }
        let mut old: Vec<Option<Item<'a>>> = self.list.into_iter().map(Some).collect();
        let mut list = Vec::with_capacity(order.len());
        for &item in &order {
            let Some(mut item) = old[item as usize].take() else { continue };
            item.inputs.iter_mut().for_each(|input| *input = place[*input as usize]);
            if let Work::AttentionGradient(gradient) = &mut item.work {
                gradient.results.iter_mut().flatten().for_each(|result| *result = place[*result as usize]);
            }
            list.push(item);
        }
        let roots = self.roots.iter().map(|&root| place[root as usize]).collect();
        let uses = order.iter().map(|&item| self.uses[item as usize]).collect();
        Items { list, roots, uses }
    }

    pub(super) fn item(&self, number: u32) -> &Item<'a> {
        &self.list[number as usize]
    }

    /// Whether an item is made of positions alone, as those of windows are, in a few operations.
    pub(super) fn is_counted(&self, number: u32) -> bool {
        const DEEPEST: usize = 6;
        self.is_counted_within(DEEPEST, number)
    }

    fn is_counted_within(&self, depth: usize, number: u32) -> bool {
        let item = self.item(number);
        let is_function = || depth > 0 && (item.is_elementwise() || item.is_rename()) && !item.inputs.is_empty();
        item.is_free() || is_function() && item.inputs.iter().all(|&input| self.is_counted_within(depth - 1, input))
    }

    /// Of the first positions of a sorted axis the others need not be sorted, and the first one alone is the position of the
    /// largest or smallest number.
    fn take_best(&mut self, i: usize) {
        let item = &self.list[i];
        let axis = match item.work {
            Work::Op(&Op::At(axis, 0)) => axis,
            Work::Op(&Op::Slice { axis, start: 0, step }) if step == 1 || item.shape.size(axis) == Some(1) => axis,
            _ => return,
        };
        let is_one = item.shape.size(axis).is_none_or(|size| size == 1);
        let order = item.inputs[0];
        let (&Work::Op(op), &[x]) = (&self.item(order).work, &self.item(order).inputs[..]) else { return };
        let (Op::Sort { axis: along, descending } | Op::ArgSort { axis: along, descending }) = op else { return };
        if *along != axis
            || self.uses[order as usize] != 1
            || !matches!(self.item(x).kind, Kind::F32 | Kind::F64)
            || self.item(x).shape.rank() > LARGEST_RANK
        {
            return;
        }
        self.list[i].inputs = SmallVec::from_slice(&[x]);
        self.list[i].work = match op {
            Op::ArgSort { .. } if is_one => Work::Best { axis, largest: *descending },
            _ => Work::First(op),
        };
    }

    /// `(x ⊙ y) · s` and `(x ⊙ y) / s` with a scalar `s` scale while they sum, instead of in a pass of their own.
    fn take_scale(&mut self, i: usize) {
        let Work::Op(Op::Binary(function @ (Binary::Mul | Binary::Div))) = self.list[i].work else { return };
        let [left, right] = [self.list[i].inputs[0], self.list[i].inputs[1]];
        let scale = if *function == Binary::Mul { Scale::Times } else { Scale::By };
        let orders: &[(u32, u32)] =
            if scale == Scale::Times { &[(left, right), (right, left)] } else { &[(left, right)] };
        for &(product, scalar) in orders {
            if self.uses[product as usize] == 1
                && self.item(scalar).shape.rank() == 0
                && let Work::Contract(axes, Scale::None) = self.item(product).work
            {
                let [x, y] = [self.item(product).inputs[0], self.item(product).inputs[1]];
                // A sum of nothing is 0 before it is scaled, by whatever.
                let nothing = axes.iter().any(|&axis| self.item(x).shape.size(axis) == Some(0));
                if nothing || self.list[i].shape.rank() + axes.len() > LARGEST_RANK {
                    return;
                }
                self.list[i].inputs = SmallVec::from_slice(&[x, y, scalar]);
                self.list[i].work = Work::Contract(axes, scale);
                return;
            }
        }
    }
}
