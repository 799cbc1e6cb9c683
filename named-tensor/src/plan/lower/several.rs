//! Passes over one space that read the same numbers: one step with several results.
//!
//! Adam's two averages and the new parameters read the gradient and each other; the gradients of a product of two tensors
//! read the same cotangent; what gain and shift of a layer norm owe are two sums of it. As steps of their own each reads from
//! memory what the one before has read or written. A step joins an earlier one if all it reads was there by then. What then
//! nobody else reads is no result any more.
//! Not here: what a pass is (`pass`), groups with one result (`fuse`, `group`), the loops (`kernel::map`, `kernel::reduce`).

use smallvec::SmallVec;

use super::once::Programs;
use super::pass::Pass;
use crate::element::Kind;
use crate::graph::value::row_major;
use crate::kernel::map::Instruction;
use crate::plan::layout::Place;
use crate::plan::schedule::{Action, Schedule, Sizes, Step};
use crate::plan::weighed;

/// So many of the steps before are looked at.
const LOOKED_AT: usize = 8;
/// At most so many results, operands and instructions in a step.
const RESULTS: usize = 16;
const OPERANDS: usize = 20;
const INSTRUCTIONS: usize = 128;
/// Numbers from which on reductions are one pass: fewer stay in the caches, and each has a loop that does nothing else.
const LARGE: usize = if cfg!(test) { 1 << 8 } else { 1 << 17 };
/// The same where each has a loop that is bound by reading alone: fewer stay in the largest cache.
const VERY_LARGE: usize = if cfg!(test) { 1 << 12 } else { 1 << 22 };

/// The steps of a schedule, where those that can be one are one.
pub(super) fn joined(schedule: &mut Schedule, programs: &mut Programs) {
    let mut known = Known::of(schedule);
    let steps = std::mem::take(&mut schedule.steps);
    // A step that another one has joined leaves its place, and both are tried again with what stands before.
    let mut made: Vec<Option<Step>> = Vec::with_capacity(steps.len());
    for mut step in steps {
        let mut place = made.len();
        made.push(None);
        let before = |made: &[Option<Step>], place: usize| {
            (0..place).rev().filter(|&at| made[at].is_some()).take(LOOKED_AT).collect::<SmallVec<[usize; LOOKED_AT]>>()
        };
        while let Some((at, both)) = before(&made, place).into_iter().find_map(|at| {
            let both = Both::of(made[at].as_ref()?, &step, schedule, programs)?;
            let is_there = |place: &Place| known.made_at[place.slot as usize].is_none_or(|other| other <= at);
            both.added.iter().all(is_there).then_some((at, both))
        }) {
            let Some(first) = made[at].take() else { break };
            both.read.iter().for_each(|&slot| known.reads[slot as usize] -= 1);
            let out = both.out();
            let is_lost = |slot: u32| slot != out && known.reads[slot as usize] == 0;
            for &(slot, _) in both.results.iter().filter(|(slot, _)| is_lost(*slot)) {
                schedule.slots[slot as usize].size = 0;
            }
            step = both.join(first, step, programs, |slot| known.reads[slot as usize] > 0);
            place = at;
        }
        known.note(place, &step);
        made[place] = Some(step);
    }
    schedule.steps = made.into_iter().flatten().collect();
}

/// What is known of each buffer: which step fills it, and how often it is read.
struct Known {
    made_at: Vec<Option<usize>>,
    reads: Vec<u32>,
}

impl Known {
    fn of(schedule: &Schedule) -> Known {
        let mut reads = vec![0; schedule.slots.len()];
        schedule.steps.iter().for_each(|step| step.reads(|slot| reads[slot as usize] += 1));
        schedule.roots.iter().for_each(|root| reads[root.slot as usize] += 1);
        Known { made_at: vec![None; schedule.slots.len()], reads }
    }

    fn note(&mut self, at: usize, step: &Step) {
        step.fills(|slot| self.made_at[slot as usize] = Some(at));
    }
}

/// Two steps as one.
struct Both {
    pass: Pass,
    /// What the second step reads and the first one does not.
    added: SmallVec<[Place; 4]>,
    /// Results of the first step that the second one reads, as often as it does.
    read: SmallVec<[u32; 4]>,
    /// The buffers of the results that both steps have, and the instructions that compute them.
    results: SmallVec<[(u32, usize); RESULTS]>,
}

impl Both {
    /// The two steps as one, if they read the same numbers, or the second one reads what the first one has computed.
    fn of(first: &Step, second: &Step, schedule: &Schedule, programs: &Programs) -> Option<Both> {
        let kind = |step: &Step| schedule.slots[step.out as usize].kind;
        let is_map = |step: &Step| matches!(step.action, Action::Map { .. });
        let size = |step: &Step| schedule.slots[step.out as usize].size;
        let is_alike = kind(first) == kind(second) && is_map(first) == is_map(second) && size(first) == size(second);
        if !is_alike || first.action.others().len() + second.action.others().len() + 2 > RESULTS {
            return None;
        }
        let then = Pass::of(second, schedule, programs)?;
        let pass = Pass::of(first, schedule, programs)?;
        // An axis of one position lies anywhere, unless its positions are counted.
        let is_several = |sizes: &Sizes| sizes.iter().copied().filter(|&size| size != 1).collect::<Sizes>();
        let is_like = || pass.reduced.is_none() && !then.has_positions();
        let is_one_space = pass.sizes == then.sizes || is_like() && is_several(&pass.sizes) == is_several(&then.sizes);
        if !is_one_space || pass.reduced != then.reduced {
            return None;
        }
        let mut both = Both { pass, added: SmallVec::new(), read: SmallVec::new(), results: SmallVec::new() };
        both.results.extend(both.pass.others.iter().copied());
        let last = both.computed(both.pass.instructions.len() - 1);
        both.results.push((first.out, last));
        let sizes = &both.pass.sizes;
        let reads: SmallVec<[Place; 8]> =
            then.operands.iter().map(|place| in_space(place, &then.sizes, sizes)).collect();
        let is_result = |place: &Place| both.results.iter().any(|&(slot, _)| slot == place.slot);
        let is_read = |place: &Place| {
            is_whole(place, sizes) && both.pass.operands.iter().any(|other| is_same(other, place, sizes))
        };
        let is_joined = match both.pass.reduced {
            None => reads.iter().any(|place| is_result(place) || is_read(place)),
            // What is reduced has another space.
            Some(_) => {
                let least = if both.pass.is_quick() && then.is_quick() { VERY_LARGE } else { LARGE };
                let is_large = !weighed::is_less(sizes.iter().product(), least);
                is_large && reads.iter().any(is_read) && !reads.iter().any(is_result)
            }
        };
        if !is_joined {
            return None;
        }
        let values = both.operands(&reads, &then.kinds)?;
        let values = both.append(&then.instructions, &values);
        let last = both.computed(*values.last()?);
        both.results.extend(then.others.iter().map(|&(slot, value)| (slot, values[value])));
        both.results.push((second.out, last));
        // No result stands twice, and the last instruction is one.
        let mut computed: SmallVec<[usize; RESULTS]> = both.results.iter().map(|&(_, value)| value).collect();
        computed.sort_unstable();
        let is_once = computed.windows(2).all(|pair| pair[0] != pair[1]);
        let end = both.pass.instructions.len();
        let is_last = computed.last() == Some(&(end - 1));
        (is_last && is_once && end <= INSTRUCTIONS && both.pass.kinds.len() <= OPERANDS).then_some(both)
    }

    /// An instruction that computes what this one holds: a number that is only read is copied.
    fn computed(&mut self, value: usize) -> usize {
        match self.pass.instructions[value] {
            Instruction::Load(number) => self.add(Instruction::Cast(self.pass.kinds[number], value)),
            _ => value,
        }
    }

    /// The instruction that holds each operand of the second step.
    fn operands(&mut self, reads: &[Place], kinds: &[Kind]) -> Option<SmallVec<[usize; 8]>> {
        let dense = row_major(self.pass.sizes.iter().copied());
        let mut values = SmallVec::new();
        for (place, &kind) in reads.iter().zip(kinds) {
            let sizes = &self.pass.sizes;
            if let Some(&(slot, value)) = self.results.iter().find(|(slot, _)| *slot == place.slot) {
                let whole = Place { slot, offset: 0, strides: dense.clone() };
                if !is_same(place, &whole, sizes) {
                    return None;
                }
                self.read.push(slot);
                values.push(value);
                continue;
            }
            let mut known = self.pass.operands.iter();
            let number = known.position(|other| is_same(other, place, sizes)).unwrap_or(self.pass.operands.len());
            if number == self.pass.operands.len() {
                self.pass.operands.push(place.clone());
                self.added.push(place.clone());
                self.pass.kinds.push(kind);
            }
            values.push(self.add(Instruction::Load(number)));
        }
        Some(values)
    }

    /// Writes the instructions of the second step, whose operands are these values. None is written twice.
    fn append(&mut self, more: &[Instruction], operands: &[usize]) -> SmallVec<[usize; 32]> {
        let mut values: SmallVec<[usize; 32]> = SmallVec::new();
        for &instruction in more {
            let value = match instruction {
                Instruction::Load(number) => operands[number],
                other => self.add(other.with(|x| values[x])),
            };
            values.push(value);
        }
        values
    }

    /// The number of an instruction, which may be there.
    fn add(&mut self, instruction: Instruction) -> usize {
        let instructions = &mut self.pass.instructions;
        let known = instructions.iter().position(|other| other.is_same(&instruction));
        known.unwrap_or_else(|| {
            instructions.push(instruction);
            instructions.len() - 1
        })
    }

    /// The buffer of what is computed last, which is the result of a program.
    fn out(&self) -> u32 {
        let last = self.results.iter().max_by_key(|(_, value)| *value);
        last.map_or(u32::MAX, |&(slot, _)| slot)
    }

    /// Both as one step. Results that are not read are none any more.
    fn join(self, first: Step, second: Step, programs: &mut Programs, is_read: impl Fn(u32) -> bool) -> Step {
        let out = self.out();
        let others: SmallVec<[(u32, usize); RESULTS]> =
            self.results.into_iter().filter(|&(slot, _)| slot != out && is_read(slot)).collect();
        let values: SmallVec<[usize; RESULTS]> = others.iter().map(|&(_, value)| value).collect();
        let Pass { sizes, reduced, operands, kinds, instructions, .. } = self.pass;
        let program = programs.of_several(&instructions, &values, &kinds);
        let (operands, others) = (operands.into_iter().collect(), others.iter().map(|&(slot, _)| slot).collect());
        let action = match reduced {
            None => Action::Map { program, sizes, operands, others },
            Some((reduction, over)) => Action::ReduceComputed { reduction, program, sizes, operands, over, others },
        };
        let (other, node) = if out == second.out { (first.node, second.node) } else { (second.node, first.node) };
        let fused = first.fused.into_iter().chain([other]).chain(second.fused).collect();
        Step { fused, ..Step::new(action, out, node) }
    }
}

/// A place along the axes of a space in another one, of which only axes of one position are others.
fn in_space(place: &Place, from: &Sizes, to: &Sizes) -> Place {
    let mut strides = from.iter().zip(&place.strides).filter(|&(&size, _)| size != 1).map(|(_, &stride)| stride);
    let along = to.iter().map(|&size| if size == 1 { 0 } else { strides.next().unwrap_or(0) });
    Place { strides: along.collect(), ..*place }
}

/// Whether two places are one, under a space of these sizes.
fn is_same(left: &Place, right: &Place, sizes: &Sizes) -> bool {
    let mut strides = sizes.iter().zip(left.strides.iter().zip(&right.strides));
    (left.slot, left.offset) == (right.slot, right.offset) && strides.all(|(&size, (x, y))| size == 1 || x == y)
}

/// Whether there is another number for each position of the space.
fn is_whole(place: &Place, sizes: &Sizes) -> bool {
    sizes.iter().zip(&place.strides).all(|(&size, &stride)| size == 1 || stride != 0)
}
