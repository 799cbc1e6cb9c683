//! What is wrong with the input, collected so that one run of the compiler shows every mistake.
//!
//! A message is one line that says what is wrong in the words of the paper, then `help:` lines with what to write.
//! Lives here: the collector, which refuses to be dropped unread, and the search for the nearest name and for one that
//! looks the same. Not here: who looks for mistakes (`parse`, `names`, `lower`).

use proc_macro2::{Span, TokenStream};

/// The errors found so far.
#[derive(Debug, Default)]
pub(crate) struct Report {
    errors: Option<syn::Error>,
    count: usize,
    read: bool,
}

impl Report {
    /// Adds an error at `span`; `help` is a line that shows what to write.
    pub(crate) fn error(&mut self, span: Span, message: impl AsRef<str>, help: &[String]) {
        self.add(error(span, message, help));
    }

    /// Adds an error made elsewhere, by a parser for instance.
    pub(crate) fn add(&mut self, error: syn::Error) {
        self.count += 1;
        match &mut self.errors {
            Some(errors) => errors.combine(error),
            none => *none = Some(error),
        }
    }

    /// Whether anything is wrong so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_none()
    }

    /// How many errors there are so far.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// All errors as one; reading them is what lets the collector be dropped.
    pub(crate) fn finish(mut self) -> syn::Result<()> {
        self.read = true;
        self.errors.take().map_or(Ok(()), Err)
    }

    /// All errors as `compile_error!` invocations, nothing if there are none.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.finish().err().map(|error| error.to_compile_error()).unwrap_or_default()
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        // While another panic unwinds, a second one would abort and hide the first.
        if !self.read && !std::thread::panicking() {
            assert!(self.errors.is_none(), "errors were found and not reported: {:?}", self.errors);
        }
    }
}

/// An error whose message has `help:` lines.
pub(crate) fn error(span: Span, message: impl AsRef<str>, help: &[String]) -> syn::Error {
    let mut text = message.as_ref().to_owned();
    for line in help {
        text.push_str("\n= help: ");
        text.push_str(line);
    }
    syn::Error::new(span, text)
}

/// `` `a`, `b` and `c` ``.
pub(crate) fn list<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.as_slice() {
        [] => "none".to_owned(),
        [only] => only.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}

/// The name nearest to `wrong`, when it is near enough to be a slip of the pen.
pub(crate) fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Of two letters one says too little: `hd` beside `hid` may well be meant.
    nearest_within(wrong, names, wrong.chars().count() / 3)
}

/// The name nearest to `wrong` that at most `allowed` slips turn into it.
pub(crate) fn nearest_within<'a>(
    wrong: &str,
    names: impl IntoIterator<Item = &'a str>,
    allowed: usize,
) -> Option<&'a str> {
    let near = names.into_iter().filter(|name| *name != wrong && stem(name) != stem(wrong));
    near.map(|name| (distance(wrong, name), name)).filter(|(far, _)| *far <= allowed).min().map(|(_, name)| name)
}

/// Whether two names differ in their digits only, or in one letter, so that one may be written for the other.
pub(crate) fn are_near(one: &str, other: &str) -> bool {
    let letters = |name: &str| name.chars().filter(|char| !char.is_ascii_digit()).collect::<String>();
    let are_words = one.chars().count().min(other.chars().count()) > 1;
    letters(one) == letters(other) || are_words && distance(one, other) == 1
}

/// The name that looks like `wrong` in print and is written with other letters, and what to say of it.
pub(crate) fn lookalike<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<(&'a str, String)> {
    let looks = |name: &str| name.chars().map(|char| alphabet(char).1).collect::<String>();
    let other = names.into_iter().find(|name| *name != wrong && looks(name) == looks(wrong))?;
    let (there, here) = other.chars().zip(wrong.chars()).find(|(there, here)| there != here)?;
    let (there, here) = (alphabet(there).0, alphabet(here).0);
    Some((
        other,
        format!("`{other}` is another name that looks the same: it has a {there} letter where this has a {here} one"),
    ))
}

/// Letters beside the Latin ones that look like them, in the same order.
const LOOKALIKES: [(&str, &str, &str); 2] =
    [("Greek", "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονιυ", "ABEZHIKMNOPTYXoviu"), ("Cyrillic", "АВЕКМНОРСТУХаеорсух", "ABEKMHOPCTYXaeopcyx")];

/// The alphabet of a letter, and the Latin letter that it looks like: itself, if there is none.
fn alphabet(letter: char) -> (&'static str, char) {
    let in_alphabet = |(name, letters, latin): &(&'static str, &str, &str)| {
        let (_, latin) = letters.chars().zip(latin.chars()).find(|(own, _)| *own == letter)?;
        Some((*name, latin))
    };
    LOOKALIKES.iter().find_map(in_alphabet).unwrap_or(("Latin", letter))
}

/// A name without the marks that make relatives of it: `seq_`, `seq2` and `seq` are three axes, not one misspelt.
pub(crate) fn stem(name: &str) -> &str {
    let stem = name.trim_end_matches(|char: char| char == '_' || char.is_ascii_digit());
    if stem.is_empty() { name } else { stem }
}

/// The distance of Damerau and Levenshtein (optimal alignment): insertions, deletions, changes and swaps of neighbours.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
    for i in 0..=left.len() {
        for j in 0..=right.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = table[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
                let mut best = change.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                    best = best.min(table[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    table[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_through_a_slip() {
        assert_eq!(nearest("kay", ["seq", "key", "val"]), Some("key"));
        assert_eq!(nearest("hiddne", ["hidden", "heads"]), Some("hidden"));
        assert_eq!(nearest("softmx", ["softmax", "sum"]), Some("softmax"));
    }

    #[test]
    fn primed_and_numbered_relatives_are_not_misspellings() {
        assert_eq!(nearest("seq_", ["seq"]), None);
        assert_eq!(nearest("hidden2", ["hidden1"]), None);
    }

    #[test]
    fn letters_that_look_alike_are_found_and_their_alphabets_named() {
        assert!(LOOKALIKES.iter().all(|(_, own, latin)| own.chars().count() == latin.chars().count()));
        let (name, words) = lookalike("X", ["W", "\u{3a7}"]).expect("Greek chi");
        assert_eq!(name, "\u{3a7}");
        assert!(words.ends_with("it has a Greek letter where this has a Latin one"), "{words}");
        let words = lookalike("k\u{435}y", ["key"]).expect("Cyrillic ie").1;
        assert!(words.ends_with("it has a Latin letter where this has a Cyrillic one"), "{words}");
        assert_eq!(lookalike("X", ["x", "X", "XX"]), None);
    }

    #[test]
    fn names_that_differ_in_digits_or_in_one_letter_are_near() {
        for (one, other) in [("X3", "X2"), ("X3", "X"), ("W12", "W1"), ("W_K", "W_Q"), ("MASK", "MASKS")] {
            assert!(are_near(one, other) && are_near(other, one), "{one}, {other}");
        }
        for (one, other) in [("EPS", "X"), ("PI", "P"), ("EPS", "MAX"), ("X1", "Y2")] {
            assert!(!are_near(one, other) && !are_near(other, one), "{one}, {other}");
        }
    }

    #[test]
    fn unrelated_short_names_are_not_near() {
        assert_eq!(nearest("kw", ["h", "seq"]), None);
        assert_eq!(nearest("hd", ["hid", "kd"]), None);
        assert_eq!(nearest("batch", ["key", "val"]), None);
    }

    #[test]
    #[should_panic(expected = "not reported")]
    fn a_report_with_errors_refuses_to_be_dropped_unread() {
        Report::default().error(Span::call_site(), "lost", &[]);
    }
}
