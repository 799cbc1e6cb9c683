//! The line above a body: name, arguments, parameters, result, conditions.
//!
//! Lives here: also types, which occur in ascriptions too. Not here: initial values (`initial`), and whether names are used,
//! known or repeated (`names`).

use super::{Named, axis, body, drain, expression, foreign, initial, separated};
use crate::ast::{Argument, Binary, Condition, Element, Expression, Function, Parameter, ParameterType, TensorType};
use crate::code::{name_of, part_of};
use crate::report::{Report, error};
use crate::set::{Set, axis_name, axis_span, axis_text, bare};
use proc_macro2::{Group, Ident, Span};
use quote::{ToTokens, format_ident};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Lit, LitStr, Path, Token, braced, bracketed, parenthesized, token};

/// `name = identifier | identifier "_" "{" axis { "," axis } "}"`
pub(super) fn name(input: ParseStream<'_>) -> syn::Result<(Ident, Vec<Ident>)> {
    let name: Ident = input.parse()?;
    if !input.peek(token::Brace) {
        return Ok((name, Vec::new()));
    }
    let content;
    braced!(content in input);
    let axes = content.parse_terminated(Ident::parse, Token![,])?;
    let Some(stem) = name.to_string().strip_suffix('_').and_then(|stem| part_of(stem, name.span())) else {
        let help = format!("write `{name}_{{..}}`");
        return Err(error(name.span(), "axis parameters stand in a subscript, after `_`", &[help]));
    };
    Ok((stem, axes.into_iter().collect()))
}

/// `function = .. "(" arguments [ ";" parameters ] ")" "->" type [ "where" conditions ] "{" body "}"`
pub(super) fn function(input: ParseStream<'_>, named: Named, report: &mut Report) -> syn::Result<Function> {
    if input.peek(Token![<]) {
        let help = "every function may be used in `f32` and `f64`, with any extra axes";
        return Err(error(input.span(), "a function of the notation has no type parameters", &[help.to_owned()]));
    }
    let content;
    let parentheses = parenthesized!(content in input);
    let axes: Vec<String> = named.axis_parameters.iter().map(Ident::to_string).collect();
    let axes = if axes.is_empty() { String::new() } else { format!("_{{{}}}", axes.join(", ")) };
    let start = format!("{}{axes}", named.name);
    // Further lines of the arguments stand under the first argument.
    let under = format!("\n{}", " ".repeat(start.chars().count() + 1));
    let mut text = format!("{start}{}", body::source(parentheses.span, &content).replace('\n', &under));
    let before = report.count();
    let (mut arguments, mut parameters) = match variables(&content, report) {
        Ok(variables) => variables,
        Err(error) => {
            drain(&content);
            return Err(error);
        }
    };
    if !input.peek(Token![->]) {
        let help = "write `-> R[..]` with the axes of the result, `-> R[]` for a scalar";
        let message = format!("the result type of `{}` is missing", named.name);
        return Err(error(named.name.span(), message, &[help.to_owned()]));
    }
    input.parse::<Token![->]>()?;
    let written = type_text(input);
    one_result(&input.fork())?;
    let mut result = tensor_type(input, report)?;
    if input.peek(Token![,]) {
        return Err(several_results(input.span()));
    }
    text.push_str(&format!(" -> {}", written.unwrap_or_else(|| result.to_string())));
    for kind in arguments.iter_mut().map(|argument| &mut argument.kind).chain([&mut result]) {
        kind.set = without_stars(std::mem::replace(&mut kind.set, Set(Vec::new())), &named.axis_parameters, report);
    }
    let sound = report.count() == before;
    let conditions = conditions(input, report)?;
    for (place, condition) in conditions.iter().enumerate() {
        text.push_str(if place == 0 { " where " } else { ", " });
        text.push_str(&condition.text);
    }
    if !input.peek(token::Brace) {
        let help = "write `-> R[..] { .. }`".to_owned();
        return Err(error(input.span(), format!("the body of `{}` is expected here", named.name), &[help]));
    }
    let content;
    let braces = braced!(content in input);
    text.push(' ');
    text.push_str(&body::source(braces.span, &content));
    // Which of two variables of one name the body means is not known.
    let names = arguments.iter_mut().map(|argument| &mut argument.name);
    let are_distinct = distinct(names.chain(parameters.iter_mut().map(|parameter| &mut parameter.name)), report);
    let body = body::body(&content, &named.name, report).filter(|_| are_distinct);
    let Named { attributes, visibility, name, mut axis_parameters } = named;
    // Each once: Rust would refuse a second one once more.
    let mut seen = 0;
    while let Some(axis) = axis_parameters.get(seen) {
        if axis_parameters[..seen].contains(axis) {
            report.error(axis.span(), format!("axis `{axis}` is named twice"), &[]);
            axis_parameters.remove(seen);
        } else {
            seen += 1;
        }
    }
    Ok(Function {
        attributes,
        visibility,
        name,
        axis_parameters,
        arguments,
        parameters,
        result,
        conditions,
        body,
        text,
        sound,
    })
}

/// Refuses several types in parentheses where the type of the result stands.
fn one_result(input: ParseStream<'_>) -> syn::Result<()> {
    let is_group = input.peek(token::Paren);
    match input.parse::<Group>() {
        Ok(group) if is_group && foreign::split(&group.stream()).len() > 1 => Err(several_results(group.span())),
        _ => Ok(()),
    }
}

fn several_results(span: Span) -> syn::Error {
    let help = "several results are several functions, each with a type of its own";
    error(span, "a function of the notation has one result", &[help.to_owned()])
}

/// A set without stars on axis parameters, each of which is reported: a parameter may stand for several axes, which have stars
/// of their own.
fn without_stars(set: Set, parameters: &[Ident], report: &mut Report) -> Set {
    let mut kept: Vec<Path> = Vec::new();
    for axis in set.0 {
        let (plain, name) = (bare(&axis).clone(), axis_name(bare(&axis)));
        if axis_name(&axis) == name || !parameters.iter().any(|parameter| name_of(parameter) == name) {
            kept.push(axis);
            continue;
        }
        let help = "name the axis itself, or write the derivative in plain Rust: `jacobian(&y, &x)`";
        report.error(
            axis_span(&plain),
            format!("the axis parameter `{name}` has no star in a type"),
            &[help.to_owned()],
        );
        if kept.iter().all(|other| axis_name(other) != name) {
            kept.push(plain);
        }
    }
    Set(kept)
}

/// `arguments [ ";" parameters ]`, both separated by commas.
fn variables(input: ParseStream<'_>, report: &mut Report) -> syn::Result<(Vec<Argument>, Vec<Parameter>)> {
    let (mut arguments, mut parameters) = (Vec::new(), Vec::new());
    let mut behind_semicolon = false;
    while !input.is_empty() {
        if !behind_semicolon && input.peek(Token![;]) {
            input.parse::<Token![;]>()?;
            behind_semicolon = true;
            continue;
        }
        let attributes = input.call(Attribute::parse_outer)?;
        for attribute in attributes.iter().filter(|one| one.path().is_ident("cfg")) {
            let help = "write the function twice, each in a `named!` of its own, and `#[cfg(..)]` before these";
            report.error(
                axis_span(attribute.path()),
                "a function has the same variables in every configuration",
                &[help.into()],
            );
        }
        if input.peek(Token![;]) {
            let help = "a comma stands between two parameters";
            return Err(error(input.span(), "one `;` parts arguments and parameters", &[help.to_owned()]));
        }
        let name: Ident = input.parse()?;
        if !input.peek(Token![:]) {
            let (message, help) = if input.peek(token::Bracket) {
                ("a name stands before its type".to_owned(), "write `X: R[..]`".to_owned())
            } else if input.peek(Token![?]) {
                (ABSENT.to_owned(), format!("write `{name}: R[..]?`"))
            } else {
                (format!("`{name}` has no type"), format!("write `{name}: R[..]`"))
            };
            return Err(error(name.span(), message, &[help]));
        }
        input.parse::<Token![:]>()?;
        if behind_semicolon {
            let (kind, optional) = parameter_type(input, report)?;
            parameters.push(Parameter { attributes, name, kind, optional });
        } else {
            arguments.push(Argument { attributes, name, kind: argument_type(input, report)? });
        }
        if !input.is_empty() && !input.peek(Token![;]) && input.parse::<Token![,]>().is_err() {
            let help = "write `X: R[seq], Y: R[key]`, a function with parameters `norm: LayerNorm`";
            return Err(error(input.span(), "a comma is expected before this", &[help.to_owned()]));
        }
    }
    Ok((arguments, parameters))
}

/// Reports names that stand twice, and gives them others, since Rust would refuse them once more.
fn distinct<'a>(names: impl Iterator<Item = &'a mut Ident>, report: &mut Report) -> bool {
    let mut seen: Vec<Ident> = Vec::new();
    let mut are_distinct = true;
    for name in names {
        if seen.contains(name) {
            let help = "every argument and every parameter has a name of its own";
            report.error(name.span(), format!("`{name}` is defined twice"), &[help.to_owned()]);
            *name = format_ident!("_{name}_{}", seen.len());
            are_distinct = false;
        }
        seen.push(name.clone());
    }
    are_distinct
}

fn argument_type(input: ParseStream<'_>, report: &mut Report) -> syn::Result<TensorType> {
    let kind = tensor_type(input, report)?;
    if input.peek(Token![=]) || input.peek(Token![~]) {
        let help = "parameters stand after a semicolon: `f(X: R[chans]; W: R[chans, out])`";
        return Err(error(input.span(), "only a parameter has an initial value", &[help.to_owned()]));
    }
    Ok(kind)
}

const ABSENT: &str = "what may be absent has a `?` behind its type";

/// What reals and truth values are called elsewhere.
const MISWRITTEN: [(&str, &str); 5] = [("ℝ", "R"), ("Real", "R"), ("Reals", "R"), ("𝔹", "B"), ("Bool", "B")];

/// Types that a line of Rust would have here.
const RUST: [&str; 12] = ["Tensor", "f32", "f64", "bool", "usize", "u8", "u32", "u64", "i32", "i64", "Vec", "Index"];

/// `type = ( "R" | "B" | axis ) "[" [ axis { "," axis } ] "]"`
pub(super) fn tensor_type(input: ParseStream<'_>, report: &mut Report) -> syn::Result<TensorType> {
    let word = type_word(input)?;
    if !input.peek(token::Bracket) {
        let name = axis_name(&word);
        if RUST.contains(&name.as_str()) {
            let help =
                "real numbers are `R[seq, key]`, one number `R[]`, truth values `B[seq]`, positions `vocab[seq]`";
            let message = format!("`{name}` is a type of Rust, not of the notation");
            return Err(error(axis_span(&word), message, &[help.to_owned()]));
        }
        let help = format!("write `{name}[..]` with the axes in brackets; a function with parameters stands after `;`");
        return Err(error(axis_span(&word), format!("the axes of `{name}` are missing"), &[help]));
    }
    bracket(word, input, report)
}

/// The type that follows, as it stands in the file, in one line; none without a file.
fn type_text(input: ParseStream<'_>) -> Option<String> {
    let ahead = input.fork();
    let word = type_word(&ahead).ok()?.to_token_stream().to_string();
    let axes = ahead.parse::<Group>().ok()?.span().source_text()?;
    Some(word.replace(' ', "") + &axes.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn type_word(input: ParseStream<'_>) -> syn::Result<Path> {
    if input.peek(Token![&]) {
        let help = "write `R[..]`: everything is borrowed";
        return Err(error(input.span(), "a type of the notation has no `&`", &[help.to_owned()]));
    }
    axis(input).map_err(|old| error(old.span(), "a type is expected here", &["such as `R[seq, key]`".to_owned()]))
}

fn bracket(word: Path, input: ParseStream<'_>, report: &mut Report) -> syn::Result<TensorType> {
    let content;
    bracketed!(content in input);
    let named = |input: ParseStream<'_>| {
        let help = "write `R[height, width]`; sizes are those of the tensors that are given";
        if input.peek(Lit) && !input.peek(LitStr) {
            return Err(error(input.span(), "an axis is expected here, not a size", &[help.to_owned()]));
        }
        let axis = axis(input)?;
        if input.peek(Token![:]) || input.peek(Token![=]) || input.peek(Token![;]) {
            return Err(error(input.span(), "a type does not say how large an axis is", &[help.to_owned()]));
        }
        Ok(axis)
    };
    let written = axis_text(&word);
    let axes = separated(&content, named, |axes| format!("write `{written}[{axes}]`"))?;
    let set = Set(axes).distinct(report);
    let span = axis_span(&word);
    let meant = MISWRITTEN.iter().find(|(other, _)| *other == written).map(|(_, meant)| *meant);
    if let Some(meant) = meant {
        let help = format!("write `{meant}[{}]`", set.0.iter().map(axis_text).collect::<Vec<_>>().join(", "));
        report.error(span, format!("`{written}` is no type of the notation"), &[help]);
    }
    let element = if word.is_ident("R") || meant == Some("R") {
        Element::Real
    } else if word.is_ident("B") || meant == Some("B") {
        Element::Truth
    } else {
        Element::Position(word)
    };
    Ok(TensorType { element, set, span })
}

/// `parameter = identifier ":" ( type [ "?" ] [ initial ] | path [ "?" ] )`, and whether it may be absent.
fn parameter_type(input: ParseStream<'_>, report: &mut Report) -> syn::Result<(ParameterType, bool)> {
    let word = type_word(input)?;
    if word.is_ident("Option") && input.peek(Token![<]) {
        return Err(error(axis_span(&word), ABSENT, &["write `b: R[..]?`".to_owned()]));
    }
    if !input.peek(token::Bracket) {
        let optional = input.parse::<Option<Token![?]>>()?.is_some();
        return Ok((ParameterType::Function(word), optional));
    }
    let kind = bracket(word, input, report)?;
    if !matches!(kind.element, Element::Real) {
        report.error(kind.span, "a parameter is made of real numbers", &["write `R[..]`".to_owned()]);
    }
    let optional = input.parse::<Option<Token![?]>>()?.is_some();
    Ok((ParameterType::Tensor(kind, initial::initial(input)?), optional))
}

/// `conditions = condition { "," condition }`, `condition = expression comparison expression`
fn conditions(input: ParseStream<'_>, report: &mut Report) -> syn::Result<Vec<Condition>> {
    let mut conditions = Vec::new();
    if !input.peek(Token![where]) {
        return Ok(conditions);
    }
    input.parse::<Token![where]>()?;
    while !input.is_empty() && !input.peek(token::Brace) {
        let left = expression::sum(input)?;
        let span = input.span();
        let comparison = if input.peek(Token![=]) && !input.peek(Token![==]) {
            input.parse::<Token![=]>()?;
            Some(Binary::Equal)
        } else {
            expression::comparison(input)?
        };
        let Some(comparison) = comparison else {
            return Err(error(span, "a condition compares sizes", &["write `|val| = |chans|`".to_owned()]));
        };
        let right = expression::sum(input)?;
        match (size_text(&left), size_text(&right)) {
            (Some(l), Some(r)) => {
                let sign = if comparison == Binary::Equal { "=" } else { comparison.sign() };
                conditions.push(Condition { left, comparison, right, text: format!("{l} {sign} {r}"), span });
            }
            _ => {
                let help = "the size of an axis is `|key|`".to_owned();
                report.error(span, "a condition is about sizes and numbers only", &[help]);
            }
        }
        let is_and = input.fork().parse().is_ok_and(|word: Ident| word == "and");
        if is_and || input.peek(Token![&&]) {
            let help = "write `where |heads| * |key| = |chans|, |val| = |key|`";
            return Err(error(input.span(), "conditions are joined by a comma", &[help.to_owned()]));
        }
        if !input.peek(token::Brace) {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(conditions)
}

/// The text of an expression made of sizes and numbers; none if it has anything else.
pub(crate) fn size_text(expression: &Expression) -> Option<String> {
    match expression {
        Expression::Number(number) => Some(number.value.to_string()),
        Expression::Size(axis) => Some(format!("|{}|", axis_name(axis))),
        Expression::Unary { operand, .. } => Some(format!("-{}", size_text(operand)?)),
        Expression::Binary { operator, left, right, .. } => {
            let inner = |side: &Expression| match side {
                Expression::Binary { operator: other, .. } if other.precedence() < operator.precedence() => {
                    size_text(side).map(|text| format!("({text})"))
                }
                _ => size_text(side),
            };
            Some(format!("{} {} {}", inner(left)?, operator.sign(), inner(right)?))
        }
        _ => None,
    }
}
