//! A planned scan: the schedule of its body run for each position of an axis.
//!
//! Per step nothing is planned or looked up: slices are views at another offset, carries are handed over, results are
//! copied to their place. Lives here: the loop. Not here: the schedule of the body (`lower::scan`), its steps (`execute`).

use std::sync::Arc;

use smallvec::SmallVec;

use super::compute::place;
use super::execute::{Held, Slots, perform, taken};
use super::key::Trace;
use super::layout::Place;
use super::schedule::{Body, Piece, Slot};
use crate::element::{Buffer, Kind, Numbers, Stored};
use crate::error::Result;
use crate::graph::Node;
use crate::graph::value::row_major;

/// Writes the results of all steps.
pub(super) fn run(
    body: &Body,
    node: &Node,
    inputs: &[Place],
    outer: &Slots,
    trace: &Trace<'_>,
    out: &mut Buffer,
) -> Result<()> {
    let schedule = &body.schedule;
    let mut slots = Slots::new(schedule, trace);
    let held = |place: &Place| {
        let (buffer, offset) = outer.at(place.slot, place.offset);
        Held { buffer: buffer.clone(), offset }
    };
    let count = body.carries.len();
    let mut carries: SmallVec<[Held; 2]> = SmallVec::new();
    for (input, (sizes, (kind, _))) in inputs.iter().zip(body.carries.iter().zip(&body.pieces)) {
        let strides = row_major(sizes.iter().copied());
        if input.strides == strides {
            carries.push(held(input));
        } else {
            let mut buffer = taken(Slot { kind: *kind, size: sizes.iter().product() }, node)?;
            let piece = Piece { source: input.clone(), sizes: sizes.clone(), offset: 0, strides };
            place(&piece, 0, outer, &mut buffer);
            carries.push(Held { buffer: Arc::new(buffer), offset: 0 });
        }
    }
    for (slot, place) in body.slots.iter().zip(inputs).skip(count) {
        if let Some(slot) = *slot {
            slots.held[slot as usize] = Some(held(place));
        }
    }
    let starts: SmallVec<[usize; 4]> =
        inputs.iter().skip(count).take(body.along.len()).map(|place| held(place).offset).collect();
    for step in 0..body.size {
        let position = if body.backwards { body.size - 1 - step } else { step };
        for (slot, carry) in body.slots.iter().zip(&carries) {
            if let Some(slot) = *slot {
                slots.held[slot as usize] = Some(carry.clone());
            }
        }
        for ((slot, &start), &stride) in body.slots.iter().skip(count).zip(&starts).zip(&body.along) {
            if let Some(held) = slot.and_then(|slot| slots.held[slot as usize].as_mut()) {
                held.offset = start.wrapping_add_signed(stride.wrapping_mul(position as isize));
            }
        }
        perform(schedule, &mut slots, trace)?;
        for (kind, piece) in body.pieces.iter().skip(count) {
            let size: usize = piece.sizes.iter().product();
            put(*kind, piece, node, position * size, &slots, out)?;
        }
        let next = |root: &Place| {
            let (buffer, offset) = slots.at(root.slot, root.offset);
            Held { buffer: buffer.clone(), offset }
        };
        let next: SmallVec<[Held; 2]> = schedule.roots.iter().take(count).map(next).collect();
        // What this step has left behind, the carries before it too.
        for slot in body.slots.iter().take(count).flatten() {
            slots.held[*slot as usize] = None;
        }
        let left = slots.held.iter_mut().skip(schedule.leaves.len()).filter_map(Option::take);
        let left: SmallVec<[Held; 4]> = std::mem::replace(&mut carries, next).into_iter().chain(left).collect();
        left.into_iter().for_each(|held| slots.retire(held.buffer));
    }
    let last = Slots::of(carries);
    for ((slot, (kind, piece)), sizes) in (0..).zip(&body.pieces).zip(&body.carries) {
        let strides = row_major(sizes.iter().copied());
        let source = Place { slot, offset: 0, strides: strides.clone() };
        put(*kind, &Piece { source, sizes: sizes.clone(), offset: piece.offset, strides }, node, 0, &last, out)?;
    }
    Ok(())
}

/// Copies a result, whose elements are of this kind, so many elements behind its first place.
fn put(kind: Kind, piece: &Piece, node: &Node, behind: usize, slots: &Slots, out: &mut Buffer) -> Result<()> {
    if kind == out.kind() {
        place(piece, behind, slots, out);
        return Ok(());
    }
    // Results of several kinds are all kept as doubles.
    let dense = row_major(piece.sizes.iter().copied());
    let mut alone = taken(Slot { kind, size: piece.sizes.iter().product() }, node)?;
    place(&Piece { offset: 0, strides: dense.clone(), ..piece.clone() }, 0, slots, &mut alone);
    let doubles = match alone.numbers() {
        Numbers::F32(values) => values.iter().copied().map(Stored::to_f64).collect(),
        Numbers::F64(values) => values.to_vec(),
        Numbers::Index(values) => values.iter().copied().map(Stored::to_f64).collect(),
        Numbers::Bool(values) => values.iter().copied().map(Stored::to_f64).collect(),
        Numbers::Bf16(values) => values.iter().copied().map(Stored::to_f64).collect(),
    };
    let held = Held { buffer: Arc::new(Buffer::from(doubles)), offset: 0 };
    let source = Place { slot: 0, offset: 0, strides: dense };
    place(&Piece { source, ..piece.clone() }, behind, &Slots::of([held]), out);
    Ok(())
}
