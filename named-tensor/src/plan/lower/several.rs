//! Elementwise steps over one space that read the same numbers: one step with several results.
//!
//! Adam's two averages and the new parameters read the gradient and each other; the gradients of a product of two tensors
//! read the same cotangent. As steps of their own each reads from memory what the one before has read or written. A step
//! joins an earlier one if all it reads was there by then. What then nobody else reads is no result any more.
//! Not here: groups with one result, of which these steps are made (`fuse`, `group`), their loop (`kernel::map`).

use smallvec::SmallVec;

use super::once::{Instructions, Kinds, Programs};
use crate::element::Kind;
use crate::graph::value::row_major;
use crate::kernel::map::Instruction;
use crate::plan::layout::Place;
use crate::plan::schedule::{Action, Schedule, Sizes, Step};

/// So many of the steps before are looked at.
const LOOKED_AT: usize = 8;
/// At most so many results, operands and instructions in a step.
const RESULTS: usize = 16;
const OPERANDS: usize = 20;
const INSTRUCTIONS: usize = 128;

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
            for &(slot, _) in both.results.iter().filter(|(slot, _)| known.reads[*slot as usize] == 0) {
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
    instructions: Instructions,
    kinds: Kinds,
    /// What the second step reads and the first one does not.
    added: SmallVec<[Place; 4]>,
    /// Results of the first step that the second one reads, as often as it does.
    read: SmallVec<[u32; 4]>,
    /// The buffers of the results that the first step had, those of the second one but its last, and the instructions that
    /// compute them.
    results: SmallVec<[(u32, usize); RESULTS]>,
}

impl Both {
    /// The two steps as one, if they read the same numbers, or the second one reads what the first one has computed.
    fn of(first: &Step, second: &Step, schedule: &Schedule, programs: &Programs) -> Option<Both> {
        let Action::Map { program, sizes, operands, others } = &first.action else { return None };
        let Action::Map { program: then, sizes: its_sizes, operands: reads, others: besides } = &second.action else {
            return None;
        };
        let kind = |step: &Step| schedule.slots[step.out as usize].kind;
        // An axis of one position lies anywhere, unless its positions are counted.
        let is_several = |sizes: &Sizes| sizes.iter().copied().filter(|&size| size != 1).collect::<Sizes>();
        let is_one_space = sizes == its_sizes || !then.has_positions() && is_several(sizes) == is_several(its_sizes);
        let is_alike = is_one_space && kind(first) == kind(second) && kind(first).is_real();
        let is_simple = |place: &Place| is_in_order(place, sizes);
        if !is_alike || others.len() + besides.len() + 2 > RESULTS {
            return None;
        }
        let reads: SmallVec<[Place; 8]> = reads.iter().map(|place| in_space(place, its_sizes, sizes)).collect();
        if !operands.iter().chain(&reads).all(is_simple) {
            return None;
        }
        let ((instructions, kinds, known), (more, its_kinds, its_results)) =
            (programs.parts(program)?, programs.parts(then)?);
        let mut both = Both {
            instructions: instructions.iter().copied().collect(),
            kinds: Kinds::from_slice(kinds),
            added: SmallVec::new(),
            read: SmallVec::new(),
            results: others.iter().copied().zip(known.iter().copied()).collect(),
        };
        both.results.push((first.out, instructions.len() - 1));
        let shares = reads.iter().any(|place| {
            let is_result = both.results.iter().any(|&(slot, _)| slot == place.slot);
            is_result || is_whole(place, sizes) && operands.iter().any(|other| is_same(other, place, sizes))
        });
        if !shares {
            return None;
        }
        let values = both.operands(operands, &reads, its_kinds, sizes)?;
        let before = both.instructions.len();
        let values = both.append(more, &values);
        both.results.extend(besides.iter().copied().zip(its_results.iter().map(|&value| values[value])));
        // The last instruction is the result of the second step, and no result stands twice.
        let is_last = both.instructions.len() > before && values.last() == Some(&(both.instructions.len() - 1));
        let mut computed: SmallVec<[usize; RESULTS]> = both.results.iter().map(|&(_, value)| value).collect();
        computed.sort_unstable();
        let is_once = computed.windows(2).all(|pair| pair[0] != pair[1]);
        let fits = both.instructions.len() <= INSTRUCTIONS && both.kinds.len() <= OPERANDS;
        (is_last && is_once && fits).then_some(both)
    }

    /// The instruction that holds each operand of the second step.
    fn operands(
        &mut self,
        known: &[Place],
        reads: &[Place],
        kinds: &[Kind],
        sizes: &Sizes,
    ) -> Option<SmallVec<[usize; 8]>> {
        let dense = row_major(sizes.iter().copied());
        let mut values = SmallVec::new();
        for (place, &kind) in reads.iter().zip(kinds) {
            if let Some(&(slot, value)) = self.results.iter().find(|(slot, _)| *slot == place.slot) {
                let whole = Place { slot, offset: 0, strides: dense.clone() };
                if !is_same(place, &whole, sizes) {
                    return None;
                }
                self.read.push(slot);
                values.push(value);
                continue;
            }
            let all = || known.iter().chain(&self.added);
            let number = all().position(|other| is_same(other, place, sizes)).unwrap_or_else(|| all().count());
            if number == self.kinds.len() {
                self.added.push(place.clone());
                self.kinds.push(kind);
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
        let known = self.instructions.iter().position(|other| other.is_same(&instruction));
        known.unwrap_or_else(|| {
            self.instructions.push(instruction);
            self.instructions.len() - 1
        })
    }

    /// Both as one step. Results that are not read are none any more.
    fn join(self, mut first: Step, second: Step, programs: &mut Programs, is_read: impl Fn(u32) -> bool) -> Step {
        let Action::Map { program, operands, others, .. } = &mut first.action else { return second };
        let results: SmallVec<[(u32, usize); RESULTS]> =
            self.results.into_iter().filter(|&(slot, _)| is_read(slot)).collect();
        let values: SmallVec<[usize; RESULTS]> = results.iter().map(|&(_, value)| value).collect();
        *program = programs.of_several(&self.instructions, &values, &self.kinds);
        *operands = std::mem::take(operands).into_iter().chain(self.added).collect();
        *others = results.iter().map(|&(slot, _)| slot).collect();
        first.fused.push(first.node);
        first.fused.extend(second.fused);
        (first.out, first.node) = (second.out, second.node);
        first
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

/// Whether numbers that follow each other in the space lie side by side, or are the same.
fn is_in_order(place: &Place, sizes: &Sizes) -> bool {
    let last = (0..sizes.len()).rev().find(|&at| sizes[at] != 1);
    last.is_none_or(|at| matches!(place.strides[at], 0 | 1))
}
