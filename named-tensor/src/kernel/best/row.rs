//! Where the largest number of a row stands whose numbers follow each other.
//!
//! A row is read once for its largest number, part by part, and then from the first part that has it on for its place.
//! Not here: where rows begin (`best`).

use super::Ordered;
use pulp::Simd;

/// Elements of a row that are looked at together. Places in such a part are exact in any kind of number.
const PART: usize = 1024;

/// The place in a row of at least one register.
#[inline(always)]
pub(super) fn in_row<T: Ordered, S: Simd>(simd: S, lanes: usize, row: &[T], sign: T) -> usize {
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
