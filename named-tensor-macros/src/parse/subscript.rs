//! What stands inside `_{..}`: axes, renamings, flattenings, splittings, positions, ranges.
//!
//! Lives here: also the left side of a definition by positions, `M_{seq(i), seq_(j)} = ..`, which looks the same.
//! Not here: what the entries mean, and whether their axes exist.

use super::{axis, expression, foreign};
use crate::ast::{Entry, Expression, Part, Position};
use crate::builtin;
use crate::code::part_of;
use crate::report::error;
use crate::set::axis_text;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{Path, Token, braced, parenthesized, token};

/// Takes the `_` off a name that is followed by braces; `X_ { .. }` in front of `else` is no subscript but a branch.
pub(super) fn strip_underscore(path: &mut Path, input: ParseStream<'_>) -> bool {
    let is_branch = input.peek2(Token![else]);
    let Some(last) = path.segments.last_mut() else { return false };
    let (text, span) = (last.ident.to_string(), last.ident.span());
    match text.strip_suffix('_').and_then(|stem| part_of(stem, span)).filter(|_| !is_branch) {
        Some(stem) => {
            last.ident = stem;
            true
        }
        None => false,
    }
}

/// `groups = "{" group { "," group } "}"`, `group = axis | "(" axis { "," axis } ")"`
pub(super) fn groups(input: ParseStream<'_>) -> syn::Result<Vec<Vec<Path>>> {
    let content;
    braced!(content in input);
    let groups = content.parse_terminated(
        |input: ParseStream<'_>| {
            if input.peek(token::Paren) { axes(input) } else { axis(input).map(|axis| vec![axis]) }
        },
        Token![,],
    )?;
    Ok(groups.into_iter().collect())
}

/// `entries = "{" entry { "," entry } "}"`
pub(super) fn entries(input: ParseStream<'_>) -> syn::Result<Vec<Entry>> {
    let content;
    let braces = braced!(content in input);
    let entries: Vec<Entry> = content.parse_terminated(entry, Token![,])?.into_iter().collect();
    if entries.is_empty() {
        return Err(error(braces.span.join(), "an empty subscript", &[HELP.to_owned()]));
    }
    Ok(entries)
}

const HELP: &str =
    "write `{val -> chans}`, `{(height, width) -> layer}`, `{layer -> (heads: 12, key)}` or `{height(i)}`";

/// `entry = axis "->" axis | "(" axes ")" "->" axis | axis "->" "(" parts ")" | axis "(" position ")"`
fn entry(input: ParseStream<'_>) -> syn::Result<Entry> {
    if input.peek(token::Paren) {
        let from = axes(input)?;
        let span = input.span();
        arrow(input)?;
        if input.peek(token::Paren) {
            let help =
                "flatten first and split then, `X_{(a, b) -> c}_{c -> (d: 2, e)}`, or rename, `X_{a -> c, b -> d}`";
            return Err(error(span, "several axes cannot become several in one step", &[help.to_owned()]));
        }
        return Ok(Entry::Flatten { from, to: axis(input)?, span });
    }
    let from = axis(input)?;
    if input.peek(token::Paren) {
        return placed(from, input);
    }
    let span = input.span();
    arrow(input)?;
    if !input.peek(token::Paren) {
        return Ok(Entry::Rename { from, to: axis(input)? });
    }
    let content;
    parenthesized!(content in input);
    let parts = content.parse_terminated(part, Token![,])?.into_iter().collect();
    Ok(Entry::Split { from, parts, span })
}

fn arrow(input: ParseStream<'_>) -> syn::Result<()> {
    if input.peek(Token![->]) {
        return input.parse::<Token![->]>().map(|_| ());
    }
    Err(error(input.span(), "`->` or a position in parentheses is expected here", &[HELP.to_owned()]))
}

/// `position = expression | [ expression ] ".." [ expression ]`
fn placed(axis: Path, input: ParseStream<'_>) -> syn::Result<Entry> {
    if let Some(error) = colon(&axis, input) {
        return Err(error);
    }
    let content;
    parenthesized!(content in input);
    let low = if content.peek(Token![..]) { None } else { Some(expression::expression(&content)?) };
    let span = content.span();
    let entry = if content.peek(Token![..]) {
        if content.peek(Token![..=]) {
            return Err(error(span, "a range stops before its end", &["write `2..6` for 2, 3, 4, 5".to_owned()]));
        }
        content.parse::<Token![..]>()?;
        let high = if content.is_empty() { None } else { Some(expression::expression(&content)?) };
        Entry::Slice { axis, low, high, span }
    } else {
        match low {
            Some(position) => Entry::At { axis, position },
            None => return Err(error(span, "a position is expected here", &[])),
        }
    };
    if content.is_empty() { Ok(entry) } else { Err(content.error("one position is expected per axis")) }
}

/// `part = axis [ ":" expression ]`
fn part(input: ParseStream<'_>) -> syn::Result<Part> {
    let axis = axis(input)?;
    Ok(Part { axis, size: size(input)? })
}

fn size(input: ParseStream<'_>) -> syn::Result<Option<Expression>> {
    if !input.peek(Token![:]) {
        return Ok(None);
    }
    input.parse::<Token![:]>()?;
    expression::expression(input).map(Some)
}

fn axes(input: ParseStream<'_>) -> syn::Result<Vec<Path>> {
    let content;
    parenthesized!(content in input);
    Ok(content.parse_terminated(axis, Token![,])?.into_iter().collect())
}

/// `definition = identifier "_" "{" axis "(" identifier [ ":" expression ] ")" { "," .. } "}"`
pub(super) fn definition(input: ParseStream<'_>) -> syn::Result<(Ident, Vec<Position>)> {
    let name: Ident = input.parse()?;
    let mut path = Path::from(name.clone());
    if !strip_underscore(&mut path, input) {
        let help = format!("write `{name}_{{..}} = ..`");
        return Err(error(name.span(), "a subscript begins with `_`", &[help]));
    }
    let content;
    braced!(content in input);
    if let Some(error) = filled(&path, &content, input) {
        return Err(error);
    }
    let positions = content.parse_terminated(position, Token![,])?;
    let name = path.get_ident().cloned().unwrap_or(name);
    Ok((name, positions.into_iter().collect()))
}

fn position(input: ParseStream<'_>) -> syn::Result<Position> {
    let axis = axis(input)?;
    if !input.peek(token::Paren) {
        let (name, span): (String, Span) = (crate::set::axis_name(&axis), crate::set::axis_span(&axis));
        let help = format!("write `{name}(i)`");
        return Err(error(span, format!("the position along `{name}` has no name"), &[help]));
    }
    let content;
    parenthesized!(content in input);
    let name = content.parse()?;
    let size = size(&content)?;
    if content.is_empty() { Ok(Position { axis, name, size }) } else { Err(content.error("one position is expected")) }
}

/// `seq(1:)`, where a range belongs; behind a letter on the left side of an equation, `:` is another thing.
fn colon(axis: &Path, input: ParseStream<'_>) -> Option<syn::Error> {
    let inside = input.fork().parse::<Group>().ok()?.stream();
    let tokens: Vec<TokenTree> = inside.clone().into_iter().collect();
    let is_colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    let colon = tokens.iter().find(|token| is_colon(Some(*token)))?;
    let count = tokens.iter().filter(|token| is_colon(Some(*token))).count();
    let written = foreign::entry(&inside, &axis_text(axis));
    // Two colons may be those of a path.
    match written {
        Some(Some(entry)) if count == 1 => {
            let help = format!("write `{entry}`");
            Some(error(colon.span(), "a range is written with `..`", &[help]))
        }
        _ => None,
    }
}

/// `S_{M} = -inf`, where a value is filled in: no axis stands there, which has small letters and a letter for its position.
fn filled(name: &Path, inside: ParseStream<'_>, behind: ParseStream<'_>) -> Option<syn::Error> {
    let (name, inside) = (name.get_ident()?, inside.fork());
    let mask: Ident = inside.parse().ok()?;
    let text = mask.to_string();
    if !inside.is_empty() || !(text.starts_with(char::is_uppercase) || text.contains("mask")) {
        return None;
    }
    let behind = behind.fork();
    behind.parse::<Token![=]>().ok()?;
    let mut value = TokenStream::new();
    while !behind.is_empty() && !behind.peek(Token![;]) {
        value.extend([behind.parse::<TokenTree>().ok()?]);
    }
    let value = foreign::text(&value);
    let value = value.strip_prefix("- ").map_or(value.clone(), |rest| format!("-{rest}"));
    let help = format!("write `if {mask} {{ {value} }} else {{ {name} }}`");
    let axis = format!("if `{mask}` is an axis, its position has a letter: `{name}_{{{mask}(i)}} = ..`");
    Some(error(mask.span(), format!("an equation does not change `{name}` where `{mask}` holds"), &[help, axis]))
}

/// `eye_{seq, seq_}`, which lacks its argument.
pub(super) fn uncalled(path: &Path, input: ParseStream<'_>) -> Option<syn::Error> {
    let name = path.get_ident()?;
    let builtin = builtin::find(&name.to_string(), true)?;
    let inside = input.fork().parse::<Group>().ok()?.stream();
    let axes = foreign::split(&inside);
    if axes.is_empty() || !axes.iter().all(|axis| crate::set::parse_axis.parse2(axis.clone()).is_ok()) {
        return None;
    }
    let pattern = builtin.shape.pattern(builtin.name);
    let arguments = pattern.split('(').nth(1)?.split(')').next()?;
    let help = format!("write `{name}_{{{}}}({arguments})`", foreign::text(&inside));
    Some(error(name.span(), format!("`{name}` lacks its arguments"), &[help]))
}
