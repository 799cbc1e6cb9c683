//! The programs of a plan, each prepared once.
//!
//! A model of twelve layers computes the same things twelve times, and a program knows no sizes: then one serves all.
//! Lives here: which programs are the same. Not here: what they consist of (`group`), their preparation (`kernel::map`).

use std::sync::Arc;

use smallvec::SmallVec;

use crate::element::Kind;
use crate::kernel::map::{Instruction, Program};

/// The kinds of a program's operands.
pub(super) type Kinds = SmallVec<[Kind; 8]>;

/// What a program consists of.
pub(super) type Instructions = SmallVec<[Instruction; 16]>;

/// So many of the last programs are looked through: those of a layer or two, forwards and backwards.
const LOOKED_AT: usize = 48;

/// All programs, in the order in which they were first met.
#[derive(Default)]
pub(super) struct Programs(Vec<(Box<[Instruction]>, Kinds, Arc<Program>)>);

impl Programs {
    /// The program of these instructions on operands of these kinds.
    pub(super) fn of(&mut self, instructions: &[Instruction], kinds: &[Kind]) -> Arc<Program> {
        for (known, of, program) in self.0.iter().rev().take(LOOKED_AT) {
            if known.len() == instructions.len() && known.iter().zip(instructions).all(are_same) && of[..] == *kinds {
                return program.clone();
            }
        }
        let program = Arc::new(Program::new(instructions.to_vec(), kinds));
        self.0.push((instructions.into(), Kinds::from_slice(kinds), program.clone()));
        program
    }
}

/// Whether both do the same. The constants 0 and -0 are equal and not the same.
fn are_same((left, right): (&Instruction, &Instruction)) -> bool {
    match (left, right) {
        (Instruction::Constant(_, x), Instruction::Constant(_, y)) if x.to_bits() != y.to_bits() => false,
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Unary;

    #[test]
    fn the_same_program_is_prepared_once_and_another_by_itself() {
        let mut programs = Programs::default();
        let mut of = |function, kind| {
            let instructions = [Instruction::Load(0), Instruction::Unary(function, 0)];
            programs.of(&instructions, &[kind])
        };
        let first = of(Unary::Exp, Kind::F32);
        assert!(!Arc::ptr_eq(&first, &of(Unary::Tanh, Kind::F32)), "another function");
        assert!(!Arc::ptr_eq(&first, &of(Unary::Exp, Kind::F64)), "another kind");
        assert!(Arc::ptr_eq(&first, &of(Unary::Exp, Kind::F32)), "the first one again");
    }

    #[test]
    fn zero_and_minus_zero_are_two_constants() {
        let mut programs = Programs::default();
        let [zero, minus] = [0.0, -0.0].map(|number| programs.of(&[Instruction::Constant(Kind::F32, number)], &[]));
        assert!(!Arc::ptr_eq(&zero, &minus), "1 / 0 is not 1 / -0");
    }
}
