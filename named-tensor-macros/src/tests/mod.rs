//! Tests of whole expansions: golden files for what is emitted, tables for what is reported.

mod elsewhere;
mod expansion;
mod forms;
mod habits;
mod messages;
mod mistakes;
mod prefixes;
mod slips;

use proc_macro2::TokenStream;

/// Tokens from text.
pub(crate) fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_else(|error| panic!("not tokens: {error}\n{text}"))
}
