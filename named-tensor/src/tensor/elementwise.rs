//! Elementwise operations: rule 1, union.
//!
//! Computes `X + Y`, `X ⊙ Y`, ... over the union of both operands' axes; a shared axis has one size.
//! Lives here: the operators, with tensors and with numbers, and the functions of one number.
//! Not here: comparisons and choices (`truth`).

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::Tensor;
use crate::axes::Axes;
use crate::axes::set::Union;
use crate::element::{Binary, Real, Stored, Unary};
use crate::graph::{Node, Shape};

/// The number as a tensor without axes.
#[track_caller]
pub(crate) fn number<T: Stored>(number: f64) -> Node {
    Node::fill(T::KIND, number, Shape::default())
}

/// What would be computed with integers: nothing, so the operators below are always refused, with these words.
#[diagnostic::on_unimplemented(
    message = "a tensor of `{Self}` is not computed with an integer",
    label = "an integer",
    note = "write `1.0` for `1`, and `n as {Self}` for a size `n`; in equations of `named!` a number needs no point"
)]
pub trait WithIntegers: Real {}

macro_rules! operator {
    ($($trait:ident $method:ident $op:ident $sign:literal),*) => {$(
        operator!(@ $trait $method $op $sign, [&'l Tensor<A, T>, &'r Tensor<B, T>], ['l, 'r,]);
        operator!(@ $trait $method $op $sign, [Tensor<A, T>, &'r Tensor<B, T>], ['r,]);
        operator!(@ $trait $method $op $sign, [&'l Tensor<A, T>, Tensor<B, T>], ['l,]);
        operator!(@ $trait $method $op $sign, [Tensor<A, T>, Tensor<B, T>], []);

        impl<A: Axes, T: Real> $trait<T> for &Tensor<A, T> {
            type Output = Tensor<A, T>;
            #[track_caller]
            fn $method(self, right: T) -> Tensor<A, T> {
                Tensor::from_node(self.node().binary(Binary::$op, &number::<T>(right.to_f64())))
            }
        }
        impl<A: Axes, T: Real> $trait<T> for Tensor<A, T> {
            type Output = Tensor<A, T>;
            #[track_caller]
            fn $method(self, right: T) -> Tensor<A, T> {
                Tensor::from_node(self.node().binary(Binary::$op, &number::<T>(right.to_f64())))
            }
        }
        operator!(@number f32 $trait $method $op);
        operator!(@number f64 $trait $method $op);
        operator!(@integer $trait $method $op, &Tensor<A, T>);
        operator!(@integer $trait $method $op, Tensor<A, T>);
    )*};
    (@ $trait:ident $method:ident $op:ident $sign:literal, [$left:ty, $right:ty], [$($life:lifetime,)*]) => {
        #[doc = concat!("`X ", $sign, " Y` over the union of the axes.")]
        impl<$($life,)* A: Axes, B: Axes, T: Real> $trait<$right> for $left {
            type Output = Tensor<Union<A, B>, T>;
            #[track_caller]
            fn $method(self, right: $right) -> Self::Output {
                Tensor::from_node(self.node().binary(Binary::$op, right.node()))
            }
        }
    };
    // In plain Rust `1 / 2` is 0, so that integers beside tensors would be a trap.
    (@integer $trait:ident $method:ident $op:ident, $tensor:ty) => {
        #[doc(hidden)]
        impl<A: Axes, T: WithIntegers> $trait<usize> for $tensor {
            type Output = Tensor<A, T>;
            fn $method(self, right: usize) -> Tensor<A, T> {
                Tensor::from_node(self.node().binary(Binary::$op, &number::<T>(right as f64)))
            }
        }
        #[doc(hidden)]
        impl<A: Axes, T: WithIntegers> $trait<$tensor> for usize {
            type Output = Tensor<A, T>;
            fn $method(self, right: $tensor) -> Tensor<A, T> {
                Tensor::from_node(number::<T>(self as f64).binary(Binary::$op, right.node()))
            }
        }
    };
    (@number $number:ident $trait:ident $method:ident $op:ident) => {
        impl<A: Axes> $trait<&Tensor<A, $number>> for $number {
            type Output = Tensor<A, $number>;
            #[track_caller]
            fn $method(self, right: &Tensor<A, $number>) -> Tensor<A, $number> {
                Tensor::from_node(number::<$number>(self.to_f64()).binary(Binary::$op, right.node()))
            }
        }
        impl<A: Axes> $trait<Tensor<A, $number>> for $number {
            type Output = Tensor<A, $number>;
            #[track_caller]
            fn $method(self, right: Tensor<A, $number>) -> Tensor<A, $number> {
                Tensor::from_node(number::<$number>(self.to_f64()).binary(Binary::$op, right.node()))
            }
        }
    };
}

operator!(Add add Add "+", Sub sub Sub "-", Mul mul Mul "*", Div div Div "/");

impl<A: Axes, T: Real> Neg for &Tensor<A, T> {
    type Output = Tensor<A, T>;
    #[track_caller]
    fn neg(self) -> Tensor<A, T> {
        Tensor::from_node(self.node().unary(Unary::Neg))
    }
}

impl<A: Axes, T: Real> Neg for Tensor<A, T> {
    type Output = Tensor<A, T>;
    #[track_caller]
    fn neg(self) -> Tensor<A, T> {
        -&self
    }
}

macro_rules! functions {
    ($($(#[$doc:meta])* $method:ident $op:ident;)*) => {
        impl<A: Axes, T: Real> Tensor<A, T> {$(
            $(#[$doc])*
            #[must_use]
            #[track_caller]
            pub fn $method(&self) -> Tensor<A, T> {
                Tensor::from_node(self.node().unary(Unary::$op))
            }
        )*}
    };
}

functions! {
    /// Computes `e^X`.
    exp Exp;
    /// Computes the natural logarithm; NaN below 0.
    log Log;
    /// Computes `√X`; NaN below 0.
    sqrt Sqrt;
    /// Computes `|X|`.
    abs Abs;
    /// Computes `tanh X`.
    tanh Tanh;
    /// Computes `σ(X) = 1 / (1 + e^-X)`.
    sigmoid Sigmoid;
    /// Computes `max(0, X)`; NaN stays NaN.
    relu Relu;
    /// Computes `X Φ(X)`, Φ being the normal distribution function.
    gelu Gelu;
    /// Computes `X/2 (1 + tanh(√(2/π) (X + 0.044715 X³)))`.
    gelu_tanh GeluTanh;
    /// Computes `X σ(X)`.
    silu Silu;
    /// Computes `sin X`, in radians.
    sin Sin;
    /// Computes `cos X`, in radians.
    cos Cos;
    /// Computes `2/√π ∫₀ˣ e^(-t²) dt`.
    erf Erf;
    /// Computes `⌊X⌋`, the largest whole number that is at most X.
    floor Floor;
}

impl<A: Axes, T: Real> Tensor<A, T> {
    #[track_caller]
    fn with<B: Axes>(&self, op: Binary, other: &Tensor<B, T>) -> Tensor<Union<A, B>, T> {
        Tensor::from_node(self.node().binary(op, other.node()))
    }

    /// Computes `X^p`.
    #[must_use]
    #[track_caller]
    pub fn pow(&self, p: T) -> Tensor<A, T> {
        Tensor::from_node(self.node().binary(Binary::Pow, &number::<T>(p.to_f64())))
    }

    /// Computes `X^P`, elementwise over the union of the axes.
    #[must_use]
    #[track_caller]
    pub fn pow_by<B: Axes>(&self, exponents: &Tensor<B, T>) -> Tensor<Union<A, B>, T> {
        self.with(Binary::Pow, exponents)
    }

    /// The larger of both, elementwise over the union of the axes; NaN if either is NaN.
    #[must_use]
    #[track_caller]
    pub fn maximum<B: Axes>(&self, other: &Tensor<B, T>) -> Tensor<Union<A, B>, T> {
        self.with(Binary::Max, other)
    }

    /// The smaller of both, elementwise over the union of the axes; NaN if either is NaN.
    #[must_use]
    #[track_caller]
    pub fn minimum<B: Axes>(&self, other: &Tensor<B, T>) -> Tensor<Union<A, B>, T> {
        self.with(Binary::Min, other)
    }

    /// The nearest number in `[low, high]`; NaN stays NaN.
    #[must_use]
    #[track_caller]
    pub fn clamp(&self, low: T, high: T) -> Tensor<A, T> {
        let raised = self.node().binary(Binary::Max, &number::<T>(low.to_f64()));
        Tensor::from_node(raised.binary(Binary::Min, &number::<T>(high.to_f64())))
    }

    /// The same numbers in another precision.
    #[must_use]
    #[track_caller]
    pub fn cast<U: Real>(&self) -> Tensor<A, U> {
        Tensor::from_node(self.node().cast(U::KIND))
    }
}
