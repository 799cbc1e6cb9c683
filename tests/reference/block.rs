//! The pre-LN block on rows: position first, chans last.
//!
//! Lives here: the block with one head and biases (row 0.17) and the block with heads.
//! Not here: its parts (`norm`, `attention`, `feed_forward`).

use super::Grid;
use super::attention::{MultiHead, SelfAttention};
use super::feed_forward::FeedForward;
use super::norm::{LayerNorm, residual};

/// The weights of the block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block<A = SelfAttention> {
    /// The normalisation before attention.
    pub norm1: LayerNorm,
    /// Self-attention.
    pub attention: A,
    /// The normalisation before the feed-forward network.
    pub norm2: LayerNorm,
    /// The feed-forward network.
    pub feed_forward: FeedForward,
}

impl Block {
    /// `X1 = LayerNorm(X);  X2 = X + SelfAttention(X1)`
    #[must_use]
    pub fn middle(&self, x: &Grid, mask: Option<&Grid>) -> Grid {
        residual(x, &self.attention.apply(&self.norm1.apply(x), mask))
    }

    /// `Y = X2 + FFN(LayerNorm(X2))`
    #[must_use]
    pub fn apply(&self, x: &Grid, mask: Option<&Grid>) -> Grid {
        self.rest(&self.middle(x, mask))
    }
}

impl Block<MultiHead> {
    /// The same with heads: `X2 = X + MultiHead(X1, X1)`.
    #[must_use]
    pub fn middle(&self, x: &Grid, mask: Option<&Grid>) -> Grid {
        let x1 = self.norm1.apply(x);
        residual(x, &self.attention.apply(&x1, &x1, mask))
    }

    /// `Y = X2 + FFN(LayerNorm(X2))`
    #[must_use]
    pub fn apply(&self, x: &Grid, mask: Option<&Grid>) -> Grid {
        self.rest(&self.middle(x, mask))
    }
}

impl<A> Block<A> {
    fn rest(&self, x2: &Grid) -> Grid {
        residual(x2, &self.feed_forward.apply(&self.norm2.apply(x2)))
    }
}
