//! Decoding: rows 2.16–2.19 and 4.18–4.21.
//!
//! Lives here: a language model whose keys and values are kept (`model`), tested against plain code (`context`), and a
//! model without mathematics, whose probabilities are any numbers (`table`), for what is chosen (`sampling`, `search`)
//! and where it ends (`writing`).

pub(crate) mod model;

mod context;
mod gpt2;
mod sampling;
mod search;
mod table;
mod writing;
