//! Derivatives of tensors, typed: gradients have the axes of their variables, jacobians starred axes besides.
//!
//! For a scalar L the gradient by X is ∂L/∂X with the axes of X; for Y\[T\] the jacobian by X\[S\] is ∂Y/∂X* with the axes
//! T ∪ S* (paper, section "Differential calculus", rows C1–C10). All of them are graphs like any other tensor: lazy, and
//! differentiable again.
//! Lives here: the typed face of it. Not here: the rules of the primitives (`graph::calculus`).

use smallvec::SmallVec;

use super::Tensor;
use crate::axes::Axes;
use crate::axes::rules::{Lacks, SameAs, Summed};
use crate::axes::set::{Star, Union};
use crate::axis::Name;
use crate::element::{Element, Real};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::calculus::{Tangent, forward, reverse};
use crate::graph::shape::Names;
use crate::graph::{Node, Shape};
use crate::params::{self, Parameters};
use crate::plan;

/// What a tensor is differentiated by: a tensor, a struct of parameters, or up to eight of them in a tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing to differentiate by",
    label = "not a borrowed tensor or struct of parameters, nor a tuple of them",
    note = "variables are borrowed: `&w`, `&model`; several stand in a tuple: `(&w, &b)`",
    note = "a tuple holds eight at most; more stand in tuples of tuples, `((&w, &b), &model)`, or in a struct of parameters",
    note = "a struct of one's own is one of parameters where `named_tensor::parameters!` makes it"
)]
pub trait Variables<T: Real>: Copy {
    /// A derivative by each: of the same types, owned.
    type Gradient;

    /// Adds their nodes, in order.
    #[doc(hidden)]
    #[track_caller]
    fn nodes(self, into: &mut Vec<Node>);

    /// Adds the nodes of a derivative, in the same order.
    #[doc(hidden)]
    fn owed(gradient: &Self::Gradient, into: &mut Vec<Node>);

    /// The same for one that somebody else made: of each variable the one of its name.
    #[doc(hidden)]
    #[track_caller]
    fn changes(self, gradient: &Self::Gradient, into: &mut Vec<Node>);

    /// A derivative made of these nodes, in the same order.
    #[doc(hidden)]
    fn gradient(self, nodes: &mut dyn Iterator<Item = Node>) -> Self::Gradient;
}

impl<P: Parameters<T>, T: Real> Variables<T> for &P {
    type Gradient = P;

    #[track_caller]
    fn nodes(self, into: &mut Vec<Node>) {
        params::variables(self, into);
    }

    fn owed(gradient: &P, into: &mut Vec<Node>) {
        gradient.each(|parameter| into.push(parameter.node().clone()));
    }

    #[track_caller]
    fn changes(self, gradient: &P, into: &mut Vec<Node>) {
        into.extend(params::changes(self, gradient));
    }

    fn gradient(self, nodes: &mut dyn Iterator<Item = Node>) -> P {
        let mut gradient = self.clone();
        gradient.each_mut(|mut parameter| {
            if let Some(node) = nodes.next() {
                parameter.replace(node);
            }
        });
        gradient
    }
}

macro_rules! tuples {
    ($($name:ident $at:tt),*) => {
        impl<T: Real, $($name: Variables<T>),*> Variables<T> for ($($name,)*) {
            type Gradient = ($($name::Gradient,)*);

            #[track_caller]
            fn nodes(self, into: &mut Vec<Node>) {
                $(self.$at.nodes(into);)*
            }

            fn owed(gradient: &Self::Gradient, into: &mut Vec<Node>) {
                $($name::owed(&gradient.$at, into);)*
            }

            #[track_caller]
            fn changes(self, gradient: &Self::Gradient, into: &mut Vec<Node>) {
                $(self.$at.changes(&gradient.$at, into);)*
            }

            fn gradient(self, nodes: &mut dyn Iterator<Item = Node>) -> Self::Gradient {
                ($(self.$at.gradient(nodes),)*)
            }
        }
    };
}

tuples!(V0 0);
tuples!(V0 0, V1 1);
tuples!(V0 0, V1 1, V2 2);
tuples!(V0 0, V1 1, V2 2, V3 3);
tuples!(V0 0, V1 1, V2 2, V3 3, V4 4);
tuples!(V0 0, V1 1, V2 2, V3 3, V4 4, V5 5);
tuples!(V0 0, V1 1, V2 2, V3 3, V4 4, V5 5, V6 6);
tuples!(V0 0, V1 1, V2 2, V3 3, V4 4, V5 5, V6 6, V7 7);

/// The gradient of a scalar by each of `variables`: `grad(&loss, (&w, &b))`, `grad(&loss, &model)`.
///
/// Each gradient has the axes of its variable; that of a struct of parameters is such a struct. A variable that the loss
/// does not depend on has the gradient 0. Where several numbers are the largest, they share the gradient alike; relu and
/// |x| have slope 0 at 0. A variable that is computed from another one passes on what it gets. A variable is the tensor
/// that the loss was computed from, itself or cloned: the same numbers computed again are another variable. Two parameters
/// of one struct that are the same tensor are an error: each would get what both owe, and then change alone. In a tuple a
/// tensor may stand twice, `(&model, &model.W)`, and gets the whole gradient in each place.
///
/// Inside a lifted function the gradient is lifted too: one for each position of the extra axes.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { chans }
/// let (x, w) = (Tensor::new(chans, [1.0, 2.0]), Tensor::new(chans, [3.0, 4.0]));
/// let loss = x.dot(chans, &w) * 2.0;
/// let (dx, dw) = grad(&loss, (&x, &w));
/// assert_eq!(dx.to_vec(chans)?, [6.0, 8.0]);
/// assert_eq!(dw.to_vec(chans)?, [2.0, 4.0]);
/// # Ok::<(), named_tensor::Error>(())
/// ```
///
/// A loss that has axes is refused at compile time:
///
/// ```compile_fail
/// # use named_tensor::prelude::*;
/// # axes! { chans }
/// let x = Tensor::new(chans, [1.0, 2.0]);
/// let _ = grad(&(&x * &x), &x);
/// ```
#[must_use]
#[track_caller]
pub fn grad<A: Summed, T: Real, V: Variables<T>>(loss: &Tensor<A, T>, variables: V) -> V::Gradient {
    owed(loss.node(), &Node::fill(T::KIND, 1.0, Shape::default()), &extras(loss), variables)
}

/// The number of a scalar and its [gradient](grad), computed together; the gradient keeps only its numbers, no history.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { chans }
/// let w = Tensor::new(chans, [3.0, 4.0]);
/// let (loss, dw) = value_and_grad(&w.dot(chans, &w), &w)?;
/// assert_eq!(loss, 25.0);
/// assert_eq!(dw.to_vec(chans)?, [6.0, 8.0]);
/// # Ok::<(), named_tensor::Error>(())
/// ```
///
/// # Errors
/// The error that the loss carries, or one of computing it; reading inside a lifted function.
#[track_caller]
pub fn value_and_grad<A: Summed, T: Real, V: Variables<T>>(
    loss: &Tensor<A, T>,
    variables: V,
) -> Result<(T, V::Gradient)> {
    let mut nodes = vec![loss.node().checked()?.clone()];
    V::owed(&grad(loss, variables), &mut nodes);
    let place = std::panic::Location::caller();
    let values = plan::evaluate(&nodes).map_err(|error| error.at(place))?;
    let mut computed = nodes.iter().zip(values).map(|(node, value)| Node::input(value, node.shape().clone()));
    let value = Tensor::<A, T>::from_node(computed.next().unwrap_or_else(|| loss.node().clone()));
    let value = value.read(&[])?.first().copied();
    let value = value.ok_or_else(|| Error::here(ErrorKind::Empty, "no number to read"))?;
    Ok((value, variables.gradient(&mut computed)))
}

/// The vector-Jacobian product: what each of `variables` owes when Y is owed `cotangent`, `cotangent ⊙ ∂Y/∂X*`.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { chans }
/// let x = Tensor::new(chans, [1.0, 2.0]);
/// let owed = vjp(&(&x * &x), &Tensor::new(chans, [1.0, 10.0]), &x);
/// assert_eq!(owed.to_vec(chans)?, [2.0, 40.0]);
/// # Ok::<(), named_tensor::Error>(())
/// ```
#[must_use]
#[track_caller]
pub fn vjp<A: Axes, B: SameAs<A>, T: Real, V: Variables<T>>(
    y: &Tensor<A, T>,
    cotangent: &Tensor<B, T>,
    variables: V,
) -> V::Gradient {
    let mut keep = extras(y);
    let further = extras(cotangent).into_iter().filter(|name| !keep.contains(name)).collect::<Names>();
    keep.extend(further);
    owed(y.node(), cotangent.node(), &keep, variables)
}

/// The Jacobian-vector product: how Y changes when the `variables` change by `changes`, `∂Y/∂X* ⊙ dX`.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { chans }
/// let x = Tensor::new(chans, [1.0, 2.0]);
/// let dy = jvp(&(&x * &x), &x, &Tensor::new(chans, [1.0, 10.0]));
/// assert_eq!(dy.to_vec(chans)?, [2.0, 40.0]);
/// # Ok::<(), named_tensor::Error>(())
/// ```
#[must_use]
#[track_caller]
pub fn jvp<A: Axes, T: Real, V: Variables<T>>(y: &Tensor<A, T>, variables: V, changes: &V::Gradient) -> Tensor<A, T> {
    let (mut nodes, mut moved) = (Vec::new(), Vec::new());
    variables.nodes(&mut nodes);
    variables.changes(changes, &mut moved);
    if let Some(error) = nodes.iter().chain(&moved).chain([y.node()]).find_map(|node| node.error()) {
        return Tensor::failed(error.clone());
    }
    for (variable, change) in nodes.iter().zip(&moved) {
        if let Err(error) = variable.shape().union(change.shape(), "jvp") {
            return Tensor::failed(error.at(std::panic::Location::caller()));
        }
    }
    let tangents = nodes.into_iter().zip(moved.into_iter().map(Tangent::new)).collect::<Vec<_>>();
    let change = forward(&[y.node().clone()], &tangents).pop().flatten();
    Tensor::from_node(like(y.node(), change.map(|change| change.node())))
}

/// The derivative ∂Y/∂X*: the axes of Y, and those of X with stars.
///
/// A derivative that is an identity or a renaming comes out as one, so `jacobian` costs what one would write by hand. That of a
/// scalar is computed backwards, as [`grad`] does.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { chans }
/// let x = Tensor::new(chans, [1.0, 2.0]);
/// let derivative: Tensor<R![chans, star(chans)]> = jacobian(&(&x * &x), &x);
/// assert_eq!(derivative.to_vec((chans, star(chans)))?, [2.0, 0.0, 0.0, 4.0]);
/// # Ok::<(), named_tensor::Error>(())
/// ```
#[must_use]
#[track_caller]
pub fn jacobian<A, B: Axes, T: Real>(y: &Tensor<A, T>, x: &Tensor<B, T>) -> Tensor<Union<A, Star<B>>, T>
where
    A: Axes + Lacks<Star<B>>,
{
    if let Some(error) = y.node().error().or(x.node().error()) {
        return Tensor::failed(error.clone());
    }
    let starred: SmallVec<[_; 4]> = B::names().into_iter().zip(<Star<B>>::names()).collect();
    if A::names().is_empty() {
        // Backwards the derivative of a scalar costs about as much as the scalar, forwards as much for each number of X.
        let seed = Node::fill(T::KIND, 1.0, Shape::default());
        let owed = reverse(&[(y.node().clone(), seed)], std::slice::from_ref(x.node()), &extras(y)).pop().flatten();
        return Tensor::from_node(like(x.node(), owed).rename(&starred));
    }
    Tensor::from_node(derivative(y.node(), x.node(), &starred, &[]))
}

/// The second derivative of a scalar, ∂²L/∂X*∂X†: the axes of X with one star, and with two.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { chans }
/// let x = Tensor::new(chans, [1.0, 2.0]);
/// let second: Tensor<R![star(chans), star(star(chans))]> = hessian(&x.dot(chans, &x), &x);
/// assert_eq!(second.to_vec((star(chans), star(star(chans))))?, [2.0, 0.0, 0.0, 2.0]);
/// # Ok::<(), named_tensor::Error>(())
/// ```
#[must_use]
#[track_caller]
pub fn hessian<A: Summed, B: Axes, T: Real>(
    loss: &Tensor<A, T>,
    x: &Tensor<B, T>,
) -> Tensor<Union<Star<B>, Star<Star<B>>>, T> {
    let gradient = grad(loss, x);
    if let Some(error) = gradient.node().error() {
        return Tensor::failed(error.clone());
    }
    let daggers: SmallVec<[_; 4]> = B::names().into_iter().zip(<Star<Star<B>>>::names()).collect();
    let stars: SmallVec<[_; 4]> = B::names().into_iter().zip(<Star<B>>::names()).collect();
    Tensor::from_node(derivative(gradient.node(), x.node(), &daggers, &stars))
}

impl<A: Axes, T: Element> Tensor<A, T> {
    /// The same numbers, as if they were constant: no derivative passes through.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// let x: Tensor<R![]> = Tensor::scalar(3.0);
    /// assert_eq!(grad(&(&x * x.stop_gradient()), &x).item()?, 3.0);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn stop_gradient(&self) -> Tensor<A, T> {
        Tensor::from_node(self.node().stop_gradient())
    }
}

/// The axes a tensor has beyond its type: inside a lifted function, those it is lifted over.
fn extras<A: Axes, T>(tensor: &Tensor<A, T>) -> Names {
    let declared = A::names();
    tensor.node().shape().names().filter(|name| !declared.contains(name)).collect()
}

/// A derivative with the axes of `node`: 0 where there is none. What it is made of had no error, so one that it carries came about
/// on the way, and is told at the line that asks.
#[track_caller]
fn like(node: &Node, derivative: Option<Node>) -> Node {
    let derivative = derivative.unwrap_or_else(|| Node::fill(node.kind(), 0.0, Shape::default()));
    if let Some(error) = derivative.error() {
        return Node::failed(error.clone().told_at(std::panic::Location::caller()), derivative.kind());
    }
    let missing: Vec<_> = node.shape().iter().filter(|&(name, _)| !derivative.shape().has(name)).collect();
    if missing.is_empty() { derivative } else { derivative.spread(Shape::new(missing)) }
}

/// What `variables` owe when `root` is owed `seed`.
#[track_caller]
fn owed<T: Real, V: Variables<T>>(root: &Node, seed: &Node, keep: &[Name], variables: V) -> V::Gradient {
    let mut nodes = Vec::new();
    variables.nodes(&mut nodes);
    if let Some(error) = [root, seed].into_iter().chain(&nodes).find_map(|node| node.error()) {
        return variables.gradient(&mut nodes.iter().map(|node| Node::failed(error.clone(), node.kind())));
    }
    if let Err(error) = root.shape().union(seed.shape(), "vjp") {
        let error = error.at(std::panic::Location::caller());
        return variables.gradient(&mut nodes.iter().map(|node| Node::failed(error.clone(), node.kind())));
    }
    let owed = reverse(&[(root.clone(), seed.clone())], &nodes, keep);
    let mut gradients = Vec::with_capacity(nodes.len());
    // No closure, whose caller would be here.
    for (node, owed) in nodes.iter().zip(owed) {
        gradients.push(like(node, owed));
    }
    variables.gradient(&mut gradients.into_iter())
}

/// ∂Y/∂X with these names, (axis, star), for the axes of X, and (old, new) for those of Y.
#[track_caller]
fn derivative(y: &Node, x: &Node, starred: &[(Name, Name)], renamed: &[(Name, Name)]) -> Node {
    // On the way the stars are names that nobody else has: a graph may hold derivatives already.
    let stars: SmallVec<[(Name, Name, usize); 4]> =
        starred.iter().map(|&(axis, star)| (axis, star.freshened(), x.shape().size(axis).unwrap_or(0))).collect();
    let seed = Tangent::identity(y.kind(), stars.iter().copied());
    let derivative = forward(std::slice::from_ref(y), &[(x.clone(), seed)]).pop().flatten();
    let whole = like(&y.rename(renamed), derivative.map(|derivative| derivative.renamed(renamed).node()));
    let missing: Vec<_> = stars.iter().filter(|(_, star, _)| !whole.shape().has(*star)).collect();
    let whole = if missing.is_empty() {
        whole
    } else {
        whole.spread(Shape::new(missing.into_iter().map(|&(_, star, size)| (star, size))))
    };
    whole.rename(&stars.iter().zip(starred).map(|(&(_, fresh, _), &(_, star))| (fresh, star)).collect::<Vec<_>>())
}
