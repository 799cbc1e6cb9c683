//! A stripe: the weights of some rows of attention, for all positions that they see.
//!
//! Computes  `exp(s Σₖ queries[i, k] keys[j, k] + mask[i, j] - top)`, row by row, and one over the sum of each row.
//! Lives here: what attention and its gradient have in common. What no row of a tile sees is not computed; what a row
//! does not see beside others of its stripe that do has weight 0.
//! Not here: the exponentials (`weights`), which stripes there are and what becomes of them (`attention`, `gradient`).

use super::seen::{Sight, firsts, looked_at, lookers};
use super::weights::{fill_up, weights};
use super::{Attention, put_mask};
use crate::kernel::View;
use crate::kernel::lanes::vectorised;
use crate::kernel::panels::{Panels, WIDTH, panels};
use crate::kernel::simd::Lanes;
use crate::kernel::tiles::{Left, accumulate, write};
use std::ops::Range;

/// Elements of a row whose exponentials are summed while they are in the nearest cache; these sums are added in `f64`.
pub(super) const BLOCK: usize = 1024;

/// Partial sums of a row.
pub(super) const LANES: usize = 64;

/// Rows of attention that are computed together.
pub(super) struct Stripe<'a> {
    /// The sizes of the batch and of the rows.
    pub(super) sizes: &'a [usize],
    /// The rows, counted through all batch positions.
    pub(super) rows: Range<usize>,
    /// What each of them sees.
    pub(super) sights: Vec<Sight>,
    /// How many positions there are.
    pub(super) positions: usize,
}

impl Stripe<'_> {
    /// The positions that are computed.
    pub(super) fn positions(&self) -> Range<usize> {
        looked_at(&self.sights, self.positions)
    }

    /// From now on all rows see all positions.
    pub(super) fn see_everything(&mut self) {
        self.sights.fill(Sight::everything(self.positions, true));
    }

    /// The panels of positions that are computed: their numbers, their positions, and the rows that look at them.
    pub(super) fn panels(&self) -> impl Iterator<Item = (usize, Range<usize>, Range<usize>)> {
        panels(self.positions)
            .map(|(panel, positions)| {
                let rows = lookers(&self.sights, &positions);
                (panel, positions, rows)
            })
            .filter(|(_, _, rows)| !rows.is_empty())
    }

    /// How far apart the rows of the stripe's numbers are: one cache line more than they are long, so that the rows of a
    /// tile do not fall on each other in the cache.
    pub(super) fn step(positions: usize) -> usize {
        positions.next_multiple_of(WIDTH) + 16
    }

    /// The products of each row of `left`, as it lies, with each row of the matrix that is packed as the columns of `right`.
    ///
    /// # Panics
    /// If there are no whole tiles of rows.
    pub(super) fn products_as_they_lie<T: Lanes>(&self, factor: T, left: Left<'_, T>, right: &Panels, to: &mut [T]) {
        let step = Stripe::step(self.positions);
        for (panel, positions, rows) in self.panels() {
            let from = Left { numbers: &left.numbers[rows.start * left.row..], ..left };
            write(factor, rows.len(), from, right.panel(panel), &mut to[rows.start * step + positions.start..], step);
        }
    }

    /// The same, of the rows of a matrix in panels.
    pub(super) fn products<T: Lanes>(&self, factor: T, left: &Panels, right: &Panels, to: &mut [T]) {
        let step = Stripe::step(self.positions);
        for (panel, positions, rows) in self.panels() {
            let to = &mut to[rows.start * step + positions.start..];
            for (part, depth) in panels(left.columns()) {
                let numbers = left.panel::<T>(part).rows(rows.start..rows.end);
                let from = Left { numbers: numbers.numbers, row: numbers.width, along: 1 };
                let panel = right.panel(panel).rows(depth);
                let product = if part == 0 { write } else { accumulate };
                product(factor, rows.len(), from, panel, to, step);
            }
        }
    }

    /// The exponentials of scores in their place, 0 where a row sees nothing; returns one over the sum of each row. None if
    /// some row would see what is beyond its sight.
    pub(super) fn weights<T: Lanes>(&self, job: &Attention<'_, T>, scores: &mut [T]) -> Option<Vec<T>> {
        let (step, all) = (Stripe::step(self.positions), self.positions());
        let masks = job.mask.map(|mask| (mask, firsts(self.sizes, mask, self.rows.clone())));
        for (i, (row, sight)) in scores.chunks_mut(step).zip(&self.sights).enumerate() {
            let mask =
                masks.as_ref().filter(|_| sight.masked).map(|(mask, firsts)| View { offset: firsts[i], ..*mask });
            masked(job, mask, sight.start, &mut row[sight.start..sight.end]);
            fill_up(row, &all, sight);
        }
        weights(scores, step, &self.sights)
    }
}

/// Divides and masks the scores of a row from the position `start` on.
pub(super) fn masked<T: Lanes>(job: &Attention<'_, T>, mask: Option<View<'_, T>>, start: usize, row: &mut [T]) {
    let divisor = job.scale[1];
    if divisor != T::narrow(1.0) {
        row.iter_mut().for_each(|score| *score = *score / divisor);
    }
    if let Some(mask) = mask {
        let stride = mask.strides[mask.strides.len() - 1];
        put_mask(row, mask.data, mask.offset.wrapping_add_signed(start as isize * stride), stride, job.instead);
    }
}

/// Partial sums as one, by halves, so that they need not wait for each other.
#[inline(always)]
pub(super) fn total<T: Lanes>(mut sums: [T; LANES]) -> T {
    for half in [32, 16, 8, 4, 2, 1] {
        for i in 0..half {
            sums[i] = sums[i] + sums[i + half];
        }
    }
    sums[0]
}

/// Σ over a block of the products of two rows.
pub(super) fn dot<T: Lanes>(xs: &[T], ys: &[T]) -> T {
    vectorised(
        #[inline(always)]
        move || {
            let mut sums = [T::default(); LANES];
            let ((xs, x_rest), (ys, y_rest)) = (xs.as_chunks::<LANES>(), ys.as_chunks::<LANES>());
            for (xs, ys) in xs.iter().zip(ys) {
                sums.iter_mut().zip(xs).zip(ys).for_each(|((sum, &x), &y)| *sum = x.times_plus(y, *sum));
            }
            sums.iter_mut().zip(x_rest).zip(y_rest).for_each(|((sum, &x), &y)| *sum = x.times_plus(y, *sum));
            total(sums)
        },
    )
}
