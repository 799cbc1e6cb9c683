//! Renaming and reshaping: other names for the same numbers.
//!
//! Computes `X_{val→chans}`, `X_{(height,width)→layer}` and its inverse. Renaming several axes is simultaneous, so
//! `x.rename((a, b), (b, a))` swaps. Lives here: what must be there before and absent before.
//! Not here: how numbers move (they mostly do not).

use smallvec::SmallVec;

use super::Tensor;
use crate::axes::rules::{Has, Lacks, Once, Single};
use crate::axes::selector::{Parts, Selector};
use crate::axes::set::{Axes, Minus, Renamed};
use crate::axis::Name;
use crate::element::Element;
use crate::tensor::vector::only;

impl<A: Axes, T: Element> Tensor<A, T> {
    /// Computes `X_{from→to}`; several at once as `x.rename((a, b), (c, d))`.
    ///
    /// ```compile_fail
    /// # use named_tensor::prelude::*;
    /// # axes! { seq, key }
    /// let x = Tensor::new((seq, key), [[1.0]]);
    /// let y = x.rename(seq, key); // axis `key` is already there
    /// ```
    #[must_use]
    #[track_caller]
    pub fn rename<O, N>(&self, from: O, to: N) -> Tensor<Renamed<A, O::Set, N::Set>, T>
    where
        O: Selector + Once<O::Repeated>,
        N: Selector<Positions = O::Positions> + Once<N::Repeated>,
        A: Has<O::Set>,
        Minus<A, O::Set>: Lacks<N::Set>,
    {
        let _ = (from, to);
        let mut pairs: SmallVec<[(Name, Name); 4]> = SmallVec::new();
        O::names().iter().zip(&N::names()).for_each(|(&old, &new)| pairs.push((old, new)));
        Tensor::from_node(self.node().rename(&pairs))
    }

    /// Computes `X_{(a,b)→ax}`: several axes become one, the first named slowest.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { height, width, layer }
    /// let a = Tensor::new((height, width), [[3.0, 1.0, 4.0], [1.0, 5.0, 9.0]]);
    /// assert_eq!(a.flatten((height, width), layer).to_vec(layer)?, [3.0, 1.0, 4.0, 1.0, 5.0, 9.0]);
    /// assert_eq!(a.flatten((width, height), layer).to_vec(layer)?, [3.0, 1.0, 1.0, 5.0, 4.0, 9.0]);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn flatten<S, N>(&self, axes: S, into: N) -> Tensor<Renamed<A, S::Set, N::Set>, T>
    where
        S: Selector + Once<S::Repeated>,
        N: Selector,
        N::Set: Single,
        A: Has<S::Set>,
        Minus<A, S::Set>: Lacks<N::Set>,
    {
        let _ = (axes, into);
        Tensor::from_node(self.node().merge(&S::names(), only(&N::names())))
    }

    /// Computes `X_{ax→(a,b)}`: one axis becomes several, the first named slowest; one size may be left out.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { chans, heads, key }
    /// let x = Tensor::new(chans, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    /// let y = x.split(chans, (heads.of(2), key));
    /// assert_eq!(y.at(heads, 1).to_vec(key)?, [3.0, 4.0, 5.0]);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn split<S, P>(&self, axis: S, into: P) -> Tensor<Renamed<A, S::Set, P::Set>, T>
    where
        S: Selector,
        S::Set: Single,
        P: Parts + Once<P::Repeated>,
        A: Has<S::Set>,
        Minus<A, S::Set>: Lacks<P::Set>,
    {
        let _ = axis;
        Tensor::from_node(self.node().split(only(&S::names()), &into.parts()))
    }
}
