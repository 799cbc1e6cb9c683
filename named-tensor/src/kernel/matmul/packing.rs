//! How the packed operand of a product becomes panels.
//!
//! Lives here: its columns packed beforehand, as they lie for a product that packs them itself, and what is asked for before
//! its turn. Not here: which products are computed so, and in which order (`panelled`).

use super::windows::Lying;
use crate::kernel::ahead::{Ahead, is_free_beside_products};
use crate::kernel::panels::{copy_rows, width};
use crate::kernel::simd::Lanes;
use crate::kernel::tiles::Rows;
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

    /// Packs some columns, from the term `top` on, to rows of so many elements.
    pub(super) fn pack(&self, column: usize, columns: usize, top: usize, to: &mut [T], width: usize) {
        let data = self.numbers;
        if columns < width {
            to.fill(T::default());
        }
        match self.packing {
            Packing::Windows(lying, first) | Packing::Lying(lying, first) => {
                lying.pack(data, first + column..first + column + columns, top, to, width);
            }
            Packing::Turned(across) => {
                turn(
                    data,
                    Starts::Even(column * across + top, across as isize),
                    [columns, to.len() / width],
                    to,
                    width,
                );
            }
            Packing::Copied { block, step, further } => {
                let mut rest = to;
                let mut term = top;
                while !rest.is_empty() {
                    let (block_start, within) = (term / block * further, term % block);
                    let count = (block - within).min(rest.len() / width);
                    let (to, others) = rest.split_at_mut(count * width);
                    copy_rows(data, [block_start + within * step + column, step], columns, to, width);
                    (rest, term) = (others, term + count);
                }
            }
        }
    }
}
