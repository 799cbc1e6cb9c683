//! How parameters are stored: in their own precision, or in 16 bits and widened where they are read.
//!
//! What is stored in 16 bits is a node of that kind with its numbers, and a node above it that widens them; the second is
//! the parameter. Lives here: both ways into that form. Not here: the format (`element`), who reads it as it lies (`plan`).

use std::sync::Arc;

use crate::element::{Bf16, Buffer, Kind, Lined, Numbers, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Node, Shape, Value};
use crate::kernel::pool;
use crate::plan;

/// Numbers in the order of `shape`, of this kind or stored in 16 bits.
#[track_caller]
pub(crate) fn held(numbers: Buffer, shape: Shape, kind: Kind) -> Node {
    Node::input(Value::contiguous(numbers, shape.sizes()), shape).cast(kind)
}

/// The same numbers, rounded to 16 bits.
#[track_caller]
pub(super) fn in_bf16(node: &Node) -> Result<Node> {
    if node.widens().is_some() {
        return Ok(node.clone());
    }
    let value = match node.value() {
        // Where little else is in the buffer it is rounded as it lies. A plan would have taken memory for the result from
        // what it keeps warm, and kept as much for later; this memory stays with the parameter.
        Some(value) if value.buffer.size() <= 2 * node.shape().elements() => {
            Value { buffer: Arc::new(rounded(&value.buffer)), ..value.clone() }
        }
        _ => {
            let place = std::panic::Location::caller();
            let values = plan::evaluate(&[node.cast(Kind::Bf16)]).map_err(|error| error.at(place))?;
            values.into_iter().next().ok_or_else(|| Error::new(ErrorKind::Value, "nothing was rounded"))?
        }
    };
    Ok(Node::input(value, node.shape().clone()).cast(node.kind()))
}

/// Real numbers, rounded to 16 bits.
fn rounded(numbers: &Buffer) -> Buffer {
    let room = Lined::try_with_room(numbers.size(), pool::in_huge_pages);
    let mut halves = room.unwrap_or_else(|| Lined::with_room(numbers.size()));
    match numbers.numbers() {
        Numbers::F32(numbers) => halves.extend(numbers.iter().copied().map(Bf16::rounded)),
        numbers => halves.extend(f64::of(&numbers.to_buffer()).iter().copied().map(<Bf16 as Stored>::from_f64)),
    }
    Buffer::Bf16(halves)
}
