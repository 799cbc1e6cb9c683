//! Operations that follow the order of positions: running sums and sorting.
//!
//! Computes  `cumulative_sum_ax(X)(i) = Σ_{j ≤ i} X(j)`, or backwards  `Σ_{j ≥ i} X(j)`. Sorting is stable, and NaN comes last in either direction.
//! Lives here: their shape rules and plain evaluation.

use super::rule::{NUMBERS, of_kind, refused, size_of};
use super::walk::{Operand, real, rowwise, stored};
use crate::axis::Name;
use crate::element::{Kind, Numbers, Stored};
use crate::error::Result;
use crate::graph::{Node, Op, Value};

impl Node {
    /// At each position of `axis`, the sum up to and with it.
    #[must_use]
    #[track_caller]
    pub fn cumulative_sum(&self, axis: Name) -> Node {
        self.running_sum(axis, false)
    }

    /// The same, or the sum from the position on.
    #[track_caller]
    pub(crate) fn running_sum(&self, axis: Name, backwards: bool) -> Node {
        Node::build(Op::CumulativeSum { axis, backwards }, self.kind(), [self], |operation| {
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

pub(super) fn cumulative_sum(node: &Node, axis: Name, backwards: bool, x: Operand<'_>) -> Result<Value> {
    /// Appends the sums of a row, from whichever end they are taken.
    fn extend<T: Copy, S: Copy>(
        row: &[T],
        backwards: bool,
        out: &mut Vec<T>,
        mut sum: S,
        add: impl Fn(S, T) -> (S, T),
    ) {
        let first = out.len();
        let mut next = |x: &T| {
            let (more, result) = add(sum, *x);
            sum = more;
            out.push(result);
        };
        if backwards {
            row.iter().rev().for_each(&mut next);
            out[first..].reverse();
        } else {
            row.iter().for_each(&mut next);
        }
    }
    if node.kind() == Kind::Index {
        let add = |sum: i64, x: i64| (sum.saturating_add(x), sum.saturating_add(x));
        return rowwise(node, &[x], &[axis], &mut |row: &[i64], out: &mut Vec<i64>| {
            extend(row, backwards, out, 0, add);
        });
    }
    real!(node.kind(), T => rowwise(node, &[x], &[axis], &mut |row: &[T], out: &mut Vec<T>| {
        extend(row, backwards, out, 0.0, |sum: f64, x| (sum + x.to_f64(), T::from_f64(sum + x.to_f64())));
    }), else Err(refused(node.op().name(), "needs numbers")))
}

pub(super) fn sort(node: &Node, axis: Name, descending: bool, x: Operand<'_>) -> Result<Value> {
    let mut ranks = Vec::new();
    stored!(node.kind(), T => rowwise(node, &[x], &[axis], &mut |row: &[T], out: &mut Vec<T>| {
        rank_all(T::numbers(row), descending, &mut ranks);
        out.extend(ranks.iter().map(|&(_, place)| row[place as usize]));
    }))
}

pub(super) fn argsort(node: &Node, axis: Name, descending: bool, x: Operand<'_>) -> Result<Value> {
    let mut ranks = Vec::new();
    stored!(x.value.buffer.kind(), T => rowwise(node, &[x], &[axis], &mut |row: &[T], out: &mut Vec<i64>| {
        rank_all(T::numbers(row), descending, &mut ranks);
        out.extend(ranks.iter().map(|&(_, place)| place));
    }))
}

/// The rank of each number of a row and its place, in the order of the ranks; numbers of one rank stay in their order.
fn rank_all(row: Numbers<'_>, descending: bool, ranks: &mut Vec<(i64, i64)>) {
    let (whole, real) = (|x: i64| if descending { !x } else { x }, |x: f64| rank(x, descending));
    ranks.clear();
    match row {
        Numbers::F32(row) => ranks.extend(row.iter().map(|x| real(x.to_f64())).zip(0..)),
        Numbers::F64(row) => ranks.extend(row.iter().map(|x| real(x.to_f64())).zip(0..)),
        Numbers::Bf16(row) => ranks.extend(row.iter().map(|x| real(x.to_f64())).zip(0..)),
        Numbers::Index(row) => ranks.extend(row.iter().map(|&x| whole(x)).zip(0..)),
        Numbers::Bool(row) => ranks.extend(row.iter().map(|&x| whole(i64::from(x))).zip(0..)),
    }
    ranks.sort_unstable();
}

/// An integer for each number, in the same order or in the opposite one. NaN is last, whichever way the others go, and
/// both zeros are one.
fn rank(x: f64, descending: bool) -> i64 {
    if x.is_nan() {
        return i64::MAX;
    }
    // The bits of positive numbers are in their order, those of negative ones in the opposite one. -0 + 0 is 0.
    let bits = (x + 0.0).to_bits() as i64;
    let rank = if bits < 0 { bits ^ i64::MAX } else { bits };
    if descending { !rank } else { rank }
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
        assert_eq!(read(&x.running_sum(B, true)), [6.0, 5.0, 3.0, 15.0, 11.0, 6.0]);
        assert_eq!(read(&Node::iota(A, 4).running_sum(A, true)), [6.0, 6.0, 5.0, 3.0]);
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
    fn the_two_zeros_are_equal_and_infinities_are_numbers() {
        let x = tensor(&[(A, 5)], &[0.0_f32, f32::INFINITY, -0.0, f32::NEG_INFINITY, f32::NAN]);
        assert_eq!(read(&x.argsort(A, false)), [3.0, 0.0, 2.0, 1.0, 4.0]);
        assert_eq!(read(&x.argsort(A, true)), [1.0, 0.0, 2.0, 3.0, 4.0]);
        assert!(read(&x.sort(A, false))[2].is_sign_negative(), "a zero keeps its sign");
    }

    #[test]
    fn positions_are_sorted_as_whole_numbers() {
        let large = 1_i64 << 53;
        let row = [large + 1, large, i64::MIN, i64::MAX, -1];
        let places = |descending| -> Vec<i64> {
            let mut ranks = vec![(9, 9)];
            rank_all(Numbers::Index(&row), descending, &mut ranks);
            ranks.into_iter().map(|(_, place)| place).collect()
        };
        assert_eq!(places(false), [2, 4, 1, 0, 3]);
        assert_eq!(places(true), [3, 0, 1, 4, 2]);
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
