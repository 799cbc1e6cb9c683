//! What generated code may call. Nothing here is for people; it may change in any release.
//!
//! Lives here: the names an expansion needs, the declared result, size conditions. The operations of equations are in
//! `arithmetic` (tensors and numbers mix), `along` and `operations` (whose axes messages point at).
//! Not here: any mathematics of its own.

mod along;
mod arithmetic;
mod operations;

pub use along::*;
pub use arithmetic::*;
pub use operations::*;

pub use crate::axes::order::{NoStar, d};
pub use crate::axes::rules::{Avoids, Gives, Has, Lacks, Once, SameAs};
pub use crate::axes::selector::{Extent, Extents, Of, Selector};
pub use crate::axes::set::{Axes, Minus, Union};
pub use crate::axis::Axis;
pub use crate::element::{Comparison, Index, Real};
pub use crate::error::{Error, Result};
pub use crate::lift::{Lift, Lifted};
pub use crate::params::{
    Draw, Init, Parameter, ParameterMut, Parameters, Path, init, visit_nested, visit_nested_mut, visit_tensor,
    visit_tensor_mut,
};
pub use crate::tensor::{Tensor, jacobian};
pub use rand::Rng;

use crate::axes::starred::star;
use crate::error::ErrorKind;

/// `star(A)` as a type.
pub type Starred<A> = star<A>;

/// `star(A)` as a value: this function itself is the selector.
#[allow(non_snake_case, reason = "one path is the type and the value")]
#[must_use]
pub fn Starred<A: Axis>() -> star<A> {
    star::default()
}

/// The body's result as declared; rule 4.
#[must_use]
pub fn result<U: Axes, A: SameAs<U>, T>(x: Tensor<A, T>) -> Tensor<U, T> {
    Tensor::from_node(x.node().clone())
}

/// What a function that may be absent gives, or its argument.
#[must_use]
pub fn or_itself<A: SameAs<B>, B: Axes, T: Real>(made: Option<Tensor<A, T>>, x: &Tensor<B, T>) -> Tensor<A, T> {
    made.unwrap_or_else(|| Tensor::from_node(x.node().clone()))
}

/// A set of axes as if nothing were wrong with it; the error stands in the constant.
pub type Despite<A, const ERROR: usize> = A;

/// What stands for a value after an error that has been reported.
#[must_use]
pub fn poisoned<X>() -> X {
    panic!("code with a reported error was run")
}

/// A size condition, checked once per call.
///
/// # Errors
/// The condition and the sizes it speaks of.
#[track_caller]
pub fn condition(text: &str, sizes: &[(&str, usize)], holds: bool) -> Result<()> {
    if holds {
        return Ok(());
    }
    let sizes: Vec<String> = sizes.iter().map(|(axis, size)| format!("|{axis}| = {size}")).collect();
    Err(Error::here(ErrorKind::Condition, format!("the condition `{text}` does not hold: {}", sizes.join(", "))))
}

/// Those who have an axis agree on its size, which is read; whoever carries an error has none.
///
/// # Errors
/// The axis, and two who differ.
#[track_caller]
pub fn agreed(axis: &str, sizes: &[(&str, Option<usize>)]) -> Result<()> {
    let mut known = sizes.iter().filter_map(|&(name, size)| Some((name, size?)));
    let Some((first, size)) = known.next() else { return Ok(()) };
    let Some((second, other)) = known.find(|&(_, other)| other != size) else { return Ok(()) };
    let message =
        format!("sizes clash in `|{axis}|`: axis `{axis}` has size {size} in `{first}`, {other} in `{second}`");
    Err(Error::here(ErrorKind::SizeClash, message))
}

/// A tensor that carries an error found on the way.
#[must_use]
pub fn failed<A: Axes, T: crate::element::Element>(error: Error) -> Tensor<A, T> {
    Tensor::failed(error)
}

/// A size or position that was computed, such as `|chans| / |heads|`.
///
/// # Errors
/// The number is not whole, or below 0.
#[track_caller]
pub fn whole(text: &str, number: f64) -> Result<usize> {
    if number >= 0.0 && number.fract() == 0.0 && number < 9e15 {
        // Exact: a whole number below 2⁵³.
        return Ok(number as usize);
    }
    let is_quotient = text.contains('/') && number >= 0.0 && number.is_finite();
    let help = if is_quotient { "; the whole part of a quotient is `div(a, b)`" } else { "" };
    let message = format!("a size or position is a whole number of at least 0, but {text} is {number}{help}");
    Err(Error::here(ErrorKind::Condition, message))
}
