//! What the softmax of lines side by side is made of: their largest elements, exponentials, and sums.
//!
//! Lives here: loops over rows of [`WIDTH`] elements, one of each line, and how a sum is carried on where the largest
//! element changes. Not here: where the rows come from (`line`).

use super::higher;
use crate::kernel::line::{Known, WIDTH};
use crate::kernel::math::Scalar;

/// The largest element of each column so far; the least whole number that is not below it, which changes seldom; and the sum
/// of the exponentials of what is below that.
#[repr(align(64))]
pub(super) struct Sums<T> {
    top: [T; WIDTH],
    base: [T; WIDTH],
    sum: [f64; WIDTH],
}

/// The largest element of each column, and what exponentials of what is below it are multiplied by.
#[repr(align(64))]
pub(super) struct Bases<T> {
    pub(super) base: [T; WIDTH],
    pub(super) factor: [T; WIDTH],
}

/// The largest element of each column, and the logarithm of the sum of the exponentials of what is below it.
#[repr(align(64))]
pub(super) struct Logs<T> {
    pub(super) top: [T; WIDTH],
    pub(super) log: [f64; WIDTH],
}

impl<T: Scalar> Sums<T> {
    /// Before any row was taken in.
    pub(super) const NONE: Sums<T> = Sums { top: [T::LOWEST; WIDTH], base: [T::LOWEST; WIDTH], sum: [0.0; WIDTH] };

    /// Takes further rows in, four at a time as far as they go.
    #[inline(always)]
    pub(super) fn add(&mut self, rows: &[&[T; WIDTH]]) {
        self.rise(rows);
        // As long as there is nothing but -∞, it adds nothing, whatever is subtracted from it.
        let base: [T; WIDTH] = std::array::from_fn(
            #[inline(always)]
            |j| if self.base[j] > T::LOWEST { self.base[j] } else { T::default() },
        );
        let (fours, rest) = rows.as_chunks::<4>();
        for rows in fours {
            self.add_few(&base, rows);
        }
        for &row in rest {
            self.add_few(&base, &[row]);
        }
    }

    /// Takes in how large elements of further rows are: a sum that was taken below a smaller number is scaled.
    #[inline(always)]
    fn rise(&mut self, rows: &[&[T; WIDTH]]) {
        let top: [T; WIDTH] = std::array::from_fn(
            #[inline(always)]
            |j| {
                let mut top = self.top[j];
                for row in rows {
                    top = higher(top, row[j]);
                }
                top
            },
        );
        self.top = top;
        let mut rises = false;
        for (top, base) in top.iter().zip(&self.base) {
            rises |= top > base;
        }
        if rises {
            self.raise();
        }
    }

    /// Finds the whole numbers anew that are below the largest elements, and scales the sums.
    #[inline(never)]
    fn raise(&mut self) {
        for ((sum, base), &top) in self.sum.iter_mut().zip(&mut self.base).zip(&self.top) {
            if top > *base {
                let before = *base;
                *base = T::narrow(top.wide().ceil());
                *sum = scaled(*sum, before, *base);
            }
        }
    }

    /// Adds the exponentials of few rows, which are added to each other first.
    #[inline(always)]
    fn add_few<const N: usize>(&mut self, base: &[T; WIDTH], rows: &[&[T; WIDTH]; N]) {
        let few: [T; WIDTH] = std::array::from_fn(
            #[inline(always)]
            |j| {
                let mut decays = [T::default(); N];
                for (decay, row) in decays.iter_mut().zip(rows) {
                    *decay = (row[j] - base[j]).decay();
                }
                let mut count = N;
                while count > 1 {
                    count /= 2;
                    for i in 0..count {
                        decays[i] = decays[2 * i] + decays[2 * i + 1];
                    }
                }
                decays[0]
            },
        );
        for (sum, few) in self.sum.iter_mut().zip(&few) {
            *sum += few.wide();
        }
    }

    /// What results of softmax are computed with.
    pub(super) fn bases(&self) -> Bases<T> {
        Bases { base: self.top, factor: self.sums().map(|sum| T::narrow(1.0 / sum)) }
    }

    /// What results of its logarithm are computed with.
    pub(super) fn logs(&self) -> Logs<T> {
        Logs { top: self.top, log: self.sums().map(f64::ln) }
    }

    /// The sums of the exponentials of what is below the largest elements. Those of the largest elements were computed as
    /// here, so that they count as exactly 1.
    fn sums(&self) -> [f64; WIDTH] {
        std::array::from_fn(|j| self.sum[j] / (self.top[j] - self.base[j]).decay().wide())
    }
}

/// A sum that was taken below `before`, as it would be below a larger number. Over nothing but -∞ it is 0, or NaN if there
/// was one: it has no base that could change.
fn scaled<T: Scalar>(sum: f64, before: T, base: T) -> f64 {
    if before > T::LOWEST && base > before { sum * (before.wide() - base.wide()).exp() } else { sum }
}

impl<T: Scalar> Known for Sums<T> {
    fn join(&mut self, lane: usize, other: &Sums<T>, from: usize) {
        let base = higher(self.base[lane], other.base[from]);
        self.sum[lane] =
            scaled(self.sum[lane], self.base[lane], base) + scaled(other.sum[from], other.base[from], base);
        self.top[lane] = higher(self.top[lane], other.top[from]);
        self.base[lane] = base;
    }
}
