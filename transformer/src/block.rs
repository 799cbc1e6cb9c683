//! The pre-LN block: rows 0.10, 0.17–0.21.
//!
//! Normalise, attend, add; normalise, feed forward, add. The values of seq are mixed only in the attention.

use crate::attention::{MaskedMultiHeadAttention, MultiHeadAttention, SelfAttention};
use crate::axes::{chans, seq, seq_, val};
use crate::feed_forward::FFN;
use crate::norm::LayerNorm;
use named_tensor::named;

named! {
    /// The block of source 000, with one head (row 0.17; the misprint `val -> ax` is row 0.17's).
    pub fn Block(X: R[chans, seq]; norm1: LayerNorm, att: SelfAttention, norm2: LayerNorm, ffn: FFN) -> R[chans, seq] {
        X1 = norm1(X);
        X2 = X + att(X1)_{val -> chans};
        X2 + ffn(norm2(X2))
    }

    /// The block with several heads.
    pub fn MultiHeadBlock(X: R[chans, seq]; norm1: LayerNorm, att: MultiHeadAttention, norm2: LayerNorm, ffn: FFN) -> R[chans, seq] {
        X1 = X + att(norm1(X));
        X1 + ffn(norm2(X1))
    }

    /// The block with several heads under a mask.
    pub fn MaskedMultiHeadBlock(X: R[chans, seq], M: R[seq, seq_]; norm1: LayerNorm, att: MaskedMultiHeadAttention,
                                norm2: LayerNorm, ffn: FFN) -> R[chans, seq] {
        X1 = X + att(norm1(X), M);
        X1 + ffn(norm2(X1))
    }
}
