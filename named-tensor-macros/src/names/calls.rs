//! Checks on calls: how many arguments, how many axes, and names that resemble a function but are none.
//!
//! Functions outside the block are not known here; rustc checks them.

use super::words::instead;
use super::{Callee, Vocabulary, declared};
use crate::ast::{Binary, Call, Element, Expression, Function, Unary};
use crate::builtin::{self, BUILTINS, Builtin, Shape};
use crate::code::name_of;
use crate::report::{Report, nearest_within};
use crate::set::axis_text;
use proc_macro2::{Ident, Span};

/// Reports wrong calls in the body of a function.
pub(super) fn check(vocabulary: &Vocabulary<'_>, function: &Function, report: &mut Report) {
    function.walk(&mut |node| {
        of_truth(function, node, report);
        if let Expression::Call(call) = node {
            let resolved = vocabulary.resolve(function, call);
            let axes = resolved.axes.len();
            match resolved.callee {
                Callee::Builtin(builtin) => {
                    let axes = resolved.axes.iter().flatten().count();
                    let known = argument_axes(function, call);
                    of_builtin(vocabulary, builtin, call, (axes, &known), resolved.span, report);
                }
                Callee::Function(definition) => of_function(definition, call, axes, resolved.span, report),
                Callee::Parameter(_, Some(definition)) => count(definition, call, axes, resolved.span, report),
                Callee::Parameter(_, None) => {}
                Callee::Outside(_) => of_unknown(vocabulary, function, call, resolved.span, report),
            }
        }
    });
}

fn of_builtin(
    vocabulary: &Vocabulary<'_>,
    builtin: &Builtin,
    call: &Call,
    (axes, known): (usize, &[String]),
    span: Span,
    report: &mut Report,
) {
    let Builtin { name, shape, .. } = builtin;
    let help = [format!("write `{}`", shape.pattern(name))];
    let (least, most) = shape.axes();
    if most == 0 && axes > 0 {
        report.error(span, format!("`{name}` works on each element and takes no axis"), &help);
        return;
    }
    if axes < least {
        // `softmax(X, seq)`: what to write is known to the letter.
        let meant = axes_as_arguments(vocabulary, call).next().filter(|_| least == 1 && axes == 0);
        let help = match (meant, over(builtin, call, known)) {
            (Some(axis), _) => [format!("write `{}`", shape.pattern(name).replace("_ax(", &format!("_{axis}(")))],
            (None, Some(written)) => [format!("write {written}")],
            (None, None) => help,
        };
        report.error(span, format!("`{name}` needs {}", plural(least, "axis")), &help);
        return;
    }
    if axes > most {
        report.error(span, format!("`{name}` takes {}, {} given", plural(most, "axis"), was(axes)), &help);
        return;
    }
    let (least, most) = shape.arguments();
    let given = call.arguments.len();
    if given < least || given > most {
        let takes = match most {
            _ if least == most => plural(least, "argument"),
            usize::MAX => format!("at least {least} arguments"),
            _ => format!("{least} or {most} arguments"),
        };
        let mut help = help.to_vec();
        if *shape == Shape::Pair
            && given == 1
            && let Some(builtin) = builtin::find(name, true)
        {
            let over = over(builtin, call, known).unwrap_or_else(|| format!("`{name}_ax(X)`"));
            help.push(format!("over an axis: {over}"));
        }
        report.error(span, format!("`{name}` takes {takes}, {} given", was(given)), &help);
    }
}

/// The axes of the only argument of a call, where its type is written.
fn argument_axes(function: &Function, call: &Call) -> Vec<String> {
    let [argument] = call.arguments.as_slice() else { return Vec::new() };
    let kind = argument.variable().and_then(|name| declared(function, name));
    kind.map(|kind| kind.set.0.iter().map(axis_text).collect()).unwrap_or_default()
}

/// A call without its axes with those that its argument has: all of them, where the function takes them away; else one.
fn over(builtin: &Builtin, call: &Call, known: &[String]) -> Option<String> {
    let argument = call.arguments.first()?.variable()?;
    let name = builtin.name;
    let write = |axes: &[String]| match axes {
        [only] if !only.contains('(') => format!("`{name}_{only}({argument})`"),
        several => format!("`{name}_{{{}}}({argument})`", several.join(", ")),
    };
    let away = ["sum", "Σ", "mean", "var", "max", "min", "prod", "Π", "norm"].contains(&name);
    match (builtin.shape, known) {
        (_, []) => None,
        (Shape::Over | Shape::Norm, all) if away => Some(write(all)),
        (Shape::Over | Shape::Standardize, all) => {
            let each: Vec<String> = all.iter().map(|axis| write(std::slice::from_ref(axis))).collect();
            Some(each.join(" or "))
        }
        _ => None,
    }
}

fn of_function(definition: &Function, call: &Call, axes: usize, span: Span, report: &mut Report) {
    let name = &definition.name;
    if !definition.parameters.is_empty() {
        let own = name.to_string().to_lowercase();
        let help = format!("declare `{own}: {name}` after the `;` of the signature and call `{own}(..)`");
        report.error(span, format!("`{name}` has parameters of its own"), &[help]);
        return;
    }
    count(definition, call, axes, span, report);
}

fn count(definition: &Function, call: &Call, axes: usize, span: Span, report: &mut Report) {
    let (name, takes, given) = (&definition.name, definition.arguments.len(), call.arguments.len());
    if takes != given {
        let types: Vec<String> = definition.arguments.iter().map(|one| format!("{}: {}", one.name, one.kind)).collect();
        let help = format!("its arguments are `{}`", types.join(", "));
        report.error(span, format!("`{name}` takes {}, {} given", plural(takes, "argument"), was(given)), &[help]);
    }
    match definition.axis_parameters.as_slice() {
        [] if axes > 0 => report.error(span, format!("`{name}` has no axis parameter"), &[]),
        [axis] if axes == 0 => {
            let help = format!("write `{name}_{{{axis}}}(..)` with the axes to apply it to");
            report.error(span, format!("`{name}` needs an axis"), &[help]);
        }
        several if several.len() > 1 && several.len() != axes => {
            let message = format!("`{name}` takes {}, {} given", plural(several.len(), "axis"), was(axes));
            report.error(span, message, &[format!("a set of axes for one of them: `{name}_{{(a, b), c}}(..)`")]);
        }
        _ => {}
    }
}

/// The arguments of a call without axes that are names of axes, as in other libraries: `softmax(X, seq)`.
pub(super) fn axes_as_arguments<'a>(vocabulary: &Vocabulary<'_>, call: &'a Call) -> impl Iterator<Item = &'a Ident> {
    let named = call.function.get_ident().filter(|_| call.axes.is_none()).map(ToString::to_string);
    let needs_axes = named.is_some_and(|name| {
        // The size of an axis in other libraries.
        if ["len", "size"].contains(&name.as_str()) {
            return vocabulary.function(&name).is_none();
        }
        vocabulary.function(&name).is_none()
            && builtin::find(&name, true).is_some()
            && builtin::find(&name, false).is_none()
    });
    let names = call.arguments.iter().filter_map(Expression::variable);
    names.filter(move |name| needs_axes && vocabulary.axes.contains(&name_of(name)))
}

/// A name nearly that of a built-in function is taken for a misspelling, and one that other libraries have is known;
/// nothing else can be said here.
fn of_unknown(vocabulary: &Vocabulary<'_>, function: &Function, call: &Call, span: Span, report: &mut Report) {
    let Some(ident) = call.function.get_ident() else { return };
    let word = ident.to_string();
    if let Some((message, help)) = of_variable(vocabulary, function, call, ident) {
        report.error(span, message, &[help]);
        return;
    }
    if vocabulary.block.broken.contains(ident) {
        return;
    }
    if word.starts_with(char::is_uppercase) {
        if let Some(meant) = in_capitals(vocabulary, &word) {
            let help =
                [format!("did you mean `{meant}`?"), format!("one of the program is called as `self::{word}(..)`")];
            report.error(span, format!("no function `{word}` in the notation"), &help);
        }
        return;
    }
    let written = if call.axes.is_some() { format!("{word}_{{..}}") } else { word.clone() };
    let by_path = format!("a function of the program with this name is called as `self::{written}(..)`");
    if let Some(help) = of_other_libraries(vocabulary, call, &word) {
        let help = with_axes(function, call, help);
        report.error(span, format!("no function `{word}` in the notation"), &[help, by_path]);
        return;
    }
    if word == "not" {
        report.error(span, "`not` is no operator of the notation", &["write `!(X > 0)`".to_owned()]);
        return;
    }
    let own = vocabulary.block.functions.iter().map(|function| function.name.to_string());
    let names: Vec<String> = BUILTINS.iter().map(|builtin| builtin.name.to_owned()).chain(own).collect();
    let near = |name: &str| {
        // `reLU` is no slip of a letter.
        if let Some(same) = names.iter().find(|known| **known == name.to_lowercase() && **known != name) {
            return Some(same.clone());
        }
        let allowed = name.chars().count() / 4;
        nearest_within(name, names.iter().map(String::as_str), allowed).map(str::to_owned)
    };
    let attached = word.char_indices().filter(|(_, char)| *char == '_').find_map(|(place, _)| {
        let (name, axis) = (&word[..place], &word[place + 1..]);
        let meant = vocabulary.axes.contains(axis).then(|| near(name)).flatten()?;
        let takes_none = builtin::find(&meant, false).is_some() && builtin::find(&meant, true).is_none();
        Some(if takes_none { meant } else { format!("{meant}_{axis}") })
    });
    // `sumseq`; of an axis of one letter only where the rest is near a function anyhow.
    let glued = || {
        vocabulary.axes.iter().find_map(|axis| {
            let name = word.strip_suffix(axis.as_str()).filter(|name| builtin::find(name, true).is_some())?;
            (axis.chars().count() > 1 || near(&word).is_some()).then(|| format!("{name}_{axis}"))
        })
    };
    if let Some(meant) = attached.or_else(glued).or_else(|| near(&word)) {
        let help = [format!("did you mean `{meant}`?"), by_path];
        report.error(span, format!("no function `{word}` in the notation"), &help);
    }
}

/// What `Softmax_seq` is in the notation.
fn in_capitals(vocabulary: &Vocabulary<'_>, word: &str) -> Option<String> {
    let (name, axis) = word.split_once('_').filter(|(_, axis)| vocabulary.axes.contains(*axis))?;
    let meant = name.to_lowercase();
    builtin::find(&meant, true).map(|_| format!("{meant}_{axis}"))
}

/// `α (X + Y)`, `X(i)` and `X_seq(0)`, where a variable stands for a function.
fn of_variable(
    vocabulary: &Vocabulary<'_>,
    function: &Function,
    call: &Call,
    word: &Ident,
) -> Option<(String, String)> {
    if function.defines(&name_of(word)) && call.axes.is_none() {
        let help = format!("a product is `{word} * (..)`, a value at a position `{word}_{{seq(i)}}`");
        return Some((format!("`{word}` is a tensor, not a function"), help));
    }
    let text = word.to_string();
    let (name, axis) = text.split_once('_').filter(|(_, axis)| vocabulary.axes.contains(*axis))?;
    let at = call.arguments.first().filter(|_| function.defines(name) && call.axes.is_none());
    let at = at.and_then(written).unwrap_or_else(|| "i".to_owned());
    let help = format!("write `{name}_{{{axis}({at})}}`");
    function.defines(name).then(|| ("the position of a value stands in braces".to_owned(), help))
}

/// What to write for a function that other libraries have, or for one of each element to which an axis is attached.
fn of_other_libraries(vocabulary: &Vocabulary<'_>, call: &Call, word: &str) -> Option<String> {
    let mut axes: Vec<String> = call.axes.iter().flatten().flatten().map(axis_text).collect();
    axes.extend(axes_as_arguments(vocabulary, call).map(ToString::to_string));
    let places = word.char_indices().filter(|(place, char)| *char == '_' && *place > 0 && axes.is_empty());
    let given: Vec<String> = call.arguments.iter().map(|one| written(one).unwrap_or_default()).collect();
    let mut attached = places
        .map(|(place, _)| (&word[..place], &word[place + 1..]))
        .filter(|(_, axis)| vocabulary.axes.contains(*axis));
    instead(word, &axes, &given).or_else(|| {
        attached.find_map(|(name, axis)| {
            let of_each = builtin::find(name, false).filter(|_| builtin::find(name, true).is_none());
            let of_each =
                of_each.map(|builtin| format!("`{name}` takes no axis: write `{}`", builtin.shape.pattern(name)));
            of_each.or_else(|| instead(name, &[axis.to_owned()], &given))
        })
    })
}

/// A number or a name as it is written.
fn written(argument: &Expression) -> Option<String> {
    match argument {
        Expression::Number(number) if number.value.is_infinite() => Some("inf".to_owned()),
        Expression::Number(number) => Some(match number.whole {
            Some(whole) if whole < 1_000_000 => whole.to_string(),
            None if (1e-3..1e6).contains(&number.value) => number.value.to_string(),
            _ => format!("{:e}", number.value),
        }),
        Expression::Unary { operator: Unary::Negative, operand, .. } => Some(format!("-{}", written(operand)?)),
        other => other.variable().map(ToString::to_string),
    }
}

/// `M == 1` of truth values, which are conditions themselves.
fn of_truth(function: &Function, node: &Expression, report: &mut Report) {
    let Expression::Binary { operator: operator @ (Binary::Equal | Binary::NotEqual), left, right, .. } = node else {
        return;
    };
    let (name, number) = match (left.variable(), right.variable(), &**left, &**right) {
        (Some(name), _, _, Expression::Number(number)) | (_, Some(name), Expression::Number(number), _) => {
            (name, number)
        }
        _ => return,
    };
    let is_truth = declared(function, name).is_some_and(|kind| matches!(kind.element, Element::Truth));
    if is_truth && matches!(number.whole, Some(0 | 1)) {
        let holds = (number.whole == Some(1)) == (*operator == Binary::Equal);
        let help = format!("write `if {}{name} {{`", if holds { "" } else { "!" });
        report.error(name.span(), format!("`{name}` is a truth value, and no number"), &[help]);
    }
}

/// `R[..]` in a help as the type of the first argument, where that is written.
fn with_axes(function: &Function, call: &Call, help: String) -> String {
    let name = call.arguments.first().and_then(Expression::variable);
    match name.and_then(|name| Some((name, declared(function, name)?))) {
        Some((name, kind)) if help.contains("R[..]") => {
            let axes: Vec<String> = kind.set.0.iter().map(axis_text).collect();
            help.replace("R[..]", &format!("R[{}]", axes.join(", "))).replace("of `X`", &format!("of `{name}`"))
        }
        _ => help,
    }
}

fn plural(count: usize, noun: &str) -> String {
    match (count, noun) {
        (0, _) => format!("no {noun}"),
        (1, "axis") => "an axis".to_owned(),
        (1, _) => format!("1 {noun}"),
        (_, "axis") => format!("{count} axes"),
        _ => format!("{count} {noun}s"),
    }
}

fn was(count: usize) -> String {
    if count == 1 { "1 was".to_owned() } else { format!("{count} were") }
}
