//! One multi-head pre-LN block on a real text: `cargo run --release -p transformer --example block -- README.md`.
//!
//! Bytes become embeddings by a lookup table, positions are added, the block of the library is applied. Prints the
//! equations that run, the axes and sizes of what they give, one head's attention over the first words, and the
//! largest difference from plain matrix code (`plain`), which computes the same beside it.
#![allow(mixed_script_confusables, confusable_idents, reason = "the equations keep the letters of the paper")]

mod picture;
mod plain;

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

use named_tensor::prelude::*;
use transformer::attention::{Attention, MultiHeadAttention};
use transformer::axes::*;
use transformer::block::MultiHeadBlock;
use transformer::embedding::{Embedding, PositionalEncoding};
use transformer::feed_forward::FFN;
use transformer::norm::LayerNorm;

named! {
    /// How much each query looks at each position: the first half of `Attention`, for the picture.
    fn Weights(Q: R[key], K: R[seq, key]) -> R[seq] {
        softmax_seq(Q dot_key K / sqrt(|key|))
    }
}

/// At most so many bytes of the text are used.
const LONGEST: usize = 256;

fn main() -> ExitCode {
    let outcome = text().and_then(|text| run(&text).map_err(|error| error.to_string()));
    match outcome {
        Ok(report) => {
            match std::io::stdout().lock().write_all(report.as_bytes()) {
                // A reader that has seen enough closes the pipe; that is no failure.
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                    failure(&format!("the output: {error}"))
                }
                _ => ExitCode::SUCCESS,
            }
        }
        Err(message) => failure(&message),
    }
}

fn failure(message: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr().lock(), "error: {message}");
    ExitCode::FAILURE
}

/// The text of the file that is named on the command line.
fn text() -> Result<String, String> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments
        .next()
        .ok_or("a text file is needed: cargo run --release -p transformer --example block -- README.md")?;
    if let Some(second) = arguments.next() {
        return Err(format!("one text file is needed, but {} is named too", second.to_string_lossy()));
    }
    let name = path.to_string_lossy().into_owned();
    let bytes = std::fs::read(&path).map_err(|error| format!("{name} cannot be read: {error}"))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| format!("{name} is not UTF-8: byte {} does not belong", error.utf8_error().valid_up_to()))?;
    if text.trim().is_empty() {
        return Err(format!("{name} is empty: there is nothing to attend to"));
    }
    Ok(text)
}

fn run(text: &str) -> Result<String, Error> {
    let bytes: Vec<usize> = text.bytes().take(LONGEST).map(usize::from).collect();
    let mut rng = seeded(0);
    let sizes = (vocab.of(256), chans.of(64), heads.of(4), key.of(16), val.of(16), hidden.of(256));
    let embedding = Embedding::init(&mut rng, sizes)?;
    let block = MultiHeadBlock::init(&mut rng, sizes)?;

    let words = Tensor::indices_from_vec(seq.of(bytes.len()), vocab, bytes.clone())?;
    let e = embedding.apply(&words);
    let x = PositionalEncoding(&e);
    let y = block.apply(&x);

    let mut out = String::from("The equations that run\n\n");
    let equations = [
        Embedding::EQUATION,
        PositionalEncoding::EQUATION,
        LayerNorm::EQUATION,
        Attention::EQUATION,
        MultiHeadAttention::EQUATION,
        FFN::EQUATION,
        MultiHeadBlock::EQUATION,
    ];
    for equation in equations {
        let _ = writeln!(out, "{equation}\n");
    }

    // The steps of the block, taken one by one.
    let normed = block.norm1.apply(&x);
    let q = normed.dot(chans, &block.att.W_Q) + &block.att.b_Q;
    let k = normed.dot(chans, &block.att.W_K) + &block.att.b_K;
    let weights = Weights(&q.rename(seq, seq_), &k);
    let x1 = &x + block.att.apply(&normed);
    let h = block.ffn.apply(&block.norm2.apply(&x1));
    let _ = writeln!(out, "What they give ({} bytes, {} parameters)\n", bytes.len(), embedding.count() + block.count());
    let steps = [
        ("E = Embedding(I)", e.shape()),
        ("X = E + P", x.shape()),
        ("norm1(X)", normed.shape()),
        ("Q = norm1(X) dot_chans W_Q + b_Q", q.shape()),
        ("K = norm1(X) dot_chans W_K + b_K", k.shape()),
        ("softmax_seq(Q dot_key K / sqrt(|key|))", weights.shape()),
        ("X1 = X + att(norm1(X))", x1.shape()),
        ("ffn(norm2(X1))", h.shape()),
        ("X1 + ffn(norm2(X1))", y.shape()),
    ];
    for (step, shape) in steps {
        let _ = writeln!(out, "  {step:40} {shape}");
    }

    let head = weights.at(heads, 0).to_vec((seq_, seq))?;
    let _ = writeln!(
        out,
        "\nHead 0: which of the first words (columns) each of them (rows) looks at, the darker the more\n"
    );
    out.push_str(&picture::words(text, bytes.len(), &head));

    let difference = plain::largest_difference(&bytes, &embedding, &block, &y)?;
    let _ = writeln!(out, "\nLargest difference from plain matrix code in f64: {difference:.1e}");
    if difference.is_nan() || difference > 1e-3 {
        return Err(Error::new(ErrorKind::Value, format!("plain matrix code disagrees by {difference:.1e}")));
    }
    Ok(out)
}
