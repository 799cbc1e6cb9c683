//! Lines side by side whose rows are long runs of memory, and that only the largest cache holds all of.
//!
//! A processor brings the next lines of memory near by itself where a run goes on, but not where a tile leaves it after some
//! hundred numbers. So whole rows are copied, some of them at a time: once to learn what is known of all lines, and once more
//! to write the results. The second time they are taken from the last ones to the first, which are then still near.
//! Not here: what is computed (`softmax`, `standardize`), lines that a tile has room for all of (`columns`).

use super::columns::Tile;
use super::{Line, WIDTH, Walk};
use crate::kernel::map::Tail;
use crate::kernel::math::Scalar;
use crate::kernel::parallel::{self, Shared};
use crate::kernel::pool;
use crate::kernel::stream::{LINE, Stream, lined_up_mut};

/// Bytes of lines that are near: a usual second-level cache.
const NEAR: usize = if cfg!(test) { 1 << 18 } else { 1 << 20 };
/// Groups of [`WIDTH`] lines from which on rows are long runs, and at most.
const GROUPS: [usize; 2] = [8, 64];
/// Elements of some rows that are copied together: a quarter of a usual second-level cache in `f32`.
const TOGETHER: usize = 64 * 1024;

/// Whether so many lines of so many elements are best computed so, where the results are so many in all.
pub(super) fn is_worth_it<T>(lines: usize, size: usize, results: usize) -> bool {
    let are_far = lines.saturating_mul(size).saturating_mul(size_of::<T>()) > NEAR;
    are_far && lines > WIDTH * GROUPS[0] && !Stream::of::<T>(results).passes_by()
}

impl<T: Scalar> Walk<'_, T> {
    /// Lines side by side along the last of the other axes, row by row.
    pub(super) fn wide<L: Line<T>>(&self, line: &L, dst: &Shared<'_, T>, dst_offset: isize) {
        let (lines, size) = (self.span.inner(), self.size);
        let groups = lines.div_ceil(WIDTH).min(GROUPS[1]);
        // An even number: some functions take two rows at a time. Parts depend on the sizes alone.
        let together = (TOGETHER / (groups * WIDTH)).next_multiple_of(2).min(size);
        let parts = size.div_ceil(together);
        // Each line is computed alike in any tile, so threads may be asked.
        let width = groups.min(lines.div_ceil(WIDTH).div_ceil(parallel::threads())) * WIDTH;
        let per_row = lines.div_ceil(width);
        let tile = |number: usize| {
            let first = number % per_row * width;
            let index = self.span.index(number / per_row * lines + first);
            let [from, to] = [0, 1].map(|operand| self.span.distance(operand, &index));
            Tile { from: self.src_offset + from, to: dst_offset + to, width: width.min(lines - first) }
        };
        parallel::for_each_range(self.span.total() / lines * per_row, 1, |range| {
            let (stream, mut finisher) = (Stream::usual(), self.tail.map(Tail::finisher::<T>));
            let mut buffer = pool::take(T::KIND, together * width + LINE / size_of::<T>());
            let (room, _) = lined_up_mut(T::of_mut(&mut buffer)).as_chunks_mut();
            for tile in range.map(tile) {
                let mut known: Vec<L::Known> = (0..tile.width.div_ceil(WIDTH)).map(|_| line.start()).collect();
                let part = |number: usize| (number * together, together.min(size - number * together));
                for (first, count) in (0..parts).map(part) {
                    self.gather_rows(&tile, first, count, count, room);
                    known.iter_mut().zip(room.chunks_exact(count)).for_each(|(known, rows)| line.read(known, rows));
                }
                for (first, count) in (0..parts).rev().map(part) {
                    if parts > 1 {
                        self.gather_rows(&tile, first, count, count, room);
                    }
                    known.iter().zip(room.chunks_exact_mut(count)).for_each(|(known, rows)| line.write(known, rows));
                    self.scatter(&tile, first, count, room, dst, &stream);
                    if let Some(finisher) = &mut finisher {
                        self.finish(finisher, &tile, first, count, dst);
                    }
                }
            }
            pool::give(buffer);
        });
    }
}
