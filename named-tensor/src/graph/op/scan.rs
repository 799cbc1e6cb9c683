//! Repetition along an axis (layers, time): a body that is written once and run for each position.
//!
//! Computes  `(h, Y(i)) = f(h, X(ax = i), W)`  for i = 0, 1, ... or backwards, from a first h; the results are the last h
//! and all Y.  The body is a graph on placeholders, so that a scan has as many nodes for many steps as for one.
//! What it needs from outside is found and made an input, computed once: a derivative sees it as it sees any other.
//! A node has one result, so all results lie one after the other along one axis; parts of it are slices as any.
//! Lives here: making the body and its shape rule. Not here: what is computed before the steps (`ahead`), running them (`steps`,
//! `plan`), the derivative (`calculus`).

mod ahead;

use std::panic::Location;
use std::sync::Arc;

use super::rule::{absent, refused, size_of};
use crate::axis::Name;
use crate::element::Kind;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::ids::{ById, Ids, by_no_id, no_ids};
use crate::graph::{Node, Op, Shape};

/// After so many attempts a carry that gains axes in each is an error. Axes come from inputs, whose number is small.
const ATTEMPTS: usize = 16;

/// A body to be repeated.
#[derive(Clone, Debug)]
pub struct Scan {
    /// The axis along which it is repeated.
    pub axis: Name,
    /// Whether the last position comes first.
    pub backwards: bool,
    /// How many positions there are.
    pub size: usize,
    /// What stands for the node's inputs in the body, in their order: carries, tensors along the axis, constants.
    pub placeholders: Vec<Node>,
    /// How many carries there are.
    pub carries: usize,
    /// How many tensors along the axis there are.
    pub slices: usize,
    /// The next carries, with the axes of their placeholders, and the results of a step.
    pub results: Vec<Node>,
}

impl Node {
    /// Repeats `body(carries, slices) = [next carries, results]` along `axis`; the carries start with `first`, the
    /// slices are those of `along`. Returns the last carries, and the results of all steps with the axis.
    ///
    /// A carry that gains axes in a step is repeated along them at first, so a body may be lifted over axes of
    /// `along` or of what it takes from outside.
    #[track_caller]
    pub fn scan(
        axis: Name,
        backwards: bool,
        first: &[Node],
        along: &[Node],
        mut body: impl FnMut(&[Node], &[Node]) -> [Vec<Node>; 2],
    ) -> [Vec<Node>; 2] {
        let size = size(axis, first, along);
        let mut first = first.to_vec();
        let slices = placeholders(along, &[axis]);
        let (mut kinds, mut made) = (Vec::new(), Err(refused("scan", "has a carry that gains an axis in every step")));
        for _ in 0..ATTEMPTS {
            let carries = placeholders(&first, &[]);
            let [next, results] = body(&carries, &slices);
            kinds = next.iter().chain(&results).map(Node::kind).collect();
            let draft = Draft { axis, backwards, carries, slices: slices.clone(), along: along.to_vec() };
            let closed = size.clone().and_then(|size| {
                if next.len() != first.len() {
                    return Err(refused("scan", "gives back as many carries as it takes"));
                }
                draft.closed(size, &mut first, next.into_iter().chain(results).collect())
            });
            if let Some(closed) = closed.transpose() {
                made = closed;
                break;
            }
        }
        let place = Location::caller();
        let mut parts = match made {
            Ok((scan, inputs)) => {
                let node = Node::of_scan(scan, inputs);
                (0..kinds.len()).map(|part| node.part(part)).collect()
            }
            Err(error) => kinds.iter().map(|&kind| Node::failed(error.clone().at(place), kind)).collect::<Vec<_>>(),
        };
        let results = parts.split_off(first.len().min(parts.len()));
        [parts, results]
    }

    #[track_caller]
    fn of_scan(scan: Scan, inputs: Vec<Node>) -> Node {
        let kind = scan.kind();
        match scan.numbers() {
            Ok(numbers) => {
                let shape = Shape::new([(Name::declared("results").freshened(), numbers)]);
                Node::new(Op::Scan(Arc::new(scan)), inputs, shape, kind)
            }
            Err(error) => Node::failed(error.at(Location::caller()), kind),
        }
    }

    /// A result of this scan by number, the last carries first.
    #[must_use]
    #[track_caller]
    pub(crate) fn part(&self, number: usize) -> Node {
        let (Op::Scan(scan), Some(joint)) = (self.op(), self.shape().names().next()) else { return self.clone() };
        let places = scan.places();
        scan.part(self, joint, number, &places)
    }
}

impl Scan {
    /// Where each result begins, and its shape: the last carries, then the results of all steps, the axis slowest.
    pub(crate) fn places(&self) -> Vec<(usize, Shape)> {
        let mut start = 0_usize;
        let shapes = self.results.iter().enumerate().map(|(number, result)| match self.placeholders.get(number) {
            Some(carry) if number < self.carries => carry.shape().clone(),
            _ => Shape::new([(self.axis, self.size)].into_iter().chain(result.shape().iter())),
        });
        let place = |shape: Shape| {
            let place = (start, shape);
            // A shape too large is refused when the node is made.
            start = start.saturating_add(place.1.sizes().fold(1, usize::saturating_mul));
            place
        };
        shapes.map(place).collect()
    }

    /// How many numbers the results have together.
    fn numbers(&self) -> Result<usize> {
        self.places().into_iter().try_fold(0_usize, |numbers, (_, shape)| {
            let numbers = numbers.saturating_add(shape.checked("scan")?.elements());
            // Each fits alone, and all of them may not.
            Shape::new([(Name::declared("results"), numbers)]).checked("scan").map(|_| numbers)
        })
    }

    /// The kind that holds the results of all kinds: doubles hold all numbers of floats, positions and truth values.
    fn kind(&self) -> Kind {
        let mut kinds = self.results.iter().map(Node::kind);
        let first = kinds.next().unwrap_or(Kind::Bool);
        if kinds.all(|kind| kind == first) { first } else { Kind::F64 }
    }

    /// The result `number` of what has the axis `joint` of a node of this scan, and perhaps others besides.
    #[track_caller]
    pub(crate) fn part(&self, whole: &Node, joint: Name, number: usize, places: &[(usize, Shape)]) -> Node {
        let Some((start, shape)) = places.get(number) else { return whole.clone() };
        let kind = self.results.get(number).map_or(whole.kind(), Node::kind);
        let sizes: Vec<(Name, Option<usize>)> = shape.iter().map(|(name, size)| (name, Some(size))).collect();
        // What a result has itself, `whole` has beside it for the sake of others, if at all: the same all along.
        let only = |part: Node, name: Name| part.once(name);
        let part = shape.names().fold(whole.slice(joint, *start..start + shape.elements(), 1), only);
        part.split(joint, &sizes).cast(kind)
    }

    /// The inverse of [`part`](Scan::part): parts that have the axes of the results and perhaps more, along `joint`.
    #[track_caller]
    pub(crate) fn whole(&self, joint: Name, parts: &[Node]) -> Node {
        let places = self.places();
        let mut all: Vec<(Name, usize)> = Vec::new();
        for (part, (_, shape)) in parts.iter().zip(&places) {
            let further = part.shape().iter().filter(|&(name, _)| !shape.has(name));
            further.for_each(|axis| {
                if !all.contains(&axis) {
                    all.push(axis);
                }
            });
        }
        let flat = parts.iter().zip(&places).map(|(part, (_, shape))| {
            let merged = part.filled(shape).cast(self.kind()).merge(&shape.names().collect::<Vec<_>>(), joint);
            // Afterwards: a result may have itself what others have beside theirs.
            all.iter().fold(merged, |part, &axis| part.filled(&Shape::new([axis])))
        });
        flat.reduce(|whole, part| whole.concat(joint, &part))
            .unwrap_or_else(|| Node::fill(self.kind(), 0.0, Shape::new([(joint, 0)])))
    }

    /// This scan, the operation of `node`, on inputs with further axes.
    #[track_caller]
    pub(super) fn again(&self, node: &Node, inputs: &[Node]) -> Node {
        let (first, rest) = inputs.split_at(self.carries.min(inputs.len()));
        let (along, constants) = rest.split_at(self.slices.min(rest.len()));
        let parts = Node::scan(self.axis, self.backwards, first, along, |carries, slices| {
            let mut results = self.body(&[carries, slices, constants].concat());
            let ys = results.split_off(self.carries);
            [results, ys]
        });
        let joint = node.shape().names().next().unwrap_or(self.axis);
        self.whole(joint, &parts.concat())
    }

    /// The scan `node`, whose operation this is, along an axis of another name: what stands in the body may have one of that name.
    #[track_caller]
    pub(crate) fn along_another_axis(&self, node: &Node) -> (Arc<Scan>, Node) {
        let axis = self.axis.freshened();
        let steps = self.carries..self.carries + self.slices;
        let moved = |(number, input): (usize, &Node)| {
            if steps.contains(&number) { input.rename(&[(self.axis, axis)]) } else { input.clone() }
        };
        let inputs = node.inputs().iter().enumerate().map(moved).collect();
        let (placeholders, results) = (self.placeholders.clone(), self.results.clone());
        let scan = Scan { axis, placeholders, results, ..*self };
        (Arc::new(scan.clone()), Node::of_scan(scan, inputs))
    }

    /// This scan, the operation of `node`, with further results of each step, which are made of its placeholders. The results
    /// of this one come first: where both are computed, the planner takes them from there.
    #[track_caller]
    pub(crate) fn with_results(&self, node: &Node, further: Vec<Node>) -> Node {
        let results = self.results.iter().cloned().chain(further).collect();
        let placeholders = self.placeholders.clone();
        Node::of_scan(Scan { placeholders, results, ..*self }, node.inputs().to_vec())
    }

    /// Whether another scan does the same on the same inputs, and gives all results of this one before its own.
    pub(crate) fn is_beginning_of(&self, other: &Scan) -> bool {
        let are_same = |some: &[Node], others: &[Node]| {
            others.len() >= some.len() && some.iter().zip(others).all(|(x, y)| x.id() == y.id())
        };
        // Of scans on the same placeholders one was made of the other: they go the same way, and have as many carries.
        self.axis == other.axis
            && self.kind() == other.kind()
            && self.results.len() < other.results.len()
            && are_same(&self.placeholders, &other.placeholders)
            && are_same(&self.results, &other.results)
    }

    /// The body on other nodes than its placeholders.
    #[must_use]
    pub(crate) fn body(&self, inputs: &[Node]) -> Vec<Node> {
        let replaced = self.placeholders.iter().map(Node::id).zip(inputs.iter().cloned()).collect();
        Node::substitute(&self.results, &replaced)
    }
}

/// What stands for `x`, or the error it carries. Its number is known once the body is.
#[track_caller]
fn placeholder(x: &Node, shape: Shape) -> Node {
    if x.error().is_some() { x.clone() } else { Node::new(Op::Placeholder(0), [], shape, x.kind()) }
}

/// What stands for each of `all` without some axes.
#[track_caller]
fn placeholders(all: &[Node], axes: &[Name]) -> Vec<Node> {
    let mut made = Vec::with_capacity(all.len());
    // No closure, whose caller would be here.
    for x in all {
        made.push(placeholder(x, x.shape().without(axes)));
    }
    made
}

/// What reading a placeholder leads to.
pub(crate) fn unread() -> Error {
    let message = "a tensor cannot be read inside `scan`: there it stands for the tensors of all steps";
    Error::new(ErrorKind::Lifted, message)
}

/// The number of steps.
fn size(axis: Name, first: &[Node], along: &[Node]) -> Result<usize> {
    if let Some(error) = first.iter().chain(along).find_map(Node::error) {
        return Err(error.clone());
    }
    let mut sizes = along.iter().map(|x| size_of("scan", x.shape(), axis));
    let size = sizes.next().unwrap_or_else(|| Err(refused("scan", "needs a tensor to go along")))?;
    for other in sizes {
        let other = other?;
        if other != size {
            return Err(Error::size_clash("scan", axis.text(), size, other));
        }
    }
    Ok(size)
}

/// A body that still depends on what is outside.
struct Draft {
    axis: Name,
    backwards: bool,
    carries: Vec<Node>,
    slices: Vec<Node>,
    along: Vec<Node>,
}

impl Draft {
    /// The scan with its inputs, whose body depends on nothing but its placeholders. None if a carry comes back with
    /// further axes: then `first` has them now, and the body is to be made again. A body that is made once and given wider
    /// carries later could meet an axis under a name that a lifted function in it has lent to another.
    #[track_caller]
    fn closed(self, size: usize, first: &mut [Node], results: Vec<Node>) -> Result<Option<(Scan, Vec<Node>)>> {
        if let Some(error) = results.iter().find_map(Node::error) {
            return Err(error.clone());
        }
        let mut wider = false;
        for ((first, carry), next) in first.iter_mut().zip(&self.carries).zip(&results) {
            if next.kind() != carry.kind() {
                let why = format_args!("has a carry of kind {:?} that comes back as {:?}", carry.kind(), next.kind());
                return Err(refused("scan", why));
            }
            for (name, before) in carry.shape().iter() {
                if let Some(after) = next.shape().size(name).filter(|&after| after != before) {
                    let message = format!(
                        "sizes clash in `scan`: axis `{}` of a carry has size {before} before a step, {after} after it",
                        name.text()
                    );
                    return Err(Error::new(ErrorKind::SizeClash, message));
                }
            }
            if next.shape().names().any(|name| !carry.shape().has(name)) {
                *first = first.filled(next.shape());
                wider = true;
            }
        }
        if wider { Ok(None) } else { self.numbered(size, first, results).map(Some) }
    }

    /// Finds what is taken from outside, and gives every input its number.
    fn numbered(mut self, size: usize, first: &[Node], mut results: Vec<Node>) -> Result<(Scan, Vec<Node>)> {
        if size > 1 {
            self.take_ahead(&mut results);
        }
        for (carry, next) in self.carries.iter().zip(&mut results) {
            *next = next.filled(carry.shape());
        }
        for result in results.iter().skip(self.carries.len()) {
            absent("scan", result.shape(), self.axis)?;
        }
        let mut inside = no_ids();
        inside.extend(self.carries.iter().chain(&self.slices).map(Node::id));
        let mut outside: Vec<Node> = Vec::new();
        let mut taken = no_ids();
        let order = Node::walk(&results);
        let mut held: ById<usize> = by_no_id();
        for node in order.iter().chain(order.iter().flat_map(Node::inputs)).chain(&results) {
            *held.entry(node.id()).or_default() += 1;
        }
        let mut take = |node: &Node, inside: &Ids| {
            // A position costs nothing, nor does a constant that was written in the step. One that somebody else holds
            // may be a variable, as a bias is that begins as 0.
            let known = held.get(&node.id()).is_some_and(|&held| held == node.owners());
            let free = matches!(node.op(), Op::Iota) || (matches!(node.op(), Op::Fill(_)) && known);
            if !free && !inside.contains(&node.id()) && taken.insert(node.id()) {
                outside.push(node.clone());
            }
        };
        let mut reached = no_ids();
        for node in &order {
            reached.insert(node.id());
            if node.inputs().iter().any(|input| inside.contains(&input.id())) {
                inside.insert(node.id());
                node.inputs().iter().for_each(|input| take(input, &inside));
            }
        }
        results.iter().for_each(|result| take(result, &inside));
        let used = |(slice, _): &(&Node, &Node)| reached.contains(&slice.id());
        let (slices, along): (Vec<Node>, Vec<Node>) =
            self.slices.iter().zip(&self.along).filter(used).map(|(slice, x)| (slice.clone(), x.clone())).unzip();
        let (mut slices, mut along) = (slices, along);
        if slices.is_empty() {
            // A derivative has to go along something.
            slices.push(Node::new(Op::Placeholder(0), [], Shape::default(), Kind::Index));
            along.push(Node::iota(self.axis, size));
        }
        let (carried, sliced) = (self.carries.len(), slices.len());
        let stood: Vec<Node> = self.carries.into_iter().chain(slices).chain(outside.iter().cloned()).collect();
        let number =
            |(number, node): (usize, &Node)| Node::new(Op::Placeholder(number), [], node.shape().clone(), node.kind());
        let placeholders: Vec<Node> = stood.iter().enumerate().map(number).collect();
        let replaced = stood.iter().map(Node::id).zip(placeholders.iter().cloned()).collect();
        let results = Node::substitute(&results, &replaced);
        let Draft { axis, backwards, .. } = self;
        let scan = Scan { axis, backwards, size, placeholders, carries: carried, slices: sliced, results };
        Ok((scan, first.iter().cloned().chain(along).chain(outside).collect()))
    }
}

#[cfg(test)]
mod tests;
