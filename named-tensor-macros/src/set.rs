//! `R!`: a set of axes as its canonical type.
//!
//! `R![seq, key]` and `R![key, seq]` are the same tuple, sorted by the codes of the names; a set of one axis is the axis
//! itself, the empty set is `()`. The tokens of the tuple carry the spans of the user's identifiers.
//! Lives here: the set as it is written, its order, and its type. Not here: unions and differences, which are types.

use crate::code::{Code, name_of};
use crate::report::{Report, error};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::{GenericArgument, Path, PathArguments, Token, Type, parenthesized, parse_quote_spanned, token};

/// The whole expansion of `R![..]`.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let set = match syn::parse2::<Set>(input) {
        Err(error) => return error.to_compile_error(),
        Ok(set) => set,
    };
    let mut report = Report::default();
    let set = set.distinct(&mut report);
    match report.finish() {
        // The set without the repetitions, so that what is computed with it is not blamed too.
        Err(error) => {
            let errors = error.to_compile_error();
            quote!(::named_tensor::private::Despite<#set, { #errors 0 }>)
        }
        Ok(()) => set.to_token_stream(),
    }
}

/// A set of axes, in the order in which it is written.
#[derive(Clone)]
pub(crate) struct Set(pub(crate) Vec<Path>);

impl Parse for Set {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let axes = input.parse_terminated(parse_axis, Token![,])?;
        Ok(Set(axes.into_iter().collect()))
    }
}

impl Set {
    /// The set without repetitions, each of which is reported.
    pub(crate) fn distinct(self, report: &mut Report) -> Set {
        let mut kept: Vec<Path> = Vec::new();
        for axis in self.0 {
            let name = axis_name(&axis);
            if kept.iter().any(|earlier| axis_name(earlier) == name) {
                let help = format!("one of two equal axes needs another name: `{name}` and `{name}_`");
                let help = if name.ends_with('*') { Vec::new() } else { vec![help] };
                report.error(axis_span(&axis), format!("axis `{name}` is named twice"), &help);
            } else {
                kept.push(axis);
            }
        }
        Set(kept)
    }
}

impl ToTokens for Set {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let mut axes = self.0.clone();
        axes.sort_by_key(|axis| {
            let name = axis_name(axis);
            let unstarred = name.trim_end_matches('*');
            (Code::of(unstarred), name.len() - unstarred.len())
        });
        tokens.extend(match axes.as_slice() {
            [] => quote!(()),
            [only] => quote!(#only),
            [first, ..] => quote_spanned!(axis_span(first)=> (#(#axes),*)),
        });
    }
}

/// An axis: a path, or `star(..)` of one. The latter becomes a path to what is a starred axis as a type and as a value.
pub(crate) fn parse_axis(input: ParseStream<'_>) -> syn::Result<Path> {
    let path = Path::parse_mod_style(input)?;
    let ends =
        |ahead: ParseStream<'_>| ahead.parse::<Token![*]>().is_ok() && (ahead.is_empty() || ahead.peek(Token![,]));
    if input.peek(Token![*]) && ends(&input.fork()) {
        let help = format!("write `star({})`", axis_name(&path));
        return Err(error(input.span(), "the star of an axis is a word before it", &[help]));
    }
    let Some(word) = path.get_ident().filter(|word| *word == "star" && input.peek(token::Paren)) else {
        return Ok(path);
    };
    let content;
    parenthesized!(content in input);
    let axis = parse_axis(&content)?;
    if !content.is_empty() {
        return Err(content.error("one axis has a star at a time"));
    }
    let span = word.span();
    Ok(parse_quote_spanned!(span=> ::named_tensor::private::Starred::<#axis>))
}

/// The axis under the star, if it has one.
fn unstarred(axis: &Path) -> Option<&Path> {
    match &axis.segments.last()?.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
            GenericArgument::Type(Type::Path(inner)) => Some(&inner.path),
            _ => None,
        },
        _ => None,
    }
}

/// The axis under all its stars.
pub(crate) fn bare(axis: &Path) -> &Path {
    unstarred(axis).map_or(axis, bare)
}

/// The name of an axis given by a path: the last segment, and its stars.
pub(crate) fn axis_name(axis: &Path) -> String {
    match unstarred(axis) {
        Some(inner) => axis_name(inner) + "*",
        None => axis.segments.last().map(|segment| name_of(&segment.ident)).unwrap_or_default(),
    }
}

/// An axis as it is written: `star(seq)`.
pub(crate) fn axis_text(axis: &Path) -> String {
    match unstarred(axis) {
        Some(inner) => format!("star({})", axis_text(inner)),
        None => axis_name(axis),
    }
}

/// Where the name of an axis stands.
pub(crate) fn axis_span(axis: &Path) -> Span {
    axis.segments.last().map_or_else(Span::call_site, |segment| segment.ident.span())
}

#[cfg(test)]
mod tests {
    use super::expand;
    use quote::quote;

    #[test]
    fn the_order_in_which_axes_are_written_does_not_matter() {
        assert_eq!(expand(quote!(seq, key, batch)).to_string(), expand(quote!(key, batch, seq)).to_string());
        assert_eq!(expand(quote!(seq, key)).to_string(), "(key , seq)");
    }

    #[test]
    fn one_axis_is_itself_and_no_axis_is_the_unit() {
        assert_eq!(expand(quote!(key)).to_string(), "key");
        assert_eq!(expand(quote!()).to_string(), "()");
    }

    #[test]
    fn a_path_is_sorted_by_its_last_segment() {
        assert_eq!(expand(quote!(crate::axes::val, key)).to_string(), "(key , crate :: axes :: val)");
    }

    #[test]
    fn a_starred_axis_stands_after_its_axis() {
        let text = expand(quote!(star(key), val, key)).to_string().replace(' ', "");
        assert_eq!(text, "(key,::named_tensor::private::Starred::<key>,val)");
        assert!(expand(quote!(star(key), star(key))).to_string().contains("axis `key*` is named twice"));
    }

    #[test]
    fn an_axis_named_twice_is_an_error() {
        let text = expand(quote!(key, seq, key)).to_string();
        assert!(text.contains("axis `key` is named twice"), "{text}");
    }
}
