//! Products of a matrix and a few vectors, in one thread.
//!
//! Computes  `sums[i, j] = Σₖ x[i, k] w[k, j]`  for a few rows i, with `w` contiguous along j or along k.
//! With so few rows every element of `w` is used as often as there are rows, and a product of matrices, which first copies
//! `w` into another order, would spend its time on the copy. Here `w` is read once, in the order in which it lies, and
//! widened in a register if it is stored in 16 bits.
//! A processor fetches ahead in several places of memory at once, but not in several places of one page: so some rows of
//! `w` are read together that are far apart, each followed by its neighbour in the next round.
//! Not here: products of large matrices (`matmul`), threads (`few`).
//! The order in which the sum over k is taken follows from the sizes and strides alone.

mod dots;

use super::ahead::fetch_at;
use super::lanes::vectorised;
use super::math::Scalar;
use super::simd::Lanes;
use super::stream::LINE;
use crate::element::Bf16;
use smallvec::SmallVec;

/// Rows of `w` that are added to the sums together, so that the sums are read and written once for all of them.
pub(super) const DEPTH: usize = 8;
/// Places that are far apart, in which rows are read where they go on without gaps.
pub(super) const STREAMS: usize = 4;
/// Sums that stay in the nearest cache, until all vectors had some columns of the rows that are added; and the columns that
/// are worth a call.
const NEAR: usize = 4096;
const LEAST: usize = 64;
/// Rows that take turns with the same columns, at most.
pub(super) const TOGETHER: usize = 7;
/// Terms of a sum that are taken side by side.
const LANES: usize = 32;
/// The same where they are widened first. With fewer the compiler takes the loop over them apart, as `dots` tells.
const WIDENED_LANES: usize = 64;

/// How far ahead elements of a column are asked for, in bytes. A processor expects them by itself, but comes to them late
/// where they do not begin with a line of memory, and where much is computed with each.
const AHEAD: usize = 2 * 1024;

/// An element of a matrix as it is stored, to be computed with in `T`.
pub(crate) trait Weight<T>: Copy + Sync {
    /// The same number.
    fn widen(self) -> T;
    /// Whether fewer than four vectors have two rows, which follow each other, in each place that is read: a fifth faster.
    /// What is widened comes a third slower so.
    const BOTH: bool;
    /// `Σₖ xₖ wₖ` for four columns and each of some rows x, at most `R`.
    fn dots<const R: usize>(rows: &[&[T]], columns: [&[Self]; STREAMS]) -> [[T; STREAMS]; R];
}

impl<T: Lanes> Weight<T> for T {
    const BOTH: bool = true;

    #[inline(always)]
    fn widen(self) -> T {
        self
    }

    #[inline(always)]
    fn dots<const R: usize>(rows: &[&[T]], columns: [&[T]; STREAMS]) -> [[T; STREAMS]; R] {
        let k = columns[0].len();
        let mut lanes = [[[T::default(); LANES]; STREAMS]; R];
        let lanes = &mut lanes[..rows.len()];
        // Rows take turns, so that what is asked for while they do arrives beside what is computed.
        let part = if R == 1 { k.max(1) } else { AHEAD / size_of::<T>() };
        for start in (0..k).step_by(part) {
            let some = start..k.min(start + part);
            let are_last = some.end == k;
            let groups = rows.chunks(dots::MOST).zip(lanes.chunks_mut(dots::MOST));
            for (number, (group, lanes)) in groups.enumerate() {
                let columns = columns.map(|column| &column[some.clone()]);
                dots::add(group, some.start, columns, [number * dots::MOST, rows.len()], lanes, are_last);
            }
        }
        let mut sums = [[T::default(); STREAMS]; R];
        for (lanes, sums) in lanes.iter().zip(&mut sums) {
            // Those of no terms are 0 as they were.
            *sums = lanes.map(|[sum, ..]| sum);
        }
        sums
    }
}

impl<T: Scalar> Weight<T> for Bf16 {
    const BOTH: bool = false;

    #[inline(always)]
    fn widen(self) -> T {
        T::of_bf16(self)
    }

    #[inline(always)]
    fn dots<const R: usize>(rows: &[&[T]], columns: [&[Bf16]; STREAMS]) -> [[T; STREAMS]; R] {
        let mut sums = [[T::default(); STREAMS]; R];
        for (&x, sums) in rows.iter().zip(&mut sums) {
            *sums = widened_dots(x, columns);
        }
        sums
    }
}

/// A few rows, and the matrix they are multiplied with.
#[derive(Debug)]
pub(super) struct Few<'a, T, W = T> {
    /// The rows, each contiguous, from the first element on; a factor of the product is already in them.
    pub(super) x: &'a [T],
    /// How many rows there are, how far apart they begin, and how many terms of each are summed.
    pub(super) rows: usize,
    pub(super) pitch: usize,
    pub(super) k: usize,
    /// The matrix, from its first element on.
    pub(super) w: &'a [W],
    /// Its stride along the axis along which it is not contiguous.
    pub(super) apart: usize,
}

impl<T: Scalar, W: Weight<T>> Few<'_, T, W> {
    /// The terms of each row, with the row of `sums`.
    fn rows<'s>(&'s self, sums: &'s mut [T]) -> impl Iterator<Item = (&'s [T], &'s mut [T])> {
        let width = sums.len() / self.rows;
        self.x.chunks(self.pitch).map(|row| &row[..self.k]).zip(sums.chunks_exact_mut(width))
    }

    /// Adds the result with a matrix that is contiguous along its columns to `sums`, which holds it row by row.
    ///
    /// # Panics
    /// If the columns leave the matrix.
    pub(super) fn across(&self, sums: &mut [T]) {
        let width = sums.len() / self.rows;
        let row = |k: usize| -> &[W] { &self.w[k * self.apart..][..width] };
        let done = match (self.apart == width, W::BOTH && self.rows < STREAMS) {
            (true, false) => {
                let round = self.k / STREAMS;
                (0..round).for_each(|k| self.rows_at::<STREAMS>(|r| k + r * round, row, sums));
                STREAMS * round
            }
            (true, true) => {
                let round = self.k / DEPTH * 2;
                (0..round).step_by(2).for_each(|k| self.rows_at::<DEPTH>(|r| k + r % 2 + r / 2 * round, row, sums));
                STREAMS * round
            }
            (false, _) => {
                let whole = self.k - self.k % DEPTH;
                (0..whole).step_by(DEPTH).for_each(|k| self.rows_at::<DEPTH>(|r| k + r, row, sums));
                whole
            }
        };
        let (four, two) = (done + (self.k - done) / 4 * 4, done + (self.k - done) / 2 * 2);
        (done..four).step_by(4).for_each(|k| self.rows_at::<4>(|r| k + r, row, sums));
        (four..two).step_by(2).for_each(|k| self.rows_at::<2>(|r| k + r, row, sums));
        (two..self.k).for_each(|k| self.rows_at::<1>(|_| k, row, sums));
    }

    /// Adds these rows of the matrix to the sums.
    fn rows_at<'w, const N: usize>(
        &'w self,
        at: impl Fn(usize) -> usize,
        row: impl Fn(usize) -> &'w [W],
        sums: &mut [T],
    ) {
        let rows: [&[W]; N] = std::array::from_fn(|r| row(at(r)));
        let (width, near) = (rows[0].len(), (NEAR / self.rows).max(LEAST));
        let terms = |x: &[T]| -> [T; N] { std::array::from_fn(|r| x[at(r)]) };
        for start in (0..width).step_by(near) {
            let some = start..width.min(start + near);
            let weights = rows.map(|row| &row[some.clone()]);
            let mut left = self.rows(sums).map(|(x, sums)| (terms(x), &mut sums[some.clone()]));
            loop {
                match [left.next(), left.next(), left.next(), left.next()] {
                    [Some((x0, s0)), Some((x1, s1)), Some((x2, s2)), Some((x3, s3))] => {
                        add_to_four([x0, x1, x2, x3], weights, [s0, s1, s2, s3]);
                    }
                    fewer => {
                        for (x, sums) in fewer.into_iter().flatten() {
                            add_to_one(x, weights, sums);
                        }
                        break;
                    }
                }
            }
        }
    }

    /// Writes the result with a matrix that is contiguous along the sum, row by row.
    ///
    /// # Panics
    /// If the columns leave the matrix.
    pub(super) fn along(&self, sums: &mut [T]) {
        let width = sums.len() / self.rows;
        let round = width / STREAMS;
        let column = |j: usize| &self.w[j * self.apart..][..self.k];
        let xs: SmallVec<[&[T]; TOGETHER]> = (0..self.rows).map(|i| &self.x[i * self.pitch..][..self.k]).collect();
        for j in 0..round {
            let columns: [&[W]; STREAMS] = std::array::from_fn(|c| column(j + c * round));
            for (rows, sums) in xs.chunks(TOGETHER).zip(sums.chunks_mut(TOGETHER * width)) {
                let mut put = |dots: &[[T; STREAMS]]| {
                    for (dots, sums) in dots.iter().zip(sums.chunks_exact_mut(width)) {
                        dots.iter().enumerate().for_each(|(c, &dot)| sums[j + c * round] = dot);
                    }
                };
                match rows.len() {
                    1 => put(&W::dots::<1>(rows, columns)),
                    2 => put(&W::dots::<2>(rows, columns)),
                    3 | 4 => put(&W::dots::<4>(rows, columns)),
                    5 | 6 => put(&W::dots::<6>(rows, columns)),
                    _ => put(&W::dots::<TOGETHER>(rows, columns)),
                }
            }
        }
        for j in STREAMS * round..width {
            let column = column(j);
            for (x, sums) in self.rows(sums) {
                sums[j] = vectorised(
                    #[inline(always)]
                    move || dot(x, column),
                );
            }
        }
    }
}

/// `sumsⱼ += Σᵣ xᵣ rowsᵣⱼ`, in the order of r.
#[inline(always)]
pub(super) fn add<T: Scalar, W: Weight<T>, const N: usize>(x: [T; N], rows: [&[W]; N], sums: &mut [T]) {
    let width = sums.len();
    let rows = rows.map(|row| &row[..width]);
    for j in 0..width {
        let mut sum = sums[j];
        for r in 0..N {
            sum = x[r].times_plus(rows[r][j].widen(), sum);
        }
        sums[j] = sum;
    }
}

/// The same, compiled for the vectors at hand.
fn add_to_one<T: Scalar, W: Weight<T>, const N: usize>(x: [T; N], rows: [&[W]; N], sums: &mut [T]) {
    vectorised(
        #[inline(always)]
        move || add(x, rows, sums),
    );
}

/// The same for four rows x and their sums, so that what is read of the matrix is used four times.
fn add_to_four<T: Scalar, W: Weight<T>, const N: usize>(x: [[T; N]; 4], rows: [&[W]; N], sums: [&mut [T]; 4]) {
    vectorised(
        #[inline(always)]
        move || {
            let width = rows[0].len();
            let rows = rows.map(|row| &row[..width]);
            let [s0, s1, s2, s3] = sums;
            let (s0, s1, s2, s3) = (&mut s0[..width], &mut s1[..width], &mut s2[..width], &mut s3[..width]);
            for j in 0..width {
                let mut sums = [s0[j], s1[j], s2[j], s3[j]];
                for r in 0..N {
                    let weight = rows[r][j].widen();
                    for i in 0..4 {
                        sums[i] = x[i][r].times_plus(weight, sums[i]);
                    }
                }
                [s0[j], s1[j], s2[j], s3[j]] = sums;
            }
        },
    );
}

/// Asks for what lies so far behind these elements: further terms of their column, or the next one.
#[inline(always)]
fn ask_ahead<W>(some: &[W]) {
    let from = some.as_ptr().wrapping_add(AHEAD / size_of::<W>());
    (0..some.len()).step_by(LINE / size_of::<W>()).for_each(|at| fetch_at(from.wrapping_add(at)));
}

// What follows is compiled once for each kind of numbers: a closure in a function is compiled for each of its constants.

/// `Σₖ xₖ wₖ` for four columns: term k in lane `k % 64`, the halves of which are then added, the others as [`ended`] has them.
fn widened_dots<T: Scalar>(x: &[T], columns: [&[Bf16]; STREAMS]) -> [T; STREAMS] {
    vectorised(
        #[inline(always)]
        move || widened(x, columns),
    )
}

/// The same, in whatever it stands in.
#[inline(always)]
fn widened<T: Scalar>(x: &[T], columns: [&[Bf16]; STREAMS]) -> [T; STREAMS] {
    let (xs, x_rest) = x.as_chunks::<WIDENED_LANES>();
    let [c0, c1, c2, c3] = columns.map(|column| &column.as_chunks::<WIDENED_LANES>().0[..xs.len()]);
    // No lane is chosen by a variable, so that all of them stay in registers.
    let [mut s0, mut s1, mut s2, mut s3] = [[T::default(); WIDENED_LANES]; STREAMS];
    for ((((x, c0), c1), c2), c3) in xs.iter().zip(c0).zip(c1).zip(c2).zip(c3) {
        [c0, c1, c2, c3].into_iter().for_each(|some| ask_ahead(some));
        for i in 0..WIDENED_LANES {
            s0[i] = x[i].times_plus(T::of_bf16(c0[i]), s0[i]);
        }
        for i in 0..WIDENED_LANES {
            s1[i] = x[i].times_plus(T::of_bf16(c1[i]), s1[i]);
        }
        for i in 0..WIDENED_LANES {
            s2[i] = x[i].times_plus(T::of_bf16(c2[i]), s2[i]);
        }
        for i in 0..WIDENED_LANES {
            s3[i] = x[i].times_plus(T::of_bf16(c3[i]), s3[i]);
        }
    }
    let whole = x.len() - x_rest.len();
    let [c0, c1, c2, c3] = columns.map(|column| &column[whole..]);
    let [s0, s1, s2, s3] = [&s0, &s1, &s2, &s3].map(halved);
    [ended(s0, x_rest, c0), ended(s1, x_rest, c1), ended(s2, x_rest, c2), ended(s3, x_rest, c3)]
}

/// The same for one column.
#[inline(always)]
pub(super) fn dot<T: Scalar, W: Weight<T>>(x: &[T], column: &[W]) -> T {
    ended([T::default(); LANES], x, column)
}

/// The sum of the lanes, to which these terms go.
#[inline(always)]
fn ended<T: Scalar, W: Weight<T>>(mut lanes: [T; LANES], x: &[T], w: &[W]) -> T {
    let ((xs, x), (ws, w)) = (x.as_chunks::<LANES>(), w.as_chunks::<LANES>());
    for (x, w) in xs.iter().zip(ws) {
        for i in 0..LANES {
            lanes[i] = x[i].times_plus(w[i].widen(), lanes[i]);
        }
    }
    if !x.is_empty() {
        // Those that do not fill all lanes as if they did: one after the other they would take longer than hundreds that do.
        let [mut terms, mut weights] = [[T::default(); LANES]; 2];
        terms[..x.len()].copy_from_slice(x);
        weights.iter_mut().zip(w).for_each(|(to, w)| *to = w.widen());
        for i in 0..LANES {
            lanes[i] = terms[i].times_plus(weights[i], lanes[i]);
        }
    }
    joined(&lanes)
}

/// The sum of the lanes, half by half.
#[inline(always)]
fn joined<T: Scalar>(lanes: &[T; LANES]) -> T {
    let lanes: [T; 8] = halved(&halved::<T, 32, 16>(lanes));
    let [sum] = halved::<T, 2, 1>(&halved::<T, 4, 2>(&halved(&lanes)));
    sum
}

/// The sum of the first and the second half.
#[inline(always)]
fn halved<T: Scalar, const N: usize, const M: usize>(lanes: &[T; N]) -> [T; M] {
    let mut sums = [T::default(); M];
    for i in 0..M {
        sums[i] = lanes[i] + lanes[i + M];
    }
    sums
}
