//! Expressions, by precedence: `||`, `&&`, comparisons, `+ -`, `* / % dot_ax`, a sign, `^`, subscripts.
//!
//! Lives here: operators, calls, sizes, cases. Not here: what stands inside `_{..}` (`subscript`), and what to say of tokens
//! that no rule takes (`foreign`).

use super::{axis, foreign, separated, subscript};
use crate::ast::{Binary, Call, Expression, Number, Unary};
use crate::code::part_of;
use crate::report::error;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Lit, Path, Token, braced, parenthesized, token};

/// `expression = and { "||" and }`
pub(super) fn expression(input: ParseStream<'_>) -> syn::Result<Expression> {
    let mut left = and(input)?;
    while input.peek(Token![||]) {
        let span = input.span();
        input.parse::<Token![||]>()?;
        left = binary(Binary::Or, span, left, and(input)?);
    }
    Ok(left)
}

/// An expression up to `;` or the end of its group; anything else there is an unknown operator.
pub(super) fn whole(input: ParseStream<'_>) -> syn::Result<Expression> {
    let start = input.fork();
    let value = expression(input)?;
    if input.is_empty() || input.peek(Token![;]) {
        return Ok(value);
    }
    Err(foreign::unended(&start, input).unwrap_or_else(|| foreign::operator(input)))
}

/// Expressions separated by commas, up to the end of the group.
pub(super) fn list(input: ParseStream<'_>) -> syn::Result<Vec<Expression>> {
    let mut values = Vec::new();
    while !input.is_empty() {
        values.push(expression(input)?);
        if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
        } else if !input.is_empty() {
            return Err(foreign::operator(input));
        }
    }
    Ok(values)
}

/// `and = comparison { "&&" comparison }`, `comparison = sum [ sign sum ]`
fn and(input: ParseStream<'_>) -> syn::Result<Expression> {
    let mut left = compared(input)?;
    while input.peek(Token![&&]) {
        let span = input.span();
        input.parse::<Token![&&]>()?;
        left = binary(Binary::And, span, left, compared(input)?);
    }
    Ok(left)
}

fn compared(input: ParseStream<'_>) -> syn::Result<Expression> {
    let left = sum(input)?;
    let span = input.span();
    let Some(operator) = comparison(input)? else { return Ok(left) };
    let right = sum(input)?;
    let again = input.span();
    if comparison(input)?.is_some() {
        let help = "write `lo <= x && x <= hi`";
        return Err(error(again, "a comparison has two sides", &[help.to_owned()]));
    }
    Ok(binary(operator, span, left, right))
}

/// The next token as a comparison, if it is one.
pub(super) fn comparison(input: ParseStream<'_>) -> syn::Result<Option<Binary>> {
    macro_rules! signs {
        ($($sign:tt $operator:ident),*) => {$(
            if input.peek(Token![$sign]) {
                input.parse::<Token![$sign]>()?;
                return Ok(Some(Binary::$operator));
            }
        )*};
    }
    // Longer signs first: `<` would also match the beginning of `<=`.
    signs!(== Equal, != NotEqual, <= LessOrEqual, >= GreaterOrEqual, < Less, > Greater);
    Ok(None)
}

/// `sum = product { ( "+" | "-" ) product }`
pub(super) fn sum(input: ParseStream<'_>) -> syn::Result<Expression> {
    let mut left = product(input)?;
    loop {
        let span = input.span();
        let operator = if foreign::is_assignment(input) {
            return Ok(left);
        } else if input.peek(Token![+]) {
            input.parse::<Token![+]>()?;
            Binary::Add
        } else if input.peek(Token![-]) && !input.peek(Token![->]) {
            input.parse::<Token![-]>()?;
            Binary::Subtract
        } else {
            return Ok(left);
        };
        left = binary(operator, span, left, product(input)?);
    }
}

/// `product = signed { ( "*" | "/" | "%" | contraction ) signed }`
fn product(input: ParseStream<'_>) -> syn::Result<Expression> {
    let mut left = signed(input)?;
    loop {
        let span = input.span();
        let operator = if foreign::is_assignment(input) {
            return Ok(left);
        } else if input.peek(Token![*]) {
            input.parse::<Token![*]>()?;
            Binary::Multiply
        } else if input.peek(Token![/]) {
            input.parse::<Token![/]>()?;
            Binary::Divide
        } else if input.peek(Token![%]) {
            input.parse::<Token![%]>()?;
            Binary::Remainder
        } else if let Some(axes) = contraction(input)? {
            let right = Box::new(signed(input)?);
            left = Expression::Dot { axes, span, left: Box::new(left), right };
            continue;
        } else {
            return Ok(left);
        };
        left = binary(operator, span, left, signed(input)?);
    }
}

/// `contraction = "dot_" axis | "dot_" "{" axis { "," axis } "}"`, the first as one word.
fn contraction(input: ParseStream<'_>) -> syn::Result<Option<Vec<Path>>> {
    let Ok(word) = input.fork().call(Ident::parse_any) else { return Ok(None) };
    let text = word.to_string();
    let Some(name) = text.strip_prefix("dot") else { return Ok(None) };
    if !(name.is_empty() || name.starts_with('_')) {
        return Ok(None);
    }
    input.call(Ident::parse_any)?;
    if name == "_star" && input.peek(token::Paren) {
        foreign::starred(&word, input)?;
    }
    let axes = match name.strip_prefix('_').unwrap_or("") {
        "" if name == "_" && input.peek(token::Brace) => {
            let content;
            braced!(content in input);
            separated(&content, axis, |axes| format!("write `dot_{{{axes}}}`"))?
        }
        "" => Vec::new(),
        name => part_of(name, word.span()).map(Path::from).into_iter().collect(),
    };
    if axes.is_empty() {
        let help = "write `X dot_key Y` or `X dot_{heads, val} Y`";
        return Err(error(word.span(), "a contraction names its axes", &[help.to_owned()]));
    }
    Ok(Some(axes))
}

/// `signed = [ "-" | "!" ] signed | power`, `power = postfix [ "^" signed ]`
fn signed(input: ParseStream<'_>) -> syn::Result<Expression> {
    let span = input.span();
    let operator = if input.peek(Token![-]) {
        input.parse::<Token![-]>()?;
        Unary::Negative
    } else if input.peek(Token![!]) && !input.peek(Token![!=]) {
        input.parse::<Token![!]>()?;
        Unary::Not
    } else {
        let base = postfix(input)?;
        let span = input.span();
        if !input.peek(Token![^]) || foreign::is_assignment(input) {
            return Ok(base);
        }
        input.parse::<Token![^]>()?;
        if input.peek(token::Brace) {
            return Err(foreign::raised(input));
        }
        return Ok(binary(Binary::Power, span, base, signed(input)?));
    };
    Ok(Expression::Unary { operator, span, operand: Box::new(signed(input)?) })
}

/// `postfix = atom { "_" "{" entries "}" }`, where the first `_` may be the end of a name.
fn postfix(input: ParseStream<'_>) -> syn::Result<Expression> {
    let mut base = atom(input)?;
    while input.peek(Token![_]) && input.peek2(token::Brace) {
        input.parse::<Token![_]>()?;
        base = Expression::Subscript { base: Box::new(base), entries: subscript::entries(input)? };
    }
    Ok(base)
}

/// `atom = number | name | size | call | cases | "(" expression ")"`
fn atom(input: ParseStream<'_>) -> syn::Result<Expression> {
    if input.peek(Lit) {
        return number(&input.parse()?);
    }
    if input.peek(token::Paren) {
        let content;
        parenthesized!(content in input);
        let inner = expression(&content)?;
        return if content.is_empty() { Ok(inner) } else { Err(foreign::operator(&content)) };
    }
    if input.peek(Token![|]) {
        return size(input);
    }
    if input.peek(Token![if]) {
        return cases(input);
    }
    let path_begins = input.peek(syn::Ident) || input.peek(Token![crate]) || input.peek(Token![self]);
    if path_begins || input.peek(Token![super]) || input.peek(Token![::]) {
        return named(input);
    }
    Err(foreign::beginning(input))
}

/// `size = "|" axis "|"`; anything else between bars is taken for an absolute value.
fn size(input: ParseStream<'_>) -> syn::Result<Expression> {
    let span = input.span();
    if input.peek(Token![||]) {
        let help = "the absolute value is `abs(X)`, the norm along an axis `norm_seq(X)`";
        return Err(error(span, "bars are the size of an axis", &[help.to_owned()]));
    }
    input.parse::<Token![|]>()?;
    if let Some(inside) = between_bars(&input.fork()) {
        let axes = foreign::factors(&inside);
        let help = match axes.as_slice() {
            [] => format!("the absolute value is `abs({inside})`"),
            axes => format!("write `{}`", axes.join(" * ")),
        };
        return Err(error(span, "bars are the size of an axis", &[help]));
    }
    let axis = axis(input)?;
    if let Some(help) = foreign::closure(&axis, input) {
        return Err(error(span, "a closure does not stand in an equation", &[help]));
    }
    if !input.peek(Token![|]) {
        let help = format!("write `|{}|`", crate::set::axis_name(&axis));
        return Err(error(span, "the size of an axis ends with `|`", &[help]));
    }
    input.parse::<Token![|]>()?;
    Ok(Expression::Size(axis))
}

/// The text up to the next bar, where it is an expression and no axis.
fn between_bars(input: ParseStream<'_>) -> Option<TokenStream> {
    let mut inside = Vec::new();
    while !input.is_empty() && !input.peek(Token![|]) {
        inside.push(input.parse::<TokenTree>().ok()?);
    }
    let inside: TokenStream = inside.into_iter().collect();
    let value = (|input: ParseStream<'_>| expression(input)).parse2(inside.clone()).ok()?;
    let is_axis = matches!(&value, Expression::Name(_)) || crate::set::parse_axis.parse2(inside.clone()).is_ok();
    (!input.is_empty() && !is_axis).then_some(inside)
}

/// A number; `inf` and `pi` are names, found in `named`.
fn number(literal: &Lit) -> syn::Result<Expression> {
    let span = literal.span();
    let (value, whole, digits, suffix) = match literal {
        Lit::Int(int) => (int.base10_parse::<f64>()?, int.base10_parse().ok(), int.base10_digits(), int.suffix()),
        Lit::Float(float) => (float.base10_parse()?, None, float.base10_digits(), float.suffix()),
        Lit::Str(text) if text.value().contains("inf") => {
            let help = "infinity is `inf`, and below all numbers is `-inf`";
            return Err(error(span, "only numbers stand in equations", &[help.to_owned()]));
        }
        Lit::Str(_) => {
            let help = "axes are no strings: `X dot_key Y`, `sum_seq(X)`";
            return Err(error(span, "only numbers stand in equations", &[help.to_owned()]));
        }
        Lit::Bool(_) => {
            let help = "a truth value is a comparison, `X > 0`; for `M == true` write `M`, for `M == false` write `!M`";
            return Err(error(span, "only numbers stand in equations", &[help.to_owned()]));
        }
        _ => return Err(error(span, "only numbers stand in equations", &[])),
    };
    if SUFFIXES.contains(&suffix) {
        return Err(error(span, format!("a number has no suffix: leave out `{suffix}`"), &[]));
    }
    if !suffix.is_empty() {
        let help = format!("write `{digits} * {suffix}`");
        return Err(error(span, format!("an operator is missing between `{digits}` and `{suffix}`"), &[help]));
    }
    if value.is_infinite() {
        return Err(error(span, "this number is beyond `f64`", &["infinity is `inf`".to_owned()]));
    }
    Ok(Expression::Number(Number { value, whole, span }))
}

/// What may stand behind a number in Rust.
const SUFFIXES: [&str; 14] =
    ["i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32", "f64"];

/// A name and what follows it: nothing, arguments, axes and arguments, or a subscript.
fn named(input: ParseStream<'_>) -> syn::Result<Expression> {
    let mut path = Path::parse_mod_style(input)?;
    if let Some(value) = constant(&path) {
        return Ok(value);
    }
    if let Some(error) = foreign::behind(&path, input) {
        return Err(error);
    }
    if input.peek(token::Paren) {
        let content;
        parenthesized!(content in input);
        return Ok(Expression::Call(Call { function: path, axes: None, arguments: list(&content)? }));
    }
    if !input.peek(token::Brace) || !subscript::strip_underscore(&mut path, input) {
        return Ok(Expression::Name(path));
    }
    if !input.peek2(token::Paren) {
        if let Some(error) = subscript::uncalled(&path, input) {
            return Err(error);
        }
        return Ok(Expression::Subscript {
            base: Box::new(Expression::Name(path)),
            entries: subscript::entries(input)?,
        });
    }
    let axes = Some(subscript::groups(input)?);
    let content;
    parenthesized!(content in input);
    Ok(Expression::Call(Call { function: path, axes, arguments: list(&content)? }))
}

fn constant(path: &Path) -> Option<Expression> {
    let ident = path.get_ident()?;
    Some(Expression::Number(Number { value: number_called(ident)?, whole: None, span: ident.span() }))
}

fn number_called(name: &Ident) -> Option<f64> {
    match name.to_string().as_str() {
        "inf" => Some(f64::INFINITY),
        "pi" | "π" => Some(std::f64::consts::PI),
        _ => None,
    }
}

/// Whether a name means a number wherever it stands.
pub(crate) fn is_number(name: &Ident) -> bool {
    number_called(name).is_some()
}

/// `cases = "if" expression "{" expression "}" "else" ( cases | "{" expression "}" )`
fn cases(input: ParseStream<'_>) -> syn::Result<Expression> {
    let token: Token![if] = input.parse()?;
    let condition = Box::new(expression(input)?);
    let then = Box::new(branch(input)?);
    if !input.peek(Token![else]) {
        let help = "write `if .. { .. } else { .. }`";
        return Err(error(token.span, "every case needs a value: `else` is missing", &[help.to_owned()]));
    }
    input.parse::<Token![else]>()?;
    let otherwise = Box::new(if input.peek(Token![if]) { cases(input)? } else { branch(input)? });
    Ok(Expression::Cases { span: token.span, condition, then, otherwise })
}

fn branch(input: ParseStream<'_>) -> syn::Result<Expression> {
    if !input.peek(token::Brace) {
        return Err(foreign::branch(input));
    }
    let content;
    braced!(content in input);
    let value = expression(&content)?;
    if content.is_empty() { Ok(value) } else { Err(foreign::in_branch(&content)) }
}

fn binary(operator: Binary, span: Span, left: Expression, right: Expression) -> Expression {
    Expression::Binary { operator, span, left: Box::new(left), right: Box::new(right) }
}
