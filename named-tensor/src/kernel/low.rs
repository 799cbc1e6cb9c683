//! Products of a few rows with a matrix that lies across the sum and is near: it is read once, where it lies.
//!
//! Computes  `to[i, j] = scale · Σₖ left[i, k] right[k, j]`  for up to [`MOST`] rows. All sums of some columns stay in registers
//! while the whole sum goes by, so each row of the matrix is read once and nothing of it is packed. The rows are packed: the
//! numbers of a term side by side, zeros for rows that a shape has too many of. Then one address does for all of them.
//! Lives here: which products these are, and the shapes. Not here: which part of a product a thread computes (`matmul`).
//! A sum is taken from the first term to the last, in parts of [`PART`], whatever columns are computed with it.

use super::ahead::fetch_at;
use super::panels::AHEAD;
use super::simd::Lanes;
use super::turn::{Starts, turn};
use super::vectors;
use pulp::{Simd, WithSimd};
use std::borrow::Cow;

/// Rows of the highest shape.
const MOST: usize = 14;
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

/// Whether a product of so many rows, terms and columns is computed so, where the matrix has its columns side by side.
pub(super) fn is_low<T: Lanes>([rows, terms, columns]: [usize; 3]) -> bool {
    let size = terms.saturating_mul(columns);
    let is_near = size.saturating_mul(size_of::<T>()) <= NEAR || terms <= STREAMS;
    (1..=MOST).contains(&rows) && terms >= LEAST[0] && columns >= LEAST[1] && size > TINY && is_near && has_registers()
}

/// Whether there are registers enough for the shapes, and wide ones.
pub(super) fn has_registers() -> bool {
    #[cfg(target_arch = "x86_64")]
    return vectors::of_512().is_some();
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
        assert!((terms - 1) * self.down + columns <= self.right.len(), "a row of the matrix leaves its slice");
        let [across, along] = self.steps;
        assert!((rows - 1) * across + (terms - 1) * along < self.left.len(), "a row leaves its slice");
        let high = high(rows);
        for top in (0..terms).step_by(PART) {
            let depth = PART.min(terms - top);
            let left = self.packed(top, depth, high);
            let right = &self.right[top * self.down..];
            vectors::dispatch(Part { low: self, left: &left, high, right, depth, adds: top > 0, to, step });
        }
    }

    /// Some terms of all rows, `high` numbers for each.
    fn packed(&self, top: usize, depth: usize, high: usize) -> Cow<'_, [T]> {
        let ([rows, ..], [across, along]) = (self.sizes, self.steps);
        let from = &self.left[top * along..];
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

/// Rows of the shape for so many.
fn high(rows: usize) -> usize {
    if rows == 1 { 1 } else { rows.next_multiple_of(2) }
}

/// Some terms of a product.
struct Part<'a, T> {
    low: &'a Low<'a, T>,
    /// `high` numbers for each term.
    left: &'a [T],
    high: usize,
    right: &'a [T],
    depth: usize,
    /// Whether the sums are added to what is there.
    adds: bool,
    to: *mut T,
    step: usize,
}

impl<T: Lanes> WithSimd for Part<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // As many registers for sums as there are, but for those of a term.
        if const { S::REGISTER_COUNT >= 32 } {
            match self.high {
                1 => self.shape::<S, 1, 8>(simd),
                2 => self.shape::<S, 2, 8>(simd),
                4 => self.shape::<S, 4, 6>(simd),
                6 => self.shape::<S, 6, 4>(simd),
                8 => self.shape::<S, 8, 3>(simd),
                10 => self.shape::<S, 10, 2>(simd),
                12 => self.shape::<S, 12, 2>(simd),
                _ => self.shape::<S, MOST, 2>(simd),
            }
        }
    }
}

impl<T: Lanes> Part<'_, T> {
    /// All columns, `N` registers of them at a time.
    #[inline(always)]
    fn shape<S: Simd, const R: usize, const N: usize>(&self, simd: S) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        assert!(self.left.len() == R * self.depth, "so many numbers for each term");
        for column in (0..self.low.sizes[2]).step_by(N * lanes) {
            // SAFETY: `run` has found so many rows and columns of the matrix inside of its slice, those of the result are its
            // caller's, and the numbers of the rows were counted.
            unsafe { self.tile::<S, R, N>(simd, column) };
        }
    }

    /// `N` registers of columns from this one on; those that the product does not have are neither read nor written.
    ///
    /// # Safety
    /// There are `R` numbers on the left for each term, all columns of the product in each row of the matrix, and they may be
    /// written in each row of the result.
    #[inline(always)]
    unsafe fn tile<S: Simd, const R: usize, const N: usize>(&self, simd: S, column: usize) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let [rows, _, columns] = self.low.sizes;
        let mut some = [T::first(simd, 0); N];
        for (n, some) in some.iter_mut().enumerate() {
            *some = T::first(simd, (columns - column).saturating_sub(n * lanes));
        }
        let mut sums = [[T::splat(simd, T::default()); N]; R];
        let (mut left, mut right) = (self.left.as_ptr(), self.right.as_ptr().wrapping_add(column));
        // Below the last row nothing of the matrix is expected: there the first rows of the columns after these are.
        let ahead = AHEAD.min(self.depth);
        let below = self.low.down.wrapping_mul(ahead);
        let beside = (N * lanes).wrapping_sub(self.low.down.wrapping_mul(self.depth - ahead));
        for term in 0..self.depth {
            let mut registers = [T::splat(simd, T::default()); N];
            let expected = if term + ahead < self.depth { below } else { beside };
            for (n, register) in registers.iter_mut().enumerate() {
                let from = right.wrapping_add(n * lanes);
                fetch_at(from.wrapping_add(expected));
                // SAFETY: the contract of this function; the mask has no columns but those of the product.
                *register = unsafe { T::read(simd, some[n], from) };
            }
            for (i, sums) in sums.iter_mut().enumerate() {
                // SAFETY: the contract of this function.
                let x = T::splat(simd, unsafe { *left.wrapping_add(i) });
                for (sum, register) in sums.iter_mut().zip(registers) {
                    *sum = T::fused(simd, x, register, *sum);
                }
            }
            left = left.wrapping_add(R);
            right = right.wrapping_add(self.low.down);
        }
        let scale = T::splat(simd, self.low.scale);
        for (i, sums) in sums.into_iter().enumerate().take(rows) {
            for (n, sum) in sums.into_iter().enumerate() {
                let to = self.to.wrapping_add(i * self.step + column + n * lanes);
                let before = if self.adds {
                    // SAFETY: the contract of this function, as above; the part before has written there.
                    unsafe { T::read(simd, some[n], to) }
                } else {
                    T::splat(simd, T::default())
                };
                // SAFETY: as above.
                unsafe { T::write(simd, some[n], to, T::fused(simd, scale, sum, before)) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::Random;

    /// Compares with sums from the first term to the last, part by part, to the last bit; what lies between rows is not touched.
    fn check<T: Lanes>([rows, terms, columns]: [usize; 3], is_across: bool) {
        let mut random = Random::new(8);
        let mut data = |size| -> Vec<T> { random.reals(size).into_iter().map(|x| T::narrow(f64::from(x))).collect() };
        let (down, step) = (columns + 3, columns + 5);
        let steps = if is_across { [1, rows + 1] } else { [terms + 2, 1] };
        let (left, right) = (data((rows + 1) * (terms + 2)), data(terms * down));
        let (scale, unset) = (T::narrow(0.3), T::narrow(7.0));
        let mut out = vec![unset; rows * step];
        let low = Low { scale, sizes: [rows, terms, columns], left: &left, steps, right: &right, down };
        // SAFETY: all rows of the result are inside of the vector, which is ours.
        unsafe { low.run(out.as_mut_ptr(), step) };
        for (i, row) in out.chunks(step).enumerate() {
            for (j, &x) in row.iter().enumerate() {
                let part = |before: T, some: &[usize]| {
                    let term =
                        |sum: T, &k: &usize| right[k * down + j].times_plus(left[i * steps[0] + k * steps[1]], sum);
                    scale.times_plus(some.iter().fold(T::default(), term), before)
                };
                let all: Vec<usize> = (0..terms).collect();
                let sum = if j < columns { all.chunks(PART).fold(T::default(), part) } else { unset };
                assert_eq!(x, sum, "{i}, {j} of {rows} x {terms} x {columns}");
            }
        }
    }

    #[test]
    fn every_sum_of_a_few_rows_is_taken_from_the_first_term_to_the_last_in_parts() {
        if !has_registers() {
            return;
        }
        for rows in 1..=MOST {
            for (terms, columns) in [(700, 47), (400, 129), (2100, 17), (PART, 33), (5, 8192)] {
                check::<f32>([rows, terms, columns], false);
                check::<f32>([rows, terms, columns], true);
                if is_low::<f64>([rows, terms, columns]) {
                    check::<f64>([rows, terms, columns], rows % 2 == 0);
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
