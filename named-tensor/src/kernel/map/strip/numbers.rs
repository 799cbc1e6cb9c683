//! The numbers that a light program finds under its results: one for each, one for all of them, or a row again and again.
//!
//! One number for all, as that of a row is, stands there as often as a strip is wide, and every strip reads it there again.
//! Not here: where they come from (`block`, `lean`), what is made of them (`step`).

use super::WIDE;
use crate::element::Stored;
use crate::kernel::ahead::fetch_line_aside;
use crate::kernel::stream::LINE;
use crate::kernel::tiles::Rows;

/// The numbers of a source under some results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers<'a, T> {
    numbers: &'a [T],
    /// What is left of the place of a result as the place of its number: all of it, or nothing.
    mask: usize,
    /// After how many results the same numbers come again, and the place of the first of these in such a row.
    period: usize,
    first: usize,
}

impl<'a, T: Copy> Numbers<'a, T> {
    /// One for each.
    #[inline(always)]
    pub(in crate::kernel::map) fn each(numbers: &'a [T]) -> Numbers<'a, T> {
        Numbers { numbers, mask: usize::MAX, period: usize::MAX, first: 0 }
    }

    /// One for all, written down once for each, or as often as [`Numbers::OFTEN`].
    #[inline(always)]
    pub(in crate::kernel::map) fn same(numbers: &'a [T]) -> Numbers<'a, T> {
        Numbers { numbers, mask: 0, period: usize::MAX, first: 0 }
    }

    /// A row of `period` numbers again and again, from that numbered `first` on. Behind the row it begins anew, for
    /// [`Numbers::OFTEN`] numbers, so that a strip may begin at each of them.
    pub(in crate::kernel::map) fn rows(numbers: &'a [T], period: usize, first: usize) -> Numbers<'a, T> {
        Numbers { numbers: &numbers[..period + Numbers::<T>::OFTEN], mask: usize::MAX, period, first: first % period }
    }

    /// How many numbers are read side by side, at most.
    pub(in crate::kernel::map) const OFTEN: usize = WIDE;

    /// The number for all, if there is one.
    #[inline(always)]
    pub(super) fn one(&self) -> Option<T> {
        if self.mask == 0 { self.numbers.first().copied() } else { None }
    }

    /// All of the numbers that there are.
    #[inline(always)]
    pub(super) fn all(&self) -> &'a [T] {
        self.numbers
    }

    /// Whether they come again.
    pub(super) fn is_periodic(&self) -> bool {
        self.period != usize::MAX
    }

    /// The numbers of the first results, which are no more than are read side by side.
    pub(super) fn first(&self, size: usize) -> &'a [T] {
        &self.numbers[self.place(0)..][..size]
    }

    /// Whether there is a number for each of so many results.
    pub(super) fn serves(&self, size: usize) -> bool {
        self.mask == 0 || self.is_periodic() || self.numbers.len() == size
    }

    /// The strip that begins here.
    #[inline(always)]
    pub(super) fn strip<const W: usize>(&self, at: usize) -> &'a [T; W] {
        part(self.numbers, self.place(at))
    }

    /// Where the number of a result stands.
    #[inline(always)]
    fn place(&self, at: usize) -> usize {
        let place = (at & self.mask).wrapping_add(self.first);
        if place < self.period { place } else { place % self.period }
    }

    /// How many results there are from this one on until the numbers come again.
    pub(super) fn left(&self, at: usize) -> usize {
        if self.is_periodic() { self.period - self.place(at) } else { usize::MAX }
    }

    /// Those from this result on, until they come again, as pieces of `size` elements that follow each other, or are the same.
    #[inline(always)]
    pub(super) fn pieces(&self, at: usize, size: usize) -> Rows<'a, T> {
        Rows { numbers: &self.numbers[self.place(at)..], step: size & self.mask }
    }
}

impl<T: Stored> Numbers<'_, T> {
    /// Asks for the memory of a strip that is used later.
    #[inline(always)]
    pub(super) fn expect<const W: usize>(&self, at: usize) {
        let place = self.place(at);
        for i in (0..W).step_by(LINE / size_of::<T>()) {
            fetch_line_aside(self.numbers, place.wrapping_add(i));
        }
    }
}

/// The strip of a source that begins here.
#[inline(always)]
pub(super) fn part<T, const W: usize>(source: &[T], at: usize) -> &[T; W] {
    source[at..].first_chunk().expect("a strip is left")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_comes_again_and_again_and_strips_begin_at_each_of_its_numbers() {
        for (period, first) in [(1, 0), (3, 2), (100, 0), (300, 250), (300, 900)] {
            let row: Vec<usize> = (0..period + Numbers::<usize>::OFTEN + 5).map(|i| i % period).collect();
            let numbers = Numbers::rows(&row, period, first);
            for at in 0..3 * period {
                let expected: [usize; 4] = std::array::from_fn(|i| (first + at + i) % period);
                assert_eq!(numbers.strip::<4>(at), &expected, "from {at} on, of {period}, the first one is {first}");
                assert_eq!(numbers.left(at), period - expected[0], "until they come again");
                assert_eq!(numbers.pieces(at, 2).numbers[..4], expected, "and as pieces");
            }
            assert_eq!(numbers.first(4), numbers.strip::<4>(0), "the first ones");
            assert!(numbers.serves(usize::MAX) && numbers.one().is_none(), "there is always another one");
        }
    }

    #[test]
    fn one_number_for_all_and_one_for_each_never_come_again() {
        let row: Vec<u8> = (0..=255).collect();
        let (same, each) = (Numbers::same(&row), Numbers::each(&row));
        assert_eq!(
            (same.strip::<2>(77), each.strip::<2>(77)),
            (&[0, 1], &[77, 78]),
            "read from the first, and at its place"
        );
        assert_eq!((same.pieces(64, 8).step, each.pieces(64, 8).step), (0, 8), "pieces do not go on, or do");
        assert_eq!([same.left(9), each.left(9)], [usize::MAX; 2]);
        assert!(each.serves(256) && !each.serves(255) && same.serves(1000), "one for each of them alone");
    }
}
