//! Functions of matrices: determinant, its logarithm and inverse over two axes of equal size.
//!
//! Computes  `det_{a,b}(S)`,  `logdet_{a,b}(S)` = log |det S|, which a number holds long after it holds the determinant no
//! more, and  `inv_{a,b}(S)`,  where  `Σ_b S(a,b) · inv(S)(a',b) = I(a,a')`  and, over the other
//! axis,  `Σ_a S(a,b) · inv(S)(a,b') = I(b,b')`: S leads from a to b when it is contracted over a, its inverse from b to
//! a when it is contracted over b. As a matrix of rows a and columns b, `inv(S)` is thus the transpose of S⁻¹, whose
//! rows are b. Which of the two axes is named first makes no difference to either function.
//! A matrix is singular if a pivot of its factors (LU, the largest number of a column chosen) is 0 or not finite.
//! Lives here: their shape rules and plain evaluation. Not here: the factors (`factors`), loops that are fast (`kernel`).

use super::factors::Factors;
use super::rule::{REAL, of_kind, present, refused, size_of, unfit};
use super::walk::{Operand, collected, real, rowwise};
use crate::axis::Name;
use crate::element::Stored;
use crate::error::{Error, Result};
use crate::graph::{Node, Op, Shape, Value};

impl Node {
    /// The determinant of each matrix over the axes `a` and `b`; 1 if they have size 0.
    #[must_use]
    #[track_caller]
    pub fn determinant(&self, a: Name, b: Name) -> Node {
        Node::build(Op::Determinant(a, b), self.kind(), [self], |operation| {
            of_kind(operation, self, REAL)?;
            square(operation, self.shape(), a, b)?;
            Ok(self.shape().without(&[a, b]))
        })
    }

    /// The logarithm of the magnitude of each determinant over the axes `a` and `b`; 0 if they have size 0.
    #[must_use]
    #[track_caller]
    pub fn log_determinant(&self, a: Name, b: Name) -> Node {
        Node::build(Op::LogDeterminant(a, b), self.kind(), [self], |operation| {
            of_kind(operation, self, REAL)?;
            square(operation, self.shape(), a, b)?;
            Ok(self.shape().without(&[a, b]))
        })
    }

    /// The inverse of each matrix over the axes `a` and `b`.
    #[must_use]
    #[track_caller]
    pub fn inverse(&self, a: Name, b: Name) -> Node {
        Node::build(Op::Inverse(a, b), self.kind(), [self], |operation| {
            of_kind(operation, self, REAL)?;
            square(operation, self.shape(), a, b)?;
            Ok(self.shape().clone())
        })
    }
}

/// Refuses axes of different sizes.
fn square(operation: &str, shape: &Shape, a: Name, b: Name) -> Result<()> {
    present(operation, shape, &[a, b])?;
    let (rows, columns) = (size_of(operation, shape, a)?, size_of(operation, shape, b)?);
    if rows == columns {
        return Ok(());
    }
    let (a, b) = (a.text(), b.text());
    Err(unfit(
        operation,
        format_args!("axis `{a}` has size {rows}, axis `{b}` {columns}, and the matrix is not square"),
    ))
}

pub(super) fn determinant(node: &Node, a: Name, b: Name, x: Operand<'_>) -> Result<Value> {
    let (steps, is_log) = (x.steps(&[a, b]), matches!(node.op(), Op::LogDeterminant(..)));
    real!(node.kind(), T => collected(node, x.over(node.shape()).map(|start| {
        let numbers: Vec<f64> = steps.clone().map(|step| x.data::<T>()[start.wrapping_add(step)].to_f64()).collect();
        let factors = Factors::of(numbers.into_iter());
        T::from_f64(if is_log { factors.log_determinant() } else { factors.determinant() })
    })), else Err(refused(node.op().name(), "needs real numbers")))
}

pub(super) fn inverse(node: &Node, a: Name, b: Name, x: Operand<'_>) -> Result<Value> {
    let (mut singular, mut number) = (None, 0);
    // The axes in the order of the shape, in which a row is read and written.
    let value = real!(node.kind(), T => rowwise(node, &[x], &[a, b], &mut |read: &[T], written: &mut Vec<T>| {
        let factors = Factors::of(read.iter().map(|&x| x.to_f64()));
        if factors.is_regular() {
            // Column by column: the transpose, row by row.
            written.extend(factors.inverse().flatten().map(T::from_f64));
        } else {
            singular.get_or_insert(number);
            written.resize(read.len(), T::default());
        }
        number += 1;
    }), else Err(refused(node.op().name(), "needs real numbers")))?;
    match singular {
        None => Ok(value),
        Some(number) => Err(without_inverse(node, a, b, number)),
    }
}

/// The matrix with this number, counted along the other axes in the order of the shape, is singular.
fn without_inverse(node: &Node, a: Name, b: Name, number: usize) -> Error {
    let mut left = number;
    let mut places: Vec<String> = Vec::new();
    for (name, size) in node.shape().without(&[a, b]).iter().rev() {
        places.push(format!("`{}` {}", name.text(), left % size.max(1)));
        left /= size.max(1);
    }
    places.reverse();
    let place = if places.is_empty() { String::new() } else { format!(" at {}", places.join(", ")) };
    let (a, b) = (a.text(), b.text());
    refused(node.op().name(), format_args!("has no value: the matrix over axes `{a}` and `{b}`{place} is singular"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Kind;
    use crate::error::ErrorKind;
    use crate::graph::testing::{A, B, C, counting, error, read, tensor};

    fn near(found: &[f64], expected: &[f64]) {
        let close = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-12;
        assert!(found.len() == expected.len() && found.iter().zip(expected).all(close), "{found:?}, not {expected:?}");
    }

    #[test]
    fn the_determinant_of_each_matrix_is_that_of_the_textbook() {
        let x = tensor(&[(C, 2), (A, 2), (B, 2)], &[1.0, 2.0, 3.0, 4.0, 0.0, 1.0, 1.0, 0.0]);
        near(&read(&x.determinant(A, B)), &[-2.0, -1.0]);
        near(&read(&x.determinant(B, A)), &[-2.0, -1.0]);
        near(&read(&counting(&[(A, 3), (B, 3)]).determinant(A, B)), &[0.0]);
    }

    #[test]
    fn a_matrix_of_size_0_has_determinant_1_and_an_empty_inverse() {
        let x = counting(&[(A, 0), (C, 2), (B, 0)]);
        assert_eq!(read(&x.determinant(A, B)), [1.0, 1.0]);
        assert_eq!(read(&counting(&[(A, 0), (B, 0)]).determinant(A, B)), [1.0]);
        assert!(read(&x.inverse(A, B)).is_empty());
    }

    #[test]
    fn the_inverse_contracted_with_the_matrix_is_the_identity_over_either_axis() {
        let x = tensor(&[(A, 2), (B, 2)], &[1.0, 2.0, 3.0, 4.0]);
        for inverse in [x.inverse(A, B), x.inverse(B, A)] {
            // The transpose of the textbook's [[-2, 1], [3/2, -1/2]].
            near(&read(&inverse), &[-2.0, 1.5, 1.0, -0.5]);
            near(&read(&x.contract(&inverse.rename(&[(A, C)]), &[B])), &[1.0, 0.0, 0.0, 1.0]);
            near(&read(&x.contract(&inverse.rename(&[(B, C)]), &[A])), &[1.0, 0.0, 0.0, 1.0]);
        }
    }

    #[test]
    fn a_singular_matrix_has_no_inverse_and_the_error_says_which() {
        let mut numbers = [1.0, 0.0, 0.0, 1.0].repeat(6);
        numbers[19] = 0.0;
        let x = tensor(&[(Name::declared("batch"), 2), (C, 3), (A, 2), (B, 2)], &numbers);
        let found = error(&x.inverse(A, B));
        assert_eq!(found.kind(), ErrorKind::Value);
        let said = "`inv` has no value: the matrix over axes `a` and `b` at `batch` 1, `c` 1 is singular";
        assert!(found.to_string().starts_with(said), "{found}");
        for wrong in [f64::NAN, f64::INFINITY] {
            let found = error(&tensor(&[(A, 2), (B, 2)], &[1.0, wrong, 0.0, 1.0]).inverse(A, B)).to_string();
            assert!(found.contains("over axes `a` and `b` is singular"), "{found}");
        }
    }

    #[test]
    fn a_matrix_that_is_not_square_is_refused_when_the_node_is_made() {
        let x = counting(&[(A, 2), (B, 3)]);
        for node in [x.determinant(A, B), x.inverse(A, B)] {
            let found = node.error().expect("an error");
            assert_eq!(found.kind(), ErrorKind::SizeClash);
            assert!(found.to_string().contains("axis `a` has size 2, axis `b` 3"), "{found}");
        }
        assert!(counting(&[(A, 2)]).determinant(A, A).error().is_some());
        assert!(counting(&[(A, 2), (B, 2)]).cast(Kind::Index).inverse(A, B).error().is_some());
    }
}
