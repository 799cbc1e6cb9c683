//! Products of matrices; the one call into `gemm`.
//!
//! Computes  `dst[b, i, j] = scale · Σₖ lhs[b, i, k] rhs[b, k, j]`  over a space of batch axes, all with any strides.
//! Lives here: which batch axes are really rows or columns, and how the work is split over threads. `gemm` packs its
//! operands as it needs them, so nothing is copied or transposed beforehand.
//! The order of the sum over `k` is that of `gemm`: the error is at most `2 k ε Σₖ |lhs rhs|`, with ε = 2⁻²⁴ (`f64`: 2⁻⁵³).

use super::math::Scalar;
use super::near;
use super::parallel::{self, Shared};
use super::span::{Odometer, Span, check_distinct, check_inside};
use super::vector::Few;
use super::{View, ViewMut};
use gemm::Parallelism;
use smallvec::SmallVec;
use std::ops::Range;

/// Multiplications below which threads cost more than they bring.
const SMALL: usize = 128 * 1024;
/// Products from which on each is given to one thread whole.
const MANY: usize = 8;
/// Rows or columns of a part of a product are a multiple of this, so that `gemm` has whole tiles.
const TILE: usize = 16;
/// Multiplications of a product that is done in the time that packing would take.
const NEAR: usize = 4096;
/// Rows (or columns) for which the other operand is read as it lies, where it lies across the sum.
const FEW: usize = 8;
/// Rows or columns that are better computed one by one, where both operands lie along the sum.
const SINGLE: usize = 20;
/// The size of a sum from which on that is so.
const LONG: usize = 64;
/// Elements of an operand that stay in a cache while the rows of the other are multiplied with it one by one.
const CACHED: usize = 64 * 1024;
/// Elements of a result for which `gemm` has a kernel of dot products.
const TINY: usize = 256;

/// The product of `lhs`, a view over `batch`, rows `m` and `k`, and `rhs`, a view over `batch`, `k` and columns `n`.
/// `dst` is a view over `batch`, `m` and `n`; what it held does not matter. An empty sum is 0.
///
/// # Panics
/// If a view leaves its slice, or if positions of the destination overlap.
pub(crate) fn matmul<T: Scalar>(
    scale: T,
    batch: &[usize],
    [m, k, n]: [usize; 3],
    lhs: View<'_, T>,
    rhs: View<'_, T>,
    dst: ViewMut<'_, T>,
) {
    if batch.is_empty() && m * k * n <= NEAR && m * n > 0 && rhs.strides[1] == 1 && dst.strides[1] == 1 {
        return near::product(scale, [m, k, n], lhs, rhs, dst);
    }
    let with = |rows: usize, columns: usize| -> SmallVec<[usize; 8]> {
        batch.iter().copied().chain([rows, columns]).collect()
    };
    check_inside("matmul: left operand", lhs.data.len(), lhs.offset, &with(m, k), lhs.strides);
    check_inside("matmul: right operand", rhs.data.len(), rhs.offset, &with(k, n), rhs.strides);
    check_inside("matmul: destination", dst.data.len(), dst.offset, &with(m, n), dst.strides);
    check_distinct("matmul", &with(m, n), dst.strides);
    let total: usize = with(m, n).iter().product();
    if total == 0 {
        return;
    }
    let ([l_row, l_inner], [r_inner, r_column]) = (last_two(lhs.strides), last_two(rhs.strides));
    let [d_row, d_column] = last_two(dst.strides);
    let mut axes: SmallVec<[Axis; 4]> = (0..batch.len())
        .map(|i| Axis { size: batch[i], lhs: lhs.strides[i], rhs: rhs.strides[i], dst: dst.strides[i] })
        .filter(|axis| axis.size != 1)
        .collect();
    let mut rows = Axis { size: m, lhs: l_row, rhs: 0, dst: d_row };
    let mut columns = Axis { size: n, lhs: 0, rhs: r_column, dst: d_column };
    while let Some(i) = axes.iter().position(|&axis| rows.absorbs(axis) || columns.absorbs(axis)) {
        axes.remove(i);
    }
    let sizes: SmallVec<[usize; 4]> = axes.iter().map(|axis| axis.size).collect();
    let strides = |of: fn(&Axis) -> isize| -> SmallVec<[isize; 4]> { axes.iter().map(of).collect() };
    let span = Span::new(&sizes, &[&strides(|axis| axis.lhs), &strides(|axis| axis.rhs), &strides(|axis| axis.dst)]);
    let product = Product { scale, rows, columns, inner: (k, l_inner, r_inner), lhs, rhs };
    let shared = Shared::new(dst.data);
    let (items, each) = (span.total(), rows.size * columns.size * k);
    // Many products of the same kind are split by product; few large ones are split within, along the longer side, which
    // repeats the smaller part of what `gemm` prepares. A sum is the same in whichever part it is computed.
    let long = rows.size.max(columns.size);
    let part = match () {
        () if items >= MANY || items * each < 2 * SMALL => long,
        () => long.div_ceil(parallel::threads()).max((SMALL * long).div_ceil(each)).next_multiple_of(TILE),
    };
    let parts = long.div_ceil(part);
    let grain = SMALL.div_ceil(each.div_ceil(parts).max(1));
    parallel::for_each_range(items * parts, grain, |range| {
        let mut at = [0, 1, 2].map(|operand| Odometer::new(&span.sizes, &span.strides[operand], range.start / parts));
        for piece in range {
            let start = piece % parts * part;
            let (product, from) = product.part(start..long.min(start + part));
            let distances = [0, 1, 2].map(|i| at[i].distance + from[i]);
            // SAFETY: the views were checked to lie inside their slices for every batch position, of which `at` is one;
            // positions of the destination do not overlap, and each part of each batch position is visited once.
            unsafe { product.compute(distances, &shared, dst.offset) };
            if piece % parts == parts - 1 {
                at.iter_mut().for_each(Odometer::step);
            }
        }
    });
}

/// The product of two matrices in the calling thread, for callers that split their work themselves.
///
/// # Panics
/// If a view leaves its slice, or if positions of the destination overlap.
pub(super) fn serial<T: Scalar>(
    scale: T,
    [m, k, n]: [usize; 3],
    lhs: View<'_, T>,
    rhs: View<'_, T>,
    dst: ViewMut<'_, T>,
) {
    check_inside("matmul: left operand", lhs.data.len(), lhs.offset, &[m, k], lhs.strides);
    check_inside("matmul: right operand", rhs.data.len(), rhs.offset, &[k, n], rhs.strides);
    check_inside("matmul: destination", dst.data.len(), dst.offset, &[m, n], dst.strides);
    check_distinct("matmul", &[m, n], dst.strides);
    let rows = Axis { size: m, lhs: lhs.strides[0], rhs: 0, dst: dst.strides[0] };
    let columns = Axis { size: n, lhs: 0, rhs: rhs.strides[1], dst: dst.strides[1] };
    let product = Product { scale, rows, columns, inner: (k, lhs.strides[1], rhs.strides[0]), lhs, rhs };
    // SAFETY: the three views were checked to lie inside their slices, and `dst` is borrowed mutably.
    unsafe { product.compute([0; 3], &Shared::new(dst.data), dst.offset) };
}

/// The strides along rows and columns.
fn last_two(strides: &[isize]) -> [isize; 2] {
    [strides[strides.len() - 2], strides[strides.len() - 1]]
}

/// An axis of the result: its size, and its stride in each operand, 0 where the operand does not have it.
#[derive(Clone, Copy, Debug)]
struct Axis {
    size: usize,
    lhs: isize,
    rhs: isize,
    dst: isize,
}

impl Axis {
    /// Whether `axis` and this one are walked through as one axis; if so, this one becomes it.
    /// Batch times one matrix is one taller matrix, if the rows of the batch go on evenly.
    fn absorbs(&mut self, axis: Axis) -> bool {
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
struct Product<'a, T> {
    scale: T,
    rows: Axis,
    columns: Axis,
    /// The summed axis: its size, and its stride in either operand.
    inner: (usize, isize, isize),
    lhs: View<'a, T>,
    rhs: View<'a, T>,
}

impl<T: Scalar> Product<'_, T> {
    /// Some of the rows, or of the columns if there are more of them, and how far they are from the first.
    fn part(mut self, range: Range<usize>) -> (Self, [isize; 3]) {
        let long = if self.rows.size > self.columns.size { &mut self.rows } else { &mut self.columns };
        long.size = range.len();
        let distances = [long.lhs, long.rhs, long.dst].map(|stride| stride * range.start as isize);
        (self, distances)
    }

    /// All products of one of the fewer rows (or columns) with a run of the more numerous columns (or rows), run by run.
    fn lines(self, run: usize) -> impl Iterator<Item = (Self, [isize; 3])> {
        let few = self.rows.size.min(self.columns.size);
        let long = self.rows.size.max(self.columns.size);
        (0..long).step_by(run).flat_map(move |start| {
            let (part, from) = self.part(start..long.min(start + run));
            (0..few).map(move |i| {
                let mut line = part;
                let axis = if self.rows.size > self.columns.size { &mut line.columns } else { &mut line.rows };
                axis.size = 1;
                let to = [axis.lhs, axis.rhs, axis.dst].map(|stride| stride * i as isize);
                (line, [0, 1, 2].map(|operand| from[operand] + to[operand]))
            })
        })
    }

    /// The product at a batch position that is as far from the first as the distances (left, right, destination) say.
    ///
    /// # Safety
    /// All elements of the three matrices lie inside their slices, and nothing else touches those of the destination.
    unsafe fn compute(&self, distances: [isize; 3], dst: &Shared<'_, T>, dst_offset: usize) {
        let (k, l_inner, r_inner) = self.inner;
        let [few, long] = [self.rows.size.min(self.columns.size), self.rows.size.max(self.columns.size)];
        if let Some((few, [few_stride, long_stride])) = self.few(distances) {
            let mut sums = vec![T::default(); few.x.len() / k * long];
            few.columns(0..long, &mut sums);
            for (i, sums) in (0..).zip(sums.chunks_exact(long)) {
                let start = dst_offset as isize + distances[2] + i * few_stride;
                for (j, &sum) in (0..).zip(sums) {
                    // SAFETY: by the contract of this function the element is inside the slice, and is ours.
                    let element = unsafe { dst.slice((start + j * long_stride) as usize, 1) };
                    element[0] = sum;
                }
            }
        } else if l_inner == 1 && r_inner == 1 && k >= LONG && (2..=SINGLE).contains(&few) && few * long > TINY {
            // For a few rows or columns `gemm` would turn the other operand around first; one by one they are dot products,
            // which it reads as they lie.
            for (line, from) in self.lines((CACHED / k.max(1)).max(TILE)) {
                let distances = [0, 1, 2].map(|operand| distances[operand] + from[operand]);
                // SAFETY: this is a part of this product, whose elements are all inside and ours.
                unsafe { line.gemm(distances, dst, dst_offset) };
            }
        } else {
            // SAFETY: the contract of this function is that of `gemm`.
            unsafe { self.gemm(distances, dst, dst_offset) };
        }
    }

    /// The same by one call of `gemm`.
    ///
    /// # Safety
    /// That of [`Product::compute`].
    unsafe fn gemm(&self, distances: [isize; 3], dst: &Shared<'_, T>, dst_offset: usize) {
        let (k, l_inner, r_inner) = self.inner;
        // With `k = 0` there is no first element of an operand; the wrapping arithmetic allows for that.
        let lhs = self.lhs.data.as_ptr().wrapping_add(self.lhs.offset).wrapping_offset(distances[0]);
        let rhs = self.rhs.data.as_ptr().wrapping_add(self.rhs.offset).wrapping_offset(distances[1]);
        let out = dst.as_ptr().wrapping_add(dst_offset).wrapping_offset(distances[2]);
        let (m, n) = (self.rows.size, self.columns.size);
        let zero = T::default();
        // SAFETY: by the contract of this function every element that these sizes and strides name lies inside the slice
        // that its pointer was made from, and those of `out` are ours; `T` is `f32` or `f64`, which `gemm` takes.
        unsafe {
            gemm::gemm(
                m,
                n,
                k,
                out,
                self.columns.dst,
                self.rows.dst,
                false,
                lhs,
                l_inner,
                self.rows.lhs,
                rhs,
                self.columns.rhs,
                r_inner,
                zero,
                self.scale,
                false,
                false,
                false,
                Parallelism::None,
            );
        }
    }

    /// This product as one of a few rows, or columns, with a matrix that is contiguous across the sum; and the
    /// strides of the result along the few and along the others.
    fn few(&self, distances: [isize; 3]) -> Option<(Few<'_, T>, [isize; 2])> {
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
        let first = |view: View<'_, T>, distance: isize| view.offset as isize + distance;
        let start = first(x, x_distance);
        let element = |i: usize, k: usize| x.data[(start + i as isize * x_across + k as isize * x_along) as usize];
        let x = (0..count).flat_map(|i| (0..k).map(move |k| (i, k))).map(|(i, k)| element(i, k) * self.scale).collect();
        let w = &w.data[first(w, w_distance) as usize..];
        Some((Few { x, k, w, along: along as usize, far: false }, [few_stride, long_stride]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::span::row_major;
    use crate::kernel::testing::{Random, positions};

    /// Compares with three plain loops in `f64`; the destination starts as NaN.
    fn check<T: Scalar>(batch: &[usize], [m, k, n]: [usize; 3], [lhs, rhs, dst]: [&[isize]; 3], epsilon: f64) {
        let reach = |sizes: &[usize], strides: &[isize]| -> usize {
            1 + sizes.iter().zip(strides).map(|(&n, &s)| n.saturating_sub(1) * s as usize).sum::<usize>()
        };
        let with = |rows, columns| [batch, &[rows, columns]].concat();
        let mut random = Random::new(11);
        let mut data = |size| -> Vec<T> { random.reals(size).into_iter().map(|x| T::narrow(f64::from(x))).collect() };
        let (a, b) = (data(reach(&with(m, k), lhs)), data(reach(&with(k, n), rhs)));
        let mut out = vec![T::narrow(f64::NAN); reach(&with(m, n), dst)];
        let scale = T::narrow(0.25);
        let (left, right) = (View { data: &a, offset: 0, strides: lhs }, View { data: &b, offset: 0, strides: rhs });
        matmul(scale, batch, [m, k, n], left, right, ViewMut { data: &mut out, offset: 0, strides: dst });
        let outer = batch.len();
        let first =
            positions(batch, &lhs[..outer]).zip(positions(batch, &rhs[..outer])).zip(positions(batch, &dst[..outer]));
        for ((l, r), d) in first {
            for (i, j) in (0..m as isize).flat_map(|i| (0..n as isize).map(move |j| (i, j))) {
                let (mut exact, mut size) = (0.0, 0.0);
                for x in 0..k as isize {
                    let term = a[(l + i * lhs[outer] + x * lhs[outer + 1]) as usize].wide()
                        * b[(r + x * rhs[outer] + j * rhs[outer + 1]) as usize].wide();
                    exact += term / 4.0;
                    size += f64::abs(term) / 4.0;
                }
                let got = out[(d + i * dst[outer] + j * dst[outer + 1]) as usize].wide();
                let bound = 2.0 * k as f64 * epsilon * size;
                assert!((got - exact).abs() <= bound, "{got} for {exact} at {i}, {j} of {batch:?} {m}x{k}x{n}");
            }
        }
    }

    fn check_both(batch: &[usize], sizes: [usize; 3], strides: [&[isize]; 3]) {
        check::<f32>(batch, sizes, strides, f64::from(f32::EPSILON) / 2.0);
        check::<f64>(batch, sizes, strides, f64::EPSILON / 2.0);
    }

    #[test]
    fn every_order_of_rows_and_columns_agrees_with_plain_loops() {
        for [m, k, n] in [
            [1, 1, 1],
            [1, 70, 33],
            [33, 70, 1],
            [1, 5, 1],
            [5, 1, 7],
            [7, 2, 5],
            [17, 300, 19],
            [64, 64, 64],
            [3, 1100, 4],
            [1, 77, 300],
            [300, 33, 1],
            [5, 130, 120],
            [90, 70, 8],
            [37, 61, 50],
            [20, 700, 105],
        ] {
            let orders = |rows: usize, columns: usize| {
                [[columns as isize, 1], [1, rows as isize], [2 * columns as isize + 1, 2]]
            };
            for lhs in orders(m, k) {
                for rhs in orders(k, n) {
                    for dst in orders(m, n) {
                        check_both(&[], [m, k, n], [&lhs, &rhs, &dst]);
                    }
                }
            }
        }
    }

    #[test]
    fn batches_agree_with_plain_loops_whether_operands_have_them_or_not() {
        let (b, h, m, k, n) = (3, 4, 6, 5, 7);
        let dense = |sizes: &[usize]| row_major(sizes);
        // Both operands have the batch, in rows that interleave with the heads.
        let (lhs, rhs) = ([m * h * k, k, h * k, 1].map(|s| s as isize), [n * h * k, k, 1, h * k].map(|s| s as isize));
        check_both(&[b, h], [m, k, n], [&lhs, &rhs, &dense(&[b, h, m, n])]);
        // One matrix for all: rows absorb the batch, from outside and from inside.
        check_both(&[b, h], [m, k, n], [&dense(&[b, h, m, k]), &[0, 0, n as isize, 1], &dense(&[b, h, m, n])]);
        check_both(
            &[h],
            [m, k, n],
            [&[k as isize, (h * k) as isize, 1], &[0, n as isize, 1], &[n as isize, (h * n) as isize, 1]],
        );
        // The right operand has the batch: columns absorb it.
        check_both(
            &[h],
            [m, k, n],
            [&[0, k as isize, 1], &[n as isize, (h * n) as isize, 1], &[n as isize, (h * n) as isize, 1]],
        );
        // Neither has it.
        check_both(&[h], [m, k, n], [&[0, k as isize, 1], &[0, n as isize, 1], &dense(&[h, m, n])]);
        // Rows that go on evenly in the operand but not in the result stay a batch.
        check_both(&[h], [m, k, n], [&dense(&[h, m, k]), &[0, n as isize, 1], &[(2 * m * n) as isize, n as isize, 1]]);
    }

    #[test]
    fn work_for_several_threads_agrees_with_plain_loops() {
        check_both(&[], [130, 120, 110], [&[120, 1], &[110, 1], &[110, 1]]);
        check_both(&[16], [40, 30, 50], [&[1200, 30, 1], &[1500, 50, 1], &[2000, 50, 1]]);
        check_both(&[2], [100, 90, 110], [&[9000, 90, 1], &[9900, 1, 90], &[11000, 110, 1]]);
    }

    #[test]
    fn an_empty_sum_is_zero_and_an_empty_result_is_nothing() {
        let mut out = [f32::NAN; 6];
        let empty = View { data: &[][..], offset: 0, strides: &[0, 1] };
        let dst = ViewMut { data: &mut out, offset: 0, strides: &[3, 1] };
        matmul(1.0, &[], [2, 0, 3], empty, View { strides: &[3, 1], ..empty }, dst);
        assert_eq!(out, [0.0; 6], "sums of nothing");
        matmul(1.0, &[], [0, 4, 0], empty, empty, ViewMut { data: &mut [], offset: 0, strides: &[0, 1] });
    }

    #[test]
    #[should_panic(expected = "matmul: right operand")]
    fn an_operand_past_its_slice_is_refused() {
        let data = [1.0_f32; 6];
        let view = View { data: &data[..], offset: 0, strides: &[3, 1] };
        matmul(1.0, &[], [2, 3, 2], view, view, ViewMut { data: &mut [0.0; 4], offset: 0, strides: &[2, 1] });
    }
}
