//! The protocol of the odd cases: inputs, the command line, the timing loop, JSON lines and rows for people.
//!
//! Inputs follow from a hash, so another program can make the same numbers. Of a result and of each gradient the sum
//! with fixed weights is told, in `f64`, and the root of the sum of the squared terms, against which a difference is
//! judged.
//! Environment: `ODD_BUDGET` (seconds for each row), `PEER_THREADS` and `NAMED_TENSOR_THREADS` (which must agree).
//! Not here: the comparison with another program (`beside`).

use std::io::Write as _;
use std::time::Instant;

use named_tensor::prelude::Error;

/// The stream of the weights by which a result is summed; those of the gradients come after it.
pub(crate) const WEIGHTS: u32 = 100;

fn h32(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

fn hash(seed: u32, i: usize) -> u32 {
    h32((i as u32).wrapping_add(seed.wrapping_mul(0x9E37_79B9)))
}

/// A number in [-1, 1), exact in `f32`.
fn number(seed: u32, i: usize) -> f32 {
    (hash(seed, i) >> 8) as f32 / 8_388_608.0 - 1.0
}

/// `size` numbers of the stream `seed`, uniform in [-1, 1).
pub(crate) fn fill(seed: u32, size: usize) -> Vec<f32> {
    (0..size).map(|i| number(seed, i)).collect()
}

/// `size` positions of the stream `seed`, below `below`.
pub(crate) fn positions(seed: u32, size: usize, below: usize) -> Vec<usize> {
    (0..size).map(|i| hash(seed, i) as usize % below).collect()
}

/// How many numbers a tensor of these sizes has.
pub(crate) fn count(sizes: &[usize]) -> usize {
    sizes.iter().product()
}

/// The numbers of an input, times the scale if there is one.
pub(crate) fn drawn(seed: u32, sizes: &[usize], scale: &[f32]) -> Vec<f32> {
    let numbers = fill(seed, count(sizes));
    scale.iter().fold(numbers, |numbers, scale| numbers.into_iter().map(|x| x * scale).collect())
}

/// The sum of numbers with fixed weights, and the root of the sum of the squared terms.
#[derive(Clone, Copy)]
pub(crate) struct Check {
    pub(crate) sum: f64,
    pub(crate) length: f64,
}

impl Check {
    /// With the weights of the stream `seed`.
    pub(crate) fn of(seed: u32, numbers: &[f32]) -> Check {
        let terms = numbers.iter().enumerate().map(|(i, &x)| f64::from(x) * f64::from(number(seed, i)));
        let (sum, squares) = terms.fold((0.0, 0.0), |(sum, squares), term| (sum + term, squares + term * term));
        Check { sum, length: squares.sqrt() }
    }
}

/// A kind of operation with its sizes, such as `softmax/rows 1001x773`.
pub(crate) struct Case {
    pub(crate) kind: &'static str,
    pub(crate) sizes: String,
}

impl Case {
    pub(crate) fn new(kind: &'static str, sizes: &[usize]) -> Case {
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        Case { kind, sizes: sizes.join("x") }
    }
}

/// One line: a case, forwards or with gradients, with its times in µs.
#[derive(Clone)]
pub(crate) struct Row {
    /// Kind, sizes and how, with a space between them.
    pub(crate) name: [String; 3],
    pub(crate) threads: usize,
    pub(crate) least: f64,
    pub(crate) median: f64,
    pub(crate) checks: Vec<Check>,
}

/// What is printed.
#[derive(PartialEq)]
enum Output {
    Table,
    Json,
    /// A comparison with the lines of this file, at the end.
    Beside(String),
}

/// What is run, how long, and what has been timed so far.
pub(crate) struct Run {
    words: Vec<String>,
    budget: f64,
    threads: usize,
    output: Output,
    /// Whether small cases are only computed once, as tests.
    trial: bool,
    rows: Vec<Row>,
}

fn wrong(message: String) -> Error {
    Error::new(named_tensor::ErrorKind::Value, message)
}

/// How many threads compute: as many as `NAMED_TENSOR_THREADS` says, which `PEER_THREADS` may say again.
fn threads() -> Result<usize, Error> {
    let said = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = said("NAMED_TENSOR_THREADS").unwrap_or(all);
    match said("PEER_THREADS") {
        Some(peers) if peers != threads => {
            Err(wrong(format!("`PEER_THREADS` is {peers}, but {threads} compute: set `NAMED_TENSOR_THREADS` too")))
        }
        _ => Ok(threads),
    }
}

impl Run {
    /// From arguments and environment. Without `--bench`, which `cargo bench` adds, and other arguments it is a trial.
    pub(crate) fn new() -> Result<Run, Error> {
        let (mut words, mut output, mut bench, mut trial) = (Vec::new(), Output::Table, false, false);
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--bench" => bench = true,
                "--test" => trial = true,
                "--json" => output = Output::Json,
                "--beside" => {
                    let file = arguments.next().ok_or_else(|| wrong("`--beside` needs a file of lines".to_owned()))?;
                    output = Output::Beside(file);
                }
                flag if flag.starts_with('-') => return Err(wrong(format!("no option `{flag}` here"))),
                word => words.push(word.to_owned()),
            }
        }
        trial |= !bench && words.is_empty() && output == Output::Table;
        let budget = std::env::var("ODD_BUDGET").ok().and_then(|text| text.parse().ok()).unwrap_or(0.15);
        Ok(Run { words, budget, threads: threads()?, output, trial, rows: Vec::new() })
    }

    fn asked(&self, name: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| name.contains(word.as_str()))
    }

    /// Whether some row of this case, whose inputs have so many numbers, is asked for.
    pub(crate) fn wants(&self, Case { kind, sizes }: &Case, numbers: usize) -> bool {
        let rows = ["forwards", "+grad"].map(|how| format!("{kind} {sizes} {how}"));
        (!self.trial || numbers < 5000) && rows.iter().any(|row| self.asked(row))
    }

    /// Warms up, takes samples of a tenth of a millisecond or one call until the budget is spent, and prints them.
    pub(crate) fn time(
        &mut self,
        Case { kind, sizes }: &Case,
        how: &str,
        checks: &[Check],
        call: &mut dyn FnMut() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let name = [(*kind).to_owned(), sizes.clone(), how.to_owned()];
        if !self.asked(&name.join(" ")) {
            return Ok(());
        }
        if self.trial {
            return call();
        }
        let (mut calls, start) = (0, Instant::now());
        while calls < 2 || start.elapsed().as_secs_f64() < self.budget / 3.0 {
            call()?;
            calls += 1;
        }
        let start = Instant::now();
        call()?;
        let inner = (1e-4 / start.elapsed().as_secs_f64()).ceil().max(1.0) as usize;
        let (mut times, start) = (Vec::new(), Instant::now());
        while times.len() < 3 || start.elapsed().as_secs_f64() < self.budget {
            let sample = Instant::now();
            for _ in 0..inner {
                call()?;
            }
            times.push(sample.elapsed().as_secs_f64() * 1e6 / inner as f64);
        }
        times.sort_by(f64::total_cmp);
        let (least, median, checks) = (times[0], times[times.len() / 2], checks.to_vec());
        let row = Row { name, threads: self.threads, least, median, checks };
        match self.output {
            Output::Table => print(&row.text())?,
            Output::Json => print(&row.json())?,
            Output::Beside(_) => {}
        }
        self.rows.push(row);
        Ok(())
    }

    /// The comparison, if there is to be one.
    pub(crate) fn finish(&self) -> Result<(), Error> {
        match &self.output {
            Output::Beside(file) => print(&crate::beside::report(&self.rows, file, |name| self.asked(name))?),
            _ => Ok(()),
        }
    }
}

impl Row {
    fn text(&self) -> String {
        let ([kind, sizes, how], least, median) = (&self.name, self.least, self.median);
        format!("{kind:24} {sizes:>18} {how:8} least {least:>10.1} µs  median {median:>10.1} µs\n")
    }

    fn json(&self) -> String {
        let ([kind, sizes, how], Row { threads, least, median, .. }) = (&self.name, self);
        let number = |x: f64| if x.is_finite() { format!("{x:e}") } else { "null".to_owned() };
        let checks: Vec<String> =
            self.checks.iter().map(|check| format!("[{},{}]", number(check.sum), number(check.length))).collect();
        format!(
            "{{\"peer\":\"ours\",\"kind\":\"{kind}\",\"sizes\":\"{sizes}\",\"how\":\"{how}\",\"threads\":{threads},\
             \"least_us\":{least:.3},\"median_us\":{median:.3},\"check\":[{}]}}\n",
            checks.join(",")
        )
    }
}

fn print(text: &str) -> Result<(), Error> {
    let written = std::io::stdout().lock().write_all(text.as_bytes());
    written.map_err(|error| Error::new(named_tensor::ErrorKind::File, error.to_string()))
}
