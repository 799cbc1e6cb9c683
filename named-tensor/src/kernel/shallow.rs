//! Products whose sums have a few terms.
//!
//! Computes  `to[i, j] = factor · Σₖ left[i, k] right[k, j]`  for up to [`MOST`] terms: what a weight owes to a few positions,
//! or scores of narrow heads. Each element is stored after a few multiplications, so stores take as long as those. A strip of
//! rows walks through all panels at hand, so that whole rows of the result are written; where the next panel's go is asked
//! for meanwhile. The rows of a strip are packed as well, the numbers of a term side by side: one address does for all of
//! them, and nothing but sums is in registers.
//! Lives here: such a strip. Not here: which products are computed so (`matmul::shallow`), and how panels are filled.
//! A sum is taken from the first term to the last, each step rounded once.

use super::ahead::fetch_at;
use super::low::has_registers;
use super::panels::WIDTH;
use super::simd::{Lanes, is_plain};
use super::tiles::Left;
use super::turn::{Starts, turn};
use super::vectors;
use pulp::{Simd, WithSimd};

/// Terms of a sum, at most: a panel of so many leaves half of the nearest cache to the rest.
pub(super) const MOST: usize = 64;
/// Terms from which on there is something to keep in registers.
pub(super) const LEAST: usize = 2;
/// Rows of a strip: the numbers of a panel are read so often while they are near.
pub(super) const ROWS: usize = 24;
/// Rows of a tile; it has four registers side by side, or two where there are few.
const HIGH: usize = 6;

/// Some rows and panels of such a product.
pub(super) struct Strip<'a, T> {
    pub(super) factor: T,
    /// How many rows, [`ROWS`] at most, terms and columns.
    pub(super) sizes: [usize; 3],
    pub(super) left: Left<'a, T>,
    /// Panels of [`WIDTH`] columns, one after the other, the last one with anything in the columns that there are not.
    pub(super) panels: &'a [T],
    /// The first row of the result, and how far the next one is.
    pub(super) to: *mut T,
    pub(super) step: usize,
}

impl<T: Lanes> Strip<'_, T> {
    /// Elements of the room that a strip of so many terms needs.
    pub(super) fn room(terms: usize) -> usize {
        ROWS * terms
    }

    /// Computes it, with so much room for the rows.
    ///
    /// # Safety
    /// All rows and columns from `to` on may be written, and nothing else touches them.
    ///
    /// # Panics
    /// If an operand leaves its slice, if there is no room, or if registers are too few.
    pub(super) unsafe fn compute(&self, room: &mut [T]) {
        let [rows, terms, columns] = self.sizes;
        let is_strip = (1..=ROWS).contains(&rows) && (LEAST..=MOST).contains(&terms);
        assert!(is_strip && has_registers(), "a strip of a few terms");
        assert!(columns.div_ceil(WIDTH) * WIDTH * terms <= self.panels.len(), "there are panels for all columns");
        let packed = &mut room[..rows.div_ceil(HIGH) * HIGH * terms];
        let Left { numbers, row, along } = self.left;
        for (tile, packed) in packed.chunks_exact_mut(HIGH * terms).enumerate() {
            let (first, count) = (tile * HIGH * row, HIGH.min(rows - tile * HIGH));
            if count < HIGH {
                packed.fill(T::default());
            }
            if row == 1 {
                for (term, packed) in packed.chunks_exact_mut(HIGH).enumerate() {
                    packed[..count].copy_from_slice(&numbers[first + term * along..][..count]);
                }
            } else if along == 1 {
                turn(numbers, Starts::Even(first, row as isize), [count, terms], packed, HIGH);
            } else {
                for (term, packed) in packed.chunks_exact_mut(HIGH).enumerate() {
                    let number = |i: usize| numbers[first + i * row + term * along];
                    packed[..count].iter_mut().enumerate().for_each(|(i, to)| *to = number(i));
                }
            }
        }
        vectors::dispatch(Packed { strip: self, rows: packed });
    }
}

/// A strip and its rows: [`HIGH`] numbers for each term, tile by tile.
struct Packed<'a, T> {
    strip: &'a Strip<'a, T>,
    rows: &'a [T],
}

impl<T: Lanes> WithSimd for Packed<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // Where there are no vectors no product is computed so.
        if const { S::REGISTER_COUNT >= 32 } {
            self.tiles::<S, 4>(simd);
        } else if const { !is_plain::<T, S>() } {
            self.tiles::<S, 2>(simd);
        }
    }
}

impl<T: Lanes> Packed<'_, T> {
    /// All tiles, `N` registers wide.
    #[inline(always)]
    fn tiles<S: Simd, const N: usize>(self, simd: S) {
        let [rows, terms, columns] = self.strip.sizes;
        let each = N * size_of::<T::Register<S>>() / size_of::<T>();
        assert!(WIDTH.is_multiple_of(each), "whole tiles");
        for column in (0..columns).step_by(each) {
            for row in (0..rows).step_by(HIGH) {
                let left = &self.rows[row * terms..];
                let is_whole = rows - row >= HIGH && columns - column >= each;
                if is_whole {
                    // SAFETY: `compute` has packed all rows and found all columns in the panels; there are as many of the result
                    // as a tile has, which are its caller's.
                    unsafe { self.strip.tile::<S, N, false>(simd, [row, column], left) };
                } else {
                    // SAFETY: as above, of those that there are.
                    unsafe { self.strip.tile::<S, N, true>(simd, [row, column], left) };
                }
            }
        }
    }
}

impl<T: Lanes> Strip<'_, T> {
    /// A tile from this row and column on; if `CUT` says so, the rows and columns of it that there are.
    ///
    /// # Safety
    /// There are [`HIGH`] numbers on the left for each term, the columns of a tile in the panel, and those rows and columns of
    /// the result may be written.
    #[inline(always)]
    unsafe fn tile<S: Simd, const N: usize, const CUT: bool>(&self, simd: S, [row, column]: [usize; 2], left: &[T]) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let [rows, terms, columns] = self.sizes;
        let to = self.to.wrapping_add(row * self.step + column);
        let place = |i: usize, n: usize| to.wrapping_add(i * self.step + n * lanes);
        if const { !CUT } {
            for i in 0..HIGH {
                for n in 0..N {
                    // The same rows of the next panel.
                    fetch_at(place(i, n).wrapping_add(WIDTH));
                }
            }
        }
        let mut sums = [[T::splat(simd, T::default()); N]; HIGH];
        let mut left = left.as_ptr();
        let mut right = self.panels.as_ptr().wrapping_add(column / WIDTH * WIDTH * terms + column % WIDTH);
        for _ in 0..terms {
            let mut registers = [T::splat(simd, T::default()); N];
            for (n, register) in registers.iter_mut().enumerate() {
                // SAFETY: the contract of this function; a register is plain numbers, and the read asks for no alignment.
                *register = unsafe { right.wrapping_add(n * lanes).cast::<T::Register<S>>().read_unaligned() };
            }
            for (i, sums) in sums.iter_mut().enumerate() {
                // SAFETY: the contract of this function.
                let x = T::splat(simd, unsafe { *left.wrapping_add(i) });
                for (sum, register) in sums.iter_mut().zip(registers) {
                    *sum = T::fused(simd, x, register, *sum);
                }
            }
            left = left.wrapping_add(HIGH);
            right = right.wrapping_add(WIDTH);
        }
        let factor = T::splat(simd, self.factor);
        for (i, sums) in sums.into_iter().enumerate().take(if CUT { rows - row } else { HIGH }) {
            for (n, sum) in sums.into_iter().enumerate() {
                let sum = T::times(simd, factor, sum);
                if const { CUT } {
                    let some = T::first(simd, (columns - column).saturating_sub(n * lanes));
                    // SAFETY: the mask has no columns but those of the result, which may be written by the contract of this
                    // function.
                    unsafe { T::write(simd, some, place(i, n), sum) };
                } else {
                    // SAFETY: the contract of this function; the store asks for no alignment.
                    unsafe { place(i, n).cast::<T::Register<S>>().write_unaligned(sum) };
                }
            }
        }
    }
}
