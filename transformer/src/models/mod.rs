//! Whole models: what the sources build of the equations.
//!
//! Each file is one model with what it needs to be trained: its data, its parameters, its loss.

pub mod practical;
pub mod seq2seq;
