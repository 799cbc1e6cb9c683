//! Short rows, many at a time.
//!
//! A row that is no longer than the partial results of one would spend most of its time on joining them. Here rows are
//! turned around, a block at a time, so that they lie side by side, and each has one partial result.
//! Not here: long rows, and what lies side by side already (`reduce`).

use super::Job;
use super::fold::Fold;
use crate::element::Stored;
use crate::kernel::lanes::vectorised;
use crate::kernel::parallel::{self, GRAIN};
use crate::kernel::span::Odometer;
use crate::kernel::turn::turn_each;

/// Elements of a short row, at most.
const SHORT: usize = 64;
/// Rows of a block.
const ROWS: usize = 64;
/// Rows from which on turning is repaid.
const LEAST: usize = 16;

impl<T: Stored> Job<'_, T> {
    /// Whether these are so many short rows.
    pub(super) fn has_short_rows(&self, results: usize) -> bool {
        let size = self.reduced.total();
        self.reduced.sizes.len() == 1
            && self.reduced.inner_stride(0) == 1
            && (2..=SHORT).contains(&size)
            && results >= LEAST
    }

    /// One result for each of them.
    pub(super) fn short_rows<F: Fold<T>>(&self, dst: &mut [T]) {
        let size = self.reduced.total();
        parallel::for_each_chunk(dst, GRAIN.div_ceil(size).next_multiple_of(ROWS), |first, chunk| {
            let mut base = Odometer::new(&self.kept.sizes, &self.kept.strides[0], first);
            let mut side_by_side = vec![T::default(); ROWS * size];
            for block in chunk.chunks_mut(ROWS) {
                let mut starts = [0; ROWS];
                for start in &mut starts[..block.len()] {
                    *start = self.position(base.distance);
                    base.step();
                }
                turn_each(self.data, |row| starts[row], [block.len(), size], &mut side_by_side, ROWS);
                let partial = folded::<T, F>(&side_by_side);
                block.iter_mut().zip(partial).for_each(|(result, partial)| *result = self.end::<F>(partial));
            }
        });
    }
}

/// The partial results of rows that lie side by side.
fn folded<T: Stored, F: Fold<T>>(rows: &[T]) -> [F::Partial; ROWS] {
    vectorised(
        #[inline(always)]
        move || {
            rows.as_chunks::<ROWS>().0.iter().fold(
                [F::START; ROWS],
                #[inline(always)]
                |partial, elements| std::array::from_fn(|row| F::step(partial[row], elements[row])),
            )
        },
    )
}
