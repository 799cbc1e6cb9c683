//! Small patches, many at a time: what pooling reduces, whose axes are short and do not lie side by side.
//!
//! The first element of each of some neighbouring patches is taken, then the second of each, and so on: where they stand is
//! found once for all of them. Of few neighbours those of many rows are taken together.
//! Not here: rows and columns (`short`, `down`).

use super::Job;
use super::fold::Fold;
use crate::element::Stored;
use crate::kernel::lanes::vectorised;
use crate::kernel::parallel::{self, GRAIN, grain_of};
use crate::kernel::pattern::Pattern;
use crate::kernel::span::Odometer;
use smallvec::SmallVec;

/// Elements of a patch, at most.
const SMALL: usize = 64;
/// Patches that are neighbours, at least, and so many that are taken together.
const LEAST: usize = 8;
const TOGETHER: usize = 64;
/// The same where neighbours are few.
const MANY: usize = 512;

impl<T: Stored> Job<'_, T> {
    /// Whether these are small patches, many of them side by side or at even distances.
    pub(super) fn has_patches(&self) -> bool {
        let is_row = self.reduced.inner_stride(0) == 1 && self.reduced.inner() >= LEAST;
        self.kept.inner() >= LEAST && (1..=SMALL).contains(&self.reduced.total()) && !is_row
    }

    /// How far the elements of a patch are from the first one.
    fn distances(&self) -> SmallVec<[isize; SMALL]> {
        let mut at = Odometer::new(&self.reduced.sizes, &self.reduced.strides[0], 0);
        let next = |_| {
            let distance = at.distance;
            at.step();
            distance
        };
        (0..self.reduced.total()).map(next).collect()
    }

    /// Where the first elements of small patches are, if few of them are neighbours: those of the middle axis of three, the
    /// last one of which is short.
    pub(super) fn pattern(&self) -> Option<Pattern> {
        let is_small = self.kept.inner() < LEAST && (1..=SMALL).contains(&self.reduced.total());
        if is_small { self.kept.pattern(0).filter(Pattern::is_close::<T>) } else { None }
    }

    /// One result for each of them.
    pub(super) fn patches_by_pattern<F: Fold<T>>(&self, pattern: &Pattern, dst: &mut [T]) {
        let distances = self.distances();
        let grain = grain_of(dst.len(), GRAIN.div_ceil(distances.len())).next_multiple_of(MANY);
        parallel::for_each_chunk(dst, grain, |first, chunk| {
            let (mut room, mut partial) = ([T::default(); MANY], [F::START; MANY]);
            for (number, results) in chunk.chunks_mut(MANY).enumerate() {
                let (room, partial) = (&mut room[..results.len()], &mut partial[..results.len()]);
                partial.fill(F::START);
                for &distance in &distances {
                    pattern.read(self.data, self.position(distance), first + number * MANY, room);
                    take::<T, F>(room, 0, 1, partial);
                }
                results.iter_mut().zip(partial).for_each(|(result, partial)| *result = self.end::<F>(*partial));
            }
        });
    }

    /// One result for each of them.
    pub(super) fn patches<F: Fold<T>>(&self, dst: &mut [T]) {
        let distances = self.distances();
        let (inner, stride) = (self.kept.inner(), self.kept.inner_stride(0));
        let outer = self.kept.sizes.len() - 1;
        parallel::for_each_chunk(dst, grain_of(dst.len(), GRAIN.div_ceil(distances.len())), |first, mut left| {
            let mut row = Odometer::new(&self.kept.sizes[..outer], &self.kept.strides[0][..outer], first / inner);
            let mut column = first % inner;
            while !left.is_empty() {
                let size = (inner - column).min(left.len()).min(TOGETHER);
                let (results, others) = left.split_at_mut(size);
                let start = row.distance + column as isize * stride;
                let mut partial = [F::START; TOGETHER];
                for distance in &distances {
                    take::<T, F>(self.data, self.position(start + distance), stride, &mut partial[..size]);
                }
                results.iter_mut().zip(partial).for_each(|(result, partial)| *result = self.end::<F>(partial));
                (left, column) = (others, column + size);
                if column == inner {
                    row.step();
                    column = 0;
                }
            }
        });
    }
}

/// Takes elements at even distances into one partial result each.
fn take<T: Stored, F: Fold<T>>(data: &[T], first: usize, stride: isize, partial: &mut [F::Partial]) {
    match (stride, partial) {
        (1, partial) => vectorised(
            #[inline(always)]
            move || {
                let some = &data[first..][..partial.len()];
                partial.iter_mut().zip(some).for_each(|(sum, &x)| *sum = F::step(*sum, x));
            },
        ),
        // Pairs, as most pools have: they come with their neighbours.
        (2, [partial @ .., last]) => vectorised(
            #[inline(always)]
            move || {
                let (pairs, rest) = data[first..][..2 * partial.len() + 1].as_chunks::<2>();
                partial.iter_mut().zip(pairs).for_each(|(sum, &[x, _])| *sum = F::step(*sum, x));
                rest.iter().for_each(|&x| *last = F::step(*last, x));
            },
        ),
        (_, partial) => {
            for (i, sum) in (0..).zip(partial) {
                *sum = F::step(*sum, data[first.wrapping_add_signed(i * stride)]);
            }
        }
    }
}
