//! Decoding: from a model and the beginning of a text to its continuation, word by word (rows 2.16–2.18, 4.18–4.21).
//!
//! A model reads words and tells how probable each word is to follow. What it computed for the words it has read, keys
//! and values, is its context; the next words are read after it, so that no word is read twice.
//! Lives here: what a model must offer, and reading a prompt. Which word is chosen is said in [`sample`], how a text goes
//! on with one word after the other in [`stream`], with several texts side by side in [`beam`], where it ends in [`stop`].

pub mod beam;
pub mod sample;
pub mod stop;
pub mod stream;

use named_tensor::prelude::*;

use crate::axes::vocab;
use crate::models::context::{Context, Reads};

/// The logits of the next word.
pub type Logits = Tensor<R![vocab]>;

/// A model that continues a text.
///
/// To read words in several pieces is to read them at once: `extend(b, extend(a, start))` gives the logits and the
/// context of `extend(ab, start)`. The context that is given stays as it is and can be continued in another way too.
pub trait Continues {
    /// What the model keeps of the words it has read.
    type Context: Clone;

    /// The context before the first word.
    fn start(&self) -> Self::Context;

    /// Reads words behind a context: the logits of the word that follows the last of them, and the context with them.
    ///
    /// # Errors
    /// No words; a word outside of the vocabulary; more words than there are positions.
    fn extend(&self, words: &[usize], context: &Self::Context) -> Result<(Logits, Self::Context), Error>;

    /// How many words a context can hold, if there is a limit.
    fn positions(&self) -> Option<usize> {
        None
    }

    /// Whether it knows what may follow an empty text, as a translation does.
    fn speaks_first(&self) -> bool {
        false
    }
}

/// A causal model that keeps keys and values (row 4.21).
impl<M: Reads> Continues for M {
    type Context = Context;

    fn start(&self) -> Context {
        Reads::start(self)
    }

    fn extend(&self, words: &[usize], context: &Context) -> Result<(Logits, Context), Error> {
        self.next(words, context)
    }

    fn positions(&self) -> Option<usize> {
        Some(self.sizes().positions)
    }
}

/// A model that reads the whole text again for each word, by a function from a text to the logits of its next word.
/// It may speak first.
#[derive(Clone, Copy, Debug)]
pub struct Whole<F>(pub F);

impl<F: Fn(&[usize]) -> Result<Logits, Error>> Continues for Whole<F> {
    type Context = Vec<usize>;

    fn start(&self) -> Vec<usize> {
        Vec::new()
    }

    fn extend(&self, words: &[usize], context: &Vec<usize>) -> Result<(Logits, Vec<usize>), Error> {
        let text = [&context[..], words].concat();
        Ok((self.0(&text)?, text))
    }

    fn speaks_first(&self) -> bool {
        true
    }
}

/// How far a text may go on.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// How many words are written at most.
    pub longest: usize,
    /// The words that end a text. They are not a part of what is written.
    pub ends: Vec<usize>,
    /// How many of the last words are read again, as the beginning of a new text, when no position is left. Without it
    /// the text may not grow longer than the positions.
    pub slide: Option<usize>,
}

/// The logits after a prompt, and its context.
///
/// # Errors
/// An empty prompt; one longer than the positions of the model, unless the limits say how to slide; limits that slide by
/// no word or leave no position for the next one; those of the model.
pub fn read<M: Continues>(model: &M, prompt: &[usize], limits: &Limits) -> Result<(Logits, M::Context), Error> {
    if prompt.is_empty() && !model.speaks_first() {
        return Err(Error::new(ErrorKind::Empty, "an empty prompt: at least one word is needed to go on from"));
    }
    let room = model.positions().unwrap_or(usize::MAX);
    if let Some(kept) = limits.slide.filter(|kept| !(1..room).contains(kept)) {
        let message = format!(
            "cannot slide by reading {kept} words again: the model has {room} positions, so from 1 to {} words leave \
             one for the next",
            room - 1
        );
        return Err(Error::new(ErrorKind::Condition, message));
    }
    model.extend(fitting(model, prompt, limits)?, &model.start())
}

/// The words of a text that are read at once: all, or the last ones if all are too many and the limits allow it.
fn fitting<'w, M: Continues>(model: &M, words: &'w [usize], limits: &Limits) -> Result<&'w [usize], Error> {
    let room = model.positions().unwrap_or(usize::MAX);
    match limits.slide {
        _ if words.len() <= room => Ok(words),
        Some(kept) => Ok(&words[words.len() - kept..]),
        None => Err(Error::new(
            ErrorKind::Condition,
            format!("too long: a text of {} words, where the model has {room} positions", words.len()),
        )),
    }
}

/// The logits as numbers, none of which may be NaN or infinitely large. `read` is how many words led to them.
fn numbers(logits: &Logits, read: usize) -> Result<Vec<f32>, Error> {
    let numbers = logits.to_vec(vocab)?;
    if let Some(word) = numbers.iter().position(|&logit| logit.is_nan() || logit == f32::INFINITY) {
        let message = format!("the logit of word {word} after {read} words is {}", numbers[word]);
        return Err(Error::new(ErrorKind::Value, message));
    }
    if numbers.iter().all(|&logit| logit == f32::NEG_INFINITY) {
        return Err(Error::new(ErrorKind::Empty, format!("no word may follow after {read} words: all logits are -∞")));
    }
    Ok(numbers)
}
