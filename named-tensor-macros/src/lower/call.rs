//! Calls: of the notation's own functions, of functions of the block or the program, of parameters.
//!
//! How many axes and arguments a call has was checked in `names`.

use super::arithmetic::{alike, along, elementwise, instead_of_one_hot, number, numbers, operand};
use super::{Scope, Value, kind_of, operation};
use crate::ast::{Call, Element, Expression, Function};
use crate::builtin::{Builtin, Shape};
use crate::ir::{Code, Generics, Given, Kind};
use crate::names::Callee;
use crate::report::error;
use crate::set::{axis_name, axis_text};
use proc_macro2::Span;
use syn::Path;

impl Scope<'_> {
    /// Any call.
    pub(super) fn call(&self, call: &Call) -> syn::Result<Value> {
        let resolved = self.vocabulary.resolve(self.function, call);
        let span = resolved.span;
        match resolved.callee {
            Callee::Builtin(builtin) => {
                let axes: Vec<Path> = resolved.axes.into_iter().flatten().collect();
                self.builtin(builtin, axes, &call.arguments, span)
            }
            Callee::Function(definition) => {
                let arguments = self.arguments(Some(definition), resolved.axes, &call.arguments, span)?;
                let mut path = Path::from(definition.name.clone());
                path.segments.iter_mut().for_each(|segment| segment.ident.set_span(span));
                let code = Code::Function { path, arguments, span, known: true };
                Ok(Value { kind: kind_of(&definition.result), code })
            }
            Callee::Parameter(parameter, definition) => {
                let arguments = self.arguments(definition, resolved.axes, &call.arguments, span)?;
                let kind = definition.map_or(Kind::Real, |definition| kind_of(&definition.result));
                let optional = self.function.optional(parameter);
                let mut parameter = parameter.clone();
                parameter.set_span(span);
                if optional && let Some(argument) = arguments.first() {
                    let argument = Box::new(argument.clone());
                    return Ok(Value { kind, code: Code::ApplyIfPresent { parameter, argument, span } });
                }
                Ok(Value { kind, code: Code::Apply { parameter, arguments, span, known: definition.is_some() } })
            }
            Callee::Outside(path) => {
                let arguments = self.arguments(None, resolved.axes, &call.arguments, span)?;
                Ok(Value { kind: Kind::Real, code: Code::Function { path, arguments, span, known: false } })
            }
        }
    }

    /// Axes, then tensors, as a function takes them; one that is not known here takes real numbers for numbers.
    fn arguments(
        &self,
        definition: Option<&Function>,
        axes: Vec<Vec<Path>>,
        arguments: &[Expression],
        span: Span,
    ) -> syn::Result<Vec<Given>> {
        let several = match definition {
            Some(definition) => definition.axis_parameters.len() > 1,
            None => axes.iter().any(|group| group.len() > 1),
        };
        let axes = if several || axes.is_empty() { axes } else { vec![axes.concat()] };
        let mut given: Vec<Given> = axes.into_iter().map(Given::Axes).collect();
        for (place, argument) in arguments.iter().enumerate() {
            let value = self.expression(argument)?;
            let declared = definition.and_then(|definition| definition.arguments.get(place));
            let code = match declared {
                // Positions are handed on as they are, unless they are known to be needed as numbers.
                Some(declared) if value.kind == Kind::Index && matches!(declared.kind.element, Element::Real) => {
                    self.coerce(value, &declared.kind.element, argument.span())?
                }
                Some(declared) if value.kind == Kind::Real && !matches!(declared.kind.element, Element::Real) => {
                    self.coerce(value, &declared.kind.element, argument.span())?
                }
                _ if matches!(value.code, Code::Variable { .. })
                    && value.kind != Kind::Scalar
                    && value.kind != Kind::Exact =>
                {
                    value.code
                }
                Some(declared) => self.coerce(value, &declared.kind.element, argument.span())?,
                None => self.plainly(value, span)?,
            };
            given.push(Given::Tensor(code));
        }
        Ok(given)
    }

    /// A function of the notation.
    fn builtin(&self, builtin: &Builtin, axes: Vec<Path>, arguments: &[Expression], span: Span) -> syn::Result<Value> {
        let value = |place: usize| match arguments.get(place) {
            Some(argument) => self.expression(argument),
            None => Err(error(span, "an argument is missing", &[])),
        };
        let scalar = |place: usize| arguments.get(place).map(|argument| self.scalar(argument)).transpose();
        match builtin.shape {
            Shape::Map => {
                let value = number(value(0)?, span)?;
                Ok(Value { kind: value.kind, code: operation(builtin.call, span, vec![operand(value)]) })
            }
            Shape::Pair => elementwise(builtin.call, "", span, value(0)?, value(1)?),
            Shape::Stop => {
                let tensor = numbers(value(0)?, span)?;
                let code = operation(builtin.call, span, vec![Given::Tensor(tensor.code)]);
                Ok(Value { kind: tensor.kind, code })
            }
            Shape::Derivative => {
                let (of, by) = (numbers(value(0)?, span)?, value(1)?);
                if by.kind != Kind::Real || !matches!(by.code, Code::Variable { .. }) {
                    let span = arguments.get(1).map_or(span, Expression::span);
                    let help = "name it first: `Z = X dot_chans W; d(f(Z), Z)`".to_owned();
                    return Err(error(span, "a derivative is by a variable", &[help]));
                }
                let arguments = vec![Given::Tensor(of.code), Given::Tensor(by.code)];
                Ok(Value { kind: of.kind, code: operation(builtin.call, span, arguments) })
            }
            Shape::Quotient => self.quotient(span, value(0)?, value(1)?),
            Shape::Clamp => {
                let tensor = numbers(value(0)?, span)?;
                let bounds = [scalar(1)?, scalar(2)?].into_iter().flatten().map(Given::Value);
                let arguments = std::iter::once(Given::Tensor(tensor.code)).chain(bounds).collect();
                Ok(Value { kind: tensor.kind, code: operation(builtin.call, span, arguments) })
            }
            Shape::Over | Shape::Norm | Shape::Standardize => {
                let tensor = numbers(value(0)?, span)?;
                let (name, extra) = match (builtin.shape, scalar(1)?) {
                    (Shape::Norm, Some(power)) => ("norm_p", Some(power)),
                    (Shape::Standardize, Some(epsilon)) => ("standardize_eps", Some(epsilon)),
                    _ => (builtin.call, None),
                };
                let arguments =
                    [Given::Axes(axes), Given::Tensor(tensor.code)].into_iter().chain(extra.map(Given::Value));
                let kind = if name == "argsort" { Kind::Index } else { tensor.kind };
                Ok(Value { kind, code: operation(name, span, arguments.collect()) })
            }
            Shape::Index => {
                let (table, position) = (value(0)?, value(1)?);
                let position = self.position(&axes, position, span)?;
                let code = operation("index", span, vec![Given::Axes(axes), Given::Tensor(table.code), position]);
                Ok(Value { kind: table.kind, code })
            }
            Shape::Concat => (2..arguments.len())
                .try_fold(self.concat(&axes, span, value(0)?, value(1)?)?, |joined, place| {
                    self.concat(&axes, span, joined, value(place)?)
                }),
            Shape::OneHot => {
                let position = self.position(&axes, value(0)?, span)?;
                let size = match (arguments.get(1), axes.first()) {
                    (Some(size), _) => self.whole(size)?,
                    (None, Some(axis)) => self.size(axis).map_err(|_| {
                        let (name, written) = (axis_name(axis), axis_text(axis));
                        let below = if written == name { name.clone() } else { format!("{{{written}}}") };
                        let help = format!("state it, a number or a size that is known: `one_hot_{below}(I, 4)`");
                        error(span, format!("the size of `{name}` is not known here"), &[help])
                    })?,
                    (None, None) => return Err(error(span, "an axis is missing", &[])),
                };
                Ok(self.creation(builtin.call, vec![Given::Axes(axes), position, Given::Value(size)], span))
            }
            Shape::Window | Shape::Matrix => {
                let tensor = numbers(value(0)?, span)?;
                let size = arguments.get(1).map(|size| self.whole(size)).transpose()?;
                let axes = axes.into_iter().map(|axis| Given::Axes(vec![axis]));
                let arguments = axes.chain([Given::Tensor(tensor.code)]).chain(size.map(Given::Value)).collect();
                Ok(Value { kind: tensor.kind, code: operation(builtin.call, span, arguments) })
            }
            Shape::Best => {
                let tensor = numbers(value(0)?, span)?;
                let size = arguments.get(1).map(|size| self.whole(size)).transpose()?;
                let given = [Given::Axes(axes), Given::Tensor(tensor.code)].into_iter();
                let arguments = given.chain(size.map(Given::Value)).collect();
                let kind = if builtin.call == "argmaxk" { Kind::Index } else { tensor.kind };
                Ok(Value { kind, code: operation(builtin.call, span, arguments) })
            }
            Shape::Eye => {
                let size = arguments.first().map(|size| self.whole(size)).transpose()?;
                let axes = axes.into_iter().map(|axis| Given::Axes(vec![axis]));
                Ok(self.creation(builtin.call, axes.chain(size.map(Given::Value)).collect(), span))
            }
        }
    }

    fn quotient(&self, span: Span, left: Value, right: Value) -> syn::Result<Value> {
        if left.kind == Kind::Real || right.kind == Kind::Real {
            return Err(error(span, "`div` is for positions and sizes", &["real numbers: `X / Y`".to_owned()]));
        }
        let quotient = elementwise("div", "/", span, left, right)?;
        Ok(Value { kind: quotient.kind, code: operation("floor", span, vec![operand(quotient)]) })
    }

    fn concat(&self, axes: &[Path], span: Span, left: Value, right: Value) -> syn::Result<Value> {
        let (left, right) = match (left.kind, right.kind) {
            (Kind::Index, Kind::Index) | (Kind::Truth, Kind::Truth) => (left, right),
            _ => alike(numbers(left, span)?, numbers(right, span)?, span),
        };
        let arguments = vec![Given::Axes(axes.to_vec()), Given::Tensor(left.code), Given::Tensor(right.code)];
        Ok(Value { kind: left.kind, code: operation("concat", span, arguments) })
    }

    /// A tensor of positions along the axis.
    fn position(&self, axes: &[Path], value: Value, span: Span) -> syn::Result<Given> {
        match (value.kind, axes.first()) {
            (Kind::Index, _) => Ok(Given::Tensor(value.code)),
            _ if self.is_foreign(&value.code) => Ok(Given::Tensor(value.code)),
            (Kind::Exact, Some(axis)) => Ok(Given::Tensor(along(axis, value.code, span)?)),
            (other, axis) => {
                let axis = axis.map(axis_name).unwrap_or_default();
                let declared =
                    format!("declare it as positions: `I: {axis}[..]`; one position by its number: `E_{{{axis}(2)}}`");
                let mut help = instead_of_one_hot(&value.code, other, &axis);
                help.insert(0, declared);
                Err(error(span, format!("positions along `{axis}` are needed, not {}", other.words()), &help))
            }
        }
    }

    /// A real tensor made of nothing real, so its precision must be said.
    fn creation(&self, name: &'static str, arguments: Vec<Given>, span: Span) -> Value {
        Value { kind: Kind::Real, code: Code::Operation { name, generics: Generics::Precision(3), arguments, span } }
    }
}
