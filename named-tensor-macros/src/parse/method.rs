//! Methods, functions behind the name of a library, and lists of tensors: what the notation writes for them.
//!
//! `X.sum(-1)`, `torch.sum(X, axis=-1)` and `cat([X, Y], key)` are told as functions of the notation, or by the words of
//! other libraries. Lives here: how their arguments are read. Not here: those words (`names::words`).

use super::foreign::{PRODUCT, TRANSPOSE, split, text};
use crate::builtin::{self, Builtin, Shape};
use crate::names::instead_of_method;
use crate::report::error;
use crate::set::{axis_name, axis_text, parse_axis};
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Token, token};

/// Names of libraries that stand before their functions; `F` may be a variable too.
const LIBRARIES: [&str; 10] = ["F", "torch", "np", "numpy", "jnp", "nn", "jax", "math", "tf", "scipy"];

/// What to say of a point behind a name.
pub(super) fn of_name(name: &Ident, input: ParseStream<'_>) -> syn::Error {
    let word = name.to_string();
    let help = if LIBRARIES.contains(&word.as_str()) { of_library(&word, &input.fork()) } else { None };
    match help {
        Some(help) => error(name.span(), format!("no `{word}.` stands before a name in the notation"), &[help]),
        None => of_value(&word, input),
    }
}

/// What to say of a point behind a value that a message calls `of`.
pub(super) fn of_value(of: &str, input: ParseStream<'_>) -> syn::Error {
    let ahead = input.fork();
    let name = ahead.parse::<Token![.]>().and_then(|_| ahead.call(Ident::parse_any));
    let Ok(name) = name.map(|name| name.to_string()) else {
        return error(input.span(), "`.` is no operator of the notation", &[PRODUCT.to_owned()]);
    };
    let help = match name.as_str() {
        "T" | "t" | "mT" | "H" | "transpose" | "permute" | "swapaxes" => TRANSPOSE.to_owned(),
        "apply" | "forward" | "call" => "a function is called by its name, one with parameters too: `f(X)`".to_owned(),
        "shape" | "size" | "len" => "the size of an axis is `|seq|`".to_owned(),
        _ if of == "self" => {
            format!("what a function is given, and its parameters, are called by their names: `{name}`")
        }
        _ if !ahead.peek(token::Paren) && !ahead.peek(Token![::]) => {
            let help = "a weight that serves twice is a parameter of the outer function, which passes it on as an \
                        argument to a function without parameters";
            let help = [PRODUCT.to_owned(), help.to_owned()];
            return error(input.span(), "a field is not read in an equation, and `.` is no product", &help);
        }
        _ => {
            let given = ahead.parse::<Group>().map(|group| split(&group.stream())).unwrap_or_default();
            let written = match (name.as_str(), given.as_slice()) {
                ("where", [condition, other]) => Some(cases(&text(condition), of, &text(other))),
                _ => answer(of, &name, &given),
            };
            written.unwrap_or("write `softmax_seq(X)`, `X dot_key Y`".to_owned())
        }
    };
    error(input.span(), "a method is not called in an equation", &[help])
}

/// `torch.exp(X)`, `F.layer_norm(X)`, `nn.functional.relu(X)`: the last name counts.
fn of_library(library: &str, input: ParseStream<'_>) -> Option<String> {
    let mut name = String::new();
    while input.peek(Token![.]) {
        input.parse::<Token![.]>().ok()?;
        name = input.call(Ident::parse_any).ok()?.to_string();
    }
    if !input.peek(token::Paren) {
        return match (library, name.as_str()) {
            (_, "pi" | "inf") => Some(format!("write `{name}`")),
            ("F", _) => None,
            (_, "e") => Some("write `exp(1)`".to_owned()),
            _ => Some("tensors are arguments, and numbers of the program are written by a path: `self::N`".to_owned()),
        };
    }
    let given = split(&input.parse::<Group>().ok()?.stream());
    let of = given.first().map(|first| listing(first).unwrap_or_else(|| text(first)));
    if library == "F" && given.first().is_none_or(|first| small_axis(first).is_some()) {
        return None;
    }
    let rest = given.get(1..).unwrap_or_default();
    let lower = name.to_lowercase();
    let written = match (name.as_str(), rest) {
        ("where", [then, otherwise]) => of.map(|of| cases(&of, &text(then), &text(otherwise))),
        // A layer, made of sizes.
        _ if name != lower => {
            let of_layer = [true, false].iter().find_map(|&axes| builtin::find(&lower, axes));
            let of_layer = of_layer.map(|builtin| format!("write `{}`", builtin.shape.pattern(builtin.name)));
            of_layer.or_else(|| instead_of_method(&lower, &[], &[]))
        }
        _ => answer(of.as_deref().unwrap_or("X"), &name, rest),
    };
    Some(written.unwrap_or_else(|| "a function has a name and its axis: `exp(X)`, `softmax_seq(X)`".to_owned()))
}

/// `cat([X, Y], key)`, whose tensors are arguments.
pub(super) fn listed(name: &Ident, input: ParseStream<'_>) -> Option<syn::Error> {
    let given = split(&input.fork().parse::<Group>().ok()?.stream());
    let of = listing(given.first()?)?;
    let name_text = name.to_string();
    let written = answer(&of, &name_text, &given[1..]).unwrap_or_else(|| format!("write `{name_text}({of})`"));
    Some(error(name.span(), "tensors do not stand in brackets", &[written]))
}

/// What stands in the brackets that these tokens are.
fn listing(tokens: &TokenStream) -> Option<String> {
    let mut tokens = tokens.clone().into_iter();
    match (tokens.next()?, tokens.next()) {
        (TokenTree::Group(group), None) if group.delimiter() == Delimiter::Bracket => Some(text(&group.stream())),
        _ => None,
    }
}

fn cases(condition: &str, then: &str, otherwise: &str) -> String {
    format!("write `if {condition} {{ {then} }} else {{ {otherwise} }}`")
}

/// What to write for a function of this name with `of` and the other arguments.
fn answer(of: &str, name: &str, given: &[TokenStream]) -> Option<String> {
    let is_bound = |part: &TokenStream, bound: &str| text(part).starts_with(bound) && text(part).contains('=');
    match (name, given) {
        ("clamp" | "clip", [one]) if is_bound(one, "min") => return Some(format!("write `max({of}, {})`", value(one))),
        ("clamp" | "clip", [one]) if is_bound(one, "max") => return Some(format!("write `min({of}, {})`", value(one))),
        ("gelu", [one]) if text(one).contains("tanh") => return Some(format!("write `gelu_tanh({of})`")),
        _ => {}
    }
    if let Some(call) = as_function(of, name, given) {
        return Some(if name == "var" { with_divisor(&call) } else { format!("write `{call}`") });
    }
    let axes: Vec<String> = given.iter().filter_map(small_axis).collect();
    let given: Vec<String> = of.split(", ").map(str::to_owned).chain(given.iter().map(value)).collect();
    instead_of_method(name, &axes, &given)
}

/// A variance, and what other libraries divide by.
fn with_divisor(call: &str) -> String {
    let axes = call.split_once('(').map_or("ax", |(name, _)| name.trim_start_matches("var_").trim_matches(['{', '}']));
    let axes = if call.starts_with("var_{star(") { "ax" } else { axes };
    let sizes: Vec<String> = axes.split(", ").map(|axis| format!("|{axis}|")).collect();
    let size = sizes.join(" * ");
    let default = format!("with PyTorch's default, which is one less, `{call} * {size} / ({size} - 1)`");
    format!("write `{call}`, whose divisor is `{size}`; {default}")
}

/// An argument without its name, as a line of a message shows it: `-1` of `axis=-1`.
fn value(part: &TokenStream) -> String {
    let text = text(part);
    let value =
        text.split_once('=').filter(|(_, value)| !value.starts_with('=')).map_or(text.as_str(), |(_, value)| value);
    match value.trim().strip_prefix("- ") {
        Some(number) => format!("-{number}"),
        None => value.trim().to_owned(),
    }
}

/// A method as the notation writes it; none where no function of the notation has its name.
fn as_function(of: &str, name: &str, parts: &[TokenStream]) -> Option<String> {
    let axes: Vec<Option<String>> = parts.iter().map(small_axis).collect();
    if let ("dot", [Some(axis), None]) = (name, axes.as_slice()) {
        return Some(format!("{of} dot_{} {}", attached(std::slice::from_ref(axis)), text(&parts[1])));
    }
    if let ("rename", [Some(from), Some(to)]) = (name, axes.as_slice()) {
        return Some(format!("{of}_{{{from} -> {to}}}"));
    }
    let (over, of_each) = (builtin::find(name, true), builtin::find(name, false));
    if let Some(call) = over.and_then(|function| along(of, function, of_each, parts, &axes)) {
        return Some(call);
    }
    let shape = of_each?.shape;
    let is_named = |part: &&TokenStream| text(part).contains('=');
    let plain: Vec<&TokenStream> = parts.iter().filter(|part| !(shape == Shape::Map && is_named(part))).collect();
    let (least, most) = shape.arguments();
    let is_right = (least..=most).contains(&(plain.len() + 1)) && shape != Shape::Quotient;
    let rest: Vec<String> = plain.iter().map(|part| format!(", {}", value(part))).collect();
    is_right.then(|| format!("{name}({of}{})", rest.concat()))
}

/// A call along axes, which stand among the arguments by their names or as numbers.
fn along(
    of: &str,
    function: &Builtin,
    of_each: Option<&Builtin>,
    parts: &[TokenStream],
    axes: &[Option<String>],
) -> Option<String> {
    let name = function.name;
    // In Rust, several axes stand in parentheses; elsewhere, side by side.
    let inner = match parts {
        [only] => inside(only).map(|inside| split(&inside)),
        _ => None,
    };
    let all: Option<Vec<String>> = inner.as_deref().unwrap_or(parts).iter().map(small_axis).collect();
    let arguments = |rest: &[TokenStream]| {
        let rest: Vec<String> = rest.iter().map(|part| format!(", {}", text(part))).collect();
        format!("({of}{})", rest.concat())
    };
    // `X.max(-1)` and `X.max(axis=1)` are over an axis, `X.max(Y)` is of each element.
    let is_number = |part: &TokenStream| value(part).parse::<i64>().is_ok() || text(part).contains('=');
    match (function.shape, all, axes.first()) {
        (Shape::Over, Some(all), _) if function.takes_one() && !all.is_empty() => {
            Some(format!("{name}_{}({of})", attached(&all[..1])))
        }
        (Shape::Over | Shape::Norm | Shape::Standardize, Some(all), _) if !all.is_empty() => {
            Some(format!("{name}_{}({of})", attached(&all)))
        }
        (Shape::Norm | Shape::Standardize | Shape::Best | Shape::Index | Shape::Concat, _, Some(Some(first))) => {
            Some(format!("{name}_{}{}", attached(std::slice::from_ref(first)), arguments(&parts[1..])))
        }
        (Shape::Over, ..) if of_each.is_none() || parts.first().is_none_or(is_number) => {
            Some(format!("{name}_ax({of})"))
        }
        _ if of_each.is_none() => Some(function.shape.pattern(name)),
        _ => None,
    }
}

/// The axis that these tokens are: a name of small letters, as those of axes are.
fn small_axis(tokens: &TokenStream) -> Option<String> {
    let axis = parse_axis.parse2(tokens.clone()).ok()?;
    axis_name(&axis).starts_with(char::is_lowercase).then(|| axis_text(&axis))
}

/// Axes as they stand behind `_`.
fn attached(axes: &[String]) -> String {
    match axes {
        [only] if !only.contains('(') => only.clone(),
        several => format!("{{{}}}", several.join(", ")),
    }
}

/// What stands in the parentheses that these tokens are.
fn inside(tokens: &TokenStream) -> Option<TokenStream> {
    match tokens.clone().into_iter().next()? {
        TokenTree::Group(group) => Some(group.stream()),
        _ => None,
    }
}
