//! `transformer show MODEL`: the equations of a model, its parameters with axes and sizes, and what one pass costs.
//!
//! Lives here: the page. Which equations belong to which model, and small sizes to show them at, are in `sources` and
//! `published`.

mod published;
mod sources;

use std::process::ExitCode;

use clap::ValueEnum;
use named_tensor::prelude::{Error, Parameters};

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
    /// The GPT-2 family
    Gpt2,
    /// The Llama family
    Llama,
    /// The BERT family, as an encoder of sentences
    Bert,
}

/// The forms of an equation.
struct Equation {
    unicode: &'static str,
    latex: &'static str,
    source: &'static str,
}

/// The forms of these functions.
macro_rules! equations {
    ($($function:path),* $(,)?) => {
        [$($crate::show::Equation {
            unicode: <$function>::UNICODE,
            latex: <$function>::LATEX,
            source: <$function>::EQUATION,
        }),*]
    };
}

use equations;

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Error> {
    match arguments.model {
        Shown::Block => sources::block(arguments),
        Shown::MicroGpt => sources::micro_gpt(arguments),
        Shown::LanguageModel => sources::language_model(arguments),
        Shown::Translation => sources::translation(arguments),
        Shown::Seq2seq => sources::seq2seq(arguments),
        Shown::Gpt2 => published::gpt2(arguments),
        Shown::Llama => published::llama(arguments),
        Shown::Bert => published::bert(arguments),
    }?;
    Ok(ExitCode::SUCCESS)
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
