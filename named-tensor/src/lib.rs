//! Tensors whose axes have names: wrong axes do not compile.
//!
//! Neural-network mathematics is written once, in *Named Tensor Notation* (Chiang, Rush and Barak, 2023), and that text
//! is the program:
//!
//! ```
//! use named_tensor::prelude::*;
//!
//! axes! { seq, key, val }
//!
//! named! {
//!     /// What one query draws from all positions.
//!     fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
//!         softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V
//!     }
//! }
//!
//! let q = Tensor::new(key, [1.0, 0.0]);
//! let k = Tensor::new((seq, key), [[9.0, 0.0], [0.0, 9.0]]);
//! let v = Tensor::new((seq, val), [[1.0], [2.0]]);
//! let y: Tensor<R![val]> = Attention(&q, &k, &v);
//! assert!((y.at(val, 0).item()? - 1.0).abs() < 0.01);
//!
//! // Many queries at once: nobody has to say how.
//! let z: Tensor<R![seq, val]> = Attention(&k, &k, &v);
//! assert_eq!(z.size(seq), 2);
//! # Ok::<(), named_tensor::Error>(())
//! ```
//!
//! Softmax over an axis that is not there is an error of the compiler, at that word:
//!
//! ```compile_fail
//! # use named_tensor::prelude::*;
//! # axes! { seq, key, val }
//! named! {
//!     fn Weights(Q: R[key], K: R[seq, key]) -> R[seq] {
//!         softmax_val(Q dot_key K)
//!     }
//! }
//! ```
//!
//! # The five rules
//!
//! The pages of this crate speak of them by number.
//!
//! 1. An elementwise operation of X\[A\] and Y\[B\] has the axes A ∪ B. An axis of both has one size.
//! 2. A contraction needs its axes in both, and its result has the others of both. What is reduced, normalised, renamed or
//!    indexed must be there; an axis that comes into being must not.
//! 3. A function is lifted: where its arguments have more axes than it speaks of, its result has them too, and at each of their
//!    positions it is the function of the arguments there. They meet no axis of its body, even one of the same name.
//! 4. The axes of a result are declared, and are exactly these.
//! 5. Names are checked when a program is compiled, sizes when it runs. Nothing is repeated because its size is 1.
//!
//! # Where to read on
//!
//! - [`Tensor`] and its methods: plain Rust, one file per heading of the paper.
//! - [`axes!`], [`R!`], [`named!`], [`#[lift]`](macro@lift): the language of equations.
//! - [`lift`](mod@lift): rule 3, why a function written for one query works for many.
//! - [`params`]: parameters after the semicolon of `f(X; W, b)`.
//! - [`graph`], [`plan`]: what is to be computed, and how.
//!
//! # Features
//!
//! `parallel` (default) splits work over threads; `files` reads and writes safetensors; `ndarray` converts from and to
//! that crate. No feature changes a result.
//!
//! # Names
//!
//! What the macros write begins with `::named_tensor`. A crate that calls this one otherwise, `nt = { package = "named-tensor", .. }`,
//! says so at its root: `extern crate nt as named_tensor;`.
//!
//! # Profiles
//!
//! Loops are as fast as measured where the crate is optimised, without checks of overflow, and with link-time optimisation as
//! Cargo has it or more of it: `--release` does that. For a development build that computes at the same speed, say in
//! `Cargo.toml`
//!
//! ```toml
//! [profile.dev.package."*"]
//! opt-level = 3
//! debug-assertions = false
//! overflow-checks = false
//! ```
//!
//! With the first line alone a softmax takes 7 times as long, a product 2.7 times. With `opt-level = 2` in place of 3 short loops
//! over registers stay loops: a product takes twice as long, a softmax 3 times. `lto = "off"` leaves short functions of the
//! standard library outside of loops: the same softmax takes 20 times as long then. `lto = "fat"` with `codegen-units = 1`
//! leaves loops as they are, and takes 3 to 10 % off operations on tiny tensors.

// Where documentation is built for all features, each item says which one it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate self as named_tensor;

pub mod axes;
pub mod axis;
#[cfg(feature = "ndarray")]
pub mod convert;
mod display;
pub mod element;
pub mod error;
#[cfg(feature = "files")]
pub mod file;
pub mod graph;
pub(crate) mod kernel;
pub mod lift;
pub mod params;
pub mod plan;
#[doc(hidden)]
pub mod private;
pub mod random;
pub mod tensor;

pub use display::{Equations, differential};
pub use error::{Error, ErrorKind, Result};
pub use kernel::pool::release_memory;
pub use named_tensor_macros::{R, axes, lift, named};
pub use tensor::Tensor;

/// Everything a program needs: `use named_tensor::prelude::*;`.
pub mod prelude {
    pub use crate::axes::selector::Of;
    pub use crate::axes::{Axes, With, star};
    pub use crate::axis::Axis;
    pub use crate::display::differential;
    pub use crate::element::{Index, Real};
    pub use crate::error::{Error, ErrorKind};
    #[cfg(feature = "files")]
    pub use crate::file::Files;
    pub use crate::params::{Parameters, Stacked, Together, stack};
    pub use crate::random::seeded;
    pub use crate::tensor::{
        Tensor, eval, grad, hessian, jacobian, jvp, scan, scan_backwards, value_and_grad, vjp, with_adjoint,
    };
    pub use crate::{R, axes, lift, named};
}
