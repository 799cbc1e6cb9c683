//! Sums of a few products of pairs, one for each of few neighbours at each position of a batch.
//!
//! Computes  `dst[b, j] = scale · Σₖ lhs[b, k, j] rhs[b, k, j]`  where j has a few positions: the dot products of the columns of
//! small matrices, and their lengths. The first terms of many sums are read, then the second ones, and so on: each time they
//! lie in the same pattern, or in runs. Rows and columns of matrices whose numbers lie between those of others are positions
//! like those of the batch: a register then holds numbers of several matrices.
//! Not here: many neighbours (`matmul::paired`), terms that follow each other.

use crate::kernel::lanes::vectorised;
use crate::kernel::order::sort_few;
use crate::kernel::parallel::{self, GRAIN, grain_of};
use crate::kernel::pattern::Pattern;
use crate::kernel::simd::Lanes;
use crate::kernel::span::{Odometer, Span, check_inside, is_dense};
use crate::kernel::{View, ViewMut};
use smallvec::SmallVec;

/// Terms of pairs, at most, and of matrices.
const MOST: usize = 16;
const TERMS: usize = 256;
/// Sums that are made together.
const TOGETHER: usize = 512;
/// Numbers of a matrix along its two shorter sides, at most: each one is read again for all of the others.
const NARROW: usize = 16;
/// A run that is worth a loop of its own, and how far its numbers are apart at most.
const RUN: usize = 32;
const APART: isize = 4;

/// Computes such sums over a batch; tells whether it did. The last two strides of each view are those of rows and columns.
///
/// # Panics
/// If a view leaves its slice.
pub(super) fn sums<T: Lanes>(
    scale: T,
    batch: &[usize],
    [m, k, n]: [usize; 3],
    [lhs, rhs]: [View<'_, T>; 2],
    dst: &mut ViewMut<'_, T>,
) -> bool {
    let ([rows, inner], [terms, columns]) = (last_two(lhs.strides), last_two(rhs.strides));
    let ([to_row, to_column], are_pairs) = (last_two(dst.strides), [m, n] == [1; 2]);
    let are_between = || {
        let mut sides = [m, k, n];
        sides.sort_unstable();
        let is_inside = |strides: &[isize], [a, b]: [(usize, isize); 2]| {
            let far = [a, b].into_iter().filter(|&(size, _)| size > 1).map(|(_, stride)| stride.unsigned_abs()).max();
            let near = (0..batch.len()).filter(|&axis| batch[axis] > 1).map(|axis| strides[axis].unsigned_abs()).min();
            near.zip(far).is_some_and(|(near, far)| near > 0 && near < far)
        };
        // Rows or columns that lie side by side fill registers by themselves.
        let is_wide = |size: usize, strides: [isize; 2]| size >= NARROW && strides == [1; 2];
        sides[0] * sides[1] <= NARROW
            && !is_wide(m, [rows, to_row])
            && !is_wide(n, [columns, to_column])
            && (is_inside(lhs.strides, [(m, rows), (k, inner)]) || is_inside(rhs.strides, [(k, terms), (n, columns)]))
    };
    let most = if are_pairs { MOST } else { TERMS };
    if !(1..=most).contains(&k) || m * n == 0 || batch.contains(&0) || !are_pairs && !are_between() {
        return false;
    }
    // In the order in which results lie.
    let of_batch = (0..batch.len()).map(|at| (batch[at], [lhs.strides[at], rhs.strides[at], dst.strides[at]]));
    let of_matrix = [(m, [rows, 0, to_row]), (n, [0, columns, to_column])];
    let mut axes: SmallVec<[(usize, [isize; 3]); 8]> =
        of_batch.chain(of_matrix.into_iter().filter(|axis| axis.0 > 1)).collect();
    sort_few(&mut axes, |&(_, strides)| std::cmp::Reverse(strides[2].unsigned_abs()));
    let pick = |of: usize| -> SmallVec<[isize; 8]> { axes.iter().map(|axis| axis.1[of]).collect() };
    let sizes: SmallVec<[usize; 8]> = axes.iter().map(|axis| axis.0).collect();
    if !is_dense(&sizes, &pick(2)) {
        return false;
    }
    let span = Span::new(&sizes, &[&pick(0), &pick(1)]);
    let (Some(left), Some(right)) = (Source::of::<T>(&span, 0), Source::of::<T>(&span, 1)) else { return false };
    let with = |last: [usize; 2]| -> SmallVec<[usize; 8]> { batch.iter().copied().chain(last).collect() };
    check_inside("products: left operand", lhs.data.len(), lhs.offset, &with([m, k]), lhs.strides);
    check_inside("products: right operand", rhs.data.len(), rhs.offset, &with([k, n]), rhs.strides);
    let grain = grain_of(span.total(), GRAIN.div_ceil(k)).next_multiple_of(TOGETHER);
    let out = &mut dst.data[dst.offset..][..span.total()];
    parallel::for_each_chunk(out, grain, |first, chunk| {
        let mut room = [[T::default(); TOGETHER]; 2];
        for (number, sums) in chunk.chunks_mut(TOGETHER).enumerate() {
            let first = first + number * TOGETHER;
            let [x, y] = room.each_mut().map(|room| &mut room[..sums.len()]);
            for term in 0..k {
                let place = |view: View<'_, T>, step: isize| view.offset.wrapping_add_signed(term as isize * step);
                left.read(lhs.data, place(lhs, inner), first, x);
                right.read(rhs.data, place(rhs, terms), first, y);
                let scale = (term + 1 == k).then_some(scale);
                add(x, y, term == 0, scale, sums);
            }
        }
    });
    true
}

fn last_two(strides: &[isize]) -> [isize; 2] {
    [strides[strides.len() - 2], strides[strides.len() - 1]]
}

/// How the numbers of a term are found.
enum Source<'a> {
    Pattern(Pattern),
    /// In runs along the last one of these axes.
    Runs(&'a [usize], &'a [isize]),
}

impl Source<'_> {
    /// That of an operand; none where its numbers would be found one by one.
    fn of<T>(span: &Span, operand: usize) -> Option<Source<'_>> {
        let (sizes, strides) = (&span.sizes[..], &span.strides[operand][..]);
        let are_runs = sizes.last().is_some_and(|&size| size >= RUN)
            && strides.last().is_some_and(|stride| (0..=APART).contains(stride));
        if are_runs {
            return Some(Source::Runs(sizes, strides));
        }
        span.pattern(operand).filter(Pattern::is_close::<T>).map(Source::Pattern)
    }

    /// The numbers of the positions from that numbered `first` on; the one of the first of all stands at `offset`.
    fn read<T: Lanes>(&self, data: &[T], offset: usize, first: usize, mut to: &mut [T]) {
        let (sizes, strides) = match self {
            Source::Pattern(pattern) => return pattern.read(data, offset, first, to),
            Source::Runs(sizes, strides) => (sizes, strides),
        };
        let mut at = Odometer::new(sizes, strides, first);
        while !to.is_empty() {
            let (count, apart) = at.run();
            let (some, others) = to.split_at_mut(count.min(to.len()));
            let from = &data[offset.wrapping_add_signed(at.distance)..];
            match apart {
                0 => some.fill(from[0]),
                1 => some.copy_from_slice(&from[..some.len()]),
                2 => apart_by::<T, 2>(from, some),
                3 => apart_by::<T, 3>(from, some),
                _ => apart_by::<T, { APART as usize }>(from, some),
            }
            at.advance(some.len());
            to = others;
        }
    }
}

/// Reads the first of each `N` numbers; behind the last one there need not be any others.
fn apart_by<T: Lanes, const N: usize>(from: &[T], to: &mut [T]) {
    let Some((last, to)) = to.split_last_mut() else { return };
    *last = from[to.len() * N];
    vectorised(
        #[inline(always)]
        move || to.iter_mut().zip(from.as_chunks::<N>().0).for_each(|(x, some)| *x = some[0]),
    );
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
        assert_eq!(sums(0.5, batch, [1, k, 1], views, &mut dst), is_here, "{batch:?} {strides:?}");
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
    fn sums_whose_terms_lie_in_runs_are_those_of_their_terms() {
        for apart in 0..=APART {
            check(&[3, 40], 2, [&[200, apart], &[1, 300]], [170, -1], false);
            check(&[3, 40], 2, [&[200, apart], &[400, 1]], [170, -1], true);
            check(&[9, 70], 16, [&[-300, apart], &[0, 2]], [1, 150], true);
        }
        check(&[3, 40], 2, [&[200, APART + 1], &[400, 1]], [170, -1], false);
        check(&[3, 40], 2, [&[200, -1], &[400, 1]], [170, -1], false);
    }

    /// Compares with plain sums where the batch lies inside of the rows and terms of each operand, and of rows of the result.
    fn check_matrices<T: Lanes>(count: usize, [m, k, n]: [usize; 3], is_row_out: bool, is_here: Option<bool>) {
        let mut random = Random::new(7);
        let mut numbers =
            |size: usize| -> Vec<T> { random.reals(size).into_iter().map(|x| T::narrow(f64::from(x))).collect() };
        // Terms, the batch, rows or columns.
        let (left, right) = (numbers(k * count * m), numbers(k * count * n));
        let step = |size: usize| (count * size) as isize;
        let (l, r) = ([m as isize, 1, step(m)], [n as isize, step(n), 1]);
        let d = if is_row_out { [n as isize, step(n), 1] } else { [(m * n) as isize, n as isize, 1] };
        let views = [View { data: &left, offset: 0, strides: &l }, View { data: &right, offset: 0, strides: &r }];
        let mut to = vec![T::narrow(5.0); count * m * n];
        let mut dst = ViewMut { data: &mut to, offset: 0, strides: &d };
        let found = sums(T::narrow(0.5), &[count], [m, k, n], views, &mut dst);
        assert!(is_here.is_none_or(|is_here| is_here == found), "{count} of {m} × {k} × {n}");
        dst.data.fill(T::narrow(5.0));
        products(T::narrow(0.5), &[count], [m, k, n], views[0], views[1], dst, None);
        for (at, i, j) in positions(&[count, m, n], &[1, count as isize, (count * m) as isize])
            .map(|place| place as usize)
            .map(|place| (place % count, place / count % m, place / count / m))
        {
            let pair = |x: usize| left[(x * count + at) * m + i].wide() * right[(x * count + at) * n + j].wide();
            let wanted = 0.5 * (0..k).map(pair).sum::<f64>();
            let got = to[(at as isize * d[0] + i as isize * d[1] + j as isize * d[2]) as usize].wide();
            assert!((got - wanted).abs() < 1e-4, "{count} of {m} × {k} × {n}, {at} {i} {j}: {got}, not {wanted}");
        }
    }

    #[test]
    fn matrices_that_lie_between_each_other_have_the_plain_products() {
        let is_close = Pattern::of(&[1000, 2, 2], &[2, 1, 0]).is_some_and(|pattern| pattern.is_close::<f32>());
        for is_row_out in [false, true] {
            check_matrices::<f32>(700, [2, 50, 2], false, Some(is_close));
            check_matrices::<f64>(300, [2, 30, 3], is_row_out, None);
            check_matrices::<f32>(300, [7, 2, 2], is_row_out, None);
            check_matrices::<f32>(300, [1, 5, 3], is_row_out, None);
            check_matrices::<f32>(30, [2, 300, 2], is_row_out, Some(false));
            check_matrices::<f32>(100, [2, 6, 40], is_row_out, Some(false));
            check_matrices::<f32>(100, [8, 8, 8], is_row_out, Some(false));
        }
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
