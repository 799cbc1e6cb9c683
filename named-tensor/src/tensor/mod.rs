//! The typed face: tensors whose axes are in their type.
//!
//! A [`Tensor`] is a node of the graph and a set of axes. Every method states its rule of names as a bound and hands
//! the rest to the node; nothing is computed before a tensor is read.
//! Lives here: the type itself. The files follow the headings of the paper: `building`, `reading`, `elementwise`,
//! `reduction`, `contraction`, `vector`, `matrix`, `renaming`, `indexing`, `window`, `calculus`.
//! Not here: sizes and their errors (`graph::op`), rules and their messages (`axes::rules`).

mod building;
mod calculus;
mod call;
mod contraction;
mod elementwise;
mod indexing;
mod joining;
mod matrix;
mod nested;
mod positions;
mod reading;
mod reduction;
mod renaming;
mod scan;
mod truth;
mod vector;
mod window;

use std::marker::PhantomData;

use crate::axes::Axes;
use crate::axes::rules::SameAs;
use crate::element::{Element, Stored};
use crate::error::Result;
use crate::graph::{Node, Shape};

#[cfg(feature = "ndarray")]
pub(crate) use building::too_large;
pub(crate) use building::{counted, held, room, shape};
pub use calculus::{Variables, grad, hessian, jacobian, jvp, value_and_grad, vjp};
pub use call::with_adjoint;
pub(crate) use elementwise::number;
pub(crate) use indexing::sliced;
pub use indexing::{Along, Position};
pub use nested::Nested;
pub use reading::{Entries, Evaluate, eval};
pub(crate) use reading::{computed_at, stored};
pub(crate) use reduction::{norm_of, norm_p_of};
pub use scan::{Carried, Given, Sliced, scan, scan_backwards};
pub use truth::Comparand;
pub(crate) use vector::{first, one_hot_of, only};

/// A tensor with the axes `A` and elements `T`, in the notation `X ∈ ℝ^A`.
///
/// The axes are a set: `Tensor<R![seq, key]>` and `Tensor<R![key, seq]>` are one type. Sizes are known when the tensor
/// is made. A tensor is lazy: it is computed when it is read, and an operation whose sizes clash gives a tensor that
/// carries the error, which reading returns and [`checked`](Tensor::checked) asks for at once. Cloning is cheap.
///
/// ```
/// use named_tensor::prelude::*;
/// axes! { height, width }
///
/// let a = Tensor::new((height, width), [[3.0, 1.0, 4.0], [1.0, 5.0, 9.0], [2.0, 6.0, 5.0]]);
/// let x = Tensor::new(height, [2.0, 7.0, 1.0]);
/// let y: Tensor<R![width]> = a.dot(height, &x);
/// assert_eq!(y.to_vec(width)?, [15.0, 43.0, 76.0]);
/// # Ok::<(), named_tensor::Error>(())
/// ```
pub struct Tensor<A, T = f32> {
    node: Node,
    types: PhantomData<fn() -> (A, T)>,
}

impl<A, T> Clone for Tensor<A, T> {
    fn clone(&self) -> Self {
        Tensor { node: self.node.clone(), types: PhantomData }
    }
}

impl<A, T> Tensor<A, T> {
    pub(crate) fn from_node(node: Node) -> Self {
        Tensor { node, types: PhantomData }
    }

    pub(crate) fn node(&self) -> &Node {
        &self.node
    }

    pub(crate) fn node_mut(&mut self) -> &mut Node {
        &mut self.node
    }
}

impl<A: Axes, T: Element> Tensor<A, T> {
    /// Its axes and sizes as data; in a lifted function it may have further axes, which are none of these.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.node.shape().own()
    }

    /// Itself, or the error of the first operation that failed.
    ///
    /// # Errors
    /// The error that the tensor carries.
    pub fn checked(self) -> Result<Self> {
        self.node.checked()?;
        Ok(self)
    }

    /// The same tensor with its axes stated, for generic code where rustc cannot see that two sets are equal: a bound says so.
    ///
    /// ```
    /// # use named_tensor::axes::rules::{Avoids, SameAs};
    /// # use named_tensor::prelude::*;
    /// # axes! { batch, key }
    /// named! { fn Shares(X: R[key]) -> R[key] { X / sum_key(X) } }
    ///
    /// fn twice<A: With<key> + Avoids<key, key>>(x: &Tensor<A>) -> Tensor<A>
    /// where
    ///     A::Lifted<key, key>: SameAs<A>,
    /// {
    ///     Shares(x).as_axes() * 2.0
    /// }
    /// let x = Tensor::new((batch, key), [[1.0, 3.0]]);
    /// assert_eq!(twice(&x).to_vec((batch, key))?, [0.5, 1.5]);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    pub fn as_axes<U: Axes>(&self) -> Tensor<U, T>
    where
        A: SameAs<U>,
    {
        Tensor::from_node(self.node.clone())
    }

    /// A tensor that carries `error`, as everything does that is computed from it: how a function that returns a tensor
    /// refuses its arguments.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { chans }
    /// let x: Tensor<R![chans]> = Tensor::failed(Error::new(ErrorKind::Value, "no such rate"));
    /// assert_eq!(x.exp().sum(chans).item().unwrap_err().to_string(), "no such rate");
    /// ```
    #[must_use]
    pub fn failed(error: crate::error::Error) -> Self {
        Tensor::from_node(Node::failed(error, T::Stored::KIND))
    }
}
