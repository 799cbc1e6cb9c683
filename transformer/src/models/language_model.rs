//! A language model: row N18, the paper's appendix, and its kin.
//!
//! As printed it multiplies words by √|chans|, has no biases in attention, normalises what each part gives
//! ([`Order::Between`]), and reads words out by the table that embeds them. Each of these
//! is a choice here: the factor an argument, norms, biases and head parameters that may be absent.

use crate::axes::{chans, layers, seq, vocab};
use crate::embedding::{Head, Score as _};
use crate::layer::{Layer, Order};
use crate::mask::CausalMask;
use crate::norm::LayerNorm;
use crate::position::PositionalEncoding;
use crate::stack::{Encode as _, Encoder};
use named_tensor::prelude::*;

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

impl<T: Real> LanguageModel<T> {
    /// The choices of the paper's appendix: what each part gives is normalised, attention has no biases, nothing is
    /// normalised at the end, and the table of the words is the head.
    ///
    /// # Errors
    /// There is no layer.
    pub fn as_printed(self) -> Result<LanguageModel<T>, Error> {
        let layer = |layer: Layer<T>| layer.normalised(Order::Between).without_biases();
        let all: Vec<_> = self.encoder.unstack().into_iter().map(layer).collect();
        LanguageModel { encoder: stack(layers, &all)?, norm: None, head: None, ..self }.eval()
    }
}
