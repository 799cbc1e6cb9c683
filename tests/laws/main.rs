//! The laws of the notation: every operation against plain loops, on random sizes and memory layouts.
//!
//! One file per chapter of the paper. A test whose name begins with `p` or `n` and a number is that row of the inventory
//! of the paper's examples and networks. Not here: models (`models`), messages of the compiler (`ui`).

#![allow(confusable_idents, mixed_script_confusables, reason = "σ is the letter of the paper")]

mod advice;
mod calculus;
mod contraction;
mod einsum;
mod elementwise;
mod equations;
mod errata;
mod examples;
mod experts;
mod extremes;
mod files;
mod gradients;
mod higher;
mod hygiene;
mod indexing;
mod large;
mod lifted_models;
mod lifting;
mod matrix;
mod networks;
mod ones;
mod order;
mod parameters;
mod read;
mod rearrangement;
mod reduction;
mod refusals;
mod relative;
mod scan;
mod settings;
mod softmax;
mod truth;
mod unroll;
#[cfg(target_pointer_width = "64")]
mod vast;
mod written;
