//! Sets of axes as types: `()`, `key`, `(key, seq)`.
//!
//! `R![seq, key]` writes the canonical, sorted tuple, so two sets are equal exactly when the types are.
//! Lives here: tuples as sets, their union, difference and intersection. Not here: rules with messages (`rules`).

use super::list::{Anything, Cons, List, Nil};
use crate::axis::Axis;
use crate::graph::shape::Names;

/// A set of axes, written `R![seq, key]`. All operations are total: rules that may fail are separate traits, so that
/// one mistake gives one error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of axes",
    label = "not a set of axes",
    note = "a set is written `R![]`, `R![key]` or `R![seq, key]`, of at most 12 axes"
)]
pub trait Axes: Sized + 'static {
    /// The same axes as a list.
    type List: List;
    /// `self ∪ B`
    type Union<B: Axes>: Axes;
    /// `self ∖ B`
    type Minus<B: Axes>: Axes;
    /// `self ∩ B`
    type Inter<B: Axes>: Axes;
    /// `S ∖ self`, what of S is missing.
    type Missing<S: Axes>: Axes;
    /// `(self ∪ B) ∖ S`
    type Dot<B: Axes, S: Axes>: Axes;
    /// `(self ∖ O) ∪ N`
    type Renamed<O: Axes, N: Axes>: Axes;
    /// The same axes, each with a star.
    type Star: Axes;
    /// X if S is in this set, else [`Reported`].
    type With<S: Axes, X: Axes>: Axes;
    /// X if no axis of S is in this set, else [`Reported`].
    type Without<S: Axes, X: Axes>: Axes;

    /// The names in order.
    #[must_use]
    fn names() -> Names {
        let mut names = Names::new();
        Self::List::names(&mut names);
        names
    }
}

/// `A ∪ B`
pub type Union<A, B> = <A as Axes>::Union<B>;
/// `A ∖ B`
pub type Minus<A, B> = <A as Axes>::Minus<B>;
/// `A ∩ B`
pub type Inter<A, B> = <A as Axes>::Inter<B>;
/// What of S is missing in A.
pub type Missing<A, S> = <A as Axes>::Missing<S>;
/// The axes of A, each with a star.
pub type Star<A> = <A as Axes>::Star;
/// X if A has S, else [`Reported`].
pub type IfHas<A, S, X> = <A as Axes>::With<S, X>;
/// X if A has no axis of S, else [`Reported`].
pub type IfLacks<A, S, X> = <A as Axes>::Without<S, X>;

/// `A ∖ S`, the axes after S were reduced. Like the next ones, [`Reported`] if a rule is broken.
pub type Reduced<A, S> = IfHas<A, S, Minus<A, S>>;
/// `(A ∪ B) ∖ S`, the axes of a contraction over S.
pub type Dot<A, B, S> = IfHas<A, S, IfHas<B, S, <A as Axes>::Dot<B, S>>>;
/// `(A ∖ O) ∪ N`, the axes after O became N.
pub type Renamed<A, O, N> = IfHas<A, O, IfLacks<Minus<A, O>, N, <A as Axes>::Renamed<O, N>>>;
/// `(A ∖ S) ∪ B`, the axes of a table A looked up along S at positions with the axes B.
pub type Indexed<A, S, B> = IfHas<A, S, <A as Axes>::Renamed<S, B>>;
/// `A ∪ N`, the axes after N was created.
pub type Created<A, N> = IfLacks<A, N, Union<A, N>>;

macro_rules! algebra {
    () => {
        type Union<Other: Axes> = <<Self::List as List>::Union<Other::List> as List>::Flat;
        type Minus<Other: Axes> = <<Self::List as List>::Minus<Other::List> as List>::Flat;
        type Inter<Other: Axes> = <<Self::List as List>::Inter<Other::List> as List>::Flat;
        type Missing<Other: Axes> = <<Other::List as List>::Minus<Self::List> as List>::Flat;
        type Dot<Other: Axes, S: Axes> =
            <<<Self::List as List>::Union<Other::List> as List>::Minus<S::List> as List>::Flat;
        type Renamed<O: Axes, N: Axes> = <<<Self::List as List>::Minus<O::List> as List>::Union<N::List> as List>::Flat;
        type Star = <<Self::List as List>::Star as List>::Flat;
        type With<S: Axes, X: Axes> = <<S::List as List>::Minus<Self::List> as List>::IfEmpty<X>;
        type Without<S: Axes, X: Axes> = <<Self::List as List>::Inter<S::List> as List>::IfEmpty<X>;
    };
}

/// What an operation that breaks a rule results in: no rule is broken by it again, so one mistake gives one error.
#[derive(Debug)]
pub struct Reported;

impl Axes for Reported {
    type List = Anything;
    algebra!();
}

impl Axes for () {
    type List = Nil;
    algebra!();
}

impl<A: Axis> Axes for A {
    type List = Cons<A, Nil>;
    algebra!();
}

macro_rules! list {
    () => { Nil };
    ($head:ident $(, $tail:ident)*) => { Cons<$head, list!($($tail),*)> };
}

macro_rules! axes {
    ($($axis:ident),*) => {
        impl<$($axis: Axis),*> Axes for ($($axis),*) {
            type List = list!($($axis),*);
            algebra!();
        }
    };
}

axes!(A, B);
axes!(A, B, C);
axes!(A, B, C, D);
axes!(A, B, C, D, E);
axes!(A, B, C, D, E, F);
axes!(A, B, C, D, E, F, G);
axes!(A, B, C, D, E, F, G, H);
axes!(A, B, C, D, E, F, G, H, I);
axes!(A, B, C, D, E, F, G, H, I, J);
axes!(A, B, C, D, E, F, G, H, I, J, K);
axes!(A, B, C, D, E, F, G, H, I, J, K, L);

/// What a set of more than 12 axes becomes. Nothing accepts it.
#[derive(Debug)]
pub struct TooManyAxes;

impl Axes for TooManyAxes {
    type List = Nil;
    algebra!();
}
