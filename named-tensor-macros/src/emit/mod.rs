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

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

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
