//! Embeddings: words and positions as vectors; rows 1.1–1.5, 4.9.

use crate::axes::{chans, seq, vocab};
use named_tensor::named;

named! {
    /// A word looked up in a table (row 1.1).
    pub fn Embedding(I: vocab[]; E: R[vocab, chans] ~ normal(0, 1)) -> R[chans] {
        index_vocab(E, I)
    }

    /// Positions added to words: sines at even channels, cosines at odd ones (rows 1.2, 1.3, 1.5, 4.9, 4.11).
    pub fn PositionalEncoding(X: R[seq, chans]) -> R[seq, chans] {
        P_{seq(p), chans(c)} = if c % 2 == 0 { sin(p / 10000 ^ (c / |chans|)) } else { cos(p / 10000 ^ ((c - 1) / |chans|)) };
        X + P
    }
}
