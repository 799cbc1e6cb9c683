//! Short lines along a middle axis, few of which lie side by side: the columns of small matrices, one at each position.
//!
//! The first elements of many lines are read into one row, then the second ones, and so on: each time they lie in the same
//! pattern. Results are put back in the same way.
//! Not here: what is computed (`softmax`), lines of which many lie side by side (`few`).

use super::{FEW, Line, TOGETHER, Walk};
use crate::kernel::math::Scalar;
use crate::kernel::parallel::{self, GRAIN, Shared, grain_of};
use crate::kernel::pattern::Pattern;
use smallvec::SmallVec;

/// Lines that lie side by side, from which on they are worth a loop of their own.
const SIDE_BY_SIDE: usize = 8;

impl<T: Scalar> Walk<'_, T> {
    /// Where the first elements of such lines lie in the source and in the destination, if lines are short enough
    /// and few of them lie side by side.
    pub(super) fn patterns<L: Line<T>>(&self, _: &L) -> Option<[Pattern; 2]> {
        if !L::IS_FEW || self.size > FEW || self.span.inner() >= SIDE_BY_SIDE {
            return None;
        }
        let from = self.span.pattern(0).filter(Pattern::is_close::<T>)?;
        Some([from, self.span.pattern(1)?])
    }

    /// Computes them.
    pub(super) fn patterned(
        &self,
        line: &impl Line<T>,
        [from, to]: &[Pattern; 2],
        dst: &Shared<'_, T>,
        dst_offset: isize,
    ) {
        let (total, size) = (self.span.total(), self.size);
        let grain = grain_of(total, GRAIN.div_ceil(size));
        parallel::for_each_range(total, grain, |range| {
            let mut room = vec![T::default(); 2 * size * TOGETHER];
            let (rows, results) = room.split_at_mut(size * TOGETHER);
            for first in range.clone().step_by(TOGETHER) {
                let width = TOGETHER.min(range.end - first);
                for (i, row) in (0..).zip(rows.chunks_exact_mut(TOGETHER)) {
                    let start = self.src_offset + i * self.src_stride;
                    from.read(self.src, start as usize, first, &mut row[..width]);
                }
                let rows: SmallVec<[&[T]; FEW]> = rows.chunks_exact(TOGETHER).map(|row| &row[..width]).collect();
                line.few(&rows, results.chunks_exact_mut(TOGETHER).map(|row| &mut row[..width]).collect());
                to.places(first, width, |i, distance| {
                    for (j, row) in (0..).zip(results.chunks_exact(TOGETHER)) {
                        let at = dst_offset + distance + j * self.dst_stride;
                        // SAFETY: an element of a line; lines do not overlap, and each is visited once.
                        let element = unsafe { dst.slice(at as usize, 1) };
                        element[0] = row[i];
                    }
                });
            }
        });
    }
}
