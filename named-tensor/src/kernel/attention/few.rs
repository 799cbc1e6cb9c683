//! Attention of a few rows at each batch position, as small products of matrices.
//!
//! What is taken together does not enter into the numbers.
//! Not here: keys and values that are large and lie in rows (`parts`), many rows (`stripe`).

use super::seen::{Seen, firsts};
use super::{Attention, STRIPE, Sizes, matrix, put, put_mask};
use crate::kernel::matmul::serial;
use crate::kernel::parallel::{Shared, threads};
use crate::kernel::pool;
use crate::kernel::simd::Lanes;
use crate::kernel::softmax::softmax_rows;
use crate::kernel::tiles::ROWS;
use crate::kernel::{View, ViewMut};
use std::ops::Range;

/// Rows that are few, those over one tile for which a stripe would have a second one that is nearly empty, and the scores of a
/// batch position that are few.
const FEW: usize = 8;
const OVER: usize = 4;
const SMALL_SCORES: usize = 1024;

/// Attention of a few rows.
pub(super) struct FewRows<'a, T> {
    pub(super) sizes: Sizes<'a>,
    pub(super) job: &'a Attention<'a, T>,
    pub(super) seen: &'a Seen<'a>,
    /// The sizes of the batch and of the rows.
    pub(super) outer: &'a [usize],
}

/// One batch position, which positions its rows see, and where its scores begin.
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) first: usize,
    pub(super) positions: usize,
    scores: usize,
}

/// Whether there are so few rows.
pub(super) fn are_few(sizes: &Sizes<'_>) -> bool {
    let rows = sizes.height();
    let are_few = rows <= FEW || (ROWS + 1..=ROWS + OVER).contains(&rows) || rows * sizes.positions <= SMALL_SCORES;
    are_few && sizes.rows.len() < 2
}

impl<T: Lanes> FewRows<'_, T> {
    /// How many batch positions are best taken together.
    pub(super) fn at_once(&self) -> usize {
        let (batches, scores) = (self.sizes.batches(), self.sizes.height() * self.sizes.positions);
        let most = (STRIPE / scores.max(1)).max(1);
        batches.div_ceil(batches.div_ceil(most).next_multiple_of(threads()))
    }

    /// The results at some batch positions, to a view over the batch, rows and columns.
    pub(super) fn results(&self, batch: Range<usize>, dst: &Shared<'_, T>, to: View<'_, T>) {
        let (rows, columns) = (self.sizes.height(), self.sizes.columns);
        let places = self.places(batch);
        let total = places.iter().map(|place| rows * place.positions).sum::<usize>();
        let largest = rows * self.sizes.positions;
        let mut scratch = pool::take(T::KIND, total + largest + places.len() * rows * columns);
        let (scores, rest) = T::of_mut(&mut scratch).split_at_mut(total);
        let (room, results) = rest.split_at_mut(largest);
        self.scores(&places, scores);
        for place in &places {
            self.weights(place, &mut scores[place.range(rows)], room);
        }
        self.sums(&places, scores, results);
        for (place, results) in places.iter().zip(results.chunks(rows * columns)) {
            let firsts = firsts(self.outer, to, self.rows(place));
            for (row, first) in results.chunks(columns).zip(firsts) {
                put(row, dst, first, to.strides[to.strides.len() - 1]);
            }
        }
        pool::give(scratch);
    }

    /// The rows at a batch position, counted through all.
    pub(super) fn rows(&self, place: &Place) -> Range<usize> {
        let rows = self.sizes.height();
        place.at * rows..(place.at + 1) * rows
    }

    /// What the rows at some batch positions see.
    pub(super) fn places(&self, batch: Range<usize>) -> Vec<Place> {
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
    pub(super) fn start(&self, place: &Place, view: View<'_, T>, apart: isize) -> usize {
        let first = matrix(view, self.sizes.batch, place.at).offset;
        first.wrapping_add_signed(place.first as isize * apart)
    }

    /// The queries at a batch position.
    pub(super) fn queries<R>(&self, place: &Place, work: impl FnOnce(View<'_, T>) -> R) -> R {
        let axes = &self.job.queries.strides[self.sizes.batch.len()..];
        let strides = if let [row, along] = *axes { [row, along] } else { [0, axes[0]] };
        work(View { strides: &strides, ..matrix(self.job.queries, self.sizes.batch, place.at) })
    }

    /// The scores of all rows at each batch position, without what is added to them.
    fn scores(&self, places: &[Place], scores: &mut [T]) {
        let (rows, keys, scale) = (self.sizes.height(), self.sizes.keys, self.job.scale[0]);
        let [along, apart] = last_two(self.job.keys);
        for place in places {
            let offset = self.start(place, self.job.keys, apart);
            let seen = View { offset, strides: &[along, apart], ..self.job.keys };
            let strides = [place.positions as isize, 1];
            let into = ViewMut { data: &mut scores[place.range(rows)], offset: 0, strides: &strides };
            self.queries(place, |queries| serial(scale, [rows, keys, place.positions], queries, seen, into));
        }
    }

    /// The weights in place of the scores at a batch position. There is room for as many.
    fn weights(&self, place: &Place, scores: &mut [T], room: &mut [T]) {
        let divisor = self.job.scale[1];
        if divisor != T::narrow(1.0) {
            scores.iter_mut().for_each(|score| *score = *score / divisor);
        }
        let size = place.positions.max(1);
        if let Some(mask) = self.job.mask {
            let step = mask.strides[mask.strides.len() - 1];
            let firsts = firsts(self.outer, mask, self.rows(place));
            for (scores, first) in scores.chunks_exact_mut(size).zip(firsts) {
                put_mask(
                    scores,
                    mask.data,
                    first.wrapping_add_signed(place.first as isize * step),
                    step,
                    self.job.instead,
                );
            }
        }
        let room = &mut room[..scores.len()];
        room.copy_from_slice(scores);
        softmax_rows(size, room, scores);
    }

    /// The values times their weights, summed, for all rows at each batch position.
    fn sums(&self, places: &[Place], weights: &[T], results: &mut [T]) {
        let (rows, columns) = (self.sizes.height(), self.sizes.columns);
        let [apart, along] = last_two(self.job.values);
        for (place, results) in places.iter().zip(results.chunks_exact_mut(rows * columns)) {
            let strides = [place.positions as isize, 1];
            let weights = View { data: &weights[place.range(rows)], offset: 0, strides: &strides };
            let offset = self.start(place, self.job.values, apart);
            let seen = View { offset, strides: &[apart, along], ..self.job.values };
            let into = ViewMut { data: results, offset: 0, strides: &[columns as isize, 1] };
            serial(T::narrow(1.0), [rows, place.positions, columns], weights, seen, into);
        }
    }
}

impl Place {
    /// Where its scores are.
    fn range(&self, rows: usize) -> Range<usize> {
        self.scores..self.scores + rows * self.positions
    }
}

/// The strides of a view along its last two axes.
pub(super) fn last_two<T>(view: View<'_, T>) -> [isize; 2] {
    [view.strides[view.strides.len() - 2], view.strides[view.strides.len() - 1]]
}
