//! Initial values: how parameters start, and the sizes they start with.
//!
//! Lives here: constants and distributions as equations state them. Not here: the stream of random numbers (`random`).

use std::panic::Location;

use rand::Rng;

use super::{Parameters, Path};
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
    /// Where seeds come from; none if nothing is drawn.
    seed: Option<&'a mut dyn FnMut() -> u64>,
    sizes: &'a [(Name, usize)],
    path: Path,
    /// The axes of the stacks around.
    pub(super) stacked: Names,
}

impl std::fmt::Debug for Init<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Init").field("sizes", &self.sizes).field("path", &self.path).finish_non_exhaustive()
    }
}

/// A struct of parameters with its initial values; `sizes` name at least its axes.
///
/// # Errors
/// A shape that does not fit in memory; an axis whose size is not given, or given twice; a list, which does not say how long it is.
#[track_caller]
pub fn init<P: Parameters<f32>, E: Extents>(rng: &mut impl Rng, sizes: E) -> Result<P> {
    let (place, sizes) = (Location::caller(), sizes.sizes());
    let seed: &mut dyn FnMut() -> u64 = &mut || rng.next_u64();
    made(Some(seed), &sizes).map_err(|error| error.at(place))
}

/// A struct of parameters that is to be filled, from a file for instance. All numbers are 0, and take no memory as long as
/// nobody reads them.
///
/// # Errors
/// A shape that does not fit in memory.
#[track_caller]
pub fn unfilled<P: Parameters<f32>, E: Extents>(sizes: E) -> Result<P> {
    let (place, sizes) = (Location::caller(), sizes.sizes());
    made(None, &sizes).map_err(|error| error.at(place))
}

/// A struct of parameters of these sizes.
fn made<'a, P: Parameters<f32>>(seed: Option<&'a mut dyn FnMut() -> u64>, sizes: &'a [(Name, usize)]) -> Result<P> {
    for (i, &(axis, size)) in sizes.iter().enumerate() {
        if let Some(&(_, first)) = sizes[..i].iter().find(|&&(other, _)| other == axis) {
            let message = format!("axis `{}` is given a size twice: {first} and {size}", axis.text());
            return Err(Error::new(ErrorKind::SizeClash, message));
        }
    }
    P::init_from(&mut Init { seed, sizes, path: Path::default(), stacked: Names::new() })
}

impl Init<'_> {
    /// The dotted name of what is made.
    pub(super) fn path(&self) -> &str {
        self.path.0.trim_end_matches('.')
    }

    /// The size of an axis.
    ///
    /// # Errors
    /// No size was given for the axis.
    pub fn size(&self, axis: &'static str) -> Result<usize> {
        let name = Name::declared(axis);
        self.sizes.iter().find(|(other, _)| *other == name).map(|&(_, size)| size).ok_or_else(|| {
            let whose = match self.path() {
                "" => "an initial value".to_owned(),
                path => format!("`{path}`"),
            };
            Error::new(ErrorKind::SizeClash, format!("no size was given for the axis `{axis}`, which {whose} needs"))
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
        let path = self.path.0.clone();
        self.path.0.truncate(before);
        let shape = Shape::new(sizes?);
        // The place is that of the call which asks for all parameters; a block of equations has no better one.
        let too_large = |_| {
            let message = format!("too large for memory: parameter `{path}` would have the shape {shape}");
            Error::new(ErrorKind::TooLarge, message)
        };
        shape.clone().checked("init").map_err(too_large)?;
        let distribution = match *draw {
            Draw::Constant(value) => return Ok(Tensor::from_node(Node::fill(T::KIND, value, shape).into_variable())),
            Draw::Uniform { low, high } => Distribution::Uniform { low, high },
            Draw::Normal { mean, deviation } => Distribution::Normal { mean, deviation },
            Draw::Glorot { incoming, outgoing } => {
                let bound = glorot_bound(incoming, outgoing);
                Distribution::Uniform { low: -bound, high: bound }
            }
            Draw::He { incoming } => Distribution::Normal { mean: 0.0, deviation: he_deviation(incoming) },
        };
        let Some(seed) = &mut self.seed else {
            return Ok(Tensor::from_node(Node::fill(T::KIND, 0.0, shape).into_variable()));
        };
        let seed = seed();
        if shape.elements() == 0 {
            // Nothing is drawn, so it does not matter that the deviation for no incoming numbers, 1/√0, is none.
            return Ok(Tensor::from_node(Node::fill(T::KIND, 0.0, shape).into_variable()));
        }
        // A wrong setting is no fault of this parameter.
        plan::allowed()?;
        // Parameters are numbers, not recipes: drawn once, here.
        let drawn = Node::random(distribution, seed, T::KIND, shape.clone());
        let values = plan::evaluate(&[drawn]).map_err(|error| match error.kind() {
            ErrorKind::TooLarge => too_large(error),
            kind => Error::new(kind, format!("parameter `{path}`: {}", error.message())),
        })?;
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
        self.path.push(name);
        self.path.0.push('.');
        let nested = P::init_from(self);
        self.path.0.truncate(before);
        nested
    }
}
