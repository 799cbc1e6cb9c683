//! Memory that grows at its end while its beginning is read.
//!
//! A tensor to which positions are added one after the other, as keys and values are while a text is written, must not be
//! copied each time. Its buffer is the beginning of memory with room to spare; what is added is written behind it, and
//! the longer buffer shares the memory. Nobody sees an element that may still be written: a buffer ends where it ended
//! when it was made. Each element is written by whoever claims it first; a second buffer of the same beginning copies.
//! Not here: when this is worth it (`plan::lower::append`).

use std::any::Any;
use std::cell::UnsafeCell;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::pool;
use crate::element::{Buffer, Lent, Lined, Numbers, Shared, Stored};

/// Elements, of which the first ones are claimed: written, or being written by one claimant.
#[derive(Debug)]
struct Memory<T: Stored> {
    /// As many as there is room for; what is neither claimed nor `known` may not be a number yet.
    cells: Vec<UnsafeCell<MaybeUninit<T>>>,
    /// How many cells lie before the first one, and how many in all are not ours.
    around: [u16; 2],
    /// So many hold numbers of an earlier use.
    known: usize,
    claimed: AtomicUsize,
}

// SAFETY: a cell is written only through the slice of `claim`, which is given out once for each cell, and read only
// through a `Prefix` that ends before all cells whose slice may still be written. So no cell is reached by two threads of
// which one writes. The numbers themselves may be sent and shared between threads.
unsafe impl<T: Stored> Sync for Memory<T> {}

/// The first elements of some memory, all of which are written.
#[derive(Debug)]
struct Prefix<T: Stored> {
    memory: Arc<Memory<T>>,
    size: usize,
}

impl<T: Stored> Memory<T> {
    /// Room for so many elements, from the pool: what an earlier text left is warm, and pages that nobody has used yet stay
    /// untouched.
    fn with_room(room: usize) -> Memory<T> {
        let (values, around) = T::from_buffer(pool::take_room(T::KIND, room)).into_parts();
        let mut values = ManuallyDrop::new(values);
        let (start, known, room) =
            (values.as_mut_ptr().cast(), values.len() - usize::from(around[0]), values.capacity());
        // SAFETY: pointer and capacity are those of a vector that nobody else drops; `UnsafeCell<MaybeUninit<T>>` lies in
        // memory as `T` does, and need not be a number.
        let cells = unsafe { Vec::from_raw_parts(start, room, room) };
        Memory { cells, around, known, claimed: AtomicUsize::new(0) }
    }

    /// How many elements there is room for.
    fn room(&self) -> usize {
        self.cells.len() - usize::from(self.around[1])
    }

    /// The cells from the first one on.
    fn ours(&self) -> &[UnsafeCell<MaybeUninit<T>>] {
        &self.cells[self.around[0].into()..][..self.room()]
    }

    /// The elements `from..to` to write, unless somebody else has claimed some of them or there is no room. Whoever
    /// claims elements and does not show them wastes them.
    #[expect(clippy::mut_from_ref, reason = "each element is given out once")]
    fn claim(&self, from: usize, to: usize) -> Option<&mut [T]> {
        let cells = self.ours().get(from..to)?;
        self.claimed.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).ok()?;
        for cell in cells.iter().skip(self.known.saturating_sub(from)) {
            // SAFETY: only the call that moves `claimed` from `from` past them reaches these cells, and it never moves back.
            unsafe { cell.get().write(MaybeUninit::new(T::default())) };
        }
        let start = UnsafeCell::raw_get(cells.as_ptr()).cast::<T>();
        // SAFETY: as above nobody else reaches these cells, all of which are numbers by now. No prefix reaches them yet: a
        // prefix as long as `to` is made by the caller, when the slice is gone.
        Some(unsafe { std::slice::from_raw_parts_mut(start, cells.len()) })
    }

    /// What can be told to be numbers, with room for the rest; nothing is left behind.
    fn taken_out(&mut self) -> Lined<T> {
        let known = std::mem::take(&mut self.known).max(std::mem::take(self.claimed.get_mut()));
        let known = known + usize::from(self.around[0]);
        let mut cells = ManuallyDrop::new(std::mem::take(&mut self.cells));
        let (start, room) = (cells.as_mut_ptr().cast::<T>(), cells.capacity());
        // SAFETY: pointer and capacity are those of a vector that nobody else drops, in which `T` lies as its cells do; the
        // first `known` of them are numbers: those before the first one that is ours, and the others of an earlier use or
        // since they were claimed, one after the other.
        let values = unsafe { Vec::from_raw_parts(start, known, room) };
        Lined::from_parts((values, self.around))
    }
}

impl<T: Stored> Drop for Memory<T> {
    fn drop(&mut self) {
        pool::give(T::into_buffer(self.taken_out()));
    }
}

impl<T: Stored> Prefix<T> {
    fn elements(&self) -> &[T] {
        let cells = &self.memory.ours()[..self.size];
        let start = UnsafeCell::raw_get(cells.as_ptr()).cast::<T>();
        // SAFETY: the cells of a prefix were written before it was made and are never written again; a cell lies in memory
        // as `T` does.
        unsafe { std::slice::from_raw_parts(start, cells.len()) }
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

/// A buffer of `size` elements, which `write` writes, in memory with room for so many.
pub(crate) fn roomy<T: Stored>(size: usize, room: usize, write: impl FnOnce(&mut [T])) -> Buffer {
    let memory = Arc::new(Memory::with_room(room));
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
        let short = roomy(3, 6, counted(0));
        let long = lengthened(&short, 2, counted(3)).expect("there is room");
        assert_eq!(f32::of(&short), [0.0, 1.0, 2.0], "the shorter one ends where it ended");
        assert_eq!(f32::of(&long), [0.0, 1.0, 2.0, 3.0, 4.0], "the longer one has both");
        assert_eq!(start(&short), start(&long), "one memory");
        drop(short);
        assert_eq!(f32::of(&long)[0], 0.0, "it outlives the shorter one");
    }

    #[test]
    fn room_that_held_other_numbers_and_room_that_held_none_are_both_written_anew() {
        // Too small for the pool, and large enough for it; each of them again, with what the time before left.
        for size in [3, 5000].into_iter().cycle().take(8) {
            let buffers = (1..4).try_fold(roomy(size, 2 * size, counted(0)), |buffer, i| {
                lengthened(&buffer, size / 3, counted(size + (i - 1) * (size / 3)))
            });
            let all: Vec<f32> = (0..size + 3 * (size / 3)).map(|i| i as f32).collect();
            assert_eq!(f32::of(&buffers.expect("there is room")), all, "{size}");
        }
    }

    #[test]
    fn what_is_claimed_is_numbers_and_no_more_is_left_to_the_next_text() {
        // Too small for the pool, so that nothing is known before.
        let mut memory = Memory::<f64>::with_room(300);
        for (from, to) in [(0, 120), (120, 200)] {
            assert!(memory.claim(from, to).is_some_and(|out| out.iter().all(|&x| x == 0.0)), "{from} to {to}");
        }
        let values = memory.taken_out();
        assert_eq!((values.len(), values.room()), (200, 300));
        assert!(memory.claim(0, 1).is_none(), "nothing is left");
    }

    #[test]
    fn only_the_first_of_two_continuations_is_written_in_place() {
        let stem = roomy(4, 8, counted(0));
        let one = lengthened(&stem, 1, counted(10)).expect("the first has room");
        assert!(lengthened::<f32>(&stem, 1, |_| panic!("written over")).is_none(), "the second must copy");
        let more = lengthened(&one, 1, counted(20)).expect("the first goes on");
        assert_eq!((f32::of(&one), f32::of(&more)), (&[0., 1., 2., 3., 10.][..], &[0., 1., 2., 3., 10., 20.][..]));
    }

    #[test]
    fn no_room_another_kind_and_memory_of_its_own_are_refused() {
        let stem = roomy(2, 4, counted(0));
        assert!(lengthened::<f32>(&stem, 3, |_| ()).is_none(), "room for two more only");
        assert!(lengthened::<f64>(&stem, 1, |_| ()).is_none(), "another kind");
        assert!(lengthened::<f32>(&Buffer::F32(vec![0.0; 2].into()), 1, |_| ()).is_none(), "memory of its own");
        assert!(lengthened::<f32>(&stem, usize::MAX, |_| ()).is_none(), "more than there are numbers");
        assert!(lengthened(&stem, 2, counted(2)).is_some(), "the refused ones have claimed nothing");
    }

    #[test]
    fn what_is_written_to_is_copied_first() {
        let stem = roomy(2, 4, counted(0));
        let mut other = stem.clone();
        f32::of_mut(&mut other)[0] = 7.0;
        assert_eq!((f32::of(&stem)[0], f32::of(&other)[0]), (0.0, 7.0));
        assert_ne!(stem, other, "they are compared by their numbers");
    }

    #[test]
    fn threads_that_go_on_from_one_beginning_never_see_each_other() {
        for _ in 0..200 {
            let stem = roomy(64, 128, counted(0));
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
                                roomy(f32::of(&last).len() + 4, 256, |out: &mut [f32]| {
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
