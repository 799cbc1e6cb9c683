//! Whole models: what the sources build of the equations.
//!
//! Each file is one model with what it needs to be trained: its parts are the files above, its data stand beside it.

pub mod language_model;
pub mod practical;
pub mod seq2seq;
pub mod translation;
