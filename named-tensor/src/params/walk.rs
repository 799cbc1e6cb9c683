//! One parameter under its dotted name, to be read or replaced.
//!
//! Lives here: also what generated code calls to show each tensor of a struct. Not here: the walk itself, which `named!`
//! writes for each struct.

use std::marker::PhantomData;

use super::{Parameters, storage};
use crate::axes::Axes;
use crate::element::{Buffer, Kind, Real};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::shape::Names;
use crate::graph::{Node, Shape};
use crate::tensor::Tensor;

/// Where a parameter stands: the names of the structs around it.
#[derive(Debug, Default)]
pub struct Path(pub(super) String);

impl Path {
    /// Does `then` with `name` added to the path.
    pub(super) fn inside<R>(&mut self, name: &str, then: impl FnOnce(&mut Path) -> R) -> R {
        let before = self.0.len();
        if before > 0 {
            self.0.push('.');
        }
        self.push(name);
        let result = then(self);
        self.0.truncate(before);
        result
    }

    /// Adds a name; a raw identifier is called by its word.
    pub(super) fn push(&mut self, name: &str) {
        self.0.push_str(name.strip_prefix("r#").unwrap_or(name));
    }
}

/// One parameter, to be read.
#[derive(Debug)]
pub struct Parameter<'a, T> {
    /// Its dotted name.
    pub name: &'a str,
    /// Its axes, in the order in which its numbers are read: that of its type, which may differ from that of its declaration.
    pub axes: Names,
    pub(super) node: &'a Node,
    pub(super) element: PhantomData<T>,
}

impl<T> Parameter<'_, T> {
    /// Its node.
    pub(crate) fn node(&self) -> &Node {
        self.node
    }
}

impl<T: Real> Parameter<'_, T> {
    /// Its axes, in their order, and their sizes; in a lifted function it may have further ones.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.node.shape().only(&self.axes)
    }

    /// Its numbers in the order of its axes.
    ///
    /// # Errors
    /// The error of computing it, if it was computed.
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        Tensor::<(), T>::from_node(self.node.clone()).read(&self.axes)
    }

    /// Its numbers in the order of its axes as they are stored: in its own precision, or in 16 bits.
    ///
    /// # Errors
    /// The error of computing it, if it was computed.
    #[track_caller]
    pub fn stored(&self) -> Result<Buffer> {
        crate::tensor::stored(self.node, &self.axes)
    }
}

/// One parameter, to be replaced.
#[derive(Debug)]
pub struct ParameterMut<'a, T> {
    /// Its dotted name.
    pub name: &'a str,
    /// Its axes, in the order in which its numbers are read: that of its type, which may differ from that of its declaration.
    pub axes: Names,
    pub(super) node: &'a mut Node,
    pub(super) element: PhantomData<T>,
}

impl<T> ParameterMut<'_, T> {
    /// Puts another tensor of the same axes in its place.
    pub(crate) fn replace(&mut self, node: Node) {
        *self.node = node;
    }
}

impl<T: Real> ParameterMut<'_, T> {
    /// Its axes, in their order, and their sizes; in a lifted function it may have further ones.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.node.shape().only(&self.axes)
    }

    /// Replaces its numbers; they lie in the order of `shape`, the last axis fastest.
    ///
    /// # Errors
    /// `shape` has other axes than the parameter, or another number of elements than there are numbers.
    #[track_caller]
    pub fn set(&mut self, shape: Shape, numbers: Vec<T>) -> Result<()> {
        self.set_stored(shape, T::into_buffer(numbers))
    }

    /// The same with numbers as they are stored: in the parameter's own precision, or in 16 bits, as which they are kept.
    ///
    /// # Errors
    /// As [`set`](ParameterMut::set); numbers of another kind.
    #[track_caller]
    pub fn set_stored(&mut self, shape: Shape, numbers: Buffer) -> Result<()> {
        if shape.rank() != self.axes.len() || self.axes.iter().any(|&axis| !shape.has(axis)) {
            let declared: Vec<String> = self.axes.iter().map(ToString::to_string).collect();
            let message =
                format!("parameter `{}` has axes [{}], but {shape} was given", self.name, declared.join(", "));
            return Err(Error::here(ErrorKind::SizeClash, message));
        }
        crate::tensor::counted(&shape, numbers.size())?;
        let kind = numbers.kind();
        if kind != T::KIND && kind != Kind::Bf16 {
            let message = format!("parameter `{}` holds {:?}, but {kind:?} was given", self.name, T::KIND);
            return Err(Error::here(ErrorKind::Value, message));
        }
        *self.node = storage::held(numbers, shape, T::KIND);
        Ok(())
    }
}

/// What generated code calls for each tensor of a struct.
pub fn visit_tensor<A: Axes, T: Real>(
    path: &mut Path,
    name: &str,
    tensor: &Tensor<A, T>,
    visitor: &mut dyn FnMut(Parameter<'_, T>),
) {
    path.inside(name, |path| tensor.visit(path, visitor));
}

/// What generated code calls for each tensor of a struct, to replace it.
pub fn visit_tensor_mut<A: Axes, T: Real>(
    path: &mut Path,
    name: &str,
    tensor: &mut Tensor<A, T>,
    visitor: &mut dyn FnMut(ParameterMut<'_, T>),
) {
    path.inside(name, |path| tensor.visit_mut(path, visitor));
}

/// What generated code calls for each struct in a struct.
pub fn visit_nested<P: Parameters<T>, T: Real>(
    path: &mut Path,
    name: &str,
    nested: &P,
    visitor: &mut dyn FnMut(Parameter<'_, T>),
) {
    path.inside(name, |path| nested.visit(path, visitor));
}

/// What generated code calls for each struct in a struct, to replace its tensors.
pub fn visit_nested_mut<P: Parameters<T>, T: Real>(
    path: &mut Path,
    name: &str,
    nested: &mut P,
    visitor: &mut dyn FnMut(ParameterMut<'_, T>),
) {
    path.inside(name, |path| nested.visit_mut(path, visitor));
}
