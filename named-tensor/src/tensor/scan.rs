//! Repetition along an axis: one step is written, all are run.
//!
//! Computes  `(h, Y_{ax(i)}) = f(h, X_{ax(i)})`  for all positions i of an axis: of time, or of layers.
//! Lives here: what may be carried, what may be gone along, what may be given out, as types.
//! Not here: the body as a graph (`graph::op::scan`), stacks of parameters (`params::stacked`).

use super::Tensor;
use super::vector::only;
use crate::axes::rules::{Has, Lacks, Single};
use crate::axes::selector::Selector;
use crate::axes::set::{Axes, Created, Reduced};
use crate::axis::Axis;
use crate::element::{Element, Index, Real};
use crate::graph::Node;
use crate::params::{Parameters, Stacked};

/// What a step hands to the next one: a tensor, a struct of parameters, a tuple of these, or nothing. `M` tells which, and
/// is inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be carried from step to step",
    label = "not a tensor, a struct of parameters or a tuple of these",
    note = "`scan(seq, h, &x, |h, x| (next, y))` carries `h`, a tensor or a tuple of up to four, of tensors or tuples; `()` carries nothing"
)]
pub trait Carried<M> {
    /// Adds its nodes, in order.
    #[doc(hidden)]
    fn show(&self, into: &mut Vec<Node>);

    /// The same with these nodes in place of its own, in the same order.
    #[doc(hidden)]
    #[must_use]
    fn with(&self, nodes: &mut dyn Iterator<Item = Node>) -> Self;
}

impl<P: Parameters<T>, T: Real> Carried<T> for P {
    fn show(&self, into: &mut Vec<Node>) {
        self.each(|parameter| into.push(parameter.node().clone()));
    }

    fn with(&self, nodes: &mut dyn Iterator<Item = Node>) -> P {
        let mut other = self.clone();
        other.each_mut(|mut parameter| {
            if let Some(node) = nodes.next() {
                parameter.replace(node);
            }
        });
        other
    }
}

macro_rules! carried {
    ($element:ty $(, $generic:ident)?) => {
        impl<A: Axes $(, $generic: 'static)?> Carried<$element> for Tensor<A, $element> {
            fn show(&self, into: &mut Vec<Node>) {
                into.push(self.node().clone());
            }

            fn with(&self, nodes: &mut dyn Iterator<Item = Node>) -> Self {
                nodes.next().map_or_else(|| self.clone(), Tensor::from_node)
            }
        }
    };
}

carried!(bool);
carried!(Index<X>, X);

/// What a scan goes along: a tensor, a [stack](Stacked) of parameters, or a tuple of these. A step sees one position.
#[diagnostic::on_unimplemented(
    message = "a scan cannot go along `{Self}`",
    label = "not a reference to a tensor or to a stack of parameters",
    note = "`scan(seq, h, &x, |h, x| (next, y))` goes along `x`; several are given as `(&x, &y)`, more than four by tuples in tuples"
)]
pub trait Sliced<S: Axes>: Copy {
    /// One position.
    type Step;

    /// Adds its nodes, in order.
    #[doc(hidden)]
    fn show(self, into: &mut Vec<Node>);

    /// One position, made of these nodes.
    #[doc(hidden)]
    fn step(self, nodes: &mut dyn Iterator<Item = Node>) -> Self::Step;
}

impl<A: Axes + Has<S>, S: Axes, T: Element> Sliced<S> for &Tensor<A, T> {
    type Step = Tensor<Reduced<A, S>, T>;

    fn show(self, into: &mut Vec<Node>) {
        into.push(self.node().clone());
    }

    fn step(self, nodes: &mut dyn Iterator<Item = Node>) -> Self::Step {
        Tensor::from_node(nodes.next().unwrap_or_else(|| self.node().clone()))
    }
}

impl<X: Axis, P: Parameters<T>, T: Real> Sliced<X> for &Stacked<X, P, T> {
    type Step = P;

    fn show(self, into: &mut Vec<Node>) {
        Carried::<T>::show(self.every(), into);
    }

    fn step(self, nodes: &mut dyn Iterator<Item = Node>) -> P {
        Carried::<T>::with(self.every(), nodes)
    }
}

/// What each step gives out: a tensor without the axis, a tuple of tensors, or nothing. All steps together have the axis.
#[diagnostic::on_unimplemented(
    message = "a step of a scan cannot give out `{Self}`",
    label = "not a tensor, a tuple of tensors or `()`",
    note = "a step returns the next carry and what it gives out: `|h, x| (next, y)`, or `(next, ())`"
)]
pub trait Given<S: Axes> {
    /// Those of all steps.
    type All;

    /// Adds its nodes, in order.
    #[doc(hidden)]
    fn show(&self, into: &mut Vec<Node>);

    /// Those of all steps, made of these nodes.
    #[doc(hidden)]
    fn all(&self, nodes: &mut dyn Iterator<Item = Node>) -> Self::All;
}

impl<A: Axes + Lacks<S>, S: Axes, T: Element> Given<S> for Tensor<A, T> {
    type All = Tensor<Created<A, S>, T>;

    fn show(&self, into: &mut Vec<Node>) {
        into.push(self.node().clone());
    }

    fn all(&self, nodes: &mut dyn Iterator<Item = Node>) -> Self::All {
        Tensor::from_node(nodes.next().unwrap_or_else(|| self.node().clone()))
    }
}

macro_rules! tuples {
    ($($name:ident $mark:ident $at:tt),*) => {
        impl<$($mark, $name: Carried<$mark>),*> Carried<($($mark,)*)> for ($($name,)*) {
            fn show(&self, _into: &mut Vec<Node>) {
                $(self.$at.show(_into);)*
            }

            #[allow(clippy::unused_unit, reason = "the tuple may be empty")]
            fn with(&self, _nodes: &mut dyn Iterator<Item = Node>) -> Self {
                ($(self.$at.with(_nodes),)*)
            }
        }

        impl<S: Axes, $($name: Given<S>),*> Given<S> for ($($name,)*) {
            type All = ($($name::All,)*);

            fn show(&self, _into: &mut Vec<Node>) {
                $(self.$at.show(_into);)*
            }

            #[allow(clippy::unused_unit, reason = "the tuple may be empty")]
            fn all(&self, _nodes: &mut dyn Iterator<Item = Node>) -> Self::All {
                ($(self.$at.all(_nodes),)*)
            }
        }
    };
}

macro_rules! several {
    ($($name:ident $at:tt),*) => {
        impl<S: Axes, $($name: Sliced<S>),*> Sliced<S> for ($($name,)*) {
            type Step = ($($name::Step,)*);

            fn show(self, into: &mut Vec<Node>) {
                $(self.$at.show(into);)*
            }

            fn step(self, nodes: &mut dyn Iterator<Item = Node>) -> Self::Step {
                ($(self.$at.step(nodes),)*)
            }
        }
    };
}

tuples!();
tuples!(V0 M0 0);
tuples!(V0 M0 0, V1 M1 1);
tuples!(V0 M0 0, V1 M1 1, V2 M2 2);
tuples!(V0 M0 0, V1 M1 1, V2 M2 2, V3 M3 3);
several!(V0 0, V1 1);
several!(V0 0, V1 1, V2 2);
several!(V0 0, V1 1, V2 2, V3 3);

/// Repeats a step along an axis, first position first: `(h, Y_{ax(i)}) = f(h, X_{ax(i)})`. Returns the last carry, and
/// what all steps have given out, with the axis.
///
/// `step` is called with tensors that stand for those of every step: what it computes is recorded, and run for each
/// position. So it cannot read numbers. (It is called again if the carry gains axes that a lifted function is lifted over.) Tensors from outside may be used in it as they are.
/// The carry comes back with the axes and sizes it went in with.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { seq, hidden, hidden_ }
/// let x = Tensor::new((seq, hidden), [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]);
/// let w = Tensor::new((hidden, hidden_), [[0.0, 1.0], [1.0, 0.0]]);
/// let h = Tensor::zeros(hidden.of(2));
///
/// let (last, all) = scan(seq, h, &x, |h, x| {
///     let h = (h.dot(hidden, &w).rename(hidden_, hidden) + x).tanh();
///     (h.clone(), h)
/// });
/// let all: Tensor<R![seq, hidden]> = all;
/// assert_eq!(all.at(seq, 2).to_vec(hidden)?, last.to_vec(hidden)?);
/// # Ok::<(), named_tensor::Error>(())
/// ```
///
/// Without a tensor to go along, `&Tensor::positions(seq.of(n))` counts the steps.
#[track_caller]
pub fn scan<S, C, M, X, Y>(
    axis: S,
    first: C,
    along: X,
    step: impl FnMut(C, X::Step) -> (C, Y),
) -> (C, <Y as Given<S::Set>>::All)
where
    S: Selector,
    S::Set: Single,
    C: Carried<M>,
    X: Sliced<S::Set>,
    Y: Given<S::Set>,
{
    let _ = axis;
    scanned::<S::Set, C, M, X, Y>(only(&S::names()), false, &first, along, step)
}

/// Repeats a step along an axis, last position first. What a step gives out stands at its own position.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { seq }
/// let x = Tensor::new(seq, [1.0, 2.0, 4.0]);
/// let (total, rest) = scan_backwards(seq, Tensor::scalar(0.0), &x, |sum, x| (&sum + &x, &sum + &x));
/// assert_eq!(total.item()?, 7.0);
/// assert_eq!(rest.to_vec(seq)?, [7.0, 6.0, 4.0]);
/// # Ok::<(), named_tensor::Error>(())
/// ```
#[track_caller]
pub fn scan_backwards<S, C, M, X, Y>(
    axis: S,
    first: C,
    along: X,
    step: impl FnMut(C, X::Step) -> (C, Y),
) -> (C, <Y as Given<S::Set>>::All)
where
    S: Selector,
    S::Set: Single,
    C: Carried<M>,
    X: Sliced<S::Set>,
    Y: Given<S::Set>,
{
    let _ = axis;
    scanned::<S::Set, C, M, X, Y>(only(&S::names()), true, &first, along, step)
}

#[track_caller]
fn scanned<S: Axes, C: Carried<M>, M, X: Sliced<S>, Y: Given<S>>(
    axis: crate::axis::Name,
    backwards: bool,
    first: &C,
    along: X,
    mut step: impl FnMut(C, X::Step) -> (C, Y),
) -> (C, Y::All) {
    let (mut carries, mut slices) = (Vec::new(), Vec::new());
    first.show(&mut carries);
    along.show(&mut slices);
    let mut given = None;
    let [last, all] = Node::scan(axis, backwards, &carries, &slices, |carries, slices| {
        let (mut carries, mut slices) = (carries.iter().cloned(), slices.iter().cloned());
        let (next, ys) = step(first.with(&mut carries), along.step(&mut slices));
        let (mut carries, mut results) = (Vec::new(), Vec::new());
        next.show(&mut carries);
        ys.show(&mut results);
        given = Some(ys);
        [carries, results]
    });
    let given = given.expect("a scan makes its body");
    (first.with(&mut last.into_iter()), given.all(&mut all.into_iter()))
}
