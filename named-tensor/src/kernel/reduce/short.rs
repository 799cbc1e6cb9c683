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
use crate::kernel::turn::{Starts, turn};

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
            let mut side_by_side = vec![T::default(); ROWS * size];
            for (number, block) in chunk.chunks_mut(ROWS).enumerate() {
                let mut starts = [0; ROWS];
                let starts = self.starts(first + number * ROWS, &mut starts[..block.len()]);
                turn(self.data, starts, [block.len(), size], &mut side_by_side, ROWS);
                let partial = folded::<T, F>(&side_by_side);
                block.iter_mut().zip(partial).for_each(|(result, partial)| *result = self.end::<F>(partial));
            }
        });
    }

    /// Where some rows begin, from the kept position of this number on.
    fn starts<'a>(&self, number: usize, starts: &'a mut [usize]) -> Starts<'a> {
        let mut base = Odometer::new(&self.kept.sizes, &self.kept.strides[0], number);
        let inner = self.kept.inner();
        if number % inner + starts.len() <= inner {
            return Starts::Even(self.position(base.distance), self.kept.inner_stride(0));
        }
        for start in &mut *starts {
            *start = self.position(base.distance);
            base.step();
        }
        Starts::At(starts)
    }
}

/// The partial results of rows that lie side by side.
fn folded<T: Stored, F: Fold<T>>(rows: &[T]) -> [F::Partial; ROWS] {
    vectorised(
        #[inline(always)]
        move || {
            let mut partial = [F::START; ROWS];
            for elements in rows.as_chunks::<ROWS>().0 {
                // All of them anew, as along one row: so they stay in registers.
                partial = std::array::from_fn(
                    #[inline(always)]
                    |row| F::step(partial[row], elements[row]),
                );
            }
            partial
        },
    )
}
