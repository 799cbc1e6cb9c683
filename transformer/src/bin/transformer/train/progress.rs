//! What is seen of a run meanwhile, on standard error: a bar on a terminal, some plain lines elsewhere.
//!
//! Both say the step, the loss, the tokens per second since the run began or went on, and the time left.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use transformer::train::Step;

use crate::output::remark;

/// How many plain lines a run has.
const LINES: u64 = 20;

/// The progress of one run.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    /// The steps that were done before, the last step, tokens in each.
    done: u64,
    last: u64,
    tokens: f64,
    start: Instant,
}

impl Progress {
    /// Of `last` steps of so many tokens, `done` are done.
    pub(crate) fn new(done: u64, last: u64, tokens: f64) -> Progress {
        let bar = stderr().is_terminal().then(|| ProgressBar::new(last).with_position(done).with_style(style()));
        Progress { bar, done, last, tokens, start: Instant::now() }
    }

    /// A step is done.
    pub(crate) fn step(&mut self, Step { number, loss, rate }: Step) {
        let elapsed = self.start.elapsed().as_secs_f64();
        let each = elapsed / (number - self.done) as f64;
        let left = HumanDuration(Duration::from_secs_f64(each * (self.last - number) as f64));
        let text = format!("loss {loss:.4}   rate {rate:.2e}   {:.0} tokens/s   {left} left", self.tokens / each);
        match &self.bar {
            Some(bar) => {
                bar.set_position(number);
                bar.set_message(text);
            }
            None if number * LINES / self.last > (number - 1) * LINES / self.last => {
                remark(format_args!("step {number} of {}   {text}", self.last));
            }
            None => {}
        }
    }

    /// The bar stays where it is, on a line of its own.
    pub(crate) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.abandon();
            remark("");
        }
    }
}

fn style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{wide_bar} step {pos} of {len}   {msg}");
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}
