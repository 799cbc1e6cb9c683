//! The task `language`: after each byte of a text, the next one.
//!
//! Two pre-LN blocks under the causal mask read windows of the text; dropout falls on their input.

use std::path::Path;

use named_tensor::prelude::*;
use transformer::axes::*;
use transformer::block::MaskedMultiHeadBlock;
use transformer::dropout::Dropout;
use transformer::embedding::{Embedding, PositionalEncoding};
use transformer::loss::CrossEntropy;
use transformer::mask::CausalMask;
use transformer::norm::LayerNorm;
use transformer::optimizer::{Adam, is_weight};
use transformer::schedule::cosine;

use super::folder::Folder;
use super::task::Task;
use crate::output::unusable;

named! {
    /// The logits of what follows each byte; U decides what dropout takes, a part p.
    pub(crate) fn ByteModel(I: vocab[seq], U: R[seq, chans], p: R[]; words: Embedding, block1: MaskedMultiHeadBlock,
                            block2: MaskedMultiHeadBlock, norm: LayerNorm, W: R[chans, vocab], b: R[vocab]) -> R[seq, vocab] {
        X = Dropout(PositionalEncoding(words(I)), U, p);
        M = CausalMask(X_{chans(0)});
        norm(block2(block1(X, M), M)) dot_chans W + b
    }
}

/// How many bytes a window has.
const WINDOW: usize = 64;
/// How many windows the report reads at once, so that its memory does not grow with the text.
const CHUNK: usize = 64;
/// Channels of the model.
const CHANS: usize = 64;

pub(crate) struct Language {
    name: String,
    bytes: Vec<usize>,
    dropout: f64,
}

impl Language {
    /// The text of a file.
    pub(crate) fn read(path: &Path, dropout: f64) -> Result<Language, Error> {
        let refused = |message: String| Error::new(ErrorKind::Value, message);
        // It is used as `f32`, in which a rate just below 1 is 1.
        if !(0.0..1.0).contains(&dropout) || dropout as f32 >= 1.0 {
            return Err(refused(format!("the rate of dropout is {dropout}, but must be at least 0 and less than 1")));
        }
        let bytes = std::fs::read(path).map_err(|error| unusable(path, "read", &error))?;
        if bytes.len() <= WINDOW {
            let found = bytes.len();
            return Err(refused(format!("`{}` has {found} bytes, too few to learn from", path.display())));
        }
        let name = path.display().to_string();
        Ok(Language { name, bytes: bytes.into_iter().map(usize::from).collect(), dropout })
    }

    /// Windows that begin at these places, moved by `by`.
    fn windows(&self, places: &[usize], by: usize) -> Result<Tensor<R![batch, seq], Index<vocab>>, Error> {
        let bytes = places.iter().flat_map(|&place| &self.bytes[place + by..place + by + WINDOW]).copied().collect();
        Tensor::indices_from_vec((batch.of(places.len()), seq.of(WINDOW)), vocab, bytes)
    }

    /// The mean loss of windows; dropout takes a part `rate`.
    fn loss_of(&self, model: &ByteModel, places: &[usize], rate: f64, seed: u64) -> Result<Tensor<R![]>, Error> {
        let sizes = (batch.of(places.len()), seq.of(WINDOW), chans.of(CHANS));
        let noise: Tensor<R![batch, seq, chans]> = Tensor::uniform(&mut seeded(seed), sizes, 0.0, 1.0);
        let logits = model.apply(&self.windows(places, 0)?, &noise, &Tensor::scalar(rate as f32));
        Ok(CrossEntropy(&logits, &self.windows(places, 1)?).mean((batch, seq)))
    }

    /// The mean loss of the whole text, without dropout.
    fn mean_loss(&self, model: &ByteModel) -> Result<f64, Error> {
        let places: Vec<usize> = (0..self.bytes.len() - WINDOW).step_by(WINDOW).collect();
        let losses = places
            .chunks(CHUNK)
            .map(|chunk| Ok(f64::from(self.loss_of(model, chunk, 0.0, 0)?.item()?) * chunk.len() as f64));
        Ok(losses.sum::<Result<f64, Error>>()? / places.len() as f64)
    }
}

impl Task for Language {
    type Model = ByteModel;

    const NAME: &'static str = "language";

    fn data(&self) -> String {
        // A sum that depends on the order tells texts of one size apart.
        let sum = self.bytes.iter().fold(0_u32, |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte as u32));
        format!("{}, {} bytes, sum {sum:08x}, dropout {}", self.name, self.bytes.len(), self.dropout)
    }

    fn equations(&self) -> Vec<&'static str> {
        vec![Dropout::EQUATION, MaskedMultiHeadBlock::EQUATION, ByteModel::EQUATION]
    }

    fn model(&self, seed: u64) -> Result<ByteModel, Error> {
        let sizes = (vocab.of(256), chans.of(CHANS), heads.of(4), key.of(16), val.of(16), hidden.of(4 * CHANS));
        ByteModel::init(&mut seeded(seed), sizes)
    }

    fn optimizer(&self, model: &ByteModel) -> Adam<ByteModel> {
        Adam::new(model).decaying(0.01, is_weight)
    }

    fn examples(&self) -> (usize, usize) {
        (self.bytes.len() - WINDOW, 16)
    }

    fn tokens(&self) -> f64 {
        WINDOW as f64
    }

    fn steps(&self) -> u64 {
        1000
    }

    fn rate(&self, step: u64, last: u64) -> f64 {
        cosine(step, last / 20, last, 3e-3, 3e-5)
    }

    fn longest(&self) -> Option<f64> {
        Some(1.0)
    }

    fn loss(&self, model: &ByteModel, batch: &[usize], seed: u64) -> Tensor<R![]> {
        self.loss_of(model, batch, self.dropout, seed).unwrap_or_else(Tensor::failed)
    }

    fn report(&self, model: &ByteModel, _: &Folder) -> Result<String, Error> {
        let loss = self.mean_loss(model)?;
        Ok(format!("Loss without dropout: {loss:.3} nats a byte, {:.2} bits", loss / std::f64::consts::LN_2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_is_the_mean_of_all_windows_whatever_chunks_they_are_read_in() {
        let bytes: Vec<usize> = (0..WINDOW * (CHUNK + 3) + 1).map(|place| place * place / 5000 % 256).collect();
        let language = Language { name: "squares".to_owned(), bytes, dropout: 0.1 };
        let model = language.model(0).unwrap();
        let places: Vec<usize> = (0..CHUNK + 3).map(|window| WINDOW * window).collect();
        let whole = f64::from(language.loss_of(&model, &places, 0.0, 0).unwrap().item().unwrap());
        assert!((language.mean_loss(&model).unwrap() - whole).abs() < 1e-5 * whole);
    }
}
