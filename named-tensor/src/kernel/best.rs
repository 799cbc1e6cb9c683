//! Where the largest or smallest number along one axis stands: what argmax and argmin are.
//!
//! Of equal numbers the first counts, and both zeros are equal. NaN counts only where there is nothing else: then the
//! position is 0. The smallest number is the largest of all with the other sign, so there is one loop for both.
//! A row is read once for its largest number, part by part, and then from the first part that has it on for its place.
//! Not here: the largest number itself, which is NaN as soon as one is (`reduce`).

use super::View;
use super::lanes::vectorised;
use super::parallel::{self, GRAIN};
use super::span::{Odometer, Span, check_inside};
use crate::element::Stored;
use pulp::{Arch, Simd, WithSimd};

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
    let sign = if largest { T::PLUS } else { T::MINUS };
    let job = Job { data: src.data, offset: src.offset, kept: Span::new(kept, &[strides]), size, stride, sign };
    if stride != 1 && job.kept.inner_stride(0) == 1 && job.kept.inner() >= 8 && u32::try_from(size).is_ok() {
        let grain = GRAIN.div_ceil(size).next_multiple_of(TILE);
        return parallel::for_each_chunk(dst, grain, |first, out| job.columns(first, out));
    }
    parallel::for_each_chunk(dst, GRAIN.div_ceil(size), |first, out| {
        if stride == 1 {
            Arch::new().dispatch(Rows { job: &job, first, out });
        } else {
            job.starts(first, out.len(), |i, start| out[i] = job.apart(start) as i64);
        }
    });
}

/// Numbers that have an order, and registers of them.
pub(crate) trait Ordered: Stored + PartialOrd {
    /// The factor that leaves the order of numbers as it is.
    const PLUS: Self;
    /// The factor that turns it around.
    const MINUS: Self;
    /// What no number is less than.
    const LOWEST: Self;
    /// What no number is more than.
    const HIGHEST: Self;
    /// What is no number.
    const NONE: Self;
    /// The places of a register, counted from 0.
    const PLACES: [Self; 16];
    /// The same number, or that with the other sign.
    fn signed(self, sign: Self) -> Self;
    /// A small number of places.
    fn of_place(place: usize) -> Self;
    /// The place, unless it is the highest number.
    fn place(self) -> Option<usize>;
    /// A register of the instruction set `S`.
    type Register<S: Simd>: Copy;
    /// The same number everywhere.
    fn splat<S: Simd>(simd: S, x: Self) -> Self::Register<S>;
    /// Some numbers as registers, and those that are left.
    fn registers<S: Simd>(numbers: &[Self]) -> (&[Self::Register<S>], &[Self]);
    /// `a · b`.
    fn times<S: Simd>(simd: S, a: Self::Register<S>, b: Self::Register<S>) -> Self::Register<S>;
    /// `a + b`.
    fn plus<S: Simd>(simd: S, a: Self::Register<S>, b: Self::Register<S>) -> Self::Register<S>;
    /// The larger of each two; `most` where `x` is NaN.
    fn larger<S: Simd>(simd: S, most: Self::Register<S>, x: Self::Register<S>) -> Self::Register<S>;
    /// `yes` where `x` equals `y`, and `no` elsewhere.
    fn where_equal<S: Simd>(
        simd: S,
        x: Self::Register<S>,
        y: Self::Register<S>,
        yes: Self::Register<S>,
        no: Self::Register<S>,
    ) -> Self::Register<S>;
    /// The largest of a register without NaN.
    fn largest_in<S: Simd>(simd: S, x: Self::Register<S>) -> Self;
    /// The smallest of a register without NaN.
    fn smallest_in<S: Simd>(simd: S, x: Self::Register<S>) -> Self;
}

macro_rules! ordered {
    ($type:ident, $register:ident, [$splat:ident, $registers:ident, $mul:ident, $add:ident, $greater:ident, $equal:ident, $select:ident, $max:ident, $min:ident]) => {
        impl Ordered for $type {
            const PLUS: $type = 1.0;
            const MINUS: $type = -1.0;
            const LOWEST: $type = $type::NEG_INFINITY;
            const HIGHEST: $type = $type::INFINITY;
            const NONE: $type = $type::NAN;
            const PLACES: [$type; 16] =
                [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0];
            #[inline(always)]
            fn signed(self, sign: $type) -> $type {
                self * sign
            }
            #[inline(always)]
            fn of_place(place: usize) -> $type {
                place as $type
            }
            #[inline(always)]
            fn place(self) -> Option<usize> {
                (self < $type::INFINITY).then_some(self as usize)
            }
            type Register<S: Simd> = S::$register;
            #[inline(always)]
            fn splat<S: Simd>(simd: S, x: $type) -> S::$register {
                simd.$splat(x)
            }
            #[inline(always)]
            fn registers<S: Simd>(numbers: &[$type]) -> (&[S::$register], &[$type]) {
                S::$registers(numbers)
            }
            #[inline(always)]
            fn times<S: Simd>(simd: S, a: S::$register, b: S::$register) -> S::$register {
                simd.$mul(a, b)
            }
            #[inline(always)]
            fn plus<S: Simd>(simd: S, a: S::$register, b: S::$register) -> S::$register {
                simd.$add(a, b)
            }
            #[inline(always)]
            fn larger<S: Simd>(simd: S, most: S::$register, x: S::$register) -> S::$register {
                simd.$select(simd.$greater(x, most), x, most)
            }
            #[inline(always)]
            fn where_equal<S: Simd>(
                simd: S,
                x: S::$register,
                y: S::$register,
                yes: S::$register,
                no: S::$register,
            ) -> S::$register {
                simd.$select(simd.$equal(x, y), yes, no)
            }
            #[inline(always)]
            fn largest_in<S: Simd>(simd: S, x: S::$register) -> $type {
                simd.$max(x)
            }
            #[inline(always)]
            fn smallest_in<S: Simd>(simd: S, x: S::$register) -> $type {
                simd.$min(x)
            }
        }
    };
}

ordered!(
    f32,
    f32s,
    [
        splat_f32s,
        as_simd_f32s,
        mul_f32s,
        add_f32s,
        greater_than_f32s,
        equal_f32s,
        select_f32s,
        reduce_max_f32s,
        reduce_min_f32s
    ]
);
ordered!(
    f64,
    f64s,
    [
        splat_f64s,
        as_simd_f64s,
        mul_f64s,
        add_f64s,
        greater_than_f64s,
        equal_f64s,
        select_f64s,
        reduce_max_f64s,
        reduce_min_f64s
    ]
);

/// What is looked for in `data[offset + kept + stride · i]`, `i` below `size`.
struct Job<'a, T> {
    data: &'a [T],
    offset: usize,
    kept: Span,
    size: usize,
    stride: isize,
    sign: T,
}

/// Elements of a row that are looked at together. Places in such a part are exact in any kind of number.
const PART: usize = 1024;
/// Columns that go down together: what is known of them stays in the nearest cache.
const TILE: usize = 512;

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
            self.tile(start, &mut out[done..done + size]);
            done += size;
        }
    }

    fn tile(&self, start: isize, out: &mut [i64]) {
        let (mut most, mut places) = ([T::NONE; TILE], [0_u32; TILE]);
        let (most, places) = (&mut most[..out.len()], &mut places[..out.len()]);
        for i in 0..self.size {
            let row = &self.data[(start + i as isize * self.stride) as usize..][..out.len()];
            let (most, places, sign) = (&mut *most, &mut *places, self.sign);
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
}

/// Whether a number comes before the best that is known, which is NaN at first.
#[inline(always)]
#[expect(clippy::neg_cmp_op_on_partial_ord, reason = "any number is better than NaN")]
#[expect(clippy::eq_op, reason = "only NaN is not equal to itself")]
fn is_better<T: Ordered>(x: T, most: T) -> bool {
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

/// The place in a row of at least one register.
#[inline(always)]
fn in_row<T: Ordered, S: Simd>(simd: S, lanes: usize, row: &[T], sign: T) -> usize {
    let parts = row.len().div_ceil(PART);
    let sign = T::splat(simd, sign);
    let (mut most, mut from) = (T::LOWEST, 0);
    for number in 0..parts {
        let largest = largest_of(simd, lanes, part(lanes, row, number).1, sign);
        if largest > most {
            (most, from) = (largest, number);
        }
    }
    // Where all is NaN or of the lowest, the first parts may have none of it.
    let most = T::splat(simd, most);
    for number in from..parts {
        let (start, part) = part(lanes, row, number);
        if let Some(place) = place_in(simd, lanes, part, sign, most) {
            return start + place;
        }
    }
    0
}

/// A part of a row, and where it starts. The last one may start in the one before: none is shorter than a register.
#[inline(always)]
fn part<T>(lanes: usize, row: &[T], number: usize) -> (usize, &[T]) {
    let start = (number * PART).min(row.len() - lanes);
    (start, &row[start..row.len().min(start + PART)])
}

/// The largest number of a part; the lowest if it has none.
#[inline(always)]
fn largest_of<T: Ordered, S: Simd>(simd: S, lanes: usize, part: &[T], sign: T::Register<S>) -> T {
    let mut most = [T::splat(simd, T::LOWEST); 4];
    let (whole, rest) = T::registers::<S>(part).0.as_chunks::<4>();
    for four in whole {
        for (most, &x) in most.iter_mut().zip(four) {
            *most = T::larger(simd, *most, T::times(simd, x, sign));
        }
    }
    let [a, b, c, d] = most;
    let mut most = T::larger(simd, T::larger(simd, a, b), T::larger(simd, c, d));
    for &x in rest {
        most = T::larger(simd, most, T::times(simd, x, sign));
    }
    if let Some(&x) = last(lanes, part) {
        most = T::larger(simd, most, T::times(simd, x, sign));
    }
    T::largest_in(simd, most)
}

/// The first place in a part with this number.
#[inline(always)]
fn place_in<T: Ordered, S: Simd>(
    simd: S,
    lanes: usize,
    part: &[T],
    sign: T::Register<S>,
    number: T::Register<S>,
) -> Option<usize> {
    let counted = T::registers::<S>(&T::PLACES).0[0];
    let mut found = T::splat(simd, T::HIGHEST);
    // From the end on, so that earlier places come over later ones.
    if let Some(&x) = last(lanes, part) {
        let places = T::plus(simd, counted, T::splat(simd, T::of_place(part.len() - lanes)));
        found = T::where_equal(simd, T::times(simd, x, sign), number, places, found);
    }
    let registers = T::registers::<S>(part).0;
    for i in (0..registers.len()).rev() {
        let places = T::plus(simd, counted, T::splat(simd, T::of_place(i * lanes)));
        found = T::where_equal(simd, T::times(simd, registers[i], sign), number, places, found);
    }
    T::smallest_in(simd, found).place()
}

/// The last register of a part that is no whole number of them.
#[inline(always)]
fn last<T: Ordered, S: Simd>(lanes: usize, part: &[T]) -> Option<&T::Register<S>> {
    if part.len().is_multiple_of(lanes) { None } else { T::registers::<S>(&part[part.len() - lanes..]).0.first() }
}

#[cfg(test)]
mod tests;
