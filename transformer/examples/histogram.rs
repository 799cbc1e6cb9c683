//! A micro GPT learns to count digits: `cargo run --release -p transformer --example histogram -- attention.svg`.
//!
//! Trains the third model of the practical on all its texts until all counts are right or 130 epochs are over, says after
//! each how many are wrong, and draws the learnt attention beside the one that is made by hand.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use named_tensor::prelude::*;
use transformer::axes::{batch, seq, seq_, vocab};
use transformer::models::practical::{
    BareWeights, DIGITS, IsRight, MicroGPT, examples, histogram, loss, micro, text, texts,
};
use transformer::optimizer::{Adam, RunningMean};
use transformer::picture::heat_maps;

/// Texts of one step.
const BATCH: usize = 128;
/// How often all texts are seen with each rate, unless all counts are right before.
const EPOCHS: [(f64, usize); 5] = [(0.01, 15), (0.005, 15), (0.003, 20), (0.001, 20), (0.0003, 60)];
/// What part of the running mean of the parameters is new at each step: the mean is over about a hundred steps. Single
/// steps wander around it, and tell the last few counts wrong, now these, now those (Polyak and Juditsky, 1992).
const NEW: f32 = 0.01;

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
    let (mut optimizer, mut mean, new) = (Adam::new(&model), model.clone(), Tensor::scalar(NEW));
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} texts, {} parameters", all.len(), model.count())?;
    for rate in EPOCHS.into_iter().flat_map(|(rate, epochs)| std::iter::repeat_n(rate, epochs)) {
        let order: Tensor<R![batch]> = Tensor::uniform(&mut rng, batch.of(all.len()), 0.0, 1.0);
        let mut sum = 0.0;
        for places in order.argsort(batch).to_vec(batch)?.chunks(BATCH) {
            let chosen: Vec<Vec<usize>> = places.iter().map(|&place| all[place].clone()).collect();
            let (loss, gradient) = value_and_grad(&loss(&model, &examples(&chosen)?), &model)?;
            model = optimizer.step(&model, &gradient, rate)?;
            mean = mean.combine([&model], |_, mean, [now]| RunningMean(mean, now, &new)).eval()?;
            sum += loss * places.len() as f32;
        }
        let (loss, wrong, seconds) = (sum / all.len() as f32, wrong(&mean, &all)?, start.elapsed().as_secs_f64());
        writeln!(out, "rate {rate}: loss {loss:.4}, {wrong} counts wrong, {seconds:.0} s")?;
        if wrong == 0 {
            break;
        }
    }
    if let Some(path) = picture {
        std::fs::write(&path, drawn(&mean)?).map_err(|error| format!("{}: {error}", path.to_string_lossy()))?;
    }
    Ok(())
}

/// How many counts of all texts are wrong.
fn wrong(model: &MicroGPT, all: &[Vec<usize>]) -> Result<usize, Error> {
    let wrong = all.chunks(8 * BATCH).map(|chunk| {
        let one = examples(chunk)?;
        let right = IsRight(&model.apply(&one.texts), &one.counts).sum((batch, seq)).item()?;
        Ok(chunk.len() * (DIGITS + 1) - right as usize)
    });
    wrong.sum()
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
