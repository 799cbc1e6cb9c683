//! Checks on variables: defined twice, named like an axis, undefined, never used.
//!
//! A parameter that is never used is the commonest silent bug of written-out networks (K computed from `W_Q` leaves
//! `W_K` unused), so it is an error here; a name that begins with `_` is exempt.

use super::axes::named_in;
use super::calls::axes_as_arguments;
use super::{Callee, Vocabulary, size_source, sizes_read};
use crate::ast::{Binary, Expression, Form, Function, ParameterType};
use crate::builtin::Shape;
use crate::code::name_of;
use crate::parse::is_number;
use crate::report::{Report, are_near, list, lookalike, nearest};
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
    // What is reported already: a name that is misspelt where it is defined is not found at each of its uses.
    let mut told: HashSet<String> = HashSet::new();
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
        let own = matches!(equation.form, Form::Cases(_)).then_some(&equation.name);
        equation
            .expressions()
            .for_each(|expression| undefined((vocabulary, function), (&scope, &mut told), own, expression, report));
        scope.truncate(outside);
        define(&axes, &mut scope, &equation.name, report);
    }
    undefined((vocabulary, function), (&scope, &mut told), None, &body.result, report);
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

/// Whether a name that nothing here defines is taken for a constant of the program: one in capitals.
fn is_constant(name: &str) -> bool {
    name.trim_end_matches('_').chars().count() > 1 && !name.chars().any(char::is_lowercase)
}

/// Reports names that are not in scope; `own` is what is being defined by positions.
fn undefined(
    (vocabulary, function): (&Vocabulary<'_>, &Function),
    (scope, told): (&[&Ident], &mut HashSet<String>),
    own: Option<&Ident>,
    expression: &Expression,
    report: &mut Report,
) {
    // Names in which another mistake shows, which is reported: axes that stand as arguments where a function lacks its
    // axis, the sign of a transpose, values at earlier positions.
    let mut excused: Vec<*const Ident> = Vec::new();
    let (mut below, mut placed): (Vec<*const Ident>, Vec<*const Ident>) = Default::default();
    expression.walk(&mut |node| {
        if let Expression::Call(call) = node {
            excused.extend(axes_as_arguments(vocabulary, call).map(std::ptr::from_ref));
            // `X(i)`, where `X` is a tensor.
            if call.function.get_ident().is_some_and(|word| scope.contains(&word))
                && matches!(vocabulary.resolve(function, call).callee, Callee::Outside(_))
            {
                excused.extend(call.arguments.iter().filter_map(Expression::variable).map(std::ptr::from_ref));
            }
        }
        if let Some((name, message, help)) = transposed(scope, node).or_else(|| recurrent(scope, own, node)) {
            report.error(name.span(), message, &[help.to_owned()]);
            excused.push(name);
        }
        if let Expression::Subscript { base, entries } = node {
            below.extend(base.variable().map(std::ptr::from_ref));
            entries.iter().for_each(|entry| placed.extend(entry.letters().map(std::ptr::from_ref)));
        }
        let Some(name) = node.variable().filter(|name| !excused.contains(&std::ptr::from_ref(*name))) else { return };
        let text = name.to_string();
        if scope.contains(&name) || told.contains(&text) {
            return;
        }
        let known: Vec<String> = scope.iter().map(ToString::to_string).collect();
        if let Some(primed) = known.iter().find(|known| **known == format!("{text}_"))
            && below.contains(&std::ptr::from_ref(name))
        {
            report.error(name.span(), format!("nothing is called `{text}` here"), &[of_primed(primed)]);
            return;
        }
        let same_letters = known.iter().find(|other| other.eq_ignore_ascii_case(&text));
        let known_names = || known.iter().map(String::as_str);
        let looks = lookalike(&text, known_names());
        let meant = same_letters.map(String::as_str).or_else(|| nearest(&text, known_names()));
        if is_constant(&text) && meant.is_none() && looks.is_none() {
            return;
        }
        told.insert(text.clone());
        if vocabulary.axes.contains(&name_of(name)) {
            let help = format!("its size is `|{text}|`; a function works along it as `softmax_{text}(X)` does");
            report.error(name.span(), format!("`{text}` is an axis, not a tensor"), &[help]);
            return;
        }
        let meant = meant.map(|meant| format!("did you mean `{meant}`?"));
        let mut help: Vec<String> = looks.map(|(_, words)| words).or(meant).into_iter().collect();
        if help.is_empty() {
            help.extend(elsewhere(&text, &known));
        }
        if placed.contains(&std::ptr::from_ref(name)) && text.chars().count() == 1 {
            help.push(format!("a letter for the position is given on the left side: `Y_{{seq({text})}} = ..;`"));
        }
        let is_near = !help.is_empty();
        help.push(format!("defined here: {}", list(&known)));
        if !is_near || is_constant(&text) {
            help.push(format!("a constant of the program is written `self::{text}`"));
        }
        report.error(name.span(), format!("nothing is called `{text}` here"), &help);
    });
}

/// What to write for a name that means something on paper or in another language.
fn elsewhere(name: &str, known: &[String]) -> Option<String> {
    let greek = GREEK.iter().find(|(word, letter)| *word == name && known.iter().any(|known| known == letter));
    let at = name.rsplit_once('_').filter(|(of, at)| at.chars().count() == 1 && known.iter().any(|known| known == of));
    match (name, greek, at) {
        ("e", ..) => Some("the exponential is `exp(X)`, its base `exp(1)`".to_owned()),
        ("Inf" | "infinity" | "infty" | "oo", ..) => Some("infinity is `inf`".to_owned()),
        (_, Some((_, letter)), _) => Some(format!("did you mean `{letter}`?")),
        (_, _, Some((of, at))) if at.starts_with(char::is_lowercase) => {
            Some(format!("`{of}` at a position is `{of}_{{seq({at})}}`, with the axis that you mean"))
        }
        _ if known.iter().any(|known| name.trim_end_matches('_') == known) => {
            Some(format!("did you mean `{}`?", name.trim_end_matches('_')))
        }
        _ if name.starts_with("d_") => Some("the size of an axis is written `|key|`".to_owned()),
        _ => None,
    }
}

/// Greek letters as they are called.
const GREEK: [(&str, &str); 16] = [
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("epsilon", "ε"),
    ("eps", "ε"),
    ("eta", "η"),
    ("theta", "θ"),
    ("lambda", "λ"),
    ("mu", "μ"),
    ("nu", "ν"),
    ("rho", "ρ"),
    ("sigma", "σ"),
    ("tau", "τ"),
    ("phi", "φ"),
    ("omega", "ω"),
];

/// How a variable whose name ends in `_` is subscripted.
fn of_primed(name: &str) -> String {
    format!("the first `_` before braces begins the subscript, so that of `{name}` is `{name}_{{..}}`")
}

/// `W^T`, where nothing is called `T`.
fn transposed<'a>(scope: &[&Ident], node: &'a Expression) -> Option<(&'a Ident, String, &'static str)> {
    let Expression::Binary { operator: Binary::Power, right, .. } = node else { return None };
    let name = right.variable().filter(|name| *name == "T" && !scope.contains(name))?;
    let help = "axes have no order: leave it out; another name for one is `X_{seq -> seq_}`";
    Some((name, "`^T` is no transpose in the notation".to_owned(), help))
}

/// `h_{seq(i)} = .. h_{seq(i - 1)} ..`: a value that depends on itself at other positions.
fn recurrent<'a>(
    scope: &[&Ident],
    own: Option<&Ident>,
    node: &'a Expression,
) -> Option<(&'a Ident, String, &'static str)> {
    let Expression::Subscript { base, .. } = node else { return None };
    let name = base.variable().filter(|name| own == Some(name) && !scope.contains(name))?;
    let help = "a recurrence along an axis is a scan: `scan` in Rust, chapter 6";
    Some((name, format!("`{name}` is defined by itself"), help))
}

/// Reports arguments, parameters, equations and positions that nothing uses.
pub(super) fn check_uses(vocabulary: &Vocabulary<'_>, function: &Function, report: &mut Report) {
    let used = used(vocabulary, function);
    let assumed = assumed(function);
    // For each name that is taken for a constant, what is unused and may be meant by it.
    let mut meant: Vec<Vec<&Ident>> = vec![Vec::new(); assumed.len()];
    let mut below: HashSet<String> = HashSet::new();
    function.walk(&mut |node| {
        if let Expression::Subscript { base, .. } = node {
            below.extend(base.variable().map(|name| format!("{name}_")));
        }
    });
    let mut unused = |name: &'_ Ident, what: &str, help: &str| {
        let text = name.to_string();
        if used.contains(name) || text.starts_with('_') || is_number(name) {
            return None;
        }
        let near = assumed.iter().position(|constant| are_near(&constant.to_string(), &text));
        if near.is_none() {
            let mut help = vec![help.to_owned(), format!("or call it `_{name}`")];
            if below.contains(&text) {
                help.insert(0, of_primed(&text));
            }
            report.error(name.span(), format!("{what} `{name}` is never used"), &help);
        }
        near
    };
    for argument in &function.arguments {
        if let Some(place) = unused(&argument.name, "argument", "leave it out") {
            meant[place].push(&argument.name);
        }
    }
    for parameter in &function.parameters {
        let help = "leave it out, or use it where another one stands in its place";
        if let Some(place) = unused(&parameter.name, "parameter", help) {
            meant[place].push(&parameter.name);
        }
    }
    for equation in function.body.iter().flat_map(|body| &body.equations) {
        if let Some(place) = unused(&equation.name, "value", "leave out its equation") {
            meant[place].push(&equation.name);
        }
    }
    for (constant, meant) in assumed.iter().zip(meant).filter(|(_, meant)| !meant.is_empty()) {
        let meant: Vec<String> = meant.iter().map(|name| format!("`{name}`")).collect();
        let help = [
            format!("did you mean {}, which is never used?", meant.join(" or ")),
            format!("a constant of the program is written `self::{constant}`"),
        ];
        report.error(constant.span(), format!("nothing is called `{constant}` here"), &help);
    }
}

/// The names in the body that are taken for constants of the program, each once.
fn assumed(function: &Function) -> Vec<&Ident> {
    let mut assumed: Vec<&Ident> = Vec::new();
    for expression in function.body_expressions() {
        expression.walk(&mut |node| {
            let name =
                node.variable().filter(|name| is_constant(&name.to_string()) && !function.defines(&name_of(name)));
            assumed.extend(name.filter(|name| !assumed.contains(name)));
        });
    }
    assumed
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
                if let Callee::Parameter(name, _) = resolved.callee
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
                    Callee::Parameter(name, _) => used.extend([name.clone()]),
                    Callee::Builtin(builtin) if builtin.shape == Shape::OneHot && call.arguments.len() == 1 => {
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
