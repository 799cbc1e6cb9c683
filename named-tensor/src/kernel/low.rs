//! Products of a few rows with a matrix that lies across the sum: it is read once, where it lies.
//!
//! Computes  `to[i, j] = scale · Σₖ left[i, k] right[k, j]`. All sums of some columns stay in registers while terms go by, so
//! each row of the matrix is read once and nothing of it is packed. The rows are packed: the numbers of a term side by side,
//! zeros for rows that a shape has too many of. Then one address does for all of them.
//! Lives here: a matrix that is near, and which products those are; in `blocks` one that is far, in `tile` what is in registers.
//! Not here: which part of a product a thread computes (`matmul`).
//! A sum is taken from the first term to the last, in parts, whatever columns are computed with it.

pub(super) mod blocks;
mod tile;

use super::ahead::fetch_at;
use super::panels::AHEAD;
use super::simd::Lanes;
use super::turn::{Starts, turn};
use std::borrow::Cow;
use std::ops::Range;
use tile::{Ask, MOST, Part, high};

/// Bytes of a matrix that is near, at most: a usual second-level cache.
const NEAR: usize = 1 << 20;
/// Rows of a matrix that a processor follows all at once, wherever they lie.
const STREAMS: usize = 16;
/// Terms and columns from which on there is something to keep in registers.
const LEAST: [usize; 2] = [4, 16];
/// Elements of a matrix up to which packing the rows costs more than it brings.
const TINY: usize = 32 * 1024;
/// Terms that are taken from the first to the last: longer sums lose digits unless they are taken in parts.
const PART: usize = 1024;

/// Whether a product of so many rows, terms and columns is computed so with a matrix that is near and has its columns side by
/// side.
pub(super) fn is_low<T: Lanes>([rows, terms, columns]: [usize; 3]) -> bool {
    let size = terms.saturating_mul(columns);
    let is_near = size.saturating_mul(size_of::<T>()) <= NEAR || terms <= STREAMS;
    (1..=MOST).contains(&rows) && terms >= LEAST[0] && columns >= LEAST[1] && size > TINY && is_near && has_registers()
}

/// Whether there are wide registers for the shapes.
pub(super) fn has_registers() -> bool {
    #[cfg(target_arch = "x86_64")]
    return !super::vectors::are_none();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// A few rows and a matrix.
pub(super) struct Low<'a, T> {
    pub(super) scale: T,
    /// Rows, terms of a sum, columns.
    pub(super) sizes: [usize; 3],
    pub(super) left: &'a [T],
    /// From row to row and from term to term of `left`.
    pub(super) steps: [usize; 2],
    pub(super) right: &'a [T],
    /// From row to row of `right`.
    pub(super) down: usize,
}

impl<T: Lanes> Low<'_, T> {
    /// Computes the product to rows that begin `step` apart.
    ///
    /// # Safety
    /// All rows and columns from `to` on may be written, and nothing else touches them.
    ///
    /// # Panics
    /// If an operand leaves its slice, or if the product is not low.
    pub(super) unsafe fn run(&self, to: *mut T, step: usize) {
        let [rows, terms, columns] = self.sizes;
        assert!(is_low::<T>(self.sizes), "a product of a few rows with a matrix that is near");
        self.check();
        let high = high(rows);
        for top in (0..terms).step_by(PART) {
            let depth = PART.min(terms - top);
            let left = &self.packed(0..rows, top..top + depth, high)[..];
            let right = &self.right[top * self.down..];
            let ask = &mut Below { depth, down: self.down };
            let part =
                Part { scale: self.scale, sizes: [rows, depth, columns], left, high, right, down: self.down, ask };
            // SAFETY: rows and columns of the result are the caller's by the contract of this function, and what was found above
            // is inside of the operands.
            unsafe { part.compute(top > 0, to, step) };
        }
    }

    /// # Panics
    /// If an operand leaves its slice.
    fn check(&self) {
        let ([rows, terms, columns], [across, along]) = (self.sizes, self.steps);
        assert!((terms - 1) * self.down + columns <= self.right.len(), "a row of the matrix leaves its slice");
        assert!((rows - 1) * across + (terms - 1) * along < self.left.len(), "a row leaves its slice");
    }

    /// Some terms of some rows, `high` numbers for each.
    fn packed(&self, rows: Range<usize>, terms: Range<usize>, high: usize) -> Cow<'_, [T]> {
        let [across, along] = self.steps;
        let from = &self.left[rows.start * across + terms.start * along..];
        let (rows, depth) = (rows.len(), terms.len());
        if high == 1 && along == 1 {
            return Cow::Borrowed(&from[..depth]);
        }
        let mut packed = vec![T::default(); depth * high];
        if along == 1 && rows > 1 {
            turn(from, Starts::Even(0, across as isize), [rows, depth], &mut packed, high);
        } else {
            for (term, to) in packed.chunks_exact_mut(high).enumerate() {
                to.iter_mut().take(rows).enumerate().for_each(|(i, to)| *to = from[i * across + term * along]);
            }
        }
        Cow::Owned(packed)
    }
}

/// The rows of the matrix some terms below those that are read. Below the last row nothing of the matrix is expected: there the
/// first rows of the columns after these are.
struct Below {
    depth: usize,
    down: usize,
}

impl<T> Ask<T> for Below {
    #[inline(always)]
    fn ask<const N: usize>(&mut self, term: usize, from: *const T, lanes: usize) {
        let ahead = AHEAD.min(self.depth);
        let beside = (N * lanes).wrapping_sub(self.down.wrapping_mul(self.depth - ahead));
        let expected = if term + ahead < self.depth { self.down.wrapping_mul(ahead) } else { beside };
        for n in 0..N {
            fetch_at(from.wrapping_add(expected + n * lanes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::Random;

    /// Compares with sums from the first term to the last, in parts of so many, to the last bit; what lies between rows is not
    /// touched.
    pub(super) fn check<T: Lanes>(
        [rows, terms, columns]: [usize; 3],
        is_across: bool,
        depth: usize,
        run: impl Fn(&Low<'_, T>, *mut T, usize),
    ) {
        let mut random = Random::new(8);
        let mut data = |size| -> Vec<T> { random.reals(size).into_iter().map(|x| T::narrow(f64::from(x))).collect() };
        let (down, step) = (columns + 3, columns + 5);
        let steps = if is_across { [1, rows + 1] } else { [terms + 2, 1] };
        let (left, right) = (data((rows + 1) * (terms + 2)), data(terms * down));
        let (scale, unset) = (T::narrow(0.3), T::narrow(7.0));
        let mut out = vec![unset; rows * step];
        let low = Low { scale, sizes: [rows, terms, columns], left: &left, steps, right: &right, down };
        run(&low, out.as_mut_ptr(), step);
        for (i, row) in out.chunks(step).enumerate() {
            for (j, &x) in row.iter().enumerate() {
                let part = |before: T, some: &[usize]| {
                    let term =
                        |sum: T, &k: &usize| right[k * down + j].times_plus(left[i * steps[0] + k * steps[1]], sum);
                    scale.times_plus(some.iter().fold(T::default(), term), before)
                };
                let all: Vec<usize> = (0..terms).collect();
                let sum = if j < columns { all.chunks(depth).fold(T::default(), part) } else { unset };
                assert_eq!(x, sum, "{i}, {j} of {rows} x {terms} x {columns}");
            }
        }
    }

    /// With a matrix that is near.
    fn check_near<T: Lanes>(sizes: [usize; 3], is_across: bool) {
        // SAFETY: all rows of the result are inside of the vector of the check.
        check::<T>(sizes, is_across, PART, |low, to, step| unsafe { low.run(to, step) });
    }

    #[test]
    fn every_sum_of_a_few_rows_is_taken_from_the_first_term_to_the_last_in_parts() {
        if !has_registers() {
            return;
        }
        for rows in 1..=MOST {
            for (terms, columns) in [(700, 47), (400, 129), (2100, 17), (PART, 33), (5, 8192)] {
                check_near::<f32>([rows, terms, columns], false);
                check_near::<f32>([rows, terms, columns], true);
                if is_low::<f64>([rows, terms, columns]) {
                    check_near::<f64>([rows, terms, columns], rows % 2 == 0);
                }
            }
        }
    }

    #[test]
    fn many_rows_and_a_matrix_that_is_small_or_far_are_left_to_others() {
        assert!(!is_low::<f32>([MOST + 1, 300, 300]), "too many rows");
        assert!(!is_low::<f32>([0, 300, 300]), "no rows");
        assert!(!is_low::<f32>([3, 100, 77]), "the matrix is small");
        assert!(!is_low::<f32>([3, 10_000, 7]), "few columns");
        assert!(!is_low::<f32>([3, 768, 3072]), "the matrix is larger than a second-level cache");
        assert!(!is_low::<f64>([3, 400, 400]), "numbers of 64 bits take twice as much");
        assert_eq!(
            is_low::<f32>([3, 7, 60_000]),
            has_registers(),
            "a few rows of a matrix, of any size, are read in step"
        );
        assert_eq!(is_low::<f32>([3, 400, 400]), has_registers(), "it is near");
    }
}
