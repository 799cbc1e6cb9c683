//! Sums of products over an axis that both operands and the result share with others, which lie side by side.
//!
//! Computes  `dst[b] = scale · Σₖ lhs[k, b] rhs[k, b]`  for a run of neighbours `b`: what a gain owes, which multiplies each
//! row by itself. Row by row both operands are read as they lie, and the sums of a run stay in the nearest cache. Where short
//! rows lie along the sum instead, some of them are turned around at a time.
//! Not here: rows and columns of their own (`product`); threads and other axes (`matmul`).
//! Sums of [`BLOCK`] terms are added to the whole, so the error is at most `2 (BLOCK + k / BLOCK) ε Σₖ |lhs rhs|`.

use super::product::Axis;
use crate::kernel::View;
use crate::kernel::lanes::vectorised;
use crate::kernel::simd::Lanes;
use crate::kernel::turn::{Starts, turn};

/// Neighbours whose sums are taken together: both sums and a row of each operand fit the nearest cache.
pub(super) const RUN: usize = 512;
/// Terms that are summed before their sum is added to the whole.
const BLOCK: usize = 256;

/// Terms of a short sum, at most.
const SHORT: usize = 64;
/// Short sums that are taken together.
const TOGETHER: usize = 64;

/// Whether an axis is one of neighbours, in both operands and the result, and worth a run.
pub(super) fn is_run(axis: &Axis) -> bool {
    axis.size >= 16 && [axis.lhs, axis.rhs, axis.dst] == [1; 3]
}

/// Whether an axis is one of neighbours in the result whose sums are short and lie along both operands.
pub(super) fn is_run_of_short_sums(axis: &Axis, (k, l_inner, r_inner): (usize, isize, isize)) -> bool {
    axis.size >= 16 && [l_inner, r_inner, axis.dst] == [1; 3] && (1..=SHORT).contains(&k)
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

/// Writes short sums that lie along both operands; rows begin so far from their first element, and are these strides apart.
/// Those of squares are turned once.
pub(super) fn short_sums<T: Lanes>(
    scale: T,
    k: usize,
    strides: [isize; 2],
    from: [(View<'_, T>, isize); 2],
    out: &mut [T],
) {
    let mut turned = vec![T::default(); 2 * k * TOGETHER];
    let (xs, ys) = turned.split_at_mut(k * TOGETHER);
    let [(lhs, left), (rhs, right)] = from;
    let is_square = std::ptr::eq(lhs.data, rhs.data)
        && lhs.offset.wrapping_add_signed(left) == rhs.offset.wrapping_add_signed(right)
        && strides[0] == strides[1];
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
