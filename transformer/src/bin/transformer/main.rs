//! The command line `transformer`: one subcommand, one file.
//!
//! A subcommand is a struct of arguments and a function that runs it and gives the exit code: 0 if it did what was
//! asked, 130 or 143 if it was interrupted. An error is printed, what belongs to it indented, and exits with 1; clap
//! exits with 2 when the arguments themselves are wrong.
//! Not here: what the commands do (`train`, `show`, `embed`, `generate`), how they print (`output`).

#![allow(mixed_script_confusables, reason = "the equations keep the letters of the paper, ε and γ")]

mod embed;
mod generate;
mod output;
mod show;
mod train;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use named_tensor::prelude::Error;

/// Neural networks as equations: train them, and look at them.
#[derive(Debug, Parser)]
#[command(name = "transformer", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Train(train::Arguments),
    Show(show::Arguments),
    Embed(embed::Arguments),
    Generate(generate::Arguments),
}

impl Command {
    fn run(&self) -> Result<ExitCode, Error> {
        match self {
            Command::Train(arguments) => train::run(arguments),
            Command::Show(arguments) => show::run(arguments),
            Command::Embed(arguments) => embed::run(arguments),
            Command::Generate(arguments) => generate::run(arguments),
        }
    }
}

fn main() -> ExitCode {
    Arguments::parse().command.run().unwrap_or_else(|error| output::failure(&error))
}
