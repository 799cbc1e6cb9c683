//! The graph: what is to be computed, as nodes with named axes and sizes.
//!
//! A tensor of the typed face is one node plus a set of axes in its type. Nodes are immutable, shared and lazy:
//! making one checks the sizes and computes nothing.
//! Lives here: nodes, named shapes, stored values, the primitives with their plain evaluation, their derivatives.
//! Not here: the schedule (`plan`), loops that are fast (`kernel`), types (`axes`, `tensor`).

pub(crate) mod calculus;
pub mod evaluate;
#[doc(hidden)]
pub mod ids;
mod node;
pub mod op;
mod recycled;
pub mod shape;
#[cfg(test)]
pub(crate) mod testing;
pub mod value;

pub use node::Node;
pub use op::Op;
pub use shape::Shape;
pub use value::Value;
