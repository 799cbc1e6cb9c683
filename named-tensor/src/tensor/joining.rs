//! Tensors put together along an axis: one behind the other, or each at a position of a new one.
//!
//! Computes `concat_ax(X, Y)`, and of a list `Z` with `Z_{ax(i)} = X_i`.
//! Lives here: the typed faces. Not here: the shape rule (`graph::op::joining`), layers of parameters (`params::stacked`).

use super::Tensor;
use crate::axes::rules::{Aligned, Has, Lacks, Single};
use crate::axes::selector::Selector;
use crate::axes::set::{Axes, Created};
use crate::axis::Name;
use crate::element::Element;
use crate::error::{Error, ErrorKind};
use crate::graph::{Node, Shape};
use crate::tensor::vector::only;

impl<A: Axes, T: Element> Tensor<A, T> {
    /// Computes `X ⊕_ax Y`: both one after the other along an axis; the sizes add.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { seq }
    /// let x = Tensor::new(seq, [1.0, 2.0]).concat(seq, &Tensor::new(seq, [3.0]));
    /// assert_eq!(x.to_vec(seq)?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn concat<S, B>(&self, axis: S, other: &Tensor<B, T>) -> Tensor<A, T>
    where
        S: Selector,
        S::Set: Single,
        B: Axes,
        A: Has<S::Set> + Aligned<B>,
    {
        let _ = axis;
        Tensor::from_node(self.node().concat(only(&S::names()), other.node()))
    }

    /// A list of tensors one after the other along an axis, as `concat` puts two; the sizes add. Each is copied once, however
    /// many there are.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { seq }
    /// let words: Vec<_> = (1..4).map(|n| Tensor::ones(seq.of(n)) * n as f32).collect();
    /// assert_eq!(Tensor::concat_all(seq, &words).to_vec(seq)?, [1.0, 2.0, 2.0, 3.0, 3.0, 3.0]);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    ///
    /// # Errors
    /// Carried by the result: an empty list; another axis with two sizes.
    #[must_use]
    #[track_caller]
    pub fn concat_all<S>(axis: S, each: &[Tensor<A, T>]) -> Tensor<A, T>
    where
        S: Selector,
        S::Set: Single,
        A: Has<S::Set>,
    {
        let _ = axis;
        let parts: Vec<&Node> = each.iter().map(Tensor::node).collect();
        joined(only(&S::names()), &parts)
    }

    /// A list of tensors, each at a position of a new axis, whose size is their number: the examples of a batch, what a loop
    /// computed. `at` takes one out again.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { batch, seq }
    /// let texts: Vec<_> = (0..3).map(|n| Tensor::new(seq, [n as f32, 1.0])).collect();
    /// let x = Tensor::stack(batch, &texts);
    /// assert_eq!(x.to_vec((batch, seq))?, [0.0, 1.0, 1.0, 1.0, 2.0, 1.0]);
    /// assert_eq!(x.at(batch, 2).to_vec(seq)?, texts[2].to_vec(seq)?);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    ///
    /// # Errors
    /// Carried by the result: an empty list; an axis with two sizes.
    #[must_use]
    #[track_caller]
    pub fn stack<S>(axis: S, each: &[Tensor<A, T>]) -> Tensor<Created<A, S::Set>, T>
    where
        S: Selector,
        S::Set: Single,
        A: Lacks<S::Set>,
    {
        let _ = axis;
        let name = only(&S::names());
        let once = Shape::new([(name, 1)]);
        let parts: Vec<Node> = each.iter().map(|tensor| tensor.node().spread(once.clone())).collect();
        joined(name, &parts.iter().collect::<Vec<_>>())
    }
}

/// All parts along an axis, or the error that there are none.
#[track_caller]
fn joined<A: Axes, T: Element>(axis: Name, parts: &[&Node]) -> Tensor<A, T> {
    match Node::concat_all(axis, parts) {
        Some(node) => Tensor::from_node(node),
        None => {
            Tensor::failed(Error::here(ErrorKind::Empty, format!("no tensors to put along axis `{}`", axis.text())))
        }
    }
}
