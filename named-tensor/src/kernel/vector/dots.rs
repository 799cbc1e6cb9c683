//! Dot products of one to three vectors with four others, in registers.
//!
//! A compiler that sees four of them side by side puts their terms together, which lie far from each other; so what is one
//! register is said here. Term k goes to lane `k % 32`, whatever the width of a register is.
//! At the end the lanes become one sum, half by half, as those of `vector` do.

use super::{LANES, STREAMS, ask_ahead};
use crate::kernel::simd::Lanes;
use crate::kernel::vectors;
use pulp::{Simd, WithSimd};

/// Rows that share what is read of the columns, at most: so many sums fit in the registers.
pub(super) const MOST: usize = 3;

/// Adds to the lanes of the dot products of each of some rows with each of `columns` all terms of these, which are those of the
/// rows from `first` on. Of so many rows that take turns with these columns they are those from this number on, and ask for
/// their share of what comes next. If these are the last terms, the first lane of each is the sum of all then, and
/// the others are anything.
///
/// # Panics
/// If a row ends before a column or there are other columns than as long as the first, no lanes for a row, or too many rows.
#[inline(always)]
pub(super) fn add<T: Lanes>(
    rows: &[&[T]],
    first: usize,
    columns: [&[T]; STREAMS],
    turn: [usize; 2],
    lanes: &mut [[[T; LANES]; STREAMS]],
    are_last: bool,
) {
    let row = |i: usize| &rows[i][first..];
    match rows.len() {
        1 => vectors::dispatch(Dots { rows: [row(0)], columns, turn, lanes, are_last }),
        2 => vectors::dispatch(Dots { rows: [row(0), row(1)], columns, turn, lanes, are_last }),
        _ => vectors::dispatch(Dots { rows: [row(0), row(1), row(2)], columns, turn, lanes, are_last }),
    }
}

struct Dots<'a, 'l, T, const R: usize> {
    rows: [&'a [T]; R],
    columns: [&'a [T]; STREAMS],
    turn: [usize; 2],
    lanes: &'l mut [[[T; LANES]; STREAMS]],
    are_last: bool,
}

impl<T: Lanes, const R: usize> WithSimd for Dots<'_, '_, T, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { rows, columns, turn: [number, turns], lanes, are_last } = self;
        if const { in_a_register::<T, S>() == LANES / 2 } {
            return add_in::<T, S, R, 2>(simd, rows, columns, [number, turns], lanes, are_last);
        }
        // The sums of one row fill all registers. Nothing is compiled but what this width takes.
        for (i, (row, lanes)) in rows.into_iter().zip(lanes.chunks_exact_mut(1)).enumerate() {
            let turn = [number + i, turns];
            if const { in_a_register::<T, S>() == LANES / 4 } {
                add_in::<T, S, 1, 4>(simd, [row], columns, turn, lanes, are_last);
            } else if const { in_a_register::<T, S>() == LANES / 8 } {
                add_in::<T, S, 1, 8>(simd, [row], columns, turn, lanes, are_last);
            } else if const { in_a_register::<T, S>() == LANES / 16 } {
                add_in::<T, S, 1, 16>(simd, [row], columns, turn, lanes, are_last);
            } else {
                add_in::<T, S, 1, LANES>(simd, [row], columns, turn, lanes, are_last);
            }
        }
    }
}

/// How many numbers are in a register.
const fn in_a_register<T: Lanes, S: Simd>() -> usize {
    size_of::<T::Register<S>>() / size_of::<T>()
}

/// The same, with `N` registers for the lanes of each of `R` rows and a column.
#[inline(always)]
fn add_in<T: Lanes, S: Simd, const R: usize, const N: usize>(
    simd: S,
    rows: [&[T]; R],
    columns: [&[T]; STREAMS],
    [number, turns]: [usize; 2],
    lanes: &mut [[[T; LANES]; STREAMS]],
    are_last: bool,
) {
    let each = in_a_register::<T, S>();
    assert!(N * each == LANES && lanes.len() == R, "registers for all lanes");
    let terms = columns[0].len();
    let (rows, columns) = (rows.map(|row| &row[..terms]), columns.map(|column| &column[..terms]));
    let mut sums = [[[T::splat(simd, T::default()); N]; STREAMS]; R];
    let kept = sums.as_flattened_mut().as_flattened_mut().iter_mut();
    for (sum, lanes) in kept.zip(lanes.as_flattened().as_flattened().chunks_exact(each)) {
        // SAFETY: a register is so many plain numbers, and the read asks for no alignment.
        *sum = unsafe { lanes.as_ptr().cast::<T::Register<S>>().read_unaligned() };
    }
    let whole = terms - terms % LANES;
    for top in (0..whole).step_by(LANES) {
        if turns == R || (number..number + R).contains(&(top / LANES % turns)) {
            columns.iter().for_each(|column| ask_ahead(&column[top..top + LANES]));
        }
        for n in 0..N {
            fused_all::<T, S, R, N>(
                simd,
                [n, top + n * each],
                (rows, columns),
                // SAFETY: all have so many terms from there on; a register is plain numbers, and the read asks for no alignment.
                #[inline(always)]
                |from| unsafe { from.cast::<T::Register<S>>().read_unaligned() },
                &mut sums,
            );
        }
    }
    if whole < terms {
        for n in 0..N {
            let at = whole + n * each;
            let some = T::first(simd, terms.saturating_sub(at));
            fused_all::<T, S, R, N>(
                simd,
                [n, at],
                (rows, columns),
                // SAFETY: the mask has no more numbers than all of them have from there on.
                #[inline(always)]
                |from| unsafe { T::read(simd, some, from) },
                &mut sums,
            );
        }
    }
    if are_last {
        for (sums, lanes) in sums.as_flattened_mut().iter_mut().zip(lanes.as_flattened_mut()) {
            let mut half = N / 2;
            while half > 0 {
                for n in 0..half {
                    sums[n] = T::plus(simd, sums[n], sums[n + half]);
                }
                half /= 2;
            }
            lanes[0] = T::sum_of(simd, sums[0]);
        }
        return;
    }
    let kept = sums.as_flattened().as_flattened().iter();
    for (&sum, lanes) in kept.zip(lanes.as_flattened_mut().as_flattened_mut().chunks_exact_mut(each)) {
        // SAFETY: as above.
        unsafe { lanes.as_mut_ptr().cast::<T::Register<S>>().write_unaligned(sum) };
    }
}

/// Adds the products of some terms of each row and column, which are read from `at` on, to the `n`-th of their registers.
#[inline(always)]
fn fused_all<T: Lanes, S: Simd, const R: usize, const N: usize>(
    simd: S,
    [n, at]: [usize; 2],
    (rows, columns): ([&[T]; R], [&[T]; STREAMS]),
    read: impl Fn(*const T) -> T::Register<S>,
    sums: &mut [[[T::Register<S>; N]; STREAMS]; R],
) {
    let [c0, c1, c2, c3] = columns.map(|column| column.as_ptr().wrapping_add(at));
    let columns = [read(c0), read(c1), read(c2), read(c3)];
    for (row, sums) in rows.into_iter().zip(sums) {
        let row = read(row.as_ptr().wrapping_add(at));
        for (column, sums) in columns.into_iter().zip(sums) {
            sums[n] = T::fused(simd, row, column, sums[n]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{TOGETHER, Weight, dot};
    use super::*;
    use proptest::prelude::*;

    /// Dot products of rows with four columns have the bits of each by itself, whatever the width of a register is.
    fn check<T: Lanes>(size: usize, rows: usize, seed: usize) {
        let numbers = |of: usize| -> Vec<T> {
            (0..size).map(|i| T::narrow((((i + 3 * of) * 7919 + seed * 31) % 1009) as f64 / 97.0 - 5.0)).collect()
        };
        let columns: [Vec<T>; STREAMS] = std::array::from_fn(numbers);
        let columns = columns.each_ref().map(|column| &column[..]);
        let xs: Vec<Vec<T>> = (0..rows).map(|row| numbers(STREAMS + row)).collect();
        let xs: Vec<&[T]> = xs.iter().map(|x| &x[..]).collect();
        for (x, got) in xs.iter().zip(T::dots::<TOGETHER>(&xs, columns)) {
            let expected = columns.map(|column| dot(x, column).wide().to_bits());
            assert_eq!(got.map(|sum| sum.wide().to_bits()), expected, "{rows} rows of {size}");
        }
        let [alone] = T::dots::<1>(&xs[..1], columns);
        assert_eq!(alone.map(|sum| sum.wide().to_bits()), columns.map(|column| dot(xs[0], column).wide().to_bits()));
    }

    proptest! {
        #[test]
        fn four_sums_have_the_bits_of_each_by_itself(size in 0..1500_usize, rows in 1..=TOGETHER, seed in any::<u16>()) {
            check::<f32>(size, rows, seed.into());
            check::<f64>(size, rows, seed.into());
        }
    }
}
