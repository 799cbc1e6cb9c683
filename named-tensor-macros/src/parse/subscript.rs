//! What stands inside `_{..}`: axes, renamings, flattenings, splittings, positions, ranges.
//!
//! Lives here: also the left side of a definition by positions, `M_{seq(i), seq_(j)} = ..`, which looks the same.
//! Not here: what the entries mean, and whether their axes exist.

use super::{axis, expression, foreign, separated};
use crate::ast::{Entry, Expression, Part, Position};
use crate::builtin;
use crate::code::part_of;
use crate::report::error;
use crate::set::{axis_span, axis_text, parse_axis};
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{Lit, LitStr, Path, Token, braced, parenthesized, token};

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
    let group = |input: ParseStream<'_>| {
        if input.peek(token::Paren) { axes(input) } else { axis(input).map(|axis| vec![axis]) }
    };
    separated(&content, group, |axes| format!("write `sum_{{{axes}}}(X)`"))
}

/// `entries = "{" entry { "," entry } "}"`
pub(super) fn entries(input: ParseStream<'_>) -> syn::Result<Vec<Entry>> {
    let content;
    let braces = braced!(content in input);
    let entries = separated(&content, entry, |_| HELP.to_owned())?;
    if entries.is_empty() {
        return Err(error(braces.span.join(), "an empty subscript", &[HELP.to_owned()]));
    }
    Ok(entries)
}

/// Letters that stand for positions.
const LETTERS: [&str; 10] = ["i", "j", "k", "l", "m", "n", "p", "q", "s", "t"];

const HELP: &str =
    "write `{val -> chans}`, `{(height, width) -> layer}`, `{layer -> (heads: 12, key)}` or `{height(i)}`";

/// `entry = axis "->" axis | "(" axes ")" "->" axis | axis "->" "(" parts ")" | axis "(" position ")"`
fn entry(input: ParseStream<'_>) -> syn::Result<Entry> {
    if input.peek(token::Paren) {
        let from = axes(input)?;
        let span = input.span();
        if !input.peek(Token![->]) {
            return Err(unarrowed("(a, b)", input));
        }
        input.parse::<Token![->]>()?;
        if input.peek(token::Paren) {
            let help =
                "flatten first and split then, `X_{(a, b) -> c}_{c -> (d: 2, e)}`, or rename, `X_{a -> c, b -> d}`";
            return Err(error(span, "several axes cannot become several in one step", &[help.to_owned()]));
        }
        return Ok(Entry::Flatten { from, to: axis(input)?, span });
    }
    if let Some(error) = unplaced(input) {
        return Err(error);
    }
    let from = axis(input)?;
    if input.peek(token::Paren) {
        return placed(from, input);
    }
    let span = input.span();
    if !input.peek(Token![->]) {
        return Err(if input.is_empty() || input.peek(Token![,]) {
            bare(&from, input)
        } else {
            unarrowed(&axis_text(&from), input)
        });
    }
    input.parse::<Token![->]>()?;
    if !input.peek(token::Paren) {
        return Ok(Entry::Rename { from, to: axis(input)? });
    }
    let content;
    parenthesized!(content in input);
    let parts = separated(&content, part, |axes| format!("write `({axes})`, with sizes `(heads: 12, key)`"))?;
    Ok(Entry::Split { from, parts, span })
}

/// `X_{1..2}`, `X_{:, 0}`, `W_{1}`: a position without its axis.
fn unplaced(input: ParseStream<'_>) -> Option<syn::Error> {
    if !(input.peek(Lit) && !input.peek(LitStr)
        || input.peek(Token![:]) && !input.peek(Token![::])
        || input.peek(Token![-]) && !input.peek(Token![->])
        || input.peek(Token![..]))
    {
        return None;
    }
    let (span, is_number) = (input.span(), input.peek(Lit));
    let part = foreign::split(&input.fork().parse().ok()?).into_iter().next()?;
    let mut help = match foreign::entry(&part, "seq")? {
        Some(entry) => vec![format!("write `{{{entry}}}`, with the axis that you mean")],
        None => vec!["an axis of which all is kept is left out".to_owned()],
    };
    if is_number && part.into_iter().count() == 1 {
        help.push("a number that belongs to a name is a part of it: `W1`, `W_1`".to_owned());
    }
    Some(error(span, "a position stands behind its axis", &help))
}

/// `X_{i}`, `X_{seq}`, `X_{a, b -> c}`: an axis, or the letter of a position, with nothing behind it.
fn bare(from: &Path, input: ParseStream<'_>) -> syn::Error {
    let name = axis_text(from);
    // As in `height, width -> layer`.
    let rest = foreign::split(&input.fork().parse().unwrap_or_default());
    let next = rest.first().map(foreign::text).unwrap_or_default();
    if let Some((other, to)) = next.split_once("->").filter(|(other, _)| parse_axis.parse_str(other).is_ok()) {
        let help = format!("several axes become one in parentheses: `({name}, {}) -> {}`", other.trim(), to.trim());
        return error(axis_span(from), format!("nothing becomes of `{name}`"), &[help]);
    }
    let letters: Vec<&str> = LETTERS.into_iter().filter(|letter| name.contains(letter)).collect();
    let help = match letters.as_slice() {
        _ if name.starts_with(char::is_uppercase) => {
            format!("write `{{{name}(0)}}` where `{name}` is an axis; a letter in a name is a part of it: `W_{name}`")
        }
        [one] if name == *one => {
            format!("write `{{seq({name})}}` where `{name}` is a position, `{{{name} -> other}}` where it is an axis")
        }
        [one, other] if name == format!("{one}{other}") => format!("write `{{seq({one}), key({other})}}`"),
        _ => format!("write `{{{name}(0)}}` for a position, `{{{name} -> other}}` for another name"),
    };
    error(axis_span(from), "an entry of a subscript is an axis and its position, or a renaming", &[help])
}

/// What to say where `->` or a position should stand.
fn unarrowed(from: &str, input: ParseStream<'_>) -> syn::Error {
    let (span, ahead) = (input.span(), input.fork());
    let mut sign = String::new();
    while !ahead.is_empty()
        && !ahead.peek(Token![,])
        && !ahead.peek(Lit)
        && (sign.is_empty() || !ahead.peek(syn::Ident))
    {
        sign.push_str(&ahead.parse::<TokenTree>().map(|token| token.to_string()).unwrap_or_default());
    }
    let next = ahead.parse::<TokenTree>().map(|token| token.to_string()).unwrap_or_default();
    let help = match sign.as_str() {
        "=>" | "to" | "-->" | ">" | "-" | "/" => format!("write `{{{from} -> {next}}}`"),
        "=" | ":" | "==" => {
            format!("write `{{{from}({next})}}` for a position, `{{{from} -> other}}` for another name")
        }
        "*" => format!("several axes become one in parentheses: `({from}, {next}) -> layer`"),
        _ if input.peek(token::Bracket) => {
            let index = input.fork().parse::<Group>().map(|group| foreign::text(&group.stream())).unwrap_or_default();
            format!("write `{{{from}({index})}}`")
        }
        _ => HELP.to_owned(),
    };
    error(span, "`->` or a position in parentheses is expected here", &[help])
}

/// `position = expression | [ expression ] ".." [ expression ]`
fn placed(axis: Path, input: ParseStream<'_>) -> syn::Result<Entry> {
    let name = axis_text(&axis);
    if let Some(error) = colon(&axis, input) {
        return Err(error);
    }
    let content;
    parenthesized!(content in input);
    let low = if content.peek(Token![..]) { None } else { Some(expression::expression(&content)?) };
    let span = content.span();
    let entry = if content.peek(Token![..]) {
        if content.peek(Token![...]) {
            return Err(error(span, "a range is written with `..`", &["write `2..6` for 2, 3, 4, 5".to_owned()]));
        }
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
    if content.is_empty() {
        return Ok(entry);
    }
    let help = format!(
        "write `{{{name}(3)}}`, several positions `{{{name}(1..3)}}`, one of each axis `{{{name}(3), key(0)}}`"
    );
    Err(error(content.span(), "one position is expected per axis", &[help]))
}

/// `part = axis [ ":" expression ]`
fn part(input: ParseStream<'_>) -> syn::Result<Part> {
    let axis = axis(input)?;
    if input.peek(Token![=]) || input.peek(token::Paren) || input.peek(Token![.]) {
        let help = format!("write `{}: 12`", axis_text(&axis));
        return Err(error(input.span(), "the size of an axis stands behind `:`", &[help]));
    }
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
    separated(&content, axis, |axes| format!("write `({axes})`"))
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
    let positions = separated(&content, position, |_| "write `M_{row(i), col(j)} = ..`".to_owned())?;
    let name = path.get_ident().cloned().unwrap_or(name);
    Ok((name, positions))
}

fn position(input: ParseStream<'_>) -> syn::Result<Position> {
    let axis = axis(input)?;
    if !input.peek(token::Paren) {
        let (name, span): (String, Span) = (crate::set::axis_name(&axis), axis_span(&axis));
        if LETTERS.contains(&name.as_str()) && (input.is_empty() || input.peek(Token![,])) {
            let help = format!("write `seq({name})`, with the axis that you mean");
            return Err(error(span, format!("the position `{name}` has no axis"), &[help]));
        }
        let help = format!("write `{name}(i)`");
        return Err(error(span, format!("the position along `{name}` has no name"), &[help]));
    }
    let content;
    parenthesized!(content in input);
    let shown = axis_text(&axis);
    let Ok(name) = content.parse() else {
        let help =
            format!("write `{shown}(i)`; one position among others is a case: `if i == 0 {{ .. }} else {{ .. }}`");
        return Err(error(content.span(), "a letter for the position is expected here", &[help]));
    };
    let size = size(&content)?;
    if content.is_empty() {
        return Ok(Position { axis, name, size });
    }
    let help = format!("write `{shown}({name})`, with a size `{shown}({name}: 12)`");
    Err(error(content.span(), "one letter is expected per axis", &[help]))
}

/// `seq(1:)`, where a range belongs; behind a letter on the left side of an equation, `:` is another thing.
fn colon(axis: &Path, input: ParseStream<'_>) -> Option<syn::Error> {
    let inside = input.fork().parse::<Group>().ok()?.stream();
    let tokens: Vec<TokenTree> = inside.clone().into_iter().collect();
    let is_colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    let colon = tokens.iter().find(|token| is_colon(Some(*token)))?;
    let count = tokens.iter().filter(|token| is_colon(Some(*token))).count();
    let written = foreign::entry(&inside, &axis_text(axis));
    let step = tokens.iter().rev().take_while(|token| !is_colon(Some(*token))).cloned().collect::<Vec<_>>();
    if count == 2 && !matches!(step.last(), Some(TokenTree::Ident(_)) | None) {
        let start = tokens.first().filter(|token| !is_colon(Some(*token))).map_or("0".to_owned(), ToString::to_string);
        return Some(error(colon.span(), "a range has no steps", &[stepped(&axis_text(axis), &start, &step)]));
    }
    // Two colons may be those of a path.
    match written {
        Some(Some(entry)) if count == 1 => {
            let help = format!("write `{entry}`");
            Some(error(colon.span(), "a range is written with `..`", &[help]))
        }
        _ => None,
    }
}

/// What to write for `seq(::2)` and `seq(::-1)`, of which this is the step, its tokens from behind.
fn stepped(axis: &str, start: &str, step: &[TokenTree]) -> String {
    match step {
        [TokenTree::Literal(step)] => {
            format!("one of {step}: `X_{{{axis} -> (part, each: {step})}}_{{each({start})}}`, with axes of your own")
        }
        _ => format!("by positions, with a letter for each axis: `Y_{{{axis}(i)}} = X_{{{axis}(|{axis}| - 1 - i)}};`"),
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
    let word = name.to_string();
    let inside = input.fork().parse::<Group>().ok()?.stream();
    let axes = foreign::split(&inside);
    if axes.is_empty() || !axes.iter().all(|axis| parse_axis.parse2(axis.clone()).is_ok()) {
        return None;
    }
    if let (2, "δ" | "delta" | "Id" | "𝟙") = (axes.len(), word.as_str()) {
        let help = format!("write `eye_{{{}}}(|{}|)`", foreign::text(&inside), foreign::text(&axes[0]));
        return Some(error(name.span(), format!("`{name}` is no identity in the notation"), &[help]));
    }
    let builtin = builtin::find(&word, true)?;
    let pattern = builtin.shape.pattern(builtin.name);
    let arguments = pattern.split('(').nth(1)?.split(')').next()?;
    let help = format!("write `{name}_{{{}}}({arguments})`", foreign::text(&inside));
    Some(error(name.span(), format!("`{name}` lacks its arguments"), &[help]))
}
