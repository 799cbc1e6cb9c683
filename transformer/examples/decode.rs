//! How long one more word takes, by how many words were read: `cargo run --release -p transformer --example decode`.
//!
//! A model of GPT-2's smallest size with random numbers. The time is that of the weights, which are read once for each
//! word, and a part that grows with the context, whose keys and values are read but not copied.
//! An argument gives the number of layers, 12 unless it is said.

use std::time::{Duration, Instant};

use named_tensor::prelude::*;
use transformer::axes::{chans, heads, hidden, key, places, val, vocab};
use transformer::models::context::Reads;
use transformer::models::gpt2::Gpt2;

fn main() -> Result<(), Error> {
    let layers = std::env::args().nth(1).and_then(|layers| layers.parse().ok()).unwrap_or(12);
    let sizes =
        (vocab.of(50257), places.of(1024), chans.of(768), heads.of(12), key.of(64), val.of(64), hidden.of(3072));
    let model = Gpt2::init(&mut seeded(0), layers, sizes)?.eval()?;
    let bytes: usize = model.parameters().iter().map(|(_, parameter)| 4 * parameter.elements()).sum();
    eprintln!("{layers} layers, {} MB of weights", bytes / 1_000_000);

    eprintln!("context   ms per word   words per second");
    let start = Instant::now();
    let (_, mut context) = model.next(&[7; 8], &model.start())?;
    eprintln!("a prompt of 8 words: {:.1} ms", millis(start.elapsed()));
    for end in [16, 32, 64, 128, 256, 512, 1000] {
        let mut times = Vec::new();
        while context.words() < end {
            let start = Instant::now();
            context = model.next(&[11], &context)?.1;
            times.push(start.elapsed());
        }
        times.sort();
        let (least, middle) = (times[0], times[times.len() / 2]);
        let rate = 1.0 / middle.as_secs_f64();
        eprintln!("{end:7}   {:.1} (least {:.1})   {rate:.1}", millis(middle), millis(least));
    }
    Ok(())
}

fn millis(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}
