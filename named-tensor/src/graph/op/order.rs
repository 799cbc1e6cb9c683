//! Operations that follow the order of positions: running sums and sorting.
//!
//! Computes  `cumulative_sum_ax(X)(i) = Σ_{j ≤ i} X(j)`. Sorting is stable, and NaN comes last in either direction.
//! Lives here: their shape rules and plain evaluation.

use std::cmp::Ordering;

use super::rule::{NUMBERS, of_kind, refused, size_of};
use super::walk::{Operand, real, rowwise, stored};
use crate::axis::Name;
use crate::element::{Kind, Stored};
use crate::error::Result;
use crate::graph::{Node, Op, Value};

impl Node {
    /// At each position of `axis`, the sum up to and with it.
    #[must_use]
    #[track_caller]
    pub fn cumulative_sum(&self, axis: Name) -> Node {
        Node::build(Op::CumulativeSum(axis), self.kind(), [self], |operation| {
            of_kind(operation, self, NUMBERS)?;
            size_of(operation, self.shape(), axis).map(|_| self.shape().clone())
        })
    }

    /// Sorted along `axis`.
    #[must_use]
    #[track_caller]
    pub fn sort(&self, axis: Name, descending: bool) -> Node {
        Node::build(Op::Sort { axis, descending }, self.kind(), [self], |operation| {
            size_of(operation, self.shape(), axis).map(|_| self.shape().clone())
        })
    }

    /// The positions along `axis` in the order of their elements: gathered at them, the tensor is sorted.
    #[must_use]
    #[track_caller]
    pub fn argsort(&self, axis: Name, descending: bool) -> Node {
        Node::build(Op::ArgSort { axis, descending }, Kind::Index, [self], |operation| {
            size_of(operation, self.shape(), axis).map(|_| self.shape().clone())
        })
    }
}

pub(super) fn cumulative_sum(node: &Node, axis: Name, x: Operand<'_>) -> Result<Value> {
    if node.kind() == Kind::Index {
        return rowwise(node, x, &[axis], |row: &[i64], out: &mut Vec<i64>| {
            out.extend(row.iter().scan(0, |sum: &mut i64, &x| {
                *sum = sum.saturating_add(x);
                Some(*sum)
            }));
        });
    }
    real!(node.kind(), T => rowwise(node, x, &[axis], |row: &[T], out: &mut Vec<T>| {
        out.extend(row.iter().scan(0.0, |sum, x| {
            *sum += x.to_f64();
            Some(T::from_f64(*sum))
        }));
    }), else Err(refused(node.op().name(), "needs numbers")))
}

pub(super) fn sort(node: &Node, axis: Name, descending: bool, x: Operand<'_>) -> Result<Value> {
    stored!(node.kind(), T => rowwise(node, x, &[axis], |row: &[T], out: &mut Vec<T>| {
        out.extend(row);
        out.sort_by(|&x, &y| precedes(x, y, descending));
    }))
}

pub(super) fn argsort(node: &Node, axis: Name, descending: bool, x: Operand<'_>) -> Result<Value> {
    stored!(x.value.buffer.kind(), T => rowwise(node, x, &[axis], |row: &[T], out: &mut Vec<i64>| {
        let mut places: Vec<(i64, T)> = (0..).zip(row.iter().copied()).collect();
        places.sort_by(|&(_, x), &(_, y)| precedes(x, y, descending));
        out.extend(places.into_iter().map(|(place, _)| place));
    }))
}

/// The order of numbers in which NaN is last, whichever way the others go.
fn precedes<T: Stored>(x: T, y: T, descending: bool) -> Ordering {
    let nan = |x: T| x.partial_cmp(&x).is_none();
    match x.partial_cmp(&y) {
        Some(order) if descending => order.reverse(),
        Some(order) => order,
        None => nan(x).cmp(&nan(y)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::graph::testing::{A, B, counting, error, read, tensor};

    #[test]
    fn running_sums_include_their_own_position() {
        let x = counting(&[(A, 2), (B, 3)]);
        assert_eq!(read(&x.cumulative_sum(B)), [1.0, 3.0, 6.0, 4.0, 9.0, 15.0]);
        assert_eq!(read(&x.cumulative_sum(A)), [1.0, 2.0, 3.0, 5.0, 7.0, 9.0]);
        assert_eq!(read(&Node::iota(A, 4).cumulative_sum(A)), [0.0, 1.0, 3.0, 6.0]);
        assert_eq!(read(&tensor(&[(A, 3)], &[1e8_f32, 1.0, -1e8]).cumulative_sum(A))[2], 1.0);
    }

    #[test]
    fn nan_comes_last_in_either_direction() {
        let x = tensor(&[(A, 4)], &[f64::NAN, 2.0, f64::NEG_INFINITY, 3.0]);
        assert_eq!(read(&x.sort(A, false))[..3], [f64::NEG_INFINITY, 2.0, 3.0]);
        assert_eq!(read(&x.sort(A, true))[..3], [3.0, 2.0, f64::NEG_INFINITY]);
        assert_eq!(read(&x.argsort(A, false)), [2.0, 1.0, 3.0, 0.0]);
        assert_eq!(read(&x.argsort(A, true)), [3.0, 1.0, 2.0, 0.0]);
    }

    #[test]
    fn equal_numbers_keep_their_order_in_either_direction() {
        let x = tensor(&[(A, 5)], &[1.0_f32, 0.0, 1.0, 0.0, 1.0]);
        assert_eq!(read(&x.argsort(A, false)), [1.0, 3.0, 0.0, 2.0, 4.0]);
        assert_eq!(read(&x.argsort(A, true)), [0.0, 2.0, 4.0, 1.0, 3.0]);
    }

    #[test]
    fn each_row_is_sorted_by_itself() {
        let x = tensor(&[(A, 2), (B, 2)], &[4.0, 1.0, 2.0, 3.0]);
        assert_eq!(read(&x.sort(A, false)), [2.0, 1.0, 4.0, 3.0]);
        assert_eq!(read(&x.sort(B, true)), [4.0, 1.0, 3.0, 2.0]);
    }

    #[test]
    fn truth_values_have_no_running_sum() {
        let truth = counting(&[(A, 2)]).cast(Kind::Bool);
        assert_eq!(error(&truth.cumulative_sum(A)).kind(), ErrorKind::Value);
    }
}
