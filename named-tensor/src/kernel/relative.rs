//! Rows that meet vectors of a table at computed positions, of which there are far more than vectors: relative positions.
//!
//! Computes  `dst[r, f] = Σₖ x[r, k] table[positions[r, f], k]`,  `dst[r, k] = Σ_f a[r, f] table[positions[r, f], k]`  and
//! what a table owes for either,  `dst[p, k] = Σ_{r, f: positions[r, f] = p} a[r, f] x[r, k]`.  No vector is copied for each
//! position: in the first, positions choose among the products of a row with all of the table, in the others weights are summed at their positions
//! first. Each `dst` is dense in row-major order. The errors are those of `matmul` with the terms of both sums.
//! Where a vector is infinite or NaN, only rows whose positions are its are: then the terms are summed one by one.
//! Lives here: the three, of tables with fewer than 2³² vectors. Not here: the products (`matmul`), positions of which each has a
//! row or a sum of its own (`gather`, `scatter`).

use super::copy::copy_into;
use super::matmul::matmul;
use super::parallel::{self, GRAIN};
use super::pool;
use super::simd::Lanes;
use super::span::{Odometer, check_inside, row_major};
use super::{View, ViewMut};
use crate::element::Buffer;
use smallvec::SmallVec;

/// So many rows are summed in turn.
const TOGETHER: usize = 8;

/// The axes of rows, those along which only positions go on, and those of vectors; how many vectors a table has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Space<'a> {
    pub(crate) rows: &'a [usize],
    pub(crate) fine: &'a [usize],
    pub(crate) columns: &'a [usize],
    pub(crate) limit: usize,
}

impl Space<'_> {
    fn counts(&self) -> [usize; 3] {
        [self.rows, self.fine, self.columns].map(|sizes| sizes.iter().product())
    }

    fn check(&self, positions: View<'_, i64>) {
        let sizes = [self.rows, self.fine].concat();
        check_inside("relative: positions", positions.data.len(), positions.offset, &sizes, positions.strides);
    }
}

/// The products of each row of `x`, a view over rows and columns, with the vectors of `table`, a view over their positions and
/// columns, at `positions`, a view over rows and fine axes. Returns whether these are all below the limit; if one is not, what
/// `dst` holds means nothing.
///
/// # Panics
/// If a view leaves its slice, or if `dst` does not have one element per row and position.
#[must_use]
pub(crate) fn products<T: Lanes>(
    space: Space<'_>,
    positions: View<'_, i64>,
    x: View<'_, T>,
    table: View<'_, T>,
    dst: &mut [T],
) -> bool {
    let list = List::of(space, positions);
    let [count, fine, k] = space.counts();
    let (x, table) = (dense(&[space.rows, space.columns], x), dense(&[&[space.limit], space.columns], table));
    let mut all = pool::take(T::KIND, count * space.limit);
    let [left, right] = [(&x, [k as isize, 1]), (&table, [1, k as isize])];
    let [left, right] = [&left, &right].map(|(data, strides)| View { data: T::of(data), offset: 0, strides });
    let to = ViewMut { data: T::of_mut(&mut all), offset: 0, strides: &[space.limit as isize, 1] };
    matmul(T::narrow(1.0), &[], [count, k, space.limit], left, right, to, None);
    let products = T::of(&all);
    if let (Some(list), false) = (&list, dst.is_empty()) {
        parallel::for_each_chunk(dst, GRAIN.div_ceil(fine) * fine, |start, chunk| {
            for (row, to) in (start / fine..).zip(chunk.chunks_mut(fine)) {
                let of = &products[row * space.limit..][..space.limit];
                to.iter_mut().zip(list.row(row)).for_each(|(to, &at)| *to = of[at as usize]);
            }
        });
    }
    [x, table, all].into_iter().for_each(pool::give);
    list.is_some()
}

/// The sums of the vectors of `table`, a view over their positions and columns, at `positions`, weighed by `a`; these are views
/// over rows and fine axes. Returns whether all positions are below the limit; if one is not, `dst` is not written.
///
/// # Panics
/// If a view leaves its slice, or if `dst` does not have one element per row and column.
#[must_use]
pub(crate) fn sums<T: Lanes>(
    space: Space<'_>,
    positions: View<'_, i64>,
    a: View<'_, T>,
    table: View<'_, T>,
    dst: &mut [T],
) -> bool {
    let [count, _, k] = space.counts();
    let Some(weights) = weights(space, positions, a) else { return false };
    let table = dense(&[&[space.limit], space.columns], table);
    let vectors = T::of(&table);
    if are_finite(vectors) {
        let left = View { data: T::of(&weights), offset: 0, strides: &[space.limit as isize, 1] };
        let right = View { data: vectors, offset: 0, strides: &[k as isize, 1] };
        let to = ViewMut { data: dst, offset: 0, strides: &[k as isize, 1] };
        matmul(T::narrow(1.0), &[], [count, space.limit, k], left, right, to, None);
    } else {
        let mut sums = vec![0.0; count * k];
        each(space, positions, a, |row, position, a| {
            add(&mut sums[row * k..][..k], a, &vectors[position * k..][..k]);
        });
        dst.iter_mut().zip(sums).for_each(|(to, sum)| *to = T::narrow(sum));
    }
    [weights, table].into_iter().for_each(pool::give);
    true
}

/// What a table owes: for each of its vectors the sum of the rows of `x`, a view over rows and columns, weighed by `a` where the
/// vector is at their `positions`, both views over rows and fine axes. Returns whether all positions are below the limit; if
/// one is not, `dst` is not written.
///
/// # Panics
/// If a view leaves its slice, or if `dst` does not have one element per vector and column.
#[must_use]
pub(crate) fn owed<T: Lanes>(
    space: Space<'_>,
    positions: View<'_, i64>,
    a: View<'_, T>,
    x: View<'_, T>,
    dst: &mut [T],
) -> bool {
    let [count, _, k] = space.counts();
    let Some(weights) = weights(space, positions, a) else { return false };
    let x = dense(&[space.rows, space.columns], x);
    let rows = T::of(&x);
    if are_finite(rows) {
        let left = View { data: T::of(&weights), offset: 0, strides: &[1, space.limit as isize] };
        let right = View { data: rows, offset: 0, strides: &[k as isize, 1] };
        let to = ViewMut { data: dst, offset: 0, strides: &[k as isize, 1] };
        matmul(T::narrow(1.0), &[], [space.limit, count, k], left, right, to, None);
    } else {
        let mut sums = vec![0.0; space.limit * k];
        each(space, positions, a, |row, position, a| {
            add(&mut sums[position * k..][..k], a, &rows[row * k..][..k]);
        });
        dst.iter_mut().zip(sums).for_each(|(to, sum)| *to = T::narrow(sum));
    }
    [weights, x].into_iter().for_each(pool::give);
    true
}

/// The sums of `a` at the positions of each row, made in `f64`; none if a position is not below the limit.
fn weights<T: Lanes>(space: Space<'_>, positions: View<'_, i64>, a: View<'_, T>) -> Option<Buffer> {
    let list = List::of(space, positions)?;
    let ([count, fine, _], limit) = (space.counts(), space.limit);
    let a = dense(&[space.rows, space.fine], a);
    let mut weights = pool::take(T::KIND, count * limit);
    let grain = GRAIN.div_ceil(limit * TOGETHER) * limit * TOGETHER;
    parallel::for_each_chunk(T::of_mut(&mut weights), grain, |start, chunk| {
        let mut sums = vec![0.0; limit * TOGETHER];
        for (block, to) in chunk.chunks_mut(limit * TOGETHER).enumerate() {
            let first = start / limit + block * TOGETHER;
            let rows = to.len() / limit;
            let row = |which: usize| first + which.min(rows - 1);
            let at: [&[u32]; TOGETHER] = std::array::from_fn(|which| list.row(row(which)));
            let from: [&[T]; TOGETHER] = std::array::from_fn(|which| &T::of(&a)[row(which) * fine..][..fine]);
            sums.fill(0.0);
            // Sums of several rows in turn: one waits for the one before it where a position comes again.
            for place in 0..fine {
                for which in 0..TOGETHER {
                    sums[at[which][place] as usize * TOGETHER + which] += from[which][place].wide();
                }
            }
            for (which, to) in to.chunks_mut(limit).enumerate() {
                to.iter_mut().zip(sums[which..].iter().step_by(TOGETHER)).for_each(|(to, &sum)| *to = T::narrow(sum));
            }
        }
    });
    pool::give(a);
    Some(weights)
}

/// The positions of each row side by side; rows that have the same ones share them.
struct List {
    positions: Vec<u32>,
    /// Where those of each row begin, and how many they are.
    firsts: Vec<usize>,
    fine: usize,
}

impl List {
    /// None if one is not below the limit.
    fn of(space: Space<'_>, positions: View<'_, i64>) -> Option<List> {
        space.check(positions);
        let [count, fine, _] = space.counts();
        let repeats = |(&size, &stride): (&usize, &isize)| if stride == 0 { size.min(1) } else { size };
        let once: SmallVec<[usize; 8]> = space.rows.iter().zip(positions.strides).map(repeats).collect();
        let mut strides = row_major(&once);
        let sizes = [&once[..], space.fine].concat();
        let mut all = vec![0_i64; sizes.iter().product()];
        copy_into(&sizes, positions, ViewMut { data: &mut all, offset: 0, strides: &row_major(&sizes) });
        let is_there = |&position: &i64| u32::try_from(position).ok().filter(|&at| (at as usize) < space.limit);
        let positions = all.iter().map(is_there).collect::<Option<Vec<u32>>>()?;
        for (stride, (&size, &once)) in strides.iter_mut().zip(space.rows.iter().zip(&once)) {
            *stride = if size == once { *stride * fine as isize } else { 0 };
        }
        let mut at = Odometer::new(space.rows, &strides, 0);
        let mut firsts = Vec::with_capacity(count);
        for _ in 0..count {
            firsts.push(at.distance.unsigned_abs());
            at.step();
        }
        Some(List { positions, firsts, fine })
    }

    fn row(&self, row: usize) -> &[u32] {
        &self.positions[self.firsts[row]..][..self.fine]
    }
}

/// The numbers of a view over these axes side by side.
fn dense<T: Lanes>(sizes: &[&[usize]; 2], of: View<'_, T>) -> Buffer {
    let sizes = sizes.concat();
    let mut to = pool::take(T::KIND, sizes.iter().product());
    copy_into(&sizes, of, ViewMut { data: T::of_mut(&mut to), offset: 0, strides: &row_major(&sizes) });
    to
}

fn are_finite<T: Lanes>(numbers: &[T]) -> bool {
    // What is finite is 0 times itself, and so is the sum.
    let zero = T::default();
    numbers.chunks(1024).all(|some| some.iter().fold(zero, |sum, &x| sum + x * zero) == zero)
}

/// Goes through all positions, which are there: the row, the position, and the number of `a`.
fn each<T: Lanes>(space: Space<'_>, positions: View<'_, i64>, a: View<'_, T>, mut tell: impl FnMut(usize, usize, T)) {
    let sizes = [space.rows, space.fine].concat();
    let [count, fine, _] = space.counts();
    let [mut at, mut from] = [positions.strides, a.strides].map(|strides| Odometer::new(&sizes, strides, 0));
    for place in 0..count * fine {
        let position = positions.data[positions.offset.wrapping_add_signed(at.distance)];
        tell(place / fine, position as usize, a.data[a.offset.wrapping_add_signed(from.distance)]);
        at.step();
        from.step();
    }
}

fn add<T: Lanes>(sums: &mut [f64], a: T, vector: &[T]) {
    sums.iter_mut().zip(vector).for_each(|(sum, &x)| *sum += a.wide() * x.wide());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::{Random, positions as places};

    /// Rows, fine axes, columns, vectors of the table.
    const CASES: [([usize; 2], [usize; 2], [usize; 2], usize); 7] = [
        ([1, 1], [1, 1], [1, 1], 1),
        ([3, 4], [5, 1], [1, 7], 4),
        ([8, 3], [2, 9], [2, 8], 33),
        ([1, 40], [70, 1], [1, 64], 5),
        ([2, 2], [0, 3], [1, 3], 2),
        ([0, 2], [4, 3], [1, 3], 2),
        ([2, 2], [4, 3], [1, 0], 2),
    ];

    fn strides(sizes: &[usize], is_turned: bool) -> Vec<isize> {
        let mut strides: Vec<isize> = row_major(sizes).into_iter().collect();
        if is_turned {
            let reversed: Vec<usize> = sizes.iter().rev().copied().collect();
            strides = row_major(&reversed).into_iter().rev().collect();
        }
        strides
    }

    #[test]
    fn products_sums_and_what_is_owed_are_those_of_plain_loops_also_where_a_vector_is_not_finite() {
        let mut random = Random::new(11);
        for (case, (rows, fine, columns, limit)) in CASES.into_iter().enumerate() {
            for (is_turned, odd) in [(false, None), (true, None), (true, Some(f64::NAN)), (false, Some(f64::INFINITY))]
            {
                let space = Space { rows: &rows, fine: &fine, columns: &columns, limit };
                let [count, f, k] = space.counts();
                let mut reals = |sizes: &[usize]| -> (Vec<f64>, Vec<isize>) {
                    let total = sizes.iter().product::<usize>().max(1);
                    ((0..total).map(|_| f64::from(random.real())).collect(), strides(sizes, is_turned))
                };
                let (mut x, xs) = reals(&[rows, columns].concat());
                let (mut w, ws) = reals(&[&[limit][..], &columns].concat());
                let (a, a_s) = reals(&[rows, fine].concat());
                let at: Vec<i64> = (0..(count * f).max(1)).map(|_| random.below(limit) as i64).collect();
                let at_strides = strides(&[rows, fine].concat(), is_turned);
                if let Some(odd) = odd {
                    x[0] = odd;
                    w[0] = -odd;
                }
                let list = |sizes: &[usize], strides: &[isize]| -> Vec<usize> {
                    places(sizes, strides).map(|place| place as usize).collect()
                };
                let (of_x, of_w) =
                    (list(&[rows, columns].concat(), &xs), list(&[&[limit][..], &columns].concat(), &ws));
                let (of_a, of_at) = (list(&[rows, fine].concat(), &a_s), list(&[rows, fine].concat(), &at_strides));
                let [mut wanted, mut sum, mut debt] = [count * f, count * k, limit * k].map(|size| vec![0.0; size]);
                for (r, f_at) in (0..count).flat_map(|r| (0..f).map(move |f| (r, f))) {
                    let p = at[of_at[r * f + f_at]] as usize;
                    for k_at in 0..k {
                        let (x, w) = (x[of_x[r * k + k_at]], w[of_w[p * k + k_at]]);
                        wanted[r * f + f_at] += x * w;
                        sum[r * k + k_at] += a[of_a[r * f + f_at]] * w;
                        debt[p * k + k_at] += a[of_a[r * f + f_at]] * x;
                    }
                }
                let positions = View { data: &at[..], offset: 0, strides: &at_strides };
                let x = View { data: &x[..], offset: 0, strides: &xs };
                let w = View { data: &w[..], offset: 0, strides: &ws };
                let a = View { data: &a[..], offset: 0, strides: &a_s };
                let mut found = vec![7.0; wanted.len()];
                assert!(products(space, positions, x, w, &mut found));
                close(&found, &wanted, case);
                let mut found = vec![7.0; sum.len()];
                assert!(sums(space, positions, a, w, &mut found));
                close(&found, &sum, case);
                let mut found = vec![7.0; debt.len()];
                assert!(owed(space, positions, a, x, &mut found));
                close(&found, &debt, case);
            }
        }
    }

    fn close(found: &[f64], wanted: &[f64], case: usize) {
        assert_eq!(found.len(), wanted.len());
        for (i, (&found, &wanted)) in found.iter().zip(wanted).enumerate() {
            let same = found == wanted || found.is_nan() && wanted.is_nan() || (found - wanted).abs() < 1e-12;
            assert!(same, "case {case}: {found} at {i}, not {wanted}");
        }
    }

    #[test]
    fn a_position_that_is_not_there_is_told() {
        for wrong in [-1, 3] {
            let (at, numbers) = ([0, wrong], [1.0_f32; 6]);
            let space = Space { rows: &[1], fine: &[2], columns: &[2], limit: 3 };
            let positions = View { data: &at[..], offset: 0, strides: &[2, 1] };
            let of = |strides| View { data: &numbers[..], offset: 0, strides };
            assert!(!products(space, positions, of(&[2, 1]), of(&[2, 1]), &mut [0.0; 2]));
            assert!(!sums(space, positions, of(&[2, 1]), of(&[2, 1]), &mut [0.0; 2]));
            assert!(!owed(space, positions, of(&[2, 1]), of(&[2, 1]), &mut [0.0; 6]));
        }
    }
}
