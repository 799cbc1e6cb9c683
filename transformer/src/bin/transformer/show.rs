//! `transformer show MODEL`: the equations of a model, its parameters with axes and sizes, and what one pass costs.

use std::process::ExitCode;

use clap::ValueEnum;
use named_tensor::prelude::*;
use transformer::axes::*;
use transformer::block::MultiHeadBlock;
use transformer::{attention, feed_forward, norm};

use crate::output::say;

/// Show the equations of a model, its parameters and its cost
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The model
    #[arg(value_enum)]
    model: Model,
    /// The equations as LaTeX, for `namedtensor.sty`
    #[arg(long)]
    latex: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Model {
    /// The pre-LN block with several heads
    Block,
}

/// The forms of an equation.
struct Equation {
    unicode: &'static str,
    latex: &'static str,
}

macro_rules! equations {
    ($($function:path),* $(,)?) => {
        [$(Equation { unicode: <$function>::UNICODE, latex: <$function>::LATEX }),*]
    };
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Error> {
    match arguments.model {
        Model::Block => show_block(arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn show_block(arguments: &Arguments) -> Result<(), Error> {
    let sizes = (chans.of(64), heads.of(4), key.of(16), val.of(16), hidden.of(256));
    let model = MultiHeadBlock::init(&mut seeded(0), sizes)?;
    let x: Tensor<R![seq, chans]> = Tensor::zeros((seq.of(32), chans.of(64)));
    let equations = equations![
        norm::LayerNorm,
        attention::Attention,
        attention::MultiHeadAttention,
        feed_forward::FFN,
        MultiHeadBlock
    ];
    page(arguments, &equations, &model, &model.apply(&x).plan()?)
}

/// The page of a model.
fn page(arguments: &Arguments, equations: &[Equation], model: &impl Parameters<f32>, plan: &str) -> Result<(), Error> {
    say("Equations\n")?;
    equations.iter().try_for_each(|equation| {
        say(format_args!("{}\n", if arguments.latex { equation.latex } else { equation.unicode }))
    })?;
    say("Parameters\n")?;
    model
        .parameters()
        .into_iter()
        .try_for_each(|(name, shape)| say(format_args!("  {name:16} {shape} {:10}", shape.elements())))?;
    say(format_args!("\n{} parameters", model.count()))?;
    say(plan.lines().next_back().unwrap_or_default())
}
