//! Products of a few terms, in strips that walk through panels, whose results no near cache keeps.
//!
//! Lives here: which products are computed so, into which pieces threads cut them, and the loop over panels and strips.
//! The result is larger than a second-level cache: one that stays there `gemm` computes as fast.
//! Not here: a strip (`kernel::shallow`), how panels are filled (`packing`).

use super::packing::Packing;
use super::panelled::Panelled;
use super::product::{Product, is_large};
use crate::kernel::low::has_registers;
use crate::kernel::panels::{WIDTH, panels};
use crate::kernel::parallel::{self, Shared};
use crate::kernel::pool;
use crate::kernel::shallow::{LEAST, MOST, ROWS, Strip};
use crate::kernel::simd::Lanes;
use crate::kernel::stream::{LINE, lined_up_mut};
use crate::kernel::tiles::Left;

/// Elements of the panels that strips walk through: a quarter of a usual second-level cache in `f32`.
const NEAR: usize = 64 * 1024;
/// Rows of a piece at least: panels are filled once for each.
const HIGH: usize = 120;
/// Pieces for each thread: one that is late has the others wait for less.
const PIECES: usize = 4;

impl<'a, T: Lanes> Product<'a, T> {
    /// The same in strips, if that is worth it.
    pub(super) fn in_strips_if_worth_it(self) -> Self {
        let [tall, wide] = self.sides();
        let sizes = [tall.axis.size, self.terms(), wide.axis.size];
        let is_in_range = sizes[0] >= ROWS && (LEAST..=MOST).contains(&sizes[1]) && sizes[2] >= WIDTH;
        let goes_forwards = tall.across >= 0 && tall.inner >= 0 && tall.axis.dst >= 0 && wide.axis.dst == 1;
        if self.packing.is_some()
            || self.outer.is_some()
            || !is_in_range
            || !goes_forwards
            || !is_large::<T>([sizes[0], sizes[2]])
            || !has_registers()
        {
            return self;
        }
        let size = |stride: isize| usize::try_from(stride).ok();
        let packing = match (size(wide.across), size(wide.inner)) {
            (Some(1), Some(step)) => Packing::Copied { block: self.inner.0, step, further: 0 },
            (Some(across), Some(1)) => Packing::Turned(across),
            _ => return self,
        };
        Product { packing: Some(packing), in_strips: true, ..self }
    }
}

/// The sides of a piece of each of some products, along the columns of panels and across.
pub(super) fn cut(items: usize, [tall, terms, wide]: [usize; 3]) -> [usize; 2] {
    let width = together(terms).min(wide);
    // In any piece each element is computed alike, so threads may be asked.
    let wanted = if parallel::threads() == 1 { 1 } else { PIECES * parallel::threads() };
    let down = wanted.div_ceil(items * wide.div_ceil(width)).min(tall / HIGH).max(1);
    [tall.div_ceil(down).next_multiple_of(ROWS), width]
}

/// The columns of the panels that strips walk through.
fn together(terms: usize) -> usize {
    NEAR / terms / WIDTH * WIDTH
}

impl<T: Lanes> Panelled<'_, T> {
    /// Computes it in strips, to a result that begins at `first`.
    ///
    /// # Safety
    /// All elements of the result lie inside `dst`, and nothing else touches them.
    pub(super) unsafe fn compute_in_strips(&self, dst: &Shared<'_, T>, first: usize) {
        let (columns, terms) = (self.right.columns, self.right.inner);
        let together = together(terms).min(columns.next_multiple_of(WIDTH));
        let line = LINE / size_of::<T>();
        let mut room = pool::take(T::KIND, together * terms + Strip::<T>::room(terms) + line);
        let (numbers, rows) = lined_up_mut(T::of_mut(&mut room)).split_at_mut(together * terms);
        for start in (0..columns).step_by(together) {
            let count = together.min(columns - start);
            for (panel, columns) in panels(count) {
                let numbers = &mut numbers[panel * WIDTH * terms..][..WIDTH * terms];
                self.right.pack(start + columns.start, columns.len(), 0, numbers, [WIDTH; 2]);
            }
            for row in (0..self.rows).step_by(ROWS) {
                let strip = Strip {
                    factor: self.scale,
                    sizes: [ROWS.min(self.rows - row), terms, count],
                    left: Left { numbers: &self.left.numbers[row * self.left.row..], ..self.left },
                    panels: numbers,
                    to: dst.as_ptr().wrapping_add(first + row * self.step + start),
                    step: self.step,
                };
                // SAFETY: these are rows and columns of the result, which are inside and ours by the contract of this function.
                unsafe { strip.compute(rows) };
            }
        }
        pool::give(room);
    }
}
