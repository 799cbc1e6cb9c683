//! Windows: one axis seen through a sliding or stepping frame.
//!
//! Computes `unroll_{seq,kernel}` and `pool_{seq,kernel}` (paper, section "Convolutional networks").
//! Lives here: their rule of names. Not here: how windows share memory (`graph::op::window`).

use super::Tensor;
use crate::axes::rules::{Has, Lacks, Single};
use crate::axes::selector::{Extents, Selector};
use crate::axes::set::{Axes, Created};
use crate::axis::Name;
use crate::element::Element;
use crate::tensor::vector::only;

impl<A: Axes, T: Element> Tensor<A, T> {
    /// Computes `Y_{seq(i),kernel(j)} = X_{seq(i+j)}`: all windows of `|kernel|` positions; seq shrinks to n - k + 1.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { seq, kernel }
    /// let y = Tensor::new(seq, [2.0, 7.0, 1.0]).unroll(seq, kernel.of(2));
    /// assert_eq!(y.to_vec((seq, kernel))?, [2.0, 7.0, 7.0, 1.0]);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn unroll<S, E>(&self, axis: S, kernel: E) -> Tensor<Created<A, E::Set>, T>
    where
        S: Selector,
        S::Set: Single,
        E: Extents,
        E::Set: Single,
        A: Has<S::Set> + Lacks<E::Set>,
    {
        let _ = axis;
        let (into, size) = kernel.sizes().first().copied().unwrap_or((Name::declared(""), 0));
        Tensor::from_node(self.node().window(only(&S::names()), into, size, 1))
    }

    /// Computes `Y_{seq(i),kernel(j)} = X_{seq(i·k+j)}`: windows side by side; k must divide the size.
    #[must_use]
    #[track_caller]
    pub fn pool<S, E>(&self, axis: S, kernel: E) -> Tensor<Created<A, E::Set>, T>
    where
        S: Selector,
        S::Set: Single,
        E: Extents,
        E::Set: Single,
        A: Has<S::Set> + Lacks<E::Set>,
    {
        let _ = axis;
        let (into, size) = kernel.sizes().first().copied().unwrap_or((Name::declared(""), 0));
        Tensor::from_node(self.node().window(only(&S::names()), into, size, size))
    }
}
