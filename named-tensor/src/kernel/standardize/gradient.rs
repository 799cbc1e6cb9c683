//! What rows owe for their standardization: the heart of the gradient of layer normalisation.
//!
//! With  `y = (x - μ) s`,  `s = 1 / √(σ² + ε)`  computes  `(gᵢ - Σ gⱼ / n - yᵢ Σ yⱼ gⱼ / n) s`  for what is owed to y, g.
//! Moments and y are those of standardization, computed again while the row is near, and both sums are taken in `f64`.
//! Not here: moments (`standardize`).

use super::{LANES, Near, ORDINARY, Standardize, joined};
use crate::kernel::View;
use crate::kernel::lanes::vectorised;
use crate::kernel::map::Tail;
use crate::kernel::math::Scalar;
use crate::kernel::parallel::{self, GRAIN, Shared};
use crate::kernel::span::{Odometer, Span, check_inside};
use smallvec::SmallVec;

/// Elements that are computed by one call, if rows are short.
const AT_HAND: usize = 1024;
/// Passes over memory that an element costs, about.
const PASSES: usize = 4;

/// Writes, row by row without gaps, what the rows of `x` owe where their standardizations are `owed` so much, and then does
/// what the tail says. Both are views over `outer` and a row of `size` elements, which lie side by side.
///
/// # Panics
/// If a view leaves its slice or has gaps in its rows, or if there are more or fewer results.
pub(crate) fn gradient<T: Scalar>(
    epsilon: f64,
    outer: &[usize],
    size: usize,
    x: View<'_, T>,
    owed: View<'_, T>,
    dst: &mut [T],
    tail: Option<&Tail<'_>>,
) {
    let sizes: SmallVec<[usize; 8]> = outer.iter().copied().chain([size]).collect();
    for view in [x, owed] {
        check_inside("standardize gradient: source", view.data.len(), view.offset, &sizes, view.strides);
        assert_eq!(view.strides[outer.len()], 1, "standardize gradient: rows without gaps");
    }
    assert_eq!(dst.len(), sizes.iter().product::<usize>(), "standardize gradient: one result per element");
    if let Some(tail) = tail {
        tail.check::<T>(dst.len());
    }
    if dst.is_empty() {
        return;
    }
    let span = Span::new(outer, &[&x.strides[..outer.len()], &owed.strides[..outer.len()]]);
    let shared = Shared::new(dst);
    let most = AT_HAND.div_ceil(size);
    parallel::for_each_range(span.total(), (GRAIN / PASSES).div_ceil(size), |range| {
        let mut finisher = tail.map(Tail::finisher_from_beside::<T>);
        let [mut of_x, mut of_owed] =
            [0, 1].map(|operand| Odometer::new(&span.sizes, &span.strides[operand], range.start));
        let mut rows: SmallVec<[[&[T]; 2]; 8]> = SmallVec::new();
        let mut at = range.start;
        while at < range.end {
            rows.clear();
            for _ in 0..most.min(range.end - at) {
                let row = |view: View<'_, T>, place: &Odometer<'_>| view.offset.wrapping_add_signed(place.distance);
                rows.push([&x.data[row(x, &of_x)..][..size], &owed.data[row(owed, &of_owed)..][..size]]);
                of_x.step();
                of_owed.step();
            }
            // SAFETY: these are whole rows of the result, each of which is visited once.
            let dst = unsafe { shared.slice(at * size, rows.len() * size) };
            match &mut finisher {
                Some(finisher) => {
                    some_rows(epsilon, &rows, finisher.beside(dst.len()));
                    finisher.stretch_from_beside(at * size, dst);
                }
                None => some_rows(epsilon, &rows, dst),
            }
            at += rows.len();
        }
    });
}

/// What some rows owe, one behind the other.
fn some_rows<T: Scalar>(epsilon: f64, rows: &[[&[T]; 2]], dst: &mut [T]) {
    let size = dst.len() / rows.len();
    vectorised(
        #[inline(always)]
        move || {
            for (&[x, owed], dst) in rows.iter().zip(dst.chunks_exact_mut(size)) {
                let (mean, scale) = Standardize { epsilon }.moments_of(x);
                if ORDINARY.contains(&scale) {
                    let (near, factor) = (Near::<T>::of(mean, scale), T::narrow(scale));
                    row(x, owed, dst, |x| near.apply(x), |rest| rest * factor);
                } else {
                    let y = |x: T| T::narrow((x.wide() - mean) * scale);
                    row(x, owed, dst, y, |rest| T::narrow(rest.wide() * scale));
                }
            }
        },
    );
}

/// One row, with what standardizes an element, and what divides by the deviation.
#[inline(always)]
fn row<T: Scalar>(x: &[T], owed: &[T], dst: &mut [T], y: impl Fn(T) -> T, divided: impl Fn(T) -> T) {
    let (mut total, mut along) = ([0.0; LANES], [0.0; LANES]);
    let (xs, last_x) = x.as_chunks::<LANES>();
    let (gs, last_g) = owed.as_chunks::<LANES>();
    for (xs, gs) in xs.iter().zip(gs) {
        for ((total, along), (&x, &g)) in total.iter_mut().zip(&mut along).zip(xs.iter().zip(gs)) {
            *total += g.wide();
            *along = y(x).wide().mul_add(g.wide(), *along);
        }
    }
    for ((total, along), (&x, &g)) in total.iter_mut().zip(&mut along).zip(last_x.iter().zip(last_g)) {
        *total += g.wide();
        *along = y(x).wide().mul_add(g.wide(), *along);
    }
    let part = 1.0 / x.len() as f64;
    let [total, along] = [total, along].map(|sums| T::narrow(joined(sums) * part));
    for (dst, (&x, &g)) in dst.iter_mut().zip(x.iter().zip(owed)) {
        *dst = divided(g - total - y(x) * along);
    }
}

#[cfg(test)]
mod tests;
