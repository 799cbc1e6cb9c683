//! Sorting along one axis.
//!
//! Of equal numbers the first comes first, both zeros are equal, and NaN comes last in either direction.
//! Each number and its place become one integer in whose order they are to come: so the sort need not be stable, and no
//! two are equal. Where only the first few are wanted, the others are not sorted. Lives here: that order, and long lines.
//! Not here: how the first few are found (`first`), short lines (`network`), where lines begin (`lines`).

mod first;
mod network;

use super::best::Ordered;
use super::lines::Lines;
use super::parallel::GRAIN;
use super::{View, ViewMut};
use crate::element::Stored;
use first::{COLUMNS, Columns, First};
use network::{LINES, Network, Together};

/// Numbers that can be sorted.
pub(crate) trait Ranked: Ordered {
    /// The rank of a number and its place.
    type Key: Ord + Copy;
    /// The key of a number, which has a lower one than all that come later.
    fn key(self, place: usize, descending: bool) -> Self::Key;
    /// The place in a key.
    fn place_in(key: Self::Key) -> usize;
    /// The number in a key, which is not that of NaN.
    fn number(key: Self::Key, descending: bool) -> Self;
    /// The next lower number.
    fn below(self) -> Self;
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
            fn place_in(key: $key) -> usize {
                (key as $bits) as usize
            }
            #[inline(always)]
            fn below(self) -> $type {
                self.next_down()
            }
            #[inline(always)]
            fn number(key: $key, descending: bool) -> $type {
                const SIGN: $bits = 1 << ($bits::BITS - 1);
                let rank = (key >> $bits::BITS) as $bits;
                let rank = if descending { !rank } else { rank };
                $type::from_bits(if rank & SIGN == 0 { !rank } else { rank ^ SIGN })
            }
        }
    };
}

ranked!(f32, u32, u64);
ranked!(f64, u64, u128);

/// Writes the first numbers along the last axis of a view over `outer` and an axis of `size`, in their order, to one over
/// `outer` and an axis of `wanted`.
///
/// # Panics
/// If a view leaves its slice, if positions of the destination overlap, if more are wanted than there are, or if a line has
/// 2³² elements or more.
pub(crate) fn sort<T: Ranked>(
    descending: bool,
    outer: &[usize],
    [size, wanted]: [usize; 2],
    src: View<'_, T>,
    dst: ViewMut<'_, T>,
) {
    sorted("sort", descending, outer, [size, wanted], src, dst, |_, x| x);
}

/// Writes the places that the numbers would come from.
///
/// # Panics
/// As [`sort`].
pub(crate) fn argsort<T: Ranked>(
    descending: bool,
    outer: &[usize],
    [size, wanted]: [usize; 2],
    src: View<'_, T>,
    dst: ViewMut<'_, i64>,
) {
    sorted("argsort", descending, outer, [size, wanted], src, dst, |place, _| place as i64);
}

/// Whether all lines are best put in order by the same comparisons, whatever their numbers are. From some length on to
/// pass over what is not wanted takes less time, and then so does sorting.
fn is_short<T: Ranked>(size: usize, wanted: usize) -> bool {
    if size_of::<T::Key>() > size_of::<u64>() {
        // Such keys are compared one by one.
        return size <= 64 && !is_few(size, wanted);
    }
    size <= 128 || size <= 256 && wanted > size / 32
}

/// Whether so few of a line are wanted that the others are best passed over.
fn is_few(size: usize, wanted: usize) -> bool {
    size >= 32 && wanted <= size / 4
}

fn sorted<T: Ranked, U: Stored>(
    what: &str,
    descending: bool,
    outer: &[usize],
    [size, wanted]: [usize; 2],
    src: View<'_, T>,
    dst: ViewMut<'_, U>,
    result: impl Fn(usize, T) -> U + Sync,
) {
    assert!(u32::try_from(size).is_ok(), "{what}: lines of 2³² elements or more are not sorted");
    assert!(wanted <= size, "{what}: {wanted} of {size} elements are wanted");
    let Some(lines) = Lines::new(what, outer, [size, wanted], src, dst) else { return };
    let write = |[from, to]: [isize; 2], keys: &[T::Key]| {
        for (i, &key) in (0..).zip(keys) {
            let place = T::place_in(key);
            // SAFETY: this is an element of the line that is visited.
            let element = unsafe { lines.target(to + i * lines.dst_stride, 1) };
            element[0] = result(place, lines.read(from, place));
        }
    };
    // A number that is sorted costs some passes over memory.
    let grain = (GRAIN / 16).div_ceil(size);
    if is_short::<T>(size, wanted) && lines.neighbours() >= LINES / 2 {
        let network = Network::new(size, wanted);
        let make = || Together::new(&network, descending, &result);
        return lines.visit(grain.next_multiple_of(LINES), LINES, make, |some, start, count| {
            // SAFETY: these are the lines that are visited.
            unsafe { some.sort(&network, &lines, start, count, &result) };
        });
    }
    if is_few(size, wanted) {
        // A number that is passed over costs little more than to read it, one of the first some comparisons.
        let grain = (GRAIN / 4).div_ceil(size);
        if lines.are_columns(COLUMNS / 4) {
            let make = || Columns::new(wanted, descending);
            return lines.visit(grain.next_multiple_of(COLUMNS), COLUMNS, make, |columns, start, count| {
                columns.of(&lines, start[0], count, |line, keys| write(lines.neighbour(start, line), keys));
            });
        }
        let make = || (First::new(wanted, descending), Vec::new());
        return lines.visit(grain, 1, make, |(first, apart), start, _| {
            let line = if lines.src_stride == 1 {
                lines.source(start[0], size)
            } else {
                apart.clear();
                apart.extend((0..size).map(|i| lines.read(start[0], i)));
                apart
            };
            write(start, first.of(line));
        });
    }
    lines.visit(
        grain,
        1,
        || Vec::with_capacity(size),
        |keys: &mut Vec<T::Key>, start, _| {
            keys.clear();
            keys.extend((0..size).map(|i| lines.read(start[0], i).key(i, descending)));
            if wanted < size {
                keys.select_nth_unstable(wanted);
                keys.truncate(wanted);
            }
            keys.sort_unstable();
            write(start, keys);
        },
    );
}

#[cfg(test)]
mod tests;
