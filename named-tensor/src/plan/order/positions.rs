//! Rows at positions, and sums at positions, among the contractions that are put in order.
//!
//! `index_node(H, S)`  is  `Σ_node H · 1[node = S]`, and a sum at positions contracts the same ones with what is summed. So either
//! may come before or after a product: vectors of nodes are multiplied by a matrix once and not for each edge, what edges owe is
//! summed before it is, and of scores of all words only those at the positions are computed. The ones are never made.
//! Lives here: which positions are ordered, what they count, and what they are in the new order. Not here: positions whose axes
//! are some of a product's, as those of pairs of words are (`simplify::relative`), and orders (`order`).

use smallvec::SmallVec;

use super::Product;
use crate::axis::Name;
use crate::element::Comparison;
use crate::graph::shape::Names;
use crate::graph::{Op, Shape};
use crate::plan::key::Trace;

/// What a number that is taken at a position counts, and the position itself, in multiplications of a product of matrices. Less in
/// tests, so that small ones come here too.
const TAKEN: [f64; 2] = if cfg!(test) { [1.0, 0.0] } else { [8.0, 200.0] };
/// The same of a number that is summed: positions are put in order first.
const SUMMED: [f64; 2] = if cfg!(test) { [2.0, 0.0] } else { [10.0, 400.0] };

/// What so many numbers at so many positions count.
fn weight([number, position]: [f64; 2], numbers: f64, positions: f64) -> f64 {
    number * numbers + position * positions
}

/// What a pair takes or sums at positions.
#[derive(Debug)]
pub(in crate::plan) struct At {
    pub(in crate::plan) op: Op,
    /// The node that tells a wrong position.
    pub(in crate::plan) told: u32,
}

/// An operand that stands for ones: at each of its positions there is one along `axis`.
pub(super) struct Ones {
    /// The operand, as a bit.
    pub(super) set: usize,
    axis: Name,
    /// The axis with its size, where it is none of the operand.
    pub(super) along: Option<(Name, usize)>,
    /// The axes that the positions bring, or that are summed; if these are none, all axes of the positions.
    own: Names,
    /// Whether something is read at these positions in the graph's own order.
    is_read: bool,
    /// The node that takes or sums at these positions; none if ones are made of them, as `one_hot` does.
    told: Option<u32>,
}

/// Positions that an operand is not read at in the graph's own order, as it is read at positions there. They stand beside zeros
/// now, and whatever is there may not meet them: it need not be finite.
#[derive(Debug)]
pub(in crate::plan) struct Unread {
    /// The node of the positions, and the axes that they are counted over.
    pub(in crate::plan) positions: u32,
    pub(in crate::plan) axis: Name,
    pub(in crate::plan) over: Names,
    /// The shape of the counts, and of the operand.
    pub(in crate::plan) counts: Shape,
    pub(in crate::plan) shape: Shape,
}

impl At {
    /// Whether an operation does the same.
    pub(in crate::plan) fn is_same(&self, other: &Op) -> bool {
        match (&self.op, other) {
            (Op::Gather(axis), Op::Gather(other)) => axis == other,
            (Op::ScatterAdd { axis, over }, Op::ScatterAdd { axis: other, over: all }) => {
                axis == other && over.len() == all.len() && over.iter().all(|name| all.contains(name))
            }
            _ => false,
        }
    }
}

enum Way {
    Taken,
    Summed,
}

/// Whether a node takes or sums at positions that can be ordered.
pub(super) fn is_ordered(trace: &Trace<'_>, number: u32) -> bool {
    let &[of, positions] = trace.inputs(number) else { return false };
    let [of, at] = [of, positions].map(|input| trace.node(input).shape());
    match trace.node(number).op() {
        Op::Gather(axis) => !at.has(*axis),
        Op::ScatterAdd { over, .. } => over.iter().all(|&name| of.has(name) && at.has(name)),
        _ => false,
    }
}

/// What a node counts that is written with ones; none if it counts as others do.
pub(super) fn written(trace: &Trace<'_>, number: u32) -> Option<f64> {
    let &[left, right] = trace.inputs(number) else { return None };
    let [x, y] = [left, right].map(|input| trace.node(input).shape());
    let size = |shape: &Shape| shape.sizes().map(|size| size as f64).product::<f64>();
    let more = || x.iter().filter(|&(name, _)| !y.has(name)).map(|(_, size)| size as f64).product::<f64>();
    match trace.node(number).op() {
        Op::Gather(_) => Some(weight(TAKEN, size(trace.node(number).shape()), size(y))),
        Op::ScatterAdd { .. } => Some(weight(SUMMED, size(y) * more(), size(y)) + size(trace.node(number).shape())),
        Op::Contract(axes) => {
            let of = |hot: u32, shape, other| Some((one_hot(trace, hot)?, shape, other));
            let (axis, hot, other) = of(left, x, y).or_else(|| of(right, y, x))?;
            let positions = size(&hot.without(&[axis]));
            if axes[..] == [axis] {
                return Some(weight(TAKEN, size(trace.node(number).shape()), positions));
            }
            let is_summed = !axes.contains(&axis) && axes.iter().all(|&name| other.has(name));
            is_summed.then(|| weight(SUMMED, size(other), positions))
        }
        _ => None,
    }
}

/// Whether a node is ones at positions and 0 elsewhere, which nobody makes.
pub(super) fn is_hot(trace: &Trace<'_>, number: u32) -> bool {
    one_hot(trace, number).is_some()
}

/// The axis along which a node is one at positions and 0 elsewhere.
fn one_hot(trace: &Trace<'_>, number: u32) -> Option<Name> {
    let equal = match (trace.node(number).op(), trace.inputs(number)) {
        (Op::Cast, &[equal]) if trace.value(number).is_none() => equal,
        _ => return None,
    };
    let (Op::Compare(Comparison::Eq), &[left, right]) = (trace.node(equal).op(), trace.inputs(equal)) else {
        return None;
    };
    let counted = [left, right].into_iter().find(|&side| matches!(trace.node(side).op(), Op::Iota))?;
    let positions = if counted == left { right } else { left };
    let axis = trace.node(counted).shape().names().next()?;
    (!trace.node(positions).shape().has(axis)).then_some(axis)
}

impl Ones {
    /// The ones that operand `input` stands for in `node`, if it is some.
    pub(super) fn of(trace: &Trace<'_>, node: u32, input: u32, bit: usize) -> Option<Ones> {
        let shape = trace.node(input).shape();
        let &[of, positions] = trace.inputs(node) else { return None };
        let (axis, along, own, told) = match trace.node(node).op() {
            &Op::Gather(axis) if input == positions => {
                let table = trace.node(of).shape();
                let own = shape.names().filter(|&name| !table.has(name)).collect();
                (axis, Some((axis, table.size(axis)?)), own, Some(node))
            }
            Op::ScatterAdd { axis, over } if input == positions => {
                (*axis, Some((*axis, trace.node(node).shape().size(*axis)?)), (**over).clone(), Some(node))
            }
            _ => {
                let axis = one_hot(trace, input)?;
                (axis, None, shape.names().filter(|&name| name != axis).collect(), None)
            }
        };
        let own = if own.is_empty() { shape.names().collect() } else { own };
        let is_read = matches!(trace.node(node).op(), Op::Gather(_)) && told.is_some();
        Some(Ones { set: 1 << bit, axis, along, own, is_read, told })
    }
}

impl Product {
    /// Whether the positions fit the product: their axes are in each operand all or none, and are summed all or none.
    pub(super) fn has_fit_positions(&self) -> bool {
        let told = || self.ones.iter().filter(|ones| ones.told.is_some());
        let is_fit = |ones: &Ones| {
            let who = |name: Name| {
                let (.., who) = self.axes.iter().find(|&&(other, ..)| other == name)?;
                Some((*who, self.summed.contains(&name)))
            };
            let first = ones.own.first().and_then(|&name| who(name));
            first.is_some() && ones.own.iter().all(|&name| who(name) == first)
        };
        told().next().is_none() || self.operands.len() - told().count() > 1 && told().all(is_fit)
    }

    /// Whether an operand alone is positions, with which nothing can be done before they meet what they are for.
    pub(super) fn is_of_positions(&self, set: usize) -> bool {
        self.ones.iter().any(|ones| ones.set == set && ones.told.is_some())
    }

    /// What a pair counts of which one part is ones; none if it counts as others do.
    pub(super) fn counted(&self, parts: [usize; 2]) -> Option<f64> {
        let Some((ones, other)) = self.ones_of(parts) else {
            return self.is_read_twice(parts).then_some(f64::INFINITY);
        };
        let size = |set: usize| self.size(|axis| self.is_left(axis, set));
        let positions = || self.size(|&(name, _, who)| who & ones.set != 0 && name != ones.axis);
        match self.way(ones, other) {
            Some(Way::Taken) => Some(weight(TAKEN, size(ones.set | other), positions())),
            Some(Way::Summed) => Some(weight(SUMMED, size(other), positions())),
            None => ones.told.map(|_| f64::INFINITY),
        }
    }

    /// What an operand alone counts that is ones, where some of its axes are summed; none if it counts as others do.
    pub(super) fn counted_alone(&self, set: usize) -> Option<f64> {
        let ones = self.ones.iter().find(|ones| ones.set == set)?;
        let positions = self.size(|&(name, _, who)| who & set != 0 && name != ones.axis);
        Some(if ones.told.is_some() { f64::INFINITY } else { weight(SUMMED, positions, positions) })
    }

    /// The positions among two parts, the other part, and what is done at them.
    pub(super) fn at(&self, parts: [usize; 2]) -> Option<(usize, At)> {
        let (ones, other) = self.ones_of(parts)?;
        let (told, axis) = (ones.told?, ones.axis);
        let op = match self.way(ones, other)? {
            Way::Taken => Op::Gather(axis),
            Way::Summed => Op::ScatterAdd { axis, over: Box::new(ones.own.clone()) },
        };
        Some((other, At { op, told }))
    }

    /// The ones among two parts, positions first, and the other part.
    fn ones_of(&self, [left, right]: [usize; 2]) -> Option<(&Ones, usize)> {
        let of = |ones: &&Ones| ones.set == left || ones.set == right;
        let told = self.ones.iter().filter(of).find(|ones| ones.told.is_some());
        let ones = told.or_else(|| self.ones.iter().find(of))?;
        Some((ones, if ones.set == left { right } else { left }))
    }

    /// Of two parts the sums at positions that the other one was to be read at, that one, and these positions.
    fn sums_of(&self, [left, right]: [usize; 2]) -> Option<(usize, usize, &Ones)> {
        [[left, right], [right, left]].into_iter().find_map(|[sums, read]| {
            let is_left =
                |ones: &Ones, set: usize| self.axes.iter().any(|axis| axis.0 == ones.axis && self.is_left(axis, set));
            let is_it = |ones: &&Ones| {
                ones.is_read && ones.set & sums != 0 && ones.set != sums && is_left(ones, sums) && is_left(ones, read)
            };
            // Positions are not multiplied; they are read themselves.
            let ones = (!self.is_of_positions(read)).then(|| self.ones.iter().find(is_it))??;
            Some((sums, read, ones))
        })
    }

    /// Whether a part would be multiplied by sums at positions that were read at others: which of them are, is not counted.
    fn is_read_twice(&self, parts: [usize; 2]) -> bool {
        self.sums_of(parts).is_some_and(|(sums, _, ones)| {
            let is_before = |other: &Ones| other.is_read && other.set & sums != 0 && ones.own.contains(&other.axis);
            self.ones.iter().any(is_before)
        })
    }

    /// Which of two parts are sums at the positions that the other one was to be read at, and these positions.
    pub(super) fn unread(&self, parts: [usize; 2]) -> Option<(usize, Unread)> {
        let (sums, read, ones) = self.sums_of(parts)?;
        let some = |is_one: &dyn Fn(&(Name, usize, usize)) -> bool| {
            self.axes
                .iter()
                .filter(|axis| is_one(axis))
                .map(|&(name, size, _)| (name, size))
                .collect::<SmallVec<[_; 8]>>()
        };
        // Of the axes of the positions some are summed by now.
        let is_counted = |axis: &(Name, usize, usize)| axis.2 & ones.set != 0 && self.is_left(axis, sums);
        let over = some(&|axis| axis.2 & ones.set != 0 && axis.0 != ones.axis && !is_counted(axis));
        let unread = Unread {
            positions: self.operands[ones.set.trailing_zeros() as usize].node,
            axis: ones.axis,
            over: over.into_iter().map(|(name, _)| name).collect(),
            counts: Shape::new(some(&is_counted)),
            shape: Shape::new(some(&|axis| self.is_left(axis, read) || is_counted(axis))),
        };
        Some((sums, unread))
    }

    /// What ones do with some operands, if it is to take or to sum at their positions.
    fn way(&self, ones: &Ones, other: usize) -> Option<Way> {
        let is_left = |name: Name, set: usize| self.axes.iter().any(|axis| axis.0 == name && self.is_left(axis, set));
        let all = ones.set | other;
        let mut gone = self.axes.iter().filter(|axis| self.is_gone(axis, [ones.set, other])).map(|axis| axis.0);
        if self.is_of_positions(other) {
            None
        } else if is_left(ones.axis, other) {
            let is_taken = gone.all(|name| name == ones.axis) && !is_left(ones.axis, all);
            (is_taken && !ones.own.iter().any(|&name| is_left(name, other))).then_some(Way::Taken)
        } else {
            let are_summed = ones.own.iter().all(|&name| is_left(name, other) && !is_left(name, all));
            (are_summed && gone.all(|name| ones.own.contains(&name))).then_some(Way::Summed)
        }
    }
}
