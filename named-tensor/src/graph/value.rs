//! A stored tensor: a shared buffer and where each position along each axis stands in it.
//!
//! Lives here: the buffer with offset and strides. Not here: names (a node's shape has them, in the same order).

use std::sync::Arc;

use smallvec::SmallVec;

use crate::element::Buffer;

/// Steps through a buffer, one per axis, in elements.
pub type Strides = SmallVec<[isize; 4]>;

/// Numbers in memory. The strides follow the order of the shape of the node that holds the value.
#[derive(Clone, Debug)]
pub struct Value {
    /// The numbers, shared by every view of them.
    pub buffer: Arc<Buffer>,
    /// Where position 0 of every axis stands.
    pub offset: usize,
    /// The step of each axis; 0 repeats one element along the axis.
    pub strides: Strides,
}

impl Value {
    /// A buffer whose elements lie in the order of the axes, the last axis fastest.
    #[must_use]
    pub fn contiguous(buffer: Buffer, sizes: impl DoubleEndedIterator<Item = usize>) -> Value {
        Value { buffer: Arc::new(buffer), offset: 0, strides: row_major(sizes) }
    }
}

/// The strides of elements that lie in the order of the axes, the last axis fastest.
#[must_use]
pub fn row_major(sizes: impl DoubleEndedIterator<Item = usize>) -> Strides {
    let mut step = 1_isize;
    let mut strides = Strides::new();
    for size in sizes.rev() {
        strides.push(step);
        // Sizes come from a checked shape; an empty axis leaves nothing to step through.
        step = step.saturating_mul(isize::try_from(size.max(1)).unwrap_or(isize::MAX));
    }
    strides.reverse();
    strides
}
