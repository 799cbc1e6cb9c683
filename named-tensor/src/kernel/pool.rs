//! Warm buffers: memory that was used and will be used again.
//!
//! Lives here: a list of free buffers that all threads share. Memory fresh from the system costs a page fault every 4 KiB,
//! more than the arithmetic on it; a loop that takes and gives the same sizes stops asking for it. Buffers come back from
//! steps that have read them, and from tensors that are dropped. Large ones ask the system for huge pages, of which
//! the processor remembers more.
//! About half as much again is kept as was in use at once, and at most [`LIMIT`] bytes: a round that needs large and small
//! buffers by turns comes to more than it ever uses at once, and would lose in each what it needs in the next. A round that
//! comes to still more asks for fresh memory in each. Before that is asked for, what is too much goes back, so that what is
//! kept and what was taken are no more than twice what was in use at once. However little that is, [`FLOOR`] bytes may be
//! kept. Buffers below [`SMALL`] bytes are left to the allocator, which is good at them.

use crate::element::{Buffer, Kind, keep_with};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

/// Bytes kept at most: 1 GiB. What has lain longest is let go first: a program that has gone on to other sizes does not
/// come back for it, and would lose what it uses in every round.
const LIMIT: usize = 1 << 30;
/// Bytes that may be kept however little is in use.
const FLOOR: usize = 16 << 20;
/// Bytes below which a buffer is not kept.
const SMALL: usize = 4 << 10;

/// Bytes from which a buffer asks for huge pages: some of them fit in it wherever it begins.
const HUGE: usize = 4 << 20;

/// Free buffers by kind and room, and the bytes of all of them.
static FREE: Mutex<Free> =
    Mutex::new(Free { lists: [const { BTreeMap::new() }; 5], bytes: 0, given: 0, out: 0, most: 0 });

/// Free buffers of one kind, by room; each with a number that says when it was given, the last at the end.
type Rooms = BTreeMap<usize, VecDeque<(u64, Buffer)>>;

/// What is done with the elements of a buffer of any kind, or else where others share them.
macro_rules! own {
    ($buffer:expr, $values:ident => $own:expr, _ => $shared:expr) => {
        match $buffer {
            Buffer::F32($values) => $own,
            Buffer::F64($values) => $own,
            Buffer::Index($values) => $own,
            Buffer::Bool($values) => $own,
            Buffer::Bf16($values) => $own,
            Buffer::Lent(_) => $shared,
        }
    };
}

struct Free {
    lists: [Rooms; 5],
    bytes: usize,
    /// How many buffers were given.
    given: u64,
    /// Bytes of buffers that were taken and have not come back.
    out: usize,
    /// The most that this has been.
    most: usize,
}

/// A buffer of `size` elements with any contents.
pub(crate) fn take(kind: Kind, size: usize) -> Buffer {
    if size * kind.bytes() < SMALL {
        return Buffer::zeros(kind, size);
    }
    let mut buffer = kept(kind, size).unwrap_or_else(|| fresh(kind, size));
    resize(&mut buffer, size);
    buffer
}

/// A buffer with room for `room` elements, of which it may have some, with any contents. The others are not touched.
pub(crate) fn take_room(kind: Kind, room: usize) -> Buffer {
    if room * kind.bytes() < SMALL {
        return Buffer::with_room(kind, room);
    }
    kept(kind, room).unwrap_or_else(|| Buffer::with_room(kind, rounded(room)))
}

/// A kept buffer with room for `size` elements.
fn kept(kind: Kind, size: usize) -> Option<Buffer> {
    keep_with(give);
    let (found, surplus) = lock().take_and_count(kind, size);
    // What has to go is freed after the list is unlocked, and before anything is asked for.
    drop(surplus);
    found
}

/// Room for `size` elements and up to an eighth more, so that what grows step by step finds room that was used before.
fn rounded(size: usize) -> usize {
    size.next_multiple_of(1 << size.ilog2().saturating_sub(3))
}

/// A buffer of memory that was never used.
fn fresh(kind: Kind, size: usize) -> Buffer {
    let buffer = Buffer::zeros(kind, rounded(size));
    advise(&buffer, ask_for_huge_pages);
    buffer
}

/// A buffer that was filled elsewhere and will be read often. If it is large, its numbers are brought into huge pages, which
/// takes about as long as to copy them, once: in small ones a processor looks for nearly every page in a table, and a system
/// inside another one in two tables. A system that does not bring them there at once may do so in time.
pub(crate) fn settled(buffer: Buffer) -> Buffer {
    advise(&buffer, |start, bytes| {
        ask_for_huge_pages(start, bytes);
        bring_into_huge_pages(start, bytes);
    });
    buffer
}

/// Gives advice about the memory of a buffer, if it is large.
fn advise(buffer: &Buffer, give: impl FnOnce(*const u8, usize)) {
    let bytes = buffer.size() * buffer.kind().bytes();
    if bytes >= HUGE {
        own!(buffer, values => give(values.as_ptr().cast(), bytes), _ => ());
    }
}

/// A vector whose room was not written to yet, and will stay: the pool does not keep it, but large room asks for huge pages
/// as well.
pub(crate) fn in_huge_pages<X>(room: Vec<X>) -> Vec<X> {
    let bytes = room.capacity() * size_of::<X>();
    if bytes >= HUGE {
        ask_for_huge_pages(room.as_ptr().cast(), bytes);
    }
    room
}

/// Asks the system to back the memory between these bytes by huge pages from now on.
fn ask_for_huge_pages(start: *const u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    about_pages(start, bytes, libc::MADV_HUGEPAGE);
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes);
}

/// Asks the system to back by huge pages what was written between these bytes.
fn bring_into_huge_pages(start: *const u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    about_pages(start, bytes, libc::MADV_COLLAPSE);
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes);
}

/// Asks the system about the pages of the memory between these bytes. It may refuse: then nothing changes.
#[cfg(target_os = "linux")]
fn about_pages(start: *const u8, bytes: usize, advice: libc::c_int) {
    /// The size of an ordinary page, or a multiple of it, as the system wants the start.
    const PAGE: usize = 64 << 10;
    let skipped = start.align_offset(PAGE);
    if skipped < bytes {
        let first = start.wrapping_add(skipped).cast_mut().cast::<libc::c_void>();
        // SAFETY: both advices about huge pages change no contents and no access rights, only by which pages the range is
        // backed; the range lies inside one living allocation, and an address that the system does not accept is an error
        // code.
        let _ = unsafe { libc::madvise(first, bytes - skipped, advice) };
    }
}

/// Takes a buffer back.
pub(crate) fn give(buffer: Buffer) {
    if !is_kept(&buffer) {
        return;
    }
    // What has to go is freed after the list is unlocked.
    let surplus = lock().give(buffer);
    drop(surplus);
}

/// Gives the memory that is kept for the next tensors back to the system.
///
/// A loop that goes on with the same sizes wants it kept. A program that has done something large once, and now waits, may not:
/// up to half as much again as was in use at once is kept, and at most 1 GiB.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { seq }
/// let x: Tensor<R![seq]> = Tensor::ones(seq.of(1_000_000));
/// let most = x.exp().max(seq).item()?;
/// named_tensor::release_memory();
/// assert_eq!(most, 1_f32.exp());
/// # Ok::<(), named_tensor::Error>(())
/// ```
pub fn release_memory() {
    let mut free = lock();
    free.most = free.out;
    let kept = free.keep_at_most(0);
    // Freed after the list is unlocked.
    drop((free, kept));
}

fn lock() -> std::sync::MutexGuard<'static, Free> {
    // A thread that panicked cannot have left the lists half changed: they hold whole buffers.
    FREE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Free {
    /// [`Free::take`], and notes that so much more is in use. Where nothing is found, tells what has to go first.
    fn take_and_count(&mut self, kind: Kind, size: usize) -> (Option<Buffer>, Vec<Buffer>) {
        let found = self.take(kind, size);
        self.out += found.as_ref().map_or(rounded(size), room) * kind.bytes();
        self.most = self.most.max(self.out);
        let mut surplus = Vec::new();
        if found.is_none() {
            surplus.extend(self.nearly(kind, size));
            surplus.extend(self.keep_at_most(self.most.saturating_mul(2).max(FLOOR).saturating_sub(self.out)));
        }
        (found, surplus)
    }

    /// The largest kept buffer that is too small for `size` elements by less than half: whoever comes back for it will mostly
    /// find the larger one large enough, and not too large.
    fn nearly(&mut self, kind: Kind, size: usize) -> Option<Buffer> {
        let room = *self.lists[kind as usize].range(size.div_ceil(2)..size).next_back()?.0;
        self.pop(kind as usize, room, VecDeque::pop_back)
    }

    /// A buffer of this room, taken from this end of the list.
    fn pop(
        &mut self,
        list: usize,
        room: usize,
        end: impl Fn(&mut VecDeque<(u64, Buffer)>) -> Option<(u64, Buffer)>,
    ) -> Option<Buffer> {
        let buffers = self.lists[list].get_mut(&room)?;
        let (_, buffer) = end(buffers)?;
        if buffers.is_empty() {
            self.lists[list].remove(&room);
        }
        self.bytes -= room * buffer.kind().bytes();
        Some(buffer)
    }

    /// The smallest kept buffer with room for `size` elements, unless more than half of it would lie idle.
    fn take(&mut self, kind: Kind, size: usize) -> Option<Buffer> {
        let room = *self.lists[kind as usize].range(size..=size.saturating_mul(2)).next()?.0;
        self.pop(kind as usize, room, VecDeque::pop_back)
    }

    /// Keeps a buffer, and returns those that are too much.
    fn give(&mut self, buffer: Buffer) -> Vec<Buffer> {
        let (kind, room) = (buffer.kind(), room(&buffer));
        // Memory that was not taken here comes too, when its tensor is dropped.
        self.out = self.out.saturating_sub(room * kind.bytes());
        self.bytes += room * kind.bytes();
        self.given += 1;
        self.lists[kind as usize].entry(room).or_default().push_back((self.given, buffer));
        self.keep_at_most(self.most.saturating_add(self.most / 2).clamp(FLOOR, LIMIT))
    }

    /// Takes out what has lain longest, until no more than so many bytes are left.
    fn keep_at_most(&mut self, limit: usize) -> Vec<Buffer> {
        let mut surplus = Vec::new();
        while self.bytes > limit {
            // The first of a room is the one that has lain there longest.
            let first = |(list, rooms): (usize, &Rooms)| {
                rooms.iter().filter_map(move |(&room, buffers)| Some((buffers.front()?.0, list, room))).min()
            };
            let Some((_, list, room)) = self.lists.iter().enumerate().filter_map(first).min() else { break };
            surplus.extend(self.pop(list, room, VecDeque::pop_front));
        }
        surplus
    }
}

/// Whether a buffer is one to keep. A vector that somebody else has filled begins anywhere, and is not.
fn is_kept(buffer: &Buffer) -> bool {
    room(buffer) * buffer.kind().bytes() >= SMALL && own!(buffer, values => values.is_lined_up(), _ => false)
}

/// How many elements fit.
fn room(buffer: &Buffer) -> usize {
    // Memory that others share is not ours to keep.
    own!(buffer, values => values.room(), _ => 0)
}

/// Makes the buffer `size` elements long, inside its room; only elements that it did not have are written.
fn resize(buffer: &mut Buffer, size: usize) {
    own!(buffer, values => values.resize(size), _ => ());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Free {
        Free { lists: [const { BTreeMap::new() }; 5], bytes: 0, given: 0, out: 0, most: LIMIT }
    }

    #[test]
    fn a_buffer_comes_back_to_whoever_asks_for_its_kind_and_nearly_its_size() {
        let mut free = empty();
        assert!(free.give(Buffer::zeros(Kind::F32, 5000)).is_empty(), "it is kept");
        assert!(free.take(Kind::F64, 5000).is_none(), "another kind");
        assert!(free.take(Kind::F32, 5001).is_none(), "too small");
        assert!(free.take(Kind::F32, 2499).is_none(), "more than half would lie idle");
        assert!(free.take(Kind::F32, 2500).is_some(), "there it is");
        assert_eq!((free.bytes, free.lists[0].len()), (0, 0), "and now it is gone");
    }

    #[test]
    fn the_limit_holds_and_what_has_lain_longest_goes_first() {
        let mut free = empty();
        // Zeroed memory that is never touched costs nothing.
        let sizes = [LIMIT / 2, LIMIT / 4, LIMIT / 8];
        sizes.into_iter().for_each(|bytes| assert!(free.give(Buffer::zeros(Kind::Bool, bytes)).is_empty(), "within"));
        let surplus = free.give(Buffer::zeros(Kind::F32, LIMIT / 4 / 4));
        let gone: Vec<usize> = surplus.iter().map(Buffer::size).collect();
        assert_eq!((gone, free.bytes), (vec![LIMIT / 2], LIMIT / 8 * 5), "the first, whatever its kind");
    }

    #[test]
    fn what_is_used_in_every_round_stays_and_what_an_earlier_task_left_goes() {
        let mut free = Free { most: 0, ..empty() };
        let [early, now] = [3 * FLOOR / 2, 4 * FLOOR];
        assert!(free.take_and_count(Kind::F32, early / 4).0.is_none(), "nothing is there yet");
        assert!(free.give(Buffer::zeros(Kind::F32, early / 4)).is_empty(), "so much was in use");
        let mut gone = Vec::new();
        for _ in 0..2 {
            assert!(free.take_and_count(Kind::Bool, now / 2).0.is_none(), "another task needs other sizes");
        }
        (0..2).for_each(|_| gone.extend(free.give(Buffer::zeros(Kind::Bool, now / 2))));
        assert!(gone.is_empty(), "half as much again as was in use");
        gone.extend(free.give(Buffer::zeros(Kind::Bool, now / 4)));
        assert_eq!(gone.iter().map(Buffer::kind).collect::<Vec<_>>(), [Kind::F32], "the first task's buffer goes");
        let now = now / 2;
        assert!(free.take_and_count(Kind::Bool, now).0.is_some(), "the next round finds its own");
    }

    #[test]
    fn no_more_is_kept_than_half_as_much_again_as_was_in_use_at_once() {
        let mut free = Free { most: 0, ..empty() };
        assert!(free.take_and_count(Kind::Bool, 4 * FLOOR).0.is_none(), "there is none");
        assert!(free.give(Buffer::zeros(Kind::Bool, 4 * FLOOR)).is_empty(), "so much was in use");
        assert!(free.give(Buffer::zeros(Kind::Bool, 2 * FLOOR)).is_empty(), "half as much again");
        let surplus = free.give(Buffer::zeros(Kind::Bool, FLOOR));
        assert_eq!(surplus.iter().map(Buffer::size).collect::<Vec<_>>(), [4 * FLOOR], "what lay longest goes");
        assert_eq!((free.bytes, free.out), (3 * FLOOR, 0), "what was never taken does not count as given back");
    }

    #[test]
    fn a_round_of_small_buffers_and_then_a_large_one_finds_all_of_them_in_the_next_round() {
        let mut free = Free { most: 0, ..empty() };
        let (small, large) = (FLOOR, 4 * FLOOR);
        let sizes = [small, small, small, small, large];
        for round in 0..4 {
            // First four small ones are in use, then two of them and the large one.
            let mut used: Vec<Buffer> = Vec::new();
            for (i, size) in sizes.into_iter().enumerate() {
                if i == 4 {
                    used.drain(2..).for_each(|buffer| assert!(free.give(buffer).is_empty(), "nothing is too much"));
                }
                let (found, surplus) = free.take_and_count(Kind::Bool, size);
                assert!(surplus.is_empty() && found.is_some() == (round > 0), "round {round}, buffer {i}");
                used.push(found.unwrap_or_else(|| Buffer::zeros(Kind::Bool, size)));
            }
            used.into_iter().for_each(|buffer| assert!(free.give(buffer).is_empty(), "nothing is too much"));
        }
    }

    #[test]
    fn before_fresh_memory_is_asked_for_a_buffer_that_is_nearly_large_enough_goes_back() {
        let mut free = empty();
        for size in [10_000, 15_000, 18_000, 40_000] {
            assert!(free.give(Buffer::zeros(Kind::F32, size)).is_empty(), "it is kept");
        }
        let (found, surplus) = free.take_and_count(Kind::F32, 20_000);
        assert!(found.is_some() && surplus.is_empty(), "twice the size still serves");
        let (found, surplus) = free.take_and_count(Kind::F32, 20_000);
        assert!(found.is_none(), "the others are too small");
        assert_eq!(surplus.iter().map(Buffer::size).collect::<Vec<_>>(), [18_000], "whose user will take the new one");
        assert_eq!(free.bytes, 25_000 * 4, "the rest stays");
        assert!(free.take_and_count(Kind::F64, 11_000).1.is_empty(), "and so does another kind");
    }

    #[test]
    fn what_is_in_use_and_what_is_kept_are_at_most_twice_what_was_in_use_at_once() {
        let mut free = Free { most: 0, ..empty() };
        assert!(free.take_and_count(Kind::Bool, 4 * FLOOR).0.is_none(), "there is none");
        for times in [3, 2, 1] {
            assert!(free.give(Buffer::zeros(Kind::Bool, times * FLOOR)).is_empty(), "within");
        }
        free.out = 0;
        let (_, surplus) = free.take_and_count(Kind::F32, FLOOR);
        assert_eq!(surplus.iter().map(Buffer::size).collect::<Vec<_>>(), [3 * FLOOR], "the oldest goes");
        assert!(free.bytes + free.out <= 2 * free.most, "{} and {} bytes", free.bytes, free.out);
    }

    #[test]
    fn what_grows_step_by_step_finds_room_that_was_used_before() {
        let rooms: std::collections::BTreeSet<usize> = (10_000..20_000).map(rounded).collect();
        assert!(rooms.len() <= 10, "ten thousand sizes, {} rooms", rooms.len());
        assert!((1..20_000).all(|size| (size..=size + size / 8).contains(&rounded(size))), "at most an eighth more");
    }

    #[test]
    fn small_buffers_and_vectors_that_do_not_begin_with_a_line_are_not_kept() {
        assert!(is_kept(&Buffer::zeros(Kind::F32, SMALL)) && !is_kept(&Buffer::zeros(Kind::Bool, SMALL - 1)));
        let vectors: Vec<Vec<f64>> = (0..64).map(|i| vec![0.0; SMALL + 2 * i]).collect();
        for vector in vectors {
            let is_lined_up = vector.as_ptr().addr().is_multiple_of(64);
            assert_eq!(is_kept(&Buffer::from(vector)), is_lined_up);
        }
    }

    #[test]
    fn numbers_that_are_settled_stay_as_they_are() {
        let values: Vec<f32> = (0..(HUGE / 4 + 12_345) as u32).map(|i| i as f32).collect();
        let (address, expected) = (values.as_ptr(), values.clone());
        let Buffer::F32(settled) = settled(Buffer::from(values)) else { panic!("another kind") };
        assert_eq!((settled.as_ptr(), *settled == *expected), (address, true), "where and what they are");
    }

    #[test]
    fn what_is_taken_has_the_size_that_was_asked_for() {
        for size in [0, 1, 1023, 1024, 5000, 4000, 7000] {
            let buffer = take(Kind::Index, size);
            assert_eq!((buffer.size(), buffer.kind()), (size, Kind::Index), "{size} positions");
            give(buffer);
        }
    }
}
