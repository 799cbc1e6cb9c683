//! Products with what is joined of parts that lack axes of it: each part is multiplied by itself.
//!
//! `concat_in(X, Y) ⊙_in W`  is  `X ⊙_in W' + Y ⊙_in W''`, with slices of W. Where all parts have all axes nothing is
//! gained. But of pairs of things X has one axis and Y the other, and the product of each is far less than that of all pairs;
//! so it is where vectors of nodes are read for each edge. What such a product owes W is joined of what the parts give, from
//! sums over the axes that they lack.
//! Lives here: which products these are, the graph with others in their place, and the plan of that as one of the graph as it
//! is written. Not here: what the parts are owed (`owed`), what is read or summed before it is multiplied (`order`), a sum of
//! what is joined (`beside`).

mod owed;

use smallvec::SmallVec;

use super::LARGEST_RANK;
use super::key::{Trace, narrow};
use super::numbered::few;
use super::schedule::{Action, Schedule};
use super::weighed;
use crate::axis::Name;
use crate::element::Binary;
use crate::graph::ids::ById;
use crate::graph::op::{Reduction, Whole};
use crate::graph::shape::Names;
use crate::graph::{Node, Op, Shape};

/// What a number counts that is copied, added or read at a position, in multiplications of a product of matrices; one that is
/// summed at a position; and a step. Less in tests, so that small ones come here too.
const MOVED: f64 = if cfg!(test) { 0.5 } else { 8.0 };
const SUMMED: f64 = if cfg!(test) { 1.0 } else { 10.0 };
const STEP: f64 = if cfg!(test) { 0.0 } else { 50_000.0 };
/// The part of all this that may be left.
const WORTH: f64 = 0.8;
/// So many joins and new names are looked through.
const DEEPEST: usize = 8;
/// What has more parts is joined.
const PARTS: usize = 64;

/// A graph whose products with what is joined are those of the parts.
pub(super) struct Apart {
    /// The new nodes, by the numbers of those in whose place they stand.
    made: Vec<Node>,
    roots: Vec<Node>,
}

/// The graph with such products; none if nothing changes.
pub(super) fn apart(trace: &Trace<'_>) -> Option<Apart> {
    let is_some = |(node, inputs): (&Node, &[u32])| {
        let is_joined = matches!(node.op(), Op::Concat(_)) && !inputs.is_empty();
        is_joined && Joined::of(node, DEEPEST).is_some_and(|joined| joined.has_less(node.shape()))
    };
    if !trace.nodes().any(is_some) {
        return None;
    }
    let mut parting = Parting::new(trace);
    let mut made: Vec<Node> = Vec::with_capacity(trace.size());
    let mut is_new = false;
    for number in 0..narrow(trace.size()) {
        let (node, inputs) = (trace.node(number), trace.inputs(number));
        let parted = parting.parted(&made, number);
        let changed = || inputs.iter().zip(node.inputs()).any(|(&now, was)| made[now as usize].id() != was.id());
        is_new |= parted.is_some();
        made.push(match parted {
            Some(node) => node,
            None if changed() => {
                let inputs: SmallVec<[Node; 3]> = few(inputs.iter().map(|&input| made[input as usize].clone()));
                Node::new(node.op().clone(), inputs, node.shape().clone(), node.kind())
            }
            None => node.clone(),
        });
    }
    let roots = trace.roots.iter().map(|&root| made[root as usize].clone()).collect();
    is_new.then_some(Apart { made, roots })
}

impl Apart {
    /// The schedule of the graph as it was, by that of this one; none if numbers of a node have become known since.
    pub(super) fn schedule(
        &self,
        trace: &Trace<'_>,
        schedule: impl FnOnce(&Trace<'_>) -> Schedule,
    ) -> Option<Schedule> {
        const NOBODY: u32 = u32::MAX;
        let apart = Trace::anew(&self.roots).ok()?;
        let known: ById<u32> = self.made.iter().map(Node::id).zip(0..).collect();
        let mut olds = vec![NOBODY; apart.size()];
        for number in (0..narrow(apart.size())).rev() {
            if let Some(&old) = known.get(&apart.node(number).id()) {
                let key = |trace: &Trace<'_>, number| trace.body(number).map(|body| body.key.clone());
                if apart.value(number).is_some() != trace.value(old).is_some() || key(&apart, number) != key(trace, old)
                {
                    return None;
                }
                olds[number as usize] = old;
            }
            // What is new belongs to the node for whose sake it is there.
            for &input in apart.inputs(number) {
                if olds[input as usize] == NOBODY {
                    olds[input as usize] = olds[number as usize];
                }
            }
        }
        let mut schedule = schedule(&apart);
        let old = |number: &mut u32| *number = olds[*number as usize];
        schedule.leaves.iter_mut().for_each(old);
        for step in &mut schedule.steps {
            old(&mut step.node);
            step.fused.iter_mut().for_each(old);
            if let Action::Grouped { told, .. } | Action::Relative { told, .. } = &mut step.action {
                old(told);
            }
        }
        Some(schedule)
    }
}

/// What is joined along an axis.
struct Joined {
    axis: Name,
    parts: SmallVec<[Node; 4]>,
}

impl Joined {
    /// The parts that a node joins, under the names that it has.
    fn of(node: &Node, deep: usize) -> Option<Joined> {
        if deep == 0 || node.value().is_some() {
            return None;
        }
        match (node.op(), node.inputs()) {
            (&Op::Concat(axis), joined) => {
                let mut parts = SmallVec::new();
                for part in joined {
                    match Joined::of(part, deep - 1) {
                        Some(joined) if joined.axis == axis => parts.extend(joined.parts),
                        _ => parts.push(bare(part, axis).clone()),
                    }
                    if parts.len() > PARTS {
                        return None;
                    }
                }
                Some(Joined { axis, parts })
            }
            (Op::Rename, [x]) => {
                let Joined { axis, parts } = Joined::of(x, deep - 1)?;
                let outside = |name| node.shape().names().nth(x.shape().position(name)?);
                let parts = parts.iter().map(|part| renamed(part, outside)).collect();
                Some(Joined { axis: outside(axis)?, parts })
            }
            _ => None,
        }
    }

    /// Whether some part lacks an axis, or is read at positions.
    fn has_less(&self, whole: &Shape) -> bool {
        self.parts.iter().any(|part| part.shape().rank() < whole.rank() || table(part).is_some())
    }

    /// The product with another tensor, part by part.
    fn product(&self, with: &Node, axes: &Names, whole: &Node) -> Option<Node> {
        let (mut start, axis) = (0, self.axis);
        let term = |part: &Node| {
            let range = start..start + part.shape().size(axis).unwrap_or(0);
            start = range.end;
            let slice = if with.shape().has(axis) { with.slice(axis, range, 1) } else { with.clone() };
            let (own, lost): (Names, Names) = axes.iter().copied().partition(|&name| part.shape().has(name));
            part.contract(&summed(&slice, &lost), &own)
        };
        let terms: SmallVec<[Node; 4]> = self.parts.iter().map(term).collect();
        let among = |some: &[Node]| {
            let size = |name| some.iter().find_map(|term| term.shape().size(name));
            // Of what is joined along it each has its own size.
            let size = |(name, all)| if name == axis { Some(all) } else { size(name) };
            Shape::new(whole.shape().iter().filter_map(|axis| Some((axis.0, size(axis)?))))
        };
        if among(&terms) != *whole.shape() || terms.iter().any(|term| term.error().is_some()) {
            return None;
        }
        if !axes.contains(&axis) {
            return Some(Node::new(Op::Concat(axis), terms, whole.shape().clone(), whole.kind()));
        }
        let mut sum = terms[0].clone();
        for (many, term) in (2..).zip(&terms[1..]) {
            sum = Node::new(Op::Binary(Binary::Add), [sum, term.clone()], among(&terms[..many]), whole.kind());
        }
        Some(sum)
    }

    /// What the products of the parts count, and what that of all of them does.
    fn costs(&self, with: &Shape, axes: &Names, [joined, whole]: [&Shape; 2], is_joined: bool) -> [f64; 2] {
        let number = |shape: &Shape| shape.sizes().map(|size| size as f64).product::<f64>();
        let (mut apart, mut reads) = (0.0, 0.0);
        for part in &self.parts {
            let mine =
                |&(name, _): &(Name, usize)| name != self.axis && (part.shape().has(name) || !axes.contains(&name));
            let rest = with.iter().filter(mine).filter(|axis| !part.shape().has(axis.0));
            let made = number(part.shape()) * rest.map(|(_, size)| size as f64).product::<f64>();
            let lost = axes.iter().any(|&name| !part.shape().has(name));
            let all = if lost { MOVED * number(with) } else { 0.0 };
            apart += all
                + match table(part) {
                    Some(table) => {
                        // Its vectors are multiplied before they are read, or once they are summed.
                        let read = MOVED * number(part.shape());
                        let moved =
                            if axes.contains(&self.axis) { MOVED * number(whole) } else { SUMMED * number(with) };
                        let first = moved + made * number(table.shape()) / number(part.shape()).max(1.0);
                        reads += read;
                        if weighed::is_cheaper(first, made + read) { first } else { made + read }
                    }
                    None => made,
                };
        }
        let put = if axes.contains(&self.axis) { (self.parts.len() - 1) as f64 } else { 1.0 };
        let further = with.iter().filter(|&(name, _)| !joined.has(name)).map(|(_, size)| size as f64);
        let together = number(joined) * further.product::<f64>();
        let copied = if is_joined { 0.0 } else { MOVED * number(joined) };
        [apart + put * MOVED * number(whole) + STEP * self.parts.len() as f64, together + copied + reads + STEP]
    }
}

/// A part without the axes along which it only repeats itself. A condition that is computed may be in error.
fn bare(part: &Node, axis: Name) -> &Node {
    match (part.op(), part.inputs()) {
        (Op::Select, [condition, yes, no])
            if part.value().is_none()
                && yes.id() == no.id()
                && yes.shape().has(axis)
                && condition.inputs().is_empty() =>
        {
            yes
        }
        _ => part,
    }
}

/// The table of which a part is read at positions, if it is, under whatever names.
fn table(part: &Node) -> Option<&Node> {
    let mut at = part;
    for _ in 0..DEEPEST {
        match (at.op(), at.inputs()) {
            _ if at.value().is_some() => return None,
            (Op::Rename, [x]) => at = x,
            (Op::Gather(_), [table, _]) => return Some(table),
            _ => return None,
        }
    }
    None
}

/// A node whose axes have the names that they have outside.
fn renamed(node: &Node, outside: impl Fn(Name) -> Option<Name>) -> Node {
    let pairs = node.shape().names().filter_map(|name| Some((name, outside(name)?)));
    let pairs: SmallVec<[(Name, Name); 4]> = pairs.filter(|(inner, outer)| inner != outer).collect();
    if pairs.is_empty() { node.clone() } else { node.rename(&pairs) }
}

/// The sums over these axes, in the order in which the node has them.
fn summed(node: &Node, axes: &[Name]) -> Node {
    let axes: Names = node.shape().names().filter(|name| axes.contains(name)).collect();
    if axes.is_empty() { node.clone() } else { node.reduce(Reduction::Sum, &axes) }
}

struct Parting<'a, 't> {
    trace: &'a Trace<'t>,
    /// Of each node, those that need it.
    users: Vec<SmallVec<[u32; 2]>>,
    is_root: Vec<bool>,
    /// Axes of some softmax: attention stays what it is.
    softened: Names,
}

impl<'a, 't> Parting<'a, 't> {
    fn new(trace: &'a Trace<'t>) -> Parting<'a, 't> {
        let mut users = vec![SmallVec::new(); trace.size()];
        let mut softened = Names::new();
        for number in 0..narrow(trace.size()) {
            trace.inputs(number).iter().for_each(|&input| users[input as usize].push(number));
            if let Op::Softmax { axes, .. } = trace.node(number).op() {
                softened.extend(axes.iter().copied());
            }
        }
        for (_, whole) in trace.written().values() {
            if let Whole::Op(Op::Softmax { axes, .. }) = whole {
                softened.extend(axes.iter().copied());
            }
        }
        let mut is_root = vec![false; trace.size()];
        trace.roots.iter().for_each(|&root| is_root[root as usize] = true);
        Parting { trace, users, is_root, softened }
    }

    /// What stands in the place of a node, if it is a product with what is joined, a slice of a product, or a sum of that.
    fn parted(&mut self, made: &[Node], number: u32) -> Option<Node> {
        let node = self.trace.node(number);
        match (node.op(), self.trace.inputs(number)) {
            (Op::Contract(axes), &[x, y]) if node.shape().rank() + axes.len() <= LARGEST_RANK => {
                self.product(made, number, axes, [x, y]).or_else(|| self.product(made, number, axes, [y, x]))
            }
            (Op::Slice { .. }, &[_]) => self.sliced(made, number, &[]),
            (Op::Reduce(Reduction::Sum, axes), &[slice]) => self.sliced(made, slice, axes),
            _ => None,
        }
    }

    /// The product of what is joined, the first input, with the other one.
    fn product(&self, made: &[Node], number: u32, axes: &Names, [joined, with]: [u32; 2]) -> Option<Node> {
        let whole = self.trace.node(number);
        let [node, other] = [joined, with].map(|input| &made[input as usize]);
        let found = Joined::of(node, DEEPEST)?;
        let fits = !self.softened.contains(&found.axis) && found.has_less(node.shape());
        if !fits || matches!(other.op(), Op::Softmax { .. }) || found.parts.len() < 2 {
            return None;
        }
        // What somebody else needs is joined in any case.
        let is_product = |&user: &u32| matches!(self.trace.node(user).op(), Op::Contract(_) | Op::Rename);
        let is_joined = self.is_root[joined as usize] || !self.users[joined as usize].iter().all(is_product);
        let [apart, together] = found.costs(other.shape(), axes, [node.shape(), whole.shape()], is_joined);
        weighed::is_cheaper(apart, WORTH * together).then(|| found.product(other, axes, whole))?
    }
}
