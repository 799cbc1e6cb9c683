//! Short rows, many at a time.
//!
//! A row that is not much longer than the partial results of one would spend most of its time on joining them. Here the
//! partial results of as many rows as a vector has lanes are turned around, so that those of a row lie above each other and
//! all rows are joined at once. Where a row is shorter still, or partial results have 32 bits, it is the rows
//! themselves that are turned, and each has one partial result.
//! Not here: long rows, and what lies side by side already (`reduce`), how a square is turned (`turn`).

use super::Job;
use super::fold::Fold;
use crate::element::Stored;
use crate::kernel::lanes::vectorised;
use crate::kernel::parallel::{self, GRAIN, grain_of};
use crate::kernel::span::Odometer;
use crate::kernel::turn::{Square, Starts, Turner, Work, turn, with_turner};

/// Elements of a row that is turned, at most.
const TURNED: usize = 64;
/// Elements of a row whose partial results are turned, if these have 64 bits.
const JOINED: std::ops::RangeInclusive<usize> = 24..=512;
/// Partial results of such a row, and such rows that are joined at once.
const SIDE: usize = 8;
/// Rows that are gone through beside each other: one alone would wait for the sum before each of its own.
const BESIDE: usize = 4;
/// Rows of a block.
const ROWS: usize = 64;
/// Rows from which on turning is repaid.
const LEAST: usize = 16;

impl<T: Stored> Job<'_, T> {
    /// Whether these are so many short rows.
    pub(super) fn has_short_rows<F: Fold<T>>(&self, results: usize) -> bool {
        let size = self.reduced.total();
        self.reduced.sizes.len() == 1
            && self.reduced.inner_stride(0) == 1
            && ((2..=TURNED).contains(&size) || are_joined::<T, F>(size))
            && results >= LEAST
    }

    /// One result for each of them.
    pub(super) fn short_rows<F: Fold<T>>(&self, dst: &mut [T]) {
        let (data, size) = (self.data, self.reduced.total());
        let grain = grain_of(dst.len(), GRAIN.div_ceil(size)).next_multiple_of(ROWS);
        parallel::for_each_chunk(dst, grain, |first, chunk| {
            let mut side_by_side = vec![T::default(); if are_joined::<T, F>(size) { 0 } else { ROWS * size }];
            for (number, block) in chunk.chunks_mut(ROWS).enumerate() {
                let mut starts = [0; ROWS];
                let (count, starts) = (block.len(), self.starts(first + number * ROWS, &mut starts[..block.len()]));
                let mut partial = [F::START; ROWS];
                if const { has_wide_partial::<T, F>() } && are_joined::<T, F>(size) {
                    with_turner(Rows::<T, F> { data, starts, count, size, partial: &mut partial });
                } else {
                    match (starts, size) {
                        (Starts::Even(at, 2), 2) => beside::<T, 2>(&data[at..], count, &mut side_by_side),
                        (Starts::Even(at, 3), 3) => beside::<T, 3>(&data[at..], count, &mut side_by_side),
                        (Starts::Even(at, 4), 4) => beside::<T, 4>(&data[at..], count, &mut side_by_side),
                        _ => turn(data, starts, [count, size], &mut side_by_side, ROWS),
                    }
                    partial = folded::<T, F>(&side_by_side);
                }
                block.iter_mut().zip(partial).for_each(|(result, partial)| *result = self.end::<F>(partial));
            }
        });
    }

    /// Where some rows begin, from the kept position of this number on.
    fn starts<'a>(&self, number: usize, starts: &'a mut [usize]) -> Starts<'a> {
        let mut base = Odometer::new(&self.kept.sizes, &self.kept.strides[0], number);
        let inner = self.kept.inner();
        if number % inner + starts.len() <= inner {
            return Starts::Even(self.position(base.distance), self.kept.inner_stride(0));
        }
        for start in &mut *starts {
            *start = self.position(base.distance);
            base.step();
        }
        Starts::At(starts)
    }
}

/// Whether it is the partial results of rows of this size that are turned.
fn are_joined<T, F: Fold<T>>(size: usize) -> bool {
    has_wide_partial::<T, F>() && JOINED.contains(&size)
}

/// Whether partial results have 64 bits: where they have not, no such rows are joined, and nothing is compiled for them.
const fn has_wide_partial<T, F: Fold<T>>() -> bool {
    size_of::<F::Partial>() == size_of::<f64>()
}

/// Puts so many rows of `N` elements, which follow each other, side by side.
fn beside<T: Stored, const N: usize>(data: &[T], count: usize, to: &mut [T]) {
    let rows = &data.as_chunks::<N>().0[..count];
    vectorised(
        #[inline(always)]
        move || {
            for (i, to) in to.chunks_exact_mut(ROWS).enumerate().take(N) {
                to.iter_mut().zip(rows).for_each(|(to, row)| *to = row[i]);
            }
        },
    );
}

/// The partial results of rows that lie side by side.
fn folded<T: Stored, F: Fold<T>>(rows: &[T]) -> [F::Partial; ROWS] {
    vectorised(
        #[inline(always)]
        move || {
            let mut partial = [F::START; ROWS];
            for elements in rows.as_chunks::<ROWS>().0 {
                // All of them anew, as along one row: so they stay in registers.
                partial = std::array::from_fn(
                    #[inline(always)]
                    |row| F::step(partial[row], elements[row]),
                );
            }
            partial
        },
    )
}

/// Some rows, and the partial result of each.
struct Rows<'a, T, F: Fold<T>> {
    data: &'a [T],
    starts: Starts<'a>,
    count: usize,
    size: usize,
    partial: &'a mut [F::Partial; ROWS],
}

impl<T: Stored, F: Fold<T>> Work for Rows<'_, T, F> {
    #[inline(always)]
    fn run(self, turner: impl Turner) {
        let results = self.partial.as_chunks_mut::<SIDE>().0;
        for (number, results) in results[..self.count.div_ceil(SIDE)].iter_mut().enumerate() {
            let mut square: Square<F::Partial, SIDE> = [[F::START; SIDE]; SIDE];
            let mut rest = [F::START; SIDE];
            for first in (0..SIDE).step_by(BESIDE) {
                let rows: [&[T]; BESIDE] = std::array::from_fn(
                    #[inline(always)]
                    |i| {
                        // In the place of rows that there are not the last one is taken again.
                        let start = self.starts.of((number * SIDE + first + i).min(self.count - 1));
                        &self.data[start..][..self.size]
                    },
                );
                let whole = rows.map(
                    #[inline(always)]
                    |row| &row.as_chunks::<SIDE>().0[..self.size / SIDE],
                );
                // Those of a row stand in a register, not in the square.
                let mut lanes = [[F::START; SIDE]; BESIDE];
                for at in 0..self.size / SIDE {
                    for (lanes, whole) in lanes.iter_mut().zip(&whole) {
                        let (before, elements) = (*lanes, &whole[at]);
                        *lanes = std::array::from_fn(
                            #[inline(always)]
                            |lane| F::step(before[lane], elements[lane]),
                        );
                    }
                }
                square[first..first + BESIDE].copy_from_slice(&lanes);
                for (rest, row) in rest[first..first + BESIDE].iter_mut().zip(rows) {
                    let (_, last) = row.as_chunks::<SIDE>();
                    *rest = last.iter().fold(F::START, |rest, &x| F::step(rest, x));
                }
            }
            turner.turn(&mut square, SIDE);
            for lanes in &square {
                rest = std::array::from_fn(
                    #[inline(always)]
                    |row| F::join(lanes[row], rest[row]),
                );
            }
            *results = rest;
        }
    }
}
