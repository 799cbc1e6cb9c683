//! Parameters: the tensors after the semicolon of `f(X; W, b)`.
//!
//! `named!` makes a struct of them, nested where a function has functions as parameters, and implements
//! [`Parameters`]. Lives here: walking over them by dotted name (`att.W_Q`), initial values, counting.
//! Not here: files (`file`), optimisers.

mod stacked;

pub use stacked::{Stacked, stack};

use std::marker::PhantomData;

use rand::Rng;

use crate::axes::Axes;
use crate::axes::selector::Extents;
use crate::axis::Name;
use crate::element::Real;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::op::Distribution;
use crate::graph::shape::Names;
use crate::graph::{Node, Shape};
use crate::plan;
use crate::random::{glorot_bound, he_deviation};
use crate::tensor::Tensor;

/// A struct of parameters, as `named!` makes it for a function with parameters.
pub trait Parameters<T: Real>: Clone {
    /// All axes of all parameters.
    type Axes: Axes;
    /// The same parameters in another precision.
    type Of<U: Real>: Parameters<U>;

    /// Shows each tensor under its dotted name, in the order of the declaration.
    fn visit(&self, path: &mut Path, visitor: &mut dyn FnMut(Parameter<'_, T>));

    /// Shows each tensor under its dotted name, to be replaced.
    fn visit_mut(&mut self, path: &mut Path, visitor: &mut dyn FnMut(ParameterMut<'_, T>));

    /// Draws the initial values.
    ///
    /// # Errors
    /// A shape that does not fit in memory.
    fn init_from(init: &mut Init<'_>) -> Result<Self>;

    /// The same numbers in another precision.
    #[must_use]
    fn cast<U: Real>(&self) -> Self::Of<U>;

    /// Does something with each parameter, in the order of the declaration.
    fn each(&self, mut visitor: impl FnMut(Parameter<'_, T>)) {
        self.visit(&mut Path::default(), &mut visitor);
    }

    /// Replaces parameters: does something with each, in the order of the declaration.
    fn each_mut(&mut self, mut visitor: impl FnMut(ParameterMut<'_, T>)) {
        self.visit_mut(&mut Path::default(), &mut visitor);
    }

    /// The dotted name and the shape of each parameter, in the order of the declaration.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { chans, out }
    /// named! { fn Linear(X: R[chans]; W: R[chans, out], b: R[out] = 0) -> R[out] { X dot_chans W + b } }
    ///
    /// let linear = Linear::init(&mut seeded(0), (chans.of(3), out.of(2)))?;
    /// let names: Vec<String> = linear.parameters().into_iter().map(|(name, _)| name).collect();
    /// assert_eq!(names, ["W", "b"]);
    /// assert_eq!(linear.count(), 3 * 2 + 2);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    fn parameters(&self) -> Vec<(String, Shape)> {
        let mut found = Vec::new();
        self.each(|parameter| found.push((parameter.name.to_owned(), parameter.shape().clone())));
        found
    }

    /// How many numbers all parameters hold.
    #[must_use]
    fn count(&self) -> usize {
        self.parameters().iter().map(|(_, shape)| shape.elements()).sum()
    }
}

/// A tensor is a parameter by itself, under the name it has where it stands.
impl<A: Axes, T: Real> Parameters<T> for Tensor<A, T> {
    type Axes = A;
    type Of<U: Real> = Tensor<A, U>;

    fn visit(&self, path: &mut Path, visitor: &mut dyn FnMut(Parameter<'_, T>)) {
        visitor(Parameter { name: &path.0, axes: A::names(), node: self.node(), element: PhantomData });
    }

    fn visit_mut(&mut self, path: &mut Path, visitor: &mut dyn FnMut(ParameterMut<'_, T>)) {
        visitor(ParameterMut { name: &path.0, axes: A::names(), node: self.node_mut(), element: PhantomData });
    }

    fn init_from(init: &mut Init<'_>) -> Result<Self> {
        let message = format!("the parameter `{}` does not say how it starts", init.path.0.trim_end_matches('.'));
        Err(Error::here(ErrorKind::Value, message))
    }

    fn cast<U: Real>(&self) -> Tensor<A, U> {
        Tensor::cast(self)
    }
}

/// Where a parameter stands: the names of the structs around it.
#[derive(Debug, Default)]
pub struct Path(String);

impl Path {
    /// Does `then` with `name` added to the path.
    fn inside<R>(&mut self, name: &str, then: impl FnOnce(&mut Path) -> R) -> R {
        let before = self.0.len();
        if before > 0 {
            self.0.push('.');
        }
        self.0.push_str(name);
        let result = then(self);
        self.0.truncate(before);
        result
    }
}

/// One parameter, to be read.
#[derive(Debug)]
pub struct Parameter<'a, T> {
    /// Its dotted name.
    pub name: &'a str,
    /// Its declared axes in order.
    pub axes: Names,
    node: &'a Node,
    element: PhantomData<T>,
}

impl<T> Parameter<'_, T> {
    /// Its node.
    pub(crate) fn node(&self) -> &Node {
        self.node
    }
}

impl<T: Real> Parameter<'_, T> {
    /// Its axes and sizes.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        self.node.shape()
    }

    /// Its numbers in the order of its axes.
    ///
    /// # Errors
    /// The error of computing it, if it was computed.
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        Tensor::<(), T>::from_node(self.node.clone()).read(&self.axes)
    }
}

/// One parameter, to be replaced.
#[derive(Debug)]
pub struct ParameterMut<'a, T> {
    /// Its dotted name.
    pub name: &'a str,
    /// Its declared axes in order.
    pub axes: Names,
    node: &'a mut Node,
    element: PhantomData<T>,
}

impl<T> ParameterMut<'_, T> {
    /// Puts another tensor of the same axes in its place.
    pub(crate) fn replace(&mut self, node: Node) {
        *self.node = node;
    }
}

impl<T: Real> ParameterMut<'_, T> {
    /// Its axes and sizes.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        self.node.shape()
    }

    /// Replaces its numbers; they lie in the order of `shape`, the last axis fastest.
    ///
    /// # Errors
    /// `shape` has other axes than the parameter, or another number of elements than there are numbers.
    #[track_caller]
    pub fn set(&mut self, shape: Shape, numbers: Vec<T>) -> Result<()> {
        if shape.rank() != self.axes.len() || self.axes.iter().any(|&axis| !shape.has(axis)) {
            let declared: Vec<String> = self.axes.iter().map(ToString::to_string).collect();
            let message =
                format!("parameter `{}` has axes [{}], but {shape} was given", self.name, declared.join(", "));
            return Err(Error::here(ErrorKind::SizeClash, message));
        }
        crate::tensor::counted(&shape, numbers.len())?;
        *self.node = crate::tensor::held::<T>(numbers, shape);
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

/// How a parameter starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Draw {
    /// One number everywhere: `= 0`.
    Constant(f64),
    /// `~ uniform(low, high)`
    Uniform {
        /// The least value.
        low: f64,
        /// The bound that is never reached.
        high: f64,
    },
    /// `~ normal(mean, deviation)`
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        deviation: f64,
    },
    /// `~ glorot({chans} -> {heads, key})`, given the products of the sizes.
    Glorot {
        /// The sizes of the incoming axes, multiplied.
        incoming: f64,
        /// The sizes of the outgoing axes, multiplied.
        outgoing: f64,
    },
    /// `~ he({chans})`, given the product of the sizes.
    He {
        /// The sizes of the incoming axes, multiplied.
        incoming: f64,
    },
}

/// Sizes and a source of numbers, from which structs of parameters are made.
pub struct Init<'a> {
    seed: &'a mut dyn FnMut() -> u64,
    sizes: &'a [(Name, usize)],
    path: Path,
    /// The axes of the stacks around.
    stacked: Names,
}

impl std::fmt::Debug for Init<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Init").field("sizes", &self.sizes).field("path", &self.path).finish_non_exhaustive()
    }
}

/// A struct of parameters with its initial values; `sizes` name at least its axes.
///
/// # Errors
/// A shape that does not fit in memory.
pub fn init<P: Parameters<f32>, E: Extents>(rng: &mut impl Rng, sizes: E) -> Result<P> {
    P::init_from(&mut Init {
        seed: &mut || rng.next_u64(),
        sizes: &sizes.sizes(),
        path: Path::default(),
        stacked: Names::new(),
    })
}

impl Init<'_> {
    /// The size of an axis.
    ///
    /// # Errors
    /// No size was given for the axis.
    pub fn size(&self, axis: &'static str) -> Result<usize> {
        let name = Name::declared(axis);
        self.sizes.iter().find(|(other, _)| *other == name).map(|&(_, size)| size).ok_or_else(|| {
            Error::new(
                ErrorKind::SizeClash,
                format!("no size was given for the axis `{axis}`, which `{}` needs", self.path.0),
            )
        })
    }

    /// A tensor with the axes `A`.
    ///
    /// # Errors
    /// A shape that does not fit in memory.
    #[track_caller]
    pub fn tensor<A: Axes, T: Real>(&mut self, name: &str, draw: &Draw) -> Result<Tensor<A, T>> {
        let before = self.path.0.len();
        self.path.0.push_str(name);
        let sizes: Result<Vec<(Name, usize)>> =
            self.stacked.iter().chain(&A::names()).map(|&axis| Ok((axis, self.size(axis.text())?))).collect();
        self.path.0.truncate(before);
        let shape = Shape::new(sizes?).checked("init")?;
        let distribution = match *draw {
            Draw::Constant(value) => return Ok(Tensor::from_node(Node::fill(T::KIND, value, shape))),
            Draw::Uniform { low, high } => Distribution::Uniform { low, high },
            Draw::Normal { mean, deviation } => Distribution::Normal { mean, deviation },
            Draw::Glorot { incoming, outgoing } => {
                let bound = glorot_bound(incoming, outgoing);
                Distribution::Uniform { low: -bound, high: bound }
            }
            Draw::He { incoming } => Distribution::Normal { mean: 0.0, deviation: he_deviation(incoming) },
        };
        // Parameters are numbers, not recipes: drawn once, here.
        let drawn = Node::random(distribution, (self.seed)(), T::KIND, shape.clone());
        let values = plan::evaluate(&[drawn])?;
        let value = values.into_iter().next().ok_or_else(|| Error::new(ErrorKind::Value, "nothing was drawn"))?;
        Ok(Tensor::from_node(Node::input(value, shape)))
    }

    /// A struct of parameters inside another one.
    ///
    /// # Errors
    /// A shape that does not fit in memory.
    #[track_caller]
    pub fn nested<P: Parameters<T>, T: Real>(&mut self, name: &str) -> Result<P> {
        let before = self.path.0.len();
        self.path.0.push_str(name);
        self.path.0.push('.');
        let nested = P::init_from(self);
        self.path.0.truncate(before);
        nested
    }
}
