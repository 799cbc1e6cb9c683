//! The protocol of the peer measurements: inputs, the timing loop, checks, JSON lines.
//!
//! Every peer makes the same numbers from a hash, times calls in the same way, and prints one JSON line per case with a
//! summary of each output, by which outputs of different programs are compared. For people there is a row of a table.
//! Environment: `PEER_THREADS` (told in the line; without it the table is printed), `PEER_BUDGET` (seconds per case), `PEER_SUFFIX` (of the name);
//! `PEER_CLOCK=processor` counts the time that the calling thread has had a processor, for single threads on a machine
//! that others use too (Linux; its clock ticks in milliseconds, so only long cases are told well).
//! Arguments: cases such as `W2/M/causal`, or what they begin with.

use std::hint::black_box;
use std::io::Write as _;
use std::sync::LazyLock;
use std::time::Instant;

use named_tensor::prelude::Error;

use crate::limits;

fn h32(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// The hash of position `i` in the stream `seed`, as 24 bits.
fn bits(seed: u32, i: usize) -> u32 {
    h32((i as u32).wrapping_add(seed.wrapping_mul(0x9E37_79B9))) >> 8
}

/// `size` numbers of the stream `seed`, uniform in ±`scale`/2; all but the last product is exact.
pub(crate) fn fill(seed: u32, size: usize, scale: f32) -> Vec<f32> {
    (0..size).map(|i| number(seed, i, scale)).collect()
}

/// The same numbers one after the other, for `Tensor::from_fn`: they are nowhere else before they are in the tensor.
pub(crate) fn filling<P>(seed: u32, scale: f32) -> impl FnMut(P) -> f32 {
    let mut numbers = (0..).map(move |i| number(seed, i, scale));
    move |_| numbers.next().unwrap_or_default()
}

fn number(seed: u32, i: usize, scale: f32) -> f32 {
    (bits(seed, i) as f32 / 16_777_216.0 - 0.5) * scale
}

/// 1 + fill(seed, size, 0.2): gains of layer norms.
pub(crate) fn gain(seed: u32, size: usize) -> Vec<f32> {
    fill(seed, size, 0.2).into_iter().map(|x| 1.0 + x).collect()
}

/// The scale that gives weights a variance of 1/k.
pub(crate) fn weight_scale(k: usize) -> f32 {
    (12.0 / k as f64).sqrt() as f32
}

/// The first words of the text.
pub(crate) fn tokens(size: usize) -> Vec<usize> {
    (0..size).map(|i| h32((i as u32).wrapping_add(777_u32.wrapping_mul(0x9E37_79B9))) as usize % 50_257).collect()
}

/// One output, small enough to compare: norm, a random projection, 16 samples.
pub(crate) fn summary(name: &str, y: &[f32]) -> String {
    let (mut squares, mut projection) = (0.0, 0.0);
    for (i, &x) in y.iter().enumerate() {
        squares += f64::from(x) * f64::from(x);
        projection += f64::from(x) * (f64::from(bits(999, i)) / 16_777_216.0 - 0.5);
    }
    let samples: Vec<String> = (0..16).map(|j| format!("{:e}", y[j * (y.len() - 1) / 15])).collect();
    let (size, norm) = (y.len(), squares.sqrt());
    format!(
        "{{\"name\":\"{name}\",\"n\":{size},\"l2\":{norm:e},\"proj\":{projection:e},\"s\":[{}]}}",
        samples.join(",")
    )
}

/// Seconds since some start, of the wall or of this thread on a processor.
pub(crate) fn clock() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    static OF_THREAD: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os("PEER_CLOCK").is_some_and(|clock| clock == "processor"));
    let wall = START.elapsed().as_secs_f64();
    if !*OF_THREAD {
        return wall;
    }
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds: Option<f64> = text.split_whitespace().next().and_then(|word| word.parse().ok());
    nanoseconds.map_or(wall, |time| time * 1e-9)
}

/// What is run, and for how long.
pub(crate) struct Run {
    cases: Vec<String>,
    budget: f64,
}

/// What a call costs in principle.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) flops: f64,
    pub(crate) bytes: f64,
}

impl Run {
    /// From arguments and environment. What `cargo bench` adds is no case.
    pub(crate) fn new() -> Run {
        let cases = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
        let budget = std::env::var("PEER_BUDGET").ok().and_then(|text| text.parse().ok()).unwrap_or(1.0);
        Run { cases, budget }
    }

    /// Whether this case is asked for.
    pub(crate) fn wants(&self, case: &str) -> bool {
        let inside = |wanted: &String| case == wanted || case.starts_with(&format!("{wanted}/"));
        self.cases.is_empty() || self.cases.iter().any(inside)
    }

    /// Warms up, takes samples of about half a millisecond or one call until the budget is spent, and prints them.
    pub(crate) fn time<R>(
        &self,
        case: &str,
        cost: Cost,
        checks: &[String],
        mut call: impl FnMut() -> Result<R, Error>,
    ) -> Result<(), Error> {
        let start = Instant::now();
        let mut calls = 0;
        while calls < 2 || start.elapsed().as_secs_f64() < 0.2 {
            black_box(call()?);
            calls += 1;
        }
        let start = Instant::now();
        black_box(call()?);
        let inner = (5e-4 / start.elapsed().as_secs_f64()).ceil().max(1.0) as usize;
        let (mut times, start) = (Vec::new(), Instant::now());
        while times.len() < 10 || (start.elapsed().as_secs_f64() < self.budget && times.len() < 500) {
            let sample = clock();
            for _ in 0..inner {
                black_box(call()?);
            }
            times.push((clock() - sample) / inner as f64);
        }
        self.print(case, cost, checks, times, inner)
    }

    /// Prints the line of a case, `workload/case`.
    pub(crate) fn print(
        &self,
        case: &str,
        Cost { flops, bytes }: Cost,
        checks: &[String],
        mut times: Vec<f64>,
        inner: usize,
    ) -> Result<(), Error> {
        times.sort_by(f64::total_cmp);
        let (least, median) = (times[0], times[times.len() / 2]);
        let line = match std::env::var("PEER_THREADS") {
            Ok(threads) => {
                let (workload, case) = case.split_once('/').unwrap_or((case, ""));
                let suffix = std::env::var("PEER_SUFFIX").unwrap_or_default();
                let reps = times.len();
                format!(
                    "{{\"peer\":\"ours{suffix}\",\"w\":\"{workload}\",\"case\":\"{case}\",\"threads\":{threads},\"reps\":{reps},\
                     \"inner\":{inner},\"min_s\":{least:e},\"med_s\":{median:e},\"flops\":{flops:e},\"bytes\":{bytes:e},\
                     \"rss_mb\":{:.1},\"check\":[{}]}}\n",
                    peak_megabytes(),
                    checks.join(",")
                )
            }
            Err(_) => row(case, Cost { flops, bytes }, least, median),
        };
        let written = std::io::stdout().lock().write_all(line.as_bytes());
        written.map_err(|error| Error::new(named_tensor::ErrorKind::File, error.to_string()))
    }
}

/// The least and the median time, the rate, and the share of the machine's limit: that of arithmetic, or where nearly
/// all of the time goes into reading and writing, that of reading memory.
fn row(case: &str, Cost { flops, bytes }: Cost, least: f64, median: f64) -> String {
    let times = format!("{case:28} min {:>9} median {:>9}", seconds(least), seconds(median));
    let (rate, unit, limit) = match () {
        () if flops > 8.0 * bytes => (flops / least, "GFLOP/s", limits::operations()),
        () if bytes > 0.0 => (bytes / least, "GB/s", limits::bytes()),
        () => return format!("{times}\n"),
    };
    format!("{times}  {:6.1} {unit:7}  {:3.0} % of {:.0}\n", rate / 1e9, 100.0 * rate / limit, limit / 1e9)
}

/// A time with three digits or so.
fn seconds(time: f64) -> String {
    match time {
        _ if time < 1e-6 => format!("{:.0} ns", time * 1e9),
        _ if time < 1e-3 => format!("{:.1} µs", time * 1e6),
        _ if time < 0.1 => format!("{:.2} ms", time * 1e3),
        _ => format!("{:.0} ms", time * 1e3),
    }
}

/// The most memory this process has held.
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
