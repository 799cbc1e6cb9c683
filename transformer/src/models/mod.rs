//! Whole models: from words to the scores of words, or to meanings.
//!
//! Lives here: what the sources put together, one file each, with what each needs to be trained; and architectures with
//! published weights (`bert`, `gpt2`, `llama`), whose `context` is what a text leaves behind for the words that follow.
//! Not here: their parts, which are the files above.

pub mod context;
pub mod gpt2;
pub mod language_model;
pub mod practical;
pub mod seq2seq;
pub mod translation;
