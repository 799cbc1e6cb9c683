//! Functions of one axis, applied at every position of the other axes.
//!
//! Lives here: how lines are found in a strided view, and how they are split over threads. A line that is contiguous is
//! handed over as a slice; lines that lie side by side are handed over as a tile of columns; any other line is copied
//! into a buffer and back. Not here: what is computed (`softmax`, `standardize`).

use super::map::{Cell, Tail};
use super::parallel::{self, GRAIN, Shared};
use super::span::{Odometer, Span, check_distinct, check_inside};
use super::{View, ViewMut};
use smallvec::SmallVec;
use std::ops::Range;

/// Columns that are computed together: enough of each row to be worth fetching, few enough that the usual tile stays in
/// the second-level cache.
pub(super) const WIDTH: usize = 256;

/// Elements that a tail finds in the nearest cache.
const AT_HAND: usize = 4096;

/// A function from a line to a line of the same size.
pub(super) trait Line<T>: Sync {
    /// Computes one contiguous line.
    fn row(&self, src: &[T], dst: &mut [T]);
    /// Computes contiguous lines of this size, one after the other.
    fn rows(&self, size: usize, src: &[T], dst: &mut [T]) {
        src.chunks_exact(size).zip(dst.chunks_exact_mut(size)).for_each(|(src, dst)| self.row(src, dst));
    }
    /// Computes up to [`WIDTH`] lines, element `i` of all of them in `row(i)`.
    fn columns(&self, src: &Columns<'_, T>, dst: &mut ColumnsMut<'_, T>);
}

/// Neighbouring lines to read.
pub(super) struct Columns<'a, T> {
    data: &'a [T],
    first: isize,
    stride: isize,
    width: usize,
    /// The size of each line.
    pub(super) size: usize,
}

impl<T> Columns<'_, T> {
    /// Element `i` of every line.
    #[inline(always)]
    pub(super) fn row(&self, i: usize) -> &[T] {
        &self.data[(self.first + i as isize * self.stride) as usize..][..self.width]
    }
}

/// Neighbouring lines to write.
pub(super) struct ColumnsMut<'a, T> {
    /// Elements `first + i * stride + (0..width)`, for `i` below the size of the lines, are written by this alone.
    data: &'a Shared<'a, T>,
    first: isize,
    stride: isize,
    width: usize,
    size: usize,
}

impl<T> ColumnsMut<'_, T> {
    /// Where element `i` of the first line stands.
    fn position(&self, i: usize) -> usize {
        (self.first + i as isize * self.stride) as usize
    }

    /// Element `i` of every line.
    #[inline(always)]
    pub(super) fn row(&mut self, i: usize) -> &mut [T] {
        assert!(i < self.size, "a row past the end of the lines");
        let start = self.position(i);
        // SAFETY: `along` gives these elements to this object alone, and `&mut self` keeps a second row from being taken.
        unsafe { self.data.slice(start, self.width) }
    }
}

/// Applies `line` along the last axis of two views over `outer` and an axis of `size`, and then the tail, if there is one,
/// which finishes all elements of the slice of `dst`.
///
/// # Panics
/// If a view leaves its slice, if positions of the destination overlap, or if the tail is one of another result.
pub(super) fn along<T: Cell>(
    what: &str,
    line: &impl Line<T>,
    outer: &[usize],
    size: usize,
    src: View<'_, T>,
    dst: ViewMut<'_, T>,
    tail: Option<&Tail<'_>>,
) {
    let sizes: SmallVec<[usize; 8]> = outer.iter().copied().chain([size]).collect();
    check_inside(what, src.data.len(), src.offset, &sizes, src.strides);
    check_inside(what, dst.data.len(), dst.offset, &sizes, dst.strides);
    check_distinct(what, &sizes, dst.strides);
    if let Some(tail) = tail {
        tail.check::<T>(sizes.iter().product());
        assert_eq!(sizes.iter().product::<usize>(), dst.data.len(), "{what}: a tail finishes all of the destination");
    }
    if sizes.contains(&0) {
        return;
    }
    let total = sizes.iter().product();
    if total <= GRAIN && is_dense(&sizes, src.strides) && is_dense(&sizes, dst.strides) {
        // Not worth a second thread, nor a walk: the lines follow each other.
        line.rows(size, &src.data[src.offset..][..total], &mut dst.data[dst.offset..][..total]);
        return tail.into_iter().for_each(|tail| tail.whole(dst.data));
    }
    let (src_stride, dst_stride) = (src.strides[outer.len()], dst.strides[outer.len()]);
    // The order of the other axes is ours: that of the destination, so that more of them merge.
    let mut axes: SmallVec<[usize; 8]> = (0..outer.len()).collect();
    axes.sort_by_key(|&axis| std::cmp::Reverse(dst.strides[axis].unsigned_abs()));
    let pick = |strides: &[isize]| -> SmallVec<[isize; 8]> { axes.iter().map(|&axis| strides[axis]).collect() };
    let outer: SmallVec<[usize; 8]> = axes.iter().map(|&axis| outer[axis]).collect();
    let span = Span::new(&outer, &[&pick(src.strides), &pick(dst.strides)]);
    let shared = Shared::new(&mut *dst.data);
    let walk = Walk { span, size, src: src.data, src_offset: src.offset as isize, src_stride, dst_stride, tail };
    let side_by_side = walk.span.inner_stride(0) == 1 && walk.span.inner_stride(1) == 1 && walk.span.inner() >= 8;
    if src_stride == 1 && dst_stride == 1 || size == 1 {
        walk.rows(line, &shared, dst.offset as isize);
    } else if side_by_side {
        walk.tiles(line, &shared, dst.offset as isize);
    } else {
        walk.copies(line, &shared, dst.offset as isize);
        tail.into_iter().for_each(|tail| tail.whole(dst.data));
    }
}

/// Whether the elements follow each other in the order of the axes.
fn is_dense(sizes: &[usize], strides: &[isize]) -> bool {
    let mut step = 1;
    sizes.iter().zip(strides).rev().all(|(&size, &stride)| {
        let goes_on = stride == step || size == 1;
        step *= size as isize;
        goes_on
    })
}

/// The lines of a source, and how far apart those of the destination are.
struct Walk<'a, T> {
    span: Span,
    size: usize,
    src: &'a [T],
    src_offset: isize,
    src_stride: isize,
    dst_stride: isize,
    tail: Option<&'a Tail<'a>>,
}

impl<T: Cell> Walk<'_, T> {
    /// Visits each line with the positions of its first elements, and with something made once per piece of work.
    fn lines<S>(&self, dst_offset: isize, make: impl Fn() -> S + Sync, visit: impl Fn(&mut S, isize, isize) + Sync) {
        parallel::for_each_range(self.span.total(), GRAIN.div_ceil(self.size), |range| {
            let mut state = make();
            let mut from = Odometer::new(&self.span.sizes, &self.span.strides[0], range.start);
            let mut to = Odometer::new(&self.span.sizes, &self.span.strides[1], range.start);
            for _ in range {
                visit(&mut state, self.src_offset + from.distance, dst_offset + to.distance);
                from.step();
                to.step();
            }
        });
    }

    /// Contiguous lines. The tail waits until some lie one behind the other.
    fn rows(&self, line: &impl Line<T>, dst: &Shared<'_, T>, dst_offset: isize) {
        parallel::for_each_range(self.span.total(), GRAIN.div_ceil(self.size), |range| {
            let mut finisher = self.tail.map(Tail::finisher::<T>);
            let mut finish = |lines: Range<usize>| {
                if let Some(finisher) = &mut finisher {
                    // SAFETY: these are lines that were visited here, and here alone, and no slice of them is held any more.
                    finisher.stretch(lines.start, unsafe { dst.slice(lines.start, lines.len()) });
                }
            };
            let mut ready = 0..0;
            let mut from = Odometer::new(&self.span.sizes, &self.span.strides[0], range.start);
            let mut to = Odometer::new(&self.span.sizes, &self.span.strides[1], range.start);
            for _ in range {
                let (source, first) = ((self.src_offset + from.distance) as usize, (dst_offset + to.distance) as usize);
                // SAFETY: this is one line of the destination; lines do not overlap, and each is visited once.
                line.row(&self.src[source..][..self.size], unsafe { dst.slice(first, self.size) });
                if ready.end != first || ready.len() >= AT_HAND {
                    finish(std::mem::replace(&mut ready, first..first));
                }
                ready.end = first + self.size;
                from.step();
                to.step();
            }
            finish(ready);
        });
    }

    /// Lines side by side along the last of the other axes.
    fn tiles(&self, line: &impl Line<T>, dst: &Shared<'_, T>, dst_offset: isize) {
        let columns = self.span.inner();
        let per_row = columns.div_ceil(WIDTH);
        let tiles = self.span.total() / columns * per_row;
        parallel::for_each_range(tiles, GRAIN.div_ceil(self.size * WIDTH), |range| {
            let mut finisher = self.tail.map(Tail::finisher::<T>);
            for tile in range {
                let column = tile % per_row * WIDTH;
                let index = self.span.index(tile / per_row * columns + column);
                let (from, to) = (self.span.distance(0, &index), self.span.distance(1, &index));
                let width = WIDTH.min(columns - column);
                let (first, size) = (self.src_offset + from, self.size);
                let src = Columns { data: self.src, first, stride: self.src_stride, width, size };
                // Tiles are disjoint sets of lines, and each is visited once: the promise of `ColumnsMut`.
                let mut dst = ColumnsMut { data: dst, first: dst_offset + to, stride: self.dst_stride, width, size };
                line.columns(&src, &mut dst);
                if let Some(finisher) = &mut finisher {
                    let (first, step) = (dst.position(0), self.dst_stride as usize);
                    // SAFETY: the elements are those of `dst`, of which no row is held.
                    unsafe { finisher.tile(first, step, [size, width], dst.data) };
                }
            }
        });
    }

    /// Lines that are neither: each is copied out, computed, and copied back.
    fn copies(&self, line: &impl Line<T>, dst: &Shared<'_, T>, dst_offset: isize) {
        let buffers = || (vec![T::default(); self.size], vec![T::default(); self.size]);
        self.lines(dst_offset, buffers, |(input, output), from, to| {
            for (i, x) in (0..).zip(input.iter_mut()) {
                *x = self.src[(from + i * self.src_stride) as usize];
            }
            line.row(input, output);
            for (i, &y) in (0..).zip(output.iter()) {
                // SAFETY: this is one element of one line; lines do not overlap, and each is visited once.
                let element = unsafe { dst.slice((to + i * self.dst_stride) as usize, 1) };
                element[0] = y;
            }
        });
    }
}
