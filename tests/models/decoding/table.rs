//! A model without mathematics: a text has the logits that a function gives it.

use named_tensor::prelude::*;
use transformer::axes::vocab;
use transformer::generate::{Continues, Logits};

/// A model of so many words, whose context is the text itself.
pub(super) struct Table<F> {
    pub(super) logits: F,
    pub(super) positions: Option<usize>,
}

impl<F: Fn(&[usize]) -> Vec<f32>> Table<F> {
    pub(super) fn new(logits: F) -> Table<F> {
        Table { logits, positions: None }
    }
}

impl<F: Fn(&[usize]) -> Vec<f32>> Continues for Table<F> {
    type Context = Vec<usize>;

    fn start(&self) -> Vec<usize> {
        Vec::new()
    }

    fn extend(&self, words: &[usize], context: &Vec<usize>) -> Result<(Logits, Vec<usize>), Error> {
        let text = [&context[..], words].concat();
        let logits = (self.logits)(&text);
        Ok((Tensor::from_vec(vocab.of(logits.len()), logits)?, text))
    }

    fn positions(&self) -> Option<usize> {
        self.positions
    }
}

/// Logits between -2 and 2 that depend on the whole text and on a seed.
pub(super) fn any(seed: u64, words: usize) -> impl Fn(&[usize]) -> Vec<f32> {
    move |text| {
        let mix = |state: u64, word: u64| (state ^ word).wrapping_mul(6_364_136_223_846_793_005).rotate_left(29);
        let state = text.iter().fold(seed, |state, &word| mix(state, word as u64 + 1));
        (0..words).map(|word| (mix(mix(state, word as u64), 7) >> 40) as f32 / f32::exp2(22.0) - 2.0).collect()
    }
}
