//! Checks on axes: misspelt ones, axes named twice, axis parameters outside their function.
//!
//! An axis that is named somewhere in the block is never called misspelt; neither is one that resembles none of them,
//! because a function of another block may have made it. Types judge those.

use super::{Vocabulary, declared, signature_axes};
use crate::ast::{Call, Element, Entry, Equation, Expression, Form, Function, Initial, ParameterType, TensorType};
use crate::builtin::Shape;
use crate::code::name_of;
use crate::report::{Report, list, lookalike, nearest, stem};
use crate::set::{axis_name, axis_span, axis_text, bare};
use proc_macro2::{Ident, Span};
use std::collections::BTreeSet;
use syn::Path;

/// Reports what is wrong with the axes a function names.
pub(super) fn check(vocabulary: &Vocabulary<'_>, function: &Function, report: &mut Report) {
    unused_parameters(function, report);
    let axes = named_in(vocabulary, function);
    let mut told: BTreeSet<String> = BTreeSet::new();
    for expression in function.signature_expressions().into_iter().chain(function.body_expressions()) {
        expression.walk(&mut |node| {
            if let Expression::Size(axis) = node
                && function.defines(&axis_name(axis))
                && !axes.contains(&axis_name(axis))
            {
                variable_in_bars(function, axis, report);
                return;
            }
            let braces = match node {
                Expression::Call(call) => {
                    joined(vocabulary, function, call).map(|help| (axis_span(&call.function), help))
                }
                Expression::Dot { axes, .. } => contracted_together(vocabulary, function, axes),
                _ => None,
            };
            if let Some((span, help)) = braces {
                report.error(span, "several axes stand in braces", &[help]);
                return;
            }
            if let Some((name, message, help)) = contracted_positions(function, node) {
                report.error(name.span(), message, &[help]);
                return;
            }
            for axis in used(vocabulary, function, node) {
                // One that is misspelt in a type is not found at each of its uses.
                let name = axis_name(&axis);
                if told.contains(&name) {
                    continue;
                }
                let before = report.count();
                let lacks = lacking(vocabulary, function, node, &axis);
                known(vocabulary, function, &axis, lacks, report);
                told.extend((report.count() > before).then_some(name));
            }
            for group in together(vocabulary, function, node) {
                distinct(&group, report);
            }
        });
    }
    for kind in function.arguments.iter().map(|argument| &argument.kind).chain([&function.result]) {
        if let Element::Position(axis) = &kind.element
            && is_parameter(function, axis)
        {
            report.error(axis_span(axis), "positions cannot lie along an axis parameter", &[]);
        }
    }
    for parameter in &function.parameters {
        if let ParameterType::Tensor(kind, initial) = &parameter.kind {
            own_axes_only(function, &kind.set.0, report);
            if let Some(Initial::Drawn { axes: Some((inputs, outputs)), .. }) = initial {
                inputs
                    .iter()
                    .chain(outputs.iter().flatten())
                    .for_each(|axis| known(vocabulary, function, axis, false, report));
            }
        }
    }
    for equation in function.body.iter().flat_map(|body| &body.equations) {
        match &equation.form {
            Form::Value(Some(kind)) => {
                kind.set.0.iter().for_each(|axis| known(vocabulary, function, axis, false, report));
            }
            Form::Cases(positions) => distinct(&positions.iter().map(|p| p.axis.clone()).collect::<Vec<_>>(), report),
            Form::Value(None) => {}
        }
    }
    renamed(vocabulary, function, report);
    left_out(function, report);
}

/// Reports the target of a renaming that is misspelt: nothing else names it, so the result would have it, and has not.
fn renamed(vocabulary: &Vocabulary<'_>, function: &Function, report: &mut Report) {
    let (mut targets, mut others, mut is_closed) = (Vec::new(), BTreeSet::new(), true);
    function.walk(&mut |node| {
        others.extend(used(vocabulary, function, node).iter().map(axis_name));
        match node {
            Expression::Subscript { entries, .. } => {
                let is_renaming = |entry: &&Entry| matches!(entry, Entry::Rename { .. });
                targets.extend(entries.iter().filter(is_renaming).flat_map(Entry::creates));
                others
                    .extend(entries.iter().filter(|entry| !is_renaming(entry)).flat_map(Entry::creates).map(axis_name));
            }
            Expression::Call(call) => {
                let resolved = vocabulary.resolve(function, call);
                is_closed &= matches!(resolved.callee, super::Callee::Builtin(_));
                others.extend(resolved.axes.iter().flatten().map(axis_name));
            }
            _ => {}
        }
    });
    let stated = function.body.iter().flat_map(|body| &body.equations).flat_map(|equation| match &equation.form {
        Form::Cases(positions) => positions.iter().map(|position| axis_name(&position.axis)).collect(),
        Form::Value(Some(kind)) => kind.set.0.iter().map(axis_name).collect(),
        Form::Value(None) => Vec::new(),
    });
    others.extend(stated);
    let declared: BTreeSet<String> = signature_axes(function).map(|axis| axis_name(&axis)).collect();
    for target in targets.iter().filter(|_| is_closed) {
        let name = axis_name(target);
        if others.contains(&name) || declared.contains(&name) || is_parameter(function, target) {
            continue;
        }
        if let Some(meant) = nearest(&name, declared.iter().map(String::as_str)) {
            let help =
                [format!("did you mean `{meant}`?"), format!("axes of `{}`: {}", function.name, list(&declared))];
            report.error(axis_span(target), format!("no axis `{name}` in the result"), &help);
        }
    }
}

/// Reports a definition by positions that is the result and has too few axes on its left side. Types would blame both
/// the right side, whose axes are more than those, and the result.
fn left_out(function: &Function, report: &mut Report) {
    let Some(body) = &function.body else { return };
    let is_result = |equation: &&Equation| body.result.variable() == Some(&equation.name);
    let Some(Equation { name, form: Form::Cases(positions), .. }) = body.equations.iter().find(is_result) else {
        return;
    };
    let declared: Vec<String> = function.result.set.0.iter().map(axis_name).collect();
    let own: Vec<String> = positions.iter().map(|position| axis_name(&position.axis)).collect();
    let lacking: Vec<&String> = declared.iter().filter(|axis| !own.contains(axis)).collect();
    if lacking.is_empty() || own.iter().any(|axis| !declared.contains(axis)) {
        return;
    }
    let letters = ["i", "j", "k", "l", "m", "n"].into_iter().filter(|letter| !function.defines(letter));
    let own = positions.iter().map(|position| format!("{}({})", axis_name(&position.axis), position.name));
    let all: Vec<String> =
        own.chain(lacking.iter().zip(letters).map(|(axis, letter)| format!("{axis}({letter})"))).collect();
    let help = format!("each axis has a letter on the left: `{name}_{{{}}} = ..`", all.join(", "));
    let message = format!(
        "`{name}` is the result and leaves its {} {} out",
        if lacking.len() == 1 { "axis" } else { "axes" },
        list(lacking)
    );
    report.error(name.span(), message, &[help]);
}

/// The axes that an expression needs to be there.
fn used(vocabulary: &Vocabulary<'_>, function: &Function, node: &Expression) -> Vec<Path> {
    match node {
        Expression::Size(axis) => vec![axis.clone()],
        Expression::Dot { axes, .. } => axes.clone(),
        Expression::Subscript { entries, .. } => entries.iter().flat_map(Entry::uses).cloned().collect(),
        Expression::Call(call) => {
            let resolved = vocabulary.resolve(function, call);
            let needed = match resolved.callee {
                super::Callee::Builtin(builtin) => match builtin.shape {
                    Shape::Eye => 0,
                    Shape::Window => 1,
                    _ => usize::MAX,
                },
                _ => usize::MAX,
            };
            resolved.axes.into_iter().flatten().take(needed).collect()
        }
        _ => Vec::new(),
    }
}

/// The names of the axes that a function makes in its body.
pub(super) fn created(vocabulary: &Vocabulary<'_>, function: &Function) -> BTreeSet<String> {
    let mut created = BTreeSet::new();
    function.walk(&mut |node| match node {
        Expression::Subscript { entries, .. } => created.extend(entries.iter().flat_map(Entry::creates).map(axis_name)),
        Expression::Call(call) => {
            let resolved = vocabulary.resolve(function, call);
            if let super::Callee::Builtin(builtin) = resolved.callee {
                let kept = match builtin.shape {
                    Shape::Eye => 0,
                    Shape::Window => 1,
                    _ => usize::MAX,
                };
                created.extend(resolved.axes.iter().flatten().skip(kept).map(axis_name));
            }
        }
        _ => {}
    });
    for equation in function.body.iter().flat_map(|body| &body.equations) {
        match &equation.form {
            Form::Cases(positions) => created.extend(positions.iter().map(|position| axis_name(&position.axis))),
            Form::Value(Some(kind)) => created.extend(kind.set.0.iter().map(axis_name)),
            Form::Value(None) => {}
        }
    }
    created
}

/// The groups of axes that an expression names together, in which none may be named twice.
fn together(vocabulary: &Vocabulary<'_>, function: &Function, node: &Expression) -> Vec<Vec<Path>> {
    match node {
        Expression::Dot { axes, .. } => vec![axes.clone()],
        Expression::Call(call) => vec![vocabulary.resolve(function, call).axes.into_iter().flatten().collect()],
        Expression::Subscript { entries, .. } => {
            let uses = entries.iter().flat_map(Entry::uses).cloned().collect();
            let creates = entries.iter().flat_map(Entry::creates).cloned().collect();
            vec![uses, creates]
        }
        _ => Vec::new(),
    }
}

fn distinct(axes: &[Path], report: &mut Report) {
    for (place, axis) in axes.iter().enumerate() {
        let name = axis_name(axis);
        if axes[..place].iter().any(|earlier| axis_name(earlier) == name) {
            report.error(axis_span(axis), format!("axis `{name}` is named twice"), &[]);
        }
    }
}

/// Whether an axis is named beside a tensor whose type is written and lacks it.
fn lacking(vocabulary: &Vocabulary<'_>, function: &Function, node: &Expression, axis: &Path) -> bool {
    let of = match node {
        Expression::Dot { left, right, .. } => vec![&**left, &**right],
        Expression::Subscript { base, .. } => vec![&**base],
        Expression::Call(call) => match vocabulary.resolve(function, call).callee {
            super::Callee::Builtin(builtin) if !matches!(builtin.shape, Shape::Eye | Shape::OneHot) => {
                call.arguments.first().into_iter().collect()
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let lacks = |kind: &TensorType| kind.set.0.iter().all(|own| axis_name(own) != axis_name(axis));
    of.into_iter().filter_map(Expression::variable).filter_map(|name| declared(function, name)).any(lacks)
}

/// Reports an axis that is surely misspelt, or an axis parameter of another function. One that a tensor `lacks` may also
/// be the short or the long form of another: `embed` where there is `emb`.
fn known(vocabulary: &Vocabulary<'_>, function: &Function, axis: &Path, lacks: bool, report: &mut Report) {
    // A star is never misspelt: the axis under it may be, and one that is known with a star is known.
    let axis = bare(axis);
    let name = axis_name(axis);
    let is_known = vocabulary.axes.iter().any(|known| known.trim_end_matches('*') == name);
    if is_known || is_parameter(function, axis) {
        return;
    }
    let here = format!("axes of `{}`: {}", function.name, list(axes_of(vocabulary, function)));
    let elsewhere =
        vocabulary.block.functions.iter().find(|other| other.axis_parameters.iter().any(|p| name_of(p) == name));
    if let Some(other) = elsewhere {
        let message = format!("`{name}` is an axis parameter of `{}`, not an axis here", other.name);
        report.error(axis_span(axis), message, &[here]);
        return;
    }
    let own: Vec<String> = function.axis_parameters.iter().map(name_of).collect();
    let known = || vocabulary.axes.iter().chain(&own).map(|known| known.trim_end_matches('*'));
    let meant = lookalike(&name, known()).map(|(_, words)| words).or_else(|| {
        // `key_out` is no long form of `key`.
        let begins = |long: &str, short: &str| {
            short.len() > 2 && long.strip_prefix(short).is_some_and(|rest| !rest.starts_with('_'))
        };
        let is_form = |other: &&str| begins(&name, other) || begins(other, &name);
        let mut forms = known().filter(|other| lacks && stem(other) != stem(&name));
        let primed = || known().find(|other| lacks && stem(other) == stem(&name));
        let meant = nearest(&name, known()).or_else(|| forms.find(is_form)).or_else(primed);
        meant.map(|meant| format!("did you mean `{meant}`?"))
    });
    if let Some(meant) = meant {
        let help = [meant, here];
        report.error(axis_span(axis), format!("no axis `{name}` here"), &help);
    }
}

/// What to write where axes of an argument are joined by `_` behind a function, and there is no axis of that name.
fn joined(vocabulary: &Vocabulary<'_>, function: &Function, call: &Call) -> Option<String> {
    let resolved = vocabulary.resolve(function, call);
    let ([axes], [given]) = (resolved.axes.as_slice(), call.arguments.as_slice()) else { return None };
    let ([axis], None, super::Callee::Builtin(builtin)) = (axes.as_slice(), &call.axes, resolved.callee) else {
        return None;
    };
    let argument = function.arguments.iter().find(|argument| given.variable() == Some(&argument.name))?;
    let own: Vec<String> = argument.kind.set.0.iter().map(axis_name).collect();
    let name = axis_name(axis);
    if vocabulary.axes.contains(&name) {
        return None;
    }
    let parts = parts(&name, &own).filter(|parts| (2..=builtin.shape.axes().1).contains(&parts.len()))?;
    Some(format!("write `{}_{{{}}}({})`", builtin.name, parts.join(", "), argument.name))
}

/// What to write for `dot_heads_val`, where there is no axis of that name.
fn contracted_together(vocabulary: &Vocabulary<'_>, function: &Function, axes: &[Path]) -> Option<(Span, String)> {
    let [axis] = axes else { return None };
    let name = axis_name(axis);
    let parts = parts(&name, &axes_of(vocabulary, function)).filter(|_| !vocabulary.axes.contains(&name))?;
    (parts.len() > 1).then(|| (axis_span(axis), format!("write `dot_{{{}}}`", parts.join(", "))))
}

/// The axes of which a name is made up with `_` between them.
fn parts<'a>(name: &'a str, axes: &[String]) -> Option<Vec<&'a str>> {
    if axes.iter().any(|axis| axis == name) {
        return Some(vec![name]);
    }
    name.match_indices('_').find_map(|(place, _)| {
        let (first, rest) = (&name[..place], &name[place + 1..]);
        let rest = axes.iter().any(|axis| axis == first).then(|| parts(rest, axes))??;
        Some([vec![first], rest].concat())
    })
}

/// The axes of a function as a message lists them: those of its signature, then those it makes.
fn axes_of(vocabulary: &Vocabulary<'_>, function: &Function) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in signature_axes(function).map(|axis| axis_name(&axis)).chain(created(vocabulary, function)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Every axis that a function names, anywhere; a variable in bars is none.
pub(super) fn named_in(vocabulary: &Vocabulary<'_>, function: &Function) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = axes_of(vocabulary, function).into_iter().collect();
    let mut sizes = BTreeSet::new();
    function.walk(&mut |node| {
        let into = if let Expression::Size(_) = node { &mut sizes } else { &mut names };
        into.extend(used(vocabulary, function, node).iter().map(axis_name));
    });
    names.extend(sizes.into_iter().filter(|name| !function.defines(name)));
    names
}

/// A contraction of positions with what they are positions of: rows are looked up instead.
fn contracted_positions<'a>(function: &Function, node: &'a Expression) -> Option<(&'a Ident, String, String)> {
    let Expression::Dot { axes, left, right, .. } = node else { return None };
    let [axis] = axes.as_slice() else { return None };
    let along = axis_name(axis);
    let are_positions = |name: &&Ident| {
        let Some(kind) = declared(function, name) else { return false };
        let of = matches!(&kind.element, Element::Position(of) if axis_name(of) == along);
        of && kind.set.0.iter().all(|own| axis_name(own) != along)
    };
    let (name, other) = [(left, right), (right, left)]
        .into_iter()
        .find_map(|(one, other)| Some((one.variable().filter(are_positions)?, other)))?;
    let table = other.variable().map_or_else(|| "E".to_owned(), Ident::to_string);
    let message = format!("`{name}` holds positions along `{along}`, and has no such axis");
    let below = if axis_text(axis) == along { along } else { format!("{{{}}}", axis_text(axis)) };
    Some((name, message, format!("what stands at these positions: `index_{below}({table}, {name})`")))
}

/// Bars around a variable: an absolute value was meant.
fn variable_in_bars(function: &Function, axis: &Path, report: &mut Report) {
    let name = axis_name(axis);
    let declared = function.arguments.iter().find(|argument| name_of(&argument.name) == name);
    let along = declared.and_then(|argument| argument.kind.set.0.first()).map(axis_name);
    let norm = along.map(|axis| format!(", the norm along `{axis}` is `norm_{axis}({name})`")).unwrap_or_default();
    let help = format!("the absolute value is `abs({name})`{norm}");
    report.error(axis_span(axis), format!("bars are the size of an axis, and `{name}` is a variable"), &[help]);
}

fn unused_parameters(function: &Function, report: &mut Report) {
    for axis in &function.axis_parameters {
        if !signature_axes(function).any(|used| axis_name(&used) == name_of(axis)) {
            let help = format!("an argument or the result has it: `X: R[{axis}]`");
            report.error(axis.span(), format!("axis parameter `{axis}` is never used"), &[help]);
        }
    }
}

/// A parameter exists before any call, so its axes cannot depend on what a call gives.
fn own_axes_only(function: &Function, axes: &[Path], report: &mut Report) {
    for axis in axes.iter().filter(|axis| is_parameter(function, axis)) {
        let message = format!("a parameter cannot range over the axis parameter `{}`", axis_name(axis));
        report.error(axis_span(axis), message, &["name the axis itself".to_owned()]);
    }
}

fn is_parameter(function: &Function, axis: &Path) -> bool {
    function.axis_parameters.iter().any(|own| name_of(own) == axis_name(axis))
}
