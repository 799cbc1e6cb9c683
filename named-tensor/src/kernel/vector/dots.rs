//! Dot products of one vector with four others, in registers.
//!
//! A compiler that sees four of them side by side puts their terms together, which lie far from each other; so what is one
//! register is said here. Term k goes to lane `k % 32`, whatever the width of a register is.
//! Not here: how lanes become one sum, and terms that do not fill all lanes (`vector`).

use super::{LANES, STREAMS, ask_ahead};
use crate::kernel::simd::Lanes;
use crate::kernel::vectors;
use pulp::{Simd, WithSimd};

/// Adds to the lanes of the dot products of `x` with each of `columns` all terms that fill them. Of so many rows `x` that take
/// turns with these columns it is the one with this number, and asks for its share of what comes next.
///
/// # Panics
/// If a column is shorter than those terms.
#[inline(always)]
pub(super) fn add<T: Lanes>(x: &[T], columns: [&[T]; STREAMS], turn: [usize; 2], lanes: &mut [[T; LANES]; STREAMS]) {
    vectors::dispatch(Dots { x, columns, turn, lanes });
}

struct Dots<'a, 'l, T> {
    x: &'a [T],
    columns: [&'a [T]; STREAMS],
    turn: [usize; 2],
    lanes: &'l mut [[T; LANES]; STREAMS],
}

impl<T: Lanes> WithSimd for Dots<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match LANES * size_of::<T>() / size_of::<T::Register<S>>() {
            2 => self.in_registers::<S, 2>(simd),
            4 => self.in_registers::<S, 4>(simd),
            8 => self.in_registers::<S, 8>(simd),
            16 => self.in_registers::<S, 16>(simd),
            _ => self.in_registers::<S, LANES>(simd),
        }
    }
}

impl<T: Lanes> Dots<'_, '_, T> {
    /// The same, with `N` registers for the lanes of each.
    #[inline(always)]
    fn in_registers<S: Simd, const N: usize>(self, simd: S) {
        let each = size_of::<T::Register<S>>() / size_of::<T>();
        assert_eq!(N * each, LANES, "registers for all lanes");
        let whole = self.x.len() - self.x.len() % LANES;
        let (x, columns) = (&self.x[..whole], self.columns.map(|column| &column[..whole]));
        let read = |from: &[T], at: usize| {
            let from = from.as_ptr().wrapping_add(at).cast::<T::Register<S>>();
            // SAFETY: all are as long as `x`, and `at` is a multiple of `each` below that, which is a multiple of it; a
            // register is plain numbers, and the read asks for no alignment.
            unsafe { from.read_unaligned() }
        };
        let [number, turns] = self.turn;
        let mut sums = [[T::splat(simd, T::default()); N]; STREAMS];
        for (sums, lanes) in sums.iter_mut().zip(&*self.lanes) {
            for (n, sum) in sums.iter_mut().enumerate() {
                // SAFETY: as in `read`: each has so many lanes.
                *sum = unsafe { lanes.as_ptr().wrapping_add(n * each).cast::<T::Register<S>>().read_unaligned() };
            }
        }
        for top in (0..whole).step_by(LANES) {
            if turns == 1 || top / LANES % turns == number {
                columns.iter().for_each(|column| ask_ahead(&column[top..top + LANES]));
            }
            for n in 0..N {
                let x = read(x, top + n * each);
                for (sums, column) in sums.iter_mut().zip(columns) {
                    sums[n] = T::fused(simd, x, read(column, top + n * each), sums[n]);
                }
            }
        }
        for (lanes, sums) in self.lanes.iter_mut().zip(sums) {
            for (to, sum) in lanes.chunks_exact_mut(each).zip(sums) {
                // SAFETY: a chunk has as many numbers as a register, and the write asks for no alignment.
                unsafe { to.as_mut_ptr().cast::<T::Register<S>>().write_unaligned(sum) };
            }
        }
    }
}
