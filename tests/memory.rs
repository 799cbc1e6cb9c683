//! Memory: reading, training and decoding do not grow, however often they are repeated.
//!
//! Every allocation of this process is counted, so this binary is one test, and runs without a harness beside it.

#![allow(mixed_script_confusables, reason = "θ is the letter of the field")]

use std::alloc::System;

use named_tensor::prelude::*;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use transformer::axes as model_axes;
use transformer::models::context::Reads;
use transformer::models::gpt2::Gpt2;

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

axes! { batch, chans, hidden, out, row, column }

named! {
    fn FFN(X: R[chans]; W1: R[chans, hidden], b1: R[hidden] = 0, W2: R[hidden, out], b2: R[out] = 0) -> R[out] {
        softmax_out(relu(X dot_chans W1 + b1) dot_hidden W2 + b2)
    }
}

named! {
    fn AndTurned(A: R[row, column], B: R[row, column], s: R[]) -> R[row, column] {
        A + B_{row -> column, column -> row} * s
    }
}

/// How many allocations and bytes are alive.
fn alive() -> (usize, usize) {
    let stats = COUNTED.stats();
    (stats.allocations - stats.deallocations, stats.bytes_allocated - stats.bytes_deallocated)
}

/// Repeats something, and after ten times expects to find the memory of the tenth each time a tenth of all is done.
fn repeated<R>(what: &str, times: usize, mut call: impl FnMut() -> R) -> R {
    for _ in 1..10 {
        call();
    }
    let mut last = call();
    let after_ten = alive();
    for i in 10..times {
        last = call();
        if (i + 1).is_multiple_of(times / 10) {
            assert_eq!(alive(), after_ten, "allocations and bytes alive after {i} times {what} and after 10");
        }
    }
    last
}

fn main() {
    ten_thousand_steps_of_training();
    a_thousand_texts_read_and_words_written();
    a_hundred_sums_with_a_transposed_matrix();
    scans_plans_and_failures();
    what_is_kept_goes_back_when_that_is_asked_for();
}

fn ten_thousand_steps_of_training() {
    let mut rng = seeded(7);
    let mut model: FFN = FFN::init(&mut rng, (chans.of(4), hidden.of(8), out.of(3))).unwrap();
    let x: Tensor<R![batch, chans]> = Tensor::normal(&mut rng, (batch.of(16), chans.of(4)), 0.0, 1.0).eval().unwrap();
    // The class is where the first three numbers are largest.
    let target = x.slice(chans, ..3).argmax(chans).rename(chans, out).eval().unwrap();
    let mut step = || {
        let likelihood = (model.apply(&x) + 1e-6).log();
        let loss = -(&likelihood * &target).sum(out).mean(batch);
        let (value, d) = value_and_grad(&loss, &model).unwrap();
        model = model.combine([&d], |_, θ, [g]| θ - g * 0.1).eval().unwrap();
        value
    };
    let first = step();
    let last = repeated("a step of training", 10_000, step);
    assert!(last < 0.1 * first, "the loss went from {first} to {last} only");
}

fn a_thousand_texts_read_and_words_written() {
    use model_axes::{chans, heads, hidden, key, places, val, vocab};
    let sizes = (vocab.of(17), places.of(32), chans.of(16), heads.of(2), key.of(8), val.of(8), hidden.of(32));
    let model = Gpt2::init(&mut seeded(1), 2, sizes).unwrap().eval().unwrap();
    let read = || model.next(&[3, 1, 4, 1, 5, 9, 2, 6], &model.start()).unwrap();
    repeated("a text read", 1000, || read().0.to_vec(vocab).unwrap());
    let (_, context) = read();
    // Eight words each time, which lengthen the keys and values in place.
    let written = repeated("eight words written", 1000 / 8, || {
        (0..8).fold(context.clone(), |after, word| model.next(&[word], &after).unwrap().1)
    });
    assert_eq!(written.words(), 16, "eight words read and eight written");
}

fn a_hundred_sums_with_a_transposed_matrix() {
    const MOST: usize = 2 << 20;
    let mut rng = seeded(3);
    let mut square = || -> Tensor<R![row, column]> {
        Tensor::normal(&mut rng, (row.of(1024), column.of(1024)), 0.0, 1.0).eval().unwrap()
    };
    let (a, b, s) = (square(), square(), Tensor::scalar(0.5).eval().unwrap());
    let times = |times: usize| {
        for _ in 0..times {
            AndTurned(&a, &b, &s).eval().unwrap();
        }
        alive().1
    };
    let (before, after) = (times(10), times(100));
    // How many threads take room at once is theirs to decide.
    assert!(after <= before + MOST, "{before} bytes after ten sums and {after} after a hundred more");
}

/// What is kept for later is no more than what was in use at once lets expect, whatever was computed in between.
fn scans_plans_and_failures() {
    const NUMBERS: usize = 1 << 18;
    const MOST: usize = 32 << 20;
    // Each size is used once and given back, so that all of it is there to be kept: 200 MB.
    let sizes = || {
        for k in 1..40 {
            let x = Tensor::from_fn(chans.of(k * NUMBERS / 4), |[i]| i as f32);
            x.cumsum(chans).sum(chans).eval().unwrap();
        }
        alive().1
    };
    let before = sizes();
    let carry = Tensor::full(chans.of(NUMBERS), 0.5).eval().unwrap();
    let two = Tensor::new(batch, [1.0, 2.0]);
    let table: Tensor<R![chans, row]> = Tensor::full((chans.of(NUMBERS), row.of(2)), 1.0).eval().unwrap();
    let nowhere = Tensor::indices(batch, row, [0, 5]);
    for _ in 0..100 {
        let (last, ()) = scan(batch, carry.clone(), &two, |h, x| ((h + x).tanh(), ()));
        last.sum(chans).eval().unwrap();
        table.cumsum(chans).index(row, &nowhere).sum(chans).eval().unwrap_err();
    }
    for _ in 0..10 {
        assert!(!(&carry + 1.0).exp().plan().unwrap().is_empty());
    }
    let after = sizes();
    assert!(after <= before + MOST, "{before} bytes before scans, plans and failures, and {after} after");
}

/// 40 MB were in use at once: as much stays, and goes when it is released, but for what every process has.
fn what_is_kept_goes_back_when_that_is_asked_for() {
    named_tensor::release_memory();
    let (_, before) = alive();
    let x: Tensor<R![chans]> = Tensor::ones(chans.of(10_000_000)).exp().eval().unwrap();
    drop(x);
    let (_, kept) = alive();
    assert!(kept > before + 40_000_000, "{before} bytes before, {kept} after");
    named_tensor::release_memory();
    let (_, released) = alive();
    assert!(released < before + 1_000_000, "{before} bytes before, {released} after");
}
