//! Functions along axes, as functions whose axes are arguments of their own: reductions, softmax and their kind.
//!
//! Each is written out, without a macro: rustc quotes it in its messages.
//! Not here: what they compute (`tensor::reduction`, `tensor::vector`).

use crate::axes::rules::{Among, Once, Single};
use crate::axes::selector::Selector;
use crate::axes::set::{Axes, Reduced};
use crate::element::{Index, Real};
use crate::graph::op::Reduction;
use crate::graph::shape::Names;
use crate::tensor::{Tensor, first, norm_of, norm_p_of, one_hot_of, only};

/// The names of the axes. Not a function that is given what to compute: inside a closure the place of the equation is lost.
fn names<S: Selector>(_: S) -> Names {
    S::names()
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
    Tensor::from_node(x.node().reduce(Reduction::Sum, &names(axis)))
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
    Tensor::from_node(x.node().reduce(Reduction::Product, &names(axis)))
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
    Tensor::from_node(x.node().reduce(Reduction::Max, &names(axis)))
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
    Tensor::from_node(x.node().reduce(Reduction::Min, &names(axis)))
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
    Tensor::from_node(x.node().mean(&names(axis)))
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
    Tensor::from_node(x.node().variance(&names(axis)))
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
    Tensor::from_node(norm_of(x.node(), &names(axis)))
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
    Tensor::from_node(norm_p_of::<T>(x.node(), &names(axis), p))
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
    Tensor::from_node(x.node().standardize(&names(axis), epsilon))
}

/// `softmax_ax(X)`
#[must_use]
#[track_caller]
pub fn softmax<S: Selector + Once<S::Repeated>, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>) -> Tensor<A, T>
where
    S::Set: Among<A>,
{
    Tensor::from_node(x.node().softmax(&names(axis), false))
}

/// `log_softmax_ax(X)`
#[must_use]
#[track_caller]
pub fn log_softmax<S: Selector + Once<S::Repeated>, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>) -> Tensor<A, T>
where
    S::Set: Among<A>,
{
    Tensor::from_node(x.node().softmax(&names(axis), true))
}

/// `standardize_ax(X)`
#[must_use]
#[track_caller]
pub fn standardize<S: Selector + Once<S::Repeated>, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>) -> Tensor<A, T>
where
    S::Set: Among<A>,
{
    Tensor::from_node(x.node().standardize(&names(axis), 1e-5))
}

/// `argmax_ax(X)`
#[must_use]
#[track_caller]
pub fn argmax<S: Selector, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>) -> Tensor<A, T>
where
    S::Set: Single + Among<A>,
{
    Tensor::from_node(one_hot_of(x.node(), &names(axis), true).cast(T::KIND))
}

/// `argmin_ax(X)`
#[must_use]
#[track_caller]
pub fn argmin<S: Selector, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>) -> Tensor<A, T>
where
    S::Set: Single + Among<A>,
{
    Tensor::from_node(one_hot_of(x.node(), &names(axis), false).cast(T::KIND))
}

/// `cumsum_ax(X)`
#[must_use]
#[track_caller]
pub fn cumsum<S: Selector, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>) -> Tensor<A, T>
where
    S::Set: Single + Among<A>,
{
    Tensor::from_node(x.node().cumulative_sum(only(&names(axis))))
}

/// `sort_ax(X)`
#[must_use]
#[track_caller]
pub fn sort<S: Selector, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>) -> Tensor<A, T>
where
    S::Set: Single + Among<A>,
{
    Tensor::from_node(x.node().sort(only(&names(axis)), false))
}

/// `maxk_ax(X, k)`
#[must_use]
#[track_caller]
pub fn maxk<S: Selector, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>, size: usize) -> Tensor<A, T>
where
    S::Set: Single + Among<A>,
{
    let axis = only(&names(axis));
    Tensor::from_node(first(&x.node().sort(axis, true), axis, size, "maxk"))
}

/// `argmaxk_ax(X, k)`
#[must_use]
#[track_caller]
pub fn argmaxk<S: Selector, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>, size: usize) -> Tensor<A, Index<S::Set>>
where
    S::Set: Single + Among<A>,
{
    let axis = only(&names(axis));
    Tensor::from_node(first(&x.node().argsort(axis, true), axis, size, "argmaxk"))
}

/// `argsort_ax(X)`
#[must_use]
#[track_caller]
pub fn argsort<S: Selector, A: Axes, T: Real>(axis: S, x: &Tensor<A, T>) -> Tensor<A, Index<S::Set>>
where
    S::Set: Single + Among<A>,
{
    Tensor::from_node(x.node().argsort(only(&names(axis)), false))
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
    Tensor::from_node(x.node().determinant(only(&names(axis)), only(&G::names())))
}

/// `logdet_{a, b}(S)`
#[must_use]
#[track_caller]
pub fn logdet<F, G, A, T>(axis: F, other: G, x: &Tensor<A, T>) -> Tensor<Reduced<Reduced<A, F::Set>, G::Set>, T>
where
    F: Selector,
    G: Selector,
    F::Set: Single + Among<A>,
    G::Set: Single + Among<A>,
    A: Axes,
    T: Real,
{
    let _ = other;
    Tensor::from_node(x.node().log_determinant(only(&names(axis)), only(&G::names())))
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
    Tensor::from_node(x.node().inverse(only(&names(axis)), only(&G::names())))
}
