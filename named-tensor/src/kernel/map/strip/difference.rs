//! Light programs that make something of the difference of two numbers: its square, its size, or a multiple.
//!
//! Not here: their sums, for which they are known by name (`reduce::differences`).

use super::Light;
use super::step::{Op, Step};

/// What a program makes of a difference. Numbers that it reads are told by their operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::kernel) struct Difference {
    /// The number, and what is subtracted from it.
    pub(in crate::kernel) of: [usize; 2],
    /// What becomes of their difference.
    pub(in crate::kernel) then: Then,
    /// How many times that is the result.
    pub(in crate::kernel) times: f64,
}

/// What becomes of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::kernel) enum Then {
    Square,
    Abs,
    Times(usize),
}

impl Light {
    /// What it makes of a difference, if that is all it does; numbers are told by their sources.
    pub(in crate::kernel::map) fn difference(&self) -> Option<Difference> {
        let (&Step { op: Op::Sub, values: [x, y, _] }, rest) = self.steps.split_first()? else { return None };
        let (first, is_source) = (self.first(), |value: usize| value < self.sources);
        let (mut value, mut then, mut times) = (first, None, 1.0_f64);
        for &Step { op, values: [a, b, _] } in rest {
            let other = if a == value { b } else { a };
            let constant = other.checked_sub(self.sources).and_then(|at| self.constants.get(at));
            match op {
                _ if a != value && b != value => return None,
                Op::Neg => times = -times,
                Op::Mul if a == b && then.is_none() && times.abs() == 1.0 => (then, times) = (Some(Then::Square), 1.0),
                Op::Abs if then.is_none() => (then, times) = (Some(Then::Abs), f64::abs(times)),
                Op::Mul if is_source(other) && then.is_none() => then = Some(Then::Times(other)),
                Op::Mul => times *= constant.filter(|constant| constant.is_finite())?,
                _ => return None,
            }
            value += 1;
        }
        let is_one = is_source(x) && is_source(y) && self.others.is_empty();
        // Of a sum that is too large for a number a part may not be: it is taken of each term.
        let is_multiple = times.abs() >= 1.0;
        then.filter(|_| is_one && is_multiple).map(|then| Difference { of: [x, y], then, times })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Instruction, Program};
    use super::*;
    use crate::element::{Binary, Kind, Unary};
    use Instruction::Load;

    /// What a program over three operands, the last of which is read first, makes of a difference.
    fn difference(instructions: &[Instruction]) -> Option<Difference> {
        let sources = [Load(2), Load(0), Load(1)];
        Program::new([&sources, instructions].concat(), &[Kind::F32; 3]).difference()
    }

    #[test]
    fn squares_sizes_and_multiples_of_a_difference_are_known_and_nothing_else() {
        let binary = Instruction::Binary;
        let sub = binary(Binary::Sub, 1, 2);
        let known_times = |then, times| Some(Difference { of: [0, 1], then, times });
        let known = |then| known_times(then, 1.0);
        assert_eq!(difference(&[sub, binary(Binary::Mul, 3, 3)]), known(Then::Square));
        assert_eq!(
            difference(&[sub, Instruction::Constant(Kind::F32, 2.0), binary(Binary::Pow, 3, 4)]),
            known(Then::Square)
        );
        assert_eq!(difference(&[sub, Instruction::Unary(Unary::Abs, 3)]), known(Then::Abs));
        assert_eq!(difference(&[sub, binary(Binary::Mul, 3, 0)]), known(Then::Times(2)));
        assert_eq!(difference(&[sub, binary(Binary::Mul, 0, 3)]), known(Then::Times(2)));
        assert_eq!(difference(&[sub]), None, "the difference itself");
        assert_eq!(difference(&[sub, binary(Binary::Add, 3, 0)]), None, "a sum");
        let more = |then: Instruction| {
            difference(&[sub, Instruction::Constant(Kind::F32, -3.0), then, binary(Binary::Mul, 4, 5)])
        };
        assert_eq!(more(binary(Binary::Mul, 3, 3)), known_times(Then::Square, -3.0));
        assert_eq!(more(binary(Binary::Mul, 3, 0)), known_times(Then::Times(2), -3.0));
        let first = |then: Instruction| {
            difference(&[sub, Instruction::Constant(Kind::F32, -3.0), binary(Binary::Mul, 4, 3), then])
        };
        assert_eq!(first(binary(Binary::Mul, 5, 5)), None, "the square of a multiple, which may be too large or small");
        assert_eq!(first(Instruction::Unary(Unary::Abs, 5)), known_times(Then::Abs, 3.0));
        assert_eq!(first(binary(Binary::Mul, 5, 0)), known_times(Then::Times(2), -3.0));
        assert_eq!(first(binary(Binary::Mul, 5, 3)), None, "the difference once more");
        let part = |of: f64| {
            let constant = Instruction::Constant(Kind::F32, of);
            difference(&[sub, constant, binary(Binary::Mul, 3, 3), binary(Binary::Mul, 4, 5)])
        };
        assert_eq!([0.0, -0.5, 1e-50].map(part), [None; 3], "a part of the square");
        assert_eq!(part(1.0), known(Then::Square), "all of it");
        let square = binary(Binary::Mul, 3, 3);
        assert_eq!(difference(&[sub, square, Instruction::Unary(Unary::Neg, 4)]), known_times(Then::Square, -1.0));
        assert_eq!(difference(&[sub, square, binary(Binary::Mul, 4, 4)]), None, "the fourth power");
        assert_eq!(difference(&[sub, square, binary(Binary::Mul, 4, 0)]), None, "a multiple of the square");
        assert_eq!(difference(&[sub, square, Instruction::Unary(Unary::Sqrt, 4)]), None, "and more");
        assert_eq!(difference(&[binary(Binary::Add, 1, 2), binary(Binary::Mul, 3, 3)]), None, "the square of a sum");
        let two = Instruction::Constant(Kind::F32, 2.0);
        assert_eq!(difference(&[two, binary(Binary::Sub, 1, 3), binary(Binary::Mul, 4, 4)]), None, "from a constant");
        let others = [Load(0), Load(1), binary(Binary::Sub, 0, 1), binary(Binary::Mul, 2, 2)];
        let program = Program::of_several(others.to_vec(), &[2], &[Kind::F32; 2]);
        assert_eq!(program.difference(), None, "the difference is a result too");
        let at = [Load(0), Instruction::Own(Kind::F32), binary(Binary::Sub, 0, 1), binary(Binary::Mul, 2, 2)];
        assert_eq!(Program::new(at.to_vec(), &[Kind::F32]).difference(), None, "from what stands there");
    }
}
