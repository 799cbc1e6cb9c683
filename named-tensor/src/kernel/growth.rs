//! Memory that grows at its end while its beginning is read.
//!
//! A tensor to which positions are added one after the other, as keys and values are while a text is written, must not be
//! copied each time. Its buffer is the beginning of memory with room to spare; what is added is written behind it, and
//! the longer buffer shares the memory. Nobody sees an element that may still be written: a buffer ends where it ended
//! when it was made. Each element is written by whoever claims it first; a second buffer of the same beginning copies.
//! Not here: when this is worth it (`plan::lower::append`).

use std::any::Any;
use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::element::{Buffer, Lent, Numbers, Shared, Stored};

/// Elements, of which the first ones are claimed: written, or being written by one claimant.
#[derive(Debug)]
struct Memory<T> {
    cells: Box<[UnsafeCell<T>]>,
    claimed: AtomicUsize,
}

// SAFETY: a cell is written only through the slice of `claim`, which is given out once for each cell, and read only
// through a `Prefix` that ends before all cells whose slice may still be written. So no cell is reached by two threads of
// which one writes. The numbers themselves may be sent and shared between threads.
unsafe impl<T: Stored> Sync for Memory<T> {}

/// The first elements of some memory, all of which are written.
#[derive(Debug)]
struct Prefix<T> {
    memory: Arc<Memory<T>>,
    size: usize,
}

impl<T: Stored> Memory<T> {
    /// Room for so many elements. The system hands out zeros, so that pages that are never used are never touched.
    fn with_room(room: usize) -> Memory<T> {
        let zeros: Box<[T]> = vec![T::default(); room].into_boxed_slice();
        let start = Box::into_raw(zeros) as *mut [UnsafeCell<T>];
        // SAFETY: `start` comes from a box of as many elements, and `UnsafeCell<T>` lies in memory as `T` does.
        let cells = unsafe { Box::from_raw(start) };
        Memory { cells, claimed: AtomicUsize::new(0) }
    }

    /// The elements `from..to` to write, unless somebody else has claimed some of them or there is no room. Whoever
    /// claims elements and does not show them wastes them.
    #[expect(clippy::mut_from_ref, reason = "each element is given out once")]
    fn claim(&self, from: usize, to: usize) -> Option<&mut [T]> {
        let cells = self.cells.get(from..to)?;
        self.claimed.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).ok()?;
        // SAFETY: only the call that moves `claimed` from `from` past them gives these cells out, and it never moves
        // back. No prefix reaches them yet: a prefix as long as `to` is made by the caller, when the slice is gone.
        Some(unsafe { std::slice::from_raw_parts_mut(UnsafeCell::raw_get(cells.as_ptr()), cells.len()) })
    }
}

impl<T: Stored> Prefix<T> {
    fn elements(&self) -> &[T] {
        let cells = &self.cells()[..self.size];
        // SAFETY: the cells of a prefix were written before it was made and are never written again; `UnsafeCell<T>`
        // lies in memory as `T` does.
        unsafe { std::slice::from_raw_parts(UnsafeCell::raw_get(cells.as_ptr()), cells.len()) }
    }

    fn cells(&self) -> &[UnsafeCell<T>] {
        &self.memory.cells
    }
}

impl<T: Stored> Lent for Prefix<T> {
    fn numbers(&self) -> Numbers<'_> {
        T::numbers(self.elements())
    }
}

/// The elements of `before` and behind them `added` more, which `write` writes, in the same memory. None if `before` is
/// not the end of memory with room for them; nothing is written then.
pub(crate) fn lengthened<T: Stored>(before: &Buffer, added: usize, write: impl FnOnce(&mut [T])) -> Option<Buffer> {
    let Buffer::Lent(shared) = before else { return None };
    let lent: &dyn Any = &**shared;
    let Prefix { memory, size } = lent.downcast_ref::<Prefix<T>>()?;
    let size_then = size.checked_add(added)?;
    write(memory.claim(*size, size_then)?);
    Some(Buffer::Lent(Shared::new(Prefix { memory: memory.clone(), size: size_then })))
}

/// A buffer of `size` elements, which `write` writes, in memory with room for as many again.
pub(crate) fn roomy<T: Stored>(size: usize, write: impl FnOnce(&mut [T])) -> Buffer {
    let memory = Arc::new(Memory::with_room(size.saturating_mul(2)));
    if let Some(elements) = memory.claim(0, size) {
        write(elements);
    }
    Buffer::Lent(Shared::new(Prefix { memory, size }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(of: &Buffer) -> *const f32 {
        f32::of(of).as_ptr()
    }

    fn counted(from: usize) -> impl FnOnce(&mut [f32]) {
        move |out| out.iter_mut().enumerate().for_each(|(i, x)| *x = (from + i) as f32)
    }

    #[test]
    fn what_is_added_stands_behind_what_was_there_in_the_same_memory() {
        let short = roomy(3, counted(0));
        let long = lengthened(&short, 2, counted(3)).expect("there is room");
        assert_eq!(f32::of(&short), [0.0, 1.0, 2.0], "the shorter one ends where it ended");
        assert_eq!(f32::of(&long), [0.0, 1.0, 2.0, 3.0, 4.0], "the longer one has both");
        assert_eq!(start(&short), start(&long), "one memory");
        drop(short);
        assert_eq!(f32::of(&long)[0], 0.0, "it outlives the shorter one");
    }

    #[test]
    fn only_the_first_of_two_continuations_is_written_in_place() {
        let stem = roomy(4, counted(0));
        let one = lengthened(&stem, 1, counted(10)).expect("the first has room");
        assert!(lengthened::<f32>(&stem, 1, |_| panic!("written over")).is_none(), "the second must copy");
        let more = lengthened(&one, 1, counted(20)).expect("the first goes on");
        assert_eq!((f32::of(&one), f32::of(&more)), (&[0., 1., 2., 3., 10.][..], &[0., 1., 2., 3., 10., 20.][..]));
    }

    #[test]
    fn no_room_another_kind_and_memory_of_its_own_are_refused() {
        let stem = roomy(2, counted(0));
        assert!(lengthened::<f32>(&stem, 3, |_| ()).is_none(), "room for two more only");
        assert!(lengthened::<f64>(&stem, 1, |_| ()).is_none(), "another kind");
        assert!(lengthened::<f32>(&Buffer::F32(vec![0.0; 2]), 1, |_| ()).is_none(), "memory of its own");
        assert!(lengthened::<f32>(&stem, usize::MAX, |_| ()).is_none(), "more than there are numbers");
        assert!(lengthened(&stem, 2, counted(2)).is_some(), "the refused ones have claimed nothing");
    }

    #[test]
    fn what_is_written_to_is_copied_first() {
        let stem = roomy(2, counted(0));
        let mut other = stem.clone();
        f32::of_mut(&mut other)[0] = 7.0;
        assert_eq!((f32::of(&stem)[0], f32::of(&other)[0]), (0.0, 7.0));
        assert_ne!(stem, other, "they are compared by their numbers");
    }

    #[test]
    fn threads_that_go_on_from_one_beginning_never_see_each_other() {
        for _ in 0..200 {
            let stem = roomy(64, counted(0));
            std::thread::scope(|scope| {
                for thread in 1..=4 {
                    let stem = &stem;
                    scope.spawn(move || {
                        let number = thread as f32;
                        let mut last = stem.clone();
                        for step in 0..16 {
                            let longer = lengthened(&last, 4, |out: &mut [f32]| out.fill(number));
                            // The first takes the room; the others copy and then have room of their own.
                            last = longer.unwrap_or_else(|| {
                                roomy(f32::of(&last).len() + 4, |out: &mut [f32]| {
                                    let (old, new) = out.split_at_mut(f32::of(&last).len());
                                    old.copy_from_slice(f32::of(&last));
                                    new.fill(number);
                                })
                            });
                            let numbers = f32::of(&last);
                            assert!(numbers[..64].iter().enumerate().all(|(i, &x)| x == i as f32), "the beginning");
                            assert!(numbers[64..].iter().all(|&x| x == number), "step {step} of thread {thread}");
                        }
                    });
                }
            });
        }
    }
}
