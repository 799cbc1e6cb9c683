//! From tokens to the syntax tree, going on after a mistake so that one run shows all of them.
//!
//! A broken equation is skipped up to its `;`, a broken signature up to the end of its body. The grammar is in
//! `grammar.md`; each parser quotes its rule.
//! Lives here: the block and the recovery. Not here: signatures, bodies, expressions, subscripts (the files beside).

mod body;
mod expression;
mod foreign;
mod indicator;
mod initial;
mod method;
mod signature;
mod subscript;

pub(crate) use expression::is_number;
pub(crate) use signature::size_text;

use crate::ast::Block;
use crate::report::{Report, error};
use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Lit, LitStr, Path, Token, Visibility, token};

/// The tree of a whole `named! { .. }`, without the parts that are reported.
pub(crate) fn block(tokens: TokenStream, report: &mut Report) -> Block {
    let mut result = Block::default();
    let parser = |input: ParseStream<'_>| {
        while !input.is_empty() {
            if let Err(error) = item(input, &mut result, report) {
                report.add(error);
                skip_item(input);
            }
        }
        Ok(())
    };
    let leftover = parser.parse2(tokens);
    // Tokens left over behind a mistake are no mistake of their own.
    if let Err(error) = leftover
        && report.is_empty()
    {
        report.add(error);
    }
    result
}

/// `item = axes | function`
fn item(input: ParseStream<'_>, block: &mut Block, report: &mut Report) -> syn::Result<()> {
    let attributes = input.call(Attribute::parse_outer)?;
    if attributes.is_empty() && input.peek(syn::Ident) && input.fork().parse::<Ident>()? == "axis" {
        input.parse::<Ident>()?;
        let axes = syn::punctuated::Punctuated::<Ident, Token![,]>::parse_separated_nonempty(input)?;
        input.parse::<Token![;]>()?;
        block.axes.extend(axes);
        return Ok(());
    }
    let visibility: Visibility = input.parse()?;
    if !input.peek(Token![fn]) {
        let help = "write `fn name(X: R[axes]) -> R[axes] { .. }` or `axis name, name;`";
        return Err(error(input.span(), "a function is expected here", &[help.to_owned()]));
    }
    input.parse::<Token![fn]>()?;
    let (name, axis_parameters) = signature::name(input)?;
    match signature::function(input, Named { attributes, visibility, name: name.clone(), axis_parameters }, report) {
        Ok(function) if block.functions.iter().any(|other| other.name == function.name) => {
            let help = "a function of a block has a name of its own";
            report.error(function.name.span(), format!("`{}` is defined twice", function.name), &[help.to_owned()]);
        }
        Ok(function) => block.functions.push(function),
        Err(error) => {
            block.broken.push(name);
            return Err(error);
        }
    }
    Ok(())
}

/// What stands before the parentheses of a function.
struct Named {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    name: Ident,
    axis_parameters: Vec<Ident>,
}

/// Skips the rest of an item: up to the end of its body, its `;`, or the next function.
fn skip_item(input: ParseStream<'_>) {
    let next = |input: ParseStream<'_>| input.peek(Token![fn]) && input.peek2(syn::Ident);
    while !input.is_empty() && !next(input) {
        let ends = input.peek(Token![;])
            || (input.peek(token::Brace) && !input.peek2(token::Paren) && !input.peek2(token::Brace));
        if input.parse::<TokenTree>().is_err() || ends {
            break;
        }
    }
}

/// Skips what is left of a group, so that it is not reported as unexpected.
fn drain(input: ParseStream<'_>) {
    while !input.is_empty() {
        if input.parse::<TokenTree>().is_err() {
            break;
        }
    }
}

/// What stands between commas, up to the end of the group; `help` shows what to write, from the axes in it.
fn separated<T>(
    input: ParseStream<'_>,
    item: impl Fn(ParseStream<'_>) -> syn::Result<T>,
    help: impl Fn(&str) -> String,
) -> syn::Result<Vec<T>> {
    let all = input.fork();
    let mut items = Vec::new();
    while !input.is_empty() {
        items.push(item(input)?);
        if !input.is_empty() && input.parse::<Token![,]>().is_err() {
            let help = help(&foreign::axes_of(&all).join(", "));
            return Err(error(input.span(), "a comma is expected before this", &[help]));
        }
    }
    Ok(items)
}

/// An axis: its name or a path to it.
fn axis(input: ParseStream<'_>) -> syn::Result<Path> {
    if !input.peek(syn::Ident) && !input.peek(Token![::]) && !input.peek(Token![crate]) && !input.peek(Token![self]) {
        let help = if input.peek(LitStr) {
            vec!["axes are no strings: leave out the quotes".to_owned()]
        } else if input.peek(Lit) {
            vec!["axes have names, no numbers: `sum_seq(X)`, `X dot_key Y`".to_owned()]
        } else {
            Vec::new()
        };
        return Err(error(input.span(), "an axis is expected here", &help));
    }
    crate::set::parse_axis(input)
}
