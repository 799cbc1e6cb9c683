//! Copies of many small matrices, each of which is turned around.
//!
//! What shuffles channels or puts the parts of a picture in another order is thousands of matrices of some rows and columns. To
//! begin with each as with a large one takes several times as long as to turn it.
//! Lives here: which matrices are small, and their loop. Not here: large ones (`transpose` of `copy`), squares (`turn`).

use super::{Job, copy_short};
use crate::element::Stored;
use crate::kernel::parallel::{self, GRAIN, Shared};
use crate::kernel::span::{Odometer, Span};
use crate::kernel::turn::{Square, Turner, Work, with_turner};
use std::ops::Range;

/// The longest side of a small matrix.
const LONGEST: usize = 64;
/// So many small matrices are many.
const MANY: usize = 8;

/// Matrices along the last axis, along which the destination is contiguous, and one along which the source is.
pub(super) struct Small<'a> {
    /// The axes before those, and how far their positions are apart in the source and the destination.
    outer: Vec<usize>,
    apart: [Vec<isize>; 2],
    /// How many columns and rows of the source make a matrix, and how far those are apart in the source, these in the
    /// destination.
    sides: [usize; 2],
    steps: [isize; 2],
    span: &'a Span,
}

impl Small<'_> {
    /// The matrices of a space whose source is contiguous along this axis; none if they are few, or not small.
    pub(super) fn of(span: &Span, axis: usize) -> Option<Small<'_>> {
        let last = span.sizes.len() - 1;
        let sides = [span.inner(), span.sizes[axis]];
        let are_small = sides.iter().all(|&side| side <= LONGEST) && span.inner_stride(1) == 1;
        if !are_small || span.total() / (sides[0] * sides[1]) < MANY {
            return None;
        }
        let outer = |at: &usize| *at != axis && *at != last;
        let apart = [0, 1].map(|operand| (0..=last).filter(outer).map(|at| span.strides[operand][at]).collect());
        let sizes = (0..=last).filter(outer).map(|at| span.sizes[at]).collect();
        Some(Small { outer: sizes, apart, sides, steps: [span.strides[0][last], span.strides[1][axis]], span })
    }

    /// Copies them.
    pub(super) fn turn<T: Stored>(&self, job: &Job<'_, T>, dst: &Shared<'_, T>) {
        let numbers = self.sides[0] * self.sides[1];
        parallel::for_each_range(self.span.total() / numbers, GRAIN.div_ceil(numbers), |range| {
            with_turner(Part { all: self, job, dst, range });
        });
    }
}

/// Some of the matrices.
struct Part<'a, T> {
    all: &'a Small<'a>,
    job: &'a Job<'a, T>,
    dst: &'a Shared<'a, T>,
    range: Range<usize>,
}

impl<T: Stored> Work for Part<'_, T> {
    #[inline(always)]
    fn run(self, turner: impl Turner) {
        if const { size_of::<T>() == 8 } { self.by_squares::<8>(turner) } else { self.by_squares::<16>(turner) }
    }
}

impl<T: Stored> Part<'_, T> {
    #[inline(always)]
    fn by_squares<const SIDE: usize>(self, turner: impl Turner) {
        let Small { outer, apart, sides: [width, depth], steps: [across, down], .. } = self.all;
        let [mut from, mut to] = [0, 1].map(|operand| Odometer::new(outer, &apart[operand], self.range.start));
        let mut square: Square<T, SIDE> = [[T::default(); SIDE]; SIDE];
        for _ in self.range {
            for left in (0..*width).step_by(SIDE) {
                let wide = SIDE.min(width - left);
                for top in (0..*depth).step_by(SIDE) {
                    let tall = SIDE.min(depth - top);
                    for (i, row) in (left as isize..).zip(&mut square[..wide]) {
                        let at = self.job.src_offset + from.distance + i * across;
                        let numbers = &self.job.src[at as usize + top..];
                        match numbers.first_chunk() {
                            // What stands behind the row is not looked at.
                            Some(more) => *row = *more,
                            None => row[..tall].copy_from_slice(&numbers[..tall]),
                        }
                    }
                    turner.turn(&mut square, tall);
                    for (j, row) in (top as isize..).zip(&square[..tall]) {
                        let start = self.job.dst_offset + to.distance + j * down;
                        // SAFETY: this row of this matrix of the destination is visited once, and no positions overlap.
                        let to = unsafe { self.dst.slice(start as usize + left, wide) };
                        copy_short(&row[..wide], to);
                    }
                }
            }
            from.step();
            to.step();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::element::Stored;
    use crate::kernel::copy::copy_into;
    use crate::kernel::testing::positions;
    use crate::kernel::{View, ViewMut};

    /// Turns matrices around that lie one after the other, or with gaps, and looks every number up.
    fn check<T: Stored>(count: usize, [rows, columns]: [usize; 2], gap: usize, number: impl Fn(usize) -> T) {
        let sizes = [count, columns, rows];
        let lying = |inner: usize, outer: usize| [(outer * (inner + gap)) as isize, (inner + gap) as isize];
        let ([from_far, from_near], [to_far, to_near]) = (lying(columns, rows), lying(rows, columns));
        let (from, to) = ([from_far, 1, from_near], [to_far, to_near, 1]);
        let all = |strides: &[isize]| positions(&sizes, strides).max().unwrap_or(0) as usize + 1;
        // What is read last ends with the slice.
        let data: Vec<T> = (0..3 + all(&from)).map(&number).collect();
        let mut out = vec![number(99_999); 2 + all(&to) + 9];
        let src = View { data: &data, offset: 3, strides: &from };
        copy_into(&sizes, src, ViewMut { data: &mut out, offset: 2, strides: &to });
        let mut expected = vec![number(99_999); out.len()];
        for (a, b) in positions(&sizes, &from).zip(positions(&sizes, &to)) {
            expected[2 + b as usize] = data[3 + a as usize];
        }
        assert!(out == expected, "{count} of {rows} × {columns}, {gap} apart");
    }

    #[test]
    fn many_small_matrices_arrive_turned_around_whatever_their_sides() {
        for sides in
            [[8, 8], [4, 32], [32, 4], [16, 16], [5, 7], [17, 9], [64, 64], [63, 5], [4, 65], [2, 19], [33, 31]]
        {
            for gap in [0, 3] {
                for count in [1, 9, 40] {
                    check(count, sides, gap, |i| i as f32);
                    check(count, sides, gap, |i| i as f64);
                    check(count, sides, gap, |i| i as i64);
                    check(count, sides, gap, |i| i % 7 < 3);
                }
            }
        }
        check(3000, [8, 8], 0, |i| i as f32);
    }
}
