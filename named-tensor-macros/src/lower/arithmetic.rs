//! Arithmetic, comparisons and conversions: which kind meets which.
//!
//! Numbers stay plain numbers as long as no tensor is involved. Positions become exact numbers in `f64` as soon as they
//! are computed with, and take the precision of the function only where they meet its real tensors.

use super::{Scope, Value, operation};
use crate::ast::{Binary, Element, Expression, Unary};
use crate::ir::{Code, Generics, Given, Kind};
use crate::parse::size_text;
use crate::report::error;
use crate::set::axis_name;
use proc_macro2::Span;

impl Scope<'_> {
    /// `X + Y` and its like, comparisons, and what joins comparisons.
    pub(super) fn binary(&self, operator: Binary, span: Span, left: Value, right: Value) -> syn::Result<Value> {
        match operator {
            Binary::And | Binary::Or => self.joined(operator, span, left, right),
            Binary::Remainder => remainder(span, left, right),
            Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide | Binary::Power => {
                let name = match operator {
                    Binary::Add => "add",
                    Binary::Subtract => "sub",
                    Binary::Multiply => "mul",
                    Binary::Divide => "div",
                    _ => "pow",
                };
                elementwise(name, operator.sign(), span, left, right)
            }
            comparison => compare(comparison, span, left, right),
        }
    }

    fn joined(&self, operator: Binary, span: Span, left: Value, right: Value) -> syn::Result<Value> {
        if (left.kind, right.kind) == (Kind::Claim, Kind::Claim) {
            return Ok(Value { kind: Kind::Claim, code: plain(operator.sign(), span, left.code, right.code) });
        }
        let name = if operator == Binary::And { "and" } else { "or" };
        let (left, right) = (self.truth(left, span)?, self.truth(right, span)?);
        Ok(Value { kind: Kind::Truth, code: operation(name, span, vec![Given::Tensor(left), Given::Tensor(right)]) })
    }

    /// The value as a tensor of truth values.
    pub(super) fn truth(&self, value: Value, span: Span) -> syn::Result<Code> {
        match value.kind {
            Kind::Truth => Ok(value.code),
            _ if self.is_foreign(&value.code) => Ok(value.code),
            Kind::Claim => Ok(operation("truth", span, vec![Given::Value(value.code)])),
            other => {
                let help = "write a comparison, such as `i <= j` or `X > 0`";
                Err(error(span, format!("a truth value is needed here, not {}", other.words()), &[help.to_owned()]))
            }
        }
    }

    /// A number known without any tensor.
    pub(super) fn scalar(&self, expression: &Expression) -> syn::Result<Code> {
        let value = self.expression(expression)?;
        if value.kind == Kind::Scalar {
            return Ok(value.code);
        }
        let help = "numbers, sizes such as `|key|`, and functions of them";
        Err(error(expression.span(), "a number is needed here, not a tensor", &[help.to_owned()]))
    }

    /// A size or position known without any tensor.
    pub(super) fn whole(&self, expression: &Expression) -> syn::Result<Code> {
        if let Expression::Number(number) = expression
            && let Some(whole) = number.whole
        {
            return Ok(Code::Count(whole, number.span));
        }
        if let Expression::Unary { operator: Unary::Negative, span, operand } = expression
            && let Expression::Number(_) = **operand
        {
            let help = "positions and sizes count from 0; the last position of `seq` is `|seq| - 1`";
            return Err(error(*span, "a size or position is not negative", &[help.to_owned()]));
        }
        match self.scalar(expression)? {
            Code::Float(size, _) => Ok(*size),
            Code::Number(_, span) => {
                Err(error(span, "a whole number is needed here", &["such as `12` or `|key| / 2`".to_owned()]))
            }
            other => Ok(Code::Whole(Box::new(other), size_text(expression), expression.span())),
        }
    }

    /// The value as a tensor that an equation can keep: numbers and positions in the precision of the function.
    pub(super) fn tensor(&self, value: Value, span: Span) -> syn::Result<Value> {
        Ok(match value.kind {
            Kind::Scalar | Kind::Exact => Value { kind: Kind::Real, code: real(value, span) },
            Kind::Claim => Value { kind: Kind::Truth, code: self.truth(value, span)? },
            _ => self.owned(value),
        })
    }

    /// The value as one that can be moved: a variable is copied.
    pub(super) fn owned(&self, value: Value) -> Value {
        let code = match value.code {
            variable @ Code::Variable { .. } => Code::Copy(Box::new(variable)),
            other => other,
        };
        Value { kind: value.kind, code }
    }

    /// The value as a tensor of declared elements.
    pub(super) fn coerce(&self, value: Value, element: &Element, span: Span) -> syn::Result<Code> {
        let value = self.owned(value);
        match (element, value.kind) {
            _ if self.is_foreign(&value.code) => Ok(value.code),
            (Element::Real, Kind::Real) | (Element::Truth, Kind::Truth) | (Element::Position(_), Kind::Index) => {
                Ok(value.code)
            }
            (Element::Real, Kind::Scalar | Kind::Exact | Kind::Index) => Ok(real(value, span)),
            (Element::Truth, Kind::Claim) => self.truth(value, span),
            (Element::Position(axis), Kind::Exact) => along(axis, value.code, span),
            (Element::Position(axis), kind) => {
                let help = match axis_name(axis).as_str() {
                    "r" => vec!["did you mean `R`? What stands here is an axis".to_owned()],
                    name => instead_of_one_hot(&value.code, kind, name),
                };
                Err(error(span, format!("{} where positions are declared", kind.words()), &help))
            }
            (Element::Real, _) => {
                let help = "write `if .. { 1 } else { 0 }`";
                Err(error(span, "truth values where real numbers are declared", &[help.to_owned()]))
            }
            (Element::Truth, _) => {
                let help = "write a comparison, such as `X > 0`";
                Err(error(span, format!("{} where truth values are declared", value.kind.words()), &[help.to_owned()]))
            }
        }
    }
}

/// What to write where real numbers, perhaps one-hot, stand for positions along an axis.
pub(super) fn instead_of_one_hot(code: &Code, kind: Kind, axis: &str) -> Vec<String> {
    let name = match code {
        Code::Operation { name, .. } => *name,
        Code::Copy(code) => return instead_of_one_hot(code, kind, axis),
        _ => "",
    };
    let largest = format!("`argmax_{axis}` is one-hot; the position itself: `argmaxk_{axis}(X, 1)_{{{axis}(0)}}`");
    let never = "real numbers do not become positions in an equation: positions are letters and what is computed of them, \
                 those of `argsort` and `argmaxk`, or an argument, made by `Tensor::indices`";
    match (name, kind) {
        ("argmin", _) => {
            vec![format!("`argmin_{axis}` is one-hot; the position itself: `argsort_{axis}(X)_{{{axis}(0)}}`")]
        }
        ("argmax", _) => vec![largest],
        (_, Kind::Real) if matches!(code, Code::Variable { .. }) => vec![never.to_owned(), largest],
        (_, Kind::Real) => vec![never.to_owned()],
        _ => Vec::new(),
    }
}

impl Kind {
    /// What a message calls such values.
    pub(super) fn words(self) -> &'static str {
        match self {
            Kind::Scalar => "a number",
            Kind::Claim | Kind::Truth => "truth values",
            Kind::Real => "real numbers",
            Kind::Exact | Kind::Index => "positions",
        }
    }
}

/// An elementwise function of two values.
pub(super) fn elementwise(
    name: &'static str,
    sign: &'static str,
    span: Span,
    left: Value,
    right: Value,
) -> syn::Result<Value> {
    let (left, right) = (number(left, span)?, number(right, span)?);
    if (left.kind, right.kind) == (Kind::Scalar, Kind::Scalar) {
        let code = match name {
            "add" | "sub" | "mul" | "div" => plain(sign, span, left.code, right.code),
            _ => operation(name, span, vec![operand(left), operand(right)]),
        };
        return Ok(Value { kind: Kind::Scalar, code });
    }
    let (left, right, kind) = met(left, right, span);
    Ok(Value { kind, code: operation(name, span, vec![operand(left), operand(right)]) })
}

fn remainder(span: Span, left: Value, right: Value) -> syn::Result<Value> {
    if left.kind == Kind::Real || right.kind == Kind::Real {
        let help = "elementwise `+ - * / ^`, contraction `X dot_key Y`";
        return Err(error(span, "`%` is for positions and sizes, not for real tensors", &[help.to_owned()]));
    }
    elementwise("rem", "%", span, left, right)
}

fn compare(comparison: Binary, span: Span, left: Value, right: Value) -> syn::Result<Value> {
    let (left, right) = (number(left, span)?, number(right, span)?);
    if (left.kind, right.kind) == (Kind::Scalar, Kind::Scalar) {
        return Ok(Value { kind: Kind::Claim, code: plain(comparison.sign(), span, left.code, right.code) });
    }
    let (left, right) = alike(left, right, span);
    let name = match comparison {
        Binary::Equal => "Eq",
        Binary::NotEqual => "Ne",
        Binary::Less => "Lt",
        Binary::LessOrEqual => "Le",
        Binary::Greater => "Gt",
        _ => "Ge",
    };
    let arguments = vec![Given::Comparison(name, span), Given::Tensor(left.code), Given::Tensor(right.code)];
    Ok(Value { kind: Kind::Truth, code: operation("compare", span, arguments) })
}

/// Both values as tensors of one kind.
pub(super) fn alike(left: Value, right: Value, span: Span) -> (Value, Value) {
    let (left, right, kind) = met(left, right, span);
    let lift = |value: Value| match value.kind {
        Kind::Scalar => Value { kind, code: constant(value.code, kind, span) },
        _ => value,
    };
    (lift(left), lift(right))
}

/// Both values in one precision, plain numbers as they are, and the kind of what becomes of them.
fn met(left: Value, right: Value, span: Span) -> (Value, Value, Kind) {
    let exact =
        left.kind != Kind::Real && right.kind != Kind::Real && (left.kind, right.kind) != (Kind::Scalar, Kind::Scalar);
    if exact {
        return (left, right, Kind::Exact);
    }
    let cast = |value: Value| match value.kind {
        Kind::Exact => Value { kind: Kind::Real, code: real(value, span) },
        _ => value,
    };
    (cast(left), cast(right), Kind::Real)
}

/// The value as a number: positions become exact numbers, truth values are refused.
pub(super) fn number(value: Value, span: Span) -> syn::Result<Value> {
    match value.kind {
        Kind::Index => Ok(Value { kind: Kind::Exact, code: operation("exact", span, vec![Given::Tensor(value.code)]) }),
        Kind::Truth | Kind::Claim => {
            let help = "write `if .. { 1 } else { 0 }`";
            Err(error(span, "a number is needed here, not a truth value", &[help.to_owned()]))
        }
        _ => Ok(value),
    }
}

/// The value as a tensor of numbers.
pub(super) fn numbers(value: Value, span: Span) -> syn::Result<Value> {
    let value = number(value, span)?;
    Ok(if value.kind == Kind::Scalar { Value { kind: Kind::Real, code: real(value, span) } } else { value })
}

/// A number, positions, or exact numbers in the precision of the function.
pub(super) fn real(value: Value, span: Span) -> Code {
    match value.kind {
        Kind::Scalar => constant(value.code, Kind::Real, span),
        Kind::Exact => {
            let arguments = vec![Given::Tensor(value.code)];
            Code::Operation { name: "cast", generics: Generics::Precision(2), arguments, span }
        }
        Kind::Index => {
            let exact = operation("exact", span, vec![Given::Tensor(value.code)]);
            real(Value { kind: Kind::Exact, code: exact }, span)
        }
        _ => value.code,
    }
}

/// A number as a tensor without axes.
fn constant(code: Code, kind: Kind, span: Span) -> Code {
    let generics = if kind == Kind::Exact { Generics::Exact } else { Generics::Precision(1) };
    Code::Operation { name: "scalar", generics, arguments: vec![Given::Value(code)], span }
}

/// Exact numbers as positions along an axis.
pub(super) fn along(axis: &syn::Path, code: Code, span: Span) -> syn::Result<Code> {
    if let Some(place) = fraction(&code) {
        let help = "the whole part of a quotient is `div(i, 2)`, that of any number `floor(X)`";
        return Err(error(place, "a position is a whole number, and this need not be one", &[help.to_owned()]));
    }
    Ok(operation("along", span, vec![Given::Axes(vec![axis.clone()]), Given::Tensor(code)]))
}

/// Whether a number made of positions is a whole one.
pub(super) fn is_whole(code: &Code) -> bool {
    fraction(code).is_none()
}

/// Where a number made of positions may cease to be whole, unless it is made so again.
fn fraction(code: &Code) -> Option<Span> {
    match code {
        Code::Number(value, span) if value.fract() != 0.0 => Some(*span),
        Code::Operation { name: "div", span, .. } | Code::Plain { sign: "/", span, .. } => Some(*span),
        Code::Plain { left, right, .. } => left.as_deref().and_then(fraction).or_else(|| fraction(right)),
        Code::Operation { name, arguments, .. } if !matches!(*name, "floor" | "compare") => {
            arguments.iter().find_map(|argument| match argument {
                Given::Tensor(code) | Given::Value(code) => fraction(code),
                _ => None,
            })
        }
        _ => None,
    }
}

/// A plain operation on plain numbers.
pub(super) fn plain(sign: &'static str, span: Span, left: Code, right: Code) -> Code {
    Code::Plain { sign, left: Some(Box::new(left)), right: Box::new(right), span }
}

/// The value as an operand: tensors are borrowed, numbers are copied.
pub(super) fn operand(value: Value) -> Given {
    if value.kind == Kind::Scalar { Given::Value(value.code) } else { Given::Tensor(value.code) }
}
