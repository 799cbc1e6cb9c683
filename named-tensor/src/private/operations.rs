//! Operations that name axes, as functions whose axes are arguments of their own.
//!
//! Each keeps the rule of the method of its name, stated so that a message points at the axis that the user wrote.
//! Not here: reductions and functions from vectors to vectors (`along`).

use std::ops::RangeBounds;

use smallvec::SmallVec;

use crate::axes::rules::{Aligned, Among, Has, Lacks, Once, SameAs, Single};
use crate::axes::selector::{Extent, Of, Parts, Selector};
use crate::axes::set::{Axes, Created, Dot, Indexed, Minus, Reduced, Renamed};
use crate::axis::{Axis, Name};
use crate::element::{Comparison, Element, Index, Kind, Real};
use crate::graph::Shape;
use crate::tensor::{Along, Tensor, only, sliced};

/// `X dot_ax Y`
#[must_use]
#[track_caller]
pub fn dot<S, A, B, T>(x: &Tensor<A, T>, axis: S, y: &Tensor<B, T>) -> Tensor<Dot<A, B, S::Set>, T>
where
    S: Selector + Once<S::Repeated>,
    A: Axes + Has<S::Set>,
    B: Axes + Has<S::Set>,
    T: Real,
{
    x.dot(axis, y)
}

/// `X_{from -> to}`
#[must_use]
#[track_caller]
pub fn rename<A, T, O, N>(x: &Tensor<A, T>, from: O, to: N) -> Tensor<Renamed<A, O::Set, N::Set>, T>
where
    A: Axes,
    T: Element,
    O: Selector + Once<O::Repeated>,
    O::Set: Among<A>,
    N: Selector<Positions = O::Positions> + Once<N::Repeated>,
    Minus<A, O::Set>: Lacks<N::Set>,
{
    let _ = (from, to);
    let mut pairs: SmallVec<[(Name, Name); 4]> = SmallVec::new();
    O::names().iter().zip(&N::names()).for_each(|(&old, &new)| pairs.push((old, new)));
    Tensor::from_node(x.node().rename(&pairs))
}

/// `X_{(a, b) -> ax}`
#[must_use]
#[track_caller]
pub fn flatten<A, T, S, N>(x: &Tensor<A, T>, axes: S, into: N) -> Tensor<Renamed<A, S::Set, N::Set>, T>
where
    A: Axes,
    T: Element,
    S: Selector + Once<S::Repeated>,
    S::Set: Among<A>,
    N: Selector,
    N::Set: Single,
    Minus<A, S::Set>: Lacks<N::Set>,
{
    let _ = (axes, into);
    Tensor::from_node(x.node().merge(&S::names(), only(&N::names())))
}

/// `X_{ax -> (a: 2, b)}`
#[must_use]
#[track_caller]
pub fn split<A, T, S, P>(x: &Tensor<A, T>, axis: S, into: P) -> Tensor<Renamed<A, S::Set, P::Set>, T>
where
    A: Axes,
    T: Element,
    S: Selector,
    S::Set: Single + Among<A>,
    P: Parts + Once<P::Repeated>,
    Minus<A, S::Set>: Lacks<P::Set>,
{
    let _ = axis;
    Tensor::from_node(x.node().split(only(&S::names()), &into.parts()))
}

/// An axis with its size, for [`split`].
#[must_use]
pub fn part<X: Axis>(axis: impl Fn() -> X, size: usize) -> Extent<X> {
    axis.of(size)
}

/// `X_{ax(2)}`
#[must_use]
#[track_caller]
pub fn at<A, T, S>(x: &Tensor<A, T>, axis: S, position: usize) -> Tensor<Reduced<A, S::Set>, T>
where
    A: Axes,
    T: Element,
    S: Selector,
    S::Set: Single + Among<A>,
{
    let _ = axis;
    Tensor::from_node(x.node().at(only(&S::names()), position))
}

/// `X_{ax(2..5)}`
#[must_use]
#[track_caller]
pub fn slice<A, T, S>(x: &Tensor<A, T>, axis: S, range: impl RangeBounds<usize>) -> Tensor<A, T>
where
    A: Axes,
    T: Element,
    S: Selector,
    S::Set: Single + Among<A>,
{
    let _ = axis;
    Tensor::from_node(sliced(x.node(), only(&S::names()), &range))
}

/// `index_ax(E, I)`, `X_{ax(I)}`
#[must_use]
#[track_caller]
pub fn index<S, A, T, P>(axis: S, table: &Tensor<A, T>, positions: P) -> Tensor<Indexed<A, S::Set, P::Axes>, T>
where
    S: Selector,
    S::Set: Single + Among<A>,
    A: Axes,
    T: Element,
    P: Along<S::Set>,
{
    let _ = axis;
    Tensor::from_node(positions.of(table.node(), only(&S::names())))
}

/// `concat_ax(X, Y)`
#[must_use]
#[track_caller]
pub fn concat<S, A, B, T>(axis: S, x: &Tensor<A, T>, y: &Tensor<B, T>) -> Tensor<A, T>
where
    S: Selector,
    S::Set: Single + Among<A>,
    A: Axes + Aligned<B>,
    B: Axes,
    T: Element,
{
    let _ = axis;
    Tensor::from_node(x.node().concat(only(&S::names()), y.node()))
}

/// `unroll_{ax, kernel}(X, n)`
#[must_use]
#[track_caller]
pub fn unroll<S, X, A, T>(axis: S, kernel: impl Fn() -> X, x: &Tensor<A, T>, size: usize) -> Tensor<Created<A, X>, T>
where
    S: Selector,
    S::Set: Single + Among<A>,
    X: Axis + Single,
    A: Axes + Lacks<X>,
    T: Element,
{
    let _ = (axis, kernel);
    Tensor::from_node(x.node().window(only(&S::names()), Name::of::<X>(), size, 1))
}

/// `pool_{ax, kernel}(X, n)`
#[must_use]
#[track_caller]
pub fn pool<S, X, A, T>(axis: S, kernel: impl Fn() -> X, x: &Tensor<A, T>, size: usize) -> Tensor<Created<A, X>, T>
where
    S: Selector,
    S::Set: Single + Among<A>,
    X: Axis + Single,
    A: Axes + Lacks<X>,
    T: Element,
{
    let _ = (axis, kernel);
    Tensor::from_node(x.node().window(only(&S::names()), Name::of::<X>(), size, size))
}

/// `eye_{ax, ax_}(n)`
#[must_use]
#[track_caller]
pub fn eye<F, G, T>(axis: F, other: G, size: usize) -> Tensor<Created<F::Set, G::Set>, T>
where
    F: Selector + Fn() -> F::Set,
    G: Selector + Fn() -> G::Set,
    F::Set: Single + Lacks<G::Set>,
    G::Set: Single,
    T: Real,
{
    let x: Tensor<F::Set, Index<F::Set>> = positions(axis, size);
    let y: Tensor<G::Set, Index<G::Set>> = positions(other, size);
    Tensor::from_node(Tensor::node(&x).compare(Comparison::Eq, Tensor::node(&y)).cast(T::KIND))
}

/// `one_hot_ax(I, n)`
#[must_use]
#[track_caller]
pub fn one_hot<F, A, T>(axis: F, positions: &Tensor<A, Index<F::Set>>, size: usize) -> Tensor<Created<A, F::Set>, T>
where
    F: Selector + Fn() -> F::Set,
    F::Set: Single,
    A: Axes + Lacks<F::Set>,
    T: Real,
{
    positions.one_hot(axis.of(size))
}

/// The positions i of `X_{ax(i)} = ...`.
#[must_use]
#[track_caller]
pub fn positions<X: Axis + Single>(axis: impl Fn() -> X, size: usize) -> Tensor<X, Index<X>> {
    Tensor::positions(axis.of(size))
}

/// Exact numbers as positions along an axis.
#[must_use]
#[track_caller]
pub fn along<S, A>(axis: S, x: &Tensor<A, f64>) -> Tensor<A, Index<S::Set>>
where
    S: Selector,
    S::Set: Single,
    A: Axes,
{
    let _ = axis;
    Tensor::from_node(x.node().cast(Kind::Index))
}

/// The same value at `size` positions of a new axis.
#[must_use]
#[track_caller]
pub fn spread<A, T, X>(x: &Tensor<A, T>, axis: impl Fn() -> X, size: usize) -> Tensor<Created<A, X>, T>
where
    A: Axes + Lacks<X>,
    T: Element,
    X: Axis + Single,
{
    let _ = axis;
    Tensor::from_node(x.node().spread(Shape::new([(Name::of::<X>(), size)])))
}

/// `|ax|`
#[must_use]
pub fn size<A, T, S>(x: &Tensor<A, T>, axis: S) -> usize
where
    A: Axes + Has<S::Set>,
    T: Element,
    S: Selector,
    S::Set: Single,
{
    x.size(axis)
}

/// `|ax|`, unless the tensor carries an error.
#[must_use]
pub fn known_size<A, T, S>(x: &Tensor<A, T>, axis: S) -> Option<usize>
where
    A: Axes + Has<S::Set>,
    T: Element,
    S: Selector,
    S::Set: Single,
{
    let _ = axis;
    S::names().first().and_then(|&name| x.node().shape().size(name))
}

/// A line whose axes are stated: `Y: R[seq, key] = ...`.
#[must_use]
pub fn ascribed<U: Axes, A: SameAs<U>, T>(x: Tensor<A, T>) -> Tensor<U, T> {
    Tensor::from_node(x.node().clone())
}

/// `stop_gradient(X)`
#[must_use]
#[track_caller]
pub fn stop_gradient<A: Axes, T: Element>(x: &Tensor<A, T>) -> Tensor<A, T> {
    x.stop_gradient()
}
