//! How the packed operand of a product becomes panels.
//!
//! Lives here: its columns packed beforehand, as they lie for a product that packs them itself, and what is asked for before
//! its turn. Not here: which products are computed so, and in which order (`panelled`).

use super::windows::Lying;
use crate::kernel::ahead::{Ahead, is_free_beside_products};
use crate::kernel::panels::{WIDTH, copy_rows, width};
use crate::kernel::simd::Lanes;
use crate::kernel::tiles::{Rows, sliver};
use crate::kernel::turn::{Starts, turn};
use std::ops::Range;

/// How an operand becomes panels.
#[derive(Clone, Copy, Debug)]
pub(super) enum Packing<'a> {
    /// It is turned: its columns are so far apart, and along the sum it has no gaps.
    Turned(usize),
    /// Its rows are copied: those of a block of so many terms are so far apart, and blocks so far.
    Copied { block: usize, step: usize, further: usize },
    /// Its numbers are copied from where they lie, from this column on.
    Windows(&'a Lying, usize),
    /// It does not: its numbers are read where they lie, from this column on.
    Lying(&'a Lying, usize),
}

/// Terms of a sum whose part of a panel is packed at once: a quarter of a usual second-level cache in `f32`.
pub(super) const DEPTH: usize = 1024;

/// An operand that is packed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Right<'a, T> {
    /// From its first element on.
    pub(super) numbers: &'a [T],
    pub(super) packing: Packing<'a>,
    pub(super) columns: usize,
    /// Terms of a sum.
    pub(super) inner: usize,
}

impl<'a, T: Lanes> Right<'a, T> {
    /// What is packed after these columns, from the term `top` on: their other terms, then the next columns, and after the
    /// last ones those of the piece after the next: lines that are asked for beside one piece come too late for the end of the
    /// next. Of a sum in several blocks, nothing; and nothing where requests slow the product down.
    pub(super) fn after(&self, columns: Range<usize>, top: usize) -> Ahead<'a, T> {
        let Packing::Copied { block, step, .. } = self.packing else { return Ahead::none() };
        if block < self.inner || !is_free_beside_products() {
            return Ahead::none();
        }
        let (column, top) = match top + DEPTH {
            next if next < self.inner => (columns.start, next),
            _ if columns.end < self.columns => (columns.end, 0),
            _ => (columns.start + 2 * self.columns, 0),
        };
        // A single row may lie any step from others that it does not have.
        let first = top.wrapping_mul(step).wrapping_add(column);
        Ahead::rows(self.numbers, [first, step], [DEPTH.min(self.inner - top), columns.len()])
    }

    /// Some columns as they lie, from the term `top` on, if they can be packed beside the first rows of a product: those
    /// of a whole panel whose rows are equally far apart.
    pub(super) fn as_it_lies(&self, column: usize, columns: usize, top: usize) -> Option<Rows<'a, T>> {
        match self.packing {
            Packing::Copied { block, step, .. } if block == self.inner && width(columns) == columns => {
                Some(Rows { numbers: &self.numbers[top * step + column..], step })
            }
            _ => None,
        }
    }

    /// Columns of the slivers of its panels. Windows are found in runs of neighbours, which are long as they are.
    pub(super) fn sliver(&self) -> usize {
        match self.packing {
            Packing::Windows(..) | Packing::Lying(..) => WIDTH,
            Packing::Turned(_) | Packing::Copied { .. } => sliver::<T>(),
        }
    }

    /// Packs some columns, from the term `top` on, to rows of so many elements, in slivers of so many.
    pub(super) fn pack(&self, column: usize, columns: usize, top: usize, to: &mut [T], [width, sliver]: [usize; 2]) {
        let data = self.numbers;
        if columns < width {
            to.fill(T::default());
        }
        let depth = to.len() / width;
        match self.packing {
            Packing::Windows(lying, first) | Packing::Lying(lying, first) => {
                assert!(sliver >= width, "windows are packed whole");
                lying.pack(data, first + column..first + column + columns, top, to, width);
            }
            Packing::Turned(across) => {
                let some = sliver.min(width);
                for (first, to) in (0..columns).step_by(some).zip(to.chunks_mut(some * depth)) {
                    let starts = Starts::Even((column + first) * across + top, across as isize);
                    turn(data, starts, [some.min(columns - first), depth], to, some);
                }
            }
            Packing::Copied { block, step, further } => {
                let mut row = 0;
                while row < depth {
                    let (start, within) = ((top + row) / block * further, (top + row) % block);
                    let rows = row..depth.min(row + block - within);
                    row = rows.end;
                    copy_rows((data, [start + within * step + column, step]), columns, to, [width, sliver], rows);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::Random;

    /// Packs so many terms of so many columns from the second term and the fourth column on, in slivers, and as rows.
    fn check(packing: Packing<'_>, [depth, columns]: [usize; 2], sliver: usize) {
        let data = Random::new(7).reals(40_000);
        let right = Right { numbers: &data[..], packing, columns, inner: depth };
        let width = width(columns);
        let [mut rows, mut slivers] = [f32::NAN; 2].map(|nothing| vec![nothing; depth * width]);
        right.pack(3, columns, 1, &mut rows, [width; 2]);
        right.pack(3, columns, 1, &mut slivers, [width, sliver]);
        for (at, &x) in slivers.iter().enumerate() {
            let (first, row, column) = (at / (sliver * depth) * sliver, at % (sliver * depth) / sliver, at % sliver);
            assert_eq!(
                x,
                rows[row * width + first + column],
                "{packing:?}: {row}, {} in slivers of {sliver}",
                first + column
            );
        }
        let first = |i: usize, j: usize| match packing {
            Packing::Turned(across) => data[(3 + j) * across + 1 + i],
            Packing::Copied { block, step, further } => {
                data[(1 + i) / block * further + (1 + i) % block * step + 3 + j]
            }
            _ => unreachable!("no windows are packed here"),
        };
        for (i, row) in rows.chunks(width).enumerate() {
            for (j, &x) in row.iter().enumerate() {
                assert_eq!(x, if j < columns { first(i, j) } else { 0.0 }, "{packing:?}: {i}, {j}");
            }
        }
    }

    #[test]
    fn slivers_hold_the_same_numbers_as_rows() {
        for columns in [64, 48, 41, 5] {
            for sliver in [8, 16] {
                check(Packing::Turned(101), [97, columns], sliver);
                check(Packing::Copied { block: 100, step: 131, further: 0 }, [97, columns], sliver);
                check(Packing::Copied { block: 10, step: 131, further: 1500 }, [97, columns], sliver);
            }
        }
    }
}
