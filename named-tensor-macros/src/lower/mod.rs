//! From the syntax tree to the intermediate form, one function per construct.
//!
//! Lives here: the scope, the body of a function, conditions. Expressions, arithmetic, calls, subscripts and initial
//! values are in the files beside. Not here: spelling (`emit`), checks on names (`names`, which ran before).

mod arithmetic;
mod call;
mod expression;
pub(crate) mod initial;
mod subscript;

use crate::ast::{self, Element, Equation, Form, Function, TensorType};
use crate::ir::{Agreement, Body, Code, Condition, Definition, Generics, Given, Kind};
use crate::names::{Vocabulary, size_source, size_sources};
use crate::report::{Report, error, stem};
use crate::set::{Set, axis_name, axis_span, axis_text};
use proc_macro2::{Ident, Span};
use std::cell::RefCell;
use syn::Path;

/// A value and its kind.
#[derive(Clone)]
struct Value {
    kind: Kind,
    code: Code,
}

/// A variable in scope.
struct Variable {
    name: Ident,
    kind: Kind,
    borrowed: bool,
    /// Whether types alone know what it holds.
    foreign: bool,
    /// The axis that it is a position of, if it is a letter of a definition by positions.
    along: Option<Path>,
}

/// What the lowering of one function knows.
struct Scope<'a> {
    vocabulary: &'a Vocabulary<'a>,
    function: &'a Function,
    variables: Vec<Variable>,
    /// How many equations have been lowered.
    defined: usize,
    /// Whether this is an initial value, where sizes are those that `init` is given.
    initial: bool,
    /// The axes whose sizes were read.
    sized: RefCell<Vec<Path>>,
}

/// The body of a function, unless something in it is reported.
pub(crate) fn body(vocabulary: &Vocabulary<'_>, function: &Function, report: &mut Report) -> Option<Body> {
    let written = function.body.as_ref()?;
    let arguments = function.arguments.iter().map(|argument| (&argument.name, kind_of(&argument.kind)));
    let parameters = function.parameters.iter().filter_map(|parameter| match &parameter.kind {
        ast::ParameterType::Tensor(kind, _) => Some((&parameter.name, kind_of(kind))),
        ast::ParameterType::Function(_) => None,
    });
    let given = arguments.chain(parameters);
    let variable =
        |(name, kind): (&Ident, _)| Variable { name: name.clone(), kind, borrowed: true, foreign: false, along: None };
    let variables = given.map(variable).collect();
    let mut scope = Scope { vocabulary, function, variables, defined: 0, initial: false, sized: RefCell::default() };
    let before = report.count();
    let mut or_report = |error| report.add(error);
    let conditions = function.conditions.iter().filter_map(|one| scope.condition(one).map_err(&mut or_report).ok());
    let conditions = conditions.collect();
    let mut definitions = Vec::new();
    for equation in &written.equations {
        match scope.definition(equation) {
            Ok(definition) => definitions.push(definition),
            Err(error) => {
                or_report(error);
                // The name is taken for a tensor of anything, so that its uses are not blamed.
                scope.define(&equation.name, Kind::Real, true);
            }
        }
        scope.defined += 1;
    }
    let result = scope.result(&written.result).map_err(&mut or_report).ok()?;
    let agreements = agreements(function, &scope.sized.into_inner());
    (report.count() == before).then_some(Body { agreements, conditions, definitions, result })
}

/// What must agree in size, for the axes whose sizes are read.
fn agreements(function: &Function, sized: &[Path]) -> Vec<Agreement> {
    let is_first =
        |(place, axis): &(usize, &Path)| sized[..*place].iter().all(|other| axis_name(other) != axis_name(axis));
    let agreement = |(_, axis): (usize, &Path)| {
        let sources: Vec<Ident> = size_sources(function, &axis_name(axis)).cloned().collect();
        (sources.len() > 1).then(|| Agreement { axis: axis.clone(), sources })
    };
    sized.iter().enumerate().filter(is_first).filter_map(agreement).collect()
}

impl Scope<'_> {
    fn define(&mut self, name: &Ident, kind: Kind, foreign: bool) {
        self.variables.push(Variable { name: name.clone(), kind, borrowed: false, foreign, along: None });
    }

    /// Whether a function that is not known here gave the value, so that types alone know what it holds.
    fn is_foreign(&self, code: &Code) -> bool {
        match code {
            Code::Function { known, .. } | Code::Apply { known, .. } => !known,
            Code::Variable { name, .. } => self.variables.iter().any(|known| known.name == *name && known.foreign),
            Code::Copy(code) => self.is_foreign(code),
            _ => false,
        }
    }

    fn condition(&self, condition: &ast::Condition) -> syn::Result<Condition> {
        let mut sizes: Vec<(String, Code)> = Vec::new();
        for side in [&condition.left, &condition.right] {
            let mut axes = Vec::new();
            crate::names::sizes_read(side, &mut |axis: &Path| axes.push(axis));
            for axis in axes {
                if !sizes.iter().any(|(name, _)| *name == axis_name(axis)) {
                    sizes.push((axis_name(axis), self.size(axis)?));
                }
            }
        }
        let (left, right) = (self.scalar(&condition.left)?, self.scalar(&condition.right)?);
        let holds = arithmetic::plain(condition.comparison.sign(), condition.span, left, right);
        Ok(Condition { text: condition.text.clone(), sizes, holds, span: condition.span })
    }

    fn definition(&mut self, equation: &Equation) -> syn::Result<Definition> {
        let name = equation.name.clone();
        let (positions, value, kind) = match &equation.form {
            Form::Value(None) => {
                let value = self.owned(self.expression(&equation.value)?);
                (Vec::new(), value.code, value.kind)
            }
            Form::Value(Some(ascribed)) => {
                let value = self.coerce(self.expression(&equation.value)?, &ascribed.element, name.span())?;
                (Vec::new(), ascription("ascribed", &ascribed.set, name.span(), value), kind_of(ascribed))
            }
            Form::Cases(positions) => {
                let (positions, value) = self.by_positions(&name, positions, &equation.value)?;
                (positions, value.code, value.kind)
            }
        };
        let foreign = self.is_foreign(&value);
        self.define(&name, kind, foreign);
        Ok(Definition { name, positions, value })
    }

    /// `M_{seq(i), seq_(j)} = ..`: a value over exactly these axes, repeated over those it does not depend on.
    fn by_positions(
        &mut self,
        name: &Ident,
        positions: &[ast::Position],
        value: &ast::Expression,
    ) -> syn::Result<(Vec<(Ident, Path, Code)>, Value)> {
        let mut sizes = Vec::new();
        for position in positions {
            let size = match &position.size {
                Some(size) => self.whole(size)?,
                None if size_source(self.function, &axis_name(&position.axis), self.defined).is_none() => {
                    return Err(self.unstated(position));
                }
                None => self.size(&position.axis)?,
            };
            sizes.push((position.name.clone(), position.axis.clone(), size));
        }
        let outside = self.variables.len();
        let letter = |position: &ast::Position| Variable {
            name: position.name.clone(),
            kind: Kind::Index,
            borrowed: false,
            foreign: false,
            along: Some(position.axis.clone()),
        };
        self.variables.extend(positions.iter().map(letter));
        let lowered = self.expression(value).and_then(|value| match value.kind {
            // Positions that are computed stay exact, as they do without letters, as long as they are whole numbers.
            Kind::Exact if arithmetic::is_whole(&value.code) => Ok(value),
            _ => self.tensor(value, name.span()),
        });
        self.variables.truncate(outside);
        let Value { kind, mut code } = lowered?;
        for (position, (_, axis, size)) in positions.iter().zip(&sizes) {
            if !value.mentions(&position.name) {
                let arguments = vec![Given::Tensor(code), Given::Axes(vec![axis.clone()]), Given::Value(size.clone())];
                code = operation("spread", axis_span(axis), arguments);
            }
        }
        let set = Set(positions.iter().map(|position| position.axis.clone()).collect());
        let used = sizes.into_iter().filter(|(name, ..)| value.mentions(name)).collect();
        Ok((used, Value { kind, code: ascription("ascribed", &set, name.span(), code) }))
    }

    /// What to say of a letter on the left whose axis has no size, which is that of a relative or stated there.
    fn unstated(&self, position: &ast::Position) -> syn::Error {
        let (name, span, letter) = (axis_name(&position.axis), axis_span(&position.axis), &position.name);
        let known = |axis: &&String| size_source(self.function, axis, self.defined).is_some();
        let axes: Vec<String> = crate::names::signature_axes(self.function).map(|axis| axis_name(&axis)).collect();
        let relative = axes.iter().filter(known).find(|axis| stem(axis) == stem(&name));
        let size = relative.map_or("n".to_owned(), |axis| format!("|{axis}|"));
        let kind = if relative.is_some() { "" } else { ", with a number or a size that is known for `n`" };
        let help = format!("state it on the left: `{}({letter}: {size})`{kind}", axis_text(&position.axis));
        error(span, format!("the size of `{name}` is not known here"), &[help])
    }

    /// The last line, at the declared type.
    fn result(&self, value: &ast::Expression) -> syn::Result<Code> {
        let declared = &self.function.result;
        let value = self.coerce(self.expression(value)?, &declared.element, declared.span)?;
        Ok(ascription("result", &declared.set, declared.span, value))
    }

    /// The size of an axis, read from the first tensor that has it by its declared type.
    fn size(&self, axis: &Path) -> syn::Result<Code> {
        let (name, span) = (axis_name(axis), axis_span(axis));
        if self.initial {
            return Ok(Code::Given { axis: axis.clone(), span });
        }
        let Some(source) = size_source(self.function, &name, self.defined) else {
            let help = [
                format!("no argument of `{}` has the axis `{name}`", self.function.name),
                format!("an equation with a stated type has: `Y: R[{name}, ..] = ..;`"),
            ];
            return Err(error(span, format!("the size of `{name}` is not known here"), &help));
        };
        self.sized.borrow_mut().push(axis.clone());
        let borrowed = self.variables.iter().find(|variable| variable.name == *source).is_some_and(|v| v.borrowed);
        let of = Box::new(Code::Variable { name: source.clone(), borrowed });
        Ok(Code::Size { of, axis: axis.clone(), span })
    }
}

/// What a declared type holds.
fn kind_of(kind: &TensorType) -> Kind {
    match kind.element {
        Element::Real => Kind::Real,
        Element::Truth => Kind::Truth,
        Element::Position(_) => Kind::Index,
    }
}

/// A call whose type arguments are inferred.
fn operation(name: &'static str, span: Span, arguments: Vec<Given>) -> Code {
    Code::Operation { name, generics: Generics::Inferred, arguments, span }
}

/// A value at a stated set of axes; types judge whether it has them.
fn ascription(name: &'static str, set: &Set, span: Span, value: Code) -> Code {
    Code::Operation { name, generics: Generics::Axes(set.clone()), arguments: vec![Given::Value(value)], span }
}
