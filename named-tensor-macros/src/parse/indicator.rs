//! Conditions that paper takes for numbers: `1{X > 0}`, `1[X > 0]` and `[X > 0]`.
//!
//! Not here: conditions as the notation writes them (`expression`).

use super::foreign::text;
use proc_macro2::{Group, TokenStream};
use syn::parse::ParseStream;

/// What to write for one.
pub(super) const HELP: &str = "1 where a condition holds: write `if X > 0 { 1 } else { 0 }`";

/// Whether a condition stands in these tokens.
pub(super) fn compares(part: &TokenStream) -> bool {
    let part = text(part);
    part.contains(['<', '>', '!', '&']) || part.contains("==")
}

/// Whether one stands in the group that begins here.
pub(super) fn begins(input: ParseStream<'_>) -> bool {
    input.fork().parse::<Group>().is_ok_and(|group| compares(&group.stream()))
}
