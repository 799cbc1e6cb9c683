//! The scalar functions of the notation, fast and in the element's own precision.
//!
//! Lives here: which implementation each function has for `f32` and `f64`, all vectorised, with stated errors.
//! Those of `f32` are in `exp`, `log`, `normal` and `trig`, those of `f64` in `double`; the definitions in `crate::element`
//! say what is right. Not here: loops with strides, fusion (`map`).
//!
//! "ulp" below is the distance between neighbouring `f32` at the exact result (subnormals: 2⁻¹⁴⁹). Bounds are the
//! largest error over all bit patterns, rounded up; the tests try every 4,001st.

mod double;
mod exp;
mod log;
mod normal;
mod trig;

use super::lanes::{each, pairs, vectorised};
use crate::element::{Bf16, Binary, Real, Unary};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A real number that kernels compute with.
pub(crate) trait Scalar:
    Real
    + super::map::Cell
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Minus infinity.
    const LOWEST: Self;
    const ONE: Self;
    /// `e^x` for `x ≤ 1`; what would be subnormal is 0.
    fn decay(self) -> Self;
    /// The larger; NaN if either is NaN.
    fn larger(self, other: Self) -> Self;
    /// The smaller; NaN if either is NaN.
    fn smaller(self, other: Self) -> Self;
    /// The distance from 0.
    fn abs(self) -> Self;
    /// The root; NaN of what is less than 0.
    fn sqrt(self) -> Self;
    /// The same number, or 0 if it is less than 0.
    fn relu(self) -> Self;
    /// `self · factor + sum`, rounded once.
    fn times_plus(self, factor: Self, sum: Self) -> Self;
    /// The same number in `f64`.
    fn wide(self) -> f64;
    /// A number that is stored in 16 bits.
    fn of_bf16(number: Bf16) -> Self;
    /// The nearest number of this type.
    fn narrow(wide: f64) -> Self;
    /// Writes `op(x)` for every `x` of `src`.
    fn unary(op: Unary, src: &[Self], dst: &mut [Self]);
    /// Writes `op(x, y)` for every pair.
    fn binary(op: Binary, xs: &[Self], ys: &[Self], dst: &mut [Self]);
}

/// What both types do alike.
macro_rules! alike {
    ($type:ident, $decay:expr, $powers:path) => {
        const LOWEST: $type = $type::NEG_INFINITY;
        const ONE: $type = 1.0;
        #[inline(always)]
        fn decay(self) -> $type {
            ($decay)(self)
        }
        // NaN is put in by its bits: a choice between three numbers would become a masked store and wait for memory.
        #[inline(always)]
        fn larger(self, other: $type) -> $type {
            let larger = if other > self { other } else { self };
            $type::from_bits(larger.to_bits() | if other.is_nan() { $type::NAN.to_bits() } else { 0 })
        }
        #[inline(always)]
        fn smaller(self, other: $type) -> $type {
            let smaller = if other < self { other } else { self };
            $type::from_bits(smaller.to_bits() | if other.is_nan() { $type::NAN.to_bits() } else { 0 })
        }
        #[inline(always)]
        fn abs(self) -> $type {
            $type::abs(self)
        }
        #[inline(always)]
        fn sqrt(self) -> $type {
            $type::sqrt(self)
        }
        #[inline(always)]
        fn relu(self) -> $type {
            if self < 0.0 { 0.0 } else { self }
        }
        #[inline(always)]
        fn times_plus(self, factor: $type, sum: $type) -> $type {
            self.mul_add(factor, sum)
        }
        #[inline(always)]
        fn wide(self) -> f64 {
            self.into()
        }
        #[inline(always)]
        fn of_bf16(number: Bf16) -> $type {
            number.widened().into()
        }
        #[inline(always)]
        fn narrow(wide: f64) -> $type {
            wide as $type
        }
        fn binary(op: Binary, xs: &[$type], ys: &[$type], dst: &mut [$type]) {
            match op {
                Binary::Add => pairs(xs, ys, dst, Add::add),
                Binary::Sub => pairs(xs, ys, dst, Sub::sub),
                Binary::Mul => pairs(xs, ys, dst, Mul::mul),
                Binary::Div => pairs(xs, ys, dst, Div::div),
                Binary::Pow => $powers(xs, ys, dst),
                Binary::Max => pairs(xs, ys, dst, $type::larger),
                Binary::Min => pairs(xs, ys, dst, $type::smaller),
                Binary::And | Binary::Or => panic!("`{}` is not a function of real numbers", op.name()),
            }
        }
    };
}

impl Scalar for f32 {
    alike!(f32, exp::decay, double::powers_of_floats);

    fn unary(op: Unary, src: &[f32], dst: &mut [f32]) {
        match op {
            Unary::Neg => each(src, dst, Neg::neg),
            Unary::Abs => each(src, dst, f32::abs),
            Unary::Exp => exp::exp(src, dst),
            Unary::Log => log::log(src, dst),
            Unary::Sqrt => each(src, dst, f32::sqrt),
            Unary::Tanh => each(src, dst, exp::tanh),
            Unary::Sigmoid => each(src, dst, exp::sigmoid),
            Unary::Relu => each(src, dst, Scalar::relu),
            Unary::Gelu => each(src, dst, normal::gelu),
            Unary::GeluTanh => each(src, dst, exp::gelu_tanh),
            Unary::Silu => each(src, dst, exp::silu),
            Unary::Sin => trig::sin(src, dst),
            Unary::Cos => trig::cos(src, dst),
            Unary::Erf => each(src, dst, normal::erf),
            Unary::Floor => each(src, dst, f32::floor),
            Unary::Not => panic!("`not` is not a function of real numbers"),
        }
    }
}

impl Scalar for f64 {
    alike!(f64, double::decay, double::powers);

    fn unary(op: Unary, src: &[f64], dst: &mut [f64]) {
        match op {
            Unary::Neg => each(src, dst, Neg::neg),
            Unary::Abs => each(src, dst, f64::abs),
            Unary::Sqrt => each(src, dst, f64::sqrt),
            Unary::Exp => each(src, dst, double::exp),
            Unary::Log => each(src, dst, double::log),
            Unary::Tanh => each(src, dst, double::tanh),
            Unary::Sigmoid => each(src, dst, double::sigmoid),
            Unary::Relu => each(src, dst, Scalar::relu),
            Unary::Gelu => each(src, dst, double::gelu),
            Unary::GeluTanh => each(src, dst, double::gelu_tanh),
            Unary::Silu => each(src, dst, double::silu),
            Unary::Sin => double::sin(src, dst),
            Unary::Cos => double::cos(src, dst),
            Unary::Erf => each(src, dst, double::erf),
            Unary::Floor => each(src, dst, f64::floor),
            Unary::Not => panic!("`not` is not a function of real numbers"),
        }
    }
}

/// `low` below `low`, `high` above `high`, and NaN for NaN, which `clamp` promises too but compiles less well.
#[inline(always)]
fn between<T: Scalar>(x: T, low: T, high: T) -> T {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// `c₀ + c₁x + c₂x² + …`, by Horner's rule with fused steps.
#[inline(always)]
fn polynomial<T: Scalar, const N: usize>(x: T, coefficients: [T; N]) -> T {
    let mut sum = coefficients[N - 1];
    for &c in coefficients[..N - 1].iter().rev() {
        sum = sum.times_plus(x, c);
    }
    sum
}

/// Writes `usual(x)` for every `x` of `src` if no `size(x)` is above `most`, else `any(x)`, which is the same number then, but
/// takes longer. Looking first costs little: it is what brings the elements near.
#[inline(always)]
fn usually(
    src: &[f32],
    dst: &mut [f32],
    size: impl Fn(f32) -> u32,
    most: u32,
    usual: impl Fn(f32) -> f32,
    any: impl Fn(f32) -> f32,
) {
    let largest = vectorised(
        #[inline(always)]
        move || src.iter().fold(0, |largest, &x| size(x).max(largest)),
    );
    if largest <= most { each(src, dst, usual) } else { each(src, dst, any) }
}

#[cfg(test)]
mod tests;
