//! Sets of axes as types: the reason why wrong axes do not compile.
//!
//! Reading order: `order` (which name comes first), `list` (sorted lists), `set` (tuples), `rules` (the traits whose
//! failure is the error message), `selector` (axis values as arguments), `starred` (axes of derivatives).
//! Not here: sizes and numbers.

#[doc(hidden)]
pub mod list;
#[doc(hidden)]
pub mod order;
pub mod rules;
pub mod selector;
pub mod set;
pub mod starred;

pub use rules::{Avoids, Has, Lacks, SameAs, With};
pub use selector::{Extents, Selector};
pub use set::Axes;
pub use starred::star;
