//! Linear layers and feed-forward networks, on rows: position first, feature last.
//!
//! Lives here: the linear layer, the two-layer network of the block, fully connected layers, the Elman network.
//! Not here: attention (`attention`), normalisation (`norm`).

use super::Grid;
use super::contraction::{matrix_matrix, matrix_vector};
use super::elementwise::{map, relu, sigmoid, zip, zip_with_last};

/// `Y_{s,o} = Σ_c X_{s,c} W_{c,o} + b_o`
#[must_use]
pub fn linear(x: &Grid, w: &Grid, b: &Grid) -> Grid {
    zip_with_last(&matrix_matrix(x, w), b, |product, b| product + b)
}

/// The weights of a feed-forward network.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedForward {
    /// `W1`, over (chans, hidden).
    pub w1: Grid,
    /// `b1`, over hidden.
    pub b1: Grid,
    /// `W2`, over (hidden, out).
    pub w2: Grid,
    /// `b2`, over out.
    pub b2: Grid,
}

impl FeedForward {
    /// `relu(X W1 + b1) W2 + b2`
    #[must_use]
    pub fn apply(&self, x: &Grid) -> Grid {
        let hidden = map(&linear(x, &self.w1, &self.b1), relu);
        linear(&hidden, &self.w2, &self.b2)
    }
}

/// `σ(W x + b)` for W over (out, in).
#[must_use]
pub fn fully_connected(w: &Grid, x: &Grid, b: &Grid) -> Grid {
    map(&zip(&matrix_vector(w, x), b, |product, b| product + b), sigmoid)
}

/// `h^t = σ(W_h h^{t-1} + W_i x^t + b)` for W_h over (hidden', hidden), W_i over (hidden', input).
#[must_use]
pub fn elman_step(w_h: &Grid, w_i: &Grid, b: &Grid, h: &Grid, x: &Grid) -> Grid {
    let products = zip(&matrix_vector(w_h, h), &matrix_vector(w_i, x), |h, x| h + x);
    map(&zip(&products, b, |product, b| product + b), sigmoid)
}
