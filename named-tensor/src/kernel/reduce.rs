//! Reductions: sums, products and extremes over any of the axes of a strided view.
//!
//! Computes  `dst[kept] = op over reduced of src[kept, reduced]`,  `dst` dense in row-major order.
//! Two loops do all the work: along a row, when the reduced axis is the contiguous one, and down neighbouring columns, when
//! a kept axis is (`down`); short rows are taken many at a time (`short`), and so are small patches (`patch`).
//! Real sums and products are accumulated in `f64`: for `f32` the error of a sum of `n` elements is at most
//! `2⁻²⁴ |sum| + n 2⁻⁵³ Σ|x|`, for `f64` `n 2⁻⁵³ Σ|x|` (about `n / 64` of it along long rows).
//! Extremes pass NaN on. A reduction over nothing gives the neutral element: 0, 1, -∞ or ∞.
//! Along an axis that repeats one number nothing is walked: equal partial results are joined pair by pair, so the sum of a
//! constant takes as long over 2⁵⁰ positions as over two.

mod alike;
mod along;
pub(crate) mod computed;
mod differences;
mod down;
mod fold;
mod patch;
mod short;

use super::View;
use super::lanes::fold_and;
use super::map::Cell;
use super::math::Scalar;
use super::order::sort_few;
use super::parallel::{self, GRAIN, grain_of};
use super::span::{Odometer, Span, check_inside};
use crate::element::Stored;
use fold::{Fold, Max, Min, Product, Squares, Sum};

/// What becomes of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// Their sum.
    Sum,
    /// Their product.
    Product,
    /// The largest; NaN if any is NaN.
    Max,
    /// The smallest; NaN if any is NaN.
    Min,
}

/// Reduces `src`, a view over the axes `kept` and then `reduced`.
///
/// # Panics
/// If the view leaves its slice, or if `dst` does not have one element per position of `kept`.
pub(crate) fn reduce<T: Reducible>(op: Reduction, kept: &[usize], reduced: &[usize], src: View<'_, T>, dst: &mut [T]) {
    T::reduce(op, kept, reduced, src, dst);
}

/// The sums of the squares of a view over the axes `kept` and then `reduced`. No square is rounded to `f32`.
///
/// # Panics
/// As [`reduce`].
pub(crate) fn sum_of_squares<T: Scalar>(kept: &[usize], reduced: &[usize], src: View<'_, T>, dst: &mut [T]) {
    Job::new(kept, reduced, src, dst.len()).reduce::<Squares>(dst);
}

/// Elements that can be reduced: `f32`, `f64`, positions.
pub(crate) trait Reducible: Cell {
    /// [`reduce`] for this type.
    fn reduce(op: Reduction, kept: &[usize], reduced: &[usize], src: View<'_, Self>, dst: &mut [Self]);
}

macro_rules! reducible {
    ($($type:ty),*) => {$(
        impl Reducible for $type {
            fn reduce(op: Reduction, kept: &[usize], reduced: &[usize], src: View<'_, $type>, dst: &mut [$type]) {
                let job = Job::new(kept, reduced, src, dst.len());
                match op {
                    Reduction::Sum => job.reduce::<Sum>(dst),
                    Reduction::Product => job.reduce::<Product>(dst),
                    Reduction::Max => job.reduce::<Max>(dst),
                    Reduction::Min => job.reduce::<Min>(dst),
                }
            }
        }
    )*};
}

reducible!(f32, f64, i64);

/// A reduction of `data[offset + kept + reduced]`.
struct Job<'a, T> {
    data: &'a [T],
    offset: usize,
    kept: Span,
    reduced: Span,
    /// How often each of the reduced elements is there.
    times: usize,
}

impl<'a, T: Stored> Job<'a, T> {
    fn new(kept: &[usize], reduced: &[usize], src: View<'a, T>, results: usize) -> Job<'a, T> {
        check_inside("reduce: source", src.data.len(), src.offset, &[kept, reduced].concat(), src.strides);
        assert_eq!(results, kept.iter().product::<usize>(), "reduce: one result per kept position is needed");
        let (kept_strides, reduced_strides) = src.strides.split_at(kept.len());
        let mut axes: Vec<(usize, isize)> = reduced.iter().copied().zip(reduced_strides.iter().copied()).collect();
        if reduced.contains(&0) {
            // Then there is nothing, and the other sizes need not have a product.
            axes = vec![(0, 1)];
        }
        // An axis along which the view repeats itself says how often.
        let (repeated, mut axes): (Vec<_>, Vec<_>) = axes.into_iter().partition(|&(_, stride)| stride == 0);
        let times = repeated.into_iter().map(|(size, _)| size).product();
        // The order of the others is ours: the smallest stride runs fastest, and more axes merge.
        sort_few(&mut axes, |(_, stride)| std::cmp::Reverse(stride.unsigned_abs()));
        let (reduced, reduced_strides): (Vec<usize>, Vec<isize>) = axes.into_iter().unzip();
        let kept = Span::new(kept, &[kept_strides]);
        Job { data: src.data, offset: src.offset, kept, reduced: Span::new(&reduced, &[&reduced_strides]), times }
    }

    /// Chooses the loop.
    fn reduce<F: Fold<T>>(&self, dst: &mut [T]) {
        let columns = self.kept.inner();
        let follow = columns >= 2 && self.reduced.inner_stride(0) == columns as isize;
        let are_in_turn = follow && self.reduced.inner() >= down::STRIP;
        let columns_are_contiguous = self.kept.inner_stride(0) == 1 && (columns >= 8 || are_in_turn);
        let rows_are_contiguous = self.reduced.inner_stride(0) == 1 && self.reduced.inner() >= 8;
        if columns_are_contiguous && !rows_are_contiguous {
            self.columns::<F>(dst);
        } else if self.has_short_rows::<F>(dst.len()) {
            self.short_rows::<F>(dst);
        } else if self.has_patches() {
            self.patches::<F>(dst);
        } else if let Some(pattern) = self.pattern() {
            self.patches_by_pattern::<F>(&pattern, dst);
        } else if let [single] = dst {
            *single = self.end::<F>(self.everything::<F>());
        } else {
            let grain = grain_of(dst.len(), GRAIN.div_ceil(self.reduced.total().max(1)));
            parallel::for_each_chunk(dst, grain, |first, chunk| {
                let mut base = Odometer::new(&self.kept.sizes, &self.kept.strides[0], first);
                for d in chunk {
                    *d = self.end::<F>(self.rows::<F>(base.distance, 0, self.reduced.total()));
                    base.step();
                }
            });
        }
    }

    /// The result of a partial one, as often as it is there.
    #[inline(always)]
    fn end<F: Fold<T>>(&self, partial: F::Partial) -> T {
        F::end(if self.times == 1 { partial } else { repeated::<T, F>(partial, self.times) })
    }

    /// The element at a distance from the first one.
    fn position(&self, distance: isize) -> usize {
        (self.offset as isize + distance) as usize
    }

    /// One result of very many elements, from partial results of pieces whose bounds depend on the sizes alone.
    fn everything<F: Fold<T>>(&self) -> F::Partial {
        let total = self.reduced.total();
        let size = GRAIN.max(total.div_ceil(PIECES));
        let mut partial = vec![F::START; total.div_ceil(size)];
        parallel::for_each_chunk(&mut partial, 1, |piece, out| {
            out[0] = self.rows::<F>(0, piece * size, total.min((piece + 1) * size));
        });
        partial.into_iter().fold(F::START, F::join)
    }

    /// The reduced positions numbered `from..to`, seen from the kept position at the distance `base`.
    fn rows<F: Fold<T>>(&self, base: isize, from: usize, to: usize) -> F::Partial {
        let (inner, stride) = (self.reduced.inner().max(1), self.reduced.inner_stride(0));
        if to <= inner {
            return self.run::<F>(base + from as isize * stride, stride, to - from);
        }
        let outer = self.reduced.sizes.len() - 1;
        let mut row = Odometer::new(&self.reduced.sizes[..outer], &self.reduced.strides[0][..outer], from / inner);
        let (mut at, mut sum, are_long) = (from, F::START, self.has_long_rows::<F>());
        while at < to {
            let column = at % inner;
            if are_long && column == 0 {
                let (rows, distance) = row.run();
                let rows = rows.min((to - at) / inner);
                if rows > 1 {
                    sum = F::join(sum, self.along::<F>(base + row.distance, distance, rows));
                    at += rows * inner;
                    row.advance(rows);
                    continue;
                }
            }
            let size = (inner - column).min(to - at);
            sum = F::join(sum, self.run::<F>(base + row.distance + column as isize * stride, stride, size));
            at += size;
            row.step();
        }
        sum
    }

    /// Some elements at even distances, the first at the distance `first`.
    fn run<F: Fold<T>>(&self, first: isize, stride: isize, size: usize) -> F::Partial {
        if stride == 1 && size > 0 {
            fold_and(&self.data[self.position(first)..][..size], F::START, F::step, F::join_all)
        } else {
            (0..size as isize).fold(F::START, |sum, i| F::step(sum, self.data[self.position(first + i * stride)]))
        }
    }
}

/// The join of so many equal partial results.
#[cold]
fn repeated<T, F: Fold<T>>(partial: F::Partial, times: usize) -> F::Partial {
    // Those of 1, 2, 4, ... positions, of which the binary digits say which to take.
    let (mut all, mut power, mut left) = (F::START, partial, times);
    while left > 0 {
        if left & 1 == 1 {
            all = F::join(all, power);
        }
        power = F::join(power, power);
        left >>= 1;
    }
    all
}

/// At most so many pieces: windows of a tensor may have more elements than fit in memory, of which each is read often.
const PIECES: usize = 1 << 16;

#[cfg(test)]
mod tests;
