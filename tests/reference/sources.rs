//! Layers and models as the sources write them, each in its own orientation and with its own choices.
//!
//! Sources 001 and 004 have positions as rows, 003 as columns of its attention; heads are lists of matrices that are
//! concatenated and multiplied by one W^O, whose rows are those of the first head first.
//! Lives here: attention in matrices, layers, the translation model of 004. Not here: named axes, biases of attention,
//! which only source 000 has (`block`); the paper's appendix (`language_model`).

use super::Grid;
use super::attention::MultiHead;
use super::contraction::matrix_matrix;
use super::elementwise::{map, zip};
use super::feed_forward::{FeedForward, linear};
use super::language_model::Layer;
use super::norm::{LayerNorm, residual};
use super::position::sinusoidal;
use super::rearrangement::{at, reorder};
use super::softmax::softmax;

fn transposed(x: &Grid) -> Grid {
    reorder(x, &[1, 0])
}

/// `softmax(Mask(Q Kᵀ / √d_k)) V`, softmax over keys; `Mask` keeps score (i, j) where i ≥ j, else it is -∞.
#[must_use]
pub fn attention_in_matrices(q: &Grid, k: &Grid, v: &Grid, masked: bool) -> Grid {
    let scores = map(&matrix_matrix(q, &transposed(k)), |score| score / (q.sizes[1] as f64).sqrt());
    let kept = |place: &[usize]| !masked || place[0] >= place[1];
    let scores = Grid::from_fn(&scores.sizes, |at| if kept(at) { scores.get(at) } else { f64::NEG_INFINITY });
    matrix_matrix(&softmax(&scores, &[1]), v)
}

/// Rows side by side: `[A, B, ..]`.
#[must_use]
pub fn concatenated(parts: &[Grid]) -> Grid {
    let width = parts[0].sizes[1];
    Grid::from_fn(&[parts[0].sizes[0], parts.len() * width], |at| parts[at[1] / width].get(&[at[0], at[1] % width]))
}

/// `W^O`, over (h d_v, d): the rows of the first head first.
#[must_use]
pub fn output_matrix(weights: &MultiHead) -> Grid {
    let [h, v, c] = [0, 1, 2].map(|axis| weights.w_o.sizes[axis]);
    Grid::new(&[h * v, c], weights.w_o.values.clone())
}

/// `Concat(head_1, .., head_h) W^O` with `head_j = Attention(X W_j^Q, Z W_j^K, Z W_j^V)`: rows 1.8, 1.9, 4.4, 4.5.
#[must_use]
pub fn multi_head(weights: &MultiHead, x: &Grid, z: &Grid, masked: bool) -> Grid {
    let head = |j: usize| {
        let project = |x: &Grid, w: &Grid| matrix_matrix(x, &at(w, 0, j));
        let (k, v) = (project(z, &weights.w_k), project(z, &weights.w_v));
        attention_in_matrices(&project(x, &weights.w_q), &k, &v, masked)
    };
    let heads: Vec<Grid> = (0..weights.w_q.sizes[0]).map(head).collect();
    matrix_matrix(&concatenated(&heads), &output_matrix(weights))
}

/// Row 4.12, and 1.16 of the encoder: `Z2 = LN(X + Z1); Z4 = LN(Z2 + FFN(Z2))`.
#[must_use]
pub fn post_ln(layer: &Layer, x: &Grid, masked: bool) -> Grid {
    let z2 = layer.norm1.apply(&residual(x, &multi_head(&layer.attention, x, x, masked)));
    layer.norm2.apply(&residual(&z2, &layer.feed_forward.apply(&z2)))
}

/// Rows 3.11, 3.15, 3.18: columns are positions, `Y_s = Σ_t softmax_t(X_sᵀ W_Qᵀ W_K X_t / √k) W_V X_t` for each head,
/// concatenated on features, then one more linear layer; pre-LN around it, and a feed-forward network on rows.
#[must_use]
pub fn pre_ln_on_columns(layer: &Layer, x: &Grid) -> Grid {
    let normal = transposed(&layer.norm1.apply(&transposed(x)));
    let (weights, t) = (&layer.attention, x.sizes[1]);
    let head = |h: usize| {
        let [w_q, w_k, w_v] = [&weights.w_q, &weights.w_k, &weights.w_v].map(|w| transposed(&at(w, 0, h)));
        let between = matrix_matrix(&transposed(&w_q), &w_k);
        let scores = matrix_matrix(&matrix_matrix(&transposed(&normal), &between), &normal);
        let weights = softmax(&map(&scores, |score| score / (w_q.sizes[0] as f64).sqrt()), &[1]);
        let values = matrix_matrix(&w_v, &normal);
        Grid::from_fn(&[values.sizes[0], t], |at| {
            (0..t).map(|j| weights.get(&[at[1], j]) * values.get(&[at[0], j])).sum::<f64>()
        })
    };
    let heads: Vec<Grid> = (0..weights.w_q.sizes[0]).map(|h| transposed(&head(h))).collect();
    let attended = matrix_matrix(&transposed(&output_matrix(weights)), &transposed(&concatenated(&heads)));
    let x2 = residual(x, &attended);
    let fed = layer.feed_forward.apply(&layer.norm2.apply(&transposed(&x2)));
    residual(&x2, &transposed(&fed))
}

/// The weights of one decoder stack.
#[derive(Clone, Debug, PartialEq)]
pub struct DecoderStack {
    /// Masked self-attention, W^{..,DM}.
    pub masked: MultiHead,
    /// The normalisation of Z2.
    pub norm1: LayerNorm,
    /// Attention to the encoder, W^{..,D}.
    pub cross: MultiHead,
    /// The normalisation of Z4.
    pub norm2: LayerNorm,
    /// The feed-forward network.
    pub feed_forward: FeedForward,
    /// The normalisation of Z6.
    pub norm3: LayerNorm,
}

impl DecoderStack {
    /// Row 4.15, Z6 from Y' and Z_N,4.
    #[must_use]
    pub fn apply(&self, y: &Grid, z: &Grid) -> Grid {
        let z2 = self.norm1.apply(&residual(y, &multi_head(&self.masked, y, y, true)));
        let z4 = self.norm2.apply(&residual(&z2, &multi_head(&self.cross, &z2, z, false)));
        self.norm3.apply(&residual(&z4, &self.feed_forward.apply(&z4)))
    }

    /// The same parts, where what goes into each is normalised, as the figure of 003 has it for its blocks.
    #[must_use]
    pub fn apply_before(&self, y: &Grid, z: &Grid) -> Grid {
        let y1 = self.norm1.apply(y);
        let z2 = residual(y, &multi_head(&self.masked, &y1, &y1, true));
        let z4 = residual(&z2, &multi_head(&self.cross, &self.norm2.apply(&z2), z, false));
        residual(&z4, &self.feed_forward.apply(&self.norm3.apply(&z4)))
    }

    /// The same parts, where what each gives is normalised, as the paper has it for its layers.
    #[must_use]
    pub fn apply_between(&self, y: &Grid, z: &Grid) -> Grid {
        let z2 = residual(y, &self.norm1.apply(&multi_head(&self.masked, y, y, true)));
        let z4 = residual(&z2, &self.norm2.apply(&multi_head(&self.cross, &z2, z, false)));
        residual(&z4, &self.norm3.apply(&self.feed_forward.apply(&z4)))
    }
}

/// The weights of row 4.2.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation {
    /// `W_Embedding`, n_vol x d_model.
    pub embedding: Grid,
    /// The encoder's stacks.
    pub encoder: Vec<Layer>,
    /// The decoder's stacks.
    pub decoder: Vec<DecoderStack>,
    /// `W^S`, d_model x n_vol.
    pub w_s: Grid,
    /// `b^S`.
    pub b_s: Grid,
}

impl Translation {
    /// Rows 4.9 to 4.11 and 4.14: `√d X W_Embedding + PE`, for one-hot rows X, of which one may be zero.
    #[must_use]
    pub fn embedded(&self, x: &Grid) -> Grid {
        let d = self.embedding.sizes[1];
        let words = map(&matrix_matrix(x, &self.embedding), |x| x * (d as f64).sqrt());
        zip(&words, &sinusoidal(x.sizes[0], d), |word, position| word + position)
    }

    /// Row 4.12: Z_N,4 from X_input.
    #[must_use]
    pub fn encoded(&self, x: &Grid) -> Grid {
        self.encoder.iter().fold(self.embedded(x), |x, layer| post_ln(layer, &x, false))
    }

    /// Rows 4.13 to 4.16: `Z = Z_N,6 W^S + b^S`, for X_input and the shifted Y'_output.
    #[must_use]
    pub fn apply(&self, x: &Grid, shifted: &Grid) -> Grid {
        let z = self.encoded(x);
        let last = self.decoder.iter().fold(self.embedded(shifted), |y, stack| stack.apply(&y, &z));
        linear(&last, &self.w_s, &self.b_s)
    }
}

/// Row 4.13: `{y_0, y_1, ..}` as one-hot rows, where y_0 is the zero vector.
#[must_use]
pub fn shifted(words: &[usize], vocabulary: usize) -> Grid {
    Grid::from_fn(&[words.len() + 1, vocabulary], |at| if at[0] > 0 && words[at[0] - 1] == at[1] { 1.0 } else { 0.0 })
}
