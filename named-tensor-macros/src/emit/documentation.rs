//! What is said of a function: its documentation and the constants with its forms.
//!
//! Lives here: where the texts go. Not here: how they come about (`render`).

use super::function::lints;
use super::{beside, namesake};
use crate::ast::Function;
use crate::render::Forms;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, LitStr, Meta};

/// The user's own documentation, the mathematics behind its first paragraph, the source at the end; among them the other
/// attributes.
///
/// Only rustdoc shows MathML, so the compiler and editors are given the source alone.
pub(super) fn attributes(function: &Function, forms: &Forms) -> TokenStream {
    let mathematics = &forms.documentation;
    let mathematics = quote!(#[cfg_attr(doc, doc = #mathematics)] #[doc = ""]);
    let source = format!("```text\n{}\n```", function.text);
    let all = &function.attributes;
    let lines: Vec<Option<String>> = all.iter().map(line).collect();
    // An empty line inside a block of code ends no paragraph.
    let is_code = |line: &Option<String>| line.as_ref().is_some_and(|text| text.trim_start().starts_with("```"));
    let is_end = |place: usize| {
        let is_empty = lines[place].as_ref().is_some_and(|text| text.trim().is_empty());
        is_empty && lines[..place].iter().filter(|line| is_code(line)).count() % 2 == 0
    };
    let (first, rest) = all.split_at((0..all.len()).find(|place| is_end(*place)).unwrap_or(all.len()));
    let title = format!("`{}` of the notation.", function.name);
    let title = if lines.iter().any(Option::is_some) { TokenStream::new() } else { quote!(#[doc = #title]) };
    quote!(#title #(#first)* #[doc = ""] #mathematics #(#rest)* #[doc = #source])
}

/// The text of an attribute that is documentation.
fn line(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => {
            let value = pair.value.to_token_stream();
            Some(syn::parse2::<LitStr>(value.clone()).map_or_else(|_| value.to_string(), |text| text.value()))
        }
        _ => None,
    }
}

/// `EQUATION` and the forms of the mathematics, as constants.
pub(super) fn constants(function: &Function, forms: &Forms) -> TokenStream {
    let text = &function.text;
    let Forms { mathml, latex, unicode, einsum, .. } = forms;
    let einsum = match einsum {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    };
    quote! {
        /// The function as it is written.
        pub const EQUATION: &'static ::core::primitive::str = #text;
        /// The mathematics as lines of text.
        pub const UNICODE: &'static ::core::primitive::str = #unicode;
        /// The mathematics as LaTeX, for `namedtensor.sty`.
        pub const LATEX: &'static ::core::primitive::str = #latex;
        /// The mathematics as a `<math>` element.
        pub const MATHML: &'static ::core::primitive::str = #mathml;
        /// The function as an einsum string, operands as in its signature, if it is a sum of products.
        pub const EINSUM: ::core::option::Option<&'static ::core::primitive::str> = #einsum;
    }
}

/// The type of a free function's name, which carries what can be said of it: `Attention::LATEX`.
pub(super) fn carrier(function: &Function, forms: &Forms) -> TokenStream {
    let Function { visibility, name, .. } = function;
    let (lints, constants) = (lints(), constants(function, forms));
    let doc = format!("What is known of the function `{name}`.");
    let (named, beside) = (namesake(&function.attributes), beside(&function.attributes));
    quote! {
        #[doc = #doc]
        #named
        #lints
        #visibility struct #name {}

        #beside
        #lints
        impl #name {
            #constants
        }
    }
}
