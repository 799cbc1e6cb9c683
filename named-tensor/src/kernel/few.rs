//! Products of a few rows with a large matrix, which is read once, as fast as memory gives it.
//!
//! Computes  `dst[i, j] = scale · Σₖ x[i, k] w[k, j]`  for a few rows i, with `w` contiguous along j or along k, in the
//! precision of `x` or in [`Bf16`](crate::element::Bf16): then it is widened in a register, and half as many bytes are read.
//! Lives here: which part of the matrix a thread reads at a time. Parts are long runs of memory, even where the sum is cut
//! for it: threads that share rows of a matrix read short runs that lie far apart, and come to two thirds of the speed.
//! The pieces depend on the sizes alone, and their sums are joined in order: results do not depend on the number of threads.
//! The error is that of `matmul`; the factor is multiplied into the rows first.
//! Not here: the loops over a part (`vector`), many rows, batches (`matmul`), other layouts of a matrix in 16 bits
//! (`plan::widen`).

use super::math::Scalar;
use super::parallel;
use super::span::{check_distinct, check_inside};
use super::vector::{DEPTH, Few, STREAMS, Weight};
use super::{View, ViewMut};
use std::ops::Range;

/// Elements of a piece at least: enough to be worth handing out.
const PIECE: usize = 64 * 1024;
/// Parts of the sum that are taken by themselves for threads, at most: each needs sums of its own. A power of two, as numbers
/// of threads are.
const PARTS: usize = 8;
/// Terms of a part at most: they are added one after the other, and a sum of many parts keeps its digits.
const DEEP: usize = 256;
/// Columns of a piece where they are contiguous, as long as their sums stay in a near cache.
const WIDE: usize = 8192;
/// Pieces of a matrix that is contiguous along the sum, at most: sixty-four short ones come a quarter slower from memory.
const MOST: usize = 8;

/// The product of `x`, a view over `m` rows and `k`, and `w`, a view over `k` and `n` columns, one of whose strides is 1.
/// `dst` is a view over `m` and `n`; what it held does not matter. An empty sum is 0.
///
/// # Panics
/// If a view leaves its slice, if positions of the destination overlap, or if `w` is not contiguous either way.
pub(crate) fn product<T: Scalar, W: Weight<T>>(
    scale: T,
    [m, k, n]: [usize; 3],
    x: View<'_, T>,
    w: View<'_, W>,
    dst: ViewMut<'_, T>,
) {
    check_inside("product of a few rows: rows", x.data.len(), x.offset, &[m, k], x.strides);
    check_inside("product of a few rows: matrix", w.data.len(), w.offset, &[k, n], w.strides);
    check_inside("product of a few rows: destination", dst.data.len(), dst.offset, &[m, n], dst.strides);
    check_distinct("product of a few rows", &[m, n], dst.strides);
    if m * n == 0 {
        return;
    }
    let pieces = Pieces::of([k, n], &w);
    let mut rows = scaled(scale, [m, k], x);
    // Two or three rows across a matrix are joined by rows of zeros: four take less time together than two one by one.
    let together = if pieces.is_across && m % STREAMS > 1 { m.next_multiple_of(STREAMS) } else { m };
    rows.resize(together * k, T::default());
    let each = together * pieces.columns;
    let add_piece = |number: usize, sums: &mut [T]| {
        let (depths, columns) = pieces.piece(number);
        let sums = &mut sums[..together * columns.len()];
        if depths.is_empty() {
            return;
        }
        let w = &w.data[at(w.offset, w.strides, depths.start, columns.start)..];
        let few = Few { x: &rows[depths.start..], rows: together, pitch: k, k: depths.len(), w, apart: pieces.apart };
        if pieces.is_across { few.across(sums) } else { few.along(sums) }
    };
    if together == 1 && k <= pieces.depth && dst.strides[1] == 1 {
        // One row whose sums are not cut is its own place for them.
        parallel::for_each_chunk(&mut dst.data[dst.offset..][..n], each, |start, sums| {
            sums.fill(T::default());
            add_piece(start / each, sums);
        });
        return;
    }
    let mut sums = vec![T::default(); pieces.total() * each];
    parallel::for_each_chunk(&mut sums, each, |start, sums| add_piece(start / each, sums));
    for (piece, sums) in sums.chunks_exact(each).enumerate() {
        let (depths, columns) = pieces.piece(piece);
        for (i, sums) in sums.chunks_exact(columns.len()).take(m).enumerate() {
            let first = at(dst.offset, dst.strides, i, columns.start);
            join(sums, depths.start == 0, first, dst.strides[1], dst.data);
        }
    }
}

/// Rows side by side, a factor in them.
pub(super) fn scaled<T: Scalar>(scale: T, [m, k]: [usize; 2], x: View<'_, T>) -> Vec<T> {
    let mut rows = Vec::with_capacity(m * k);
    for i in 0..m {
        let first = at(x.offset, x.strides, i, 0);
        if x.strides[1] == 1 {
            rows.extend(x.data[first..][..k].iter().map(|&x| x * scale));
        } else {
            rows.extend((0..k).map(|l| x.data[at(first, x.strides, 0, l)] * scale));
        }
    }
    rows
}

/// Writes sums, or adds them to those that stand there.
fn join<T: Scalar>(sums: &[T], is_first: bool, first: usize, stride: isize, dst: &mut [T]) {
    let put = |to: &mut T, sum: T| *to = if is_first { sum } else { *to + sum };
    if stride == 1 {
        dst[first..][..sums.len()].iter_mut().zip(sums).for_each(|(to, &sum)| put(to, sum));
    } else {
        (0..).zip(sums).for_each(|(j, &sum)| put(&mut dst[first.wrapping_add_signed(stride * j)], sum));
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
    /// The stride of the matrix along the other axis.
    apart: usize,
    /// How much of the sum is in a piece, and how many columns.
    depth: usize,
    columns: usize,
}

impl Pieces {
    fn of<W>([k, n]: [usize; 2], w: &View<'_, W>) -> Pieces {
        let is_across = w.strides[1] == 1 && w.strides[0] >= 0;
        let is_along = w.strides[0] == 1 && w.strides[1] >= 0;
        assert!(k == 0 || is_across || is_along, "product of a few rows: a matrix that is contiguous");
        if !is_across {
            let columns = n.div_ceil((k * n / PIECE).clamp(1, MOST));
            return Pieces { k, n, is_across, apart: w.strides[1] as usize, depth: k.max(1), columns };
        }
        let columns = n.div_ceil(n.div_ceil(WIDE));
        let wanted = PARTS.div_ceil(n.div_ceil(columns)).next_power_of_two();
        let parts = (1 << (k * columns / PIECE).max(1).ilog2()).min(wanted).max(k.div_ceil(DEEP));
        let depth = k.div_ceil(parts).next_multiple_of(DEPTH).max(DEPTH);
        Pieces { k, n, is_across, apart: w.strides[0] as usize, depth, columns }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Bf16;
    use crate::kernel::testing::Random;

    /// Compares with three plain loops in `f64`; the destination starts as NaN.
    fn check<T: Scalar, W: Weight<T>>(
        stored: fn(f32) -> W,
        [m, k, n]: [usize; 3],
        [x, w, dst]: [[isize; 2]; 3],
        epsilon: f64,
    ) {
        let reach = |sizes: [usize; 2], strides: [isize; 2]| -> usize {
            3 + sizes.iter().zip(strides).map(|(&n, s)| n.saturating_sub(1) * s as usize).sum::<usize>()
        };
        let mut random = Random::new(5);
        let xs: Vec<T> = random.reals(reach([m, k], x)).into_iter().map(|x| T::narrow(f64::from(x))).collect();
        let ws: Vec<W> = random.reals(reach([k, n], w)).into_iter().map(stored).collect();
        let mut out = vec![T::narrow(f64::NAN); reach([m, n], dst)];
        let (left, right) = (View { data: &xs, offset: 1, strides: &x }, View { data: &ws, offset: 2, strides: &w });
        product(T::narrow(0.25), [m, k, n], left, right, ViewMut { data: &mut out, offset: 1, strides: &dst });
        let at = |[down, right]: [isize; 2], i: usize, j: usize| down as usize * i + right as usize * j;
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let (mut exact, mut size) = (0.0, 0.0);
            for l in 0..k {
                let term = xs[1 + at(x, i, l)].wide() * ws[2 + at(w, l, j)].widen().wide() / 4.0;
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

    /// Sizes around those of lanes, streams, pieces and parts of the sum.
    const SIZES: &[[usize; 3]] = &[
        [1, 1, 1],
        [1, 7, 5],
        [3, 0, 4],
        [1, 768, 100],
        [2, 65, 33],
        [8, 70, 1000],
        [5, 1300, 131],
        [1, 31, 4097],
        [1, 33, 8193],
        [2, 1025, 256],
        [1, 4099, 67],
        [3, 130, 1025],
        [1, 17, 20000],
        [1, 7, 20000],
        [4, 7, 300],
        [4, 40, 1100],
        [9, 70, 700],
        [20, 40, 1025],
    ];

    #[test]
    fn products_of_a_few_rows_are_those_of_plain_loops_with_the_stored_numbers() {
        for &[m, k, n] in SIZES {
            let (k_, n_, m_) = (k as isize, n as isize, m as isize);
            let (rows, columns, apart) = ([n_, 1], [1, m_], [2 * n_ + 1, 2]);
            for (x, dst) in [([k_, 1], rows), ([k_, 1], columns), ([1, m_], rows), ([1, m_], apart)] {
                for w in [[n_, 1], [1, k_], [n_ + 3, 1], [1, k_ + 2], [0, 1]] {
                    check::<f32, Bf16>(Bf16::rounded, [m, k, n], [x, w, dst], f64::from(f32::EPSILON) / 2.0);
                    check::<f64, Bf16>(Bf16::rounded, [m, k, n], [x, w, dst], f64::EPSILON / 2.0);
                    check::<f32, f32>(|x| x, [m, k, n], [x, w, dst], f64::from(f32::EPSILON) / 2.0);
                    check::<f64, f64>(f64::from, [m, k, n], [x, w, dst], f64::EPSILON / 2.0);
                }
            }
        }
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn a_product_of_a_few_rows_does_not_depend_on_the_number_of_threads() {
        use crate::kernel::threads::with_threads;
        let ws = Random::new(1).reals(700 * 1900);
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
