//! Lines that lie side by side and whose results are multiples of numbers that need not wait for their last element.
//!
//! A tile of such lines is read, computed with and written in one sweep over its rows, in which three things are done by
//! turns, a few elements each: what results are multiples of is computed for rows that are near, results of the tile before
//! are sent away, and rows that come next are taken in, where those stood. So the processor has something to do while it
//! waits for memory, and memory while it waits for the processor.
//! Not here: what is computed (`softmax`), where tiles lie (`columns`).

use super::Walk;
use super::columns::{Tile, copy_short};
use crate::kernel::ahead::fetch_line_aside;
use crate::kernel::lanes::vectorised;
use crate::kernel::math::Scalar;
use crate::kernel::parallel::Shared;
use crate::kernel::stream::{LINE, Stream};

/// Lines whose elements are computed with at once: a vector or two.
pub(in crate::kernel) const LANES: usize = 16;
/// Rows of them.
pub(in crate::kernel) const ROWS: usize = 4;
/// Elements that are computed with at once. Those that do not exist are the lowest number there is.
pub(in crate::kernel) type Unit<T> = [[T; LANES]; ROWS];
/// Rows that are taken in before they are computed with: those and the next are in the nearest cache.
pub(super) const BLOCK: usize = 32;
/// Rows that are asked for ahead of the one that is taken in.
const AHEAD: usize = 32;

/// What is known of [`LANES`] lines side by side from those of their elements that were computed with.
pub(in crate::kernel) trait Parts<T>: Copy {
    /// Before any element was.
    const NONE: Self;
    /// Takes in the largest elements, those included that are computed with next. Returns the base with which they are.
    fn rise(&mut self, tops: &[T; LANES]) -> [T; LANES];
    /// Puts a number in the place of each element of which its result is a multiple.
    fn compute(&mut self, unit: &mut Unit<T>);
    /// What numbers of a line have to be multiplied by that were computed with this base, now that all elements are known.
    fn factor(&self, lane: usize, base: T) -> T;
    /// The larger elements.
    fn larger(tops: [T; LANES], row: &[T; LANES]) -> [T; LANES];
}

/// [`LANES`] lines of the tile at hand, and as many of the tile before.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Strip<T, P> {
    /// Of the tile at hand: the largest elements that were taken in, and what is known.
    tops: [T; LANES],
    known: P,
    /// Of the tile before: what is known, and by what numbers are multiplied that were computed with this base.
    before: P,
    base: [T; LANES],
    factors: [T; LANES],
}

impl<T: Scalar, P: Parts<T>> Strip<T, P> {
    const NONE: Strip<T, P> = Strip {
        tops: [T::LOWEST; LANES],
        known: P::NONE,
        before: P::NONE,
        base: [T::LOWEST; LANES],
        factors: [T::LOWEST; LANES],
    };

    /// Goes on to the next tile.
    fn next(&mut self) {
        let factors = std::array::from_fn(|lane| self.known.factor(lane, T::LOWEST));
        *self = Strip { before: self.known, factors, ..Strip::NONE };
    }

    /// Goes on to numbers of the tile before that were computed with this base, as a rule the same one.
    fn multiply(&mut self, base: &[T; LANES]) {
        if are_same(&self.base, base) {
            return;
        }
        for (lane, (now, &base)) in self.base.iter_mut().zip(base).enumerate() {
            if *now != base {
                (*now, self.factors[lane]) = (base, self.before.factor(lane, base));
            }
        }
    }
}

/// Whether the numbers are the same, asked of all at once.
#[inline(always)]
fn are_same<T: Scalar>(xs: &[T; LANES], ys: &[T; LANES]) -> bool {
    xs.iter().zip(ys).fold(true, |are_same, (x, y)| are_same & (x == y))
}

/// Tiles that are computed one after the other.
pub(in crate::kernel) struct Sweep<'a, T> {
    pub(super) walk: &'a Walk<'a, T>,
    pub(super) dst: &'a Shared<'a, T>,
    pub(super) stream: &'a Stream,
    /// How many units lie side by side.
    pub(super) strips: usize,
    /// Room for a tile, row by row of units.
    pub(super) room: &'a mut [Unit<T>],
    /// Room for the bases of each block.
    pub(super) bases: &'a mut [[T; LANES]],
}

impl<T: Scalar> Sweep<'_, T> {
    /// Computes tiles.
    pub(in crate::kernel) fn run<P: Parts<T>>(&mut self, tiles: impl Iterator<Item = Tile>) {
        let blocks = self.walk.size.div_ceil(BLOCK);
        let mut strips = vec![Strip::<T, P>::NONE; self.strips];
        let mut before = None;
        for now in tiles.map(Some).chain([None]) {
            strips.iter_mut().for_each(Strip::next);
            // Rows are taken in a block before they are computed with.
            for block in 0..=blocks {
                for (i, strip) in strips.iter_mut().enumerate() {
                    if block < blocks {
                        strip.multiply(&self.bases[block * self.strips + i]);
                    }
                    if block > 0 {
                        self.bases[(block - 1) * self.strips + i] = strip.known.rise(&strip.tops);
                    }
                }
                self.block(&mut strips, block, [before, now]);
            }
            before = now;
        }
    }

    /// Computes with the rows before this block, and has rows of both tiles change places in it.
    fn block<P: Parts<T>>(&mut self, strips: &mut [Strip<T, P>], block: usize, [before, now]: [Option<Tile>; 2]) {
        let (size, fours) = (self.walk.size, BLOCK / ROWS);
        let middle = self.room.len().min(block * fours * self.strips);
        let (near, next) = self.room.split_at_mut(middle);
        let near = &mut near[block.saturating_sub(1) * fours * self.strips..];
        let (mut near, mut next) = (near.chunks_mut(self.strips), next.chunks_mut(self.strips));
        let computed = now.map_or(0, |tile| tile.width.div_ceil(LANES));
        for first in (block * BLOCK..).step_by(ROWS).take(fours) {
            let (near, units) = (near.next().unwrap_or_default(), next.next().unwrap_or_default());
            let computed = computed.min(near.len());
            let mut exchange = Exchange {
                walk: self.walk,
                dst: self.dst,
                stream: self.stream,
                units,
                before: before.filter(|_| first < size),
                now: now.filter(|_| first < size),
                first,
                count: ROWS.min(size.saturating_sub(first)),
            };
            let (sent, taken) = (exchange.sent(), exchange.taken());
            exchange.send_rest(strips, sent);
            exchange.beside(strips, &mut near[..computed], [sent, taken]);
            exchange.take_rest(strips, taken);
        }
    }
}

/// Rows of the tile before that make room for rows of the tile at hand.
struct Exchange<'a, T> {
    walk: &'a Walk<'a, T>,
    dst: &'a Shared<'a, T>,
    stream: &'a Stream,
    units: &'a mut [Unit<T>],
    before: Option<Tile>,
    now: Option<Tile>,
    /// The first row, and how many there are.
    first: usize,
    count: usize,
}

impl<'a, T: Scalar> Exchange<'a, T> {
    /// How many units of the tile before are sent as a whole.
    fn sent(&self) -> usize {
        self.before.filter(|_| self.count == ROWS).map_or(0, |tile| tile.width / LANES)
    }

    /// How many units of the tile at hand are taken as a whole. What lies beside the tile may be taken along.
    fn taken(&self) -> usize {
        let Some(tile) = self.now.filter(|_| self.count == ROWS) else { return 0 };
        let all = tile.width.div_ceil(LANES);
        let exist = (0..ROWS).all(|i| self.start(&tile, i) + all * LANES <= self.walk.src.len());
        if exist { all } else { tile.width / LANES }
    }

    /// Some elements of row `i` of the tile before.
    ///
    /// # Safety
    /// While the result lives, no other slice with one of them may be taken.
    #[inline(always)]
    unsafe fn to(&self, tile: &Tile, i: usize, [start, end]: [usize; 2]) -> &'a mut [T] {
        let first = (tile.to + (self.first + i) as isize * self.walk.dst_stride) as usize;
        // SAFETY: the caller promises that no other slice with these elements lives.
        unsafe { self.dst.slice(first + start, end - start) }
    }

    /// Where row `i` of the tile at hand begins.
    #[inline(always)]
    fn start(&self, tile: &Tile, i: usize) -> usize {
        (tile.from + (self.first + i) as isize * self.walk.src_stride) as usize
    }

    /// Computes these units, and meanwhile sends and takes so many whole ones.
    fn beside<P: Parts<T>>(&mut self, strips: &mut [Strip<T, P>], near: &mut [Unit<T>], [sent, taken]: [usize; 2]) {
        let exchange = &mut *self;
        vectorised(
            #[inline(always)]
            move || {
                let Exchange { walk, dst, stream, ref mut units, before, now, first, .. } = *exchange;
                let units = &mut units[..sent.max(taken)];
                let (before, now) = (before.filter(|_| sent > 0), now.filter(|_| taken > 0));
                let row = |i: usize| {
                    let start = before.map_or(0, |tile| (tile.to + (first + i) as isize * walk.dst_stride) as usize);
                    // SAFETY: tiles are disjoint sets of lines, each is visited once, and so is each part of a row of it.
                    let row = unsafe { dst.slice(start, sent * LANES) };
                    &mut row.as_chunks_mut::<LANES>().0[..sent]
                };
                let [to_0, to_1, to_2, to_3] = [row(0), row(1), row(2), row(3)];
                let start =
                    |i: usize| now.map_or(0, |tile| (tile.from + (first + i) as isize * walk.src_stride) as usize);
                let row = |i: usize| &walk.src[start(i)..][..taken * LANES].as_chunks::<LANES>().0[..taken];
                let [from_0, from_1, from_2, from_3] = [row(0), row(1), row(2), row(3)];
                let are_ahead = taken > 0 && first + AHEAD + ROWS <= walk.size;
                let ahead = are_ahead.then(|| [0, 1, 2, 3].map(|i| start(AHEAD + i)));
                // A row seldom begins where a line of memory does, so its end is in one line more.
                let last = now.map_or(0, |tile| tile.width - 1);
                for (at, strip) in strips.iter_mut().enumerate() {
                    if let Some(unit) = near.get_mut(at) {
                        strip.known.compute(unit);
                    }
                    let Some(unit) = units.get_mut(at) else { continue };
                    if at < sent {
                        let mut results = *unit;
                        for row in &mut results {
                            row.iter_mut().zip(&strip.factors).for_each(|(x, &factor)| *x = *x * factor);
                        }
                        stream.send_few(&results[0], &mut to_0[at]);
                        stream.send_few(&results[1], &mut to_1[at]);
                        stream.send_few(&results[2], &mut to_2[at]);
                        stream.send_few(&results[3], &mut to_3[at]);
                    }
                    if at < taken {
                        unit[0] = from_0[at];
                        unit[1] = from_1[at];
                        unit[2] = from_2[at];
                        unit[3] = from_3[at];
                        for j in (at * LANES..(at + 1) * LANES).step_by(LINE / size_of::<T>()) {
                            ahead.iter().flatten().for_each(|ahead| fetch_line_aside(walk.src, ahead + j));
                        }
                        let mut tops = strip.tops;
                        for row in unit.iter() {
                            tops = P::larger(tops, row);
                        }
                        strip.tops = tops;
                    }
                }
                ahead.iter().flatten().for_each(|ahead| fetch_line_aside(walk.src, ahead + last));
            },
        );
    }

    /// Sends what is left of the rows after so many whole units.
    fn send_rest<P>(&mut self, strips: &[Strip<T, P>], whole: usize) {
        let Some(tile) = self.before.filter(|tile| whole * LANES < tile.width) else { return };
        let exchange = &*self;
        vectorised(
            #[inline(always)]
            move || {
                for i in 0..exchange.count {
                    // SAFETY: tiles are disjoint sets of lines, each is visited once, and so is each part of a row of it.
                    let rest = unsafe { exchange.to(&tile, i, [whole * LANES, tile.width]) }.chunks_mut(LANES);
                    for ((to, unit), strip) in rest.zip(&exchange.units[whole..]).zip(&strips[whole..]) {
                        let result: [T; LANES] = std::array::from_fn(|lane| unit[i][lane] * strip.factors[lane]);
                        copy_short(&result[..to.len()], to);
                    }
                }
            },
        );
    }

    /// Takes what is left of the rows after so many whole units.
    fn take_rest<P: Parts<T>>(&mut self, strips: &mut [Strip<T, P>], whole: usize) {
        let Some(tile) = self.now.filter(|tile| whole * LANES < tile.width) else { return };
        let (walk, count, start) = (self.walk, self.count, [0, 1, 2, 3].map(|i| self.start(&tile, i)));
        let units = &mut *self.units;
        vectorised(
            #[inline(always)]
            move || {
                for (at, (unit, strip)) in units.iter_mut().zip(strips).enumerate().skip(whole) {
                    let (first, width) = (at * LANES, tile.width.saturating_sub(at * LANES).min(LANES));
                    for (i, row) in unit.iter_mut().enumerate() {
                        *row = [T::LOWEST; LANES];
                        if i < count && width > 0 {
                            copy_short(&walk.src[start[i] + first..][..width], &mut row[..width]);
                        }
                    }
                    strip.tops = unit.iter().fold(strip.tops, P::larger);
                }
            },
        );
    }
}
