//! A function as lines of mathematics: its type, its equations, and what its parameters are.
//!
//! Lives here: everything around expressions. Not here: expressions themselves, formats.

use super::call::at;
use super::expression::{Level, Typesetter, comparison_sign};
use super::identifier;
use super::layout::{COMMA, Layout, Line};
use crate::ast::{
    Argument, Condition, Element, Equation, Expression, Form, Function, Initial, Parameter, ParameterType, Position,
    TensorType,
};
use crate::code::name_of;
use quote::ToTokens;
use syn::{Attribute, Path};

impl<'a> Typesetter<'a> {
    /// The type of the function, its equations, its value.
    pub(super) fn equations(&self) -> Vec<Line> {
        let mut lines = vec![self.signature()];
        if let Some(body) = &self.function.body {
            lines.extend(body.equations.iter().map(|equation| self.equation(equation)));
            lines.push(Line { left: self.applied(), sign: "=", right: self.value(&body.result) });
        }
        lines
    }

    /// `f : ℝ^key × ℝ^{seq×key} → ℝ^key`.
    fn signature(&self) -> Line {
        let Function { arguments, result, .. } = self.function;
        let result = tensor_type(result);
        if arguments.is_empty() {
            return Line { left: self.name(), sign: "∈", right: result };
        }
        let times = Layout::Infix("×");
        let domain = Layout::list(arguments.iter().map(|argument| tensor_type(&argument.kind)), &times);
        Line { left: self.name(), sign: ":", right: Layout::row([domain, Layout::Infix("→"), result]) }
    }

    /// `f(X; W, b)`.
    fn applied(&self) -> Layout {
        let Function { arguments, parameters, .. } = self.function;
        let mut inside = Vec::new();
        if !arguments.is_empty() {
            inside.push(Layout::list(arguments.iter().map(|argument| identifier::variable(&argument.name)), &COMMA));
        }
        if !parameters.is_empty() {
            inside.push(Layout::Separator(";"));
            inside.push(Layout::list(parameters.iter().map(parameter_name), &COMMA));
        }
        if inside.is_empty() { self.name() } else { Layout::row([self.name(), Layout::row(inside).in_parentheses()]) }
    }

    /// The name of the function, with its axis parameters.
    fn name(&self) -> Layout {
        let axes = &self.function.axis_parameters;
        let axes = axes.iter().map(|axis| identifier::axis(&Path::from(axis.clone()))).collect();
        identifier::function(&name_of(&self.function.name)).under(axes)
    }

    fn equation(&self, equation: &'a Equation) -> Line {
        let name = identifier::variable(&equation.name);
        let value = self.value(&equation.value);
        match &equation.form {
            Form::Value(None) => Line { left: name, sign: "=", right: value },
            Form::Value(Some(kind)) => {
                let value = match &equation.value {
                    Expression::Cases { .. } => value.in_parentheses(),
                    _ => value,
                };
                Line { left: name, sign: "=", right: Layout::row([value, Layout::Infix("∈"), tensor_type(kind)]) }
            }
            Form::Cases(positions) => self.by_positions(name, positions, value),
        }
    }

    /// `M_{seq(i), seq′(j)} = .., j < |seq|`.
    fn by_positions(&self, name: Layout, positions: &'a [Position], value: Layout) -> Line {
        let below = positions.iter().map(|one| at(&one.axis, identifier::variable(&one.name)));
        // A variable with a subscript of its own has its positions beside that.
        let (name, own) = match name {
            Layout::Sub(name, own) => (*name, Some(*own)),
            name => (name, None),
        };
        let left = name.sub(Layout::list(own.into_iter().chain(below), &COMMA));
        let sized = positions.iter().filter_map(|one| {
            let size = self.piece(one.size.as_ref()?).at_least(Level::Remainder);
            Some(Layout::row([identifier::variable(&one.name), Layout::Infix("<"), size]))
        });
        let sized: Vec<Layout> = sized.collect();
        if sized.is_empty() {
            return Line { left, sign: "=", right: value };
        }
        let right = Layout::row([value, Layout::Text(" for "), Layout::list(sized, &COMMA)]);
        Line { left, sign: "=", right }
    }

    /// The right side of an equation: a comparison there is a truth value, in parentheses.
    fn value(&self, expression: &'a Expression) -> Layout {
        match expression {
            Expression::Cases { .. } => self.piece(expression).layout,
            _ => self.piece(expression).at_least(Level::Remainder),
        }
    }

    /// `X ∈ ℝ^chans`.
    pub(super) fn argument(&self, argument: &'a Argument) -> Line {
        Line { left: identifier::variable(&argument.name), sign: "∈", right: tensor_type(&argument.kind) }
    }

    /// `W ∈ ℝ^{chans×out}` or `norm₁ : LayerNorm`.
    pub(super) fn parameter(&self, parameter: &'a Parameter) -> Line {
        let left = parameter_name(parameter);
        let absent = parameter.optional.then_some(Layout::Text(", or absent"));
        match &parameter.kind {
            ParameterType::Function(path) => {
                let function = identifier::function(&crate::set::axis_name(path));
                Line { left, sign: ":", right: Layout::row([function].into_iter().chain(absent)) }
            }
            ParameterType::Tensor(kind, initial) => {
                let initially = initial.iter().flat_map(|initial| {
                    let value = match initial {
                        Initial::Constant(value) => self.in_script().value(value),
                        Initial::Drawn { name, arguments, axes } => {
                            let drawn = identifier::function(&name_of(name));
                            let inside = match axes {
                                Some((from, to)) => Some(drawn_over(from, to.as_deref())),
                                None if arguments.is_empty() => None,
                                None => Some(self.in_script().arguments(arguments)),
                            };
                            Layout::row([Layout::Prefix("∼"), drawn].into_iter().chain(inside))
                        }
                    };
                    [Layout::Text(", at first "), value]
                });
                Line {
                    left,
                    sign: "∈",
                    right: Layout::row([tensor_type(kind)].into_iter().chain(absent).chain(initially)),
                }
            }
        }
    }

    /// `|val| = |chans|`.
    pub(super) fn condition(&self, condition: &'a Condition) -> Line {
        let Condition { left, comparison, right, .. } = condition;
        let side = |side| self.in_script().piece(side).at_least(Level::Remainder);
        Line { left: side(left), sign: comparison_sign(*comparison), right: side(right) }
    }
}

/// `({chans} → {heads, key})`: the axes that are summed over and those that are produced.
fn drawn_over(from: &[Path], to: Option<&[Path]>) -> Layout {
    let set = |axes: &[Path]| {
        let axes = Layout::list(axes.iter().map(identifier::axis), &COMMA);
        Layout::Fence("{", Box::new(axes), "}")
    };
    let to = to.into_iter().flat_map(|to| [Layout::Infix("→"), set(to)]);
    Layout::row([set(from)].into_iter().chain(to)).in_parentheses()
}

/// `ℝ^{seq×key}`, `𝔹^seq`, `[vocab]^seq`; axes in the order in which they are written.
fn tensor_type(kind: &TensorType) -> Layout {
    let elements = match &kind.element {
        Element::Real => Layout::Variable("ℝ".to_owned()),
        Element::Truth => Layout::Variable("𝔹".to_owned()),
        Element::Position(axis) => Layout::Fence("[", Box::new(identifier::axis(axis)), "]"),
    };
    if kind.set.0.is_empty() {
        return elements;
    }
    elements.sup(Layout::list(kind.set.0.iter().map(identifier::axis), &Layout::Infix("×")))
}

/// A parameter by its name; one that is a function is written as functions are.
fn parameter_name(parameter: &Parameter) -> Layout {
    match parameter.kind {
        ParameterType::Tensor(..) => identifier::variable(&parameter.name),
        ParameterType::Function(_) => identifier::function(&name_of(&parameter.name)),
    }
}

/// What the documentation comments among attributes say, without the space behind `///`.
pub(super) fn comments(attributes: &[Attribute]) -> Vec<String> {
    let documented = attributes.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let texts = documented.filter_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) => syn::parse2::<syn::LitStr>(pair.value.to_token_stream()).ok(),
        _ => None,
    });
    let lines: Vec<String> =
        texts.flat_map(|text| text.value().lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    lines.iter().map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned()).collect()
}
