//! The lifted wrapper that `#[lift]` and `named!` share: any axes come in, the declared ones reach the body.
//!
//! For f : S₀ × S₁ → U the wrapper is generic in one set `A0`, `A1` per argument, each with its own bound, so that a
//! mistake blames the argument that made it. On entry the extra axes get fresh names, on exit they get theirs back;
//! both are calls into `named_tensor::private`, nothing of it happens here.

use super::{at, local};
use crate::ast::MOST_ARGUMENTS;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

/// What is lifted: the declared sets of the tensor arguments and of the result.
pub(crate) struct Lifting {
    /// The name under which errors mention the function.
    pub(crate) name: String,
    /// The tensor arguments, in order.
    pub(crate) arguments: Vec<LiftedArgument>,
    /// The declared axes of the result.
    pub(crate) result: TokenStream,
    /// Local axes that stand for sets given by the caller: the axis and the type of its selector.
    pub(crate) stand_ins: Vec<(Ident, Ident)>,
    /// Whether it is a function of numbers: then no axis needs another name.
    pub(crate) is_of_numbers: bool,
}

/// One tensor argument.
pub(crate) struct LiftedArgument {
    /// Its name.
    pub(crate) name: Ident,
    /// The generic set of axes that it has, which the text of the function does not mention.
    pub(crate) set: Ident,
    /// Where its type is written; a bound that fails is shown there.
    pub(crate) span: Span,
    /// Its declared axes as the caller sees them.
    pub(crate) outer: TokenStream,
    /// Its declared axes inside the body; they differ from `outer` when an axis parameter occurs.
    pub(crate) inner: TokenStream,
}

impl Lifting {
    /// The generic sets `A0`, `A1`, ..., one per argument.
    pub(crate) fn sets(&self) -> Vec<Ident> {
        self.arguments.iter().map(|argument| argument.set.clone()).collect()
    }

    /// `A0: Has<S0> + Avoids<S0, U>, ...` for the where-clause.
    pub(crate) fn bounds(&self) -> TokenStream {
        let result = &self.result;
        let bound = |(argument, set): (&LiftedArgument, Ident)| {
            let declared = &argument.outer;
            let set = at(argument.span, set);
            quote_spanned! {argument.span=>
                #set: ::named_tensor::private::Has<#declared> + ::named_tensor::private::Avoids<#declared, #result>,
            }
        };
        self.arguments.iter().zip(self.sets()).map(bound).collect()
    }

    /// The axes of the lifted result, `U ∪ E₀ ∪ E₁`. Arguments beyond those that can be lifted over were refused: types say
    /// nothing more about them.
    pub(crate) fn result_set(&self) -> TokenStream {
        let (sets, result) = (self.sets().into_iter().take(MOST_ARGUMENTS), &self.result);
        let declared = self.arguments.iter().take(MOST_ARGUMENTS).map(|argument| &argument.outer);
        quote!(::named_tensor::private::Lifted<(#(#sets,)*), fn(#(#declared),*) -> #result>)
    }

    /// The statements of the wrapper: enter, `call` (which may name the arguments, now owned), exit.
    pub(crate) fn statements(&self, call: &TokenStream) -> TokenStream {
        let (lift, result) = (local("lift"), local("result"));
        let name = &self.name;
        // By path: a trait of the user's may have methods of these names for all types.
        let own = quote!(::named_tensor::private::Lift);
        let stand_ins =
            self.stand_ins.iter().map(|(axis, selector)| quote!(#own::stand_for::<#axis, #selector>(&mut #lift);));
        let entries = self.arguments.iter().map(|argument| {
            let LiftedArgument { name, inner, .. } = argument;
            quote!(let #name = #own::enter::<_, #inner, _>(&mut #lift, #name);)
        });
        let new = if self.is_of_numbers { quote!(of_numbers) } else { quote!(new) };
        quote! {
            let mut #lift = #own::#new(#name);
            #(#stand_ins)*
            #(#entries)*
            let #result = #call;
            #own::exit(&#lift, #result)
        }
    }
}
