//! Attention of one or two rows in parts of the positions, where keys and values lie in rows and are large.
//!
//! The next word of a text sees all those before it, by a row of each head: the work is to read keys and values, and takes
//! as long as memory needs to give them. So each thread reads long runs of memory: some positions of all heads that are
//! neighbours there. A part has a softmax of its own; parts are joined as if there were one.
//! The parts depend on the number of positions alone, and are joined in order: neither threads nor what stands at other batch
//! positions enter into the numbers. How much there is at all of them decides whether they are computed so.
//! Not here: the loops over keys and values (`in_rows`), operands that lie otherwise or are small (`few`).

use super::few::{FewRows, Place, last_two};
use super::in_rows::InRows;
use super::seen::firsts;
use super::stripe::masked;
use super::weights::{largest, raised};
use super::{Sizes, put};
use crate::kernel::View;
use crate::kernel::few::scaled;
use crate::kernel::lanes::vectorised;
use crate::kernel::parallel::{self, GRAIN, Shared};
use crate::kernel::simd::Lanes;
use crate::kernel::vector::{STREAMS, add};
use std::ops::Range;

/// Rows at most, elements of a position at least, and elements of keys or values at least, for which these are read where
/// they lie: more rows, or what a near cache holds, are multiplied faster as matrices.
const LOW: usize = 2;
const LONG: usize = 32;
const LARGE: usize = if cfg!(test) { 1 << 10 } else { 1 << 17 };
/// Parts of the positions at most, a power of two as numbers of threads are, as long as each has no more than so many, whose
/// sum keeps its digits. Shorter ones are not worth to begin anew in other places of memory.
const PARTS: usize = 8;
const LONGEST: usize = 1024;
const SHORT: usize = if cfg!(test) { 1 << 3 } else { 1 << 7 };
/// Elements of a position that are taken together: the nearest cache has room for four positions.
const NEAR: usize = if cfg!(test) { 128 } else { 2048 };
/// Numbers of a row in a part behind its means: the largest of its scores, and the sum of their exponentials.
const MORE: usize = 2;

/// Attention of a few rows, keys and values of which lie in rows.
pub(super) struct InParts<'a, T> {
    few: &'a FewRows<'a, T>,
    places: Vec<Place>,
    keys: InRows<'a, T>,
    values: InRows<'a, T>,
    /// The queries, row by row, times the factor.
    queries: Vec<T>,
}

/// Some positions of neighbouring batch positions, which see the same ones.
struct Part {
    places: Range<usize>,
    positions: Range<usize>,
}

impl<'a, T: Lanes> InParts<'a, T> {
    /// None if another way is better.
    pub(super) fn of(few: &'a FewRows<'a, T>) -> Option<InParts<'a, T>> {
        let Sizes { keys: size, columns, positions, .. } = few.sizes;
        let (rows, batches) = (few.sizes.height(), few.sizes.batches());
        let elements = batches.saturating_mul(positions).saturating_mul(size.min(columns));
        let ([along, apart], [far, step]) = (last_two(few.job.keys), last_two(few.job.values));
        if rows > LOW || size.min(columns) < LONG || elements < LARGE || [along, step] != [1, 1] {
            return None;
        }
        let places = few.places(0..batches);
        let in_rows = |view, apart, size| -> Option<InRows<'a, T>> {
            let starts = places.iter().map(|place| few.start(place, view, apart)).collect();
            Some(InRows { data: view.data, starts, apart: usize::try_from(apart).ok()?, size })
        };
        let (keys, values) = (in_rows(few.job.keys, apart, size)?, in_rows(few.job.values, far, columns)?);
        let own = |place| few.queries(place, |queries| scaled(few.job.scale[0], [rows, size], queries));
        let queries = places.iter().flat_map(own).collect();
        Some(InParts { few, places, keys, values, queries })
    }

    /// The results at all batch positions, to a view over the batch, rows and columns.
    pub(super) fn results(&self, dst: &Shared<'_, T>, to: View<'_, T>) {
        let Sizes { keys, columns, .. } = self.few.sizes;
        let rows = self.few.sizes.height();
        let parts = self.parts();
        let (most, longest) = parts
            .iter()
            .fold((0, 0), |(most, longest), part| (most.max(part.places.len()), longest.max(part.positions.len())));
        let pitch = columns + MORE;
        let room = most * rows * pitch;
        let mut made = vec![T::default(); parts.len() * room];
        let at_once = GRAIN.div_ceil(most * longest * (keys + columns));
        parallel::for_each_chunk(&mut made, at_once * room, |start, made| {
            for (part, made) in parts[start / room..].iter().zip(made.chunks_mut(room)) {
                self.part(part, made, pitch);
            }
        });
        let mut made = parts.iter().zip(made.chunks_exact(room)).peekable();
        while let Some(&(first, _)) = made.peek() {
            // All parts of the same batch positions follow each other.
            let all: Vec<&[T]> = std::iter::from_fn(|| made.next_if(|(part, _)| part.places == first.places))
                .map(|(_, made)| made)
                .collect();
            for (at, place) in first.places.clone().enumerate() {
                let firsts = firsts(self.few.outer, to, self.few.rows(&self.places[place]));
                for (row, first) in (at * rows..).zip(firsts) {
                    let parts = all.iter().map(|made| &made[row * pitch..][..pitch]);
                    put(&joined(parts, columns), dst, first, to.strides[to.strides.len() - 1]);
                }
            }
        }
    }

    /// The work: runs of batch positions that are neighbours in memory and see the same positions, each in parts of these.
    fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        let alike = |i: usize| {
            let [one, next] = [&self.places[i], &self.places[i + 1]];
            self.keys.goes_on(i) && self.values.goes_on(i) && (one.first, one.positions) == (next.first, next.positions)
        };
        let most = (NEAR / self.keys.size.max(self.values.size)).max(1);
        let mut start = 0;
        while start < self.places.len() {
            let whole = self.places.len().min(start + most);
            let end = (start..whole - 1).find(|&i| !alike(i)).map_or(whole, |last| last + 1);
            let positions = self.places[start].positions;
            let length = length(positions);
            parts.extend(
                (0..positions)
                    .step_by(length)
                    .map(|first| Part { places: start..end, positions: first..positions.min(first + length) }),
            );
            start = end;
        }
        parts
    }

    /// What a part gives to each row of each of its batch positions: means of values, then the largest score and the sum of exponentials.
    fn part(&self, part: &Part, made: &mut [T], pitch: usize) {
        let Part { places, positions } = part;
        let (rows, columns, count) = (self.few.sizes.height(), self.few.sizes.columns, positions.len());
        let own = places.start * rows..places.end * rows;
        let mut scores = vec![T::default(); own.len() * count];
        let queries = &self.queries[own.start * self.keys.size..];
        self.keys.dots(places.clone(), positions.clone(), rows, queries, &mut scores);
        for (at, place) in self.places[places.clone()].iter().enumerate() {
            let job = self.few.job;
            let masks = job.mask.map(|mask| (mask, firsts(self.few.outer, mask, self.few.rows(place))));
            for i in 0..rows {
                let mask = masks.as_ref().map(|(mask, firsts)| View { offset: firsts[i], ..*mask });
                let row = at * rows + i;
                let scores = &mut scores[row * count..][..count];
                masked(job, mask, place.first + positions.start, scores);
                let top = largest(scores);
                // Where nothing is seen here, all exponentials are 0.
                let sum = raised(if top == T::LOWEST { T::default() } else { top }, scores);
                // A part's own mean is no larger than its values, which may be large where the part weighs nothing.
                if sum != 0.0 {
                    let factor = T::narrow(1.0 / sum);
                    scores.iter_mut().for_each(|weight| *weight = *weight * factor);
                }
                made[row * pitch + columns..][..MORE].copy_from_slice(&[top, T::narrow(sum)]);
            }
        }
        self.values.add(places.clone(), positions.clone(), rows, &scores, (made, pitch));
    }
}

/// How many positions a part has.
fn length(positions: usize) -> usize {
    let parts = (1 << (positions / SHORT).max(1).ilog2()).min(PARTS).max(positions.div_ceil(LONGEST));
    positions.div_ceil(parts).next_multiple_of(STREAMS)
}

/// The result of a row whose parts are these.
fn joined<'p, T: Lanes>(parts: impl Iterator<Item = &'p [T]> + Clone, columns: usize) -> Vec<T> {
    let top = parts.clone().fold(T::LOWEST, |top, part| if part[columns] > top { part[columns] } else { top });
    let share = |part: &[T]| (part[columns] - top).decay().wide() * part[columns + 1].wide();
    let sum = parts.clone().fold(0.0, |sum, part| sum + share(part));
    let mut result = vec![T::default(); columns];
    for part in parts {
        let (factor, means) = (T::narrow(share(part) / sum), &part[..columns]);
        let result = &mut result[..];
        vectorised(
            #[inline(always)]
            move || add([factor], [means], result),
        );
    }
    result
}
