//! Attention: scores, softmax and values, tile by tile, so that the scores are never all in memory.
//!
//! Computes  `dst[b, i, v] = Σⱼ softmaxⱼ(s Σₖ queries[b, i, k] keys[b, j, k] + mask[b, i, j]) values[b, j, v]`.
//! A tile is some rows of one batch position; its scores stay in the cache from the first product to the second.
//! Positions before the first and after the last that any row of a tile may see are not computed: half of the work under
//! a causal mask, more under a window. Errors and special values are those of `matmul` and `softmax` one after the
//! other, except that what the mask takes away there is not looked at, be it NaN.

use super::math::Scalar;
use super::matmul::serial;
use super::parallel::{self, Shared};
use super::pool;
use super::softmax::softmax_row;
use super::span::{Odometer, check_distinct, check_inside, row_major};
use super::{View, ViewMut};
use crate::element::Stored;
use smallvec::SmallVec;
use std::ops::Range;

/// Scores in a tile: half of a usual second-level cache in `f32`.
const TILE: usize = 128 * 1024;

/// Rows of a tile under a mask: few, so that its edge cuts much away, and enough to be worth a product.
const UNDER_MASK: usize = 128;

/// Multiplications below which threads cost more than they bring.
const SMALL: usize = 128 * 1024;

/// What attention reads, and how the scores are scaled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attention<'a, T> {
    /// Scores are multiplied by the first and divided by the second.
    pub(crate) scale: [T; 2],
    /// Over the batch, rows and keys.
    pub(crate) queries: View<'a, T>,
    /// Over the batch, keys and positions.
    pub(crate) keys: View<'a, T>,
    /// Over the batch, positions and columns.
    pub(crate) values: View<'a, T>,
    /// Over the batch, rows and positions.
    pub(crate) mask: Option<View<'a, T>>,
}

/// Attention of `[rows, keys, positions, columns]` at every position of `batch`, to a view over the batch, rows and
/// columns.
///
/// # Panics
/// If a view leaves its slice, or if positions of the destination overlap.
pub(crate) fn attention<T: Scalar>(batch: &[usize], sizes: [usize; 4], job: &Attention<'_, T>, dst: ViewMut<'_, T>) {
    let [rows, keys, positions, columns] = sizes;
    let space = |last: [usize; 2]| [batch, &last].concat();
    let check =
        |what, view: View<'_, T>, last| check_inside(what, view.data.len(), view.offset, &space(last), view.strides);
    check("attention: queries", job.queries, [rows, keys]);
    check("attention: keys", job.keys, [keys, positions]);
    check("attention: values", job.values, [positions, columns]);
    job.mask.into_iter().for_each(|mask| check("attention: mask", mask, [rows, positions]));
    let out = space([rows, columns]);
    check_inside("attention: destination", dst.data.len(), dst.offset, &out, dst.strides);
    check_distinct("attention", &out, dst.strides);
    if out.contains(&0) {
        return;
    }
    let most = if job.mask.is_some() { UNDER_MASK } else { 256 };
    let height = (TILE / positions.max(1)).clamp(32, most).min(rows);
    let tiles = rows.div_ceil(height);
    let seen = Seen::new(batch, [rows, positions, height], job.mask);
    let (outer, last) = dst.strides.split_at(batch.len());
    let shared = Shared::new(dst.data);
    let work = height * positions * (keys + columns);
    parallel::for_each_range(batch.iter().product::<usize>() * tiles, SMALL.div_ceil(work.max(1)), |range| {
        let mut scratch = pool::take(T::KIND, height * (positions + columns) + positions);
        for item in range {
            let (at, top) = (item / tiles, item % tiles * height);
            let height = height.min(rows - top);
            let seen = seen.of(at, item % tiles);
            let results = job.tile(batch, at, top, seen, [height, keys, columns], T::of_mut(&mut scratch));
            let first = dst.offset.wrapping_add_signed(Odometer::new(batch, outer, at).distance);
            for (i, row) in results.chunks(columns).enumerate() {
                put(row, &shared, first.wrapping_add_signed((top + i) as isize * last[0]), last[1]);
            }
        }
        pool::give(scratch);
    });
}

/// The positions that the rows of each tile see, from the first to behind the last.
struct Seen<'a> {
    batch: &'a [usize],
    /// How far the next position of each batch axis is in `ranges`; 0 where the mask repeats itself.
    strides: SmallVec<[isize; 6]>,
    tiles: usize,
    ranges: Vec<Range<usize>>,
    positions: usize,
}

impl<'a> Seen<'a> {
    fn new<T: Scalar>(
        batch: &'a [usize],
        [rows, positions, height]: [usize; 3],
        mask: Option<View<'_, T>>,
    ) -> Seen<'a> {
        let tiles = rows.div_ceil(height);
        let mut seen =
            Seen { batch, strides: SmallVec::from_elem(0, batch.len()), tiles, ranges: Vec::new(), positions };
        let Some(mask) = mask else { return seen };
        let mut masks = 1;
        let mut own: SmallVec<[usize; 6]> = batch.into();
        for axis in (0..batch.len()).rev() {
            if mask.strides[axis] == 0 {
                own[axis] = 1;
            } else {
                seen.strides[axis] = masks as isize;
                masks *= batch[axis];
            }
        }
        for at in 0..masks {
            for top in (0..rows).step_by(height) {
                let mask = matrix(mask, &own, at, top);
                seen.ranges.push(visible(mask, height.min(rows - top), positions));
            }
        }
        seen
    }

    /// Those of the tile with this number at the batch position numbered `at`.
    fn of(&self, at: usize, tile: usize) -> Range<usize> {
        let first = Odometer::new(self.batch, &self.strides, at).distance as usize * self.tiles;
        self.ranges.get(first + tile).map_or(0..self.positions, Clone::clone)
    }
}

/// The positions from the first to the last that is not -∞ in any of the rows.
fn visible<T: Scalar>(mask: View<'_, T>, rows: usize, positions: usize) -> Range<usize> {
    let mut seen = positions..0;
    for row in 0..rows {
        let first = mask.offset.wrapping_add_signed(row as isize * mask.strides[0]);
        let is_seen = |&at: &usize| mask.data[first.wrapping_add_signed(at as isize * mask.strides[1])] != T::LOWEST;
        seen.start = (0..seen.start).find(is_seen).unwrap_or(seen.start);
        seen.end = (seen.end..positions).rev().find(is_seen).map_or(seen.end, |last| last + 1);
    }
    seen.start.min(seen.end)..seen.end
}

impl<T: Scalar> Attention<'_, T> {
    /// The results of the rows from `top` on at the batch position numbered `at`, row by row.
    fn tile<'b>(
        &self,
        batch: &[usize],
        at: usize,
        top: usize,
        seen: Range<usize>,
        [height, keys, columns]: [usize; 3],
        scratch: &'b mut [T],
    ) -> &'b [T] {
        let (first, positions) = (seen.start, seen.len());
        let (scores, rest) = scratch.split_at_mut(height * positions);
        let (line, rest) = rest.split_at_mut(positions);
        let results = &mut rest[..height * columns];
        if positions == 0 {
            // A softmax over nothing but -∞.
            results.fill(T::narrow(f64::NAN));
            return results;
        }
        let queries = matrix(self.queries, batch, at, top);
        let dense = row_major(&[height, positions]);
        let to = ViewMut { data: &mut *scores, offset: 0, strides: &dense };
        let from = |view, axis: usize| moved(matrix(view, batch, at, 0), axis, first);
        serial(self.scale[0], [height, keys, positions], queries, from(self.keys, 1), to);
        if self.scale[1] != T::narrow(1.0) {
            scores.iter_mut().for_each(|score| *score = *score / self.scale[1]);
        }
        let mask = self.mask.map(|mask| moved(matrix(mask, batch, at, top), 1, first));
        for (i, row) in scores.chunks_mut(positions).enumerate() {
            if let Some(mask) = mask {
                add(row, mask.data, mask.offset.wrapping_add_signed(i as isize * mask.strides[0]), mask.strides[1]);
            }
            softmax_row(row, line);
            row.copy_from_slice(line);
        }
        let weights = View { data: &*scores, offset: 0, strides: &dense };
        let dense = row_major(&[height, columns]);
        let to = ViewMut { data: &mut *results, offset: 0, strides: &dense };
        serial(T::narrow(1.0), [height, positions, columns], weights, from(self.values, 0), to);
        results
    }
}

/// The same matrix from the position `first` of an axis on.
fn moved<T>(view: View<'_, T>, axis: usize, first: usize) -> View<'_, T> {
    View { offset: view.offset.wrapping_add_signed(first as isize * view.strides[axis]), ..view }
}

/// The matrix at the batch position numbered `at`, from the row `top` on.
fn matrix<'a, T>(view: View<'a, T>, batch: &[usize], at: usize, top: usize) -> View<'a, T> {
    let (outer, strides) = view.strides.split_at(batch.len());
    let distance = Odometer::new(batch, outer, at).distance + top as isize * strides[0];
    View { data: view.data, offset: view.offset.wrapping_add_signed(distance), strides }
}

/// Adds a row of the mask.
fn add<T: Scalar>(row: &mut [T], mask: &[T], first: usize, stride: isize) {
    if stride == 1 {
        row.iter_mut().zip(&mask[first..]).for_each(|(score, &mask)| *score = *score + mask);
    } else {
        for (i, score) in row.iter_mut().enumerate() {
            *score = *score + mask[first.wrapping_add_signed(i as isize * stride)];
        }
    }
}

/// Writes a row of the results.
fn put<T: Stored>(row: &[T], dst: &Shared<'_, T>, first: usize, stride: isize) {
    if stride == 1 {
        // SAFETY: no positions of the destination overlap, and each row of each batch position is written once.
        let place = unsafe { dst.slice(first, row.len()) };
        place.copy_from_slice(row);
    } else {
        for (i, &value) in row.iter().enumerate() {
            // SAFETY: as above; this is one element of the row.
            let place = unsafe { dst.slice(first.wrapping_add_signed(i as isize * stride), 1) };
            place[0] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::{Random, positions as places};

    /// Plain loops in `f64`, one element of the result after the other.
    fn check(batch: usize, sizes: [usize; 4], masked: bool, interleaved: bool) {
        let [rows, keys, positions, columns] = sizes;
        let mut random = Random::new(5);
        let mut data = |size: usize| random.reals(size);
        let (q, k) = (data(batch * rows * keys), data(batch * positions * keys));
        let (v, m) = (data(batch * positions * columns), data(rows * positions));
        // The batch lies outermost, or between the rows and their elements as heads do.
        let strides = |rows: usize, columns: usize| -> [isize; 3] {
            let [rows, columns, batch] = [rows as isize, columns as isize, batch as isize];
            if interleaved { [columns, batch * columns, 1] } else { [rows * columns, columns, 1] }
        };
        let (qs, vs, ds) = (strides(rows, keys), strides(positions, columns), strides(rows, columns));
        let ks = strides(positions, keys);
        let ks = [ks[0], ks[2], ks[1]];
        let ms = [0, positions as isize, 1];
        let mut out = vec![f32::NAN; batch * rows * columns];
        let job = Attention {
            scale: [0.5, 2.0],
            queries: View { data: &q, offset: 0, strides: &qs },
            keys: View { data: &k, offset: 0, strides: &ks },
            values: View { data: &v, offset: 0, strides: &vs },
            mask: masked.then_some(View { data: &m, offset: 0, strides: &ms }),
        };
        attention(&[batch], sizes, &job, ViewMut { data: &mut out, offset: 0, strides: &ds });
        let wide = |data: &[f32], at: isize| f64::from(data[at as usize]);
        for (b, i) in (0..batch as isize).flat_map(|b| (0..rows as isize).map(move |i| (b, i))) {
            let score = |j: isize| {
                let terms = (0..keys as isize)
                    .map(|x| wide(&q, b * qs[0] + i * qs[1] + x) * wide(&k, b * ks[0] + j * ks[2] + x));
                terms.sum::<f64>() / 4.0 + if masked { wide(&m, i * ms[1] + j) } else { 0.0 }
            };
            let weights: Vec<f64> = (0..positions as isize).map(|j| score(j).exp()).collect();
            let total: f64 = weights.iter().sum();
            for c in 0..columns as isize {
                let exact = (0..positions as isize).map(|j| weights[j as usize] * wide(&v, b * vs[0] + j * vs[1] + c));
                let (exact, got) = (exact.sum::<f64>() / total, wide(&out, b * ds[0] + i * ds[1] + c));
                assert!((got - exact).abs() < 1e-5, "{got} for {exact} at {b}, {i}, {c} of {batch} {sizes:?}");
            }
        }
        assert_eq!(places(&[batch, rows, columns], &ds).count(), out.len(), "every element is checked");
    }

    #[test]
    fn tiles_together_are_attention() {
        for sizes in [[1, 1, 1, 1], [3, 4, 5, 2], [300, 7, 33, 5], [70, 16, 700, 8], [1, 64, 90, 64]] {
            for (masked, interleaved) in [(false, false), (true, false), (false, true), (true, true)] {
                check(3, sizes, masked, interleaved);
            }
        }
    }

    #[test]
    fn only_what_some_row_of_a_tile_sees_is_computed() {
        // A causal mask, a window, a prefix of other length for each example, and rows that see nothing.
        let (batch, rows, positions) = (2, 300, 310);
        let kinds: [&dyn Fn(usize, usize, usize) -> bool; 4] =
            [&|_, i, j| j <= i + 10, &|_, i, j| j <= i && j + 5 > i, &|b, _, j| j < 7 + 200 * b, &|_, i, j| {
                i < 140 && (20..29).contains(&j)
            }];
        let mut random = Random::new(6);
        let (q, k, v) = (random.reals(batch * rows), random.reals(batch * positions), random.reals(batch * positions));
        for sees in kinds {
            let mask: Vec<f32> = (0..batch * rows * positions)
                .map(|at| (at / positions / rows, at / positions % rows, at % positions))
                .map(|(b, i, j)| if sees(b, i, j) { 0.5 } else { f32::NEG_INFINITY })
                .collect();
            let strides = [(rows * positions) as isize, positions as isize, 1];
            let view = |data, strides| View { data, offset: 0, strides };
            let (wide, tall) = ([rows as isize, 1, 1], [positions as isize, 1, 1]);
            let job = Attention {
                scale: [1.0; 2],
                queries: view(&q, &wide),
                keys: view(&k, &tall),
                values: view(&v, &tall),
                mask: Some(view(&mask, &strides)),
            };
            let mut out = vec![0.0; batch * rows];
            attention(&[batch], [rows, 1, positions, 1], &job, ViewMut { data: &mut out, offset: 0, strides: &wide });
            for (at, got) in out.into_iter().enumerate() {
                let (b, i) = (at / rows, at % rows);
                let seen = (0..positions).filter(|&j| sees(b, i, j));
                let weight = |j: usize| f64::from(q[at] * k[b * positions + j]).exp();
                let (sum, total) = seen.fold((0.0, 0.0), |(sum, total), j| {
                    (sum + weight(j) * f64::from(v[b * positions + j]), total + weight(j))
                });
                let exact = sum / total;
                let got = f64::from(got);
                assert!((got - exact).abs() < 1e-5 || (got.is_nan() && exact.is_nan()), "{got} for {exact} at {at}");
            }
        }
    }

    #[test]
    fn a_position_that_is_masked_away_counts_for_nothing() {
        let one = View { data: &[1.0_f32; 4], offset: 0, strides: &[1, 1] };
        let values = View { data: &[5.0, f32::MAX, 7.0], offset: 0, strides: &[1, 1] };
        let mask = View { data: &[0.0, f32::NEG_INFINITY, 0.0], offset: 0, strides: &[0, 1] };
        let job = Attention {
            scale: [1.0; 2],
            queries: one,
            keys: View { strides: &[0, 1], ..one },
            values,
            mask: Some(mask),
        };
        let mut out = [0.0];
        attention(&[], [1, 1, 3, 1], &job, ViewMut { data: &mut out, offset: 0, strides: &[1, 1] });
        assert_eq!(out, [6.0], "the mean of the other two");
    }
}
