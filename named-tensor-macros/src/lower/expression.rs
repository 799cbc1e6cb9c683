//! Expressions other than calls and subscripts.
//!
//! Every expression becomes a value of a known kind; spans are those of the operator or word that makes it.

use super::arithmetic::{alike, number, numbers, real};
use super::{Scope, Value, operation};
use crate::ast::{Entry, Expression, Unary};
use crate::ir::{Code, Given, Kind};
use crate::report::error;
use crate::set::axis_span;
use proc_macro2::Span;
use syn::Path;

impl Scope<'_> {
    /// The value of any expression.
    pub(super) fn expression(&self, expression: &Expression) -> syn::Result<Value> {
        match expression {
            Expression::Number(number) => {
                Ok(Value { kind: Kind::Scalar, code: Code::Number(number.value, number.span) })
            }
            Expression::Name(path) => self.name(path),
            Expression::Size(axis) => {
                let code = Code::Float(Box::new(self.size(axis)?), axis_span(axis));
                Ok(Value { kind: Kind::Scalar, code })
            }
            Expression::Unary { operator, span, operand } => self.unary(*operator, *span, operand),
            // It was checked in `names` that what may be absent is only added.
            Expression::Binary { span, left, right, .. }
                if right.variable().is_some_and(|name| self.function.optional(name)) =>
            {
                let (left, right) = (numbers(self.expression(left)?, *span)?, self.expression(right)?);
                let (left, right) = alike(left, right, *span);
                let arguments = vec![Given::Tensor(left.code), Given::Tensor(right.code)];
                Ok(Value { kind: Kind::Real, code: operation("add_optional", *span, arguments) })
            }
            Expression::Binary { operator, span, left, right } => {
                self.binary(*operator, *span, self.expression(left)?, self.expression(right)?)
            }
            Expression::Dot { axes, span, left, right } => {
                let left = numbers(self.expression(left)?, *span)?;
                let right = numbers(self.expression(right)?, *span)?;
                let (left, right) = alike(left, right, *span);
                let arguments = vec![Given::Tensor(left.code), Given::Axes(axes.clone()), Given::Tensor(right.code)];
                Ok(Value { kind: left.kind, code: operation("dot", *span, arguments) })
            }
            Expression::Call(call) => self.call(call),
            Expression::Subscript { base, entries } => self.subscript(base, entries),
            Expression::Cases { span, condition, then, otherwise } => self.cases(*span, condition, then, otherwise),
        }
    }

    /// A variable; a name that is none is a constant of the program.
    fn name(&self, path: &Path) -> syn::Result<Value> {
        let ident = path.get_ident();
        let variable = ident.and_then(|ident| {
            let found = self.variables.iter().find(|variable| variable.name == *ident)?;
            let code = Code::Variable { name: ident.clone(), borrowed: found.borrowed };
            Some(Value { kind: found.kind, code })
        });
        if let Some(ident) = ident.filter(|ident| self.initial && self.function.has(ident)) {
            let message = format!("an initial value comes before any call, and `{ident}` after it");
            let help = "it is made of numbers, constants of the program and sizes: `1/sqrt(|chans|)`".to_owned();
            return Err(error(ident.span(), message, &[help]));
        }
        Ok(variable.unwrap_or_else(|| Value { kind: Kind::Scalar, code: Code::Constant(path.clone()) }))
    }

    fn unary(&self, operator: Unary, span: Span, operand: &Expression) -> syn::Result<Value> {
        let value = self.expression(operand)?;
        let (value, sign, name) = match operator {
            Unary::Negative => (number(value, span)?, "-", "neg"),
            Unary::Not if value.kind == Kind::Claim => (value, "!", "not"),
            Unary::Not => (Value { kind: Kind::Truth, code: self.truth(value, span)? }, "!", "not"),
        };
        let code = match value.kind {
            Kind::Scalar | Kind::Claim => Code::Plain { sign, left: None, right: Box::new(value.code), span },
            _ => operation(name, span, vec![Given::Tensor(value.code)]),
        };
        Ok(Value { kind: value.kind, code })
    }

    /// `if c { X } else { Y }`, element by element.
    fn cases(
        &self,
        span: Span,
        condition: &Expression,
        then: &Expression,
        otherwise: &Expression,
    ) -> syn::Result<Value> {
        let condition_span = condition.span();
        let condition = self.expression(condition)?;
        let (then, otherwise) = (self.expression(then)?, self.expression(otherwise)?);
        if condition.kind == Kind::Claim && (then.kind, otherwise.kind) == (Kind::Scalar, Kind::Scalar) {
            let code = Code::PlainCases {
                condition: Box::new(condition.code),
                then: Box::new(then.code),
                otherwise: Box::new(otherwise.code),
                span,
            };
            return Ok(Value { kind: Kind::Scalar, code });
        }
        let condition = self.truth(condition, condition_span)?;
        let is_truth = |value: &Value| matches!(value.kind, Kind::Truth | Kind::Claim);
        let (then, otherwise) = if is_truth(&then) && is_truth(&otherwise) {
            let as_truth = |value| self.truth(value, span).map(|code| Value { kind: Kind::Truth, code });
            (as_truth(then)?, as_truth(otherwise)?)
        } else {
            alike(number(then, span)?, number(otherwise, span)?, span)
        };
        let kind = then.kind;
        let arguments = vec![Given::Tensor(condition), Given::Tensor(then.code), Given::Tensor(otherwise.code)];
        Ok(Value { kind, code: operation("select", span, arguments) })
    }

    /// Arguments as a function that is not known here takes them.
    pub(super) fn plainly(&self, value: Value, span: Span) -> syn::Result<Code> {
        Ok(match value.kind {
            Kind::Scalar | Kind::Exact => real(value, span),
            Kind::Claim => self.truth(value, span)?,
            _ => value.code,
        })
    }
}

impl Expression {
    /// The token that a message about the whole expression points at: its operator, or its only word.
    pub(crate) fn span(&self) -> Span {
        match self {
            Expression::Number(number) => number.span,
            Expression::Name(path) | Expression::Size(path) => axis_span(path),
            Expression::Unary { span, .. } | Expression::Binary { span, .. } => *span,
            Expression::Dot { span, .. } | Expression::Cases { span, .. } => *span,
            Expression::Call(call) => axis_span(&call.function),
            Expression::Subscript { base, entries } => match entries.first() {
                Some(Entry::Flatten { span, .. } | Entry::Split { span, .. } | Entry::Slice { span, .. }) => *span,
                Some(Entry::Rename { from, .. }) => axis_span(from),
                Some(Entry::At { axis, .. }) => axis_span(axis),
                None => base.span(),
            },
        }
    }
}
