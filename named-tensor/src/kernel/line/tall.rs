//! Lines side by side that are long, or too few to fill a tile: they are cut into pieces, which threads share.
//!
//! Where fewer than half of [`WIDTH`] lines lie side by side, several elements of each stand in one row of a tile, element
//! `i` of line `c` in the row `i / k` at `i % k * width + c`; so no vector is left empty. What is known of the pieces, and
//! of the elements that share a row, is put together in the order of the line: results depend on the sizes alone.
//! Each piece is read twice. Not here: what is computed (`softmax`, `standardize`), shorter lines (`columns`).

use super::columns::{PART, Tile, copy_short};
use super::{Known, Line, WIDTH, Walk};
use crate::kernel::map::{Finisher, Tail};
use crate::kernel::math::Scalar;
use crate::kernel::parallel::{self, GRAIN, Shared, grain_of};
use crate::kernel::stream::Stream;

/// Elements of a piece: worth a thread of its own, and little enough to be still near when it is read again.
pub(super) const PIECE: usize = 2 * GRAIN;

/// Some elements of the lines of a tile, `k` of each in a row of the room.
struct Piece {
    tile: Tile,
    k: usize,
    first: usize,
    size: usize,
}

impl Piece {
    /// The parts that fit the room: the first element of each, how many there are, and how many of a line stand in a row:
    /// `k` of them, in whole rows, and in the end what is left, in one.
    fn parts(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let whole = self.size / self.k * self.k;
        let (end, step) = (self.first + whole, PART * self.k);
        let parts = (self.first..end).step_by(step).map(move |first| (first, step.min(end - first), self.k));
        let left = self.size - whole;
        parts.chain((left > 0).then_some((end, left, left)))
    }
}

impl<T: Scalar> Walk<'_, T> {
    /// Lines of these tiles.
    pub(super) fn tall<L: Line<T>>(
        &self,
        line: &L,
        tiles: usize,
        tile: impl Fn(usize) -> Tile + Sync,
        dst: &Shared<'_, T>,
        stream: impl Fn() -> Stream + Sync,
    ) {
        // Pieces of all tiles have as many elements of a line as those of the widest.
        let width = self.span.inner().min(WIDTH);
        let size = (PIECE / width).next_multiple_of(WIDTH).min(self.size);
        let pieces = self.size.div_ceil(size);
        let piece = |tile: Tile, number: usize| {
            let first = number * size;
            Piece { tile, k: (WIDTH / tile.width).max(1), first, size: size.min(self.size - first) }
        };
        // As many rows as a part has at most.
        let rows = size.div_ceil((WIDTH / width).max(1)).min(PART);
        let room = || vec![[T::default(); WIDTH]; rows];
        let finisher = || self.tail.map(Tail::finisher::<T>);
        if pieces == 1 {
            parallel::for_each_range(tiles, grain_of(tiles, GRAIN.div_ceil(self.size * width)), |range| {
                let (mut room, mut finisher, stream) = (room(), finisher(), stream());
                for number in range {
                    let piece = piece(tile(number), 0);
                    let known = self.learn(line, &piece, &mut room);
                    self.write(line, &piece, &known.spread(piece.tile.width), &mut room, dst, &stream);
                    self.finish_piece(finisher.as_mut(), &piece, dst);
                }
            });
            return;
        }
        let mut known: Vec<L::Known> = (0..tiles * pieces).map(|_| line.start()).collect();
        parallel::for_each_chunk(&mut known, 1, |number, known| {
            known[0] = self.learn(line, &piece(tile(number / pieces), number % pieces), &mut room());
        });
        let mut whole: Vec<L::Known> = (0..tiles).map(|_| line.start()).collect();
        parallel::for_each_chunk(&mut whole, 1, |number, whole| {
            known[number * pieces..][..pieces].iter().for_each(|known| whole[0].join(known));
            whole[0] = whole[0].spread(tile(number).width);
        });
        parallel::for_each_range(tiles * pieces, 1, |range| {
            let (mut room, mut finisher, stream) = (room(), finisher(), stream());
            for number in range {
                let piece = piece(tile(number / pieces), number % pieces);
                self.write(line, &piece, &whole[number / pieces], &mut room, dst, &stream);
                self.finish_piece(finisher.as_mut(), &piece, dst);
            }
        });
    }

    /// What is known of the lines from one piece, in their own lanes.
    fn learn<L: Line<T>>(&self, line: &L, piece: &Piece, room: &mut [[T; WIDTH]]) -> L::Known {
        let width = piece.tile.width;
        let (mut known, mut before) = (line.start(), None);
        // Elements that do not fill a row come last, by themselves.
        let mut k = piece.k;
        for (first, size, of) in piece.parts() {
            if of != k {
                before = Some(std::mem::replace(&mut known, line.start()).folded(k, width));
                k = of;
            }
            self.gather_folded(&piece.tile, first, size, k, room);
            line.read(&mut known, &room[..size / k]);
        }
        let last = known.folded(k, width);
        match before {
            None => last,
            Some(mut all) => {
                all.join(&last);
                all
            }
        }
    }

    /// Writes the results of one piece.
    fn write<L: Line<T>>(
        &self,
        line: &L,
        piece: &Piece,
        known: &L::Known,
        room: &mut [[T; WIDTH]],
        dst: &Shared<'_, T>,
        stream: &Stream,
    ) {
        for (first, size, k) in piece.parts() {
            self.gather_folded(&piece.tile, first, size, k, room);
            line.write(known, &mut room[..size / k]);
            self.scatter_folded(&piece.tile, first, k, &room[..size / k], dst, stream);
        }
    }

    /// Copies `size` elements of each line, from the one numbered `first` on, into rows of `k` elements of each.
    fn gather_folded(&self, tile: &Tile, first: usize, size: usize, k: usize, room: &mut [[T; WIDTH]]) {
        let width = tile.width;
        if k == 1 {
            return self.gather(tile, first, size, room);
        }
        for (row, first) in room.iter_mut().zip((first..first + size).step_by(k)) {
            let start = (tile.from + first as isize * self.src_stride) as usize;
            if self.src_stride == width as isize {
                copy_short(&self.src[start..][..k * width], row);
                continue;
            }
            for (i, to) in (0..k as isize).zip(row.chunks_exact_mut(width)) {
                let start = start.wrapping_add_signed(i * self.src_stride);
                to.iter_mut().zip(&self.src[start..][..width]).for_each(|(to, &from)| *to = from);
            }
        }
    }

    /// Copies rows of `k` elements of each line to their place.
    fn scatter_folded(
        &self,
        tile: &Tile,
        first: usize,
        k: usize,
        room: &[[T; WIDTH]],
        dst: &Shared<'_, T>,
        stream: &Stream,
    ) {
        let width = tile.width;
        if k == 1 {
            return self.scatter(tile, first, room.len(), room, dst, stream);
        }
        for (row, first) in room.iter().zip((first..).step_by(k)) {
            let start = (tile.to + first as isize * self.dst_stride) as usize;
            if self.dst_stride == width as isize {
                // SAFETY: pieces of tiles are disjoint sets of elements, each is visited once, and so is each row of it.
                copy_short(&row[..k * width], unsafe { dst.slice(start, k * width) });
                continue;
            }
            for (i, from) in (0..k as isize).zip(row.chunks_exact(width)) {
                let start = start.wrapping_add_signed(i * self.dst_stride);
                // SAFETY: as above.
                let to = unsafe { dst.slice(start, width) };
                to.iter_mut().zip(from).for_each(|(to, &from)| *to = from);
            }
        }
    }

    /// Has the tail finish a piece.
    fn finish_piece(&self, finisher: Option<&mut Finisher<'_, T>>, piece: &Piece, dst: &Shared<'_, T>) {
        if let Some(finisher) = finisher {
            self.finish(finisher, &piece.tile, piece.first, piece.size, dst);
        }
    }
}
