//! Sources that lie across the rows of a space: a transposed matrix beside one that is not.
//!
//! Lives here: the tiles of a space with such a source, and how its elements under a tile are turned around. They are
//! neighbours in memory along another axis than the last, so a tile has some rows along that axis; as many as make
//! whole lines of memory, so that each line is read once, and few enough that the tile stays in the second-level cache.
//! Not here: sources that lie otherwise (`block`).

use super::Job;
use super::program::Source;
use crate::element::Stored;
use crate::kernel::parallel::GRAIN;
use crate::kernel::span::row_major;
use crate::kernel::turn::turn_each;

/// Rows of a tile.
const HEIGHT: usize = 128;
/// Columns of a tile.
const WIDTH: usize = 512;
/// Elements from one turned row to the next; a power of two would put all of them in one place of the cache.
pub(super) const PITCH: usize = WIDTH + SIDE;
/// Rows and columns from which a tile is worth it.
const SIDE: usize = 16;

/// The tiles of a space.
pub(super) struct Tiles {
    /// The sources that lie across the rows.
    pub(super) sources: Vec<usize>,
    /// Distance from one row of a tile to the next, in positions of the space.
    pub(super) step: usize,
    /// The axis of the rows of a tile.
    pub(super) axis: usize,
    /// The sizes of the space, and of its axes in tiles.
    sizes: Vec<usize>,
    counts: Vec<usize>,
}

/// One of them.
pub(super) struct Tile {
    /// The position of its first element.
    pub(super) first: usize,
    pub(super) height: usize,
    pub(super) width: usize,
}

impl Tiles {
    /// The tiles of a job, if a source lies across its rows.
    pub(super) fn of(job: &Job<'_>) -> Option<Tiles> {
        let (sizes, last) = (&job.span.sizes, job.span.sizes.len().checked_sub(1)?);
        let strides = |source: usize| &job.span.strides[source];
        let across = |source: usize| {
            let is_operand = matches!(job.program.sources()[source], Source::Operand(_));
            let axis = (0..last).rev().find(|&axis| strides(source)[axis] == 1 && sizes[axis] >= SIDE / 2);
            axis.filter(|_| is_operand && strides(source)[last].unsigned_abs() > 1)
        };
        let all = 0..job.program.sources().len();
        let axis = all.clone().find_map(across).filter(|_| sizes[last] >= SIDE)?;
        let sources = all.filter(|&source| across(source) == Some(axis)).collect();
        let mut counts = sizes.to_vec();
        counts[axis] = sizes[axis].div_ceil(HEIGHT);
        counts[last] = sizes[last].div_ceil(WIDTH);
        Some(Tiles { sources, step: row_major(sizes)[axis].unsigned_abs(), axis, sizes: sizes.to_vec(), counts })
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.counts.iter().product()
    }

    /// How many are worth a thread.
    pub(super) fn grain(&self) -> usize {
        let last = self.sizes.len() - 1;
        GRAIN / (HEIGHT.min(self.sizes[self.axis]) * WIDTH.min(self.sizes[last]))
    }

    /// The tile of this number. Those that follow each other lie below each other: they read on where the source is
    /// read already.
    pub(super) fn tile(&self, number: usize) -> Tile {
        let (last, down) = (self.sizes.len() - 1, self.counts[self.axis]);
        let (row, mut rest) = (number % down * HEIGHT, number / down);
        let mut first = row * self.step;
        let mut width = 0;
        let mut step = 1;
        for (axis, (&size, &count)) in self.sizes.iter().zip(&self.counts).enumerate().rev() {
            if axis == last {
                let column = rest % count * WIDTH;
                width = WIDTH.min(size - column);
                first += column;
            } else if axis != self.axis {
                first += rest % count * step;
            }
            if axis != self.axis {
                rest /= count;
            }
            step *= size;
        }
        Tile { first, height: HEIGHT.min(self.sizes[self.axis] - row), width }
    }
}

/// Elements of a register that holds a turned tile.
pub(super) fn turned_size() -> usize {
    HEIGHT * PITCH
}

/// Turns the elements under a tile around. The first one stands at `first`; columns are `right` apart.
pub(super) fn turn<T: Stored>(data: &[T], first: usize, right: isize, tile: &Tile, to: &mut [T]) {
    turn_each(data, |j| first.wrapping_add_signed(j as isize * right), [tile.width, tile.height], to, PITCH);
}
