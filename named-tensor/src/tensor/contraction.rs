//! Contraction: the dot product over named axes.
//!
//! Computes `X ⊙_ax Y = Σ_ax X ⊙ Y` over the union of the other axes (paper, section "Contraction").
//! Lives here: rule 2, strict: both operands need the axes. Not here: loops (`kernel::matmul`).

use super::Tensor;
use crate::axes::rules::{Has, Once};
use crate::axes::selector::Selector;
use crate::axes::set::{Axes, Dot};
use crate::element::Real;

impl<A: Axes, T: Real> Tensor<A, T> {
    /// Computes `X ⊙_ax Y`, over one axis or several: `q.dot(key, &k)`, `h.dot((heads, val), &w)`.
    ///
    /// Axes that both have beside the contracted ones are aligned; the result has `(A ∪ B) ∖ S`.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { height, width }
    /// let a = Tensor::new((height, width), [[3.0, 1.0, 4.0], [1.0, 5.0, 9.0], [2.0, 6.0, 5.0]]);
    /// let y = Tensor::new(width, [1.0, 4.0, 1.0]);
    /// assert_eq!(a.dot(width, &y).to_vec(height)?, [11.0, 30.0, 31.0]);
    /// assert_eq!(a.dot((height, width), &a).item()?, 198.0);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn dot<S, B>(&self, axis: S, other: &Tensor<B, T>) -> Tensor<Dot<A, B, S::Set>, T>
    where
        S: Selector + Once<S::Repeated>,
        A: Has<S::Set>,
        B: Axes + Has<S::Set>,
    {
        let _ = axis;
        Tensor::from_node(self.node().contract(other.node(), &S::names()))
    }
}
