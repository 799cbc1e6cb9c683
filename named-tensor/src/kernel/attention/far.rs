//! Masks that take positions away with a number: `-10⁹`, or the lowest there is, where others write -∞.
//!
//! Such a position has weight 0 if its score is so far below the largest one of its row that the exponential of the difference
//! is 0. So the rows of a stripe first see only what is not masked so low. If then a score beyond that could still weigh
//! something, be it that all scores are as low or that one beyond is NaN, the stripe is computed again with all positions.
//! A mask that stands instead of scores is all there is beyond. One that is added has a score in it, which is no larger than
//! the length of its query times that of its key.
//! Not here: what the rows see at first (`seen`), the exponentials (`weights`).

use super::seen::{Seen, Sight, firsts};
use super::stripe::{Stripe, dot};
use super::{Attention, Sizes, matrix};
use crate::kernel::math::Scalar;
use crate::kernel::simd::Lanes;

/// What is masked with this or less is not seen at first.
pub(super) const LOW: f64 = -1e4;

/// How much larger than a product of lengths a sum of products may come out by rounding.
const SLACK: f64 = 1.01;

/// Whether all that is beyond the sight of a row weighs nothing beside its largest score.
#[inline(always)]
pub(super) fn is_nothing<T: Lanes>(sight: &Sight, top: T) -> bool {
    let beyond = T::narrow(sight.beyond);
    beyond == T::LOWEST || beyond < top && (beyond - top).decay() == T::default()
}

/// Sums of squares, in whatever precision, from which no digits are missing that matter.
const SOUND: std::ops::Range<f64> = 1e-18..1e36;

/// How large the scores at a batch position can be.
pub(super) struct Reach {
    /// The length of the longest key. None if no score is beyond what rows see.
    longest: Option<f64>,
    /// What products are multiplied by and divided by.
    scale: [f64; 2],
    /// How many numbers a key has.
    keys: usize,
}

impl Reach {
    /// Of the batch position numbered `at`.
    pub(super) fn new<T: Lanes>(sizes: &Sizes<'_>, job: &Attention<'_, T>, seen: &Seen<'_>, at: usize) -> Reach {
        let (count, scale) = (sizes.keys, job.scale.map(|x| x.wide().abs()));
        if job.instead || !seen.is_far {
            return Reach { longest: None, scale, keys: count };
        }
        let keys = matrix(job.keys, sizes.batch, at);
        let [along, apart] = [keys.strides[0], keys.strides[1]];
        let first = |position| keys.offset.wrapping_add_signed(position as isize * apart);
        let squares = (0..sizes.positions).map(|position| square(keys.data, first(position), along, count));
        Reach { longest: Some(squares.fold(0.0, f64::larger).sqrt()), scale, keys: count }
    }

    /// Puts the scores to what is beyond the sights of a stripe.
    pub(super) fn beyond<T: Lanes>(&self, job: &Attention<'_, T>, stripe: &mut Stripe<'_>) {
        let Some(longest) = self.longest else { return };
        let along = job.queries.strides[job.queries.strides.len() - 1];
        let firsts = firsts(stripe.sizes, job.queries, stripe.rows.clone());
        let far = |(sight, _): &(&mut Sight, usize)| sight.beyond > f64::NEG_INFINITY;
        for (sight, first) in stripe.sights.iter_mut().zip(firsts).filter(far) {
            let most = SLACK * longest * square(job.queries.data, first, along, self.keys).sqrt();
            // What may overflow on the way to scores is infinite.
            let stored = |x: f64| T::narrow(x).wide();
            sight.beyond += stored(stored(stored(most) * self.scale[0]) / self.scale[1]);
        }
    }
}

/// The sum of the squares of some numbers.
fn square<T: Lanes>(numbers: &[T], first: usize, step: isize, count: usize) -> f64 {
    if step == 1 {
        let numbers = &numbers[first..][..count];
        let sum = dot(numbers, numbers).wide();
        if SOUND.contains(&sum) {
            return sum;
        }
    }
    let number = |i: usize| numbers[first.wrapping_add_signed(i as isize * step)].wide();
    (0..count).map(|i| number(i) * number(i)).sum()
}

#[cfg(test)]
mod tests;
