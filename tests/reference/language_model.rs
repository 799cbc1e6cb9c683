//! The language model of the paper's appendix, on rows: position first, feature last (row N18).
//!
//! Lives here: embedding, its layers as the paper prints them, the tied output, and how far errors may grow on the way.
//! Not here: attention, feed-forward networks and normalisation themselves.

use super::attention::{MultiHead, causal_mask};
use super::contraction::matrix_matrix;
use super::elementwise::{map, zip};
use super::feed_forward::FeedForward;
use super::norm::{LayerNorm, residual};
use super::position::sinusoidal;
use super::rearrangement::{at, reorder};
use super::reduction::{min, var};
use super::softmax::softmax;
use super::{Grid, places};

/// The weights of one layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Self-attention; the paper has no biases in it.
    pub attention: MultiHead,
    /// The normalisation of what it gives.
    pub norm1: LayerNorm,
    /// The feed-forward network.
    pub feed_forward: FeedForward,
    /// The normalisation of what it gives.
    pub norm2: LayerNorm,
}

/// The weights of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct LanguageModel {
    /// `E`, over (vocab, layer): words at both ends.
    pub embedding: Grid,
    /// The layers, the first first.
    pub layers: Vec<Layer>,
}

impl Layer {
    /// `SelfAtt(X)`, under a causal mask.
    #[must_use]
    pub fn attended(&self, x: &Grid) -> Grid {
        self.attention.apply(x, x, Some(&causal_mask(x.sizes[0], x.sizes[0], 0)))
    }

    /// `T = LayerNorm(SelfAtt(X)) + X`
    #[must_use]
    pub fn middle(&self, x: &Grid) -> Grid {
        residual(&self.norm1.apply(&self.attended(x)), x)
    }

    /// `LayerNorm'(FFN(T)) + T`
    #[must_use]
    pub fn apply(&self, x: &Grid) -> Grid {
        let t = self.middle(x);
        residual(&self.norm2.apply(&self.feed_forward.apply(&t)), &t)
    }

    /// By how much a small error of X may have grown in the result, for weights whose sums over what comes in are at
    /// most 1 and gains at most 1.
    ///
    /// With |X| ≤ M, scores of k products err by 2 √k M times the error, weights by twice that, values by M times
    /// that and by the error itself. The derivative of standardisation of n numbers has sums below (2 + √n) / σ.
    #[must_use]
    pub fn growth(&self, x: &Grid) -> f64 {
        let largest = x.values.iter().fold(1.0_f64, |largest, x| largest.max(x.abs()));
        let root = (self.attention.w_q.sizes[2] as f64).sqrt();
        let standardized = |x: &Grid, epsilon: f64| {
            let least = min(&var(x, &[1]), &[0]).item() + epsilon;
            (2.0 + (x.sizes[1] as f64).sqrt()) / least.sqrt()
        };
        let attended = standardized(&self.attended(x), self.norm1.epsilon) * (1.0 + 4.0 * root * largest * largest);
        let fed = standardized(&self.feed_forward.apply(&self.middle(x)), self.norm2.epsilon);
        (1.0 + attended) * (1.0 + fed)
    }
}

impl LanguageModel {
    /// `X⁰ = (E ⊙_vocab I) √|layer| + P`
    #[must_use]
    pub fn embedded(&self, words: &[usize]) -> Grid {
        let features = self.embedding.sizes[1];
        let rows: Vec<f64> = words.iter().flat_map(|&word| at(&self.embedding, 0, word).values).collect();
        let rows = map(&Grid::new(&[words.len(), features], rows), |x| x * (features as f64).sqrt());
        zip(&rows, &sinusoidal(words.len(), features), |w, p| w + p)
    }

    /// `softmax_vocab(E ⊙_layer X^L)`, over (position, word).
    #[must_use]
    pub fn apply(&self, words: &[usize]) -> Grid {
        let last = self.layers.iter().fold(self.embedded(words), |x, layer| layer.apply(&x));
        softmax(&matrix_matrix(&last, &reorder(&self.embedding, &[1, 0])), &[1])
    }

    /// By how much a small error of X⁰ may have grown in the result: as in its layers, then by as many products as there
    /// are features, and twice that in a softmax.
    #[must_use]
    pub fn growth(&self, words: &[usize]) -> f64 {
        let mut x = self.embedded(words);
        let mut growth = 2.0 * self.embedding.sizes[1] as f64;
        for layer in &self.layers {
            growth *= layer.growth(&x);
            x = layer.apply(&x);
        }
        growth
    }
}

/// `I ∈ {0, 1}^(seq x vocab)`: each word as a one among zeros.
#[must_use]
pub fn one_hot(words: &[usize], vocabulary: usize) -> Grid {
    let mut grid = Grid::new(&[words.len(), vocabulary], vec![0.0; words.len() * vocabulary]);
    for place in places(&grid.sizes).iter().filter(|place| words[place[0]] == place[1]) {
        grid.set(place, 1.0);
    }
    grid
}
