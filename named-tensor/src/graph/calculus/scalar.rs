//! Derivatives of the scalar functions, each times a differential.
//!
//! Where a function has a corner, the rule is: relu and |x| have slope 0 there, and the larger of two equal numbers
//! takes half from each. A function that is flat (floor) has none.
//! Lives here: `d f(x) = f'(x) dx`, one line for each function. Not here: sweeps, axes.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use super::forms::{indicator, minus, negative, number, only_where, over, plus, scaled, times};
use crate::element::{Binary, Comparison, Kind, Unary};
use crate::graph::Node;

/// `f'(x) d`, where `y = f(x)`; none if f is flat.
pub(super) fn chained(function: Unary, x: &Node, y: &Node, d: &Node) -> Option<Node> {
    let one = number(x, 1.0);
    let positive = |x: &Node| x.compare(Comparison::Gt, &number(x, 0.0));
    Some(match function {
        Unary::Neg => negative(d),
        Unary::Abs => {
            let sign = minus(&indicator(&positive(x), x), &indicator(&x.compare(Comparison::Lt, &number(x, 0.0)), x));
            times(&sign, d)
        }
        Unary::Exp => times(y, d),
        Unary::Log => over(d, x),
        Unary::Sqrt => over(d, &scaled(y, 2.0)),
        // 1 - y² without cancellation where y is near 1 or -1.
        Unary::Tanh => times(&times(&minus(&one, y), &plus(&one, y)), d),
        Unary::Sigmoid => times(&times(y, &minus(&one, y)), d),
        // y is positive where x is; and x, which nobody else needs then, is not kept.
        Unary::Relu => only_where(&positive(y), d),
        Unary::Gelu => times(&gelu_slope(x), d),
        Unary::GeluTanh => times(&gelu_tanh_slope(x), d),
        Unary::Silu => {
            // σ(x) (1 + x (1 - σ(x))) = σ(x) + y (1 - σ(x))
            let sigmoid = x.unary(Unary::Sigmoid);
            times(&plus(&sigmoid, &times(y, &minus(&one, &sigmoid))), d)
        }
        Unary::Sin => times(&x.unary(Unary::Cos), d),
        Unary::Cos => negative(&times(&x.unary(Unary::Sin), d)),
        Unary::Erf => times(&scaled(&gaussian(x, 1.0), FRAC_2_SQRT_PI), d),
        Unary::Floor | Unary::Not => return None,
    })
}

/// `exp(-factor x²)`
fn gaussian(x: &Node, factor: f64) -> Node {
    scaled(&times(x, x), -factor).unary(Unary::Exp)
}

/// `Φ(x) + x φ(x)`, where Φ(x) = (1 + erf(x/√2)) / 2 and φ(x) = exp(-x²/2) / √(2π).
fn gelu_slope(x: &Node) -> Node {
    let below = scaled(&plus(&number(x, 1.0), &scaled(x, FRAC_1_SQRT_2).unary(Unary::Erf)), 0.5);
    // 1/√(2π) = 2/√π · 1/√2 / 2
    let density = scaled(&gaussian(x, 0.5), FRAC_2_SQRT_PI * FRAC_1_SQRT_2 / 2.0);
    plus(&below, &times(x, &density))
}

/// `s + x s (1 - s) v'`, where s = σ(v) and v = 2 √(2/π) (x + 0.044715 x³): `(1 + tanh(v/2)) / 2` would cancel below 0.
fn gelu_tanh_slope(x: &Node) -> Node {
    let slope = 2.0 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2;
    let cubic = 0.044715 * slope;
    let one = number(x, 1.0);
    let sigmoid = times(x, &plus(&number(x, slope), &scaled(&times(x, x), cubic))).unary(Unary::Sigmoid);
    // In this order: where x² is beyond `f32`, the first product is 0 long since.
    let flat = times(&times(&sigmoid, &minus(&one, &sigmoid)), x);
    let bend = plus(&scaled(&flat, slope), &scaled(&times(&times(&flat, x), x), 3.0 * cubic));
    plus(&sigmoid, &bend)
}

/// The slope of `x^y` in x: `y x^(y - 1)`, which is 0 for y = 0.
pub(super) fn power_slope(x: &Node, y: &Node) -> Node {
    match y.literal() {
        Some(0.0) => return number(x, 0.0),
        Some(1.0) => return number(x, 1.0),
        Some(2.0) => return scaled(x, 2.0),
        Some(p) => return scaled(&x.binary(Binary::Pow, &number(y, p - 1.0)), p),
        None => {}
    }
    // Where y is 0 and x so near 0 that 1/x may be infinite, the exponent is 0, at which nothing is.
    let least = if x.kind() == Kind::F32 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    let is_finite = x.unary(Unary::Abs).compare(Comparison::Ge, &number(x, least));
    let is_usual = y.compare(Comparison::Ne, &number(y, 0.0)).binary(Binary::Or, &is_finite);
    let exponent = is_usual.select(&minus(y, &number(y, 1.0)), &number(y, 0.0));
    times(y, &x.binary(Binary::Pow, &exponent))
}

/// The slope of `power = x^y` in y: `x^y log x`, which is 0 where x is.
pub(super) fn exponent_slope(x: &Node, power: &Node) -> Node {
    let base = x.compare(Comparison::Ne, &number(x, 0.0)).select(x, &number(x, 1.0));
    times(power, &base.unary(Unary::Log))
}

/// What x has of `d`, a change of `max(x, y)` or `min(x, y)` or what that is owed: all, nothing, or half if both are equal.
/// Nothing is 0 even of ∞, as where `sqrt(max(x, 0))` is steepest.
pub(super) fn share(function: Binary, x: &Node, y: &Node, d: &Node) -> Node {
    let wins = if function == Binary::Max { Comparison::Gt } else { Comparison::Lt };
    let (all, half) = (only_where(&x.compare(wins, y), d), only_where(&x.compare(Comparison::Eq, y), d));
    plus(&all, &scaled(&half, 0.5))
}
