//! Parameters: the tensors after the semicolon of `f(X; W, b)`.
//!
//! `named!` makes a struct of them, nested where a function has functions as parameters, and implements
//! [`Parameters`]. Lives here: what can be done with all parameters of a struct; `initial` is how they start, `walk` one of
//! them under its dotted name (`att.W_Q`), `several` one tensor and several structs as one, `alike` which parameters of two
//! structs belong together, `composed` structs that are written by hand, `storage` how their numbers are kept.
//! Not here: files (`file`), optimisers.

mod alike;
mod composed;
mod initial;
mod several;
mod stacked;
pub(crate) mod storage;
mod walk;

pub(crate) use alike::{changes, variables};
pub use initial::{Draw, Init, init, unfilled};
pub use several::Together;
pub use stacked::{Stacked, stack};
pub use walk::{Parameter, ParameterMut, Path};
#[doc(hidden)]
pub use walk::{visit_nested, visit_nested_mut, visit_tensor, visit_tensor_mut};

use crate::axes::Axes;
use crate::element::{Binary, Real, Unary};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::op::Reduction;
use crate::graph::{Node, Shape};
use crate::plan;
use crate::tensor::Tensor;

/// A struct of parameters, as `named!` makes it for a function with parameters.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no struct of parameters",
    label = "not a struct of parameters",
    note = "`named!` makes one for a function with parameters, `named_tensor::parameters!` of fields that are such",
    note = "in `parameters!` a field is written with its precision: `first: Linear<T>`, `b: Tensor<R![out], T>`"
)]
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

    /// Each parameter made anew from itself and from those of the same name in `others`: a step of an optimiser.
    /// Where one of `others` has none of this name, `of` gets a tensor that carries an error.
    ///
    /// To `of` a parameter is a scalar, lifted over its own axes; so it applies functions of numbers, written once
    /// for parameters of any axes. What it gives must have the axes of the parameter; else the new parameter carries an
    /// error. A tensor with axes belongs into such a function, as an argument: beside the parameter itself, its axes would
    /// meet those of the parameter.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { chans, out }
    /// named! {
    ///     fn Linear(X: R[chans]; W: R[chans, out] = 1, b: R[out] = 0) -> R[out] { X dot_chans W + b }
    ///     fn Descent(θ: R[], g: R[], η: R[]) -> R[] { θ - η * g }
    /// }
    ///
    /// let model = Linear::init(&mut seeded(0), (chans.of(2), out.of(1)))?;
    /// let loss = model.apply(&Tensor::new(chans, [1.0, 2.0])).sum(out);
    /// let rate = Tensor::scalar(0.5);
    /// let moved = model.combine([&grad(&loss, &model)], |_, θ, [g]| Descent(θ, g, &rate)).eval()?;
    /// assert_eq!(moved.W.to_vec((chans, out))?, [0.5, 0.0]);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    fn combine<const N: usize>(
        &self,
        others: [&Self; N],
        mut of: impl FnMut(&str, &Tensor<(), T>, [&Tensor<(), T>; N]) -> Tensor<(), T>,
    ) -> Self {
        let place = std::panic::Location::caller();
        let names = alike::names(self);
        let scalars = |other: usize| {
            let all = alike::by_name(&names, others[other]).into_iter().zip(&names);
            let one = |(node, name): (Option<Node>, &String)| match node {
                Some(node) => Tensor::from_node(node),
                None => Tensor::failed(alike::missing("combine", name, &format!("`others[{other}]`")).at(place)),
            };
            all.map(one).collect::<Vec<_>>()
        };
        let scalars: [Vec<Tensor<(), T>>; N] = std::array::from_fn(scalars);
        let mut next = 0;
        let mut combined = self.clone();
        combined.each_mut(|parameter| {
            let own = Tensor::from_node(parameter.node.clone());
            let made = of(parameter.name, &own, std::array::from_fn(|other| &scalars[other][next]));
            next += 1;
            let (found, wanted) = (made.node().shape(), parameter.node.shape());
            let has_all = wanted.iter().all(|(name, size)| found.size(name) == Some(size));
            // In a lifted function what it is made of may have further axes.
            let same = has_all && found.names().all(|name| wanted.has(name) || name.is_fresh());
            *parameter.node = if same || made.node().error().is_some() {
                made.node().clone()
            } else {
                let message = format!("parameter `{}` has the shape {wanted}, but {found} was made", parameter.name);
                Node::failed(Error::new(ErrorKind::SizeClash, message).at(place), T::KIND)
            };
        });
        combined
    }

    /// 0 for each number of each parameter.
    #[must_use]
    #[track_caller]
    fn zeros(&self) -> Self {
        let mut zeros = self.clone();
        zeros.each_mut(|parameter| {
            *parameter.node = Node::fill(T::KIND, 0.0, parameter.node.shape().clone()).into_variable();
        });
        zeros
    }

    /// The length of all parameters as one vector, √Σ θ², for instance of a gradient.
    ///
    /// The squares are summed without rounding, and their sum is a number of the parameters' precision: in `f32` a length
    /// beyond 1.8 · 10¹⁹ is ∞. That of `gradient.cast::<f64>()` is not.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { chans }
    /// let gradient = Together((Tensor::new(chans, [1.0, 2.0]), Tensor::scalar(2.0)));
    /// assert_eq!(gradient.norm().item()?, 3.0);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    fn norm(&self) -> Tensor<(), T> {
        let mut sum = Node::fill(T::KIND, 0.0, Shape::default());
        self.each(|parameter| {
            // Its own axes: in a lifted function it may have further ones.
            let squares = parameter.node.binary(Binary::Mul, parameter.node).reduce(Reduction::Sum, &parameter.axes);
            sum = sum.binary(Binary::Add, &squares);
        });
        Tensor::from_node(sum.unary(Unary::Sqrt))
    }

    /// Computes all parameters now, together, and forgets how they were made.
    ///
    /// # Errors
    /// The first error that one of them carries or meets.
    #[track_caller]
    fn eval(&self) -> Result<Self> {
        let place = std::panic::Location::caller();
        let mut values = plan::evaluate(&asked_for(self)).map_err(|error| error.at(place))?.into_iter();
        let mut computed = self.clone();
        computed.each_mut(|parameter| {
            if parameter.node.widens().is_none()
                && let Some(value) = values.next()
            {
                *parameter.node = Node::input(value, parameter.node.shape().clone());
            }
        });
        Ok(computed)
    }

    /// The steps that compute all of them together, for people, as [`Tensor::plan`] shows those of one tensor. What a training
    /// step computes, for instance, is the loss and its gradient together:
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { chans, out }
    /// named! {
    ///     fn Project(X: R[chans]; W: R[chans, out] = 1, b: R[out] = 0) -> R[out] { X dot_chans W + b }
    /// }
    /// let project = Project::init(&mut seeded(0), (chans.of(3), out.of(2)))?;
    /// let loss = project.apply(&Tensor::new(chans, [1.0, 2.0, 3.0])).exp().sum(out);
    /// let gradient = grad(&loss, &project);
    /// let plan = Together((loss, gradient)).plan()?;
    /// assert_eq!(plan.matches("exp").count(), 1, "the exponential is computed once for both: {plan}");
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`eval`](Self::eval); a setting in the environment that there is not.
    #[track_caller]
    fn plan(&self) -> Result<String> {
        let place = std::panic::Location::caller();
        plan::describe(&asked_for(self)).map_err(|error| error.at(place))
    }

    /// The same parameters, stored in bfloat16 (`element::Bf16`): half the memory of `f32`, and half the
    /// time where a model waits for its weights, as a decoder does.
    ///
    /// Each number is rounded once, by at most 2⁻⁸ of itself; what is computed with them is computed in `T`, as if the
    /// rounded numbers were stored in `T`. A step of an optimiser gives parameters in `T` again.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { chans, out }
    /// named! { fn Linear(X: R[chans]; W: R[chans, out]) -> R[out] { X dot_chans W } }
    ///
    /// let linear = Linear { W: Tensor::new((chans, out), [[1.0], [1.0 / 3.0]]) }.in_bf16()?;
    /// assert_eq!(linear.W.to_vec((chans, out))?, [1.0, 0.333984375]);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of computing a parameter that was computed.
    #[track_caller]
    fn in_bf16(&self) -> Result<Self> {
        let (mut stored, mut done) = (self.clone(), Ok(()));
        stored.each_mut(|parameter| {
            if done.is_ok() {
                done = storage::in_bf16(parameter.node).map(|node| *parameter.node = node);
            }
        });
        done.map(|()| stored)
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
        self.each(|parameter| found.push((parameter.name.to_owned(), parameter.shape())));
        found
    }

    /// How many numbers all parameters hold; `usize::MAX` where there are more, of which no memory holds all.
    #[must_use]
    fn count(&self) -> usize {
        self.parameters().iter().map(|(_, shape)| shape.elements()).fold(0, usize::saturating_add)
    }
}

/// What is computed of some parameters: what is stored in 16 bits stays so.
fn asked_for<T: Real>(parameters: &impl Parameters<T>) -> Vec<Node> {
    let mut nodes = Vec::new();
    parameters.each(|parameter| nodes.extend(parameter.node.widens().is_none().then(|| parameter.node.clone())));
    nodes
}
