//! Normalisation: standardisation over chosen axes, then a gain and a bias.
//!
//! Lives here: batch, instance and layer normalisation on grids over (batch, chans, layer), and the layer
//! normalisation of the block on rows (position, chans). Not here: standardisation itself (`softmax`).

use super::Grid;
use super::elementwise::{zip, zip_with_last};
use super::softmax::standardize;

/// `Y_{b,c,l} = standardize_{batch,layer}(X)_{b,c,l} γ_c + β_c`
#[must_use]
pub fn batch_norm(x: &Grid, gain: &Grid, bias: &Grid, epsilon: f64) -> Grid {
    scaled_by_channel(&standardize(x, &[0, 2], epsilon), gain, bias)
}

/// `Y_{b,c,l} = standardize_{layer}(X)_{b,c,l} γ_c + β_c`
#[must_use]
pub fn instance_norm(x: &Grid, gain: &Grid, bias: &Grid, epsilon: f64) -> Grid {
    scaled_by_channel(&standardize(x, &[2], epsilon), gain, bias)
}

/// `Y_{b,c,l} = standardize_{layer,chans}(X)_{b,c,l} γ_{c,l} + β_{c,l}`
#[must_use]
pub fn layer_norm_over_chans_and_layer(x: &Grid, gain: &Grid, bias: &Grid, epsilon: f64) -> Grid {
    let scaled = zip_with_last(&standardize(x, &[1, 2], epsilon), gain, |x, gain| x * gain);
    zip_with_last(&scaled, bias, |x, bias| x + bias)
}

fn scaled_by_channel(x: &Grid, gain: &Grid, bias: &Grid) -> Grid {
    Grid::from_fn(&x.sizes, |place| x.get(place) * gain.get(&place[1..2]) + bias.get(&place[1..2]))
}

/// `X + Y` of grids of equal sizes, the residual connection.
#[must_use]
pub fn residual(x: &Grid, y: &Grid) -> Grid {
    zip(x, y, |x, y| x + y)
}

/// The weights of the layer normalisation of the block.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerNorm {
    /// `γ`, over chans.
    pub gain: Grid,
    /// `β`, over chans.
    pub bias: Grid,
    /// `ε`, inside the root.
    pub epsilon: f64,
}

impl LayerNorm {
    /// `Y_{s,c} = standardize_{chans}(X)_{s,c} γ_c + β_c`
    #[must_use]
    pub fn apply(&self, x: &Grid) -> Grid {
        let last = x.sizes.len() - 1;
        let scaled = zip_with_last(&standardize(x, &[last], self.epsilon), &self.gain, |x, gain| x * gain);
        zip_with_last(&scaled, &self.bias, |x, bias| x + bias)
    }
}
