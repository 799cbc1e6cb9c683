//! Stores that pass the caches by, for results that are larger than the caches.
//!
//! An ordinary store to memory that is in no cache reads it first: a third of what a copy moves, and a line of something
//! useful is put out of the cache for it. A result that has left the caches before anybody reads it is better sent to
//! memory at once. What is sent is computed into a small buffer first, which stays in the nearest cache.
//! Processors without such stores, and all of them where a result is small, store as usual.
//! Not here: what is computed.

use super::lanes::vectorised;
#[cfg(target_arch = "x86_64")]
use super::vectors;
pub(super) use crate::element::LINE;
use crate::element::Stored;
#[cfg(target_arch = "x86_64")]
use pulp::x86::V4;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};

/// Bytes from which a result is held to be larger than the caches; less in tests, so that they come here too.
const LARGE: usize = if cfg!(test) { 1 << 20 } else { 32 << 20 };
/// Elements that are computed in registers before they are sent.
pub(super) const AT_ONCE: usize = 64;
/// Bytes that every processor of that architecture stores at once.
#[cfg(target_arch = "x86_64")]
const QUARTER: usize = 16;

/// A way to memory. When it is dropped, what was sent on it has arrived for all threads.
#[derive(Debug)]
pub(crate) struct Stream {
    passes_by: bool,
    /// The processor, if it stores a whole line of memory at once: none is then sent in parts.
    #[cfg(target_arch = "x86_64")]
    by_line: Option<V4>,
}

impl Stream {
    /// The way for pieces of a result of `size` elements `T`.
    pub(super) fn of<T>(size: usize) -> Stream {
        Stream::new(cfg!(target_arch = "x86_64") && size.saturating_mul(size_of::<T>()) >= LARGE)
    }

    /// The way for pieces of results that nobody reads before they are handed over, in a loop that moves so many bytes in
    /// all: half as many as a result may have are enough for the first of them to be gone.
    pub(super) fn of_last(moved: usize) -> Stream {
        Stream::new(cfg!(target_arch = "x86_64") && moved >= LARGE / 2)
    }

    /// The way for what will be read soon.
    pub(super) fn usual() -> Stream {
        Stream::new(false)
    }

    fn new(passes_by: bool) -> Stream {
        Stream {
            passes_by,
            #[cfg(target_arch = "x86_64")]
            by_line: if passes_by { vectors::of_512() } else { None },
        }
    }

    /// Whether stores pass the caches by.
    pub(super) fn passes_by(&self) -> bool {
        self.passes_by
    }

    /// Room for pieces of `size` elements, which [`Stream::fill`] wants: none if stores are as usual.
    pub(super) fn room<T: Stored>(&self, size: usize) -> Vec<T> {
        vec![T::default(); if self.passes_by { size + LINE / size_of::<T>() } else { 0 }]
    }

    /// Has `dst` computed: at once, or in `room` and then sent.
    #[inline(always)]
    pub(super) fn fill<T: Stored>(&self, room: &mut [T], dst: &mut [T], compute: impl FnOnce(&mut [T])) {
        if self.passes_by {
            let room = &mut lined_up_mut(room)[..dst.len()];
            compute(room);
            self.send(room, dst);
        } else {
            compute(dst);
        }
    }

    /// Copies a slice.
    #[inline(always)]
    pub(super) fn send<T: Stored>(&self, src: &[T], dst: &mut [T]) {
        #[cfg(target_arch = "x86_64")]
        if self.passes_by {
            return send(src, dst, self.by_line);
        }
        dst.copy_from_slice(src);
    }

    /// Copies a few lines of memory, inside a loop that is compiled for the processor at hand.
    #[inline(always)]
    pub(super) fn put<T: Stored>(&self, src: &[T], dst: &mut [T]) {
        #[cfg(target_arch = "x86_64")]
        if self.passes_by {
            return whole_lines(src, dst, |from, to| match self.by_line {
                Some(simd) => lines(simd, from, to),
                None => quarters(from, to),
            });
        }
        dst.copy_from_slice(src);
    }

    /// Whether registers may be stored from the beginning of this slice on, one after the other.
    pub(super) fn takes<T>(&self, to: &[T]) -> bool {
        !self.passes_by || to.is_empty() || to.as_ptr().addr().is_multiple_of(LINE)
    }

    /// Stores a register, inside a loop that is compiled for the processor at hand.
    ///
    /// # Safety
    /// It may be written to `to`, which is a multiple of its size away from what [`Stream::takes`].
    #[inline(always)]
    pub(super) unsafe fn send_register<R: Copy>(&self, register: R, to: *mut R) {
        #[cfg(target_arch = "x86_64")]
        match self.by_line {
            Some(simd) if size_of::<R>() == LINE => {
                // SAFETY: a register of 64 bytes is plain numbers.
                let line = unsafe { std::mem::transmute_copy(&register) };
                // SAFETY: by the contract of this function; for the rest, see `lines`.
                return unsafe { simd.avx512f._mm512_stream_ps(to.cast::<f32>(), line) };
            }
            _ if self.passes_by && size_of::<R>() == 2 * QUARTER => {
                // SAFETY: a register of 32 bytes is plain numbers.
                let halves: [__m128i; 2] = unsafe { std::mem::transmute_copy(&register) };
                for (i, half) in halves.into_iter().enumerate() {
                    // SAFETY: by the contract of this function; for the rest, see `lines`.
                    unsafe { _mm_stream_si128(to.cast::<__m128i>().wrapping_add(i), half) };
                }
                return;
            }
            _ => {}
        }
        // SAFETY: the contract of this function.
        unsafe { to.write_unaligned(register) };
    }

    /// Sends a few elements to where a line of memory begins, inside a loop that is compiled for the processor at hand.
    #[inline(always)]
    pub(super) fn send_few<T: Stored, const N: usize>(&self, some: &[T; N], to: &mut [T; N]) {
        #[cfg(target_arch = "x86_64")]
        match self.by_line.as_ref() {
            Some(&simd) => lines(simd, some, to),
            None if self.passes_by => few_quarters(some, to),
            None => *to = *some,
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            *to = *some;
        }
    }
}

/// [`quarters`] of a few elements, by itself: else the compiler takes the loop around it apart into quarters, too.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
fn few_quarters<T: Stored>(from: &[T], to: &mut [T]) {
    quarters(from, to);
}

/// A row that goes to memory, a few elements at a time, beside other work.
#[derive(Debug)]
pub(super) struct Departing<'a, T> {
    stream: &'a Stream,
    /// What comes before the first line of memory, the lines, and what comes after them: from here, to there.
    before: (&'a [T], &'a mut [T]),
    whole: (&'a [[T; AT_ONCE]], &'a mut [[T; AT_ONCE]]),
    after: (&'a [T], &'a mut [T]),
}

impl<'a, T: Stored> Departing<'a, T> {
    /// The row `from` on its way to `to`.
    ///
    /// # Panics
    /// If they are not of one size.
    pub(super) fn new(stream: &'a Stream, from: &'a [T], to: &'a mut [T]) -> Departing<'a, T> {
        assert_eq!(from.len(), to.len(), "each element has its place");
        let size = to.as_ptr().align_offset(LINE).min(to.len());
        let (before, from) = from.split_at(size);
        let (before_to, to) = to.split_at_mut(size);
        let (whole, after) = from.as_chunks();
        let (whole_to, after_to) = to.as_chunks_mut();
        Departing { stream, before: (before, before_to), whole: (whole, whole_to), after: (after, after_to) }
    }

    /// Sends `f` of the few elements numbered `i`, if there are so many.
    #[inline(always)]
    pub(super) fn send(&mut self, i: usize, f: impl Fn(T) -> T) {
        if let (Some(from), Some(to)) = (self.whole.0.get(i), self.whole.1.get_mut(i)) {
            self.stream.send_few(&from.map(f), to);
        }
    }

    /// Sends the rest, from the few elements numbered `first` on, and what is not in whole lines.
    pub(super) fn finish(mut self, first: usize, f: impl Fn(T) -> T) {
        vectorised(
            #[inline(always)]
            move || {
                for i in first..self.whole.0.len() {
                    self.send(i, &f);
                }
                for (from, to) in [self.before, self.after] {
                    to.iter_mut().zip(from).for_each(|(y, &x)| *y = f(x));
                }
            },
        );
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        #[cfg(target_arch = "x86_64")]
        if self.passes_by {
            // SAFETY: every processor of this architecture has the instruction, and it has no other condition.
            unsafe { std::arch::x86_64::_mm_sfence() };
        }
    }
}

/// The part of room that begins where a line of memory does.
#[inline(always)]
pub(super) fn lined_up<T>(room: &[T]) -> &[T] {
    &room[room.as_ptr().align_offset(LINE).min(room.len())..]
}

/// The same, to write.
#[inline(always)]
pub(super) fn lined_up_mut<T>(room: &mut [T]) -> &mut [T] {
    let start = room.as_ptr().align_offset(LINE).min(room.len());
    &mut room[start..]
}

/// Copies a slice by stores that pass the caches by.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
fn send<T: Stored>(src: &[T], dst: &mut [T], by_line: Option<V4>) {
    whole_lines(src, dst, |from, to| match by_line {
        Some(simd) => vectors::in_512_bits(
            simd,
            #[inline(always)]
            move || lines(simd, from, to),
        ),
        None => quarters(from, to),
    });
}

/// Copies a slice: whole lines of memory by `send`; what lies before and after those is stored as usual.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn whole_lines<T: Stored>(src: &[T], dst: &mut [T], send: impl FnOnce(&[T], &mut [T])) {
    assert_eq!(src.len(), dst.len(), "a piece is sent to a place of its size");
    // An element that does not begin at a multiple of its size never begins a line: then all of it is before.
    let before = dst.as_ptr().align_offset(LINE).min(dst.len());
    let (first, rest) = dst.split_at_mut(before);
    let per_line = LINE / size_of::<T>();
    let (from, after_from) = src[before..].split_at(rest.len() / per_line * per_line);
    let (to, after) = rest.split_at_mut(from.len());
    if !first.is_empty() {
        first.copy_from_slice(&src[..before]);
    }
    if !after.is_empty() {
        after.copy_from_slice(after_from);
    }
    send(from, to);
}

/// Whether a slice begins where a line of memory does, or is empty.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn is_lined_up<T>(to: &[T]) -> bool {
    to.is_empty() || to.as_ptr().addr().is_multiple_of(LINE)
}

/// Sends whole lines of memory to where a line begins.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn lines<T: Stored>(simd: V4, from: &[T], to: &mut [T]) {
    assert!(is_lined_up(to), "what is sent in lines goes to where a line begins");
    let per_line = LINE / size_of::<T>();
    for (to, from) in to.chunks_exact_mut(per_line).zip(from.chunks_exact(per_line)) {
        // SAFETY: `from` is a slice of 64 bytes, all of them written, and this load asks for no alignment.
        let line = unsafe { simd.avx512f._mm512_loadu_ps(from.as_ptr().cast::<f32>()) };
        // SAFETY: `to` is a mutable slice of 64 bytes that begins at a multiple of 64: the first one does, as was asserted,
        // and each next one is 64 bytes further. The bytes are those of elements `T`. Other threads see them after the
        // fence of `Stream::drop`, which this thread comes to before it lets others know that its piece is done.
        unsafe { simd.avx512f._mm512_stream_ps(to.as_mut_ptr().cast::<f32>(), line) };
    }
}

/// The same for processors that store a quarter of a line at once.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn quarters<T: Stored>(from: &[T], to: &mut [T]) {
    assert!(is_lined_up(to), "what is sent in quarters of lines goes to where a line begins");
    let whole = QUARTER / size_of::<T>();
    for (to, from) in to.chunks_exact_mut(whole).zip(from.chunks_exact(whole)) {
        // SAFETY: `from` is a slice of 16 bytes, all of them written, and this load asks for no alignment.
        let bytes = unsafe { _mm_loadu_si128(from.as_ptr().cast::<__m128i>()) };
        // SAFETY: `to` is a mutable slice of 16 bytes that begins at a multiple of 16, as the first one begins a line. For
        // the rest, see `lines`.
        unsafe { _mm_stream_si128(to.as_mut_ptr().cast::<__m128i>(), bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_sent_arrives_and_nothing_beside_it() {
        let streams = [
            Stream::new(true),
            Stream::new(false),
            #[cfg(target_arch = "x86_64")]
            Stream { passes_by: true, by_line: None },
        ];
        for stream in streams {
            for first in 0..17 {
                for size in [0, 1, 3, 4, 5, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129] {
                    check(&stream, first, size, |i| i as f32);
                    check(&stream, first, size, |i| i as f64);
                    check(&stream, first, size, |i| i as i64);
                    check(&stream, first, size, |i| i % 3 == 0);
                }
            }
        }
    }

    fn check<T: Stored>(stream: &Stream, first: usize, size: usize, number: impl Fn(usize) -> T) {
        let src: Vec<T> = (0..size).map(&number).collect();
        let at = |i: usize| if (first..first + size).contains(&i) { number(i - first) } else { number(99) };
        let ways: [&dyn Fn(&mut [T]); 3] = [&|dst| stream.send(&src, dst), &|dst| stream.put(&src, dst), &|dst| {
            Departing::new(stream, &src, dst).finish(0, |x| x);
        }];
        for (way, to) in ways.iter().enumerate() {
            let mut dst = [number(99); 160];
            to(&mut dst[first..first + size]);
            assert!(dst.iter().enumerate().all(|(i, &x)| x == at(i)), "{size} elements from {first} on, way {way}");
        }
    }

    #[test]
    fn a_small_result_is_stored_as_usual() {
        assert!(!Stream::of::<f32>(LARGE / 4 - 1).passes_by, "one element less than large");
        assert!(Stream::of::<u8>(usize::MAX).passes_by || !cfg!(target_arch = "x86_64"), "as large as can be said");
    }
}
