//! Neighbouring columns that go down together.
//!
//! Each row is read whole and added to partial results side by side. Of wide rows those are read and written once for four
//! rows; of few columns they stay in registers.
//! Not here: elements that follow each other (`reduce`, `short`).

use super::fold::Fold;
use super::{Job, PIECES};
use crate::element::Stored;
use crate::kernel::lanes::vectorised;
use crate::kernel::parallel::{self, GRAIN, grain_of};
use crate::kernel::span::Odometer;
use crate::kernel::vectors::has_many_registers;
use std::ops::Range;

impl<T: Stored> Job<'_, T> {
    /// Calls `work` for each run of reduced positions numbered by `range` at even distances: the distance of its first one,
    /// that from one to the next, and how many they are.
    fn each_run(&self, range: Range<usize>, mut work: impl FnMut(isize, isize, usize)) {
        let (inner, stride) = (self.reduced.inner().max(1), self.reduced.inner_stride(0));
        let outer = self.reduced.sizes.len().saturating_sub(1);
        let mut at = range.start;
        let mut run = Odometer::new(&self.reduced.sizes[..outer], &self.reduced.strides[0][..outer], at / inner);
        while at < range.end {
            let size = (inner - at % inner).min(range.end - at);
            work(run.distance + (at % inner) as isize * stride, stride, size);
            run.step();
            at += size;
        }
    }

    /// Neighbouring columns side by side. Few of them that are very long are cut into pieces, whose bounds depend on the
    /// sizes alone.
    pub(super) fn columns<F: Fold<T>>(&self, dst: &mut [T]) {
        let depth = self.reduced.total();
        let piece = (4 * GRAIN).div_ceil(dst.len().max(1)).max(depth.div_ceil(PIECES));
        if dst.len() <= TILE && depth > piece {
            let columns = dst.len();
            let mut partial = vec![F::START; depth.div_ceil(piece) * columns];
            parallel::for_each_chunk(&mut partial, columns, |first, partial| {
                let from = first / columns * piece;
                self.down::<F>(0, from..depth.min(from + piece), partial);
            });
            for (i, d) in dst.iter_mut().enumerate() {
                *d = self.end::<F>(
                    partial[i..].iter().step_by(columns).fold(F::START, |sum, &of_piece| F::join(sum, of_piece)),
                );
            }
            return;
        }
        // Narrow rows are not cut.
        let width = self.kept.inner().clamp(1, TILE);
        let tile_size = TILE / width * width;
        let grain = grain_of(dst.len(), GRAIN.div_ceil(depth.max(1)));
        let grain = grain.next_multiple_of(if width < STRIP { width } else { tile_size });
        parallel::for_each_chunk(dst, grain, |first, chunk| {
            for (i, tile) in chunk.chunks_mut(tile_size).enumerate() {
                let mut partial = [F::START; TILE];
                self.down::<F>(first + i * tile_size, 0..depth, &mut partial[..tile.len()]);
                tile.iter_mut().zip(partial).for_each(|(d, sum)| *d = self.end::<F>(sum));
            }
        });
    }

    /// Takes the reduced positions numbered by `range` into the partial results of neighbouring kept positions.
    fn down<F: Fold<T>>(&self, first: usize, range: Range<usize>, partial: &mut [F::Partial]) {
        let width = self.kept.inner();
        let outer = self.kept.sizes.len().saturating_sub(1);
        let mut base = Odometer::new(&self.kept.sizes[..outer], &self.kept.strides[0][..outer], first / width);
        let (mut column, mut done) = (first % width, 0);
        while done < partial.len() {
            let size = (width - column).min(partial.len() - done);
            let sums = &mut partial[done..done + size];
            self.each_run(range.clone(), |distance, stride, rows| {
                let first = self.position(base.distance + column as isize + distance);
                let row = |i: usize| &self.data[first.wrapping_add_signed(i as isize * stride)..][..size];
                if stride == size as isize {
                    take_rows::<T, F>(&self.data[first..][..rows * size], sums);
                } else if size <= NARROW && size % STRIP == 0 {
                    down_narrow::<T, F>(rows, row, sums);
                } else {
                    down_wide::<T, F>(rows, row, sums);
                }
            });
            base.step();
            (column, done) = (0, done + size);
        }
    }
}

/// Takes rows that follow each other into the partial results of their columns.
pub(super) fn take_rows<T: Stored, F: Fold<T>>(rows: &[T], sums: &mut [F::Partial]) {
    let size = sums.len();
    let count = rows.len() / size;
    if size < STRIP && (FEW..SHORT).contains(&count) {
        down_lying::<T, F>(rows, sums);
    } else if size < STRIP && count >= SHORT {
        let (whole, rest) = rows.split_at(count / STRIP * STRIP * size);
        down_in_turn::<T, F>(whole, sums);
        down_wide::<T, F>(rest.len() / size, |i| &rest[i * size..][..size], sums);
    } else if size <= NARROW && size % STRIP == 0 {
        down_narrow::<T, F>(count, |i| &rows[i * size..][..size], sums);
    } else {
        down_wide::<T, F>(count, |i| &rows[i * size..][..size], sums);
    }
}

/// Takes rows into the partial results of their columns, which are read and written once for four rows, and for what is left.
fn down_wide<'a, T: Stored, F: Fold<T>>(rows: usize, row: impl Fn(usize) -> &'a [T], sums: &mut [F::Partial]) {
    let whole = rows / 4 * 4;
    for i in (0..whole).step_by(4) {
        take_together::<T, F, 4>([row(i), row(i + 1), row(i + 2), row(i + 3)], sums);
    }
    match rows - whole {
        3 => take_together::<T, F, 3>([row(whole), row(whole + 1), row(whole + 2)], sums),
        2 => take_together::<T, F, 2>([row(whole), row(whole + 1)], sums),
        1 => take_together::<T, F, 1>([row(whole)], sums),
        _ => {}
    }
}

/// Takes so many rows into the partial results of their columns, one after the other.
fn take_together<T: Stored, F: Fold<T>, const N: usize>(rows: [&[T]; N], sums: &mut [F::Partial]) {
    vectorised(
        #[inline(always)]
        move || {
            let rows = rows.map(
                #[inline(always)]
                |row| &row[..sums.len()],
            );
            for (column, sum) in sums.iter_mut().enumerate() {
                let mut taken = *sum;
                for row in rows {
                    taken = F::step(taken, row[column]);
                }
                *sum = taken;
            }
        },
    );
}

/// The same for few columns, whole strips of them, whose partial results stay in registers for all rows: those of some
/// strips at once, since each waits for the row before; of more of them where there are more registers, so that a row
/// is nearly read as it lies. Extremes in 32 bits took longer so.
fn down_narrow<'a, T: Stored, F: Fold<T>>(rows: usize, row: impl Fn(usize) -> &'a [T], sums: &mut [F::Partial]) {
    let mut done = 0;
    if const { size_of::<F::Partial>() == size_of::<f64>() } && has_many_registers() {
        done = down_groups::<T, F, { 2 * TOGETHER * STRIP }>(rows, &row, done, sums);
    }
    done = down_groups::<T, F, { TOGETHER * STRIP }>(rows, &row, done, sums);
    down_groups::<T, F, STRIP>(rows, &row, done, sums);
}

/// Groups of so many columns, from the column `first` on, as many as there are. Returns the column behind them.
fn down_groups<'a, T: Stored, F: Fold<T>, const N: usize>(
    rows: usize,
    row: &impl Fn(usize) -> &'a [T],
    first: usize,
    sums: &mut [F::Partial],
) -> usize {
    let groups = sums[first..].as_chunks_mut::<N>().0;
    for (number, group) in groups.iter_mut().enumerate() {
        down_strips::<T, F, N>(rows, |i| &row(i)[first + number * N..], group);
    }
    first + groups.len() * N
}

/// So many columns, down all rows.
#[inline(always)]
fn down_strips<'a, T: Stored, F: Fold<T>, const N: usize>(
    rows: usize,
    row: impl Fn(usize) -> &'a [T],
    sums: &mut [F::Partial; N],
) {
    vectorised(
        #[inline(always)]
        move || {
            let mut kept = *sums;
            for i in 0..rows {
                let row: &[T; N] = row(i).first_chunk().expect("strips of the columns");
                kept = std::array::from_fn(
                    #[inline(always)]
                    |column| F::step(kept[column], row[column]),
                );
            }
            *sums = kept;
        },
    );
}

/// The same for fewer columns than a strip has, whose rows follow each other: each is read as a strip, which ends in the row
/// behind it, and what that adds is left out.
fn down_lying<T: Stored, F: Fold<T>>(rows: &[T], sums: &mut [F::Partial]) {
    let columns = sums.len();
    let whole = rows.len().checked_sub(STRIP).map_or(0, |rest| rest / columns + 1);
    let to = &mut *sums;
    vectorised(
        #[inline(always)]
        move || {
            let mut kept = [F::START; STRIP];
            kept[..columns].copy_from_slice(to);
            for i in 0..whole {
                let row: &[T; STRIP] = rows[i * columns..].first_chunk().expect("a strip is there");
                kept = std::array::from_fn(
                    #[inline(always)]
                    |column| F::step(kept[column], row[column]),
                );
            }
            to.copy_from_slice(&kept[..columns]);
        },
    );
    for row in rows[whole * columns..].chunks_exact(columns) {
        sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum = F::step(*sum, x));
    }
}

/// The same for many rows of fewer columns than a strip has, which follow each other: [`STRIP`] rows are as many strips as
/// there are columns, and each place in them always belongs to the same column.
fn down_in_turn<T: Stored, F: Fold<T>>(rows: &[T], sums: &mut [F::Partial]) {
    let columns = sums.len();
    let mut room = [F::START; STRIP * STRIP];
    let partial = &mut room[..STRIP * columns];
    // All strips of some rows, while those are in the nearest cache.
    for rows in rows.chunks(NEAR / (STRIP * columns) * STRIP * columns) {
        down_narrow::<T, F>(rows.len() / partial.len(), |i| &rows[i * STRIP * columns..][..STRIP * columns], partial);
    }
    // Each of their rows is read as a strip, which ends in the row behind it, and what that adds is left out.
    vectorised(
        #[inline(always)]
        move || {
            let mut kept = [F::START; STRIP];
            kept[..columns].copy_from_slice(sums);
            for row in 0..STRIP {
                let more: &[F::Partial; STRIP] = room[row * columns..].first_chunk().expect("a strip is there");
                kept = std::array::from_fn(
                    #[inline(always)]
                    |column| F::join(kept[column], more[column]),
                );
            }
            sums.copy_from_slice(&kept[..columns]);
        },
    );
}

/// Elements of rows that follow each other, at most, that are walked once for each strip.
const NEAR: usize = 4096;
/// Columns that go down in strips of [`STRIP`], at most.
const NARROW: usize = 64;
/// Rows of fewer columns than a strip has from which on each is a strip, and from which on all strips are full.
const FEW: usize = 8;
const SHORT: usize = 4 * STRIP;
/// Strips that go down together.
const TOGETHER: usize = 4;
/// Columns of a strip.
pub(super) const STRIP: usize = 16;

/// Columns that go down together: their partial results stay in the first-level cache, and each row is worth fetching.
const TILE: usize = 1024;
