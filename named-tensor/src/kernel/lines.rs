//! Lines of two views along one axis, each read by itself and written by itself.
//!
//! Lives here: the checks of the views, and where each line begins. Not here: what is computed (`running`, `sort`), lines of
//! functions that a plan may go on with (`line`).

use super::parallel::{self, Shared};
use super::span::{Odometer, Span, check_distinct, check_inside};
use super::{View, ViewMut};
use std::ops::Range;

/// The lines of `src` and those of the destination, which may have fewer positions.
pub(super) struct Lines<'a, T, U> {
    /// Elements of a line of the source.
    pub(super) size: usize,
    pub(super) src: &'a [T],
    /// How far apart the elements of a line are.
    pub(super) src_stride: isize,
    pub(super) dst_stride: isize,
    span: Span,
    offsets: [isize; 2],
    dst: Shared<'a, U>,
}

impl<'a, T, U> Lines<'a, T, U> {
    /// The lines along the last axis of two views over `outer` and an axis of `size`, of which the destination has `wanted`
    /// positions; none if there is nothing in them.
    ///
    /// # Panics
    /// If a view leaves its slice, or if positions of the destination overlap.
    pub(super) fn new(
        what: &str,
        outer: &[usize],
        [size, wanted]: [usize; 2],
        src: View<'a, T>,
        dst: ViewMut<'a, U>,
    ) -> Option<Lines<'a, T, U>> {
        let mut sizes = [outer, &[size]].concat();
        check_inside(what, src.data.len(), src.offset, &sizes, src.strides);
        sizes[outer.len()] = wanted;
        check_inside(what, dst.data.len(), dst.offset, &sizes, dst.strides);
        check_distinct(what, &sizes, dst.strides);
        let (&src_stride, from) = src.strides.split_last()?;
        let (&dst_stride, to) = dst.strides.split_last()?;
        let span = Span::new(outer, &[from, to]);
        let offsets = [src.offset as isize, dst.offset as isize];
        let lines = Lines { size, src: src.data, src_stride, dst_stride, span, offsets, dst: Shared::new(dst.data) };
        (size > 0 && !sizes.contains(&0)).then_some(lines)
    }

    /// Whether the elements of each line follow each other, in both views.
    pub(super) fn are_rows(&self) -> bool {
        self.src_stride == 1 && self.dst_stride == 1
    }

    /// Whether lines lie side by side, in both views, and how many at least.
    pub(super) fn are_columns(&self, least: usize) -> bool {
        self.span.inner_stride(0) == 1 && self.span.inner_stride(1) == 1 && self.span.inner() >= least
    }

    /// How many lines lie equally far apart from one to the next.
    pub(super) fn neighbours(&self) -> usize {
        self.span.inner()
    }

    /// How far apart those are, in both views.
    #[inline(always)]
    pub(super) fn steps(&self) -> [isize; 2] {
        [0, 1].map(|operand| self.span.inner_stride(operand))
    }

    /// Visits all lines, in pieces of `grain` of them that threads share, with something made once for each piece. At most
    /// `most` neighbours come together: the first elements of the first one in both views, and how many lines there are.
    pub(super) fn visit<S>(
        &self,
        grain: usize,
        most: usize,
        make: impl Fn() -> S + Sync,
        visit: impl Fn(&mut S, [isize; 2], usize) + Sync,
    ) where
        T: Sync,
        U: Send,
    {
        let inner = self.span.inner();
        let outer = self.span.sizes.len().saturating_sub(1);
        let group = |operand: usize, at: usize| {
            let strides = &self.span.strides[operand];
            Odometer::new(&self.span.sizes[..outer], &strides[..outer], at / inner).distance
        };
        parallel::for_each_range(self.span.total(), grain, |Range { start: mut at, end }| {
            let mut state = make();
            while at < end {
                let (column, left) = (at % inner, (inner - at % inner).min(end - at));
                let first = [0, 1].map(|operand| self.offsets[operand] + group(operand, at));
                for done in (0..left).step_by(most) {
                    let start =
                        |operand: usize| first[operand] + (column + done) as isize * self.span.inner_stride(operand);
                    visit(&mut state, [start(0), start(1)], most.min(left - done));
                }
                at += left;
            }
        });
    }

    /// Where a line begins of those that are visited together, whose first one begins here.
    #[inline(always)]
    pub(super) fn neighbour(&self, [from, to]: [isize; 2], line: usize) -> [isize; 2] {
        let [over, down] = self.steps();
        [from + line as isize * over, to + line as isize * down]
    }

    /// Element `i` of the line that begins at `from`.
    #[inline(always)]
    pub(super) fn read(&self, from: isize, i: usize) -> T
    where
        T: Copy,
    {
        self.src[(from + i as isize * self.src_stride) as usize]
    }

    /// Some elements of the source.
    #[inline(always)]
    pub(super) fn source(&self, start: isize, size: usize) -> &[T] {
        &self.src[start as usize..][..size]
    }

    /// Some elements of the destination.
    ///
    /// # Safety
    /// They belong to lines that are being visited, and no other slice has one of them while the result lives.
    #[expect(clippy::mut_from_ref, reason = "the elements are those of lines that nobody else visits")]
    pub(super) unsafe fn target(&self, start: isize, size: usize) -> &mut [U] {
        // SAFETY: each line is visited once and lines do not overlap, and the caller holds no other slice of theirs.
        unsafe { self.dst.slice(start as usize, size) }
    }
}
