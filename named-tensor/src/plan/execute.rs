//! A schedule run on the leaves of a graph.
//!
//! Lives here: which buffer stands in which slot. Buffers come from the pool and go back when they are dead.
//! Not here: the calls of the kernels (`compute`), decisions (`lower`).

use std::sync::Arc;

use smallvec::SmallVec;

use super::append;
use super::compute::{compute, fill, join};
use super::key::Trace;
use super::layout::Place;
use super::scan;
use super::schedule::{Action, Piece, Schedule, Slot, Step};
use crate::element::{Buffer, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::value::row_major;
use crate::graph::{Op, Value, op};
use crate::kernel::{View, pool};

/// A buffer that stands in a slot, and where its numbers begin.
#[derive(Clone)]
pub(super) struct Held {
    pub(super) buffer: Arc<Buffer>,
    pub(super) offset: usize,
}

/// What stands in the slots while a schedule runs.
pub(super) struct Slots(pub(super) SmallVec<[Option<Held>; 16]>);

/// The numbers of the roots.
pub(super) fn run(schedule: &Schedule, trace: &Trace<'_>) -> Result<SmallVec<[Value; 2]>> {
    let mut slots = Slots::new(schedule, trace);
    perform(schedule, &mut slots, trace)?;
    Ok(schedule.roots.iter().map(|root| slots.value(root)).collect())
}

/// Runs the steps of a schedule, whose leaves stand in their slots.
pub(super) fn perform(schedule: &Schedule, slots: &mut Slots, trace: &Trace<'_>) -> Result<()> {
    perform_and_tell(schedule, slots, trace, |_| ())
}

/// The same; the number of each step is told when it is done.
pub(super) fn perform_and_tell(
    schedule: &Schedule,
    slots: &mut Slots,
    trace: &Trace<'_>,
    mut tell: impl FnMut(usize),
) -> Result<()> {
    for (number, step) in schedule.steps.iter().enumerate() {
        let buffer = Arc::new(filled(schedule.slots[step.out as usize], step, slots, trace)?);
        let node = trace.node(step.node);
        if let Op::Random(..) = node.op() {
            // Random numbers are data from now on: the next evaluation need not draw them again.
            let strides = row_major(node.shape().sizes());
            node.remember(Value { buffer: buffer.clone(), offset: 0, strides });
        }
        slots.0[step.out as usize] = Some(Held { buffer, offset: 0 });
        for &dead in &step.dead {
            if let Some(buffer) = slots.0[dead as usize].take().and_then(|held| Arc::into_inner(held.buffer)) {
                pool::give(buffer);
            }
        }
        tell(number);
    }
    Ok(())
}

/// The one number of a constant.
fn constant(trace: &Trace<'_>, leaf: u32) -> Buffer {
    let node = trace.node(leaf);
    let value = if let Op::Fill(value) = node.op() { *value } else { f64::NAN };
    let mut buffer = Buffer::zeros(node.kind(), 1);
    fill(&mut buffer, value);
    buffer
}

impl Slots {
    /// The leaves in their slots; those of a body that each step changes are left empty.
    pub(super) fn new(schedule: &Schedule, trace: &Trace<'_>) -> Slots {
        let held = |&leaf: &u32| match (trace.value(leaf), trace.node(leaf).op()) {
            (Some(value), _) => Some(Held { buffer: value.buffer.clone(), offset: value.offset }),
            (None, Op::Placeholder(_)) => None,
            (None, _) => Some(Held { buffer: Arc::new(constant(trace, leaf)), offset: 0 }),
        };
        let mut slots: SmallVec<_> = schedule.leaves.iter().map(held).collect();
        slots.resize_with(schedule.slots.len(), || None);
        Slots(slots)
    }

    /// The buffer in a slot, and where numbers at this offset begin in it.
    pub(super) fn at(&self, slot: u32, offset: usize) -> (&Arc<Buffer>, usize) {
        // A schedule reads what earlier steps have written and not yet given back.
        let held = self.0[slot as usize].as_ref().expect("a step reads a buffer that is alive");
        (&held.buffer, held.offset + offset)
    }

    /// The numbers at a place, with shared ownership.
    fn value(&self, place: &Place) -> Value {
        let (buffer, offset) = self.at(place.slot, place.offset);
        Value { buffer: buffer.clone(), offset, strides: place.strides.clone() }
    }

    /// The numbers at a place, as kernels read them.
    pub(super) fn view<'a, T: Stored>(&'a self, place: &'a Place) -> View<'a, T> {
        let (buffer, offset) = self.at(place.slot, place.offset);
        View { data: T::of(buffer), offset, strides: &place.strides }
    }
}

/// The buffer of a step, with its numbers.
fn filled(slot: Slot, step: &Step, slots: &Slots, trace: &Trace<'_>) -> Result<Buffer> {
    if let Action::Plain { inputs } = &step.action {
        return plain(step, inputs, slots, trace);
    }
    if let Action::Append { pieces, continues } = &step.action {
        return Ok(append::run(slot, pieces, *continues, slots));
    }
    let mut out = taken(slot)?;
    if let Action::Scan { inputs, body } = &step.action {
        // The plan was made of a graph that has a body here.
        let trace = trace.body(step.node).expect("a scan has a body");
        scan::run(body, inputs, slots, trace, &mut out)?;
        return Ok(out);
    }
    match (compute(step, slots, &mut out), &step.action) {
        // A position is out of range: the plain evaluation says which.
        (false, Action::Gather { inputs, .. } | Action::Update { inputs, .. }) => plain(step, inputs, slots, trace),
        _ => Ok(out),
    }
}

/// A buffer with any numbers in it, unless there is no memory for it.
pub(super) fn taken(slot: Slot) -> Result<Buffer> {
    /// Larger buffers are asked for first in a way that may fail: an ordinary vector that finds no memory aborts.
    const LARGE: usize = 1 << 28;
    let bytes = slot.size.saturating_mul(slot.kind.bytes());
    if bytes > LARGE && Vec::<u8>::new().try_reserve_exact(bytes).is_err() {
        return Err(Error::new(ErrorKind::TooLarge, format!("too large for memory: a result of {bytes} bytes")));
    }
    Ok(pool::take(slot.kind, slot.size))
}

/// The numbers of the plain evaluation, in the order of the shape without gaps.
fn plain(step: &Step, inputs: &[Place], slots: &Slots, trace: &Trace<'_>) -> Result<Buffer> {
    let node = trace.node(step.node);
    let inputs: SmallVec<[Value; 3]> = inputs.iter().map(|place| slots.value(place)).collect();
    let inputs: SmallVec<[&Value; 3]> = inputs.iter().collect();
    let value = op::evaluate(node, &inputs)?;
    let sizes: SmallVec<[usize; 6]> = node.shape().sizes().collect();
    let (total, strides) = (sizes.iter().product(), row_major(sizes.iter().copied()));
    if value.offset == 0 && value.buffer.size() == total && (value.strides == strides || total == 0) {
        return Ok(Arc::unwrap_or_clone(value.buffer));
    }
    let held = Held { buffer: value.buffer, offset: value.offset };
    let source = Place { slot: 0, offset: 0, strides: value.strides };
    let pieces = [Piece { source, sizes, offset: 0, strides }];
    let mut out = taken(Slot { kind: node.kind(), size: total })?;
    join(&pieces, &Slots(SmallVec::from_iter([Some(held)])), &mut out);
    Ok(out)
}
