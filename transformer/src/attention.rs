//! Attention: rows 0.7–0.9, 1.6–1.9, 3.8–3.15.
//!
//! A query looks at all positions `seq` of keys and values. Whatever else the arguments have (more queries, heads,
//! examples) lifts the function. Lives here: one attention, its masked form, and the layers made of them; `MultiHead`,
//! `GroupedQuery` and `MultiQuery` are again those of one query, so that X may be a position of the text Z, of another one,
//! or all of them under `seq′`.

use crate::axes::{chans, groups, heads, key, seq, seq_, shared, val};
use named_tensor::named;

pub use crate::mask::CausalMask;

named! {
    /// What one query draws from all positions (row 0.7).
    pub fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
        softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V
    }

    /// Attention with an additive mask: 0 where a position may be seen, `-∞` where not (row N4).
    pub fn MaskedAttention(Q: R[key], K: R[seq, key], V: R[seq, val], M: R[seq]) -> R[val] {
        softmax_seq(Q dot_key K / sqrt(|key|) + M) dot_seq V
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

    /// What one position draws from a text Z, with several heads, under a mask (rows 1.8, 1.9, 4.4, 4.5). A source that
    /// has no biases leaves them out.
    pub fn MultiHead(X: R[chans], Z: R[chans, seq], M: R[seq]; W_Q: R[chans, heads, key], b_Q: R[heads, key]?,
                     W_K: R[chans, heads, key], b_K: R[heads, key]?, W_V: R[chans, heads, val], b_V: R[heads, val]?,
                     W_O: R[heads, val, chans], b_O: R[chans]?) -> R[chans] {
        Q = X dot_chans W_Q + b_Q;
        K = Z dot_chans W_K + b_K;
        V = Z dot_chans W_V + b_V;
        MaskedAttention(Q, K, V, M) dot_{heads, val} W_O + b_O
    }

    /// The same where the heads of a group share keys and values (Ainslie et al., 2023): of one group it is [`MultiQuery`],
    /// of one head in each group [`MultiHead`].
    pub fn GroupedQuery(X: R[chans], Z: R[chans, seq], M: R[seq]; W_Q: R[chans, groups, shared, key],
                        W_K: R[chans, groups, key], W_V: R[chans, groups, val],
                        W_O: R[groups, shared, val, chans]) -> R[chans] {
        Q = X dot_chans W_Q;
        K = Z dot_chans W_K;
        V = Z dot_chans W_V;
        MaskedAttention(Q, K, V, M) dot_{groups, shared, val} W_O
    }

    /// The same where all heads share keys and values (Shazeer, 2019).
    pub fn MultiQuery(X: R[chans], Z: R[chans, seq], M: R[seq]; W_Q: R[chans, heads, key], W_K: R[chans, key],
                      W_V: R[chans, val], W_O: R[heads, val, chans]) -> R[chans] {
        Q = X dot_chans W_Q;
        K = Z dot_chans W_K;
        V = Z dot_chans W_V;
        MaskedAttention(Q, K, V, M) dot_{heads, val} W_O
    }
}
