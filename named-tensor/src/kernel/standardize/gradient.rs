//! What rows owe for their standardization: the heart of the gradient of layer normalisation.
//!
//! With  `y = (x - μ) s`,  `s = 1 / √(σ² + ε)`  computes  `(gᵢ - Σ gⱼ / n - yᵢ Σ yⱼ gⱼ / n) s`  for what is owed to y, g.
//! What is owed may be multiplied by a gain first, which is the same in every row.
//! Moments and y are those of standardization, computed again while the row is near, and both sums are taken in `f64`.
//! Not here: moments (`standardize`), rows that lie side by side (`columns`).

mod columns;

use super::{LANES, Near, ORDINARY, Standardize, joined};
use crate::kernel::lanes::vectorised;
use crate::kernel::map::Tail;
use crate::kernel::math::Scalar;
use crate::kernel::parallel::{self, GRAIN, Shared, grain_of};
use crate::kernel::span::{Odometer, Span, check_distinct, check_inside, row_major};
use crate::kernel::{View, ViewMut};
use smallvec::SmallVec;

/// Elements that are computed by one call, if rows are short.
const AT_HAND: usize = 1024;
/// Passes over memory that an element costs, about.
const PASSES: usize = 4;

/// Writes what the rows of `x` owe where their standardizations are `owed` so much, and then does what the tail says. All
/// are views over `outer` and a row of `size` elements. Elements of a row lie side by side in all three, or rows do; not those if
/// there is a gain for each element of a row, by which what is owed is multiplied.
///
/// # Panics
/// If a view leaves its slice, if neither lie side by side, if positions of the destination overlap or lie apart, or if the gain
/// is not one for each element of a row.
pub(crate) fn gradient<T: Scalar>(
    epsilon: f64,
    outer: &[usize],
    size: usize,
    [x, owed]: [View<'_, T>; 2],
    gain: Option<&[T]>,
    dst: ViewMut<'_, T>,
    tail: Option<&Tail<'_>>,
) {
    let sizes: SmallVec<[usize; 8]> = outer.iter().copied().chain([size]).collect();
    let total = sizes.iter().product::<usize>();
    for (data, offset, strides) in [
        (x.data.len(), x.offset, x.strides),
        (owed.data.len(), owed.offset, owed.strides),
        (dst.data.len(), dst.offset, dst.strides),
    ] {
        check_inside("standardize gradient", data, offset, &sizes, strides);
    }
    check_distinct("standardize gradient", &sizes, dst.strides);
    assert_eq!(dst.data.len(), total, "standardize gradient: one result per element");
    if let Some(tail) = tail {
        tail.check::<T>(total);
    }
    if total == 0 {
        return;
    }
    let (strides, along): (SmallVec<[&[isize]; 3]>, SmallVec<[isize; 3]>) = [x.strides, owed.strides, dst.strides]
        .iter()
        .map(|strides| (&strides[..outer.len()], strides[outer.len()]))
        .unzip();
    assert!(gain.is_none_or(|gain| gain.len() == size), "standardize gradient: a gain for each element of a row");
    let job =
        Job { epsilon, size, x, owed, gain, span: Span::new(outer, &strides), along: [along[0], along[1], along[2]] };
    if along == [1; 3].into() || size == 1 {
        let follow = row_major(&job.span.sizes).into_iter().map(|step| step * size as isize);
        assert!(
            dst.offset == 0 && job.span.strides[2].iter().copied().eq(follow),
            "standardize gradient: rows in order"
        );
        return job.rows(dst.data, tail);
    }
    let lie_side_by_side = (0..3).all(|operand| job.span.inner_stride(operand) == 1);
    assert!(lie_side_by_side && gain.is_none(), "standardize gradient: rows side by side");
    job.columns(ViewMut { data: &mut *dst.data, ..dst });
    tail.into_iter().for_each(|tail| tail.whole(dst.data));
}

struct Job<'a, T> {
    epsilon: f64,
    size: usize,
    x: View<'a, T>,
    owed: View<'a, T>,
    gain: Option<&'a [T]>,
    /// The rows of both and of the result.
    span: Span,
    /// How far apart the elements of a row are.
    along: [isize; 3],
}

impl<T: Scalar> Job<'_, T> {
    /// Rows whose elements lie side by side, some of them together.
    fn rows(&self, dst: &mut [T], tail: Option<&Tail<'_>>) {
        let &Job { epsilon, size, x, owed, gain, ref span, .. } = self;
        let shared = Shared::new(dst);
        let most = AT_HAND.div_ceil(size);
        parallel::for_each_range(span.total(), grain_of(span.total(), (GRAIN / PASSES).div_ceil(size)), |range| {
            let mut finisher = tail.map(Tail::finisher_from_beside::<T>);
            let [mut of_x, mut of_owed] =
                [0, 1].map(|operand| Odometer::new(&span.sizes, &span.strides[operand], range.start));
            let mut rows: SmallVec<[[&[T]; 2]; 8]> = SmallVec::new();
            let mut room = vec![T::default(); gain.map_or(0, <[T]>::len)];
            let times = &mut gain.map(|gain| Times { gain, room: &mut room });
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
                        some_rows(epsilon, &rows, times, finisher.beside(dst.len()));
                        finisher.stretch_from_beside(at * size, dst);
                    }
                    None => some_rows(epsilon, &rows, times, dst),
                }
                at += rows.len();
            }
        });
    }
}

/// A gain, and room for a row that is multiplied by it.
struct Times<'a, T> {
    gain: &'a [T],
    room: &'a mut [T],
}

/// What some rows owe, one behind the other.
fn some_rows<T: Scalar>(epsilon: f64, rows: &[[&[T]; 2]], times: &mut Option<Times<'_, T>>, dst: &mut [T]) {
    let size = dst.len() / rows.len();
    vectorised(
        #[inline(always)]
        move || {
            for (&[x, owed], dst) in rows.iter().zip(dst.chunks_exact_mut(size)) {
                let owed = match times {
                    Some(Times { gain, room }) => {
                        room.iter_mut().zip(owed.iter().zip(*gain)).for_each(|(to, (&owed, &gain))| *to = owed * gain);
                        &**room
                    }
                    None => owed,
                };
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
    let (total, along) = (T::narrow(joined(total) * part), T::narrow(joined(along) * part));
    for (dst, (&x, &g)) in dst.iter_mut().zip(x.iter().zip(owed)) {
        *dst = divided(g - total - y(x) * along);
    }
}

#[cfg(test)]
mod tests;
