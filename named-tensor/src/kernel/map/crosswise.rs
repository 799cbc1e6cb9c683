//! Sources that lie across the rows of a space: a transposed matrix beside one that is not.
//!
//! Their elements are neighbours in memory along the axis before the last. So many rows as make a line of memory are
//! turned around together, a block of columns at a time, and kept until the last of these rows is done.
//! Not here: sources that lie otherwise (`block`).

use super::program::Source;
use super::{BLOCK, Job};
use crate::element::Stored;
use smallvec::SmallVec;

/// Rows that are turned around together: a line of memory of `f32`.
pub(super) const HEIGHT: usize = 16;
/// Elements from one turned row of a block to the next; a power of two would put all of them in one place of the cache.
const PITCH: usize = BLOCK + HEIGHT;
/// Columns up to which rows are kept; of longer ones a thread would have to keep much.
const LONGEST: usize = 1 << 15;

/// For each block of columns the first of the rows that are turned around; none at first.
pub(super) type Turned = SmallVec<[usize; 8]>;

impl Job<'_> {
    /// For each source that lies across the rows, its number, and that nothing is turned around.
    pub(super) fn crosswise(&self) -> SmallVec<[(usize, Turned); 2]> {
        let span = &self.span;
        let &[.., height, inner] = &span.sizes[..] else { return SmallVec::new() };
        // Short rows share blocks, and those are gathered.
        if height % HEIGHT != 0 || !(BLOCK / 2..=LONGEST).contains(&inner) {
            return SmallVec::new();
        }
        let lies_across = |source: usize| {
            let &[.., down, right] = &span.strides[source][..] else { return false };
            down == 1 && right.unsigned_abs() > 1 && matches!(self.program.sources()[source], Source::Operand(_))
        };
        let none = Turned::from_elem(usize::MAX, inner.div_ceil(BLOCK));
        (0..self.program.sources().len()).filter(|&source| lies_across(source)).map(|s| (s, none.clone())).collect()
    }
}

/// Where the element at `row` and the first column of a block stands among the turned ones.
pub(super) fn place(row: usize, column: usize) -> usize {
    (column / BLOCK * HEIGHT + row % HEIGHT) * PITCH
}

/// Turns [`HEIGHT`] rows of `width` columns around. The first element stands at `first`; columns are `right` apart.
pub(super) fn turn<T: Stored>(data: &[T], first: usize, right: isize, width: usize, column: usize, to: &mut Vec<T>) {
    let start = place(0, column);
    if to.len() < start + HEIGHT * PITCH {
        to.resize(start + HEIGHT * PITCH, T::default());
    }
    let to = &mut to[start..start + HEIGHT * PITCH];
    for left in (0..width).step_by(HEIGHT) {
        let mut tile = [[T::default(); HEIGHT]; HEIGHT];
        let some = HEIGHT.min(width - left);
        for (j, column) in (left..).zip(&mut tile[..some]) {
            column.copy_from_slice(&data[first.wrapping_add_signed(j as isize * right)..][..HEIGHT]);
        }
        for (row, to) in to.chunks_exact_mut(PITCH).enumerate() {
            to[left..left + some].iter_mut().zip(&tile).for_each(|(x, column)| *x = column[row]);
        }
    }
}
