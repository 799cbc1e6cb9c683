//! How the causal architectures are read: layer after layer, each with its own keys and values.
//!
//! Lives here: which parts of [`Gpt2`] and [`Llama`] are applied in which order. Not here: the parts, and what reading is.

#![allow(non_snake_case, reason = "the letters of the equations")]

use super::context::{Features, Kept, Reads, Sizes};
use super::gpt2::{self, Gpt2};
use super::llama::{self, Llama};
use crate::axes::{heads, key, places, seq, seq_, val, vocab};
use crate::position::Angles;
use named_tensor::prelude::*;

impl Reads for Gpt2 {
    fn sizes(&self) -> Sizes {
        let (words, first) = (&self.words, self.layers.first());
        let of = |size: fn(&gpt2::Layer) -> usize| first.map_or(0, size);
        Sizes {
            positions: words.P.size(places),
            words: words.E.size(vocab),
            layers: self.layers.len(),
            heads: of(|layer| layer.keys.W.size(heads)),
            key: of(|layer| layer.keys.W.size(key)),
            val: of(|layer| layer.values.W.size(val)),
        }
    }

    fn read(
        &self,
        words: &Tensor<R![seq_], Index<vocab>>,
        at: &Tensor<R![seq_], Index<places>>,
        mask: &Tensor<R![seq, seq_]>,
        context: &[Kept],
    ) -> (Features, Vec<Kept>) {
        let mut x = self.words.apply(words, at);
        let extended = self.layers.iter().zip(context).map(|(layer, kept)| {
            let (y, K, V) = layer.extend(&x, mask, &kept.K, &kept.V);
            x = y;
            Kept { K, V }
        });
        let extended = extended.collect();
        (x, extended)
    }

    fn logits(&self, features: &Features) -> Tensor<R![seq_, vocab]> {
        self.head.apply(features, &self.words.E)
    }
}

impl Reads for Llama {
    fn sizes(&self) -> Sizes {
        let (weights, first) = (&self.weights, self.weights.layers.first());
        let of = |size: fn(&llama::Layer) -> usize| first.map_or(0, size);
        Sizes {
            positions: self.positions,
            words: weights.words.E.size(vocab),
            layers: weights.layers.len(),
            heads: of(|layer| layer.keys.W.size(heads)),
            key: of(|layer| layer.keys.W.size(key)),
            val: of(|layer| layer.values.W.size(val)),
        }
    }

    fn read(
        &self,
        words: &Tensor<R![seq_], Index<vocab>>,
        at: &Tensor<R![seq_], Index<places>>,
        mask: &Tensor<R![seq, seq_]>,
        context: &[Kept],
    ) -> (Features, Vec<Kept>) {
        let θ = Angles(&Tensor::<_, f32>::zeros(key.of(self.sizes().key)), &at.real(), &self.base);
        let mut x = self.weights.words.apply(words);
        let extended = self.weights.layers.iter().zip(context).map(|(layer, kept)| {
            let (y, K, V) = layer.extend(&x, mask, &θ, &self.ε, &kept.K, &kept.V);
            x = y;
            Kept { K, V }
        });
        let extended = extended.collect();
        (x, extended)
    }

    fn logits(&self, features: &Features) -> Tensor<R![seq_, vocab]> {
        let weights = &self.weights;
        weights.head.apply(features, &self.ε, weights.output.as_ref().unwrap_or(&weights.words.E))
    }
}
