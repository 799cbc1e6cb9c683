//! Products of a vector and a matrix, which are bound by reading the matrix once.
//!
//! Computes  `y[j] = scale · Σₖ x[k] w[k, j]`  for a matrix whose rows or whose columns lie in one piece.
//! Where rows do, several of them are added to the result at a time, so that memory is read in long runs; where columns
//! do, each gives a dot product. The error is at most `2 k ε Σₖ |x w|`, as that of `matmul`.
//! Not here: which product has a vector (`matmul`), threads.

use super::View;
use super::lanes::vectorised;
use super::math::Scalar;

/// Rows that are added at a time.
const ROWS: usize = 8;
/// Results that are kept near while all rows are added to them: a quarter of a usual first-level cache in `f32`.
const NEAR: usize = 2048;
/// Partial sums of a dot product; see `lanes` for why so many.
pub(super) const SUMS: usize = 64;

/// Whether a matrix with these strides along `k` and `j` is taken, given that of the vector. A dot product of few terms
/// would have more partial sums than terms.
pub(super) fn takes(k: usize, x: isize, w: [isize; 2]) -> bool {
    w[1] == 1 || (w[0] == 1 && x == 1 && k >= SUMS)
}

/// The product of `x`, a view over `k`, and `w`, a view over `k` and the positions of `y`.
///
/// # Panics
/// If a view leaves its slice, or if `takes` does not hold.
pub(super) fn product<T: Scalar>(scale: T, k: usize, x: View<'_, T>, w: View<'_, T>, y: &mut [T]) {
    let (down, right) = (w.strides[0], w.strides[1]);
    if right == 1 {
        let first = |row: usize| w.offset.wrapping_add_signed(row as isize * down);
        let factor = |row: usize| scale * x.data[x.offset.wrapping_add_signed(row as isize * x.strides[0])];
        for (piece, near) in y.chunks_mut(NEAR).enumerate() {
            near.fill(T::default());
            let size = near.len();
            let row = |row: usize| &w.data[first(row) + piece * NEAR..][..size];
            let whole = k - k % ROWS;
            for top in (0..whole).step_by(ROWS) {
                add_several([0, 1, 2, 3, 4, 5, 6, 7].map(|i| factor(top + i)), |i| row(top + i), near);
            }
            for last in whole..k {
                let factor = factor(last);
                add(factor, row(last), near);
            }
        }
    } else {
        let x = &x.data[x.offset..][..k];
        for (column, y) in y.iter_mut().enumerate() {
            *y = scale * dot(x, &w.data[w.offset.wrapping_add_signed(column as isize * right)..][..k]);
        }
    }
}

/// Adds multiples of rows to `y`.
fn add_several<'a, T: Scalar>(factors: [T; ROWS], row: impl Fn(usize) -> &'a [T], y: &mut [T]) {
    let (a, b, c, d) = (row(0), row(1), row(2), row(3));
    let (e, f, g, h) = (row(4), row(5), row(6), row(7));
    vectorised(
        #[inline(always)]
        move || {
            // Slices zipped one by one are what the compiler takes for vectors.
            let (first, second) = (a.iter().zip(b).zip(c).zip(d), e.iter().zip(f).zip(g).zip(h));
            for ((y, (((&a, &b), &c), &d)), (((&e, &f), &g), &h)) in y.iter_mut().zip(first).zip(second) {
                let sum = b.times_plus(factors[1], a.times_plus(factors[0], *y));
                let sum = d.times_plus(factors[3], c.times_plus(factors[2], sum));
                let sum = f.times_plus(factors[5], e.times_plus(factors[4], sum));
                *y = h.times_plus(factors[7], g.times_plus(factors[6], sum));
            }
        },
    );
}

/// Adds a multiple of one row to `y`.
fn add<T: Scalar>(factor: T, row: &[T], y: &mut [T]) {
    vectorised(
        #[inline(always)]
        move || y.iter_mut().zip(row).for_each(|(y, &x)| *y = x.times_plus(factor, *y)),
    );
}

/// `Σ x y`
fn dot<T: Scalar>(x: &[T], y: &[T]) -> T {
    vectorised(
        #[inline(always)]
        move || {
            let mut sums = [T::default(); SUMS];
            let ((xs, x_rest), (ys, y_rest)) = (x.as_chunks::<SUMS>(), y.as_chunks::<SUMS>());
            for (x, y) in xs.iter().zip(ys) {
                for ((sum, &x), &y) in sums.iter_mut().zip(x).zip(y) {
                    *sum = x.times_plus(y, *sum);
                }
            }
            for ((sum, &x), &y) in sums.iter_mut().zip(x_rest).zip(y_rest) {
                *sum = x.times_plus(y, *sum);
            }
            let (first, others) = sums.split_at_mut(SUMS / 8);
            for group in others.chunks_exact(SUMS / 8) {
                for (sum, &other) in first.iter_mut().zip(group) {
                    *sum = *sum + other;
                }
            }
            for half in [4, 2, 1] {
                for i in 0..half {
                    first[i] = first[i] + first[i + half];
                }
            }
            first[0]
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::Random;

    fn check<T: Scalar>(k: usize, n: usize, x_stride: isize, w: [isize; 2], epsilon: f64) {
        let mut random = Random::new(7);
        let mut data =
            |size: usize| -> Vec<T> { random.reals(size).into_iter().map(|x| T::narrow(f64::from(x))).collect() };
        let (xs, ws) = (data(3 + k * x_stride as usize), data(5 + k * w[0] as usize + n * w[1] as usize));
        let x = View { data: &xs, offset: 3, strides: &[x_stride] };
        let matrix = View { data: &ws, offset: 4, strides: &w };
        let mut y = vec![T::narrow(f64::NAN); n];
        product(T::narrow(0.5), k, x, matrix, &mut y);
        for (j, got) in y.into_iter().enumerate() {
            let term = |i: usize| {
                xs[3 + i * x_stride as usize].wide() * ws[4 + i * w[0] as usize + j * w[1] as usize].wide() / 2.0
            };
            let (exact, size) = (0..k).map(term).fold((0.0, 0.0), |(sum, size), x| (sum + x, size + f64::abs(x)));
            let bound = 2.0 * (k as f64 + 1.0) * epsilon * size;
            assert!((got.wide() - exact).abs() <= bound, "{} for {exact} at {j} of {k}x{n} {w:?}", got.wide());
        }
    }

    #[test]
    fn every_size_and_layout_agrees_with_plain_loops() {
        for (k, n) in [(0, 3), (1, 1), (7, 5), (8, 33), (9, 2049), (70, 64), (33, 1), (1000, 17), (64, 4100)] {
            let (down, right) = ([n as isize + 2, 1], [1, k as isize + 3]);
            for (x, w) in [(1, down), (3, down), (1, right)] {
                assert!(takes(k, x, w) || (w[0] == 1 && k < SUMS), "{x} {w:?}");
                check::<f32>(k, n, x, w, f64::from(f32::EPSILON) / 2.0);
                check::<f64>(k, n, x, w, f64::EPSILON / 2.0);
            }
        }
        assert!(!takes(99, 2, [1, 70]) && !takes(99, 1, [2, 2]), "neither rows nor columns are in one piece");
    }
}
