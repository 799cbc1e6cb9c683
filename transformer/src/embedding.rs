//! Words as vectors, and vectors as words: rows 1.1, 4.10, 4.13, 4.16, N18.
//!
//! Not here: positions (`position`).

use crate::axes::{chans, seq, vocab};
use named_tensor::prelude::*;

pub use crate::position::PositionalEncoding;

named! {
    /// A word looked up in a table (row 1.1).
    pub fn Embedding(I: vocab[]; E: R[vocab, chans] ~ normal(0, 1)) -> R[chans] {
        index_vocab(E, I)
    }

    /// The same times √|chans| (row 4.10, N18).
    pub fn ScaledEmbedding(I: vocab[]; E: R[vocab, chans] ~ normal(0, 1/sqrt(|chans|))) -> R[chans] {
        index_vocab(E, I) * sqrt(|chans|)
    }

    /// The same of a word given as a one among zeros, or as a share of each word; of a word of zeros it is 0 (row 4.10).
    pub fn OneHotEmbedding(X: R[vocab]; E: R[vocab, chans] ~ normal(0, 1/sqrt(|chans|))) -> R[chans] {
        X dot_vocab E * sqrt(|chans|)
    }

    /// A text behind a zero vector y₀, so that its next word is always one further (row 4.13).
    pub fn Shifted(Y: R[seq, chans]) -> R[seq, chans] {
        y0_{seq(_i: 1), chans(_c: |chans|)} = 0;
        concat_seq(y0, Y)
    }

    /// Scores of all words, by weights of their own (row 4.16).
    pub fn ReadOut(X: R[chans]; W_S: R[chans, vocab], b_S: R[vocab]?) -> R[vocab] {
        X dot_chans W_S + b_S
    }

    /// Scores of all words, by the table that embeds them (N18).
    pub fn TiedReadOut(X: R[chans], E: R[vocab, chans]) -> R[vocab] {
        X dot_chans E
    }
}

/// What reads words out: weights of its own, or, if absent, the table of the words.
pub type Head<T = f32> = Option<ReadOut<T>>;

/// What scores all words, given the table that embeds them.
pub trait Score<T: Real> {
    /// The scores of the words that each position stands for.
    fn apply(&self, x: &Tensor<R![chans, seq], T>, table: &Tensor<R![vocab, chans], T>) -> Tensor<R![seq, vocab], T>;
}

impl<T: Real> Score<T> for Head<T> {
    #[track_caller]
    fn apply(&self, x: &Tensor<R![chans, seq], T>, table: &Tensor<R![vocab, chans], T>) -> Tensor<R![seq, vocab], T> {
        self.as_ref().map_or_else(|| TiedReadOut(x, table), |own| own.apply(x))
    }
}
