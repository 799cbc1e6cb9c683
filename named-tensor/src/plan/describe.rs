//! A plan that a person can read: each step as an equation with axes, sizes, work, buffers and time.
//!
//! Lives here: the lines, and the clock: the steps are run a few times, and each shows the least time it took, beside
//! the time that its work would take on a nominal core. Names come from the graph that is asked about, since a plan serves
//! every graph of its structure. Not here: what a step does (`words`), the steps (`schedule`).

mod words;

use std::fmt::{Display, Formatter, Result as Written, Write};
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::contract::Loop;
use super::execute::{Slots, perform_and_tell};
use super::key::Trace;
use super::layout::Place;
use super::schedule::{Action, MatrixFunction, RowFunction, Schedule, Step};
use super::{PLAINLY, allowed, cache, growth};
use crate::error::Result;
use crate::graph::{Node, Op};

/// The steps that compute `roots`, one a line:
///
/// ```text
///  2 #7[seq: 512, heads: 12, key: 64] = dot(#0, #3) as 1 of 512×768×768   604 MFLOP   5.5 MB   6.04 ms   5.72 ms
/// ```
///
/// `#7` is a buffer; those of stored tensors come first. Bytes count what a step reads and writes. The first time is what
/// this much work takes on a nominal core, at 100 GFLOP/s or at 20 GB/s, whichever is longer; the second is the least
/// of a few runs, here and now. If the numbers do not allow a run (a position out of range), it is left out.
/// Where the planner is off, the first line says so.
///
/// # Errors
/// The error that a root carries; a setting in the environment that there is not.
pub fn describe(roots: &[Node]) -> Result<String> {
    allowed()?;
    let trace = Trace::new(roots)?;
    let schedule = cache::schedule(&trace.key, || growth::schedule(&trace));
    let times = measured(&schedule, &trace).unwrap_or_default();
    let heading = if PLAINLY.load(Ordering::Relaxed) { OFF } else { "" };
    Ok(format!("{heading}{}", Page { trace: &trace, schedule: &schedule, times: &times }))
}

/// What a plan begins with that is not used.
const OFF: &str = "the planner is off, and each operation is evaluated by its own definition; with it:\n";
/// Operations that the nominal core does in a second.
const FLOPS: f64 = 100e9;
/// Bytes that the nominal core reads and writes in a second.
const BANDWIDTH: f64 = 20e9;

/// The least time of each step in seconds, of three runs or as many more as fit in a tenth of a second.
fn measured(schedule: &Schedule, trace: &Trace<'_>) -> Result<Vec<f64>> {
    let mut times = vec![f64::INFINITY; schedule.steps.len()];
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < 3 || (start.elapsed().as_secs_f64() < 0.1 && rounds < 100) {
        let mut slots = Slots::new(schedule, trace);
        let mut last = Instant::now();
        perform_and_tell(schedule, &mut slots, trace, |step| {
            let now = Instant::now();
            times[step] = times[step].min((now - last).as_secs_f64());
            last = now;
        })?;
        rounds += 1;
    }
    Ok(times)
}

struct Page<'a, 'b> {
    trace: &'a Trace<'b>,
    schedule: &'a Schedule,
    /// Empty if no run was possible.
    times: &'a [f64],
}

impl Display for Page<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Written {
        for (slot, &leaf) in self.schedule.leaves.iter().enumerate() {
            let node = self.trace.node(leaf);
            let what = if self.trace.value(leaf).is_some() { "stored".to_owned() } else { constant(node.op()) };
            writeln!(f, "    #{slot}{} = {what}", node.shape())?;
        }
        let (mut flops, mut bytes, mut expected) = (0.0, 0.0, 0.0);
        let ends = words::ends(self.schedule);
        for (number, step) in self.schedule.steps.iter().enumerate() {
            let work = (self.flops(step), self.bytes(step));
            let time = (work.0 / FLOPS).max(work.1 / BANDWIDTH);
            flops += work.0;
            bytes += work.1;
            expected += time;
            let equation = self.equation(step, ends[number])?;
            let measured = self.times.get(number).map_or(String::new(), |&time| format!("   {}", duration(time)));
            let (work, time) = ((scaled(work.0, "FLOP"), scaled(work.1, "B")), duration(time));
            writeln!(f, "{:3} {equation}   {}   {}   {time}{measured}", number + 1, work.0, work.1)?;
            if let (Action::Scan { inputs, body }, Some(trace)) = (&step.action, self.trace.body(step.node)) {
                Page { trace, schedule: &body.schedule, times: &[] }.inside(
                    f,
                    inputs,
                    body.carries.len(),
                    body.along.len(),
                )?;
            }
        }
        let held =
            self.schedule.slots[self.schedule.leaves.len()..].iter().map(|slot| (slot.size * slot.kind.bytes()) as f64);
        let (steps, held) = (steps(self.schedule), scaled(held.fold(0.0, |all, bytes| all + bytes), "B"));
        let (flops, bytes, expected) = (scaled(flops, "FLOP"), scaled(bytes, "B"), duration(expected));
        write!(f, "{steps}   {flops}   {bytes} read and written   {held} of buffers   {expected} on a nominal core")?;
        if self.times.is_empty() { Ok(()) } else { write!(f, "   {} measured", duration(self.times.iter().sum())) }
    }
}

impl Page<'_, '_> {
    /// The steps of the body of a scan, whose buffers are numbered anew: first those of its inputs, of which the carries and
    /// what it goes along are the first.
    fn inside(&self, f: &mut Formatter<'_>, inputs: &[Place], carries: usize, along: usize) -> Written {
        for (slot, &leaf) in self.schedule.leaves.iter().enumerate() {
            let node = self.trace.node(leaf);
            let what = match node.op() {
                &Op::Placeholder(number) if number < carries => format!("carry {}", number + 1),
                &Op::Placeholder(number) => {
                    let one = if number < carries + along { "a position of " } else { "" };
                    format!("{one}#{}", inputs[number].slot)
                }
                op => constant(op),
            };
            writeln!(f, "        #{slot}{} = {what}", node.shape())?;
        }
        for (step, is_end) in self.schedule.steps.iter().zip(words::ends(self.schedule)) {
            writeln!(f, "      · {}", self.equation(step, is_end)?)?;
        }
        Ok(())
    }

    /// `#7[seq: 5] = softmax(#6)`, with the operations that are fused in their order. `is_end` says whether the node is
    /// computed then.
    fn equation(&self, step: &Step, is_end: bool) -> std::result::Result<String, std::fmt::Error> {
        let node = self.trace.node(step.node);
        let slot = self.schedule.slots[step.out as usize];
        let mut line = String::new();
        let mut filled = Vec::new();
        step.fills(|slot| filled.push(format!("#{slot}")));
        write!(line, "{}", filled.join(", "))?;
        // What is computed on the way to the node has no axes of the node.
        let is_of_node = is_end && !matches!(step.action, Action::AttentionGradient { .. });
        if is_of_node && slot.size == node.shape().elements() {
            write!(line, "{}", node.shape())?;
        }
        if let Action::Fill(value) = step.action {
            return write!(line, " = {value}").map(|()| line);
        }
        let mut operands = Vec::new();
        step.reads(|slot| operands.push(format!("#{slot}")));
        write!(line, " = {}({})", self.what(step, is_end), operands.join(", "))?;
        match &step.action {
            Action::Product { batch, rows, columns, inner, .. } => {
                let (again, batch): (Vec<&Loop>, Vec<_>) = batch.iter().partition(|axis| axis.is_summed());
                let [batch, again] = [batch, again].map(|axes| axes.iter().map(|axis| axis.size).product::<usize>());
                write!(line, " as {batch} of {}×{}×{}", rows.size, inner.size * again, columns.size)?;
            }
            Action::Attention { batch, rows, sizes: [keys, positions, columns], .. }
            | Action::AttentionGradient { batch, rows, sizes: [keys, positions, columns], .. } => {
                let [batch, rows] = [batch, rows].map(|sizes| sizes.iter().product::<usize>());
                write!(line, " as {batch} of {rows}×{keys}×{positions}×{columns}")?;
            }
            Action::Grouped { limit, .. } => {
                let [rows, terms, columns] = grouped(&step.action);
                write!(line, " as {rows}×{terms}×{columns} by {limit} matrices")?;
            }
            Action::Relative { sizes, limit, .. } => {
                let [rows, fine, columns] = sizes.each_ref().map(|sizes| sizes.iter().product::<usize>());
                write!(line, " as {rows}×{columns}×{limit} at {fine} positions")?;
            }
            Action::Scan { body, .. } => write!(line, " as {} of {}", body.size, steps(&body.schedule))?,
            _ => line.push_str(&self.sizes_reduced(step, is_end)),
        }
        Ok(line)
    }

    fn flops(&self, step: &Step) -> f64 {
        let size = |sizes: &[usize]| sizes.iter().map(|&size| size as f64).product::<f64>();
        let out = self.schedule.slots[step.out as usize].size as f64;
        let computes = |&&number: &&u32| {
            !matches!(self.trace.node(number).op(), Op::Rename | Op::StopGradient | Op::Iota | Op::Cast)
        };
        let elementwise = |nodes: &[u32]| out * (1 + nodes.iter().filter(computes).count()) as f64;
        let tail = step.tail.as_ref().map_or(0.0, |_| elementwise(&step.fused[1..]));
        tail + match &step.action {
            Action::Map { .. } => elementwise(&step.fused),
            Action::Product { batch, inner, .. } => {
                let again = batch.iter().filter(|axis| axis.is_summed()).map(|axis| axis.size as f64).product::<f64>();
                2.0 * out * inner.size as f64 * again
            }
            Action::Attention { batch, rows, sizes: [keys, positions, columns], .. } => {
                size(batch) * size(rows) * *positions as f64 * (2.0 * (*keys + *columns) as f64 + 5.0)
            }
            // Five products of matrices, if all is wanted, and the derivative of softmax besides.
            Action::AttentionGradient { batch, rows, sizes: [keys, positions, columns], .. } => {
                size(batch) * size(rows) * *positions as f64 * ((6 * *keys + 4 * *columns) as f64 + 9.0)
            }
            Action::Grouped { .. } => 2.0 * grouped(&step.action).map(|size| size as f64).iter().product::<f64>(),
            Action::Relative { sizes, limit, .. } => {
                let [rows, fine, columns] = sizes.each_ref().map(|sizes| size(sizes));
                rows * (fine + 2.0 * *limit as f64 * columns)
            }
            Action::Reduce { sizes, over, .. } => size(sizes) * size(over),
            Action::ReduceComputed { sizes, .. } => {
                size(sizes) * (1 + step.fused.iter().filter(computes).count()) as f64
            }
            Action::Best { sizes, size: along, .. } => size(sizes) * *along as f64,
            Action::Rows { function: RowFunction::CumulativeSum { .. }, .. } => out,
            Action::Rows {
                function: RowFunction::Sort { .. } | RowFunction::ArgSort { .. },
                sizes,
                row,
                wanted,
                ..
            } if wanted < row => size(sizes) * *row as f64 + out * (*wanted as f64).log2(),
            // The largest, the difference, the exponential and the sum.
            Action::Rows { function: RowFunction::LogSum, sizes, row, .. } => 4.0 * size(sizes) * *row as f64,
            // As many comparisons as a sort needs on average.
            Action::Rows { function: RowFunction::Sort { .. } | RowFunction::ArgSort { .. }, row, .. } => {
                out * (*row as f64).log2()
            }
            // The largest, the difference, the exponential, the sum and the quotient; or mean, difference, square,
            // sum and quotient.
            Action::Rows { .. } => 5.0 * out,
            Action::StandardizeGradient { .. } => 15.0 * out,
            Action::Scan { body, .. } => self.trace.body(step.node).map_or(0.0, |trace| {
                let page = Page { trace, schedule: &body.schedule, times: &[] };
                body.size as f64 * body.schedule.steps.iter().map(|step| page.flops(step)).sum::<f64>()
            }),
            // Two thirds of a product of matrices for the factors, and twice as much for both solutions of an inverse.
            Action::Matrix { function: MatrixFunction::Inverse, size, .. } => out * (2.0 / 3.0 + 2.0) * *size as f64,
            Action::Matrix { size, .. } => out * 2.0 / 3.0 * (*size as f64).powi(3),
            _ => 0.0,
        }
    }

    fn bytes(&self, step: &Step) -> f64 {
        let size = |slot: u32| {
            let slot = self.schedule.slots[slot as usize];
            (slot.size * slot.kind.bytes()) as f64
        };
        if let Action::Append { pieces, .. } = &step.action {
            let [_, added] = &**pieces;
            // What was there stays where it is, except when the room is used up.
            return 2.0 * size(added.source.slot);
        }
        let mut bytes = 0.0;
        step.fills(|slot| bytes += size(slot));
        step.reads(|slot| bytes += size(slot));
        bytes
    }
}

/// Rows, terms and columns of products with matrices at positions.
fn grouped(action: &Action) -> [usize; 3] {
    let Action::Grouped { batch, sizes, .. } = action else { return [0; 3] };
    let [outer, between, terms, columns] = sizes.each_ref().map(|sizes| sizes.iter().product::<usize>());
    [batch.iter().product::<usize>() * outer * between, terms, columns]
}

fn constant(op: &Op) -> String {
    match op {
        Op::Fill(value) => value.to_string(),
        op => op.name().to_owned(),
    }
}

/// How many steps a schedule has, in words.
fn steps(schedule: &Schedule) -> String {
    let count = schedule.steps.len();
    format!("{count} step{}", if count == 1 { "" } else { "s" })
}

/// `12.3 ms`: three digits and a unit.
fn duration(seconds: f64) -> String {
    let (number, unit) = match seconds {
        ..1e-6 => (seconds * 1e9, "ns"),
        1e-6..1e-3 => (seconds * 1e6, "µs"),
        1e-3..1.0 => (seconds * 1e3, "ms"),
        _ => (seconds, "s"),
    };
    let digits = match number {
        ..9.995 => 2,
        9.995..99.95 => 1,
        _ => 0,
    };
    format!("{number:.digits$} {unit}")
}

/// `12.3 MB`: three digits and a prefix.
fn scaled(number: f64, unit: &str) -> String {
    let prefixes = ["", "k", "M", "G", "T", "P"];
    let mut left = number;
    let mut prefix = 0;
    while left >= 1000.0 && prefix + 1 < prefixes.len() {
        left /= 1000.0;
        prefix += 1;
    }
    let digits = if left >= 100.0 || prefix == 0 { 0 } else { 1 };
    format!("{left:.digits$} {}{unit}", prefixes[prefix])
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn a_duration_has_three_digits_in_any_unit() {
        let of = [3e-9, 12.34e-9, 999.6e-9, 6.04e-3, 23.96e-3, 9.997e-3, 0.4321, 75.0, 1234.5].map(duration);
        let wanted = ["3.00 ns", "12.3 ns", "1000 ns", "6.04 ms", "24.0 ms", "10.0 ms", "432 ms", "75.0 s", "1234 s"];
        assert_eq!(of, wanted);
    }
}
