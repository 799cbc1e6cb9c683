//! Text as words of a vocabulary, and back.
//!
//! The vocabulary and its rules come with a model, in `tokenizer.json`. A word of the vocabulary may be a part of a
//! letter (some bytes of it); then text that is shown word by word waits until the letter is whole.
//! Lives here: both directions, and their errors. Not here: what a model makes of the words (`models`).

use named_tensor::{Error, ErrorKind};
use std::fs;
use std::panic::Location;
use std::path::{Path, PathBuf};
use tokenizers::Tokenizer;

/// What a decoder writes where bytes are no letter.
const BROKEN: char = '\u{FFFD}';

/// A vocabulary with its rules.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    tokenizer: Tokenizer,
    source: PathBuf,
}

impl Vocabulary {
    /// Reads `tokenizer.json` of a model's folder. What it says about filling up and cutting off texts is left aside:
    /// a text that is too long is an error of the model, never a shorter text.
    ///
    /// # Errors
    /// The file cannot be read, or is not a vocabulary.
    #[track_caller]
    pub fn open(folder: impl AsRef<Path>) -> Result<Vocabulary, Error> {
        let (source, place) = (folder.as_ref().join("tokenizer.json"), Location::caller());
        let refused = |error: &dyn std::fmt::Display| {
            Error::new(ErrorKind::File, format!("cannot read `{}`: {error}", source.display())).at(place)
        };
        let bytes = fs::read(&source).map_err(|error| refused(&error))?;
        // A file that ends early is told here: the library that reads vocabularies panics at some places.
        serde_json::from_slice::<serde_json::Value>(&bytes).map_err(|error| refused(&error))?;
        let mut tokenizer = Tokenizer::from_bytes(&bytes).map_err(|error| refused(&error))?;
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|error| refused(&error))?;
        Ok(Vocabulary { tokenizer, source })
    }

    /// How many words there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.tokenizer.get_vocab_size(true)
    }

    /// The number of a word, such as the one that ends a text.
    #[must_use]
    pub fn number(&self, word: &str) -> Option<usize> {
        self.tokenizer.token_to_id(word).map(|id| id as usize)
    }

    /// The words of a text, those that begin and end it included.
    ///
    /// # Errors
    /// An empty text; more words than `positions`.
    #[track_caller]
    pub fn encode(&self, text: &str, positions: usize) -> Result<Vec<usize>, Error> {
        if text.trim().is_empty() {
            return Err(Error::here(ErrorKind::Empty, "the text is empty"));
        }
        let place = Location::caller();
        let encoded = self.tokenizer.encode(text, true).map_err(|error| {
            let message = format!("`{}` cannot encode the text: {error}", self.source.display());
            Error::new(ErrorKind::Value, message).at(place)
        })?;
        let words: Vec<usize> = encoded.get_ids().iter().map(|&id| id as usize).collect();
        if words.len() > positions {
            let message = format!("the text has {} words, but the model has {positions} positions", words.len());
            return Err(Error::here(ErrorKind::SizeClash, message));
        }
        Ok(words)
    }

    /// The text of words, those that begin and end it left out.
    ///
    /// # Errors
    /// A number that no word has.
    #[track_caller]
    pub fn decode(&self, words: &[usize]) -> Result<String, Error> {
        let place = Location::caller();
        let known = |&word: &usize| u32::try_from(word).ok().filter(|&id| self.tokenizer.id_to_token(id).is_some());
        let ids = words.iter().map(|word| {
            known(word).ok_or_else(|| {
                let message =
                    format!("word {word} is outside of the {} words of `{}`", self.size(), self.source.display());
                Error::new(ErrorKind::IndexOutOfRange, message).at(place)
            })
        });
        let ids = ids.collect::<Result<Vec<u32>, Error>>()?;
        let text = self.tokenizer.decode(&ids, true);
        text.map_err(|error| Error::new(ErrorKind::Value, error.to_string()).at(place))
    }

    /// Text word by word, as it is written.
    #[must_use]
    pub fn stream(&self) -> Stream<'_> {
        self.stream_after(&[])
    }

    /// The same behind words that have been written: what stands before a word may decide on its spaces.
    #[must_use]
    pub fn stream_after(&self, words: &[usize]) -> Stream<'_> {
        Stream { vocabulary: self, words: words.to_vec(), shown: words.len() }
    }
}

/// Words that come one by one, and the text that is whole so far.
#[derive(Clone, Debug)]
pub struct Stream<'a> {
    vocabulary: &'a Vocabulary,
    /// Words since the one before the last text that was given out: what stands before a word may decide on its spaces.
    words: Vec<usize>,
    /// How many of them have been given out.
    shown: usize,
}

impl Stream<'_> {
    /// The text that one more word adds: nothing while a letter is not whole.
    ///
    /// # Errors
    /// A number that no word has.
    pub fn push(&mut self, word: usize) -> Result<String, Error> {
        self.words.push(word);
        let before = self.vocabulary.decode(&self.words[..self.shown])?;
        let all = self.vocabulary.decode(&self.words)?;
        if all.ends_with(BROKEN) {
            return Ok(String::new());
        }
        self.words.drain(..self.shown);
        self.shown = self.words.len();
        Ok(all.get(before.len()..).unwrap_or_default().to_owned())
    }

    /// What is left when no more words come: bytes that never became a letter.
    ///
    /// # Errors
    /// None that [`push`](Stream::push) has not told.
    pub fn finish(self) -> Result<String, Error> {
        let before = self.vocabulary.decode(&self.words[..self.shown])?;
        let all = self.vocabulary.decode(&self.words)?;
        Ok(all.get(before.len()..).unwrap_or_default().to_owned())
    }
}
