//! Plans by structure: a loop that builds the same graph again and again plans it once.
//!
//! Bounded in number and in the size of the graphs; the plan that was not used for the longest time goes first.
//! Lives here: the one table of plans, for all threads. Not here: what makes two graphs the same (`key`).

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use super::numbered::Fold;
use super::schedule::Schedule;

/// At most this many plans are kept.
const PLANS: usize = 1024;

/// At most this many words of keys are kept; a plan takes some twenty times as much memory as its key.
pub(super) const WORDS: usize = 1 << 20;

struct Kept {
    schedule: Arc<Schedule>,
    used: u64,
}

#[derive(Default)]
struct Table {
    plans: HashMap<Box<[u64]>, Kept, BuildHasherDefault<Fold>>,
    /// Counts the uses of all plans.
    clock: u64,
    /// The words of all keys.
    words: usize,
}

static TABLE: LazyLock<Mutex<Table>> = LazyLock::new(Mutex::default);

/// The plan of this structure, made by `plan` if it is not kept.
pub(super) fn schedule(key: &[u64], plan: impl FnOnce() -> Arc<Schedule>) -> Arc<Schedule> {
    if let Some(schedule) = with(|table| table.find(key)) {
        return schedule;
    }
    // The table is free meanwhile; two threads may plan the same, and the second plan is kept.
    let schedule = plan();
    if key.len() <= WORDS / 2 {
        with(|table| table.keep(key, &schedule));
    }
    schedule
}

fn with<R>(work: impl FnOnce(&mut Table) -> R) -> R {
    // A thread that panicked left the table as it was between two statements, each of which keeps it sound.
    work(&mut TABLE.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Table {
    fn find(&mut self, key: &[u64]) -> Option<Arc<Schedule>> {
        self.clock += 1;
        let kept = self.plans.get_mut(key)?;
        kept.used = self.clock;
        Some(kept.schedule.clone())
    }

    fn keep(&mut self, key: &[u64], schedule: &Arc<Schedule>) {
        while self.plans.len() >= PLANS || self.words + key.len() > WORDS {
            let Some(oldest) = self.plans.values().map(|kept| kept.used).min() else { break };
            let words = &mut self.words;
            self.plans.retain(|key, kept| {
                let is_kept = kept.used != oldest;
                *words -= if is_kept { 0 } else { key.len() };
                is_kept
            });
        }
        let kept = Kept { schedule: schedule.clone(), used: self.clock };
        if self.plans.insert(key.into(), kept).is_none() {
            self.words += key.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use smallvec::SmallVec;

    use super::*;

    fn empty() -> Arc<Schedule> {
        Arc::new(Schedule {
            leaves: Vec::new(),
            slots: Vec::new(),
            steps: Vec::new(),
            roots: SmallVec::new(),
            weighed: Vec::new(),
        })
    }

    #[test]
    fn the_plan_not_used_for_the_longest_time_goes_first() {
        let mut table = Table::default();
        for i in 0..PLANS as u64 {
            table.keep(&[i], &empty());
            table.clock += 1;
        }
        assert!(table.find(&[0]).is_some(), "there is room for all");
        table.keep(&[u64::MAX], &empty());
        assert!(table.find(&[0]).is_some(), "it was used just now");
        assert!(table.find(&[1]).is_none(), "it was the oldest");
        assert_eq!(table.plans.len(), PLANS, "the number of plans is bounded");
    }

    #[test]
    fn the_words_of_all_keys_are_bounded() {
        let mut table = Table::default();
        for i in 0..100 {
            table.keep(&vec![i; WORDS / 8], &empty());
            table.clock += 1;
            assert!(table.words <= WORDS, "{} words", table.words);
        }
        assert_eq!(table.words, table.plans.keys().map(|key| key.len()).sum::<usize>(), "the count is right");
    }
}
