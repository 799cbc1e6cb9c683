//! Small products of a few rows whose operands both lie along the sum: dot products, with nothing turned.
//!
//! Numbers of a sum go into a register side by side, and the sums of [`TOGETHER`] columns go by together; a register is summed
//! half by half in the end. Where an operand lies along the sum and rows are more, it is turned instead (`turned`).
//! Lives here: when that is so, and the loop. Not here: long vectors, and pairs of them (`matmul`).

use super::Product;
use crate::kernel::simd::Lanes;
use crate::kernel::vectors;
use pulp::{Simd, WithSimd};

/// Rows at most: of more it is repaid to turn the other operand.
const ROWS: usize = 3;
/// Columns whose sums go by together.
const TOGETHER: usize = 4;

/// Whether a product of so many rows is best computed so.
pub(super) fn are_few(rows: usize) -> bool {
    rows <= ROWS
}

impl<T: Lanes> Product<'_, T> {
    /// The same as [`Product::run`] for operands that both lie along the sum; the columns of the right one begin `across` apart.
    pub(super) fn run_dots(&self, across: usize, out: &mut [T], step: usize) {
        vectors::dispatch(Dots { product: self, across, out, step });
    }

    /// The sums of `N` columns from this one on, for one row.
    ///
    /// # Safety
    /// There is such a row, and there are such columns.
    #[inline(always)]
    unsafe fn dots<S: Simd, const N: usize>(&self, simd: S, row: usize, column: usize, across: usize) -> [T; N] {
        let (lanes, terms) = (size_of::<T::Register<S>>() / size_of::<T>(), self.size[1]);
        let left = self.left.as_ptr().wrapping_add(row * self.steps[0]);
        let right = self.right.as_ptr().wrapping_add(column * across);
        let mut sums = [T::splat(simd, T::default()); N];
        for start in (0..terms).step_by(lanes) {
            let some = T::first(simd, terms - start);
            // SAFETY: the row is one of the left operand's by the contract of this function, and the mask has no more terms than
            // it has.
            let x = unsafe { T::read(simd, some, left.wrapping_add(start)) };
            for (n, sum) in sums.iter_mut().enumerate() {
                // SAFETY: the same of the columns.
                let y = unsafe { T::read(simd, some, right.wrapping_add(n * across + start)) };
                *sum = T::fused(simd, x, y, *sum);
            }
        }
        let mut results = [T::default(); N];
        results.iter_mut().zip(sums).for_each(|(to, sum)| *to = self.scale * T::sum_of(simd, sum));
        results
    }
}

/// All rows and columns of a product.
struct Dots<'a, 'o, T> {
    product: &'a Product<'a, T>,
    across: usize,
    out: &'o mut [T],
    step: usize,
}

impl<T: Lanes> WithSimd for Dots<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Dots { product, across, out, step } = self;
        let [rows, _, columns] = product.size;
        for row in 0..rows {
            let (whole, rest) = out[row * step..][..columns].as_chunks_mut::<TOGETHER>();
            let first = whole.len() * TOGETHER;
            for (column, to) in (0..).step_by(TOGETHER).zip(whole) {
                // SAFETY: `product` of `near` has found that the last row and the last column are inside of the operands.
                *to = unsafe { product.dots(simd, row, column, across) };
            }
            for (column, to) in (first..).zip(rest) {
                // SAFETY: as above.
                [*to] = unsafe { product.dots(simd, row, column, across) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::matmul::matmul;
    use crate::kernel::near::product;
    use crate::kernel::simd::Lanes;
    use crate::kernel::testing::Random;
    use crate::kernel::{View, ViewMut};

    fn check<T: Lanes>([m, k, n]: [usize; 3], epsilon: f64) {
        let mut random = Random::new(7);
        let mut data =
            |count: usize| -> Vec<T> { random.reals(count).into_iter().map(|x| T::narrow(f64::from(x))).collect() };
        let (apart, step) = (k + 2, n + 1);
        // Nothing stands behind the last element.
        let (a, b) = (data((m - 1) * apart + k), data((n - 1) * apart + k));
        let (rows, columns) = ([apart as isize, 1], [1, apart as isize]);
        let [left, right] = [(&a, &rows), (&b, &columns)].map(|(data, strides)| View { data, offset: 0, strides });
        let turned = [(&b, &rows), (&a, &columns)].map(|(data, strides)| View { data, offset: 0, strides });
        let scale = T::narrow(0.5);
        let (mut out, mut around) = (vec![T::narrow(7.0); m * step], vec![T::narrow(7.0); m * step]);
        let to = &mut ViewMut { data: &mut out, offset: 0, strides: &[step as isize, 1] };
        assert!(product(scale, [m, k, n], left, right, to), "{m} x {k} x {n} are dot products");
        let to = &mut ViewMut { data: &mut around, offset: 0, strides: &[1, step as isize] };
        assert!(product(scale, [n, k, m], turned[0], turned[1], to), "{m} x {k} x {n} seen from the other side");
        assert!(out == around, "both sides are computed alike");
        for (i, row) in out.chunks(step).enumerate() {
            assert_eq!(row[n], T::narrow(7.0), "what lies between rows is not touched");
            for (j, &got) in row[..n].iter().enumerate() {
                let terms = (0..k).map(|x| a[i * apart + x].wide() * b[j * apart + x].wide() / 2.0);
                let (exact, size) = terms.fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()));
                let bound = 2.0 * k as f64 * epsilon * size;
                assert!((got.wide() - exact).abs() <= bound, "{got:?} for {exact} at {i}, {j} of {m} x {k} x {n}");
            }
        }
    }

    #[test]
    fn few_rows_along_the_sum_are_dot_products_with_every_column() {
        for m in 1..=3 {
            for (k, n) in [(2, 2), (9, 17), (16, 4), (17, 5), (77, 5), (31, 31), (1000, 7), (33, 100)] {
                check::<f32>([m, k, n], f64::from(f32::EPSILON) / 2.0);
                check::<f64>([m, k, n], f64::EPSILON / 2.0);
            }
        }
    }

    #[test]
    fn a_batch_of_vectors_and_matrices_is_computed_so() {
        let (xs, ys) = (Random::new(3).reals(50 * 9), Random::new(4).reals(50 * 9 * 17));
        for (along, across) in [(1, 9), (17, 1)] {
            let mut out = vec![0.0; 50 * 17];
            let (l_strides, r_strides) = ([9, 9, 1], [153, along, across]);
            let lhs = View { data: &xs[..], offset: 0, strides: &l_strides };
            let rhs = View { data: &ys[..], offset: 0, strides: &r_strides };
            let dst = ViewMut { data: &mut out, offset: 0, strides: &[17, 0, 1] };
            matmul(1.0, &[50], [1, 9, 17], lhs, rhs, dst, None);
            for (at, &got) in out.iter().enumerate() {
                let (b, j) = (at / 17, at % 17);
                let y = |k: usize| ys[153 * b + k * along as usize + j * across as usize];
                let exact: f64 = (0..9).map(|k| f64::from(xs[9 * b + k]) * f64::from(y(k))).sum();
                assert!((f64::from(got) - exact).abs() < 1e-5, "{got} for {exact} at {b}, {j}");
            }
        }
    }
}
