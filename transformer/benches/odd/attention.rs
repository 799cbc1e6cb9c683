//! Attention: of all positions, of those before, of few queries, of heads in groups; and positions turned into queries.
//!
//! Not here: the layers around it; the peer measurements have whole blocks.

use named_tensor::prelude::*;
use transformer::attention::{Attention, CausalMask, MaskedAttention};
use transformer::position::Rotary;

use crate::axes::*;
use crate::case::odd;
use crate::protocol::Run;

named! {
    /// The scores of Bahdanau's attention, softmax and all.
    fn Additive(Q: R[key], K: R[seq, key], w: R[key], V: R[seq, val]) -> R[val] {
        softmax_seq(tanh(Q + K) dot_key w) dot_seq V
    }
}

/// All attentions.
pub(crate) fn attention(run: &mut Run) -> Result<(), Error> {
    odd! {
        run "attention/full" [h, n, d] in [[3, 19, 9], [120, 17, 9], [5, 201, 33], [8, 777, 64]];
        q [heads h, seq_ n, key d], k [heads h, seq n, key d], v [heads h, seq n, val d] => [heads, seq_, val] {
            Attention(q, k, v) }
    }
    odd! {
        run "attention/causal" [h, n, d] in [[3, 19, 9], [5, 201, 33], [8, 777, 64]];
        q [heads h, seq_ n, key d], k [heads h, seq n, key d], v [heads h, seq n, val d] => [heads, seq_, val] {
            MaskedAttention(q, k, v, &CausalMask(&text)) }
        where text = Tensor::<R![seq]>::zeros(seq.of(n))
    }
    odd! {
        run "attention/few-queries" [h, m, n, d] in [[12, 1, 777, 64], [4, 13, 1001, 33]];
        q [heads h, seq_ m, key d], k [heads h, seq n, key d], v [heads h, seq n, val d] => [heads, seq_, val] {
            Attention(q, k, v) }
    }
    odd! {
        run "attention/grouped" [g, s, n, d] in [[3, 2, 33, 17], [4, 3, 301, 32]];
        q [heads g, shared s, seq_ n, key d], k [heads g, seq n, key d], v [heads g, seq n, val d] =>
            [heads, shared, seq_, val] { Attention(q, k, v) }
    }
    odd! {
        run "attention/additive" [m, n, d] in [[13, 19, 9], [33, 77, 64]];
        q [seq_ m, key d], k [seq n, key d], w [key d], v [seq n, val d] => [seq_, val] { Additive(q, k, w, v) }
    }
    odd! {
        run "attention/rotary" [n, h, d] in [[19, 3, 10], [1001, 8, 64]];
        x [seq n, heads h, key d] => [seq, heads, key] { Rotary(x, &angles) }
        where angles = Tensor::<R![seq, pair]>::from_vec((seq.of(n), pair.of(d / 2)), fill(50, n * d / 2))?
    }
    Ok(())
}
