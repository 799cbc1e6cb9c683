//! Attention: scores, softmax and values, stripe by stripe, so that the scores are never all in memory.
//!
//! Computes  `dst[b, i, v] = Σⱼ softmaxⱼ(s Σₖ queries[b, i, k] keys[b, j, k] + mask[b, i, j]) values[b, j, v]`.
//! A stripe is some rows of one batch position; its scores stay in the cache from the first product to the second, and keys
//! and values are packed once for all stripes of a batch position. Positions that no row of a tile may see are not
//! computed: half of the work under a causal mask, more under a window, be its number -∞ or one that is low enough. Errors
//! and special values are those of `matmul` and `softmax` one after the other, except that scores which the mask takes away
//! are not looked at, be they NaN; whether a NaN among the values at such a position is met depends on the tile. A sum of
//! values is divided by that of the weights at the end, so values nearer to the largest number than there are positions may
//! give infinity.
//! Not here: few rows (`few`), what the results owe backwards (`gradient`).

mod far;
mod few;
pub(crate) mod gradient;
mod in_rows;
mod parts;
mod seen;
mod stripe;
mod sums;
#[cfg(test)]
mod tests;
mod weights;

use super::lanes::vectorised;
use super::panels::Panels;
use super::parallel::{self, Shared};
use super::pool;
use super::simd::Lanes;
use super::span::{Odometer, check_distinct, check_inside};
use super::tiles::{Left, ROWS};
use super::{View, ViewMut};
use crate::element::Buffer;
use far::{LOW, Reach};
use few::{FewRows, are_few};
use parts::InParts;
use seen::{Seen, firsts};
use stripe::Stripe;
use sums::Sums;

/// Scores in a stripe: half of a usual second-level cache in `f32`.
const STRIPE: usize = 128 * 1024;

/// Rows of a stripe: few, so that all of it stays near, and enough to use what is fetched for it.
const HEIGHT: [usize; 2] = [32, 64];

/// Multiplications below which threads cost more than they bring.
const SMALL: usize = 128 * 1024;

/// Between this number and one over it, a factor and a divisor are one factor.
const FAR: f64 = 1e30;

/// What attention reads, and how the scores are scaled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attention<'a, T> {
    /// Scores are multiplied by the first and divided by the second.
    pub(crate) scale: [T; 2],
    /// Over the batch, rows and keys.
    pub(crate) queries: View<'a, T>,
    /// Over the batch, keys and positions.
    pub(crate) keys: View<'a, T>,
    /// Over the batch, positions and columns.
    pub(crate) values: View<'a, T>,
    /// Over the batch, rows and positions.
    pub(crate) mask: Option<View<'a, T>>,
    /// Whether what the mask says, where that is not 0, stands instead of the score. It is added else.
    pub(crate) instead: bool,
}

impl<T: Lanes> Attention<'_, T> {
    /// The same with a factor in the divisor's place, unless it would overflow or lose digits: one pass less over the scores.
    fn in_one_factor(self) -> Self {
        let factor = self.scale[0].wide() / self.scale[1].wide();
        if !(1.0 / FAR..FAR).contains(&factor.abs()) {
            return self;
        }
        Attention { scale: [factor, 1.0].map(T::narrow), ..self }
    }

    /// The queries of a stripe as they lie, if they are rows that a product can read.
    fn rows_as_they_lie(&self, stripe: &Stripe<'_>, sizes: &Sizes<'_>) -> Option<Left<'_, T>> {
        let &[row, 1] = self.queries.strides.get(sizes.batch.len()..)? else { return None };
        let row = usize::try_from(row).ok().filter(|_| sizes.keys > 0 && stripe.rows.len().is_multiple_of(ROWS))?;
        let first = *firsts(stripe.sizes, self.queries, stripe.rows.start..stripe.rows.start + 1).first()?;
        Some(Left { numbers: &self.queries.data[first..], row, along: 1 })
    }
}

/// The sizes of attention.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes<'a> {
    /// The axes that are looped over.
    pub(crate) batch: &'a [usize],
    /// The axes of the rows.
    pub(crate) rows: &'a [usize],
    pub(crate) keys: usize,
    pub(crate) positions: usize,
    pub(crate) columns: usize,
}

impl Sizes<'_> {
    /// The batch and what comes behind it.
    fn with(&self, last: &[usize]) -> Vec<usize> {
        [self.batch, last].concat()
    }

    /// The batch, the rows and what comes behind them.
    fn with_rows(&self, last: &[usize]) -> Vec<usize> {
        [self.batch, self.rows, last].concat()
    }

    fn batches(&self) -> usize {
        self.batch.iter().product()
    }

    fn height(&self) -> usize {
        self.rows.iter().product()
    }

    fn check<T: Lanes>(&self, job: &Attention<'_, T>) {
        let check = |what, view: View<'_, T>, sizes: &[usize]| {
            check_inside(what, view.data.len(), view.offset, sizes, view.strides);
        };
        check("attention: queries", job.queries, &self.with_rows(&[self.keys]));
        check("attention: keys", job.keys, &self.with(&[self.keys, self.positions]));
        check("attention: values", job.values, &self.with(&[self.positions, self.columns]));
        if let Some(mask) = &job.mask {
            check_inside(
                "attention: mask",
                mask.data.len(),
                mask.offset,
                &self.with_rows(&[self.positions]),
                mask.strides,
            );
        }
    }
}

/// Attention, to a view over the batch, rows and columns.
///
/// # Panics
/// If a view leaves its slice, or if positions of the destination overlap.
pub(crate) fn attention<T: Lanes>(sizes: Sizes<'_>, job: &Attention<'_, T>, dst: ViewMut<'_, T>) {
    let Sizes { keys, positions, columns, .. } = sizes;
    let job = &job.in_one_factor();
    sizes.check(job);
    let out = sizes.with_rows(&[columns]);
    check_inside("attention: destination", dst.data.len(), dst.offset, &out, dst.strides);
    check_distinct("attention", &out, dst.strides);
    if out.contains(&0) {
        return;
    }
    let (batches, rows, outer) = (sizes.batches(), sizes.height(), sizes.with_rows(&[]));
    let few = are_few(&sizes);
    let seen = Seen::new(&outer, positions, job.mask, if few { T::LOWEST } else { T::narrow(LOW) });
    let shared = Shared::new(dst.data);
    let to = View { data: &[], offset: dst.offset, strides: dst.strides };
    let work = rows * positions * (keys + columns);
    if few {
        let few = FewRows { sizes, job, seen: &seen, outer: &outer };
        if let Some(parts) = InParts::of(&few) {
            return parts.results(&shared, to);
        }
        let grain = few.at_once().max(SMALL.div_ceil(work.max(1)));
        return parallel::for_each_range(batches, grain, |range| few.results(range, &shared, to));
    }
    let height = (STRIPE / positions.max(1)).clamp(HEIGHT[0], HEIGHT[1]).min(rows).next_multiple_of(ROWS);
    // Fewer batch positions than threads are cut into parts, each of which packs keys and values for itself.
    let stripes = rows.div_ceil(height);
    let parts = (2 * parallel::threads()).div_ceil(batches).min(stripes);
    let part = stripes.div_ceil(parts) * height;
    let parts = rows.div_ceil(part);
    parallel::for_each_range(batches * parts, SMALL.div_ceil(work.div_ceil(parts).max(1)), |range| {
        let mut packed = Packed::new::<T>(&sizes, height);
        for item in range {
            let (at, top) = (item / parts, item % parts * part);
            packed.pack(&sizes, job, at);
            let reach = Reach::new(&sizes, job, &seen, at);
            for top in (top..rows.min(top + part)).step_by(height) {
                let rows = at * rows + top..at * rows + rows.min(top + height);
                let mut stripe = Stripe { sizes: &outer, sights: seen.rows(rows.clone()), rows, positions };
                reach.beyond(job, &mut stripe);
                let inverses = packed.weights(&sizes, job, &mut stripe);
                let Packed { scores, values, results, .. } = &mut packed;
                let sums = Sums { stripe: &stripe, numbers: T::of(scores), right: values, factors: &inverses };
                // SAFETY: the destination was checked to hold all rows, whose positions do not overlap; each row of each
                // batch position is in one stripe, which is visited once.
                unsafe { sums.write(to, &shared, results) };
            }
        }
        packed.give();
    });
}

/// The keys and values of one batch position in panels, and room for what is made of them.
struct Packed {
    keys: Panels,
    values: Panels,
    queries: Panels,
    scores: Buffer,
    results: Panels,
}

impl Packed {
    fn new<T: Lanes>(sizes: &Sizes<'_>, height: usize) -> Packed {
        let Sizes { keys, positions, columns, .. } = *sizes;
        Packed {
            keys: Panels::new::<T>(keys, positions),
            values: Panels::new::<T>(positions, columns),
            queries: Panels::new::<T>(height, keys),
            scores: pool::take(T::KIND, height * Stripe::step(positions)),
            results: Panels::new::<T>(height, columns),
        }
    }

    fn give(self) {
        [self.keys, self.values, self.queries, self.results].into_iter().for_each(Panels::give);
        pool::give(self.scores);
    }

    /// Packs the keys and values at the batch position numbered `at`.
    fn pack<T: Lanes>(&mut self, sizes: &Sizes<'_>, job: &Attention<'_, T>, at: usize) {
        self.keys.pack_matrix(matrix(job.keys, sizes.batch, at));
        self.values.pack_matrix(matrix(job.values, sizes.batch, at));
    }

    /// The weights of a stripe, and one over the sum of each row: results are multiplied with it, since there are fewer
    /// columns than positions.
    fn weights<T: Lanes>(&mut self, sizes: &Sizes<'_>, job: &Attention<'_, T>, stripe: &mut Stripe<'_>) -> Vec<T> {
        let scores = T::of_mut(&mut self.scores);
        loop {
            if let Some(rows) = job.rows_as_they_lie(stripe, sizes) {
                stripe.products_as_they_lie(job.scale[0], rows, &self.keys, scores);
            } else {
                self.queries.pack_rows(&firsts(stripe.sizes, job.queries, stripe.rows.clone()), job.queries);
                stripe.products(job.scale[0], &self.queries, &self.keys, scores);
            }
            match stripe.weights(job, scores) {
                Some(inverses) => return inverses,
                None => stripe.see_everything(),
            }
        }
    }
}

/// The matrix at the batch position numbered `at`.
fn matrix<'a, T>(view: View<'a, T>, batch: &[usize], at: usize) -> View<'a, T> {
    let (outer, strides) = view.strides.split_at(batch.len());
    let distance = Odometer::new(batch, outer, at).distance;
    View { data: view.data, offset: view.offset.wrapping_add_signed(distance), strides }
}

/// Puts a part of the mask to scores: adds it, or has it stand instead of them where it is not 0.
fn put_mask<T: Lanes>(scores: &mut [T], mask: &[T], first: usize, stride: isize, instead: bool) {
    if instead {
        each_with(
            scores,
            mask,
            first,
            stride,
            #[inline(always)]
            |score, mask| if mask == T::default() { score } else { mask },
        );
    } else {
        each_with(
            scores,
            mask,
            first,
            stride,
            #[inline(always)]
            |score, mask| score + mask,
        );
    }
}

/// A function of each score and the part of the mask for it.
#[inline(always)]
fn each_with<T: Lanes>(scores: &mut [T], mask: &[T], first: usize, stride: isize, of: impl Fn(T, T) -> T) {
    if stride == 1 {
        let mask = &mask[first..][..scores.len()];
        vectorised(
            #[inline(always)]
            move || scores.iter_mut().zip(mask).for_each(|(score, &mask)| *score = of(*score, mask)),
        );
    } else {
        for (i, score) in scores.iter_mut().enumerate() {
            *score = of(*score, mask[first.wrapping_add_signed(i as isize * stride)]);
        }
    }
}

/// Writes a part of a row of the results. The part is this caller's alone.
fn put<T: Lanes>(part: &[T], dst: &Shared<'_, T>, first: usize, stride: isize) {
    if stride == 1 {
        // SAFETY: no positions of the destination overlap, and each row of each batch position is written once.
        unsafe { dst.slice(first, part.len()) }.copy_from_slice(part);
    } else {
        for (i, &x) in part.iter().enumerate() {
            // SAFETY: as above; this is one element of the row.
            let place = unsafe { dst.slice(first.wrapping_add_signed(i as isize * stride), 1) };
            place[0] = x;
        }
    }
}
