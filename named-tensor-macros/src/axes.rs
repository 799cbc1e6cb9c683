//! `axes!`: names of axes, each usable as a type and as a value.
//!
//! An axis `key` is a struct without fields (the type) and a function of the same name (the value, a selector): a unit
//! struct would turn `let key = ..` into a pattern. Everything emitted carries the span of the user's identifier, so
//! that rustc's own messages point there and not at the macro.
//! Not here: sets (`set`), and what the algebra does with the digits (`named_tensor::private`).

use crate::code::{Code, name_of};
use crate::emit::{beside, namesake};
use crate::report::{Report, list};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote_spanned};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Token, Visibility};

/// The whole expansion of `axes! { .. }`.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    match syn::parse2::<Declarations>(input) {
        Err(error) => error.to_compile_error(),
        Ok(declarations) => {
            let mut report = Report::default();
            let kept = distinct(declarations.axes, &mut report);
            let items = kept.iter().map(|axis| declare(&axis.name, &declarations.visibility, &axis.attributes));
            let mut tokens: TokenStream = items.collect();
            tokens.extend(report.into_tokens());
            tokens
        }
    }
}

struct Declarations {
    visibility: Visibility,
    axes: Vec<Declaration>,
}

struct Declaration {
    attributes: Vec<Attribute>,
    name: Ident,
}

impl Parse for Declarations {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let visibility = match input.parse()? {
            // Axes are vocabulary, made to be shared.
            Visibility::Inherited => Visibility::Public(Token![pub](Span::call_site())),
            stated => stated,
        };
        let axes = input.parse_terminated(Declaration::parse, Token![,])?;
        Ok(Declarations { visibility, axes: axes.into_iter().collect() })
    }
}

impl Parse for Declaration {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Declaration { attributes: input.call(Attribute::parse_outer)?, name: input.parse()? })
    }
}

/// The declarations without those that name an axis again or whose codes collide; these are reported.
fn distinct(axes: Vec<Declaration>, report: &mut Report) -> Vec<Declaration> {
    let mut seen: HashMap<Code, String> = HashMap::new();
    let mut is_new = |axis: &Declaration| {
        let name = name_of(&axis.name);
        match seen.entry(Code::of(&name)) {
            Entry::Vacant(place) => {
                place.insert(name);
                return true;
            }
            Entry::Occupied(place) if *place.get() == name => {
                report.error(axis.name.span(), format!("axis `{name}` is declared twice"), &[]);
            }
            Entry::Occupied(place) => {
                let both = list([place.get(), &name]);
                let message = format!("axes {both} cannot be told apart: their codes are equal");
                report.error(axis.name.span(), message, &["rename one of them".to_owned()]);
            }
        }
        false
    };
    axes.into_iter().filter(|axis| is_new(axis)).collect()
}

/// The type, the value and the name of one axis.
pub(crate) fn declare(name: &Ident, visibility: &Visibility, attributes: &[Attribute]) -> TokenStream {
    let span = name.span();
    let text = name_of(name);
    let visibility = respan(visibility, span);
    let digits = Code::of(&text).0.map(|digit| format_ident!("D{digit}", span = span));
    let places = ["A", "B", "C", "D", "E", "F"].map(|place| Ident::new(place, span));
    let documented = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
    let default_doc = (!documented).then(|| doc(span, format!("The axis `{text}`.")));
    let (named, beside) = (namesake(attributes), beside(attributes));
    let value_doc = doc(span, format!("The axis `{text}` as a value, to select it."));
    quote_spanned! {span=>
        #(#attributes)*
        #default_doc
        #[allow(non_camel_case_types, dead_code, unreachable_pub, reason = "an axis keeps the name it has on paper")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #visibility struct #name {}

        #value_doc
        #named
        #[allow(non_snake_case, dead_code, unreachable_pub, reason = "an axis keeps the name it has on paper")]
        #[must_use]
        #visibility fn #name() -> #name {
            #name {}
        }

        #beside
        impl ::named_tensor::private::Axis for #name {
            const NAME: &'static str = #text;
            #(type #places = ::named_tensor::private::d::#digits;)*
            type Stars = ::named_tensor::private::NoStar;
        }
    }
}

fn doc(span: Span, text: String) -> TokenStream {
    quote_spanned!(span=> #[doc = #text])
}

/// The visibility with all its tokens at the identifier, so that no part of the item points elsewhere.
fn respan(visibility: &Visibility, span: Span) -> TokenStream {
    quote_spanned!(span=> #visibility)
        .into_iter()
        .map(|mut token| {
            token.set_span(span);
            token
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::expand;
    use quote::quote;

    fn expansion(input: proc_macro2::TokenStream) -> String {
        expand(input).to_string()
    }

    #[test]
    fn an_axis_is_a_type_a_value_and_a_name() {
        let text = expansion(quote!(batch, key));
        assert!(text.contains("pub struct key { }"), "{text}");
        assert!(text.contains("pub fn key () -> key"), "{text}");
        assert!(text.contains(r#"const NAME : & 'static str = "key""#), "{text}");
        assert!(!text.contains("compile_error"), "{text}");
    }

    #[test]
    fn a_stated_visibility_and_the_docs_reach_every_axis() {
        let text = expansion(quote!(pub(crate) #[doc = "positions"] seq, key));
        assert_eq!(text.matches("pub (crate) struct").count(), 2, "{text}");
        assert!(text.contains("positions") && !text.contains("The axis `seq`."), "{text}");
    }

    #[test]
    fn an_axis_declared_twice_is_reported_once_and_emitted_once() {
        let text = expansion(quote!(key, seq, key));
        assert_eq!(text.matches("axis `key` is declared twice").count(), 1, "{text}");
        assert_eq!(text.matches("struct key").count(), 1, "{text}");
    }

    #[test]
    fn an_empty_block_is_empty() {
        assert_eq!(expansion(quote!()), "");
    }
}
