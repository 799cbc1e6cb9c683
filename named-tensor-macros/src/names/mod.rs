//! What the macro alone can know about names: misspelt axes, repetitions, unused and undefined variables, calls.
//!
//! Whether an axis is where an operation needs it is not judged here: types do that, once, with messages of their own.
//! Lives here: the vocabulary of a block, and what a call calls. The checks are in the files beside.

mod axes;
mod calls;
mod dictionary;
mod recursion;
mod variables;
mod words;

use crate::ast::{Block, Call, Expression, Function, MOST_ARGUMENTS, ParameterType, TensorType};
use crate::builtin::{self, Builtin};
use crate::code::{name_of, part_of};
use crate::report::Report;
use crate::set::axis_name;
use proc_macro2::{Ident, Span};
use std::collections::{BTreeSet, HashMap};
use syn::Path;
pub(crate) use words::{instead_of_method, settle};

/// The block and the axes that it knows.
pub(crate) struct Vocabulary<'a> {
    block: &'a Block,
    functions: HashMap<String, &'a Function>,
    axes: BTreeSet<String>,
}

/// What a call calls, and the axes it is given.
pub(crate) struct Resolved<'a> {
    pub(crate) callee: Callee<'a>,
    /// One group per axis argument; built-in functions take all groups as one.
    pub(crate) axes: Vec<Vec<Path>>,
    /// The name of the function.
    pub(crate) span: Span,
}

/// What a call calls.
pub(crate) enum Callee<'a> {
    /// A parameter that is a function, defined in this block or elsewhere.
    Parameter(&'a Ident, Option<&'a Function>),
    /// A function of the block.
    Function(&'a Function),
    /// A function of the notation.
    Builtin(&'static Builtin),
    /// A function of the program.
    Outside(Path),
}

impl<'a> Vocabulary<'a> {
    /// The vocabulary of a block: the axes of all signatures, of `axis` lines, and all that are created.
    pub(crate) fn of(block: &'a Block) -> Vocabulary<'a> {
        let functions = block.functions.iter().map(|function| (function.name.to_string(), function)).collect();
        let mut vocabulary = Vocabulary { block, functions, axes: block.axes.iter().map(name_of).collect() };
        for function in &block.functions {
            let own: Vec<String> = function.axis_parameters.iter().map(name_of).collect();
            vocabulary
                .axes
                .extend(signature_axes(function).map(|axis| axis_name(&axis)).filter(|name| !own.contains(name)));
        }
        for function in &block.functions {
            let created = axes::created(&vocabulary, function);
            vocabulary.axes.extend(created);
        }
        vocabulary
    }

    /// What a call calls.
    pub(crate) fn resolve(&self, function: &'a Function, call: &'a Call) -> Resolved<'a> {
        let span = crate::set::axis_span(&call.function);
        let axes = call.axes.clone().unwrap_or_default();
        let Some(ident) = call.function.get_ident() else {
            return Resolved { callee: Callee::Outside(call.function.clone()), axes, span };
        };
        let word = ident.to_string();
        if let Some(parameter) = function.parameters.iter().find(|parameter| parameter.name == *ident)
            && let ParameterType::Function(path) = &parameter.kind
        {
            let definition = path.get_ident().and_then(|name| self.function(&name.to_string()));
            return Resolved { callee: Callee::Parameter(&parameter.name, definition), axes, span };
        }
        let with_axes = call.axes.is_some();
        let known = self.function(&word).map(Callee::Function);
        let known = known.or_else(|| builtin::find(&word, with_axes).map(Callee::Builtin));
        let known = known.or_else(|| builtin::find(&word, !with_axes).map(Callee::Builtin));
        if let Some(callee) = known {
            return Resolved { callee, axes, span };
        }
        if !with_axes
            && let Some((callee, axis)) = self.attached(&word)
            && let Some(axis) = part_of(axis, span)
        {
            return Resolved { callee, axes: vec![vec![Path::from(axis)]], span };
        }
        Resolved { callee: Callee::Outside(call.function.clone()), axes, span }
    }

    /// `sum_seq` or `standardize_chans`: a function with its axis attached.
    fn attached<'w>(&self, word: &'w str) -> Option<(Callee<'a>, &'w str)> {
        let own =
            self.block.functions.iter().filter(|function| !function.axis_parameters.is_empty()).filter_map(|own| {
                let axis = word.strip_prefix(&own.name.to_string())?.strip_prefix('_')?;
                (!axis.is_empty()).then_some((Callee::Function(own), axis))
            });
        // The shortest axis leaves the longest name.
        if let Some(found) = own.min_by_key(|(_, axis)| axis.len()) {
            return Some(found);
        }
        let (builtin, axis) = builtin::split(word)?;
        // `max_pool1d` and `log_sum_exp` are words of other libraries.
        if !self.axes.contains(axis) && (words::is_foreign(word) || self.is_foreign_along(word)) {
            return None;
        }
        // `max_pool` is a function of its own, not a maximum over an axis `pool`, unless there is such an axis.
        let is_function = builtin::find(axis, true).is_some() || builtin::find(axis, false).is_some();
        (self.axes.contains(axis) || !is_function).then_some((Callee::Builtin(builtin), axis))
    }

    /// Whether a word is one of another library with an axis attached, as `index_add_node` is where there is an axis `node`.
    fn is_foreign_along(&self, word: &str) -> bool {
        let mut places = word.match_indices('_').map(|(place, _)| place);
        places.any(|place| self.axes.contains(&word[place + 1..]) && words::is_foreign(&word[..place]))
    }

    /// Whether a function calls one whose signature could not be read as it is, so that its own types are unknown.
    pub(crate) fn calls_broken(&self, function: &Function) -> bool {
        let is_broken = |name: &Ident| {
            self.block.broken.contains(name) || self.function(&name.to_string()).is_some_and(|known| !known.sound)
        };
        let mut found = function.parameters.iter().any(|parameter| match &parameter.kind {
            ParameterType::Function(path) => path.get_ident().is_some_and(is_broken),
            ParameterType::Tensor(..) => false,
        });
        function.walk(&mut |node| {
            if let Expression::Call(call) = node {
                found |= call.function.get_ident().is_some_and(is_broken);
            }
        });
        found
    }

    /// The function of the block with this name.
    pub(crate) fn function(&self, name: &str) -> Option<&'a Function> {
        self.functions.get(name).copied()
    }
}

/// What is said about the argument after those.
pub(crate) const TOO_MANY: &str = "a function has at most 8 tensor arguments";
/// How several arguments become one.
pub(crate) const STACKED: &str =
    "several that have the same axes may come as one that has an axis more, which `Tensor::stack` makes";

/// Reports what is wrong with the names of a function.
pub(crate) fn check(vocabulary: &Vocabulary<'_>, function: &Function, report: &mut Report) {
    let before = report.count();
    if let Some(beyond) = function.arguments.get(MOST_ARGUMENTS) {
        let name = &function.name;
        let learnt = format!("what is learnt stands after a semicolon, however many: `{name}(X: R[..]; W: R[..], ..)`");
        report.error(beyond.name.span(), TOO_MANY, &[learnt, STACKED.to_owned()]);
    }
    axes::check(vocabulary, function, report);
    calls::check(vocabulary, function, report);
    recursion::check(vocabulary, function, report);
    variables::check_definitions(vocabulary, function, report);
    // After another mistake, a variable that seems unused may well be used where that mistake stands.
    if report.count() == before && function.body.is_some() {
        variables::check_uses(vocabulary, function, report);
        variables::check_absence(vocabulary, function, report);
    }
}

/// The type of a variable, where one is written.
pub(crate) fn declared<'a>(function: &'a Function, name: &Ident) -> Option<&'a TensorType> {
    let argument = function.arguments.iter().find(|argument| argument.name == *name).map(|argument| &argument.kind);
    let parameter = || match &function.parameters.iter().find(|parameter| parameter.name == *name)?.kind {
        ParameterType::Tensor(kind, _) => Some(kind),
        ParameterType::Function(_) => None,
    };
    let mut equations = function.body.iter().flat_map(|body| &body.equations);
    argument.or_else(parameter).or_else(|| match &equations.find(|equation| equation.name == *name)?.form {
        crate::ast::Form::Value(kind) => kind.as_ref(),
        crate::ast::Form::Cases(_) => None,
    })
}

/// The axes of all types in a signature.
pub(crate) fn signature_axes(function: &Function) -> impl Iterator<Item = Path> + '_ {
    signature_types(function).flat_map(|kind| {
        let indexed = match &kind.element {
            crate::ast::Element::Position(axis) => Some(axis.clone()),
            _ => None,
        };
        kind.set.0.iter().cloned().chain(indexed)
    })
}

fn signature_types(function: &Function) -> impl Iterator<Item = &TensorType> {
    let arguments = function.arguments.iter().map(|argument| &argument.kind);
    let parameters = function.parameters.iter().filter_map(|parameter| match &parameter.kind {
        ParameterType::Tensor(kind, _) => Some(kind),
        ParameterType::Function(_) => None,
    });
    arguments.chain(parameters).chain([&function.result])
}

/// Where the size of an axis can be read: the first argument, parameter or ascribed equation that has the axis.
///
/// `defined` is how many equations of the body stand before the place that asks.
pub(crate) fn size_source<'a>(function: &'a Function, axis: &str, defined: usize) -> Option<&'a Ident> {
    let has = |kind: &TensorType| has(kind, axis);
    let equations = function.body.iter().flat_map(|body| body.equations.iter().take(defined));
    let locals = equations.filter_map(|equation| match &equation.form {
        crate::ast::Form::Value(Some(kind)) if has(kind) => Some(&equation.name),
        crate::ast::Form::Cases(positions) if positions.iter().any(|p| axis_name(&p.axis) == axis) => {
            Some(&equation.name)
        }
        _ => None,
    });
    size_sources(function, axis).chain(locals).next()
}

/// The arguments and parameters that have the axis, but those that may be absent.
pub(crate) fn size_sources<'a>(function: &'a Function, axis: &str) -> impl Iterator<Item = &'a Ident> {
    let arguments =
        function.arguments.iter().filter(move |argument| has(&argument.kind, axis)).map(|argument| &argument.name);
    let parameters = function.parameters.iter().filter_map(move |parameter| match &parameter.kind {
        ParameterType::Tensor(kind, _) if has(kind, axis) && !parameter.optional => Some(&parameter.name),
        _ => None,
    });
    arguments.chain(parameters)
}

fn has(kind: &TensorType, axis: &str) -> bool {
    kind.set.0.iter().any(|path| axis_name(path) == axis)
}

/// The sizes that an expression reads, with their axes.
pub(crate) fn sizes_read<'a>(expression: &'a Expression, visit: &mut dyn FnMut(&'a Path)) {
    expression.walk(&mut |node| {
        if let Expression::Size(axis) = node {
            visit(axis);
        }
    });
}
