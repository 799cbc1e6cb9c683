//! What attention owes backwards: the gradients of queries, keys and values.
//!
//! With the weights  `P = softmax(s Q Kᵀ + mask)`  and the cotangent `G` of the results  `O = P V`,
//! computes  `dV = Pᵀ G`,  `dS = s P * (G Vᵀ - Σ P * G Vᵀ)`,  `dQ = dS K`  and  `dK = dSᵀ Q`.
//! Weights are computed again from queries and keys, stripe by stripe, so neither they nor anything as large is ever in
//! memory. The stripes of a batch position are cut into parts by sizes alone; each part sums its share of `dK` and `dV`,
//! and these are added in order, so that results do not depend on the number of threads.
//! Not here: the weights (`stripe`).

use super::far::{LOW, Reach};
use super::seen::{Seen, firsts};
use super::stripe::{BLOCK, Stripe, dot};
use super::sums::Sums;
use super::{Attention, SMALL, Sizes, each_with, matrix, put};
use crate::element::Buffer;
use crate::kernel::View;
use crate::kernel::lanes::vectorised;
use crate::kernel::panels::{Panels, WIDTH, panels, width};
use crate::kernel::parallel::{self, Shared};
use crate::kernel::pool;
use crate::kernel::simd::Lanes;
use crate::kernel::span::{Odometer, check_distinct, check_inside};
use crate::kernel::tiles::{Left, ROWS, accumulate};
use std::ops::Range;

/// Numbers in a stripe: weights and their cotangents take half of a usual second-level cache in `f32`.
const STRIPE: usize = 64 * 1024;

/// Rows of a stripe: few, so that both stay near, and enough for the sums over them.
const HEIGHT: [usize; 2] = [32, 96];

/// Pieces of work, if there are so many stripes, for the threads to share.
const PIECES: usize = 16;

/// Where a result goes: an offset and strides, in one buffer for all results.
pub(crate) type To<'a> = Option<(usize, &'a [isize])>;

/// Writes the gradients that have a place in `dst`: of the queries (over the batch, rows and keys), the keys (over the batch,
/// keys and positions) and the values (over the batch, positions and columns), given that of the results, `owed`
/// (over the batch, rows and columns).
///
/// # Panics
/// If a view leaves its slice, or if positions of one result overlap.
pub(crate) fn gradient<T: Lanes>(
    sizes: Sizes<'_>,
    job: &Attention<'_, T>,
    owed: View<'_, T>,
    dst: &mut [T],
    to: [To<'_>; 3],
) {
    let Sizes { keys, positions, columns, .. } = sizes;
    let job = &job.in_one_factor();
    sizes.check(job);
    let (by_row, outer) = (sizes.with_rows(&[columns]), sizes.with_rows(&[]));
    check_inside("attention gradient: cotangent", owed.data.len(), owed.offset, &by_row, owed.strides);
    let spaces = [sizes.with_rows(&[keys]), sizes.with(&[keys, positions]), sizes.with(&[positions, columns])];
    for (space, to) in spaces.iter().zip(to) {
        if let Some((offset, strides)) = to {
            check_inside("attention gradient: destination", dst.len(), offset, space, strides);
            check_distinct("attention gradient", space, strides);
        }
    }
    let (batches, rows) = (sizes.batches(), sizes.height());
    if [batches, rows, keys, positions, columns].contains(&0) {
        return dst.fill(T::default());
    }
    let seen = Seen::new(&outer, positions, job.mask, T::narrow(LOW));
    let height = (STRIPE / positions).clamp(HEIGHT[0], HEIGHT[1]).min(rows).next_multiple_of(ROWS);
    let stripes = rows.div_ceil(height);
    let part = stripes.div_ceil(PIECES.div_ceil(batches).min(stripes)) * height;
    let parts = rows.div_ceil(part);
    // What each part says of keys and values: panels of sums, one after the other.
    let tall = positions.next_multiple_of(WIDTH);
    let [of_keys, of_values] = [keys, columns].map(|columns| Panels::room(tall, columns));
    let mut sums = pool::take(T::KIND, batches * parts * (of_keys + of_values));
    let (shared, summed) = (Shared::new(dst), Shared::new(T::of_mut(&mut sums)));
    let grain = SMALL.div_ceil((rows * positions * (keys + columns)).div_ceil(parts));
    parallel::for_each_range(batches * parts, grain, |range| {
        let mut packed = Packed::new::<T>(&sizes, height);
        for item in range {
            let (at, top) = (item / parts, item % parts * part);
            packed.pack(&sizes, job, at, to);
            let reach = Reach::new(&sizes, job, &seen, at);
            // SAFETY: these are the sums of this item, which is visited once.
            let sums = unsafe { summed.slice(item * (of_keys + of_values), of_keys + of_values) };
            sums.fill(T::default());
            let (of_keys, of_values) = sums.split_at_mut(of_keys);
            for top in (top..rows.min(top + part)).step_by(height) {
                let rows = at * rows + top..at * rows + rows.min(top + height);
                let mut stripe = Stripe { sizes: &outer, sights: seen.rows(rows.clone()), rows, positions };
                reach.beyond(job, &mut stripe);
                packed.stripe(job, owed, &mut stripe, to, [&mut *of_keys, &mut *of_values]);
                if let Some((offset, strides)) = to[0] {
                    // SAFETY: the place of these gradients was checked to hold all rows, whose positions do not overlap; each
                    // row of each batch position is in one stripe, which is visited once.
                    unsafe { packed.write_queries(&stripe, View { data: &[], offset, strides }, &shared) };
                }
            }
        }
        packed.give();
    });
    let sums_of = T::of(&sums);
    for (which, size) in [(1, keys), (2, columns)] {
        let Some((offset, strides)) = to[which] else { continue };
        let (outer, last) = strides.split_at(sizes.batch.len());
        // Positions and then the other axis, whichever of them comes first in the view.
        let [down, across] = if which == 1 { [last[1], last[0]] } else { [last[0], last[1]] };
        let skipped = if which == 1 { 0 } else { of_keys };
        parallel::for_each_range(batches, parallel::GRAIN.div_ceil(positions * size), |range| {
            let mut line = [T::default(); WIDTH];
            for at in range {
                let first = offset.wrapping_add_signed(Odometer::new(sizes.batch, outer, at).distance);
                let of_part = |part: usize| &sums_of[(at * parts + part) * (of_keys + of_values) + skipped..];
                for_each_row(size, positions, tall, |position, column, place| {
                    let line = &mut line[..place.len()];
                    line.copy_from_slice(&of_part(0)[place.clone()]);
                    for part in 1..parts {
                        line.iter_mut().zip(&of_part(part)[place.clone()]).for_each(|(sum, &x)| *sum = *sum + x);
                    }
                    let first = first
                        .wrapping_add_signed(position as isize * down)
                        .wrapping_add_signed(column as isize * across);
                    put(line, &shared, first, across);
                });
            }
        });
    }
    pool::give(sums);
}

/// Visits the rows of panels of sums: the position, the first column, and where the row lies among the sums.
fn for_each_row(columns: usize, positions: usize, tall: usize, mut visit: impl FnMut(usize, usize, Range<usize>)) {
    for (panel, columns) in panels(columns) {
        let width = width(columns.len());
        for position in 0..positions {
            let first = panel * WIDTH * tall + position * width;
            visit(position, columns.start, first..first + columns.len());
        }
    }
}

/// What is packed once for a batch position, and room for a stripe.
struct Packed {
    /// Keys and values as columns, to be multiplied with rows of queries and cotangents.
    keys: Panels,
    values: Panels,
    /// Keys as rows, to be summed.
    key_rows: Panels,
    queries: Panels,
    owed: Panels,
    weights: Buffer,
    slopes: Buffer,
    results: Panels,
}

impl Packed {
    fn new<T: Lanes>(sizes: &Sizes<'_>, height: usize) -> Packed {
        let Sizes { keys, positions, columns, .. } = *sizes;
        let stripe = || pool::take(T::KIND, height * Stripe::step(positions));
        Packed {
            keys: Panels::new::<T>(keys, positions),
            values: Panels::new::<T>(columns, positions),
            key_rows: Panels::new::<T>(positions, keys),
            queries: Panels::new::<T>(height, keys),
            owed: Panels::new::<T>(height, columns),
            weights: stripe(),
            slopes: stripe(),
            results: Panels::new::<T>(height, keys),
        }
    }

    fn give(self) {
        let Packed { keys, values, key_rows, queries, owed, weights, slopes, results } = self;
        [keys, values, key_rows, queries, owed, results].into_iter().for_each(Panels::give);
        [weights, slopes].into_iter().for_each(pool::give);
    }

    /// Packs the keys and values at the batch position numbered `at`, as the wanted results need them.
    fn pack<T: Lanes>(&mut self, sizes: &Sizes<'_>, job: &Attention<'_, T>, at: usize, to: [To<'_>; 3]) {
        let keys = matrix(job.keys, sizes.batch, at);
        self.keys.pack_matrix(keys);
        if to[0].is_some() {
            self.key_rows.pack_matrix(View { strides: &turned(keys.strides), ..keys });
        }
        if to[0].is_some() || to[1].is_some() {
            let values = matrix(job.values, sizes.batch, at);
            self.values.pack_matrix(View { strides: &turned(values.strides), ..values });
        }
    }

    /// Adds what the rows of a stripe say of keys and values, and leaves the cotangents of their scores in `slopes`.
    fn stripe<T: Lanes>(
        &mut self,
        job: &Attention<'_, T>,
        owed: View<'_, T>,
        stripe: &mut Stripe<'_>,
        to: [To<'_>; 3],
        [of_keys, of_values]: [&mut [T]; 2],
    ) {
        let step = Stripe::step(stripe.positions);
        let (weights, slopes) = (T::of_mut(&mut self.weights), T::of_mut(&mut self.slopes));
        self.queries.pack_rows(&firsts(stripe.sizes, job.queries, stripe.rows.clone()), job.queries);
        self.owed.pack_rows(&firsts(stripe.sizes, owed, stripe.rows.clone()), owed);
        let inverses = loop {
            stripe.products(job.scale[0], &self.queries, &self.keys, weights);
            match stripe.weights(job, weights) {
                Some(inverses) => break inverses,
                None => stripe.see_everything(),
            }
        };
        let all = stripe.positions();
        let sloped = to[0].is_some() || to[1].is_some();
        if sloped {
            stripe.products(T::narrow(1.0), &self.owed, &self.values, slopes);
        }
        let masks = job
            .mask
            .filter(|_| sloped && job.instead)
            .map(|mask| (mask, firsts(stripe.sizes, mask, stripe.rows.clone())));
        for (i, (&inverse, sight)) in inverses.iter().zip(&stripe.sights).enumerate() {
            let row = |part: Range<usize>| i * step + part.start..i * step + part.end;
            let weights = &mut weights[row(sight.start..sight.end)];
            scale(weights, inverse);
            if sloped {
                slopes[row(all.start..sight.start)].fill(T::default());
                slopes[row(sight.end..all.end)].fill(T::default());
                let slopes = &mut slopes[row(sight.start..sight.end)];
                slope(job.scale, weights, slopes);
                if let (Some((mask, firsts)), true) = (&masks, sight.masked) {
                    // What stands instead of a score owes it nothing.
                    let step = mask.strides[mask.strides.len() - 1];
                    let first = firsts[i].wrapping_add_signed(sight.start as isize * step);
                    each_with(
                        slopes,
                        mask.data,
                        first,
                        step,
                        #[inline(always)]
                        |slope, mask| if mask == T::default() { slope } else { T::default() },
                    );
                }
            }
        }
        if to[2].is_some() {
            sum_columns(stripe, weights, &self.owed, of_values);
        }
        if to[1].is_some() {
            sum_columns(stripe, slopes, &self.queries, of_keys);
        }
    }

    /// Writes the gradients of the queries of a stripe.
    ///
    /// # Safety
    /// The rows that `to` names lie inside `dst`, and nothing else touches them.
    unsafe fn write_queries<T: Lanes>(&mut self, stripe: &Stripe<'_>, to: View<'_, T>, dst: &Shared<'_, T>) {
        let ones = vec![T::narrow(1.0); stripe.sights.len()];
        let sums = Sums { stripe, numbers: T::of(&self.slopes), right: &self.key_rows, factors: &ones };
        // SAFETY: the contract of this function.
        unsafe { sums.write(to, dst, &mut self.results) };
    }
}

/// The strides of a matrix that is turned around.
fn turned(strides: &[isize]) -> [isize; 2] {
    [strides[1], strides[0]]
}

/// Adds the products of each column of a stripe's numbers with the rows of `right`, to sums in panels.
fn sum_columns<T: Lanes>(stripe: &Stripe<'_>, numbers: &[T], right: &Panels, sums: &mut [T]) {
    let (step, tall) = (Stripe::step(stripe.positions), stripe.positions.next_multiple_of(WIDTH));
    for (_, positions, rows) in stripe.panels() {
        let left = Left { numbers: &numbers[rows.start * step + positions.start..], row: 1, along: step };
        // Rows that only fill a tile up are not summed.
        let rows = rows.start..rows.end.min(stripe.sights.len());
        for (panel, _) in panels(right.columns()) {
            let right = right.panel(panel).rows(rows.clone());
            let to = &mut sums[panel * WIDTH * tall + positions.start * right.width..];
            let height = positions.len().next_multiple_of(ROWS);
            accumulate(T::narrow(1.0), height, left, right, to, right.width);
        }
    }
}

/// `factor` times each number.
fn scale<T: Lanes>(numbers: &mut [T], factor: T) {
    vectorised(
        #[inline(always)]
        move || numbers.iter_mut().for_each(|x| *x = *x * factor),
    );
}

/// `s p * (g - Σ p * g)` in the place of `g`, with the weights `p` of a row and the cotangents `g` of these.
fn slope<T: Lanes>(scale: [T; 2], weights: &[T], slopes: &mut [T]) {
    let mean: f64 = weights.chunks(BLOCK).zip(slopes.chunks(BLOCK)).map(|(p, g)| dot(p, g).wide()).sum();
    let (mean, [factor, divisor]) = (T::narrow(mean), scale);
    let numbers = &mut *slopes;
    vectorised(
        #[inline(always)]
        move || numbers.iter_mut().zip(weights).for_each(|(g, &p)| *g = p * (*g - mean) * factor),
    );
    if divisor != T::narrow(1.0) {
        slopes.iter_mut().for_each(|x| *x = *x / divisor);
    }
}

#[cfg(test)]
mod tests;
