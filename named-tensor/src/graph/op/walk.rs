//! Walking through operands by name: what the plain evaluation of all primitives shares.
//!
//! Lives here: an operand under its names, the offsets of its elements in the order of any axes, and the making of
//! results. Not here: any primitive's own loop; loops that are fast (`kernel`).

use smallvec::SmallVec;

use crate::axis::Name;
use crate::element::Stored;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::value::row_major;
use crate::graph::{Node, Shape, Value};

/// The offsets of elements, position by position of some axes, the last axis fastest.
///
/// Offsets count modulo 2⁶⁴, so that steps may also be walked alone, from 0, and added to a start later.
#[derive(Clone)]
pub(super) struct Offsets {
    here: usize,
    left: usize,
    /// (position, size, stride) of each axis.
    axes: SmallVec<[(usize, usize, isize); 6]>,
}

impl Offsets {
    /// From `start` on, along axes of (size, stride).
    pub(super) fn new(start: usize, axes: impl IntoIterator<Item = (usize, isize)>) -> Offsets {
        let axes: SmallVec<[_; 6]> = axes.into_iter().map(|(size, stride)| (0, size, stride)).collect();
        let empty = axes.iter().any(|&(_, size, _)| size == 0);
        let left = if empty { 0 } else { axes.iter().fold(1, |n: usize, &(_, size, _)| n.saturating_mul(size)) };
        Offsets { here: start, left, axes }
    }

    /// Along the axes of `order`, in a tensor of `shape` that lies with `strides`. Axes it lacks repeat its elements.
    pub(super) fn of(shape: &Shape, strides: &[isize], start: usize, order: &Shape) -> Offsets {
        let stride = |name| shape.position(name).and_then(|i| strides.get(i)).copied().unwrap_or(0);
        Offsets::new(start, order.iter().map(|(name, size)| (size, stride(name))))
    }
}

impl Iterator for Offsets {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let here = self.here;
        for (position, size, stride) in self.axes.iter_mut().rev() {
            self.here = self.here.wrapping_add_signed(*stride);
            *position += 1;
            if position < size {
                break;
            }
            // Back to position 0; the next slower axis takes a step.
            self.here = self.here.wrapping_sub(size.wrapping_mul(*stride as usize));
            *position = 0;
        }
        Some(here)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

/// An input of a primitive: numbers under the names of its node.
#[derive(Clone, Copy)]
pub(super) struct Operand<'a> {
    pub(super) shape: &'a Shape,
    pub(super) value: &'a Value,
}

impl<'a> Operand<'a> {
    /// All numbers in memory, those of the operand among them.
    pub(super) fn data<T: Stored>(self) -> &'a [T] {
        T::of(&self.value.buffer)
    }

    /// The step of `axis`; 0 if the operand is the same all along it.
    pub(super) fn stride(self, axis: Name) -> isize {
        self.shape.position(axis).and_then(|i| self.value.strides.get(i)).copied().unwrap_or(0)
    }

    /// The offsets of its elements in the order of `order`.
    pub(super) fn over(self, order: &Shape) -> Offsets {
        self.over_from(self.value.offset, order)
    }

    /// The same from another place on; from 0, the steps from one element to the others.
    pub(super) fn over_from(self, start: usize, order: &Shape) -> Offsets {
        Offsets::of(self.shape, &self.value.strides, start, order)
    }

    /// The same, except that `axis` stays at position 0.
    pub(super) fn over_without(self, order: &Shape, axis: Name) -> Offsets {
        let stride = |name| if name == axis { 0 } else { self.stride(name) };
        Offsets::new(self.value.offset, order.iter().map(|(name, size)| (size, stride(name))))
    }

    /// The steps from one element to all along `axes`.
    pub(super) fn steps(self, axes: &[Name]) -> Offsets {
        Offsets::of(self.shape, &self.value.strides, 0, &self.shape.only(axes))
    }

    /// Its elements in the order of `order`.
    pub(super) fn elements<T: Stored>(self, order: &Shape) -> impl Iterator<Item = T> + 'a {
        let data = self.data::<T>();
        self.over(order).map(move |at| data[at])
    }
}

/// The value of `node` that has these elements, in the order of its axes.
pub(super) fn collected<T: Stored>(node: &Node, elements: impl Iterator<Item = T>) -> Result<Value> {
    let mut values = room(node)?;
    values.extend(elements);
    Ok(finished(node, values))
}

/// The value of `node` that has these elements, in the order of its axes.
pub(super) fn finished<T: Stored>(node: &Node, values: Vec<T>) -> Value {
    Value::contiguous(T::into_buffer(values), node.shape().sizes())
}

/// As many times `value` as `node` has elements.
pub(super) fn repeated<T: Stored>(node: &Node, value: T) -> Result<Vec<T>> {
    let mut values = room(node)?;
    values.resize(node.shape().elements(), value);
    Ok(values)
}

/// A vector for the elements of `node`, unless there is no memory for it.
fn room<T>(node: &Node) -> Result<Vec<T>> {
    let mut values = Vec::new();
    match values.try_reserve_exact(node.shape().elements()) {
        Ok(()) => Ok(values),
        Err(_) => {
            let message = format!("too large for memory: `{}` with the shape {}", node.op().name(), node.shape());
            Err(Error::new(ErrorKind::TooLarge, message))
        }
    }
}

/// `row` of the elements along `axes`, once for each position of the other axes: of those of each operand, one behind the
/// other, all in the order of the first. It writes as many as it reads of one. It stands behind a pointer: the walk is compiled once for each pair of kinds, not for each operation.
pub(super) fn rowwise<T: Stored, U: Stored>(
    node: &Node,
    operands: &[Operand<'_>],
    axes: &[Name],
    row: &mut dyn FnMut(&[T], &mut Vec<U>),
) -> Result<Value> {
    let mut values = repeated(node, U::default())?;
    let rest = node.shape().without(axes);
    let strides = row_major(node.shape().sizes());
    let order = operands.first().map(|first| first.shape.only(axes)).unwrap_or_default();
    let to = Offsets::of(node.shape(), &strides, 0, &node.shape().only(axes));
    let mut from: Vec<_> = operands.iter().map(|x| (x, x.over(&rest), x.over_from(0, &order))).collect();
    let (mut read, mut written) = (Vec::new(), Vec::new());
    for target in Offsets::of(node.shape(), &strides, 0, &rest) {
        read.clear();
        for (x, starts, steps) in &mut from {
            let start = starts.next().unwrap_or_default();
            read.extend(steps.clone().map(|step| x.data::<T>()[start.wrapping_add(step)]));
        }
        written.clear();
        row(&read, &mut written);
        for (step, &value) in to.clone().zip(&written) {
            values[target + step] = value;
        }
    }
    Ok(finished(node, values))
}

/// `$body` with `$T` as the type that stores elements of `$kind`.
macro_rules! stored {
    ($kind:expr, $T:ident => $body:expr) => {
        match $kind {
            $crate::element::Kind::F32 => {
                type $T = f32;
                $body
            }
            $crate::element::Kind::F64 => {
                type $T = f64;
                $body
            }
            $crate::element::Kind::Index => {
                type $T = i64;
                $body
            }
            $crate::element::Kind::Bool => {
                type $T = bool;
                $body
            }
            $crate::element::Kind::Bf16 => {
                type $T = $crate::element::Bf16;
                $body
            }
        }
    };
}

/// `$body` with `$T` as the type of real numbers of `$kind`, or `$other` if they are not real.
macro_rules! real {
    ($kind:expr, $T:ident => $body:expr, else $other:expr) => {
        match $kind {
            $crate::element::Kind::F32 => {
                type $T = f32;
                $body
            }
            $crate::element::Kind::F64 => {
                type $T = f64;
                $body
            }
            _ => $other,
        }
    };
}

pub(super) use {real, stored};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::testing::{A, B, C};

    #[test]
    fn offsets_follow_the_last_axis_first() {
        let offsets: Vec<usize> = Offsets::new(10, [(2, 1), (3, -2)]).collect();
        assert_eq!(offsets, [10, 8, 6, 11, 9, 7]);
    }

    #[test]
    fn an_empty_axis_leaves_no_offset_and_no_axis_leaves_one() {
        assert_eq!(Offsets::new(3, [(usize::MAX, 1), (usize::MAX, 1), (0, 1)]).count(), 0);
        assert_eq!(Offsets::new(3, []).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn an_axis_that_is_lacking_repeats_the_element() {
        let (shape, order) = (Shape::new([(B, 3)]), Shape::new([(A, 2), (B, 3), (C, 1)]));
        let offsets: Vec<usize> = Offsets::of(&shape, &[5], 0, &order).collect();
        assert_eq!(offsets, [0, 5, 10, 0, 5, 10]);
    }

    #[test]
    fn steps_without_a_start_add_up_also_backwards() {
        let steps: Vec<usize> = Offsets::new(0, [(3, -1)]).map(|step| 7_usize.wrapping_add(step)).collect();
        assert_eq!(steps, [7, 6, 5]);
    }
}
