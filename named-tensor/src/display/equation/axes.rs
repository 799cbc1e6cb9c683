//! Names of axes in equations: as declared, with primes where two axes of one tensor would read alike.
//!
//! Inside a lifted function an extra axis has a fresh name, which reads as the axis it stands for. Where that axis
//! meets another of the same text, as Q's `seq` meets K's, it is primed, and the renaming is part of the equations;
//! where it meets none, nothing is to be seen of it.
//! Lives here: which text stands for which name. Not here: names of tensors (`page`).

use std::collections::{HashMap, HashSet};

use crate::axis::Name;

/// The words of Rust: an axis of such a name is a raw identifier where it stands by itself.
const WORDS: [&str; 47] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "where", "while", "yield",
];

/// The text of each axis, `seq*` for `star(seq)`.
#[derive(Debug, Default)]
pub(super) struct AxisTexts(HashMap<Name, String>);

impl AxisTexts {
    /// Texts for the axes of these scopes; in each of them no two read alike.
    pub(super) fn new<S: AsRef<[Name]>>(scopes: impl Iterator<Item = S>) -> AxisTexts {
        let mut order = Vec::new();
        let mut meets: HashMap<Name, HashSet<Name>> = HashMap::new();
        let mut seen: HashSet<Vec<Name>> = HashSet::new();
        for scope in scopes {
            let scope = scope.as_ref();
            if !seen.insert(scope.to_vec()) {
                continue;
            }
            for &name in scope {
                let met = meets.entry(name).or_insert_with(|| {
                    order.push(name);
                    HashSet::new()
                });
                met.extend(scope.iter().copied().filter(|&other| other != name));
            }
        }
        // Declared names are as declared; fresh ones go round them.
        order.sort_by_key(|name| name.is_fresh());
        let mut texts: HashMap<Name, String> = HashMap::new();
        for name in order {
            let mut text = name.text().to_owned();
            let taken = |text: &String| meets[&name].iter().any(|other| texts.get(other) == Some(text));
            while taken(&text) {
                text = primed(&text);
            }
            texts.insert(name, text);
        }
        AxisTexts(texts)
    }

    /// The text of an axis.
    pub(super) fn text(&self, name: Name) -> &str {
        self.0.get(&name).map_or(name.text(), String::as_str)
    }

    /// All texts.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(String::as_str)
    }

    /// As an axis is written: `seq`, `star(seq)`, `r#type`.
    pub(super) fn written(&self, name: Name) -> String {
        let text = self.text(name);
        let plain = text.trim_end_matches('*');
        let stars = text.len() - plain.len();
        let raw = if WORDS.contains(&plain) { "r#" } else { "" };
        format!("{}{raw}{plain}{}", "star(".repeat(stars), ")".repeat(stars))
    }

    /// As axes are listed: `seq, star(key)`.
    pub(super) fn listed(&self, names: impl IntoIterator<Item = Name>) -> String {
        names.into_iter().map(|name| self.written(name)).collect::<Vec<_>>().join(", ")
    }

    /// As a function or a contraction names its axes: `_seq`, `_{heads, val}`, `_{star(seq)}`, nothing for none.
    pub(super) fn attached(&self, names: &[Name]) -> String {
        match names {
            [] => String::new(),
            &[only] if !self.text(only).ends_with('*') => format!("_{}", self.text(only)),
            several => format!("_{{{}}}", self.listed(several.iter().copied())),
        }
    }
}

/// One more prime: `seq_`, and `seq_*` for a starred axis.
fn primed(text: &str) -> String {
    let plain = text.trim_end_matches('*');
    format!("{plain}_{}", &text[plain.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEQ: Name = Name::declared("seq");

    #[test]
    fn a_fresh_name_is_primed_only_where_it_meets_its_like() {
        let (alone, beside, starred) = (SEQ.freshened(), SEQ.freshened(), Name::declared("seq*").freshened());
        let scopes = [vec![alone, starred], vec![beside, SEQ]];
        let texts = AxisTexts::new(scopes.iter());
        assert_eq!([alone, beside, SEQ].map(|name| texts.text(name)), ["seq", "seq_", "seq"]);
        assert_eq!(texts.written(starred), "star(seq)");
        assert_eq!(texts.attached(&[SEQ]), "_seq");
        assert_eq!(texts.attached(&[starred]), "_{star(seq)}");
    }

    #[test]
    fn a_word_of_rust_is_raw_where_it_stands_by_itself() {
        let (texts, word) = (AxisTexts::default(), Name::declared("type"));
        assert_eq!((texts.written(word), texts.attached(&[word])), ("r#type".to_owned(), "_type".to_owned()));
        assert_eq!(texts.attached(&[word, SEQ]), "_{r#type, seq}");
    }

    #[test]
    fn a_prime_stands_before_the_stars() {
        assert_eq!(primed("seq*"), "seq_*");
        assert_eq!(primed("seq_"), "seq__");
    }
}
