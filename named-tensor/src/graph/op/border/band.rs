//! Bands: choices along two axes, such as Toeplitz matrices, as windows of a table with a border.
//!
//! `if j <= i { K_{seq(max(i - j, 0))} } else { 0 }`  is K behind zeros, read at  i - j  wherever that is. Lives here: which
//! choices are such, the windows, and what a band is owed inside, whatever stands outside. Not here: how conditions and
//! positions are written (`border`), the view (`even`).

use smallvec::{SmallVec, smallvec};

use super::{Border, Conditions, DEPTH, clamped, least};
use crate::axis::Name;
use crate::element::Kind;
use crate::graph::op::even::Steps;
use crate::graph::{Node, Op, Shape};

/// Positions of an axis in even steps along two others, all there are and those inside, from the first one to the last one.
pub(super) struct Band<'a> {
    axis: Name,
    table: &'a Node,
    shape: &'a Shape,
    steps: Steps,
    all: [i64; 2],
    inside: [i64; 2],
}

impl<'a> Band<'a> {
    /// The band that these conditions make of an index.
    pub(super) fn of(conditions: &Conditions<'_>, index: &'a Node) -> Option<Band<'a>> {
        let (&Op::Gather(axis), [table, positions], None) = (index.op(), index.inputs(), index.value()) else {
            return None;
        };
        let (steps, [all, inside]) = inside(conditions, positions, table.shape().size(axis)?)?;
        Some(Band { axis, table, shape: positions.shape(), steps, all, inside })
    }

    /// What makes the same as this choice of the band and a number.
    pub(super) fn border(&self, choice: &Node, branch: usize, value: f64) -> Option<Border> {
        let made = self.made(&Node::fill(self.table.kind(), 0.0, self.table.shape().clone()), value)?;
        let shape = made.last()?.shape();
        let is_there = |(name, size)| choice.shape().size(name) == Some(size);
        let is_same = shape.rank() == choice.shape().rank() && shape.iter().all(is_there);
        // Names are given in the order of axes, which is no part of a border.
        let is_renamed = matches!(made.last()?.op(), Op::Rename);
        if is_renamed || !is_same || self.table.kind() != choice.kind() {
            return None;
        }
        let step = |name| self.steps.along.iter().find(|&&(other, _)| other == name).map_or(0, |&(_, step)| step);
        let steps = self.shape.names().map(step);
        let ends = self.all.into_iter().chain(self.inside).chain(steps).map(i64::cast_unsigned);
        // No other border is along no axis.
        let numbers = [0, value.to_bits()].into_iter().chain(ends).collect();
        Some(Border { branch, gathers: 1, made, numbers })
    }

    /// Primitives that make the band of a table and of one number around it, each of the one before.
    #[track_caller]
    fn made(&self, table: &Node, value: f64) -> Option<SmallVec<[Node; 4]>> {
        let ([least, most], [first, last]) = (self.all, self.inside);
        let [before, after, start, end] =
            [first - least, most - last, first, last + 1].map(|number| usize::try_from(number).ok());
        let (start, end) = (start?, end?);
        let is_all = table.shape().size(self.axis) == Some(end - start);
        let inside = if is_all { table.clone() } else { table.slice(self.axis, start..end, 1) };
        let around = inside.pad(self.axis, before?, after?, value);
        let seen = around.at_steps(self.axis, &self.steps.clone().moved(-least), self.shape)?;
        let mut made: SmallVec<[Node; 4]> = smallvec![seen];
        while let [.., Some(before)] = [made.last()?.inputs().first()]
            && before.id() != table.id()
        {
            let before = before.clone();
            made.push(before);
        }
        made.reverse();
        Some(made)
    }
}

impl Node {
    /// What the band at these positions is owed, which is this sum at them without what stands outside, and the primitives that
    /// make the band of the table, in their order.
    #[track_caller]
    pub(crate) fn owed_in_band(
        &self,
        positions: &Node,
        axis: Name,
        size: usize,
        over: &[Name],
    ) -> Option<(Node, SmallVec<[Node; 4]>)> {
        let (conditions, x, _) = self.or_zero()?;
        let are_summed = over.len() == 2 && over.iter().all(|&name| positions.shape().has(name) && x.shape().has(name));
        if !are_summed || !over.contains(&axis) && x.shape().has(axis) {
            return None;
        }
        let (steps, [all, inside]) = inside(&conditions, positions, size)?;
        let table = Node::fill(x.kind(), 0.0, x.shape().without(over).with(axis, size));
        let band = Band { axis, table: &table, shape: positions.shape(), steps, all, inside };
        Some((x.clone(), band.made(&table, 0.0)?))
    }
}

/// The steps of positions along two axes, between which they are, and those where all conditions hold; none if one that leaves
/// an axis of this size is asked for, if some are cut off inside, or if all are inside.
fn inside(conditions: &Conditions<'_>, positions: &Node, size: usize) -> Option<(Steps, [[i64; 2]; 2])> {
    let shape = positions.shape();
    if shape.rank() != 2 || conditions.is_empty() || positions.kind() != Kind::Index {
        return None;
    }
    let (steps, [low, high]) = clamped(positions, DEPTH)?;
    let limit = i64::try_from(size).ok()?;
    let [least, most] = steps.range(shape)?;
    let is_there = |position: i64| (0..limit).contains(&position.clamp(low, high));
    if steps.along.len() != 2
        || steps.along.iter().any(|&(_, step)| step == 0)
        || ![least, most].into_iter().all(is_there)
    {
        return None;
    }
    let [mut first, mut last] = [least, most];
    for &(condition, holds) in conditions {
        match stretch(&steps, condition, holds)? {
            (true, end) => first = first.max(end),
            (false, end) => last = last.min(end),
        }
    }
    let is_band = first <= last && low <= first && last <= high && [first, last] != [least, most];
    is_band.then_some((steps, [[least, most], [first, last]]))
}

/// The position from which on, or up to which, a comparison of positions in these steps holds, or does not.
fn stretch(steps: &Steps, node: &Node, holds: bool) -> Option<(bool, i64)> {
    let least = least(node, holds)?;
    let along =
        |steps: &Steps, name| steps.along.iter().find(|&&(other, _)| other == name).map_or(0, |&(_, step)| step);
    let &(name, step) = steps.along.first()?;
    let times = along(&least, name) / step;
    let is_same = |&(name, step): &(Name, i64)| along(&least, name) == times * step;
    if times == 0 || least.along.len() != 2 || !steps.along.iter().all(is_same) {
        return None;
    }
    // times · (position - start) + least ≥ 0
    let rest = least.start - times * steps.start;
    Some(if times > 0 { (true, -rest.div_euclid(times)) } else { (false, rest.div_euclid(-times)) })
}
