//! Functions along axes, as functions whose axes are arguments of their own: reductions, softmax and their kind.
//!
//! Each is written out, without a macro: rustc quotes it in its messages.
//! Not here: what they compute (`tensor::reduction`, `tensor::vector`).

use crate::axes::rules::{Among, Once, Single};
use crate::axes::selector::Selector;
use crate::axes::set::{Axes, Reduced};
use crate::axis::Name;
use crate::element::{Index, Real};
use crate::graph::Node;
use crate::graph::op::Reduction;
use crate::tensor::{Tensor, norm_of, norm_p_of, one_hot_of, only};

/// The tensor that `of` makes of the node and the names of the axes.
#[track_caller]
fn along<S: Selector, A, B, T, U>(_: S, x: &Tensor<A, T>, of: impl FnOnce(&Node, &[Name]) -> Node) -> Tensor<B, U> {
    Tensor::from_node(of(x.node(), &S::names()))
}

/// `Σ_ax X`
#[must_use]
#[track_caller]
pub fn sum<S: Selector + Once<S::Repeated>, A: Axes, T: Real>(
    axis: S,
    x: &Tensor<A, T>,
) -> Tensor<Reduced<A, S::Set>, T>
where
    S::Set: Among<A>,
{
    along(axis, x, |x, axes| x.reduce(Reduction::Sum, axes))
}

/// `Π_ax X`
#[must_use]
#[track_caller]
pub fn prod<S: Selector + Once<S::Repeated>, A: Axes, T: Real>(
    axis: S,
    x: &Tensor<A, T>,
) -> Tensor<Reduced<A, S::Set>, T>
where
    S::Set: Among<A>,
{
    along(axis, x, |x, axes| x.reduce(Reduction::Product, axes))
}

/// `max_ax X`
#[must_use]
#[track_caller]
pub fn max<S: Selector + Once<S::Repeated>, A: Axes, T: Real>(
    axis: S,
    x: &Tensor<A, T>,
) -> Tensor<Reduced<A, S::Set>, T>
where
    S::Set: Among<A>,
{
    along(axis, x, |x, axes| x.reduce(Reduction::Max, axes))
}

/// `min_ax X`
#[must_use]
#[track_caller]
pub fn min<S: Selector + Once<S::Repeated>, A: Axes, T: Real>(
    axis: S,
    x: &Tensor<A, T>,
) -> Tensor<Reduced<A, S::Set>, T>
where
    S::Set: Among<A>,
{
    along(axis, x, |x, axes| x.reduce(Reduction::Min, axes))
}

/// `mean_ax X`
#[must_use]
#[track_caller]
pub fn mean<S: Selector + Once<S::Repeated>, A: Axes, T: Real>(
    axis: S,
    x: &Tensor<A, T>,
) -> Tensor<Reduced<A, S::Set>, T>
where
    S::Set: Among<A>,
{
    along(axis, x, |x, axes| x.mean(axes))
}

/// `var_ax X`
#[must_use]
#[track_caller]
pub fn var<S: Selector + Once<S::Repeated>, A: Axes, T: Real>(
    axis: S,
    x: &Tensor<A, T>,
) -> Tensor<Reduced<A, S::Set>, T>
where
    S::Set: Among<A>,
{
    along(axis, x, |x, axes| x.variance(axes))
}

/// `norm_ax X`
#[must_use]
#[track_caller]
pub fn norm<S: Selector + Once<S::Repeated>, A: Axes, T: Real>(
    axis: S,
    x: &Tensor<A, T>,
) -> Tensor<Reduced<A, S::Set>, T>
where
    S::Set: Among<A>,
{
    along(axis, x, |x, axes| norm_of(x, axes))
}

/// `norm_ax(X, p)`
#[must_use]
#[track_caller]
pub fn norm_p<S: Selector + Once<S::Repeated>, A: Axes, T: Real>(
    axis: S,
    x: &Tensor<A, T>,
    p: f64,
) -> Tensor<Reduced<A, S::Set>, T>
where
    S::Set: Among<A>,
{
    along(axis, x, |x, axes| norm_p_of::<T>(x, axes, p))
}

/// `standardize_ax(X, ε)`
#[must_use]
#[track_caller]
pub fn standardize_eps<S: Selector + Once<S::Repeated>, A: Axes, T: Real>(
    axis: S,
    x: &Tensor<A, T>,
    epsilon: f64,
) -> Tensor<A, T>
where
    S::Set: Among<A>,
{
    along(axis, x, |x, axes| x.standardize(axes, epsilon))
}

/// `softmax_ax(X)`
#[must_use]
#[track_caller]
pub fn softmax<S: Selector + Once<S::Repeated>, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>) -> Tensor<A, T>
where
    S::Set: Among<A>,
{
    along(axis, x, |x, axes| x.softmax(axes, false))
}

/// `log_softmax_ax(X)`
#[must_use]
#[track_caller]
pub fn log_softmax<S: Selector + Once<S::Repeated>, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>) -> Tensor<A, T>
where
    S::Set: Among<A>,
{
    along(axis, x, |x, axes| x.softmax(axes, true))
}

/// `standardize_ax(X)`
#[must_use]
#[track_caller]
pub fn standardize<S: Selector + Once<S::Repeated>, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>) -> Tensor<A, T>
where
    S::Set: Among<A>,
{
    along(axis, x, |x, axes| x.standardize(axes, 1e-5))
}

/// `argmax_ax(X)`
#[must_use]
#[track_caller]
pub fn argmax<S: Selector, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>) -> Tensor<A, T>
where
    S::Set: Single + Among<A>,
{
    along(axis, x, |x, axes| one_hot_of(x, axes, true).cast(T::KIND))
}

/// `argmin_ax(X)`
#[must_use]
#[track_caller]
pub fn argmin<S: Selector, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>) -> Tensor<A, T>
where
    S::Set: Single + Among<A>,
{
    along(axis, x, |x, axes| one_hot_of(x, axes, false).cast(T::KIND))
}

/// `cumsum_ax(X)`
#[must_use]
#[track_caller]
pub fn cumsum<S: Selector, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>) -> Tensor<A, T>
where
    S::Set: Single + Among<A>,
{
    along(axis, x, |x, axes| x.cumulative_sum(only(axes)))
}

/// `sort_ax(X)`
#[must_use]
#[track_caller]
pub fn sort<S: Selector, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>) -> Tensor<A, T>
where
    S::Set: Single + Among<A>,
{
    along(axis, x, |x, axes| x.sort(only(axes), false))
}

/// `maxk_ax(X, k)`
#[must_use]
#[track_caller]
pub fn maxk<S: Selector, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>, size: usize) -> Tensor<A, T>
where
    S::Set: Single + Among<A>,
{
    along(axis, x, |x, axes| x.sort(only(axes), true).slice(only(axes), 0..size, 1))
}

/// `argmaxk_ax(X, k)`
#[must_use]
#[track_caller]
pub fn argmaxk<S: Selector, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>, size: usize) -> Tensor<A, Index<S::Set>>
where
    S::Set: Single + Among<A>,
{
    along(axis, x, |x, axes| x.argsort(only(axes), true).slice(only(axes), 0..size, 1))
}

/// `argsort_ax(X)`
#[must_use]
#[track_caller]
pub fn argsort<S: Selector, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>) -> Tensor<A, Index<S::Set>>
where
    S::Set: Single + Among<A>,
{
    along(axis, x, |x, axes| x.argsort(only(axes), false))
}

/// `det_{a, b}(S)`
#[must_use]
#[track_caller]
pub fn det<F, G, A, T>(axis: F, other: G, x: &Tensor<A, T>) -> Tensor<Reduced<Reduced<A, F::Set>, G::Set>, T>
where
    F: Selector,
    G: Selector,
    F::Set: Single + Among<A>,
    G::Set: Single + Among<A>,
    A: Axes,
    T: Real,
{
    let _ = other;
    along(axis, x, |x, axes| x.determinant(only(axes), only(&G::names())))
}

/// `inv_{a, b}(S)`
#[must_use]
#[track_caller]
pub fn inv<F, G, A, T>(axis: F, other: G, x: &Tensor<A, T>) -> Tensor<A, T>
where
    F: Selector,
    G: Selector,
    F::Set: Single + Among<A>,
    G::Set: Single + Among<A>,
    A: Axes,
    T: Real,
{
    let _ = other;
    along(axis, x, |x, axes| x.inverse(only(axes), only(&G::names())))
}
