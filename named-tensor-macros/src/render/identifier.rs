//! Identifiers as mathematics: `W_Q` is W with subscript Q, `X1` is X₁, `seq_` is seq′.
//!
//! Lives here: where a name ends and its subscript begins. Not here: what the name stands for.

use super::layout::{COMMA, Layout};
use crate::code::name_of;
use crate::set::axis_name;
use proc_macro2::Ident;
use syn::Path;

/// A variable of the equations.
pub(super) fn variable(ident: &Ident) -> Layout {
    decorated(&name_of(ident), Layout::Variable)
}

/// A function; a single letter is a variable like others.
pub(super) fn function(name: &str) -> Layout {
    decorated(name, |base| if base.chars().count() == 1 { Layout::Variable(base) } else { Layout::Word(base) })
}

/// An axis: its name as it is, a prime for each underscore at its end, and its stars.
pub(super) fn axis(path: &Path) -> Layout {
    let whole = axis_name(path);
    let name = whole.trim_end_matches('*');
    let stem = name.trim_end_matches('_');
    // A name made of underscores only has no stem to put primes on.
    let (stem, primes) = if stem.is_empty() { (name, 0) } else { (stem, name.len() - stem.len()) };
    let axis = |text: &str| Layout::Axis(text.to_owned(), primes);
    match (whole.len() - name.len(), primes) {
        (0, _) => axis(stem),
        (1, 0) => axis(&whole),
        (_, 0) => axis(&format!("{stem}†")),
        (1, _) => Layout::row([axis(stem), Layout::Variable("*".to_owned())]),
        _ => Layout::row([axis(stem), Layout::Variable("†".to_owned())]),
    }
}

/// A name, its subscripts behind underscores or as digits at the end, its primes.
fn decorated(name: &str, base: impl Fn(String) -> Layout) -> Layout {
    let stem = name.trim_end_matches('_');
    let (first, further) = stem.split_once('_').unwrap_or((stem, ""));
    if first.is_empty() {
        return base(name.to_owned());
    }
    let letters = first.trim_end_matches(|char: char| char.is_ascii_digit());
    let digits = &first[letters.len()..];
    let subscripts = [digits].into_iter().chain(further.split('_')).filter(|part| !part.is_empty());
    let subscripts: Vec<Layout> = subscripts.map(subscript).collect();
    let mut layout = base(letters.to_owned());
    if !subscripts.is_empty() {
        layout = layout.sub(Layout::list(subscripts, &COMMA));
    }
    let primes = name.len() - stem.len();
    if primes > 0 { layout.sup(Layout::Primes(primes)) } else { layout }
}

fn subscript(part: &str) -> Layout {
    let is_number = part.chars().all(|char| char.is_ascii_digit());
    if is_number { Layout::Number(part.to_owned()) } else { Layout::Variable(part.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::super::unicode;
    use super::{axis, function, variable};
    use quote::format_ident;

    #[test]
    fn underscores_and_digits_at_the_end_are_subscripts_and_a_last_underscore_is_a_prime() {
        let shown = |name: &str| unicode::inline(&variable(&format_ident!("{name}")));
        for (name, expected) in
            [("X", "X"), ("X1", "X₁"), ("W_Q", "W_Q"), ("b_ff", "b_ff"), ("X12_", "X₁₂′"), ("γ", "γ"), ("h2o", "h2o")]
        {
            assert_eq!(shown(name), expected);
        }
        assert_eq!((shown("W_Q_1"), shown("X__"), shown("_x")), ("W_{Q, 1}".into(), "X′′".into(), "_x".into()));
        assert_eq!(unicode::inline(&function("norm1")), "norm₁");
    }

    #[test]
    fn the_name_of_an_axis_is_kept_but_for_its_primes() {
        let shown = |name: &str| unicode::inline(&axis(&format_ident!("{name}").into()));
        assert_eq!((shown("seq_"), shown("head_key"), shown("ax1")), ("seq′".into(), "head_key".into(), "ax1".into()));
        let starred: syn::Path = syn::parse_quote!(::named_tensor::private::Starred::<seq>);
        let twice: syn::Path = syn::parse_quote!(::named_tensor::private::Starred::<#starred>);
        assert_eq!(unicode::inline(&axis(&starred)), "seq*");
        assert_eq!(unicode::inline(&axis(&twice)), "seq†");
    }
}
