//! Indexing: positions of one axis taken from another tensor, and its adjoint.
//!
//! Computes  `index_ax(X, I) = X(ax = I)`  (paper, section "Indexing"): axes that both have are aligned, the rest of
//! `I` takes the place of `ax`. Its adjoint sums at the positions:  `Σ_over [I = k] U`  at position k of `ax`.
//! Lives here: their shape rules and plain evaluation. Not here: positions that are the same everywhere (`slicing`).

use super::rule::{REAL, absent, of_kind, present, refused, size_of};
use super::walk::{Offsets, Operand, finished, real, repeated, stored};
use crate::axis::Name;
use crate::element::{Kind, NO_POSITION, Stored};
use crate::error::{Error, Result};
use crate::graph::value::row_major;
use crate::graph::{Node, Op, Value};

impl Node {
    /// The elements of this table at `positions` of `axis`. A position past the end is an error at evaluation.
    #[must_use]
    #[track_caller]
    pub fn gather(&self, axis: Name, positions: &Node) -> Node {
        Node::build(Op::Gather(axis), self.kind(), [self, positions], |operation| {
            of_kind(operation, positions, &[Kind::Index])?;
            size_of(operation, self.shape(), axis)?;
            self.shape().without(&[axis]).union(positions.shape(), operation)
        })
    }

    /// Sums these updates at their `positions` of a new axis of this size; the axes `over` are summed away.
    #[must_use]
    #[track_caller]
    pub fn scatter_add(&self, positions: &Node, axis: Name, size: usize, over: &[Name]) -> Node {
        Node::build(Op::ScatterAdd { axis, over: Box::new(over.into()) }, self.kind(), [self, positions], |operation| {
            of_kind(operation, self, REAL)?;
            of_kind(operation, positions, &[Kind::Index])?;
            let all = self.shape().union(positions.shape(), operation)?;
            present(operation, &all, over)?;
            let rest = all.without(over);
            absent(operation, &rest, axis)?;
            Ok(rest.with(axis, size))
        })
    }
}

pub(super) fn gather(node: &Node, axis: Name, table: Operand<'_>, positions: Operand<'_>) -> Result<Value> {
    let (order, size) = (node.shape(), table.shape.size(axis).unwrap_or(0));
    // The table's own kind: a plan may ask about a table in 16 bits that the node has widened.
    stored!(table.value.buffer.kind(), T => {
        let mut values = repeated(node, T::default())?;
        // The positions may bring back an axis of the table's name; the table itself is never stepped along it.
        let pairs = table.over_without(order, axis).zip(positions.elements(order));
        for (value, (at, position)) in values.iter_mut().zip(pairs) {
            let position = within(node, axis, position, size)?;
            *value = table.data::<T>()[at.wrapping_add_signed(table.stride(axis).wrapping_mul(position as isize))];
        }
        Ok(finished(node, values))
    })
}

pub(super) fn scatter_add(node: &Node, axis: Name, updates: Operand<'_>, positions: Operand<'_>) -> Result<Value> {
    let size = node.shape().size(axis).unwrap_or(0);
    let strides = row_major(node.shape().sizes());
    let (rest, step) = (node.shape().without(&[axis]), strides.last().copied().unwrap_or(0));
    real!(node.kind(), T => {
        let mut sums = repeated(node, 0.0_f64)?;
        let all = updates.shape.union(positions.shape, node.op().name())?;
        let sources = updates.elements::<T>(&all).zip(positions.elements(&all));
        for (target, (update, position)) in Offsets::of(&rest, &strides, 0, &all).zip(sources) {
            let position = within(node, axis, position, size)?;
            sums[target.wrapping_add_signed(step.wrapping_mul(position as isize))] += update.to_f64();
        }
        Ok(finished(node, sums.into_iter().map(T::from_f64).collect()))
    }, else Err(refused(node.op().name(), "needs real numbers")))
}

/// A position that exists on an axis of this size. Whoever derives an index by its table meets the index as well.
fn within(node: &Node, axis: Name, position: i64, size: usize) -> Result<usize> {
    let found = usize::try_from(position).ok().filter(|&found| found < size);
    found.ok_or_else(|| outside(node, axis, position, size))
}

/// The error of a position that does not exist. One that is computed may well be meant for other positions alone.
fn outside(node: &Node, axis: Name, position: i64, size: usize) -> Error {
    let axis = axis.text();
    if position == NO_POSITION {
        return Error::out_of_range("index", axis, "NaN", size);
    }
    let error = Error::out_of_range("index", axis, position, size);
    match node.inputs().get(1).map(Node::op) {
        Some(Op::Binary(_) | Op::Cast) => {
            let inside = if position < 0 { "max(i - 1, 0)".to_owned() } else { format!("min(i + 1, |{axis}| - 1)") };
            let help = format!("of an `if` both cases are computed, and a position stays inside by `{inside}`");
            Error::new(error.kind(), format!("{error}; {help}"))
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use crate::error::ErrorKind;
    use crate::graph::testing::{A, B, C, D, axes, counting, error, read, tensor};

    #[test]
    fn one_position_takes_one_row_and_a_sequence_takes_a_row_each() {
        let table = counting(&[(A, 3), (B, 2)]);
        assert_eq!(read(&table.gather(A, &tensor(&[], &[2_i64]))), [5.0, 6.0]);
        let rows = table.gather(A, &tensor(&[(C, 4)], &[2_i64, 0, 2, 1]));
        assert_eq!(axes(&rows), [("b", 2), ("c", 4)]);
        assert_eq!(read(&rows.at(C, 2)), [5.0, 6.0]);
        assert_eq!(read(&rows.at(C, 3)), [3.0, 4.0]);
    }

    #[test]
    fn shared_axes_are_aligned() {
        let table = counting(&[(B, 2), (A, 3)]);
        let aligned = table.gather(A, &tensor(&[(B, 2)], &[2_i64, 0]));
        assert_eq!(read(&aligned), [3.0, 4.0]);
    }

    #[test]
    fn positions_may_bring_back_the_axis_they_index() {
        let x = tensor(&[(A, 4)], &[4.0, 2.0, 3.0, 1.0]);
        assert_eq!(read(&x.gather(A, &x.argsort(A, false))), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(read(&x.gather(A, &tensor(&[(A, 2)], &[3_i64, 0]))), [1.0, 4.0]);
    }

    #[test]
    fn a_position_past_the_end_is_an_error_at_evaluation_with_its_place() {
        let table = counting(&[(A, 3)]);
        for position in [3_i64, -1] {
            let (found, line) = (table.gather(A, &tensor(&[(B, 1)], &[position])), line!());
            let error = error(&found);
            assert_eq!(error.kind(), ErrorKind::IndexOutOfRange);
            assert!(
                error.to_string().contains(&format!("position {position} of axis `a`, whose size is 3")),
                "{error}"
            );
            assert_eq!(error.place().unwrap().line(), line);
        }
        let nowhere = counting(&[(A, 0)]).gather(A, &tensor(&[], &[0_i64]));
        assert_eq!(error(&nowhere).kind(), ErrorKind::IndexOutOfRange);
    }

    #[test]
    fn positions_of_another_kind_are_refused() {
        assert_eq!(error(&counting(&[(A, 3)]).gather(A, &counting(&[(B, 1)]))).kind(), ErrorKind::Value);
    }

    #[test]
    fn scatter_sums_what_gather_took() {
        // ⟨gather(X, I), U⟩ = ⟨X, scatter(U, I)⟩ for all X and U, with an axis aligned, one free and one of I alone.
        let x = counting(&[(A, 3), (B, 2), (D, 2)]);
        let positions = tensor(&[(B, 2), (C, 4)], &[2_i64, 0, 2, 1, 1, 1, 1, 0]);
        let taken = x.gather(A, &positions);
        let updates = counting(&[(C, 4), (D, 2), (B, 2)]);
        let summed = updates.scatter_add(&positions, A, 3, &[C]);
        assert_eq!(axes(&summed), axes(&x));
        assert_eq!(read(&taken.contract(&updates, &[B, C, D])), read(&x.contract(&summed, &[A, B, D])));
        assert_eq!(read(&summed.at(A, 2).at(B, 0)), [1.0 + 9.0, 3.0 + 11.0]);
    }

    #[test]
    fn scatter_refuses_positions_past_the_end_and_an_axis_that_stays() {
        let (updates, positions) = (counting(&[(B, 2)]), tensor(&[(B, 2)], &[0_i64, 3]));
        assert_eq!(error(&updates.scatter_add(&positions, A, 3, &[B])).kind(), ErrorKind::IndexOutOfRange);
        assert_eq!(error(&updates.scatter_add(&positions, B, 3, &[])).kind(), ErrorKind::Value);
        assert_eq!(read(&updates.scatter_add(&positions, B, 4, &[B])), [1.0, 0.0, 0.0, 2.0]);
    }
}
