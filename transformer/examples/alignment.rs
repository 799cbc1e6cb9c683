//! A recurrent network learns to translate and to align: `cargo run --release -p transformer --example alignment -- alignment.svg`.
//!
//! Trains on four fifths of the corpus, most words forced, and translates the rest; draws the alignment of one sentence.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use named_tensor::prelude::*;
use transformer::models::seq2seq::corpus::{Corpus, Pair};
use transformer::models::seq2seq::{Seq2Seq, loss, translate};
use transformer::optimizer::{Adam, clipped};
use transformer::picture::heat_map;
use transformer::recurrent::GRU;
use transformer::schedule::cosine;

/// How often all sentences are seen.
const EPOCHS: u64 = 60;
/// What part of the words is forced (row 3.5).
const FORCED: f64 = 0.9;
/// At most so many words are said.
const MOST: usize = 12;

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
    let (start, corpus) = (Instant::now(), Corpus::french_to_english()?);
    let mut model: Seq2Seq<GRU> = Seq2Seq::drawn(0, corpus.words.len(), 32, 64)?;
    let mut optimizer = Adam::new(&model);
    let batches = corpus.batches(&corpus.training)?;
    let (mut out, mut step) = (std::io::stdout().lock(), 0);
    writeln!(out, "{} sentences, {} parameters", corpus.training.len(), model.count())?;
    for epoch in 1..=EPOCHS {
        let mut sum = 0.0;
        for batch in &batches {
            step += 1;
            let (loss, gradient) = value_and_grad(&loss(&model, batch, FORCED, step), &model)?;
            let rate = cosine(step, 10, EPOCHS * batches.len() as u64, 0.01, 0.0);
            model = optimizer.step(&model, &clipped(&gradient, 1.0), rate)?;
            sum += loss;
        }
        if epoch % 10 == 0 {
            let right = right(&model, &corpus, &corpus.held_out)?;
            let (mean, seconds) = (sum / batches.len() as f32, start.elapsed().as_secs_f64());
            writeln!(
                out,
                "epoch {epoch}: loss {mean:.4}, {right} of {} held out, {seconds:.0} s",
                corpus.held_out.len()
            )?;
        }
    }
    for (x, _) in corpus.held_out.iter().take(5) {
        let found = translate(&model, &corpus, &corpus.sentence(x), MOST)?;
        writeln!(out, "{} -> {}", found.sentence.join(" "), found.words.join(" "))?;
    }
    if let Some(path) = picture {
        let found = translate(&model, &corpus, "le petit chat noir ne dort pas", MOST)?;
        let [said, read] =
            [&found.words, &found.sentence].map(|words| words.iter().map(String::as_str).collect::<Vec<_>>());
        let drawn = heat_map("Alignment", &said, &read, &found.alignment);
        std::fs::write(&path, drawn).map_err(|error| format!("{}: {error}", path.to_string_lossy()))?;
    }
    Ok(())
}

/// How many sentences are translated word for word as the corpus has them.
fn right(model: &Seq2Seq<GRU>, corpus: &Corpus, pairs: &[Pair]) -> Result<usize, Error> {
    let right = pairs.iter().map(|(x, y)| {
        let found = translate(model, corpus, &corpus.sentence(x), MOST)?;
        Ok(usize::from(found.words.join(" ") == corpus.sentence(y)))
    });
    right.sum()
}
