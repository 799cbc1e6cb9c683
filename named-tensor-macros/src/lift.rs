//! `#[lift]`: an ordinary Rust function on declared axes becomes a function on any tensors that have these axes.
//!
//! Arguments of the form `&Tensor<S>` are lifted, all others reach the body as they are. The body is untouched: it
//! becomes an inner function, compiled once for exactly the declared axes.
//! Lives here: which functions can be lifted, and the shape of the new function. Not here: how axes are renamed.

use crate::ast::MOST_ARGUMENTS;
use crate::code::name_of;
use crate::emit::absent;
use crate::emit::lifting::{LiftedArgument, Lifting};
use crate::names::{STACKED, TOO_MANY};
use crate::report::Report;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;
use syn::{FnArg, GenericArgument, GenericParam, ItemFn, Pat, PatType, PathArguments, ReturnType, Signature, Type};

/// A macro sees the words of a type, and not what they stand for.
const ALIAS: &str = "what an alias stands for is not seen here: ";

/// The whole expansion of `#[lift] fn ..`.
pub(crate) fn expand(arguments: TokenStream, input: TokenStream) -> TokenStream {
    let function = match syn::parse2::<ItemFn>(input.clone()) {
        Ok(function) => function,
        Err(_) => {
            let error = syn::Error::new_spanned(&input, "`#[lift]` stands before a function").to_compile_error();
            return quote!(#error #input);
        }
    };
    let mut report = Report::default();
    if !arguments.is_empty() {
        report.error(arguments.span(), "`#[lift]` takes no arguments", &[]);
    }
    refuse_modifiers(&function.sig, &mut report);
    let lifted = Lifted::of(&function, &mut report);
    match (report.finish(), lifted) {
        (Ok(()), Some(lifted)) => lifted.wrap(&function),
        // The function as it stands keeps its callers free of errors that are not theirs.
        (error, _) => {
            let error = error.err().map(|error| error.to_compile_error());
            quote!(#error #function)
        }
    }
}

fn refuse_modifiers(signature: &Signature, report: &mut Report) {
    let modifiers = [
        signature.asyncness.as_ref().map(|token| (token.span(), "async")),
        signature.constness.as_ref().map(|token| (token.span(), "const")),
        signature.abi.as_ref().map(|token| (token.span(), "extern")),
    ];
    for (span, word) in modifiers.into_iter().flatten() {
        report.error(span, format!("a lifted function cannot be `{word}`"), &[]);
    }
}

/// The parts of the new function: its arguments in order, which of them are lifted, its result.
struct Lifted<'a> {
    lifting: Lifting,
    arguments: Vec<Argument<'a>>,
    result: TensorType<'a>,
}

struct Argument<'a> {
    name: Ident,
    source: &'a PatType,
    tensor: Option<TensorType<'a>>,
}

/// `Tensor<S, ..>`, with the place of `S` known.
struct TensorType<'a> {
    path: &'a syn::TypePath,
    set: &'a Type,
}

impl<'a> Lifted<'a> {
    fn of(function: &'a ItemFn, report: &mut Report) -> Option<Lifted<'a>> {
        let signature = &function.sig;
        let arguments: Vec<_> =
            signature.inputs.iter().enumerate().filter_map(|(i, input)| Argument::of(i, input, report)).collect();
        if arguments.len() == signature.inputs.len() && arguments.iter().all(|argument| argument.tensor.is_none()) {
            let help = [
                "an argument that is lifted has a type like `&Tensor<R![seq, key]>`".to_owned(),
                ALIAS.to_owned() + "write `&Tensor<R![..]>` out",
            ];
            report.error(signature.ident.span(), "nothing to lift: no argument is a tensor", &help);
            return None;
        }
        let mut tensors = arguments.iter().filter(|argument| argument.tensor.is_some());
        if let Some(beyond) = tensors.nth(MOST_ARGUMENTS) {
            report.error(beyond.name.span(), TOO_MANY, &[STACKED.to_owned()]);
        }
        let result = match &signature.output {
            ReturnType::Type(_, written) => tensor(written),
            ReturnType::Default => None,
        };
        let Some(result) = result else {
            let help = [
                "write `-> Tensor<R![val]>`; an error at run time travels inside the tensor".to_owned(),
                ALIAS.to_owned() + "write `Tensor<R![..]>` out",
            ];
            let span = match &signature.output {
                ReturnType::Type(_, written) => written.span(),
                ReturnType::Default => signature.ident.span(),
            };
            report.error(span, "a lifted function returns one tensor", &help);
            return None;
        };
        let text = function.to_token_stream().to_string();
        let mut sets = (0..).map(|place| absent(&format!("A{place}"), &text));
        let lifting = Lifting {
            name: name_of(&signature.ident),
            arguments: arguments.iter().filter_map(|argument| argument.lifted(&mut sets)).collect(),
            result: result.set.to_token_stream(),
            stand_ins: Vec::new(),
            is_of_numbers: false,
        };
        Some(Lifted { lifting, arguments, result })
    }

    /// The new function around the old one.
    fn wrap(&self, function: &ItemFn) -> TokenStream {
        let ItemFn { attrs, vis, sig, block, .. } = function;
        let mut inner = sig.clone();
        // Located, not spelt, where the function is: rustc would propose generics of ours for an axis that is not declared.
        inner.ident = Ident::new("__body", Span::mixed_site().located_at(sig.ident.span()));

        let mut outer = sig.clone();
        for set in self.lifting.sets() {
            outer.generics.params.push(syn::parse_quote!(#set: ::named_tensor::private::Axes));
        }
        let bounds = self.lifting.bounds();
        let bounds: syn::WhereClause = syn::parse_quote!(where #bounds);
        outer.generics.make_where_clause().predicates.extend(bounds.predicates);
        let mut sets = self.lifting.sets().into_iter();
        outer.inputs = self.arguments.iter().map(|argument| argument.outer(&mut sets)).collect();
        let result = self.result.with_set(&self.lifting.result_set());
        outer.output = syn::parse_quote!(-> #result);

        let body = &inner.ident;
        let generics = turbofish(&sig.generics);
        let given = self.arguments.iter().map(Argument::given);
        let statements = self.lifting.statements(&quote!(#body #generics(#(#given),*)));
        quote! {
            #(#attrs)*
            #[track_caller]
            #[allow(clippy::type_complexity, reason = "the axes of the result are computed from those of the arguments")]
            #vis #outer {
                #inner #block
                #statements
            }
        }
    }
}

impl<'a> Argument<'a> {
    fn of(place: usize, input: &'a FnArg, report: &mut Report) -> Option<Argument<'a>> {
        let source = match input {
            FnArg::Typed(source) => source,
            other => {
                let help = "write a function that takes what it needs of `self` as arguments";
                report.error(other.span(), "a method cannot be lifted", &[help.to_owned()]);
                return None;
            }
        };
        let name = match &*source.pat {
            Pat::Ident(pattern) if pattern.subpat.is_none() => pattern.ident.clone(),
            _ => format_ident!("argument{place}", span = Span::mixed_site()),
        };
        let borrowed = match &*source.ty {
            Type::Reference(reference) => tensor(&reference.elem).map(|tensor| (reference, tensor)),
            _ => None,
        };
        if let Some(owned) = tensor(&source.ty) {
            let help = format!("write `{name}: &Tensor<..>`");
            report.error(owned.path.span(), "a lifted function borrows its tensors", &[help]);
            return None;
        }
        if let Some((reference, _)) = &borrowed
            && let Some(mutability) = &reference.mutability
        {
            report.error(mutability.span(), "a lifted function cannot change its tensors", &[]);
            return None;
        }
        Some(Argument { name, source, tensor: borrowed.map(|(_, tensor)| tensor) })
    }

    fn lifted(&self, sets: &mut impl Iterator<Item = Ident>) -> Option<LiftedArgument> {
        let tensor = self.tensor.as_ref()?;
        Some(LiftedArgument {
            name: self.name.clone(),
            set: sets.next()?,
            span: tensor.set.span(),
            outer: tensor.set.to_token_stream(),
            inner: tensor.set.to_token_stream(),
        })
    }

    /// The argument of the new function; a lifted one takes the next of the generic sets.
    fn outer(&self, sets: &mut impl Iterator<Item = Ident>) -> FnArg {
        let (name, source) = (&self.name, self.source);
        let attributes = &source.attrs;
        match (&self.tensor, &*source.ty) {
            (Some(tensor), Type::Reference(reference)) => {
                let lifetime = &reference.lifetime;
                let path = tensor.with_set(&sets.next().to_token_stream());
                syn::parse_quote!(#(#attributes)* #name: &#lifetime #path)
            }
            (_, other) => syn::parse_quote!(#(#attributes)* #name: #other),
        }
    }

    /// What the new function hands to the old one.
    fn given(&self) -> TokenStream {
        let name = &self.name;
        if self.tensor.is_some() { quote!(&#name) } else { quote!(#name) }
    }
}

impl TensorType<'_> {
    /// The same type over another set.
    fn with_set(&self, set: &TokenStream) -> Type {
        let mut path = self.path.clone();
        if let Some(PathArguments::AngleBracketed(written)) =
            path.path.segments.last_mut().map(|last| &mut last.arguments)
            && let Some(first) = written.args.first_mut()
        {
            *first = GenericArgument::Type(Type::Verbatim(set.clone()));
        }
        Type::Path(path)
    }
}

/// `Tensor<S, ..>` under whatever path.
fn tensor(written: &Type) -> Option<TensorType<'_>> {
    let Type::Path(path) = written else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(set) if last.ident == "Tensor" => Some(TensorType { path, set }),
        _ => None,
    }
}

/// The types and constants of the function handed on as they are, for those that no argument determines.
fn turbofish(generics: &syn::Generics) -> Option<TokenStream> {
    let names: Vec<&Ident> = generics
        .params
        .iter()
        .filter_map(|parameter| match parameter {
            GenericParam::Type(parameter) => Some(&parameter.ident),
            GenericParam::Const(parameter) => Some(&parameter.ident),
            GenericParam::Lifetime(_) => None,
        })
        .collect();
    (!names.is_empty()).then(|| quote!(::<#(#names),*>))
}
