//! From the intermediate form to tokens: the only place that quotes Rust code.
//!
//! Whatever is emitted for something the user wrote carries its span, so that rustc's messages point there. Variables of
//! our own are `mixed_site`, so that none of them can meet a variable of theirs.
//! The files: `lifting` the wrapper, `function` functions, `parameters` their structs, `body` equations, `call` calls,
//! `documentation` what is said of them.

pub(crate) mod body;
mod call;
mod documentation;
pub(crate) mod function;
pub(crate) mod lifting;
pub(crate) mod parameters;

use crate::ast::Function;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Attribute, Meta};

/// A name for a generic of ours: this one, primed if the text of the user has it, where it means something else.
pub(crate) fn absent(name: &str, text: &str) -> Ident {
    let mut name = name.to_owned();
    while text.contains(&name) {
        name.push('_');
    }
    Ident::new(&name, Span::call_site())
}

/// The precision of a function as a generic.
fn precision(function: &Function) -> Ident {
    absent("Precision", &function.text)
}

/// The attributes that hold for whatever is emitted beside the item that they stand before: whether it is there at all, and
/// what lints are told.
pub(crate) fn beside(attributes: &[Attribute]) -> TokenStream {
    let is_one_of = |attribute: &&Attribute, words: &[&str]| words.iter().any(|word| attribute.path().is_ident(word));
    let shared = attributes.iter().filter(|attribute| is_one_of(attribute, &["cfg", "allow", "warn", "deny"]));
    let silence = silence(attributes);
    quote!(#(#shared)* #silence)
}

/// Within what is deprecated nothing is said of that, as rustc has it for an item that is not generated.
pub(crate) fn silence(attributes: &[Attribute]) -> Option<TokenStream> {
    let is_deprecated = attributes.iter().any(|attribute| attribute.path().is_ident("deprecated"));
    is_deprecated.then(|| quote!(#[allow(deprecated, reason = "it is deprecated itself")]))
}

/// [`beside`], and what is shown of it: for a second item of the same name.
pub(crate) fn namesake(attributes: &[Attribute]) -> TokenStream {
    let is_shown = |attribute: &&Attribute| {
        attribute.path().is_ident("deprecated")
            || attribute.path().is_ident("doc") && matches!(attribute.meta, Meta::List(_))
    };
    let (shown, beside) = (attributes.iter().filter(is_shown), beside(attributes));
    quote!(#(#shown)* #beside)
}

/// A variable of ours. No variable of theirs can meet it, but a pattern is also a constant of that name where there is one, so
/// it has a name that nobody gives.
pub(crate) fn local(name: &str) -> Ident {
    Ident::new(&format!("__{name}"), Span::mixed_site())
}

/// The identifier at another place.
pub(crate) fn at(span: Span, mut ident: Ident) -> Ident {
    ident.set_span(span);
    ident
}

/// Errors inside a constant of their own: beside items, rustc would stop looking for undeclared names in the module, and
/// a second mistake would stay hidden.
pub(crate) fn aside(errors: &TokenStream) -> TokenStream {
    if errors.is_empty() { TokenStream::new() } else { quote!(const _: () = { #errors };) }
}

/// `::named_tensor::private::name`.
pub(crate) fn private(name: &str, span: Span) -> TokenStream {
    let name = Ident::new(name, span);
    quote_spanned!(span=> ::named_tensor::private::#name)
}

#[cfg(test)]
mod tests {
    use super::absent;

    #[test]
    fn a_name_of_ours_is_primed_until_the_text_has_it_nowhere() {
        assert_eq!(absent("A0", "fn f(X: R[key]) -> R[key] { X }"), "A0");
        assert_eq!(absent("A0", "fn f(X: R[A0, key]) -> R[key] { sum_A0(X) }"), "A0_");
        assert_eq!(absent("A0", "fn f(X: R[A0, A0_]) -> R[] { sum_{A0, A0_}(X) }"), "A0__");
    }
}
