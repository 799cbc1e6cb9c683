//! The product of two matrices in one thread, one of which is brought into panels.
//!
//! Lives here: which products are computed so, and the loops over panels and parts of the sum. The operand that has the
//! axis along which the result lies is packed, 64 of its columns at a time; the other one is read as it lies. An operand
//! along the sum, which `gemm` would pack element by element, is turned. One across the sum is copied row by row if there
//! are many rows to multiply with it: rows that are far apart are asked for before they are copied, and a tail finishes a
//! strip as soon as it is there; `gemm` can do neither. So is one whose rows lie in two steps, for which `gemm` would need
//! a copy or many calls.
//! Not here: panels (`panels`) and what is done with them in registers (`tiles`).

use super::product::{Axis, Product};
use crate::kernel::View;
use crate::kernel::ahead::Ahead;
use crate::kernel::map::Finisher;
use crate::kernel::panels::{WIDTH, copy_rows, panels, width};
use crate::kernel::parallel::{Shared, threads};
use crate::kernel::pool;
use crate::kernel::simd::Lanes;
use crate::kernel::stream::{LINE, lined_up_mut};
use crate::kernel::tiles::{Left, Panel, Strip, multiply};
use crate::kernel::turn::turn;
use std::ops::Range;

/// Terms of a sum whose part of a panel is packed at once: a quarter of a usual second-level cache in `f32`.
const DEPTH: usize = 1024;
/// Rows, columns and terms from which on turning is repaid.
const LEAST: [usize; 3] = [24, 32, 64];
/// Rows, columns and terms from which on copying is repaid: for fewer `gemm` would read the operand as it lies.
const MANY: [usize; 3] = [128, 64, 256];
/// Rows of the result that are computed at once: whole tiles.
const ROWS: usize = 24;
/// What comes next is asked for beside one in so many strips, the last ones: its rows lie thousands of bytes apart, and what
/// came earlier they would put out of the cache again.
const LATE: usize = 4;

/// A product whose result lies along `columns` columns.
pub(super) struct Panelled<'a, T> {
    scale: T,
    rows: usize,
    columns: usize,
    inner: usize,
    /// The operand that is read as it lies, from its first element on.
    left: Left<'a, T>,
    /// The operand that is packed, from its first element on.
    right: (&'a [T], Packing),
    /// From one row of the result to the next.
    step: usize,
}

/// How an operand becomes panels.
#[derive(Clone, Copy, Debug)]
pub(super) enum Packing {
    /// It is turned: its columns are so far apart, and along the sum it has no gaps.
    Turned(usize),
    /// Its rows are copied: those of a block of so many terms are so far apart, and blocks so far.
    Copied { block: usize, step: usize, further: usize },
}

impl<'a, T: Lanes> Product<'a, T> {
    /// The same through panels, if that is worth it.
    pub(super) fn in_panels_if_worth_it(self) -> Self {
        let [tall, wide] = self.sides();
        let least = [tall.axis.size, wide.axis.size, self.terms()];
        let is_read = (tall.across == 1 && tall.inner >= 0) || (tall.inner == 1 && tall.across >= 0);
        let is_large = least.iter().zip(LEAST).all(|(&size, least)| size >= least);
        let is_worth_it = is_read && is_large && tall.axis.dst >= 0 && wide.axis.dst == 1;
        Product { packing: self.panels().filter(|_| is_worth_it), ..self }
    }

    /// How the operand that is not read as it lies becomes panels, if that can be worth it.
    fn panels(&self) -> Option<Packing> {
        let [tall, wide] = self.sides();
        let size = |stride: isize| usize::try_from(stride).ok();
        let Some(outer) = self.outer else {
            let sides = [tall.axis.size, wide.axis.size, self.terms()];
            let is_copied =
                wide.across == 1 && tall.inner == 1 && sides.iter().zip(MANY).all(|(&size, many)| size >= many);
            return match (size(wide.across)?, size(wide.inner)?) {
                (across, 1) if across > 1 => Some(Packing::Turned(across)),
                (_, step) if is_copied => Some(Packing::Copied { block: self.inner.0, step, further: 0 }),
                _ => None,
            };
        };
        // One operand has the two parts of the sum as one, along which it lies.
        let (block, [read, packed]) =
            (self.inner.0, if self.by_columns() { [outer.1, outer.2] } else { [outer.2, outer.1] });
        // One that is read across the sum jumps for each term; `gemm` packs it, part by part.
        let goes_on = tall.inner == 1 && read == block as isize && wide.across == 1;
        let packing = Packing::Copied { block, step: size(wide.inner)?, further: size(packed)? };
        goes_on.then_some(packing)
    }

    /// The operand with the axis along which the result does not lie, and the one with the axis along which it does.
    fn sides(&self) -> [Side<'a, T>; 2] {
        let (_, l_inner, r_inner) = self.inner;
        let left = Side { view: self.lhs, axis: self.rows, across: self.rows.lhs, inner: l_inner };
        let right = Side { view: self.rhs, axis: self.columns, across: self.columns.rhs, inner: r_inner };
        if self.by_columns() { [left, right] } else { [right, left] }
    }

    /// This product or a part of it through panels, for operands that are so far from the first.
    pub(super) fn in_panels(&self, packing: Packing, distances: [isize; 3]) -> Panelled<'a, T> {
        let [tall, wide] = self.sides();
        let [to_tall, to_wide] =
            if self.by_columns() { [distances[0], distances[1]] } else { [distances[1], distances[0]] };
        let from = |side: &Side<'a, T>, distance| &side.view.data[side.view.offset.wrapping_add_signed(distance)..];
        let size = |stride: isize| stride.unsigned_abs();
        Panelled {
            scale: self.scale,
            rows: tall.axis.size,
            columns: wide.axis.size,
            inner: self.terms(),
            left: Left { numbers: from(&tall, to_tall), row: size(tall.across), along: size(tall.inner) },
            right: (from(&wide, to_wide), packing),
            step: size(tall.axis.dst),
        }
    }
}

/// An operand, the axis of the result that it has, and its strides along that one and along the sum.
struct Side<'a, T> {
    view: View<'a, T>,
    axis: Axis,
    across: isize,
    inner: isize,
}

impl<T: Lanes> Panelled<'_, T> {
    /// Computes it, to a result that begins at `first`, and has a tail finish each strip while it is near.
    ///
    /// # Safety
    /// All elements of the result lie inside `dst`, and nothing else touches them.
    pub(super) unsafe fn compute(&self, dst: &Shared<'_, T>, first: usize, mut finisher: Option<&mut Finisher<'_, T>>) {
        let depth = DEPTH.min(self.inner);
        // Of short sums several panels have room, and whole rows of the result are written together.
        let together = (DEPTH / depth.max(1) * WIDTH).min(self.columns);
        let mut room = pool::take(T::KIND, width(together) * depth + LINE / size_of::<T>());
        for start in (0..self.columns).step_by(together) {
            let some = start..self.columns.min(start + together);
            for top in (0..self.inner).step_by(DEPTH) {
                let depth = DEPTH.min(self.inner - top);
                let room = lined_up_mut(T::of_mut(&mut room));
                for (_, columns) in panels(some.len()) {
                    let numbers = &mut room[columns.start * depth..][..width(columns.len()) * depth];
                    self.pack(some.start + columns.start, columns.len(), top, numbers);
                }
                let mut ahead = self.after(some.clone(), top);
                let strips = self.rows.div_ceil(ROWS);
                let late = strips - strips.div_ceil(LATE);
                let share = ahead.left().div_ceil(strips - late);
                for row in (0..self.rows).step_by(ROWS) {
                    let from = &self.left.numbers[row * self.left.row + top * self.left.along..];
                    for (_, columns) in panels(some.len()) {
                        let width = width(columns.len());
                        let first = first + row * self.step + some.start + columns.start;
                        let strip = Strip {
                            factor: self.scale,
                            rows: ROWS.min(self.rows - row),
                            left: Left { numbers: from, ..self.left },
                            panel: Panel { numbers: &room[columns.start * depth..][..width * depth], width },
                            to: dst.as_ptr().wrapping_add(first),
                            step: self.step,
                            adds: top > 0,
                            ahead: ahead.take(if columns.start == 0 && row >= late * ROWS { share } else { 0 }),
                        };
                        let finisher = finisher.as_deref_mut().filter(|_| top + depth == self.inner);
                        // SAFETY: the strip is these rows and columns of the result, which are inside and ours.
                        unsafe { finished(&strip, columns.len(), dst, first, finisher) };
                    }
                }
            }
        }
        pool::give(room);
    }

    /// What is packed after these columns, from the term `top` on: their other terms, then the next columns, and after the
    /// last ones those that this thread comes to if every thread takes a piece as wide as this one in turn. Of a sum in
    /// several blocks, nothing.
    fn after(&self, columns: Range<usize>, top: usize) -> Ahead<'_, T> {
        let (data, packing) = self.right;
        let Packing::Copied { block, step, .. } = packing else { return Ahead::none() };
        if block < self.inner {
            return Ahead::none();
        }
        let (column, top) = match top + DEPTH {
            next if next < self.inner => (columns.start, next),
            _ if columns.end < self.columns => (columns.end, 0),
            _ => (columns.start + self.columns * threads(), 0),
        };
        // A single row may lie any step from others that it does not have.
        let first = top.wrapping_mul(step).wrapping_add(column);
        Ahead::rows(data, [first, step], [DEPTH.min(self.inner - top), columns.len()])
    }

    /// Packs some columns, from the term `top` on.
    fn pack(&self, column: usize, columns: usize, top: usize, to: &mut [T]) {
        let ((data, packing), width) = (self.right, width(columns));
        if columns < width {
            to.fill(T::default());
        }
        match packing {
            Packing::Turned(across) => {
                turn(data, column * across + top, across, [columns, to.len() / width], to, width);
            }
            Packing::Copied { block, step, further } => {
                let mut rest = to;
                let mut term = top;
                while !rest.is_empty() {
                    let (block_start, within) = (term / block * further, term % block);
                    let count = (block - within).min(rest.len() / width);
                    let (to, others) = rest.split_at_mut(count * width);
                    copy_rows(data, [block_start + within * step + column, step], columns, to, width);
                    (rest, term) = (others, term + count);
                }
            }
        }
    }
}

/// A strip of [`ROWS`] rows at most, and what a tail makes of it.
///
/// # Safety
/// Its first `columns` columns, from `first` on, lie inside `dst`, and nothing else touches them.
unsafe fn finished<T: Lanes>(
    strip: &Strip<'_, T>,
    columns: usize,
    dst: &Shared<'_, T>,
    first: usize,
    mut finisher: Option<&mut Finisher<'_, T>>,
) {
    let (step, sides) = (strip.step, [strip.rows, columns]);
    if let Some(finisher) = &mut finisher {
        finisher.expect(first, step, sides);
    }
    if columns == strip.panel.width {
        // SAFETY: the columns are those of the panel, and ours by the contract of this function.
        unsafe { multiply(strip) };
    } else {
        // SAFETY: as above, without the columns that the panel has more.
        unsafe { multiply_narrow(strip, columns, dst, first) };
    }
    if let Some(finisher) = finisher {
        // SAFETY: the same rows and columns, of which all parts of the sum are there.
        unsafe { finisher.tile(first, step, sides, dst) };
    }
}

/// A strip of [`ROWS`] rows at most, whose panel is wider than the result.
///
/// # Safety
/// Its first `columns` columns, from `first` on, lie inside `dst`, and nothing else touches them.
unsafe fn multiply_narrow<T: Lanes>(strip: &Strip<'_, T>, columns: usize, dst: &Shared<'_, T>, first: usize) {
    let mut room = [T::default(); ROWS * WIDTH];
    // SAFETY: the room has as many rows, as wide as a panel.
    unsafe { multiply(&Strip { to: room.as_mut_ptr(), step: WIDTH, adds: false, ..*strip }) };
    for (i, sums) in room.chunks_exact(WIDTH).take(strip.rows).enumerate() {
        // SAFETY: this is a row of the columns, which are ours by the contract of this function.
        let to = unsafe { dst.slice(first + i * strip.step, columns) };
        if strip.adds {
            to.iter_mut().zip(sums).for_each(|(to, &sum)| *to = *to + sum);
        } else {
            to.copy_from_slice(&sums[..columns]);
        }
    }
}
