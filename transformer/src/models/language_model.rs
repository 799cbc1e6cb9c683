//! A language model: row N18, the paper's appendix, and its kin.
//!
//! As printed it multiplies words by √|chans|, has no biases in attention, normalises what each part gives
//! ([`Order::Between`](crate::layer::Order::Between)), and reads words out by the table that embeds them. Each of these
//! is a choice here: the factor an argument, norms, biases and head parameters that may be absent.

use crate::axes::{chans, seq, vocab};
use crate::embedding::{Head, Score as _};
use crate::mask::CausalMask;
use crate::norm::LayerNorm;
use crate::position::PositionalEncoding;
use crate::stack::{Encode as _, Encoder};
use named_tensor::named;

named! {
    /// The scores of the word after each position; their softmax are its probabilities. The factor s is √|chans| as
    /// printed, or 1 (row 1.5).
    pub fn LanguageModel(I: vocab[seq], s: R[]; E: R[vocab, chans] ~ normal(0, 1/sqrt(|chans|)), encoder: Encoder,
                         norm: LayerNorm?, head: Head) -> R[seq, vocab] {
        X0 = PositionalEncoding(s * index_vocab(E, I));
        X = norm(encoder(X0, CausalMask(X0_{chans(0)})));
        head(X, E)
    }
}
