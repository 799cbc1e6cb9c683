//! Lines that lie side by side, as the columns of a matrix do.
//!
//! Rows of such a view may lie far apart, often by a power of two, so that neighbouring elements of a line come to lie in
//! one place of each cache. Therefore some lines are copied into a tile that has no gaps, computed there in groups that fit
//! the second-level cache, and copied to their place: memory is read once and written once.
//! Not here: what is computed (`softmax`, `standardize`), lines that are too long for a tile or too few (`tall`), long rows that
//! only the largest cache holds (`wide`), how reading and writing go on beside each other (`sweep`).

use super::sweep::{BLOCK, LANES, ROWS};
use super::{Line, Sweep, Walk, beside, wide};
use crate::kernel::ahead::{fetch, fetch_line_aside};
use crate::kernel::lanes::vectorised;
use crate::kernel::map::{Finisher, Tail};
use crate::kernel::math::Scalar;
use crate::kernel::parallel::{self, GRAIN, Shared, grain_of};
use crate::kernel::pool;
use crate::kernel::stream::{LINE, Stream, lined_up_mut};
use smallvec::SmallVec;

/// Lines that are computed together: a few vectors, whose partial results stay in registers.
pub(in crate::kernel) const WIDTH: usize = 64;
/// Elements of [`WIDTH`] lines at most: they share the second-level cache with what is read.
pub(super) const ROOM: usize = 256 * 1024;
/// Groups of [`WIDTH`] lines that are copied together and computed one after the other: enough of each row to be worth
/// fetching. Those that wait do so in the third-level cache, if not in the second.
pub(super) const GROUPS: usize = 4;
/// Elements of a line that are copied together if the whole line does not fit.
pub(super) const PART: usize = 256;
/// Elements of a line that are read together where results are multiples of what can be computed before all are read: few
/// enough that those of all groups are still in the nearest cache, or not far behind it, when they are computed with.
pub(super) const RAW: usize = 32;
/// Sweeps for each thread: in each, the first tile waits for nobody's results and the last one for nobody's rows.
const SWEEPS: usize = 4;
/// Elements from one row to the next from which they have to be asked for.
const FAR: usize = 512;
/// Rows that are asked for ahead of the one that is copied.
const AHEAD: usize = 16;

/// Some lines that are computed together.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct Tile {
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
        let is_tall = size * WIDTH > ROOM || columns <= WIDTH / 2;
        if !L::IS_IN_PARTS && wide::is_worth_it::<T>(columns, size, self.span.total() * size) {
            return self.wide(line, dst, dst_offset);
        }
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
        if is_tall && beside::is_worth_it(columns, size, self.span.total() / columns) {
            return self.beside(line, dst, dst_offset);
        }
        if is_tall {
            return self.tall(line, tiles, tile, dst, stream);
        }
        if L::IS_SWEPT && stream().passes_by() {
            return self.swept(line, tiles, tile, width, dst, stream);
        }
        parallel::for_each_range(tiles, grain_of(tiles, GRAIN.div_ceil(size * WIDTH * groups)), |range| {
            let (stream, mut finisher) = (stream(), self.tail.map(Tail::finisher::<T>));
            let mut buffer = pool::take(T::KIND, groups * size * WIDTH + LINE / size_of::<T>());
            let (room, _) = lined_up_mut(T::of_mut(&mut buffer)).as_chunks_mut();
            for tile in range.map(tile) {
                if L::IS_IN_PARTS {
                    self.whole_in_parts(line, &tile, room, dst, &stream);
                } else {
                    self.whole(line, &tile, room, dst, &stream);
                }
                if let Some(finisher) = &mut finisher {
                    self.finish(finisher, &tile, 0, size, dst);
                }
            }
            pool::give(buffer);
        });
    }

    /// Lines of these tiles, which are so wide at most, in sweeps.
    fn swept<L: Line<T>>(
        &self,
        line: &L,
        tiles: usize,
        tile: impl Fn(usize) -> Tile + Sync,
        width: usize,
        dst: &Shared<'_, T>,
        stream: impl Fn() -> Stream + Sync,
    ) {
        let strips = width.div_ceil(LANES);
        let (rows, bases) = (self.size.next_multiple_of(ROWS) * strips, self.size.div_ceil(BLOCK) * strips);
        let least = GRAIN.div_ceil(self.size * width).max(tiles.div_ceil(SWEEPS * parallel::threads()));
        parallel::for_each_range(tiles, least, |range| {
            let stream = stream();
            let mut buffer = pool::take(T::KIND, (rows + bases) * LANES + LINE / size_of::<T>());
            let (all, _) = lined_up_mut(T::of_mut(&mut buffer)).as_chunks_mut();
            let (room, bases) = all[..rows + bases].split_at_mut(rows);
            let (room, _) = room.as_chunks_mut();
            line.sweep(Sweep { walk: self, dst, stream: &stream, strips, room, bases }, range.map(&tile));
            pool::give(buffer);
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

    /// Lines all of whose elements fit.
    fn whole(&self, line: &impl Line<T>, tile: &Tile, room: &mut [[T; WIDTH]], dst: &Shared<'_, T>, stream: &Stream) {
        let (size, groups) = (self.size, tile.width.div_ceil(WIDTH));
        let room = &mut room[..groups * size];
        self.gather(tile, 0, size, room);
        for rows in room.chunks_exact_mut(size) {
            let mut known = line.start();
            line.read(&mut known, rows);
            line.write(&known, rows);
        }
        self.scatter(tile, 0, size, room, dst, stream);
    }

    /// The same where results are multiples of what can be computed before all elements are read. What was read is then
    /// still near, and each element passes through further caches once on its way there and once back.
    fn whole_in_parts<L: Line<T>>(
        &self,
        line: &L,
        tile: &Tile,
        room: &mut [[T; WIDTH]],
        dst: &Shared<'_, T>,
        stream: &Stream,
    ) {
        let (size, groups) = (self.size, tile.width.div_ceil(WIDTH));
        let room = &mut room[..groups * size];
        let mut known: SmallVec<[L::Known; GROUPS]> = (0..groups).map(|_| line.start()).collect();
        let mut returned = Vec::with_capacity(groups * size.div_ceil(RAW));
        for first in (0..size).step_by(RAW) {
            let some = RAW.min(size - first);
            self.gather_rows(tile, first, some, size, &mut room[first..]);
            let next = |i: usize| (tile.from + (first + some + i) as isize * self.src_stride) as usize;
            let left = size - first - some;
            for (group, (known, rows)) in known.iter_mut().zip(room.chunks_exact_mut(size)).enumerate() {
                let ask = move |i: usize| {
                    if i < left {
                        let start = next(i) + group * WIDTH;
                        (0..WIDTH).step_by(LINE / size_of::<T>()).for_each(|j| fetch_line_aside(self.src, start + j));
                    }
                };
                returned.push(line.read_raw(known, &mut rows[first..first + some], ask));
            }
        }
        let room = &*room;
        let mut factors = [[T::default(); WIDTH]; GROUPS];
        for (number, first) in (0..size).step_by(RAW).enumerate() {
            let returned = |group: usize, number: usize| &returned[number * groups + group];
            for (group, (factors, known)) in factors.iter_mut().zip(&known).enumerate() {
                let before = number.checked_sub(1).map(|number| returned(group, number));
                line.factors(known, before, returned(group, number), factors);
            }
            let (factors, rows) = (&factors[..groups], first..size.min(first + RAW));
            vectorised(
                #[inline(always)]
                move || {
                    let mut ready = [[T::default(); WIDTH]; GROUPS];
                    for i in rows {
                        let start = (tile.to + i as isize * self.dst_stride) as usize;
                        // SAFETY: tiles are disjoint sets of lines, each is visited once, and so is each row of it.
                        let row = unsafe { dst.slice(start, tile.width) };
                        for ((to, factors), from) in ready.iter_mut().zip(factors).zip(room[i..].iter().step_by(size)) {
                            to.iter_mut().zip(from).zip(factors).for_each(|((y, &x), &factor)| *y = x * factor);
                        }
                        stream.put(&ready.as_flattened()[..tile.width], row);
                    }
                },
            );
        }
    }

    /// Copies `size` elements of each line, from the one numbered `first` on, into groups that follow each other.
    pub(super) fn gather(&self, tile: &Tile, first: usize, size: usize, room: &mut [[T; WIDTH]]) {
        // Rows that follow each other, or nearly, are expected anyhow.
        let are_far = self.src_stride.unsigned_abs() >= FAR;
        for i in 0..size {
            if are_far && first + i + AHEAD < self.size {
                let ahead = tile.from + (first + i + AHEAD) as isize * self.src_stride;
                fetch(self.src, ahead as usize, tile.width);
            }
            self.gather_row(tile, first + i, size, &mut room[i..]);
        }
    }

    /// The same for groups that begin `step` rows apart, where what is copied was asked for.
    pub(super) fn gather_rows(&self, tile: &Tile, first: usize, size: usize, step: usize, room: &mut [[T; WIDTH]]) {
        vectorised(
            #[inline(always)]
            move || {
                for i in 0..size {
                    self.gather_row(tile, first + i, step, &mut room[i..]);
                }
            },
        );
    }

    /// Copies element `i` of each line into groups that begin `step` rows apart.
    #[inline(always)]
    fn gather_row(&self, tile: &Tile, i: usize, step: usize, room: &mut [[T; WIDTH]]) {
        let row = &self.src[(tile.from + i as isize * self.src_stride) as usize..][..tile.width];
        let (whole, rest) = row.as_chunks::<WIDTH>();
        for (from, to) in whole.iter().zip(room.iter_mut().step_by(step)) {
            copy_short(from, to);
        }
        if !rest.is_empty() {
            let row = &mut room[whole.len() * step];
            copy_short(rest, row);
            // What is not computed with is as ordinary as what is.
            row[rest.len()..].fill(rest[rest.len() - 1]);
        }
    }

    /// Copies `size` elements of each line to their place.
    pub(super) fn scatter(
        &self,
        tile: &Tile,
        first: usize,
        size: usize,
        room: &[[T; WIDTH]],
        dst: &Shared<'_, T>,
        stream: &Stream,
    ) {
        for i in 0..size {
            let start = (tile.to + (first + i) as isize * self.dst_stride) as usize;
            // SAFETY: tiles are disjoint sets of lines, each is visited once, and so is each row of it.
            let row = unsafe { dst.slice(start, tile.width) };
            for (to, from) in row.chunks_mut(WIDTH).zip(room[i..].iter().step_by(size)) {
                if to.len() == WIDTH { stream.send(from, to) } else { copy_short(&from[..to.len()], to) }
            }
        }
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
        // SAFETY: as in `scatter`; no row is held any more.
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
