//! Reductions: one number for all positions of some axes.
//!
//! Computes  `sum_ax(X)(j) = Σ_{i ∈ ax} X(i, j)`, and likewise the product, the largest and the smallest.
//! The sum of nothing is 0 and its product 1; the largest, the smallest, the mean and the variance of nothing are
//! errors. NaN is the largest and the smallest of any numbers among which it is.
//! Lives here: which there are, their shape rules and plain evaluation, mean and variance as compositions.

use std::panic::Location;

use super::rule::{NUMBERS, of_kind, present, refused};
use super::walk::{Operand, collected, real};
use crate::axis::Name;
use crate::element::{Binary, Kind, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::shape::listed;
use crate::graph::{Node, Op, Shape, Value};

/// How positions of an axis become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// Σ
    Sum,
    /// Π
    Product,
    /// The largest; NaN if one is NaN.
    Max,
    /// The smallest; NaN if one is NaN.
    Min,
}

impl Reduction {
    /// Its name in equations.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Reduction::Sum => "sum",
            Reduction::Product => "prod",
            Reduction::Max => "max",
            Reduction::Min => "min",
        }
    }
}

impl Node {
    /// One number for all positions of `axes` together.
    #[must_use]
    #[track_caller]
    pub fn reduce(&self, reduction: Reduction, axes: &[Name]) -> Node {
        Node::build(Op::Reduce(reduction, listed(axes)), self.kind(), [self], |operation| {
            of_kind(operation, self, NUMBERS)?;
            present(operation, self.shape(), axes)?;
            if matches!(reduction, Reduction::Max | Reduction::Min) {
                some(operation, self.shape(), axes)?;
            }
            Ok(self.shape().without(axes))
        })
    }

    /// The arithmetic mean over `axes` together.
    #[must_use]
    #[track_caller]
    pub fn mean(&self, axes: &[Name]) -> Node {
        self.mean_for("mean", axes)
    }

    /// The mean that `operation` needs.
    #[track_caller]
    fn mean_for(&self, operation: &str, axes: &[Name]) -> Node {
        let total = self.reduce(Reduction::Sum, axes);
        if total.error().is_some() {
            return total;
        }
        if let Err(error) = some(operation, self.shape(), axes) {
            return Node::failed(error.at(Location::caller()), self.kind());
        }
        let count = Node::fill(self.kind(), count(self.shape(), axes) as f64, Shape::default());
        total.binary(Binary::Div, &count)
    }

    /// The mean square of the distance from the mean, over `axes` together (divisor n).
    #[must_use]
    #[track_caller]
    pub fn variance(&self, axes: &[Name]) -> Node {
        let distance = self.binary(Binary::Sub, &self.mean_for("var", axes));
        distance.binary(Binary::Mul, &distance).mean(axes)
    }
}

/// How many positions the axes have together.
fn count(shape: &Shape, axes: &[Name]) -> usize {
    axes.iter().filter_map(|&axis| shape.size(axis)).product()
}

/// Refuses axes without any position.
fn some(operation: &str, shape: &Shape, axes: &[Name]) -> Result<()> {
    match axes.iter().find(|&&axis| shape.size(axis) == Some(0)) {
        Some(empty) => {
            let message = format!("`{operation}` of nothing: axis `{}` has size 0", empty.text());
            Err(Error::new(ErrorKind::Empty, message))
        }
        None => Ok(()),
    }
}

pub(super) fn reduce(node: &Node, reduction: Reduction, axes: &[Name], x: Operand<'_>) -> Result<Value> {
    let (function, neutral) = match reduction {
        Reduction::Sum => (Binary::Add, Some(0.0)),
        Reduction::Product => (Binary::Mul, Some(1.0)),
        Reduction::Max => (Binary::Max, None),
        Reduction::Min => (Binary::Min, None),
    };
    let steps = x.steps(axes);
    let starts = x.over(node.shape());
    if node.kind() == Kind::Index {
        let row = |start: usize| {
            let numbers = steps.clone().map(|step| x.data::<i64>()[start.wrapping_add(step)]);
            neutral.map(i64::from_f64).into_iter().chain(numbers).reduce(|x, y| function.of_index(x, y))
        };
        return collected(node, starts.filter_map(row));
    }
    real!(node.kind(), T => {
        // The largest and the smallest have no neutral number, but the shape rule gives them at least one element.
        let row = |start: usize| {
            let numbers = steps.clone().map(|step| x.data::<T>()[start.wrapping_add(step)].to_f64());
            neutral.into_iter().chain(numbers).reduce(|x, y| function.of(x, y)).map(T::from_f64)
        };
        collected(node, starts.filter_map(row))
    }, else Err(refused(reduction.name(), "needs numbers")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::testing::{A, B, axes, counting, error, read, tensor};

    #[test]
    fn each_reduction_runs_over_its_axes_together() {
        let x = counting(&[(A, 2), (B, 3)]);
        assert_eq!(read(&x.reduce(Reduction::Sum, &[A])), [5.0, 7.0, 9.0]);
        assert_eq!(read(&x.reduce(Reduction::Sum, &[B, A])), [21.0]);
        assert_eq!(read(&x.reduce(Reduction::Product, &[B])), [6.0, 120.0]);
        assert_eq!(read(&x.reduce(Reduction::Max, &[B])), [3.0, 6.0]);
        assert_eq!(read(&x.reduce(Reduction::Min, &[A])), [1.0, 2.0, 3.0]);
        assert_eq!(read(&Node::iota(A, 5).reduce(Reduction::Sum, &[A])), [10.0]);
    }

    #[test]
    fn over_nothing_the_sum_is_zero_the_product_one_and_the_rest_errors() {
        let nothing = counting(&[(A, 0), (B, 2)]);
        assert_eq!(read(&nothing.reduce(Reduction::Sum, &[A])), [0.0, 0.0]);
        assert_eq!(read(&nothing.reduce(Reduction::Product, &[A])), [1.0, 1.0]);
        assert!(read(&nothing.reduce(Reduction::Max, &[B])).is_empty());
        let failures = [
            nothing.reduce(Reduction::Max, &[A]),
            nothing.reduce(Reduction::Min, &[B, A]),
            nothing.mean(&[A]),
            nothing.variance(&[A]),
        ];
        for failure in failures {
            assert_eq!(error(&failure).kind(), ErrorKind::Empty, "{failure:?}");
        }
        assert_eq!(nothing.mean(&[A]).error().unwrap().place().unwrap().line(), line!());
    }

    #[test]
    fn nan_is_the_largest_and_the_smallest_wherever_it_stands() {
        for numbers in [[f64::NAN, 1.0, 2.0], [1.0, f64::NAN, 2.0], [1.0, 2.0, f64::NAN]] {
            let x = tensor(&[(A, 3)], &numbers);
            assert!(read(&x.reduce(Reduction::Max, &[A]))[0].is_nan());
            assert!(read(&x.reduce(Reduction::Min, &[A]))[0].is_nan());
        }
    }

    #[test]
    fn mean_and_variance_have_divisor_n() {
        let x = tensor(&[(A, 2), (B, 3)], &[3.0_f32, 1.0, 4.0, 1.0, 5.0, 9.0]);
        assert_eq!(axes(&x.mean(&[A])), [("b", 3)]);
        assert_eq!(read(&x.mean(&[A])), [2.0, 3.0, 6.5]);
        assert_eq!(read(&x.variance(&[A])), [1.0, 4.0, 6.25]);
    }

    #[test]
    fn a_sum_of_f32_is_rounded_once() {
        let x = tensor(&[(A, 3)], &[1e8_f32, 1.0, -1e8]);
        assert_eq!(read(&x.reduce(Reduction::Sum, &[A])), [1.0]);
    }

    #[test]
    fn an_axis_that_is_absent_or_named_twice_is_refused() {
        let x = counting(&[(A, 2)]);
        assert_eq!(error(&x.reduce(Reduction::Sum, &[B])).kind(), ErrorKind::Value);
        assert_eq!(error(&x.reduce(Reduction::Sum, &[A, A])).kind(), ErrorKind::Value);
    }
}
