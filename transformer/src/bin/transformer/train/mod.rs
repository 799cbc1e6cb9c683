//! `transformer train TASK`: learns a task, keeps what it needs to go on, and says what came of it.
//!
//! Lives here: the arguments. Each task is a file of its own beside this one and implements `task::Task`; `session` runs
//! any of them, `folder` is where the files of a run lie, `progress` what is seen of it meanwhile.

mod alignment;
mod folder;
mod histogram;
mod language;
mod progress;
mod session;
mod task;
mod translation;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use named_tensor::prelude::Error;

/// Train a model on a task
///
/// Files of the run are written to a folder: `checkpoint.safetensors` (replaced in one step), `log.csv`, and at the end
/// `model.safetensors` and pictures. A run that was interrupted goes on with --resume and ends as if it had never been.
/// Exit codes: 0 the last step was reached, 1 an error, 2 wrong arguments, 130 interrupted (by SIGTERM 143; the
/// run is stored).
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    task: Choice,
}

#[derive(Debug, Subcommand)]
enum Choice {
    /// Counting digits: a micro GPT learns the 5456 texts of a practical
    Histogram(Options),
    /// "je suis étudiant" to "i am a student": encoder and decoder on thirty sentences
    Translation(Options),
    /// French to English on a small corpus: recurrent networks learn to translate and to align
    Alignment(Options),
    /// A byte-level language model on the text of a file
    Language {
        /// The text to learn
        #[arg(long, value_name = "FILE", default_value = "README.md")]
        text: PathBuf,
        /// The part of numbers that dropout replaces by 0 in training
        #[arg(long, value_name = "PART", default_value_t = 0.1, allow_negative_numbers = true)]
        dropout: f64,
        #[command(flatten)]
        options: Options,
    },
}

/// What can be said of every run.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The last step [default: the task's own; with --resume, the run's]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..1 << 24))]
    steps: Option<u64>,
    /// What all random numbers depend on [default: 0; with --resume, the run's]
    #[arg(long)]
    seed: Option<u64>,
    /// The folder of the run [default: runs/TASK]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with the run in the folder
    #[arg(long)]
    resume: bool,
    /// Store the run after each so many steps
    #[arg(long, value_name = "STEPS", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Error> {
    match &arguments.task {
        Choice::Histogram(options) => session::run(&histogram::Histogram::new(), options),
        Choice::Translation(options) => session::run(&translation::Toy::new(), options),
        Choice::Alignment(options) => session::run(&alignment::Aligned::new()?, options),
        Choice::Language { text, dropout, options } => {
            session::run(&language::Language::read(text, *dropout)?, options)
        }
    }
}
