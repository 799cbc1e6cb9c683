//! Lines that lie side by side, as the columns of a matrix do.
//!
//! Rows of such a view may lie far apart, often by a power of two, so that neighbouring elements of a line come to lie in
//! one place of each cache. Therefore some lines are read together, a few rows at once, and once more when all of them are
//! known; only then is a result written. What is read again is still in the third-level cache: to keep copies nearer, or
//! what was computed of them, costs more than to read and compute it twice.
//! Not here: what is computed (`softmax`, `standardize`), lines that are too long to be near or too few (`tall`).

use super::{Line, Walk};
use crate::kernel::ahead::fetch_line;
use crate::kernel::lanes::vectorised;
use crate::kernel::map::{Finisher, Tail};
use crate::kernel::math::Scalar;
use crate::kernel::parallel::{self, GRAIN, Shared};
use crate::kernel::stream::{LINE, Stream};
use smallvec::SmallVec;
use std::ops::Range;

/// Lines that are computed together: a few vectors, whose partial results stay in registers.
pub(in crate::kernel) const WIDTH: usize = 64;
/// Elements of [`WIDTH`] lines at most that are computed by one thread.
pub(super) const LONGEST: usize = 256 * 1024;
/// Groups of [`WIDTH`] lines that are read together: enough of each row to be worth fetching, and few enough to stay in the
/// third-level cache until they are read again, if not in the second.
pub(super) const GROUPS: usize = 4;
/// Elements of a line that are taken in together, and stay in registers.
pub(super) const ROWS: usize = 4;
/// Elements from one row to the next from which they have to be asked for.
const FAR: usize = 512;
/// Rows that are asked for ahead of the one that is read.
const AHEAD: usize = 8;

/// Some lines that are computed together.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    /// Where the first element of the first line stands, in the source and in the destination.
    pub(super) from: isize,
    pub(super) to: isize,
    /// How many lines there are.
    pub(super) width: usize,
}

impl<T: Scalar> Walk<'_, T> {
    /// Lines side by side along the last of the other axes.
    pub(super) fn columns<L: Line<T>>(&self, line: &L, dst: &Shared<'_, T>, dst_offset: isize) {
        let (columns, size) = (self.span.inner(), self.size);
        let is_tall = size * WIDTH > LONGEST || columns <= WIDTH / 2;
        let groups = if is_tall { 1 } else { GROUPS.min(columns.div_ceil(WIDTH)) };
        let width = WIDTH * groups;
        let (streams, skipped) = self.lines_of_memory(dst, dst_offset, width);
        let per_row = (columns - skipped).div_ceil(width) + usize::from(skipped > 0);
        let tiles = self.span.total() / columns * per_row;
        // What a tail reads again is better left in the caches.
        let stream = || Stream::of::<T>(if streams { self.span.total() * size } else { 0 });
        let tile = |number: usize| {
            let (column, end) = match number % per_row {
                0 if skipped > 0 => (0, skipped),
                i => {
                    let first = skipped + (i - usize::from(skipped > 0)) * width;
                    (first, columns.min(first + width))
                }
            };
            let index = self.span.index(number / per_row * columns + column);
            Tile {
                from: self.src_offset + self.span.distance(0, &index),
                to: dst_offset + self.span.distance(1, &index),
                width: end - column,
            }
        };
        if is_tall {
            return self.tall(line, tiles, tile, dst, stream);
        }
        parallel::for_each_range(tiles, GRAIN.div_ceil(size * WIDTH * groups), |range| {
            let (stream, mut finisher) = (stream(), self.tail.map(Tail::finisher::<T>));
            for tile in range.map(tile) {
                let mut known: SmallVec<[L::Known; GROUPS]> =
                    (0..tile.width.div_ceil(WIDTH)).map(|_| line.start()).collect();
                self.read(line, &tile, &mut known, 0..size);
                let ready: SmallVec<[L::Ready; GROUPS]> = known.iter().map(|known| line.ready(known)).collect();
                self.write(line, &tile, &ready, 0..size, dst, &stream);
                if let Some(finisher) = &mut finisher {
                    self.finish(finisher, &tile, 0, size, dst);
                }
            }
        });
    }

    /// Whether rows of tiles may pass the caches by: no line of memory is then sent in two parts, if the first tile has so
    /// many columns that the others begin where a line of memory does. What a tail reads again is better left in the caches.
    fn lines_of_memory(&self, dst: &Shared<'_, T>, dst_offset: isize, width: usize) -> (bool, usize) {
        let per_line = LINE / size_of::<T>();
        let is_even = |stride: isize| stride.unsigned_abs().is_multiple_of(per_line);
        let outer = self.span.sizes.len() - 1;
        let are_even = is_even(self.dst_stride) && self.span.strides[1][..outer].iter().all(|&stride| is_even(stride));
        if self.tail.is_some() || !are_even || self.span.inner() < 2 * width {
            return (false, 0);
        }
        (true, dst.as_ptr().wrapping_offset(dst_offset).align_offset(LINE).min(per_line))
    }

    /// Takes in these elements of each line of a tile.
    pub(super) fn read<L: Line<T>>(&self, line: &L, tile: &Tile, known: &mut [L::Known], elements: Range<usize>) {
        vectorised(
            #[inline(always)]
            move || {
                let mut copies = [[T::default(); WIDTH]; ROWS];
                for first in elements.clone().step_by(ROWS) {
                    let size = ROWS.min(elements.end - first);
                    for (group, known) in known.iter_mut().enumerate() {
                        (first..first + size).for_each(|i| self.ask(tile, group, i));
                        if size < ROWS {
                            for i in first..first + size {
                                self.copy_row(tile, group, i, &mut copies[0]);
                                line.read(known, &[&copies[0]]);
                            }
                        } else if (group + 1) * WIDTH <= tile.width {
                            let rows: [&[T; WIDTH]; ROWS] = std::array::from_fn(
                                #[inline(always)]
                                |i| self.whole_row(tile, group, first + i),
                            );
                            line.read(known, &rows);
                        } else {
                            for (i, copy) in copies.iter_mut().enumerate() {
                                self.copy_row(tile, group, first + i, copy);
                            }
                            line.read(known, &copies.each_ref());
                        }
                    }
                }
            },
        );
    }

    /// Puts results in the place of these elements of each line of a tile.
    pub(super) fn write<L: Line<T>>(
        &self,
        line: &L,
        tile: &Tile,
        ready: &[L::Ready],
        elements: Range<usize>,
        dst: &Shared<'_, T>,
        stream: &Stream,
    ) {
        vectorised(
            #[inline(always)]
            move || {
                let mut copy = [T::default(); WIDTH];
                for i in elements {
                    let start = (tile.to + i as isize * self.dst_stride) as usize;
                    // SAFETY: tiles are disjoint sets of lines, each is visited once, and so is each element of it.
                    let row = unsafe { dst.slice(start, tile.width) };
                    let (whole, rest) = row.as_chunks_mut();
                    for (group, (ready, to)) in ready.iter().zip(whole).enumerate() {
                        self.ask(tile, group, i);
                        let mut results = [T::default(); WIDTH];
                        line.write(ready, self.whole_row(tile, group, i), &mut results);
                        stream.send_few(&results, to);
                    }
                    if let (false, Some(last)) = (rest.is_empty(), ready.last()) {
                        let mut results = [T::default(); WIDTH];
                        self.copy_row(tile, ready.len() - 1, i, &mut copy);
                        line.write(last, &copy, &mut results);
                        stream.put(&results[..rest.len()], rest);
                    }
                }
            },
        );
    }

    /// Asks for what is read some rows after element `i` of each line of a group.
    #[inline(always)]
    fn ask(&self, tile: &Tile, group: usize, i: usize) {
        // Rows that follow each other, or nearly, are expected anyhow.
        if self.src_stride.unsigned_abs() >= FAR && i + AHEAD < self.size {
            let start = self.start(tile, group, i + AHEAD);
            for line in 0..WIDTH * size_of::<T>() / LINE {
                fetch_line(self.src, start + line * (LINE / size_of::<T>()));
            }
        }
    }

    /// Where element `i` of the first line of a group is.
    #[inline(always)]
    fn start(&self, tile: &Tile, group: usize, i: usize) -> usize {
        (tile.from + i as isize * self.src_stride) as usize + group * WIDTH
    }

    /// Element `i` of each line of a group, where they lie.
    #[inline(always)]
    fn whole_row(&self, tile: &Tile, group: usize, i: usize) -> &[T; WIDTH] {
        self.src[self.start(tile, group, i)..].first_chunk().expect("a whole row")
    }

    /// Copies element `i` of each line of a group that has fewer.
    #[inline(always)]
    fn copy_row(&self, tile: &Tile, group: usize, i: usize, copy: &mut [T; WIDTH]) {
        let width = WIDTH.min(tile.width - group * WIDTH);
        copy_short(&self.src[self.start(tile, group, i)..][..width], copy);
        // What is not computed with is as ordinary as what is.
        let last = copy[width - 1];
        copy[width..].fill(last);
    }

    /// Has the tail finish `size` elements of each line of a tile, from the one numbered `first` on.
    pub(super) fn finish(
        &self,
        finisher: &mut Finisher<'_, T>,
        tile: &Tile,
        first: usize,
        size: usize,
        dst: &Shared<'_, T>,
    ) {
        let start = (tile.to + first as isize * self.dst_stride) as usize;
        // SAFETY: as in `write`; no row is held any more.
        unsafe { finisher.tile(start, self.dst_stride as usize, [size, tile.width], dst) };
    }
}

/// Copies less than a whole row, by loops rather than by a call.
#[inline(always)]
pub(super) fn copy_short<T: Copy>(from: &[T], to: &mut [T]) {
    let (whole, rest) = from.as_chunks::<8>();
    let (whole_to, rest_to) = to.as_chunks_mut::<8>();
    whole_to.iter_mut().zip(whole).for_each(|(to, from)| *to = *from);
    let rest_to = if whole_to.len() > whole.len() { whole_to[whole.len()].as_mut_slice() } else { rest_to };
    rest_to.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
}
