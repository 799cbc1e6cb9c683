//! Checks on variables: defined twice, named like an axis, undefined, never used.
//!
//! A parameter that is never used is the commonest silent bug of written-out networks (K computed from `W_Q` leaves
//! `W_K` unused), so it is an error here; a name that begins with `_` is exempt.

use super::axes::named_in;
use super::calls::axes_as_arguments;
use super::{Vocabulary, size_source, sizes_read};
use crate::ast::{Binary, Expression, Form, Function, ParameterType};
use crate::builtin::Shape;
use crate::code::name_of;
use crate::parse::is_number;
use crate::report::{Report, list, lookalike, nearest};
use crate::set::axis_name;
use proc_macro2::Ident;
use std::collections::{BTreeSet, HashSet};
use syn::Path;

/// Reports names defined twice, names of axes used for variables, and names that are not defined.
pub(super) fn check_definitions(vocabulary: &Vocabulary<'_>, function: &Function, report: &mut Report) {
    let axes = named_in(vocabulary, function);
    for expression in function.body_expressions() {
        uncalled(function, expression, report);
    }
    let mut scope: Vec<&Ident> = Vec::new();
    for name in function.given() {
        define(&axes, &mut scope, name, report);
    }
    let Some(body) = &function.body else { return };
    for equation in &body.equations {
        let outside = scope.len();
        if let Form::Cases(positions) = &equation.form {
            for position in positions {
                define(&axes, &mut scope, &position.name, report);
            }
        }
        equation.expressions().for_each(|expression| undefined(vocabulary, &scope, expression, report));
        scope.truncate(outside);
        define(&axes, &mut scope, &equation.name, report);
    }
    undefined(vocabulary, &scope, &body.result, report);
}

fn define<'a>(axes: &BTreeSet<String>, scope: &mut Vec<&'a Ident>, name: &'a Ident, report: &mut Report) {
    if scope.contains(&name) {
        let help = "an equation holds for good: give the new value a new name";
        report.error(name.span(), format!("`{name}` is defined twice"), &[help.to_owned()]);
        return;
    }
    if axes.contains(&name_of(name)) {
        report.error(name.span(), format!("`{name}` is the name of an axis, a variable needs another"), &[]);
    }
    if is_number(name) {
        report.error(name.span(), format!("`{name}` is a number here, a variable needs another name"), &[]);
    }
    scope.push(name);
}

/// Reports functions among the parameters that stand where a tensor does.
fn uncalled(function: &Function, expression: &Expression, report: &mut Report) {
    let is_function = |name: &Ident| {
        let mut parameters = function.parameters.iter();
        parameters.any(|parameter| parameter.name == *name && matches!(parameter.kind, ParameterType::Function(_)))
    };
    expression.walk(&mut |node| {
        if let Some(name) = node.variable().filter(|name| is_function(name)) {
            let help = format!("call it: `{name}(..)`");
            report.error(name.span(), format!("`{name}` is a function, not a tensor"), &[help]);
        }
    });
}

fn undefined(vocabulary: &Vocabulary<'_>, scope: &[&Ident], expression: &Expression, report: &mut Report) {
    // Axes that stand as arguments where a function lacks its axis: that is the mistake, and it is reported.
    let mut excused: Vec<*const Ident> = Vec::new();
    expression.walk(&mut |node| {
        if let Expression::Call(call) = node {
            excused.extend(axes_as_arguments(vocabulary, call).map(std::ptr::from_ref));
        }
        let Some(name) = node.variable().filter(|name| !excused.contains(&std::ptr::from_ref(*name))) else { return };
        let text = name.to_string();
        // A constant of the program is written in capitals.
        let is_constant = text.chars().count() > 1 && !text.chars().any(char::is_lowercase);
        if scope.contains(&name) {
            return;
        }
        let known: Vec<String> = scope.iter().map(ToString::to_string).collect();
        let same_letters = known.iter().find(|other| other.eq_ignore_ascii_case(&text));
        let known_names = || known.iter().map(String::as_str);
        let looks = lookalike(&text, known_names());
        let meant = same_letters.map(String::as_str).or_else(|| nearest(&text, known_names()));
        if is_constant && meant.is_none() && looks.is_none() {
            return;
        }
        if vocabulary.axes.contains(&name_of(name)) {
            let help = format!("its size is `|{text}|`; a function works along it as `softmax_{text}(X)` does");
            report.error(name.span(), format!("`{text}` is an axis, not a tensor"), &[help]);
            return;
        }
        let meant = meant.map(|meant| format!("did you mean `{meant}`?"));
        let mut help: Vec<String> = looks.map(|(_, words)| words).or(meant).into_iter().collect();
        help.push(format!("defined here: {}", list(&known)));
        report.error(name.span(), format!("nothing is called `{text}` here"), &help);
    });
}

/// Reports arguments, parameters, equations and positions that nothing uses.
pub(super) fn check_uses(vocabulary: &Vocabulary<'_>, function: &Function, report: &mut Report) {
    let used = used(vocabulary, function);
    let mut unused = |name: &Ident, what: &str, help: &str| {
        if !used.contains(name) && !name.to_string().starts_with('_') && !is_number(name) {
            let help = [help.to_owned(), format!("or call it `_{name}`")];
            report.error(name.span(), format!("{what} `{name}` is never used"), &help);
        }
    };
    for argument in &function.arguments {
        unused(&argument.name, "argument", "leave it out");
    }
    for parameter in &function.parameters {
        unused(&parameter.name, "parameter", "leave it out, or use it where another one stands in its place");
    }
    for equation in function.body.iter().flat_map(|body| &body.equations) {
        unused(&equation.name, "value", "leave out its equation");
    }
}

/// Reports uses of a parameter that may be absent other than those in which its absence has a meaning: a tensor is only
/// added, and is 0 then; a function has one argument, and is the identity then.
pub(super) fn check_absence(vocabulary: &Vocabulary<'_>, function: &Function, report: &mut Report) {
    let mut added: Vec<*const Expression> = Vec::new();
    for expression in function.body_expressions() {
        expression.walk(&mut |node| match node {
            Expression::Binary { operator: Binary::Add, right, .. } => added.push(std::ptr::from_ref(&**right)),
            Expression::Name(_) => {
                let optional = node.variable().filter(|name| function.optional(name));
                if let Some(name) = optional
                    && !added.contains(&std::ptr::from_ref(node))
                {
                    let help = format!("write `.. + {name}`, or leave out the `?`");
                    report.error(name.span(), format!("`{name}` may be absent, and can only be added"), &[help]);
                }
            }
            Expression::Call(call) if call.arguments.len() != 1 => {
                let resolved = vocabulary.resolve(function, call);
                if let super::Callee::Parameter(name, _) = resolved.callee
                    && function.optional(name)
                {
                    let message = format!("`{name}` may be absent, and must then be the identity of one argument");
                    report.error(resolved.span, message, &["leave out the `?`".to_owned()]);
                }
            }
            _ => {}
        });
    }
}

/// Everything that the body mentions: variables, functions among the parameters, and tensors read for a size.
fn used(vocabulary: &Vocabulary<'_>, function: &Function) -> HashSet<Ident> {
    let mut used = HashSet::new();
    let mut sizes = Vec::new();
    for expression in function.body_expressions() {
        expression.walk(&mut |node| match node {
            Expression::Name(path) => used.extend(path.get_ident().cloned()),
            Expression::Call(call) => {
                let resolved = vocabulary.resolve(function, call);
                match resolved.callee {
                    super::Callee::Parameter(name, _) => used.extend([name.clone()]),
                    super::Callee::Builtin(builtin) if builtin.shape == Shape::OneHot && call.arguments.len() == 1 => {
                        sizes.extend(resolved.axes.into_iter().flatten());
                    }
                    _ => {}
                }
            }
            _ => {}
        });
        sizes_read(expression, &mut |axis: &Path| sizes.push(axis.clone()));
    }
    let body = function.body.iter().flat_map(|body| body.equations.iter());
    for equation in body.clone() {
        if let Form::Cases(positions) = &equation.form {
            sizes.extend(
                positions.iter().filter(|position| position.size.is_none()).map(|position| position.axis.clone()),
            );
        }
    }
    for condition in &function.conditions {
        for side in [&condition.left, &condition.right] {
            sizes_read(side, &mut |axis: &Path| sizes.push(axis.clone()));
        }
    }
    let defined = body.count();
    used.extend(sizes.iter().filter_map(|axis| size_source(function, &axis_name(axis), defined).cloned()));
    used
}
