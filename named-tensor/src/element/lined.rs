//! Elements that begin where a line of memory does, or a page.
//!
//! A register of 64 bytes that does not is two lines, of which a processor reads or writes one after the other: products with
//! a few terms, which write as much as they compute, take half as long again then.
//! Whether a number is read that was just written, a processor first guesses by the last twelve bits of both addresses. Where
//! results lie some lines ahead of what they are computed from by those bits, it waits for stores that have nothing to do with
//! what it loads, and a sum takes a third longer. Results that begin with a page are not ahead of anything that does, nor of
//! vectors of the system's allocator, which begin a little after a page.
//! Lives here: vectors that skip what lies before their first line, or page. Not here: buffers (`Buffer`), the memory that is
//! kept for them (`kernel::pool`).

use std::fmt::{self, Debug, Formatter};
use std::ops::{Deref, DerefMut};

/// Bytes of a line of memory, a power of two, as processors bring and write them.
pub(crate) const LINE: usize = 64;
/// Bytes from which on elements begin with a line: a few are as fast anywhere, and memory for them is got faster.
const MANY: usize = 4 << 10;
/// How far addresses lie apart that a processor takes for the same at first.
const PAGE: usize = 4 << 10;
/// Bytes from which on elements begin with a page: an eighth of this may be lost.
const MORE: usize = 8 * PAGE;

/// Elements side by side. Many of them begin where a line of memory does, or a page, unless they are those of a vector that
/// somebody else has filled: it is taken as it is.
pub struct Lined<T> {
    /// The elements, after `start` that nobody reads.
    all: Vec<T>,
    start: u16,
    /// How many more than asked for there is room for: a line or a page of them, or none.
    spare: u16,
}

impl<T: Copy + Default> Lined<T> {
    /// So many times what memory holds first: 0, or `false`.
    #[must_use]
    pub fn zeros(size: usize) -> Lined<T> {
        let spare = spare::<T>(size);
        if spare == 0 {
            return vec![T::default(); size].into();
        }
        let all = vec![T::default(); size.saturating_add(spare.into())];
        let mut lined = Lined { start: start(&all, spare), all, spare };
        lined.all.truncate(lined.start() + size);
        lined
    }

    /// None, with room for so many.
    #[must_use]
    pub fn with_room(room: usize) -> Lined<T> {
        let spare = spare::<T>(room);
        Lined::in_room(Vec::with_capacity(room.saturating_add(spare.into())), spare)
    }

    /// None, with room for so many, if there is memory for them, of which `prepare` takes care before it is touched.
    pub(crate) fn try_with_room(room: usize, prepare: impl FnOnce(Vec<T>) -> Vec<T>) -> Option<Lined<T>> {
        let (mut all, spare) = (Vec::new(), spare::<T>(room));
        all.try_reserve_exact(room.checked_add(spare.into())?).ok()?;
        Some(Lined::in_room(prepare(all), spare))
    }

    /// None, in a vector without elements that has so much room to spare.
    fn in_room(mut all: Vec<T>, spare: u16) -> Lined<T> {
        let start = start(&all, spare);
        all.resize(start.into(), T::default());
        Lined { all, start, spare }
    }

    /// Makes them so many, inside the room that there is; those that were not there are 0, or `false`.
    pub(crate) fn resize(&mut self, size: usize) {
        self.all.resize(self.start() + size, T::default());
    }

    /// Adds one more.
    pub(crate) fn push(&mut self, value: T) {
        self.all.push(value);
    }

    /// The elements as a vector; they are moved to its beginning.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<T> {
        self.all.drain(..self.start());
        self.all
    }
}

impl<T> Lined<T> {
    #[inline(always)]
    fn start(&self) -> usize {
        self.start.into()
    }

    /// How many there is room for.
    pub(crate) fn room(&self) -> usize {
        self.all.capacity() - usize::from(self.spare)
    }

    /// The vector that holds them, and where in it they begin; what it has room for beyond [`Lined::room`] is not theirs.
    pub(crate) fn into_parts(self) -> (Vec<T>, [u16; 2]) {
        (self.all, [self.start, self.spare])
    }

    /// The same from its parts.
    pub(crate) fn from_parts((all, [start, spare]): (Vec<T>, [u16; 2])) -> Lined<T> {
        let is_inside = usize::from(spare) <= all.capacity() && usize::from(start) <= all.len();
        assert!(start <= spare && is_inside, "elements lie in their vector");
        Lined { all, start, spare }
    }

    /// Whether they begin with a line, or are few.
    pub(crate) fn is_lined_up(&self) -> bool {
        self.room() * size_of::<T>() < MANY || self.as_ptr().addr().is_multiple_of(LINE)
    }
}

/// Elements of a line, or of a page, if so many begin with one.
fn spare<T>(size: usize) -> u16 {
    let bytes = match size.saturating_mul(size_of::<T>()) {
        ..MANY => 0,
        MANY..MORE => LINE,
        MORE.. => PAGE,
    };
    (bytes / size_of::<T>()) as u16
}

/// How many elements lie before the first line of a vector, or before its first page if so many are to spare.
fn start<T>(all: &[T], spare: u16) -> u16 {
    let to = if usize::from(spare) * size_of::<T>() < PAGE { LINE } else { PAGE };
    all.as_ptr().align_offset(to).min(spare.into()) as u16
}

impl<T> Deref for Lined<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.all[self.start()..]
    }
}

impl<T> DerefMut for Lined<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        let start = self.start();
        &mut self.all[start..]
    }
}

impl<T> From<Vec<T>> for Lined<T> {
    /// The elements of a vector, where they lie.
    #[inline]
    fn from(all: Vec<T>) -> Lined<T> {
        Lined { all, start: 0, spare: 0 }
    }
}

impl<T: Copy + Default> From<&[T]> for Lined<T> {
    /// A copy.
    fn from(elements: &[T]) -> Lined<T> {
        let mut lined = Lined::with_room(elements.len());
        lined.all.extend_from_slice(elements);
        lined
    }
}

impl<T: Copy> Extend<T> for Lined<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        self.all.extend(elements);
    }
}

impl<T: Copy + Default> FromIterator<T> for Lined<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Lined<T> {
        let elements = elements.into_iter();
        let mut lined = Lined::with_room(elements.size_hint().0);
        lined.extend(elements);
        lined
    }
}

impl<T: Copy + Default> Clone for Lined<T> {
    fn clone(&self) -> Lined<T> {
        Lined::from(&**self)
    }
}

impl<T: Debug> Debug for Lined<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.deref().fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Lined<T> {
    fn eq(&self, other: &Lined<T>) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_elements_begin_with_a_line_however_they_came_to_be() {
        let numbers: Vec<f32> = (0..5000_u16).map(f32::from).collect();
        let mut grown = Lined::with_room(5000);
        grown.extend(numbers.iter().copied());
        let all = [Lined::from(&numbers[..]), numbers.iter().copied().collect(), grown.clone(), grown];
        for lined in all {
            assert_eq!(*lined, numbers[..]);
            assert!(lined.as_ptr().addr().is_multiple_of(LINE) && lined.is_lined_up());
            assert_eq!(lined.room(), 5000, "what lies around them is not room");
            assert_eq!(lined.into_vec(), numbers);
        }
        let zeros: Lined<i64> = Lined::zeros(700);
        assert!(
            zeros.as_ptr().addr().is_multiple_of(LINE) && zeros.iter().all(|&zero| zero == 0) && zeros.len() == 700
        );
    }

    #[test]
    fn more_elements_begin_with_a_page() {
        let numbers: Vec<f32> = (0..(MORE / 4) as u16).map(f32::from).collect();
        let parted = Lined::from_parts(Lined::from(&numbers[..]).into_parts());
        for lined in [Lined::from(&numbers[..]), numbers.iter().copied().collect(), parted] {
            assert_eq!((&*lined, lined.room()), (&numbers[..], numbers.len()));
            assert!(lined.as_ptr().addr().is_multiple_of(PAGE) && lined.is_lined_up());
            assert_eq!(lined.into_vec(), numbers);
        }
        let truths: Lined<bool> = Lined::zeros(MORE);
        assert!(
            truths.as_ptr().addr().is_multiple_of(PAGE) && truths.len() == MORE,
            "as many as bytes of a page are skipped"
        );
        assert_eq!(Lined::<bool>::zeros(MORE - 1).spare, LINE as u16, "fewer begin with a line");
    }

    #[test]
    fn the_elements_of_a_vector_stay_where_they_are() {
        let numbers = vec![1.5_f64; 3000];
        let start = numbers.as_ptr();
        let lined = Lined::from(numbers);
        assert_eq!((lined.as_ptr(), lined.room()), (start, 3000));
        let vector = lined.into_vec();
        assert_eq!(vector.as_ptr(), start);
    }

    #[test]
    fn elements_that_are_fewer_and_then_more_again_stay_in_their_room() {
        let mut lined: Lined<f32> = Lined::zeros(4000);
        let (start, room) = (lined.as_ptr(), lined.room());
        lined.fill(2.0);
        lined.resize(10);
        lined.resize(room);
        assert_eq!((lined.as_ptr(), lined.len(), lined.room()), (start, room, room));
        assert_eq!([lined[9], lined[10]], [2.0, 0.0]);
        let parts = Lined::from_parts(lined.into_parts());
        assert_eq!((parts.as_ptr(), parts.len()), (start, room));
    }

    #[test]
    fn a_few_elements_have_no_room_to_spare() {
        let few: Lined<f32> = Lined::zeros(100);
        assert_eq!((few.room(), few.spare), (100, 0));
        assert!(few.is_lined_up(), "anywhere");
    }

    #[test]
    fn there_is_no_room_for_more_elements_than_memory_has() {
        assert!(
            [usize::MAX, usize::MAX / 8].iter().all(|&room| Lined::<f64>::try_with_room(room, |all| all).is_none())
        );
        assert!(
            Lined::<f64>::try_with_room(1000, |all| all).is_some_and(|lined| lined.room() == 1000 && lined.is_empty())
        );
    }
}
