//! Losses: row 4.17.
//!
//! Each is that of one prediction; lifted over texts and batches it is one for each, to be summed (row 4.17) or averaged.
//! Not here: what predicts (`block`), what the loss changes (`optimizer`).

use crate::axes::vocab;
use named_tensor::named;

named! {
    /// - log softmax(Z) at the word that is right, from logits, so that no logarithm meets a 0 (row 4.17).
    pub fn CrossEntropy(Z: R[vocab], I: vocab[]) -> R[] {
        -index_vocab(log_softmax_vocab(Z), I)
    }

    /// The same where a part α of the target, between 0 and 1, is spread over all words alike. It is infinite if one of
    /// them has the logit -∞, for that word is a part of the target too; what it owes backwards is finite. There α = 0
    /// gives NaN, 0 · ∞: a loss without smoothing is `CrossEntropy`.
    pub fn SmoothedCrossEntropy(Z: R[vocab], I: vocab[], α: R[]) -> R[] {
        L = log_softmax_vocab(Z);
        -((1 - α) * index_vocab(L, I) + α * mean_vocab(L))
    }
}
