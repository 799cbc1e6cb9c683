//! Functions with a derivative of their own, and wishes about machines: what a tensor says beside its numbers.
//!
//! Lives here: their typed face. Not here: their nodes (`graph::op::call`).

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::panic::Location;
use std::sync::Arc;

use super::{Carried, Tensor};
use crate::axes::Axes;
use crate::axes::rules::{Has, Single};
use crate::axes::selector::Selector;
use crate::element::{Element, Real};
use crate::error::{Error, ErrorKind};
use crate::graph::Node;
use crate::graph::op::Function;
use crate::tensor::vector::only;

/// `function(arguments)`, whose derivative is `adjoint` instead of that of `function`: of the arguments, the result and
/// what the result is owed, it makes what each argument owes, with the axes of the arguments.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { chans }
/// // √x, whose slope at 0 is taken as 0 instead of ∞.
/// fn root(x: &Tensor<R![chans]>) -> Tensor<R![chans]> {
///     with_adjoint("root", x.clone(), |x| x.sqrt(), |x, y, owed| {
///         x.gt(0.0).select(&(owed / (y * 2.0)), &Tensor::scalar(0.0))
///     })
/// }
///
/// let x = Tensor::new(chans, [4.0, 0.0]);
/// assert_eq!(root(&x).to_vec(chans)?, [2.0, 0.0]);
/// assert_eq!(grad(&root(&x).sum(chans), &x).to_vec(chans)?, [0.25, 0.0]);
/// # Ok::<(), named_tensor::Error>(())
/// ```
///
/// What a function needs is handed to it as an argument: a tensor that it takes from outside gets nothing of the
/// gradient, whose share `adjoint` alone knows.
/// The result `y` that `adjoint` is given is computed from the arguments still, so that it may be derived again. An adjoint
/// that itself derives by an argument, as that of a fixed point does, takes `y.stop_gradient()`; else it would call itself
/// without end, which is an error.
/// Forwards ([`jvp`](super::jvp), [`jacobian`](super::jacobian)) the derivative is that of `function`.
/// Both functions may be called again, with arguments that have further axes inside: they cannot read numbers.
#[track_caller]
pub fn with_adjoint<C, M, U, T>(
    name: &'static str,
    arguments: C,
    function: impl Fn(C) -> Tensor<U, T> + Send + Sync + 'static,
    adjoint: impl Fn(C, Tensor<U, T>, Tensor<U, T>) -> C + Send + Sync + 'static,
) -> Tensor<U, T>
where
    C: Carried<M> + Send + Sync + 'static,
    M: 'static,
    U: Axes,
    T: Real,
{
    let mut nodes = Vec::new();
    arguments.show(&mut nodes);
    let own = Own { name, place: Location::caller(), like: arguments, function, adjoint, types: PhantomData };
    Tensor::from_node(Node::call(Arc::new(own), &nodes))
}

thread_local! {
    /// Of which results the adjoints are running. Never dropped, so that what is derived while a thread ends is derived too.
    /// Once none is running it holds nothing.
    static RUNNING: ManuallyDrop<RefCell<Vec<Node>>> = const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

/// While it lives, the adjoint of a result is running.
struct Running;

impl Running {
    /// Nothing, if it is running already.
    fn new(result: &Node) -> Option<Running> {
        RUNNING.with(|running| {
            let mut running = running.borrow_mut();
            let is_new = running.iter().all(|other| other.id() != result.id());
            is_new.then(|| running.push(result.clone())).map(|()| Running)
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.with(|running| {
            let mut running = running.borrow_mut();
            running.pop();
            if running.is_empty() {
                *running = Vec::new();
            }
        });
    }
}

/// A function given as two functions of typed tensors.
struct Own<C, M, U, T, F, D> {
    name: &'static str,
    place: &'static Location<'static>,
    like: C,
    function: F,
    adjoint: D,
    types: PhantomData<fn() -> (M, U, T)>,
}

impl<C, M, U, T, F, D> fmt::Debug for Own<C, M, U, T, F, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl<C, M, U, T, F, D> Function for Own<C, M, U, T, F, D>
where
    C: Carried<M> + Send + Sync,
    F: Fn(C) -> Tensor<U, T> + Send + Sync,
    D: Fn(C, Tensor<U, T>, Tensor<U, T>) -> C + Send + Sync,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn fallback(&self, arguments: &[Node]) -> Node {
        (self.function)(self.like.with(&mut arguments.iter().cloned())).node().clone()
    }

    fn adjoint(&self, arguments: &[Node], result: &Node, cotangent: &Node) -> Option<Vec<Option<Node>>> {
        let Some(_running) = Running::new(result) else {
            let message = format!(
                "the adjoint of `{}` derives by what its own result is computed from, and so calls itself without end: \
                 there, take `y.stop_gradient()` for the result `y`",
                self.name
            );
            let error = Error::new(ErrorKind::Condition, message).at(self.place);
            return Some(arguments.iter().map(|of| Some(Node::failed(error.clone(), of.kind()))).collect());
        };
        let arguments = self.like.with(&mut arguments.iter().cloned());
        let owed = Tensor::from_node(cotangent.filled(result.shape()));
        let mut shares = Vec::new();
        (self.adjoint)(arguments, Tensor::from_node(result.clone()), owed).show(&mut shares);
        Some(shares.into_iter().map(Some).collect())
    }
}

impl<A: Axes, T: Element> Tensor<A, T> {
    /// The same numbers, with the wish that an axis be split along the axis `mesh` of a mesh of machines. One machine has
    /// nothing to split; the wish stays in the graph.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { batch, chans }
    /// let x = Tensor::new((batch, chans), [[1.0, 2.0], [3.0, 4.0]]).constrain(batch, "data");
    /// assert_eq!(x.sum(chans).to_vec(batch)?, [3.0, 7.0]);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn constrain<S>(&self, axis: S, mesh: &str) -> Tensor<A, T>
    where
        S: Selector,
        S::Set: Single,
        A: Has<S::Set>,
    {
        let _ = axis;
        Tensor::from_node(self.node().constrain(only(&S::names()), mesh))
    }
}
