//! A schedule run on the leaves of a graph.
//!
//! Lives here: which buffer stands in which slot. Buffers come from the pool and go back when they are dead; small ones
//! wait for the next step that needs one of their size, since a step may take less time than the allocator.
//! Not here: the calls of the kernels (`compute`), decisions (`lower`).

use std::sync::Arc;

use smallvec::SmallVec;

use super::append;
use super::compute::{compute, computed, fill, join};
use super::key::Trace;
use super::layout::Place;
use super::scan;
use super::schedule::{Action, MatrixFunction, Piece, RowFunction, Schedule, Sizes, Slot, Step};
use crate::element::{Buffer, Kind, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::value::row_major;
use crate::graph::{Node, Op, Value, op};
use crate::kernel::{View, pool};

/// A buffer that stands in a slot, and where its numbers begin.
#[derive(Clone)]
pub(super) struct Held {
    pub(super) buffer: Arc<Buffer>,
    pub(super) offset: usize,
}

/// What stands in the slots while a schedule runs.
#[derive(Default)]
pub(super) struct Slots {
    pub(super) held: SmallVec<[Option<Held>; 16]>,
    spare: Spare,
}

/// Small buffers that are dead and belong to nobody else.
#[derive(Default)]
struct Spare(SmallVec<[Arc<Buffer>; SPARE]>);

/// At most this many buffers are spare.
const SPARE: usize = 4;
/// Bytes up to which a buffer may be spare.
const SMALL: usize = 64 << 10;

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
        let buffer = match step.action.others() {
            [] => filled(schedule.slots[step.out as usize], step, slots, trace)?,
            others => several(schedule, step, others, slots, trace)?,
        };
        slots.held[step.out as usize] = Some(Held { buffer, offset: 0 });
        for &dead in &step.dead {
            if let Some(held) = slots.held[dead as usize].take() {
                slots.retire(held.buffer);
            }
        }
        tell(number);
    }
    Ok(())
}

/// The one number of a constant.
fn constant(trace: &Trace<'_>, leaf: u32) -> Buffer {
    let node = trace.node(leaf);
    let value = if let Op::Fill(value) = node.op() { Some(*value) } else { None };
    debug_assert!(value.is_some(), "a leaf is stored, given, or a constant: {node:?}");
    let value = value.unwrap_or(f64::NAN);
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
        let mut slots = SmallVec::with_capacity(schedule.slots.len());
        slots.extend(schedule.leaves.iter().map(held));
        slots.resize_with(schedule.slots.len(), || None);
        Slots { held: slots, spare: Spare::default() }
    }

    /// Slots that hold these buffers.
    pub(super) fn of(held: impl IntoIterator<Item = Held>) -> Slots {
        Slots { held: held.into_iter().map(Some).collect(), spare: Spare::default() }
    }

    /// Takes back a buffer that no slot needs any more.
    pub(super) fn retire(&mut self, buffer: Arc<Buffer>) {
        self.spare.keep(buffer);
    }

    /// The buffer in a slot, and where numbers at this offset begin in it.
    pub(super) fn at(&self, slot: u32, offset: usize) -> (&Arc<Buffer>, usize) {
        // A schedule reads what earlier steps have written and not yet given back.
        let held = self.held[slot as usize].as_ref().expect("a step reads a buffer that is alive");
        (&held.buffer, held.offset.wrapping_add(offset))
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

impl Spare {
    /// A buffer for the numbers of a step, which nobody else has, with any numbers in it.
    fn room(&mut self, slot: Slot, node: &Node) -> Result<Arc<Buffer>> {
        let fits = |buffer: &Arc<Buffer>| buffer.kind() == slot.kind && buffer.size() == slot.size;
        match self.0.iter().rposition(fits) {
            Some(at) => Ok(self.0.swap_remove(at)),
            None => taken(slot, node).map(Arc::new),
        }
    }

    /// Keeps a dead buffer if it is small, and there is room; else it goes back to the pool.
    fn keep(&mut self, buffer: Arc<Buffer>) {
        let is_kept = Arc::strong_count(&buffer) == 1
            && self.0.len() < SPARE
            && !matches!(*buffer, Buffer::Lent(_))
            && buffer.size() * buffer.kind().bytes() <= SMALL;
        if is_kept {
            self.0.push(buffer);
        } else if let Some(buffer) = Arc::into_inner(buffer) {
            pool::give(buffer);
        }
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        for held in self.held.iter_mut().filter_map(Option::take) {
            if let Some(buffer) = Arc::into_inner(held.buffer) {
                pool::give(buffer);
            }
        }
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        self.0.drain(..).filter_map(Arc::into_inner).for_each(pool::give);
    }
}

/// The buffer of a step, with its numbers.
fn filled(slot: Slot, step: &Step, slots: &mut Slots, trace: &Trace<'_>) -> Result<Arc<Buffer>> {
    if let Action::Plain { inputs } = &step.action {
        let buffer = plain(step.node, inputs, slots, trace)?;
        let node = trace.node(step.node);
        let is_data = matches!(node.op(), Op::Random(..));
        let buffer = Arc::new(if is_data { pool::settled(buffer) } else { buffer });
        if is_data {
            // Random numbers are data from now on: the next evaluation need not draw them again.
            let strides = row_major(node.shape().sizes());
            node.remember(Value { buffer: buffer.clone(), offset: 0, strides });
        }
        return Ok(buffer);
    }
    if let Action::Append { pieces, continues } = &step.action {
        return append::run(slot, pieces, *continues, slots, trace.node(step.node)).map(Arc::new);
    }
    sortable(step, trace.node(step.node))?;
    factorable(step, trace.node(step.node))?;
    groupable(step, slot.kind, trace.node(step.node))?;
    let mut buffer = slots.spare.room(slot, trace.node(step.node))?;
    let out = Arc::get_mut(&mut buffer).expect("nobody else has the buffer yet");
    if let Action::Scan { inputs, body } = &step.action {
        // The plan was made of a graph that has a body here.
        let inside = trace.body(step.node).expect("a scan has a body");
        return match scan::run(body, trace.node(step.node), inputs, slots, inside, out) {
            Ok(()) => Ok(buffer),
            Err(error) => {
                slots.retire(buffer);
                Err(error)
            }
        };
    }
    match (compute(step, slots, out), &step.action) {
        (false, Action::Gather { inputs, .. } | Action::Scatter { inputs, .. })
            if matches!(trace.node(step.node).op(), Op::Gather(_) | Op::ScatterAdd { .. }) =>
        {
            slots.retire(buffer);
            Err(wrong_position(step.node, inputs, slots, trace))
        }
        // A position is out of range, or a matrix singular: the plain evaluation says which.
        (
            false,
            Action::Gather { inputs, .. }
            | Action::Scatter { inputs, .. }
            | Action::Update { inputs, .. }
            | Action::Matrix { inputs, .. },
        ) => {
            slots.retire(buffer);
            plain(step.node, inputs, slots, trace).map(Arc::new)
        }
        (false, Action::Grouped { inputs, told, .. } | Action::Relative { inputs, told, .. }) => {
            slots.retire(buffer);
            Err(plain(*told, inputs, slots, trace).expect_err("a position that is not there is told"))
        }
        _ => Ok(buffer),
    }
}

/// The buffer of a step that fills others too, which stand in their slots then.
#[inline(never)]
fn several(
    schedule: &Schedule,
    step: &Step,
    others: &[u32],
    slots: &mut Slots,
    trace: &Trace<'_>,
) -> Result<Arc<Buffer>> {
    let room = |slots: &mut Slots, slot: u32| slots.spare.room(schedule.slots[slot as usize], trace.node(step.node));
    let mut all: SmallVec<[Arc<Buffer>; 4]> = SmallVec::new();
    for &slot in others.iter().chain([&step.out]) {
        all.push(room(slots, slot)?);
    }
    let own = |buffer| Arc::get_mut(buffer).expect("nobody else has the buffer yet");
    let mut places: SmallVec<[&mut Buffer; 4]> = all.iter_mut().map(own).collect();
    let (out, beside) = places.split_last_mut().expect("a step has a result");
    computed(&step.action, slots, out, beside, step.is_last);
    drop(places);
    let out = all.pop().expect("a step has a result");
    for (&slot, buffer) in others.iter().zip(all) {
        slots.held[slot as usize] = Some(Held { buffer, offset: 0 });
    }
    Ok(out)
}

/// Refuses to sort so many numbers that their places do not fit beside them.
fn sortable(step: &Step, node: &Node) -> Result<()> {
    match &step.action {
        Action::Rows { function: RowFunction::Sort { .. } | RowFunction::ArgSort { .. }, row, .. }
            if u32::try_from(*row).is_err() =>
        {
            // A step that finds the first few stands for the node that takes them of the sort.
            let mut sort = node;
            while let (false, Some(below)) =
                (matches!(sort.op(), Op::Sort { .. } | Op::ArgSort { .. }), sort.inputs().first())
            {
                sort = below;
            }
            let (operation, shape) = (sort.op().name(), sort.shape());
            let message =
                format!("too large to be sorted: `{operation}` with the shape {shape} has lines of {row} numbers");
            Err(Error::new(ErrorKind::TooLarge, message))
        }
        _ => Ok(()),
    }
}

/// Refuses to factor a matrix that does not fit once more, in `f64`: it may be one number in memory that is repeated.
fn factorable(step: &Step, node: &Node) -> Result<()> {
    match step.action {
        // An inverse is made beside the factors.
        Action::Matrix { function, size, .. } => {
            let count = if function == MatrixFunction::Inverse { 2 } else { 1 };
            fits([size, size, count].into_iter().fold(8, usize::saturating_mul), node)
        }
        _ => Ok(()),
    }
}

/// Refuses to put rows together that do not fit once more beside their products: they may be one row that is repeated.
fn groupable(step: &Step, kind: Kind, node: &Node) -> Result<()> {
    let count = |sizes: &Sizes| sizes.iter().fold(1, |all: usize, &size| all.saturating_mul(size));
    let numbers = match &step.action {
        Action::Grouped { sizes, .. } => {
            let [outer, between, terms, columns] = sizes.each_ref().map(count);
            outer.saturating_mul(between).saturating_mul(terms.saturating_add(columns))
        }
        Action::Relative { sizes, limit, .. } => {
            let [rows, fine, columns] = sizes.each_ref().map(count);
            // Positions have 8 bytes each.
            rows.saturating_mul(columns.saturating_add(*limit).saturating_add(fine.saturating_mul(2)))
        }
        _ => return Ok(()),
    };
    fits(numbers.saturating_mul(kind.bytes()), node)
}

/// Refuses to compute `node` where so many bytes are needed for it, or on the way there, and are not to be had.
pub(super) fn fits(bytes: usize, node: &Node) -> Result<()> {
    /// So many are asked for first in a way that may fail: an ordinary vector that finds no memory aborts.
    const LARGE: usize = 1 << 28;
    if bytes <= LARGE || Vec::<u8>::new().try_reserve_exact(bytes).is_ok() {
        return Ok(());
    }
    let of: Vec<String> = node.inputs().iter().map(|input| input.shape().to_string()).collect();
    let (operation, shape) = (node.op().name(), node.shape());
    let of = if of.is_empty() { String::new() } else { format!(" of {}", of.join(", ")) };
    let message = format!(
        "too large for memory: {bytes} bytes in one piece for `{operation}`{of}, whose result has the shape {shape}"
    );
    Err(Error::new(ErrorKind::TooLarge, message))
}

/// A buffer with any numbers in it, unless there is no memory for it. It is a result of `node`, or needed on the way there.
pub(super) fn taken(slot: Slot, node: &Node) -> Result<Buffer> {
    fits(slot.size.saturating_mul(slot.kind.bytes()), node)?;
    Ok(pool::take(slot.kind, slot.size))
}

/// The error of the first position that is not there, of those at which a node takes or sums: each position is told alike,
/// whatever is taken, which may have been multiplied meanwhile (`plan::order`).
fn wrong_position(number: u32, inputs: &[Place], slots: &Slots, trace: &Trace<'_>) -> Error {
    let values: SmallVec<[Value; 3]> = inputs.iter().map(|place| slots.value(place)).collect();
    // Indices one after the other that were taken at once (`plan::indices`): what each of them needs stands behind.
    let positions = if values.len() > 2 { &values[3..] } else { &values[1..] };
    one_after_the_other(trace.node(number), positions).expect_err("a position that is not there is told")
}

/// The plain evaluation of zeros that are taken or summed at these positions, one after the other.
fn one_after_the_other(node: &Node, positions: &[Value]) -> Result<Value> {
    let (of, [before @ .., last]) = (&node.inputs()[0], positions) else { unreachable!("it has positions") };
    if !before.is_empty() {
        one_after_the_other(of, before)?;
    }
    let zeros = Value {
        buffer: Arc::new(Buffer::zeros(of.kind(), 1)),
        offset: 0,
        strides: SmallVec::from_elem(0, of.shape().rank()),
    };
    op::evaluate(node, &[&zeros, last])
}

/// The numbers of the plain evaluation of a node, in the order of the shape without gaps.
fn plain(number: u32, inputs: &[Place], slots: &Slots, trace: &Trace<'_>) -> Result<Buffer> {
    let node = trace.node(number);
    let inputs: SmallVec<[Value; 3]> = inputs.iter().map(|place| slots.value(place)).collect();
    let inputs: SmallVec<[&Value; 3]> = inputs.iter().collect();
    let value = op::evaluate(node, &inputs)?;
    let sizes: Sizes = node.shape().sizes().collect();
    let (total, strides) = (sizes.iter().product(), row_major(sizes.iter().copied()));
    if value.offset == 0 && value.buffer.size() == total && (value.strides == strides || total == 0) {
        return Ok(Arc::unwrap_or_clone(value.buffer));
    }
    let held = Held { buffer: value.buffer, offset: value.offset };
    let source = Place { slot: 0, offset: 0, strides: value.strides };
    let pieces = [Piece { source, sizes, offset: 0, strides }];
    let mut out = taken(Slot { kind: node.kind(), size: total }, node)?;
    join(&pieces, &Slots::of([held]), &mut out);
    Ok(out)
}
