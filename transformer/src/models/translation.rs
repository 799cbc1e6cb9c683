//! The translation model of source 004, with its own choices: rows 4.1–4.16, 4.22, 4.23.
//!
//! One vocabulary and one table E for both languages, words times √|chans|, sines for positions, post-LN, no biases in
//! attention, weights W^S, b^S of its own at the end. The source's words are read once; the translation's words are
//! scored all together in training, and again with each new word afterwards.
//! Not here: the loss (`loss`), how words are chosen.

use crate::axes::{chans, seq, seq_, source, vocab};
use crate::embedding::{ReadOut, Shifted};
use crate::layer::{DecoderLayer, Layer, Order};
use crate::mask::{CausalMask, OpenMask};
use crate::position::PositionalEncoding;
use crate::stack::{Decode as _, Decoder, Encode as _, Encoder};
use named_tensor::prelude::*;

named! {
    /// Z_{N,4}: the text that is translated, read (rows 4.10–4.12). N is 0, or `-∞` where a text is filled up.
    pub fn Reader(I: vocab[source], E: R[vocab, chans], N: R[source]; encoder: Encoder) -> R[chans, source] {
        X = PositionalEncoding(sqrt(|chans|) * index_vocab(E, I)_{source -> seq});
        M = N_{source -> seq} + OpenMask(X_{chans(0)}, X_{chans(0), seq -> seq_});
        encoder(X, M)_{seq -> source}
    }

    /// The scores of each word of the translation, given those before it: one more than the words O (rows 4.13–4.16).
    pub fn Writer(O: vocab[seq], E: R[vocab, chans], Z: R[chans, source], N: R[source];
                  decoder: Decoder, head: ReadOut) -> R[seq, vocab] {
        Y = PositionalEncoding(Shifted(sqrt(|chans|) * index_vocab(E, O)));
        head(decoder(Y, CausalMask(Y_{chans(0)}), Z, N))
    }

    /// The whole model: the scores of the first word, and of the word after each word of O.
    pub fn Translation(I: vocab[source], O: vocab[seq], N: R[source]; E: R[vocab, chans] ~ normal(0, 1/sqrt(|chans|)),
                       reader: Reader, writer: Writer) -> R[seq, vocab] {
        writer(O, E, reader(I, E, N), N)
    }
}

impl<T: Real> Translation<T> {
    /// The choices of the source: post-LN, no biases in attention.
    ///
    /// # Errors
    /// There is no layer.
    pub fn as_printed(self) -> Result<Translation<T>, Error> {
        let layer = |layer: Layer<T>| layer.normalised(Order::After).without_biases();
        let encoder: Vec<_> = self.reader.encoder.unstack().into_iter().map(layer).collect();
        let layer = |layer: DecoderLayer<T>| layer.normalised(Order::After).without_biases();
        let decoder: Vec<_> = self.writer.decoder.unstack().into_iter().map(layer).collect();
        let axis = crate::axes::layers;
        let reader = Reader { encoder: stack(axis, &encoder)? };
        let writer = Writer { decoder: stack(axis, &decoder)?, ..self.writer };
        Translation { reader, writer, ..self }.eval()
    }
}
