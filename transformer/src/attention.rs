//! Attention: rows 0.7–0.9, 1.6–1.9, 3.8–3.15.
//!
//! A query looks at all positions `seq` of keys and values. Whatever else the arguments have (more queries, heads,
//! examples) lifts the function. Lives here: one attention, its masked form, and the layers made of them.

use crate::axes::{chans, heads, key, seq, seq_, val};
use named_tensor::named;

named! {
    /// What one query draws from all positions (row 0.7).
    pub fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
        softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V
    }

    /// Attention with an additive mask: 0 where a position may be seen, `-∞` where not (row N4).
    pub fn MaskedAttention(Q: R[key], K: R[seq, key], V: R[seq, val], M: R[seq]) -> R[val] {
        softmax_seq(Q dot_key K / sqrt(|key|) + M) dot_seq V
    }

    /// The mask under which query j sees the positions i ≤ j (row 4.6).
    pub fn CausalMask(X: R[seq]) -> R[seq, seq_] {
        M_{seq(i), seq_(j: |seq|)} = if i <= j { 0 } else { -inf };
        M
    }

    /// Every position attends to every position, with one head (row 0.9).
    pub fn SelfAttention(X: R[chans, seq]; W_Q: R[chans, key], b_Q: R[key], W_K: R[chans, key], b_K: R[key],
                         W_V: R[chans, val], b_V: R[val]) -> R[val, seq] where |val| = |chans| {
        Attention(X dot_chans W_Q + b_Q, X dot_chans W_K + b_K, X dot_chans W_V + b_V)
    }

    /// Every position attends to every position, with several heads (rows 1.8, 1.9).
    pub fn MultiHeadAttention(X: R[chans, seq]; W_Q: R[chans, heads, key], b_Q: R[heads, key],
                              W_K: R[chans, heads, key], b_K: R[heads, key], W_V: R[chans, heads, val],
                              b_V: R[heads, val], W_O: R[heads, val, chans]) -> R[chans, seq] {
        Attention(X dot_chans W_Q + b_Q, X dot_chans W_K + b_K, X dot_chans W_V + b_V) dot_{heads, val} W_O
    }

    /// The same under a mask from queries seq′ to positions seq (rows 4.5, 4.6).
    pub fn MaskedMultiHeadAttention(X: R[chans, seq], M: R[seq, seq_]; W_Q: R[chans, heads, key], b_Q: R[heads, key],
                                    W_K: R[chans, heads, key], b_K: R[heads, key], W_V: R[chans, heads, val],
                                    b_V: R[heads, val], W_O: R[heads, val, chans]) -> R[chans, seq] {
        Q = X_{seq -> seq_} dot_chans W_Q + b_Q;
        H = MaskedAttention(Q, X dot_chans W_K + b_K, X dot_chans W_V + b_V, M);
        (H dot_{heads, val} W_O)_{seq_ -> seq}
    }
}
