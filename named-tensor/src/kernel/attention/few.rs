//! Attention of a few rows at each batch position: keys and values are read once, where they lie.
//!
//! The next word of a text sees all those before it, by a row of each head: the work is to read keys and values, and takes
//! as long as memory needs to give them. What one head has of a position is too short to come fast, but heads are
//! neighbours as a rule. So batch positions that follow each other are taken together, as `in_rows` reads them. Operands
//! that lie otherwise or are small, and more than one or two rows, are multiplied as `matmul` does it.
//! What is taken together does not enter into the numbers: those of a batch position are a matter of that one alone.
//! Not here: the loops over keys and values (`in_rows`), many rows (`stripe`).

use super::in_rows::{InRows, at_once};
use super::seen::{Seen, firsts};
use super::{Attention, STRIPE, Sizes, add, matrix, put};
use crate::kernel::few::scaled;
use crate::kernel::matmul::serial;
use crate::kernel::parallel::{Shared, threads};
use crate::kernel::pool;
use crate::kernel::simd::Lanes;
use crate::kernel::softmax::softmax_row;
use crate::kernel::{View, ViewMut};
use std::ops::Range;

/// Rows that are few, and the scores of a batch position that are so.
const FEW: usize = 8;
const SMALL_SCORES: usize = 1024;
/// Rows at most, elements of a position at least, and elements of keys or values at least, for which these are read where
/// they lie: more rows, or what a near cache holds, are multiplied faster as matrices.
const LOW: usize = 2;
const LONG: usize = 32;
const LARGE: usize = if cfg!(test) { 1 << 10 } else { 1 << 17 };
/// Positions that are summed one after the other: more are summed in parts, so that their sum keeps its digits.
const PART: usize = 1024;

/// Attention of a few rows.
pub(super) struct FewRows<'a, T> {
    pub(super) sizes: Sizes<'a>,
    pub(super) job: &'a Attention<'a, T>,
    pub(super) seen: &'a Seen<'a>,
    /// The sizes of the batch and of the rows.
    pub(super) outer: &'a [usize],
}

/// One batch position, which positions its rows see, and where its scores begin.
struct Place {
    at: usize,
    first: usize,
    positions: usize,
    scores: usize,
}

/// Whether there are so few rows.
pub(super) fn are_few(sizes: &Sizes<'_>) -> bool {
    (sizes.height() <= FEW || sizes.height() * sizes.positions <= SMALL_SCORES) && sizes.rows.len() < 2
}

impl<T: Lanes> FewRows<'_, T> {
    /// How many batch positions are best taken together.
    pub(super) fn at_once(&self) -> usize {
        let Sizes { keys, columns, positions, .. } = self.sizes;
        let (batches, scores) = (self.sizes.batches(), self.sizes.height() * positions);
        let most = at_once(keys.max(columns)).min(STRIPE / scores.max(1)).max(1);
        batches.div_ceil(batches.div_ceil(most).next_multiple_of(threads()))
    }

    /// The results at some batch positions, to a view over the batch, rows and columns.
    pub(super) fn results(&self, batch: Range<usize>, dst: &Shared<'_, T>, to: View<'_, T>) {
        let (rows, columns) = (self.sizes.height(), self.sizes.columns);
        let places = self.places(batch);
        let total = places.iter().map(|place| rows * place.positions).sum::<usize>();
        let mut scratch = pool::take(T::KIND, total + self.sizes.positions + places.len() * rows * columns);
        let (scores, rest) = T::of_mut(&mut scratch).split_at_mut(total);
        let (row, results) = rest.split_at_mut(self.sizes.positions);
        self.scores(&places, scores);
        for place in &places {
            self.weights(place, &mut scores[place.scores..][..rows * place.positions], row);
        }
        self.sums(&places, scores, results);
        for (place, results) in places.iter().zip(results.chunks(rows * columns)) {
            let firsts = firsts(self.outer, to, self.rows(place));
            for (row, first) in results.chunks(columns).zip(firsts) {
                put(row, T::narrow(1.0), dst, first, to.strides[to.strides.len() - 1]);
            }
        }
        pool::give(scratch);
    }

    /// The rows at a batch position, counted through all.
    fn rows(&self, place: &Place) -> Range<usize> {
        let rows = self.sizes.height();
        place.at * rows..(place.at + 1) * rows
    }

    /// What the rows at some batch positions see.
    fn places(&self, batch: Range<usize>) -> Vec<Place> {
        let (rows, mut scores) = (self.sizes.height(), 0);
        let place = |at| {
            let sights = self.seen.rows(at * rows..(at + 1) * rows);
            let first = sights.iter().map(|sight| sight.start).min().unwrap_or(0);
            let positions = sights.iter().map(|sight| sight.end).max().unwrap_or(0) - first;
            scores += rows * positions;
            Place { at, first, positions, scores: scores - rows * positions }
        };
        batch.map(place).collect()
    }

    /// Where a matrix begins at a batch position: with the first position that is seen, each next one `apart` further.
    fn start(&self, place: &Place, view: View<'_, T>, apart: isize) -> usize {
        let first = matrix(view, self.sizes.batch, place.at).offset;
        first.wrapping_add_signed(place.first as isize * apart)
    }

    /// The matrices of a view whose positions are `apart` and their elements `step`, if they can be read where they lie.
    fn in_rows<'v>(
        &self,
        places: &[Place],
        view: View<'v, T>,
        [apart, step]: [isize; 2],
        size: usize,
    ) -> Option<InRows<'v, T>> {
        let elements = self.sizes.batches().saturating_mul(self.sizes.positions).saturating_mul(size);
        let is_worth_it = self.sizes.height() <= LOW && size >= LONG && elements >= LARGE;
        let rows = usize::try_from(apart).ok().filter(|_| step == 1 && is_worth_it)?;
        let start = |place: &Place| (self.start(place, view, apart), place.positions);
        Some(InRows { data: view.data, matrices: places.iter().map(start).collect(), apart: rows, size })
    }

    /// The queries at a batch position.
    fn queries<R>(&self, place: &Place, work: impl FnOnce(View<'_, T>) -> R) -> R {
        let axes = &self.job.queries.strides[self.sizes.batch.len()..];
        let strides = if let [row, along] = *axes { [row, along] } else { [0, axes[0]] };
        work(View { strides: &strides, ..matrix(self.job.queries, self.sizes.batch, place.at) })
    }

    /// The scores of all rows at each batch position, without what is added to them.
    fn scores(&self, places: &[Place], scores: &mut [T]) {
        let (rows, keys, scale) = (self.sizes.height(), self.sizes.keys, self.job.scale[0]);
        let [along, apart] = last_two(self.job.keys);
        let Some(all) = self.in_rows(places, self.job.keys, [apart, along], keys) else {
            for place in places {
                let offset = self.start(place, self.job.keys, apart);
                let seen = View { offset, strides: &[along, apart], ..self.job.keys };
                let strides = [place.positions as isize, 1];
                let into = ViewMut { data: &mut scores[place.range(rows)], offset: 0, strides: &strides };
                self.queries(place, |queries| serial(scale, [rows, keys, place.positions], queries, seen, into));
            }
            return;
        };
        let queries = |place| self.queries(place, |queries| scaled(scale, [rows, keys], queries));
        let queries: Vec<Vec<T>> = places.iter().map(queries).collect();
        all.block_by_block(|i, block| {
            let out = &mut scores[places[i].range(rows)][block.first..];
            block.dots(&queries[i], out, places[i].positions);
        });
    }

    /// The weights in place of the scores at a batch position. The row is room for one.
    fn weights(&self, place: &Place, scores: &mut [T], row: &mut [T]) {
        let (divisor, row) = (self.job.scale[1], &mut row[..place.positions]);
        if divisor != T::narrow(1.0) {
            scores.iter_mut().for_each(|score| *score = *score / divisor);
        }
        let masked = self.job.mask.map(|mask| (mask, firsts(self.outer, mask, self.rows(place))));
        for (i, scores) in scores.chunks_exact_mut(place.positions.max(1)).enumerate() {
            if let Some((mask, firsts)) = &masked {
                let step = mask.strides[mask.strides.len() - 1];
                add(scores, mask.data, firsts[i].wrapping_add_signed(place.first as isize * step), step);
            }
            row.copy_from_slice(scores);
            softmax_row(row, scores);
        }
    }

    /// The values times their weights, summed, for all rows at each batch position.
    fn sums(&self, places: &[Place], weights: &[T], results: &mut [T]) {
        let (rows, columns) = (self.sizes.height(), self.sizes.columns);
        let [apart, along] = last_two(self.job.values);
        let Some(all) = self.in_rows(places, self.job.values, [apart, along], columns) else {
            for (place, results) in places.iter().zip(results.chunks_exact_mut(rows * columns)) {
                let strides = [place.positions as isize, 1];
                let weights = View { data: &weights[place.range(rows)], offset: 0, strides: &strides };
                let offset = self.start(place, self.job.values, apart);
                let seen = View { offset, strides: &[apart, along], ..self.job.values };
                let into = ViewMut { data: results, offset: 0, strides: &[columns as isize, 1] };
                serial(T::narrow(1.0), [rows, place.positions, columns], weights, seen, into);
            }
            return;
        };
        results.fill(T::default());
        let mut part = vec![T::default(); results.len()];
        all.block_by_block(|i, block| {
            let own = i * rows * columns..(i + 1) * rows * columns;
            if block.first.is_multiple_of(PART) {
                join(&mut part[own.clone()], &mut results[own.clone()]);
            }
            let weights = &weights[places[i].range(rows)][block.first..];
            block.add(weights, places[i].positions, &mut part[own]);
        });
        join(&mut part, results);
    }
}

impl Place {
    /// Where its scores are.
    fn range(&self, rows: usize) -> Range<usize> {
        self.scores..self.scores + rows * self.positions
    }
}

/// Adds a part of some sums to them, and begins a new one.
fn join<T: Lanes>(part: &mut [T], sums: &mut [T]) {
    sums.iter_mut().zip(&*part).for_each(|(sum, &x)| *sum = *sum + x);
    part.fill(T::default());
}

/// The strides of a view along its last two axes.
fn last_two<T>(view: View<'_, T>) -> [isize; 2] {
    [view.strides[view.strides.len() - 2], view.strides[view.strides.len() - 1]]
}
