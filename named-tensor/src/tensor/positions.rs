//! Positions as numbers: arithmetic of index tensors.
//!
//! An index tensor's values are positions along one axis, which its type remembers. Sums and differences of positions
//! stay positions of that axis (`i + 1` is the next one); whether one exists is checked where it is used.
//! Lives here: that arithmetic, how they are read, and positions as real numbers and one-hot. Not here: gathering (`indexing`).

use std::fmt::Display;
use std::ops::{Add, Sub};

use super::Tensor;
use crate::axes::Axes;
use crate::axes::rules::{Lacks, Single};
use crate::axes::selector::Extents;
use crate::axes::set::Created;
use crate::axis::Axis;
use crate::element::{Binary, Comparison, Element, Index, Lined, Real};
use crate::error::Error;
use crate::graph::{Node, Shape};
use crate::tensor::elementwise::number;
use crate::tensor::held;

impl<X: Axis> Element for Index<X> {
    type Stored = i64;
    type Value = usize;

    fn values(stored: Vec<i64>) -> Result<Vec<usize>, String> {
        let value = |position| usize::try_from(position).map_err(|_| no_position::<X>(position));
        stored.into_iter().map(value).collect()
    }

    fn stored(values: Lined<usize>) -> Result<Lined<i64>, String> {
        let stored = |position| i64::try_from(position).map_err(|_| no_position::<X>(position));
        values.iter().copied().map(stored).collect()
    }
}

/// What may be there on the way to a position, but is none.
fn no_position<X: Axis>(number: impl Display) -> String {
    format!("{number} is no position of the axis `{}`: positions are 0 to {}", X::NAME, i64::MAX)
}

/// A position that is known: a constant of the graph where such a one has all its digits, else a number in memory.
#[track_caller]
pub(super) fn known<X: Axis>(position: usize) -> Node {
    /// Up to here `f64` has every whole number.
    const WHOLE: u64 = 1 << f64::MANTISSA_DIGITS;
    if position as u64 <= WHOLE {
        number::<i64>(position as f64)
    } else {
        held::<Index<X>>(vec![position], Shape::default())
    }
}

impl<A: Axes, X: Axis> Add<usize> for &Tensor<A, Index<X>> {
    type Output = Tensor<A, Index<X>>;
    #[track_caller]
    fn add(self, right: usize) -> Self::Output {
        Tensor::from_node(self.node().binary(Binary::Add, &known::<X>(right)))
    }
}

impl<A: Axes, X: Axis> Add<usize> for Tensor<A, Index<X>> {
    type Output = Tensor<A, Index<X>>;
    #[track_caller]
    fn add(self, right: usize) -> Self::Output {
        &self + right
    }
}

impl<A: Axes, X: Axis> Sub<usize> for &Tensor<A, Index<X>> {
    type Output = Tensor<A, Index<X>>;
    #[track_caller]
    fn sub(self, right: usize) -> Self::Output {
        Tensor::from_node(self.node().binary(Binary::Sub, &known::<X>(right)))
    }
}

impl<A: Axes, X: Axis> Sub<usize> for Tensor<A, Index<X>> {
    type Output = Tensor<A, Index<X>>;
    #[track_caller]
    fn sub(self, right: usize) -> Self::Output {
        &self - right
    }
}

impl<A: Axes, X: 'static> Tensor<A, Index<X>> {
    /// The positions as real numbers.
    #[must_use]
    #[track_caller]
    pub fn real<T: Real>(&self) -> Tensor<A, T> {
        Tensor::from_node(self.node().cast(T::KIND))
    }

    /// 1 at the position of each value along the axis (`vocab.of(50257)`), else 0.
    ///
    /// `index_vocab(E, I)` is `E ⊙_vocab` this tensor, and `U ⊙_seq` this tensor sums the rows of U at their values. A
    /// value past the size has no 1. Contracted, it is not made: rows are taken, or summed.
    #[must_use]
    #[track_caller]
    pub fn one_hot<E, T: Real>(&self, axis: E) -> Tensor<Created<A, X>, T>
    where
        X: Axis + Single,
        E: Extents<Set = X>,
        A: Lacks<X>,
    {
        match axis.sizes().first() {
            Some(&(name, size)) => {
                let here = Node::iota(name, size).compare(Comparison::Eq, self.node());
                Tensor::from_node(here.cast(T::KIND))
            }
            None => Tensor::failed(Error::out_of_range("one_hot", X::NAME, 0, 0)),
        }
    }
}
