//! Programs prepared to run: kinds inferred, dead instructions dropped, registers shared.
//!
//! Lives here: the passage from instructions to steps. A register holds one value for each element of a block; the first
//! registers belong to the sources, then come the constants, then those that are used again once their value is dead.
//! Not here: running (`block`).

use super::Instruction;
use super::strip::{Difference, Light, Then};
use crate::element::{Binary, Comparison, Kind, Unary};

/// Where values come from: the elements of an operand, positions along an axis, or what stands where the results go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    Operand(usize),
    Position(usize),
    Own,
}

/// What a step does with registers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Action {
    Unary(Unary, usize),
    Binary(Binary, usize, usize),
    Compare(Comparison, usize, usize),
    Select(usize, usize, usize),
    Cast(usize),
}

/// One step of a prepared program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) action: Action,
    /// The register that is written; none if it is the result.
    pub(super) to: Option<usize>,
}

/// A prepared program.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    operands: Vec<Kind>,
    sources: Vec<Source>,
    registers: Vec<Kind>,
    /// Registers that keep one number, and the number.
    constants: Vec<(usize, f64)>,
    steps: Vec<Step>,
    /// The registers of the other results, if there are several; none of them is used for anything else.
    others: Vec<usize>,
    /// The same program, if it is light.
    light: Option<Light>,
    result: Kind,
}

impl PartialEq for Program {
    /// Whether both consist of the same steps. What is light about them follows from those.
    fn eq(&self, other: &Program) -> bool {
        (self.result, &self.operands) == (other.result, &other.operands)
            && self.sources == other.sources
            && self.registers == other.registers
            && self.constants == other.constants
            && self.steps == other.steps
            && self.others == other.others
    }
}

impl Program {
    /// Prepares a program whose result is its last instruction.
    ///
    /// # Panics
    /// If there is no instruction, if one names itself or a later one, or if a function does not take these kinds.
    pub(crate) fn new(instructions: Vec<Instruction>, operand_kinds: &[Kind]) -> Program {
        Program::of_several(instructions, &[], operand_kinds)
    }

    /// The same of a program with several results: also those of these instructions, which compute something.
    ///
    /// # Panics
    /// As [`Program::new`]; if results are of several kinds.
    pub(crate) fn of_several(instructions: Vec<Instruction>, others: &[usize], operand_kinds: &[Kind]) -> Program {
        let kinds = infer(&instructions, operand_kinds);
        let last_use = last_uses(&instructions, others);
        let end = instructions.len() - 1;
        let mut program = Program {
            operands: operand_kinds.to_vec(),
            sources: Vec::new(),
            registers: Vec::new(),
            constants: Vec::new(),
            steps: Vec::new(),
            others: Vec::new(),
            light: None,
            result: kinds[end],
        };
        let is_alive = |i: usize| last_use[i].is_some() || i == end;
        let mut register = vec![usize::MAX; instructions.len()];
        for (i, instruction) in instructions.iter().enumerate() {
            let source = match *instruction {
                Instruction::Load(operand) => Source::Operand(operand),
                Instruction::Position(axis) => Source::Position(axis),
                Instruction::Own(_) => Source::Own,
                _ => continue,
            };
            if is_alive(i) {
                register[i] = program.source(source, kinds[i]);
            }
        }
        for (i, instruction) in instructions.iter().enumerate() {
            if let Instruction::Constant(kind, value) = *instruction
                && is_alive(i)
            {
                register[i] = program.register(kind);
                program.constants.push((register[i], value));
            }
        }
        let fixed = program.registers.len();
        let known = |i: usize| is_alive(i).then_some(register[i]);
        program.light = Light::of(&instructions, &kinds, known, program.sources.len(), &program.constants, others);
        let mut free: Vec<usize> = Vec::new();
        for (i, &instruction) in instructions.iter().enumerate() {
            let action = match instruction {
                _ if !is_alive(i) => continue,
                Instruction::Load(_) | Instruction::Own(_) | Instruction::Constant(..) | Instruction::Position(_) => {
                    continue;
                }
                Instruction::Unary(op, x) => Action::Unary(op, register[x]),
                // A square needs no logarithm.
                Instruction::Binary(Binary::Pow, x, y)
                    if kinds[x].is_real() && matches!(instructions[y], Instruction::Constant(_, 2.0)) =>
                {
                    Action::Binary(Binary::Mul, register[x], register[x])
                }
                Instruction::Binary(op, x, y) => Action::Binary(op, register[x], register[y]),
                Instruction::Compare(op, x, y) => Action::Compare(op, register[x], register[y]),
                Instruction::Select(condition, x, y) => Action::Select(register[condition], register[x], register[y]),
                Instruction::Cast(_, x) => Action::Cast(register[x]),
            };
            let to = (i != end).then(|| {
                let reused = free.iter().position(|&r| program.registers[r] == kinds[i]);
                reused.map_or_else(|| program.register(kinds[i]), |at| free.swap_remove(at))
            });
            register[i] = to.unwrap_or(usize::MAX);
            program.steps.push(Step { action, to });
            // Registers become free only now: a step never writes what it reads.
            for x in inputs(instruction) {
                let r = register[x];
                if last_use[x] == Some(i) && r >= fixed && !free.contains(&r) {
                    free.push(r);
                }
            }
        }
        if register[end] != usize::MAX {
            // The result is a source or a constant: it is copied by a cast to its own kind.
            program.steps.push(Step { action: Action::Cast(register[end]), to: None });
        }
        for &other in others {
            assert!(
                register[other] >= fixed && kinds[other] == kinds[end],
                "map: results that are computed, of one kind"
            );
            program.others.push(register[other]);
        }
        program
    }

    /// The kinds of the operands.
    pub(super) fn operands(&self) -> &[Kind] {
        &self.operands
    }

    /// The sources; that with number `i` fills register `i`.
    pub(super) fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The kinds of the registers.
    pub(super) fn registers(&self) -> &[Kind] {
        &self.registers
    }

    /// Registers that keep one number, and the number.
    pub(super) fn constants(&self) -> &[(usize, f64)] {
        &self.constants
    }

    /// The steps, in order.
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether it counts positions along an axis: then its space cannot have another order.
    pub(crate) fn has_positions(&self) -> bool {
        self.sources.iter().any(|source| matches!(source, Source::Position(_)))
    }

    /// What it does, step by step, in the words of equations.
    pub(crate) fn words(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.steps.iter().map(|step| match step.action {
            Action::Unary(op, _) => op.name(),
            Action::Binary(op, ..) => op.name(),
            Action::Compare(op, ..) => op.name(),
            Action::Select(..) => "if",
            Action::Cast(from) if step.to.is_none() && self.registers[from] == self.result => "copy",
            Action::Cast(_) => "cast",
        })
    }

    /// The registers of the other results.
    pub(in crate::kernel) fn others(&self) -> &[usize] {
        &self.others
    }

    /// Whether it makes the square of a difference of two operands, its size or a multiple of it, and nothing else.
    pub(crate) fn is_of_difference(&self) -> bool {
        self.difference().is_some()
    }

    /// What it makes of the difference of two operands, if that is all it does.
    pub(in crate::kernel) fn difference(&self) -> Option<Difference> {
        let Difference { of, then, times } = self.light()?.difference()?;
        let then = match then {
            Then::Times(source) => Then::Times(self.operand(source)?),
            Then::Square | Then::Abs => then,
        };
        Some(Difference { of: [self.operand(of[0])?, self.operand(of[1])?], then, times })
    }

    /// The operand of which it makes the square, if that is all it does.
    pub(in crate::kernel) fn squared(&self) -> Option<usize> {
        self.operand(self.light()?.squared()?)
    }

    /// The operand of which it makes the size, if that is all it does.
    pub(in crate::kernel) fn sized(&self) -> Option<usize> {
        self.operand(self.light()?.sized()?)
    }

    /// The operand that a source is.
    fn operand(&self, source: usize) -> Option<usize> {
        match self.sources[source] {
            Source::Operand(number) => Some(number),
            Source::Position(_) | Source::Own => None,
        }
    }

    /// The same program, if it is light.
    pub(super) fn light(&self) -> Option<&Light> {
        self.light.as_ref()
    }

    /// The kind of the result.
    pub(super) fn result(&self) -> Kind {
        self.result
    }

    /// The register of a source, the same if it was met before.
    fn source(&mut self, source: Source, kind: Kind) -> usize {
        self.sources.iter().position(|&known| known == source).unwrap_or_else(|| {
            self.sources.push(source);
            self.register(kind)
        })
    }

    /// A new register.
    fn register(&mut self, kind: Kind) -> usize {
        self.registers.push(kind);
        self.registers.len() - 1
    }
}

/// The instructions that one reads.
pub(super) fn inputs(instruction: Instruction) -> impl Iterator<Item = usize> {
    let (all, count) = match instruction {
        Instruction::Load(_) | Instruction::Own(_) | Instruction::Constant(..) | Instruction::Position(_) => {
            ([0; 3], 0)
        }
        Instruction::Unary(_, x) | Instruction::Cast(_, x) => ([x; 3], 1),
        Instruction::Binary(_, x, y) | Instruction::Compare(_, x, y) => ([x, y, y], 2),
        Instruction::Select(condition, x, y) => ([condition, x, y], 3),
    };
    all.into_iter().take(count)
}

/// For each instruction that a result needs, the last one that reads it; other results are read when all is done.
fn last_uses(instructions: &[Instruction], others: &[usize]) -> Vec<Option<usize>> {
    let mut last_use = vec![None; instructions.len()];
    others.iter().for_each(|&other| last_use[other] = Some(instructions.len()));
    for (i, &instruction) in instructions.iter().enumerate().rev() {
        if last_use[i].is_some() || i == instructions.len() - 1 {
            for x in inputs(instruction) {
                last_use[x] = last_use[x].max(Some(i));
            }
        }
    }
    last_use
}

/// The kind of each instruction.
fn infer(instructions: &[Instruction], operands: &[Kind]) -> Vec<Kind> {
    assert!(!instructions.is_empty(), "map: a program has a result");
    let mut kinds: Vec<Kind> = Vec::with_capacity(instructions.len());
    for (i, &instruction) in instructions.iter().enumerate() {
        assert!(inputs(instruction).all(|x| x < i), "map: instruction {i} reads {instruction:?}");
        let kind = match instruction {
            Instruction::Load(operand) => operands[operand],
            Instruction::Own(kind) | Instruction::Constant(kind, _) | Instruction::Cast(kind, _) => kind,
            Instruction::Position(_) => Kind::Index,
            Instruction::Unary(op, x) => {
                assert_eq!(kinds[x] == Kind::Bool, op == Unary::Not, "map: `{}` of {:?}", op.name(), kinds[x]);
                kinds[x]
            }
            Instruction::Binary(op, x, y) => {
                let of_truth = matches!(op, Binary::And | Binary::Or);
                assert_eq!(kinds[x], kinds[y], "map: `{}` of two kinds", op.name());
                assert_eq!(kinds[x] == Kind::Bool, of_truth, "map: `{}` of {:?}", op.name(), kinds[x]);
                kinds[x]
            }
            Instruction::Compare(op, x, y) => {
                assert_eq!(kinds[x], kinds[y], "map: `{}` of two kinds", op.name());
                Kind::Bool
            }
            Instruction::Select(condition, x, y) => {
                assert_eq!(kinds[condition], Kind::Bool, "map: the condition of a selection");
                assert_eq!(kinds[x], kinds[y], "map: selection from two kinds");
                kinds[x]
            }
        };
        kinds.push(kind);
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use Instruction::{Cast, Constant, Load, Position};

    #[test]
    fn a_chain_needs_two_registers_however_long_it_is() {
        let mut chain = vec![Load(0)];
        chain.extend((0..20).map(|x| Instruction::Unary(Unary::Neg, x)));
        let program = Program::new(chain, &[Kind::F32]);
        assert_eq!(program.registers().len(), 3, "the source and two");
        assert_eq!(program.steps().len(), 20, "one step for each");
    }

    #[test]
    fn sources_are_shared_and_the_dead_are_dropped() {
        let instructions = vec![
            Load(1),
            Load(1),
            Load(0),
            Position(2),
            Instruction::Unary(Unary::Exp, 2),
            Constant(Kind::F64, 3.0),
            Instruction::Binary(Binary::Add, 0, 1),
        ];
        let program = Program::new(instructions, &[Kind::F64, Kind::F64]);
        assert_eq!(program.sources(), [Source::Operand(1)], "one source");
        assert_eq!((program.steps().len(), program.registers().len()), (1, 1), "one step into the result");
    }

    #[test]
    fn a_square_is_a_product() {
        let square = vec![Load(0), Constant(Kind::F32, 2.0), Instruction::Binary(Binary::Pow, 0, 1)];
        let program = Program::new(square, &[Kind::F32]);
        assert!(matches!(program.steps()[0].action, Action::Binary(Binary::Mul, 0, 0)), "{program:?}");
    }

    #[test]
    #[should_panic(expected = "map: `+` of two kinds")]
    fn kinds_do_not_mix() {
        Program::new(vec![Load(0), Load(1), Instruction::Binary(Binary::Add, 0, 1)], &[Kind::F32, Kind::F64]);
    }

    #[test]
    #[should_panic(expected = "map: instruction 0 reads")]
    fn an_instruction_does_not_read_itself() {
        Program::new(vec![Cast(Kind::F32, 0)], &[]);
    }
}
