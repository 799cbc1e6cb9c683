//! Truth values: comparisons, their logic, and choosing by them.
//!
//! Computes `X ≤ Y`, `and`, `or`, `not`, and `if C { X } else { Y }` elementwise over the union of the axes.
//! Lives here: boolean tensors. Not here: positions as numbers (`positions`).

use super::Tensor;
use crate::axes::Axes;
use crate::axes::set::Union;
use crate::axis::Axis;
use crate::element::{Binary, Comparison, Element, Index, Real, Unary};
use crate::graph::Node;
use crate::tensor::elementwise::number;
use crate::tensor::positions::known;

/// What can be compared with a tensor: a tensor over any axes, or a number.
#[diagnostic::on_unimplemented(
    message = "elements `{T}` are not compared with `{Self}`",
    label = "not comparable with elements `{T}`",
    note = "another precision: `x.cast::<{T}>()`; an integer: `1.0` for `1`, `n as {T}` for `n`"
)]
pub trait Comparand<T> {
    /// Its axes.
    type Axes: Axes;

    /// Its node.
    #[track_caller]
    fn node(self) -> Node;
}

impl<B: Axes, T: Real> Comparand<T> for &Tensor<B, T> {
    type Axes = B;

    fn node(self) -> Node {
        Tensor::node(self).clone()
    }
}

impl<T: Real> Comparand<T> for T {
    type Axes = ();

    fn node(self) -> Node {
        number::<T>(self.to_f64())
    }
}

/// Positions are compared whatever axes they belong to: `i ≤ j` for i of seq and j of seq′.
impl<B: Axes, X: 'static, Y: 'static> Comparand<Index<X>> for &Tensor<B, Index<Y>> {
    type Axes = B;

    fn node(self) -> Node {
        Tensor::node(self).clone()
    }
}

impl<X: Axis> Comparand<Index<X>> for usize {
    type Axes = ();

    #[track_caller]
    fn node(self) -> Node {
        known::<X>(self)
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $method:ident $op:ident;)*) => {
        impl<A: Axes, T: Element> Tensor<A, T> {$(
            $(#[$doc])*
            #[must_use]
            #[track_caller]
            pub fn $method<C: Comparand<T>>(&self, other: C) -> Tensor<Union<A, C::Axes>, bool> {
                Tensor::from_node(self.node().compare(Comparison::$op, &other.node()))
            }
        )*}
    };
}

comparisons! {
    /// Where `X = Y`.
    eq Eq;
    /// Where `X ≠ Y`.
    ne Ne;
    /// Where `X < Y`.
    lt Lt;
    /// Where `X ≤ Y`.
    le Le;
    /// Where `X > Y`.
    gt Gt;
    /// Where `X ≥ Y`.
    ge Ge;
}

impl<A: Axes> Tensor<A, bool> {
    /// Where both hold.
    #[must_use]
    #[track_caller]
    pub fn and<B: Axes>(&self, other: &Tensor<B, bool>) -> Tensor<Union<A, B>, bool> {
        Tensor::from_node(self.node().binary(Binary::And, other.node()))
    }

    /// Where at least one holds.
    #[must_use]
    #[track_caller]
    pub fn or<B: Axes>(&self, other: &Tensor<B, bool>) -> Tensor<Union<A, B>, bool> {
        Tensor::from_node(self.node().binary(Binary::Or, other.node()))
    }

    /// Where it does not hold.
    #[must_use]
    #[track_caller]
    pub fn not(&self) -> Tensor<A, bool> {
        Tensor::from_node(self.node().unary(Unary::Not))
    }

    /// `yes` where it holds, `no` elsewhere.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { seq, seq_ }
    /// let (i, j) = (Tensor::positions(seq.of(2)), Tensor::positions(seq_.of(2)));
    /// let mask = i.le(&j).select(&Tensor::scalar(0.0), &Tensor::scalar(f32::NEG_INFINITY));
    /// assert_eq!(mask.to_vec((seq, seq_))?, [0.0, 0.0, f32::NEG_INFINITY, 0.0]);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn select<B: Axes, C: Axes, T: Element>(
        &self,
        yes: &Tensor<B, T>,
        no: &Tensor<C, T>,
    ) -> Tensor<Union<A, Union<B, C>>, T> {
        Tensor::from_node(self.node().select(yes.node(), no.node()))
    }

    /// 1 where it holds, 0 elsewhere.
    #[must_use]
    #[track_caller]
    pub fn real<T: Real>(&self) -> Tensor<A, T> {
        Tensor::from_node(self.node().cast(T::KIND))
    }
}
