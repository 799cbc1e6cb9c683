//! Sorted lists of axes: what the algebra of sets works on.
//!
//! A set of axes is written as a flat tuple, because rustc prints it in every message; the algebra needs a head and a
//! tail. Lives here: union, difference and intersection of sorted lists, and the way back to the tuple.
//! Not here: which name comes first (`order`), tuples to lists (`set`).

use std::marker::PhantomData;

use super::order::{Compare, Order};
use super::set::{Axes, MoreThanTwelveAxes, Reported};
use super::starred::star;
use crate::axis::{Axis, Name};
use crate::graph::shape::Names;

/// No axes.
#[derive(Debug)]
pub struct Nil;

/// One axis and the later ones.
#[derive(Debug)]
pub struct Cons<Head, Tail>(PhantomData<(Head, Tail)>);

/// A sorted list of axes.
pub trait List: 'static {
    /// How many axes.
    const RANK: usize;
    /// `self ∪ L`
    type Union<L: List>: List;
    /// `Cons<H, T> ∪ self`
    type UnionWith<H: Axis, T: List>: List;
    /// `self ∖ L`
    type Minus<L: List>: List;
    /// `self ∖ Cons<H, T>`
    type MinusWith<H: Axis, T: List>: List;
    /// `Cons<H, T> ∖ self`
    type MinusFrom<H: Axis, T: List>: List;
    /// `self ∩ L`
    type Inter<L: List>: List;
    /// `self ∩ Cons<H, T>`
    type InterWith<H: Axis, T: List>: List;
    /// The same axes, each with a star.
    type Star: List;
    /// X if the list is empty, else what a reported mistake leaves behind.
    type IfEmpty<X: List>: List;
    /// The tuple.
    type Flat: Axes;
    /// The tuple of 1 axes and this list.
    type Flat1<A: Axis>: Axes;
    /// The tuple of 2 axes and this list.
    type Flat2<A: Axis, B: Axis>: Axes;
    /// The tuple of 3 axes and this list.
    type Flat3<A: Axis, B: Axis, C: Axis>: Axes;
    /// The tuple of 4 axes and this list.
    type Flat4<A: Axis, B: Axis, C: Axis, D: Axis>: Axes;
    /// The tuple of 5 axes and this list.
    type Flat5<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis>: Axes;
    /// The tuple of 6 axes and this list.
    type Flat6<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis>: Axes;
    /// The tuple of 7 axes and this list.
    type Flat7<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis>: Axes;
    /// The tuple of 8 axes and this list.
    type Flat8<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis, H: Axis>: Axes;
    /// The tuple of 9 axes and this list.
    type Flat9<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis, H: Axis, I: Axis>: Axes;
    /// The tuple of 10 axes and this list.
    type Flat10<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis, H: Axis, I: Axis, J: Axis>: Axes;
    /// The tuple of 11 axes and this list.
    type Flat11<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis, H: Axis, I: Axis, J: Axis, K: Axis>: Axes;
    /// The tuple of 12 axes and this list.
    type Flat12<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis, H: Axis, I: Axis, J: Axis, K: Axis, L: Axis>: Axes;

    /// Adds the names in order.
    fn names(into: &mut Names);
}

/// The tuple of a list.
pub type Flat<L> = <L as List>::Flat;
/// `A ∪ B`
pub type Joined<A, B> = <A as List>::Union<B>;
/// `A ∖ B`
pub type Without<A, B> = <A as List>::Minus<B>;
/// `A ∩ B`
pub type Shared<A, B> = <A as List>::Inter<B>;
/// X if A has S, else [`Anything`].
pub type IfHas<A, S, X> = <Without<S, A> as List>::IfEmpty<X>;
/// X if A has no axis of S, else [`Anything`].
pub type IfLacks<A, S, X> = <Shared<A, S> as List>::IfEmpty<X>;

impl List for Nil {
    const RANK: usize = 0;
    type Union<L: List> = L;
    type UnionWith<H: Axis, T: List> = Cons<H, T>;
    type Minus<L: List> = Nil;
    type MinusWith<H: Axis, T: List> = Nil;
    type MinusFrom<H: Axis, T: List> = Cons<H, T>;
    type Inter<L: List> = Nil;
    type InterWith<H: Axis, T: List> = Nil;
    type Star = Nil;
    type IfEmpty<X: List> = X;
    type Flat = ();
    type Flat1<A: Axis> = A;
    type Flat2<A: Axis, B: Axis> = (A, B);
    type Flat3<A: Axis, B: Axis, C: Axis> = (A, B, C);
    type Flat4<A: Axis, B: Axis, C: Axis, D: Axis> = (A, B, C, D);
    type Flat5<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis> = (A, B, C, D, E);
    type Flat6<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis> = (A, B, C, D, E, F);
    type Flat7<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis> = (A, B, C, D, E, F, G);
    type Flat8<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis, H: Axis> = (A, B, C, D, E, F, G, H);
    type Flat9<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis, H: Axis, I: Axis> =
        (A, B, C, D, E, F, G, H, I);
    type Flat10<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis, H: Axis, I: Axis, J: Axis> =
        (A, B, C, D, E, F, G, H, I, J);
    type Flat11<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis, H: Axis, I: Axis, J: Axis, K: Axis> =
        (A, B, C, D, E, F, G, H, I, J, K);
    type Flat12<
        A: Axis,
        B: Axis,
        C: Axis,
        D: Axis,
        E: Axis,
        F: Axis,
        G: Axis,
        H: Axis,
        I: Axis,
        J: Axis,
        K: Axis,
        L: Axis,
    > = (A, B, C, D, E, F, G, H, I, J, K, L);

    fn names(_: &mut Names) {}
}

/// A list that is no tuple, whatever stands before it.
macro_rules! no_tuple {
    ($set:ty) => {
        type Flat = $set;
        type Flat1<A: Axis> = $set;
        type Flat2<A: Axis, B: Axis> = $set;
        type Flat3<A: Axis, B: Axis, C: Axis> = $set;
        type Flat4<A: Axis, B: Axis, C: Axis, D: Axis> = $set;
        type Flat5<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis> = $set;
        type Flat6<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis> = $set;
        type Flat7<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis> = $set;
        type Flat8<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis, H: Axis> = $set;
        type Flat9<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis, H: Axis, I: Axis> = $set;
        type Flat10<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis, H: Axis, I: Axis, J: Axis> = $set;
        type Flat11<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis, H: Axis, I: Axis, J: Axis, K: Axis> =
            $set;
        type Flat12<
            A: Axis,
            B: Axis,
            C: Axis,
            D: Axis,
            E: Axis,
            F: Axis,
            G: Axis,
            H: Axis,
            I: Axis,
            J: Axis,
            K: Axis,
            L: Axis,
        > = $set;
    };
}

/// What a mistake that is reported leaves behind: it has every axis and clashes with none, so nothing that is computed
/// from it is blamed again.
#[derive(Debug)]
pub struct Anything;

impl List for Anything {
    const RANK: usize = 0;
    type Union<L: List> = Anything;
    type UnionWith<H: Axis, T: List> = Anything;
    type Minus<L: List> = Anything;
    type MinusWith<H: Axis, T: List> = Anything;
    type MinusFrom<H: Axis, T: List> = Nil;
    type Inter<L: List> = Nil;
    type InterWith<H: Axis, T: List> = Nil;
    type Star = Anything;
    type IfEmpty<X: List> = Anything;
    no_tuple!(Reported);

    fn names(_: &mut Names) {}
}

/// More axes than a tuple has. It stays so whatever is added or taken away, and it has no axis that an operation names, so
/// that its first use is refused.
#[derive(Debug)]
pub struct Excess;

impl List for Excess {
    const RANK: usize = 0;
    type Union<L: List> = Excess;
    type UnionWith<H: Axis, T: List> = Excess;
    type Minus<L: List> = Excess;
    type MinusWith<H: Axis, T: List> = Excess;
    type MinusFrom<H: Axis, T: List> = Cons<H, T>;
    type Inter<L: List> = Nil;
    type InterWith<H: Axis, T: List> = Nil;
    type Star = Excess;
    type IfEmpty<X: List> = Anything;
    no_tuple!(MoreThanTwelveAxes);

    fn names(_: &mut Names) {}
}

impl<Head: Axis, Tail: List> List for Cons<Head, Tail> {
    const RANK: usize = 1 + Tail::RANK;
    type Union<L: List> = L::UnionWith<Head, Tail>;
    type UnionWith<H: Axis, T: List> = <Compare<H, Head> as Order>::Union<H, T, Head, Tail>;
    type Minus<L: List> = L::MinusFrom<Head, Tail>;
    type MinusWith<H: Axis, T: List> = <Compare<Head, H> as Order>::Minus<Head, Tail, H, T>;
    type MinusFrom<H: Axis, T: List> = <Compare<H, Head> as Order>::Minus<H, T, Head, Tail>;
    type Inter<L: List> = L::InterWith<Head, Tail>;
    type InterWith<H: Axis, T: List> = <Compare<H, Head> as Order>::Inter<H, T, Head, Tail>;
    type Star = Cons<star<Head>, Tail::Star>;
    type IfEmpty<X: List> = Anything;
    type Flat = Tail::Flat1<Head>;
    type Flat1<A: Axis> = Tail::Flat2<A, Head>;
    type Flat2<A: Axis, B: Axis> = Tail::Flat3<A, B, Head>;
    type Flat3<A: Axis, B: Axis, C: Axis> = Tail::Flat4<A, B, C, Head>;
    type Flat4<A: Axis, B: Axis, C: Axis, D: Axis> = Tail::Flat5<A, B, C, D, Head>;
    type Flat5<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis> = Tail::Flat6<A, B, C, D, E, Head>;
    type Flat6<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis> = Tail::Flat7<A, B, C, D, E, F, Head>;
    type Flat7<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis> = Tail::Flat8<A, B, C, D, E, F, G, Head>;
    type Flat8<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis, H: Axis> =
        Tail::Flat9<A, B, C, D, E, F, G, H, Head>;
    type Flat9<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis, H: Axis, I: Axis> =
        Tail::Flat10<A, B, C, D, E, F, G, H, I, Head>;
    type Flat10<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis, H: Axis, I: Axis, J: Axis> =
        Tail::Flat11<A, B, C, D, E, F, G, H, I, J, Head>;
    type Flat11<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, F: Axis, G: Axis, H: Axis, I: Axis, J: Axis, K: Axis> =
        Tail::Flat12<A, B, C, D, E, F, G, H, I, J, K, Head>;
    type Flat12<
        A: Axis,
        B: Axis,
        C: Axis,
        D: Axis,
        E: Axis,
        F: Axis,
        G: Axis,
        H: Axis,
        I: Axis,
        J: Axis,
        K: Axis,
        L: Axis,
    > = MoreThanTwelveAxes;

    fn names(into: &mut Names) {
        into.push(Name::of::<Head>());
        Tail::names(into);
    }
}
