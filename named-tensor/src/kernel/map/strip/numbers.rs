//! The numbers that a light program finds under its results: one for each, or one for all of them.
//!
//! One number for all, as that of a row is, stands there as often as a strip is wide, and every strip reads it there again.
//! Not here: where they come from (`block`, `lean`), what is made of them (`step`).

use super::WIDE;
use crate::element::Stored;
use crate::kernel::ahead::fetch_line_aside;

/// The numbers of a source under some results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers<'a, T> {
    numbers: &'a [T],
    /// What is left of the place of a result as the place of its number: all of it, or nothing.
    mask: usize,
}

impl<'a, T: Copy> Numbers<'a, T> {
    /// One for each.
    #[inline(always)]
    pub(in crate::kernel::map) fn each(numbers: &'a [T]) -> Numbers<'a, T> {
        Numbers { numbers, mask: usize::MAX }
    }

    /// One for all, written down once for each, or as often as [`Numbers::OFTEN`].
    #[inline(always)]
    pub(in crate::kernel::map) fn same(numbers: &'a [T]) -> Numbers<'a, T> {
        Numbers { numbers, mask: 0 }
    }

    /// How often one number for all is read side by side, at most.
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

    /// The numbers of the first results.
    pub(super) fn first(&self, size: usize) -> &'a [T] {
        &self.numbers[..size]
    }

    /// Whether there is a number for each of so many results.
    pub(super) fn serves(&self, size: usize) -> bool {
        self.mask == 0 || self.numbers.len() == size
    }

    /// The strip that begins here.
    #[inline(always)]
    pub(super) fn strip<const W: usize>(&self, at: usize) -> &'a [T; W] {
        part(self.numbers, at & self.mask)
    }
}

impl<T: Stored> Numbers<'_, T> {
    /// Asks for the line of memory of a number that is used later.
    #[inline(always)]
    pub(super) fn expect(&self, at: usize) {
        fetch_line_aside(self.numbers, at & self.mask);
    }
}

/// The strip of a source that begins here.
#[inline(always)]
pub(super) fn part<T, const W: usize>(source: &[T], at: usize) -> &[T; W] {
    source[at..].first_chunk().expect("a strip is left")
}
