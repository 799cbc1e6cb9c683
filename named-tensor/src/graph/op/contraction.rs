//! Contraction: the dot product over named axes.
//!
//! Computes  `A ⊙ B  =  Σ_{i ∈ ax} A(i) B(i)`  (paper, section "Contraction").
//! Lives here: which axes are summed, which are kept, and the plain evaluation.
//! Not here: loops that are fast (`kernel::matmul`).

use super::rule::{REAL, of_kind, present, refused, same_kind};
use super::walk::{Operand, collected, real};
use crate::axis::Name;
use crate::element::Stored;
use crate::error::Result;
use crate::graph::shape::listed;
use crate::graph::{Node, Op, Value};

impl Node {
    /// Σ over `axes` of the product of both. The axes must be in both (rule 2 of the notation).
    #[must_use]
    #[track_caller]
    pub fn contract(&self, other: &Node, axes: &[Name]) -> Node {
        Node::build(Op::Contract(listed(axes)), self.kind(), [self, other], |operation| {
            same_kind(operation, self, other)?;
            of_kind(operation, self, REAL)?;
            present(operation, self.shape(), axes)?;
            present(operation, other.shape(), axes)?;
            self.shape().contracted(other.shape(), axes, operation)
        })
    }
}

pub(super) fn contract(node: &Node, axes: &[Name], x: Operand<'_>, y: Operand<'_>) -> Result<Value> {
    real!(node.kind(), T => {
        let (left, right) = (x.data::<T>(), y.data::<T>());
        // Products of two `f32` are exact in `f64`, and the sum is rounded once.
        let dot = |(x0, y0): (usize, usize)| {
            let steps = x.steps(axes).zip(y.steps(axes));
            let product = |(i, j)| left[x0.wrapping_add(i)].to_f64() * right[y0.wrapping_add(j)].to_f64();
            T::from_f64(steps.map(product).fold(0.0, |sum, term| sum + term))
        };
        collected(node, x.over(node.shape()).zip(y.over(node.shape())).map(dot))
    }, else Err(refused("dot", "needs real numbers")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Kind;
    use crate::error::ErrorKind;
    use crate::graph::testing::{A, B, C, D, axes, counting, error, read, tensor};

    #[test]
    fn shared_axes_that_are_not_summed_stay_aligned() {
        let (x, y) = (counting(&[(D, 2), (A, 2), (B, 3)]), counting(&[(B, 3), (C, 2), (D, 2)]));
        let product = x.contract(&y, &[B]);
        assert_eq!(axes(&product), [("a", 2), ("c", 2), ("d", 2)]);
        let (left, right) = (|d, a, b| (1 + 6 * d + 3 * a + b) as f64, |b, c, d| (1 + 4 * b + 2 * c + d) as f64);
        let mut expected = Vec::new();
        for d in 0..2 {
            for a in 0..2 {
                expected.extend((0..2).map(|c| (0..3).map(|b| left(d, a, b) * right(b, c, d)).sum::<f64>()));
            }
        }
        let names: Vec<&str> = product.shape().names().map(Name::text).collect();
        assert_eq!(names, ["d", "a", "c"], "the order this test is written in");
        assert_eq!(read(&product), expected);
    }

    #[test]
    fn several_axes_are_summed_together_and_none_is_the_product() {
        let x = counting(&[(A, 2), (B, 2)]);
        assert_eq!(read(&x.contract(&x, &[A, B])), [30.0]);
        assert_eq!(read(&counting(&[(A, 2)]).contract(&counting(&[(B, 2)]), &[])), [1.0, 2.0, 2.0, 4.0]);
    }

    #[test]
    fn over_an_empty_axis_the_contraction_is_zero() {
        let x = counting(&[(A, 0), (B, 2)]);
        assert_eq!(read(&x.contract(&counting(&[(A, 0)]), &[A])), [0.0, 0.0]);
    }

    #[test]
    fn both_must_have_the_axis_with_one_size_and_real_numbers_of_one_kind() {
        let x = counting(&[(A, 2), (B, 2)]);
        assert_eq!(error(&x.contract(&counting(&[(B, 2)]), &[A])).kind(), ErrorKind::Value);
        assert_eq!(error(&x.contract(&counting(&[(A, 3)]), &[A])).kind(), ErrorKind::SizeClash);
        assert_eq!(error(&x.contract(&counting(&[(A, 2), (B, 3)]), &[A])).kind(), ErrorKind::SizeClash);
        assert_eq!(error(&x.contract(&x.cast(Kind::F32), &[A])).kind(), ErrorKind::Value);
        assert_eq!(error(&Node::iota(A, 2).contract(&Node::iota(A, 2), &[A])).kind(), ErrorKind::Value);
    }

    #[test]
    fn a_contraction_of_f32_is_rounded_once() {
        let x = tensor(&[(A, 3)], &[1e8_f32, 1.0, -1e8]);
        assert_eq!(read(&x.contract(&tensor(&[(A, 3)], &[1.0_f32; 3]), &[A])), [1.0]);
    }
}
