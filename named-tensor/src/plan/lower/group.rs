//! Elementwise groups as programs of the map kernel: steps of their own, or the end of the step before.
//!
//! Lives here: the program of a group and the order in which its result lies: that of its producer, if the group goes on
//! with numbers that nobody else reads, else that of its largest operand.
//! Not here: which items make a group (`fuse`), the loop over the elements (`kernel::map`).

use crate::kernel::order::sort_few;
use smallvec::SmallVec;

use super::computed::{covered, lies_across};
use super::once::{Instructions, Kinds};
use super::power::power;
use super::{Lowering, dense};
use crate::element::Binary;
use crate::graph::Op;
use crate::kernel::map::Instruction;
use crate::plan::fuse::{self, Part, Places};
use crate::plan::layout::{self, Order, Place, far_first};
use crate::plan::numbered::few;
use crate::plan::schedule::{Action, Sizes, Step, Tail};
use crate::plan::simplify::{Item, Items, Work};
use crate::plan::weighed;

/// Neighbours that are a short row, and numbers of an operand from which on a copy costs less than to read it so. Fewer in
/// tests, so that they come here too.
const SHORT: usize = 8;
const LEAST: usize = if cfg!(test) { 12 } else { 512 };

/// So often an operand is read again at least that is copied into the order of the result.
const AGAIN: usize = 4;

/// Rows of fewer numbers are slow to walk through; and so many numbers of another axis make rows that are worth copies of operands
/// that are far smaller.
const SHORT_ROW: usize = if cfg!(test) { 3 } else { 16 };
const LONG_ROW: usize = if cfg!(test) { 4 } else { 32 };

/// Rows that are so many times shorter than those of another order are still better, if nothing is turned around for them.
const SHORTER: usize = 4;

impl Lowering<'_, '_> {
    /// The step of the group whose result is item `root`: one of its own, or the end of the step of its producer.
    pub(super) fn group(&mut self, root: u32) {
        let item = self.items.item(root);
        let shape = item.shape;
        self.follow(root);
        let mut members = self.members.remove(&root).unwrap_or_default();
        members.push(root);
        if shape.elements() == 0 {
            return self.fill(root, 0.0);
        }
        let producer =
            self.producers.remove(&root).filter(|&(producer, _)| self.is_made_with_room_for_a_tail(producer));
        let mut draft = Draft { own: producer.as_ref().map(|&(producer, _)| producer), ..Draft::default() };
        for &member in &members {
            draft.member(self.items, self.parts, member);
        }
        let spread = |&(input, ref places): &(u32, Places)| spread(&self.places[&input], places, shape.rank());
        let mut operands: SmallVec<[Place; 4]> = few(draft.loads.iter().map(spread));
        let order = match &producer {
            Some(producer) => layout::by_stride(&spread(producer).strides),
            None => self.order(root, &operands),
        };
        for instruction in &mut draft.instructions {
            if let Instruction::Position(axis) = instruction {
                *axis = order.iter().position(|at| at == axis).unwrap_or(0);
            }
        }
        let kinds: Kinds = few(draft.loads.iter().map(|(input, _)| self.items.item(*input).kind));
        let sizes: Sizes = few(shape.sizes());
        if producer.is_none() {
            operands.iter_mut().for_each(|place| self.in_longer_rows(root, place, &sizes, &order));
        }
        let program = self.programs.of(&draft.instructions, &kinds);
        let sizes: Sizes = few(order.iter().map(|&at| sizes[at]));
        let mut operands: Box<[Place]> = operands.iter().map(|place| place.in_order(&order)).collect();
        if producer.is_none() {
            operands.iter_mut().for_each(|place| self.in_rows(root, place, &sizes));
        }
        members.pop();
        let fused = draft.own.iter().chain(&members).map(|&member| self.items.item(member).node).collect();
        match producer {
            Some((producer, _)) => {
                let place = Place { strides: dense(shape, &order), ..self.places[&producer].clone() };
                self.places.insert(root, place);
                self.last_step(|step| {
                    (step.tail, step.node) = (Some(Box::new(Tail { program, sizes, operands })), item.node);
                });
            }
            None => self.step(root, &order, Action::Map { program, sizes, operands, others: Box::default() }),
        }
        self.last_step(|step| step.fused = fused);
    }

    /// Copies an operand that would be read a few neighbours at a time, although rows of the result are longer.
    pub(super) fn in_longer_rows(&mut self, root: u32, place: &mut Place, sizes: &[usize], order: &[usize]) {
        let mut inner = order.iter().rev().copied().filter(|&at| sizes[at] != 1);
        let (Some(last), Some(before)) = (inner.next(), inner.next()) else { return };
        let steps = [before, last].map(|at| place.strides[at]);
        let row = isize::try_from(sizes[last]).unwrap_or(isize::MAX);
        if steps.contains(&0) || steps[0] == steps[1].saturating_mul(row) || !weighed::is_less(sizes[last], SHORT) {
            return;
        }
        let own: Order = few(order.iter().copied().filter(|&at| place.strides[at] != 0));
        let total = own.iter().fold(1, |total: usize, &at| total.saturating_mul(sizes[at]));
        if !weighed::is_less(total, LEAST) {
            *place = self.copied(root, place, sizes, &own);
        }
    }

    /// Copies an operand that lies across the rows of a far larger result: it is read again and again.
    fn in_rows(&mut self, root: u32, place: &mut Place, sizes: &[usize]) {
        let total = sizes.iter().fold(1, |total: usize, &size| total.saturating_mul(size));
        let is_backwards = (0..sizes.len()).rev().find(|&at| sizes[at] != 1).is_some_and(|at| place.strides[at] == -1);
        if lies_across(place, sizes)
            && !is_backwards
            && !weighed::is_less(total, LEAST)
            && !weighed::is_less(total, covered(place, sizes).saturating_mul(AGAIN))
        {
            *place = self.turned(root, place, sizes);
        }
    }

    pub(super) fn last_step(&mut self, change: impl FnOnce(&mut Step)) {
        if let Some(step) = self.schedule.steps.last_mut() {
            change(step);
        }
    }

    /// Makes the step of an item that only one group reads. Returns whether that can be the end of it.
    fn is_made_with_room_for_a_tail(&mut self, producer: u32) -> bool {
        self.alone(producer);
        let slot = self.places[&producer].slot;
        self.schedule.steps.last().is_some_and(|step| step.out == slot && step.action.takes_tail())
    }

    /// The order of the axes of the group's result: that of the first operand that has them all; else the axes of
    /// the largest operand are fastest, or of one whose rows no other lies across, and then those that the users want so.
    fn order(&self, root: u32, operands: &[Place]) -> Order {
        let shape = self.items.item(root).shape;
        let sizes: Sizes = few(shape.sizes());
        let has = |place: &Place, at: usize| place.strides[at] != 0 || sizes[at] == 1;
        let covered =
            |place: &Place| -> usize { (0..sizes.len()).filter(|&at| has(place, at)).map(|at| sizes[at]).product() };
        let mut order: Order = few(0..sizes.len());
        let largest = operands
            .iter()
            .reduce(|largest, place| if weighed::is_less(covered(largest), covered(place)) { place } else { largest });
        if let Some(largest) = largest {
            let by = |order: &mut Order, place: &Place| {
                sort_few(order, |&at| (has(place, at), far_first(place.strides[at])));
            };
            by(&mut order, largest);
            if covered(largest) == shape.elements() {
                longer_last(&mut order, &sizes, &largest.strides);
                return order;
            }
            // Better than to turn one operand around is another order in which none lies across the rows of the result.
            let is_even = |at: usize| operands.iter().all(|place| matches!(place.strides[at], 0 | 1));
            let last = order.iter().rev().copied().find(|&at| sizes[at] != 1);
            if let Some(last) = last.filter(|&last| !is_even(last)) {
                let along = |place: &Place| (0..sizes.len()).find(|&at| sizes[at] != 1 && place.strides[at] == 1);
                let serves =
                    |at: usize| is_even(at) && !weighed::is_less(sizes[at].saturating_mul(SHORTER), sizes[last]);
                if let Some(other) = operands.iter().find(|place| along(place).is_some_and(serves)) {
                    by(&mut order, other);
                }
            }
            let last = order.iter().rev().copied().find(|&at| sizes[at] != 1);
            if last.is_some_and(|last| weighed::is_less(sizes[last], SHORT_ROW))
                && let Some(at) = order.iter().rposition(|&at| !weighed::is_less(sizes[at], LONG_ROW))
                && !weighed::is_less(shape.elements(), LEAST)
            {
                let repays = |place: &Place| {
                    matches!(place.strides[order[at]], 0 | 1)
                        || !weighed::is_less(shape.elements(), covered(place).saturating_mul(AGAIN))
                };
                if operands.iter().all(repays) {
                    let longer = order.remove(at);
                    order.push(longer);
                }
            }
        }
        if let Some(tail) = self.tails.get(&root) {
            let wanted =
                |at: usize| shape.names().nth(at).and_then(|name| tail.axes.iter().position(|&other| other == name));
            sort_few(&mut order, |&at| wanted(at).map_or(0, |rank| rank + 1));
        }
        order
    }
}

/// Puts positions of windows behind those inside of one, where windows overlap and there are more of the former: then rows
/// are long.
fn longer_last(order: &mut Order, sizes: &[usize], strides: &[isize]) {
    if let [.., before, last] = &mut order[..]
        && strides[*last] > 0
        && weighed::is_less(strides[*before].unsigned_abs(), sizes[*last].saturating_mul(strides[*last].unsigned_abs()))
        && weighed::is_less(sizes[*last].saturating_mul(2), sizes[*before])
    {
        std::mem::swap(before, last);
    }
}

/// The strides of an operand along the axes of the result, 0 along those it does not have.
fn spread(place: &Place, places: &Places, rank: usize) -> Place {
    let mut strides = smallvec::smallvec![0; rank];
    for (&at, &stride) in places.iter().zip(&place.strides) {
        strides[usize::from(at)] = stride;
    }
    Place { slot: place.slot, offset: place.offset, strides }
}

/// A program in the making. Its positions are along axes of the result's shape.
#[derive(Default)]
struct Draft {
    /// The members that have been written, with the instruction that holds their number.
    values: SmallVec<[(u32, usize); 16]>,
    /// The item whose numbers stand where the results go.
    own: Option<u32>,
    /// What is read: an item and where its axes lie.
    loads: SmallVec<[(u32, Places); 4]>,
    instructions: Instructions,
}

impl Draft {
    fn member(&mut self, items: &Items<'_>, parts: &[Part], member: u32) {
        let item = items.item(member);
        let Part::In(_, places) = &parts[member as usize] else { return };
        let inputs: SmallVec<[usize; 3]> = few(item.inputs.iter().map(|&input| self.input(items, item, places, input)));
        let instruction = match (item.work, &inputs[..]) {
            (Work::Op(Op::Iota), _) => Instruction::Position(usize::from(places[0])),
            (Work::Op(Op::Cast), &[x]) => Instruction::Cast(item.kind, x),
            (Work::Op(Op::Unary(function)), &[x]) => Instruction::Unary(*function, x),
            (Work::Op(Op::Binary(Binary::Pow)), &[x, y]) => power(&mut self.instructions, item.kind, x, y),
            (Work::Op(Op::Binary(function)), &[x, y]) => Instruction::Binary(*function, x, y),
            (Work::Op(Op::Compare(comparison)), &[x, y]) => Instruction::Compare(*comparison, x, y),
            (Work::Op(Op::Select), &[condition, yes, no]) => Instruction::Select(condition, yes, no),
            // A number that is renamed or repeated is the number.
            (_, inputs) => return self.values.extend(inputs.first().map(|&x| (member, x))),
        };
        self.instructions.push(instruction);
        self.values.push((member, self.instructions.len() - 1));
    }

    /// The instruction that holds the number of an input.
    fn input(&mut self, items: &Items<'_>, user: &Item<'_>, places: &Places, input: u32) -> usize {
        if let Some(&(_, value)) = self.values.iter().rev().find(|&&(member, _)| member == input) {
            return value;
        }
        let places = fuse::inherited(user.shape, places, items.item(input).shape, user.is_rename());
        let instruction = match items.item(input).work {
            Work::Op(Op::Iota) => Instruction::Position(usize::from(places[0])),
            Work::Constant(value) => Instruction::Constant(items.item(input).kind, value),
            _ if self.own == Some(input) => Instruction::Own(items.item(input).kind),
            _ => {
                let load = (input, places);
                let known = self.loads.iter().position(|other| *other == load);
                Instruction::Load(known.unwrap_or_else(|| {
                    self.loads.push(load);
                    self.loads.len() - 1
                }))
            }
        };
        self.instructions.push(instruction);
        self.instructions.len() - 1
    }
}
