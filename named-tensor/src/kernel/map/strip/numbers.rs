//! The numbers that a light program finds under its results, and how they follow each other.
//!
//! There is one for each, one for all of them, a row again and again, or one and then another one. One number for many
//! results, as that of a row is, stands there as often as a strip is wide, and every strip reads it there.
//! Not here: where they come from (`block`, `lean`), what is made of them (`step`).

use super::WIDE;
use crate::kernel::tiles::Rows;

/// The numbers of a source under some results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers<'a, T> {
    numbers: &'a [T],
    follow: Follow,
}

/// How numbers follow each other.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Follow {
    /// As the results do.
    Each,
    /// They are all the same.
    Same,
    /// As the results do, from this place on, until so many come again.
    Again { period: usize, first: usize },
    /// The same for so many results, and then another one.
    Two { before: usize },
}

impl<'a, T: Copy> Numbers<'a, T> {
    /// One for each.
    #[inline(always)]
    pub(in crate::kernel::map) fn each(numbers: &'a [T]) -> Numbers<'a, T> {
        Numbers { numbers, follow: Follow::Each }
    }

    /// One for all, written down once for each, or as often as [`Numbers::OFTEN`].
    #[inline(always)]
    pub(in crate::kernel::map) fn same(numbers: &'a [T]) -> Numbers<'a, T> {
        Numbers { numbers, follow: Follow::Same }
    }

    /// A row of `period` numbers again and again, from that numbered `first` on. Behind the row it begins anew, for
    /// [`Numbers::OFTEN`] numbers, so that a strip may begin at each of them.
    pub(in crate::kernel::map) fn rows(numbers: &'a [T], period: usize, first: usize) -> Numbers<'a, T> {
        let numbers = &numbers[..period + Numbers::<T>::OFTEN];
        Numbers { numbers, follow: Follow::Again { period, first: first % period } }
    }

    /// One number for `before` results and another one for those after them, each written down [`Numbers::OFTEN`] times.
    pub(in crate::kernel::map) fn two(numbers: &'a [T], before: usize) -> Numbers<'a, T> {
        Numbers { numbers: &numbers[..2 * Numbers::<T>::OFTEN], follow: Follow::Two { before } }
    }

    /// How many numbers are read side by side, at most.
    pub(in crate::kernel::map) const OFTEN: usize = WIDE;

    /// The number for all, if there is one.
    #[inline(always)]
    pub(super) fn one(&self) -> Option<T> {
        if self.follow == Follow::Same { self.numbers.first().copied() } else { None }
    }

    /// All of the numbers that there are.
    #[inline(always)]
    pub(super) fn all(&self) -> &'a [T] {
        self.numbers
    }

    /// Whether there is one for all, or one for each: then a loop may go over all of them.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.follow, Follow::Each | Follow::Same)
    }

    /// Whether what comes again is at least so long.
    pub(super) fn is_long(&self, least: usize) -> bool {
        !matches!(self.follow, Follow::Again { period, .. } if period < least)
    }

    /// Whether one number is that of many results.
    pub(super) fn repeats(&self) -> bool {
        matches!(self.follow, Follow::Same | Follow::Two { .. })
    }

    /// Takes away those of the first results, of which no more are taken than are [left](Numbers::left): one for each, or one for
    /// all.
    #[inline(always)]
    pub(super) fn take(&mut self, size: usize) -> Numbers<'a, T> {
        let (numbers, here) = (self.numbers, self.place(0));
        match &mut self.follow {
            Follow::Each => {
                let (now, later) = numbers.split_at(size);
                self.numbers = later;
                Numbers::each(now)
            }
            Follow::Same => *self,
            Follow::Again { period, first } => {
                *first = if here + size < *period { here + size } else { 0 };
                Numbers::each(&numbers[here..][..size])
            }
            Follow::Two { before } => {
                let number = if *before > 0 { 0 } else { Numbers::<T>::OFTEN };
                *before = before.saturating_sub(size);
                Numbers::same(&numbers[number..])
            }
        }
    }

    /// The numbers of the first results, which are no more than are read side by side.
    pub(super) fn first(&self, size: usize) -> &'a [T] {
        &self.numbers[self.place(0)..][..size]
    }

    /// Whether there is a number for each of so many results.
    pub(super) fn serves(&self, size: usize) -> bool {
        self.follow != Follow::Each || self.numbers.len() == size
    }

    /// The strip that begins here.
    #[inline(always)]
    pub(super) fn strip<const W: usize>(&self, at: usize) -> &'a [T; W] {
        part(self.numbers, self.place(at))
    }

    /// Where the number of a result stands, and behind it those of the next ones, as many as are read side by side.
    #[inline(always)]
    fn place(&self, at: usize) -> usize {
        match self.follow {
            Follow::Each => at,
            Follow::Same => 0,
            Follow::Again { period, first } if first + at < period => first + at,
            Follow::Again { period, first } => (first + at) % period,
            Follow::Two { before } => Numbers::<T>::OFTEN - before.saturating_sub(at).min(Numbers::<T>::OFTEN),
        }
    }

    /// How many results from this one on find their numbers by [`Numbers::pieces`] of `size` elements, if the last piece is a
    /// whole one.
    pub(super) fn left(&self, at: usize, size: usize) -> usize {
        match self.follow {
            Follow::Each | Follow::Same => usize::MAX,
            Follow::Again { period, .. } => period - self.place(at),
            Follow::Two { before } if before <= at => usize::MAX,
            Follow::Two { before } => ((before - at) / size * size).max(size),
        }
    }

    /// Those from this result on as pieces of `size` elements that follow each other, or are the same.
    #[inline(always)]
    pub(super) fn pieces(&self, at: usize, size: usize) -> Rows<'a, T> {
        let step = if matches!(self.follow, Follow::Each | Follow::Again { .. }) { size } else { 0 };
        Rows { numbers: &self.numbers[self.place(at)..], step }
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
                assert_eq!(numbers.left(at, 2), period - expected[0], "until they come again");
                assert_eq!(numbers.pieces(at, 2).numbers[..4], expected, "and as pieces");
            }
            assert_eq!(numbers.first(4), numbers.strip::<4>(0), "the first ones");
            assert!(numbers.serves(usize::MAX) && numbers.one().is_none(), "there is always another one");
        }
    }

    #[test]
    fn one_number_and_then_another_one_are_read_across_the_place_where_they_meet() {
        const OFTEN: usize = Numbers::<u8>::OFTEN;
        let both: Vec<u8> = (0..2 * OFTEN).map(|i| u8::from(i >= OFTEN)).collect();
        for before in [0, 1, 5, OFTEN - 1, OFTEN, OFTEN + 1, 1000] {
            let numbers = Numbers::two(&both, before);
            for at in 0..before + OFTEN {
                let expected: [u8; 8] = std::array::from_fn(|i| u8::from(at + i >= before));
                assert_eq!(numbers.strip::<8>(at), &expected, "{before} come before, from {at} on");
                let (left, pieces) = (numbers.left(at, 8), numbers.pieces(at, 8));
                assert_eq!((pieces.numbers[..8] == expected, pieces.step), (true, 0), "the same in each piece");
                let is_one = left == usize::MAX && at >= before || left == 8 || at + left <= before;
                assert!(is_one && left >= 8, "{left} of {before} from {at} on");
            }
            assert!(numbers.serves(usize::MAX) && numbers.one().is_none() && !numbers.is_plain());
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
        assert_eq!([same.left(9, 8), each.left(9, 8)], [usize::MAX; 2]);
        assert!(same.is_plain() && each.is_plain(), "a loop may go over them");
        assert!(each.serves(256) && !each.serves(255) && same.serves(1000), "one for each of them alone");
    }
}
