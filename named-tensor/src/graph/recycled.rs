//! Memory of nodes that are gone, for the next nodes.
//!
//! A program that makes a graph, reads it and drops it makes nodes of the same size again and again. To take such a node
//! back costs less than to give it to the allocator and to ask for another.
//! Lives here: which nodes a thread keeps. Not here: what they are emptied of (`node`).

use std::cell::RefCell;
use std::sync::Arc;

/// At most this many are kept by a thread: some 600 kB, the nodes of a training step of a few layers.
const KEPT: usize = 4096;

/// Places for things of one type. None holds anything that its last user needs.
#[derive(Debug)]
pub(super) struct Recycled<T>(RefCell<Vec<Arc<T>>>);

impl<T> Recycled<T> {
    pub(super) const fn new() -> Recycled<T> {
        Recycled(RefCell::new(Vec::new()))
    }

    /// Keeps a place that nobody else has. One too many is returned, to be dropped when nothing is borrowed.
    pub(super) fn keep(&self, place: Arc<T>) -> Option<Arc<T>> {
        let mut kept = self.0.borrow_mut();
        if kept.len() == KEPT {
            return Some(place);
        }
        kept.push(place);
        None
    }

    /// A place that was kept.
    pub(super) fn take(&self) -> Option<Arc<T>> {
        self.0.borrow_mut().pop()
    }
}
