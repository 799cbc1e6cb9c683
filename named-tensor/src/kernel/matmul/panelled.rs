//! The product of two matrices in one thread, one of which is brought into panels.
//!
//! Lives here: which products are computed so, and the loops over panels and parts of the sum. The operand that has the
//! axis along which the result lies is packed, 64 of its columns at a time; the other one is read as it lies. An operand
//! along the sum, which `gemm` would pack element by element, is turned. One across the sum is copied row by row if there
//! are many rows to multiply with it: the first of them are computed while it is copied, and a tail finishes sums in
//! registers or a strip as soon as it is there; `gemm` can do neither. So is one whose rows lie in two steps, for which
//! `gemm` would need a copy or many calls. For some dozens of rows it is not copied, and read where it lies.
//! Not here: how panels are filled (`packing`), and what is done with them in registers (`tiles`).

use super::packing::{DEPTH, Packing, Right};
use super::pieces::together;
use super::product::{Axis, FEW_OF_LARGE, Product, is_large};
use crate::kernel::View;
use crate::kernel::ahead::is_free_beside_products;
use crate::kernel::map::Finisher;
use crate::kernel::panels::{WIDTH, panels, width};
use crate::kernel::parallel::Shared;
use crate::kernel::pool;
use crate::kernel::simd::Lanes;
use crate::kernel::stream::{LINE, lined_up_mut};
use crate::kernel::tiles::{Left, Panel, Strip, TALL, multiply, multiply_packing};
use std::ops::Range;

/// Rows, columns and terms from which on turning is repaid.
const LEAST: [usize; 3] = [8, 32, 64];
/// Rows, columns and terms from which on panels are repaid where both operands lie along the rows of their matrices: for fewer
/// `gemm` is as fast.
const MANY: [usize; 3] = [48, 64, 64];
/// The same for an operand that is larger than a second-level cache. `gemm` would wait for each of its rows; here those that
/// come next are asked for. Fewer rows do with reading it once (`few`).
const MANY_OF_LARGE: [usize; 3] = [FEW_OF_LARGE + 1, 64, 64];
/// Rows up to which a panel is not packed: they are read where they lie, if they stay in the caches there and what comes next is
/// asked for beside them. Where nothing is, every six rows wait for the panel again.
const LYING: usize = 64;
/// Rows whose distance is a multiple of this fall on so few places of the caches that they do not stay.
const FAR: usize = 16 << 10;
/// Rows of the result that are computed at once: whole tiles.
pub(super) const ROWS: usize = 24;
/// What comes next is asked for beside one in so many strips, the last ones: its rows lie thousands of bytes apart, and what
/// came earlier they would put out of the cache again.
const LATE: usize = 4;

/// A product whose result lies along the columns of the packed operand.
pub(super) struct Panelled<'a, T> {
    pub(super) scale: T,
    pub(super) rows: usize,
    /// The operand that is read as it lies, from its first element on.
    pub(super) left: Left<'a, T>,
    /// The operand that is packed.
    pub(super) right: Right<'a, T>,
    /// From one row of the result to the next.
    pub(super) step: usize,
    /// Whether it is computed in strips of a few terms.
    pub(super) in_strips: bool,
}

impl<'a, T: Lanes> Product<'a, T> {
    /// The same through panels, if that is worth it.
    pub(super) fn in_panels_if_worth_it(self) -> Self {
        if self.packing.is_some() {
            return self;
        }
        let [tall, wide] = self.sides();
        let least = [tall.axis.size, wide.axis.size, self.terms()];
        let is_read = (tall.across == 1 && tall.inner >= 0) || (tall.inner == 1 && tall.across >= 0);
        let is_large = least.iter().zip(LEAST).all(|(&size, least)| size >= least);
        let is_worth_it = is_read && is_large && tall.axis.dst >= 0 && wide.axis.dst == 1;
        Product { packing: self.panels().filter(|_| is_worth_it), ..self }
    }

    /// How the operand that is not read as it lies becomes panels, if that can be worth it.
    fn panels(&self) -> Option<Packing<'a>> {
        let [tall, wide] = self.sides();
        let size = |stride: isize| usize::try_from(stride).ok();
        let Some(outer) = self.outer else {
            let sides = [tall.axis.size, wide.axis.size, self.terms()];
            let many = if is_large::<T>([sides[1], sides[2]]) { MANY_OF_LARGE } else { MANY };
            let is_copied =
                wide.across == 1 && tall.inner == 1 && sides.iter().zip(many).all(|(&size, many)| size >= many);
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
    pub(super) fn sides(&self) -> [Side<'a, T>; 2] {
        let (_, l_inner, r_inner) = self.inner;
        let left = Side { view: self.lhs, axis: self.rows, across: self.rows.lhs, inner: l_inner };
        let right = Side { view: self.rhs, axis: self.columns, across: self.columns.rhs, inner: r_inner };
        if self.by_columns() { [left, right] } else { [right, left] }
    }

    /// This product or a part of it through panels, for operands that are so far from the first.
    pub(super) fn in_panels(&self, packing: Packing<'a>, distances: [isize; 3]) -> Panelled<'a, T> {
        let [tall, wide] = self.sides();
        let [to_tall, to_wide] =
            if self.by_columns() { [distances[0], distances[1]] } else { [distances[1], distances[0]] };
        let from = |side: &Side<'a, T>, distance| &side.view.data[side.view.offset.wrapping_add_signed(distance)..];
        let size = |stride: isize| stride.unsigned_abs();
        Panelled {
            scale: self.scale,
            rows: tall.axis.size,
            left: Left { numbers: from(&tall, to_tall), row: size(tall.across), along: size(tall.inner) },
            right: Right { numbers: from(&wide, to_wide), packing, columns: wide.axis.size, inner: self.terms() },
            step: size(tall.axis.dst),
            in_strips: self.in_strips,
        }
    }
}

/// An operand, the axis of the result that it has, and its strides along that one and along the sum.
pub(super) struct Side<'a, T> {
    view: View<'a, T>,
    pub(super) axis: Axis,
    pub(super) across: isize,
    pub(super) inner: isize,
}

impl<T: Lanes> Panelled<'_, T> {
    /// Whether panels are read where they lie, and not packed.
    fn reads_as_it_lies(&self) -> bool {
        let Packing::Copied { step, .. } = self.right.packing else { return false };
        // Of a sum in several parts a panel that is packed is nearer when its turn comes.
        self.rows <= LYING
            && self.right.inner <= DEPTH
            && !step.wrapping_mul(size_of::<T>()).is_multiple_of(FAR)
            && is_free_beside_products()
    }

    /// Computes it, to a result that begins at `first`, and has a tail finish each strip while it is near.
    ///
    /// # Safety
    /// All elements of the result lie inside `dst`, and nothing else touches them.
    pub(super) unsafe fn compute(&self, dst: &Shared<'_, T>, first: usize, mut finisher: Option<&mut Finisher<'_, T>>) {
        let right = self.right;
        if self.in_strips {
            // SAFETY: the contract of this function.
            return unsafe { self.compute_in_strips(dst, first) };
        }
        if let Packing::Lying(lying, start) = right.packing {
            // SAFETY: the contract of this function.
            return unsafe { self.compute_unpacked((lying, start), dst, first, finisher) };
        }
        let Right { columns, inner, .. } = right;
        let depth = DEPTH.min(inner);
        let reads_as_it_lies = self.reads_as_it_lies();
        // Of short sums several panels have room, and whole rows of the result are written together.
        let count = (DEPTH / depth.max(1)).max(together::<T>(self.rows, inner));
        let together = (count * WIDTH).min(columns);
        let mut room = pool::take(T::KIND, width(together) * depth + LINE / size_of::<T>());
        for start in (0..columns).step_by(together) {
            let some = start..columns.min(start + together);
            for top in (0..inner).step_by(DEPTH) {
                let depth = DEPTH.min(inner - top);
                let room = lined_up_mut(T::of_mut(&mut room));
                let beside = |columns: &Range<usize>| {
                    right.as_it_lies(some.start + columns.start, columns.len(), top).filter(|_| self.rows >= TALL)
                };
                for (_, columns) in panels(some.len()).filter(|(_, columns)| beside(columns).is_none()) {
                    let width = width(columns.len());
                    let numbers = &mut room[columns.start * depth..][..width * depth];
                    right.pack(some.start + columns.start, columns.len(), top, numbers, [width, right.sliver()]);
                }
                let mut ahead = right.after(some.clone(), top);
                let strips = self.rows.div_ceil(ROWS);
                let late = if reads_as_it_lies { 0 } else { strips - strips.div_ceil(LATE) };
                let share = ahead.left().div_ceil(strips - late);
                for row in (0..self.rows).step_by(ROWS) {
                    let from = &self.left.numbers[row * self.left.row + top * self.left.along..];
                    for (_, columns) in panels(some.len()) {
                        let width = width(columns.len());
                        let numbers = &mut room[columns.start * depth..][..width * depth];
                        let (panel, unpacked) = match beside(&columns) {
                            Some(rows) if reads_as_it_lies => (rows.panel(depth, width), None),
                            Some(rows) if row == 0 => {
                                (Panel::in_slivers(&[], width, right.sliver()), Some((rows, numbers)))
                            }
                            _ => (Panel::in_slivers(numbers, width, right.sliver()), None),
                        };
                        let first = first + row * self.step + some.start + columns.start;
                        let strip = Strip {
                            factor: self.scale,
                            rows: ROWS.min(self.rows - row),
                            done: 0,
                            columns: columns.len(),
                            left: Left { numbers: from, ..self.left },
                            panel,
                            to: dst.as_ptr().wrapping_add(first),
                            step: self.step,
                            adds: top > 0,
                            ending: &[],
                            ahead: ahead.take(if columns.start == 0 && row >= late * ROWS { share } else { 0 }),
                        };
                        let finisher = finisher.as_deref_mut().filter(|_| top + depth == inner);
                        let compute = |strip: &Strip<'_, T>| match unpacked {
                            // SAFETY: the strip is these rows and columns of the result, which are inside and ours.
                            Some((from, to)) => unsafe { multiply_packing(strip, from, to) },
                            // SAFETY: as above.
                            None => unsafe { multiply(strip) },
                        };
                        // SAFETY: as above.
                        unsafe { finished(&strip, compute, dst, first, finisher) };
                    }
                }
            }
        }
        pool::give(room);
    }
}

/// A strip of [`ROWS`] rows at most, which `compute` computes with the ending that it has, and what a tail makes of it.
///
/// # Safety
/// Its columns, from `first` on, lie inside `dst`, and nothing else touches them.
pub(super) unsafe fn finished<T: Lanes>(
    strip: &Strip<'_, T>,
    compute: impl FnOnce(&Strip<'_, T>),
    dst: &Shared<'_, T>,
    first: usize,
    mut finisher: Option<&mut Finisher<'_, T>>,
) {
    let (step, sides) = (strip.step, [strip.rows, strip.columns]);
    if let Some(ending) = finisher.as_mut().and_then(|finisher| finisher.ending(first, step, sides)) {
        return compute(&Strip { ending: &ending, ..*strip });
    }
    if let Some(finisher) = &mut finisher {
        finisher.expect(first, step, sides);
    }
    compute(strip);
    if let Some(finisher) = finisher {
        // SAFETY: the same rows and columns, of which all parts of the sum are there.
        unsafe { finisher.tile(first, step, sides, dst) };
    }
}
