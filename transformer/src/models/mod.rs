//! Whole models: from words to the scores of words.
//!
//! Lives here: what the sources put together, one file each. Not here: their parts, which are the files above.

pub mod language_model;
pub mod translation;
