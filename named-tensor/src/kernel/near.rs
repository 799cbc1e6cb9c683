//! Products of matrices so small that they end before others would have packed their operands.
//!
//! Computes  `dst[i, j] = scale · Σₖ lhs[i, k] rhs[k, j]`  where `rhs` and `dst` are contiguous along j, or `lhs` and `dst`
//! along i: then the product is done turned around. An operand that lies along the sum instead is turned first (`turned`), or
//! rows are so few that dot products take less (`dots`).
//! The sums of a few rows and columns stay in registers while the whole sum goes by; each element of an operand is read
//! where it lies. Except in `dots` a sum is taken from the first k to the last, whatever rows and columns go with it.
//! Where the last columns do not fill a register, the rest of it is 0 and is not written.
//! Lives here: which products are small, and the tiles. Not here: all others (`matmul`).

mod dots;
mod turned;

use super::low::{Low, is_low};
use super::simd::{Lanes, is_plain};
use super::{View, ViewMut, vectors};
use pulp::{Simd, WithSimd};
use turned::is_worth_turning;

/// Multiplications of the largest such product. One of 64 × 64 × 64 takes as long as with packing; those of more are worth
/// a second thread.
const FEW: usize = 128 * 1024;
/// Terms of the longest sum that is taken from the first to the last: longer ones lose digits unless they are taken in parts.
const LONG: usize = 1024;

/// Whether a product of so many rows, terms and columns is small.
pub(super) fn is_small([m, k, n]: [usize; 3]) -> bool {
    k <= LONG && (1..=FEW).contains(&m.saturating_mul(n).saturating_mul(k))
}

/// Computes the product of a matrix of `m` rows and one of `n` columns if it is small and lies well. Returns whether it
/// did: not where a view leaves its slice either, which is for the caller to tell.
pub(super) fn product<T: Lanes>(
    scale: T,
    [m, k, n]: [usize; 3],
    lhs: View<'_, T>,
    rhs: View<'_, T>,
    dst: &mut ViewMut<'_, T>,
) -> bool {
    if !is_small([m, k, n]) {
        return false;
    }
    let ([l_row, l_inner], [r_inner, r_column]) = (steps(lhs.strides), steps(rhs.strides));
    let [d_row, d_column] = steps(dst.strides);
    let is_inside = reaches(lhs.data, lhs.offset, [m, k], [l_row, l_inner])
        && reaches(rhs.data, rhs.offset, [k, n], [r_inner, r_column])
        && reaches(dst.data, dst.offset, [m, n], [d_row, d_column]);
    if !is_inside {
        return false;
    }
    let Some(way) = way([m, k, n], [l_row, l_inner], [r_inner, r_column], [d_row, d_column]) else {
        return false;
    };
    let (left, right) = (&lhs.data[lhs.offset..], &rhs.data[rhs.offset..]);
    let out = &mut dst.data[dst.offset..];
    let product = || Product { scale, size: [m, k, n], left, steps: [l_row, l_inner], right, down: r_inner };
    let around =
        || Product { scale, size: [n, k, m], left: right, steps: [r_column, r_inner], right: left, down: l_inner };
    match way {
        Way::Plain => product().run(out, d_row),
        Way::Around => around().run(out, d_column),
        Way::Turned => product().run_turned(r_column, out, d_row),
        Way::AroundTurned => around().run_turned(l_row, out, d_column),
        Way::Dots => product().run_dots(r_column, out, d_row),
        Way::AroundDots => around().run_dots(l_row, out, d_column),
    }
    true
}

/// The most rows with which a product of so many terms and columns is small.
pub(super) fn rows_of_small([k, n]: [usize; 2]) -> usize {
    if k <= LONG { FEW / k.saturating_mul(n).max(1) } else { 0 }
}

/// Whether a small product whose matrices have these strides lies well.
pub(super) fn lies_well(sizes: [usize; 3], [lhs, rhs, dst]: [[isize; 2]; 3]) -> bool {
    way(sizes, steps(&lhs), steps(&rhs), steps(&dst)).is_some()
}

/// How a small product is computed: as it is or turned around, and of either the right operand turned first or along the sum.
#[derive(Clone, Copy)]
enum Way {
    Plain,
    Around,
    Turned,
    AroundTurned,
    Dots,
    AroundDots,
}

/// The way of a product whose matrices have these steps; none if they lie badly.
#[inline(always)]
fn way(
    [m, k, n]: [usize; 3],
    [l_row, l_inner]: [usize; 2],
    [r_inner, r_column]: [usize; 2],
    [d_row, d_column]: [usize; 2],
) -> Option<Way> {
    let (by_columns, by_rows) = (d_column == 1 && (d_row >= n || m == 1), d_row == 1 && (d_column >= m || n == 1));
    let is_along = l_inner == 1 && r_inner == 1;
    match () {
        () if r_column == 1 && by_columns => Some(Way::Plain),
        () if l_row == 1 && by_rows => Some(Way::Around),
        () if is_along && by_columns && dots::are_few(m) => Some(Way::Dots),
        () if is_along && by_rows && dots::are_few(n) => Some(Way::AroundDots),
        () if r_inner == 1 && by_columns && is_worth_turning([m, k, n], l_inner == 1) => Some(Way::Turned),
        () if l_inner == 1 && by_rows && is_worth_turning([n, k, m], r_inner == 1) => Some(Way::AroundTurned),
        () => None,
    }
}

/// Two strides; one that goes backwards is one that never stays inside.
#[inline(always)]
fn steps(strides: &[isize]) -> [usize; 2] {
    [strides[0], strides[1]].map(|stride| usize::try_from(stride).unwrap_or(usize::MAX))
}

/// Whether a matrix, which is not empty, lies inside of its slice.
#[inline(always)]
fn reaches<T>(data: &[T], offset: usize, sizes: [usize; 2], steps: [usize; 2]) -> bool {
    let [down, across] = [0, 1].map(|i| (sizes[i] - 1).saturating_mul(steps[i]));
    offset.saturating_add(down).saturating_add(across) < data.len()
}

/// A product whose columns follow each other in `right` and in the result.
struct Product<'a, T> {
    scale: T,
    /// Rows, terms of a sum, columns.
    size: [usize; 3],
    left: &'a [T],
    /// From row to row and from term to term of `left`.
    steps: [usize; 2],
    right: &'a [T],
    /// From row to row of `right`.
    down: usize,
}

impl<T: Lanes> Product<'_, T> {
    /// Computes all rows and columns; the rows of `out` begin `step` apart. All elements were found to be inside.
    fn run(&self, out: &mut [T], step: usize) {
        if is_low::<T>(self.size) {
            let &Product { scale, size, left, steps, right, down } = self;
            // SAFETY: all rows of the result are inside of the slice, which is borrowed mutably.
            return unsafe { Low { scale, sizes: size, left, steps, right, down }.run(out.as_mut_ptr(), step) };
        }
        vectors::dispatch(Whole { product: self, out, step });
    }

    /// `R` rows from this one on, in tiles of `N` registers at most. Wider tiles are not compiled.
    #[inline(always)]
    fn rows<S: Simd, const R: usize, const N: usize>(&self, simd: S, row: usize, out: &mut [T], step: usize) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let mut column = 0;
        while column < self.size[2] {
            match (self.size[2] - column).div_ceil(lanes).min(N) {
                // Of three registers a fourth is without columns.
                3.. if const { N >= 3 } => {
                    self.tile::<S, R, 4>(simd, [row, column], out, step);
                    column += 4 * lanes;
                }
                2 if const { N >= 2 } => {
                    self.tile::<S, R, 2>(simd, [row, column], out, step);
                    column += 2 * lanes;
                }
                _ => {
                    self.tile::<S, R, 1>(simd, [row, column], out, step);
                    column += lanes;
                }
            }
        }
    }

    /// `R` rows and `N` registers from these on; columns that the product does not have are not written.
    #[inline(always)]
    fn tile<S: Simd, const R: usize, const N: usize>(
        &self,
        simd: S,
        [row, column]: [usize; 2],
        out: &mut [T],
        step: usize,
    ) {
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        let ([across, along], [_, terms, columns]) = (self.steps, self.size);
        let count = (N * lanes).min(columns - column);
        let some: [T::Mask<S>; N] = std::array::from_fn(|n| T::first(simd, count.saturating_sub(n * lanes)));
        let mut sums = [[T::splat(simd, T::default()); N]; R];
        for term in 0..terms {
            let start = term * self.down + column;
            debug_assert!(start + count <= self.right.len(), "the last row of the right matrix is inside");
            let right: [T::Register<S>; N] = std::array::from_fn(|n| {
                // SAFETY: `reaches` has found that term · down + column is a place of `right` for the last term and the
                // last column, and the mask has no columns but those of the product.
                unsafe { T::read(simd, some[n], self.right.as_ptr().wrapping_add(start + n * lanes)) }
            });
            for (i, sums) in sums.iter_mut().enumerate() {
                let at = (row + i) * across + term * along;
                debug_assert!(at < self.left.len(), "the last element of the left matrix is inside");
                // SAFETY: `reaches` has found the same of `left` for the last row and the last term, and a tile has no rows
                // but those of the product.
                let left = T::splat(simd, unsafe { *self.left.get_unchecked(at) });
                for (sum, right) in sums.iter_mut().zip(right) {
                    *sum = T::fused(simd, left, right, *sum);
                }
            }
        }
        let scale = T::splat(simd, self.scale);
        for (i, sums) in sums.into_iter().enumerate() {
            let to = out[(row + i) * step + column..][..count].as_mut_ptr();
            for (n, sum) in sums.into_iter().enumerate() {
                // SAFETY: there are so many columns from `to` on, and the mask has no others.
                unsafe { T::write(simd, some[n], to.wrapping_add(n * lanes), T::times(simd, scale, sum)) };
            }
        }
    }
}

/// All rows and columns of a product.
struct Whole<'a, 'o, T> {
    product: &'a Product<'a, T>,
    out: &'o mut [T],
    step: usize,
}

impl<T: Lanes> WithSimd for Whole<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Whole { product, out, step } = self;
        let mut row = 0;
        while row < product.size[0] {
            if const { is_plain::<T, S>() } {
                product.rows::<S, 1, 1>(simd, row, out, step);
                row += 1;
                continue;
            }
            // Of few rows more columns go side by side: each sum waits for its term before.
            match product.size[0] - row {
                // As many sums as two registers for each of eight rows need no more loads than a processor has time for.
                8.. => {
                    if const { S::REGISTER_COUNT >= 32 } {
                        product.rows::<S, 8, 2>(simd, row, out, step);
                    } else {
                        product.rows::<S, 8, 1>(simd, row, out, step);
                    }
                    row += 8;
                }
                4.. => {
                    product.rows::<S, 4, 2>(simd, row, out, step);
                    row += 4;
                }
                2.. => {
                    product.rows::<S, 2, 4>(simd, row, out, step);
                    row += 2;
                }
                _ => {
                    product.rows::<S, 1, 4>(simd, row, out, step);
                    row += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::Random;

    /// Compares with sums from the first term to the last, to the last bit.
    fn check<T: Lanes>([m, k, n]: [usize; 3], [lhs, rhs, dst]: [[isize; 2]; 3]) {
        let mut random = Random::new(5);
        let mut data = |rows: usize, columns: usize, [down, across]: [isize; 2]| -> Vec<T> {
            let size = 3 + (rows - 1) * down as usize + (columns - 1) * across as usize + 1;
            random.reals(size).into_iter().map(|x| T::narrow(f64::from(x))).collect()
        };
        let (a, b, mut out) = (data(m, k, lhs), data(k, n, rhs), data(m, n, dst));
        let scale = T::narrow(0.3);
        let [left, right] = [(&a, &lhs), (&b, &rhs)].map(|(data, strides)| View { data, offset: 3, strides });
        let mut to = ViewMut { data: &mut out, offset: 3, strides: &dst };
        assert!(product(scale, [m, k, n], left, right, &mut to), "{m} x {k} x {n} is small");
        let at = |strides: [isize; 2], i: usize, j: usize| 3 + i * strides[0] as usize + j * strides[1] as usize;
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let sum = (0..k).fold(T::default(), |sum, x| b[at(rhs, x, j)].times_plus(a[at(lhs, i, x)], sum));
            assert_eq!(out[at(dst, i, j)], scale * sum, "{i}, {j} of {m} x {k} x {n}");
        }
    }

    #[test]
    fn every_element_is_the_sum_from_the_first_term_to_the_last_whatever_tile_it_is_in() {
        for (m, n) in (1..=21).flat_map(|m| (1..=37).map(move |n| (m, n))) {
            let k = 1 + (m + n) % 9;
            let [wide, tall, inner] = [n, m, k].map(|size| size as isize + 2);
            check::<f32>([m, k, n], [[inner, 1], [wide, 1], [wide, 1]]);
            check::<f64>([m, k, n], [[1, tall], [wide, 1], [wide, 1]]);
            check::<f32>([m, k, n], [[1, tall], [1, inner], [1, tall]]);
            check::<f64>([m, k, n], [[1, tall], [wide, 1], [1, tall]]);
        }
    }

    #[test]
    fn a_small_product_is_the_same_in_registers_of_any_width() {
        fn check<T: Lanes>() {
            for size in [[1, 3, 1], [8, 8, 8], [10, 40, 10], [5, 7, 19], [7, 4, 70], [13, 9, 37]] {
                let [m, k, n] = size;
                let mut random = Random::new(6);
                let mut data = |count: usize| -> Vec<T> {
                    random.reals(count).into_iter().map(|x| T::narrow(f64::from(x))).collect()
                };
                let (left, right) = (data(m * k), data(k * n));
                let product =
                    Product { scale: T::narrow(0.3), size, left: &left, steps: [k, 1], right: &right, down: n };
                // What stands behind a row is not touched.
                let computed = |run: &dyn Fn(Whole<'_, '_, T>)| {
                    let mut out = vec![T::narrow(7.0); m * (n + 3)];
                    run(Whole { product: &product, out: &mut out, step: n + 3 });
                    out
                };
                let widest = computed(&|whole| vectors::dispatch(whole));
                assert!(widest.chunks(n + 3).all(|row| row[n..] == [T::narrow(7.0); 3]), "{size:?}");
                assert!(computed(&|whole| whole.with_simd(pulp::Scalar::new())) == widest, "{size:?} in plain loops");
                #[cfg(target_arch = "x86_64")]
                if let Some(simd) = pulp::x86::V3::try_new() {
                    assert!(computed(&|whole| Simd::vectorize(simd, whole)) == widest, "{size:?} in half registers");
                }
            }
        }
        check::<f32>();
        check::<f64>();
    }

    #[test]
    fn what_is_large_or_lies_badly_or_outside_is_left_to_others() {
        let numbers = [1.0_f32; 64];
        let done = |sizes, [lhs, rhs, dst]: [[isize; 2]; 3]| {
            let [left, right] = [&lhs, &rhs].map(|strides| View { data: &numbers, offset: 0, strides });
            let mut out = [0.0; 64];
            product(1.0, sizes, left, right, &mut ViewMut { data: &mut out, offset: 0, strides: &dst })
        };
        assert!(done([4, 4, 4], [[4, 1]; 3]), "this one is small");
        assert!(!done([4, 4, 4], [[4, 1], [1, 4], [4, 1]]), "neither operand lies along the result");
        assert!(!done([4, 4, 4], [[4, 1], [4, 1], [2, 1]]), "rows of the result overlap");
        assert!(!done([4, 4, 4], [[4, 1], [30, 1], [4, 1]]), "an operand leaves its slice");
        assert!(!done([4, 4, 4], [[-4, 1], [4, 1], [4, 1]]), "an operand leaves its slice backwards");
        assert!(!done([4, 0, 4], [[4, 1]; 3]), "there is nothing to sum");
        assert!(!done([2, LONG + 1, 2], [[0, 0], [0, 1], [2, 1]]), "the sum is long");
    }
}
