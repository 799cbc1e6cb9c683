//! The rules of names, one small trait each; the failure of a trait is the error message.
//!
//! Each rule carries as a parameter what is wrong (the missing axes, the shared ones), so that the message can print
//! it, and holds exactly when that set is empty, or when a mistake before has been reported already. (Two
//! implementations also keep rustc from guessing the parameter, and complaining about it instead of the rule.)
//! Lives here: the rules and their words. Not here: set algebra (`set`).

use super::set::{Axes, Inter, Minus, Reported};
use crate::axis::Axis;

/// The axes `S` are among the axes `Self`.
#[diagnostic::on_unimplemented(
    message = "axis `{Missing}` is missing: the tensor's axes are `{Self}`",
    label = "needs axis `{Missing}`, has only `{Self}`",
    note = "contraction, reduction, softmax, rename and index need their axis present (rule 2: contraction is strict)"
)]
pub trait Has<S: Axes, Missing = <Self as Axes>::Missing<S>>: Axes {}
#[diagnostic::do_not_recommend]
impl<A: Axes, S: Axes> Has<S, ()> for A {}
#[diagnostic::do_not_recommend]
impl<A: Axes, S: Axes> Has<S, Reported> for A {}

/// The axes `Self` that an operation names are among the tensor's axes `A`: the same rule as [`Has`], blaming the axis.
#[diagnostic::on_unimplemented(
    message = "axis `{Missing}` is missing: the tensor's axes are `{A}`",
    label = "the tensor has only `{A}`",
    note = "contraction, reduction, softmax, rename and index need their axis present (rule 2: contraction is strict)"
)]
pub trait Among<A: Axes, Missing = <A as Axes>::Missing<Self>>: Axes {}
#[diagnostic::do_not_recommend]
impl<S: Axes, A: Axes + Has<S, Lacking>, Lacking> Among<A, Lacking> for S {}

/// Sizes are given for all axes `Needed` of the parameters.
#[diagnostic::on_unimplemented(
    message = "no size is given for axis `{Missing}`: sizes are given for `{Self}`",
    label = "axis `{Missing}` has no size here",
    note = "every axis of every parameter needs a size: `(chans.of(512), out.of(64))`"
)]
pub trait Gives<Needed: Axes, Missing = <Self as Axes>::Missing<Needed>>: Axes {}
#[diagnostic::do_not_recommend]
impl<A: Axes, Needed: Axes> Gives<Needed, ()> for A {}
#[diagnostic::do_not_recommend]
impl<A: Axes, Needed: Axes> Gives<Needed, Reported> for A {}

/// No axes are left: the tensor is a single number.
#[diagnostic::on_unimplemented(
    message = "a single number is read from a tensor without axes: this one's are `{Self}`",
    label = "has axes `{Self}`",
    note = "name a position of each axis, `x.at(seq, 0).item()`, or read all numbers, `x.to_vec(seq)`"
)]
pub trait Alone: Axes {}
impl Alone for () {}
impl Alone for Reported {}

/// What is differentiated to a gradient is a single number.
// A trait with the name of one in a dependency would be mentioned beside it in the message.
#[diagnostic::on_unimplemented(
    message = "a gradient is that of a scalar: this tensor has axes `{Self}`",
    label = "has axes `{Self}`",
    note = "sum it first, `loss.sum(batch)` or `loss.mean(batch)`; a tensor with axes has a `jacobian` and a `vjp`"
)]
pub trait Summed: Axes {}
#[diagnostic::do_not_recommend]
impl Summed for () {}
#[diagnostic::do_not_recommend]
impl Summed for Reported {}

/// None of the axes `S` is among the axes `Self`.
#[diagnostic::on_unimplemented(
    message = "axis `{Shared}` is already there, among `{Self}`",
    label = "axis `{Shared}` is already there",
    note = "an axis that an operation creates must be absent before: choose another name, or first rename the axis that is there, starred ones too"
)]
pub trait Lacks<S: Axes, Shared = Inter<S, Self>>: Axes {}
#[diagnostic::do_not_recommend]
impl<A: Axes, S: Axes> Lacks<S, ()> for A {}
#[diagnostic::do_not_recommend]
impl<A: Axes, S: Axes> Lacks<S, Reported> for A {}

/// The axes of an argument beyond its declared axes `S` are not among the axes `U` of the result.
#[diagnostic::on_unimplemented(
    message = "extra axis `{Clash}` of an argument with axes `{Self}` is also an axis of the result `{U}`: rename it first",
    label = "extra axis `{Clash}` is also an axis of the result",
    note = "a function is lifted over the extra axes of its arguments, so they stand beside the axes of its result"
)]
pub trait Avoids<S: Axes, U: Axes, Clash = <Self as Axes>::Clash<S, U>>: Axes {}
#[diagnostic::do_not_recommend]
impl<A: Axes, S: Axes, U: Axes> Avoids<S, U, ()> for A {}
#[diagnostic::do_not_recommend]
impl<A: Axes, S: Axes, U: Axes> Avoids<S, U, Reported> for A {}

/// The axes are exactly the declared axes `U` (rule 4).
#[diagnostic::on_unimplemented(
    message = "the result has axes `{Self}`, but `{U}` was declared (extra: `{Extra}`, lacking: `{Lacking}`)",
    label = "has axes `{Self}`, declared `{U}`",
    note = "`()` means none; a union is always legal, so only the declared result tells a misprint: rename, sum or contract the extra axes"
)]
pub trait SameAs<U: Axes, Extra = Minus<Self, U>, Lacking = Minus<U, Self>>: Axes {}
#[diagnostic::do_not_recommend]
impl<A: Axes, U: Axes> SameAs<U, (), ()> for A {}
#[diagnostic::do_not_recommend]
impl<A: Axes, U: Axes> SameAs<U, Reported, ()> for A {}

/// The axes named to read or to lay out are exactly the tensor's.
#[diagnostic::on_unimplemented(
    message = "the tensor's axes are `{Self}`, but `{U}` are named (missing: `{Lacking}`, not there: `{Extra}`)",
    label = "name each of `{Self}` once",
    note = "the order of axes has no meaning, so reading states one"
)]
pub trait OrderedBy<U: Axes, Lacking = Minus<Self, U>, Extra = Minus<U, Self>>: Axes {}
#[diagnostic::do_not_recommend]
impl<A: Axes, U: Axes> OrderedBy<U, (), ()> for A {}
#[diagnostic::do_not_recommend]
impl<A: Axes, U: Axes> OrderedBy<U, Reported, ()> for A {}
#[diagnostic::do_not_recommend]
impl<A: Axes, U: Axes> OrderedBy<U, (), Reported> for A {}
#[diagnostic::do_not_recommend]
impl<A: Axes, U: Axes> OrderedBy<U, Reported, Reported> for A {}

/// Every axis of a tuple of axes is named once: `(height, height)` is refused, not shortened.
#[diagnostic::on_unimplemented(
    message = "axis `{Repeated}` is named twice",
    label = "axis `{Repeated}` is named twice",
    note = "a set of axes names each axis once"
)]
pub trait Once<Repeated> {}
#[diagnostic::do_not_recommend]
impl<S> Once<()> for S {}
#[diagnostic::do_not_recommend]
impl<S> Once<Reported> for S {}

/// Both tensors have the same axes.
#[diagnostic::on_unimplemented(
    message = "the axes of a concatenation differ: `{Self}` and `{B}` (only left: `{Left}`, only right: `{Right}`)",
    label = "the left operand has axes `{Self}`",
    note = "both operands of a concatenation have the same axes; the sizes of the axis itself may differ"
)]
pub trait Aligned<B: Axes, Left = Minus<Self, B>, Right = Minus<B, Self>>: Axes {}
#[diagnostic::do_not_recommend]
impl<A: Axes, B: Axes> Aligned<B, (), ()> for A {}
#[diagnostic::do_not_recommend]
impl<A: Axes, B: Axes> Aligned<B, Reported, ()> for A {}
#[diagnostic::do_not_recommend]
impl<A: Axes, B: Axes> Aligned<B, (), Reported> for A {}
#[diagnostic::do_not_recommend]
impl<A: Axes, B: Axes> Aligned<B, Reported, Reported> for A {}

/// One axis, not several.
#[diagnostic::on_unimplemented(
    message = "one axis is needed here, not the set `{Self}`",
    label = "one axis is needed here"
)]
pub trait Single: Axis {}
impl<A: Axis> Single for A {}

/// For functions that are generic in axes: `A: With<hidden>` says that `hidden` is among the axes `A`, and teaches
/// rustc that A ∪ A = A and A ∪ (A ∖ S) = A.
///
/// ```
/// use named_tensor::prelude::*;
/// axes! { batch, hidden }
///
/// fn centre<A: With<hidden>>(x: &Tensor<A>) -> Tensor<A> {
///     x - x.mean(hidden)
/// }
///
/// let x = Tensor::new((batch, hidden), [[1.0, 3.0], [2.0, 6.0]]);
/// assert_eq!(centre(&x).to_vec((batch, hidden))?, [-1.0, 1.0, -2.0, 2.0]);
/// # Ok::<(), named_tensor::Error>(())
/// ```
///
/// A set of several axes is named as a whole, as in `x.mean((batch, hidden))`; axes named one at a time have a bound each.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { batch, hidden }
/// fn twice<A: With<batch> + With<hidden>>(x: &Tensor<A>) -> Tensor<A> {
///     x.softmax(hidden) - x.mean(batch)
/// }
/// # assert_eq!(twice(&Tensor::ones((batch.of(2), hidden.of(1)))).to_vec((batch, hidden))?, [0.0, 0.0]);
/// # Ok::<(), named_tensor::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "axis `{S}` is missing: the tensor's axes are `{Self}`",
    label = "needs axis `{S}`, has only `{Self}`"
)]
pub trait With<S: Axes>:
    Has<S, ()>
    + Axes<
        Missing<S> = (),
        Reduced<S> = Minus<Self, S>,
        Union<Self> = Self,
        Union<Minus<Self, S>> = Self,
        Minus<S>: Axes<Union<Self> = Self, Union<Minus<Self, S>> = Minus<Self, S>>,
    >
{
}
#[diagnostic::do_not_recommend]
impl<A, S: Axes> With<S> for A where
    A: Has<S, ()>
        + Axes<
            Missing<S> = (),
            Reduced<S> = Minus<Self, S>,
            Union<Self> = Self,
            Union<Minus<Self, S>> = Self,
            Minus<S>: Axes<Union<Self> = Self, Union<Minus<Self, S>> = Minus<Self, S>>,
        >
{
}
