//! Reductions: sums, products and extremes over any of the axes of a strided view.
//!
//! Computes  `dst[kept] = op over reduced of src[kept, reduced]`,  `dst` dense in row-major order.
//! Two loops do all the work: along a row, when the reduced axis is the contiguous one, and down a tile of columns, when
//! a kept axis is. Real sums and products are accumulated in `f64`: for `f32` the error of a sum of `n` elements is at
//! most `2⁻²⁴ |sum| + n 2⁻⁵³ Σ|x|`, for `f64` `n 2⁻⁵³ Σ|x|` (about `n / 64` of it along rows).
//! Extremes pass NaN on. A reduction over nothing gives the neutral element: 0, 1, -∞ or ∞.

use super::View;
use super::lanes::{fold, vectorised};
use super::math::Scalar;
use super::parallel::{self, GRAIN};
use super::span::{Odometer, Span, check_inside};
use crate::element::Stored;
use std::ops::Range;

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

/// Elements that can be reduced: `f32`, `f64`, positions.
pub(crate) trait Reducible: Stored {
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

/// One kind of reduction of elements `T`.
trait Fold<T> {
    /// What partial results are kept in.
    type Partial: Copy + Send + Sync;
    /// The result over nothing.
    const START: Self::Partial;
    /// Takes one more element in.
    fn step(partial: Self::Partial, x: T) -> Self::Partial;
    /// The result over the elements of both.
    fn join(a: Self::Partial, b: Self::Partial) -> Self::Partial;
    /// The result as an element.
    fn end(partial: Self::Partial) -> T;
}

struct Sum;
struct Product;
struct Max;
struct Min;

macro_rules! fold {
    ($name:ident of $type:ident in $partial:ident from $start:expr, $step:expr, $join:expr) => {
        impl Fold<$type> for $name {
            type Partial = $partial;
            const START: $partial = $start;
            #[inline(always)]
            fn step(partial: $partial, x: $type) -> $partial {
                ($step)(partial, x)
            }
            #[inline(always)]
            fn join(a: $partial, b: $partial) -> $partial {
                ($join)(a, b)
            }
            #[inline(always)]
            fn end(partial: $partial) -> $type {
                partial as $type
            }
        }
    };
}

fold!(Sum of f32 in f64 from 0.0, |a: f64, x: f32| a + x.wide(), |a: f64, b: f64| a + b);
fold!(Sum of f64 in f64 from 0.0, |a: f64, x: f64| a + x, |a: f64, b: f64| a + b);
fold!(Sum of i64 in i64 from 0, i64::wrapping_add, i64::wrapping_add);
fold!(Product of f32 in f64 from 1.0, |a: f64, x: f32| a * x.wide(), |a: f64, b: f64| a * b);
fold!(Product of f64 in f64 from 1.0, |a: f64, x: f64| a * x, |a: f64, b: f64| a * b);
fold!(Product of i64 in i64 from 1, i64::wrapping_mul, i64::wrapping_mul);
fold!(Max of f32 in f32 from f32::NEG_INFINITY, f32::larger, f32::larger);
fold!(Max of f64 in f64 from f64::NEG_INFINITY, f64::larger, f64::larger);
fold!(Max of i64 in i64 from i64::MIN, i64::max, i64::max);
fold!(Min of f32 in f32 from f32::INFINITY, f32::smaller, f32::smaller);
fold!(Min of f64 in f64 from f64::INFINITY, f64::smaller, f64::smaller);
fold!(Min of i64 in i64 from i64::MAX, i64::min, i64::min);

/// A reduction of `data[offset + kept + reduced]`.
struct Job<'a, T> {
    data: &'a [T],
    offset: usize,
    kept: Span,
    reduced: Span,
}

impl<'a, T: Stored> Job<'a, T> {
    fn new(kept: &[usize], reduced: &[usize], src: View<'a, T>, results: usize) -> Job<'a, T> {
        check_inside("reduce: source", src.data.len(), src.offset, &[kept, reduced].concat(), src.strides);
        assert_eq!(results, kept.iter().product::<usize>(), "reduce: one result per kept position is needed");
        let (kept_strides, reduced_strides) = src.strides.split_at(kept.len());
        // The order of the reduced axes is ours: the smallest stride runs fastest, and more axes merge.
        let mut axes: Vec<(usize, isize)> = reduced.iter().copied().zip(reduced_strides.iter().copied()).collect();
        axes.sort_by_key(|(_, stride)| std::cmp::Reverse(stride.unsigned_abs()));
        let (reduced, reduced_strides): (Vec<usize>, Vec<isize>) = axes.into_iter().unzip();
        let kept = Span::new(kept, &[kept_strides]);
        Job { data: src.data, offset: src.offset, kept, reduced: Span::new(&reduced, &[&reduced_strides]) }
    }

    /// Chooses the loop.
    fn reduce<F: Fold<T>>(&self, dst: &mut [T]) {
        let columns_are_contiguous = self.kept.inner_stride(0) == 1 && self.kept.inner() >= 8;
        let rows_are_contiguous = self.reduced.inner_stride(0) == 1 && self.reduced.inner() >= 8;
        if columns_are_contiguous && !rows_are_contiguous {
            self.columns::<F>(dst);
        } else if let [single] = dst {
            *single = F::end(self.everything::<F>());
        } else {
            let grain = GRAIN.div_ceil(self.reduced.total().max(1));
            parallel::for_each_chunk(dst, grain, |first, chunk| {
                let mut base = Odometer::new(&self.kept.sizes, &self.kept.strides[0], first);
                for d in chunk {
                    *d = F::end(self.rows::<F>(base.distance, 0, self.reduced.total()));
                    base.step();
                }
            });
        }
    }

    /// The element at a distance from the first one.
    fn position(&self, distance: isize) -> usize {
        (self.offset as isize + distance) as usize
    }

    /// One result of very many elements, from partial results of pieces whose bounds depend on the sizes alone.
    fn everything<F: Fold<T>>(&self) -> F::Partial {
        let total = self.reduced.total();
        let mut partial = vec![F::START; total.div_ceil(GRAIN)];
        parallel::for_each_chunk(&mut partial, 1, |piece, out| {
            out[0] = self.rows::<F>(0, piece * GRAIN, total.min((piece + 1) * GRAIN));
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
        let (mut at, mut sum) = (from, F::START);
        while at < to {
            let column = at % inner;
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
            fold(&self.data[self.position(first)..][..size], F::START, F::step, F::join)
        } else {
            (0..size as isize).fold(F::START, |sum, i| F::step(sum, self.data[self.position(first + i * stride)]))
        }
    }

    /// Neighbouring columns side by side. Few of them that are very long are cut into pieces, whose bounds depend on the
    /// sizes alone.
    fn columns<F: Fold<T>>(&self, dst: &mut [T]) {
        let depth = self.reduced.total();
        let piece = (4 * GRAIN).div_ceil(dst.len().max(1));
        if dst.len() <= TILE && depth > piece {
            let columns = dst.len();
            let mut partial = vec![F::START; depth.div_ceil(piece) * columns];
            parallel::for_each_chunk(&mut partial, columns, |first, partial| {
                let from = first / columns * piece;
                self.down::<F>(0, from..depth.min(from + piece), partial);
            });
            for (i, d) in dst.iter_mut().enumerate() {
                *d = F::end(
                    partial[i..].iter().step_by(columns).fold(F::START, |sum, &of_piece| F::join(sum, of_piece)),
                );
            }
            return;
        }
        let grain = GRAIN.div_ceil(depth.max(1)).next_multiple_of(TILE);
        parallel::for_each_chunk(dst, grain, |first, chunk| {
            for (i, tile) in chunk.chunks_mut(TILE).enumerate() {
                let mut partial = [F::START; TILE];
                self.down::<F>(first + i * TILE, 0..depth, &mut partial[..tile.len()]);
                tile.iter_mut().zip(partial).for_each(|(d, sum)| *d = F::end(sum));
            }
        });
    }

    /// Takes the reduced positions numbered by `range` into the partial results of neighbouring kept positions.
    fn down<F: Fold<T>>(&self, first: usize, range: Range<usize>, partial: &mut [F::Partial]) {
        let width = self.kept.inner();
        let outer = self.kept.sizes.len().saturating_sub(1);
        let mut done = 0;
        while done < partial.len() {
            let (row, column) = ((first + done) / width, (first + done) % width);
            let size = (width - column).min(partial.len() - done);
            let base = Odometer::new(&self.kept.sizes[..outer], &self.kept.strides[0][..outer], row).distance;
            let mut down = Odometer::new(&self.reduced.sizes, &self.reduced.strides[0], range.start);
            let sums = &mut partial[done..done + size];
            let mut row = || {
                let row = &self.data[self.position(base + column as isize + down.distance)..][..size];
                down.step();
                row
            };
            // The partial results are read and written once for some rows.
            for _ in 0..range.len() / 4 {
                let (a, b, c, d) = (row(), row(), row(), row());
                let sums = &mut *sums;
                vectorised(
                    #[inline(always)]
                    move || {
                        for ((sum, (&a, &b)), (&c, &d)) in sums.iter_mut().zip(a.iter().zip(b)).zip(c.iter().zip(d)) {
                            *sum = F::step(F::step(F::step(F::step(*sum, a), b), c), d);
                        }
                    },
                );
            }
            for _ in 0..range.len() % 4 {
                let (row, sums) = (row(), &mut *sums);
                vectorised(
                    #[inline(always)]
                    move || sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum = F::step(*sum, x)),
                );
            }
            done += size;
        }
    }
}

/// Columns that go down together: their partial results stay in the first-level cache, and each row is worth fetching.
const TILE: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::span::row_major;
    use crate::kernel::testing::{Random, positions};

    /// The same reduction by plain loops in `f64`.
    fn plain(op: Reduction, kept: &[usize], reduced: &[usize], src: View<'_, f32>) -> Vec<f64> {
        let (outer, inner) = src.strides.split_at(kept.len());
        let one = |base: isize| {
            let xs = positions(reduced, inner).map(|d| f64::from(src.data[(src.offset as isize + base + d) as usize]));
            match op {
                Reduction::Sum => xs.sum(),
                Reduction::Product => xs.product(),
                Reduction::Max => xs.fold(f64::NEG_INFINITY, f64::max),
                Reduction::Min => xs.fold(f64::INFINITY, f64::min),
            }
        };
        positions(kept, outer).map(one).collect()
    }

    #[test]
    fn every_layout_agrees_with_plain_loops() {
        let mut random = Random::new(1);
        let all = [Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min];
        let sizes = [3, 40, 5, 37];
        let strides = row_major(&sizes);
        let data = random.reals(sizes.iter().product());
        for kept_axes in 0..16_usize {
            let pick = |wanted: bool| (0..4).filter(move |axis| (kept_axes >> axis & 1 == 1) == wanted);
            for reversed in [false, true] {
                let order: Vec<usize> = if reversed {
                    pick(true).rev().chain(pick(false)).collect()
                } else {
                    pick(true).chain(pick(false)).collect()
                };
                let by_order: Vec<usize> = order.iter().map(|&axis| sizes[axis]).collect();
                let by_stride: Vec<isize> = order.iter().map(|&axis| strides[axis]).collect();
                let (kept, reduced) = by_order.split_at(pick(true).count());
                let src = View { data: &data, offset: 0, strides: &by_stride };
                for op in all {
                    let mut out = vec![0.0; kept.iter().product()];
                    reduce(op, kept, reduced, src, &mut out);
                    for (&got, exact) in out.iter().zip(plain(op, kept, reduced, src)) {
                        let bound = exact.abs() * 6.0e-8 + 1e-9;
                        assert!((f64::from(got) - exact).abs() <= bound, "{op:?} over {order:?}: {got} for {exact}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_long_sum_is_rounded_once() {
        let data = vec![0.1_f32; 3_000_000];
        let mut out = [0.0];
        reduce(Reduction::Sum, &[], &[data.len()], View { data: &data, offset: 0, strides: &[1] }, &mut out);
        assert_eq!(out[0], (3.0e6 * f64::from(0.1_f32)) as f32, "naive summation in f32 would be off by percents");
    }

    #[test]
    fn nothing_gives_the_neutral_element() {
        let ops = [Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min];
        for (op, expected) in ops.into_iter().zip([0.0, 1.0, f64::NEG_INFINITY, f64::INFINITY]) {
            for kept in [2, 9] {
                let mut out = vec![7.0; kept];
                reduce(op, &[kept], &[0], View { data: &[], offset: 0, strides: &[1, 1] }, &mut out);
                assert_eq!(out, vec![expected; kept], "{op:?}");
            }
            reduce::<f64>(op, &[0], &[4], View { data: &[], offset: 0, strides: &[4, 1] }, &mut []);
        }
    }

    #[test]
    fn extremes_pass_nan_on_wherever_it_stands() {
        for at in 0..100 {
            let mut data = vec![1.0_f32; 100];
            data[at] = f32::NAN;
            for op in [Reduction::Max, Reduction::Min] {
                let mut row = [0.0];
                reduce(op, &[], &[100], View { data: &data, offset: 0, strides: &[1] }, &mut row);
                assert!(row[0].is_nan(), "{op:?} along a row with NaN at {at}");
                let mut columns = [0.0; 10];
                reduce(op, &[10], &[10], View { data: &data, offset: 0, strides: &[1, 10] }, &mut columns);
                for (i, x) in columns.iter().enumerate() {
                    assert_eq!(x.is_nan(), i == at % 10, "{op:?} of column {i} with NaN at {at}");
                }
            }
        }
    }

    #[test]
    fn positions_are_reduced_exactly() {
        let data: Vec<i64> = (0..1000).map(|i| (i * 7919) % 1013 - 500).collect();
        let src = View { data: &data, offset: 0, strides: &[1] };
        let mut out = [0; 3];
        for (op, out) in [Reduction::Sum, Reduction::Max, Reduction::Min].into_iter().zip(&mut out) {
            reduce(op, &[], &[1000], src, std::slice::from_mut(out));
        }
        let expected = [data.iter().sum(), *data.iter().max().unwrap(), *data.iter().min().unwrap()];
        assert_eq!(out, expected, "sum, largest, smallest");
    }

    #[test]
    fn a_view_may_repeat_and_run_backwards() {
        let data = [1.0_f64, 2.0, 3.0];
        let mut out = [0.0; 2];
        reduce(Reduction::Sum, &[2], &[4, 3], View { data: &data, offset: 2, strides: &[0, 0, -1] }, &mut out);
        assert_eq!(out, [24.0, 24.0], "four times 1 + 2 + 3, twice");
    }
}
