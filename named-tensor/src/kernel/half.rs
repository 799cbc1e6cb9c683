//! Products of a few rows with a matrix that is stored in 16 bits.
//!
//! Computes  `dst[i, j] = scale · Σₖ x[i, k] w[k, j]`  for a few rows i, with `w` in [`Bf16`], contiguous along j or along k.
//! Each element of `w` is widened in a register when it is used: a word of a decoder takes the time of reading its
//! weights, which are half as many bytes. The sums are taken in the precision of `x`, in a fixed order for each column,
//! with the error of `matmul`; so results do not depend on the number of threads.
//! Not here: many rows, for which the matrix is widened beforehand (`plan::widen`); other layouts, as well.

use super::lanes::vectorised;
use super::math::Scalar;
use super::parallel;
use super::span::{check_distinct, check_inside};
use super::vector::{Few, STREAMS, Weight};
use super::{View, ViewMut};
use crate::element::Bf16;
use std::ops::Range;

/// Elements of `w` that one piece of work reads: enough to be worth handing out, few enough that no thread waits long.
const PIECE: usize = 256 * 1024;
/// Columns of a piece where they are contiguous: whole rows come from memory as one stream, as long as the sums stay in the
/// nearest cache.
const WIDE: usize = 4096;
/// Parts of the sum that are taken by themselves, at most: each needs sums of its own.
const PARTS: usize = 8;

/// The product of `x`, a view over `m` rows and `k`, and `w`, a view over `k` and `n` columns, one of whose strides is 1.
/// `dst` is a view over `m` and `n`; what it held does not matter. An empty sum is 0.
///
/// # Panics
/// If a view leaves its slice, if positions of the destination overlap, or if `w` is not contiguous either way.
pub(crate) fn product<T: Scalar>(
    scale: T,
    [m, k, n]: [usize; 3],
    x: View<'_, T>,
    w: View<'_, Bf16>,
    dst: ViewMut<'_, T>,
) {
    check_inside("product of halves: rows", x.data.len(), x.offset, &[m, k], x.strides);
    check_inside("product of halves: matrix", w.data.len(), w.offset, &[k, n], w.strides);
    check_inside("product of halves: destination", dst.data.len(), dst.offset, &[m, n], dst.strides);
    check_distinct("product of halves", &[m, n], dst.strides);
    if m * n == 0 {
        return;
    }
    let pieces = Pieces::of([k, n], &w);
    let rows: Vec<T> = (0..m)
        .flat_map(|i| (0..k).map(move |l| (i, l)))
        .map(|(i, l)| x.data[at(x.offset, x.strides, i, l)] * scale)
        .collect();
    let mut sums = vec![T::default(); pieces.total() * m * pieces.columns];
    parallel::for_each_chunk(&mut sums, m * pieces.columns, |start, sums| {
        let (depths, columns) = pieces.piece(start / (m * pieces.columns));
        let sums = &mut sums[..m * columns.len()];
        if depths.is_empty() {
            return;
        }
        let first = at(w.offset, w.strides, depths.start, 0);
        if pieces.is_across {
            let x = rows.chunks_exact(k).flat_map(|row| &row[depths.clone()]).copied().collect();
            let along = w.strides[0] as usize;
            let few = Few { x, k: depths.len(), w: &w.data[first..], along, far: along == n };
            few.columns(columns, sums);
        } else {
            let width = columns.len();
            for (j, column) in columns.enumerate() {
                let column = &w.data[at(first, w.strides, 0, column)..][..k];
                for (i, row) in rows.chunks_exact(k).enumerate() {
                    sums[i * width + j] = dot(row, column);
                }
            }
        }
    });
    for (piece, sums) in sums.chunks_exact(m * pieces.columns).enumerate() {
        let (depths, columns) = pieces.piece(piece);
        for (i, sums) in sums.chunks_exact(columns.len()).take(m).enumerate() {
            let first = at(dst.offset, dst.strides, i, columns.start);
            let mut add = |j: usize, sum: T| {
                let to = &mut dst.data[at(first, dst.strides, 0, j)];
                *to = if depths.start == 0 { sum } else { *to + sum };
            };
            sums.iter().enumerate().for_each(|(j, &sum)| add(j, sum));
        }
    }
}

/// Where an element stands.
fn at(offset: usize, strides: &[isize], i: usize, j: usize) -> usize {
    offset.wrapping_add_signed(strides[0] * i as isize + strides[1] * j as isize)
}

/// The work in pieces, which depend on the sizes alone.
struct Pieces {
    k: usize,
    n: usize,
    /// Whether the matrix is contiguous along its columns; else it is along the sum.
    is_across: bool,
    /// How much of the sum is in a piece, and how many columns.
    depth: usize,
    columns: usize,
}

impl Pieces {
    fn of([k, n]: [usize; 2], w: &View<'_, Bf16>) -> Pieces {
        let is_across = w.strides[1] == 1 && w.strides[0] >= 0;
        assert!(k == 0 || is_across || w.strides[0] == 1, "product of halves: a matrix that is contiguous");
        if !is_across {
            return Pieces { k, n, is_across, depth: k.max(1), columns: PIECE.div_ceil(k.max(1)).min(n) };
        }
        let columns = WIDE.min(n);
        let parts = (k * columns).div_ceil(PIECE).min(PARTS.div_ceil(n.div_ceil(columns))).max(1);
        Pieces { k, n, is_across, depth: k.div_ceil(parts).next_multiple_of(STREAMS).max(STREAMS), columns }
    }

    /// How many there are.
    fn total(&self) -> usize {
        self.k.div_ceil(self.depth).max(1) * self.n.div_ceil(self.columns)
    }

    /// Which part of the sum and which columns a piece has; the parts of the sum follow each other.
    fn piece(&self, number: usize) -> (Range<usize>, Range<usize>) {
        let across = self.n.div_ceil(self.columns);
        let part =
            |number: usize, size: usize, total: usize| (number * size).min(total)..((number + 1) * size).min(total);
        (part(number / across, self.depth, self.k), part(number % across, self.columns, self.n))
    }
}

/// `Σₖ xₖ wₖ`: term k in lane `k % 64`, the lanes by halves, and then the terms that fill no lanes.
fn dot<T: Scalar>(x: &[T], w: &[Bf16]) -> T {
    vectorised(
        #[inline(always)]
        move || {
            let mut lanes = [T::default(); 64];
            let ((xs, x_rest), (ws, w_rest)) = (x.as_chunks::<64>(), w.as_chunks::<64>());
            for (x, w) in xs.iter().zip(ws) {
                for i in 0..64 {
                    lanes[i] = x[i].times_plus(w[i].widen(), lanes[i]);
                }
            }
            // No lane is chosen by a variable, so that all of them stay in registers.
            let lanes: [T; 8] = halved(halved::<T, 32, 16>(halved::<T, 64, 32>(lanes)));
            let [sum] = halved::<T, 2, 1>(halved::<T, 4, 2>(halved(lanes)));
            x_rest.iter().zip(w_rest).fold(sum, |sum, (&x, w)| x.times_plus(w.widen(), sum))
        },
    )
}

/// The sum of the first and the second half.
#[inline(always)]
fn halved<T: Scalar, const N: usize, const M: usize>(lanes: [T; N]) -> [T; M] {
    let mut sums = [T::default(); M];
    for i in 0..M {
        sums[i] = lanes[i] + lanes[i + M];
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::Random;

    /// Compares with three plain loops in `f64`; the destination starts as NaN.
    fn check<T: Scalar>([m, k, n]: [usize; 3], [x, w, dst]: [[isize; 2]; 3], epsilon: f64) {
        let reach = |sizes: [usize; 2], strides: [isize; 2]| -> usize {
            3 + sizes.iter().zip(strides).map(|(&n, s)| n.saturating_sub(1) * s as usize).sum::<usize>()
        };
        let mut random = Random::new(5);
        let xs: Vec<T> = random.reals(reach([m, k], x)).into_iter().map(|x| T::narrow(f64::from(x))).collect();
        let ws: Vec<Bf16> = random.reals(reach([k, n], w)).into_iter().map(Bf16::rounded).collect();
        let mut out = vec![T::narrow(f64::NAN); reach([m, n], dst)];
        let (left, right) = (View { data: &xs, offset: 1, strides: &x }, View { data: &ws, offset: 2, strides: &w });
        product(T::narrow(0.25), [m, k, n], left, right, ViewMut { data: &mut out, offset: 1, strides: &dst });
        let at = |[down, right]: [isize; 2], i: usize, j: usize| down as usize * i + right as usize * j;
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let (mut exact, mut size) = (0.0, 0.0);
            for l in 0..k {
                let term = xs[1 + at(x, i, l)].wide() * f64::from(ws[2 + at(w, l, j)].widened()) / 4.0;
                exact += term;
                size += term.abs();
            }
            let got = out[1 + at(dst, i, j)].wide();
            assert!(
                (got - exact).abs() <= 2.0 * k as f64 * epsilon * size,
                "{got} for {exact} at {i}, {j} of {m}x{k}x{n}"
            );
        }
    }

    #[test]
    fn products_with_a_matrix_in_16_bits_are_those_of_plain_loops_with_the_widened_numbers() {
        for [m, k, n] in [[1, 1, 1], [1, 7, 5], [3, 0, 4], [1, 768, 100], [2, 65, 33], [8, 300, 1000], [5, 2000, 301]] {
            let (k_, n_, m_) = (k as isize, n as isize, m as isize);
            for x in [[k_, 1], [1, m_]] {
                for w in [[n_, 1], [1, k_], [n_ + 3, 1], [1, k_ + 2], [0, 1]] {
                    for dst in [[n_, 1], [1, m_], [2 * n_ + 1, 2]] {
                        check::<f32>([m, k, n], [x, w, dst], f64::from(f32::EPSILON) / 2.0);
                        check::<f64>([m, k, n], [x, w, dst], f64::EPSILON / 2.0);
                    }
                }
            }
        }
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn a_product_with_a_matrix_in_16_bits_does_not_depend_on_the_number_of_threads() {
        use crate::kernel::threads::with_threads;
        let ws: Vec<Bf16> = Random::new(1).reals(700 * 1900).into_iter().map(Bf16::rounded).collect();
        let xs = Random::new(2).reals(2 * 700);
        for strides in [[1900, 1], [1, 700]] {
            let all = || {
                let mut out = vec![0.0_f32; 2 * 1900];
                let (x, w) = (
                    View { data: &xs[..], offset: 0, strides: &[700, 1] },
                    View { data: &ws[..], offset: 0, strides: &strides },
                );
                product(1.0, [2, 700, 1900], x, w, ViewMut { data: &mut out, offset: 0, strides: &[1900, 1] });
                out
            };
            let alone = with_threads(1, all);
            assert!((2..4).all(|count| with_threads(count, all) == alone), "bit for bit");
        }
    }

    #[test]
    #[should_panic(expected = "contiguous")]
    fn a_matrix_with_gaps_both_ways_is_refused() {
        let (x, w) = ([1.0_f32; 4], [Bf16::default(); 16]);
        let (x, w) =
            (View { data: &x[..], offset: 0, strides: &[2, 1] }, View { data: &w[..], offset: 0, strides: &[6, 2] });
        product(1.0, [2, 2, 2], x, w, ViewMut { data: &mut [0.0; 4], offset: 0, strides: &[2, 1] });
    }
}
