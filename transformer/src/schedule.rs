//! Schedules: the learning rate at each step.
//!
//! Lives here: plain functions of the step, counted from 1. Not here: what the rate does (`optimizer`).

use std::f64::consts::PI;

/// Rises for `warmup` steps, then falls as 1/√step: `|chans|^-0.5 min(step^-0.5, step · warmup^-1.5)`
/// (*Attention Is All You Need*, section 5.3).
#[must_use]
pub fn warm_up(step: u64, chans: usize, warmup: u64) -> f64 {
    let (step, warmup) = (step.max(1) as f64, warmup.max(1) as f64);
    (chans as f64).powf(-0.5) * step.powf(-0.5).min(step * warmup.powf(-1.5))
}

/// Rises in a line to `highest` for `warmup` steps, then falls to `lowest` at step `last` along half a cosine, and
/// stays there.
#[must_use]
pub fn cosine(step: u64, warmup: u64, last: u64, highest: f64, lowest: f64) -> f64 {
    if step < warmup {
        return highest * step as f64 / warmup as f64;
    }
    let way = last.saturating_sub(warmup).max(1) as f64;
    let done = ((step - warmup) as f64 / way).min(1.0);
    lowest + (highest - lowest) * (1.0 + (PI * done).cos()) / 2.0
}

/// Falls in stairs: each of `(rate, last)` holds up to and with the step `last`, and the last rate from there on.
///
/// ```
/// # use transformer::schedule::stairs;
/// let rates = [1, 2, 3, 9].map(|step| stairs(step, &[(0.01, 2), (0.001, 4)]));
/// assert_eq!(rates, [0.01, 0.01, 0.001, 0.001]);
/// ```
#[must_use]
pub fn stairs(step: u64, rates: &[(f64, u64)]) -> f64 {
    let here = rates.iter().find(|(_, last)| step <= *last).or(rates.last());
    here.map_or(0.0, |(rate, _)| *rate)
}
