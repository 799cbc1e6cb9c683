//! Borders: shifted positions of an axis where there are such, and one number elsewhere.
//!
//! `if 1 <= i && i <= |seq| { X_{seq(clamp(i - 1, 0, |seq| - 1))} } else { 0 }`  is X between two zeros. Lives here: which choices
//! are such, in whatever comparisons and arithmetic of counted positions they are written, and what they owe: positions of
//! what is owed, as they stand. Along two axes it is a band (`band`). A choice stays a node of its own, since either branch may be
//! asked for a derivative; who evaluates it may do the same by other primitives. Not here: positions that are there without a
//! choice (`even`).

mod band;

use smallvec::{SmallVec, smallvec};

use super::even::Steps;
use crate::axis::Name;
use crate::element::{Binary, Comparison, Kind, Unary};
use crate::graph::{Node, Op};
use band::Band;

/// Operations of positions or of a condition that are looked through, one below the other.
const DEPTH: usize = 12;

/// What makes the same as a choice of a table and its border.
#[derive(Debug)]
pub(crate) struct Border {
    /// Which input of the choice the table is indexed in, and how often, one index of the other.
    pub(crate) branch: usize,
    pub(crate) gathers: usize,
    /// Primitives, the first one of a table like this one, each of the others of the one before.
    pub(crate) made: SmallVec<[Node; 4]>,
    /// The numbers that they depend on, beside sizes: with those they tell all borders of a choice from each other.
    pub(crate) numbers: SmallVec<[u64; 8]>,
}

/// Stretches of two axes that are the same: from the first position on, so many.
struct Shifted {
    here: usize,
    there: usize,
    count: usize,
}

/// Conditions that all are to hold, or not to.
type Conditions<'a> = SmallVec<[(&'a Node, bool); 4]>;

impl Node {
    /// What makes the same as this choice, if it is a table with a border.
    pub(crate) fn border(&self) -> Option<Border> {
        let (Op::Select, [condition, yes, no]) = (self.op(), self.inputs()) else { return None };
        let (branch, mut table, value) = match (yes.op(), no.op()) {
            (Op::Gather(_), &Op::Fill(value)) if no.shape().rank() == 0 => (1, yes, value),
            (&Op::Fill(value), Op::Gather(_)) if yes.shape().rank() == 0 => (2, no, value),
            _ => return None,
        };
        if self.error().is_some() {
            return None;
        }
        let mut conditions = conditions(condition, branch == 1)?;
        if let Some(band) = Band::of(&conditions, table) {
            return band.border(self, branch, value);
        }
        let mut along: SmallVec<[(Name, Name, Shifted); 2]> = smallvec![];
        while let (&Op::Gather(axis), [of, positions], None) = (table.op(), table.inputs(), table.value()) {
            let Some(name) = only_axis(positions) else { break };
            let is_new = along.iter().all(|&(outer, taken, _)| name != outer && name != taken);
            let shifted = shifted(&conditions, positions, of.shape().size(axis)?);
            let Some(shifted) = shifted.filter(|_| is_new) else { break };
            conditions.retain(|(condition, _)| only_axis(condition) != Some(name));
            along.push((axis, name, shifted));
            table = of;
        }
        if along.is_empty() || !conditions.is_empty() || table.kind() != self.kind() {
            return None;
        }
        let (mut made, mut numbers) = (smallvec![], smallvec![along.len() as u64, value.to_bits()]);
        let mut last = Node::fill(table.kind(), 0.0, table.shape().clone());
        for (axis, name, shifted) in along.iter().rev() {
            let size = self.shape().size(*name)?;
            let rest = last.shape().size(*axis)? - shifted.there - shifted.count;
            let after = size - shifted.here - shifted.count;
            numbers.extend([shifted.there, rest, shifted.here, after].map(|number| number as u64));
            for how in [Shifted::cut, Shifted::named, Shifted::bordered] {
                let next = how(shifted, &last, [*axis, *name], size, value);
                if next.id() != last.id() {
                    made.push(next.clone());
                    last = next;
                }
            }
        }
        // The same axes, whose order is no part of a border. Where a table has an axis of its positions there is no such node.
        let is_there = |(name, size)| self.shape().size(name) == Some(size);
        let is_same = last.shape().rank() == self.shape().rank() && last.shape().iter().all(is_there);
        (matches!(last.op(), Op::Pad { .. }) && is_same).then_some(Border {
            branch,
            gathers: along.len(),
            made,
            numbers,
        })
    }

    /// The sums that [`scatter_add`](Node::scatter_add) takes. What is owed by a border is a part of what it is owed.
    #[must_use]
    #[track_caller]
    pub(crate) fn owed_at(&self, positions: &Node, axis: Name, size: usize, over: &[Name]) -> Node {
        match self.inside_border(positions, axis, size, over) {
            Some(inside) => inside,
            None => self.scatter_add(positions, axis, size, over),
        }
    }

    #[track_caller]
    fn inside_border(&self, positions: &Node, axis: Name, size: usize, over: &[Name]) -> Option<Node> {
        let name = only_axis(positions).filter(|&name| over == [name])?;
        let is_apart = name == axis || !self.shape().has(axis);
        let (all, x, zero) = self.or_zero().filter(|(_, x, _)| x.shape().has(name) && is_apart)?;
        let Shifted { here, there, count } = shifted(&all, positions, size)?;
        let others = || all.iter().filter(|(condition, _)| only_axis(condition) != Some(name));
        if others().any(|(condition, _)| condition.shape().has(name)) {
            return None;
        }
        let back = Shifted { here: there, there: here, count };
        let axes = [name, axis];
        let inside = back.named(&back.cut(x, axes, 0, 0.0), axes, 0, 0.0);
        let inside = back.bordered(&inside, axes, size, 0.0);
        let met = |&(condition, holds): &(&Node, bool)| {
            if holds { condition.clone() } else { condition.unary(Unary::Not) }
        };
        let others = others().map(met).reduce(|all, condition| all.binary(Binary::And, &condition));
        Some(others.map_or_else(|| inside.clone(), |condition| condition.select(&inside, zero)))
    }

    /// The conditions under which this choice is another tensor, that, and the zero that it is else.
    fn or_zero(&self) -> Option<(Conditions<'_>, &Node, &Node)> {
        let (Op::Select, [condition, yes, no]) = (self.op(), self.inputs()) else { return None };
        let is_zero = |node: &Node| node.literal() == Some(0.0);
        let (x, zero, holds) = if is_zero(no) { (yes, no, true) } else { (no, yes, false) };
        let is_it = self.error().is_none() && is_zero(zero);
        Some((conditions(condition, holds).filter(|_| is_it)?, x, zero))
    }
}

impl Shifted {
    /// The positions that are there of the first axis.
    #[track_caller]
    fn cut(&self, x: &Node, [axis, _]: [Name; 2], _: usize, _: f64) -> Node {
        let is_all = x.shape().size(axis) == Some(self.count);
        if is_all { x.clone() } else { x.slice(axis, self.there..self.there + self.count, 1) }
    }

    /// The same as positions of the second axis.
    #[track_caller]
    fn named(&self, x: &Node, axes: [Name; 2], _: usize, _: f64) -> Node {
        x.rename(&[axes.into()])
    }

    /// The same with a border.
    #[track_caller]
    fn bordered(&self, x: &Node, [_, name]: [Name; 2], size: usize, value: f64) -> Node {
        let is_all = size == self.count;
        if is_all { x.clone() } else { x.pad(name, self.here, size - self.here - self.count, value) }
    }
}

/// The only axis that a node has.
fn only_axis(node: &Node) -> Option<Name> {
    node.shape().names().next().filter(|_| node.shape().rank() == 1)
}

/// Conditions that together hold where this one does, or where it does not.
fn conditions(node: &Node, holds: bool) -> Option<Conditions<'_>> {
    let (mut found, mut stack) = (Conditions::new(), smallvec![(node, holds)] as Conditions<'_>);
    while let Some((node, holds)) = stack.pop() {
        match (node.op(), node.inputs()) {
            _ if found.len() + stack.len() >= DEPTH => return None,
            (Op::Binary(Binary::And), [x, y]) if holds => stack.extend([(y, true), (x, true)]),
            (Op::Binary(Binary::Or), [x, y]) if !holds => stack.extend([(y, false), (x, false)]),
            (Op::Unary(Unary::Not), [x]) => stack.push((x, !holds)),
            _ => found.push((node, holds)),
        }
    }
    Some(found)
}

/// The positions that are there, of an axis of this size, where all conditions on theirs hold; none if they do not follow each
/// other one by one, or if one that leaves the axis is asked for anywhere.
fn shifted(conditions: &Conditions<'_>, positions: &Node, size: usize) -> Option<Shifted> {
    let (name, shape) = (only_axis(positions)?, positions.shape());
    let (steps, [low, high]) = clamped(positions, DEPTH).filter(|_| positions.kind() == Kind::Index)?;
    let limit = i64::try_from(size).ok()?;
    let is_there = |position: i64| (0..limit).contains(&position.clamp(low, high));
    if steps.along[..] != [(name, 1)] || !steps.range(shape)?.into_iter().all(is_there) {
        return None;
    }
    let mut inside = [0, i64::try_from(shape.size(name)?).ok()?];
    for &(condition, holds) in conditions.iter().filter(|(condition, _)| only_axis(condition) == Some(name)) {
        let [first, end] = stretch(condition, holds)?;
        inside = [inside[0].max(first), inside[1].min(end)];
    }
    let [first, end] = inside.map(|end| steps.start + end);
    if inside[0] >= inside[1] || first < low || end - 1 > high {
        return None;
    }
    let [here, there, count] = [inside[0], first, end - first].map(|number| usize::try_from(number).ok());
    Some(Shifted { here: here?, there: there?, count: count? })
}

/// From which position on, and up to which, a comparison holds, or does not.
fn stretch(node: &Node, holds: bool) -> Option<[i64; 2]> {
    let least = least(node, holds)?;
    let &[(_, step)] = &least.along[..] else { return None };
    match step {
        0 => None,
        // start + step · i ≥ 0
        1.. => Some([-least.start.div_euclid(step), i64::MAX]),
        _ => Some([0, least.start.div_euclid(-step) + 1]),
    }
}

/// What is not negative where a comparison holds, or where it does not: the difference of both, or its opposite.
fn least(node: &Node, holds: bool) -> Option<Steps> {
    let (&Op::Compare(comparison), [x, y]) = (node.op(), node.inputs()) else { return None };
    let less = Steps::of(x, DEPTH)?.plus(Steps::of(y, DEPTH)?, -1);
    let (times, more) = match (comparison, holds) {
        (Comparison::Ge, true) | (Comparison::Lt, false) => (1, 0),
        (Comparison::Gt, true) | (Comparison::Le, false) => (1, -1),
        (Comparison::Le, true) | (Comparison::Gt, false) => (-1, 0),
        (Comparison::Lt, true) | (Comparison::Ge, false) => (-1, -1),
        (Comparison::Eq | Comparison::Ne, _) => return None,
    };
    Some(Steps::default().plus(less, times).moved(more))
}

/// The steps that positions go in where they are inside of bounds, and these.
fn clamped(node: &Node, depth: usize) -> Option<(Steps, [i64; 2])> {
    if let Some(steps) = Steps::of(node, depth) {
        return Some((steps, [i64::MIN, i64::MAX]));
    }
    let depth = depth.checked_sub(1)?;
    let number = |node: &Node| Steps::of(node, 2).filter(|steps| steps.along.is_empty()).map(|steps| steps.start);
    match (node.op(), node.inputs()) {
        (Op::Cast, [x]) if matches!(node.kind(), Kind::Index | Kind::F32 | Kind::F64) => clamped(x, depth),
        (&Op::Binary(function), [x, y]) => {
            let (x, by) = match (number(x), number(y)) {
                (None, Some(by)) => (x, by),
                (Some(by), None) if function != Binary::Sub => (y, by),
                _ => return None,
            };
            let (steps, bounds) = clamped(x, depth)?;
            match function {
                Binary::Max => Some((steps, bounds.map(|bound| bound.max(by)))),
                Binary::Min => Some((steps, bounds.map(|bound| bound.min(by)))),
                Binary::Add | Binary::Sub => {
                    let by = if function == Binary::Add { by } else { -by };
                    Some((steps.moved(by), bounds.map(|bound| bound.saturating_add(by))))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
