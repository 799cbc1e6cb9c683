//! Choosing the next word: the most probable one, or one by chance.
//!
//! Lives here, as equations: temperature, the k most probable words, the smallest set of words that holds a part p of
//! the probability (Holtzman, Buys, Du, Forbes and Choi, *The Curious Case of Neural Text Degeneration*, 2020), and the
//! word where the running sum of probabilities passes a number drawn from 0 to 1. Everything is computed in `f64`, since
//! a running sum over a vocabulary of 50,000 words in `f32` would lose the improbable ones.

use named_tensor::prelude::*;
use named_tensor::random::ChaCha8Rng;

use super::{Logits, numbers};
use crate::axes::vocab;

named! {
    /// The probabilities of words at the temperature τ: the smaller, the more the most probable word gains.
    pub fn Tempered(Z: R[vocab], τ: R[]) -> R[vocab] {
        softmax_vocab(Z / τ)
    }

    /// Words in the order of their logits, the most probable one first; of equal ones the first comes first.
    pub fn Ranked(Z: R[vocab]) -> vocab[vocab] {
        argmaxk_vocab(Z, |vocab|)
    }

    /// Logits in falling order, of which those after the first k have no chance.
    pub fn TopK(Z: R[vocab], k: R[]) -> R[vocab] {
        M_{vocab(r)} = if r < k { 0 } else { -inf };
        Z + M
    }

    /// Probabilities in falling order: of the fewest words that have at least the part p together, which sum to 1 again.
    pub fn TopP(P: R[vocab], p: R[]) -> R[vocab] {
        N = if cumsum_vocab(P) - P < p { P } else { 0 };
        N / sum_vocab(N)
    }

    /// How many words stand before the one at which the running sum of probabilities reaches the part u, 0 < u ≤ 1.
    pub fn Passed(P: R[vocab], u: R[]) -> R[] {
        C = cumsum_vocab(P);
        sum_vocab(if C < u * max_vocab(C) { 1 } else { 0 })
    }
}

/// How a word is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// τ, by which logits are divided; at 0 the most probable word is always taken.
    pub temperature: f64,
    /// Only the k most probable words may be taken; more than there are words are all words.
    pub top_k: Option<usize>,
    /// Only the fewest words that have the part p of the probability together may be taken, after `top_k`.
    pub top_p: Option<f64>,
}

impl Default for Sampling {
    /// By the probabilities that the model gives.
    fn default() -> Sampling {
        Sampling { temperature: 1.0, top_k: None, top_p: None }
    }
}

impl Sampling {
    /// Always the most probable word (row 4.18).
    pub const GREEDY: Sampling = Sampling { temperature: 0.0, top_k: None, top_p: None };

    /// Itself, if its numbers have a meaning.
    ///
    /// # Errors
    /// A temperature below 0 or not finite; k = 0; p outside of 0 to 1, or 0.
    pub fn checked(self) -> Result<Sampling, Error> {
        let wrong = |message: String| Err(Error::new(ErrorKind::Condition, message));
        match self {
            Sampling { temperature, .. } if !(temperature.is_finite() && temperature >= 0.0) => {
                wrong(format!("a temperature of {temperature}: it must be finite and not below 0"))
            }
            Sampling { top_k: Some(0), .. } => wrong("top-k of 0: at least one word must be left".to_owned()),
            Sampling { top_p: Some(p), .. } if !(0.0 < p && p <= 1.0) => {
                wrong(format!("top-p of {p}: it must be above 0 and at most 1"))
            }
            sound => Ok(sound),
        }
    }

    /// The probabilities by which words are taken, and which words they are: in the order of the vocabulary, or by rank
    /// where ranks matter.
    #[must_use]
    pub fn probabilities(
        &self,
        logits: &Tensor<R![vocab], f64>,
    ) -> (Tensor<R![vocab], f64>, Option<Tensor<R![vocab], Index<vocab>>>) {
        let τ = Tensor::scalar(self.temperature);
        // The largest logit becomes 0, so that no quotient is too large, however small the temperature.
        let logits = &(logits - logits.max(vocab));
        if self.top_k.is_none() && self.top_p.is_none() {
            return (Tempered(logits, &τ), None);
        }
        let ranked = Ranked(logits);
        let falling = logits.index(vocab, &ranked);
        let kept = self.top_k.map_or_else(|| falling.clone(), |k| TopK(&falling, &Tensor::scalar(k as f64)));
        let p = Tempered(&kept, &τ);
        let p = self.top_p.map_or_else(|| p.clone(), |part| TopP(&p, &Tensor::scalar(part)));
        (p, Some(ranked))
    }

    /// The next word, after so many words that were read.
    ///
    /// # Errors
    /// A logit that is NaN or infinitely large; no word that may follow; what [`checked`](Self::checked) refuses.
    pub fn choose(&self, logits: &Logits, read: usize, rng: &mut ChaCha8Rng) -> Result<usize, Error> {
        self.checked()?;
        let logits = numbers(logits, read)?;
        if self.temperature == 0.0 {
            return Ok(most(&logits));
        }
        let logits: Tensor<R![vocab], f64> =
            Tensor::from_vec(vocab.of(logits.len()), logits.into_iter().map(f64::from).collect())?;
        let (probabilities, ranked) = self.probabilities(&logits);
        // From 0 to 1 without 1; turned around, without 0: so no word of probability 0 is ever taken.
        let drawn = Tensor::<R![], f64>::uniform(rng, (), 0.0, 1.0);
        let place = Passed(&probabilities, &(1.0 - &drawn)).item()? as usize;
        match ranked {
            Some(words) => words.at(vocab, place).item(),
            None => Ok(place),
        }
    }
}

/// The word of the largest logit; of equal ones the first.
fn most(logits: &[f32]) -> usize {
    let larger = |best: usize, word: usize| if logits[word] > logits[best] { word } else { best };
    (0..logits.len()).fold(0, larger)
}
