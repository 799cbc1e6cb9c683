//! Lines side by side that are short and few, in many places: those of some places are computed together.
//!
//! Where fewer than half of [`WIDTH`] lines lie side by side, parts of each may stand in one row of a tile (`tall`). What is
//! known of the parts has to be put together then, which takes longer than all of a short line. So here a row has the lines of
//! several places, each line in a lane of its own. Not here: what is computed (`softmax`, `standardize`), longer lines (`tall`).

use super::columns::{Tile, copy_short};
use super::{Line, WIDTH, Walk};
use crate::kernel::map::Tail;
use crate::kernel::math::Scalar;
use crate::kernel::parallel::{self, GRAIN, Shared, grain_of};
use smallvec::SmallVec;

/// Elements of the longest line that is short.
const SHORT: usize = 64;

/// Whether lines of `size` elements are better computed so, where `columns` of them lie side by side in so many places.
pub(super) fn is_worth_it(columns: usize, size: usize, places: usize) -> bool {
    size <= SHORT && columns <= WIDTH / 2 && places > 1
}

impl<T: Scalar> Walk<'_, T> {
    /// Lines side by side along the last of the other axes, those of some places at a time.
    pub(super) fn beside<L: Line<T>>(&self, line: &L, dst: &Shared<'_, T>, dst_offset: isize) {
        let (columns, size) = (self.span.inner(), self.size);
        let (places, together) = (self.span.total() / columns, WIDTH / columns);
        let place = |number: usize| {
            let index = self.span.index(number * columns);
            let [from, to] = [0, 1].map(|operand| self.span.distance(operand, &index));
            Tile { from: self.src_offset + from, to: dst_offset + to, width: columns }
        };
        parallel::for_each_range(places, grain_of(places, GRAIN.div_ceil(size * columns)), |range| {
            let mut finisher = self.tail.map(Tail::finisher::<T>);
            // Lanes without a line compute with something ordinary.
            let mut room = vec![[T::default(); WIDTH]; size];
            for first in range.clone().step_by(together) {
                let some: SmallVec<[Tile; WIDTH]> = (first..range.end.min(first + together)).map(place).collect();
                for (i, row) in (0..).zip(&mut room) {
                    for (tile, to) in some.iter().zip(row.chunks_exact_mut(columns)) {
                        let start = (tile.from + i * self.src_stride) as usize;
                        copy_short(&self.src[start..][..columns], to);
                    }
                }
                let mut known = line.start();
                line.read(&mut known, &room);
                line.write(&known, &mut room);
                for (i, row) in (0..).zip(&room) {
                    for (tile, from) in some.iter().zip(row.chunks_exact(columns)) {
                        let start = (tile.to + i * self.dst_stride) as usize;
                        // SAFETY: places are disjoint sets of lines, each is visited once, and so is each row of it.
                        copy_short(from, unsafe { dst.slice(start, columns) });
                    }
                }
                if let Some(finisher) = &mut finisher {
                    some.iter().for_each(|tile| self.finish(finisher, tile, 0, size, dst));
                }
            }
        });
    }
}
