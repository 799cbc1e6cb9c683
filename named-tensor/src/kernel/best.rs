//! Where the largest or smallest number along one axis stands: what argmax and argmin are.
//!
//! Of equal numbers the first counts, and both zeros are equal. NaN counts only where there is nothing else: then the
//! position is 0. The smallest number is the largest of all with the other sign, so there is one loop for both.
//! Lives here: how rows are found in a strided view, alone or side by side; many short ones are turned around first.
//! Not here: a row whose numbers follow each other (`row`), and the largest number itself, which is NaN as soon as one is
//! (`reduce`).

mod ordered;
mod row;

use super::View;
use super::lanes::vectorised;
use super::parallel::{self, GRAIN, grain_of};
use super::span::{Odometer, Span, check_inside};
use super::turn::{Starts, turn};
use super::vectors;
pub(crate) use ordered::Ordered;
use pulp::{Simd, WithSimd};
use row::in_row;

/// Writes the position of the first of the largest (or smallest) numbers along the last axis of `src`, a view over `kept`
/// and an axis of `size`.
///
/// # Panics
/// If the axis is empty, if the view leaves its slice, or if `dst` does not have one element per position of `kept`.
pub(crate) fn best<T: Ordered>(largest: bool, kept: &[usize], size: usize, src: View<'_, T>, dst: &mut [i64]) {
    check_inside("best: source", src.data.len(), src.offset, &[kept, &[size]].concat(), src.strides);
    assert_eq!(dst.len(), kept.iter().product::<usize>(), "best: one result per kept position is needed");
    assert!(size > 0, "best: among no numbers none is the largest");
    let (&stride, strides) = src.strides.split_last().expect("a view over an axis has a stride along it");
    if stride == 0 {
        // Of equal numbers the first counts, and NaN alone has the same place.
        return dst.fill(0);
    }
    let sign = if largest { T::PLUS } else { T::MINUS };
    let job = Job { data: src.data, offset: src.offset, kept: Span::new(kept, &[strides]), size, stride, sign };
    let grain = grain_of(dst.len(), GRAIN.div_ceil(size));
    if stride != 1 && job.kept.inner_stride(0) == 1 && job.kept.inner() >= 8 && u32::try_from(size).is_ok() {
        let grain = grain.next_multiple_of(TILE);
        return parallel::for_each_chunk(dst, grain, |first, out| job.columns(first, out));
    }
    if stride == 1 && size <= SHORT && dst.len() >= LEAST {
        let grain = grain.next_multiple_of(ROWS);
        return parallel::for_each_chunk(dst, grain, |first, out| job.short_rows(first, out));
    }
    parallel::for_each_chunk(dst, grain, |first, out| {
        if stride == 1 {
            vectors::dispatch(Rows { job: &job, first, out });
        } else {
            job.starts(first, out.len(), |i, start| out[i] = job.apart(start) as i64);
        }
    });
}

/// What is looked for in `data[offset + kept + stride · i]`, `i` below `size`.
struct Job<'a, T> {
    data: &'a [T],
    offset: usize,
    kept: Span,
    size: usize,
    stride: isize,
    sign: T,
}

/// Columns that go down together: what is known of them stays in the nearest cache.
const TILE: usize = 512;
/// Elements of a short row, at most: in registers it would be looked at twice, for little in each of them.
const SHORT: usize = 64;
/// Short rows that are turned around together, and how many repay it.
const ROWS: usize = 64;
const LEAST: usize = 16;

impl<T: Ordered> Job<'_, T> {
    /// Visits where each of `count` rows starts, the first of them with the number `first`.
    #[inline(always)]
    fn starts(&self, first: usize, count: usize, mut visit: impl FnMut(usize, usize)) {
        let (inner, stride, outer) = (self.kept.inner(), self.kept.inner_stride(0), self.outer());
        let mut group = Odometer::new(&self.kept.sizes[..outer], &self.kept.strides[0][..outer], first / inner);
        let mut done = 0;
        while done < count {
            let column = (first + done) % inner;
            let size = (inner - column).min(count - done);
            let start = self.offset as isize + group.distance;
            for i in 0..size {
                visit(done + i, (start + (column + i) as isize * stride) as usize);
            }
            done += size;
            group.step();
        }
    }

    /// How many kept axes there are but the last.
    fn outer(&self) -> usize {
        self.kept.sizes.len().saturating_sub(1)
    }

    /// The place in a row whose elements lie apart.
    fn apart(&self, start: usize) -> usize {
        let (mut most, mut place) = (T::NONE, 0);
        for i in 0..self.size {
            let x = self.data[(start as isize + i as isize * self.stride) as usize].signed(self.sign);
            if is_better(x, most) {
                (most, place) = (x, i);
            }
        }
        place
    }

    /// Rows side by side, from the one with the number `first` on.
    fn columns(&self, first: usize, out: &mut [i64]) {
        let (inner, outer) = (self.kept.inner(), self.outer());
        let mut done = 0;
        while done < out.len() {
            let column = (first + done) % inner;
            let size = (inner - column).min(out.len() - done).min(TILE);
            let group =
                Odometer::new(&self.kept.sizes[..outer], &self.kept.strides[0][..outer], (first + done) / inner);
            let start = self.offset as isize + group.distance + column as isize;
            let row = |i: usize| &self.data[(start + i as isize * self.stride) as usize..];
            tile::<T, TILE>(self.size, self.sign, row, &mut out[done..done + size]);
            done += size;
        }
    }

    /// Short rows, from the one with the number `first` on: they are turned around, and lie side by side then.
    fn short_rows(&self, first: usize, out: &mut [i64]) {
        let mut side_by_side = vec![T::default(); ROWS * self.size];
        for (number, out) in out.chunks_mut(ROWS).enumerate() {
            let mut starts = [0; ROWS];
            self.starts(first + number * ROWS, out.len(), |i, start| starts[i] = start);
            turn(self.data, Starts::At(&starts), [out.len(), self.size], &mut side_by_side, ROWS);
            tile::<T, ROWS>(self.size, self.sign, |i| &side_by_side[i * ROWS..], out);
        }
    }
}

/// The places in at most `N` lines of `size` elements that lie side by side; `row(i)` begins with element `i` of each.
fn tile<'a, T: Ordered, const N: usize>(size: usize, sign: T, row: impl Fn(usize) -> &'a [T], out: &mut [i64]) {
    let (mut most, mut places) = ([T::NONE; N], [0_u32; N]);
    let (most, places) = (&mut most[..out.len()], &mut places[..out.len()]);
    for i in 0..size {
        let row = &row(i)[..out.len()];
        let (most, places) = (&mut *most, &mut *places);
        vectorised(
            #[inline(always)]
            move || {
                for ((most, place), &x) in most.iter_mut().zip(places).zip(row) {
                    let x = x.signed(sign);
                    let better = is_better(x, *most);
                    *most = if better { x } else { *most };
                    *place = if better { i as u32 } else { *place };
                }
            },
        );
    }
    out.iter_mut().zip(places).for_each(|(out, &mut place)| *out = i64::from(place));
}

/// Whether a number comes before the best that is known, which is NaN at first.
#[inline(always)]
#[expect(clippy::neg_cmp_op_on_partial_ord, reason = "any number is better than NaN")]
#[expect(clippy::eq_op, reason = "only NaN is not equal to itself")]
pub(super) fn is_better<T: Ordered>(x: T, most: T) -> bool {
    !(x <= most) & (x == x)
}

/// Rows whose elements follow each other, from the one with the number `first` on.
struct Rows<'a, T> {
    job: &'a Job<'a, T>,
    first: usize,
    out: &'a mut [i64],
}

impl<T: Ordered> WithSimd for Rows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Rows { job, first, out } = self;
        let lanes = size_of::<T::Register<S>>() / size_of::<T>();
        if job.size < lanes {
            return job.starts(first, out.len(), |i, start| out[i] = job.apart(start) as i64);
        }
        job.starts(
            first,
            out.len(),
            #[inline(always)]
            |i, start| out[i] = in_row(simd, lanes, &job.data[start..][..job.size], job.sign) as i64,
        );
    }
}

#[cfg(test)]
mod tests;
