//! Products of a table of many rows and few columns with a vector or a few.
//!
//! Computes  `y[b] = scale · Σₖ x[b, k] w[k]`  and  `z[k, n] = scale · Σ_b x[b, k] g[b, n]`  where the rows of `x` lie along `k`,
//! one after the other: what a linear model makes of its data, and what its weights owe. The former are dot products of a few
//! numbers, some rows at a time, which are turned around. The latter take each row as a vector, or a few, that is added to sums
//! in registers.
//! Lives here: which products these are, and their loops, with all threads. Not here: wider tables (`product`), batches (`matmul`).
//! Sums over `b` are taken in blocks of [`BLOCK`] terms, so their error is at most `2 (BLOCK + b / BLOCK) ε Σ |x g|`.

use super::product::{Axis, Product};
use crate::kernel::parallel::{self, GRAIN};
use crate::kernel::simd::{Lanes, is_plain};
use crate::kernel::turn::{Square, Turner, Work, with_turner};
use crate::kernel::vectors;
use crate::kernel::{View, ViewMut};
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// Columns of a table whose rows are summed, at most.
const WIDE: usize = 64;
/// Terms of a dot product, at most: longer ones `gemm` takes as fast.
const SHORT: usize = 48;
/// Rows of a table, at least.
const TALL: usize = 64;
/// Vectors by which rows are summed, at most.
const VECTORS: usize = 8;
/// Those of them whose sums stay in registers together.
const TOGETHER: usize = 4;
/// Rows that are summed before their sum is added to the whole.
const BLOCK: usize = 256;
/// Elements of a table that one thread takes.
const PIECE: usize = 2 * GRAIN;

/// An operand, its stride along its own axis and along that of the sum.
#[derive(Clone, Copy)]
struct Side<'a, T> {
    view: View<'a, T>,
    own: isize,
    inner: isize,
    axis: Axis,
}

impl<T> Side<'_, T> {
    /// Where the element at these positions is.
    #[inline(always)]
    fn at(&self, own: usize, inner: usize) -> usize {
        self.view.offset.wrapping_add_signed(own as isize * self.own + inner as isize * self.inner)
    }
}

impl<T: Lanes> Product<'_, T> {
    /// Such a product, whole, by all threads. Returns whether it is one; if not, nothing is written.
    pub(super) fn thin(&self, dst: &mut ViewMut<'_, T>) -> bool {
        let (k, l_inner, r_inner) = self.inner;
        if self.outer.is_some() {
            return false;
        }
        let left = Side { view: self.lhs, own: self.rows.lhs, inner: l_inner, axis: self.rows };
        let right = Side { view: self.rhs, own: self.columns.rhs, inner: r_inner, axis: self.columns };
        let pairs = if left.axis.size < right.axis.size {
            [[right, left], [left, right]]
        } else {
            [[left, right], [right, left]]
        };
        for [table, other] in pairs {
            let (size, vectors) = (table.axis.size, other.axis.size);
            let is_table = |[along, next]: [isize; 2], columns: usize, rows: usize| {
                along == 1 && next >= columns as isize && rows >= TALL
            };
            if is_table([table.inner, table.own], k, size)
                && (2..=SHORT).contains(&k)
                && vectors == 1
                && table.axis.dst == 1
            {
                dots(self.scale, k, [table, other], &mut dst.data[dst.offset..][..size]);
                return true;
            }
            if is_table([table.own, table.inner], size, k) && (2..=WIDE).contains(&size) && vectors <= VECTORS {
                sums(self.scale, k, [table, other], dst);
                return true;
            }
        }
        false
    }
}

/// The dot product of each row with one vector.
fn dots<T: Lanes>(scale: T, k: usize, [table, vector]: [Side<'_, T>; 2], out: &mut [T]) {
    let vector: Vec<T> = (0..k).map(|i| vector.view.data[vector.at(0, i)]).collect();
    let vector = &vector[..];
    parallel::for_each_chunk(out, GRAIN.div_ceil(k), |first, out| {
        let rows = &table.view.data[table.at(first, 0)..];
        with_turner(Dots { scale, rows, pitch: table.own as usize, vector, out });
    });
}

/// The dot products of some rows, which begin so far apart: as many as a register has numbers are turned around.
struct Dots<'a, T> {
    scale: T,
    rows: &'a [T],
    pitch: usize,
    vector: &'a [T],
    out: &'a mut [T],
}

impl<T: Lanes> Work for Dots<'_, T> {
    #[inline(always)]
    fn run(self, turner: impl Turner) {
        if const { size_of::<T>() == 8 } { self.by_squares::<8>(turner) } else { self.by_squares::<16>(turner) }
    }
}

impl<T: Lanes> Dots<'_, T> {
    #[inline(always)]
    fn by_squares<const SIDE: usize>(self, turner: impl Turner) {
        let Dots { scale, rows, pitch, vector, out } = self;
        // A row ends within a square, but in most cases there are more numbers behind it, which may be read with it.
        let reach = (SIDE - 1) * pitch + vector.len().next_multiple_of(SIDE);
        let squares = ((rows.len() + pitch).saturating_sub(reach) / pitch).div_ceil(SIDE);
        let (some, rest) = out.split_at_mut((out.len() / SIDE).min(squares) * SIDE);
        let done = some.len();
        for (number, out) in some.as_chunks_mut::<SIDE>().0.iter_mut().enumerate() {
            let rows = &rows[number * SIDE * pitch..][..reach];
            let mut sums = [T::default(); SIDE];
            for (at, factors) in vector.chunks(SIDE).enumerate() {
                let mut square: Square<T, SIDE> = [[T::default(); SIDE]; SIDE];
                for (i, row) in square.iter_mut().enumerate() {
                    *row = *rows[i * pitch + at * SIDE..].first_chunk().expect("a row and more");
                }
                turner.turn(&mut square, factors.len());
                for (&factor, column) in factors.iter().zip(&square) {
                    for (sum, &x) in sums.iter_mut().zip(column) {
                        *sum = x.times_plus(factor, *sum);
                    }
                }
            }
            for (out, sum) in out.iter_mut().zip(sums) {
                *out = sum * scale;
            }
        }
        for (i, out) in rest.iter_mut().enumerate() {
            let products = rows[(done + i) * pitch..][..vector.len()].iter().zip(vector);
            *out = products.fold(T::default(), |sum, (&x, &w)| x.times_plus(w, sum)) * scale;
        }
    }
}

/// The sums of the rows, each times a number of each vector. The pieces depend on the sizes alone.
fn sums<T: Lanes>(scale: T, rows: usize, [table, vectors]: [Side<'_, T>; 2], dst: &mut ViewMut<'_, T>) {
    let (size, count) = (table.axis.size, vectors.axis.size);
    let piece = rows.div_ceil((rows * size).div_ceil(PIECE)).next_multiple_of(BLOCK);
    let mut partial = vec![T::default(); rows.div_ceil(piece) * size * count];
    parallel::for_each_chunk(&mut partial, size * count, |first, partial| {
        let top = first / (size * count) * piece;
        let bottom = rows.min(top + piece);
        for start in (top..bottom).step_by(BLOCK) {
            let some = start..bottom.min(start + BLOCK);
            for (group, sums) in partial.chunks_mut(TOGETHER * size).enumerate() {
                let vector = group * TOGETHER;
                match sums.len() / size {
                    1 => add::<T, 1, 4>(some.clone(), vector, [&table, &vectors], sums),
                    2 => add::<T, 2, 2>(some.clone(), vector, [&table, &vectors], sums),
                    3 => add::<T, 3, 2>(some.clone(), vector, [&table, &vectors], sums),
                    _ => add::<T, TOGETHER, 2>(some.clone(), vector, [&table, &vectors], sums),
                }
            }
        }
    });
    for (i, sum) in (0..size * count).map(|i| (i, partial[i..].iter().step_by(size * count))) {
        let at = (i % size) as isize * table.axis.dst + (i / size) as isize * vectors.axis.dst;
        dst.data[dst.offset.wrapping_add_signed(at)] = sum.fold(T::default(), |sum, &part| sum + part) * scale;
    }
}

/// Adds some rows, [`BLOCK`] at most, to the sums of `N` vectors from this one on; `R` rows have registers of their own.
fn add<T: Lanes, const N: usize, const R: usize>(
    some: Range<usize>,
    vector: usize,
    [table, vectors]: [&Side<'_, T>; 2],
    sums: &mut [T],
) {
    let mut starts = [0; N];
    for (n, start) in starts.iter_mut().enumerate() {
        *start = vectors.at(vector + n, some.start);
    }
    let first = table.at(0, some.start);
    let end = table.at(table.axis.size, some.end - 1);
    let pitch = table.inner as usize;
    vectors::dispatch(Rows::<T, N, R> {
        rows: &table.view.data[first..end],
        pitch,
        count: some.len(),
        factors: vectors.view.data,
        starts,
        apart: vectors.inner,
        sums,
    });
}

/// Rows that begin so far apart and as many factors of each for `N` vectors, whose sums follow each other.
struct Rows<'a, T, const N: usize, const R: usize> {
    rows: &'a [T],
    pitch: usize,
    count: usize,
    /// The numbers of the vectors, and where the first factor of each is.
    factors: &'a [T],
    starts: [usize; N],
    /// The distance from a factor to the next one of its vector.
    apart: isize,
    sums: &'a mut [T],
}

impl<T: Lanes, const N: usize, const R: usize> WithSimd for Rows<'_, T, N, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { rows, pitch, count, factors, starts, apart, sums } = self;
        let (each, size) = (size_of::<T::Register<S>>() / size_of::<T>(), sums.len() / N);
        assert!(count <= BLOCK && (count - 1) * pitch + size <= rows.len(), "the rows are there");
        if const { is_plain::<T, S>() } {
            // One number at a time: there is nothing to hold in registers.
            for (sums, start) in sums.chunks_exact_mut(size).zip(&starts) {
                let mut part = [T::default(); WIDE];
                for (b, row) in rows.chunks(pitch).enumerate().take(count) {
                    let factor = factors[start.wrapping_add_signed(b as isize * apart)];
                    part.iter_mut().zip(&row[..size]).for_each(|(sum, &x)| *sum = x.times_plus(factor, *sum));
                }
                sums.iter_mut().zip(part).for_each(|(sum, part)| *sum = *sum + part);
            }
            return;
        }
        let last = |start: usize| start.wrapping_add_signed((count - 1) as isize * apart);
        assert!(starts.iter().all(|&start| start.max(last(start)) < factors.len()), "the factors are there");
        let first = starts.map(|start| factors.as_ptr().wrapping_add(start));
        for column in (0..size).step_by(each) {
            let some = T::first(simd, size - column);
            let mut parts = [[T::splat(simd, T::default()); N]; R];
            let take = |b: usize, parts: &mut [T::Register<S>; N]| {
                // SAFETY: row `b` has `size` elements from here on, and the mask none beyond them.
                let row = unsafe { T::read(simd, some, rows.as_ptr().wrapping_add(b * pitch + column)) };
                for (part, first) in parts.iter_mut().zip(first) {
                    // SAFETY: the first and the last factor of each vector are inside, and so are those between them.
                    let factor = unsafe { *first.wrapping_offset(b as isize * apart) };
                    *part = T::fused(simd, row, T::splat(simd, factor), *part);
                }
            };
            let whole = count - count % R;
            for b in (0..whole).step_by(R) {
                for (r, parts) in parts.iter_mut().enumerate() {
                    take(b + r, parts);
                }
            }
            (whole..count).for_each(|b| take(b, &mut parts[0]));
            for (n, sums) in sums.chunks_exact_mut(size).enumerate() {
                let to = sums[column..].as_mut_ptr();
                // SAFETY: the mask has no more elements than there are from here on.
                let sum = unsafe { T::read(simd, some, to) };
                let sum = parts.iter().fold(sum, |sum, part| T::plus(simd, sum, part[n]));
                // SAFETY: as above.
                unsafe { T::write(simd, some, to, sum) };
            }
        }
    }
}
