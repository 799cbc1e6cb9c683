//! A micro GPT learns to count digits: `cargo run --release -p transformer --example histogram -- attention.svg`.
//!
//! Trains the third model of the practical on all its texts with the practical's rates, says after each epoch how many
//! counts are right, and draws the learnt attention beside the one that is made by hand.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use named_tensor::prelude::*;
use transformer::axes::{batch, seq, seq_, vocab};
use transformer::models::practical::{BareWeights, MicroGPT, accuracy, examples, histogram, loss, micro, text, texts};
use transformer::optimizer::Adam;
use transformer::picture::heat_maps;

/// Texts of one step.
const BATCH: usize = 128;
/// Epochs with each rate.
const EPOCHS: usize = 15;

fn main() -> ExitCode {
    match run(std::env::args_os().nth(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(std::io::stderr().lock(), "error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(picture: Option<std::ffi::OsString>) -> Result<(), Box<dyn std::error::Error>> {
    let (start, all) = (Instant::now(), texts());
    let (mut rng, mut model) = (seeded(1), micro(0)?);
    let mut optimizer = Adam::new(&model);
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} texts, {} parameters", all.len(), model.count())?;
    for rate in [0.01, 0.005, 0.001, 0.0001] {
        for _ in 0..EPOCHS {
            let order: Tensor<R![batch]> = Tensor::uniform(&mut rng, batch.of(all.len()), 0.0, 1.0);
            let mut sum = 0.0;
            for places in order.argsort(batch).to_vec(batch)?.chunks(BATCH) {
                let chosen: Vec<Vec<usize>> = places.iter().map(|&place| all[place].clone()).collect();
                let (loss, gradient) = value_and_grad(&loss(&model, &examples(&chosen)?), &model)?;
                model = optimizer.step(&model, &gradient, rate)?;
                sum += loss * places.len() as f32;
            }
            let (mean, right) = (sum / all.len() as f32, right(&model, &all)?);
            writeln!(out, "rate {rate}: loss {mean:.4}, {right:.4} right, {:.0} s", start.elapsed().as_secs_f64())?;
        }
    }
    if let Some(path) = picture {
        std::fs::write(&path, drawn(&model)?).map_err(|error| format!("{}: {error}", path.to_string_lossy()))?;
    }
    Ok(())
}

/// What part of all counts of all texts is right.
fn right(model: &MicroGPT, all: &[Vec<usize>]) -> Result<f32, Error> {
    let right = all.chunks(8 * BATCH).map(|chunk| Ok(accuracy(model, &examples(chunk)?).item()? * chunk.len() as f32));
    Ok(right.sum::<Result<f32, Error>>()? / all.len() as f32)
}

/// The attention of both models to one text.
fn drawn(model: &MicroGPT) -> Result<String, Error> {
    let digits = [1, 3, 2, 1, 4, 2, 3, 1, 1, 2, 1, 1, 3, 1, 2, 2, 1, 4, 1, 3, 2, 1, 1, 2, 3, 1, 1, 2, 1, 3];
    let (by_hand, text) = (histogram(), text(&digits)?);
    let words: Vec<String> = std::iter::once("^".to_owned()).chain(digits.iter().map(usize::to_string)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let rows = |weights: Tensor<R![seq, seq_]>| {
        Ok::<_, Error>(weights.to_vec((seq_, seq))?.chunks(words.len()).map(<[f32]>::to_vec).collect::<Vec<_>>())
    };
    let hand = rows(BareWeights(&text.dot(vocab, &by_hand.E), &by_hand.att.W_Q, &by_hand.att.W_K))?;
    let learnt = rows(BareWeights(&text.dot(vocab, &model.E), &model.att.W_Q, &model.att.W_K))?;
    Ok(heat_maps(&["made by hand", "learnt"], &words, &words, &[&hand, &learnt]))
}
