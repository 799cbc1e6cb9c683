//! The plan: from a graph of named tensors to steps over buffers, and their execution.
//!
//! A graph is listed and keyed by its structure, from the numbers that are known on (`key`, `words`, and `again` for those
//! that are taken anew). For a structure seen before the plan is there (`cache`), for one that grows as others did before
//! it is that of a shorter one with larger numbers (`growth`, `numbers`); else it is made: products with what is joined become
//! those of its parts (`joined`), contractions are put in order (`order`), common parts shared and some rewritten (`simplify`),
//! attention found (`attention`), what is only summed made for each sum (`remade`), large outer products contracted by their
//! factors (`outer`), slices taken early (`slices`), what is added to scores gathered (`masks`) and weights of 16 bits widened
//! late (`widen`), elementwise items grouped (`fuse`), layouts chosen (`layout`, `contract`), and everything written down as
//! steps (`lower`, `schedule`), of which those that read the same numbers are joined. Then it is run on the leaves of the graph
//! (`execute`, `compute`); the body of a scan is a schedule of its own (`scan`). `describe` prints it. The plain evaluation of
//! `graph` is what every plan is tested against.

mod again;
mod append;
mod attention;
mod beside;
mod cache;
mod compute;
mod contract;
mod describe;
mod execute;
mod fuse;
mod gain;
mod growth;
mod indices;
mod joined;
mod key;
mod layout;
mod lower;
mod masks;
mod numbered;
mod numbers;
mod order;
mod outer;
mod remade;
mod scan;
mod schedule;
mod simplify;
mod slices;
mod sliding;
#[cfg(test)]
pub(crate) mod tests;
mod weighed;
mod widen;
mod windows;
mod words;

pub use describe::describe;

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use smallvec::SmallVec;

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{self, Node, Value};
use crate::kernel::settings;
use key::Trace;

/// The largest rank that the kernels take; what has more axes is evaluated plainly.
const LARGEST_RANK: usize = 16;

static PLAINLY: LazyLock<AtomicBool> =
    LazyLock::new(|| AtomicBool::new(std::env::var_os("NAMED_TENSOR_PLAN").is_some_and(|value| value == "off")));

/// What the environment asks for that there is not, as an error: a setting that is misspelt would be missed in silence.
static REFUSED: LazyLock<Option<Error>> = LazyLock::new(|| {
    let plan = std::env::var_os("NAMED_TENSOR_PLAN").unwrap_or_default().to_string_lossy().into_owned();
    let (name, said, wanted) = match (settings::threads(), settings::vectors()) {
        (Err(said), _) => ("NAMED_TENSOR_THREADS", said, "a number of threads, at least 1"),
        (_, Err(said)) => ("NAMED_TENSOR_VECTORS", said, "how many bits a vector has at most: 512, 256 or 0"),
        _ if ["", "on", "off"].contains(&&*plan) => return None,
        _ => ("NAMED_TENSOR_PLAN", plan, "`on` or `off`"),
    };
    let message = format!("the environment variable `{name}` is `{said}`, but should be {wanted}");
    Some(Error::new(ErrorKind::Value, message))
});

/// Whether the environment asks for nothing that there is not.
///
/// # Errors
/// What it asks for.
pub(crate) fn allowed() -> Result<()> {
    REFUSED.as_ref().map_or(Ok(()), |refused| Err(refused.clone()))
}

/// Turns the planner off, so that every primitive is evaluated by its own definition: to find out which of both is wrong.
/// Setting `NAMED_TENSOR_PLAN=off` in the environment does the same from outside. For all threads.
pub fn plainly(on: bool) {
    PLAINLY.store(on, Ordering::Relaxed);
}

/// The numbers of `roots`, in any layout. The roots remember them.
///
/// # Errors
/// The error that a root carries, or one that only the numbers can tell; a setting in the environment that there is not.
pub fn evaluate(roots: &[Node]) -> Result<SmallVec<[Value; 2]>> {
    allowed()?;
    let values = if PLAINLY.load(Ordering::Relaxed) {
        graph::evaluate::plainly(roots)?.into_iter().collect()
    } else {
        let trace = Trace::new(roots)?;
        let schedule = cache::schedule(&trace.key, || growth::schedule(&trace));
        execute::run(&schedule, &trace)?
    };
    for (root, value) in roots.iter().zip(&values) {
        // What is stored in 16 bits to take less memory is not remembered in more.
        if root.value().is_none() && root.widens().is_none() {
            root.remember(value.clone());
        }
    }
    Ok(values)
}
