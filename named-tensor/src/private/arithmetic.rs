//! Arithmetic of equations, where each operand is a tensor or a plain number.
//!
//! A number takes the precision of the tensor it meets. Lives here: one trait for two operands, one for one.
//! Not here: operations that name axes (`operations`).

use crate::axes::rules::Has;
use crate::axes::set::{Axes, Union};
use crate::element::{Binary, Comparison, Element, Index, Kind, Real, Unary};
use crate::graph::{Node, Shape};
use crate::tensor::{Tensor, number};

/// A constant of the program that stands in an equation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number",
    label = "a constant of an equation is a number",
    note = "a tensor is an argument or a parameter; a name in capitals that is neither is a constant of the program"
)]
pub trait Constant {
    /// The number.
    fn number(self) -> f64;
}

macro_rules! constants {
    ($($number:ident)*) => {$(
        impl Constant for $number {
            fn number(self) -> f64 {
                self as f64
            }
        }
    )*};
}

constants!(f64 f32 usize u64 u32 u16 u8 isize i64 i32 i16 i8);

/// The number that a constant of the program is.
pub fn constant(constant: impl Constant) -> f64 {
    constant.number()
}

/// Two operands that arithmetic accepts: tensors of one precision, or a tensor and a number.
#[diagnostic::on_unimplemented(
    message = "these cannot be computed with each other: `{Self}` and `{R}`",
    label = "operands of different elements",
    note = "both operands are real tensors of one precision, or one of them is a number"
)]
pub trait Operands<R> {
    /// What becomes of them.
    type Output;

    /// Computes it.
    fn apply(self, op: Binary, right: R) -> Self::Output;
}

impl<A: Axes, B: Axes, T: Real> Operands<&Tensor<B, T>> for &Tensor<A, T> {
    type Output = Tensor<Union<A, B>, T>;
    #[track_caller]
    fn apply(self, op: Binary, right: &Tensor<B, T>) -> Self::Output {
        Tensor::from_node(self.node().binary(op, right.node()))
    }
}

impl<A: Axes, T: Real> Operands<f64> for &Tensor<A, T> {
    type Output = Tensor<A, T>;
    #[track_caller]
    fn apply(self, op: Binary, right: f64) -> Self::Output {
        Tensor::from_node(self.node().binary(op, &number::<T>(right)))
    }
}

impl<A: Axes, T: Real> Operands<&Tensor<A, T>> for f64 {
    type Output = Tensor<A, T>;
    #[track_caller]
    fn apply(self, op: Binary, right: &Tensor<A, T>) -> Self::Output {
        Tensor::from_node(number::<T>(self).binary(op, right.node()))
    }
}

impl Operands<f64> for f64 {
    type Output = f64;
    fn apply(self, op: Binary, right: f64) -> f64 {
        op.of(self, right)
    }
}

macro_rules! of_two {
    ($($(#[$doc:meta])* $name:ident $op:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<L: Operands<R>, R>(left: L, right: R) -> L::Output {
            left.apply(Binary::$op, right)
        }
    )*};
}

of_two! {
    /// `X + Y`
    add Add;
    /// `X - Y`
    sub Sub;
    /// `X * Y`
    mul Mul;
    /// `X / Y`
    div Div;
    /// `X ^ Y`
    pow Pow;
    /// `max(X, Y)`
    larger Max;
    /// `min(X, Y)`
    smaller Min;
}

/// `X + b` for a parameter b that may be absent. It adds nothing then, so X must have its axes already.
#[must_use]
#[track_caller]
pub fn add_optional<A: Has<B>, B: Axes, T: Real>(x: &Tensor<A, T>, b: &Option<Tensor<B, T>>) -> Tensor<Union<A, B>, T> {
    // Not a closure, in which the place of the equation would be lost.
    match b {
        Some(b) => Tensor::from_node(x.node().binary(Binary::Add, b.node())),
        None => Tensor::from_node(x.node().clone()),
    }
}

/// `X % Y`, of the sign of Y.
#[track_caller]
pub fn rem<L, R>(left: L, right: R) -> <L as Operands<R>>::Output
where
    L: Remainder<R>,
{
    left.remainder(right)
}

/// Operands of a remainder.
pub trait Remainder<R>: Operands<R> {
    /// `X - ⌊X / Y⌋ Y`
    fn remainder(self, right: R) -> Self::Output;
}

fn remainder(left: &Node, right: &Node) -> Node {
    let whole = left.binary(Binary::Div, right).unary(Unary::Floor);
    left.binary(Binary::Sub, &whole.binary(Binary::Mul, right))
}

impl<A: Axes, B: Axes, T: Real> Remainder<&Tensor<B, T>> for &Tensor<A, T> {
    #[track_caller]
    fn remainder(self, right: &Tensor<B, T>) -> Self::Output {
        Tensor::from_node(remainder(self.node(), right.node()))
    }
}

impl<A: Axes, T: Real> Remainder<f64> for &Tensor<A, T> {
    #[track_caller]
    fn remainder(self, right: f64) -> Self::Output {
        Tensor::from_node(remainder(self.node(), &number::<T>(right)))
    }
}

impl<A: Axes, T: Real> Remainder<&Tensor<A, T>> for f64 {
    #[track_caller]
    fn remainder(self, right: &Tensor<A, T>) -> Self::Output {
        Tensor::from_node(remainder(&number::<T>(self), right.node()))
    }
}

impl Remainder<f64> for f64 {
    fn remainder(self, right: f64) -> f64 {
        self - (self / right).floor() * right
    }
}

/// An operand of a function of one number.
#[diagnostic::on_unimplemented(message = "a real tensor or a number is needed here", label = "not a real tensor")]
pub trait Operand {
    /// What becomes of it.
    type Output;

    /// Computes it.
    fn apply(self, op: Unary) -> Self::Output;
}

impl<A: Axes, T: Real> Operand for &Tensor<A, T> {
    type Output = Tensor<A, T>;
    #[track_caller]
    fn apply(self, op: Unary) -> Tensor<A, T> {
        Tensor::from_node(self.node().unary(op))
    }
}

impl Operand for f64 {
    type Output = f64;
    fn apply(self, op: Unary) -> f64 {
        op.of(self)
    }
}

macro_rules! of_one {
    ($($name:ident $op:ident;)*) => {$(
        #[doc = concat!("`", stringify!($name), "(X)`")]
        #[track_caller]
        pub fn $name<X: Operand>(x: X) -> X::Output {
            x.apply(Unary::$op)
        }
    )*};
}

of_one! {
    neg Neg;
    exp Exp;
    log Log;
    sqrt Sqrt;
    tanh Tanh;
    sigmoid Sigmoid;
    relu Relu;
    gelu Gelu;
    gelu_tanh GeluTanh;
    silu Silu;
    sin Sin;
    cos Cos;
    abs Abs;
    erf Erf;
    floor Floor;
}

/// `clamp(X, low, high)`
#[must_use]
#[track_caller]
pub fn clamp<A: Axes, T: Real>(x: &Tensor<A, T>, low: f64, high: f64) -> Tensor<A, T> {
    x.clamp(T::from_f64(low), T::from_f64(high))
}

/// `X ≤ Y` and its like.
#[must_use]
#[track_caller]
pub fn compare<A: Axes, B: Axes, T: Element>(
    op: Comparison,
    left: &Tensor<A, T>,
    right: &Tensor<B, T>,
) -> Tensor<Union<A, B>, bool> {
    Tensor::from_node(left.node().compare(op, right.node()))
}

/// `C && D`
#[must_use]
#[track_caller]
pub fn and<A: Axes, B: Axes>(left: &Tensor<A, bool>, right: &Tensor<B, bool>) -> Tensor<Union<A, B>, bool> {
    left.and(right)
}

/// `C || D`
#[must_use]
#[track_caller]
pub fn or<A: Axes, B: Axes>(left: &Tensor<A, bool>, right: &Tensor<B, bool>) -> Tensor<Union<A, B>, bool> {
    left.or(right)
}

/// `!C`
#[must_use]
#[track_caller]
pub fn not<A: Axes>(x: &Tensor<A, bool>) -> Tensor<A, bool> {
    x.not()
}

/// `if C { X } else { Y }`
#[must_use]
#[track_caller]
pub fn select<A: Axes, B: Axes, C: Axes, T: Element>(
    condition: &Tensor<A, bool>,
    yes: &Tensor<B, T>,
    no: &Tensor<C, T>,
) -> Tensor<Union<A, Union<B, C>>, T> {
    condition.select(yes, no)
}

/// A truth value known without any tensor.
#[must_use]
pub fn truth(value: bool) -> Tensor<(), bool> {
    Tensor::from_node(Node::fill(Kind::Bool, f64::from(u8::from(value)), Shape::default()))
}

/// A number as a tensor without axes.
#[must_use]
pub fn scalar<T: Real>(value: f64) -> Tensor<(), T> {
    Tensor::from_node(number::<T>(T::from_f64(value).to_f64()))
}

/// Positions as numbers, exactly.
#[must_use]
#[track_caller]
pub fn exact<A: Axes, X: 'static>(positions: &Tensor<A, Index<X>>) -> Tensor<A, f64> {
    positions.real()
}

/// Numbers in the precision of the function.
#[must_use]
#[track_caller]
pub fn cast<A: Axes, T: Real>(x: &Tensor<A, f64>) -> Tensor<A, T> {
    x.cast()
}
