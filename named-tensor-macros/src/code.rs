//! The code of a name: six base-64 digits by which sets of axes are sorted.
//!
//! Two digits come from the first two characters, so that sets read almost alphabetically; four come from a hash of
//! the whole name, so that the code stays short however long the shared prefixes of a vocabulary are.
//! `axes!` puts the digits into types and `R!` sorts by them here, so both must use this one function.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;

/// Six digits below 64; the derived order is the order of axes in a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Code(pub(crate) [u8; 6]);

impl Code {
    /// The code of the axis with this name.
    pub(crate) fn of(name: &str) -> Code {
        let mut letters = name.chars().map(letter).chain([0, 0]);
        let (first, second) = (letters.next().unwrap_or(0), letters.next().unwrap_or(0));
        let hash = fnv1a(name);
        // The upper byte is folded in, so that all 32 bits of the hash count.
        let bits = (hash >> 24) ^ (hash & 0x00ff_ffff);
        let digit = |place: u32| (bits >> (6 * place) & 63) as u8;
        Code([first, second, digit(3), digit(2), digit(1), digit(0)])
    }
}

/// The name of an axis as it is written, without the `r#` of a raw identifier.
pub(crate) fn name_of(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// A part of an identifier as an identifier, where it is one: `seq` of `sum_seq`, not `2` of `sum_2`; a word of Rust is a raw
/// one, `r#type` of `sum_type`.
pub(crate) fn part_of(name: &str, span: Span) -> Option<Ident> {
    let mut part: Ident = syn::parse_str(name).or_else(|_| syn::parse_str(&format!("r#{name}"))).ok()?;
    part.set_span(span);
    Some(part)
}

/// The digit of a character: 1 to 63 in the order of ASCII; letters beyond ASCII land anywhere in that range.
fn letter(char: char) -> u8 {
    match char {
        '0'..='9' => char as u8 - b'0' + 1,
        'A'..='Z' => char as u8 - b'A' + 11,
        '_' => 37,
        'a'..='z' => char as u8 - b'a' + 38,
        other => (u32::from(other) % 63 + 1) as u8,
    }
}

/// The hash of Fowler, Noll and Vo (variant 1a, 32 bits): tiny, stable, and good enough on short names.
fn fnv1a(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn names_that_differ_in_their_first_two_letters_sort_alphabetically() {
        let names = ["Batch", "batch", "chans", "heads", "key", "seq", "val"];
        assert!(names.windows(2).all(|pair| Code::of(pair[0]) < Code::of(pair[1])));
    }

    #[test]
    fn a_shorter_name_sorts_before_its_extensions_in_the_first_two_letters() {
        assert!(Code::of("a") < Code::of("a_"));
        assert!(Code::of("a") < Code::of("aa"));
    }

    #[test]
    fn names_with_a_long_shared_prefix_have_different_codes() {
        let codes: std::collections::HashSet<Code> =
            (0..200).map(|number| Code::of(&format!("a_rather_long_shared_prefix_{number}"))).collect();
        assert_eq!(codes.len(), 200);
    }

    #[test]
    fn every_digit_is_below_64() {
        for name in ["seq", "seq_", "γ", "日本", "z9", "_"] {
            assert!(Code::of(name).0.iter().all(|&digit| digit < 64), "{name}");
        }
    }
}
