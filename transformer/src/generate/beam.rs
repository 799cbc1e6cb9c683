//! Beam search: several continuations side by side, of which the most probable ones are kept.
//!
//! Computes  `H′_{beam, vocab} = H_beam + log softmax_vocab Z_{beam, vocab}`  and keeps the largest (row N16, in logarithms,
//! so that products of many probabilities do not vanish). A continuation that has ended keeps its place among the kept
//! ones until better ones take it; where none is left that could go on, the search is over.
//! Continuations that share a beginning share its context, so none is read twice.

use named_tensor::prelude::*;

use super::{Continues, Limits, fitting, numbers, read};
use crate::axes::{beam, choice, vocab};

named! {
    /// The logarithms of the probabilities of each continuation with each next word.
    pub fn Continued(H: R[beam], Z: R[beam, vocab]) -> R[beam, vocab] {
        H + log_softmax_vocab(Z)
    }
}

/// How many continuations are kept, and how long ones are compared with short ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beam {
    /// How many are kept; with 1 the search is greedy.
    pub width: usize,
    /// α: the logarithm of a probability is divided by the number of words to the power α. At 0 long continuations
    /// lose against short ones, since each word makes them less probable; at 1 the mean of each word counts.
    pub penalty: f64,
}

/// A continuation.
#[derive(Clone, Debug, PartialEq)]
pub struct Hypothesis {
    /// Its words, without the one that ended it.
    pub words: Vec<usize>,
    /// The logarithm of its probability, that of the end included.
    pub log_probability: f64,
    /// The same divided by the number of words, the end included, to the power of the penalty.
    pub score: f64,
    /// Whether a word ended it; else it is as long as the limits allow.
    pub ended: bool,
}

/// A continuation that may go on: the logits of its next word, and its context.
struct Open<C> {
    words: Vec<usize>,
    log_probability: f64,
    logits: Vec<f32>,
    context: C,
}

/// One word behind a continuation, before the model has read it.
struct Step {
    from: usize,
    word: usize,
    log_probability: f64,
}

impl Beam {
    /// Itself, if its numbers have a meaning.
    ///
    /// # Errors
    /// A width of 0; a penalty that is not finite or below 0.
    pub fn checked(self) -> Result<Beam, Error> {
        let wrong = |message: String| Err(Error::new(ErrorKind::Condition, message));
        match self {
            Beam { width: 0, .. } => wrong("a beam of width 0: at least one continuation must be kept".to_owned()),
            Beam { penalty, .. } if !(penalty.is_finite() && penalty >= 0.0) => {
                wrong(format!("a length penalty of {penalty}: it must be finite and not below 0"))
            }
            sound => Ok(sound),
        }
    }

    fn score(&self, log_probability: f64, words: usize) -> f64 {
        log_probability / (words as f64).powf(self.penalty)
    }
}

/// The most probable continuations of a prompt that were found, the best first; at most as many as the beam is wide.
///
/// # Errors
/// What [`Beam::checked`] refuses; limits that slide, since continuations share their positions;
/// an empty prompt; more words than the model has positions for; NaN among logits; those of the model.
pub fn search<M: Continues>(model: &M, prompt: &[usize], how: Beam, limits: &Limits) -> Result<Vec<Hypothesis>, Error> {
    how.checked()?;
    if limits.slide.is_some() {
        return Err(Error::new(ErrorKind::Condition, "beam search cannot slide along a text"));
    }
    let (logits, context) = read(model, prompt, limits)?;
    let first = Open { words: vec![], log_probability: 0.0, logits: numbers(&logits, prompt.len())?, context };
    let rounds = (0..limits.longest).try_fold((vec![first], vec![]), |(open, ended), round| {
        if open.is_empty() {
            return Ok((open, ended));
        }
        let (steps, ended) = kept(how, limits, &open, ended, round + 1)?;
        let last = round + 1 == limits.longest;
        let open: Result<Vec<_>, Error> =
            steps.iter().map(|step| extended(model, prompt, limits, &open, step, last)).collect();
        Ok((open?, ended))
    });
    let (open, mut all) = rounds?;
    all.extend(open.into_iter().map(|open| Hypothesis {
        score: how.score(open.log_probability, open.words.len().max(1)),
        log_probability: open.log_probability,
        words: open.words,
        ended: false,
    }));
    all.sort_by(|one, other| other.score.total_cmp(&one.score));
    Ok(all)
}

/// The steps and the ended continuations that are the best ones together, where each step makes `length` words.
fn kept<C>(
    how: Beam,
    limits: &Limits,
    open: &[Open<C>],
    ended: Vec<Hypothesis>,
    length: usize,
) -> Result<(Vec<Step>, Vec<Hypothesis>), Error> {
    let mut all: Vec<(f64, Result<Hypothesis, Step>)> = ended.into_iter().map(|one| (one.score, Ok(one))).collect();
    all.extend(steps(how, open)?.into_iter().map(|step| {
        let (score, log_probability) = (how.score(step.log_probability, length), step.log_probability);
        let ends = limits.ends.contains(&step.word);
        let words = || open[step.from].words.clone();
        let one = if ends { Ok(Hypothesis { words: words(), log_probability, score, ended: true }) } else { Err(step) };
        (score, one)
    }));
    // A stable sort: of equal ones the earlier comes first.
    all.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    all.truncate(how.width);
    let (mut steps, mut ended) = (vec![], vec![]);
    all.into_iter().for_each(|(_, one)| match one {
        Ok(hypothesis) => ended.push(hypothesis),
        Err(step) => steps.push(step),
    });
    Ok((steps, ended))
}

/// The most probable steps, as many as the beam is wide.
fn steps<C>(how: Beam, open: &[Open<C>]) -> Result<Vec<Step>, Error> {
    let words = open[0].logits.len();
    let all = open.iter().flat_map(|open| open.logits.iter().copied().map(f64::from)).collect();
    let z: Tensor<R![beam, vocab], f64> = Tensor::from_vec((beam.of(open.len()), vocab.of(words)), all)?;
    let h = Tensor::from_vec(beam.of(open.len()), open.iter().map(|open| open.log_probability).collect())?;
    let scores = Continued(&h, &z).flatten((beam, vocab), choice);
    let best = choice.of(how.width.min(open.len() * words));
    let (places, scores) = (scores.argmaxk(choice, best), scores.maxk(choice, best));
    eval(&[&places, &scores])?;
    let steps = places.to_vec(choice)?.into_iter().zip(scores.to_vec(choice)?);
    let possible = steps.filter(|(_, log_probability)| *log_probability > f64::NEG_INFINITY);
    Ok(possible.map(|(at, log_probability)| Step { from: at / words, word: at % words, log_probability }).collect())
}

/// The continuation after a step. The last word is not read: nothing follows it.
fn extended<M: Continues>(
    model: &M,
    prompt: &[usize],
    limits: &Limits,
    open: &[Open<M::Context>],
    step: &Step,
    last: bool,
) -> Result<Open<M::Context>, Error> {
    let from = &open[step.from];
    let words = [&from.words[..], &[step.word]].concat();
    let (logits, context) = if last {
        (from.logits.clone(), from.context.clone())
    } else {
        let text = [prompt, &words].concat();
        fitting(model, &text, limits)?;
        let (logits, context) = model.extend(&[step.word], &from.context)?;
        (numbers(&logits, text.len())?, context)
    };
    Ok(Open { words, log_probability: step.log_probability, logits, context })
}
