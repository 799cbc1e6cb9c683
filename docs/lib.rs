//! Executable mathematical notes: every chapter is a page of this documentation, and every example in it is a test.
//!
//! Read [`names`], [`operations`], [`lifting`], [`models`], [`errors`], [`repetition`], [`calculus`], [`networks`],
//! [`mathematics`], [`equations`] and [`training`] in this order. Those who know another library find its words translated in
//! [`coming_from_numpy`], [`coming_from_einops`] and [`coming_from_haliax`]. The pages about the code itself are
//! [`architecture`], [`style`], [`unsafe_code`], [`dependencies`], [`coverage`], [`agreement`], [`measurements`] and
//! [`measurements_log`].
//! Lives here: the chapters as modules, the tensors of the paper ([`paper`]) and the model of the last chapter ([`surface`]), which
//! the examples use.
//! Not here: anything that a program would import.

pub mod paper;
pub mod surface;

#[doc = include_str!("01-names.md")]
pub mod names {}

#[doc = include_str!("02-operations.md")]
pub mod operations {}

#[doc = include_str!("03-lifting.md")]
pub mod lifting {}

#[doc = include_str!("04-models.md")]
pub mod models {}

#[doc = include_str!("05-errors.md")]
pub mod errors {}

#[doc = include_str!("06-repetition.md")]
pub mod repetition {}

#[doc = include_str!("07-calculus.md")]
pub mod calculus {}

#[doc = include_str!("08-networks.md")]
pub mod networks {}

#[doc = include_str!("09-mathematics.md")]
pub mod mathematics {}

#[doc = include_str!("10-equations.md")]
pub mod equations {}

#[doc = include_str!("11-training.md")]
pub mod training {}

#[doc = include_str!("coming-from-numpy.md")]
pub mod coming_from_numpy {}

#[doc = include_str!("coming-from-einops.md")]
pub mod coming_from_einops {}

#[doc = include_str!("coming-from-haliax.md")]
pub mod coming_from_haliax {}
#[doc = include_str!("architecture.md")]
pub mod architecture {}

#[doc = include_str!("style.md")]
pub mod style {}

#[doc = include_str!("unsafe.md")]
pub mod unsafe_code {}

#[doc = include_str!("dependencies.md")]
pub mod dependencies {}

#[doc = include_str!("coverage.md")]
pub mod coverage {}

#[doc = include_str!("agreement.md")]
pub mod agreement {}

#[doc = include_str!("measurements.md")]
pub mod measurements {}

#[doc = include_str!("measurements-log.md")]
pub mod measurements_log {}

/// The front page of the workspace, whose program is a test too.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub mod front_page {}

#[cfg(test)]
mod rows;
#[cfg(test)]
mod tests;
