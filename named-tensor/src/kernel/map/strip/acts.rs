//! Light programs that do one act after the other to a number: a product does them to its sums while those are in registers.
//!
//! Lives here: which programs are such. Not here: the acts (`tiles::ending`), programs that are run in registers by themselves
//! (`registers`).

use super::Light;
use super::step::{Op, Step};
use crate::kernel::tiles::Act;
use smallvec::SmallVec;

impl Light {
    /// What it does to the number of the source `own`, one act after the other, if that is all it does; others are told by
    /// their sources.
    pub(in crate::kernel::map) fn acts(&self, own: usize) -> Option<SmallVec<[Act<usize>; 4]>> {
        self.acts_with(own, |source| source < self.sources && source != own)
    }

    /// What is done to the number `own`, where other numbers may be read.
    fn acts_with(&self, own: usize, is_other: impl Fn(usize) -> bool) -> Option<SmallVec<[Act<usize>; 4]>> {
        let mut acts = SmallVec::new();
        let mut value = own;
        for (i, &Step { op, values: [x, y, z] }) in self.steps.iter().enumerate() {
            let other = match () {
                () if x == value => y,
                () if y == value => x,
                () => return None,
            };
            match op {
                Op::Copy => {}
                Op::Relu => acts.push(Act::Relu),
                Op::Add if is_other(other) => acts.push(Act::Plus(other)),
                Op::Mul if is_other(other) => acts.push(Act::Times(other)),
                Op::WherePositive if x == value && is_other(y) => acts.push(Act::WherePositive(y)),
                Op::AddAdd if is_other(other) && is_other(z) => acts.extend([Act::Plus(other), Act::Plus(z)]),
                Op::MulAdd if is_other(other) && is_other(z) => acts.extend([Act::Times(other), Act::Plus(z)]),
                _ => return None,
            }
            value = self.first() + i;
        }
        Some(acts)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Instruction, Program};
    use super::*;
    use crate::element::{Binary, Comparison, Kind, Unary};
    use Instruction::{Load, Own};

    /// The acts of a program over two operands, which follow its own number as its sources.
    fn acts(instructions: &[Instruction]) -> Option<Vec<Act<usize>>> {
        let sources = [Own(Kind::F32), Load(0), Load(1)];
        let program = Program::new([&sources, instructions].concat(), &[Kind::F32; 2]);
        program.light()?.acts(0).map(|acts| acts.to_vec())
    }

    #[test]
    fn bias_activation_residual_and_gain_are_acts_and_what_needs_the_number_twice_is_not() {
        let binary = Instruction::Binary;
        let (add, mul) = (|x, y| binary(Binary::Add, x, y), |x, y| binary(Binary::Mul, x, y));
        let relu = |x| Instruction::Unary(Unary::Relu, x);
        assert_eq!(acts(&[add(0, 1), relu(3), add(2, 4)]), Some(vec![Act::Plus(1), Act::Relu, Act::Plus(2)]));
        assert_eq!(acts(&[add(0, 1), add(3, 2)]), Some(vec![Act::Plus(1), Act::Plus(2)]), "in the order of rounding");
        assert_eq!(acts(&[mul(1, 0), add(3, 2)]), Some(vec![Act::Times(1), Act::Plus(2)]));
        let zero = Instruction::Constant(Kind::F32, 0.0);
        let positive = |x, zero| Instruction::Compare(Comparison::Gt, x, zero);
        let select = Instruction::Select;
        let passed_back = [zero, positive(1, 3), select(4, 0, 3), add(5, 2)];
        assert_eq!(acts(&passed_back), Some(vec![Act::WherePositive(1), Act::Plus(2)]), "what relu passes back");
        assert_eq!(acts(&[zero, positive(0, 3), select(4, 1, 3)]), None, "another number where this one is positive");
        assert_eq!(acts(&[add(1, 2), add(3, 0)]), None, "a sum of others first is rounded otherwise");
        assert_eq!(acts(&[mul(1, 2), add(3, 0)]), None, "and so is a product");
        assert_eq!(acts(&[mul(0, 0)]), None, "a square");
        assert_eq!(acts(&[relu(0), mul(0, 3), add(4, 1)]), None, "the number itself after an act");
        assert_eq!(acts(&[binary(Binary::Div, 0, 1)]), None, "a quotient");
    }
}
