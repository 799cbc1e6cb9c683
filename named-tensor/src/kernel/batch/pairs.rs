//! Sums of a few products of pairs, one for each of few neighbours at each position of a batch.
//!
//! Computes  `dst[b, j] = scale · Σₖ lhs[b, k, j] rhs[b, k, j]`  where j has a few positions: the dot products of the columns of
//! small matrices, and their lengths. The first terms of many sums are read, then the second ones, and so on: each time they
//! lie in the same pattern.
//! Not here: many neighbours (`matmul::paired`), terms that follow each other.

use crate::kernel::lanes::vectorised;
use crate::kernel::order::sort_few;
use crate::kernel::parallel::{self, GRAIN, grain_of};
use crate::kernel::pattern::Pattern;
use crate::kernel::simd::Lanes;
use crate::kernel::span::{Span, check_inside, is_dense};
use crate::kernel::{View, ViewMut};
use smallvec::SmallVec;

/// Terms, at most.
const MOST: usize = 16;
/// Sums that are made together.
const TOGETHER: usize = 512;

/// Computes such sums of `k` terms over a batch; tells whether it did. The last two strides of each view are those of rows and
/// columns, of which there is one.
///
/// # Panics
/// If a view leaves its slice.
pub(super) fn sums<T: Lanes>(
    scale: T,
    batch: &[usize],
    k: usize,
    [lhs, rhs]: [View<'_, T>; 2],
    dst: &mut ViewMut<'_, T>,
) -> bool {
    if !(1..=MOST).contains(&k) || batch.contains(&0) {
        return false;
    }
    // In the order in which results lie.
    let mut axes: SmallVec<[usize; 8]> = (0..batch.len()).collect();
    sort_few(&mut axes, |&axis| std::cmp::Reverse(dst.strides[axis].unsigned_abs()));
    let pick = |strides: &[isize]| -> SmallVec<[isize; 8]> { axes.iter().map(|&axis| strides[axis]).collect() };
    let sizes: SmallVec<[usize; 8]> = axes.iter().map(|&axis| batch[axis]).collect();
    if !is_dense(&sizes, &pick(dst.strides)) {
        return false;
    }
    let span = Span::new(&sizes, &[&pick(lhs.strides), &pick(rhs.strides)]);
    let patterns = [0, 1].map(|operand| span.pattern(operand).filter(Pattern::is_close::<T>));
    let [Some(left), Some(right)] = &patterns else { return false };
    let all: SmallVec<[usize; 8]> = batch.iter().copied().chain([1, k]).collect();
    check_inside("products: left operand", lhs.data.len(), lhs.offset, &all, lhs.strides);
    let all: SmallVec<[usize; 8]> = batch.iter().copied().chain([k, 1]).collect();
    check_inside("products: right operand", rhs.data.len(), rhs.offset, &all, rhs.strides);
    let steps = [lhs.strides[batch.len() + 1], rhs.strides[batch.len()]];
    let grain = grain_of(span.total(), GRAIN.div_ceil(k)).next_multiple_of(TOGETHER);
    let out = &mut dst.data[dst.offset..][..span.total()];
    parallel::for_each_chunk(out, grain, |first, chunk| {
        let mut room = [[T::default(); TOGETHER]; 2];
        for (number, sums) in chunk.chunks_mut(TOGETHER).enumerate() {
            let first = first + number * TOGETHER;
            let [x, y] = room.each_mut().map(|room| &mut room[..sums.len()]);
            for term in 0..k {
                let place = |view: View<'_, T>, step: isize| view.offset.wrapping_add_signed(term as isize * step);
                left.read(lhs.data, place(lhs, steps[0]), first, x);
                right.read(rhs.data, place(rhs, steps[1]), first, y);
                let scale = (term + 1 == k).then_some(scale);
                add(x, y, term == 0, scale, sums);
            }
        }
    });
    true
}

/// Adds the products of pairs to their sums, of which there are none before the first ones; the last ones are scaled.
fn add<T: Lanes>(x: &[T], y: &[T], is_first: bool, scale: Option<T>, sums: &mut [T]) {
    vectorised(
        #[inline(always)]
        move || {
            let pairs = x.iter().zip(y);
            match scale {
                _ if is_first => sums.iter_mut().zip(pairs).for_each(|(sum, (&x, &y))| *sum = x * y),
                _ => sums.iter_mut().zip(pairs).for_each(|(sum, (&x, &y))| *sum = x.times_plus(y, *sum)),
            }
            if let Some(scale) = scale {
                sums.iter_mut().for_each(|sum| *sum = *sum * scale);
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::batch::products;
    use crate::kernel::testing::{Random, positions};

    /// Compares with sums from the first term to the last, in `f64`; batch, terms, and the strides of both along them.
    fn check(batch: &[usize], k: usize, strides: [&[isize]; 2], steps: [isize; 2], is_here: bool) {
        let mut random = Random::new(3);
        let (count, axes) = (batch.iter().product::<usize>(), batch.len());
        let (left, right) = (random.reals(100_000), random.reals(100_000));
        let out: Vec<isize> = (0..axes).map(|axis| batch[axis + 1..].iter().product::<usize>() as isize).collect();
        let with = |strides: &[isize], last: [isize; 2]| [strides, &last].concat();
        let [l, r] = [with(strides[0], [7, steps[0]]), with(strides[1], [steps[1], 7])];
        let (mut to, d) = (vec![5.0_f32; count + 2], with(&out, [1, 1]));
        let views =
            [View { data: &left, offset: 50_000, strides: &l }, View { data: &right, offset: 50_000, strides: &r }];
        let mut dst = ViewMut { data: &mut to, offset: 1, strides: &d };
        assert_eq!(sums(0.5, batch, k, views, &mut dst), is_here, "{batch:?} {strides:?}");
        dst.data.fill(5.0);
        products(0.5, batch, [1, k, 1], views[0], views[1], dst, None);
        let starts = |strides: &[isize]| positions(batch, strides).collect::<Vec<_>>();
        let [l_starts, r_starts] = strides.map(starts);
        for (i, (l, r)) in l_starts.into_iter().zip(r_starts).enumerate() {
            let at = |start: isize, term: usize, step: isize| (50_000 + start + term as isize * step) as usize;
            let pair = |x| f64::from(left[at(l, x, steps[0])]) * f64::from(right[at(r, x, steps[1])]);
            let wanted = 0.5 * (0..k).map(pair).sum::<f64>();
            assert!((f64::from(to[1 + i]) - wanted).abs() < 1e-5, "{batch:?} {strides:?} {steps:?}, sum {i}: {wanted}");
        }
        assert_eq!([to[0], to[count + 1]], [5.0; 2], "nothing else is written");
    }

    #[test]
    fn sums_over_a_middle_axis_of_small_matrices_are_those_of_their_terms_wherever_they_lie() {
        let is_close = Pattern::of(&[1000, 3], &[9, 1]).is_some_and(|pattern| pattern.is_close::<f32>());
        check(&[1000, 3], 3, [&[9, 1], &[9, 1]], [3, 3], is_close);
        check(&[1000, 3], 3, [&[9, 1], &[9, 3]], [3, 1], is_close);
        check(&[700, 2], 2, [&[-4, -1], &[4, 1]], [2, -2], is_close);
        check(&[500, 4], 4, [&[16, 1], &[4, 1]], [4, 2000], is_close);
        check(&[1000, 3], 1, [&[3, 1], &[3, -1]], [0, 0], is_close);
        check(&[2, 300, 3], 3, [&[4000, 9, 1], &[3000, 9, 1]], [3, 3], is_close);
        check(&[1000, 3], 5, [&[30, 1], &[15, 1]], [3, 3], false);
        check(&[20, 3], 3, [&[9, 1], &[9, 1]], [3, 3], false);
    }

    #[test]
    #[should_panic(expected = "right operand")]
    fn an_operand_that_leaves_its_slice_is_refused() {
        let (numbers, mut out) = ([1.0_f32; 9000], [0.0; 3000]);
        let view = |offset, strides| View { data: &numbers, offset, strides };
        let views = [view(0, &[9, 1, 0, 3]), view(1, &[9, 1, 3, 0])];
        let dst = ViewMut { data: &mut out, offset: 0, strides: &[3, 1, 1, 1] };
        products(1.0, &[1000, 3], [1, 3, 1], views[0], views[1], dst, None);
    }
}
