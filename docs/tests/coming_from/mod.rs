//! The forms in the tables of the pages for those who know another library, run, and the numbers they give.
//!
//! Lives here: the image that several of them work on; the forms stand in one file for each group.
//! Not here: what the other libraries give, which is the same numbers; that no form is left out (`tests.rs`).

use crate::paper::*;

mod contraction;
mod elementwise;
mod functions;
mod reading;
mod rearrangement;

type Run = Result<(), Error>;

axes! {
    /// Rows inside a patch.
    down,
    /// Columns inside a patch.
    across,
    /// Queries, keys, values.
    qkv,
}

/// An image whose numbers count on, chans fastest.
fn image() -> Tensor<R![batch, height, width, chans]> {
    let numbers: Tensor<R![layer]> = Tensor::positions(layer.of(16)).real();
    numbers.split(layer, (batch.of(1), height.of(2), width.of(4), chans.of(2)))
}
