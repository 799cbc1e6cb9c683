//! The equations' language of `named-tensor`: `axes!`, `R!`, `named!` and `#[lift]`.
//!
//! Tokens go in and tokens come out: this crate knows names, never numbers, and what it emits are plain calls into
//! `::named_tensor::private`. Use it through `named_tensor`, which re-exports every macro and shows them at work.
#![forbid(unsafe_code)]

use proc_macro::TokenStream;

mod ast;
mod axes;
mod builtin;
mod code;
mod emit;
mod ir;
mod lift;
mod lower;
mod named;
mod names;
mod parse;
mod render;
mod report;
mod set;
mod walk;

#[cfg(test)]
mod tests;

/// Declares axes: `axes! { batch, seq, seq_, key }`.
///
/// Each is a type (in sets of axes) and a value (a selector). All are `pub`, unless the block begins with another
/// visibility; each may have documentation of its own. A trailing underscore is a prime: `seq_` prints as seq′.
#[proc_macro]
pub fn axes(input: TokenStream) -> TokenStream {
    axes::expand(input.into()).into()
}

/// The set of the axes named, as a type: `Tensor<R![seq, key]>`.
///
/// The order does not matter: `R![key, seq]` is the same type. `R![]` has no axes, its tensors are scalars.
#[allow(non_snake_case, reason = "the paper writes ℝ")]
#[proc_macro]
pub fn R(input: TokenStream) -> TokenStream {
    set::expand(input.into()).into()
}

/// Lifts a function on declared axes to all tensors that have these axes and more.
///
/// ```text
/// #[lift]
/// fn attention(q: &Tensor<R![key]>, k: &Tensor<R![seq, key]>, v: &Tensor<R![seq, val]>) -> Tensor<R![val]>
/// ```
///
/// Every argument `&Tensor<S>` may then have extra axes; the result has them too. An extra axis never meets an axis of
/// the body, even under the same name. Other arguments are handed on.
#[proc_macro_attribute]
pub fn lift(arguments: TokenStream, input: TokenStream) -> TokenStream {
    lift::expand(arguments.into(), input.into()).into()
}

/// Equations as functions.
///
/// ```text
/// named! {
///     /// Attention : R^key x R^{seq x key} x R^{seq x val} -> R^val
///     pub fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
///         softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V
///     }
/// }
/// ```
///
/// Each function is checked once, at the axes it declares, and applies to tensors with any further axes. Parameters
/// after a semicolon become the public fields of a struct with `init` (initial values) and `apply` (the function). A
/// function without real arguments takes its precision from where its result is used.
///
/// The documentation of a function shows its mathematics, which is made of the same tree as its program. Its forms are
/// constants: `EQUATION` (the source), `UNICODE`, `LATEX`, `MATHML`, and `EINSUM` where such a string exists.
///
/// The grammar:
///
#[doc = concat!("```text\n", include_str!("grammar.md"), "```")]
#[proc_macro]
pub fn named(input: TokenStream) -> TokenStream {
    named::expand(input.into()).into()
}
