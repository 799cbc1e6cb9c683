//! Tensors from numbers.
//!
//! Lives here: arrays, vectors, constants, identities, functions of positions. Sizes stand beside the axes
//! (`key.of(64)`), and their order is the order in which the numbers lie, the last axis fastest.
//! Not here: random numbers (`random`), files (`file`).

use std::panic::Location;

use smallvec::SmallVec;

use super::{Nested, Tensor};
use crate::axes::rules::{Once, Single};
use crate::axes::selector::{Extents, Selector};
use crate::axes::{Axes, Lacks};
use crate::axis::{Axis, Name};
use crate::element::{Comparison, Element, Index, Lined, Real, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Node, Shape, Value};
use crate::kernel::pool;

impl<A: Axes> Tensor<A> {
    /// A tensor of nested arrays of `f32`, one level per axis, outermost first.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { height, width }
    /// let a = Tensor::new((height, width), [[3.0, 1.0, 4.0], [1.0, 5.0, 9.0]]);
    /// assert_eq!((a.size(height), a.size(width)), (2, 3));
    /// ```
    #[must_use]
    pub fn new<S>(axes: S, numbers: impl Nested<f32, S::Positions>) -> Tensor<A>
    where
        S: Selector<Set = A> + Once<S::Repeated>,
    {
        Tensor::from_array(axes, numbers)
    }
}

impl<A: Axes, T: Element<Value = T> + Copy + Default> Tensor<A, T> {
    /// A tensor of nested arrays of any element: `f64`, `bool`. [`Tensor::new`] is the same for `f32`, the default.
    #[must_use]
    pub fn from_array<S>(axes: S, numbers: impl Nested<T, S::Positions>) -> Tensor<A, T>
    where
        S: Selector<Set = A> + Once<S::Repeated>,
    {
        let _ = axes;
        let sizes = numbers.sizes();
        let shape = Shape::new(S::names().into_iter().zip(sizes.as_ref().iter().copied()));
        Tensor::from_node(held::<T>(numbers.flatten(), shape))
    }

    /// A tensor of a vector whose elements lie in the order of the axes as written, the last one fastest.
    ///
    /// The vector is not copied, and stays in the memory that it came in.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { height, width }
    /// let a = Tensor::from_vec((height.of(2), width.of(3)), vec![3.0, 1.0, 4.0, 1.0, 5.0, 9.0])?;
    /// assert_eq!(a.to_vec((width, height))?, [3.0, 1.0, 1.0, 5.0, 4.0, 9.0]);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    ///
    /// # Errors
    /// As many numbers as the sizes multiply to are needed, and a product that fits in memory.
    #[track_caller]
    pub fn from_vec<E>(axes: E, numbers: Vec<T>) -> Result<Tensor<A, T>>
    where
        E: Extents<Set = A> + Once<E::Repeated>,
    {
        let shape = shape(axes, "from_vec")?;
        counted(&shape, numbers.len())?;
        Ok(Tensor::from_node(held::<T>(numbers, shape)))
    }

    /// A tensor of a copy of a slice; see [`from_vec`](Tensor::from_vec).
    ///
    /// The copy lies in memory of our own choice: it begins with a line of memory, as a processor reads it, and of 4 MiB or
    /// more it is in huge pages where the system has them. Whatever is limited by reading it takes up to a fifth less.
    ///
    /// # Errors
    /// As many numbers as the sizes multiply to are needed, and a product that fits in memory.
    #[track_caller]
    pub fn from_slice<E>(axes: E, numbers: &[T]) -> Result<Tensor<A, T>>
    where
        E: Extents<Set = A> + Once<E::Repeated>,
    {
        let shape = shape(axes, "from_slice")?;
        counted(&shape, numbers.len())?;
        let mut copied = lined_room(&shape, "from_slice")?;
        copied.extend(numbers.iter().copied());
        Ok(Tensor::from_node(held::<T>(copied, shape)))
    }

    /// The tensor whose element at each tuple of positions is `of` of them: `M_{seq(i), seq′(j)} = ...`.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { seq, seq_ }
    /// let mask: Tensor<R![seq, seq_]> =
    ///     Tensor::from_fn((seq.of(2), seq_.of(2)), |[i, j]| if i <= j { 0.0 } else { f32::NEG_INFINITY });
    /// assert_eq!(mask.to_vec((seq, seq_))?, [0.0, 0.0, f32::NEG_INFINITY, 0.0]);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[track_caller]
    pub fn from_fn<E>(axes: E, mut of: impl FnMut(E::Positions) -> T) -> Tensor<A, T>
    where
        E: Extents<Set = A> + Once<E::Repeated>,
    {
        let shape = match shape(axes, "from_fn") {
            Ok(shape) => shape,
            Err(error) => return Tensor::failed(error),
        };
        let sizes: SmallVec<[usize; 6]> = shape.sizes().collect();
        let mut numbers = match lined_room(&shape, "from_fn") {
            Ok(numbers) => numbers,
            Err(error) => return Tensor::failed(error),
        };
        let mut at = E::Positions::default();
        for _ in 0..shape.elements() {
            numbers.push(of(at));
            for (position, &size) in at.as_mut().iter_mut().zip(&sizes).rev() {
                *position += 1;
                if *position < size {
                    break;
                }
                *position = 0;
            }
        }
        Tensor::from_node(held::<T>(numbers, shape))
    }
}

impl<A: Axes, T: Real> Tensor<A, T> {
    /// The same number everywhere.
    #[must_use]
    #[track_caller]
    pub fn full<E>(axes: E, number: T) -> Tensor<A, T>
    where
        E: Extents<Set = A> + Once<E::Repeated>,
    {
        filled(shape(axes, "full"), number)
    }

    /// 0 everywhere.
    #[must_use]
    #[track_caller]
    pub fn zeros<E>(axes: E) -> Tensor<A, T>
    where
        E: Extents<Set = A> + Once<E::Repeated>,
    {
        filled(shape(axes, "zeros"), T::from_f64(0.0))
    }

    /// 1 everywhere.
    #[must_use]
    #[track_caller]
    pub fn ones<E>(axes: E) -> Tensor<A, T>
    where
        E: Extents<Set = A> + Once<E::Repeated>,
    {
        filled(shape(axes, "ones"), T::from_f64(1.0))
    }
}

impl<T: Real> Tensor<(), T> {
    /// A number, as a tensor without axes.
    #[must_use]
    pub fn scalar(number: T) -> Tensor<(), T> {
        Tensor::from_node(Node::fill(T::KIND, number.to_f64(), Shape::default()).into_variable())
    }
}

impl<A: Axes, T: Real> Tensor<A, T> {
    /// The identity `I_{ax,ax′}` of `size` positions: 1 where both positions are equal, else 0.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { key, key_ }
    /// let i: Tensor<R![key, key_]> = Tensor::eye(key, key_, 2);
    /// assert_eq!(i.to_vec((key, key_))?, [1.0, 0.0, 0.0, 1.0]);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn eye<X, Y>(axis: impl Fn() -> X, other: impl Fn() -> Y, size: usize) -> Tensor<A, T>
    where
        X: Axis + Axes<Union<Y> = A> + Lacks<Y>,
        Y: Axis,
    {
        let _ = (axis, other);
        let rows = Node::iota(Name::of::<X>(), size);
        let columns = Node::iota(Name::of::<Y>(), size);
        Tensor::from_node(rows.compare(Comparison::Eq, &columns).cast(T::KIND))
    }
}

impl<X: Axis> Tensor<X, Index<X>> {
    /// The positions 0, 1, 2, ... of an axis as an index tensor over it.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { seq }
    /// assert_eq!(Tensor::positions(seq.of(3)).to_vec(seq)?, [0, 1, 2]);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn positions<E>(axis: E) -> Tensor<X, Index<X>>
    where
        E: Extents<Set = X>,
        X: Single,
    {
        let (name, size) = axis.sizes().first().copied().unwrap_or((Name::of::<X>(), 0));
        Tensor::from_node(Node::iota(name, size))
    }
}

impl<A: Axes, X: Axis> Tensor<A, Index<X>> {
    /// An index tensor of nested arrays: positions along the axis `over`.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { seq, vocab }
    /// let tokens = Tensor::indices(seq, vocab, [2, 0, 1]);
    /// assert_eq!(tokens.to_vec(seq)?, [2, 0, 1]);
    /// // One position, such as the argument `I: vocab[]` of an equation.
    /// assert_eq!(Tensor::indices((), vocab, 2).item()?, 2);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn indices<S>(axes: S, over: impl Fn() -> X, positions: impl Nested<usize, S::Positions>) -> Self
    where
        S: Selector<Set = A> + Once<S::Repeated>,
    {
        let _ = (axes, over);
        let sizes = positions.sizes();
        let shape = Shape::new(S::names().into_iter().zip(sizes.as_ref().iter().copied()));
        Tensor::from_node(held::<Index<X>>(positions.flatten(), shape))
    }

    /// An index tensor of a vector whose positions lie in the order of the axes as written.
    ///
    /// # Errors
    /// As many positions as the sizes multiply to are needed; a position that no tensor holds.
    #[track_caller]
    pub fn indices_from_vec<E>(axes: E, over: impl Fn() -> X, positions: Vec<usize>) -> Result<Self>
    where
        E: Extents<Set = A> + Once<E::Repeated>,
    {
        let _ = over;
        let shape = shape(axes, "indices_from_vec")?;
        counted(&shape, positions.len())?;
        Tensor::from_node(held::<Index<X>>(positions, shape)).checked()
    }
}

/// The same number at all positions of a shape.
fn filled<A: Axes, T: Real>(shape: Result<Shape>, number: T) -> Tensor<A, T> {
    shape.map_or_else(Tensor::failed, |shape| {
        Tensor::from_node(Node::fill(T::KIND, number.to_f64(), shape).into_variable())
    })
}

/// The shape of axes with sizes, if its elements can be counted.
#[track_caller]
pub(crate) fn shape<E: Extents>(axes: E, operation: &str) -> Result<Shape> {
    let place = Location::caller();
    Shape::new(axes.sizes()).checked(operation).map_err(|error| error.at(place))
}

/// An empty vector with room for all elements of a shape.
#[track_caller]
pub(crate) fn room<S>(shape: &Shape, operation: &str) -> Result<Vec<S>> {
    let mut numbers = Vec::new();
    if numbers.try_reserve_exact(shape.elements()).is_err() {
        return Err(too_large(shape, operation));
    }
    Ok(pool::in_huge_pages(numbers))
}

/// The same for elements of a tensor.
#[track_caller]
fn lined_room<S: Copy + Default>(shape: &Shape, operation: &str) -> Result<Lined<S>> {
    // A closure would be the place that the error names.
    match Lined::try_with_room(shape.elements(), pool::in_huge_pages) {
        Some(lined) => Ok(lined),
        None => Err(too_large(shape, operation)),
    }
}

/// An operation needs more elements than there is memory for.
#[track_caller]
pub(crate) fn too_large(shape: &Shape, operation: &str) -> Error {
    let message = format!("too large for memory: `{operation}` needs all elements of the shape {shape}");
    Error::here(ErrorKind::TooLarge, message)
}

/// Refuses a number of elements that a shape does not have.
#[track_caller]
pub(crate) fn counted(shape: &Shape, given: usize) -> Result<()> {
    if given == shape.elements() {
        return Ok(());
    }
    let message = format!("the shape {shape} has {} elements, but {given} numbers are given", shape.elements());
    Err(Error::here(ErrorKind::SizeClash, message))
}

/// Numbers in memory, in the order of the shape.
#[track_caller]
pub(crate) fn held<T: Element>(numbers: impl Into<Lined<T::Value>>, shape: Shape) -> Node {
    match T::stored(numbers.into()) {
        Ok(stored) => Node::input(Value::contiguous(T::Stored::into_buffer(stored), shape.sizes()), shape),
        Err(message) => Node::failed(Error::here(ErrorKind::IndexOutOfRange, message), T::Stored::KIND),
    }
}
