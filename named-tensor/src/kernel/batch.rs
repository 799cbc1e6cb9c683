//! Products of very small matrices, one at each position of a batch.
//!
//! Computes  `dst[b, i, j] = scale · Σₖ lhs[b, i, k] rhs[b, k, j]`  where no axis of a matrix has more than a few positions:
//! rotations of points, small covariances. Such a product takes less time than to find out how it is best computed, so the
//! sizes are known to the compiler, and one matrix after the other goes through registers, wherever its numbers lie.
//! Each sum is taken from the first k to the last, as that of any small product (`near`).
//! Lives here: which products these are, their loop, and where all others go. Not here: those (`each`, `matmul`), and sums of
//! pairs (`pairs`).

mod pairs;

use super::each;
use super::lanes::vectorised;
use super::map::Tail;
use super::matmul::matmul;
use super::parallel::{self, GRAIN, Shared};
use super::simd::Lanes;
use super::span::{Odometer, Span, check_distinct, check_inside};
use super::{View, ViewMut};
use smallvec::SmallVec;
use std::ops::Range;

/// Positions of the largest axis of a matrix.
const MOST: usize = 4;

/// What [`matmul`] computes, for the same arguments.
///
/// # Panics
/// As [`matmul`] does.
pub(crate) fn products<T: Lanes>(
    scale: T,
    batch: &[usize],
    sizes: [usize; 3],
    lhs: View<'_, T>,
    rhs: View<'_, T>,
    mut dst: ViewMut<'_, T>,
    tail: Option<&Tail<'_>>,
) {
    let is_whole = |dst: &ViewMut<'_, T>| batch.iter().product::<usize>() * sizes[0] * sizes[2] == dst.data.len();
    let strides = [lhs.strides, rhs.strides, dst.strides];
    if let Some(axis) = each::neighbours(batch, sizes, strides) {
        return each::products(scale, axis, batch, sizes, lhs, rhs, dst, tail);
    }
    if tail.is_none() || is_whole(&dst) {
        tail.into_iter().for_each(|tail| tail.check::<T>(dst.data.len()));
        if pairs::sums(scale, batch, sizes, [lhs, rhs], &mut dst) {
            return tail.into_iter().for_each(|tail| tail.whole(dst.data));
        }
    }
    if !are_small(batch, sizes, strides) {
        return matmul(scale, batch, sizes, lhs, rhs, dst, tail);
    }
    let [m, k, n] = sizes;
    let all = |last: [usize; 2]| -> SmallVec<[usize; 8]> { batch.iter().copied().chain(last).collect() };
    let outs = all([m, n]);
    check_inside("products: left operand", lhs.data.len(), lhs.offset, &all([m, k]), lhs.strides);
    check_inside("products: right operand", rhs.data.len(), rhs.offset, &all([k, n]), rhs.strides);
    check_inside("products: destination", dst.data.len(), dst.offset, &outs, dst.strides);
    check_distinct("products", &outs, dst.strides);
    if let Some(tail) = tail {
        tail.check::<T>(outs.iter().product());
        assert_eq!(outs.iter().product::<usize>(), dst.data.len(), "products: a tail finishes all of the destination");
    }
    let [left, right, to] = [lhs.strides, rhs.strides, dst.strides].map(|strides| strides.split_at(batch.len()));
    let span = Span::new(batch, &[left.0, right.0, to.0]);
    let steps = [left.1, right.1, to.1].map(|steps| [steps[0], steps[1]]);
    let first = [lhs.offset, rhs.offset, dst.offset];
    let job = Job { scale, rows: m, left: lhs.data, right: rhs.data, to: Shared::new(&mut *dst.data), first, steps };
    parallel::for_each_range(span.total(), GRAIN.div_ceil(m * k * n), |range| {
        // SAFETY: every position of the batch and of the matrices was found to lie inside of the three slices, those of the
        // destination do not overlap, and each position of the batch is visited once.
        unsafe { job.run(&span, range, [k, n]) };
    });
    tail.into_iter().for_each(|tail| tail.whole(dst.data));
}

/// Whether products are small ones at many positions. Where an operand is the same along an axis of the batch, that axis is one
/// of rows or columns of larger matrices; where the result is, it is summed; and pairs of numbers are no matrices.
fn are_small(batch: &[usize], [m, k, n]: [usize; 3], strides: [&[isize]; 3]) -> bool {
    let is_few = |size: usize| (1..=MOST).contains(&size);
    is_few(m) && is_few(k) && is_few(n) && m * n > 1 && k > 1 && {
        let is_batch = |axis: usize| batch[axis] != 1 && strides.iter().all(|strides| strides[axis] != 0);
        !batch.is_empty() && (0..batch.len()).all(|axis| batch[axis] == 1 || is_batch(axis)) && !batch.contains(&0)
    }
}

/// The products of a batch.
struct Job<'a, T> {
    scale: T,
    rows: usize,
    left: &'a [T],
    right: &'a [T],
    to: Shared<'a, T>,
    /// Where the first matrices begin, and how far their rows and columns are apart.
    first: [usize; 3],
    steps: [[isize; 2]; 3],
}

impl<T: Lanes> Job<'_, T> {
    /// Computes the products at some positions of the batch.
    ///
    /// # Safety
    /// All elements of the matrices at these positions lie inside their slices, and those of the results are ours.
    unsafe fn run(&self, span: &Span, mut range: Range<usize>, sizes: [usize; 2]) {
        let mut at = [0, 1, 2].map(|operand| Odometer::new(&span.sizes, &span.strides[operand], range.start));
        while !range.is_empty() {
            let [left, right, to] = at.each_ref().map(Odometer::run);
            let (count, apart) = (left.0.min(range.len()), [left.1, right.1, to.1]);
            let first = [0, 1, 2].map(|i| self.first[i].wrapping_add_signed(at[i].distance));
            let along = Along { first, apart, count };
            match sizes {
                // SAFETY: the contract of this function.
                [2, 1] => unsafe { self.sized::<2, 1>(&along) },
                // SAFETY: as above.
                [2, 2] => unsafe { self.sized::<2, 2>(&along) },
                // SAFETY: as above.
                [2, 3] => unsafe { self.sized::<2, 3>(&along) },
                // SAFETY: as above.
                [2, 4] => unsafe { self.sized::<2, 4>(&along) },
                // SAFETY: as above.
                [3, 1] => unsafe { self.sized::<3, 1>(&along) },
                // SAFETY: as above.
                [3, 2] => unsafe { self.sized::<3, 2>(&along) },
                // SAFETY: as above.
                [3, 3] => unsafe { self.sized::<3, 3>(&along) },
                // SAFETY: as above.
                [3, 4] => unsafe { self.sized::<3, 4>(&along) },
                // SAFETY: as above.
                [4, 1] => unsafe { self.sized::<4, 1>(&along) },
                // SAFETY: as above.
                [4, 2] => unsafe { self.sized::<4, 2>(&along) },
                // SAFETY: as above.
                [4, 3] => unsafe { self.sized::<4, 3>(&along) },
                // SAFETY: as above.
                [4, 4] => unsafe { self.sized::<4, 4>(&along) },
                _ => unreachable!("sizes were looked at before"),
            }
            at.iter_mut().for_each(|at| at.advance(count));
            range.start += count;
        }
    }

    /// The same for some positions along the last axis of the batch, and `K` terms and `N` columns.
    ///
    /// # Safety
    /// That of [`Job::run`].
    unsafe fn sized<const K: usize, const N: usize>(&self, along: &Along) {
        let ([left, right], to, [l_step, r_step, d_step]) = ([self.left, self.right], self.to.as_ptr(), self.steps);
        let (scale, rows, along) = (self.scale, self.rows as isize, *along);
        vectorised(
            #[inline(always)]
            move || {
                for i in 0..along.count as isize {
                    let [l, r, d] = [0, 1, 2].map(
                        #[inline(always)]
                        |operand| along.first[operand].wrapping_add_signed(i * along.apart[operand]),
                    );
                    let columns: [[T; N]; K] = std::array::from_fn(
                        #[inline(always)]
                        |x| {
                            std::array::from_fn(
                                #[inline(always)]
                                |j| {
                                    let at = r.wrapping_add_signed(x as isize * r_step[0] + j as isize * r_step[1]);
                                    // SAFETY: by the contract of this function this element of the matrix is inside.
                                    unsafe { *right.get_unchecked(at) }
                                },
                            )
                        },
                    );
                    for row in 0..rows {
                        let mut sums = [T::default(); N];
                        for (x, column) in (0..).zip(&columns) {
                            let at = l.wrapping_add_signed(row * l_step[0] + x * l_step[1]);
                            // SAFETY: as above.
                            let number = unsafe { *left.get_unchecked(at) };
                            sums = std::array::from_fn(
                                #[inline(always)]
                                |j| number.times_plus(column[j], sums[j]),
                            );
                        }
                        for (j, sum) in (0..).zip(sums) {
                            let at = d.wrapping_add_signed(row * d_step[0] + j * d_step[1]);
                            // SAFETY: as above, and this element of the result is ours.
                            unsafe { to.wrapping_add(at).write(scale * sum) };
                        }
                    }
                }
            },
        );
    }
}

/// Positions along one axis: where the first matrices begin, and how far they are apart.
#[derive(Clone, Copy)]
struct Along {
    first: [usize; 3],
    apart: [isize; 3],
    count: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::{Random, positions};

    /// Compares with sums from the first term to the last, to the last bit, where operands and result lie in these orders.
    fn check<T: Lanes>(batch: &[usize], [m, k, n]: [usize; 3], orders: [bool; 3], is_batch_last: bool) {
        let mut random = Random::new(5);
        let count: usize = batch.iter().product();
        // Axes of the batch lie behind those of the matrices, or before them with a gap.
        let strides = |rows: usize, columns: usize, is_turned: bool| -> Vec<isize> {
            let (step, size) = if is_batch_last { (count, rows * columns) } else { (1, rows * columns + 2) };
            let mut apart = if is_batch_last { count } else { count * size };
            let mut strides: Vec<usize> = Vec::new();
            for &axis in batch {
                apart /= axis;
                strides.push(apart);
            }
            strides.extend(if is_turned { [step, step * rows] } else { [step * columns, step] });
            strides.into_iter().map(|stride| stride as isize).collect()
        };
        let [a_strides, b_strides, c_strides] =
            [strides(m, k, orders[0]), strides(k, n, orders[1]), strides(m, n, orders[2])];
        let mut data = || -> Vec<T> {
            random.reals(count * (MOST * MOST + 2)).into_iter().map(|x| T::narrow(f64::from(x))).collect()
        };
        let (a, b, mut c) = (data(), data(), vec![T::narrow(7.0); count * (MOST * MOST + 2)]);
        let scale = T::narrow(0.3);
        let view = |data, strides| View { data, offset: 1, strides };
        let dst = ViewMut { data: &mut c, offset: 1, strides: &c_strides };
        products(scale, batch, [m, k, n], view(&a, &a_strides), view(&b, &b_strides), dst, None);
        let axes = batch.len();
        let starts = |strides: &[isize]| positions(batch, &strides[..axes]).collect::<Vec<_>>();
        let mut wanted = vec![T::narrow(7.0); c.len()];
        let [a_starts, b_starts, c_starts] = [&a_strides, &b_strides, &c_strides].map(|strides| starts(strides));
        for at in 0..count {
            for (i, j) in (0..m as isize).flat_map(|i| (0..n as isize).map(move |j| (i, j))) {
                let of = |start: isize, strides: &[isize], row: isize, column: isize| {
                    (1 + start + row * strides[axes] + column * strides[axes + 1]) as usize
                };
                let sum = (0..k as isize).fold(T::default(), |sum, x| {
                    a[of(a_starts[at], &a_strides, i, x)].times_plus(b[of(b_starts[at], &b_strides, x, j)], sum)
                });
                wanted[of(c_starts[at], &c_strides, i, j)] = scale * sum;
            }
        }
        assert!(c == wanted, "{batch:?} of {m} × {k} × {n}, turned {orders:?}, the batch last: {is_batch_last}");
    }

    #[test]
    fn small_products_at_every_position_are_sums_from_the_first_term_to_the_last_wherever_they_lie() {
        for m in 1..=MOST {
            for k in 2..=MOST {
                for n in if m == 1 { 2 } else { 1 }..=MOST {
                    for way in 0..16 {
                        let orders = [way & 1 > 0, way & 2 > 0, way & 4 > 0];
                        check::<f32>(&[7], [m, k, n], orders, way & 8 > 0);
                        check::<f64>(&[2, 1, 3], [m, k, n], orders, way & 8 > 0);
                    }
                }
            }
        }
        check::<f32>(&[1], [3, 3, 3], [false; 3], false);
        check::<f32>(&[200, 60], [3, 3, 1], [false; 3], false);
        check::<f64>(&[9000], [3, 3, 3], [true, false, true], true);
    }

    #[test]
    fn an_operand_that_is_the_same_along_the_batch_and_a_sum_along_it_are_left_to_larger_products() {
        let [each, same] = [[9, 3, 1], [0, 3, 1]];
        assert!(are_small(&[5], [3; 3], [&each, &each, &each]), "a matrix at each position");
        assert!(!are_small(&[5], [3; 3], [&each, &same, &each]), "one matrix for all rows");
        assert!(!are_small(&[5], [3; 3], [&each, &each, &same]), "the batch is summed");
        assert!(!are_small(&[], [3; 3], [&each[1..], &each[1..], &each[1..]]), "one product");
        assert!(!are_small(&[0], [3; 3], [&each, &each, &each]), "none");
        assert!(!are_small(&[5], [3, 5, 3], [&each, &each, &each]), "a longer sum");
        let mut out = [1.0_f32; 18];
        let numbers = [1.0_f32; 18];
        let view = View { data: &numbers, offset: 0, strides: &same };
        products(1.0, &[2], [3; 3], view, view, ViewMut { data: &mut out, offset: 0, strides: &each }, None);
        assert_eq!(out, [3.0; 18], "which compute the same");
    }

    #[test]
    #[should_panic(expected = "products: left operand")]
    fn a_matrix_that_leaves_its_slice_is_refused() {
        let (numbers, mut out) = ([1.0_f32; 18], [0.0; 18]);
        let view = |offset| View { data: &numbers, offset, strides: &[9, 3, 1] };
        products(1.0, &[2], [3; 3], view(1), view(0), ViewMut { data: &mut out, offset: 0, strides: &[9, 3, 1] }, None);
    }
}
