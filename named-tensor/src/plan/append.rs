//! Appending in place: a tensor with a few positions more shares the memory of the one before.
//!
//! Keys and values of a text grow by one position for each word. Lives here: where the positions are written: behind
//! those that are there, if there is room and nobody else wrote there, else all in new memory with room for as many
//! again, so that each position is copied a bounded number of times however long the tensor gets.
//! Not here: which concatenations are done so (`lower::append`), the memory (`kernel::growth`).

use super::compute::joined;
use super::execute::{Slots, fits};
use super::schedule::{Piece, Slot};
use crate::element::{Bf16, Buffer, Kind, Stored};
use crate::error::Result;
use crate::graph::Node;
use crate::kernel::growth::{lengthened, roomy};

/// The buffer that holds both pieces.
///
/// # Errors
/// New memory is needed, and there is none for it.
pub(super) fn run(slot: Slot, pieces: &[Piece; 2], continues: bool, slots: &Slots, node: &Node) -> Result<Buffer> {
    let appended = match slot.kind {
        Kind::F32 => appended::<f32>,
        Kind::F64 => appended::<f64>,
        Kind::Index => appended::<i64>,
        Kind::Bool => appended::<bool>,
        Kind::Bf16 => appended::<Bf16>,
    };
    appended(slot, pieces, continues, slots, node)
}

fn appended<T: Stored>(slot: Slot, pieces: &[Piece; 2], continues: bool, slots: &Slots, node: &Node) -> Result<Buffer> {
    let size = slot.size;
    let [first, second] = pieces;
    let (before, offset) = slots.at(first.source.slot, first.source.offset);
    if continues && offset == 0 && before.size() == second.offset {
        let behind = Piece { offset: 0, ..second.clone() };
        let write = |out: &mut [T]| joined(&[behind], slots, out);
        if let Some(longer) = lengthened::<T>(before, size - second.offset, write) {
            return Ok(longer);
        }
    }
    let bytes = |room: usize| room.saturating_mul(slot.kind.bytes());
    fits(bytes(size), node)?;
    let twice = size.saturating_mul(2);
    let room = if fits(bytes(twice), node).is_ok() { twice } else { size };
    Ok(roomy::<T>(size, room, |out| joined(pieces, slots, out)))
}
