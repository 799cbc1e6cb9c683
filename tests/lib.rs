//! What the test binaries share.
//!
//! Lives here: plain matrix code to compare with (`reference`), how close is close enough (`closeness`), derivatives
//! by differences (`differences`), random sizes,
//! numbers and memory layouts (`strategies`), and the axes the laws are stated over (`axes`).
//! Not here: the tests of the library, which are the binaries beside this file.

pub mod axes;
pub mod closeness;
pub mod differences;
pub mod reference;
pub mod strategies;
