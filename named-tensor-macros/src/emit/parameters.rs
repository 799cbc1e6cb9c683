//! The parameters of a function as a struct: public fields, initial values, a walk over all of them.
//!
//! Lives here: what every struct of parameters has. Not here: the walk itself, drawing numbers, files, which are
//! `named_tensor::params`.

use super::call::Values;
use super::function::{apply, lints, parameter_axes, parameter_kind};
use super::{absent, beside, documentation, local, precision, silence};
use crate::ast::{Function, Parameter, ParameterType};
use crate::code::name_of;
use crate::ir::{Body, Draw};
use crate::render::Forms;
use crate::set::{Set, axis_name};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

/// The struct and everything it can do; without a body, what stands for it after an error.
pub(crate) fn parameters(
    function: &Function,
    forms: &Forms,
    body: Option<&Body>,
    draws: &[Option<Draw>],
) -> TokenStream {
    let Function { visibility, name, parameters, .. } = function;
    let (attributes, lints) = (documentation::attributes(function, forms), lints());
    let (constants, beside) = (documentation::constants(function, forms), beside(&function.attributes));
    let silence = silence(&function.attributes);
    let precision = precision(function);
    let fields = parameters.iter().map(|parameter| field(function, parameter));
    let apply = apply(function, body);
    let walk = walk(function, draws);
    quote! {
        #attributes
        #lints
        #silence
        #[derive(Clone, Debug)]
        #visibility struct #name<#precision: ::named_tensor::private::Real = ::core::primitive::f32> {
            #(#fields),*
        }

        #beside
        #lints
        impl<#precision: ::named_tensor::private::Real> #name<#precision> {
            #apply
        }

        #beside
        #lints
        impl #name<::core::primitive::f32> {
            #constants

            /// Draws initial values; `sizes` name at least the axes of all parameters and of their initial values.
            ///
            /// # Errors
            /// A shape that does not fit in memory.
            #[track_caller]
            pub fn init<S: ::named_tensor::private::Extents>(
                rng: &mut impl ::named_tensor::private::Rng,
                sizes: S,
            ) -> ::named_tensor::private::Result<Self>
            where
                S: ::named_tensor::private::Once<S::Repeated>,
                S::Set: ::named_tensor::private::Gives<<Self as ::named_tensor::private::Parameters<::core::primitive::f32>>::Axes>,
            {
                ::named_tensor::private::init(rng, sizes)
            }
        }

        #beside
        #lints
        #walk
    }
}

fn field(function: &Function, parameter: &Parameter) -> TokenStream {
    let Parameter { attributes, name, kind, optional } = parameter;
    let kind = match kind {
        ParameterType::Tensor(kind, _) => kind.to_string(),
        ParameterType::Function(path) => path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default(),
    };
    let text = format!("`{name} : {kind}`{}", if *optional { ", or absent" } else { "" });
    let kind = parameter_kind(function, parameter);
    quote!(#[doc = #text] #(#attributes)* pub #name: #kind)
}

/// The implementation of `Parameters`.
fn walk(function: &Function, draws: &[Option<Draw>]) -> TokenStream {
    let name = &function.name;
    let (path, visitor, init, other) =
        (local("path"), local("visitor"), local("init"), absent("Other", &function.text));
    let precision = precision(function);
    let axes = function.parameters.iter().zip(draws).rev().fold(quote!(()), |axes, (parameter, draw)| {
        let own = match &parameter.kind {
            ParameterType::Tensor(kind, _) => {
                with_axes_of(draw.as_ref(), parameter_axes(function, &kind.set)).to_token_stream()
            }
            ParameterType::Function(path) => {
                quote!(<#path<#precision> as ::named_tensor::private::Parameters<#precision>>::Axes)
            }
        };
        quote!(::named_tensor::private::Union<#own, #axes>)
    });
    let visits = function.parameters.iter().map(|parameter| {
        let (field, text, call) = (&parameter.name, name_of(&parameter.name), visit(parameter, ""));
        quote!(#call(#path, #text, &self.#field, #visitor);)
    });
    let changes = function.parameters.iter().map(|parameter| {
        let (field, text, call) = (&parameter.name, name_of(&parameter.name), visit(parameter, "_mut"));
        quote!(#call(#path, #text, &mut self.#field, #visitor);)
    });
    let draws = function.parameters.iter().zip(draws).map(|(parameter, draw)| {
        let (field, text) = (&parameter.name, name_of(&parameter.name));
        match (draw, &parameter.kind) {
            (_, ParameterType::Function(_)) => quote!(#field: ::named_tensor::private::Init::nested(#init, #text)?),
            (Some(draw), _) => {
                let draw = drawn(draw, Values(&precision));
                let tensor = quote!(::named_tensor::private::Init::tensor(#init, #text, &#draw)?);
                if parameter.optional {
                    quote!(#field: ::core::option::Option::Some(#tensor))
                } else {
                    quote!(#field: #tensor)
                }
            }
            (None, _) => quote!(#field: ::named_tensor::private::poisoned()),
        }
    });
    let casts = function.parameters.iter().map(|parameter| {
        let field = &parameter.name;
        match &parameter.kind {
            ParameterType::Tensor(..) if !parameter.optional => {
                quote!(#field: ::named_tensor::private::Tensor::cast(&self.#field))
            }
            _ => quote!(#field: ::named_tensor::private::Parameters::cast(&self.#field)),
        }
    });
    // At the function's own name: there the compiler says that a private function is a parameter of a public one.
    let axes = quote_spanned!(name.span()=> type Axes = #axes;);
    quote! {
        impl<#precision: ::named_tensor::private::Real> ::named_tensor::private::Parameters<#precision> for #name<#precision> {
            #axes
            type Of<#other: ::named_tensor::private::Real> = #name<#other>;

            fn visit(
                &self,
                #path: &mut ::named_tensor::private::Path,
                #visitor: &mut dyn ::core::ops::FnMut(::named_tensor::private::Parameter<'_, #precision>),
            ) {
                #(#visits)*
            }

            fn visit_mut(
                &mut self,
                #path: &mut ::named_tensor::private::Path,
                #visitor: &mut dyn ::core::ops::FnMut(::named_tensor::private::ParameterMut<'_, #precision>),
            ) {
                #(#changes)*
            }

            fn init_from(#init: &mut ::named_tensor::private::Init<'_>) -> ::named_tensor::private::Result<Self> {
                ::core::result::Result::Ok(#name { #(#draws),* })
            }

            fn cast<#other: ::named_tensor::private::Real>(&self) -> #name<#other> {
                #name { #(#casts),* }
            }
        }
    }
}

/// The axes of a parameter and those whose sizes its initial value speaks of.
fn with_axes_of(draw: Option<&Draw>, set: Set) -> Set {
    let mut all = set.0;
    for axis in draw.map(Draw::axes).unwrap_or_default() {
        if all.iter().all(|known| axis_name(known) != axis_name(&axis)) {
            all.push(axis);
        }
    }
    Set(all)
}

fn visit(parameter: &Parameter, suffix: &str) -> TokenStream {
    let what = match parameter.kind {
        ParameterType::Tensor(..) if !parameter.optional => "tensor",
        _ => "nested",
    };
    super::private(&format!("visit_{what}{suffix}"), Span::call_site())
}

fn drawn(draw: &Draw, values: Values<'_>) -> TokenStream {
    let draw = match draw {
        Draw::Constant(number) => {
            let number = values.value(number);
            quote!(Constant(#number))
        }
        Draw::Uniform(low, high) => {
            let (low, high) = (values.value(low), values.value(high));
            quote!(Uniform { low: #low, high: #high })
        }
        Draw::Normal(mean, deviation) => {
            let (mean, deviation) = (values.value(mean), values.value(deviation));
            quote!(Normal { mean: #mean, deviation: #deviation })
        }
        Draw::Glorot(incoming, outgoing) => {
            let (incoming, outgoing) = (values.value(incoming), values.value(outgoing));
            quote!(Glorot { incoming: #incoming, outgoing: #outgoing })
        }
        Draw::He(incoming) => {
            let incoming = values.value(incoming);
            quote!(He { incoming: #incoming })
        }
    };
    quote!(::named_tensor::private::Draw::#draw)
}
