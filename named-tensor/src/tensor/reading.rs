//! Reading: where a tensor is computed and becomes plain numbers.
//!
//! The order of axes has no meaning, so reading states one. Lives here: vectors, single numbers, walks over named
//! positions. Not here: printing (`display`), the schedule (`plan`).

use std::panic::Location;
use std::sync::Arc;

use smallvec::SmallVec;

use super::{Tensor, room};
use crate::axes::rules::{Alone, Once, OrderedBy};
use crate::axes::selector::Selector;
use crate::axes::set::Axes;
use crate::axis::Name;
use crate::element::{Bf16, Buffer, Element, Kind, Stored, retire};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::shape::Names;
use crate::graph::value::row_major;
use crate::graph::{Node, Value};
use crate::kernel::copy::copy_into;
use crate::kernel::pool::in_huge_pages;
use crate::kernel::{View, ViewMut};
use crate::plan;

impl<A: Axes, T: Element> Tensor<A, T> {
    /// All numbers in the given order of axes, the last one fastest: `x.to_vec((seq, key))?`.
    ///
    /// # Errors
    /// The error that the tensor carries, or one of computing it (a position out of range); reading inside a lifted
    /// function, where the tensor may have more axes than its type says.
    #[track_caller]
    pub fn to_vec<S>(&self, order: S) -> Result<Vec<T::Value>>
    where
        S: Selector + Once<S::Repeated>,
        A: OrderedBy<S::Set>,
    {
        let _ = order;
        self.values(&S::names())
    }

    /// Every position with its number, in the given order of axes.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { height, width }
    /// let a = Tensor::new((height, width), [[3.0, 1.0], [1.0, 5.0]]);
    /// let large: Vec<[usize; 2]> = a.iter((height, width))?.filter(|(_, x)| *x > 2.0).map(|(at, _)| at).collect();
    /// assert_eq!(large, [[0, 0], [1, 1]]);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`to_vec`](Tensor::to_vec).
    #[track_caller]
    pub fn iter<S>(&self, order: S) -> Result<Entries<S::Positions, T::Value>>
    where
        S: Selector + Once<S::Repeated>,
        A: OrderedBy<S::Set>,
    {
        let numbers = self.to_vec(order)?;
        let sizes = S::names().iter().map(|&name| self.node().shape().size(name).unwrap_or(0)).collect();
        Ok(Entries { numbers: numbers.into_iter(), sizes, at: S::Positions::default() })
    }

    /// Computes the tensor now and forgets how it was made: the result holds only its numbers.
    ///
    /// # Errors
    /// As [`to_vec`](Tensor::to_vec), but allowed inside a lifted function.
    #[track_caller]
    pub fn eval(&self) -> Result<Self> {
        let value = alone(self.node(), computed(self.node())?)?;
        Ok(Tensor::from_node(Node::input(value, self.node().shape().clone())))
    }

    /// The steps that compute the tensor, for people: each as an equation with its axes, sizes, operations and bytes, the
    /// time that a nominal core takes for them, and the least time of a few runs, which are made here and now.
    /// Where `NAMED_TENSOR_PLAN=off` has turned the planner off, the first line says so.
    ///
    /// # Errors
    /// The error that the tensor carries; a setting in the environment that there is not.
    #[track_caller]
    pub fn plan(&self) -> Result<String> {
        self.node().checked()?;
        let place = Location::caller();
        plan::describe(std::slice::from_ref(self.node())).map_err(|error| error.at(place))
    }

    /// The numbers, in the order of `names`.
    #[track_caller]
    fn values(&self, names: &[Name]) -> Result<Vec<T::Value>> {
        let place = Location::caller();
        T::values(self.read(names)?).map_err(|message| Error::new(ErrorKind::IndexOutOfRange, message).at(place))
    }

    /// The numbers as stored, in the order of `names`.
    #[track_caller]
    pub(crate) fn read(&self, names: &[Name]) -> Result<Vec<T::Stored>> {
        outside(self.node(), names)?;
        let value = computed(self.node())?;
        let numbers = gathered(self.node(), &value, names);
        given_up(value);
        numbers
    }
}

impl<A: Axes, T: Element> Tensor<A, T> {
    /// The number of a tensor without axes.
    ///
    /// # Errors
    /// As [`to_vec`](Tensor::to_vec).
    #[track_caller]
    pub fn item(&self) -> Result<T::Value>
    where
        A: Alone,
    {
        // A tensor without axes has exactly one element.
        let number = self.values(&[])?.first().copied();
        number.ok_or_else(|| Error::here(ErrorKind::Empty, "no number to read"))
    }
}

/// Every position with its number; see [`Tensor::iter`].
#[derive(Debug, Clone)]
pub struct Entries<P, V> {
    numbers: std::vec::IntoIter<V>,
    sizes: SmallVec<[usize; 6]>,
    at: P,
}

impl<P: Copy + AsMut<[usize]>, V> Iterator for Entries<P, V> {
    type Item = (P, V);

    fn next(&mut self) -> Option<(P, V)> {
        let number = self.numbers.next()?;
        let here = self.at;
        for (position, &size) in self.at.as_mut().iter_mut().zip(&self.sizes).rev() {
            *position += 1;
            if *position < size {
                break;
            }
            *position = 0;
        }
        Some((here, number))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.numbers.size_hint()
    }
}

impl<P: Copy + AsMut<[usize]>, V> ExactSizeIterator for Entries<P, V> {}

/// Computes several tensors at once, sharing their common work: `eval(&[&loss, &accuracy])`; each can be read then.
///
/// # Errors
/// The first error any of them carries or meets.
#[track_caller]
pub fn eval(tensors: &[&dyn Evaluate]) -> Result<()> {
    let nodes: Vec<Node> = tensors.iter().map(|tensor| tensor.as_node().clone()).collect();
    plan::evaluate(&nodes).map_err(|error| error.at(Location::caller()))?;
    Ok(())
}

/// A tensor of any axes and elements, as [`eval`] takes it and equations name it.
pub trait Evaluate {
    /// Its node.
    #[doc(hidden)]
    fn as_node(&self) -> &Node;
}

impl<A, T> Evaluate for Tensor<A, T> {
    fn as_node(&self) -> &Node {
        self.node()
    }
}

/// The numbers of a node as they are stored, in the order of `names`: in 16 bits where it only widens such.
///
/// # Errors
/// Those of reading.
#[track_caller]
pub(crate) fn stored(node: &Node, names: &[Name]) -> Result<Buffer> {
    #[track_caller]
    fn ordered<S: Stored>(node: &Node, value: &Value, names: &[Name]) -> Result<Buffer> {
        gathered(node, value, names).map(S::into_buffer)
    }
    outside(node, names)?;
    let node = node.widens().unwrap_or(node);
    let value = computed(node)?;
    match node.kind() {
        Kind::F32 => ordered::<f32>(node, &value, names),
        Kind::F64 => ordered::<f64>(node, &value, names),
        Kind::Index => ordered::<i64>(node, &value, names),
        Kind::Bool => ordered::<bool>(node, &value, names),
        Kind::Bf16 => ordered::<Bf16>(node, &value, names),
    }
}

/// Refuses a node that has other axes than these: it is read inside a lifted function.
#[track_caller]
fn outside(node: &Node, names: &[Name]) -> Result<()> {
    let node = node.checked()?;
    if node.shape().rank() == names.len() && names.iter().all(|&name| node.shape().has(name)) {
        return Ok(());
    }
    let message = match node.shape().names().find(|name| !name.is_fresh() && !names.contains(name)) {
        // Where types are computed it was taken for another one.
        Some(other) => {
            let named: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!(
                "axis `{other}` is told from {} by its name alone: an axis of another `axes!` has the same code, and types \
                 take both for one; give one of them another name",
                named.join(", ")
            )
        }
        None => format!("a tensor cannot be read inside a lifted function: here its shape is {}", node.shape()),
    };
    Err(Error::here(ErrorKind::Lifted, message))
}

/// The numbers of a node, which the caller reads.
#[track_caller]
fn computed(node: &Node) -> Result<Value> {
    computed_at(node, Location::caller())
}

/// The numbers of a node, read at a place that errors name.
pub(crate) fn computed_at(node: &Node, place: &'static Location<'static>) -> Result<Value> {
    node.checked()?;
    if let Some(value) = node.value() {
        return Ok(value.clone());
    }
    let values = plan::evaluate(std::slice::from_ref(node)).map_err(|error| error.at(place))?;
    values.into_iter().next().ok_or_else(|| Error::new(ErrorKind::Value, "nothing was computed").at(place))
}

/// Takes leave of a value. What was widened from 16 bits to be read once is kept by nobody else: its memory goes back.
fn given_up(value: Value) {
    if let Some(buffer) = Arc::into_inner(value.buffer) {
        retire(buffer);
    }
}

/// The same numbers. A few that lie among many others, as a position of a softmax does, are copied: else they would hold all of
/// those for as long as they live.
#[track_caller]
fn alone(node: &Node, value: Value) -> Result<Value> {
    /// Bytes that may be held for nothing.
    const SMALL: usize = 4 << 10;
    #[track_caller]
    fn copied<S: Stored>(node: &Node, value: &Value) -> Result<Value> {
        let names: Names = node.shape().names().collect();
        let numbers = gathered::<S>(node, value, &names)?;
        Ok(Value::contiguous(S::into_buffer(numbers), node.shape().sizes()))
    }
    let (held, needed) = (value.buffer.size(), node.shape().elements());
    if held / 2 <= needed || held * value.buffer.kind().bytes() <= SMALL {
        return Ok(value);
    }
    let few = match value.buffer.kind() {
        Kind::F32 => copied::<f32>(node, &value),
        Kind::F64 => copied::<f64>(node, &value),
        Kind::Index => copied::<i64>(node, &value),
        Kind::Bool => copied::<bool>(node, &value),
        Kind::Bf16 => copied::<Bf16>(node, &value),
    };
    given_up(value);
    few
}

/// Elements of a row from which on rows are put one behind the other, into room that was not written to before, and of a
/// tensor up to which that takes less time than to prepare for a copy.
const LONG: usize = 8;
const FEW: usize = 64;

/// The numbers of a value in the order of `names`, the last one fastest.
#[track_caller]
fn gathered<S: Stored>(node: &Node, value: &Value, names: &[Name]) -> Result<Vec<S>> {
    let shape = node.shape();
    let numbers = S::of(&value.buffer);
    let mut axes: SmallVec<[(usize, isize); 6]> = names
        .iter()
        .filter_map(|&name| Some((shape.size(name)?, *value.strides.get(shape.position(name)?)?)))
        .collect();
    // What lies without gaps is taken at once.
    let run = match axes.last() {
        Some(&(size, 1)) if size > 0 => {
            axes.pop();
            size
        }
        _ => 1,
    };
    let mut result = room(shape, "to_vec")?;
    if run < LONG && shape.elements() > FEW {
        if run > 1 {
            axes.push((run, 1));
        }
        let (sizes, strides): (SmallVec<[usize; 6]>, SmallVec<[isize; 6]>) = axes.into_iter().unzip();
        // There is memory for it. The system gives large memory cleared, so nothing has to be written to it twice.
        drop(result);
        let mut result = in_huge_pages(vec![S::default(); shape.elements()]);
        let dst = ViewMut { data: &mut result, offset: 0, strides: &row_major(sizes.iter().copied()) };
        copy_into(&sizes, View { data: numbers, offset: value.offset, strides: &strides }, dst);
        return Ok(result);
    }
    let mut at: SmallVec<[usize; 6]> = SmallVec::from_elem(0, axes.len());
    let mut offset = value.offset;
    for _ in 0..shape.elements() / run {
        result.extend_from_slice(&numbers[offset..][..run]);
        for (position, &(size, stride)) in at.iter_mut().zip(&axes).rev() {
            *position += 1;
            offset = offset.wrapping_add_signed(stride);
            if *position < size {
                break;
            }
            // Back to the start of this axis.
            offset = offset.wrapping_add_signed(-stride.wrapping_mul(size as isize));
            *position = 0;
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axes::selector::Of;
    use crate::graph::testing::{A, B, C, laid_otherwise, tensor};

    /// Reads numbered elements in every order of the axes, and looks every one of them up.
    fn check<S: Stored>(sizes: [usize; 3], number: impl Fn(usize) -> S) {
        let names = [A, B, C];
        let numbers: Vec<S> = (0..sizes.iter().product()).map(&number).collect();
        let node = tensor(&[0, 1, 2].map(|i| (names[i], sizes[i])), &numbers);
        let apart = [sizes[1] * sizes[2], sizes[2], 1];
        for node in [&node, &laid_otherwise(&node)] {
            for [i, j, k] in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                let value = node.value().expect("stored numbers");
                let read: Vec<S> = gathered(node, value, &[names[i], names[j], names[k]]).expect("there is memory");
                let mut wanted = Vec::new();
                for x in 0..sizes[i] {
                    for y in 0..sizes[j] {
                        wanted.extend((0..sizes[k]).map(|z| number(x * apart[i] + y * apart[j] + z * apart[k])));
                    }
                }
                assert!(read == wanted, "{sizes:?} in the order {i}, {j}, {k}");
            }
        }
    }

    #[test]
    fn numbers_are_read_in_every_order_of_axes_whatever_their_sizes() {
        for sizes in [[2, 3, 4], [0, 3, 2], [1, 1, 1], [9, 1, 70], [5, 34, 67], [3, 64, 2], [130, 2, 66], [100, 100, 3]]
        {
            check(sizes, |i| i as f32);
            check(sizes, |i| i as f64);
            check(sizes, |i| i as i64);
            check(sizes, |i| i % 7 < 3);
            check(sizes, |i| Bf16::from_f64((i % 250) as f64));
        }
    }

    crate::axes! { seq }

    #[test]
    fn a_few_numbers_that_are_evaluated_do_not_hold_the_many_that_they_lie_among() -> Result<()> {
        let x: Tensor<seq> = Tensor::from_fn(seq.of(10_000), |[i]| (i % 7) as f32);
        for few in [x.slice(seq, 5..8), x.softmax(seq).slice(seq, 5..8)] {
            let alone = few.eval()?;
            assert_eq!(alone.node().value().map(|value| value.buffer.size()), Some(3), "numbers in memory");
            assert_eq!(alone.to_vec(seq)?, few.to_vec(seq)?);
        }
        assert_eq!(x.slice(seq, 5..8).eval()?.to_vec(seq)?, [5.0, 6.0, 0.0]);
        let most = x.slice(seq, 5..8000).eval()?;
        let [most, all] = [most.node(), x.node()].map(|node| node.value().map(|value| Arc::as_ptr(&value.buffer)));
        assert_eq!(most, all, "most of them are not copied");
        Ok(())
    }

    #[test]
    fn what_is_widened_to_be_read_gives_its_memory_back() -> Result<()> {
        const MANY: usize = 1_234_567;
        let ones: Tensor<seq> = Tensor::ones(seq.of(MANY));
        let halves = Buffer::from(vec![Bf16::rounded(1.0); MANY]);
        let node = Node::input(Value::contiguous(halves, [MANY].into_iter()), ones.node().shape().clone());
        let widened: Tensor<seq> = Tensor::from_node(node.cast(Kind::F32));
        // Tests that run beside this one may take it first.
        let is_there = |_| {
            let numbers = widened.to_vec(seq).expect("it is read");
            let kept = crate::kernel::pool::take(Kind::F32, MANY);
            let is_used = f32::of(&kept)[MANY / 2] == 1.0;
            crate::kernel::pool::give(kept);
            numbers[MANY / 2] == 1.0 && is_used
        };
        assert!((0..20).any(is_there), "memory that was used");
        Ok(())
    }
}
