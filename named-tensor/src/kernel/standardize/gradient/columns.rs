//! Rows that lie side by side: an element of many of them in one vector.
//!
//! Each row is that of the others: a row that is out of the ordinary goes its own way, whatever it lies beside.
//! Not here: rows whose elements lie side by side (`gradient`), moments (`beside`).

use super::super::Standardize;
use super::super::beside::Moments;
use super::{Job, PASSES};
use crate::kernel::ahead::fetch;
use crate::kernel::lanes::vectorised;
use crate::kernel::math::Scalar;
use crate::kernel::parallel::{self, GRAIN, Shared};
use crate::kernel::span::Odometer;
use crate::kernel::{View, ViewMut};
use std::ops::Range;

/// Rows that are computed together, if they lie side by side.
const WIDTH: usize = 32;
/// Elements of the rows that are asked for ahead of those that are read: no processor expects them.
const AHEAD: usize = 16;

/// Elements of some rows side by side.
#[derive(Clone, Copy)]
struct Side<'a, T> {
    data: &'a [T],
    /// Where the first element of the first row is.
    start: usize,
    along: isize,
    width: usize,
}

impl<T: Scalar> Side<'_, T> {
    fn at(&self, i: usize) -> usize {
        self.start.wrapping_add_signed(i as isize * self.along)
    }

    /// An element of each row; of fewer rows than [`WIDTH`], if `CUT` says so, with zeros behind them.
    #[inline(always)]
    fn elements<const CUT: bool>(&self, i: usize) -> [T; WIDTH] {
        let mut all = [T::default(); WIDTH];
        if CUT {
            let some = &self.data[self.at(i)..][..self.width];
            all.iter_mut().zip(some).for_each(|(to, from)| *to = *from);
        } else {
            all.copy_from_slice(&self.data[self.at(i)..][..WIDTH]);
        }
        all
    }

    /// Asks for what is read some elements later.
    #[inline(always)]
    fn ask(&self, i: usize) {
        fetch(self.data, self.at(i + AHEAD), WIDTH);
    }
}

/// The results of some rows side by side.
struct To<'a, T> {
    dst: &'a Shared<'a, T>,
    start: usize,
    along: isize,
    /// Those rows that another tile does not write.
    new: Range<usize>,
}

impl<T: Scalar> To<'_, T> {
    #[inline(always)]
    fn put(&self, i: usize, numbers: &[T; WIDTH]) {
        let (numbers, at) = (&numbers[self.new.clone()], self.start.wrapping_add_signed(i as isize * self.along));
        // SAFETY: these are some elements of rows of the result, each of which is visited once.
        let to = unsafe { self.dst.slice(at + self.new.start, numbers.len()) };
        match (to.first_chunk_mut::<WIDTH>(), numbers.first_chunk()) {
            (Some(to), Some(numbers)) => *to = *numbers,
            _ => to.iter_mut().zip(numbers).for_each(|(to, number)| *to = *number),
        }
    }
}

impl<T: Scalar> Job<'_, T> {
    /// Rows that lie side by side, so many together that a line of memory is read whole.
    pub(super) fn columns(&self, dst: ViewMut<'_, T>) {
        let &Job { size, ref span, .. } = self;
        let (inner, outer) = (span.inner(), span.sizes.len().saturating_sub(1));
        let (tiles, width) = (inner.div_ceil(WIDTH), WIDTH.min(inner));
        let shared = Shared::new(dst.data);
        let grain = (GRAIN / PASSES).div_ceil(size * width);
        parallel::for_each_range(span.total() / inner * tiles, grain, |range| {
            for tile in range {
                // The last tile is as wide as the others, if there are so many rows: it begins with rows of the one before.
                let begin = tile % tiles * WIDTH;
                let first = begin.min(inner - width);
                let [x, owed, to] = [0, 1, 2].map(|operand| {
                    let rows = Odometer::new(&span.sizes[..outer], &span.strides[operand][..outer], tile / tiles);
                    rows.distance + first as isize
                });
                let [x, owed] = [(self.x, x, self.along[0]), (self.owed, owed, self.along[1])].map(
                    |(View { data, offset, .. }, start, along)| Side {
                        data,
                        start: offset.wrapping_add_signed(start),
                        along,
                        width,
                    },
                );
                let to = To {
                    dst: &shared,
                    start: dst.offset.wrapping_add_signed(to),
                    along: self.along[2],
                    new: begin - first..width,
                };
                if width == WIDTH { self.tile::<false>(x, owed, &to) } else { self.tile::<true>(x, owed, &to) }
            }
        });
    }

    /// What some rows side by side owe.
    fn tile<const CUT: bool>(&self, x: Side<'_, T>, owed: Side<'_, T>, to: &To<'_, T>) {
        let &Job { epsilon, size, .. } = self;
        vectorised(
            #[inline(always)]
            move || {
                let part = 1.0 / size as f64;
                let (mut first, mut sums, mut squares) = ([0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]);
                first.iter_mut().zip(x.elements::<CUT>(0)).for_each(|(first, x)| *first = x.wide());
                for i in 0..size {
                    x.ask(i);
                    let row = x.elements::<CUT>(i);
                    for j in 0..WIDTH {
                        let distance = row[j].wide() - first[j];
                        sums[j] += distance;
                        squares[j] = distance.mul_add(distance, squares[j]);
                    }
                }
                let moments = Moments::of(&Standardize { epsilon }, [&first, &sums, &squares], |_| part);
                if moments.are_ordinary() {
                    owes::<T, CUT, true>(size, &moments, [x, owed], to);
                } else {
                    owes::<T, CUT, false>(size, &moments, [x, owed], to);
                }
            },
        );
    }
}

/// What rows of these moments owe.
#[inline(always)]
fn owes<T: Scalar, const CUT: bool, const ARE_ORDINARY: bool>(
    size: usize,
    moments: &Moments<T, WIDTH>,
    [x, owed]: [Side<'_, T>; 2],
    to: &To<'_, T>,
) {
    let part = 1.0 / size as f64;
    let (mut totals, mut products) = ([0.0; WIDTH], [0.0; WIDTH]);
    for i in 0..size {
        owed.ask(i);
        let (y, g) = (moments.standardized::<ARE_ORDINARY>(x.elements::<CUT>(i)), owed.elements::<CUT>(i));
        for j in 0..WIDTH {
            totals[j] += g[j].wide();
            products[j] = y[j].wide().mul_add(g[j].wide(), products[j]);
        }
    }
    let (mut total, mut along) = ([T::default(); WIDTH], [T::default(); WIDTH]);
    for j in 0..WIDTH {
        (total[j], along[j]) = (T::narrow(totals[j] * part), T::narrow(products[j] * part));
    }
    for i in 0..size {
        let (y, g) = (moments.standardized::<ARE_ORDINARY>(x.elements::<CUT>(i)), owed.elements::<CUT>(i));
        let mut rest = g;
        for j in 0..WIDTH {
            rest[j] = g[j] - total[j] - y[j] * along[j];
        }
        to.put(i, &moments.divided::<ARE_ORDINARY>(rest));
    }
}
