//! Hundreds of operations and layers of sizes that nothing has been tuned to, with their gradients, beside PyTorch.
//!
//! ```text
//! PEER_THREADS=2 python transformer/benches/odd/torch_odd.py > torch.jsonl
//! NAMED_TENSOR_THREADS=2 cargo bench -p transformer --bench odd -- --beside "$PWD/torch.jsonl"
//! ```
//!
//! The first runs the cases in PyTorch (eager; Python with `torch` and `numpy`), the second ours, and prints a table
//! sorted by the ratio of PyTorch's least time to ours, the geometric mean, and every row whose numbers differ. Words
//! after `--`, or after the name of the Python file, choose rows: `softmax/rows`, `1001x773`, `+grad`.
//! Alone `cargo bench -p transformer --bench odd` prints a row for each case, with `-- --json` a JSON line (`protocol`).
//! `ODD_BUDGET=0.5` gives each row half a second in place of 0.15, with which all take about four minutes.
//!
//! Lives here: the order of the kinds. Each group stands in a file of its own, as equations and methods that a user
//! would write (`case` says how); `torch_odd.py` has the same names, sizes and inputs.
#![allow(mixed_script_confusables, confusable_idents, reason = "the equations keep the letters of the paper")]

mod attention;
mod axes;
mod beside;
mod case;
mod contractions;
mod convolutions;
mod elements;
mod joining;
mod layers;
mod networks;
mod programs;
mod protocol;
mod recurrent;
mod reductions;
mod rows;

use named_tensor::prelude::Error;
use protocol::Run;

fn main() -> Result<(), Error> {
    let mut run = Run::new()?;
    contractions::contractions(&mut run)?;
    reductions::reductions(&mut run)?;
    elements::elements(&mut run)?;
    rows::rows(&mut run)?;
    joining::joining(&mut run)?;
    convolutions::convolutions(&mut run)?;
    attention::attention(&mut run)?;
    recurrent::recurrent(&mut run)?;
    networks::networks(&mut run)?;
    layers::layers(&mut run)?;
    programs::programs(&mut run)?;
    run.finish()
}
