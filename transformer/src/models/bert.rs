//! BERT (Devlin et al., 2019), and the sentence encoders made of it (Reimers and Gurevych, *Sentence-BERT*, 2019).
//!
//! A stack of post-LN layers without a causal mask; words, learned positions and kinds of segments are added and
//! normalised; the feed-forward network has the exact gelu. The meaning of a sentence is the mean of its words, with the
//! length 1. Shorter sentences of a batch are filled up; n is how many words a sentence has.
//! Not here: how weights are read from files (`weights`), how text becomes words (`text`).

use crate::attention::MultiHead;
use crate::axes::{batch, chans, hidden, places, segments, seq, seq_, vocab};
use crate::mask::LengthMask;
use named_tensor::{parameters, prelude::*};

named! {
    /// Layer normalisation with the ε of this family.
    pub fn Norm(X: R[chans]; γ: R[chans] = 1, β: R[chans] = 0) -> R[chans] {
        standardize_chans(X, 1e-12) * γ + β
    }

    /// A word, its position, and the kind of its segment.
    pub fn Words(I: vocab[], p: places[], s: segments[]; E: R[vocab, chans], P: R[places, chans], S: R[segments, chans],
                 norm: Norm) -> R[chans] {
        norm(index_vocab(E, I) + index_places(P, p) + index_segments(S, s))
    }

    /// The feed-forward network.
    pub fn GeluFFN(X: R[chans]; W1: R[chans, hidden], b1: R[hidden], W2: R[hidden, chans], b2: R[chans]) -> R[chans] {
        gelu(X dot_chans W1 + b1) dot_hidden W2 + b2
    }

    /// One layer for a sentence of n words.
    pub fn BertLayer(X: R[chans, seq], n: R[]; att: MultiHead, norm1: Norm, ffn: GeluFFN, norm2: Norm) -> R[chans, seq] {
        M = LengthMask(X_{chans(0)}, n);
        X1 = norm1(X + att(X_{seq -> seq_}, X, M)_{seq_ -> seq});
        norm2(X1 + ffn(X1))
    }

    /// The meaning of a sentence of n words: their mean, with the length 1.
    pub fn Meaning(X: R[chans, seq], n: R[]) -> R[chans] {
        B_{seq(i)} = if i < n { 1 } else { 0 };
        Y = X dot_seq B / n;
        Y / norm_chans(Y)
    }

    /// How alike two meanings are, the cosine of their angle.
    pub fn Similarity(X: R[chans], Y: R[chans]) -> R[] {
        X dot_chans Y
    }
}

parameters! {
    /// The whole model.
    pub struct Bert {
        /// Words, positions, segments.
        pub words: Words<T>,
        /// The layers, the first one first.
        pub layers: Vec<BertLayer<T>>,
    }
}

impl Bert {
    /// The features of all words of several sentences, the i-th of which has nᵢ words. Nothing is computed yet.
    #[must_use]
    pub fn features(
        &self,
        words: &Tensor<R![batch, seq], Index<vocab>>,
        n: &Tensor<R![batch]>,
    ) -> Tensor<R![batch, seq, chans]> {
        let first = Tensor::positions(segments.of(1)).at(segments, 0);
        let x = self.words.apply(words, &Tensor::positions(places.of(words.size(seq))).rename(places, seq), &first);
        self.layers.iter().fold(x, |x, layer| layer.apply(&x, n))
    }

    /// The meanings of several sentences, whose words are given as numbers.
    ///
    /// # Errors
    /// No sentence, or one without words; a word outside of the vocabulary; more words than there are positions.
    pub fn embed(&self, sentences: &[Vec<usize>]) -> Result<Tensor<R![batch, chans]>, Error> {
        let longest = sentences.iter().map(Vec::len).max().unwrap_or(0);
        let (known, positions) = (self.words.E.size(vocab), self.words.P.size(places));
        sentences.iter().try_for_each(|words| super::refused(words, 0, known, positions))?;
        let filled =
            |words: &Vec<usize>| words.iter().copied().chain(vec![0; longest - words.len()]).collect::<Vec<_>>();
        let axes = (batch.of(sentences.len()), seq.of(longest));
        let words = Tensor::indices_from_vec(axes, vocab, sentences.iter().flat_map(filled).collect())?;
        let n =
            Tensor::from_vec(batch.of(sentences.len()), sentences.iter().map(|words| words.len() as f32).collect())?;
        Meaning(&self.features(&words, &n), &n).eval()
    }
}
