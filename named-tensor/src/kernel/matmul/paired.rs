//! Sums of products over an axis that both operands and the result share with others, which lie side by side.
//!
//! Computes  `dst[b] = scale · Σₖ lhs[k, b] rhs[k, b]`  for a run of neighbours `b`: what a gain owes, which multiplies each
//! row by itself. Row by row both operands are read as they lie, and the sums of a run stay in the nearest cache. Of short rows
//! that follow each other as many are one row as fill a run. Where short rows lie along the sum instead, some of them are
//! turned around at a time.
//! Not here: rows and columns of their own (`product`); threads and other axes (`matmul`).
//! Sums of [`BLOCK`] terms are added to the whole, so the error is at most `2 (BLOCK + k / BLOCK) ε Σₖ |lhs rhs|`.

use super::product::Axis;
use crate::kernel::lanes::{pairs, vectorised};
use crate::kernel::order::sort_few;
use crate::kernel::parallel;
use crate::kernel::reduce::sum_of_squares;
use crate::kernel::simd::Lanes;
use crate::kernel::span::is_dense;
use crate::kernel::turn::{Starts, turn};
use crate::kernel::vectors;
use crate::kernel::{View, ViewMut};
use pulp::{Simd, WithSimd};
use smallvec::SmallVec;
use std::cmp::Reverse;

/// Neighbours whose sums are taken together: both sums and a row of each operand fit the nearest cache.
pub(super) const RUN: usize = 512;
/// Terms that are summed before their sum is added to the whole.
const BLOCK: usize = 256;

/// Neighbours of a run that a register or two have room for.
const NARROW: usize = 15;

/// Elements of a piece of a tall sum, which one thread takes.
const PIECE: usize = 64 * 1024;

/// Terms of a short sum, at most.
const SHORT: usize = 64;
/// Short sums that are taken together.
const TOGETHER: usize = 64;

/// Whether an axis is one along which sums are taken here.
pub(super) fn is_paired(axis: &Axis, inner: (usize, isize, isize)) -> bool {
    (is_run(axis) && axis.size > NARROW) || is_tall(axis, inner) || is_run_of_short_sums(axis, inner)
}

/// Whether an axis is one of neighbours, in both operands and the result.
pub(super) fn is_run(axis: &Axis) -> bool {
    axis.size >= 2 && [axis.lhs, axis.rhs, axis.dst] == [1; 3]
}

/// Whether an axis is one of few neighbours whose rows follow each other in both operands, and are many.
pub(super) fn is_tall(axis: &Axis, (k, l_inner, r_inner): (usize, isize, isize)) -> bool {
    let size = axis.size as isize;
    (2..=RUN / 2).contains(&axis.size)
        && [axis.lhs, axis.rhs, axis.dst, l_inner, r_inner] == [1, 1, 1, size, size]
        && k * axis.size >= 2 * RUN
}

/// Whether an axis is one of neighbours in the result whose sums are short and lie along both operands.
fn is_run_of_short_sums(axis: &Axis, (k, l_inner, r_inner): (usize, isize, isize)) -> bool {
    axis.size >= 16 && [l_inner, r_inner, axis.dst] == [1; 3] && (1..=SHORT).contains(&k)
}

/// Writes sums over `k` of products of each number with itself that no run has, as reductions take them, which is more exact as
/// well. Returns whether they are such: not where they are short, or where the result has gaps.
pub(super) fn squares<T: Lanes>(
    scale: T,
    (k, l_inner, r_inner): (usize, isize, isize),
    axes: &[Axis],
    [lhs, rhs]: [View<'_, T>; 2],
    dst: &mut ViewMut<'_, T>,
) -> bool {
    let is_same = std::ptr::eq(lhs.data, rhs.data)
        && (lhs.offset, l_inner) == (rhs.offset, r_inner)
        && axes.iter().all(|axis| axis.lhs == axis.rhs);
    let mut axes: SmallVec<[Axis; 4]> = axes.iter().copied().collect();
    sort_few(&mut axes, |axis| Reverse(axis.dst));
    let of = |stride: fn(&Axis) -> isize| -> SmallVec<[isize; 4]> { axes.iter().map(stride).collect() };
    let sizes: SmallVec<[usize; 4]> = axes.iter().map(|axis| axis.size).collect();
    if !is_same || k <= SHORT || axes.is_empty() || !is_dense(&sizes, &of(|axis| axis.dst)) {
        return false;
    }
    let mut strides = of(|axis| axis.lhs);
    strides.push(l_inner);
    let out = &mut dst.data[dst.offset..][..sizes.iter().product()];
    sum_of_squares(&sizes, &[k], View { strides: &strides, ..lhs }, out);
    if scale != T::narrow(1.0) {
        out.iter_mut().for_each(|sum| *sum = *sum * scale);
    }
    true
}

/// Writes the sums of a run; the operands begin so far from their first element, and have these strides along the sum.
pub(super) fn sums<T: Lanes>(
    scale: T,
    (k, l_inner, r_inner): (usize, isize, isize),
    [(lhs, left), (rhs, right)]: [(View<'_, T>, isize); 2],
    out: &mut [T],
) {
    let size = out.len();
    let row = |view: View<'_, T>, distance: isize, stride: isize, term: usize| {
        view.offset.wrapping_add_signed(distance).wrapping_add_signed(term as isize * stride)
    };
    if size <= NARROW {
        let rows = [(lhs, left, l_inner), (rhs, right, r_inner)];
        let rows =
            rows.map(|(view, distance, stride)| Rows { numbers: view.data, first: row(view, distance, 0, 0), stride });
        return vectors::dispatch(Narrow { scale, k, rows, out });
    }
    vectorised(
        #[inline(always)]
        move || {
            let mut block = [T::default(); RUN];
            let block = &mut block[..size];
            out.fill(T::default());
            for top in (0..k).step_by(BLOCK) {
                block.fill(T::default());
                for term in top..k.min(top + BLOCK) {
                    let xs = &lhs.data[row(lhs, left, l_inner, term)..][..size];
                    let ys = &rhs.data[row(rhs, right, r_inner, term)..][..size];
                    block.iter_mut().zip(xs).zip(ys).for_each(|((sum, &x), &y)| *sum = x.times_plus(y, *sum));
                }
                out.iter_mut().zip(&*block).for_each(|(sum, &x)| *sum = *sum + x);
            }
            out.iter_mut().for_each(|sum| *sum = *sum * scale);
        },
    );
}

/// The rows of an operand: where the first one begins, and how far the next one is.
struct Rows<'a, T> {
    numbers: &'a [T],
    first: usize,
    stride: isize,
}

/// The sums of a run that registers have room for, row by row.
struct Narrow<'a, T> {
    scale: T,
    k: usize,
    rows: [Rows<'a, T>; 2],
    out: &'a mut [T],
}

impl<T: Lanes> WithSimd for Narrow<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Narrow { scale, k, rows, out } = self;
        let (lanes, zero) = (size_of::<T::Register<S>>() / size_of::<T>(), T::splat(simd, T::default()));
        for (column, out) in out.chunks_mut(lanes).enumerate().map(|(i, out)| (i * lanes, out)) {
            let some = T::first(simd, out.len());
            let mut sum = zero;
            for top in (0..k).step_by(BLOCK) {
                let mut block = zero;
                for term in top..k.min(top + BLOCK) {
                    let [x, y] = rows.each_ref().map(
                        #[inline(always)]
                        |rows| {
                            let start = rows.first.wrapping_add_signed(term as isize * rows.stride) + column;
                            let row = &rows.numbers[start..][..out.len()];
                            // SAFETY: there are as many numbers in the slice as the mask has.
                            unsafe { T::read(simd, some, row.as_ptr()) }
                        },
                    );
                    block = T::fused(simd, x, y, block);
                }
                sum = T::plus(simd, sum, block);
            }
            // SAFETY: as above.
            unsafe { T::write(simd, some, out.as_mut_ptr(), T::times(simd, sum, T::splat(simd, scale))) };
        }
    }
}

/// Writes the sums of few neighbours, whose rows follow each other; the operands begin with the first and end with the last.
/// The pieces depend on the sizes alone.
pub(super) fn tall_sums<T: Lanes>(scale: T, [xs, ys]: [&[T]; 2], out: &mut [T]) {
    let size = out.len();
    let width = RUN / size * size;
    let pieces = xs.len().div_ceil(PIECE);
    let piece = xs.len().div_ceil(pieces).next_multiple_of(width);
    let mut partial = vec![T::default(); xs.len().div_ceil(piece) * width];
    parallel::for_each_chunk(&mut partial, width, |first, partial| {
        let some = first / width * piece..xs.len().min((first / width + 1) * piece);
        let (xs, ys) = (&xs[some.clone()], &ys[some]);
        vectorised(
            #[inline(always)]
            move || {
                let mut block = [T::default(); RUN];
                let block = &mut block[..width];
                for (xs, ys) in xs.chunks(BLOCK * width).zip(ys.chunks(BLOCK * width)) {
                    block.fill(T::default());
                    for (xs, ys) in xs.chunks(width).zip(ys.chunks(width)) {
                        block.iter_mut().zip(xs).zip(ys).for_each(|((sum, &x), &y)| *sum = x.times_plus(y, *sum));
                    }
                    partial.iter_mut().zip(&*block).for_each(|(sum, &x)| *sum = *sum + x);
                }
            },
        );
    });
    for (i, out) in out.iter_mut().enumerate() {
        *out = partial[i..].iter().step_by(size).fold(T::default(), |sum, &x| sum + x) * scale;
    }
}

/// Writes short sums that lie along both operands; rows begin so far from their first element, and are these strides apart.
/// Those of squares are turned once, and where rows follow each other it is their products that are turned.
pub(super) fn short_sums<T: Lanes>(
    scale: T,
    k: usize,
    strides: [isize; 2],
    from: [(View<'_, T>, isize); 2],
    out: &mut [T],
) {
    let [(lhs, left), (rhs, right)] = from;
    let is_square = std::ptr::eq(lhs.data, rhs.data)
        && lhs.offset.wrapping_add_signed(left) == rhs.offset.wrapping_add_signed(right)
        && strides[0] == strides[1];
    if strides == [k as isize; 2] && !is_square {
        let rows = from.map(|(view, first)| &view.data[view.offset.wrapping_add_signed(first)..][..k * out.len()]);
        return sums_of_rows_in_turn(scale, k, rows, out);
    }
    let mut turned = vec![T::default(); 2 * k * TOGETHER];
    let (xs, ys) = turned.split_at_mut(k * TOGETHER);
    for (number, out) in out.chunks_mut(TOGETHER).enumerate() {
        let operands = from.into_iter().zip(strides).zip([&mut *xs, &mut *ys]);
        for (((view, first), stride), to) in operands.take(if is_square { 1 } else { 2 }) {
            let first = first + (number * TOGETHER) as isize * stride;
            let rows = Starts::Even(view.offset.wrapping_add_signed(first), stride);
            turn(view.data, rows, [out.len(), k], to, TOGETHER);
        }
        let xs = xs.as_chunks::<TOGETHER>().0;
        let ys = if is_square { xs } else { ys.as_chunks::<TOGETHER>().0 };
        vectorised(
            #[inline(always)]
            move || {
                let mut sums = [T::default(); TOGETHER];
                for (xs, ys) in xs.iter().zip(ys) {
                    sums = std::array::from_fn(
                        #[inline(always)]
                        |i| xs[i].times_plus(ys[i], sums[i]),
                    );
                }
                out.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum * scale);
            },
        );
    }
}

/// Writes short sums along rows that follow each other in both operands.
fn sums_of_rows_in_turn<T: Lanes>(scale: T, k: usize, [xs, ys]: [&[T]; 2], out: &mut [T]) {
    // There is room behind the last row for what a register reads with it.
    let mut products = vec![T::default(); (k + 1) * TOGETHER];
    let mut turned = vec![T::default(); k * TOGETHER];
    for ((out, xs), ys) in out.chunks_mut(TOGETHER).zip(xs.chunks(k * TOGETHER)).zip(ys.chunks(k * TOGETHER)) {
        pairs(
            xs,
            ys,
            &mut products,
            #[inline(always)]
            |x, y| x * y,
        );
        turn(&products, Starts::Even(0, k as isize), [out.len(), k], &mut turned, TOGETHER);
        let terms = turned.as_chunks::<TOGETHER>().0;
        vectorised(
            #[inline(always)]
            move || {
                let mut sums = [T::default(); TOGETHER];
                for terms in terms {
                    sums = std::array::from_fn(
                        #[inline(always)]
                        |i| sums[i] + terms[i],
                    );
                }
                out.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum * scale);
            },
        );
    }
}
