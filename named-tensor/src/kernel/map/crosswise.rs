//! Sources that lie across the rows of a space: a transposed matrix beside one that is not.
//!
//! Lives here: the tiles of a space with such a source, and how its elements under a tile are turned around. They are
//! neighbours in memory along another axis than the last, so a tile has some rows along that axis; as many as make
//! whole lines of memory, so that each line is read once, and few enough that the tile stays in the second-level cache.
//! Not here: sources that lie otherwise (`block`).

use super::Job;
use super::cell::Cell;
use super::program::Source;
use super::strip::MOST;
use crate::element::Stored;
use crate::kernel::parallel::GRAIN;
use crate::kernel::span::row_major;
use crate::kernel::stream::LINE;
use crate::kernel::turn::{self, Starts};
use std::ops::Range;

/// Rows and columns of a tile whose rows are all computed by one call: the rows of the source are read
/// in long runs, a few pages of memory at a time.
const TALL: [usize; 2] = [256, 128];
/// Rows and columns of any other tile: what is done once for each row is worth a long one.
const WIDE: [usize; 2] = [128, MOST];
/// Rows and columns from which a tile is worth it, and what one may have beyond its share.
const SIDE: usize = 16;
/// Columns for each step of a program that is not light, from which a tile is worth it: for those each step is a call for
/// each row of a tile, which takes as long as to gather so many elements.
const EACH: usize = 64;

/// The axis along which a source has its neighbours in memory, if that is not the last one: it lies across the rows.
pub(super) fn across(job: &Job<'_>, source: usize) -> Option<usize> {
    let (sizes, strides) = (&job.span.sizes, &job.span.strides[source]);
    let last = sizes.len().checked_sub(1)?;
    let is_operand = matches!(job.program.sources()[source], Source::Operand(_));
    let axis = (0..last).rev().find(|&axis| strides[axis] == 1 && sizes[axis] >= SIDE / 2);
    axis.filter(|_| is_operand && strides[last].unsigned_abs() > 1)
}

/// That of the first of such sources, if tiles are worth it.
pub(super) fn axis(job: &Job<'_>) -> Option<usize> {
    let least = if job.program.light().is_some() { SIDE } else { (EACH * job.program.steps().len()).min(MOST) };
    let axis = (0..job.program.sources().len()).find_map(|source| across(job, source));
    axis.filter(|_| job.span.inner() >= least)
}

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
    /// Rows and columns of a tile.
    sides: [usize; 2],
    /// Rows and columns that the first tile of each has more than the others, which begin where a line of memory does: of
    /// the source, that a square is not read from two lines side by side, and of the result.
    skipped: [usize; 2],
}

/// One of them.
pub(super) struct Tile {
    /// The position of its first element.
    pub(super) first: usize,
    pub(super) height: usize,
    pub(super) width: usize,
}

impl Tiles {
    /// The tiles of a job with this result, if a source lies across its rows.
    pub(super) fn of<T: Cell>(job: &Job<'_>, out: &[T]) -> Option<Tiles> {
        let axis = axis(job)?;
        let (sizes, last) = (&job.span.sizes, job.span.sizes.len() - 1);
        let strides = |source: usize| &job.span.strides[source];
        let all = 0..job.program.sources().len();
        let across = |source: usize| across(job, source);
        let sources: Vec<usize> = all.clone().filter(|&source| across(source) == Some(axis)).collect();
        // One call computes a tile if each row of each source is found without gathering it.
        let is_even = |source: usize| {
            let is_operand = matches!(job.program.sources()[source], Source::Operand(_));
            let is_same = || strides(source).iter().all(|&stride| stride == 0);
            is_operand && (across(source) == Some(axis) || strides(source)[last] == 1 || is_same())
        };
        let by_one_call = job.program.light().is_some() && all.clone().all(is_even);
        // Where lines of memory begin in other columns of each row, the ends of rows are sent in parts: long rows have fewer.
        let per_line = LINE / size_of::<T>();
        let (mut sides, mut skipped) = (WIDE, [0, 0]);
        if by_one_call && sizes[last].is_multiple_of(per_line) {
            sides = TALL;
            skipped[1] = out.as_ptr().align_offset(LINE) % per_line;
            if let Some(&source) = sources.first()
                && let Source::Operand(i) = job.program.sources()[source]
                && strides(source)[last].unsigned_abs().is_multiple_of(per_line)
            {
                let first = T::of(job.operands[i].buffer).as_ptr().wrapping_add(job.operands[i].offset);
                skipped[0] = first.align_offset(LINE) % per_line;
            }
        }
        let mut counts = sizes.to_vec();
        counts[axis] = sizes[axis].saturating_sub(skipped[0]).div_ceil(sides[0]).max(1);
        counts[last] = (sizes[last] - skipped[1]).div_ceil(sides[1]);
        let step = row_major(sizes)[axis].unsigned_abs();
        Some(Tiles { sources, step, axis, sizes: sizes.to_vec(), counts, sides, skipped })
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.counts.iter().product()
    }

    /// How many are worth a thread.
    pub(super) fn grain(&self) -> usize {
        let last = self.sizes.len() - 1;
        (GRAIN / (self.sides[0].min(self.sizes[self.axis]) * self.sides[1].min(self.sizes[last]))).max(1)
    }

    /// The tile of this number. Those that follow each other lie below each other: they read on where the source is
    /// read already.
    pub(super) fn tile(&self, number: usize) -> Tile {
        let (last, down) = (self.sizes.len() - 1, self.counts[self.axis]);
        let mut rest = number / down;
        let rows = self.part(0, number % down, self.sizes[self.axis]);
        let (mut first, mut width) = (rows.start * self.step, 0);
        let mut step = 1;
        for (axis, (&size, &count)) in self.sizes.iter().zip(&self.counts).enumerate().rev() {
            if axis == last {
                let columns = self.part(1, rest % count, size);
                width = columns.len();
                first += columns.start;
            } else if axis != self.axis {
                first += rest % count * step;
            }
            if axis != self.axis {
                rest /= count;
            }
            step *= size;
        }
        Tile { first, height: rows.len(), width }
    }

    /// The rows or columns of the tiles of this number, out of so many.
    fn part(&self, side: usize, number: usize, size: usize) -> Range<usize> {
        let start = if number == 0 { 0 } else { self.skipped[side] + number * self.sides[side] };
        start..size.min(self.skipped[side] + (number + 1) * self.sides[side])
    }

    /// Elements from one turned row to the next; a power of two would put all of them in one place of the cache.
    pub(super) fn pitch(&self) -> usize {
        self.sides[1] + SIDE
    }

    /// Elements of a register that holds a turned tile.
    pub(super) fn turned_size(&self) -> usize {
        (self.sides[0] + SIDE) * self.pitch()
    }

    /// Turns the elements under a tile around. The first one stands at `first`; columns are `right` apart.
    pub(super) fn turn<T: Stored>(&self, data: &[T], first: usize, right: isize, tile: &Tile, to: &mut [T]) {
        turn::turn(data, Starts::Even(first, right), [tile.width, tile.height], to, self.pitch());
    }
}
