//! The equations of the transformer crate, and the models of the paper's appendix, against plain matrix code.
//!
//! A test whose name begins with `s0_` and a number is that row of the inventory of source 000. Lives here: the weights that the tests draw, as plain
//! grids and as the crate's parameters. Not here: the laws of single operations (`laws`).

#![allow(confusable_idents, mixed_script_confusables, reason = "γ and β are the letters of the paper")]

mod alignment;
mod attention;
mod bert;
mod block;
mod columns;
mod decoding;
mod dropout;
mod gpt2;
mod gradients;
mod language_model;
mod layer;
mod layers;
mod lenet;
mod llama;
mod mask;
mod multi_head;
mod norm;
mod picture;
mod position;
mod practical;
mod published;
mod seq2seq;
mod text;
mod training;
mod training_loop;
mod translation;
mod weights;

use named_tensor::prelude::*;
use named_tensor_tests::reference::Grid;
use named_tensor_tests::reference::elementwise::map;
use named_tensor_tests::reference::{attention as plain_attention, block as plain_block};
use named_tensor_tests::reference::{feed_forward as plain_feed_forward, norm as plain_norm};
use named_tensor_tests::strategies::tensor;
use transformer::attention::{MaskedMultiHeadAttention, MultiHeadAttention, SelfAttention};
use transformer::axes::{chans, heads, hidden, key, val};
use transformer::block::{Block, MaskedMultiHeadBlock, MultiHeadBlock};
use transformer::feed_forward::FFN;
use transformer::norm::LayerNorm;

/// The ε that the crate's standardisation has unless another is written.
const EPSILON: f64 = 1e-5;

/// Numbers between -1 and 1 in an order that only the seed decides (a linear congruential generator).
struct Numbers(u64);

impl Numbers {
    fn grid(&mut self, sizes: &[usize]) -> Grid {
        Grid::from_fn(sizes, |_| {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Ten binary places, so that `f32` holds the number as it is.
            ((self.0 >> 53) as f64 - 1024.0) / 1024.0
        })
    }

    /// Numbers that `incoming` of them, times numbers of size 1, sum to a number of size 1: below one over a power of 2.
    fn weights(&mut self, incoming: usize, sizes: &[usize]) -> Grid {
        let scale = 1.0 / incoming.next_power_of_two() as f64;
        map(&self.grid(sizes), |number| number * scale)
    }

    fn layer_norm(&mut self, c: usize) -> plain_norm::LayerNorm {
        plain_norm::LayerNorm { gain: self.grid(&[c]), bias: self.grid(&[c]), epsilon: EPSILON }
    }

    fn self_attention(&mut self, c: usize, k: usize, v: usize) -> plain_attention::SelfAttention {
        plain_attention::SelfAttention {
            w_q: self.weights(c, &[c, k]),
            b_q: self.grid(&[k]),
            w_k: self.weights(c, &[c, k]),
            b_k: self.grid(&[k]),
            w_v: self.weights(c, &[c, v]),
            b_v: self.grid(&[v]),
        }
    }

    fn multi_head(&mut self, h: usize, c: usize, k: usize, v: usize) -> plain_attention::MultiHead {
        plain_attention::MultiHead {
            w_q: self.weights(c, &[h, c, k]),
            b_q: self.grid(&[h, k]),
            w_k: self.weights(c, &[h, c, k]),
            b_k: self.grid(&[h, k]),
            w_v: self.weights(c, &[h, c, v]),
            b_v: self.grid(&[h, v]),
            w_o: self.weights(h * v, &[h, v, c]),
        }
    }

    fn feed_forward(&mut self, c: usize, h: usize) -> plain_feed_forward::FeedForward {
        plain_feed_forward::FeedForward {
            w1: self.weights(c, &[c, h]),
            b1: self.grid(&[h]),
            w2: self.weights(h, &[h, c]),
            b2: self.grid(&[c]),
        }
    }

    fn block<A>(&mut self, c: usize, h: usize, attention: A) -> plain_block::Block<A> {
        plain_block::Block {
            norm1: self.layer_norm(c),
            attention,
            norm2: self.layer_norm(c),
            feed_forward: self.feed_forward(c, h),
        }
    }
}

fn layer_norm<T: Real>(plain: &plain_norm::LayerNorm) -> LayerNorm<T> {
    LayerNorm { γ: tensor!(T, &plain.gain, (chans)), β: tensor!(T, &plain.bias, (chans)) }
}

fn self_attention<T: Real>(plain: &plain_attention::SelfAttention) -> SelfAttention<T> {
    SelfAttention {
        W_Q: tensor!(T, &plain.w_q, (chans, key)),
        b_Q: tensor!(T, &plain.b_q, (key)),
        W_K: tensor!(T, &plain.w_k, (chans, key)),
        b_K: tensor!(T, &plain.b_k, (key)),
        W_V: tensor!(T, &plain.w_v, (chans, val)),
        b_V: tensor!(T, &plain.b_v, (val)),
    }
}

fn multi_head<T: Real>(plain: &plain_attention::MultiHead) -> MultiHeadAttention<T> {
    MultiHeadAttention {
        W_Q: tensor!(T, &plain.w_q, (heads, chans, key)),
        b_Q: tensor!(T, &plain.b_q, (heads, key)),
        W_K: tensor!(T, &plain.w_k, (heads, chans, key)),
        b_K: tensor!(T, &plain.b_k, (heads, key)),
        W_V: tensor!(T, &plain.w_v, (heads, chans, val)),
        b_V: tensor!(T, &plain.b_v, (heads, val)),
        W_O: tensor!(T, &plain.w_o, (heads, val, chans)),
    }
}

fn masked_multi_head<T: Real>(plain: &plain_attention::MultiHead) -> MaskedMultiHeadAttention<T> {
    let MultiHeadAttention { W_Q, b_Q, W_K, b_K, W_V, b_V, W_O } = multi_head(plain);
    MaskedMultiHeadAttention { W_Q, b_Q, W_K, b_K, W_V, b_V, W_O }
}

fn feed_forward<T: Real>(plain: &plain_feed_forward::FeedForward) -> FFN<T> {
    FFN {
        W1: tensor!(T, &plain.w1, (chans, hidden)),
        b1: tensor!(T, &plain.b1, (hidden)),
        W2: tensor!(T, &plain.w2, (hidden, chans)),
        b2: tensor!(T, &plain.b2, (chans)),
    }
}

fn block<T: Real>(plain: &plain_block::Block) -> Block<T> {
    Block {
        norm1: layer_norm(&plain.norm1),
        att: self_attention(&plain.attention),
        norm2: layer_norm(&plain.norm2),
        ffn: feed_forward(&plain.feed_forward),
    }
}

fn multi_head_block<T: Real>(plain: &plain_block::Block<plain_attention::MultiHead>) -> MultiHeadBlock<T> {
    MultiHeadBlock {
        norm1: layer_norm(&plain.norm1),
        att: multi_head(&plain.attention),
        norm2: layer_norm(&plain.norm2),
        ffn: feed_forward(&plain.feed_forward),
    }
}

fn masked_multi_head_block<T: Real>(plain: &plain_block::Block<plain_attention::MultiHead>) -> MaskedMultiHeadBlock<T> {
    MaskedMultiHeadBlock {
        norm1: layer_norm(&plain.norm1),
        att: masked_multi_head(&plain.attention),
        norm2: layer_norm(&plain.norm2),
        ffn: feed_forward(&plain.feed_forward),
    }
}
