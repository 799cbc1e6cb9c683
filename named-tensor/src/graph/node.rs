//! A node: one primitive applied to other nodes.
//!
//! Lives here: the node, its walk and its drop, both iterative so that a chain of a million nodes fits any stack.
//! Not here: what the primitives mean (`op`), when they run (`plan`).

use std::fmt;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::ids::no_ids;
use super::recycled::Recycled;
use super::{Op, Shape, Value};
use crate::element::{Kind, retire};
use crate::error::{Error, Result};

/// A tensor to be computed. Cheap to clone.
#[derive(Clone)]
pub struct Node(Arc<Inner>);

// A node never changes but for the numbers it is given once they are all there: a panic on the way leaves it without any. What
// is shared behind a trait, functions and numbers of others, is only read.
impl UnwindSafe for Node {}
impl RefUnwindSafe for Node {}

type Inputs = SmallVec<[Node; 2]>;

struct Inner {
    op: Op,
    inputs: Inputs,
    shape: Shape,
    kind: Kind,
    place: &'static Location<'static>,
    /// Whether it is a number that somebody may differentiate by.
    is_variable: bool,
    /// Most nodes never have one of their own.
    value: OnceLock<Box<Value>>,
}

thread_local! {
    static RECYCLED: Recycled<Inner> = const { Recycled::new() };
}

impl Node {
    /// A node whose shape has been found by the shape rule of `op`, written at the caller's place.
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn new(op: Op, inputs: impl IntoIterator<Item = Node>, shape: Shape, kind: Kind) -> Node {
        let (mut list, place) = (SmallVec::new(), Location::caller());
        // One by one: as a rule there are two, for which `collect` is long.
        inputs.into_iter().for_each(|input| list.push(input));
        Node::made(op, list, shape, kind, place)
    }

    /// A node without numbers, where another one was if there is such a place.
    #[inline]
    fn made(op: Op, inputs: Inputs, shape: Shape, kind: Kind, place: &'static Location<'static>) -> Node {
        if let Some(mut kept) = RECYCLED.try_with(Recycled::take).ok().flatten()
            && let Some(inner) = Arc::get_mut(&mut kept)
        {
            (inner.op, inner.inputs, inner.shape, inner.kind, inner.place) = (op, inputs, shape, kind, place);
            inner.is_variable = false;
            return Node(kept);
        }
        Node(Arc::new(Inner { op, inputs, shape, kind, place, is_variable: false, value: OnceLock::new() }))
    }

    /// The same operation, written at the same place, on other inputs of the same shapes and kinds.
    pub(super) fn on(&self, inputs: Vec<Node>) -> Node {
        let (op, shape) = (self.op().clone(), self.shape().clone());
        let (kind, place) = (self.kind(), self.place());
        Node::made(op, inputs.into(), shape, kind, place)
    }

    /// The same operation as if it was written where `other` was, which it is a part of: what it refuses is said there.
    pub(super) fn in_place_of(self, other: &Node) -> Node {
        Node::made(self.op().clone(), self.inputs().into(), self.shape().clone(), self.kind(), other.place())
    }

    /// A node that holds numbers.
    #[must_use]
    #[track_caller]
    pub fn input(value: Value, shape: Shape) -> Node {
        let kind = value.buffer.kind();
        assert_eq!(value.strides.len(), shape.rank(), "one stride per axis");
        let place = Location::caller();
        Node(Arc::new(Inner {
            op: Op::Input,
            inputs: SmallVec::new(),
            shape,
            kind,
            place,
            is_variable: true,
            value: OnceLock::from(Box::new(value)),
        }))
    }

    /// A node that carries an error instead of numbers. Everything computed from it carries the same error.
    #[must_use]
    #[track_caller]
    pub fn failed(error: Error, kind: Kind) -> Node {
        Node::new(Op::Failed(error), [], Shape::default(), kind)
    }

    /// What it computes.
    #[must_use]
    pub fn op(&self) -> &Op {
        &self.0.op
    }

    /// What it computes from.
    #[must_use]
    pub fn inputs(&self) -> &[Node] {
        &self.0.inputs
    }

    /// Its axes and sizes.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.0.shape
    }

    /// What its elements are.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The same node, of which nobody else knows yet, as a tensor of the user, who may differentiate by it: its number is
    /// then no constant, though it is known.
    #[must_use]
    pub(crate) fn into_variable(mut self) -> Node {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.is_variable = true;
        }
        self
    }

    /// The number that it is, if it has no axes and is nobody's variable.
    #[must_use]
    pub(crate) fn literal(&self) -> Option<f64> {
        match self.op() {
            Op::Fill(value) if self.shape().rank() == 0 && !self.0.is_variable => Some(*value),
            _ => None,
        }
    }

    /// Where in the program it was written.
    #[must_use]
    pub fn place(&self) -> &'static Location<'static> {
        self.0.place
    }

    /// The error it carries.
    #[must_use]
    pub fn error(&self) -> Option<&Error> {
        match &self.0.op {
            Op::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// Itself, or the error it carries.
    ///
    /// # Errors
    /// The error of the operation that failed first.
    pub fn checked(&self) -> Result<&Node> {
        self.error().map_or(Ok(self), |error| Err(error.clone()))
    }

    /// Its numbers, once they have been computed.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        self.0.value.get().map(|value| &**value)
    }

    /// Keeps its numbers, so that they are computed once. A second value is dropped: it has the same numbers.
    pub fn remember(&self, value: Value) {
        let _ = self.0.value.set(Box::new(value));
    }

    /// A number that tells this node from every other living one.
    #[must_use]
    pub fn id(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// How many owners it has.
    #[must_use]
    pub fn owners(&self) -> usize {
        Arc::strong_count(&self.0)
    }

    /// The nodes that `roots` are computed from, inputs before users, each once. Stops at nodes that have a value.
    #[must_use]
    pub fn walk(roots: &[Node]) -> Vec<Node> {
        Node::walk_until(roots, |node| node.value().is_some())
    }

    /// The same, except that `last` says where it stops.
    pub(super) fn walk_until(roots: &[Node], last: impl Fn(&Node) -> bool) -> Vec<Node> {
        let mut order = Vec::new();
        let mut seen = no_ids();
        // Nodes on the way down, each with those of its inputs that have not been looked at.
        let mut stack: SmallVec<[(&Node, &[Node]); 16]> = SmallVec::new();
        for root in roots {
            let mut next = Some(root);
            loop {
                if let Some(node) = next.filter(|node| seen.insert(node.id())) {
                    stack.push((node, if last(node) { &[] } else { node.inputs() }));
                }
                let Some((node, inputs)) = stack.last_mut() else { break };
                next = inputs.first();
                match inputs.split_first() {
                    Some((_, rest)) => *inputs = rest,
                    None => {
                        order.push((*node).clone());
                        stack.pop();
                    }
                }
            }
        }
        order
    }
}

impl Inner {
    /// Leaves nothing that anybody may wait for, except the shape, which is small and may be that of the next node here.
    fn empty(&mut self, stack: &mut Inputs) {
        // Numbers that nobody else has are memory for the next results.
        if let Some(buffer) = self.value.take().and_then(|value| Arc::into_inner(value.buffer)) {
            retire(buffer);
        }
        self.op = Op::Input;
        while let Some(input) = self.inputs.pop() {
            stack.push(input);
        }
        if self.inputs.spilled() {
            self.inputs = Inputs::new();
        }
    }
}

/// Takes the inputs apart one by one: a chain of a million nodes must not recurse a million deep.
impl Drop for Inner {
    fn drop(&mut self) {
        let mut stack = Inputs::new();
        self.empty(&mut stack);
        while let Some(mut node) = stack.pop() {
            // Most have one owner, us. Where several threads give up a node at once, the last one moves it out.
            if let Some(inner) = Arc::get_mut(&mut node.0) {
                inner.empty(&mut stack);
                // What is not kept is freed where it lies.
                drop(RECYCLED.try_with(|recycled| recycled.keep(node.0)));
            } else if let Some(mut inner) = Arc::into_inner(node.0) {
                inner.empty(&mut stack);
            }
        }
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?} {:?}", self.op(), self.kind(), self.shape())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Binary, Unary};
    use crate::graph::testing::{A, counting};

    #[test]
    fn a_node_may_be_used_behind_a_panic_that_is_caught() {
        let x = counting(&[(A, 2)]);
        let caught = std::panic::catch_unwind(|| assert_eq!(x.unary(Unary::Neg).shape().rank(), 0));
        assert!(caught.is_err());
        assert_eq!(x.shape().rank(), 1);
    }

    #[test]
    fn a_walk_meets_inputs_before_users_and_each_once() {
        let x = counting(&[(A, 2)]);
        let y = x.unary(Unary::Neg);
        let z = y.binary(Binary::Mul, &x).binary(Binary::Add, &y);
        let order = Node::walk(&[z.clone(), y.clone()]);
        assert_eq!(order.len(), 4);
        for (i, node) in order.iter().enumerate() {
            let before = |input: &Node| order.iter().take(i).any(|earlier| earlier.id() == input.id());
            assert!(node.inputs().iter().all(before), "{node:?} stands before an input");
        }
    }

    #[test]
    fn a_walk_stops_at_a_node_that_has_its_value() {
        let x = counting(&[(A, 2)]);
        let y = x.unary(Unary::Neg);
        y.remember(x.value().unwrap().clone());
        assert_eq!(Node::walk(&[y.unary(Unary::Neg)]).len(), 2);
    }

    #[test]
    fn a_node_knows_where_it_was_written() {
        let x = counting(&[(A, 2)]);
        let (y, line) = (x.mean(&[A]), line!());
        assert_eq!((y.place().file(), y.place().line()), (file!(), line));
    }

    #[test]
    fn a_node_that_is_gone_leaves_its_place_to_the_next_and_nothing_else() {
        let x = counting(&[(A, 2)]);
        let chain = x.unary(Unary::Neg).unary(Unary::Exp);
        let place = chain.inputs()[0].id();
        chain.inputs()[0].remember(x.value().unwrap().clone());
        drop(chain);
        assert_eq!(x.owners(), 1, "its input is given up");
        let next = x.binary(Binary::Add, &x);
        assert_eq!(next.id(), place, "the place is taken");
        assert!(next.value().is_none(), "its numbers are gone");
        assert_eq!(next.inputs().len(), 2, "its inputs are the new ones");
    }

    #[test]
    fn dropping_a_chain_leaves_what_others_still_own() {
        let x = counting(&[(A, 2)]);
        let y = x.unary(Unary::Neg);
        drop(y.unary(Unary::Exp).binary(Binary::Add, &x));
        assert_eq!((x.owners(), y.owners()), (2, 1));
    }
}
