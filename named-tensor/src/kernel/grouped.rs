//! Products of rows with matrices at computed positions: rows that have one matrix meet it together.
//!
//! Computes  `dst[t, n, j] = Σₖ x[t, n, k] table[positions[t], k, j]`,  and what the table owes for it,
//! `dst[p, k, j] = Σ_{t: positions[t] = p} Σₙ x[t, n, k] owed[t, n, j]`,  for each position of a batch, which comes first. Either
//! `dst` is dense in row-major order.
//! Lives here: which rows go together, and their way there and back. No matrix is copied for each of its rows.
//! The error is that of `matmul`. Not here: the product of a group (`matmul`, `few`).

use std::ops::Range;

use super::copy::copy_into;
use super::few;
use super::gather::copy_row;
use super::matmul::matmul;
use super::parallel::{self, GRAIN};
use super::pool;
use super::simd::Lanes;
use super::span::{Odometer, Span, check_inside, row_major};
use super::vector::Weight;
use super::{View, ViewMut};
use crate::element::{Bf16, Buffer, Stored};

/// Rows up to which a matrix in 16 bits is widened while it is multiplied.
const FEW: usize = 8;

/// Matrices, as views over their positions, terms and columns.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Table<'a, T> {
    /// In the precision of what they are multiplied with.
    Whole(View<'a, T>),
    /// In 16 bits.
    Narrow(View<'a, Bf16>),
}

/// Multiplies the rows of `x`, a view over a batch, `outer`, `between` and `terms`, by the matrices of `table`, which is over the
/// batch first, at `positions`, a view over `outer`. Returns whether all of these are below `limit`; if one is not, `dst` is not
/// written. An empty sum is 0.
///
/// # Panics
/// If a view leaves its slice, or if `dst` does not have one element per row and column.
#[must_use]
pub(crate) fn chosen<T: Lanes>(
    batch: &[usize],
    sizes: [&[usize]; 4],
    limit: usize,
    positions: View<'_, i64>,
    x: View<'_, T>,
    table: Table<'_, T>,
    dst: &mut [T],
) -> bool {
    let of_table = match &table {
        Table::Whole(view) => view.strides,
        Table::Narrow(view) => view.strides,
    };
    each_of(batch, [x.strides, of_table], dst, |[of_x, by], dst| {
        let x = moved(x, of_x, batch.len());
        chosen_once(sizes, limit, positions, x, table.from(by, batch.len()), dst)
    })
}

/// The same without a batch.
fn chosen_once<T: Lanes>(
    [outer, between, terms, columns]: [&[usize]; 4],
    limit: usize,
    positions: View<'_, i64>,
    x: View<'_, T>,
    table: Table<'_, T>,
    dst: &mut [T],
) -> bool {
    let each: usize = between.iter().product();
    let k: usize = terms.iter().product();
    let count: usize = outer.iter().product();
    check_inside("grouped: positions", positions.data.len(), positions.offset, outer, positions.strides);
    check_inside("grouped: rows", x.data.len(), x.offset, &[outer, between, terms].concat(), x.strides);
    table.check(&[&[limit], terms, columns].concat());
    let matrices = Matrices { table, terms, columns };
    let columns: usize = columns.iter().product();
    assert_eq!(dst.len(), count * each * columns, "grouped: the destination has one element per row and column");
    let Some(groups) = Groups::of(outer, limit, positions) else { return false };
    if k == 0 || dst.is_empty() {
        dst.fill(T::default());
        return true;
    }
    let width = each * columns;
    let sides = [(outer.len(), between), (outer.len() + between.len(), terms)];
    let [across, along] = sides.map(|(from, sizes)| Span::new(sizes, &[&x.strides[from..][..sizes.len()]]));
    if groups.are_single() && across.sizes.len() <= 1 && along.sizes.len() <= 1 {
        let firsts = firsts(outer, x.strides);
        let lying = [across.inner_stride(0), along.inner_stride(0)];
        for (which, range) in groups.each() {
            let t = groups.order[range.start];
            let rows = View { offset: x.offset.wrapping_add_signed(firsts[t]), strides: &lying, ..x };
            let to = ViewMut { data: &mut *dst, offset: t * width, strides: &[columns as isize, 1] };
            matrices.multiply(which, each, rows, to);
        }
        return true;
    }
    let rows = groups.in_order(outer, &[between, terms].concat(), x);
    let mut products = pool::take(T::KIND, dst.len());
    for (which, range) in groups.each() {
        let rows = View { data: T::of(&rows), offset: range.start * each * k, strides: &[k as isize, 1] };
        let data = T::of_mut(&mut products);
        let to = ViewMut { data, offset: range.start * width, strides: &[columns as isize, 1] };
        matrices.multiply(which, range.len() * each, rows, to);
    }
    let mut places = vec![0; count];
    groups.order.iter().enumerate().for_each(|(place, &t)| places[t] = place);
    let of = T::of(&products);
    parallel::for_each_chunk(dst, GRAIN.div_ceil(width) * width, |first, chunk| {
        for (row, &place) in chunk.chunks_mut(width).zip(&places[first / width..]) {
            row.copy_from_slice(&of[place * width..][..width]);
        }
    });
    [rows, products].into_iter().for_each(pool::give);
    true
}

/// Sums what the matrices at `positions`, a view over `outer`, owe for rows `x`, a view over a batch, `outer`, `between` and
/// `terms`, where their products are owed `owed`, a view over the batch, `outer`, `between` and `columns`. Returns whether all
/// positions are below `limit`; if one is not, `dst` is not written.
///
/// # Panics
/// If a view leaves its slice, or if `dst` does not have one element per position, term and column.
#[must_use]
pub(crate) fn summed<T: Lanes>(
    batch: &[usize],
    sizes: [&[usize]; 4],
    limit: usize,
    positions: View<'_, i64>,
    x: View<'_, T>,
    owed: View<'_, T>,
    dst: &mut [T],
) -> bool {
    each_of(batch, [x.strides, owed.strides], dst, |[of_x, of_owed], dst| {
        let x = moved(x, of_x, batch.len());
        summed_once(sizes, limit, positions, x, moved(owed, of_owed, batch.len()), dst)
    })
}

/// The same without a batch.
fn summed_once<T: Lanes>(
    [outer, between, terms, columns]: [&[usize]; 4],
    limit: usize,
    positions: View<'_, i64>,
    x: View<'_, T>,
    owed: View<'_, T>,
    dst: &mut [T],
) -> bool {
    let [each, k, n] = [between, terms, columns].map(|sizes| sizes.iter().product::<usize>());
    let [of_rows, of_owed] = [terms, columns].map(|last| [between, last].concat());
    check_inside("grouped: positions", positions.data.len(), positions.offset, outer, positions.strides);
    check_inside("grouped: rows", x.data.len(), x.offset, &[outer, &of_rows].concat(), x.strides);
    check_inside("grouped: what is owed", owed.data.len(), owed.offset, &[outer, &of_owed].concat(), owed.strides);
    assert_eq!(dst.len(), limit * k * n, "grouped: the destination has one element per position, term and column");
    let Some(groups) = Groups::of(outer, limit, positions) else { return false };
    if dst.is_empty() {
        return true;
    }
    let rows = groups.in_order(outer, &of_rows, x);
    let others = groups.in_order(outer, &of_owed, owed);
    let mut filled = 0;
    for (which, range) in groups.each() {
        dst[filled * k * n..which * k * n].fill(T::default());
        let rows = View { data: T::of(&rows), offset: range.start * each * k, strides: &[1, k as isize] };
        let others = View { data: T::of(&others), offset: range.start * each * n, strides: &[n as isize, 1] };
        let to = ViewMut { data: &mut *dst, offset: which * k * n, strides: &[n as isize, 1] };
        matmul(T::narrow(1.0), &[], [k, range.len() * each, n], rows, others, to, None);
        filled = which + 1;
    }
    dst[filled * k * n..].fill(T::default());
    [rows, others].into_iter().for_each(pool::give);
    true
}

/// Does something for each position of a batch, with the distances of two operands and the part of the destination. Returns
/// whether that is always true, and goes on until then.
fn each_of<T>(
    batch: &[usize],
    operands: [&[isize]; 2],
    dst: &mut [T],
    mut work: impl FnMut([isize; 2], &mut [T]) -> bool,
) -> bool {
    let count: usize = batch.iter().product();
    if count == 1 || dst.is_empty() {
        return work([0; 2], dst);
    }
    let [mut first, mut second] = operands.map(|strides| Odometer::new(batch, &strides[..batch.len()], 0));
    dst.chunks_mut(dst.len() / count).all(|dst| {
        let distances = [first.distance, second.distance];
        first.step();
        second.step();
        work(distances, dst)
    })
}

impl<'a, T: Lanes> Table<'a, T> {
    /// The table from so far on, without its first axes.
    fn from(self, distance: isize, axes: usize) -> Table<'a, T> {
        match self {
            Table::Whole(of) => Table::Whole(moved(of, distance, axes)),
            Table::Narrow(of) => Table::Narrow(moved(of, distance, axes)),
        }
    }

    fn check(&self, sizes: &[usize]) {
        match self {
            Table::Whole(view) => check_inside("grouped: table", view.data.len(), view.offset, sizes, view.strides),
            Table::Narrow(view) => check_inside("grouped: table", view.data.len(), view.offset, sizes, view.strides),
        }
    }
}

/// The matrices of a table without a batch.
struct Matrices<'a, T> {
    table: Table<'a, T>,
    terms: &'a [usize],
    columns: &'a [usize],
}

impl<T: Lanes> Matrices<'_, T> {
    /// The product of `m` rows with the matrix at one position.
    fn multiply(&self, which: usize, m: usize, rows: View<'_, T>, to: ViewMut<'_, T>) {
        match self.table {
            Table::Whole(of) => self.meet(at(of, which), m, rows, to),
            Table::Narrow(of) => {
                let of = at(of, which);
                match self.lying(of.strides) {
                    Some(strides) if m <= FEW && lies_in_lines(&strides) => {
                        few::product(T::narrow(1.0), self.sizes(m), rows, View { strides: &strides, ..of }, to);
                    }
                    Some(strides) => self.widened(View { strides: &strides, ..of }, m, rows, to),
                    None => {
                        let (dense, strides) = self.side_by_side(of);
                        self.widened(View { data: Bf16::of(&dense), offset: 0, strides: &strides }, m, rows, to);
                        pool::give(dense);
                    }
                }
            }
        }
    }

    /// The product with a matrix as it lies, or with a copy if its terms or its columns have no one stride.
    fn meet(&self, of: View<'_, T>, m: usize, rows: View<'_, T>, to: ViewMut<'_, T>) {
        let (one, sizes) = (T::narrow(1.0), self.sizes(m));
        if let Some(strides) = self.lying(of.strides) {
            return matmul(one, &[], sizes, rows, View { strides: &strides, ..of }, to, None);
        }
        let (dense, strides) = self.side_by_side(of);
        matmul(one, &[], sizes, rows, View { data: T::of(&dense), offset: 0, strides: &strides }, to, None);
        pool::give(dense);
    }

    /// The product with a matrix in 16 bits that is widened first, as it lies, so that neighbours stay neighbours.
    fn widened(&self, of: View<'_, Bf16>, m: usize, rows: View<'_, T>, to: ViewMut<'_, T>) {
        let [_, k, n] = self.sizes(m);
        let [by_terms, by_columns] = [of.strides[0], of.strides[1]];
        let is_turned = by_terms.unsigned_abs() < by_columns.unsigned_abs();
        let (short, [step, next]) = if is_turned { (k, [by_columns, by_terms]) } else { (n, [by_terms, by_columns]) };
        let mut wide = pool::take(T::KIND, k * n);
        let first = |line: usize| of.offset.wrapping_add_signed(line as isize * step);
        parallel::for_each_chunk(T::of_mut(&mut wide), GRAIN.div_ceil(short) * short, |start, chunk| {
            for (line, to) in (start / short..).zip(chunk.chunks_mut(short)) {
                widen(of.data, (first(line), next), to);
            }
        });
        let strides = if is_turned { [1, k as isize] } else { [n as isize, 1] };
        let wide_view = View { data: T::of(&wide), offset: 0, strides: &strides };
        matmul(T::narrow(1.0), &[], self.sizes(m), rows, wide_view, to, None);
        pool::give(wide);
    }

    /// Rows, terms and columns.
    fn sizes(&self, m: usize) -> [usize; 3] {
        [m, self.terms.iter().product(), self.columns.iter().product()]
    }

    /// The one stride of all terms and that of all columns, if they have one each.
    fn lying(&self, strides: &[isize]) -> Option<[isize; 2]> {
        let (of_terms, of_columns) = strides.split_at(self.terms.len());
        let [terms, columns] = [Span::new(self.terms, &[of_terms]), Span::new(self.columns, &[of_columns])];
        (terms.sizes.len() <= 1 && columns.sizes.len() <= 1).then(|| [terms.inner_stride(0), columns.inner_stride(0)])
    }

    /// A copy of a matrix, its columns side by side.
    fn side_by_side<W: Stored>(&self, of: View<'_, W>) -> (Buffer, [isize; 2]) {
        let sizes = [self.terms, self.columns].concat();
        let mut to = pool::take(W::KIND, sizes.iter().product());
        copy_into(&sizes, of, ViewMut { data: W::of_mut(&mut to), offset: 0, strides: &row_major(&sizes) });
        (to, [self.columns.iter().product::<usize>() as isize, 1])
    }
}

/// Whether a matrix with these strides lies in lines, one behind the other.
fn lies_in_lines(strides: &[isize]) -> bool {
    strides.contains(&1) && strides.iter().all(|&stride| stride >= 0)
}

/// The matrix at one position.
fn at<T: Copy>(of: View<'_, T>, which: usize) -> View<'_, T> {
    moved(of, which as isize * of.strides[0], 1)
}

/// What is so far behind, without the first axes.
fn moved<T: Copy>(of: View<'_, T>, distance: isize, axes: usize) -> View<'_, T> {
    View { offset: of.offset.wrapping_add_signed(distance), strides: &of.strides[axes..], ..of }
}

/// Writes as many numbers as there is room for, of which the first one is there, so far apart.
fn widen<T: Lanes>(from: &[Bf16], (first, step): (usize, isize), to: &mut [T]) {
    if step == 1 {
        to.iter_mut().zip(&from[first..]).for_each(|(to, from)| *to = from.widen());
        return;
    }
    for (i, to) in to.iter_mut().enumerate() {
        *to = from[first.wrapping_add_signed(step * i as isize)].widen();
    }
}

/// Which rows each matrix meets.
struct Groups {
    /// The rows, those of one matrix one after the other as they come.
    order: Vec<usize>,
    /// Matrices that meet some, the first ones first, and where theirs end.
    ends: Vec<(usize, usize)>,
}

impl Groups {
    /// The groups of positions, a view over `outer`; none if one is not below `limit`.
    fn of(outer: &[usize], limit: usize, positions: View<'_, i64>) -> Option<Groups> {
        let mut at = Odometer::new(outer, positions.strides, 0);
        let mut chosen = Vec::with_capacity(outer.iter().product());
        for _ in 0..chosen.capacity() {
            let position = positions.data[positions.offset.wrapping_add_signed(at.distance)];
            chosen.push(usize::try_from(position).ok().filter(|&position| position < limit)?);
            at.step();
        }
        let mut order: Vec<usize> = (0..chosen.len()).collect();
        order.sort_by_key(|&t| chosen[t]);
        let mut ends: Vec<(usize, usize)> = Vec::new();
        for (place, which) in order.iter().map(|&t| chosen[t]).enumerate() {
            match ends.last_mut() {
                Some((last, end)) if *last == which => *end = place + 1,
                _ => ends.push((which, place + 1)),
            }
        }
        Some(Groups { order, ends })
    }

    /// Whether no two rows meet the same matrix.
    fn are_single(&self) -> bool {
        self.ends.len() == self.order.len()
    }

    /// Each matrix that meets rows, and where they stand in the order.
    fn each(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        let starts = [0].into_iter().chain(self.ends.iter().map(|&(_, end)| end));
        self.ends.iter().zip(starts).map(|(&(which, end), start)| (which, start..end))
    }

    /// The rows in their order, each with its `inner` elements in a row.
    fn in_order<T: Lanes>(&self, outer: &[usize], inner: &[usize], x: View<'_, T>) -> Buffer {
        let row: usize = inner.iter().product();
        let span = Span::new(inner, &[&x.strides[outer.len()..]]);
        let firsts = firsts(outer, x.strides);
        let mut rows = pool::take(T::KIND, self.order.len() * row);
        if row > 0 {
            parallel::for_each_chunk(T::of_mut(&mut rows), GRAIN.div_ceil(row) * row, |first, chunk| {
                for (to, &t) in chunk.chunks_mut(row).zip(&self.order[first / row..]) {
                    copy_row(x.data, x.offset.wrapping_add_signed(firsts[t]), &span, to);
                }
            });
        }
        rows
    }
}

/// How far the first element of each row is from that of the first one.
fn firsts(outer: &[usize], strides: &[isize]) -> Vec<isize> {
    let mut at = Odometer::new(outer, &strides[..outer.len()], 0);
    let mut next = || {
        let distance = at.distance;
        at.step();
        distance
    };
    (0..outer.iter().product()).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::{Random, positions as places};

    /// Sizes of the rows' axes, of those between, of terms and columns; how many matrices.
    const CASES: [([usize; 2], [usize; 2], [usize; 2], usize, usize); 9] = [
        ([1, 1], [1, 1], [3, 5], 7, 4),
        ([2, 1], [1, 3], [1, 16], 9, 40),
        ([5, 3], [1, 1], [1, 17], 33, 3),
        ([40, 2], [1, 1], [2, 8], 20, 4),
        ([7, 4], [2, 3], [3, 4], 5, 6),
        ([9, 1], [1, 1], [1, 1], 1, 9),
        ([6, 2], [1, 1], [1, 0], 4, 3),
        ([6, 2], [0, 1], [1, 4], 4, 3),
        ([0, 2], [1, 1], [1, 4], 4, 3),
    ];

    /// Strides of these sizes where the axes lie in this order, the slowest first.
    fn strides(sizes: &[usize], order: &[usize]) -> Vec<isize> {
        let (mut strides, mut step) = (vec![0; sizes.len()], 1);
        for &at in order.iter().rev() {
            strides[at] = step;
            step *= sizes[at] as isize;
        }
        strides
    }

    /// Rows of which the first axis is the last in memory, or lies in order.
    fn rows(random: &mut Random, sizes: &[usize], is_turned: bool) -> (Vec<f64>, Vec<isize>) {
        let order: Vec<usize> =
            if is_turned { (1..sizes.len()).chain([0]).collect() } else { (0..sizes.len()).collect() };
        let data = (0..sizes.iter().product::<usize>().max(1)).map(|_| f64::from(random.real())).collect();
        (data, strides(sizes, &order))
    }

    #[test]
    fn rows_meet_the_matrices_at_their_positions_and_these_owe_what_their_rows_bring() {
        let mut random = Random::new(5);
        for (case, (outer, between, terms, n, limit)) in CASES.into_iter().enumerate() {
            for is_turned in [false, true] {
                let [count, each, k] = [outer, between, terms].map(|sizes| sizes.iter().product::<usize>());
                let at: Vec<i64> = (0..count).map(|_| random.below(limit) as i64).collect();
                let (x, xs) = rows(&mut random, &[outer, between, terms].concat(), is_turned);
                let (w, ws) = rows(&mut random, &[&[limit][..], &terms, &[n]].concat(), is_turned);
                let (g, gs) = rows(&mut random, &[&outer[..], &between, &[n]].concat(), is_turned);
                let lying: Vec<isize> = places(&[outer, between, terms].concat(), &xs).collect();
                let owed: Vec<isize> = places(&[&outer[..], &between, &[n]].concat(), &gs).collect();
                let (mut products, mut sums) = (vec![0.0; count * each * n], vec![0.0; limit * k * n]);
                for (row, which) in (0..count * each).map(|row| (row, at[row / each.max(1)] as usize)) {
                    for (i, j) in (0..k).flat_map(|i| (0..n).map(move |j| (i, j))) {
                        let x = x[lying[row * k + i] as usize];
                        let [i, i_] = [i / terms[1], i % terms[1]];
                        let at = [which, i, i_, j].into_iter().zip(&ws).map(|(at, step)| at as isize * step);
                        let from: isize = at.sum();
                        let i = i * terms[1] + i_;
                        products[row * n + j] += x * w[from as usize];
                        sums[(which * k + i) * n + j] += x * g[owed[row * n + j] as usize];
                    }
                }
                let positions = View { data: &at[..], offset: 0, strides: &[outer[1] as isize, 1] };
                let x = View { data: &x[..], offset: 0, strides: &xs };
                let table = Table::Whole(View { data: &w[..], offset: 0, strides: &ws });
                let mut found = vec![f64::NAN; products.len()];
                assert!(chosen(&[], [&outer, &between, &terms, &[n]], limit, positions, x, table, &mut found));
                close(&found, &products, case);
                let g = View { data: &g[..], offset: 0, strides: &gs };
                let mut found = vec![f64::NAN; sums.len()];
                assert!(summed(&[], [&outer, &between, &terms, &[n]], limit, positions, x, g, &mut found));
                close(&found, &sums, case);

                let narrow: Vec<Bf16> = w.iter().map(|&w| Bf16::from_f64(w)).collect();
                let wide: Vec<f64> = narrow.iter().map(|w| w.to_f64()).collect();
                let table = Table::Whole(View { data: &wide[..], offset: 0, strides: &ws });
                let [mut wanted, mut found] = [vec![f64::NAN; products.len()], vec![f64::NAN; products.len()]];
                assert!(chosen(&[], [&outer, &between, &terms, &[n]], limit, positions, x, table, &mut wanted));
                let table = Table::Narrow(View { data: &narrow[..], offset: 0, strides: &ws });
                assert!(chosen(&[], [&outer, &between, &terms, &[n]], limit, positions, x, table, &mut found));
                close(&found, &wanted, case);
            }
        }
    }

    fn close(found: &[f64], wanted: &[f64], case: usize) {
        for (i, (found, wanted)) in found.iter().zip(wanted).enumerate() {
            assert!((found - wanted).abs() < 1e-12, "case {case}: {found} at {i}, not {wanted}");
        }
    }

    #[test]
    fn a_position_that_is_not_there_is_told_and_nothing_is_written() {
        for wrong in [-1, 3, i64::MAX] {
            let (at, x, w) = ([0, wrong], [1.0_f32; 4], [1.0_f32; 12]);
            let positions = View { data: &at[..], offset: 0, strides: &[1] };
            let x = View { data: &x[..], offset: 0, strides: &[2, 1] };
            let table = Table::Whole(View { data: &w[..], offset: 0, strides: &[4, 2, 1] });
            let mut found = [7.0; 4];
            assert!(!chosen(&[], [&[2], &[], &[2], &[2]], 3, positions, x, table, &mut found));
            assert_eq!(found, [7.0; 4]);
            let mut found = [7.0; 12];
            assert!(!summed(&[], [&[2], &[], &[2], &[2]], 3, positions, x, x, &mut found));
            assert_eq!(found, [7.0; 12]);
        }
    }
}
