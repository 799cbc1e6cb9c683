//! Products of rows with a panel, in registers of the widest kind at hand.
//!
//! Computes  `to[i, j] += factor · Σₖ left[i, k] panel[k, j]`,  and what ends it: a bias, an activation, a residual.
//! Lives here: operands and result of such a product, and its cut into tiles.
//! Not here: a tile (`tile`), what ends it (`ending`), what a register can do (`simd`), how panels are filled otherwise
//! (`panels`), threads.
//! Each sum is taken in the order of k, each step rounded once, so results depend neither on the width of the registers nor
//! on the rows that a tile has, nor on whether a panel is packed.

mod ending;
#[cfg(test)]
mod tests;
mod tile;
mod unpacked;

use super::ahead::Ahead;
use super::panels::WIDTH;
use super::simd::{Lanes, is_plain};
use super::stream::LINE;
use super::vectors::{self, has_many_registers};
pub(super) use ending::{Act, Ending, end_standing};
use pulp::{Simd, WithSimd};
use std::ops::Range;
pub(super) use tile::some_of;
use tile::{Right, widest};
pub(super) use unpacked::{GROUP, GROUPS, Group, Unpacked, multiply_unpacked};

/// Rows that a caller with a choice takes a multiple of: then no tile is a low one.
pub(super) const ROWS: usize = 4;
/// Rows of most tiles, and those that are computed while a panel is packed.
pub(super) const TALL: usize = 6;

/// Rows of numbers, 64 of them or fewer in each.
#[derive(Clone, Copy)]
pub(super) struct Panel<'a, T> {
    /// From the first number to the last one.
    pub(super) numbers: &'a [T],
    pub(super) width: usize,
    /// From one row to the next.
    pub(super) step: usize,
    /// How many of its columns lie together: all of them, or so many of all rows, then the next so many.
    pub(super) sliver: usize,
}

/// Columns of a sliver: those of a tile where that is narrower than a panel. Of a whole panel a tile would then read a part of
/// each row, and these parts fall on few places of the nearest cache.
pub(super) fn sliver<T>() -> usize {
    let is_panel_wide = vectors::are_none() || has_many_registers();
    if is_panel_wide { WIDTH } else { LINE / size_of::<T>() }
}

impl<'a, T> Panel<'a, T> {
    /// Rows one right after the other.
    pub(super) fn packed(numbers: &'a [T], width: usize) -> Panel<'a, T> {
        Panel { numbers, width, step: width, sliver: width }
    }

    /// Slivers of so many columns one right after the other, and the rows of each.
    pub(super) fn in_slivers(numbers: &'a [T], width: usize, sliver: usize) -> Panel<'a, T> {
        let sliver = sliver.min(width);
        Panel { numbers, width, step: sliver, sliver }
    }

    /// How many rows there are.
    fn depth(&self) -> usize {
        if self.sliver < self.width {
            return self.numbers.len() / self.width;
        }
        self.numbers.len().checked_sub(self.width).map_or(0, |others| others / self.step + 1)
    }

    /// How far the first element of a column is from the first one of all, where there are so many rows.
    #[inline(always)]
    fn place(&self, column: usize, depth: usize) -> usize {
        if self.sliver >= self.width {
            return column;
        }
        column / self.sliver * self.sliver * depth + column % self.sliver
    }

    /// Some of its rows, which lie one right after the other.
    ///
    /// # Panics
    /// If it lies in slivers.
    pub(super) fn rows(self, rows: Range<usize>) -> Panel<'a, T> {
        assert!(self.sliver >= self.width, "a panel in slivers has no rows side by side");
        Panel { numbers: &self.numbers[rows.start * self.width..rows.end * self.width], ..self }
    }
}

/// Rows of numbers side by side: from the first element on, and how far the next row is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a, T> {
    pub(super) numbers: &'a [T],
    pub(super) step: usize,
}

impl<'a, T> Rows<'a, T> {
    /// The first so many elements of so many of them, as a panel.
    pub(super) fn panel(self, rows: usize, width: usize) -> Panel<'a, T> {
        let size = rows.checked_sub(1).map_or(0, |last| last * self.step + width);
        Panel { numbers: &self.numbers[..size], width, step: self.step, sliver: width }
    }

    /// Whether it has so many rows of so many elements.
    pub(super) fn has(&self, rows: usize, size: usize) -> bool {
        let last = rows.checked_sub(1).map(|last| last.checked_mul(self.step).and_then(|last| last.checked_add(size)));
        last.is_none_or(|end| end.is_some_and(|end| end <= self.numbers.len()))
    }
}

/// The left matrix of a product: its first element and the steps along its rows and along the sum.
#[derive(Clone, Copy)]
pub(super) struct Left<'a, T> {
    pub(super) numbers: &'a [T],
    pub(super) row: usize,
    pub(super) along: usize,
}

/// Adds `factor` times the product of `left` and all rows of `panel` to `rows` rows of the width of the panel, which are
/// `step` apart.
///
/// # Panics
/// If an operand is too short.
pub(super) fn accumulate<T: Lanes>(
    factor: T,
    rows: usize,
    left: Left<'_, T>,
    panel: Panel<'_, T>,
    to: &mut [T],
    step: usize,
) {
    inside(factor, rows, left, panel, (to, step), true);
}

/// The same, to rows whose numbers do not matter.
pub(super) fn write<T: Lanes>(
    factor: T,
    rows: usize,
    left: Left<'_, T>,
    panel: Panel<'_, T>,
    to: &mut [T],
    step: usize,
) {
    inside(factor, rows, left, panel, (to, step), false);
}

fn inside<T: Lanes>(
    factor: T,
    rows: usize,
    left: Left<'_, T>,
    panel: Panel<'_, T>,
    (to, step): (&mut [T], usize),
    adds: bool,
) {
    assert!(rows == 0 || (rows - 1) * step + panel.width <= to.len(), "a row of the result leaves its slice");
    let (to, ahead) = (to.as_mut_ptr(), Ahead::none());
    // SAFETY: all rows of the result are inside the slice, which is borrowed mutably.
    unsafe {
        multiply(&Strip {
            factor,
            rows,
            done: 0,
            columns: panel.width,
            left,
            panel,
            to,
            step,
            adds,
            ending: &[],
            ahead,
        });
    };
}

/// A product of rows with a panel.
#[derive(Clone, Copy)]
pub(super) struct Strip<'a, T> {
    pub(super) factor: T,
    pub(super) rows: usize,
    /// How many of the rows are there already.
    pub(super) done: usize,
    /// How many columns the result has: all those of the panel, or the first ones.
    pub(super) columns: usize,
    pub(super) left: Left<'a, T>,
    pub(super) panel: Panel<'a, T>,
    /// The first row of the result, and how far the next one is.
    pub(super) to: *mut T,
    pub(super) step: usize,
    /// Whether the product is added to what the result holds.
    pub(super) adds: bool,
    /// What becomes of the sums before they are stored.
    pub(super) ending: Ending<'a, T>,
    /// What is asked for beside the work.
    pub(super) ahead: Ahead<'a, T>,
}

/// Computes a strip.
///
/// # Safety
/// So many columns of the rows of the result may be written, and nothing else touches them meanwhile.
///
/// # Panics
/// If rows of an operand leave their slice.
pub(super) unsafe fn multiply<T: Lanes>(strip: &Strip<'_, T>) {
    vectors::dispatch(strip);
}

/// Computes a strip of [`TALL`] rows or more whose panel holds nothing yet: it is packed to `to` beside the first rows, which
/// read it where it lies; so the processor computes while it waits for it.
///
/// # Safety
/// As of [`multiply`].
///
/// # Panics
/// If rows of an operand leave their slice.
pub(super) unsafe fn multiply_packing<T: Lanes>(strip: &Strip<'_, T>, from: Rows<'_, T>, to: &mut [T]) {
    vectors::dispatch(Packing { strip, from, to: &mut *to });
    let panel = Panel { numbers: to, ..strip.panel };
    // SAFETY: these are the other rows of the same strip.
    unsafe { multiply(&Strip { done: TALL, panel, ..*strip }) };
}

/// The first rows of a product, and the panel that is packed beside them.
struct Packing<'a, T> {
    strip: &'a Strip<'a, T>,
    from: Rows<'a, T>,
    to: &'a mut [T],
}

impl<T: Lanes> Strip<'_, T> {
    /// Panics unless all operands have so many rows, and registers of so many elements.
    #[inline(always)]
    fn check<S: Simd>(&self, depth: usize) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let Strip { rows, columns, left, panel, .. } = self;
        let last = rows.saturating_sub(1) * left.row + depth.saturating_sub(1) * left.along;
        assert!(*rows == 0 || depth == 0 || last < left.numbers.len(), "a row of the left matrix leaves its slice");
        assert!(panel.width.is_multiple_of(lanes), "whole registers");
        let are_slivers =
            panel.sliver.is_multiple_of(widest::<S>() * lanes) && panel.width.is_multiple_of(panel.sliver);
        assert!(panel.sliver >= panel.width || are_slivers, "whole tiles in whole slivers");
        assert!(*columns <= panel.width, "the result is no wider than the panel");
        let reach = self.ending.iter().all(|act| act.reaches(*rows, *columns));
        assert!(reach, "what ends a product leaves its slice");
    }
}

impl<T: Lanes> WithSimd for Packing<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Packing { strip, from: Rows { numbers, step }, to } = self;
        let width = strip.panel.width;
        let depth = to.len() / width;
        strip.check::<S>(depth);
        assert!(strip.rows >= TALL && self.from.has(depth, width), "a row of the panel leaves its slice");
        assert!(strip.columns == width, "all of the panel is packed");
        let right = Right { numbers, step, depth, packed: to.as_mut_ptr() };
        let mut column = 0;
        while column < width {
            // SAFETY: the assertions above have found all operands inside; the result is ours by the contract of
            // `multiply_packing`, and the panel is borrowed mutably.
            unsafe { strip.tile_at::<S, TALL, true>(simd, [0, column], right, (&mut Ahead::none(), 0)) };
            column += strip.tile_columns::<S>(column);
        }
    }
}

impl<T: Lanes> WithSimd for &Strip<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let &Strip { rows, panel: panel @ Panel { numbers, step, .. }, .. } = self;
        let depth = panel.depth();
        self.check::<S>(depth);
        let right = Right { numbers, step, depth, packed: std::ptr::null_mut() };
        let parts = rows.saturating_sub(self.done).div_ceil(TALL) * depth.div_ceil(LINE / size_of::<T>());
        let mut ahead = self.ahead;
        let at_once = if ahead.left() > 0 { ahead.left().div_ceil(parts.max(1)) } else { 0 };
        // A tile's part of the panel is used for all rows before the next: it may stay in the nearest cache.
        let mut column = 0;
        while column < self.columns {
            let mut row = self.done;
            while row < rows {
                let (place, ahead) = ([row, column], (&mut ahead, at_once));
                // Of several rows none is left over alone: it would wait for its own sums.
                row += match rows - row {
                    _ if const { is_plain::<T, S>() } => {
                        // SAFETY: as below, one row.
                        unsafe { self.tile_at::<S, 1, false>(simd, place, right, ahead) };
                        1
                    }
                    TALL | 10.. => {
                        // SAFETY: so many rows are left, whose elements `check` has found inside; those of the result are ours
                        // by the contract of `multiply`.
                        unsafe { self.tile_at::<S, TALL, false>(simd, place, right, ahead) };
                        TALL
                    }
                    5 | 9 => {
                        // SAFETY: as above, five rows.
                        unsafe { self.tile_at::<S, 5, false>(simd, place, right, ahead) };
                        5
                    }
                    4.. => {
                        // SAFETY: as above, four rows.
                        unsafe { self.tile_at::<S, 4, false>(simd, place, right, ahead) };
                        4
                    }
                    3 => {
                        // SAFETY: as above, three rows.
                        unsafe { self.tile_at::<S, 3, false>(simd, place, right, ahead) };
                        3
                    }
                    2 => {
                        // SAFETY: as above, two rows.
                        unsafe { self.tile_at::<S, 2, false>(simd, place, right, ahead) };
                        2
                    }
                    _ => {
                        // SAFETY: as above, one row.
                        unsafe { self.tile_at::<S, 1, false>(simd, place, right, ahead) };
                        1
                    }
                };
            }
            column += self.tile_columns::<S>(column);
        }
    }
}
