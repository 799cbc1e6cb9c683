//! Initial values of parameters: numbers, and distributions that they are drawn from.
//!
//! Lives here: how they are read. Not here: whether there is such a distribution, and what a parameter without one starts
//! as (`lower::initial`).

use super::{axis, expression, separated};
use crate::ast::Initial;
use crate::report::error;
use proc_macro2::Ident;
use syn::parse::ParseStream;
use syn::{Lit, Path, Token, braced, parenthesized, token};

/// The names of distributions.
const DISTRIBUTIONS: [&str; 4] = ["normal", "uniform", "glorot", "he"];

/// `initial = "=" expression | "~" name [ "(" arguments ")" ] | "~" name "(" "{" axes "}" [ "->" "{" axes "}" ] ")"`
pub(super) fn initial(input: ParseStream<'_>) -> syn::Result<Option<Initial>> {
    if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        let drawn = input.fork().parse().ok().filter(|name: &Ident| DISTRIBUTIONS.iter().any(|known| name == known));
        if let Some(name) = drawn.filter(|_| input.peek2(token::Paren)) {
            let help = format!("write `~ {name}(..)`");
            return Err(error(name.span(), "what is drawn stands behind `~`", &[help]));
        }
        return expression::expression(input).map(Initial::Constant).map(Some);
    }
    if !input.peek(Token![~]) {
        return Ok(None);
    }
    input.parse::<Token![~]>()?;
    if input.peek(Lit) {
        let help = "a number stands behind `=`; drawn is `~ normal(0, 1)`";
        return Err(error(input.span(), "a distribution is expected here", &[help.to_owned()]));
    }
    let name: Ident = input.parse()?;
    let mut drawn = (Vec::new(), None);
    if input.peek(token::Paren) {
        let content;
        parenthesized!(content in input);
        if content.peek(token::Brace) {
            let inputs = braced_axes(&content)?;
            let outputs = if content.is_empty() {
                None
            } else {
                content.parse::<Token![->]>()?;
                Some(braced_axes(&content)?)
            };
            drawn.1 = Some((inputs, outputs));
        } else {
            drawn.0 = expression::list(&content)?;
        }
    }
    Ok(Some(Initial::Drawn { name, arguments: drawn.0, axes: drawn.1 }))
}

fn braced_axes(input: ParseStream<'_>) -> syn::Result<Vec<Path>> {
    let content;
    braced!(content in input);
    separated(&content, axis, |axes| format!("write `{{{axes}}}`"))
}
