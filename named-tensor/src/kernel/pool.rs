//! Warm buffers: memory that was used and will be used again.
//!
//! Lives here: a list of free buffers that all threads share. Memory fresh from the system costs a page fault every 4 KiB,
//! more than the arithmetic on it; a loop that takes and gives the same sizes stops asking for it.
//! At most [`LIMIT`] bytes are kept. Buffers below [`SMALL`] bytes are left to the allocator, which is good at them.

use crate::element::{Buffer, Kind};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Bytes kept at most: 1 GiB. The largest buffers are let go first.
const LIMIT: usize = 1 << 30;
/// Bytes below which a buffer is not kept.
const SMALL: usize = 4 << 10;

/// Free buffers by kind and room, and the bytes of all of them.
static FREE: Mutex<Free> = Mutex::new(Free { lists: [const { BTreeMap::new() }; 4], bytes: 0 });

struct Free {
    lists: [BTreeMap<usize, Vec<Buffer>>; 4],
    bytes: usize,
}

/// A buffer of `size` elements with any contents.
pub(crate) fn take(kind: Kind, size: usize) -> Buffer {
    let found = (size * kind.bytes() >= SMALL).then(|| lock().take(kind, size)).flatten();
    match found {
        Some(mut buffer) => {
            resize(&mut buffer, size);
            buffer
        }
        None => Buffer::zeros(kind, size),
    }
}

/// Takes a buffer back.
pub(crate) fn give(buffer: Buffer) {
    if room(&buffer) * buffer.kind().bytes() < SMALL {
        return;
    }
    // What has to go is freed after the list is unlocked.
    let surplus = lock().give(buffer);
    drop(surplus);
}

fn lock() -> std::sync::MutexGuard<'static, Free> {
    // A thread that panicked cannot have left the lists half changed: they hold whole buffers.
    FREE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Free {
    /// The smallest kept buffer with room for `size` elements, unless more than half of it would lie idle.
    fn take(&mut self, kind: Kind, size: usize) -> Option<Buffer> {
        let list = &mut self.lists[kind as usize];
        let (&room, buffers) = list.range_mut(size..=size.saturating_mul(2)).next()?;
        let buffer = buffers.pop();
        if buffers.is_empty() {
            list.remove(&room);
        }
        self.bytes -= room * kind.bytes();
        buffer
    }

    /// Keeps a buffer, and returns those that are too much.
    fn give(&mut self, buffer: Buffer) -> Vec<Buffer> {
        let (kind, room) = (buffer.kind(), room(&buffer));
        self.bytes += room * kind.bytes();
        self.lists[kind as usize].entry(room).or_default().push(buffer);
        let mut surplus = Vec::new();
        while self.bytes > LIMIT {
            let bytes =
                |kind: Kind| self.lists[kind as usize].last_key_value().map_or(0, |(room, _)| room * kind.bytes());
            let kinds = [Kind::F32, Kind::F64, Kind::Index, Kind::Bool];
            let Some(kind) = kinds.into_iter().max_by_key(|&kind| bytes(kind)) else { break };
            self.bytes -= bytes(kind);
            if let Some(mut largest) = self.lists[kind as usize].last_entry() {
                surplus.extend(largest.get_mut().pop());
                if largest.get().is_empty() {
                    largest.remove();
                }
            }
        }
        surplus
    }
}

/// How many elements fit.
fn room(buffer: &Buffer) -> usize {
    match buffer {
        Buffer::F32(values) => values.capacity(),
        Buffer::F64(values) => values.capacity(),
        Buffer::Index(values) => values.capacity(),
        Buffer::Bool(values) => values.capacity(),
        // Memory that others share is not ours to keep.
        Buffer::Lent(_) => 0,
    }
}

/// Makes the buffer `size` elements long, inside its room; only elements that it did not have are written.
fn resize(buffer: &mut Buffer, size: usize) {
    match buffer {
        Buffer::F32(values) => values.resize(size, 0.0),
        Buffer::F64(values) => values.resize(size, 0.0),
        Buffer::Index(values) => values.resize(size, 0),
        Buffer::Bool(values) => values.resize(size, false),
        Buffer::Lent(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Free {
        Free { lists: [const { BTreeMap::new() }; 4], bytes: 0 }
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
    fn the_limit_holds_and_the_largest_go_first() {
        let mut free = empty();
        // Zeroed memory that is never touched costs nothing.
        let sizes = [LIMIT / 2, LIMIT / 4, LIMIT / 8];
        sizes.into_iter().for_each(|bytes| assert!(free.give(Buffer::zeros(Kind::Bool, bytes)).is_empty(), "within"));
        let surplus = free.give(Buffer::zeros(Kind::F32, LIMIT / 4 / 4));
        let gone: Vec<usize> = surplus.iter().map(Buffer::size).collect();
        assert_eq!((gone, free.bytes), (vec![LIMIT / 2], LIMIT / 8 * 5), "the largest, whatever its kind");
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
