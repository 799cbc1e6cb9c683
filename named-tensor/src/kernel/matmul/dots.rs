//! Dot products of vectors, one or many.
//!
//! Computes  `dst[b] = scale · Σₖ lhs[b, k] rhs[b, k]`. Where numbers follow each other along `k` in both operands, sums of
//! [`LANES`] neighbours stay in registers while both go by. Long vectors are cut into pieces, which threads share; the pieces
//! depend on the sizes alone.
//! Not here: vectors that lie side by side, or many short ones (`paired`), rows and columns of their own (`product`).
//! Pieces are summed in several parts, so the error is at most `2 (PIECE / FEW + k / PIECE) ε Σₖ |lhs rhs|`.

use super::product::Axis;
use super::shared_by;
use crate::kernel::lanes::{LANES, joined, vectorised};
use crate::kernel::parallel::{self, Shared};
use crate::kernel::simd::Lanes;
use crate::kernel::span::Odometer;
use crate::kernel::{View, ViewMut};
use smallvec::SmallVec;
use std::ops::Range;

/// Terms of a lane that are summed before their sum is added to the whole.
const BLOCK: usize = 256;
/// Sums that a processor has under way where numbers are read one by one.
const FEW: usize = 8;
/// Terms of a piece, which one thread takes.
const PIECE: usize = 64 * 1024;

/// Writes dot products of `k` terms, one at least, for all positions of these axes.
pub(super) fn dots<T: Lanes>(
    scale: T,
    inner: (usize, isize, isize),
    axes: &[Axis],
    [lhs, rhs]: [View<'_, T>; 2],
    dst: &mut ViewMut<'_, T>,
) {
    let sizes: SmallVec<[usize; 4]> = axes.iter().map(|axis| axis.size).collect();
    let strides = |of: fn(&Axis) -> isize| -> SmallVec<[isize; 4]> { axes.iter().map(of).collect() };
    let strides = [strides(|axis| axis.lhs), strides(|axis| axis.rhs), strides(|axis| axis.dst)];
    let (items, pieces) = (sizes.iter().product::<usize>(), inner.0.div_ceil(PIECE));
    let at = |operand: usize, item: usize| Odometer::new(&sizes, &strides[operand], item);
    let vectors = |left: &Odometer<'_>, right: &Odometer<'_>, some: Range<usize>| {
        let from = |view: View<'_, T>, distance: isize, stride: isize| {
            view.offset.wrapping_add_signed(distance).wrapping_add_signed(some.start as isize * stride)
        };
        let starts = [from(lhs, left.distance, inner.1), from(rhs, right.distance, inner.2)];
        if [inner.1, inner.2] == [1; 2] {
            dot(&lhs.data[starts[0]..][..some.len()], &rhs.data[starts[1]..][..some.len()])
        } else {
            strided(some.len(), (lhs.data, starts[0], inner.1), (rhs.data, starts[1], inner.2))
        }
    };
    if pieces > 1 {
        let mut partial = vec![T::default(); items * pieces];
        parallel::for_each_chunk(&mut partial, 1, |number, partial| {
            let (item, first) = (number / pieces, number % pieces * PIECE);
            partial[0] = vectors(&at(0, item), &at(1, item), first..inner.0.min(first + PIECE));
        });
        let mut to = at(2, 0);
        for partial in partial.chunks_exact(pieces) {
            let sum = partial.iter().fold(T::default(), |sum, &part| sum + part);
            dst.data[dst.offset.wrapping_add_signed(to.distance)] = sum * scale;
            to.step();
        }
        return;
    }
    let (offset, shared) = (dst.offset, Shared::new(&mut *dst.data));
    parallel::for_each_range(items, shared_by(items, inner.0), |some| {
        let (mut left, mut right, mut to) = (at(0, some.start), at(1, some.start), at(2, some.start));
        for _ in some {
            // SAFETY: `matmul` has found that positions of the destination do not overlap, and each is visited once.
            let element = unsafe { shared.slice(offset.wrapping_add_signed(to.distance), 1) };
            element[0] = vectors(&left, &right, 0..inner.0) * scale;
            [&mut left, &mut right, &mut to].into_iter().for_each(Odometer::step);
        }
    });
}

/// The dot product of two vectors whose numbers do not follow each other: each has a first one and a stride.
fn strided<T: Lanes>(
    k: usize,
    (xs, x_start, x_stride): (&[T], usize, isize),
    (ys, y_start, y_stride): (&[T], usize, isize),
) -> T {
    let at = |start: usize, term: usize, stride: isize| start.wrapping_add_signed(term as isize * stride);
    let mut sums = [T::default(); FEW];
    for start in (0..k).step_by(FEW) {
        for (term, sum) in (start..k).zip(&mut sums) {
            *sum = xs[at(x_start, term, x_stride)].times_plus(ys[at(y_start, term, y_stride)], *sum);
        }
    }
    sums.into_iter().fold(T::default(), |sum, part| sum + part)
}

/// The dot product of two vectors of one size, in blocks.
fn dot<T: Lanes>(xs: &[T], ys: &[T]) -> T {
    vectorised(
        #[inline(always)]
        move || {
            let mut sums = [T::default(); LANES];
            for (xs, ys) in xs.chunks(BLOCK * LANES).zip(ys.chunks(BLOCK * LANES)) {
                let mut block = [T::default(); LANES];
                let ((xs, x_rest), (ys, y_rest)) = (xs.as_chunks::<LANES>(), ys.as_chunks::<LANES>());
                for (xs, ys) in xs.iter().zip(ys) {
                    block = std::array::from_fn(
                        #[inline(always)]
                        |i| xs[i].times_plus(ys[i], block[i]),
                    );
                }
                // Others for the rest, whose number is known only now: so the first ones stay in registers.
                let mut rest = block;
                rest.iter_mut().zip(x_rest).zip(y_rest).for_each(|((sum, &x), &y)| *sum = x.times_plus(y, *sum));
                sums.iter_mut().zip(rest).for_each(|(sum, block)| *sum = *sum + block);
            }
            joined(
                sums,
                #[inline(always)]
                |x, y| x + y,
            )
        },
    )
}
