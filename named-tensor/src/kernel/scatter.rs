//! Rows summed at computed positions: what gathered rows owe their table.
//!
//! Computes  `dst[shared, p, inner] = Σ_{summed: positions[shared, summed] = p} updates[shared, summed, inner]`,  `dst` dense in
//! row-major order. Sums are kept in `f64`, in the order of the updates, and rounded once.
//! Lives here: which updates belong to which row, found by counting. Each row is written once, by one thread, so that results
//! do not depend on the number of threads. Not here: the check of the positions and the walk over them (`gather`), updates
//! that lie along the positions (`across`).

mod across;

pub(crate) use across::across;

use super::View;
use super::ahead::fetch;
use super::gather::{all_there, copy_row, runs};
use super::lanes::{each, vectorised};
use super::math::Scalar;
use super::parallel::{self, GRAIN};
use super::span::{Odometer, Span, check_inside};
use std::ops::Range;

/// Rows with fewer elements are summed by plain loops.
const SHORT: usize = 16;
/// Updates are few if the result has so many rows for each: then only those that share a row are put into its order.
const FEW: usize = 4;
/// Pieces for each thread at most: some rows have more updates than others.
const PIECES: usize = 8;
/// Columns of a long row that are summed at a time, so that their sums stay in the nearest cache.
const COLUMNS: usize = 512;
/// Columns of a row that is not long: for those there is less to begin with.
const FEW_COLUMNS: usize = 64;
/// So many rows before it is added, one is asked for.
const AHEAD: usize = 16;

/// Sums the rows of `updates`, a view over `shared`, `summed` and `inner`, at their `positions`, a view over `shared` and
/// `summed`, of an axis of this size. Returns whether all positions are below it; if one is not, `dst` is not written.
///
/// # Panics
/// If a view leaves its slice, or if `dst` does not have one element per position of `shared`, the axis and `inner`.
#[must_use]
pub(crate) fn scatter<T: Scalar>(
    [shared, summed, inner]: [&[usize]; 3],
    size: usize,
    updates: View<'_, T>,
    positions: View<'_, i64>,
    dst: &mut [T],
) -> bool {
    let outer = [shared, summed].concat();
    check_inside("scatter: updates", updates.data.len(), updates.offset, &[&outer, inner].concat(), updates.strides);
    check_inside("scatter: positions", positions.data.len(), positions.offset, &outer, positions.strides);
    let [groups, each, row] = [shared, summed, inner].map(|sizes| sizes.iter().product::<usize>());
    let targets = groups * size;
    assert_eq!(dst.len(), targets * row, "scatter: the destination has one element per shared and inner position");
    let (outer_strides, inner_strides) = updates.strides.split_at(outer.len());
    let walk = Span::new(&outer, &[positions.strides, outer_strides]);
    if !all_there(&walk, groups * each, size, positions) {
        return false;
    }
    if dst.is_empty() {
        return true;
    }
    let rows = Span::new(inner, &[inner_strides]);
    let is_even = rows.sizes.len() <= 1 && (row == 1 || rows.inner_stride(0) == 1);
    let scatter = Scatter { walk, each, size, row, rows, is_even, updates, positions };
    let updates = groups * each;
    let (work, threads) = (dst.len() + updates * row, parallel::threads());
    let are_few = updates <= targets / FEW;
    let order = (row > 1 && !are_few).then(|| scatter.order(targets));
    // Every piece that has no order looks through all positions of its groups. Of one group that takes as long as the sums, and
    // so does one piece. Where rows are long there are several for each thread, as some rows have more updates than others.
    let is_looked_through = threads == 1 || row == 1 && groups < 2 * threads && updates > targets;
    let pieces = if is_looked_through { 1 } else { threads * (row / SHORT).clamp(1, PIECES) };
    let grain = targets.div_ceil(pieces).max(targets.saturating_mul(GRAIN).div_ceil(work));
    parallel::for_each_chunk(dst, grain * row, |first, dst| {
        let some = first / row..(first + dst.len()) / row;
        match (&order, each) {
            (Some(order), _) => scatter.rows(order, some, dst),
            (None, _) if row > 1 => scatter.few_rows(some, dst),
            (None, 1) => scatter.single(some, dst),
            (None, _) => scatter.numbers(some, dst),
        }
    });
    true
}

/// Where updates begin, in the order of the rows that they go to, and where those of each row end.
struct Order {
    ends: Vec<usize>,
    sorted: Vec<usize>,
}

/// The updates, and where they go.
struct Scatter<'a, T> {
    /// Over the updates: their positions, and where their rows begin.
    walk: Span,
    /// How many updates each shared position has.
    each: usize,
    /// How many rows of the result it has.
    size: usize,
    /// Elements of a row, how they lie, and whether they lie side by side.
    row: usize,
    rows: Span,
    is_even: bool,
    updates: View<'a, T>,
    positions: View<'a, i64>,
}

impl<T: Scalar> Scatter<'_, T> {
    /// Visits the updates that go to these rows of the result: which of them it is, and where the update begins.
    #[inline(always)]
    fn each_for(&self, targets: &Range<usize>, mut visit: impl FnMut(usize, usize)) {
        if self.each == 0 {
            return;
        }
        let groups = targets.start / self.size..targets.end.div_ceil(self.size);
        let (mut base, mut left) = (groups.start * self.size, self.each);
        let [next, apart] = [0, 1].map(|operand| self.walk.inner_stride(operand));
        runs(&self.walk, groups.start * self.each, groups.len() * self.each, |[at, from], run| {
            let mut first = self.positions.offset.wrapping_add_signed(at);
            let mut from = self.updates.offset.wrapping_add_signed(from);
            let mut rest = run.len();
            if self.each == 1 {
                // Each is a group of its own.
                for i in 0..rest as isize {
                    let position = self.positions.data[first.wrapping_add_signed(i * next)];
                    let target = (base + position as usize).wrapping_sub(targets.start);
                    if target < targets.len() {
                        visit(target, from.wrapping_add_signed(i * apart));
                    }
                    base += self.size;
                }
                return;
            }
            while rest > 0 {
                // As many as are left of the group.
                let count = rest.min(left);
                let mut put = |position: i64| {
                    let target = (base + position as usize).wrapping_sub(targets.start);
                    if target < targets.len() {
                        visit(target, from);
                    }
                    from = from.wrapping_add_signed(apart);
                };
                if next == 1 {
                    self.positions.data[first..][..count].iter().for_each(|&position| put(position));
                } else {
                    let at = |i: usize| self.positions.data[first.wrapping_add_signed(i as isize * next)];
                    (0..count).for_each(|i| put(at(i)));
                }
                first = first.wrapping_add_signed(count as isize * next);
                (rest, left) = (rest - count, left - count);
                if left == 0 {
                    (base, left) = (base + self.size, self.each);
                }
            }
        });
    }

    /// Rows of one element, of which each shared position has one update.
    fn single(&self, targets: Range<usize>, dst: &mut [T]) {
        dst.fill(T::default());
        self.each_for(&targets, |target, from| dst[target] = self.updates.data[from]);
    }

    /// Rows of one element.
    fn numbers(&self, targets: Range<usize>, dst: &mut [T]) {
        let mut sums = vec![0.0_f64; dst.len()];
        self.each_for(&targets, |target, from| sums[target] += self.updates.data[from].wide());
        narrow(&sums, dst);
    }

    /// The updates in the order of the rows that they go to.
    fn order(&self, targets: usize) -> Order {
        let mut ends = vec![0_usize; targets + 1];
        self.each_for(&(0..targets), |target, _| ends[target + 1] += 1);
        (1..ends.len()).for_each(|i| ends[i] += ends[i - 1]);
        let mut sorted = vec![0_usize; ends[targets]];
        // What was the begin of a row is its end thereafter.
        self.each_for(&(0..targets), |target, from| {
            sorted[ends[target]] = from;
            ends[target] += 1;
        });
        Order { ends, sorted }
    }

    /// Rows of several elements, of updates in order.
    fn rows(&self, Order { ends, sorted }: &Order, targets: Range<usize>, dst: &mut [T]) {
        let mut begin = if targets.start == 0 { 0 } else { ends[targets.start - 1] };
        let mut done = 0;
        let mut sums = vec![0.0_f64; if self.is_even { 0 } else { self.row }];
        for (target, &end) in ends[targets].iter().enumerate() {
            if end == begin {
                continue;
            }
            // They lie anywhere: the next ones are asked for while these are added.
            let next = if self.is_even {
                &sorted[sorted.len().min(begin + AHEAD)..sorted.len().min(end + AHEAD)]
            } else {
                &[]
            };
            next.iter().for_each(|&from| fetch(self.updates.data, from, self.row.min(COLUMNS)));
            dst[done * self.row..target * self.row].fill(T::default());
            self.sum(&sorted[begin..end], &mut sums, &mut dst[target * self.row..][..self.row]);
            (done, begin) = (target + 1, end);
        }
        dst[done * self.row..].fill(T::default());
    }

    /// The same where updates are few: most rows have none, and most others one, which is copied.
    fn few_rows(&self, targets: Range<usize>, dst: &mut [T]) {
        dst.fill(T::default());
        let mut has_one = vec![0_u64; targets.len().div_ceil(64)];
        let mut has_more = has_one.clone();
        let place = |target: usize| (target / 64, 1 << (target % 64));
        let mut found = Vec::with_capacity(self.each);
        self.each_for(&targets, |target, from| {
            let (at, bit) = place(target);
            has_more[at] |= has_one[at] & bit;
            has_one[at] |= bit;
            found.push([target, from]);
        });
        let mut sums = vec![0.0_f64; if self.is_even { 0 } else { self.row }];
        let mut sum = |target: usize, from: &[usize]| {
            self.sum(from, &mut sums, &mut dst[target * self.row..][..self.row]);
        };
        found.retain(|&[target, from]| {
            let (at, bit) = place(target);
            let is_shared = has_more[at] & bit != 0;
            if !is_shared {
                sum(target, &[from]);
            }
            is_shared
        });
        // They keep their order.
        found.sort_by_key(|&[target, _]| target);
        let mut sorted = Vec::new();
        for shared in found.chunk_by(|a, b| a[0] == b[0]) {
            sorted.clear();
            sorted.extend(shared.iter().map(|&[_, from]| from));
            sum(shared[0][0], &sorted);
        }
    }

    /// The sum of the rows that begin there, of which there is one at least.
    fn sum(&self, from: &[usize], sums: &mut [f64], to: &mut [T]) {
        let data = self.updates.data;
        match *from {
            [from] if self.is_even => to.copy_from_slice(&data[from..][..to.len()]),
            [from] => copy_row(data, from, &self.rows, to),
            _ if !self.is_even => {
                sums.fill(0.0);
                from.iter().for_each(|&from| add_row(data, from, &self.rows, sums));
                narrow(sums, to);
            }
            _ if to.len() < SHORT => {
                for (i, to) in to.iter_mut().enumerate() {
                    *to = T::narrow(from.iter().map(|&from| data[from + i].wide()).sum());
                }
            }
            _ if to.len() <= FEW_COLUMNS => columns::<T, FEW_COLUMNS>(data, from, 0, to),
            _ => (0..)
                .step_by(COLUMNS)
                .zip(to.chunks_mut(COLUMNS))
                .for_each(|(at, to)| columns::<T, COLUMNS>(data, from, at, to)),
        }
    }
}

/// Adds one row, whose own axes may lie in any way.
fn add_row<T: Scalar>(data: &[T], first: usize, span: &Span, sums: &mut [f64]) {
    let (size, stride) = (span.inner(), span.inner_stride(0));
    let outer = span.sizes.len().saturating_sub(1);
    let mut from = Odometer::new(&span.sizes[..outer], &span.strides[0][..outer], 0);
    for sums in sums.chunks_mut(size) {
        let start = first.wrapping_add_signed(from.distance);
        if stride == 1 {
            add(&data[start..][..size], sums);
        } else {
            for (i, sum) in (0..).zip(sums) {
                *sum += data[start.wrapping_add_signed(stride * i)].wide();
            }
        }
        from.step();
    }
}

/// Adds numbers to sums side by side.
fn add<T: Scalar>(numbers: &[T], sums: &mut [f64]) {
    if sums.len() < SHORT {
        return sums.iter_mut().zip(numbers).for_each(|(sum, x)| *sum += x.wide());
    }
    vectorised(
        #[inline(always)]
        move || sums.iter_mut().zip(numbers).for_each(|(sum, x)| *sum += x.wide()),
    );
}

/// Writes sums as numbers.
fn narrow<T: Scalar>(sums: &[f64], to: &mut [T]) {
    each(
        sums,
        to,
        #[inline(always)]
        |sum| T::narrow(sum),
    );
}

/// The sums of some columns, at most `N`, of the rows that begin there.
fn columns<T: Scalar, const N: usize>(data: &[T], from: &[usize], at: usize, to: &mut [T]) {
    vectorised(
        #[inline(always)]
        move || {
            let mut sums = [0.0_f64; N];
            let sums = &mut sums[..to.len()];
            for &from in from {
                for (sum, x) in sums.iter_mut().zip(&data[from + at..][..to.len()]) {
                    *sum += x.wide();
                }
            }
            for (to, &mut sum) in to.iter_mut().zip(sums) {
                *to = T::narrow(sum);
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::{Random, positions as places};

    /// Compares with one plain loop over all updates; the destination starts as NaN.
    fn check(sizes: [&[usize]; 3], size: usize, updates: (usize, &[isize]), at: (usize, &[isize])) {
        let [shared, summed, inner] = sizes;
        let mut random = Random::new(9);
        let data = random.reals(60_000);
        let chosen: Vec<i64> = (0..60_000).map(|_| random.below(size) as i64).collect();
        let [groups, each, row] = sizes.map(|sizes| sizes.iter().product::<usize>());
        let mut sums = vec![0.0_f64; groups * size * row];
        let outer = [shared, summed].concat();
        let starts = places(&outer, &updates.1[..outer.len()]).zip(places(&outer, at.1));
        for (i, (from, position)) in starts.enumerate() {
            let target = i / each * size + chosen[at.0.wrapping_add_signed(position)] as usize;
            for (column, next) in places(inner, &updates.1[outer.len()..]).enumerate() {
                sums[target * row + column] += f64::from(data[updates.0.wrapping_add_signed(from + next)]);
            }
        }
        let exact: Vec<f32> = sums.into_iter().map(|sum| sum as f32).collect();
        let mut dst = vec![f32::NAN; exact.len()];
        let view = View { data: &data[..], offset: updates.0, strides: updates.1 };
        let positions = View { data: &chosen[..], offset: at.0, strides: at.1 };
        assert!(scatter(sizes, size, view, positions, &mut dst), "all positions are there");
        assert!(dst == exact, "{sizes:?} at {size} positions, {updates:?} {at:?}");
    }

    #[test]
    fn rows_are_summed_at_their_positions_whatever_length_they_have_and_however_they_lie() {
        for row in [1_usize, 2, 7, 15, 16, 17, 100, 513, 1100] {
            let n = row as isize;
            // All rows by themselves, at one position more or less each, and far more of one or the other.
            for (many, size) in [(1, 1), (40, 1), (40, 50), (1, 3000), (50, 7), (40, 160), (40, 999)] {
                check([&[], &[many], &[row]], size, (3, &[n, 1]), (0, &[1]));
                check([&[], &[many], &[row]], size, (0, &[1, many as isize]), (9, &[3]));
                check([&[], &[many], &[row]], size, (0, &[0, 1]), (100, &[-2]));
            }
            check([&[3], &[4], &[row]], 5, (0, &[4 * n, n, 1]), (0, &[4, 1]));
            check([&[3], &[4], &[row]], 5, (0, &[n, 3 * n, 1]), (0, &[0, 1]));
            check([&[3], &[4], &[row]], 16, (0, &[n, 3 * n, 1]), (0, &[0, 1]));
            check([&[3], &[4], &[row]], 50, (0, &[4 * n, 1, 4]), (0, &[4, 1]));
            check([&[2, 3], &[], &[row]], 4, (1, &[3 * n, n, 1]), (0, &[3, 1]));
            check([&[2], &[3, 2], &[row, 2]], 4, (1, &[6 * n, 2 * n, n, 1, 6 * n]), (0, &[1, 4, 2]));
            check([&[2], &[3], &[2, row]], 4, (6 * row, &[-6 * n, 2 * n, n, 1]), (5, &[-3, 1]));
            check([&[2], &[3], &[2, row]], 4, (0, &[3 * n, n, 6 * n, 1]), (5, &[-3, 1]));
        }
    }

    #[test]
    fn numbers_and_many_rows_are_summed_in_pieces_as_in_one() {
        check([&[], &[50_000], &[]], 9, (0, &[1]), (0, &[1]));
        check([&[], &[50_000], &[]], 40_000, (0, &[1]), (0, &[1]));
        check([&[7], &[5_000], &[]], 4_000, (0, &[5_000, 1]), (0, &[5_000, 1]));
        check([&[5_000], &[], &[]], 40, (0, &[1]), (0, &[1]));
        check([&[], &[3_000], &[20]], 9_001, (0, &[20, 1]), (0, &[1]));
        check([&[3], &[1_000], &[20]], 3_001, (0, &[20_000, 20, 1]), (0, &[1_000, 1]));
    }

    #[test]
    fn sums_keep_their_digits() {
        for row in [1, 7, 20, 600] {
            let updates: Vec<f32> = [1.0e8, 1.0, -1.0e8, 1.0].into_iter().flat_map(|x| vec![x; row]).collect();
            let updates = View { data: &updates[..], offset: 0, strides: &[row as isize, 1] };
            let mut dst = vec![f32::NAN; row];
            let positions = View { data: &[0; 4], offset: 0, strides: &[1] };
            assert!(scatter([&[], &[4], &[row]], 1, updates, positions, &mut dst), "all positions are there");
            assert_eq!(dst, vec![2.0; row]);
        }
    }

    #[test]
    fn rows_of_one_position_are_added_in_their_order_be_they_few_or_many() {
        for (size, row) in [(40, 2), (4000, 2), (40, 17), (4000, 17)] {
            // Two of each position, and at position 0 what depends on the order.
            let mut updates = vec![1.0_f64; 60 * row];
            let mut places: Vec<i64> = (0..60).map(|i| 1 + i / 2).collect();
            for (at, x) in [(7, 1e16), (18, 1.0), (31, -1e16), (55, 1.0)] {
                places[at] = 0;
                updates[at * row..][..row].fill(x);
            }
            let updates = View { data: &updates[..], offset: 0, strides: &[row as isize, 1] };
            let mut dst = vec![f64::NAN; size * row];
            let positions = View { data: &places[..], offset: 0, strides: &[1] };
            assert!(scatter([&[], &[60], &[row]], size, updates, positions, &mut dst), "all positions are there");
            assert_eq!(dst[..row], vec![1.0; row], "{size} rows of {row}: the first 1 is lost, the last is not");
            assert_eq!(dst[row..2 * row], vec![2.0; row], "two are added");
        }
    }

    #[test]
    fn what_is_summed_nowhere_is_zero_and_a_position_that_is_not_there_is_told() {
        let updates = View { data: &[1.0_f64, 2.0], offset: 0, strides: &[1] };
        let mut dst = [f64::NAN; 3];
        for (position, there) in [(3, false), (-1, false), (i64::MIN, false), (2, true)] {
            let positions = View { data: &[2, position], offset: 0, strides: &[1] };
            assert_eq!(scatter([&[], &[2], &[]], 3, updates, positions, &mut dst), there, "{position}");
            assert!(there || dst.iter().all(|x| x.is_nan()), "nothing is written");
        }
        assert_eq!(dst, [0.0, 0.0, 3.0]);
        let none = View { data: &[], offset: 0, strides: &[1] };
        assert!(
            scatter([&[], &[0], &[]], 3, View { data: &[], offset: 0, strides: &[1] }, none, &mut dst),
            "no update"
        );
        assert_eq!(dst, [0.0; 3]);
        let strides: &[isize] = &[0, 1];
        let none = View { data: &[], offset: 0, strides };
        let updates = View { data: &[], offset: 0, strides };
        let mut dst = [f64::NAN; 6];
        assert!(scatter([&[2], &[0], &[]], 3, updates, none, &mut dst), "no update of either");
        assert_eq!(dst, [0.0; 6]);
    }
}
