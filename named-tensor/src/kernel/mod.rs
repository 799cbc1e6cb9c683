//! Kernels: slices and strides in, numbers out.
//!
//! Lives here: every loop over elements, and all the `unsafe` there is.
//! Not here: names of axes, graphs, decisions about layout or fusion. Nothing of ours is imported but `crate::element`.
//!
//! Strides count elements and may be 0 (one element repeated) or negative. Iteration spaces are row-major: the last
//! axis runs fastest. Every entry checks once that its views stay inside their slices, and panics if they do not.
//! Results do not depend on the number of threads.

mod ahead;
pub(crate) mod attention;
pub(crate) mod batch;
pub(crate) mod best;
mod caches;
pub(crate) mod copy;
mod each;
pub(crate) mod factors;
pub(crate) mod few;
pub(crate) mod gather;
pub(crate) mod grouped;
pub(crate) mod growth;
mod lanes;
mod line;
mod lines;
mod low;
pub(crate) mod map;
pub(crate) mod math;
pub(crate) mod matmul;
mod near;
pub(crate) mod one_hot;
pub(crate) mod order;
mod panels;
pub(crate) mod parallel;
mod pattern;
pub(crate) mod pool;
pub(crate) mod reduce;
pub(crate) mod relative;
pub(crate) mod running;
pub(crate) mod scatter;
pub(crate) mod settings;
mod shallow;
pub(crate) mod simd;
pub(crate) mod softmax;
pub(crate) mod sort;
mod span;
pub(crate) mod standardize;
mod stream;
#[cfg(test)]
mod testing;
#[cfg(feature = "parallel")]
mod threads;
mod tiles;
mod turn;
mod vector;
mod vectors;

pub(crate) use span::{View, ViewMut};
