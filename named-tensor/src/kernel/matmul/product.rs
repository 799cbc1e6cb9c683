//! The product of two matrices in one thread: by `gemm`, and what is better done before or without it.
//!
//! Lives here: the choice between panels (`panelled`), small products (`near`), a few vectors and a matrix (`vector`), one row
//! after the other, and `gemm` as it is, which packs its operands as it needs them.
//! Not here: batches, threads and the pieces they work on (`matmul`).

use super::gemm::Matrices;
use super::packing::Packing;
use crate::kernel::few;
use crate::kernel::low::{Low, is_low};
use crate::kernel::map::Finisher;
use crate::kernel::near;
use crate::kernel::parallel::Shared;
use crate::kernel::simd::Lanes;
use crate::kernel::tiles::end_standing;
use crate::kernel::vector::{Few, TOGETHER};
use crate::kernel::{View, ViewMut};
use std::ops::Range;

/// Rows (or columns) for which the other operand is read as it lies, where it lies across the sum.
const FEW: usize = 8;
/// Rows or columns that are better computed one by one, where both operands lie along the sum and panels do not pay; and those
/// for which a large operand is read once where panels cannot be used.
pub(super) const SINGLE: usize = 20;
/// The size of a sum from which on that is so.
const LONG: usize = 64;
/// Elements of an operand from which on all threads read it once for [`FEW`] rows or columns, in pieces of its own.
const LARGE: usize = 128 * 1024;
/// Rows or columns for which they do so with an operand that is larger than [`CACHE`].
pub(super) const FEW_OF_LARGE: usize = 12;
/// Bytes of a usual second-level cache.
pub(super) const CACHE: usize = 1 << 20;
/// How many times as large as the result it is then at least.
const WEIGHT: usize = 16;
/// Elements of an operand that stay in a cache while the rows of the other are multiplied with it one by one.
const CACHED: usize = 64 * 1024;
/// Terms of a long sum that all those rows take before any takes the next ones.
const PART: usize = 4096;
/// Elements of a result for which `gemm` has a kernel of dot products.
const TINY: usize = 256;
/// The size of a sum from which on fewer columns are enough to read a matrix once.
const DEEP: usize = 8192;
/// Elements side by side from which on a tail is worth calling.
const STRETCH: usize = 16;
/// And from which on one that can be done in registers is best done to them where they stand.
const STAND: usize = 32;
/// Elements of each of several results from which on a tail is worth calling for each: for fewer it takes longer to find their
/// sources than to pass over all results once more.
const SEVERAL: usize = 4096;

/// An axis of the result: its size, and its stride in each operand, 0 where the operand does not have it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) size: usize,
    pub(super) lhs: isize,
    pub(super) rhs: isize,
    pub(super) dst: isize,
}

impl Axis {
    /// Whether `axis` and this one are walked through as one axis; if so, this one becomes it.
    /// Batch times one matrix is one taller matrix, if the rows of the batch go on evenly.
    pub(super) fn absorbs(&mut self, axis: Axis) -> bool {
        if (self.lhs == 0 && axis.lhs != 0) || (self.rhs == 0 && axis.rhs != 0) || self.size == 0 {
            return false;
        }
        let goes_on = |outer: Axis, inner: Axis| {
            let size = inner.size as isize;
            outer.lhs == inner.lhs * size && outer.rhs == inner.rhs * size && outer.dst == inner.dst * size
        };
        let size = self.size * axis.size;
        if self.size == 1 || goes_on(*self, axis) {
            *self = Axis { size, ..axis };
        } else if goes_on(axis, *self) {
            self.size = size;
        } else {
            return false;
        }
        true
    }
}

/// One product of two matrices, at any batch position.
#[derive(Clone, Copy)]
pub(super) struct Product<'a, T> {
    pub(super) scale: T,
    pub(super) rows: Axis,
    pub(super) columns: Axis,
    /// The summed axis: its size, and its stride in either operand.
    pub(super) inner: (usize, isize, isize),
    /// Another one over which the sum goes on, and that cannot be walked through together with it.
    pub(super) outer: Option<(usize, isize, isize)>,
    pub(super) lhs: View<'a, T>,
    pub(super) rhs: View<'a, T>,
    /// How it passes through panels, if it does: asked of the whole product, so that its pieces are computed alike.
    pub(super) packing: Option<Packing<'a>>,
    /// Whether that is in strips, of a few terms and without a tail.
    pub(super) in_strips: bool,
}

/// Whether an operand of these sizes is larger than a second-level cache.
pub(super) fn is_large<T>([rows, columns]: [usize; 2]) -> bool {
    rows.saturating_mul(columns).saturating_mul(size_of::<T>()) > CACHE
}

impl<'a, T> Product<'a, T> {
    /// A product over one axis, which nothing is known of yet.
    pub(super) fn new(
        scale: T,
        [rows, columns]: [Axis; 2],
        inner: (usize, isize, isize),
        [lhs, rhs]: [View<'a, T>; 2],
    ) -> Self {
        Product { scale, rows, columns, inner, outer: None, lhs, rhs, packing: None, in_strips: false }
    }
}

impl<T> Product<'_, T> {
    /// Terms of a sum.
    pub(super) fn terms(&self) -> usize {
        self.inner.0 * self.outer.map_or(1, |(size, ..)| size)
    }

    /// Whether windows are read where they lie.
    pub(super) fn reads_windows(&self) -> bool {
        matches!(self.packing, Some(Packing::Lying(..)))
    }

    /// Whether the result lies along the columns, or else along the rows.
    pub(super) fn by_columns(&self) -> bool {
        self.columns.dst.unsigned_abs() < self.rows.dst.unsigned_abs()
    }

    /// Some of the rows and columns, and how far they are from the first.
    pub(super) fn part(mut self, rows: Range<usize>, columns: Range<usize>) -> (Self, [isize; 3])
    where
        T: Copy,
    {
        let [top, left] = [rows.start as isize, columns.start as isize];
        (self.rows.size, self.columns.size) = (rows.len(), columns.len());
        if let Some(Packing::Windows(_, first) | Packing::Lying(_, first)) = &mut self.packing {
            *first += columns.start;
        }
        let distances = [top * self.rows.lhs, left * self.columns.rhs, top * self.rows.dst + left * self.columns.dst];
        (self, distances)
    }

    /// The axis along which the elements of the result are neighbours, and the other one.
    fn stretches(&self) -> Option<[Axis; 2]> {
        match () {
            // A single column of rows that lie side by side is a column; any other is the rest of long rows, cut off.
            () if self.columns.dst == 1 && (self.columns.size > 1 || self.rows.dst != 1) => {
                Some([self.columns, self.rows])
            }
            () if self.rows.dst == 1 => Some([self.rows, self.columns]),
            () => None,
        }
    }

    /// Whether parts of the result lie in stretches that are long enough for a tail.
    pub(super) fn has_stretches(&self) -> bool {
        self.stretches().is_some_and(|[wide, tall]| {
            wide.size >= STRETCH || (tall.dst == wide.size as isize && wide.size * tall.size >= STRETCH)
        })
    }

    /// Whether each of several such results is worth a tail of its own.
    pub(super) fn is_worth_a_tail(&self) -> bool {
        self.rows.size * self.columns.size >= SEVERAL
    }
}

impl<T: Lanes> Product<'_, T> {
    /// Whether this is a product of a few rows, or columns, with a matrix so large that reading it takes all the time.
    pub(super) fn is_few_and_large(&self) -> bool {
        let (k, l_inner, r_inner) = self.inner;
        let (rows, columns) = (self.rows, self.columns);
        let (count, size, across, along) = if rows.size <= columns.size {
            (rows.size, columns.size, columns.rhs, r_inner)
        } else {
            (columns.size, rows.size, rows.lhs, l_inner)
        };
        // Fewer columns are enough for a long sum, but not where both operands lie along it, as `gemm` takes them.
        let is_deep = || count <= FEW && size > FEW && k >= DEEP && (l_inner, r_inner) != (1, 1);
        // More rows and a matrix that lies along the sum are many dot products, at which `gemm` is faster.
        let is_read_once = (across == 1 && along >= 0) || (along == 1 && across >= 0 && count <= TOGETHER);
        // What stays in a cache `gemm` multiplies with more than a few, and panels with more than those of a large one.
        let is_best_read_once = if count <= FEW {
            k * size >= LARGE
        } else {
            let is_in_panels = || self.in_panels_if_worth_it().packing.is_some();
            count <= SINGLE && is_large::<T>([k, size]) && (count <= FEW_OF_LARGE || !is_in_panels())
        };
        let is_worth_it = (size > TINY || is_deep()) && k >= WEIGHT * count && is_read_once && is_best_read_once;
        self.outer.is_none() && is_worth_it && self.as_low([0; 3]).is_none()
    }

    /// This product, for operands that are so far from the first, as one of a few rows with a matrix that is near, if it is
    /// one; and from one row of the result to the next.
    fn as_low(&self, distances: [isize; 3]) -> Option<(Low<'_, T>, usize)> {
        self.across(distances).filter(|(low, _)| is_low::<T>(low.sizes))
    }

    /// This product, for operands that are so far from the first, as one of rows with a matrix that lies across the sum, if it
    /// does; and from one row of the result to the next.
    pub(super) fn across(&self, distances: [isize; 3]) -> Option<(Low<'_, T>, usize)> {
        let ((terms, l_inner, r_inner), rows, columns) = (self.inner, self.rows, self.columns);
        let left = (self.lhs, distances[0], rows, rows.lhs, l_inner);
        let right = (self.rhs, distances[1], columns, columns.rhs, r_inner);
        let is_along = |axis: Axis, across: isize| axis.dst == 1 && across == 1;
        let (few, matrix) = match () {
            () if is_along(columns, columns.rhs) => (left, right),
            () if is_along(rows, rows.lhs) => (right, left),
            () => return None,
        };
        let sizes = [few.2.size, terms, matrix.2.size];
        if self.outer.is_some() || sizes.contains(&0) {
            return None;
        }
        let size = |stride: isize| usize::try_from(stride).ok();
        let from = |view: View<'_, T>, distance| view.offset.wrapping_add_signed(distance);
        let low = Low {
            scale: self.scale,
            sizes,
            left: &few.0.data[from(few.0, few.1)..],
            steps: [size(few.3)?, size(few.4)?],
            right: &matrix.0.data[from(matrix.0, matrix.1)..],
            down: size(matrix.4)?,
        };
        Some((low, size(few.2.dst)?))
    }

    /// Such a product, whole, by all threads.
    pub(super) fn few_and_large(&self, dst: ViewMut<'_, T>) {
        let (k, l_inner, r_inner) = self.inner;
        let (rows, columns) = (self.rows, self.columns);
        let (lhs, rhs) = (self.lhs, self.rhs);
        if rows.size <= columns.size {
            let (x, w) =
                (View { strides: &[rows.lhs, l_inner], ..lhs }, View { strides: &[r_inner, columns.rhs], ..rhs });
            let dst = ViewMut { strides: &[rows.dst, columns.dst], ..dst };
            few::product(self.scale, [rows.size, k, columns.size], x, w, dst);
        } else {
            let (x, w) =
                (View { strides: &[columns.rhs, r_inner], ..rhs }, View { strides: &[l_inner, rows.lhs], ..lhs });
            let dst = ViewMut { strides: &[columns.dst, rows.dst], ..dst };
            few::product(self.scale, [columns.size, k, rows.size], x, w, dst);
        }
    }

    /// All products of one of the fewer rows (or columns) with a run of the more numerous columns (or rows), run by run.
    fn lines(self, run: usize) -> impl Iterator<Item = (Self, [isize; 3])> {
        let [m, n] = [self.rows.size, self.columns.size];
        (0..m.max(n)).step_by(run).flat_map(move |start| {
            let some = start..m.max(n).min(start + run);
            (0..m.min(n)).map(
                move |i| {
                    if m > n { self.part(some.clone(), i..i + 1) } else { self.part(i..i + 1, some.clone()) }
                },
            )
        })
    }

    /// The product at a batch position that is as far from the first as the distances (left, right, destination) say,
    /// and what a tail makes of it.
    ///
    /// # Safety
    /// All elements of the three matrices lie inside their slices, and nothing else touches those of the destination.
    pub(super) unsafe fn compute(
        &self,
        distances: [isize; 3],
        dst: &Shared<'_, T>,
        dst_offset: usize,
        finisher: Option<&mut Finisher<'_, T>>,
    ) {
        let first = dst_offset.wrapping_add_signed(distances[2]);
        if let Some(packing) = self.packing {
            // SAFETY: the elements of the result are inside and ours by the contract of this function.
            return unsafe { self.in_panels(packing, distances).compute(dst, first, finisher) };
        }
        // SAFETY: the contract of this function.
        unsafe { self.compute_whole(distances, dst, dst_offset) };
        if let Some(finisher) = finisher
            && let Some([wide, tall]) = self.stretches()
        {
            let (step, sides) = (tall.dst as usize, [tall.size, wide.size]);
            if sides[1] >= STAND
                && let Some(ending) = finisher.ending(first, step, sides)
            {
                // SAFETY: the same elements of the destination, which are still ours alone.
                return unsafe { end_standing(&ending, dst.as_ptr().wrapping_add(first), step, sides) };
            }
            // SAFETY: as above.
            unsafe { finisher.tile(first, step, sides, dst) };
        }
    }

    /// The product without panels and without a tail.
    ///
    /// # Safety
    /// That of [`Product::compute`].
    unsafe fn compute_whole(&self, distances: [isize; 3], dst: &Shared<'_, T>, dst_offset: usize) {
        // SAFETY: the contract of this function.
        if unsafe { self.near(distances, dst, dst_offset) } {
            return;
        }
        if let Some((low, step)) = self.as_low(distances) {
            let to = dst.as_ptr().wrapping_add(dst_offset.wrapping_add_signed(distances[2]));
            // SAFETY: these are the rows and columns of the result, which are inside and ours by the contract of this function.
            return unsafe { low.run(to, step) };
        }
        let (k, l_inner, r_inner) = self.inner;
        let [few, long] = [self.rows.size.min(self.columns.size), self.rows.size.max(self.columns.size)];
        if let Some((size, left, right)) = self.outer {
            for i in 0..size {
                let [lhs, rhs, to] = distances;
                let part = [lhs + i as isize * left, rhs + i as isize * right, to];
                // SAFETY: the contract of this function is that of `gemm`; what is added to was written by the first part.
                unsafe { self.gemm(part, dst, dst_offset, i > 0) };
            }
        } else if let Some((sums, [few_stride, long_stride])) = self.few(distances) {
            for (i, sums) in (0..).zip(sums.chunks_exact(long)) {
                let start = dst_offset as isize + distances[2] + i * few_stride;
                if long_stride == 1 {
                    // SAFETY: by the contract of this function these elements are inside the slice, and are ours.
                    unsafe { dst.slice(start as usize, long) }.copy_from_slice(sums);
                    continue;
                }
                for (j, &sum) in (0..).zip(sums) {
                    // SAFETY: by the contract of this function the element is inside the slice, and is ours.
                    let element = unsafe { dst.slice((start + j * long_stride) as usize, 1) };
                    element[0] = sum;
                }
            }
        } else if l_inner == 1 && r_inner == 1 && k >= LONG && (2..=SINGLE).contains(&few) && few * long > TINY {
            // For a few rows or columns `gemm` would turn the other operand around first; one by one they are dot products,
            // which it reads as they lie.
            // A part of the sum is taken for all of them, so that what they share stays in a cache.
            for start in (0..k).step_by(PART) {
                let terms = PART.min(k - start);
                let part = Self { inner: (terms, 1, 1), ..*self };
                for (line, from) in part.lines((CACHED / terms).max(16)) {
                    let [lhs, rhs, to] = [0, 1, 2].map(|operand| distances[operand] + from[operand]);
                    let distances = [lhs + start as isize, rhs + start as isize, to];
                    // SAFETY: this is a part of this product, whose elements are all inside and ours; what is added to was
                    // written by the first part.
                    unsafe { line.gemm(distances, dst, dst_offset, start > 0) };
                }
            }
        } else {
            // SAFETY: the contract of this function is that of `gemm`.
            unsafe { self.gemm(distances, dst, dst_offset, false) };
        }
    }

    /// The product, if it is small and its result lies without gaps. Returns whether it is so.
    ///
    /// # Safety
    /// That of [`Product::compute`].
    unsafe fn near(&self, distances: [isize; 3], dst: &Shared<'_, T>, dst_offset: usize) -> bool {
        let ((k, l_inner, r_inner), rows, columns) = (self.inner, self.rows, self.columns);
        let lies_so =
            |along: Axis, across: Axis| along.dst == 1 && (across.dst == along.size as isize || across.size == 1);
        let is_whole = lies_so(columns, rows) || lies_so(rows, columns);
        if self.outer.is_some() || !is_whole || !near::is_small([rows.size, k, columns.size]) {
            return false;
        }
        let at = |view: View<'_, T>, distance| view.offset.wrapping_add_signed(distance);
        let lhs = View { offset: at(self.lhs, distances[0]), strides: &[rows.lhs, l_inner], ..self.lhs };
        let rhs = View { offset: at(self.rhs, distances[1]), strides: &[r_inner, columns.rhs], ..self.rhs };
        let first = dst_offset.wrapping_add_signed(distances[2]);
        // SAFETY: these are the elements of the result, which has no gaps; they are inside and ours by the contract of this
        // function.
        let data = unsafe { dst.slice(first, rows.size * columns.size) };
        let mut out = ViewMut { data, offset: 0, strides: &[rows.dst, columns.dst] };
        near::product(self.scale, [rows.size, k, columns.size], lhs, rhs, &mut out)
    }

    /// One part of the sum by one call of `gemm`, written or added to what is there.
    ///
    /// # Safety
    /// That of [`Product::compute`]; what is added to has been written.
    unsafe fn gemm(&self, distances: [isize; 3], dst: &Shared<'_, T>, dst_offset: usize, adds: bool) {
        let (k, l_inner, r_inner) = self.inner;
        // With `k = 0` there is no first element of an operand; the wrapping arithmetic allows for that.
        let lhs = self.lhs.data.as_ptr().wrapping_add(self.lhs.offset).wrapping_offset(distances[0]);
        let rhs = self.rhs.data.as_ptr().wrapping_add(self.rhs.offset).wrapping_offset(distances[1]);
        let out = dst.as_ptr().wrapping_add(dst_offset).wrapping_offset(distances[2]);
        let matrices = Matrices {
            scale: self.scale,
            sizes: [self.rows.size, k, self.columns.size],
            lhs: (lhs, [self.rows.lhs, l_inner]),
            rhs: (rhs, [r_inner, self.columns.rhs]),
            dst: (out, [self.rows.dst, self.columns.dst]),
            adds,
        };
        // SAFETY: by the contract of this function every element that these sizes and strides name lies inside the slice
        // that its pointer was made from, and those of `out` are ours.
        unsafe { matrices.multiply() };
    }

    /// The result, if this is a product of a few rows, or columns, with a matrix that is contiguous across the sum: the few
    /// one after the other; and its strides along the few and along the others.
    fn few(&self, distances: [isize; 3]) -> Option<(Vec<T>, [isize; 2])> {
        let (k, l_inner, r_inner) = self.inner;
        let (rows, columns) = (self.rows, self.columns);
        let left = (self.lhs, distances[0], rows.size, rows.lhs, l_inner, rows.dst);
        let right = (self.rhs, distances[1], columns.size, columns.rhs, r_inner, columns.dst);
        let (few, long) = if rows.size <= columns.size { (left, right) } else { (right, left) };
        let (x, x_distance, count, x_across, x_along, few_stride) = few;
        let (w, w_distance, size, across, along, long_stride) = long;
        if k == 0 || count > FEW || count * size <= TINY || across != 1 || along < 0 {
            return None;
        }
        let offset = x.offset.wrapping_add_signed(x_distance);
        let x = few::scaled(self.scale, [count, k], View { offset, strides: &[x_across, x_along], ..x });
        let w = &w.data[w.offset.wrapping_add_signed(w_distance)..];
        let mut sums = vec![T::default(); count * size];
        Few { x: &x, rows: count, pitch: k, k, w, apart: along as usize }.across(&mut sums);
        Some((sums, [few_stride, long_stride]))
    }
}
