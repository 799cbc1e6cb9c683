//! The multi-head pre-LN block from its equations beside the same block written by hand on `gemm`, in one run.
//!
//! `cargo bench -p transformer` takes turns between both, so that a change of the machine's speed meets both, and prints
//! minimum and median, floating-point operations, bytes of parameters and activations, and the share of the rate at
//! which `gemm` multiplies large square matrices here. Arguments: `batch seq chans heads hidden`.
#![allow(mixed_script_confusables, confusable_idents, reason = "the equations keep the letters of the paper")]

mod by_hand;

use std::io::Write as _;
use std::time::Instant;

use by_hand::{ByHand, Sizes};
use named_tensor::prelude::*;
use transformer::axes::*;
use transformer::block::MultiHeadBlock;

/// How often each is timed.
const ROUNDS: usize = 40;

fn main() -> Result<(), Error> {
    let given: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let [b, t, c, h, f] = <[usize; 5]>::try_from(given).unwrap_or([1, 512, 768, 12, 3072]);
    let sizes = Sizes { batch: b, seq: t, chans: c, heads: h, hidden: f };

    let mut rng = seeded(0);
    let extents = (chans.of(c), heads.of(h), key.of(c / h), val.of(c / h), hidden.of(f));
    let block = MultiHeadBlock::init(&mut rng, extents)?;
    let x: Tensor<R![batch, seq, chans]> =
        Tensor::normal(&mut rng, (batch.of(b), seq.of(t), chans.of(c)), 0.0, 1.0).eval()?;
    let numbers = x.to_vec((batch, seq, chans))?;
    let mut by_hand = ByHand::new(sizes, &block)?;

    let mut equations = Vec::new();
    let mut hand = Vec::new();
    let mut outputs = (Vec::new(), Vec::new());
    for round in 0..ROUNDS + 3 {
        let start = Instant::now();
        let y = block.apply(&x).eval()?;
        let first = start.elapsed().as_secs_f64();
        let start = Instant::now();
        by_hand.run(&numbers);
        let second = start.elapsed().as_secs_f64();
        if round >= 3 {
            equations.push(first);
            hand.push(second);
        }
        if round == 0 {
            outputs = (y.to_vec((batch, seq, chans))?, by_hand.output().to_vec());
        }
    }
    let largest = outputs.0.iter().zip(&outputs.1).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);

    let rate = square_rate();
    let pairs = (t * t) as f64;
    let (b, t, c, f) = (b as f64, t as f64, c as f64, f as f64);
    let flops = 2.0 * b * t * (4.0 * c * c + 2.0 * c * f) + 4.0 * b * pairs * c;
    let bytes = 4.0 * (4.0 * c * c + 2.0 * c * f + b * t * (8.0 * c + f) + 2.0 * b * h as f64 * pairs);
    let mut out = std::io::stdout().lock();
    let mut line =
        |text: String| out.write_all((text + "\n").as_bytes()).map_err(|e| Error::new(ErrorKind::File, e.to_string()));
    line(format!("block (batch {b}, seq {t}, chans {c}, heads {h}, hidden {f}), f32"))?;
    line(format!(
        "{:.2} GFLOP, {:.1} MB written or read once by a form that stores every step",
        flops / 1e9,
        bytes / 1e6
    ))?;
    line(format!("large square products by gemm: {rate:.0} GFLOP/s"))?;
    for (name, times) in [("from the equations", &mut equations), ("by hand on gemm", &mut hand)] {
        times.sort_by(f64::total_cmp);
        let (least, median) = (times[0], times[times.len() / 2]);
        let reached = flops / least / 1e9;
        line(format!(
            "{name:20} min {:7.2} ms  median {:7.2} ms  {reached:4.0} GFLOP/s  {:3.0} % of the square products",
            least * 1e3,
            median * 1e3,
            100.0 * reached / rate
        ))?;
    }
    line(format!(
        "equations / by hand: min {:.2}, median {:.2}; largest difference {largest:.1e}",
        equations[0] / hand[0],
        equations[ROUNDS / 2] / hand[ROUNDS / 2]
    ))
}

/// The rate of products of 1536 × 1536 matrices, in GFLOP/s, the best of ten.
fn square_rate() -> f64 {
    const N: usize = 1536;
    let (a, b) = (vec![0.5_f32; N * N], vec![0.25_f32; N * N]);
    let mut c = vec![0.0_f32; N * N];
    let mut best = f64::INFINITY;
    for _ in 0..10 {
        let start = Instant::now();
        by_hand::product(&mut c, &a, &b, (N, N, N));
        best = best.min(start.elapsed().as_secs_f64());
    }
    2.0 * (N * N * N) as f64 / best / 1e9
}
