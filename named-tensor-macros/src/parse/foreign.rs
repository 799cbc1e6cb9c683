//! What is written as in another language, where it stands, and what the notation writes for it.
//!
//! Each function looks at tokens that no rule of the grammar takes, and answers with the message about them.
//! Lives here: what other languages have for operators, brackets, statements and closures. Not here: what other libraries
//! call their functions (`names::words`), and methods (`method`).

use super::{indicator, method};
use crate::builtin;
use crate::report::error;
use crate::set::{axis_text, parse_axis};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::{Lit, Path, Token, token};

const CASES: &str = "cases are written `if X > 0 { X } else { 0 }`";
const LOOP: &str = "operations work along whole axes, `sum_seq(X)`; a value for each position is `Y_{seq(i)} = ..;`";
const CLOSURE: &str = "write it of the whole tensor, `exp(X) + 1`, or as a function, `fn g(X: R[]) -> R[] { .. }`";
pub(super) const PRODUCT: &str = "product `X * Y`, contraction `X dot_key Y`";
pub(super) const TRANSPOSE: &str = "axes have no order: leave it out; another name for one is `X_{seq -> seq_}`";
const COMMENT: &str = "a comment begins with `//`";

/// What to say about a token where an expression should begin.
pub(super) fn beginning(input: ParseStream<'_>) -> syn::Error {
    let message =
        if input.is_empty() { "an expression is missing at the end" } else { "an expression is expected here" };
    let word = input.fork().call(Ident::parse_any).map(|word| word.to_string()).unwrap_or_default();
    let help = match word.as_str() {
        "where" | "match" => Some(CASES.to_owned()),
        "for" | "while" | "loop" => Some(LOOP.to_owned()),
        "move" => Some(CLOSURE.to_owned()),
        "mod" => Some("the remainder of positions is written `i % 2`".to_owned()),
        "const" => Some("write `X = ..;`".to_owned()),
        _ if input.peek(token::Brace) => Some(format!("parts are grouped by parentheses, `(X + Y)`; {CASES}")),
        _ if input.peek(Token![+]) => Some("leave out the second sign".to_owned()),
        _ if input.peek(Token![>]) => Some("unequal is `!=`".to_owned()),
        _ if input.peek(Token![=]) => Some("equality is `==`".to_owned()),
        _ if input.peek(Token![*]) => Some("a power is written `X^2`".to_owned()),
        _ if input.peek(Token![&]) => Some("tensors are borrowed of themselves: leave out the `&`".to_owned()),
        _ if input.peek(Token![#]) || input.peek(Token![%]) => Some(COMMENT.to_owned()),
        _ if input.peek(Token![~]) => Some("a truth value is turned around by `!M`".to_owned()),
        _ if input.peek(token::Bracket) && indicator::begins(input) => Some(indicator::HELP.to_owned()),
        _ if input.peek(Token![<]) => Some("an inner product is written `X dot_key Y`".to_owned()),
        _ if input.peek(token::Bracket) => Some("tensors stand side by side: `concat_seq(X, Y)`".to_owned()),
        _ if input.peek(Token![.]) => fraction(input),
        _ => None,
    };
    error(input.span(), message, &help.into_iter().collect::<Vec<_>>())
}

/// `.5`, which has no 0 before its point.
fn fraction(input: ParseStream<'_>) -> Option<String> {
    let ahead = input.fork();
    ahead.parse::<Token![.]>().ok()?;
    // As it is written: the digits of a whole number would lack zeros in front.
    let digits = ahead.parse::<Lit>().ok().filter(|digits| matches!(digits, Lit::Int(_) | Lit::Float(_)))?;
    let digits = digits.to_token_stream().to_string();
    (!digits.contains('.')).then(|| format!("write `0.{digits}`"))
}

/// What to say about a token that follows a complete expression and cannot.
pub(super) fn operator(input: ParseStream<'_>) -> syn::Error {
    let span = input.span();
    if let Some(sign) = assigned(input) {
        let help = format!("an equation holds for good: give the new value a new name, `X1 = X {sign} ..;`");
        return error(span, format!("`{sign}=` is no operator of the notation"), &[help]);
    }
    if (input.peek(token::Brace) || input.peek(token::Bracket)) && indicator::begins(input) {
        return error(span, "a condition is no number", &[indicator::HELP.to_owned()]);
    }
    if input.peek(token::Bracket)
        && let Ok(group) = input.fork().parse::<Group>()
    {
        return positions("X", &group.stream(), span);
    }
    let word = input.fork().parse::<TokenTree>().map(|token| token.to_string()).unwrap_or_default();
    let expected = format!("an operator is expected here, not `{word}`");
    let (message, help) = match word.as_str() {
        "." => return method::of_value("X", input),
        "=" if input.peek2(Token![<]) => (expected, "at most is `<=`"),
        "=" if input.peek2(Token![>]) => (expected, "at least is `>=`"),
        "~" if input.peek2(Token![=]) => (expected, "unequal is `!=`"),
        "is" => (expected, "equality is `==`"),
        ";" => (
            expected,
            "parameters are not given in a call: one with parameters is declared, `; f: F`, and called `f(X)`",
        ),
        "=" => (
            "`=` stands only after the name that is defined".to_owned(),
            "equality is `==`; the axis of a function is a part of its name: `softmax_seq(X)`",
        ),
        "|" if input.peek2(Token![>]) => (
            "`|>` is no operator of the notation".to_owned(),
            "a function stands before its argument: `exp(X)`, `softmax_seq(X)`",
        ),
        "|" if is_size(&input.fork()) => ("an operator is missing here".to_owned(), PRODUCT),
        "&" | "|" => (format!("`{word}` is no operator of the notation"), "truth values are joined by `&&` and `||`"),
        "and" | "or" => (expected, "truth values are joined by `&&` and `||`"),
        "?" | "if" | "then" => (expected, CASES),
        "as" => (expected, "numbers have one type in a function, which its caller chooses: leave it out"),
        "in" | "for" => (expected, LOOP),
        "#" => (expected, COMMENT),
        _ if !input.peek(Lit) && !input.peek(token::Paren) => {
            (expected, "product `X * Y`, contraction `X dot_key Y`, also `+ - / ^`")
        }
        _ => ("an operator is missing here".to_owned(), PRODUCT),
    };
    error(span, message, &[help.to_owned()])
}

/// What to say where the braces of a case should be.
pub(super) fn branch(input: ParseStream<'_>) -> syn::Error {
    let begins = input.peek(token::Paren) || input.peek(Lit) || input.peek(Token![:]);
    if begins { error(input.span(), "a case stands in braces", &[CASES.to_owned()]) } else { operator(input) }
}

/// What to say of a token behind the value of a case.
pub(super) fn in_branch(input: ParseStream<'_>) -> syn::Error {
    let message = if input.peek(Token![;]) {
        "a case is one expression, without `;`"
    } else if input.peek(Token![=]) && !input.peek(Token![=>]) {
        "a case is a value, and defines no name"
    } else {
        return operator(input);
    };
    error(input.span(), message, &["write `Y = if X > 0 { X } else { 0 };`".to_owned()])
}

/// `X^{2}`, where braces stand behind `^`.
pub(super) fn raised(input: ParseStream<'_>) -> syn::Error {
    let span = input.span();
    let inside = input.fork().parse::<Group>().map(|group| group.stream()).unwrap_or_default();
    let tokens: Vec<TokenTree> = inside.into_iter().collect();
    let power: String = tokens.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ").replace("- ", "-");
    let help = match tokens.as_slice() {
        _ if power == "T" => TRANSPOSE.to_owned(),
        [_] => format!("write `^{power}`"),
        _ if power == "-1" => "write `^(-1)`, of each element; the inverse of a matrix is `inv_{a, b}(S)`".to_owned(),
        _ => format!("write `^({power})`"),
    };
    error(span, "a power has no braces", &[help])
}

/// The sizes of which `|heads * key|` is the product.
pub(super) fn factors(inside: &TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = inside.clone().into_iter().collect();
    let is_star = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '*');
    let sizes: Option<Vec<String>> = tokens
        .split(is_star)
        .map(|part| match part {
            [TokenTree::Ident(axis)] if axis.to_string().starts_with(char::is_lowercase) => Some(format!("|{axis}|")),
            _ => None,
        })
        .collect();
    sizes.unwrap_or_default()
}

/// Whether `|axis|` stands here.
fn is_size(input: ParseStream<'_>) -> bool {
    let bar = |input: ParseStream<'_>| input.parse::<Token![|]>().is_ok();
    bar(input) && parse_axis(input).is_ok() && bar(input)
}

/// Whether the next token is `+=` or its like.
pub(super) fn is_assignment(input: ParseStream<'_>) -> bool {
    assigned(input).is_some()
}

/// The operator of `+=` and its like.
fn assigned(input: ParseStream<'_>) -> Option<char> {
    macro_rules! signs {
        ($($sign:tt $operator:literal),*) => {$( if input.peek(Token![$sign]) { return Some($operator); } )*};
    }
    signs!(+= '+', -= '-', *= '*', /= '/', %= '%', ^= '^');
    None
}

/// What follows a name and cannot, where the mistake is at the name or known by it.
pub(super) fn behind(path: &Path, input: ParseStream<'_>) -> Option<syn::Error> {
    let name = path.get_ident()?;
    let word = name.to_string();
    if input.peek(Token![!]) && !input.peek(Token![!=]) {
        let help = "a value is printed where the function is called: `println!(\"{y}\")`";
        return Some(error(name.span(), "a macro of Rust is not called in an equation", &[help.to_owned()]));
    }
    if input.peek(Token![.]) && !input.peek(Token![..]) {
        return Some(method::of_name(name, input));
    }
    if input.peek(token::Bracket) {
        return Some(bracketed(&word, input));
    }
    if input.peek(token::Paren) {
        return unbraced(name, &word, input).or_else(|| method::listed(name, input));
    }
    let is_function =
        || [true, false].iter().any(|&axes| builtin::find(&word, axes).is_some()) || builtin::split(&word).is_some();
    if !is_operand(input) {
        None
    } else if word == "not" {
        Some(error(name.span(), "`not` is no operator of the notation", &["write `!(X > 0)`".to_owned()]))
    } else if word == "lambda" {
        Some(error(name.span(), "a function has a name in the notation", &[CLOSURE.to_owned()]))
    } else if is_function() {
        let argument = input.fork().parse::<TokenTree>().map(|token| token.to_string()).unwrap_or_default();
        let help = format!("write `{word}({argument})`");
        Some(error(name.span(), format!("the argument of `{word}` stands in parentheses"), &[help]))
    } else {
        None
    }
}

/// Whether a number or a name stands here that is no contraction.
fn is_operand(input: ParseStream<'_>) -> bool {
    let contracted = |next: Ident| next == "dot" || next.to_string().starts_with("dot_");
    input.peek(Lit) || input.peek(syn::Ident) && !input.fork().parse().is_ok_and(contracted)
}

/// `sum_(seq, key)(X)`, `sum_star(seq)(J)` and `X_(val -> chans)`, where braces belong.
fn unbraced(name: &Ident, word: &str, input: ParseStream<'_>) -> Option<syn::Error> {
    let ahead = input.fork();
    let inside = ahead.parse::<Group>().ok()?.stream();
    let mut axes = text(&inside);
    let starred = word.strip_suffix("_star").filter(|stem| builtin::find(stem, true).is_some());
    if starred.is_some() {
        axes = format!("star({axes})");
    }
    let stem = starred.or_else(|| word.strip_suffix('_')).filter(|stem| !stem.is_empty())?;
    if ahead.peek(token::Paren) {
        let help = format!("write `{stem}_{{{axes}}}(..)`");
        return Some(error(name.span(), "the axes of a function stand in braces", &[help]));
    }
    let help = format!("write `{stem}_{{{axes}}}`");
    // Inside of braces it belongs to another subscript.
    let own: TokenStream = inside.into_iter().filter(|token| !matches!(token, TokenTree::Group(_))).collect();
    text(&own).contains("->").then(|| error(name.span(), "a subscript stands in braces", &[help]))
}

/// `X dot_star(seq) Y`, where braces belong; `star` may also be an axis before an operand in parentheses.
pub(super) fn starred(word: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
    let ahead = input.fork();
    let axis = text(&ahead.parse::<Group>()?.stream());
    if !(is_operand(&ahead) || ahead.peek(token::Paren)) {
        return Ok(());
    }
    Err(error(word.span(), "the axes of a contraction stand in braces", &[format!("write `dot_{{star({axis})}}`")]))
}

/// `sum[key](X)` and `X[1..]`.
fn bracketed(word: &str, input: ParseStream<'_>) -> syn::Error {
    let (span, ahead) = (input.span(), input.fork());
    let inside = ahead.parse::<Group>().map(|group| group.stream()).unwrap_or_default();
    let axes: Vec<String> = split(&inside).iter().map(text).collect();
    let are_names = axes.iter().all(|axis| parse_axis.parse_str(axis).is_ok());
    if !ahead.peek(token::Paren) || !are_names || axes.is_empty() {
        return positions(word, &inside, span);
    }
    let found = builtin::find(word, true);
    let (builtin, takes_one) = (found.is_some(), found.is_some_and(builtin::Builtin::takes_one));
    let axes: Vec<String> = axes.into_iter().take(if takes_one { 1 } else { usize::MAX }).collect();
    let is_word = axes.len() == 1 && axes.iter().all(|axis| !axis.contains('('));
    let axes = if builtin && is_word { axes.concat() } else { format!("{{{}}}", axes.join(", ")) };
    let given = ahead.parse::<Group>().map(|group| text(&group.stream())).unwrap_or_default();
    let help = format!("write `{word}_{axes}({given})`");
    error(span, "the axis of a function is a part of its name", &[help])
}

/// What to write for positions and ranges in brackets; the axes are not known here, so others stand for them.
fn positions(word: &str, inside: &TokenStream, span: Span) -> syn::Error {
    let parts = split(inside);
    // `None` and `np.newaxis` make an axis of size 1, and take none.
    let is_new = |part: &&TokenStream| text(part) == "None" || text(part).ends_with("newaxis");
    let taken: Vec<&TokenStream> = parts.iter().filter(|part| !is_new(part)).collect();
    let entries = taken.iter().zip(["seq", "key", "val"]).map(|(part, axis)| entry(part, axis));
    let written: Option<Vec<Option<String>>> = entries.collect();
    let written: Vec<String> = written.into_iter().flatten().flatten().collect();
    let is_number = |entry: &String| entry.split('(').nth(1).is_some_and(|at| at.starts_with(char::is_numeric));
    let is_plain = written.len() == parts.len() && written.iter().all(|entry| is_number(entry) && !entry.contains('.'));
    let compared = parts.iter().any(indicator::compares);
    let stepped = parts.iter().any(|part| text(part).replace(' ', "").ends_with("::2"));
    let help = if compared {
        format!("no axis has a size that depends on numbers; {CASES}")
    } else if stepped {
        format!("every second one: `{word}_{{seq -> (half, pair: 2)}}_{{pair(0)}}`, with axes of your own")
    } else if taken.len() < parts.len() && written.is_empty() {
        format!("no axis of size 1 is needed, `X + Y` has the axes of both: write `{word}`")
    } else if !is_plain && !written.is_empty() {
        format!("write `{word}_{{{}}}`, with the axis that you mean", written.join(", "))
    } else {
        "write `X_{seq(0)}`, of several axes `X_{seq(i), key(0)}`".to_owned()
    };
    error(span, "positions do not stand in brackets", &[help])
}

/// `1:3`, `1..3`, `-1` or `i` as an entry of a subscript; nothing for all of an axis, none for what has no such entry.
pub(super) fn entry(part: &TokenStream, axis: &str) -> Option<Option<String>> {
    let written = text(part);
    let (low, high) = match written.split_once("..").or_else(|| written.split_once(':')) {
        Some((low, high)) => (low.trim(), Some(high.trim())),
        None => (written.trim(), None),
    };
    let bound = |bound: &str| match bound.strip_prefix('-') {
        Some(back) => format!("|{axis}| - {}", back.trim()),
        None => bound.to_owned(),
    };
    match high {
        // All of the axis, also as `...`.
        Some("" | ".") if low.is_empty() => Some(None),
        Some(high) if high.contains([':', '=', '.']) => None,
        Some(high) => Some(Some(format!("{axis}({}..{})", bound(low), bound(high)))),
        None => Some(Some(format!("{axis}({})", bound(low)))),
    }
}

/// The axes in a list without its commas, `seq x key`, as they are written.
pub(super) fn axes_of(list: ParseStream<'_>) -> Vec<String> {
    let mut axes = Vec::new();
    while !list.is_empty() {
        let ahead = list.fork();
        match parse_axis(&ahead).map(|axis| axis_text(&axis)) {
            Ok(axis) => {
                list.advance_to(&ahead);
                axes.extend((axis != "x").then_some(axis));
            }
            Err(_) => drop(list.parse::<TokenTree>()),
        }
    }
    axes
}

/// The parts between commas.
pub(super) fn split(stream: &TokenStream) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = stream.clone().into_iter().collect();
    let comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let parts = tokens.split(comma).map(|part| part.iter().cloned().collect::<TokenStream>());
    parts.filter(|part| !part.is_empty()).collect()
}

/// Tokens as a line of a message shows them.
pub(super) fn text(stream: &TokenStream) -> String {
    let text = stream.to_string();
    [(" ,", ","), (" (", "("), ("( ", "("), (" )", ")"), (" ;", ";")]
        .iter()
        .fold(text, |text, (from, to)| text.replace(from, to))
}

/// Whether a closure begins behind `|x`: with another name, a type, or a body that mentions the name.
pub(super) fn closure(axis: &Path, input: ParseStream<'_>) -> Option<String> {
    let name = axis.get_ident()?;
    let ahead = input.fork();
    let begins = if ahead.peek(Token![|]) {
        ahead.parse::<Token![|]>().ok()?;
        // A brace may be that of a case or of the function.
        ahead.peek(syn::Ident) && mentions(&ahead.parse::<TokenStream>().ok()?, name)
    } else {
        ahead.peek(Token![,]) || ahead.peek(Token![:])
    };
    begins.then(|| CLOSURE.to_owned())
}

/// Whether a name stands in these tokens, other than as an axis between bars.
fn mentions(stream: &TokenStream, name: &Ident) -> bool {
    let tokens: Vec<TokenTree> = stream.clone().into_iter().collect();
    let is_bar = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == '|');
    tokens.iter().enumerate().any(|(place, token)| match token {
        TokenTree::Ident(ident) => ident == name && !is_bar(tokens.get(place + 1)),
        // A brace may be that of the function behind its conditions.
        TokenTree::Group(group) => group.delimiter() != Delimiter::Brace && mentions(&group.stream(), name),
        _ => false,
    })
}

/// What to say where the next equation begins and no `;` stands before it: at the last token read since `start`.
pub(super) fn unended(start: ParseStream<'_>, input: ParseStream<'_>) -> Option<syn::Error> {
    let named = input.peek(syn::Ident);
    let typed = input.peek2(Token![:]) && !input.peek2(Token![::]);
    let equals = input.peek2(Token![=]) && !input.peek2(Token![==]);
    let placed = input.peek2(token::Brace) && input.peek3(Token![=]) && !input.peek3(Token![==]);
    let begins = named && (typed || equals || placed) || input.peek(Token![let]);
    if begins { no_semicolon(start, input) } else { None }
}

/// The same where the value of the function begins: a name that the equation before it has just defined.
pub(super) fn unended_by(name: &Ident, start: ParseStream<'_>, input: ParseStream<'_>) -> Option<syn::Error> {
    let is_used = input.fork().parse().is_ok_and(|next: Ident| next == *name);
    if is_used { no_semicolon(start, input) } else { None }
}

fn no_semicolon(start: ParseStream<'_>, input: ParseStream<'_>) -> Option<syn::Error> {
    let mut last = None;
    while !start.is_empty() && start.cursor() != input.cursor() {
        last = Some(match start.parse::<TokenTree>().ok()? {
            TokenTree::Group(group) => group.span_close(),
            token => token.span(),
        });
    }
    last.map(|span| error(span, "a `;` is missing behind this", &["an equation ends with `;`".to_owned()]))
}
