//! Slices: some positions of an axis, chosen when the node is made or by a number computed on the way.
//!
//! Computes  `slice_ax(X)(i) = X(ax = start + i·step)`,  `flip_ax(X)(i) = X(ax = |ax| - 1 - i)`  and  `X_{ax(i)}`.
//! Lives here: their shape rules and plain evaluation. Not here: positions that differ by position (`indexing`).

use std::ops::Range;

use super::Reduction;
use super::rule::{of_kind, refused, same_kind, size_of, unfit};
use super::walk::{Offsets, Operand, finished, repeated, stored};
use crate::axis::Name;
use crate::element::{Kind, NO_POSITION};
use crate::error::{Error, Result};
use crate::graph::value::row_major;
use crate::graph::{Node, Op, Shape, Value};

impl Node {
    /// The positions `range` of an axis, every `step`-th of them.
    #[must_use]
    #[track_caller]
    pub fn slice(&self, axis: Name, range: Range<usize>, step: usize) -> Node {
        Node::build(Op::Slice { axis, start: range.start, step }, self.kind(), [self], |operation| {
            let size = size_of(operation, self.shape(), axis)?;
            if step == 0 {
                return Err(refused(operation, "needs a step of at least 1"));
            }
            if range.start > range.end {
                return Err(refused(
                    operation,
                    format_args!("of axis `{axis}` cannot count from {} to {}", range.start, range.end),
                ));
            }
            if range.end > size {
                let last = range.start.max(range.end - 1);
                return Err(Error::out_of_range(operation, axis.text(), last, size));
            }
            Ok(self.shape().replaced(axis, &[(axis, range.len().div_ceil(step))]))
        })
    }

    /// The same numbers without an axis along which they are the same, if they have it.
    #[must_use]
    #[track_caller]
    pub(crate) fn once(&self, axis: Name) -> Node {
        match self.shape().size(axis) {
            None => self.clone(),
            // There is no first position, nor any number.
            Some(0) => self.reduce(Reduction::Sum, &[axis]),
            Some(_) => self.at(axis, 0),
        }
    }

    /// One position of an axis, which is gone from the result.
    #[must_use]
    #[track_caller]
    pub fn at(&self, axis: Name, position: usize) -> Node {
        Node::build(Op::At(axis, position), self.kind(), [self], |operation| {
            let size = size_of(operation, self.shape(), axis)?;
            if position >= size {
                return Err(Error::out_of_range(operation, axis.text(), position, size));
            }
            Ok(self.shape().without(&[axis]))
        })
    }

    /// The positions of an axis from the last one to the first.
    #[must_use]
    #[track_caller]
    pub fn flip(&self, axis: Name) -> Node {
        if let (&Op::Flip(known), [x]) = (self.op(), self.inputs())
            && known == axis
        {
            return x.clone();
        }
        Node::build(Op::Flip(axis), self.kind(), [self], |operation| {
            size_of(operation, self.shape(), axis)?;
            Ok(self.shape().clone())
        })
    }

    /// As many positions of an axis as `size` says, from the position `start` on, which is found at evaluation.
    #[must_use]
    #[track_caller]
    pub fn dynamic_slice(&self, axis: Name, size: usize, start: &Node) -> Node {
        Node::build(Op::DynamicSlice(axis), self.kind(), [self, start], |operation| {
            let whole = size_of(operation, self.shape(), axis)?;
            starts(operation, start, axis)?;
            if size > whole {
                let why = format_args!("{size} positions of axis `{}`, whose size is {whole}", axis.text());
                return Err(unfit(operation, why));
            }
            self.shape().replaced(axis, &[(axis, size)]).union(start.shape(), operation)
        })
    }

    /// This tensor with `part` in place of its positions from `start` on along an axis.
    #[must_use]
    #[track_caller]
    pub fn dynamic_update(&self, axis: Name, part: &Node, start: &Node) -> Node {
        Node::build(Op::DynamicUpdate(axis), self.kind(), [self, part, start], |operation| {
            same_kind(operation, self, part)?;
            let (whole, size) = (size_of(operation, self.shape(), axis)?, size_of(operation, part.shape(), axis)?);
            starts(operation, start, axis)?;
            if size > whole {
                let why = format_args!("{size} positions into axis `{}`, whose size is {whole}", axis.text());
                return Err(unfit(operation, why));
            }
            let rest: Shape = part.shape().without(&[axis]);
            self.shape().union(&rest, operation)?.union(start.shape(), operation)
        })
    }
}

/// A start is a position, the same all along its axis.
fn starts(operation: &str, start: &Node, axis: Name) -> Result<()> {
    of_kind(operation, start, &[Kind::Index])?;
    if start.shape().has(axis) {
        return Err(refused(operation, format_args!("needs one start along axis `{}`", axis.text())));
    }
    Ok(())
}

/// A view; without the axis in the result's shape, it is one position of it.
pub(super) fn slice(node: &Node, axis: Name, start: usize, step: usize, x: Operand<'_>) -> Value {
    let offset = x.value.offset.wrapping_add_signed(far(start, x.stride(axis)));
    let stride = |name| if name == axis { far(step, x.stride(axis)) } else { x.stride(name) };
    Value { offset, strides: node.shape().names().map(stride).collect(), ..x.value.clone() }
}

/// A view that begins at the last position.
pub(super) fn flip(node: &Node, axis: Name, x: Operand<'_>) -> Value {
    let last = x.shape.size(axis).unwrap_or(0).saturating_sub(1);
    let offset = x.value.offset.wrapping_add_signed(far(last, x.stride(axis)));
    let stride = |name| if name == axis { x.stride(axis).wrapping_neg() } else { x.stride(name) };
    Value { offset, strides: node.shape().names().map(stride).collect(), ..x.value.clone() }
}

pub(super) fn dynamic_slice(node: &Node, axis: Name, x: Operand<'_>, start: Operand<'_>) -> Result<Value> {
    let size = node.shape().size(axis).unwrap_or(0);
    let first = |position| first(node, axis, position, size, x.shape.size(axis).unwrap_or(0));
    stored!(node.kind(), T => {
        let mut values = repeated(node, T::default())?;
        let pairs = x.over(node.shape()).zip(start.elements(node.shape()));
        for (value, (at, position)) in values.iter_mut().zip(pairs) {
            *value = x.data::<T>()[at.wrapping_add_signed(far(first(position)?, x.stride(axis)))];
        }
        Ok(finished(node, values))
    })
}

pub(super) fn dynamic_update(
    node: &Node,
    axis: Name,
    x: Operand<'_>,
    part: Operand<'_>,
    start: Operand<'_>,
) -> Result<Value> {
    let (size, whole) = (part.shape.size(axis).unwrap_or(0), node.shape().size(axis).unwrap_or(0));
    let strides = row_major(node.shape().sizes());
    let step = node.shape().position(axis).and_then(|i| strides.get(i)).copied().unwrap_or(0);
    let region = node.shape().replaced(axis, &[(axis, size)]);
    stored!(node.kind(), T => {
        let mut values = repeated(node, T::default())?;
        values.iter_mut().zip(x.elements::<T>(node.shape())).for_each(|(value, x)| *value = x);
        let targets = Offsets::of(node.shape(), &strides, 0, &region).zip(start.elements(&region));
        for ((target, position), value) in targets.zip(part.elements::<T>(&region)) {
            values[target.wrapping_add_signed(far(first(node, axis, position, size, whole)?, step))] = value;
        }
        Ok(finished(node, values))
    })
}

/// The position `start`, from which `size` positions must be left of an axis of size `whole`.
fn first(node: &Node, axis: Name, start: i64, size: usize, whole: usize) -> Result<usize> {
    match usize::try_from(start) {
        Ok(first) if first <= whole - size => Ok(first),
        _ if start == NO_POSITION => Err(Error::out_of_range(node.op().name(), axis.text(), "NaN", whole)),
        // The first position that is not there.
        _ => {
            let missing = if start < 0 { start } else { start.max(i64::try_from(whole).unwrap_or(i64::MAX)) };
            Err(Error::out_of_range(node.op().name(), axis.text(), missing, whole))
        }
    }
}

/// How far `count` steps of `stride` lead.
fn far(count: usize, stride: isize) -> isize {
    stride.wrapping_mul(count as isize)
}

#[cfg(test)]
mod tests {
    use crate::element::NO_POSITION;
    use crate::error::ErrorKind;
    use crate::graph::testing::{A, B, C, axes, counting, error, read, tensor};

    #[test]
    fn a_slice_takes_every_step_th_position() {
        let x = counting(&[(A, 7)]);
        assert_eq!(read(&x.slice(A, 1..7, 2)), [2.0, 4.0, 6.0]);
        assert_eq!(read(&x.slice(A, 1..6, 2)), [2.0, 4.0, 6.0]);
        assert_eq!(read(&x.slice(A, 2..6, 1).slice(A, 1..4, 2)), [4.0, 6.0]);
        assert!(read(&x.slice(A, 7..7, 1)).is_empty());
        assert_eq!(read(&counting(&[(A, 2), (B, 3)]).at(B, 2)), [3.0, 6.0]);
    }

    #[test]
    fn a_flip_goes_from_the_last_position_to_the_first() {
        let x = counting(&[(A, 2), (B, 3)]);
        assert_eq!(read(&x.flip(B)), [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]);
        assert_eq!(read(&x.flip(A).flip(B).slice(B, 0..2, 1)), [6.0, 5.0, 3.0, 2.0]);
        assert_eq!(read(&x.flip(B).flip(B)), read(&x));
        assert!(read(&counting(&[(A, 0)]).flip(A)).is_empty());
        assert!(error(&x.flip(C)).to_string().contains("axis `c`"));
    }

    #[test]
    fn positions_past_the_end_are_told() {
        let x = counting(&[(A, 5)]);
        let past = error(&x.slice(A, 2..9, 1));
        assert_eq!(past.kind(), ErrorKind::IndexOutOfRange);
        assert!(past.to_string().contains("position 8 of axis `a`, whose size is 5"), "{past}");
        assert_eq!(error(&x.at(A, 5)).kind(), ErrorKind::IndexOutOfRange);
        assert_eq!(error(&x.slice(A, 7..7, 1)).kind(), ErrorKind::IndexOutOfRange);
        assert_eq!(error(&x.slice(A, 0..2, 0)).kind(), ErrorKind::Value);
        let (late, early) = (3, 2);
        assert_eq!(error(&x.slice(A, late..early, 1)).kind(), ErrorKind::Value);
    }

    #[test]
    fn a_dynamic_slice_starts_where_its_start_says_at_each_position() {
        let x = counting(&[(A, 2), (B, 4)]);
        let start = tensor(&[(A, 2)], &[0_i64, 2]);
        assert_eq!(read(&x.dynamic_slice(B, 2, &start)), [1.0, 2.0, 7.0, 8.0]);
        let fresh = x.dynamic_slice(B, 1, &tensor(&[(C, 2)], &[3_i64, 0]));
        assert_eq!(axes(&fresh), [("a", 2), ("b", 1), ("c", 2)]);
        assert_eq!(read(&fresh), [4.0, 1.0, 8.0, 5.0]);
    }

    #[test]
    fn a_dynamic_update_writes_its_part_from_the_start_on() {
        let x = counting(&[(A, 2), (B, 4)]);
        let part = tensor(&[(B, 2)], &[-1.0, -2.0]);
        let found = x.dynamic_update(B, &part, &tensor(&[(A, 2)], &[0_i64, 2]));
        assert_eq!(read(&found), [-1.0, -2.0, 3.0, 4.0, 5.0, 6.0, -1.0, -2.0]);
        let start = tensor(&[], &[4_i64]);
        assert_eq!(read(&x.dynamic_update(B, &counting(&[(B, 0)]), &start)), read(&x));
    }

    #[test]
    fn a_start_that_leaves_too_few_positions_is_an_error_at_evaluation() {
        let x = counting(&[(A, 5)]);
        for (start, missing) in
            [(4_i64, "position 5"), (9, "position 9"), (-1, "position -1"), (NO_POSITION, "position NaN")]
        {
            let sliced = x.dynamic_slice(A, 2, &tensor(&[], &[start]));
            assert!(sliced.error().is_none(), "known only from the numbers");
            let error = error(&sliced);
            assert_eq!(error.kind(), ErrorKind::IndexOutOfRange);
            assert!(error.to_string().contains(missing), "{error}");
            assert_eq!(error.place().unwrap().file(), file!());
        }
        let update = x.dynamic_update(A, &counting(&[(A, 2)]), &tensor(&[], &[4_i64]));
        assert_eq!(error(&update).kind(), ErrorKind::IndexOutOfRange);
        assert_eq!(error(&x.dynamic_slice(A, 6, &tensor(&[], &[0_i64]))).kind(), ErrorKind::SizeClash);
    }
}
