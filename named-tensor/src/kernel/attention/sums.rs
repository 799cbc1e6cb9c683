//! The sums over positions of a stripe: its numbers times a matrix whose rows are the positions.
//!
//! Computes  `to[i, v] = factors[i] Σⱼ numbers[i, j] right[j, v]`,  for the positions j that row i or a row near it sees.
//! The sums stay in registers from the first position to the last one of a block, and are multiplied and stored from there:
//! so no pass over results follows.
//! Not here: the numbers (`stripe`), and a tile of such a product (`tiles`).

use super::put;
use super::seen::firsts;
use super::stripe::Stripe;
use crate::kernel::View;
use crate::kernel::ahead::Ahead;
use crate::kernel::panels::{Panels, WIDTH, panels};
use crate::kernel::parallel::Shared;
use crate::kernel::simd::Lanes;
use crate::kernel::tiles::{Act, Left, Rows, Strip, TALL, multiply};
use std::ops::Range;

/// Rows that have their positions in common: those of whole tiles.
const GROUP: usize = 2 * TALL;

/// Positions that all rows of a stripe are multiplied with before the next: so many rows of a panel stay in a second-level
/// cache beside the numbers.
const DEEP: usize = 512;

/// The operands of such sums.
pub(super) struct Sums<'a, T> {
    pub(super) stripe: &'a Stripe<'a>,
    /// The numbers of the stripe; 0 where a row sees nothing.
    pub(super) numbers: &'a [T],
    pub(super) right: &'a Panels,
    /// What each row of the result is multiplied with.
    pub(super) factors: &'a [T],
}

impl<T: Lanes> Sums<'_, T> {
    /// Writes them to a view over the batch, rows and columns; through `room`, if what they are written to does not lie in
    /// rows.
    ///
    /// # Safety
    /// The rows that `to` names lie inside `dst`, and nothing else touches them.
    pub(super) unsafe fn write(&self, to: View<'_, T>, dst: &Shared<'_, T>, room: &mut Panels) {
        let (firsts, across) =
            (firsts(self.stripe.sizes, to, self.stripe.rows.clone()), to.strides[to.strides.len() - 1]);
        let step = step(&firsts).filter(|_| across == 1);
        for (panel, columns) in panels(self.right.columns()) {
            match step {
                Some(step) => {
                    let first = dst.as_ptr().wrapping_add(firsts[0] + columns.start);
                    // SAFETY: the rows are those of `firsts`, and these columns of them are ours by the contract of this
                    // function.
                    unsafe { self.write_panel(panel, columns.len(), first, step) };
                }
                None => {
                    let (numbers, width) = room.panel_mut(panel);
                    assert!(firsts.len() * width <= numbers.len(), "there is room for all rows");
                    // SAFETY: the room, which is borrowed mutably, has all rows by the assertion, one after the other.
                    unsafe { self.write_panel(panel, width, numbers.as_mut_ptr(), width) };
                    for (row, first) in numbers.chunks_exact(width).zip(&firsts) {
                        let first = first.wrapping_add_signed(columns.start as isize * across);
                        put(&row[..columns.len()], dst, first, across);
                    }
                }
            }
        }
    }

    /// The first columns of a panel.
    ///
    /// # Safety
    /// As many rows as the stripe has, of so many columns and `step` apart from `to` on, may be written, and nothing else
    /// touches them.
    unsafe fn write_panel(&self, panel: usize, columns: usize, to: *mut T, step: usize) {
        let (rows, all) = (self.stripe.sights.len(), self.stripe.positions());
        let right = self.right.panel::<T>(panel);
        let apart = Stripe::step(self.stripe.positions);
        // The factors as the result lies.
        let mut factors = [T::default(); GROUP * WIDTH];
        for first in (all.start..all.end.max(1)).step_by(DEEP) {
            for top in (0..rows).step_by(GROUP) {
                let count = GROUP.min(rows - top);
                let seen = self.seen(top..top + count);
                let block = seen.start.max(first)..seen.end.min(first + DEEP);
                if block.is_empty() && !seen.is_empty() {
                    continue;
                }
                let is_last = block.end == seen.end;
                if is_last {
                    let rows = factors.chunks_exact_mut(right.width).zip(&self.factors[top..]);
                    rows.take(count).for_each(|(row, &factor)| row.fill(factor));
                }
                let times = [Act::Times(Rows { numbers: &factors[..], step: right.width })];
                let strip = Strip {
                    factor: T::narrow(1.0),
                    rows: count,
                    done: 0,
                    columns,
                    left: Left { numbers: &self.numbers[top * apart + block.start..], row: apart, along: 1 },
                    panel: right.rows(block.clone()),
                    to: to.wrapping_add(top * step),
                    step,
                    adds: block.start > seen.start,
                    ending: if is_last { &times } else { &[] },
                    ahead: Ahead::none(),
                };
                // SAFETY: these are rows of the result, which are ours by the contract of this function.
                unsafe { multiply(&strip) };
            }
        }
    }

    /// The positions from the first to the last that some of the rows see.
    fn seen(&self, rows: Range<usize>) -> Range<usize> {
        let sights = &self.stripe.sights[rows];
        let start = sights.iter().map(|sight| sight.start).min().unwrap_or(0);
        let end = sights.iter().map(|sight| sight.end).max().unwrap_or(0);
        start..end
    }
}

/// How far rows are apart that begin at these places, if they are equally far.
fn step(firsts: &[usize]) -> Option<usize> {
    let [first, second, ..] = *firsts else { return Some(0) };
    let step = second.checked_sub(first)?;
    firsts.windows(2).all(|pair| pair[0].checked_add(step) == Some(pair[1])).then_some(step)
}
