//! Batches: which examples a step learns from.
//!
//! The examples are read round after round, each round in an order of its own, without a gap between rounds. The batch of
//! a step follows from the seed and the number of the step, so nothing has to be stored to go on with a run.

use named_tensor::random::seeded;
use rand::Rng;

/// Batches of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batches {
    /// How many examples there are.
    pub examples: usize,
    /// How many of them make a batch.
    pub size: usize,
    /// What the orders depend on.
    pub seed: u64,
}

/// The seed of a numbered part of a run, such as a round or the noise of a step.
#[must_use]
pub fn seed_of(seed: u64, number: u64) -> u64 {
    // The odd number nearest to 2⁶⁴ over the golden ratio keeps neighbours apart.
    seed.wrapping_add(number.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

impl Batches {
    /// The examples of a step, counted from 1. None if there are no examples.
    ///
    /// ```
    /// use transformer::train::batches::Batches;
    ///
    /// let batches = Batches { examples: 6, size: 2, seed: 0 };
    /// let mut round = [batches.at(1), batches.at(2), batches.at(3)].concat();
    /// round.sort();
    /// assert_eq!(round, [0, 1, 2, 3, 4, 5]);
    /// ```
    #[must_use]
    pub fn at(&self, step: u64) -> Vec<usize> {
        let (examples, size) = (self.examples as u64, self.size as u64);
        if examples == 0 {
            return Vec::new();
        }
        let first = step.saturating_sub(1) * size;
        let rounds = first / examples..=(first + size.max(1) - 1) / examples;
        let orders: Vec<usize> = rounds.clone().flat_map(|round| self.order(round)).collect();
        let start = (first - rounds.start() * examples) as usize;
        orders[start..start + self.size].to_vec()
    }

    /// The order of a round: each example once (Fisher and Yates, 1938).
    fn order(&self, round: u64) -> Vec<usize> {
        let mut rng = seeded(seed_of(self.seed, round));
        let mut order: Vec<usize> = (0..self.examples).collect();
        (1..self.examples).rev().for_each(|last| {
            // The upper half of a product of 128 bits: as fair as 64 bits can be.
            let other = (u128::from(rng.next_u64()) * (last as u128 + 1)) >> 64;
            order.swap(last, other as usize);
        });
        order
    }
}
