//! Functions from vectors to vectors: softmax, standardize and their kind.
//!
//! Each works along its axes and leaves every axis in place (paper, section "Vectors to vectors").
//! Lives here: their rule of names and what they compute. Not here: numerically stable loops (`kernel::softmax`).

use super::Tensor;
use crate::axes::rules::{Has, Once, Single};
use crate::axes::selector::{Extents, Selector};
use crate::axes::set::{Axes, Renamed};
use crate::axis::Name;
use crate::element::{Comparison, Index, Real};
use crate::error::{Error, ErrorKind};
use crate::graph::Node;

impl<A: Axes, T: Real> Tensor<A, T> {
    /// Computes `softmax_ax X = exp X / Σ_ax exp X`, safe from overflow.
    ///
    /// `-∞` becomes exactly 0. Where no finite answer exists (an element is NaN or `+∞`, or all are `-∞`, as in a row
    /// that is wholly masked) all positions of that row are NaN.
    #[must_use]
    #[track_caller]
    pub fn softmax<S: Selector + Once<S::Repeated>>(&self, axis: S) -> Tensor<A, T>
    where
        A: Has<S::Set>,
    {
        let _ = axis;
        Tensor::from_node(self.node().softmax(&S::names(), false))
    }

    /// Computes `log softmax_ax X = X - log Σ_ax exp X`, safe from overflow.
    #[must_use]
    #[track_caller]
    pub fn log_softmax<S: Selector + Once<S::Repeated>>(&self, axis: S) -> Tensor<A, T>
    where
        A: Has<S::Set>,
    {
        let _ = axis;
        Tensor::from_node(self.node().softmax(&S::names(), true))
    }

    /// Computes `standardize_ax X = (X - mean_ax X) / √(var_ax X + ε)` with ε = 1e-5.
    #[must_use]
    #[track_caller]
    pub fn standardize<S: Selector + Once<S::Repeated>>(&self, axis: S) -> Tensor<A, T>
    where
        A: Has<S::Set>,
    {
        self.standardize_with(axis, 1e-5)
    }

    /// Computes [`standardize`](Tensor::standardize) with the given ε.
    #[must_use]
    #[track_caller]
    pub fn standardize_with<S: Selector + Once<S::Repeated>>(&self, axis: S, epsilon: f64) -> Tensor<A, T>
    where
        A: Has<S::Set>,
    {
        let _ = axis;
        Tensor::from_node(self.node().standardize(&S::names(), epsilon))
    }

    /// The largest position, one-hot along the axis; of equal ones the first. NaN is never chosen unless all are NaN.
    ///
    /// The position itself is `x.argmaxk(ax, ax.of(1)).at(ax, 0)`.
    #[must_use]
    #[track_caller]
    pub fn argmax<S: Selector>(&self, axis: S) -> Tensor<A, T>
    where
        S::Set: Single,
        A: Has<S::Set>,
    {
        let _ = axis;
        Tensor::from_node(one_hot_of(self.node(), &S::names(), true).cast(T::KIND))
    }

    /// The smallest position, one-hot along the axis; of equal ones the first. NaN is never chosen unless all are NaN.
    ///
    /// The position itself is `x.argsort(ax).at(ax, 0)`.
    #[must_use]
    #[track_caller]
    pub fn argmin<S: Selector>(&self, axis: S) -> Tensor<A, T>
    where
        S::Set: Single,
        A: Has<S::Set>,
    {
        let _ = axis;
        Tensor::from_node(one_hot_of(self.node(), &S::names(), false).cast(T::KIND))
    }

    /// Computes the sums of all positions up to and with each one.
    #[must_use]
    #[track_caller]
    pub fn cumsum<S: Selector>(&self, axis: S) -> Tensor<A, T>
    where
        S::Set: Single,
        A: Has<S::Set>,
    {
        let _ = axis;
        Tensor::from_node(self.node().cumulative_sum(only(&S::names())))
    }

    /// The same numbers in ascending order along the axis; NaN comes last.
    #[must_use]
    #[track_caller]
    pub fn sort<S: Selector>(&self, axis: S) -> Tensor<A, T>
    where
        S::Set: Single,
        A: Has<S::Set>,
    {
        let _ = axis;
        Tensor::from_node(self.node().sort(only(&S::names()), false))
    }

    /// The positions that put the axis in ascending order; equal numbers keep theirs, NaN comes last.
    #[must_use]
    #[track_caller]
    pub fn argsort<S: Selector>(&self, axis: S) -> Tensor<A, Index<S::Set>>
    where
        S::Set: Single,
        A: Has<S::Set>,
    {
        let _ = axis;
        Tensor::from_node(self.node().argsort(only(&S::names()), false))
    }

    /// The `k` largest numbers along the axis, the largest first, on the axis and size `into` (`beam.of(2)`), which may
    /// be the same axis.
    #[must_use]
    #[track_caller]
    pub fn maxk<S, E>(&self, axis: S, into: E) -> Tensor<Renamed<A, S::Set, E::Set>, T>
    where
        S: Selector,
        S::Set: Single,
        E: Extents,
        E::Set: Single,
        A: Has<S::Set>,
    {
        let _ = axis;
        let axis = only(&S::names());
        Tensor::from_node(best(&self.node().sort(axis, true), axis, into, "maxk"))
    }

    /// The positions of the `k` largest numbers along the axis, the largest first; of equal ones the first comes first.
    #[must_use]
    #[track_caller]
    pub fn argmaxk<S, E>(&self, axis: S, into: E) -> Tensor<Renamed<A, S::Set, E::Set>, Index<S::Set>>
    where
        S: Selector,
        S::Set: Single,
        E: Extents,
        E::Set: Single,
        A: Has<S::Set>,
    {
        let _ = axis;
        let axis = only(&S::names());
        Tensor::from_node(best(&self.node().argsort(axis, true), axis, into, "argmaxk"))
    }
}

/// The one name of a selector of a single axis.
pub(crate) fn only(names: &[Name]) -> Name {
    names.first().copied().unwrap_or(Name::declared(""))
}

/// Truth where a position is the first of the largest (or smallest).
#[track_caller]
pub(crate) fn one_hot_of(x: &Node, axes: &[Name], largest: bool) -> Node {
    let axis = only(axes);
    if x.shape().size(axis) == Some(0) {
        let message = format!(
            "the position of the {} of nothing: axis `{axis}` has size 0",
            if largest { "largest" } else { "smallest" }
        );
        return Node::failed(Error::here(ErrorKind::Empty, message), x.kind());
    }
    let order = x.argsort(axis, largest);
    // The sort keeps the first of equal numbers first. NaN comes last in both orders, so it is never chosen.
    let first = order.at(axis, 0);
    Node::iota(axis, x.shape().size(axis).unwrap_or(0)).compare(Comparison::Eq, &first)
}

/// The first `k` positions of a sorted axis, which `operation` asks for.
#[track_caller]
pub(crate) fn first(sorted: &Node, axis: Name, k: usize, operation: &str) -> Node {
    let size = sorted.shape().size(axis).unwrap_or(0);
    if k > size && sorted.error().is_none() {
        let message =
            format!("index out of range in `{operation}`: {k} positions of axis `{axis}`, whose size is {size}");
        return Node::failed(Error::here(ErrorKind::IndexOutOfRange, message), sorted.kind());
    }
    sorted.slice(axis, 0..k, 1)
}

/// The first positions of a sorted axis, on another axis.
#[track_caller]
fn best<E: Extents>(sorted: &Node, axis: Name, into: E, operation: &str) -> Node {
    let (name, k) = into.sizes().first().copied().unwrap_or((axis, 0));
    let best = first(sorted, axis, k, operation);
    if name == axis { best } else { best.rename(&[(axis, name)]) }
}
