//! Llama (Touvron et al., *LLaMA: Open and Efficient Foundation Language Models*, 2023; grouped heads since Llama 2).
//!
//! A stack of pre-LN layers without biases: normalisation by the root of the mean square, rotary positions in queries and
//! keys, the gated network SwiGLU. Each head of keys and values is looked at by several queries, its `shared` heads.
//! Not here: how a text is read piece by piece (`context`), how weights are read from files (`weights`).

#![allow(non_snake_case, reason = "the letters of the equations")]

use crate::attention::MaskedAttention;
use crate::axes::{chans, heads, hidden, key, pair, seq, seq_, shared, val, vocab};
use crate::embedding::Embedding;
use crate::models::context::Extended;
use crate::position::Rotary;
use named_tensor::{parameters, prelude::*};

named! {
    /// Normalisation by the root of the mean square (Zhang and Sennrich, 2019).
    pub fn RMSNorm(X: R[chans], ε: R[]; γ: R[chans] = 1) -> R[chans] {
        X / sqrt(mean_chans(X * X) + ε) * γ
    }

    /// The keys of all words: those of the context C, then those of the new words, turned by θ.
    pub fn RotaryKeys(C: R[seq, heads, key], X: R[seq_, chans], θ: R[seq_, pair]; W: R[chans, heads, key]) -> R[seq, heads, key] {
        concat_seq(C, Rotary(X dot_chans W, θ)_{seq_ -> seq})
    }

    /// The values of all words.
    pub fn PlainValues(C: R[seq, heads, val], X: R[seq_, chans]; W: R[chans, heads, val]) -> R[seq, heads, val] {
        concat_seq(C, (X dot_chans W)_{seq_ -> seq})
    }

    /// What one word, turned by θ, draws from all words that the mask shows it.
    pub fn GroupedAttend(X: R[chans], θ: R[pair], K: R[seq, heads, key], V: R[seq, heads, val], M: R[seq];
                         W_Q: R[chans, heads, shared, key], W_O: R[heads, shared, val, chans]) -> R[chans] {
        Q = Rotary(X dot_chans W_Q, θ);
        MaskedAttention(Q, K, V, M) dot_{heads, shared, val} W_O
    }

    /// The gated feed-forward network (Shazeer, 2020).
    pub fn SwiGLU(X: R[chans]; W1: R[chans, hidden], W2: R[hidden, chans], W3: R[chans, hidden]) -> R[chans] {
        (silu(X dot_chans W1) * (X dot_chans W3)) dot_hidden W2
    }

    /// The scores of the next word by a table, that of the words or one of its own.
    pub fn RMSScores(X: R[chans], ε: R[], E: R[vocab, chans]; norm: RMSNorm) -> R[vocab] {
        norm(X, ε) dot_chans E
    }
}

/// A vector for each word.
pub type Table<T = f32> = Tensor<R![vocab, chans], T>;

parameters! {
    /// One layer.
    pub struct Layer {
        /// Before attention.
        pub norm1: RMSNorm<T>,
        /// Keys.
        pub keys: RotaryKeys<T>,
        /// Values.
        pub values: PlainValues<T>,
        /// Queries, and what is made of what they draw.
        pub att: GroupedAttend<T>,
        /// Before the feed-forward network.
        pub norm2: RMSNorm<T>,
        /// The feed-forward network.
        pub mlp: SwiGLU<T>,
    }

    /// The weights of the model.
    pub struct Weights {
        /// The table of words.
        pub words: Embedding<T>,
        /// The layers, the first one first.
        pub layers: Vec<Layer<T>>,
        /// The head.
        pub head: RMSScores<T>,
        /// The table of the head, if it is not that of the words.
        pub output: Option<Table<T>>,
    }
}

/// The whole model: weights, and the numbers that are not learnt.
#[derive(Clone, Debug)]
pub struct Llama {
    /// The weights.
    pub weights: Weights,
    /// ε of the normalisation.
    pub ε: Tensor<R![]>,
    /// The base of the angles, 10000 or larger.
    pub base: Tensor<R![]>,
    /// How many words a text may have.
    pub positions: usize,
}

impl<T: Real> Layer<T> {
    /// New words X, turned by θ, after a context with the keys K and the values V.
    pub fn extend(
        &self,
        X: &Tensor<R![seq_, chans], T>,
        M: &Tensor<R![seq, seq_], T>,
        θ: &Tensor<R![seq_, pair], T>,
        ε: &Tensor<R![], T>,
        K: &Tensor<R![seq, heads, key], T>,
        V: &Tensor<R![seq, heads, val], T>,
    ) -> Extended<T> {
        let X1 = self.norm1.apply(X, ε);
        let K = self.keys.apply(K, &X1, θ);
        let V = self.values.apply(V, &X1);
        let X2 = X + self.att.apply(&X1, θ, &K, &V, M);
        let Y = &X2 + self.mlp.apply(&self.norm2.apply(&X2, ε));
        (Y, K, V)
    }
}
