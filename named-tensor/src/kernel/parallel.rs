//! Work split over threads.
//!
//! Lives here: loops over disjoint pieces, and a slice that several threads write, each its own elements.
//! The pieces depend on the sizes alone, never on the number of threads, so neither do the results; where a caller asks for
//! [`threads`](fn@threads) or [`grain_of`], its results are the same however it splits. Without the feature `parallel`, or when
//! there is one piece, everything runs in the calling thread.

use std::marker::PhantomData;
use std::ops::Range;

#[cfg(feature = "parallel")]
use super::threads;

/// Elements that are worth a second thread, where each costs about one pass over memory.
pub(crate) const GRAIN: usize = 32 * 1024;

/// How many threads there are, the caller included.
pub(super) fn threads() -> usize {
    #[cfg(feature = "parallel")]
    return threads::threads();
    #[cfg(not(feature = "parallel"))]
    return 1;
}

/// Pieces for each thread, where there is more than enough to do: a thread that comes late is waited for no longer than one
/// of them takes, and each begins with memory that nobody expects.
const PIECES: usize = 8;

/// How many of `total` numbers make a piece, where results are the same however they are split: about `least`, or more if there
/// are more than enough of them, and as many pieces for each thread as for any other.
pub(super) fn grain_of(total: usize, least: usize) -> usize {
    let threads = threads();
    let pieces = total.div_ceil(least.max(1)).clamp(1, PIECES * threads);
    total.div_ceil(if pieces > threads { pieces.next_multiple_of(threads) } else { pieces })
}

/// The same where long pieces are as good as short ones: one thread has one.
pub(super) fn long_grain_of(total: usize, least: usize) -> usize {
    if threads() == 1 { total } else { grain_of(total, least) }
}

/// Runs `work` on pieces of `grain` elements of `out`, each with the position of its first element.
pub(crate) fn for_each_chunk<T: Send>(out: &mut [T], grain: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    let (size, shared) = (out.len(), Shared::new(out));
    for_each_range(size, grain, |range| {
        // SAFETY: the ranges are disjoint, and each is visited once.
        work(range.start, unsafe { shared.slice(range.start, range.len()) });
    });
}

/// Runs `work` on pieces of `grain` numbers of `0..total`.
pub(crate) fn for_each_range(total: usize, grain: usize, work: impl Fn(Range<usize>) + Sync) {
    let grain = grain.max(1);
    run(total.div_ceil(grain), &|i| work(i * grain..total.min((i + 1) * grain)));
}

/// Runs all pieces. The piece is behind a pointer even where there are no threads: so its loops are compiled once.
fn run(pieces: usize, piece: &(dyn Fn(usize) + Sync)) {
    #[cfg(feature = "parallel")]
    threads::run(pieces, piece);
    #[cfg(not(feature = "parallel"))]
    (0..pieces).for_each(piece);
}

/// A mutable slice that several threads hold at once, each writing elements that no other touches.
#[derive(Debug)]
pub(super) struct Shared<'a, T> {
    start: *mut T,
    size: usize,
    life: PhantomData<&'a mut [T]>,
}

// SAFETY: a `Shared` gives out elements only through `slice`, whose callers promise that no element is reached twice at
// a time; so threads that hold it hold disjoint `&mut [T]`, which may be sent because `T: Send`.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    /// Shares a slice.
    pub(super) fn new(slice: &'a mut [T]) -> Shared<'a, T> {
        Shared { start: slice.as_mut_ptr(), size: slice.len(), life: PhantomData }
    }

    /// The first element. Writing through it needs the promise of [`Shared::slice`].
    pub(super) fn as_ptr(&self) -> *mut T {
        self.start
    }

    /// The elements `start..start + size`.
    ///
    /// # Safety
    /// While the result lives, no other slice with one of these elements may be taken.
    #[expect(clippy::mut_from_ref, reason = "the elements are disjoint from all others, as the caller promises")]
    pub(super) unsafe fn slice(&self, start: usize, size: usize) -> &mut [T] {
        assert!(start <= self.size && size <= self.size - start, "a piece lies outside of the shared slice");
        // SAFETY: `start <= self.size`, so the pointer stays inside the slice it was made from, or at its end.
        let first = unsafe { self.start.add(start) };
        // SAFETY: `size` elements follow `first` inside that slice, which is borrowed mutably for `'a` and initialised;
        // the caller promises that nothing else reaches them.
        unsafe { std::slice::from_raw_parts_mut(first, size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn every_chunk_is_seen_once_with_its_position() {
        let mut out = vec![0_usize; 1003];
        for_each_chunk(&mut out, 64, |start, chunk| {
            for (i, x) in chunk.iter_mut().enumerate() {
                *x += start + i;
            }
        });
        assert!(out.iter().enumerate().all(|(i, &x)| x == i), "each element holds its own position");
    }

    #[test]
    fn ranges_cover_everything_once() {
        for total in [0, 1, 63, 64, 65, 1000] {
            let sum = AtomicUsize::new(0);
            for_each_range(total, 64, |range| {
                sum.fetch_add(range.sum::<usize>(), Ordering::Relaxed);
            });
            assert_eq!(sum.into_inner(), total * total.saturating_sub(1) / 2, "total {total}");
        }
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn pieces_are_as_many_as_threads_need_and_each_thread_has_as_many_as_any_other() {
        let cases =
            [(1, 800, 100), (2, 800, 50), (2, 810, 51), (2, 100, 10), (2, 90, 9), (2, 15, 8), (4, 15, 8), (3, 0, 0)];
        for (threads, total, grain) in cases {
            let [short, long] = threads::with_threads(threads, || [grain_of, long_grain_of].map(|of| of(total, 10)));
            assert_eq!(short, grain, "{total} for {threads} threads");
            assert_eq!(long, if threads == 1 { total } else { grain }, "one thread is not waited for");
        }
    }

    #[test]
    fn threads_write_interleaved_pieces_of_a_shared_slice() {
        let mut out = vec![0_usize; 120];
        let shared = Shared::new(&mut out);
        for_each_range(40, 1, |range| {
            for row in range {
                // SAFETY: each row is visited once, and rows of three elements do not meet.
                let piece = unsafe { shared.slice(3 * row, 3) };
                piece.fill(row);
            }
        });
        assert!(out.iter().enumerate().all(|(i, &x)| x == i / 3), "each element holds its row");
    }

    #[test]
    #[should_panic(expected = "outside of the shared slice")]
    fn a_piece_past_the_shared_slice_is_refused() {
        let mut out = [0_u8; 4];
        let shared = Shared::new(&mut out);
        // SAFETY: no other slice is taken.
        let _ = unsafe { shared.slice(2, 3) };
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn results_do_not_depend_on_the_number_of_threads() {
        use crate::kernel::reduce::{Reduction, reduce};
        use crate::kernel::{View, ViewMut, matmul::matmul, softmax::softmax, testing::Random};
        let data = Random::new(8).reals(400 * 400);
        let all = || -> Vec<u32> {
            let view = |strides| View { data: &data[..], offset: 0, strides };
            let mut out = vec![0.0; 3 * 400 * 400 + 2 * 400 + 1];
            let (product, rest) = out.split_at_mut(400 * 400);
            let (by_row, rest) = rest.split_at_mut(400 * 400);
            let (by_column, rest) = rest.split_at_mut(400 * 400);
            let (vector, rest) = rest.split_at_mut(400);
            let (columns, total) = rest.split_at_mut(400);
            let (rows, turned): (&[isize], &[isize]) = (&[400, 1], &[1, 400]);
            let to = |data, strides| ViewMut { data, offset: 0, strides };
            matmul(1.0, &[], [400; 3], view(rows), view(turned), to(product, rows), None);
            matmul(1.0, &[], [400, 400, 1], view(rows), view(turned), to(vector, turned), None);
            softmax(&[400], 400, view(rows), to(by_row, rows), None);
            softmax(&[400], 400, view(turned), to(by_column, turned), None);
            reduce(Reduction::Sum, &[400], &[400], view(turned), columns);
            reduce(Reduction::Sum, &[], &[400, 400], view(rows), total);
            out.into_iter().map(f32::to_bits).collect()
        };
        let alone = threads::with_threads(1, all);
        for count in 2..=4 {
            assert!(threads::with_threads(count, all) == alone, "{count} threads and one agree bit for bit");
        }
    }
}
