//! The workloads of the peer measurements, W1 to W7, computed from equations, and what planning costs; peer name `ours`.
//!
//! `cargo bench -p transformer --bench peers -- W2/M W6` prints a row per case with the machine's limits (`limits`); with
//! `PEER_THREADS` in the environment a JSON line, to be put beside the lines of other programs (`protocol`).
//! Lives here: the order of the workloads. Each stands in a file of its own.
#![allow(mixed_script_confusables, confusable_idents, reason = "the equations keep the letters of the paper")]

mod block;
mod decoder;
mod limits;
mod passes;
mod planning;
mod products;
mod protocol;
mod small;

use named_tensor::prelude::Error;
use protocol::Run;

fn main() -> Result<(), Error> {
    let run = Run::new();
    products::matrices(&run)?;
    block::forward(&run)?;
    block::training(&run)?;
    decoder::decoder(&run)?;
    passes::passes(&run)?;
    small::small(&run)?;
    planning::planning(&run)?;
    products::einsums(&run)
}
