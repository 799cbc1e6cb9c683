//! `transformer show MODEL`: the equations of a model, its parameters with axes and sizes, and what one pass costs.
//!
//! Lives here: which equations belong to which model, and small sizes to show them at. Not here: the equations.

use std::process::ExitCode;

use clap::ValueEnum;
use named_tensor::prelude::*;
use transformer::alignment::Additive;
use transformer::attention::{Attention, MaskedAttention, MultiHead, MultiHeadAttention};
use transformer::axes::*;
use transformer::block::MultiHeadBlock;
use transformer::embedding::ReadOut;
use transformer::feed_forward::{FFN, Linear};
use transformer::layer::{DecoderLayer, Layer};
use transformer::mask::CausalMask;
use transformer::models::language_model::LanguageModel;
use transformer::models::practical::{BareAttention, MicroGPT, micro, text};
use transformer::models::seq2seq::{self, Alignment, Context, Heard, Said, Seq2Seq, Word};
use transformer::models::translation::{Reader, Translation, Writer};
use transformer::norm::LayerNorm;
use transformer::position::PositionalEncoding;
use transformer::recurrent::GRU;

use crate::output::say;

/// Show the equations of a model, its parameters and its cost
///
/// The parameters are those of a small model of this kind; the cost is that of one pass over a short text.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The model
    #[arg(value_enum)]
    model: Shown,
    /// The equations as LaTeX, for `namedtensor.sty`
    #[arg(long, conflicts_with = "source")]
    latex: bool,
    /// The equations as the program has them
    #[arg(long)]
    source: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Shown {
    /// The pre-LN block with several heads
    Block,
    /// The GPT that learns to count digits
    MicroGpt,
    /// The language model of the paper's appendix
    LanguageModel,
    /// Encoder and decoder of a translation
    Translation,
    /// Recurrent networks that align
    Seq2seq,
}

/// The forms of an equation.
struct Equation {
    unicode: &'static str,
    latex: &'static str,
    source: &'static str,
}

macro_rules! equations {
    ($($function:path),* $(,)?) => {
        [$(Equation {
            unicode: <$function>::UNICODE,
            latex: <$function>::LATEX,
            source: <$function>::EQUATION,
        }),*]
    };
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Error> {
    match arguments.model {
        Shown::Block => show_block(arguments),
        Shown::MicroGpt => show_micro_gpt(arguments),
        Shown::LanguageModel => show_language_model(arguments),
        Shown::Translation => show_translation(arguments),
        Shown::Seq2seq => show_seq2seq(arguments),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn show_block(arguments: &Arguments) -> Result<(), Error> {
    let sizes = (chans.of(64), heads.of(4), key.of(16), val.of(16), hidden.of(256));
    let model = MultiHeadBlock::init(&mut seeded(0), sizes)?;
    let x: Tensor<R![seq, chans]> = Tensor::zeros((seq.of(32), chans.of(64)));
    let equations = equations![LayerNorm, Attention, MultiHeadAttention, FFN, MultiHeadBlock];
    page(arguments, &equations, &model, &model.apply(&x).plan()?)
}

fn show_micro_gpt(arguments: &Arguments) -> Result<(), Error> {
    let model = micro(0)?;
    let equations = equations![Attention, BareAttention, FFN, Linear, MicroGPT];
    page(arguments, &equations, &model, &model.apply(&text(&[1; 30])?).plan()?)
}

fn show_language_model(arguments: &Arguments) -> Result<(), Error> {
    let sizes = (vocab.of(256), layers.of(2), chans.of(64), heads.of(4), key.of(16), val.of(16), hidden.of(256));
    let model = LanguageModel::init(&mut seeded(0), sizes)?;
    let read: Tensor<R![seq], Index<vocab>> = Tensor::indices_from_vec(seq.of(32), vocab, vec![0; 32])?;
    let equations = equations![
        PositionalEncoding,
        CausalMask,
        LayerNorm,
        MaskedAttention,
        MultiHead,
        FFN,
        Layer,
        ReadOut,
        LanguageModel
    ];
    page(arguments, &equations, &model, &model.apply(&read, &Tensor::scalar(8.0)).plan()?)
}

fn show_translation(arguments: &Arguments) -> Result<(), Error> {
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

fn show_seq2seq(arguments: &Arguments) -> Result<(), Error> {
    let model: Seq2Seq<GRU> = Seq2Seq::drawn(0, 64, 32, 64)?;
    let x: Tensor<R![seq, vocab]> = Tensor::zeros((seq.of(8), vocab.of(64)));
    let y: Tensor<R![seq_, vocab]> = Tensor::zeros((seq_.of(8), vocab.of(64)));
    let logits: Tensor<R![seq_, vocab]> = seq2seq::logits(&model, &x, &y, &Tensor::ones(seq_.of(8)));
    let equations = equations![Word, GRU, Additive, Alignment, Context, Heard, Said];
    page(arguments, &equations, &model, &logits.plan()?)
}

/// The page of a model.
fn page(arguments: &Arguments, equations: &[Equation], model: &impl Parameters<f32>, plan: &str) -> Result<(), Error> {
    say("Equations\n")?;
    for Equation { unicode, latex, source } in equations {
        let text = if arguments.latex { latex } else { unicode };
        say(format_args!("{}\n", if arguments.source { source } else { text }))?;
    }
    say("Parameters\n")?;
    let parameters = model.parameters();
    let widest = parameters.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, shape) in parameters {
        say(format_args!("  {name:widest$}  {:>8}  {shape}", shape.elements()))?;
    }
    say(format_args!("\n{} parameters", model.count()))?;
    say(format_args!("One pass: {}", plan.lines().next_back().unwrap_or_default().trim()))
}
