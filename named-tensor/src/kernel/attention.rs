//! Attention: scores, softmax and values, tile by tile, so that the scores are never all in memory.
//!
//! Computes  `dst[b, i, v] = Σⱼ softmaxⱼ(s Σₖ queries[b, i, k] keys[b, j, k] + mask[b, i, j]) values[b, j, v]`.
//! A tile is some rows of one batch position; its scores stay in the cache from the first product to the second.
//! Errors and special values are those of `matmul` and `softmax` one after the other.

use super::math::Scalar;
use super::matmul::serial;
use super::parallel::{self, Shared};
use super::pool;
use super::softmax::softmax_row;
use super::span::{Odometer, check_distinct, check_inside, row_major};
use super::{View, ViewMut};
use crate::element::Stored;

/// Scores in a tile: half of a usual second-level cache in `f32`.
const TILE: usize = 128 * 1024;

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
    let height = (TILE / positions.max(1)).clamp(32, 256).min(rows);
    let tiles = rows.div_ceil(height);
    let (outer, last) = dst.strides.split_at(batch.len());
    let shared = Shared::new(dst.data);
    let work = height * positions * (keys + columns);
    parallel::for_each_range(batch.iter().product::<usize>() * tiles, SMALL.div_ceil(work.max(1)), |range| {
        let mut scratch = pool::take(T::KIND, height * (positions + columns) + positions);
        for item in range {
            let (at, top) = (item / tiles, item % tiles * height);
            let height = height.min(rows - top);
            let results = job.tile(batch, at, top, [height, keys, positions, columns], T::of_mut(&mut scratch));
            let first = dst.offset.wrapping_add_signed(Odometer::new(batch, outer, at).distance);
            for (i, row) in results.chunks(columns).enumerate() {
                put(row, &shared, first.wrapping_add_signed((top + i) as isize * last[0]), last[1]);
            }
        }
        pool::give(scratch);
    });
}

impl<T: Scalar> Attention<'_, T> {
    /// The results of the rows from `top` on at the batch position numbered `at`, row by row.
    fn tile<'b>(
        &self,
        batch: &[usize],
        at: usize,
        top: usize,
        [height, keys, positions, columns]: [usize; 4],
        scratch: &'b mut [T],
    ) -> &'b [T] {
        let (scores, rest) = scratch.split_at_mut(height * positions);
        let (line, rest) = rest.split_at_mut(positions);
        let results = &mut rest[..height * columns];
        let queries = matrix(self.queries, batch, at, top);
        let dense = row_major(&[height, positions]);
        let to = ViewMut { data: &mut *scores, offset: 0, strides: &dense };
        serial(self.scale[0], [height, keys, positions], queries, matrix(self.keys, batch, at, 0), to);
        if self.scale[1] != T::narrow(1.0) {
            scores.iter_mut().for_each(|score| *score = *score / self.scale[1]);
        }
        let mask = self.mask.map(|mask| matrix(mask, batch, at, top));
        for (i, row) in scores.chunks_mut(positions.max(1)).enumerate() {
            if let Some(mask) = mask {
                add(row, mask.data, mask.offset.wrapping_add_signed(i as isize * mask.strides[0]), mask.strides[1]);
            }
            softmax_row(row, line);
            row.copy_from_slice(line);
        }
        let weights = View { data: &*scores, offset: 0, strides: &dense };
        let dense = row_major(&[height, columns]);
        let to = ViewMut { data: &mut *results, offset: 0, strides: &dense };
        serial(T::narrow(1.0), [height, positions, columns], weights, matrix(self.values, batch, at, 0), to);
        results
    }
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
