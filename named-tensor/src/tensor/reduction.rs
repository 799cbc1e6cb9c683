//! Reductions: many positions become one number.
//!
//! Computes `Σ_ax X`, mean, var, max, min, Π, norm, each over one axis or several together.
//! Lives here: rule 2 for reductions (the axes must be there) and the reductions made of others.
//! Not here: softmax and its kind (`vector`), contraction (`contraction`).

use super::Tensor;
use crate::axes::rules::{Has, Once};
use crate::axes::selector::Selector;
use crate::axes::set::{Axes, Reduced};
use crate::axis::Name;
use crate::element::{Binary, Real, Unary};
use crate::graph::Node;
use crate::graph::op::Reduction;
use crate::tensor::elementwise::number;

impl<A: Axes, T: Real> Tensor<A, T> {
    #[track_caller]
    fn reduced<S: Selector>(&self, op: Reduction) -> Tensor<Reduced<A, S::Set>, T> {
        Tensor::from_node(self.node().reduce(op, &S::names()))
    }

    /// Computes `Σ_ax X`; 0 over no positions.
    #[must_use]
    #[track_caller]
    pub fn sum<S: Selector + Once<S::Repeated>>(&self, axis: S) -> Tensor<Reduced<A, S::Set>, T>
    where
        A: Has<S::Set>,
    {
        let _ = axis;
        self.reduced::<S>(Reduction::Sum)
    }

    /// Computes `Π_ax X`; 1 over no positions.
    #[must_use]
    #[track_caller]
    pub fn prod<S: Selector + Once<S::Repeated>>(&self, axis: S) -> Tensor<Reduced<A, S::Set>, T>
    where
        A: Has<S::Set>,
    {
        let _ = axis;
        self.reduced::<S>(Reduction::Product)
    }

    /// Computes `max_ax X`; NaN if an element is NaN, an error over no positions.
    #[must_use]
    #[track_caller]
    pub fn max<S: Selector + Once<S::Repeated>>(&self, axis: S) -> Tensor<Reduced<A, S::Set>, T>
    where
        A: Has<S::Set>,
    {
        let _ = axis;
        self.reduced::<S>(Reduction::Max)
    }

    /// Computes `min_ax X`; NaN if an element is NaN, an error over no positions.
    #[must_use]
    #[track_caller]
    pub fn min<S: Selector + Once<S::Repeated>>(&self, axis: S) -> Tensor<Reduced<A, S::Set>, T>
    where
        A: Has<S::Set>,
    {
        let _ = axis;
        self.reduced::<S>(Reduction::Min)
    }

    /// Computes `mean_ax X = (1/|ax|) Σ_ax X`; an error over no positions.
    #[must_use]
    #[track_caller]
    pub fn mean<S: Selector + Once<S::Repeated>>(&self, axis: S) -> Tensor<Reduced<A, S::Set>, T>
    where
        A: Has<S::Set>,
    {
        let _ = axis;
        Tensor::from_node(self.node().mean(&S::names()))
    }

    /// Computes `var_ax X = (1/|ax|) Σ_ax (X - mean_ax X)²`; an error over no positions.
    #[must_use]
    #[track_caller]
    pub fn var<S: Selector + Once<S::Repeated>>(&self, axis: S) -> Tensor<Reduced<A, S::Set>, T>
    where
        A: Has<S::Set>,
    {
        let _ = axis;
        Tensor::from_node(self.node().variance(&S::names()))
    }

    /// Computes `norm_ax X = √(Σ_ax X²)`.
    #[must_use]
    #[track_caller]
    pub fn norm<S: Selector + Once<S::Repeated>>(&self, axis: S) -> Tensor<Reduced<A, S::Set>, T>
    where
        A: Has<S::Set>,
    {
        let _ = axis;
        Tensor::from_node(norm_of(self.node(), &S::names()))
    }

    /// Computes `norm_{ax,p} X = (Σ_ax |X|^p)^(1/p)`, for p = ±∞ its limit, the largest
    /// or the smallest `|X|`, an error over no positions. A p that is too large for the elements is ±∞ to them;
    /// powers that are too large make the norm ∞, as they do in the formula.
    /// (The paper prints `X^p`; row E8.)
    #[must_use]
    #[track_caller]
    pub fn norm_p<S: Selector + Once<S::Repeated>>(&self, axis: S, p: f64) -> Tensor<Reduced<A, S::Set>, T>
    where
        A: Has<S::Set>,
    {
        let _ = axis;
        Tensor::from_node(norm_p_of::<T>(self.node(), &S::names(), p))
    }
}

/// √(Σ X²)
#[track_caller]
pub(crate) fn norm_of(x: &Node, axes: &[Name]) -> Node {
    x.contract(x, axes).unary(Unary::Sqrt)
}

/// (Σ |X|^p)^(1/p). The formula itself is 1 for p = ±∞, whatever X is; its limits are the largest and the smallest |X|.
#[track_caller]
pub(crate) fn norm_p_of<T: Real>(x: &Node, axes: &[Name], p: f64) -> Node {
    let distances = x.unary(Unary::Abs);
    if T::from_f64(p).to_f64().is_infinite() {
        return distances.reduce(if p > 0.0 { Reduction::Max } else { Reduction::Min }, axes);
    }
    let powers = distances.binary(Binary::Pow, &number::<T>(p));
    powers.reduce(Reduction::Sum, axes).binary(Binary::Pow, &number::<T>(1.0 / p))
}
