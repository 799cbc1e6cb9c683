//! Rows that lie side by side: an element of many of them in one vector.
//!
//! Each row is that of the others: a row that is out of the ordinary goes its own way, whatever it lies beside.
//! Not here: rows whose elements lie side by side (`gradient`).

use super::super::{Near, ORDINARY, Standardize};
use super::{Job, PASSES};
use crate::kernel::ViewMut;
use crate::kernel::lanes::vectorised;
use crate::kernel::math::Scalar;
use crate::kernel::parallel::{self, GRAIN, Shared};
use crate::kernel::span::Odometer;

/// Rows that are computed together, if they lie side by side.
const WIDTH: usize = 32;

impl<T: Scalar> Job<'_, T> {
    /// Rows that lie side by side, so many together that a line of memory is read whole.
    pub(super) fn columns(&self, dst: ViewMut<'_, T>) {
        let &Job { size, ref span, .. } = self;
        let (inner, outer) = (span.inner(), span.sizes.len().saturating_sub(1));
        let tiles = inner.div_ceil(WIDTH);
        let shared = Shared::new(dst.data);
        let grain = (GRAIN / PASSES).div_ceil(size * WIDTH.min(inner));
        parallel::for_each_range(span.total() / inner * tiles, grain, |range| {
            for tile in range {
                let first = tile % tiles * WIDTH;
                let [x, owed, to] = [0, 1, 2].map(|operand| {
                    let rows = Odometer::new(&span.sizes[..outer], &span.strides[operand][..outer], tile / tiles);
                    rows.distance + first as isize
                });
                let [x, owed] = [(self.x, x), (self.owed, owed)]
                    .map(|(view, start)| (view.data, view.offset.wrapping_add_signed(start)));
                self.tile(WIDTH.min(inner - first), [x, owed], |i, numbers| {
                    // SAFETY: these are some elements of rows of the result, each of which is visited once.
                    let to = unsafe {
                        shared.slice(dst.offset.wrapping_add_signed(to + i as isize * self.along[2]), numbers.len())
                    };
                    to.copy_from_slice(numbers);
                });
            }
        });
    }

    /// Some rows side by side, which begin at these places; each element of all of them is given to `put`.
    fn tile(&self, width: usize, [x, owed]: [(&[T], usize); 2], put: impl Fn(usize, &[T])) {
        let &Job { epsilon, size, along, .. } = self;
        vectorised(
            #[inline(always)]
            move || {
                let read = |(data, start): (&[T], usize), along: isize, i: usize| -> [T; WIDTH] {
                    let data = &data[start.wrapping_add_signed(i as isize * along)..];
                    match data.first_chunk() {
                        Some(all) if width == WIDTH => *all,
                        _ => {
                            let mut some = [T::default(); WIDTH];
                            some[..width].copy_from_slice(&data[..width]);
                            some
                        }
                    }
                };
                let first = read(x, along[0], 0).map(T::wide);
                let (mut sums, mut squares) = ([0.0; WIDTH], [0.0; WIDTH]);
                for i in 0..size {
                    let row = read(x, along[0], i);
                    for (((sum, square), x), first) in sums.iter_mut().zip(&mut squares).zip(row).zip(first) {
                        let distance = x.wide() - first;
                        *sum += distance;
                        *square = distance.mul_add(distance, *square);
                    }
                }
                let part = 1.0 / size as f64;
                let moments: [(f64, f64); WIDTH] =
                    std::array::from_fn(|j| Standardize { epsilon }.moments(first[j], sums[j], squares[j], part));
                let near = moments.map(|(mean, scale)| Near::<T>::of(mean, scale));
                let (means, scales) = (near.map(|near| near.mean), near.map(|near| near.scale));
                let (rests, shifts) = (near.map(|near| near.scale_rest), near.map(|near| near.shift));
                let is_ordinary = moments.map(|(_, scale)| ORDINARY.contains(&scale));
                let are_ordinary = is_ordinary == [true; WIDTH];
                let standardized = |row: [T; WIDTH]| -> [T; WIDTH] {
                    let mut y = row;
                    for (j, y) in y.iter_mut().enumerate() {
                        let (mean, scale, scale_rest, shift) = (means[j], scales[j], rests[j], shifts[j]);
                        *y = Near { mean, scale, scale_rest, shift }.apply(*y);
                    }
                    if !are_ordinary {
                        // Each row by its own way: its numbers do not depend on those that it happens to lie beside.
                        for (j, y) in y.iter_mut().enumerate().filter(|(j, _)| !is_ordinary[*j]) {
                            *y = T::narrow((row[j].wide() - moments[j].0) * moments[j].1);
                        }
                    }
                    y
                };
                let (mut totals, mut products) = ([0.0; WIDTH], [0.0; WIDTH]);
                for i in 0..size {
                    let (y, g) = (standardized(read(x, along[0], i)), read(owed, along[1], i));
                    for (((total, product), y), g) in totals.iter_mut().zip(&mut products).zip(y).zip(g) {
                        *total += g.wide();
                        *product = y.wide().mul_add(g.wide(), *product);
                    }
                }
                let [totals, products] = [totals, products].map(|sums| sums.map(|sum| T::narrow(sum * part)));
                for i in 0..size {
                    let (y, g) = (standardized(read(x, along[0], i)), read(owed, along[1], i));
                    let mut owes = g;
                    for j in 0..WIDTH {
                        let rest = g[j] - totals[j] - y[j] * products[j];
                        owes[j] = rest * scales[j];
                        if !are_ordinary && !is_ordinary[j] {
                            owes[j] = T::narrow(rest.wide() * moments[j].1);
                        }
                    }
                    put(i, &owes[..width]);
                }
            },
        );
    }
}
