//! A function of the notation as a Rust function: lifted outside, at its declared axes inside.
//!
//! Without parameters it is a free function; with parameters it is the method `apply` of their struct (`parameters`).

use super::lifting::{LiftedArgument, Lifting};
use super::{absent, at, body, documentation, precision};
use crate::ast::{Element, Function, Parameter, ParameterType, TensorType};
use crate::code::name_of;
use crate::ir::Body;
use crate::render::Forms;
use crate::set::{Set, axis_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

/// The free function.
pub(crate) fn free(function: &Function, forms: &Forms, body: Option<&Body>) -> TokenStream {
    let Function { visibility, name, .. } = function;
    let (attributes, lints) = (documentation::attributes(function, forms), lints());
    let carrier = documentation::carrier(function, forms);
    let parts = Parts::of(function, body);
    let Parts { generics, bounds, arguments, result, statements } = &parts;
    quote! {
        #attributes
        #lints
        #[track_caller]
        #visibility fn #name<#(#generics),*>(#(#arguments),*) -> #result where #bounds {
            #statements
        }

        #carrier
    }
}

/// The method that applies a struct of parameters.
pub(crate) fn apply(function: &Function, body: Option<&Body>) -> TokenStream {
    let name = &function.name;
    let doc = format!("Applies `{name}` to its arguments.");
    let apply = format_ident!("apply", span = name.span());
    let Parts { generics, bounds, arguments, result, statements } = &Parts::of(function, body);
    // The precision is that of the struct.
    let generics = generics.iter().skip(1);
    quote! {
        #[doc = #doc]
        #[track_caller]
        pub fn #apply<#(#generics),*>(&self, #(#arguments),*) -> #result where #bounds {
            #statements
        }
    }
}

/// The pieces of a signature, and what the function does.
struct Parts {
    /// The precision (if anything is real), selectors, sets of axes.
    generics: Vec<TokenStream>,
    bounds: TokenStream,
    arguments: Vec<TokenStream>,
    result: TokenStream,
    statements: TokenStream,
}

impl Parts {
    fn of(function: &Function, body: Option<&Body>) -> Parts {
        let lifting = lifting(function, body);
        let (sets, bounds) = (lifting.sets(), lifting.bounds());
        let selectors = &lifting.stand_ins;
        let precision = &precision(function);
        let mut generics = Vec::new();
        if is_real(function) {
            generics.push(quote!(#precision: ::named_tensor::private::Real));
        }
        generics.extend(selectors.iter().map(|(_, selector)| {
            quote! {
                #selector: ::named_tensor::private::Selector
                    + ::named_tensor::private::Once<<#selector as ::named_tensor::private::Selector>::Repeated>
            }
        }));
        generics.extend(sets.iter().map(|set| quote!(#set: ::named_tensor::private::Axes)));
        let axes = selectors.iter().map(|(axis, selector)| quote!(#axis: #selector));
        let tensors = function.arguments.iter().zip(&sets).map(|(argument, set)| {
            let (name, span) = (&argument.name, argument.kind.span);
            let (set, element) = (at(span, set.clone()), element(&argument.kind, precision));
            quote_spanned!(span=> #name: &::named_tensor::private::Tensor<#set, #element>)
        });
        let result_set = if sets.is_empty() { lifting.result.clone() } else { lifting.result_set() };
        let element = element(&function.result, precision);
        let result = quote!(::named_tensor::private::Tensor<#result_set, #element>);
        let apart = apart(function, selectors);
        let bounds = quote!(#bounds #apart);
        let statements = match body {
            Some(body) => statements(function, &lifting, body),
            None => quote!(::named_tensor::private::poisoned()),
        };
        Parts { generics, bounds, arguments: axes.chain(tensors).collect(), result, statements }
    }
}

/// The local axes, the inner function, and the call that lifts it.
fn statements(function: &Function, lifting: &Lifting, body: &Body) -> TokenStream {
    let name = format_ident!("__body", span = Span::mixed_site());
    let axes = lifting.stand_ins.iter().map(|(axis, _)| crate::axes::declare(axis, &syn::Visibility::Inherited, &[]));
    let precision = &precision(function);
    let arguments = function.arguments.iter().map(|argument| {
        let (name, kind) = (&argument.name, inner(&argument.kind, precision));
        quote!(#name: &#kind)
    });
    let parameters = function.parameters.iter().map(|parameter| {
        let (name, kind) = (&parameter.name, parameter_kind(function, parameter));
        quote!(#name: &#kind)
    });
    let result = inner(&function.result, precision);
    let body = body::statements(body, precision);
    let given_precision = if is_real(function) { quote!(#precision) } else { quote!(::core::primitive::f32) };
    let given = function.arguments.iter().map(|argument| {
        let name = &argument.name;
        // An argument that was lifted is owned here.
        if lifting.arguments.is_empty() { quote!(#name) } else { quote!(&#name) }
    });
    let fields = function.parameters.iter().map(|parameter| {
        let name = &parameter.name;
        quote!(&self.#name)
    });
    let call = quote!(#name::<#given_precision>(#(#given,)* #(#fields),*));
    let call = if lifting.arguments.is_empty() { call } else { lifting.statements(&call) };
    quote! {
        #(#axes)*
        fn #name<#precision: ::named_tensor::private::Real>(#(#arguments,)* #(#parameters),*) -> #result {
            #body
        }
        #call
    }
}

/// The type of a parameter as a field.
pub(super) fn parameter_kind(function: &Function, parameter: &Parameter) -> TokenStream {
    let precision = &precision(function);
    let kind = match &parameter.kind {
        ParameterType::Tensor(kind, _) => {
            inner(&TensorType { set: parameter_axes(function, &kind.set), ..kind.clone() }, precision)
        }
        ParameterType::Function(path) => quote!(#path<#precision>),
    };
    if parameter.optional { quote!(::core::option::Option<#kind>) } else { kind }
}

/// The axes of a parameter. An axis parameter among them is a mistake that is reported, and no type where the struct is.
pub(super) fn parameter_axes(function: &Function, set: &Set) -> Set {
    let is_own = |axis: &&syn::Path| function.axis_parameters.iter().all(|other| name_of(other) != axis_name(axis));
    Set(set.0.iter().filter(is_own).cloned().collect())
}

fn lifting(function: &Function, body: Option<&Body>) -> Lifting {
    let selector = |(place, axis): (usize, &Ident)| (axis.clone(), absent(&format!("S{place}"), &function.text));
    let stand_ins: Vec<_> = function.axis_parameters.iter().enumerate().map(selector).collect();
    let arguments = function.arguments.iter().enumerate().map(|(place, argument)| LiftedArgument {
        name: argument.name.clone(),
        set: absent(&format!("A{place}"), &function.text),
        span: argument.kind.span,
        outer: outer(&argument.kind.set, &stand_ins),
        inner: argument.kind.set.to_token_stream(),
    });
    let arguments = arguments.collect();
    let result = outer(&function.result.set, &stand_ins);
    let kinds = function.arguments.iter().map(|argument| &argument.kind).chain([&function.result]);
    let are_numbers = function.parameters.is_empty() && kinds.into_iter().all(|kind| kind.set.0.is_empty());
    let is_of_numbers = stand_ins.is_empty() && are_numbers && body.is_some_and(Body::names_no_axis);
    Lifting { name: name_of(&function.name), arguments, result, stand_ins, is_of_numbers }
}

/// The axes given for an axis parameter are none of those that are declared beside it.
fn apart(function: &Function, stand_ins: &[(Ident, Ident)]) -> TokenStream {
    let mut bounds = TokenStream::new();
    for kind in function.arguments.iter().map(|argument| &argument.kind).chain([&function.result]) {
        for (stand_in, selector) in stand_ins {
            let (own, rest): (Vec<_>, Vec<_>) =
                kind.set.0.iter().cloned().partition(|axis| axis_name(axis) == name_of(stand_in));
            let is_parameter = |axis: &syn::Path| stand_ins.iter().any(|(other, _)| name_of(other) == axis_name(axis));
            let rest: Vec<_> = rest.into_iter().filter(|axis| !is_parameter(axis)).collect();
            if !own.is_empty() && !rest.is_empty() {
                let rest = Set(rest);
                bounds.extend(quote_spanned! {kind.span=>
                    <#selector as ::named_tensor::private::Selector>::Set: ::named_tensor::private::Lacks<#rest>,
                });
            }
        }
    }
    bounds
}

/// The set as the caller sees it: an axis parameter is the set that the caller gives for it.
fn outer(set: &Set, stand_ins: &[(Ident, Ident)]) -> TokenStream {
    let (own, rest): (Vec<_>, Vec<_>) = set
        .0
        .iter()
        .cloned()
        .partition(|axis| stand_ins.iter().any(|(stand_in, _)| name_of(stand_in) == axis_name(axis)));
    let selectors =
        stand_ins.iter().filter(|(stand_in, _)| own.iter().any(|axis| axis_name(axis) == name_of(stand_in)));
    selectors.fold(Set(rest).to_token_stream(), |set, (_, selector)| {
        let given = quote!(<#selector as ::named_tensor::private::Selector>::Set);
        quote!(::named_tensor::private::Union<#given, #set>)
    })
}

/// The type of a tensor at its declared axes.
pub(super) fn inner(kind: &TensorType, precision: &Ident) -> TokenStream {
    let (set, element) = (&kind.set, element(kind, precision));
    quote_spanned!(kind.span=> ::named_tensor::private::Tensor<#set, #element>)
}

fn element(kind: &TensorType, precision: &Ident) -> TokenStream {
    match &kind.element {
        Element::Real => at(kind.span, precision.clone()).to_token_stream(),
        Element::Truth => quote_spanned!(kind.span=> ::core::primitive::bool),
        Element::Position(axis) => quote_spanned!(kind.span=> ::named_tensor::private::Index<#axis>),
    }
}

/// Whether the precision occurs in the signature, so that a call can determine it.
fn is_real(function: &Function) -> bool {
    let types = function.arguments.iter().map(|argument| &argument.kind).chain([&function.result]);
    !function.parameters.is_empty() || types.into_iter().any(|kind| matches!(kind.element, Element::Real))
}

/// Equations keep the names of the paper and are not written for the lints of Rust.
pub(super) fn lints() -> TokenStream {
    quote! {
        #[allow(
            nonstandard_style, unused, unreachable_pub, clippy::all, clippy::pedantic,
            clippy::nursery, clippy::restriction,
            reason = "generated from equations, which keep the names of the paper"
        )]
    }
}
