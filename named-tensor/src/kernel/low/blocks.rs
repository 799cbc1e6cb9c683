//! Products of some rows with a matrix that is far: it is read once, in blocks.
//!
//! A processor follows a few long runs of memory. The rows of a matrix are such runs, the columns of a tile are not: they lie
//! in one place of each row. So all tiles of a block of some rows are computed, from a near cache, while the next block is
//! asked for line after line, as it lies. More rows than a shape has take turns with each block.
//! The sum is taken block by block; how many terms one has follows from the columns of the whole matrix.
//! Lives here: which products these are, and the blocks. Not here: a matrix that is near (`low`), and which columns a thread
//! computes (`matmul::far`).

use super::Low;
use super::tile::{Ask, MOST, Part, high};
use crate::kernel::ahead::fetch_aside_at;
use crate::kernel::simd::Lanes;
use crate::kernel::stream::LINE;
use crate::kernel::vectors::has_many_registers;
use std::borrow::Cow;
use std::ops::Range;

/// Rows for which a matrix is read so: for fewer other loops read it as fast, and for more of them panels repay.
const ROWS: [usize; 2] = [5, 20];
/// Bytes of the matrix from which on it is far: a usual second-level cache, but for the fewest rows, which other loops multiply
/// as fast where the caches of some threads keep it.
const FAR: usize = 1 << 20;
const FAR_FOR_FEWEST: usize = 4 * FAR;
/// Terms and columns from which on there is more than one block.
const LEAST: [usize; 2] = [64, 256];
/// Columns of a block, at most: as long a run as pages of any size like.
const WIDE: usize = 4096;
/// Elements of a block: half of a usual second-level cache in `f32`.
const BLOCK: usize = 128 * 1024;
/// Terms of a block at least, and at most. Its sums are added to those of the block before.
const TERMS: [usize; 2] = [32, 128];

/// Whether a product of so many rows, terms and columns is computed so, where the matrix has its columns side by side.
pub(in crate::kernel) fn is_far<T: Lanes>([rows, terms, columns]: [usize; 3]) -> bool {
    let far = if rows == ROWS[0] { FAR_FOR_FEWEST } else { FAR };
    let is_far = terms.saturating_mul(columns).saturating_mul(size_of::<T>()) > far;
    (ROWS[0]..=ROWS[1]).contains(&rows) && terms >= LEAST[0] && columns >= LEAST[1] && is_far && has_many_registers()
}

/// Terms of a block of a matrix with so many columns.
fn depth(columns: usize) -> usize {
    (BLOCK / columns.min(WIDE)).clamp(TERMS[0], TERMS[1])
}

/// Such a product with its rows packed, in groups of as many as a shape has.
pub(in crate::kernel) struct Blocks<'a, T: Lanes> {
    low: &'a Low<'a, T>,
    groups: Vec<(Range<usize>, Cow<'a, [T]>)>,
}

impl<T: Lanes> Low<'_, T> {
    /// The product in blocks.
    ///
    /// # Panics
    /// If an operand leaves its slice, or if the matrix is not far.
    pub(in crate::kernel) fn in_blocks(&self) -> Blocks<'_, T> {
        let [rows, terms, _] = self.sizes;
        assert!(is_far::<T>(self.sizes), "a product of some rows with a matrix that is far");
        self.check();
        let each = rows.div_ceil(rows.div_ceil(MOST));
        let groups = (0..rows).step_by(each).map(|first| first..rows.min(first + each));
        let groups = groups.map(|group| (group.clone(), self.packed(group.clone(), 0..terms, high(group.len()))));
        Blocks { low: self, groups: groups.collect() }
    }
}

impl<T: Lanes> Blocks<'_, T> {
    /// Computes some columns; the first of these goes to `to`, and the next row begins `step` further on.
    ///
    /// # Safety
    /// All rows of these columns from `to` on may be written, and nothing else touches them.
    ///
    /// # Panics
    /// If there are no such columns.
    pub(in crate::kernel) unsafe fn run(&self, columns: Range<usize>, to: *mut T, step: usize) {
        let [_, terms, all] = self.low.sizes;
        assert!(columns.end <= all, "columns of the matrix");
        let wide = columns.len().div_ceil(columns.len().div_ceil(WIDE).max(1));
        let depth = depth(all);
        let block = |first: usize, top: usize| {
            let some = first..columns.end.min(first + wide);
            (some, top..terms.min(top + depth))
        };
        for first in columns.clone().step_by(wide) {
            for top in (0..terms).step_by(depth) {
                let (some, part) = block(first, top);
                let next = if part.end < terms { block(first, part.end) } else { block(some.end, 0) };
                let mut ask = self.lines(next);
                for (rows, left) in &self.groups {
                    let high = high(rows.len());
                    let part = Part {
                        scale: self.low.scale,
                        sizes: [rows.len(), part.len(), some.len()],
                        left: &left[part.start * high..part.end * high],
                        high,
                        right: &self.low.right[part.start * self.low.down + some.start..],
                        down: self.low.down,
                        ask: &mut ask,
                    };
                    let to = to.wrapping_add(rows.start * step + some.start - columns.start);
                    // SAFETY: these rows and columns of the result are the caller's by the contract of this function; those of
                    // the matrix are inside, as `in_blocks` has found.
                    unsafe { part.compute(top > 0, to, step) };
                }
            }
        }
    }

    /// The lines of a block of these columns and terms, for all groups to ask for.
    fn lines(&self, (columns, terms): (Range<usize>, Range<usize>)) -> Lines<T> {
        let line = LINE / size_of::<T>();
        let each = columns.len().div_ceil(line);
        Lines {
            at: self.low.right.as_ptr().wrapping_add(terms.start * self.low.down + columns.start),
            rows: terms.len(),
            each,
            left: each,
            further: self.low.down.wrapping_sub(each.saturating_sub(1) * line),
            groups: self.groups.len(),
            turn: 0,
        }
    }
}

/// The lines of a block, in the order in which they lie.
struct Lines<T> {
    at: *const T,
    /// How many rows are left, how many lines a row has, and how many of this row are left.
    rows: usize,
    each: usize,
    left: usize,
    /// From the last line of a row to the next row.
    further: usize,
    /// How often the block at hand is read: one term of so many asks for something.
    groups: usize,
    turn: usize,
}

impl<T> Lines<T> {
    /// Asks for one line, and goes on to the next row behind the last one of a row.
    #[inline(always)]
    fn ask_for_one(&mut self) {
        if self.left == 0 {
            return;
        }
        fetch_aside_at(self.at);
        self.left -= 1;
        if self.left > 0 {
            self.at = self.at.wrapping_add(LINE / size_of::<T>());
        } else {
            self.at = self.at.wrapping_add(self.further);
            self.rows -= 1;
            self.left = if self.rows > 0 { self.each } else { 0 };
        }
    }
}

impl<T> Ask<T> for Lines<T> {
    #[inline(always)]
    fn ask<const N: usize>(&mut self, _: usize, _: *const T, _: usize) {
        self.turn += 1;
        if self.turn < self.groups {
            return;
        }
        self.turn = 0;
        // As many lines as registers are read.
        if self.left > N {
            for n in 0..N {
                fetch_aside_at(self.at.wrapping_add(n * (LINE / size_of::<T>())));
            }
            self.at = self.at.wrapping_add(N * (LINE / size_of::<T>()));
            self.left -= N;
        } else {
            (0..N).for_each(|_| self.ask_for_one());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    /// In so many pieces, as threads have them.
    fn in_pieces<T: Lanes>(sizes: [usize; 3], is_across: bool, pieces: usize) {
        check::<T>(sizes, is_across, depth(sizes[2]), |low, to, step| {
            let (blocks, columns) = (low.in_blocks(), sizes[2]);
            let wide = columns.div_ceil(pieces);
            for first in (0..columns).step_by(wide) {
                let some = first..columns.min(first + wide);
                // SAFETY: all rows of the result are inside of the vector of the check, and these are columns of it.
                unsafe { blocks.run(some, to.wrapping_add(first), step) };
            }
        });
    }

    #[test]
    fn every_sum_with_a_matrix_that_is_far_is_taken_block_by_block_whatever_columns_are_computed_with_it() {
        if !has_many_registers() {
            return;
        }
        for rows in ROWS[0]..=ROWS[1] {
            let columns = if rows == ROWS[0] { 1500 } else { 517 };
            in_pieces::<f32>([rows, 1030, columns], rows % 2 == 0, 1);
            in_pieces::<f32>([rows, 705, columns], rows % 2 == 1, 2);
        }
        for pieces in [1, 3] {
            in_pieces::<f32>([6, 70, 4500], false, pieces);
            in_pieces::<f64>([15, 131, 1100], true, pieces);
        }
    }

    #[test]
    fn a_matrix_that_is_near_and_few_or_many_rows_are_left_to_others() {
        assert_eq!(is_far::<f32>([8, 768, 3072]), has_many_registers());
        assert_eq!(is_far::<f64>([8, 400, 400]), has_many_registers(), "numbers of 64 bits take twice as much");
        assert!(!is_far::<f32>([8, 400, 400]), "a second-level cache keeps it");
        assert!(!is_far::<f32>([5, 1000, 1000]), "caches of two threads keep it");
        assert!(!is_far::<f32>([ROWS[0] - 1, 768, 3072]), "few rows");
        assert!(!is_far::<f32>([ROWS[1] + 1, 768, 3072]), "many rows");
        assert!(!is_far::<f32>([8, 20, 30_000]) && !is_far::<f32>([8, 30_000, 20]), "a few terms or columns");
    }
}
