//! A schedule run on the leaves of a graph.
//!
//! Lives here: which buffer stands in which slot, and the call of one kernel per step. Buffers come from the pool and go
//! back when they are dead. Not here: loops over elements (`kernel`), decisions (`lower`).

use std::sync::Arc;

use smallvec::SmallVec;

use super::contract::Loop;
use super::key::Trace;
use super::layout::Place;
use super::schedule::{Action, Piece, RowFunction, Schedule, Slot, Step};
use crate::element::{Buffer, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::op::Reduction;
use crate::graph::value::row_major;
use crate::graph::{Op, Value, op};
use crate::kernel::attention::{Attention, attention};
use crate::kernel::copy::copy_into;
use crate::kernel::math::Scalar;
use crate::kernel::matmul::matmul;
use crate::kernel::{View, ViewMut, gather, map, pool, reduce, softmax, standardize};

/// A buffer that stands in a slot, and where its numbers begin.
struct Held {
    buffer: Arc<Buffer>,
    offset: usize,
}

/// What stands in the slots while a schedule runs.
struct Slots(SmallVec<[Option<Held>; 16]>);

/// The numbers of the roots.
pub(super) fn run(schedule: &Schedule, trace: &Trace<'_>) -> Result<SmallVec<[Value; 2]>> {
    let mut slots = Slots(SmallVec::with_capacity(schedule.slots.len()));
    for &leaf in &schedule.leaves {
        let held = match trace.value(leaf) {
            Some(value) => Held { buffer: value.buffer.clone(), offset: value.offset },
            None => Held { buffer: Arc::new(constant(trace, leaf)), offset: 0 },
        };
        slots.0.push(Some(held));
    }
    slots.0.resize_with(schedule.slots.len(), || None);
    for step in &schedule.steps {
        let buffer = filled(schedule.slots[step.out as usize], step, &slots, trace)?;
        slots.0[step.out as usize] = Some(Held { buffer: Arc::new(buffer), offset: 0 });
        for &dead in &step.dead {
            if let Some(buffer) = slots.0[dead as usize].take().and_then(|held| Arc::into_inner(held.buffer)) {
                pool::give(buffer);
            }
        }
    }
    Ok(schedule.roots.iter().map(|root| slots.value(root)).collect())
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
    /// The buffer in a slot, and where numbers at this offset begin in it.
    fn at(&self, slot: u32, offset: usize) -> (&Arc<Buffer>, usize) {
        // A schedule reads what earlier steps have written and not yet given back.
        let held = self.0[slot as usize].as_ref().expect("a step reads a buffer that is alive");
        (&held.buffer, held.offset + offset)
    }

    fn value(&self, place: &Place) -> Value {
        let (buffer, offset) = self.at(place.slot, place.offset);
        Value { buffer: buffer.clone(), offset, strides: place.strides.clone() }
    }

    fn view<'a, T: Stored>(&'a self, place: &'a Place) -> View<'a, T> {
        let (buffer, offset) = self.at(place.slot, place.offset);
        View { data: T::of(buffer), offset, strides: &place.strides }
    }
}

/// The buffer of a step, with its numbers.
fn filled(slot: Slot, step: &Step, slots: &Slots, trace: &Trace<'_>) -> Result<Buffer> {
    if let Action::Plain { inputs } = &step.action {
        return plain(step, inputs, slots, trace);
    }
    let mut out = taken(slot)?;
    let sound = match &step.action {
        Action::Gather { .. } => match &mut out {
            Buffer::F32(out) => gathered(&step.action, slots, out),
            Buffer::F64(out) => gathered(&step.action, slots, out),
            Buffer::Index(out) => gathered(&step.action, slots, out),
            Buffer::Bool(out) => gathered(&step.action, slots, out),
        },
        Action::Update { .. } => updated(&step.action, slots, &mut out),
        _ => true,
    };
    // A position is out of range: the plain evaluation says which.
    if let (false, Action::Gather { inputs, .. } | Action::Update { inputs, .. }) = (sound, &step.action) {
        return plain(step, inputs, slots, trace);
    }
    match &step.action {
        Action::Map { program, sizes, operands } => {
            let operands: SmallVec<[map::Operand<'_>; 6]> = operands
                .iter()
                .map(|place| {
                    let (buffer, offset) = slots.at(place.slot, place.offset);
                    map::Operand { buffer, offset, strides: &place.strides }
                })
                .collect();
            map::run(program, sizes, &operands, &mut out);
        }
        Action::Product { .. } => match &mut out {
            Buffer::F32(out) => product(&step.action, slots, out),
            Buffer::F64(out) => product(&step.action, slots, out),
            Buffer::Index(_) | Buffer::Bool(_) => {}
        },
        Action::Attention { .. } => match &mut out {
            Buffer::F32(out) => attended(&step.action, slots, out),
            Buffer::F64(out) => attended(&step.action, slots, out),
            Buffer::Index(_) | Buffer::Bool(_) => {}
        },
        Action::Reduce { .. } => match &mut out {
            Buffer::F32(out) => reduced(&step.action, slots, out),
            Buffer::F64(out) => reduced(&step.action, slots, out),
            Buffer::Index(out) => reduced(&step.action, slots, out),
            Buffer::Bool(_) => {}
        },
        Action::Rows { .. } => match &mut out {
            Buffer::F32(out) => rows(&step.action, slots, out),
            Buffer::F64(out) => rows(&step.action, slots, out),
            Buffer::Index(_) | Buffer::Bool(_) => {}
        },
        Action::Join { around, pieces } => {
            if let Some(around) = around {
                fill(&mut out, *around);
            }
            join(pieces, slots, &mut out);
        }
        Action::Fill(value) => fill(&mut out, *value),
        Action::Gather { .. } | Action::Update { .. } | Action::Plain { .. } => {}
    }
    Ok(out)
}

/// A buffer with any numbers in it, unless there is no memory for it.
fn taken(slot: Slot) -> Result<Buffer> {
    /// Larger buffers are asked for first in a way that may fail: an ordinary vector that finds no memory aborts.
    const LARGE: usize = 1 << 28;
    let bytes = slot.size.saturating_mul(slot.kind.bytes());
    if bytes > LARGE && Vec::<u8>::new().try_reserve_exact(bytes).is_err() {
        return Err(Error::new(ErrorKind::TooLarge, format!("too large for memory: a result of {bytes} bytes")));
    }
    Ok(pool::take(slot.kind, slot.size))
}

fn fill(buffer: &mut Buffer, value: f64) {
    match buffer {
        Buffer::F32(values) => values.fill(Stored::from_f64(value)),
        Buffer::F64(values) => values.fill(value),
        Buffer::Index(values) => values.fill(Stored::from_f64(value)),
        Buffer::Bool(values) => values.fill(Stored::from_f64(value)),
    }
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

fn join(pieces: &[Piece], slots: &Slots, out: &mut Buffer) {
    match out {
        Buffer::F32(out) => joined(pieces, slots, out),
        Buffer::F64(out) => joined(pieces, slots, out),
        Buffer::Index(out) => joined(pieces, slots, out),
        Buffer::Bool(out) => joined(pieces, slots, out),
    }
}

fn joined<T: Stored>(pieces: &[Piece], slots: &Slots, out: &mut [T]) {
    for piece in pieces {
        let dst = ViewMut { data: out, offset: piece.offset, strides: &piece.strides };
        copy_into(&piece.sizes, slots.view(&piece.source), dst);
    }
}

/// Whether all positions were there.
fn gathered<T: Stored>(action: &Action, slots: &Slots, out: &mut [T]) -> bool {
    let Action::Gather { table, positions, outer, inner, limit, .. } = action else { return true };
    gather::gather(outer, inner, *limit, slots.view(table), slots.view(positions), out)
}

/// Whether the start was there.
fn updated(action: &Action, slots: &Slots, out: &mut Buffer) -> bool {
    let Action::Update { pieces, start, step, limit, .. } = action else { return true };
    let (buffer, offset) = slots.at(start.0, start.1);
    let start = usize::try_from(i64::of(buffer)[offset]).unwrap_or(usize::MAX);
    if start >= *limit {
        return false;
    }
    let mut pieces = pieces.clone();
    pieces.iter_mut().skip(1).for_each(|piece| piece.offset += start * step);
    join(&pieces, slots, out);
    true
}

fn reduced<T: reduce::Reducible>(action: &Action, slots: &Slots, out: &mut [T]) {
    let Action::Reduce { reduction, source, sizes, over } = action else { return };
    reduce::reduce(kernel_reduction(*reduction), sizes, over, slots.view(source), out);
}

fn rows<T: Scalar>(action: &Action, slots: &Slots, out: &mut [T]) {
    let Action::Rows { function, source, sizes, row, out: strides } = action else { return };
    let (src, dst) = (slots.view(source), ViewMut { data: out, offset: 0, strides });
    match *function {
        RowFunction::Softmax { log: false } => softmax::softmax(sizes, *row, src, dst),
        RowFunction::Softmax { log: true } => softmax::log_softmax(sizes, *row, src, dst),
        RowFunction::Standardize { epsilon } => standardize::standardize(epsilon, sizes, *row, src, dst),
    }
}

fn product<T: Scalar>(action: &Action, slots: &Slots, out: &mut [T]) {
    let Action::Product { left, right, batch, rows, columns, inner, scale } = action else { return };
    let [factor, divisor] = scaling(scale.as_ref(), slots);
    let strides = |stride: fn(&Loop) -> isize, last: [isize; 2]| -> SmallVec<[isize; 6]> {
        batch.iter().map(stride).chain(last).collect()
    };
    let sizes: SmallVec<[usize; 6]> = batch.iter().map(|axis| axis.size).collect();
    let (lhs, rhs) = (slots.at(left.0, left.1), slots.at(right.0, right.1));
    let l_strides = strides(|axis| axis.left, [rows.left, inner.left]);
    let r_strides = strides(|axis| axis.right, [inner.right, columns.right]);
    let d_strides = strides(|axis| axis.out, [rows.out, columns.out]);
    let lhs = View { data: T::of(lhs.0), offset: lhs.1, strides: &l_strides };
    let rhs = View { data: T::of(rhs.0), offset: rhs.1, strides: &r_strides };
    let dst = ViewMut { data: out, offset: 0, strides: &d_strides };
    matmul(factor, &sizes, [rows.size, inner.size, columns.size], lhs, rhs, dst);
    if divisor != T::narrow(1.0) {
        out.iter_mut().for_each(|x| *x = *x / divisor);
    }
}

fn kernel_reduction(reduction: Reduction) -> reduce::Reduction {
    match reduction {
        Reduction::Sum => reduce::Reduction::Sum,
        Reduction::Product => reduce::Reduction::Product,
        Reduction::Max => reduce::Reduction::Max,
        Reduction::Min => reduce::Reduction::Min,
    }
}

/// What a product is multiplied by, and then divided by.
fn scaling<T: Scalar>(scale: Option<&(Place, bool)>, slots: &Slots) -> [T; 2] {
    let one = T::narrow(1.0);
    scale.map_or([one, one], |(place, by)| {
        let (buffer, offset) = slots.at(place.slot, place.offset);
        let scale = T::of(buffer)[offset];
        match one / scale {
            _ if !by => [scale, one],
            // The inverse of a subnormal number may be too large, though the quotients are not.
            inverse if inverse.wide().is_infinite() => [one, scale],
            inverse => [inverse, one],
        }
    })
}

fn attended<T: Scalar>(action: &Action, slots: &Slots, out: &mut [T]) {
    let Action::Attention { operands, batch, sizes, scale, out: strides } = action else { return };
    let [queries, keys, values, mask @ ..] = &operands[..] else { return };
    let job = Attention {
        scale: scaling(scale.as_ref(), slots),
        queries: slots.view(queries),
        keys: slots.view(keys),
        values: slots.view(values),
        mask: mask.first().map(|mask| slots.view(mask)),
    };
    attention(batch, *sizes, &job, ViewMut { data: out, offset: 0, strides });
}
