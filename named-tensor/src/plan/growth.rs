//! Plans of graphs that grow: a text that is read word by word has another length with each word.
//!
//! The plan of one word more does the same as the one before, with larger numbers: sizes, strides and offsets go on as
//! they went from one length to the next. So once a plan was foretold twice from those before it, the next ones are not
//! made but foretold. Only counts of the graph may differ, they only grow, and in one proportion. What a plan weighs is
//! foretold with it: where a comparison would come out otherwise, the plan is made; so it is after [`AHEAD`] lengths. Costs
//! are weighed too; they are rounded, seldom go on evenly, and where they do not each plan is made.
//!
//! What is foretold is sound for every length. A plan does much because numbers are equal, as a stride and the size of
//! the axis inside times its stride are; both sides are products of at most two numbers that grow evenly, so being equal
//! at three lengths they always are. And where a size is not 0 or 1, it does not become so: sizes that grow are 2 or more.
//! Lives here: what is known of graphs that grow. Not here: which words of a key are counts (`words`), the numbers of a
//! schedule (`numbers`), what is weighed (`weighed`).

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use super::cache::WORDS;
use super::key::Trace;
use super::lower;
use super::schedule::Schedule;
use super::weighed;

/// So many graphs that grow are known at once, of no more words together than plans are kept for.
const KNOWN: usize = 16;
/// So many plans have been foretold and were right before one is taken without being made. With the two that say how much
/// they grow that makes four lengths; soundness needs three.
const PROOFS: u32 = 2;
/// At most so many lengths after a plan that was made.
const AHEAD: u64 = 64;

/// Which words of a key have grown, and by how much.
type Counts = Vec<(u32, u64)>;

#[derive(Default)]
pub(super) struct Known(Vec<Growing>);

/// A graph that may grow.
struct Growing {
    key: Box<[u64]>,
    /// The last plan that was made of it, and its numbers.
    schedule: Arc<Schedule>,
    numbers: Vec<isize>,
    growth: Option<Growth>,
}

/// How it grows.
struct Growth {
    counts: Counts,
    /// By how much each number of the plan is larger then.
    numbers: Vec<isize>,
    /// How often the plan was foretold and right.
    proofs: u32,
}

static KNOWN_GRAPHS: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// The schedule of a graph.
pub(super) fn schedule(trace: &Trace<'_>) -> Arc<Schedule> {
    let foretold = with(|known| known.foretold(trace));
    foretold.map_or_else(
        || {
            let schedule = lower::schedule(trace);
            with(|known| known.learn(trace, schedule))
        },
        Arc::new,
    )
}

fn with<R>(work: impl FnOnce(&mut Known) -> R) -> R {
    // A thread that panicked left what is known as it was between two statements, each of which keeps it sound.
    work(&mut KNOWN_GRAPHS.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Known {
    /// The plan of a graph, if it is known well enough to be told without making it.
    pub(super) fn foretold(&self, trace: &Trace<'_>) -> Option<Schedule> {
        self.0.iter().rev().find_map(|graph| {
            let growth = graph.growth.as_ref().filter(|growth| growth.proofs >= PROOFS)?;
            let times = growth.times(&graph.grown(trace)?).filter(|&times| times <= AHEAD)?;
            let schedule = growth.of(&graph.schedule, times);
            weighed::are_alike(&graph.schedule.weighed, &schedule.weighed).then_some(schedule)
        })
    }

    /// Notes a plan that was made.
    pub(super) fn learn(&mut self, trace: &Trace<'_>, mut schedule: Schedule) -> Arc<Schedule> {
        let mut numbers = Vec::new();
        schedule.each_number(&mut |number| numbers.push(*number));
        let schedule = Arc::new(schedule);
        let made = Growing { key: trace.key[..].into(), schedule: schedule.clone(), numbers, growth: None };
        let grown = self.0.iter().enumerate().filter_map(|(at, graph)| Some((graph.grown(trace)?, at)));
        match grown.min_by_key(|(counts, _)| counts[0].1) {
            // What was used last stands at the end.
            Some((counts, at)) => {
                let mut graph = self.0.remove(at);
                graph.learn(counts, made);
                self.0.push(graph);
            }
            None if trace.key.len() > WORDS / KNOWN => {}
            None => {
                if self.0.len() == KNOWN {
                    self.0.remove(0);
                }
                self.0.push(made);
            }
        }
        schedule
    }
}

impl Growing {
    /// What has grown from this graph to another one; none if anything else differs.
    fn grown(&self, trace: &Trace<'_>) -> Option<Counts> {
        if self.key.len() != trace.key.len() {
            return None;
        }
        let mut counts = Counts::new();
        for (at, (&old, &new)) in (0..).zip(self.key.iter().zip(&trace.key)).filter(|(_, (old, new))| old != new) {
            let is_count = trace.counts.binary_search(&at).is_ok();
            // The size of an axis stands in the lower half of its word, its name in the upper one.
            let is_several = old & u64::from(u32::MAX) >= 2;
            if !is_count || !is_several || new < old || old >> 32 != new >> 32 {
                return None;
            }
            counts.push((at, new - old));
        }
        (!counts.is_empty()).then_some(counts)
    }

    /// Goes on from a plan that was made when these counts had grown.
    fn learn(&mut self, counts: Counts, made: Growing) {
        let is_foretold = |growth: &Growth| {
            growth.times(&counts).is_some_and(|times| {
                let foretold = self.numbers.iter().zip(&growth.numbers).map(|(&old, &by)| larger(old, by, times));
                foretold.eq(made.numbers.iter().copied()) && growth.of(&self.schedule, times) == *made.schedule
            })
        };
        let growth = match self.growth.take() {
            Some(growth) if is_foretold(&growth) => Growth { proofs: growth.proofs + 1, ..growth },
            _ => {
                let numbers = made.numbers.iter().zip(&self.numbers).map(|(new, old)| new.wrapping_sub(*old)).collect();
                Growth { counts, numbers, proofs: 0 }
            }
        };
        *self = Growing { growth: Some(growth), ..made };
    }
}

/// A number that has grown so many times.
fn larger(number: isize, by: isize, times: u64) -> isize {
    number.wrapping_add(by.wrapping_mul(times.cast_signed() as isize))
}

impl Growth {
    /// How many times as much these counts have grown; none if they have not grown in proportion.
    fn times(&self, counts: &[(u32, u64)]) -> Option<u64> {
        let times = counts[0].1 / self.counts[0].1;
        let same = |(&(at, by), &(one_at, one)): (&(u32, u64), &(u32, u64))| {
            at == one_at && one.checked_mul(times) == Some(by)
        };
        (counts.len() == self.counts.len() && counts.iter().zip(&self.counts).all(same)).then_some(times)
    }

    /// A schedule that has grown so many times.
    fn of(&self, schedule: &Schedule, times: u64) -> Schedule {
        let mut schedule = schedule.clone();
        let mut growth = self.numbers.iter();
        schedule.each_number(&mut |number| *number = larger(*number, growth.next().copied().unwrap_or(0), times));
        schedule
    }
}
