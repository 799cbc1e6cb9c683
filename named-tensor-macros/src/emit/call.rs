//! Values as Rust expressions.
//!
//! The tokens of a call carry the span of the operator or name that the user wrote: an error about the call stands
//! there, and the place that a run-time error reports is there too.

use super::{at, local, private};
use crate::ir::{Code, Generics, Given};
use crate::set::{Set, axis_name};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Path;

/// How the values of one function are written: with the name of its precision.
#[derive(Clone, Copy)]
pub(super) struct Values<'a>(pub(super) &'a Ident);

impl Values<'_> {
    /// A value: a tensor that is owned, or a number.
    pub(super) fn value(self, code: &Code) -> TokenStream {
        match code {
            Code::Number(number, span) if number.is_infinite() => {
                quote_spanned!(*span=> ::core::primitive::f64::INFINITY)
            }
            Code::Number(number, span) => literal(Literal::f64_suffixed(*number), *span),
            Code::Count(count, span) => literal(Literal::usize_suffixed(*count), *span),
            Code::Variable { name, .. } => name.to_token_stream(),
            Code::Copy(variable) => {
                let borrowed = self.borrowed(variable);
                quote!(::core::clone::Clone::clone(#borrowed))
            }
            Code::Constant(path) => {
                let span = crate::set::axis_span(path);
                let constant = private("constant", span);
                quote_spanned!(span=> #constant(#path))
            }
            Code::Size { of, axis, span } => {
                let (size, of) = (private("size", *span), self.borrowed(of));
                quote_spanned!(*span=> #size(#of, #axis))
            }
            Code::Given { axis, span } => {
                let (init, name) = (local("init"), axis_name(axis));
                let kind = private("Init", *span);
                quote_spanned!(*span=> #kind::size(#init, #name)?)
            }
            Code::Float(whole, span) => {
                let whole = self.value(whole);
                quote_spanned!(*span=> (#whole as ::core::primitive::f64))
            }
            Code::Whole(number, text, span) => self.whole(number, text.as_deref(), *span),
            Code::Plain { sign, left, right, span } => {
                let (left, sign, right) =
                    (left.as_deref().map(|code| self.value(code)), operator(sign, *span), self.value(right));
                quote_spanned!(*span=> (#left #sign #right))
            }
            Code::PlainCases { condition, then, otherwise, span } => {
                let (condition, then, otherwise) = (self.value(condition), self.value(then), self.value(otherwise));
                quote_spanned!(*span=> (if #condition { #then } else { #otherwise }))
            }
            Code::Operation { name, generics, arguments, span } => {
                let (name, generics) = (private(name, *span), self.turbofish(generics, *span));
                let arguments = arguments.iter().map(|given| self.given(given));
                quote_spanned!(*span=> #name #generics(#(#arguments),*))
            }
            Code::Function { path, arguments, span, .. } => {
                let arguments = arguments.iter().map(|given| self.given(given));
                quote_spanned!(*span=> #path(#(#arguments),*))
            }
            Code::Apply { parameter, arguments, span, .. } => {
                let arguments = arguments.iter().map(|given| self.given(given));
                quote_spanned!(*span=> #parameter.apply(#(#arguments),*))
            }
            Code::ApplyIfPresent { parameter, argument, span } => {
                let (argument, or_itself) = (self.given(argument), private("or_itself", *span));
                let (x, function) = (local("x"), local("function"));
                quote_spanned! {*span=> {
                    let #x = #argument;
                    #or_itself(#parameter.as_ref().map(|#function| #function.apply(#x)), #x)
                }}
            }
        }
    }

    /// A tensor that is borrowed.
    fn borrowed(self, code: &Code) -> TokenStream {
        match code {
            Code::Variable { name, borrowed: true } => name.to_token_stream(),
            Code::Variable { name, .. } => quote_spanned!(name.span()=> &#name),
            Code::Copy(variable) => self.borrowed(variable),
            other => {
                let (span, tensor) = (other.span(), self.value(other));
                quote_spanned!(span=> &#tensor)
            }
        }
    }

    /// A size or position that is computed: the equation has no value if it is not whole.
    fn whole(self, number: &Code, text: Option<&str>, span: Span) -> TokenStream {
        let text = text.map_or("this one".to_owned(), |text| format!("`{text}`"));
        let (number, convert, failed) = (self.value(number), private("whole", span), private("failed", span));
        let found = local("whole");
        quote_spanned! {span=>
            match #convert(#text, #number) {
                ::core::result::Result::Ok(#found) => #found,
                ::core::result::Result::Err(#found) => return #failed(#found),
            }
        }
    }

    fn given(self, given: &Given) -> TokenStream {
        match given {
            Given::Tensor(code) => self.borrowed(code),
            Given::Value(code) => self.value(code),
            Given::Axes(axes) => selector(axes),
            Given::Parts(parts, span) => {
                let part = |(axis, size): &(Path, Option<Code>)| match size {
                    None => axis.to_token_stream(),
                    Some(size) => {
                        let (part, size) = (private("part", *span), self.value(size));
                        quote_spanned!(crate::set::axis_span(axis)=> #part(#axis, #size))
                    }
                };
                let parts = parts.iter().map(part);
                quote_spanned!(*span=> (#(#parts,)*))
            }
            Given::Range(low, high, span) => {
                let (low, high) =
                    (low.as_ref().map(|code| self.value(code)), high.as_ref().map(|code| self.value(code)));
                quote_spanned!(*span=> (#low)..(#high)).into_iter().filter(not_empty_group).collect()
            }
            Given::Comparison(name, span) => {
                let (comparison, name) = (private("Comparison", *span), format_ident!("{name}", span = *span));
                quote_spanned!(*span=> #comparison::#name)
            }
        }
    }

    fn turbofish(self, generics: &Generics, span: Span) -> TokenStream {
        match generics {
            Generics::Inferred => TokenStream::new(),
            Generics::Precision(count) => {
                let inferred = std::iter::repeat_n(quote_spanned!(span=> _), count - 1);
                let precision = at(span, self.0.clone());
                quote_spanned!(span=> ::<#(#inferred,)* #precision>)
            }
            Generics::Exact => quote_spanned!(span=> ::<::core::primitive::f64>),
            Generics::Axes(Set(axes)) => {
                let set = Set(axes.clone());
                quote_spanned!(span=> ::<#set, _, _>)
            }
        }
    }
}

/// One axis as a value, or several as a tuple.
fn selector(axes: &[Path]) -> TokenStream {
    match axes {
        [only] => only.to_token_stream(),
        [first, ..] => {
            // The label of a message about the whole tuple stands at its first axis.
            let span = crate::set::axis_span(first);
            quote_spanned!(span=> (#(#axes),*))
        }
        [] => quote!(()),
    }
}

/// Drops the parentheses of an end of a range that is left open.
fn not_empty_group(token: &proc_macro2::TokenTree) -> bool {
    !matches!(token, proc_macro2::TokenTree::Group(group) if group.stream().is_empty())
}

fn literal(mut literal: Literal, span: Span) -> TokenStream {
    literal.set_span(span);
    literal.to_token_stream()
}

fn operator(sign: &str, span: Span) -> TokenStream {
    match sign {
        "+" => quote_spanned!(span=> +),
        "-" => quote_spanned!(span=> -),
        "*" => quote_spanned!(span=> *),
        "/" => quote_spanned!(span=> /),
        "%" => quote_spanned!(span=> %),
        "==" => quote_spanned!(span=> ==),
        "!=" => quote_spanned!(span=> !=),
        "<" => quote_spanned!(span=> <),
        "<=" => quote_spanned!(span=> <=),
        ">" => quote_spanned!(span=> >),
        ">=" => quote_spanned!(span=> >=),
        "&&" => quote_spanned!(span=> &&),
        "||" => quote_spanned!(span=> ||),
        _ => quote_spanned!(span=> !),
    }
}

impl Code {
    /// The token that the value came from.
    fn span(&self) -> Span {
        match self {
            Code::Number(_, span) | Code::Count(_, span) | Code::Float(_, span) | Code::Whole(.., span) => *span,
            Code::Variable { name, .. } => name.span(),
            Code::Copy(variable) => variable.span(),
            Code::Constant(path) => crate::set::axis_span(path),
            Code::Size { span, .. } | Code::Given { span, .. } | Code::Plain { span, .. } => *span,
            Code::PlainCases { span, .. } | Code::Operation { span, .. } => *span,
            Code::Function { span, .. } | Code::Apply { span, .. } | Code::ApplyIfPresent { span, .. } => *span,
        }
    }
}
