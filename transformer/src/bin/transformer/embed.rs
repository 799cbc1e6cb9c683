//! `transformer embed MODEL_DIR TEXT…`: how alike sentences are, by the meanings that a sentence encoder gives them.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use named_tensor::prelude::*;
use transformer::axes::*;
use transformer::models::bert::{Bert, Similarity};
use transformer::text::Vocabulary;

use crate::output::{remark, say};

/// Compare sentences by their meanings
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder of a sentence encoder: `config.json`, `model.safetensors`, `tokenizer.json`
    model_dir: PathBuf,
    /// The sentences
    #[arg(required = true)]
    text: Vec<String>,
}

/// Prints the matrix of similarities.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Error> {
    let (model, vocabulary) = (Bert::load(&arguments.model_dir)?, Vocabulary::open(&arguments.model_dir)?);
    let positions = model.words.P.size(places);
    let encode = |(i, text): (usize, &String)| {
        let named = |error: Error| Error::new(error.kind(), format!("text {}: {}", i + 1, error.message()));
        vocabulary.encode(text, positions).map_err(named)
    };
    let sentences = arguments.text.iter().enumerate().map(encode).collect::<Result<Vec<_>, _>>()?;
    let start = Instant::now();
    let meanings = model.embed(&sentences)?;
    let seconds = start.elapsed().as_secs_f64();
    let similar = Similarity(&meanings, &meanings.rename(batch, batch_)).to_vec((batch, batch_))?;

    let n = sentences.len();
    let heading: String = (1..=n).map(|i| format!("{i:>7}")).collect();
    say(format_args!("    {heading}"))?;
    similar.chunks(n).zip(&arguments.text).enumerate().try_for_each(|(i, (row, text))| {
        let row: String = row.iter().map(|x| format!("{x:7.3}")).collect();
        say(format_args!("{:>4}{row}  {text}", i + 1))
    })?;
    let rate = n as f64 / seconds;
    remark(format_args!(
        "{n} sentences of at most {} words in {seconds:.3} s, {rate:.1} per second",
        longest(&sentences)
    ));
    Ok(ExitCode::SUCCESS)
}

/// How many words the longest sentence has.
fn longest(sentences: &[Vec<usize>]) -> usize {
    sentences.iter().map(Vec::len).max().unwrap_or(0)
}
