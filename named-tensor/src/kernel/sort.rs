//! Sorting along one axis.
//!
//! Of equal numbers the first comes first, both zeros are equal, and NaN comes last in either direction.
//! Each number and its place become one integer in whose order they are to come: so the sort need not be stable, and no
//! two are equal. Not here: where lines begin (`lines`).

use super::lines::Lines;
use super::parallel::GRAIN;
use super::{View, ViewMut};
use crate::element::Stored;

/// Numbers that can be sorted.
pub(crate) trait Ranked: Stored {
    /// The rank of a number and its place.
    type Key: Ord + Copy;
    /// The key of a number, which has a lower one than all that come later.
    fn key(self, place: usize, descending: bool) -> Self::Key;
    /// The place in a key.
    fn place(key: Self::Key) -> usize;
}

macro_rules! ranked {
    ($type:ident, $bits:ident, $key:ident) => {
        impl Ranked for $type {
            type Key = $key;
            #[inline(always)]
            fn key(self, place: usize, descending: bool) -> $key {
                const SIGN: $bits = 1 << ($bits::BITS - 1);
                // The bits of positive numbers are in their order, those of negative ones in the opposite one.
                let bits = (self + 0.0).to_bits();
                let rank = if bits & SIGN == 0 { bits | SIGN } else { !bits };
                let rank = if descending { !rank } else { rank };
                // No number has the highest rank in either direction, for infinities have other bits than all 1.
                let rank = if self.is_nan() { $bits::MAX } else { rank };
                $key::from(rank) << $bits::BITS | place as $key
            }
            #[inline(always)]
            fn place(key: $key) -> usize {
                (key as $bits) as usize
            }
        }
    };
}

ranked!(f32, u32, u64);
ranked!(f64, u64, u128);

/// Writes the numbers along the last axis of two views over `outer` and an axis of `size` in their order.
///
/// # Panics
/// If a view leaves its slice, if positions of the destination overlap, or if a line has 2³² elements or more.
pub(crate) fn sort<T: Ranked>(descending: bool, outer: &[usize], size: usize, src: View<'_, T>, dst: ViewMut<'_, T>) {
    sorted("sort", descending, outer, size, src, dst, |_, x| x);
}

/// Writes the places that the numbers would come from.
///
/// # Panics
/// As [`sort`].
pub(crate) fn argsort<T: Ranked>(
    descending: bool,
    outer: &[usize],
    size: usize,
    src: View<'_, T>,
    dst: ViewMut<'_, i64>,
) {
    sorted("argsort", descending, outer, size, src, dst, |place, _| place as i64);
}

fn sorted<T: Ranked, U: Stored>(
    what: &str,
    descending: bool,
    outer: &[usize],
    size: usize,
    src: View<'_, T>,
    dst: ViewMut<'_, U>,
    result: impl Fn(usize, T) -> U + Sync,
) {
    assert!(u32::try_from(size).is_ok(), "{what}: lines of 2³² elements or more are not sorted");
    let Some(lines) = Lines::new(what, outer, size, src, dst) else { return };
    // A number that is sorted costs some passes over memory.
    let grain = (GRAIN / 16).div_ceil(size);
    lines.visit(
        grain,
        1,
        || Vec::with_capacity(size),
        |keys: &mut Vec<T::Key>, [from, to], _| {
            keys.clear();
            keys.extend((0..size).map(|i| lines.read(from, i).key(i, descending)));
            keys.sort_unstable();
            for (i, &key) in (0..).zip(keys.iter()) {
                let place = T::place(key);
                // SAFETY: this is an element of the line that is visited.
                let element = unsafe { lines.target(to + i * lines.dst_stride, 1) };
                element[0] = result(place, lines.read(from, place));
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::{Random, positions};
    use std::cmp::Ordering;

    /// The places in the order of a stable sort by the definition.
    fn plain(row: &[f64], descending: bool) -> Vec<i64> {
        let mut places: Vec<i64> = (0..row.len() as i64).collect();
        places.sort_by(|&a, &b| {
            let (a, b) = (row[a as usize], row[b as usize]);
            let order = if descending { b.partial_cmp(&a) } else { a.partial_cmp(&b) };
            order.unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())).then(Ordering::Equal)
        });
        places
    }

    fn agree<T: Ranked>(data: &[f64], rows: usize, size: usize, from: [isize; 2], to: [isize; 2]) {
        let own: Vec<T> = data.iter().map(|&x| T::from_f64(x)).collect();
        for descending in [false, true] {
            let view = View { data: &own[..], offset: 1, strides: &from };
            let (mut places, mut numbers) = (vec![-1; rows * size], vec![T::from_f64(9.0); rows * size]);
            argsort(descending, &[rows], size, view, ViewMut { data: &mut places, offset: 0, strides: &to });
            sort(descending, &[rows], size, view, ViewMut { data: &mut numbers, offset: 0, strides: &to });
            for (a, b) in positions(&[rows], &from[..1]).zip(positions(&[rows], &to[..1])) {
                let row: Vec<f64> = (0..size as isize).map(|i| data[(1 + a + i * from[1]) as usize]).collect();
                for (i, place) in (0..).zip(plain(&row, descending)) {
                    let at = (b + i * to[1]) as usize;
                    assert_eq!(places[at], place, "{descending} {row:?}");
                    let same = numbers[at].to_f64().to_bits() == T::from_f64(row[place as usize]).to_f64().to_bits();
                    assert!(same || row[place as usize].is_nan(), "{descending} {row:?}");
                }
            }
        }
    }

    #[test]
    fn numbers_and_places_come_in_the_order_of_a_stable_sort() {
        let mut random = Random::new(5);
        for (rows, size) in [(1, 1), (4, 2), (3, 7), (5, 20), (2, 50), (40, 33), (2, 1000)] {
            let few = 1 + random.below(60);
            let number = |random: &mut Random| match random.below(20) {
                0 => f64::NAN,
                1 => f64::NEG_INFINITY,
                2 => f64::INFINITY,
                3 => -0.0,
                _ => random.below(few) as f64 - 10.5,
            };
            let data: Vec<f64> = (0..rows * size + 1).map(|_| number(&mut random)).collect();
            let (x, s) = (rows as isize, size as isize);
            for (from, to) in [([s, 1], [s, 1]), ([1, x], [1, x]), ([s, 1], [1, x]), ([0, 1], [s, 1])] {
                agree::<f32>(&data, rows, size, from, to);
                agree::<f64>(&data, rows, size, from, to);
            }
        }
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn what_is_sorted_does_not_depend_on_the_number_of_threads() {
        use crate::kernel::threads::with_threads;
        let data: Vec<f32> = Random::new(6).reals(300 * 200).into_iter().map(|x| (x * 20.0).floor()).collect();
        let all = || {
            let mut out = vec![0; data.len()];
            let view = View { data: &data[..], offset: 0, strides: &[200, 1] };
            argsort(true, &[300], 200, view, ViewMut { data: &mut out, offset: 0, strides: &[200, 1] });
            out
        };
        let alone = with_threads(1, all);
        assert!([2, 3, 7].into_iter().all(|count| with_threads(count, all) == alone), "the same places");
    }
}
