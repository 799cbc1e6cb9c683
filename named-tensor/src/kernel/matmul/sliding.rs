//! A few rows of a product with windows, which are read where they lie: to pack them would take longer than to multiply.
//!
//! Lives here: the loops over runs of neighbours, in registers. Along the columns sums stay in registers for all terms; along
//! the terms each register of the left operand is multiplied with several columns, and their numbers are added in the end.
//! Not here: where the numbers lie (`windows`), products of more rows (`panelled`).

use super::windows::Lying;
use crate::kernel::simd::Lanes;
use crate::kernel::tiles::some_of;
use crate::kernel::vectors;
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// Columns whose sums along terms are taken together.
const TOGETHER: usize = 6;

/// Some columns of one row of a product.
pub(super) struct Row<'a, T> {
    pub(super) factor: T,
    /// The row of the left operand from its first term on, and how far the next term is.
    pub(super) left: &'a [T],
    pub(super) along: usize,
    /// Whether neighbours are terms of a column, of which the left operand has as many; or else columns.
    pub(super) by_terms: bool,
    /// The other operand from its first number on.
    pub(super) data: &'a [T],
    pub(super) lying: &'a Lying,
    pub(super) columns: Range<usize>,
    /// The result, which has so many columns.
    pub(super) to: &'a mut [T],
}

impl<T: Lanes> Row<'_, T> {
    /// Computes it.
    ///
    /// # Panics
    /// If an operand leaves its slice.
    pub(super) fn compute(self) {
        let Row { left, along, by_terms, data, lying, columns, to, .. } = &self;
        assert!(
            to.len() == columns.len() && columns.end <= lying.columns.count(),
            "a number of the result for each column"
        );
        assert!((lying.all_terms.len() - 1) * along < left.len(), "a term of the left operand leaves its slice");
        assert!(lying.terms.reach + lying.columns.reach < data.len(), "a window leaves its slice");
        let are_neighbours = if *by_terms { lying.terms.last.1 == 1 && *along == 1 } else { lying.columns.last.1 == 1 };
        assert!(are_neighbours, "numbers side by side");
        vectors::dispatch(self);
    }
}

impl<T: Lanes> WithSimd for Row<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let first = self.columns.start;
        if self.by_terms {
            for at in (0..self.to.len()).step_by(TOGETHER) {
                // SAFETY: `compute` has found every term of every column inside of both operands.
                unsafe { self.along_terms(simd, at) };
            }
            return;
        }
        for (run, from) in self.lying.columns.of(self.columns.clone()) {
            let (mut at, end) = (run.start - first, run.end - first);
            let from = self.data.as_ptr().wrapping_add(from).wrapping_sub(at);
            while at < end {
                let left = end - at;
                let registers = match left.div_ceil(lanes) {
                    4.. => {
                        // SAFETY: so many columns of a run are left, the last register at least in part, and `compute` has
                        // found them inside for each term.
                        unsafe { self.along_columns::<S, 4>(simd, from, at, left) };
                        4
                    }
                    2.. => {
                        // SAFETY: as above, two registers.
                        unsafe { self.along_columns::<S, 2>(simd, from, at, left) };
                        2
                    }
                    _ => {
                        // SAFETY: as above, one register.
                        unsafe { self.along_columns::<S, 1>(simd, from, at, left) };
                        1
                    }
                };
                at += registers * lanes;
            }
        }
    }
}

impl<T: Lanes> Row<'_, T> {
    /// `N` registers of columns of a run from that numbered `at` on, of which so many are left; the number of the first term of a
    /// column is as far from `from` as the column from the first one.
    ///
    /// # Safety
    /// For each term the numbers of these columns may be read, and there is a number of the left operand.
    #[inline(always)]
    unsafe fn along_columns<S: Simd, const N: usize>(&mut self, simd: S, from: *const T, at: usize, left: usize) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let last = left - (N - 1) * lanes;
        let cut = (last < lanes).then(|| T::first(simd, last));
        let mut sums = [T::splat(simd, T::default()); N];
        let mut x = self.left.as_ptr();
        for &term in &self.lying.all_terms {
            let numbers = from.wrapping_add(at + term);
            // SAFETY: the contract of this function.
            let factor = T::splat(simd, unsafe { *x });
            for (n, sum) in sums.iter_mut().enumerate() {
                let some = if n + 1 == N { cut } else { None };
                // SAFETY: as above; the last register is cut where the run ends.
                let register = unsafe { some_of::<T, S>(simd, numbers.wrapping_add(n * lanes), some) };
                *sum = T::fused(simd, factor, register, *sum);
            }
            x = x.wrapping_add(self.along);
        }
        let factor = T::splat(simd, self.factor);
        let to = &mut self.to[at..at + left.min(N * lanes)];
        for (n, sum) in sums.into_iter().enumerate() {
            let (sum, to) = (T::times(simd, factor, sum), to[n * lanes..].as_mut_ptr());
            match cut.filter(|_| n + 1 == N) {
                // SAFETY: so many numbers are left of the result.
                Some(some) => unsafe { T::write(simd, some, to, sum) },
                // SAFETY: as above, a whole register.
                None => unsafe { to.cast::<T::Register<S>>().write_unaligned(sum) },
            }
        }
    }

    /// The columns from that numbered `at` on, [`TOGETHER`] of them or those that there are, where terms follow each other.
    ///
    /// # Safety
    /// For each term the numbers of these columns may be read, and so many numbers of the left operand.
    #[inline(always)]
    unsafe fn along_terms<S: Simd>(&mut self, simd: S, at: usize) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let count = TOGETHER.min(self.to.len() - at);
        // What there are too few of is computed once more.
        let column = |i: usize| self.lying.columns.at(self.columns.start + at + i.min(count - 1));
        let columns: [usize; TOGETHER] = std::array::from_fn(column);
        let mut sums = [T::splat(simd, T::default()); TOGETHER];
        for (run, place) in self.lying.terms.of(0..self.lying.terms.count()) {
            let from = self.data.as_ptr().wrapping_add(place);
            for term in (0..run.len()).step_by(lanes) {
                let left = run.len() - term;
                let cut = (left < lanes).then(|| T::first(simd, left));
                let x = self.left.as_ptr().wrapping_add(run.start + term);
                // SAFETY: the contract of this function; the last register of a run is cut where it ends.
                let x = unsafe { some_of::<T, S>(simd, x, cut) };
                for (sum, &column) in sums.iter_mut().zip(&columns) {
                    // SAFETY: as above.
                    let register = unsafe { some_of::<T, S>(simd, from.wrapping_add(column + term), cut) };
                    *sum = T::fused(simd, x, register, *sum);
                }
            }
        }
        for (to, sum) in self.to[at..at + count].iter_mut().zip(&sums) {
            let numbers = std::ptr::from_ref(sum).cast::<T>();
            // SAFETY: a register is so many numbers, which are read while it is there.
            let all = (0..lanes).map(|lane| unsafe { *numbers.wrapping_add(lane) }.wide());
            *to = self.factor * T::narrow(all.sum::<f64>());
        }
    }
}
