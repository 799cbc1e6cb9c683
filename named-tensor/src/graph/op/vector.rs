//! Functions from vectors to vectors: softmax and standardization.
//!
//! Computes  `softmax_ax(X) = exp X / Σ_{ax} exp X`,  `standardize_ax(X) = (X - mean_ax X) / √(var_ax X + ε)`,  and what X
//! owes for the latter, `(G - mean_ax G - Y * mean_ax(Y * G)) / √(var_ax X + ε)`  with  `Y = standardize_ax(X)`.
//! A −∞ among numbers becomes exactly 0; a row with NaN or +∞, or of −∞ alone, is NaN throughout, for 0/0 has no
//! value. Over an axis of size 0 both are empty.
//! Lives here: their shape rules and plain evaluation. Not here: loops that are fast (`kernel`).

use super::rule::{REAL, of_kind, present, refused};
use super::walk::{Operand, real, rowwise};
use crate::axis::Name;
use crate::element::{Binary, Stored};
use crate::error::Result;
use crate::graph::shape::listed;
use crate::graph::{Node, Op, Value};

impl Node {
    /// Softmax over `axes` together, or its logarithm.
    #[must_use]
    #[track_caller]
    pub fn softmax(&self, axes: &[Name], log: bool) -> Node {
        Node::build(Op::Softmax { axes: listed(axes), log }, self.kind(), [self], |operation| {
            of_kind(operation, self, REAL)?;
            present(operation, self.shape(), axes)?;
            Ok(self.shape().clone())
        })
    }

    /// Mean 0 and variance 1 over `axes` together, with `epsilon` under the root.
    #[must_use]
    #[track_caller]
    pub fn standardize(&self, axes: &[Name], epsilon: f64) -> Node {
        Node::build(Op::Standardize { axes: listed(axes), epsilon }, self.kind(), [self], |operation| {
            of_kind(operation, self, REAL)?;
            present(operation, self.shape(), axes)?;
            if !(epsilon >= 0.0 && epsilon.is_finite()) {
                return Err(refused(operation, format_args!("needs an ε of at least 0, not {epsilon}")));
            }
            Ok(self.shape().clone())
        })
    }

    /// What this tensor owes where its [`standardize`](Node::standardize) is `owed` so much, which has `axes` too.
    #[must_use]
    #[track_caller]
    pub fn standardize_gradient(&self, owed: &Node, axes: &[Name], epsilon: f64) -> Node {
        Node::build(Op::StandardizeGradient { axes: listed(axes), epsilon }, self.kind(), [self, owed], |operation| {
            of_kind(operation, self, REAL)?;
            of_kind(operation, owed, &[self.kind()])?;
            present(operation, self.shape(), axes)?;
            present(operation, owed.shape(), axes)?;
            self.shape().union(owed.shape(), operation)
        })
    }
}

pub(super) fn softmax(node: &Node, axes: &[Name], log: bool, x: Operand<'_>) -> Result<Value> {
    let row = |row: &[f64], out: &mut Vec<f64>| {
        // Any subtrahend gives the same quotient; the largest keeps every exponential at most 1.
        let largest = row.iter().copied().fold(f64::NEG_INFINITY, |x, y| Binary::Max.of(x, y));
        let total: f64 = row.iter().map(|x| (x - largest).exp()).sum();
        if log {
            out.extend(row.iter().map(|x| x - largest - total.ln()));
        } else {
            out.extend(row.iter().map(|x| (x - largest).exp() / total));
        }
    };
    through_f64(node, axes, &[x], row)
}

pub(super) fn standardize(node: &Node, axes: &[Name], epsilon: f64, x: Operand<'_>) -> Result<Value> {
    let row = |row: &[f64], out: &mut Vec<f64>| {
        let (mean, deviation) = moments(row, epsilon);
        out.extend(row.iter().map(|x| (x - mean) / deviation));
    };
    through_f64(node, axes, &[x], row)
}

pub(super) fn standardize_gradient(
    node: &Node,
    axes: &[Name],
    epsilon: f64,
    x: Operand<'_>,
    owed: Operand<'_>,
) -> Result<Value> {
    let row = |both: &[f64], out: &mut Vec<f64>| {
        let (row, owed) = both.split_at(both.len() / 2);
        let (mean, deviation) = moments(row, epsilon);
        let count = row.len() as f64;
        let y = |x: f64| (x - mean) / deviation;
        let total = owed.iter().sum::<f64>() / count;
        let along = row.iter().zip(owed).map(|(&x, owed)| y(x) * owed).sum::<f64>() / count;
        out.extend(row.iter().zip(owed).map(|(&x, owed)| (owed - total - y(x) * along) / deviation));
    };
    through_f64(node, axes, &[x, owed], row)
}

/// Mean and √(var + ε) of some numbers.
fn moments(row: &[f64], epsilon: f64) -> (f64, f64) {
    let count = row.len() as f64;
    let mean = row.iter().sum::<f64>() / count;
    let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
    (mean, (variance + epsilon).sqrt())
}

/// Applies `row` along `axes` of the operands in `f64`; a result of `f32` is rounded once.
fn through_f64(
    node: &Node,
    axes: &[Name],
    operands: &[Operand<'_>],
    row: impl Fn(&[f64], &mut Vec<f64>),
) -> Result<Value> {
    let (mut wide, mut found) = (Vec::new(), Vec::new());
    real!(node.kind(), T => rowwise(node, operands, axes, &mut |read: &[T], written: &mut Vec<T>| {
        wide.clear();
        wide.extend(read.iter().map(|x| x.to_f64()));
        found.clear();
        row(&wide, &mut found);
        written.extend(found.iter().map(|&x| T::from_f64(x)));
    }), else Err(refused(node.op().name(), "needs real numbers")))
}

#[cfg(test)]
mod tests {
    use crate::error::ErrorKind;
    use crate::graph::testing::{A, B, counting, error, read, tensor};

    const INF: f64 = f64::INFINITY;

    fn close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert!((found - expected).abs() < 1e-15, "{found} at {i}, not {expected}");
        }
    }

    #[test]
    fn softmax_is_the_exponential_over_its_sum() {
        let x = tensor(&[(A, 2), (B, 3)], &[3.0, 1.0, 4.0, 1.0, 5.0, 9.0]);
        let rows = [[3_f64, 1.0, 4.0], [1.0, 5.0, 9.0]];
        let expected: Vec<f64> =
            rows.iter().flat_map(|row| row.map(|x| x.exp() / row.iter().map(|x| x.exp()).sum::<f64>())).collect();
        close(&read(&x.softmax(&[B], false)), &expected);
        let logs: Vec<f64> = expected.iter().map(|x| x.ln()).collect();
        let found = read(&x.softmax(&[B], true));
        assert!(found.iter().zip(&logs).all(|(x, y)| (x - y).abs() < 1e-14), "{found:?}");
    }

    #[test]
    fn softmax_over_two_axes_sums_to_one_over_both() {
        let x = read(&counting(&[(A, 2), (B, 3)]).softmax(&[A, B], false));
        assert!((x.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn softmax_does_not_overflow_and_masked_entries_are_exactly_zero() {
        let x = tensor(&[(A, 3)], &[1000.0, 1000.0, -INF]);
        assert_eq!(read(&x.softmax(&[A], false)), [0.5, 0.5, 0.0]);
        assert_eq!(read(&x.softmax(&[A], true)), [0.5_f64.ln(), 0.5_f64.ln(), -INF]);
    }

    #[test]
    fn softmax_of_a_row_with_nan_or_infinity_or_masked_throughout_is_nan_throughout() {
        for row in [[1.0, f64::NAN, 2.0], [1.0, INF, 2.0], [1.0, INF, -INF], [-INF; 3]] {
            for log in [false, true] {
                let found = read(&tensor(&[(A, 3)], &row).softmax(&[A], log));
                assert!(found.iter().all(|x| x.is_nan()), "{row:?} gives {found:?}");
            }
        }
    }

    #[test]
    fn over_an_empty_axis_both_are_empty() {
        let x = counting(&[(A, 0), (B, 2)]);
        assert!(read(&x.softmax(&[A], false)).is_empty());
        assert!(read(&x.standardize(&[A], 1e-5)).is_empty());
    }

    #[test]
    fn standardize_has_mean_zero_and_variance_one_with_divisor_n() {
        let x = tensor(&[(A, 2), (B, 3)], &[3.0, 1.0, 4.0, 1.0, 5.0, 9.0]);
        let found = read(&x.standardize(&[B], 0.0));
        // mean 8/3, variance 14/9
        let deviation = (14.0_f64 / 9.0).sqrt();
        close(&found[..3], &[3.0, 1.0, 4.0].map(|x| (x - 8.0 / 3.0) / deviation));
        assert_eq!(read(&tensor(&[(A, 2)], &[5.0, 5.0]).standardize(&[A], 1e-5)), [0.0, 0.0]);
    }

    #[test]
    fn an_epsilon_below_zero_is_refused() {
        for epsilon in [-1.0, f64::NAN, INF] {
            assert_eq!(error(&counting(&[(A, 2)]).standardize(&[A], epsilon)).kind(), ErrorKind::Value);
        }
    }
}
