//! The scalar functions of the notation, as plain definitions.
//!
//! Lives here: which functions there are, what each computes on one number in `f64`, and how it is written.
//! Not here: the error function (`erf`); fast versions (`kernel::math`), which are tested against these.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use super::erf::{erf, erfc};

/// A function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `-x`
    Neg,
    /// `|x|`
    Abs,
    /// `e^x`
    Exp,
    /// The natural logarithm.
    Log,
    /// `√x`
    Sqrt,
    /// `tanh x`
    Tanh,
    /// `1 / (1 + e^-x)`
    Sigmoid,
    /// `max(0, x)`; NaN stays NaN.
    Relu,
    /// `x Φ(x)`, with the normal distribution's Φ exactly.
    Gelu,
    /// `x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))`
    GeluTanh,
    /// `x σ(x)`
    Silu,
    /// `sin x`
    Sin,
    /// `cos x`
    Cos,
    /// `2/√π ∫₀ˣ e^(-t²) dt`
    Erf,
    /// The largest whole number that is at most `x`.
    Floor,
    /// Negation of a truth value.
    Not,
}

/// A function of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `x + y`
    Add,
    /// `x - y`
    Sub,
    /// `x y`
    Mul,
    /// `x / y`
    Div,
    /// `x^y`
    Pow,
    /// The larger; NaN if either is NaN.
    Max,
    /// The smaller; NaN if either is NaN.
    Min,
    /// Both (truth values).
    And,
    /// At least one (truth values).
    Or,
}

/// A comparison of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `x = y`
    Eq,
    /// `x ≠ y`
    Ne,
    /// `x < y`
    Lt,
    /// `x ≤ y`
    Le,
    /// `x > y`
    Gt,
    /// `x ≥ y`
    Ge,
}

impl Unary {
    /// Its name in equations.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Unary::Neg => "-",
            Unary::Abs => "abs",
            Unary::Exp => "exp",
            Unary::Log => "log",
            Unary::Sqrt => "sqrt",
            Unary::Tanh => "tanh",
            Unary::Sigmoid => "sigmoid",
            Unary::Relu => "relu",
            Unary::Gelu => "gelu",
            Unary::GeluTanh => "gelu_tanh",
            Unary::Silu => "silu",
            Unary::Sin => "sin",
            Unary::Cos => "cos",
            Unary::Erf => "erf",
            Unary::Floor => "floor",
            Unary::Not => "not",
        }
    }

    /// Its value, in the precision of `f64`. Truth values are 1 and 0.
    ///
    /// Each is computed as its formula says, so at -∞ the gates `x Φ(x)` and `x σ(x)` are -∞ · 0 = NaN.
    #[must_use]
    pub fn of(self, x: f64) -> f64 {
        match self {
            Unary::Neg => -x,
            Unary::Abs => x.abs(),
            Unary::Exp => x.exp(),
            Unary::Log => x.ln(),
            Unary::Sqrt => x.sqrt(),
            Unary::Tanh => x.tanh(),
            Unary::Sigmoid => sigmoid(x),
            Unary::Relu if x <= 0.0 => 0.0,
            Unary::Relu => x,
            // Φ(x) = erfc(-x/√2) / 2: no cancellation where Φ is small.
            Unary::Gelu => x * (0.5 * erfc(-x * FRAC_1_SQRT_2)),
            // √(2/π) = 2/√π · 1/√2, and (1 + tanh u) / 2 = σ(2u), in which nothing cancels.
            Unary::GeluTanh => x * sigmoid(2.0 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * (x + 0.044715 * x * x * x)),
            Unary::Silu => x * sigmoid(x),
            Unary::Sin => x.sin(),
            Unary::Cos => x.cos(),
            Unary::Erf => erf(x),
            Unary::Floor => x.floor(),
            Unary::Not => f64::from(u8::from(x == 0.0)),
        }
    }

    /// Its value for a position. Only the functions that lead to a whole number are asked for one.
    #[must_use]
    pub fn of_index(self, x: i64) -> i64 {
        match self {
            Unary::Neg => x.saturating_neg(),
            Unary::Abs => x.saturating_abs(),
            Unary::Relu => x.max(0),
            other => other.of(x as f64) as i64,
        }
    }
}

/// `1 / (1 + e^-x)`, from the exponential that cannot overflow.
fn sigmoid(x: f64) -> f64 {
    let small = (-x.abs()).exp();
    if x < 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) }
}

impl Binary {
    /// Its sign or name in equations.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            Binary::Pow => "pow",
            Binary::Max => "max",
            Binary::Min => "min",
            Binary::And => "and",
            Binary::Or => "or",
        }
    }

    /// Its value, in the precision of `f64`. Truth values are 1 and 0.
    #[must_use]
    pub fn of(self, x: f64, y: f64) -> f64 {
        match self {
            Binary::Add => x + y,
            Binary::Sub => x - y,
            Binary::Mul => x * y,
            Binary::Div => x / y,
            Binary::Pow => x.powf(y),
            Binary::Max if x > y || x.is_nan() => x,
            Binary::Min if x < y || x.is_nan() => x,
            Binary::Max | Binary::Min => y,
            Binary::And => f64::from(u8::from(x != 0.0 && y != 0.0)),
            Binary::Or => f64::from(u8::from(x != 0.0 || y != 0.0)),
        }
    }

    /// Its value for positions: a sum too large stays at the largest number, a quotient is rounded so that the
    /// remainder is not negative, and a quotient by 0 is 0.
    #[must_use]
    #[inline]
    pub fn of_index(self, x: i64, y: i64) -> i64 {
        match self {
            Binary::Add => x.saturating_add(y),
            Binary::Sub => x.saturating_sub(y),
            Binary::Mul => x.saturating_mul(y),
            Binary::Div if y == 0 => 0,
            // The one quotient that overflows is the least number by -1.
            Binary::Div => x.checked_div_euclid(y).unwrap_or(i64::MAX),
            Binary::Max => x.max(y),
            Binary::Min => x.min(y),
            other => other.of(x as f64, y as f64) as i64,
        }
    }
}

impl Comparison {
    /// Its sign in equations.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Comparison::Eq => "==",
            Comparison::Ne => "!=",
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
        }
    }

    /// Whether it holds.
    #[must_use]
    pub fn holds<T: PartialOrd>(self, x: T, y: T) -> bool {
        match self {
            Comparison::Eq => x == y,
            Comparison::Ne => x != y,
            Comparison::Lt => x < y,
            Comparison::Le => x <= y,
            Comparison::Gt => x > y,
            Comparison::Ge => x >= y,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_equal_their_formulas() {
        for i in -40..=40 {
            let x = f64::from(i) / 8.0;
            let normal = (1.0 + erf(x / 2_f64.sqrt())) / 2.0;
            let cubic = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
            let cases = [
                (Unary::Sigmoid, 1.0 / (1.0 + (-x).exp())),
                (Unary::Silu, x / (1.0 + (-x).exp())),
                (Unary::Gelu, x * normal),
                (Unary::GeluTanh, x / 2.0 * (1.0 + cubic.tanh())),
                (Unary::Relu, x.max(0.0)),
            ];
            for (function, expected) in cases {
                let found = function.of(x);
                assert!((found - expected).abs() < 1e-14, "{} of {x} is {found}, not {expected}", function.name());
            }
        }
    }

    #[test]
    fn nan_passes_through_relu_max_and_min() {
        assert!(Unary::Relu.of(f64::NAN).is_nan());
        for function in [Binary::Max, Binary::Min] {
            assert!(function.of(f64::NAN, 1.0).is_nan());
            assert!(function.of(1.0, f64::NAN).is_nan());
        }
        assert_eq!((Binary::Max.of(2.0, 3.0), Binary::Min.of(2.0, 3.0)), (3.0, 2.0));
    }

    #[test]
    fn sigmoid_does_not_overflow_far_from_zero() {
        assert_eq!(Unary::Sigmoid.of(-1000.0), 0.0);
        assert_eq!(Unary::Sigmoid.of(1000.0), 1.0);
        assert_eq!(Unary::Sigmoid.of(-740.0), (-740_f64).exp());
    }

    #[test]
    fn gelu_of_a_far_negative_number_keeps_its_digits() {
        // -10 Φ(-10), with Φ(-10) = 7.619853024160526e-24.
        let expected = -7.619_853_024_160_526e-23;
        assert!((Unary::Gelu.of(-10.0) / expected - 1.0).abs() < 1e-14, "{:e}", Unary::Gelu.of(-10.0));
    }

    #[test]
    fn positions_never_overflow_and_a_quotient_by_zero_is_zero() {
        assert_eq!(Binary::Add.of_index(i64::MAX, 1), i64::MAX);
        assert_eq!(Binary::Mul.of_index(i64::MAX, -2), i64::MIN);
        assert_eq!(Binary::Div.of_index(-7, 2), -4);
        assert_eq!(Binary::Div.of_index(7, 0), 0);
        assert_eq!(Binary::Div.of_index(i64::MIN, -1), i64::MAX);
        assert_eq!(Unary::Neg.of_index(i64::MIN), i64::MAX);
    }
}
