//! Sets of axes as types: `()`, `key`, `(key, seq)`.
//!
//! `R![seq, key]` writes the canonical, sorted tuple, so two sets are equal exactly when the types are.
//! Lives here: tuples as sets, their union, difference and intersection. Not here: rules with messages (`rules`).

use super::list::{Anything, Cons, Excess, Flat, IfHas, IfLacks, Joined, List, Nil, Shared, Without};
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
    /// `self ∖ S`, the axes after S were reduced. This and the next ones are [`Reported`] if a rule is broken.
    type Reduced<S: Axes>: Axes;
    /// `(self ∪ B) ∖ S`, the axes of a contraction over S.
    type Dot<B: Axes, S: Axes>: Axes;
    /// `(self ∖ O) ∪ N`, the axes after O became N.
    type Renamed<O: Axes, N: Axes>: Axes;
    /// `(self ∖ S) ∪ B`, the axes of a table looked up along S at positions with the axes B.
    type Indexed<S: Axes, B: Axes>: Axes;
    /// `self ∪ N`, the axes after N was created.
    type Created<N: Axes>: Axes;
    /// `(self ∖ S) ∩ U`, what of the axes beyond S is in U too.
    type Clash<S: Axes, U: Axes>: Axes;
    /// `R ∪ (self ∖ S)`, the axes R of a result after this argument, declared with S, has brought its further axes.
    type Lifted<S: Axes, R: Axes>: Axes;
    /// The same axes, each with a star.
    type Star: Axes;

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
/// `A ∖ S`
pub type Reduced<A, S> = <A as Axes>::Reduced<S>;
/// `(A ∪ B) ∖ S`
pub type Dot<A, B, S> = <A as Axes>::Dot<B, S>;
/// `(A ∖ O) ∪ N`
pub type Renamed<A, O, N> = <A as Axes>::Renamed<O, N>;
/// `(A ∖ S) ∪ B`
pub type Indexed<A, S, B> = <A as Axes>::Indexed<S, B>;
/// `A ∪ N`
pub type Created<A, N> = <A as Axes>::Created<N>;

macro_rules! algebra {
    () => {
        type Union<Other: Axes> = Flat<Joined<Self::List, Other::List>>;
        type Minus<Other: Axes> = Flat<Without<Self::List, Other::List>>;
        type Inter<Other: Axes> = Flat<Shared<Self::List, Other::List>>;
        type Missing<S: Axes> = Flat<Without<S::List, Self::List>>;
        type Reduced<S: Axes> = Flat<IfHas<Self::List, S::List, Without<Self::List, S::List>>>;
        type Dot<Other: Axes, S: Axes> = Flat<
            IfHas<Self::List, S::List, IfHas<Other::List, S::List, Without<Joined<Self::List, Other::List>, S::List>>>,
        >;
        type Renamed<O: Axes, N: Axes> = Flat<
            IfHas<
                Self::List,
                O::List,
                IfLacks<Without<Self::List, O::List>, N::List, Joined<Without<Self::List, O::List>, N::List>>,
            >,
        >;
        type Indexed<S: Axes, Other: Axes> =
            Flat<IfHas<Self::List, S::List, Joined<Without<Self::List, S::List>, Other::List>>>;
        type Created<N: Axes> = Flat<IfLacks<Self::List, N::List, Joined<Self::List, N::List>>>;
        type Clash<S: Axes, U: Axes> = Flat<IfHas<Self::List, S::List, Shared<Without<Self::List, S::List>, U::List>>>;
        type Star = Flat<<Self::List as List>::Star>;
        type Lifted<S: Axes, R: Axes> = Flat<IfHas<Self::List, S::List, Joined<R::List, Without<Self::List, S::List>>>>;
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

/// What a set of more than 12 axes becomes. Nothing accepts it, and messages show its name in place of the axes.
#[derive(Debug)]
pub struct MoreThanTwelveAxes;

impl Axes for MoreThanTwelveAxes {
    type List = Excess;
    algebra!();
}
