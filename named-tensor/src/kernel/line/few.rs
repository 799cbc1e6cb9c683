//! Lines that lie side by side and are short: a few elements each, computed where they lie.
//!
//! All rows of some lines are at hand at once, so none are copied, and what is known of a line never leaves the registers.
//! Not here: what is computed (`softmax`), longer lines (`columns`).

use super::{Line, Walk};
use crate::kernel::map::Tail;
use crate::kernel::math::Scalar;
use crate::kernel::parallel::{self, GRAIN, Shared, grain_of};
use crate::kernel::stream::Stream;
use smallvec::SmallVec;

/// Elements of the longest lines: all of those that are computed together stay in the nearest cache.
pub(in crate::kernel) const FEW: usize = 32;
/// Lines that are handed over together.
pub(in crate::kernel) const LINES: usize = 512;

impl<T: Scalar> Walk<'_, T> {
    /// Lines side by side along the last of the other axes.
    pub(super) fn few(&self, line: &impl Line<T>, dst: &Shared<'_, T>, dst_offset: isize) {
        let (columns, size) = (self.span.inner(), self.size);
        let per_row = columns.div_ceil(LINES);
        let tiles = self.span.total() / columns * per_row;
        // What a tail reads again is better left in the caches.
        let stream = || Stream::of::<T>(if self.tail.is_none() { self.span.total() * size } else { 0 });
        parallel::for_each_range(tiles, grain_of(tiles, GRAIN.div_ceil(size * columns.min(LINES))), |range| {
            let (stream, mut finisher) = (stream(), self.tail.map(Tail::finisher::<T>));
            let mut room = if stream.passes_by() { vec![T::default(); size * LINES] } else { Vec::new() };
            for tile in range {
                let column = tile % per_row * LINES;
                let width = LINES.min(columns - column);
                let index = self.span.index(tile / per_row * columns + column);
                let from = self.src_offset + self.span.distance(0, &index);
                let to = dst_offset + self.span.distance(1, &index);
                let source = |i: isize| &self.src[(from + i * self.src_stride) as usize..][..width];
                let rows: SmallVec<[&[T]; FEW]> = (0..size as isize).map(source).collect();
                // SAFETY: tiles are disjoint sets of lines, each is visited once, and so is each row of it.
                let result = |i: isize| unsafe { dst.slice((to + i * self.dst_stride) as usize, width) };
                let results: SmallVec<[&mut [T]; FEW]> = (0..size as isize).map(result).collect();
                if stream.passes_by() {
                    let beside: SmallVec<[&mut [T]; FEW]> =
                        room.chunks_mut(LINES).map(|row| &mut row[..width]).collect();
                    line.few(&rows, beside);
                    results.into_iter().zip(room.chunks(LINES)).for_each(|(to, row)| stream.send(&row[..width], to));
                } else {
                    line.few(&rows, results);
                }
                if let Some(finisher) = &mut finisher {
                    // SAFETY: the same lines; no row of them is held any more.
                    unsafe { finisher.tile(to as usize, self.dst_stride as usize, [size, width], dst) };
                }
            }
        });
    }
}
