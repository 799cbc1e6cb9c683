//! Masks: which position may see which; rows 2.13, 2.19, 4.6.
//!
//! A mask is added to scores: 0 where key i may be seen by query j, `-∞` where not. So masks are combined by adding them,
//! and lift as everything else does: a length for each text gives a mask for each text. The last query stands at the
//! last key: with a context before the queries, query j is position j + |seq| - |seq′| (row 2.19).
//! A query that may see nothing has no value, which is NaN, and the next layer would spread it: fill texts up at their
//! end, where every query still sees the first word.

use crate::axes::{seq, seq_, vocab};
use named_tensor::named;

named! {
    /// The mask under which query j sees the positions i ≤ j of its own text (row 4.6).
    pub fn CausalMask(X: R[seq]) -> R[seq, seq_] {
        M_{seq(i), seq_(j: |seq|)} = if i <= j { 0 } else { -inf };
        M
    }

    /// The same where the queries are the last of the keys: with a context, or a learned prompt, before them (row 2.19).
    pub fn ContextMask(K: R[seq], Q: R[seq_]) -> R[seq, seq_] {
        M_{seq(i), seq_(j)} = if i <= j + |seq| - |seq_| { 0 } else { -inf };
        M
    }

    /// Every query sees every key.
    pub fn OpenMask(K: R[seq], Q: R[seq_]) -> R[seq, seq_] {
        M_{seq(_i: |seq|), seq_(_j: |seq_|)} = 0;
        M
    }

    /// A query sees itself and the n - 1 positions before it.
    pub fn WindowMask(K: R[seq], Q: R[seq_], n: R[]) -> R[seq, seq_] {
        D_{seq(i), seq_(j)} = j + |seq| - |seq_| - i;
        if 0 <= D && D < n { 0 } else { -inf }
    }

    /// All queries see the first n positions, and what the causal mask shows them besides.
    pub fn PrefixMask(K: R[seq], Q: R[seq_], n: R[]) -> R[seq, seq_] {
        M_{seq(i), seq_(j)} = if i < n || i <= j + |seq| - |seq_| { 0 } else { -inf };
        M
    }

    /// A query at position q sees the keys at positions p ≤ q, wherever keys and queries lie.
    pub fn PlacedMask(p: R[seq], q: R[seq_]) -> R[seq, seq_] {
        if p <= q { 0 } else { -inf }
    }

    /// Of a text filled up at its end, the first n positions are seen.
    pub fn LengthMask(K: R[seq], n: R[]) -> R[seq] {
        M_{seq(i)} = if i < n { 0 } else { -inf };
        M
    }

    /// The word that fills texts up is not seen, wherever it stands.
    pub fn PaddingMask(I: vocab[seq], filler: vocab[]) -> R[seq] {
        if I == filler { -inf } else { 0 }
    }
}
