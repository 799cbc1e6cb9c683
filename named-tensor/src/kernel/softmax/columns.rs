//! What the softmax of lines side by side is made of: their largest elements, exponentials, and sums.
//!
//! Lives here: loops over rows of [`WIDTH`] elements, one of each line, and how a sum is carried on where the largest
//! element changes. Not here: where the rows come from (`line`).

use super::higher;
use crate::kernel::lanes::vectorised;
use crate::kernel::line::{Known, WIDTH};
use crate::kernel::math::Scalar;

/// Raises what was found before to the largest element of each column.
fn rise<T: Scalar>(rows: &[[T; WIDTH]], tops: &mut [T; WIDTH]) {
    vectorised(
        #[inline(always)]
        move || {
            let mut top = *tops;
            for row in rows {
                // All of them anew: else each would be stored under a mask, and waited for.
                top = std::array::from_fn(
                    #[inline(always)]
                    |j| higher(top[j], row[j]),
                );
            }
            *tops = top;
        },
    );
}

/// Puts `e^(x - m)` in the place of each element, with a number `m` for each column, and adds it to the sum of the column,
/// four elements at a time. While row `i` is computed, `ask(i)` asks for what is read next.
#[inline(always)]
fn decays<T: Scalar>(base: &[T; WIDTH], rows: &mut [[T; WIDTH]], sums: &mut [f64; WIDTH], ask: impl Fn(usize)) {
    vectorised(
        #[inline(always)]
        move || {
            let (base, mut sum) = (*base, *sums);
            let (fours, rest) = rows.as_chunks_mut::<4>();
            for (at, rows) in fours.iter_mut().enumerate() {
                for i in 4 * at..4 * at + 4 {
                    ask(i);
                }
                for row in rows.iter_mut() {
                    row.iter_mut().zip(&base).for_each(|(x, &base)| *x = (*x - base).decay());
                }
                let [a, b, c, d] = rows;
                for (((sum, (&a, &b)), &c), &d) in sum.iter_mut().zip(a.iter().zip(&*b)).zip(&*c).zip(&*d) {
                    *sum += ((a + b) + (c + d)).wide();
                }
            }
            for i in 4 * fours.len()..4 * fours.len() + rest.len() {
                ask(i);
            }
            for row in rest {
                row.iter_mut().zip(&base).for_each(|(x, &base)| *x = (*x - base).decay());
                sum.iter_mut().zip(&*row).for_each(|(sum, x)| *sum += x.wide());
            }
            *sums = sum;
        },
    );
}

/// The largest element of each column so far, and the sum of the exponentials of what is below it.
pub(super) struct Sums<T> {
    pub(super) top: [T; WIDTH],
    pub(super) sum: [f64; WIDTH],
}

impl<T: Scalar> Sums<T> {
    /// Before any row was taken in.
    pub(super) const NONE: Sums<T> = Sums { top: [T::LOWEST; WIDTH], sum: [0.0; WIDTH] };

    /// Takes further rows in.
    pub(super) fn add(&mut self, rows: &[[T; WIDTH]]) {
        let base = self.rise(rows);
        let mut some = [[T::default(); WIDTH]; 8];
        for rows in rows.chunks(some.len()) {
            let some = &mut some[..rows.len()];
            some.copy_from_slice(rows);
            self.add_decays(&base, some, |_| ());
        }
    }

    /// Takes in how large elements of further rows are: a sum that was taken with a smaller largest element is scaled.
    /// Returns what is to be subtracted from elements.
    pub(super) fn rise(&mut self, rows: &[[T; WIDTH]]) -> [T; WIDTH] {
        let before = self.top;
        rise(rows, &mut self.top);
        for ((sum, &top), &before) in self.sum.iter_mut().zip(&self.top).zip(&before) {
            if top > before && before > T::LOWEST {
                *sum *= (before.wide() - top.wide()).exp();
            }
        }
        // As long as there is nothing but -∞, it adds nothing, whatever is subtracted from it.
        self.top.map(|top| if top > T::LOWEST { top } else { T::default() })
    }

    /// Puts `e^(x - m)` in the place of each element, and adds it.
    #[inline(always)]
    pub(super) fn add_decays(&mut self, base: &[T; WIDTH], rows: &mut [[T; WIDTH]], ask: impl Fn(usize)) {
        decays(base, rows, &mut self.sum, ask);
    }
}

impl<T: Scalar> Known for Sums<T> {
    fn join(&mut self, lane: usize, other: &Sums<T>, from: usize) {
        let (before, after) = (self.top[lane], other.top[from]);
        let top = higher(before, after);
        // A sum over nothing but -∞ is 0, or NaN if there was one: it has no base that could change.
        let scaled = |sum: f64, base: T| {
            if base > T::LOWEST && top > base { sum * (base.wide() - top.wide()).exp() } else { sum }
        };
        self.sum[lane] = scaled(self.sum[lane], before) + scaled(other.sum[from], after);
        self.top[lane] = top;
    }
}
