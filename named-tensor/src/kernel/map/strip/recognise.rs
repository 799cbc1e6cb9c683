//! Which programs are light: an instruction or two per element and step, on reals of one kind and what is compared of them.
//!
//! Lives here: the passage from instructions to light steps, some of which are two or three instructions in one.
//! Not here: the loops of the steps (`step`), the walk over strips (`strip`).

use super::Light;
use super::deeds::deeds_of;
use super::step::{Op, Step};
use crate::element::{Binary, Comparison, Kind, Unary};
use crate::kernel::map::Instruction;
use crate::kernel::map::program::inputs;

impl Light {
    /// The light program of these instructions, of which `value` tells the register of each source and constant and
    /// whether it is needed at all; none if some step is not light.
    pub(in crate::kernel::map) fn of(
        instructions: &[Instruction],
        kinds: &[Kind],
        register: impl Fn(usize) -> Option<usize>,
        sources: usize,
        constants: &[(usize, f64)],
        others: &[usize],
    ) -> Option<Light> {
        let mut light = Light {
            sources,
            constants: constants.iter().map(|&(_, value)| value).collect(),
            steps: Vec::new(),
            others: Vec::new(),
            deeds: Vec::new(),
        };
        let kind = *kinds.last().filter(|kind| kind.is_real())?;
        let mut value = vec![usize::MAX; instructions.len()];
        for (i, &instruction) in instructions.iter().enumerate() {
            let Some(fixed) = register(i) else { continue };
            // Its readers compare for themselves.
            if kinds[i] == Kind::Bool
                && readers(instructions, i).all(|reader| where_positive(instructions, reader).is_some())
            {
                continue;
            }
            // Truth values are the numbers 0 and 1 here; those that are stored are not.
            let is_truth = kinds[i] == Kind::Bool;
            if kinds[i] != kind && !is_truth {
                return None;
            }
            match instruction {
                Instruction::Load(_) | Instruction::Own(_) if is_truth => return None,
                Instruction::Load(_) | Instruction::Own(_) | Instruction::Constant(..) => {
                    value[i] = fixed;
                    continue;
                }
                _ => {}
            }
            let (op, x, y) = operation(instructions, instruction, is_truth)?;
            let (x, y) = (value[x], value[y]);
            value[i] = light.first() + light.steps.len();
            let is_result = |of: usize| others.iter().any(|&other| value[other] == of);
            let is_sum_of_last = op == Op::Add
                && x != y
                && value[i] - 1 == x.max(y)
                && uses(instructions, &value, x.max(y)) == 1
                && !is_result(x.max(y));
            match light.steps.last_mut() {
                Some(last @ Step { op: Op::Mul | Op::Add, .. }) if is_sum_of_last => {
                    last.op = if last.op == Op::Mul { Op::MulAdd } else { Op::AddAdd };
                    last.values[2] = x.min(y);
                    value[i] -= 1;
                }
                _ => light.steps.push(Step { op, values: [x, y, y] }),
            }
        }
        if light.steps.is_empty() {
            light.steps.push(Step { op: Op::Copy, values: [*value.last()?; 3] });
        }
        light.others = others.iter().map(|&other| value[other]).collect();
        light.deeds = deeds_of(&light.steps, light.first(), &light.others);
        Some(light)
    }
}

/// What a light step computes, and of which two instructions, or twice of one.
fn operation(instructions: &[Instruction], instruction: Instruction, is_truth: bool) -> Option<(Op, usize, usize)> {
    Some(match instruction {
        Instruction::Unary(Unary::Neg, x) => (Op::Neg, x, x),
        Instruction::Unary(Unary::Abs, x) => (Op::Abs, x, x),
        Instruction::Unary(Unary::Sqrt, x) => (Op::Sqrt, x, x),
        Instruction::Unary(Unary::Relu, x) => (Op::Relu, x, x),
        Instruction::Binary(Binary::Add, x, y) => (Op::Add, x, y),
        Instruction::Binary(Binary::Sub, x, y) => (Op::Sub, x, y),
        Instruction::Binary(Binary::Mul | Binary::And, x, y) => (Op::Mul, x, y),
        Instruction::Binary(Binary::Div, x, y) => (Op::Div, x, y),
        Instruction::Binary(Binary::Max | Binary::Or, x, y) => (Op::Max, x, y),
        Instruction::Binary(Binary::Min, x, y) => (Op::Min, x, y),
        Instruction::Binary(Binary::Pow, x, y) if matches!(instructions[y], Instruction::Constant(_, 2.0)) => {
            (Op::Mul, x, x)
        }
        Instruction::Compare(Comparison::Lt, x, y) | Instruction::Compare(Comparison::Gt, y, x) => (Op::Less, x, y),
        Instruction::Compare(Comparison::Le, x, y) | Instruction::Compare(Comparison::Ge, y, x) => (Op::NotMore, x, y),
        Instruction::Compare(Comparison::Eq, x, y) => (Op::Equal, x, y),
        Instruction::Compare(Comparison::Ne, x, y) => (Op::Differs, x, y),
        Instruction::Cast(_, x) if !is_truth => (Op::Copy, x, x),
        Instruction::Select(condition, x, y) => match where_positive(instructions, instruction) {
            Some([x, y]) => (Op::WherePositive, x, y),
            None if is_zero(instructions, y) => (Op::WherePositive, x, condition),
            None if is_zero(instructions, x) => (Op::Unless, y, condition),
            None => return None,
        },
        _ => return None,
    })
}

/// `[x, y]` of a selection that is x where y > 0, and 0 elsewhere.
fn where_positive(instructions: &[Instruction], instruction: Instruction) -> Option<[usize; 2]> {
    match instruction {
        Instruction::Select(condition, x, other) if is_zero(instructions, other) => match instructions[condition] {
            Instruction::Compare(Comparison::Gt, y, bound) if is_zero(instructions, bound) => Some([x, y]),
            _ => None,
        },
        _ => None,
    }
}

/// Whether it is the number 0, not that below 0.
fn is_zero(instructions: &[Instruction], of: usize) -> bool {
    matches!(instructions[of], Instruction::Constant(_, zero) if zero.to_bits() == 0)
}

/// The instructions that read this one.
fn readers(instructions: &[Instruction], of: usize) -> impl Iterator<Item = Instruction> {
    instructions.iter().copied().filter(move |&instruction| inputs(instruction).any(|x| x == of))
}

/// How often a value is read by instructions.
fn uses(instructions: &[Instruction], values: &[usize], value: usize) -> usize {
    let reads = |&instruction: &Instruction| inputs(instruction).filter(|&x| values[x] == value).count();
    instructions.iter().map(reads).sum()
}
