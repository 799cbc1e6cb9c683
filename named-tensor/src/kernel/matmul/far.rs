//! Products of some rows with a matrix that lies across the sum and is far.
//!
//! Lives here: which columns a thread computes. Not here: which products these are, and the loops (`kernel::low::blocks`).

use super::product::Product;
use crate::kernel::ViewMut;
use crate::kernel::low::blocks::is_far;
use crate::kernel::parallel::{self, Shared};
use crate::kernel::simd::Lanes;

/// Columns of a piece at least, where there are some for each thread, and where threads would have none: shorter runs of a row
/// come slower from memory.
const LEAST: [usize; 2] = [256, 64];
/// Pieces for each thread at most.
const PIECES: usize = 2;

impl<T: Lanes> Product<'_, T> {
    /// Such a product, whole, by all threads. Returns whether it is one; if not, nothing is written.
    pub(super) fn far(&self, dst: &mut ViewMut<'_, T>) -> bool {
        let Some((low, step)) = self.across([0; 3]).filter(|(low, _)| is_far::<T>(low.sizes)) else {
            return false;
        };
        let (blocks, columns) = (low.in_blocks(), low.sizes[2]);
        // Each element is computed alike in any piece, so threads may be asked.
        let pieces = match parallel::threads() {
            1 => 1,
            // As many for each thread as for any other.
            threads if columns >= threads * LEAST[0] => (columns / (threads * LEAST[0])).min(PIECES) * threads,
            threads => threads.min(columns / LEAST[1]).max(1),
        };
        let wide = columns.div_ceil(pieces);
        let (first, shared) = (dst.offset, Shared::new(&mut *dst.data));
        parallel::for_each_range(columns, wide, |some| {
            let to = shared.as_ptr().wrapping_add(first + some.start);
            // SAFETY: the views were checked to lie inside their slices and positions of the destination not to overlap, and each
            // column is in one piece.
            unsafe { blocks.run(some, to, step) };
        });
        true
    }
}
