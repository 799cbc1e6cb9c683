//! Indexing: positions, ranges, and positions that are themselves in a tensor.
//!
//! Computes `A_{height(1)}`, `X_{seq(2..5)}`, `index_vocab(E, I)` (paper, section "Indexing"). Positions count from 0.
//! Lives here: what may stand as a position, and that it belongs to the axis. Not here: bounds (`graph::op`).

use std::ops::{Bound, RangeBounds};

use super::Tensor;
use crate::axes::rules::{Has, Single};
use crate::axes::selector::Selector;
use crate::axes::set::{Axes, Indexed};
use crate::axis::Name;
use crate::element::{Element, Index};
use crate::graph::Node;
use crate::tensor::vector::only;

/// What brings axes where it stands as a position: a number none, a tensor its own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a position",
    label = "not a position",
    note = "a position is a `usize` or an index tensor"
)]
pub trait Position {
    /// The axes that the position brings.
    type Axes: Axes;
}

/// A position along the axis `X`: a number, or an index tensor whose values are positions of `X`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a position along axis `{X}`",
    label = "not a position along `{X}`",
    note = "the values of an index tensor are typed by the axis they index: `I: {X}[..]`",
    note = "`x.argmax({X})` is one-hot; the position itself: `x.argmaxk({X}, {X}.of(1)).at({X}, 0)`"
)]
pub trait Along<X>: Position {
    /// The table at this position.
    fn of(self, table: &Node, axis: Name) -> Node;
}

impl Position for usize {
    type Axes = ();
}

// Any tensor, so that one of other elements is refused once, by the rule of the axis.
impl<B: Axes, T> Position for &Tensor<B, T> {
    type Axes = B;
}

#[diagnostic::do_not_recommend]
impl<X> Along<X> for usize {
    #[track_caller]
    fn of(self, table: &Node, axis: Name) -> Node {
        table.at(axis, self)
    }
}

#[diagnostic::do_not_recommend]
impl<B: Axes, X: 'static> Along<X> for &Tensor<B, Index<X>> {
    #[track_caller]
    fn of(self, table: &Node, axis: Name) -> Node {
        table.indexed(axis, self.node())
    }
}

impl<A: Axes, T: Element> Tensor<A, T> {
    /// Computes `A_{ax(i)}`: the position `i` of an axis, which is gone from the result.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { height, width }
    /// let a = Tensor::new((height, width), [[3.0, 1.0, 4.0], [1.0, 5.0, 9.0]]);
    /// assert_eq!(a.at(height, 0).to_vec(width)?, [3.0, 1.0, 4.0]);
    /// assert_eq!(a.at(height, 0).at(width, 2).item()?, 4.0);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn at<S, P>(&self, axis: S, position: P) -> Tensor<Indexed<A, S::Set, P::Axes>, T>
    where
        S: Selector,
        S::Set: Single,
        P: Along<S::Set>,
        A: Has<S::Set>,
    {
        let _ = axis;
        Tensor::from_node(position.of(self.node(), only(&S::names())))
    }

    /// Computes `index_ax(E, I)`: the rows of a table at the positions `I`, whose values are typed by the table's axis.
    ///
    /// Axes that the table and the positions share are aligned (row P26).
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { vocab, emb, seq }
    /// let e = Tensor::new((vocab, emb), [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]);
    /// let words = Tensor::indices(seq, vocab, [2, 0]);
    /// assert_eq!(e.index(vocab, &words).to_vec((seq, emb))?, [4.0, 5.0, 0.0, 1.0]);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn index<S, P>(&self, axis: S, positions: P) -> Tensor<Indexed<A, S::Set, P::Axes>, T>
    where
        S: Selector,
        S::Set: Single,
        P: Along<S::Set>,
        A: Has<S::Set>,
    {
        self.at(axis, positions)
    }

    /// Computes `X_{ax(range)}`: some positions of an axis, which stays.
    #[must_use]
    #[track_caller]
    pub fn slice<S>(&self, axis: S, range: impl RangeBounds<usize>) -> Tensor<A, T>
    where
        S: Selector,
        S::Set: Single,
        A: Has<S::Set>,
    {
        let _ = axis;
        Tensor::from_node(sliced(self.node(), only(&S::names()), &range))
    }

    /// The size `|ax|`; 0 if the tensor carries an error.
    #[must_use]
    pub fn size<S>(&self, axis: S) -> usize
    where
        S: Selector,
        S::Set: Single,
        A: Has<S::Set>,
    {
        let _ = axis;
        // A tensor that carries an error has no sizes; whatever is computed from it carries the error.
        self.node().shape().size(only(&S::names())).unwrap_or(0)
    }

    /// The positions 0, 1, 2, ... of an axis, as an index tensor over it.
    #[must_use]
    #[track_caller]
    pub fn iota<S>(&self, axis: S) -> Tensor<S::Set, Index<S::Set>>
    where
        S: Selector,
        S::Set: Single,
        A: Has<S::Set>,
    {
        match self.node().error() {
            Some(error) => Tensor::failed(error.clone()),
            None => Tensor::from_node(Node::iota(only(&S::names()), self.size(axis))),
        }
    }
}

/// Some positions of an axis.
#[track_caller]
pub(crate) fn sliced(x: &Node, axis: Name, range: &impl RangeBounds<usize>) -> Node {
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&start) => start.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&end) => end.saturating_add(1),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => x.shape().size(axis).unwrap_or(0).max(start),
    };
    x.slice(axis, start..end, 1)
}
