//! The body of a function: equations, each ended by `;`, then the value.
//!
//! A broken equation is reported and skipped up to its `;`, so that mistakes in later ones are found as well.
//! Lives here: equations, and the text of the source for documentation. Not here: expressions.

use super::{drain, expression, foreign, signature, subscript};
use crate::ast::{Body, Equation, Expression, Form};
use crate::report::{Report, error};
use proc_macro2::extra::DelimSpan;
use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Token, token};

/// `body = { equation ";" } expression`; none if any part could not be read.
pub(super) fn body(input: ParseStream<'_>, function: &Ident, report: &mut Report) -> Option<Body> {
    let mut equations = Vec::new();
    let mut result = None;
    let mut sound = true;
    while !input.is_empty() {
        let before = report.count();
        match line(input, report) {
            Ok(Line::Equation(equation)) => {
                // What follows from a type that is not as it is written is no second mistake.
                sound &= report.count() == before || !matches!(equation.form, Form::Value(Some(_)));
                equations.push(*equation);
            }
            Ok(Line::Value(value)) => result = Some(value),
            Err(error) => {
                report.add(error);
                sound = false;
                skip_equation(input);
            }
        }
    }
    drain(input);
    if result.is_none() && sound {
        let help = "the last line is an expression without `;`";
        report.error(function.span(), format!("`{function}` has no value"), &[help.to_owned()]);
    }
    result.filter(|_| sound).map(|result| Body { equations, result })
}

enum Line {
    Equation(Box<Equation>),
    Value(Expression),
}

/// `equation = identifier [ ":" type ] "=" expression | identifier "_" "{" positions "}" "=" expression`
fn line(input: ParseStream<'_>, report: &mut Report) -> syn::Result<Line> {
    if input.peek(Token![;]) {
        return Err(error(input.span(), "an equation is empty", &["leave out the second `;`".to_owned()]));
    }
    let begins = input.fork().call(Ident::parse_any).is_ok_and(|word| word == "var" || word == "const");
    if input.peek(Token![let]) || begins && input.peek2(syn::Ident) {
        let word = input.call(Ident::parse_any)?;
        report.error(word.span(), format!("an equation has no `{word}`"), &["write `X = ..;`".to_owned()]);
        if input.peek(Token![mut]) {
            input.parse::<Token![mut]>()?;
        }
    }
    let (name, form) = if input.peek(syn::Ident) && input.peek2(Token![:]) && !input.peek2(Token![::]) {
        let name: Ident = input.parse()?;
        input.parse::<Token![:]>()?;
        if is_equal_sign(input, 1) {
            let help = format!("write `{name} = ..;`");
            return Err(error(input.span(), "an equation is written with `=`, not `:=`", &[help]));
        }
        (name, Form::Value(Some(signature::tensor_type(input, report)?)))
    } else if input.peek(syn::Ident) && is_equal_sign(input, 2) {
        (input.parse()?, Form::Value(None))
    } else if input.peek(syn::Ident) && input.peek2(token::Brace) && is_equal_sign(input, 3) {
        let (name, positions) = subscript::definition(input)?;
        (name, Form::Cases(positions))
    } else if input.peek(syn::Ident) && input.peek2(token::Paren) && is_equal_sign(input, 3) {
        let name: Ident = input.parse()?;
        let help = format!("a value for each position is `{name}_{{seq(i)}} = ..;`, a function stands beside this one");
        return Err(error(name.span(), "an equation defines a value, not a function", &[help]));
    } else {
        return value(input);
    };
    if !is_equal_sign(input, 1) {
        return Err(error(input.span(), format!("`=` is expected after `{name}`"), &[]));
    }
    input.parse::<Token![=]>()?;
    let start = input.fork();
    let value = match expression::whole(input) {
        Err(error) => return Err(foreign::unended_by(&name, &start, input).unwrap_or(error)),
        Ok(value) => value,
    };
    if input.is_empty() {
        let help = format!("write `{name} = ..;` and then the value, or the value alone");
        return Err(error(name.span(), "an equation ends with `;`, and a body with its value", &[help]));
    }
    input.parse::<Token![;]>()?;
    Ok(Line::Equation(Box::new(Equation { name, form, value })))
}

/// The last line: an expression with nothing behind it.
fn value(input: ParseStream<'_>) -> syn::Result<Line> {
    if input.peek(Token![return]) {
        return Err(error(input.span(), "the value of a function is its last line, without `return`", &[]));
    }
    let span = input.span();
    let value = expression::whole(input)?;
    if input.is_empty() {
        return Ok(Line::Value(value));
    }
    let help = "write `Y = ..;`, or leave out the `;` if this is the value of the function";
    Err(error(span, "a value without a name", &[help.to_owned()]))
}

/// Whether the token at this place (1 is the next) is `=` and not `==`.
fn is_equal_sign(input: ParseStream<'_>, place: usize) -> bool {
    match place {
        1 => input.peek(Token![=]) && !input.peek(Token![==]),
        2 => input.peek2(Token![=]) && !input.peek2(Token![==]),
        _ => input.peek3(Token![=]) && !input.peek3(Token![==]),
    }
}

fn skip_equation(input: ParseStream<'_>) {
    while !input.is_empty() {
        let ends = input.peek(Token![;]);
        if input.parse::<TokenTree>().is_err() || ends {
            break;
        }
    }
}

/// The text of a group as it stands in the file, moved to the left margin; without a file, its tokens.
pub(super) fn source(group: DelimSpan, content: ParseStream<'_>) -> String {
    let Some(text) = group.join().source_text() else {
        return content.fork().parse::<TokenStream>().map(|tokens| format!("{{ {tokens} }}")).unwrap_or_default();
    };
    let indent = |line: &str| line.len() - line.trim_start().len();
    let margin = text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let lines = text.lines().enumerate().map(|(i, line)| if i == 0 { line } else { line.get(margin..).unwrap_or("") });
    lines.collect::<Vec<_>>().join("\n")
}
