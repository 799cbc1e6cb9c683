//! Whole models: from words to the scores of words, or to meanings.
//!
//! Lives here: what the sources put together, one file each, with what each needs to be trained; and architectures with
//! published weights (`bert`, `gpt2`, `llama`), whose `context` is what a text leaves behind for the words that follow.
//! Not here: their parts, which are the files above.

pub mod bert;
pub mod context;
pub mod gpt2;
pub mod language_model;
pub mod llama;
pub mod practical;
mod reading;
pub mod seq2seq;
pub mod translation;

use named_tensor::{Error, ErrorKind};

/// Refuses words that a model with so many words and positions cannot read after `before` others.
fn refused(words: &[usize], before: usize, known: usize, positions: usize) -> Result<(), Error> {
    if words.is_empty() {
        return Err(Error::here(ErrorKind::Empty, "the text is empty: there is no word to read"));
    }
    if let Some((place, word)) = words.iter().enumerate().find(|(_, word)| **word >= known) {
        let message =
            format!("word {word} at position {} is outside of the vocabulary of {known} words", before + place);
        return Err(Error::here(ErrorKind::IndexOutOfRange, message));
    }
    let total = before + words.len();
    if total > positions {
        let message = format!("the text has {total} words, but the model has {positions} positions");
        return Err(Error::here(ErrorKind::SizeClash, message));
    }
    Ok(())
}
