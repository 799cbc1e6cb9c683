//! One word after the other: a text as an iterator over words, or over pieces of text.
//!
//! Each word is chosen when it is asked for, and read by the model only when the one after it is; so what is shown is
//! never late, and the last word costs nothing more. The same seed gives the same text.
//! Lives here: the two iterators. Not here: the choice of a word (`sample`), strings that end a text (`stop`).

use named_tensor::prelude::*;
use named_tensor::random::ChaCha8Rng;

use super::sample::Sampling;
use super::stop::Stop;
use super::{Continues, Limits, Logits, fitting, read};

/// The words that continue a prompt; see [`words`].
#[derive(Debug)]
pub struct Words<'m, M: Continues> {
    model: &'m M,
    sampling: Sampling,
    limits: Limits,
    rng: ChaCha8Rng,
    /// The prompt and what was written.
    text: Vec<usize>,
    /// How many words the context holds, and how many were written.
    held: usize,
    written: usize,
    logits: Logits,
    context: M::Context,
    ended: bool,
}

/// Reads a prompt; the iterator then gives the words that continue it. It ends after an error.
///
/// # Errors
/// An empty prompt; one longer than the positions of the model; a sampling without meaning; those of the model.
pub fn words<'m, M: Continues>(
    model: &'m M,
    prompt: &[usize],
    sampling: Sampling,
    limits: Limits,
    rng: ChaCha8Rng,
) -> Result<Words<'m, M>, Error> {
    let sampling = sampling.checked()?;
    let (logits, context) = read(model, prompt, &limits)?;
    let held = fitting(model, prompt, &limits)?.len();
    let text = prompt.to_vec();
    Ok(Words { model, sampling, limits, rng, text, held, written: 0, logits, context, ended: false })
}

impl<M: Continues> Words<'_, M> {
    /// The prompt and the words written so far.
    #[must_use]
    pub fn text(&self) -> &[usize] {
        &self.text
    }

    /// The next word, if the text goes on.
    fn advance(&mut self) -> Result<Option<usize>, Error> {
        if self.written == self.limits.longest {
            return Ok(None);
        }
        if self.written > 0 {
            self.read_last()?;
        }
        let word = self.sampling.choose(&self.logits, self.text.len(), &mut self.rng)?;
        if self.limits.ends.contains(&word) {
            return Ok(None);
        }
        self.text.push(word);
        self.written += 1;
        Ok(Some(word))
    }

    /// Reads the word that was written last, or the last ones anew where no position is left for it.
    fn read_last(&mut self) -> Result<(), Error> {
        let full = self.model.positions().is_some_and(|room| self.held >= room);
        let (words, context) = if full {
            (fitting(self.model, &self.text, &self.limits)?, self.model.start())
        } else {
            (&self.text[self.text.len() - 1..], self.context.clone())
        };
        (self.logits, self.context) = self.model.extend(words, &context)?;
        self.held = if full { words.len() } else { self.held + 1 };
        Ok(())
    }
}

impl<M: Continues> Iterator for Words<'_, M> {
    type Item = Result<usize, Error>;

    fn next(&mut self) -> Option<Result<usize, Error>> {
        if self.ended {
            return None;
        }
        let next = self.advance().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

/// The text of some words as pieces that can be shown at once, up to the first string of `stop`.
///
/// `decode` gives the text that a word adds; at the end it is asked once more, with no word, for what it held back.
pub fn text<E>(
    words: impl Iterator<Item = Result<usize, E>>,
    mut decode: impl FnMut(Option<usize>) -> Result<String, E>,
    mut stop: Stop,
) -> impl Iterator<Item = Result<String, E>> {
    let mut words = words.map(|word| word.map(Some)).chain(std::iter::once(Ok(None)));
    let mut ended = false;
    std::iter::from_fn(move || {
        if ended {
            return None;
        }
        let step = words.next()?.and_then(|word| {
            let (shown, stopped) = stop.push(&decode(word)?);
            ended = stopped || word.is_none();
            Ok(if word.is_none() && !stopped { shown + &stop.rest() } else { shown })
        });
        ended |= step.is_err();
        Some(step)
    })
    .filter(|step| step.as_ref().map_or(true, |piece| !piece.is_empty()))
}
