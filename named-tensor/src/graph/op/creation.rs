//! Tensors out of nothing: one number everywhere, positions, another kind.
//!
//! Computes  `fill(x)(i) = x`,  `iota_ax(i) = i`,  `cast(X)(i) = X(i)`.
//! Lives here: their shape rules and plain evaluation. Not here: random numbers (`random`).

use super::rule::fits;
use super::walk::{Operand, collected, stored};
use crate::axis::Name;
use crate::element::{Kind, Stored};
use crate::error::Result;
use crate::graph::{Node, Op, Shape, Value};

impl Node {
    /// The number `value` at every position of `shape`.
    #[must_use]
    #[track_caller]
    pub fn fill(kind: Kind, value: f64, shape: Shape) -> Node {
        Node::build(Op::Fill(value), kind, [], |operation| fits(operation, value, kind).map(|()| shape))
    }

    /// The positions 0, 1, 2, ... of an axis.
    #[must_use]
    #[track_caller]
    pub fn iota(axis: Name, size: usize) -> Node {
        Node::build(Op::Iota, Kind::Index, [], |_| Ok(Shape::new([(axis, size)])))
    }

    /// The same numbers at all positions of the further axes of `shape`.
    #[must_use]
    #[track_caller]
    pub fn spread(&self, shape: Shape) -> Node {
        Node::fill(Kind::Bool, 1.0, shape).select(self, self)
    }

    /// The same numbers with all axes of `shape`, repeated along those that it lacks.
    #[must_use]
    #[track_caller]
    pub(crate) fn filled(&self, shape: &Shape) -> Node {
        let missing: Vec<_> = shape.iter().filter(|&(name, _)| !self.shape().has(name)).collect();
        if missing.is_empty() { self.clone() } else { self.spread(Shape::new(missing)) }
    }

    /// The same numbers as another kind: real numbers are rounded; to a position they are cut towards zero, and NaN to none;
    /// a truth value is 1 or 0 as a number, and a number is true unless it is 0.
    #[must_use]
    #[track_caller]
    pub fn cast(&self, kind: Kind) -> Node {
        if kind == self.kind() {
            return self.clone();
        }
        Node::build(Op::Cast, kind, [self], |_| Ok(self.shape().clone()))
    }

    /// The numbers stored in 16 bits of which this node is the same in another precision, if it is nothing else.
    #[must_use]
    pub fn widens(&self) -> Option<&Node> {
        let stored = self.inputs().first()?;
        let is_stored = stored.kind() == Kind::Bf16 && matches!(stored.op(), Op::Input);
        (matches!(self.op(), Op::Cast) && is_stored).then_some(stored)
    }
}

/// One number in memory, repeated along every axis.
pub(super) fn fill(node: &Node, value: f64) -> Value {
    let buffer = stored!(node.kind(), T => T::into_buffer(vec![T::from_f64(value)]));
    Value { buffer: buffer.into(), offset: 0, strides: node.shape().sizes().map(|_| 0).collect() }
}

pub(super) fn iota(node: &Node) -> Result<Value> {
    collected(node, (0_i64..).take(node.shape().elements()))
}

pub(super) fn cast(node: &Node, x: Operand<'_>) -> Result<Value> {
    stored!(x.value.buffer.kind(), From => stored!(node.kind(), To => {
        collected(node, x.elements::<From>(node.shape()).map(|v| To::from_f64(v.to_f64())))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::NO_POSITION;
    use crate::error::ErrorKind;
    use crate::graph::testing::{A, B, axes, error, read, tensor};

    #[test]
    fn fill_repeats_one_number_in_memory() {
        let x = Node::fill(Kind::F32, 2.5, Shape::new([(A, 2), (B, 3)]));
        assert_eq!(read(&x), [2.5; 6]);
        assert_eq!(crate::graph::evaluate::plainly(&[x]).unwrap()[0].buffer.size(), 1);
    }

    #[test]
    fn spread_repeats_along_new_axes() {
        let x = tensor(&[(A, 2)], &[1.0, -0.0]).spread(Shape::new([(B, 2)]));
        assert_eq!((axes(&x).len(), read(&x.at(B, 1))), (2, vec![1.0, -0.0]));
    }

    #[test]
    fn fill_refuses_what_the_elements_cannot_be() {
        assert_eq!(error(&Node::fill(Kind::Index, 0.5, Shape::default())).kind(), ErrorKind::Value);
        assert_eq!(error(&Node::fill(Kind::Index, f64::NAN, Shape::default())).kind(), ErrorKind::Value);
        assert_eq!(error(&Node::fill(Kind::Bool, 2.0, Shape::default())).kind(), ErrorKind::Value);
        assert_eq!(read(&Node::fill(Kind::F32, f64::NEG_INFINITY, Shape::default())), [f64::NEG_INFINITY]);
    }

    #[test]
    fn a_shape_too_large_for_memory_is_an_error() {
        let x = Node::fill(Kind::F32, 0.0, Shape::new([(A, usize::MAX), (B, 2)]));
        assert_eq!(error(&x).kind(), ErrorKind::TooLarge);
        if usize::BITS == 64 {
            let positions = Node::iota(A, usize::MAX / 64);
            assert_eq!(error(&positions).kind(), ErrorKind::TooLarge, "counted, but more than there is");
        }
        let empty = Node::fill(Kind::F32, 0.0, Shape::new([(A, usize::MAX), (B, 0)]));
        assert_eq!(axes(&empty), [("a", usize::MAX), ("b", 0)]);
        assert!(read(&empty.cast(Kind::F64)).is_empty());
    }

    #[test]
    fn iota_counts_from_zero() {
        assert_eq!(read(&Node::iota(A, 4)), [0.0, 1.0, 2.0, 3.0]);
        assert!(read(&Node::iota(A, 0)).is_empty());
    }

    #[test]
    fn cast_rounds_numbers_cuts_positions_and_counts_truth() {
        let x = tensor(&[(A, 4)], &[0.0, -1.75, 0.1, f64::NAN]);
        assert_eq!(read(&x.cast(Kind::F32))[1..3], [-1.75, f64::from(0.1_f32)]);
        assert_eq!(read(&x.cast(Kind::Index))[..3], [0.0, -1.0, 0.0]);
        // NaN is on no axis.
        assert_eq!(read(&x.cast(Kind::Index))[3], NO_POSITION as f64);
        assert_eq!(read(&x.cast(Kind::Bool)), [0.0, 1.0, 1.0, 1.0]);
        assert_eq!(read(&x.cast(Kind::Bool).cast(Kind::F64)), [0.0, 1.0, 1.0, 1.0]);
    }
}
