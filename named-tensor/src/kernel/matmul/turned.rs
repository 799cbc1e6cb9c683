//! Products with an operand that is turned around first.
//!
//! Lives here: which operand is, and how much of it at a time. Rows that lie across the sum bring a line of memory for each
//! term, of which a tile needs a few numbers; the others are wanted by the next tiles. If the lines of a row are a multiple of
//! a page apart, as in a matrix that is 1024 wide, they all fall on a few places of the caches, which then keep none of them:
//! such a product takes twice as long. Not here: the copy (`copy`), and the product that follows (`panelled`).

use super::product::{Axis, CACHE, Product, is_large};
use crate::element::Buffer;
use crate::kernel::copy::copy_into;
use crate::kernel::pool;
use crate::kernel::simd::Lanes;
use crate::kernel::stream::LINE;
use crate::kernel::{View, ViewMut};
use std::ops::Range;

/// Rows and terms from which on turning is repaid.
const LEAST: [usize; 2] = [64, 256];
/// Columns from which on it is, of an operand that no cache keeps, and of any other that is larger than [`CACHE`].
const WIDE: [usize; 2] = [256, 896];
/// Bytes after which addresses come to the same places of it.
const PLACES: usize = 64 << 10;
/// Bytes of an operand that are turned around at once, if those of [`LEAST`] rows are no more: they stay in a third-level cache.
/// Less in tests, so that they come to a second block.
const BLOCK: usize = if cfg!(test) { 128 << 10 } else { 8 << 20 };

/// An operand whose rows lie across the sum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turned {
    /// How many rows are turned around at once.
    pub(super) rows: usize,
    /// From one of these rows to the next, once they are turned: never a multiple of a page.
    step: usize,
}

impl Turned {
    /// The rows of a product that are turned around, block by block.
    pub(super) fn blocks<T>(self, product: &Product<'_, T>) -> impl Iterator<Item = Range<usize>> {
        let [tall, _] = product.tall_and_wide();
        (0..tall.size).step_by(self.rows).map(move |top| top..tall.size.min(top + self.rows))
    }
}

impl<'a, T: Lanes> Product<'a, T> {
    /// How the operand that has the axis along which the result does not lie is turned around, if that is repaid.
    pub(super) fn turned(&self) -> Option<Turned> {
        let (terms, [tall, wide]) = (self.terms(), self.tall_and_wide());
        let (across, along) = self.strides_of_tall();
        let apart = along.unsigned_abs().saturating_mul(size_of::<T>());
        // The lines of a row fall on one place in so many bytes, and as many of them have room as that leaves of the cache.
        let places = 1 << apart.trailing_zeros().clamp(LINE.ilog2(), PLACES.ilog2());
        let is_lost = terms >= CACHE / places;
        let is_wide = (is_lost && wide.size >= WIDE[0]) || (is_large::<T>([tall.size, terms]) && wide.size >= WIDE[1]);
        let is_high = tall.size >= LEAST[0] && terms >= LEAST[1];
        let is_worth_it = self.outer.is_none() && across == 1 && along > 1 && is_wide && is_high;
        let step = terms.next_multiple_of(64) + 16;
        let rows = (BLOCK / size_of::<T>() / step).max(LEAST[0]).min(tall.size);
        is_worth_it.then_some(Turned { rows, step })
    }

    /// Some rows of this product, with room for that operand.
    pub(super) fn room(&self, turned: Turned) -> Buffer {
        pool::take(T::KIND, turned.rows * turned.step)
    }

    /// Those rows of this product, for operands that begin at their offsets, with that operand turned around; and how far
    /// the results are from the first.
    pub(super) fn turn<'b>(&self, turned: Turned, rows: Range<usize>, room: &'b mut Buffer) -> (Product<'b, T>, isize)
    where
        'a: 'b,
    {
        let (part, distances) = if self.by_columns() {
            self.part(rows.clone(), 0..self.columns.size)
        } else {
            self.part(0..self.rows.size, rows.clone())
        };
        let (across, along) = self.strides_of_tall();
        let (view, distance) = if self.by_columns() { (self.lhs, distances[0]) } else { (self.rhs, distances[1]) };
        let from = View { offset: view.offset.wrapping_add_signed(distance), strides: &[across, along], ..view };
        let step = turned.step as isize;
        let to = &mut T::of_mut(room)[..rows.len() * turned.step];
        copy_into(&[rows.len(), self.terms()], from, ViewMut { data: &mut *to, offset: 0, strides: &[step, 1] });
        let numbers = View { data: &*to, offset: 0, strides: &[] };
        let (terms, l_inner, r_inner) = self.inner;
        let part = if self.by_columns() {
            let rows = Axis { lhs: step, ..part.rows };
            Product { lhs: numbers, rows, inner: (terms, 1, r_inner), ..part }
        } else {
            let columns = Axis { rhs: step, ..part.columns };
            Product { rhs: numbers, columns, inner: (terms, l_inner, 1), ..part }
        };
        (part, distances[2])
    }
}

impl<T> Product<'_, T> {
    /// The axis along which the result does not lie, and the one along which it does.
    fn tall_and_wide(&self) -> [Axis; 2] {
        if self.by_columns() { [self.rows, self.columns] } else { [self.columns, self.rows] }
    }

    /// The strides of the operand that has the former, along that axis and along the sum.
    fn strides_of_tall(&self) -> (isize, isize) {
        let (_, l_inner, r_inner) = self.inner;
        if self.by_columns() { (self.rows.lhs, l_inner) } else { (self.columns.rhs, r_inner) }
    }
}
