//! The body of a function: conditions, equations, value.
//!
//! It becomes an inner function at exactly the declared axes, generic in the precision alone, so that it is compiled
//! once however many sets of axes the function around it is called with.

use super::call::Values;
use super::{local, private};
use crate::code::name_of;
use crate::ir::{Agreement, Body, Condition, Definition};
use crate::set::{axis_name, axis_span};
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

/// The statements of a body.
pub(super) fn statements(body: &Body, precision: &Ident) -> TokenStream {
    let values = Values(precision);
    let agreements = body.agreements.iter().map(agreement);
    let conditions = body.conditions.iter().map(|one| condition(one, values));
    let definitions = body.definitions.iter().map(|one| definition(one, values));
    let result = values.value(&body.result);
    quote!(#(#agreements)* #(#conditions)* #(#definitions)* #result)
}

/// Those who have an axis whose size is read agree on it.
fn agreement(agreement: &Agreement) -> TokenStream {
    let Agreement { axis, sources } = agreement;
    let span = axis_span(axis);
    let (check, known, failed) = (private("agreed", span), private("known_size", span), private("failed", span));
    let sizes = sources.iter().map(|source| {
        let name = name_of(source);
        quote_spanned!(span=> (#name, #known(#source, #axis)))
    });
    let (error, name) = (local("error"), axis_name(axis));
    quote_spanned! {span=>
        if let ::core::result::Result::Err(#error) = #check(#name, &[#(#sizes),*]) {
            return #failed(#error);
        }
    }
}

fn condition(condition: &Condition, values: Values<'_>) -> TokenStream {
    let Condition { text, sizes, holds, span } = condition;
    let (check, failed, holds) = (private("condition", *span), private("failed", *span), values.value(holds));
    let sizes = sizes.iter().map(|(name, size)| {
        let size = values.value(size);
        quote_spanned!(*span=> (#name, #size))
    });
    let error = local("error");
    quote_spanned! {*span=>
        if let ::core::result::Result::Err(#error) = #check(#text, &[#(#sizes),*], #holds) {
            return #failed(#error);
        }
    }
}

fn definition(definition: &Definition, values: Values<'_>) -> TokenStream {
    let Definition { name, positions, value: code } = definition;
    let code = values.value(code);
    if positions.is_empty() {
        return quote_spanned!(name.span()=> let #name = #code;);
    }
    let positions = positions.iter().map(|(position, axis, size)| {
        let (positions, size) = (private("positions", position.span()), values.value(size));
        quote_spanned!(position.span()=> let #position = #positions(#axis, #size);)
    });
    quote_spanned! {name.span()=>
        let #name = {
            #(#positions)*
            #code
        };
    }
}
