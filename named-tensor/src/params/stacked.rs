//! Stacks of parameters: layers as an axis.
//!
//! A struct of parameters is typed at its own axes. The parameters of several layers, one beside the other along an axis,
//! are a [`Stacked`] struct: each tensor has that axis besides, and the type says so. A scan takes them apart again.
//! Lives here: stacking and unstacking, and a stack as parameters. Not here: the scan (`tensor::scan`).

use std::marker::PhantomData;
use std::panic::Location;

use rand::Rng;

use super::{Init, Parameter, ParameterMut, Parameters, Path, alike};
use crate::axes::rules::{Gives, Once};
use crate::axes::selector::{Extents, Selector};
use crate::axes::set::Union;
use crate::axis::{Axis, Name};
use crate::element::Real;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Node, Shape};

/// The parameters `P` of several layers, along the axis `X`.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { layers, chans, out }
/// named! { fn Linear(X: R[chans]; W: R[chans, out], b: R[out] = 0) -> R[chans] { tanh(X dot_chans W + b)_{out -> chans} } }
///
/// let deep: Stacked<layers, Linear> = Stacked::init(&mut seeded(0), (layers.of(6), chans.of(3), out.of(3)))?;
/// let x = Tensor::new(chans, [1.0, 2.0, 3.0]);
/// let (y, ()) = scan(layers, x.clone(), &deep, |x, layer| (layer.apply(&x), ()));
///
/// let by_hand = deep.unstack().iter().fold(x, |x, layer| layer.apply(&x));
/// assert_eq!(y.to_vec(chans)?, by_hand.to_vec(chans)?);
/// # Ok::<(), named_tensor::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stacked<X, P, T = f32> {
    /// Its tensors have the axis, which their types do not say.
    every: P,
    axis: PhantomData<fn() -> (X, T)>,
}

/// Puts the parameters of several layers along an axis.
///
/// # Errors
/// No layer at all; layers whose sizes differ, or one that lacks a parameter of another.
#[track_caller]
pub fn stack<S, P, T>(axis: S, each: &[P]) -> Result<Stacked<S::Set, P, T>>
where
    S: Selector,
    S::Set: Axis,
    P: Parameters<T>,
    T: Real,
{
    let _ = axis;
    let name = Name::of::<S::Set>();
    let Some(first) = each.first() else {
        return Err(Error::here(ErrorKind::Empty, format!("no layers to stack along axis `{}`", name.text())));
    };
    let named = first.parameters();
    for (number, layer) in each.iter().enumerate().skip(1) {
        let others = layer.parameters();
        let lacks = |of: &[(String, Shape)], name: &str| of.iter().all(|(other, _)| other != name);
        for (all, of, lacking) in [(&named, &others, number), (&others, &named, 0)] {
            if let Some((name, _)) = all.iter().find(|(name, _)| lacks(of, name)) {
                return Err(alike::missing("stack", name, &format!("layer {lacking}")).at(Location::caller()));
            }
        }
        if let Some(((parameter, wanted), (_, found))) = named.iter().zip(&others).find(|(a, b)| differ(&a.1, &b.1)) {
            let message = format!(
                "sizes clash in `stack`: parameter `{parameter}` is {wanted} in layer 0, {found} in layer {number}"
            );
            return Err(Error::here(ErrorKind::SizeClash, message));
        }
    }
    let layers: Vec<Vec<Node>> =
        each.iter().map(|layer| nodes(layer, |node| node.spread(Shape::new([(name, 1)])))).collect();
    let along = |which| Node::concat_all(name, &layers.iter().filter_map(|layer| layer.get(which)).collect::<Vec<_>>());
    let mut joined = (0..named.len()).filter_map(along);
    let mut every = first.clone();
    every.each_mut(|mut parameter| {
        if let Some(node) = joined.next() {
            parameter.replace(node);
        }
    });
    let carried = |of: &P| nodes(of, Node::clone).iter().find_map(|node| node.error().cloned());
    let place = Location::caller();
    if let Some(error) = carried(&every) {
        // An error of a layer has a place of its own.
        return Err(each.iter().find_map(carried).unwrap_or_else(|| error.told_at(place)));
    }
    Ok(Stacked { every, axis: PhantomData })
}

/// Whether the shapes are not of the same axes and sizes, in whatever order. In a lifted function one may have further axes that
/// the other has not.
fn differ(one: &Shape, other: &Shape) -> bool {
    let lacks =
        |one: &Shape, other: &Shape| one.iter().any(|(name, size)| !name.is_fresh() && other.size(name) != Some(size));
    lacks(one, other) || lacks(other, one)
}

fn nodes<P: Parameters<T>, T: Real>(of: &P, mut change: impl FnMut(&Node) -> Node) -> Vec<Node> {
    let mut nodes = Vec::new();
    of.each(|parameter| nodes.push(change(parameter.node())));
    nodes
}

impl<X: Axis, P: Parameters<T>, T: Real> Stacked<X, P, T> {
    const AXIS: Name = Name::of::<X>();

    /// The tensors of all layers.
    pub(crate) fn every(&self) -> &P {
        &self.every
    }

    /// How many layers there are.
    #[must_use]
    pub fn layers(&self) -> usize {
        nodes(&self.every, Node::clone).first().and_then(|node| node.shape().size(Self::AXIS)).unwrap_or(0)
    }

    /// The parameters of one layer.
    #[must_use]
    #[track_caller]
    pub fn at(&self, layer: usize) -> P {
        let mut one = self.every.clone();
        let mut nodes = Vec::new();
        let (size, place) = (self.layers(), Location::caller());
        self.every.each(|parameter| {
            nodes.push(if layer < size {
                parameter.node().at(Self::AXIS, layer)
            } else {
                // Said here, since inside a closure the place of the caller is lost.
                let error = Error::out_of_range("at", Self::AXIS.text(), layer, size).at(place);
                Node::failed(error, T::KIND)
            });
        });
        let mut nodes = nodes.into_iter();
        one.each_mut(|mut parameter| {
            if let Some(node) = nodes.next() {
                parameter.replace(node);
            }
        });
        one
    }

    /// The parameters of each layer.
    #[must_use]
    #[track_caller]
    pub fn unstack(&self) -> Vec<P> {
        (0..self.layers()).map(|layer| self.at(layer)).collect()
    }
}

impl<X: Axis, P: Parameters<f32>> Stacked<X, P> {
    /// Draws initial values, those of each layer on their own; `sizes` name at least the axes of all parameters, and this one.
    ///
    /// # Errors
    /// A shape that does not fit in memory.
    #[track_caller]
    pub fn init<E: Extents + Once<E::Repeated>>(rng: &mut impl Rng, sizes: E) -> Result<Self>
    where
        E::Set: Gives<<Self as Parameters<f32>>::Axes>,
    {
        super::init(rng, sizes)
    }
}

impl<X: Axis, P: Parameters<T>, T: Real> Parameters<T> for Stacked<X, P, T> {
    type Axes = Union<X, P::Axes>;
    type Of<U: Real> = Stacked<X, P::Of<U>, U>;

    fn visit(&self, path: &mut Path, visitor: &mut dyn FnMut(Parameter<'_, T>)) {
        self.every.visit(path, &mut |mut parameter| {
            parameter.axes.insert(0, Self::AXIS);
            visitor(parameter);
        });
    }

    fn visit_mut(&mut self, path: &mut Path, visitor: &mut dyn FnMut(ParameterMut<'_, T>)) {
        self.every.visit_mut(path, &mut |mut parameter| {
            parameter.axes.insert(0, Self::AXIS);
            visitor(parameter);
        });
    }

    fn init_from(init: &mut Init<'_>) -> Result<Self> {
        init.stacked.push(Self::AXIS);
        let every = P::init_from(init);
        init.stacked.pop();
        Ok(Stacked { every: every?, axis: PhantomData })
    }

    fn cast<U: Real>(&self) -> Stacked<X, P::Of<U>, U> {
        Stacked { every: self.every.cast(), axis: PhantomData }
    }
}
