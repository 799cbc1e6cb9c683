//! Linear layers and the feed-forward network: rows 0.5, 0.6, 1.14, 3.17.

use crate::axes::{chans, hidden, out};
use named_tensor::named;

named! {
    /// A linear layer (row 0.5).
    pub fn Linear(X: R[chans]; W: R[chans, out], b: R[out]) -> R[out] {
        X dot_chans W + b
    }

    /// The feed-forward network of a block, for each position by itself (row 0.6).
    pub fn FFN(X: R[chans]; W1: R[chans, hidden], b1: R[hidden], W2: R[hidden, chans], b2: R[chans]) -> R[chans] {
        relu(X dot_chans W1 + b1) dot_hidden W2 + b2
    }
}
