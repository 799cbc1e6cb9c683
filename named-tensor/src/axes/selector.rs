//! Axes as arguments: `key`, `(heads, val)`, `key.of(64)`.
//!
//! `axes!` declares each axis as a type and as a function of the same name that returns the axis. A function item is a
//! value that can be passed and never turns a variable of that name into a pattern, as a unit struct would.
//! Lives here: what may be passed where axes are named, alone or with sizes. Not here: sets (`set`), rules (`rules`).

use std::marker::PhantomData;

use smallvec::SmallVec;

use super::set::{Axes, Inter, Union};
use crate::axis::{Axis, Name};
use crate::graph::shape::Names;

/// One axis or several in an order: `key`, `(heads, val)`.
#[diagnostic::on_unimplemented(
    message = "an axis or a tuple of axes is needed here",
    label = "not an axis",
    note = "axes are declared with `axes! {{ key, val }}` and named as `key` or `(key, val)`",
    note = "behind the bound `A: With<R![key, val]>` both are named together; for one at a time say `A: With<key> + With<val>`"
)]
pub trait Selector: Copy {
    /// The axes as a set.
    type Set: Axes;
    /// The axes that are named more than once.
    type Repeated: Axes;
    /// One position for each axis.
    type Positions: Copy + AsRef<[usize]> + AsMut<[usize]> + Default + std::fmt::Debug;

    /// The names in the order written.
    fn names() -> Names;
}

impl Selector for () {
    type Set = ();
    type Repeated = ();
    type Positions = [usize; 0];

    fn names() -> Names {
        Names::new()
    }
}

#[diagnostic::do_not_recommend]
impl<F: Fn() -> A + Copy, A: Axis> Selector for F {
    type Set = A;
    type Repeated = ();
    type Positions = [usize; 1];

    fn names() -> Names {
        // One name, without a copy of as many as there are.
        Names::from_buf_and_len([Name::of::<A>(); 2], 1)
    }
}

/// An axis with a size: `key.of(64)`.
#[derive(Debug)]
pub struct Extent<A> {
    size: usize,
    axis: PhantomData<A>,
}

impl<A> Clone for Extent<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Extent<A> {}

/// Gives axes a size: `key.of(64)`.
pub trait Of<A: Axis>: Fn() -> A + Sized {
    /// This axis with `size` positions.
    fn of(self, size: usize) -> Extent<A> {
        Extent { size, axis: PhantomData }
    }
}

impl<F: Fn() -> A, A: Axis> Of<A> for F {}

/// Axes with sizes, in the order in which numbers lie: `(seq.of(5), key.of(64))`.
#[diagnostic::on_unimplemented(
    message = "axes with sizes are needed here",
    label = "not axes with sizes",
    note = "an axis with its size is written `key.of(64)`, several `(seq.of(5), key.of(64))`"
)]
pub trait Extents: Copy {
    /// The axes as a set.
    type Set: Axes;
    /// The axes that are named more than once.
    type Repeated: Axes;
    /// One position for each axis.
    type Positions: Copy + AsRef<[usize]> + AsMut<[usize]> + Default + std::fmt::Debug;

    /// The axes and sizes in the order written.
    fn sizes(self) -> SmallVec<[(Name, usize); 6]>;
}

impl Extents for () {
    type Set = ();
    type Repeated = ();
    type Positions = [usize; 0];

    fn sizes(self) -> SmallVec<[(Name, usize); 6]> {
        SmallVec::new()
    }
}

impl<A: Axis> Extents for Extent<A> {
    type Set = A;
    type Repeated = ();
    type Positions = [usize; 1];

    fn sizes(self) -> SmallVec<[(Name, usize); 6]> {
        SmallVec::from_slice(&[(Name::of::<A>(), self.size)])
    }
}

/// The axes one axis is split into; one may leave its size out: `(heads.of(12), key)`.
#[diagnostic::on_unimplemented(
    message = "the axes of a split are needed here",
    label = "not the axes of a split",
    note = "they are written `(heads.of(12), key)`, the first one slowest; one size may be left out"
)]
pub trait Parts: Copy {
    /// The axes as a set.
    type Set: Axes;
    /// The axes that are named more than once.
    type Repeated: Axes;

    /// The axes and their sizes in the order written.
    fn parts(self) -> SmallVec<[(Name, Option<usize>); 4]>;
}

/// One of the axes an axis is split into.
pub trait Part: Copy {
    /// The axis.
    type Axis: Axis;

    /// Its size, if stated.
    fn size(self) -> Option<usize>;
}

impl<A: Axis> Part for Extent<A> {
    type Axis = A;

    fn size(self) -> Option<usize> {
        Some(self.size)
    }
}

#[diagnostic::do_not_recommend]
impl<F: Fn() -> A + Copy, A: Axis> Part for F {
    type Axis = A;

    fn size(self) -> Option<usize> {
        None
    }
}

macro_rules! tuples {
    ($($rank:literal $set:ty, $repeated:ty; $($axis:ident $value:ident $index:tt)*;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($axis: Axis, $value: Fn() -> $axis + Copy),*> Selector for ($($value,)*) {
            type Set = $set;
            type Repeated = $repeated;
            type Positions = [usize; $rank];

            fn names() -> Names {
                Names::from_slice(&[$(Name::of::<$axis>()),*])
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($axis: Axis),*> Extents for ($(Extent<$axis>,)*) {
            type Set = $set;
            type Repeated = $repeated;
            type Positions = [usize; $rank];

            fn sizes(self) -> SmallVec<[(Name, usize); 6]> {
                SmallVec::from_slice(&[$((Name::of::<$axis>(), self.$index.size)),*])
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($axis: Axis, $value: Part<Axis = $axis>),*> Parts for ($($value,)*) {
            type Set = $set;
            type Repeated = $repeated;

            fn parts(self) -> SmallVec<[(Name, Option<usize>); 4]> {
                SmallVec::from_iter([$((Name::of::<$axis>(), self.$index.size())),*])
            }
        }
    )*};
}

tuples! {
    1 A, (); A FA 0;
    2 Union<A, B>, Inter<A, B>; A FA 0 B FB 1;
    3 Union<A, Union<B, C>>, Union<Inter<A, Union<B, C>>, Inter<B, C>>; A FA 0 B FB 1 C FC 2;
    4 Union<A, Union<B, Union<C, D>>>, Union<Inter<A, Union<B, Union<C, D>>>, Union<Inter<B, Union<C, D>>, Inter<C, D>>>; A FA 0 B FB 1 C FC 2 D FD 3;
    5 Union<A, Union<B, Union<C, Union<D, E>>>>, Union<Inter<A, Union<B, Union<C, Union<D, E>>>>, Union<Inter<B, Union<C, Union<D, E>>>, Union<Inter<C, Union<D, E>>, Inter<D, E>>>>; A FA 0 B FB 1 C FC 2 D FD 3 E FE 4;
    6 Union<A, Union<B, Union<C, Union<D, Union<E, F>>>>>, Union<Inter<A, Union<B, Union<C, Union<D, Union<E, F>>>>>, Union<Inter<B, Union<C, Union<D, Union<E, F>>>>, Union<Inter<C, Union<D, Union<E, F>>>, Union<Inter<D, Union<E, F>>, Inter<E, F>>>>>; A FA 0 B FB 1 C FC 2 D FD 3 E FE 4 F FF 5;
    7 Union<A, Union<B, Union<C, Union<D, Union<E, Union<F, G>>>>>>, Union<Inter<A, Union<B, Union<C, Union<D, Union<E, Union<F, G>>>>>>, Union<Inter<B, Union<C, Union<D, Union<E, Union<F, G>>>>>, Union<Inter<C, Union<D, Union<E, Union<F, G>>>>, Union<Inter<D, Union<E, Union<F, G>>>, Union<Inter<E, Union<F, G>>, Inter<F, G>>>>>>; A FA 0 B FB 1 C FC 2 D FD 3 E FE 4 F FF 5 G FG 6;
    8 Union<A, Union<B, Union<C, Union<D, Union<E, Union<F, Union<G, H>>>>>>>, Union<Inter<A, Union<B, Union<C, Union<D, Union<E, Union<F, Union<G, H>>>>>>>, Union<Inter<B, Union<C, Union<D, Union<E, Union<F, Union<G, H>>>>>>, Union<Inter<C, Union<D, Union<E, Union<F, Union<G, H>>>>>, Union<Inter<D, Union<E, Union<F, Union<G, H>>>>, Union<Inter<E, Union<F, Union<G, H>>>, Union<Inter<F, Union<G, H>>, Inter<G, H>>>>>>>; A FA 0 B FB 1 C FC 2 D FD 3 E FE 4 F FF 5 G FG 6 H FH 7;
    9 Union<A, Union<B, Union<C, Union<D, Union<E, Union<F, Union<G, Union<H, I>>>>>>>>, Union<Inter<A, Union<B, Union<C, Union<D, Union<E, Union<F, Union<G, Union<H, I>>>>>>>>, Union<Inter<B, Union<C, Union<D, Union<E, Union<F, Union<G, Union<H, I>>>>>>>, Union<Inter<C, Union<D, Union<E, Union<F, Union<G, Union<H, I>>>>>>, Union<Inter<D, Union<E, Union<F, Union<G, Union<H, I>>>>>, Union<Inter<E, Union<F, Union<G, Union<H, I>>>>, Union<Inter<F, Union<G, Union<H, I>>>, Union<Inter<G, Union<H, I>>, Inter<H, I>>>>>>>>; A FA 0 B FB 1 C FC 2 D FD 3 E FE 4 F FF 5 G FG 6 H FH 7 I FI 8;
    10 Union<A, Union<B, Union<C, Union<D, Union<E, Union<F, Union<G, Union<H, Union<I, J>>>>>>>>>, Union<Inter<A, Union<B, Union<C, Union<D, Union<E, Union<F, Union<G, Union<H, Union<I, J>>>>>>>>>, Union<Inter<B, Union<C, Union<D, Union<E, Union<F, Union<G, Union<H, Union<I, J>>>>>>>>, Union<Inter<C, Union<D, Union<E, Union<F, Union<G, Union<H, Union<I, J>>>>>>>, Union<Inter<D, Union<E, Union<F, Union<G, Union<H, Union<I, J>>>>>>, Union<Inter<E, Union<F, Union<G, Union<H, Union<I, J>>>>>, Union<Inter<F, Union<G, Union<H, Union<I, J>>>>, Union<Inter<G, Union<H, Union<I, J>>>, Union<Inter<H, Union<I, J>>, Inter<I, J>>>>>>>>>; A FA 0 B FB 1 C FC 2 D FD 3 E FE 4 F FF 5 G FG 6 H FH 7 I FI 8 J FJ 9;
    11 Union<A, Union<B, Union<C, Union<D, Union<E, Union<F, Union<G, Union<H, Union<I, Union<J, K>>>>>>>>>>, Union<Inter<A, Union<B, Union<C, Union<D, Union<E, Union<F, Union<G, Union<H, Union<I, Union<J, K>>>>>>>>>>, Union<Inter<B, Union<C, Union<D, Union<E, Union<F, Union<G, Union<H, Union<I, Union<J, K>>>>>>>>>, Union<Inter<C, Union<D, Union<E, Union<F, Union<G, Union<H, Union<I, Union<J, K>>>>>>>>, Union<Inter<D, Union<E, Union<F, Union<G, Union<H, Union<I, Union<J, K>>>>>>>, Union<Inter<E, Union<F, Union<G, Union<H, Union<I, Union<J, K>>>>>>, Union<Inter<F, Union<G, Union<H, Union<I, Union<J, K>>>>>, Union<Inter<G, Union<H, Union<I, Union<J, K>>>>, Union<Inter<H, Union<I, Union<J, K>>>, Union<Inter<I, Union<J, K>>, Inter<J, K>>>>>>>>>>; A FA 0 B FB 1 C FC 2 D FD 3 E FE 4 F FF 5 G FG 6 H FH 7 I FI 8 J FJ 9 K FK 10;
    12 Union<A, Union<B, Union<C, Union<D, Union<E, Union<F, Union<G, Union<H, Union<I, Union<J, Union<K, L>>>>>>>>>>>, Union<Inter<A, Union<B, Union<C, Union<D, Union<E, Union<F, Union<G, Union<H, Union<I, Union<J, Union<K, L>>>>>>>>>>>, Union<Inter<B, Union<C, Union<D, Union<E, Union<F, Union<G, Union<H, Union<I, Union<J, Union<K, L>>>>>>>>>>, Union<Inter<C, Union<D, Union<E, Union<F, Union<G, Union<H, Union<I, Union<J, Union<K, L>>>>>>>>>, Union<Inter<D, Union<E, Union<F, Union<G, Union<H, Union<I, Union<J, Union<K, L>>>>>>>>, Union<Inter<E, Union<F, Union<G, Union<H, Union<I, Union<J, Union<K, L>>>>>>>, Union<Inter<F, Union<G, Union<H, Union<I, Union<J, Union<K, L>>>>>>, Union<Inter<G, Union<H, Union<I, Union<J, Union<K, L>>>>>, Union<Inter<H, Union<I, Union<J, Union<K, L>>>>, Union<Inter<I, Union<J, Union<K, L>>>, Union<Inter<J, Union<K, L>>, Inter<K, L>>>>>>>>>>>; A FA 0 B FB 1 C FC 2 D FD 3 E FE 4 F FF 5 G FG 6 H FH 7 I FI 8 J FJ 9 K FK 10 L FL 11;
}
