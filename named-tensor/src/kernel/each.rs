//! Products of matrices at each of many neighbours, which lie side by side in both operands and in the result.
//!
//! Computes  `dst[b, i, j] = scale · Σₖ lhs[b, i, k] rhs[b, k, j]`  where b runs along the fastest axis of all three: what is
//! convolved along a text, channel by channel, where channels lie last. A register holds neighbours, and some rows or columns
//! of one operand share what is read of the other, so nothing is turned around.
//! Sums of [`TERMS`] terms are added to the whole, so the error is at most `2 (TERMS + k / TERMS) ε Σₖ |lhs rhs|`.
//! Lives here: which products these are, and their loop. Not here: pairs without rows and columns (`matmul::paired`).

use super::map::Tail;
use super::parallel::{self, Shared};
use super::simd::{Lanes, is_plain};
use super::span::{Odometer, Span, check_distinct, check_inside};
use super::tiles::some_of;
use super::{View, ViewMut, vectors};
use pulp::{Simd, WithSimd};
use smallvec::SmallVec;

/// Rows or columns that are taken together.
const TOGETHER: usize = 8;
/// Terms that are summed in registers.
const TERMS: usize = 64;
/// Neighbours of a part, where there are fewer blocks than [`FEW`] to share among threads.
const PART: usize = 64;
const FEW: usize = 32;
/// Multiplications below which threads cost more than they bring.
const SMALL: usize = 64 * 1024;

/// An axis that the result has: its size, and how far its positions are apart in the operands and the result.
type Axis = (usize, [isize; 3]);

/// The axis of a batch along which neighbours lie, if products are taken here: there are rows or columns, and terms.
pub(super) fn neighbours(batch: &[usize], [m, k, n]: [usize; 3], strides: [&[isize]; 3]) -> Option<usize> {
    let is_one = |axis: &usize| batch[*axis] > 1 && strides.iter().all(|strides| strides[*axis] == 1);
    let are_some = m.saturating_mul(n) > 1 && k > 0 && !batch.contains(&0);
    (0..batch.len()).find(is_one).filter(|_| are_some)
}

/// What [`matmul`](super::matmul::matmul) computes, for the same arguments, where this axis of the batch is one of neighbours; of
/// the others any number may be summed.
///
/// # Panics
/// As it does, and if this axis is none of neighbours.
pub(super) fn products<T: Lanes>(
    scale: T,
    neighbours: usize,
    batch: &[usize],
    [m, k, n]: [usize; 3],
    lhs: View<'_, T>,
    rhs: View<'_, T>,
    dst: ViewMut<'_, T>,
    tail: Option<&Tail<'_>>,
) {
    let strides = [lhs.strides, rhs.strides, dst.strides];
    assert_eq!(strides.map(|strides| strides[neighbours]), [1; 3], "products: neighbours lie side by side");
    let all = |last: [usize; 2]| -> SmallVec<[usize; 8]> { batch.iter().copied().chain(last).collect() };
    let of_batch = (0..batch.len()).map(|axis| (batch[axis], strides.map(|strides| strides[axis])));
    let last = |operand: usize, at: usize| strides[operand][batch.len() + at];
    let (rows, columns) = ((m, [last(0, 0), 0, last(2, 0)]), (n, [0, last(1, 1), last(2, 1)]));
    let inner = (k, [last(0, 1), last(1, 0), 0]);
    let is_there = |axis: &Axis| axis.0 != 1;
    let (terms, mut kept): (SmallVec<[Axis; 8]>, SmallVec<[Axis; 8]>) = of_batch
        .enumerate()
        .filter(|&(axis, _)| axis != neighbours)
        .map(|(_, axis)| axis)
        .chain([rows, columns, inner])
        .filter(is_there)
        .partition(|axis| axis.1[2] == 0);
    check_inside("products: left operand", lhs.data.len(), lhs.offset, &all([m, k]), lhs.strides);
    check_inside("products: right operand", rhs.data.len(), rhs.offset, &all([k, n]), rhs.strides);
    let along = [(batch[neighbours], [1; 3])];
    let (outs, steps): (SmallVec<[usize; 8]>, SmallVec<[isize; 8]>) =
        kept.iter().chain(&along).map(|axis| (axis.0, axis.1[2])).unzip();
    check_inside("products: destination", dst.data.len(), dst.offset, &outs, &steps);
    check_distinct("products", &outs, &steps);
    if let Some(tail) = tail {
        let total = outs.iter().product();
        tail.check::<T>(total);
        assert_eq!(total, dst.data.len(), "products: a tail finishes all of the destination");
    }
    // Positions that share what is read of an operand, the longest of such axes.
    let is_shared = |&axis: &usize| kept[axis].1[..2].contains(&0);
    let shared = (0..kept.len()).filter(is_shared).max_by_key(|&axis| kept[axis].0);
    let across = shared.map_or((1, [0; 3]), |axis| kept.remove(axis));
    // Of the two operands the one that is shared comes first.
    let ([one, other], order) = if across.1[0] == 0 { ([lhs, rhs], [0, 1, 2]) } else { ([rhs, lhs], [1, 0, 2]) };
    let span = |axes: &[Axis]| {
        let sizes: SmallVec<[usize; 8]> = axes.iter().map(|axis| axis.0).collect();
        let strides = order.map(|at| -> SmallVec<[isize; 8]> { axes.iter().map(|axis| axis.1[at]).collect() });
        Span::new(&sizes, &strides.each_ref().map(|strides| &strides[..]))
    };
    let (kept, terms) = (span(&kept), span(&terms));
    let (size, to) = (batch[neighbours], Shared::new(&mut *dst.data));
    let blocks = across.0.div_ceil(TOGETHER);
    let parts = if kept.total() * blocks < FEW { size.div_ceil(PART) } else { 1 };
    let part = size.div_ceil(parts).next_multiple_of(PART);
    let parts = size.div_ceil(part);
    let first = |view: View<'_, T>| view.data.as_ptr().wrapping_add(view.offset);
    let work = part.min(size) * TOGETHER.min(across.0) * terms.total();
    // What is the same for all of them is found once.
    let mut room = [[0; 2]; TERMS];
    let few: &[_] = if terms.total() > TERMS { &[] } else { next_of(&mut first_of(&terms), &mut room, terms.total()) };
    parallel::for_each_range(kept.total() * blocks * parts, SMALL.div_ceil(work), |range| {
        let position = range.start / (blocks * parts);
        let mut at = [0, 1, 2].map(|operand| Odometer::new(&kept.sizes, &kept.strides[operand], position));
        for number in range {
            let (block, start) = (number / parts % blocks, number % parts * part);
            let top = block * TOGETHER;
            let from = |operand: usize| at[operand].distance + top as isize * across.1[order[operand]] + start as isize;
            let this = Block {
                scale,
                one: first(one).wrapping_offset(from(0)),
                other: first(other).wrapping_offset(from(1)),
                to: to.as_ptr().wrapping_add(dst.offset).wrapping_offset(from(2)),
                apart: [across.1[order[1]], across.1[2]],
                count: TOGETHER.min(across.0 - top),
                neighbours: part.min(size - start),
            };
            // SAFETY: every position of all axes was found to lie inside of the three slices, those of the result do not
            // overlap, and each is in one block and part, which is visited once.
            unsafe { this.compute(&terms, few) };
            if number % (blocks * parts) == blocks * parts - 1 {
                at.iter_mut().for_each(Odometer::step);
            }
        }
    });
    tail.into_iter().for_each(|tail| tail.whole(dst.data));
}

/// Some neighbours of some rows or columns.
struct Block<T> {
    scale: T,
    /// Where their first terms lie, of the operand that is the same for all of them and of the other one, and their results.
    one: *const T,
    other: *const T,
    to: *mut T,
    /// How far the next one is, in the other operand and the result, and how many there are.
    apart: [isize; 2],
    count: usize,
    neighbours: usize,
}

/// How far terms are from the first one in both operands.
type Distances = [isize; 2];

/// The first term in both operands.
fn first_of(terms: &Span) -> [Odometer<'_>; 2] {
    [0, 1].map(|operand| Odometer::new(&terms.sizes, &terms.strides[operand], 0))
}

/// The distances of the next `count` terms.
fn next_of<'a>(at: &mut [Odometer<'_>; 2], room: &'a mut [Distances; TERMS], count: usize) -> &'a [Distances] {
    for term in &mut room[..count] {
        *term = at.each_ref().map(|at| at.distance);
        at.iter_mut().for_each(Odometer::step);
    }
    &room[..count]
}

impl<T: Lanes> Block<T> {
    /// Computes it, some terms after the other, or `few` if those are all.
    ///
    /// # Safety
    /// All terms may be read, and the results are ours to write.
    unsafe fn compute(&self, terms: &Span, few: &[Distances]) {
        if !few.is_empty() {
            return vectors::dispatch(Terms { block: self, terms: few, is_first: true });
        }
        let (mut at, mut room, all) = (first_of(terms), [[0; 2]; TERMS], terms.total());
        for first in (0..all).step_by(TERMS) {
            let terms = next_of(&mut at, &mut room, TERMS.min(all - first));
            vectors::dispatch(Terms { block: self, terms, is_first: first == 0 });
        }
    }
}

/// Some terms of a block, by how far they are from the first one.
struct Terms<'a, T> {
    block: &'a Block<T>,
    terms: &'a [Distances],
    is_first: bool,
}

impl<T: Lanes> WithSimd for Terms<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Block { count, neighbours, .. } = *self.block;
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        for at in (0..neighbours).step_by(lanes) {
            let cut = (neighbours - at < lanes).then(|| T::first(simd, neighbours - at));
            let mut done = 0;
            while done < count {
                let together = match count - done {
                    // SAFETY: so many rows or columns are left, and the last register of neighbours is cut where they end;
                    // that all of it may be read and written is what `compute` was promised.
                    8.. if !is_plain::<T, S>() => unsafe { self.together::<S, 8>(simd, at, done, cut) },
                    // SAFETY: as above.
                    4.. if !is_plain::<T, S>() => unsafe { self.together::<S, 4>(simd, at, done, cut) },
                    // SAFETY: as above.
                    2.. if !is_plain::<T, S>() => unsafe { self.together::<S, 2>(simd, at, done, cut) },
                    // SAFETY: as above.
                    _ => unsafe { self.together::<S, 1>(simd, at, done, cut) },
                };
                done += together;
            }
        }
    }
}

impl<T: Lanes> Terms<'_, T> {
    /// The sums of a register of neighbours from that numbered `at` on, or some of it, for `N` rows or columns from that numbered
    /// `from` on. Returns how many those are.
    ///
    /// # Safety
    /// Their terms may be read, and the results are ours to write.
    #[inline(always)]
    unsafe fn together<S: Simd, const N: usize>(
        &self,
        simd: S,
        at: usize,
        from: usize,
        cut: Option<T::Mask<S>>,
    ) -> usize {
        let Block { scale, one, other, to, apart, .. } = *self.block;
        let (one, other) = (one.wrapping_add(at), other.wrapping_add(at).wrapping_offset(from as isize * apart[0]));
        let to = to.wrapping_add(at).wrapping_offset(from as isize * apart[1]);
        let mut sums = [T::splat(simd, T::default()); N];
        for &[left, right] in self.terms {
            // SAFETY: the contract of this function.
            let factor = unsafe { some_of::<T, S>(simd, one.wrapping_offset(left), cut) };
            for (n, sum) in (0..).zip(&mut sums) {
                // SAFETY: as above.
                let number = unsafe { some_of::<T, S>(simd, other.wrapping_offset(right + n * apart[0]), cut) };
                *sum = T::fused(simd, factor, number, *sum);
            }
        }
        let factor = T::splat(simd, scale);
        for (n, sum) in (0..).zip(sums) {
            let to = to.wrapping_offset(n * apart[1]);
            let mut sum = T::times(simd, factor, sum);
            if !self.is_first {
                // SAFETY: as above; the first terms were written before.
                sum = T::plus(simd, unsafe { some_of::<T, S>(simd, to, cut) }, sum);
            }
            match cut {
                // SAFETY: as above, so many numbers as there are neighbours.
                Some(some) => unsafe { T::write(simd, some, to, sum) },
                // SAFETY: as above, a whole register.
                None => unsafe { to.cast::<T::Register<S>>().write_unaligned(sum) },
            }
        }
        N
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::{Random, positions};

    /// Sizes and strides of the axes of a product: those of a batch, the last of which are the neighbours, and those of matrices.
    struct Case {
        batch: Vec<(usize, [isize; 3])>,
        rows: (usize, [isize; 2]),
        columns: (usize, [isize; 2]),
        terms: (usize, [isize; 2]),
    }

    impl Case {
        fn sizes(&self) -> [usize; 3] {
            [self.rows.0, self.terms.0, self.columns.0]
        }

        fn strides(&self, operand: usize) -> Vec<isize> {
            let last = match operand {
                0 => [self.rows.1[0], self.terms.1[0]],
                1 => [self.terms.1[1], self.columns.1[0]],
                _ => [self.rows.1[1], self.columns.1[1]],
            };
            self.batch.iter().map(|axis| axis.1[operand]).chain(last).collect()
        }
    }

    /// Compares with sums in `f64`.
    fn check<T: Lanes>(case: &Case, epsilon: f64) {
        let (batch, sizes): (Vec<usize>, _) = (case.batch.iter().map(|axis| axis.0).collect(), case.sizes());
        let [m, k, n] = sizes;
        let strides = [0, 1, 2].map(|operand| case.strides(operand));
        let reach = |strides: &[isize], last: [usize; 2]| {
            let sizes: Vec<usize> = batch.iter().copied().chain(last).collect();
            positions(&sizes, strides).max().unwrap_or(0) as usize + 2
        };
        let mut random = Random::new(11);
        let mut data = |size| -> Vec<T> { random.reals(size).into_iter().map(|x| T::narrow(f64::from(x))).collect() };
        let (a, b) = (data(reach(&strides[0], [m, k])), data(reach(&strides[1], [k, n])));
        let mut c = vec![T::narrow(7.0); reach(&strides[2], [m, n])];
        let (mut wanted, mut bound) = (vec![None; c.len()], vec![0.0; c.len()]);
        let starts = [0, 1, 2].map(|operand| positions(&batch, &strides[operand][..batch.len()]).collect::<Vec<_>>());
        let axes = batch.len();
        for ((&left, &right), &to) in starts[0].iter().zip(&starts[1]).zip(&starts[2]) {
            for (i, j, x) in
                (0..m as isize).flat_map(|i| (0..n as isize).flat_map(move |j| (0..k as isize).map(move |x| (i, j, x))))
            {
                let of = |operand: usize, row: isize, column: isize| {
                    let strides = &strides[operand][axes..];
                    (1 + [left, right, to][operand] + row * strides[0] + column * strides[1]) as usize
                };
                let term = a[of(0, i, x)].wide() * b[of(1, x, j)].wide();
                let to = of(2, i, j);
                wanted[to] = Some(wanted[to].unwrap_or(0.0) + 0.3 * term);
                bound[to] += term.abs();
            }
        }
        let view = |data, operand: usize| View { data, offset: 1, strides: &strides[operand] };
        let neighbours = neighbours(&batch, sizes, strides.each_ref().map(|strides| &strides[..]));
        let dst = ViewMut { data: &mut c, offset: 1, strides: &strides[2] };
        let neighbours = neighbours.expect("neighbours");
        products(T::narrow(0.3), neighbours, &batch, sizes, view(&a, 0), view(&b, 1), dst, None);
        for ((found, wanted), bound) in c.iter().zip(&wanted).zip(&bound) {
            let wanted = wanted.unwrap_or(7.0);
            assert!((found.wide() - wanted).abs() <= epsilon * bound, "{found:?} for {wanted}");
        }
    }

    #[test]
    fn channels_last_are_convolved_as_by_plain_loops_whatever_their_number() {
        for channels in [2, 7, 8, 15, 16, 17, 40, 64, 130] {
            for columns in [2, 3, 4, 5, 7, 8, 9, 21] {
                let c = channels as isize;
                // A window of 4 along the columns; weights of which each channel has 4.
                let case = Case {
                    batch: vec![(3, [0, 30 * c, columns as isize * c]), (channels, [1; 3])],
                    rows: (1, [0, 0]),
                    columns: (columns, [c, c]),
                    terms: (4, [c, c]),
                };
                check::<f32>(&case, 1e-6);
                check::<f64>(&case, 1e-15);
            }
        }
    }

    #[test]
    fn what_weights_of_channels_owe_is_summed_over_more_terms_than_registers_are_given() {
        for terms in [1, 63, 64, 65, 300] {
            // Two summed axes of the batch; windows are the rows, and the matrices of the left operand share the right one.
            let case = Case {
                batch: vec![(2, [terms as isize * 200, terms as isize * 90, 0]), (90, [1; 3])],
                rows: (9, [90, 90]),
                columns: (1, [0, 0]),
                terms: (terms, [100, 90]),
            };
            check::<f32>(&case, 3e-5);
            check::<f64>(&case, 1e-13);
        }
    }

    #[test]
    fn rows_and_columns_at_each_neighbour_may_lie_in_any_order() {
        let case = Case {
            batch: vec![(33, [1; 3]), (2, [400, 700, 33 * 15])],
            rows: (5, [33, 33 * 3]),
            columns: (3, [35 * 3, 33]),
            terms: (2, [33 * 5, 35]),
        };
        check::<f32>(&case, 1e-6);
    }

    #[test]
    fn pairs_and_products_without_neighbours_are_left_to_others() {
        let [each, apart] = [[1, 8, 4], [2, 16, 8]];
        assert_eq!(neighbours(&[9], [1, 4, 5], [&each, &each, &each]), Some(0), "one row of each");
        assert_eq!(neighbours(&[9], [1, 4, 1], [&each, &each, &each]), None, "pairs");
        assert_eq!(neighbours(&[9], [1, 0, 5], [&each, &each, &each]), None, "no terms");
        assert_eq!(neighbours(&[9], [1, 4, 5], [&each, &apart, &each]), None, "which lie apart");
        assert_eq!(neighbours(&[0], [1, 4, 5], [&each, &each, &each]), None, "none");
    }

    #[test]
    #[should_panic(expected = "products: right operand")]
    fn an_operand_that_leaves_its_slice_is_refused() {
        let (numbers, mut out) = ([1.0_f32; 20], [0.0; 20]);
        let view = |offset| View { data: &numbers, offset, strides: &[1, 4, 4] };
        let dst = ViewMut { data: &mut out, offset: 0, strides: &[1, 4, 4] };
        products(1.0, 0, &[4], [1, 5, 1], view(0), view(1), dst, None);
    }

    #[test]
    #[should_panic(expected = "neighbours lie side by side")]
    fn an_axis_whose_positions_lie_apart_is_none_of_neighbours() {
        let (data, mut out) = ([1.0_f32; 16], [0.0; 16]);
        let view = View { data: &data, offset: 0, strides: &[0, 2, 1] };
        let dst = ViewMut { data: &mut out, offset: 0, strides: &[1, 8, 4] };
        products(1.0, 0, &[4], [1, 2, 2], view, view, dst, None);
    }
}
