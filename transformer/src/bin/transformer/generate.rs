//! `transformer generate MODEL_DIR PROMPT`: a published language model continues a text.
//!
//! The text is shown piece by piece as it is written; how fast that was is said on standard error.
//! Not here: how words are chosen (`transformer::generate`), how weights are read (`transformer::weights`).

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use named_tensor::prelude::*;
use transformer::generate::beam::{Beam, search};
use transformer::generate::sample::Sampling;
use transformer::generate::stop::Stop;
use transformer::generate::stream::{self, words};
use transformer::generate::{Continues, Limits};
use transformer::models::context::Reads;
use transformer::text::Vocabulary;
use transformer::weights::{Config, Model};

use crate::output::{remark, say, show};

/// How many words are written if nothing is said about it.
const USUAL: usize = 64;

/// Continue a text with a published language model (GPT-2, Llama)
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder of the model: config.json, model.safetensors, tokenizer.json
    model: PathBuf,
    /// The beginning of the text
    prompt: String,
    /// Always take the most probable word
    #[arg(long, conflicts_with_all = ["temperature", "top_k", "top_p", "beam"])]
    greedy: bool,
    /// Below 1 the most probable words gain, above 1 the others; 0 is greedy
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    temperature: f64,
    /// Only the K most probable words may be taken
    #[arg(long, value_name = "K")]
    top_k: Option<usize>,
    /// Only the fewest words that have the part P of the probability together may be taken
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    top_p: Option<f64>,
    /// Keep this many continuations side by side and show the most probable one
    #[arg(long, value_name = "WIDTH", conflicts_with_all = ["temperature", "top_k", "top_p", "slide"])]
    beam: Option<usize>,
    /// With --beam: divide by the number of words to this power, so that long texts are not at a disadvantage
    #[arg(long, value_name = "POWER", default_value_t = 1.0, requires = "beam", allow_negative_numbers = true)]
    penalty: f64,
    /// End before this string; may be given several times
    #[arg(long, value_name = "TEXT")]
    stop: Vec<String>,
    /// Write at most this many words of the vocabulary [default: 64, or fewer if the model has no more positions]
    #[arg(long, value_name = "WORDS")]
    max: Option<usize>,
    /// The same seed writes the same text
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    seed: u64,
    /// When no position is left, read the last WORDS again and go on; a prompt that is too long is cut to them
    #[arg(long, value_name = "WORDS")]
    slide: Option<usize>,
    /// Store the weights in 16 bits: half the memory and nearly twice the speed, numbers rounded to 8 bits
    #[arg(long)]
    bf16: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Error> {
    // What is wrong in the command itself is told before files are read.
    arguments.sampling().checked()?;
    arguments.beam().map(Beam::checked).transpose()?;
    let ends = Config::open(&arguments.model)?.words("eos_token_id")?;
    let vocabulary = Vocabulary::open(&arguments.model)?;
    let model = Model::load(&arguments.model)?;
    match if arguments.bf16 { model.in_bf16()? } else { model } {
        Model::Gpt2(model) => written(arguments, &model, &vocabulary, ends)?,
        Model::Llama(model) => written(arguments, &model, &vocabulary, ends)?,
        Model::Bert(_) => {
            let message = format!("the model in `{}` reads sentences and writes none", arguments.model.display());
            return Err(Error::new(ErrorKind::Condition, message));
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn sampling(&self) -> Sampling {
        let Arguments { temperature, top_k, top_p, .. } = *self;
        if self.greedy { Sampling::GREEDY } else { Sampling { temperature, top_k, top_p } }
    }

    fn beam(&self) -> Option<Beam> {
        self.beam.map(|width| Beam { width, penalty: self.penalty })
    }
}

fn written<M: Reads>(arguments: &Arguments, model: &M, vocabulary: &Vocabulary, ends: Vec<usize>) -> Result<(), Error> {
    matching(arguments, model.sizes().words, vocabulary, &ends)?;
    // A text that slides may be longer than the positions from the beginning.
    let room = if arguments.slide.is_some() { usize::MAX } else { model.sizes().positions };
    let prompt = vocabulary.encode(&arguments.prompt, room)?;
    let longest = longest(arguments, prompt.len(), room)?;
    let limits = Limits { longest, ends, slide: arguments.slide };
    let complete = match arguments.beam() {
        Some(beam) => searched(arguments, model, vocabulary, &prompt, beam, &limits)?,
        None => streamed(arguments, model, vocabulary, &prompt, limits)?,
    };
    if complete && arguments.max.is_none() && longest < USUAL {
        remark(format_args!("the text ends here: it takes all {room} positions of the model (--slide goes on)"));
    }
    Ok(())
}

/// The files of a model speak of the same words: each word of the vocabulary is one of the model's, and so is each that
/// ends a text.
fn matching(arguments: &Arguments, words: usize, vocabulary: &Vocabulary, ends: &[usize]) -> Result<(), Error> {
    let wrong = |file: &str, what: String| {
        let path = arguments.model.join(file);
        Err(Error::new(ErrorKind::SizeClash, format!("`{}` {what}, but the model has {words} words", path.display())))
    };
    if vocabulary.size() > words {
        return wrong("tokenizer.json", format!("has {} words", vocabulary.size()));
    }
    match ends.iter().find(|&&end| end >= words) {
        Some(end) => wrong("config.json", format!("ends a text at word {end} (`eos_token_id`)")),
        None => Ok(()),
    }
}

/// How many words are written at most. The last one is not read, so it needs no position.
fn longest(arguments: &Arguments, prompt: usize, room: usize) -> Result<usize, Error> {
    let fitting = (room - prompt).saturating_add(1);
    match arguments.max {
        None => Ok(USUAL.min(fitting)),
        Some(max) if max <= fitting => Ok(max),
        Some(max) => {
            let message = format!(
                "--max {max} is too long: after the {prompt} words of the prompt, {fitting} fit in the {room} positions \
                 of the model (--slide goes on)"
            );
            Err(Error::new(ErrorKind::SizeClash, message))
        }
    }
}

/// The most probable continuation that a search finds, shown when it is found. Returns whether nothing but the limit
/// ended it.
fn searched<M: Continues>(
    arguments: &Arguments,
    model: &M,
    vocabulary: &Vocabulary,
    prompt: &[usize],
    beam: Beam,
    limits: &Limits,
) -> Result<bool, Error> {
    let start = Instant::now();
    let found = search(model, prompt, beam, limits)?;
    let (written, ended) = found.first().map_or((&[][..], false), |best| (&best.words, best.ended));
    let (before, all) = (vocabulary.decode(prompt)?, vocabulary.decode(&[prompt, written].concat())?);
    let (shown, stopped) = stopping(arguments, all.get(before.len()..).unwrap_or_default().to_owned());
    say(format_args!("{}{shown}", arguments.prompt))?;
    remark(format_args!("{} words read, {}", prompt.len(), speed(written.len(), start.elapsed())));
    Ok(!ended && !stopped && written.len() == limits.longest)
}

/// A text up to the first string that ends it.
fn stopping(arguments: &Arguments, text: String) -> (String, bool) {
    let mut stop = Stop::at(&arguments.stop);
    let (shown, stopped) = stop.push(&text);
    (shown + &stop.rest(), stopped)
}

/// The text piece by piece. Returns whether nothing but the limit ended it.
fn streamed<M: Continues>(
    arguments: &Arguments,
    model: &M,
    vocabulary: &Vocabulary,
    prompt: &[usize],
    limits: Limits,
) -> Result<bool, Error> {
    let (start, longest) = (Instant::now(), limits.longest);
    let room = model.positions().unwrap_or(usize::MAX);
    let read = limits.slide.filter(|_| prompt.len() > room).unwrap_or(prompt.len());
    let words = words(model, prompt, arguments.sampling(), limits, seeded(arguments.seed))?;
    let (reading, start) = (start.elapsed(), Instant::now());
    if read < prompt.len() {
        let all = prompt.len();
        remark(format_args!("the prompt has {all} words, the model {room} positions: only the last {read} are read"));
    }
    let (mut count, mut stopped) = (0, true);
    let counted = words.inspect(|word| count += usize::from(word.is_ok()));
    let mut decoder = vocabulary.stream_after(prompt);
    let decode = |word: Option<usize>| match word {
        Some(word) => decoder.push(word),
        // It is asked for the rest where no string has stopped it.
        None => {
            stopped = false;
            decoder.clone().finish()
        }
    };
    let mut is_read = show(&arguments.prompt)?;
    for piece in stream::text(counted, decode, Stop::at(&arguments.stop)) {
        // An error stands on its own line, after what was written before it.
        let piece = piece.or_else(|error| say("").and(Err(error)))?;
        is_read = is_read && show(&piece)?;
        if !is_read {
            break;
        }
    }
    let writing = start.elapsed();
    say("")?;
    remark(format_args!("{read} words read in {:.2} s, {}", reading.as_secs_f64(), speed(count, writing)));
    Ok(!stopped && count == longest)
}

fn speed(words: usize, time: Duration) -> String {
    format!("{words} written, {:.1} per second", words as f64 / time.as_secs_f64().max(1e-9))
}
