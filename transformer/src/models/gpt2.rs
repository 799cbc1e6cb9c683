//! GPT-2 (Radford et al., *Language Models are Unsupervised Multitask Learners*, 2019).
//!
//! A stack of pre-LN layers of which each word sees itself and the words before it; learned positions, a feed-forward
//! network with the tanh form of gelu, one more normalisation at the end, and a head that is the table of words.
//! A layer takes the keys and values of the words before and gives them back with those of the new words `seq′`.
//! Not here: how a text is read piece by piece (`context`), how weights are read from files (`weights`).

#![allow(non_snake_case, reason = "the letters of the equations")]

use crate::attention::MaskedAttention;
use crate::axes::{chans, heads, hidden, key, places, seq, seq_, val, vocab};
use crate::models::context::Extended;
use crate::norm::LayerNorm;
use named_tensor::axes::selector::Extents;
use named_tensor::params::init;
use named_tensor::{parameters, prelude::*};
use rand::Rng;

named! {
    /// A word, and its position.
    pub fn Embedded(I: vocab[], p: places[]; E: R[vocab, chans] ~ normal(0, 0.02), P: R[places, chans] ~ normal(0, 0.01)) -> R[chans] {
        index_vocab(E, I) + index_places(P, p)
    }

    /// The keys of all words: those of the context C, then those of the new words (row 2.18).
    pub fn Keys(C: R[seq, heads, key], X: R[seq_, chans]; W: R[chans, heads, key], b: R[heads, key]) -> R[seq, heads, key] {
        concat_seq(C, (X dot_chans W + b)_{seq_ -> seq})
    }

    /// The values of all words in the same way.
    pub fn Values(C: R[seq, heads, val], X: R[seq_, chans]; W: R[chans, heads, val], b: R[heads, val]) -> R[seq, heads, val] {
        concat_seq(C, (X dot_chans W + b)_{seq_ -> seq})
    }

    /// What one word draws from all words that the mask shows it.
    pub fn Attend(X: R[chans], K: R[seq, heads, key], V: R[seq, heads, val], M: R[seq]; W_Q: R[chans, heads, key],
                  b_Q: R[heads, key], W_O: R[heads, val, chans], b_O: R[chans]) -> R[chans] {
        Q = X dot_chans W_Q + b_Q;
        MaskedAttention(Q, K, V, M) dot_{heads, val} W_O + b_O
    }

    /// The feed-forward network.
    pub fn MLP(X: R[chans]; W1: R[chans, hidden], b1: R[hidden], W2: R[hidden, chans], b2: R[chans]) -> R[chans] {
        gelu_tanh(X dot_chans W1 + b1) dot_hidden W2 + b2
    }

    /// The scores of the next word, by the table E of the words.
    pub fn Scores(X: R[chans], E: R[vocab, chans]; norm: LayerNorm) -> R[vocab] {
        norm(X) dot_chans E
    }
}

parameters! {
    /// One layer.
    pub struct Layer {
        /// Before attention.
        pub norm1: LayerNorm<T>,
        /// Keys.
        pub keys: Keys<T>,
        /// Values.
        pub values: Values<T>,
        /// Queries, and what is made of what they draw.
        pub att: Attend<T>,
        /// Before the feed-forward network.
        pub norm2: LayerNorm<T>,
        /// The feed-forward network.
        pub mlp: MLP<T>,
    }

    /// The whole model.
    pub struct Gpt2 {
        /// Words and positions.
        pub words: Embedded<T>,
        /// The layers, the first one first.
        pub layers: Vec<Layer<T>>,
        /// The head.
        pub head: Scores<T>,
    }
}

impl<T: Real> Layer<T> {
    /// New words X after a context with the keys K and the values V: what the layer makes of them, and the keys and
    /// values of all words.
    pub fn extend(
        &self,
        X: &Tensor<R![seq_, chans], T>,
        M: &Tensor<R![seq, seq_], T>,
        K: &Tensor<R![seq, heads, key], T>,
        V: &Tensor<R![seq, heads, val], T>,
    ) -> Extended<T> {
        let X1 = self.norm1.apply(X);
        let K = self.keys.apply(K, &X1);
        let V = self.values.apply(V, &X1);
        let X2 = X + self.att.apply(&X1, &K, &V, M);
        let Y = &X2 + self.mlp.apply(&self.norm2.apply(&X2));
        (Y, K, V)
    }
}

impl Gpt2 {
    /// A model with n layers and initial values.
    ///
    /// # Errors
    /// A size that is lacking, or sizes that do not fit in memory.
    pub fn init<E>(rng: &mut impl Rng, n: usize, sizes: E) -> Result<Gpt2, Error>
    where
        E: Extents,
    {
        let words = init(rng, sizes)?;
        let layer = |_| init(rng, sizes);
        let layers = (0..n).map(layer).collect::<Result<_, _>>()?;
        Ok(Gpt2 { words, layers, head: init(rng, sizes)? })
    }
}
