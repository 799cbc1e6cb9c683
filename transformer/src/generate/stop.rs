//! Where a text ends: at a string, wherever the borders of its words lie.
//!
//! A word may bring the end of one string and the beginning of what follows, or a string may begin in one word and end
//! three words later. So what might be the beginning of such a string is held back until the next words tell.
//! Not here: words that end a text by themselves (`Limits::ends`).

/// The strings at which a text ends.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    texts: Vec<String>,
    /// What was written and not yet shown: the beginning of some string of `texts`, perhaps.
    held: String,
}

impl Stop {
    /// Ends at the first of these strings, which is not a part of the text. Empty strings are none.
    #[must_use]
    pub fn at(texts: impl IntoIterator<Item = impl Into<String>>) -> Stop {
        let texts = texts.into_iter().map(Into::into).filter(|text: &String| !text.is_empty());
        Stop { texts: texts.collect(), held: String::new() }
    }

    /// Takes the next piece of the text. Gives what may be shown now, and whether the text has ended.
    pub fn push(&mut self, piece: &str) -> (String, bool) {
        self.held.push_str(piece);
        if let Some(end) = self.texts.iter().filter_map(|text| self.held.find(text.as_str())).min() {
            self.held.truncate(end);
            return (self.rest(), true);
        }
        let begins = |&from: &usize| self.texts.iter().any(|text| text.starts_with(&self.held[from..]));
        let places = self.held.char_indices().map(|(place, _)| place);
        let from = { places }.find(begins).unwrap_or(self.held.len());
        let later = self.held.split_off(from);
        (std::mem::replace(&mut self.held, later), false)
    }

    /// What was held back, when the text ends otherwise.
    pub fn rest(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}
