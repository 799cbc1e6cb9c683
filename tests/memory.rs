//! Memory: training does not grow, however long it goes on.
//!
//! Every allocation of this process is counted, so this binary has one test and no other beside it.

#![allow(mixed_script_confusables, reason = "θ is the letter of the field")]

use std::alloc::System;

use named_tensor::prelude::*;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

axes! { batch, chans, hidden, out }

named! {
    fn FFN(X: R[chans]; W1: R[chans, hidden], b1: R[hidden] = 0, W2: R[hidden, out], b2: R[out] = 0) -> R[out] {
        softmax_out(relu(X dot_chans W1 + b1) dot_hidden W2 + b2)
    }
}

/// How many allocations and bytes are alive.
fn alive() -> (usize, usize) {
    let stats = COUNTED.stats();
    (stats.allocations - stats.deallocations, stats.bytes_allocated - stats.bytes_deallocated)
}

#[test]
fn ten_thousand_steps_of_training_end_with_the_memory_of_ten() {
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
    for _ in 1..10 {
        step();
    }
    let after_ten = alive();
    let mut last = first;
    for _ in 10..10_000 {
        last = step();
    }
    assert_eq!(alive(), after_ten, "allocations and bytes alive after 10,000 steps and after 10");
    assert!(last < 0.1 * first, "the loss went from {first} to {last} only");
}
