//! A tile of a product of a few rows: its sums stay in registers while the terms go by.
//!
//! Lives here: the shapes, and their loop. Not here: which rows, terms and columns are computed together (`low`, `blocks`).

use crate::kernel::simd::{Lanes, is_plain};
use crate::kernel::tiles::some_of;
use crate::kernel::vectors;
use pulp::{Simd, WithSimd};

/// Rows of the highest shape.
pub(super) const MOST: usize = 14;

/// Rows of the shape for so many.
pub(super) fn high(rows: usize) -> usize {
    if rows == 1 { 1 } else { rows.next_multiple_of(2) }
}

/// What is asked for while a tile is computed.
pub(super) trait Ask<T> {
    /// Asks for some of it, beside this term of a tile of `N` registers with so many lanes, whose numbers begin at `from`.
    fn ask<const N: usize>(&mut self, term: usize, from: *const T, lanes: usize);
}

/// Some rows, terms and columns of a product.
pub(super) struct Part<'a, T, A> {
    pub(super) scale: T,
    /// Rows, terms, columns.
    pub(super) sizes: [usize; 3],
    /// `high` numbers for each term.
    pub(super) left: &'a [T],
    pub(super) high: usize,
    pub(super) right: &'a [T],
    /// From row to row of `right`.
    pub(super) down: usize,
    pub(super) ask: &'a mut A,
}

impl<T: Lanes, A: Ask<T>> Part<'_, T, A> {
    /// Computes it to rows that begin `step` apart, or adds it to them.
    ///
    /// # Safety
    /// All rows and columns from `to` on may be written, and nothing else touches them; those of the matrix are in `right`.
    pub(super) unsafe fn compute(self, adds: bool, to: *mut T, step: usize) {
        assert_eq!(self.left.len(), self.high * self.sizes[1], "so many numbers for each term");
        vectors::dispatch(Tiles { part: self, adds, to, step });
    }
}

/// The tiles of a part, and where they go.
struct Tiles<'a, T, A> {
    part: Part<'a, T, A>,
    adds: bool,
    to: *mut T,
    step: usize,
}

impl<T: Lanes, A: Ask<T>> WithSimd for Tiles<'_, T, A> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        // As many registers for sums as there are, but for those of a term.
        if const { S::REGISTER_COUNT >= 32 } {
            match self.part.high {
                1 => self.shape::<S, 1, 8>(simd),
                2 => self.shape::<S, 2, 8>(simd),
                4 => self.shape::<S, 4, 6>(simd),
                6 => self.shape::<S, 6, 4>(simd),
                8 => self.shape::<S, 8, 3>(simd),
                10 => self.shape::<S, 10, 2>(simd),
                12 => self.shape::<S, 12, 2>(simd),
                _ => self.shape::<S, MOST, 2>(simd),
            }
        } else if const { !is_plain::<T, S>() } {
            match self.part.high {
                1 => self.shape::<S, 1, 8>(simd),
                2 => self.shape::<S, 2, 4>(simd),
                4 => self.shape::<S, 4, 3>(simd),
                6 => self.shape::<S, 6, 2>(simd),
                8 => self.shape::<S, 8, 1>(simd),
                10 => self.shape::<S, 10, 1>(simd),
                12 => self.shape::<S, 12, 1>(simd),
                _ => self.shape::<S, MOST, 1>(simd),
            }
        }
    }
}

impl<T: Lanes, A: Ask<T>> Tiles<'_, T, A> {
    /// All columns, `N` registers of them at a time.
    #[inline(always)]
    fn shape<S: Simd, const R: usize, const N: usize>(&mut self, simd: S) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        assert_eq!(self.part.high, R, "so many numbers for each term");
        for column in (0..self.part.sizes[2]).step_by(N * lanes) {
            // With many registers masks are apart from them, and cost nothing.
            if const { S::REGISTER_COUNT < 32 } && self.part.sizes[2] - column >= N * lanes {
                // SAFETY: as below; the product has all of these columns.
                unsafe { self.tile::<S, R, N, false>(simd, column) };
            } else {
                // SAFETY: rows and columns are inside by the contract of `compute`, which has counted the numbers of the rows.
                unsafe { self.tile::<S, R, N, true>(simd, column) };
            }
        }
    }

    /// `N` registers of columns from this one on; if `CUT` says so, those that the product does not have are neither read nor
    /// written.
    ///
    /// # Safety
    /// There are `R` numbers on the left for each term, all columns of the product in each row of the matrix, and they may be
    /// written in each row of the result.
    #[inline(always)]
    unsafe fn tile<S: Simd, const R: usize, const N: usize, const CUT: bool>(&mut self, simd: S, column: usize) {
        let Part { scale, sizes: [rows, depth, columns], left, right, down, .. } = self.part;
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let mut some = [T::first(simd, 0); N];
        for (n, some) in some.iter_mut().enumerate() {
            *some = T::first(simd, (columns - column).saturating_sub(n * lanes));
        }
        let mut sums = [[T::splat(simd, T::default()); N]; R];
        let (mut left, mut right) = (left.as_ptr(), right.as_ptr().wrapping_add(column));
        for term in 0..depth {
            self.part.ask.ask::<N>(term, right, lanes);
            let mut registers = [T::splat(simd, T::default()); N];
            for (n, register) in registers.iter_mut().enumerate() {
                // SAFETY: the contract of this function; the mask has no columns but those of the product.
                *register = unsafe { some_of::<T, S>(simd, right.wrapping_add(n * lanes), CUT.then_some(some[n])) };
            }
            for (i, sums) in sums.iter_mut().enumerate() {
                // SAFETY: the contract of this function.
                let x = T::splat(simd, unsafe { *left.wrapping_add(i) });
                for (sum, register) in sums.iter_mut().zip(registers) {
                    *sum = T::fused(simd, x, register, *sum);
                }
            }
            left = left.wrapping_add(R);
            right = right.wrapping_add(down);
        }
        let scale = T::splat(simd, scale);
        for (i, sums) in sums.into_iter().enumerate().take(rows) {
            for (n, sum) in sums.into_iter().enumerate() {
                let to = self.to.wrapping_add(i * self.step + column + n * lanes);
                let before = if self.adds {
                    // SAFETY: the contract of this function, as above; the part before has written there.
                    unsafe { some_of::<T, S>(simd, to, CUT.then_some(some[n])) }
                } else {
                    T::splat(simd, T::default())
                };
                let sum = T::fused(simd, scale, sum, before);
                if const { CUT } {
                    // SAFETY: as above.
                    unsafe { T::write(simd, some[n], to, sum) };
                } else {
                    // SAFETY: as above, a whole register.
                    unsafe { to.cast::<T::Register<S>>().write_unaligned(sum) };
                }
            }
        }
    }
}
