//! The models of the sources, at small sizes.

use named_tensor::prelude::*;
use transformer::alignment::Additive;
use transformer::attention::{Attention, MaskedAttention, MultiHead, MultiHeadAttention};
use transformer::axes::*;
use transformer::block::MultiHeadBlock;
use transformer::embedding::{ReadOut, TiedReadOut};
use transformer::feed_forward::{FFN, Linear};
use transformer::layer::{DecoderLayer, Layer};
use transformer::mask::CausalMask;
use transformer::models::language_model::LanguageModel;
use transformer::models::practical::{BareAttention, MicroGPT, micro, text};
use transformer::models::seq2seq::{Alignment, Context, Heard, Said, Seq2Seq, Word, logits};
use transformer::models::translation::{Reader, Translation, Writer};
use transformer::norm::LayerNorm;
use transformer::position::PositionalEncoding;
use transformer::recurrent::GRU;

use super::{Arguments, equations, page};

pub(super) fn block(arguments: &Arguments) -> Result<(), Error> {
    let sizes = (chans.of(64), heads.of(4), key.of(16), val.of(16), hidden.of(256));
    let model = MultiHeadBlock::init(&mut seeded(0), sizes)?;
    let x: Tensor<R![seq, chans]> = Tensor::zeros((seq.of(32), chans.of(64)));
    let equations = equations![LayerNorm, Attention, MultiHeadAttention, FFN, MultiHeadBlock];
    page(arguments, &equations, &model, &model.apply(&x).plan()?)
}

pub(super) fn micro_gpt(arguments: &Arguments) -> Result<(), Error> {
    let model = micro(0)?;
    let equations = equations![Attention, BareAttention, FFN, Linear, MicroGPT];
    page(arguments, &equations, &model, &model.apply(&text(&[1; 30])?).plan()?)
}

pub(super) fn language_model(arguments: &Arguments) -> Result<(), Error> {
    let sizes = (vocab.of(256), layers.of(2), chans.of(64), heads.of(4), key.of(16), val.of(16), hidden.of(256));
    let model = LanguageModel::init(&mut seeded(0), sizes)?.as_printed()?;
    let read: Tensor<R![seq], Index<vocab>> = Tensor::indices_from_vec(seq.of(32), vocab, vec![0; 32])?;
    let equations = equations![
        PositionalEncoding,
        CausalMask,
        LayerNorm,
        MaskedAttention,
        MultiHead,
        FFN,
        Layer,
        TiedReadOut,
        LanguageModel
    ];
    page(arguments, &equations, &model, &model.apply(&read, &Tensor::scalar(8.0)).plan()?)
}

pub(super) fn translation(arguments: &Arguments) -> Result<(), Error> {
    let sizes = (vocab.of(256), layers.of(2), chans.of(64), heads.of(4), key.of(16), val.of(16), hidden.of(256));
    let model = Translation::init(&mut seeded(0), sizes)?.as_printed()?;
    let read: Tensor<R![source], Index<vocab>> = Tensor::indices_from_vec(source.of(8), vocab, vec![0; 8])?;
    let heard: Tensor<R![seq], Index<vocab>> = Tensor::indices_from_vec(seq.of(8), vocab, vec![0; 8])?;
    let equations = equations![
        PositionalEncoding,
        CausalMask,
        LayerNorm,
        MaskedAttention,
        MultiHead,
        FFN,
        Layer,
        DecoderLayer,
        ReadOut,
        Reader,
        Writer,
        Translation
    ];
    page(arguments, &equations, &model, &model.apply(&read, &heard, &Tensor::zeros(source.of(8))).plan()?)
}

pub(super) fn seq2seq(arguments: &Arguments) -> Result<(), Error> {
    let model: Seq2Seq<GRU> = Seq2Seq::drawn(0, 64, 32, 64)?;
    let x: Tensor<R![seq, vocab]> = Tensor::zeros((seq.of(8), vocab.of(64)));
    let y: Tensor<R![seq_, vocab]> = Tensor::zeros((seq_.of(8), vocab.of(64)));
    let said: Tensor<R![seq_, vocab]> = logits(&model, &x, &y, &Tensor::ones(seq_.of(8)));
    let equations = equations![Word, GRU, Additive, Alignment, Context, Heard, Said];
    page(arguments, &equations, &model, &said.plan()?)
}
