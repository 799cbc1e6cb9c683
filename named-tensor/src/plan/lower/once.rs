//! What is found once for all layers of a model: prepared programs, and products of matrices described.
//!
//! Twelve layers compute the same things twelve times. Lives here: which programs and products are the same.
//! Not here: what they consist of (`group`, `product`), their preparation (`kernel::map`), the choice (`contract`).

use std::sync::Arc;

use smallvec::SmallVec;

use crate::element::Kind;
use crate::kernel::map::{Instruction, Program};
use crate::plan::contract::{self, Axis, Product, Wanted};
use crate::plan::layout::Order;

/// The kinds of a program's operands.
pub(super) type Kinds = SmallVec<[Kind; 8]>;

/// What a program consists of.
pub(super) type Instructions = SmallVec<[Instruction; 16]>;

/// So many of the last ones are looked through: those of a layer or two, forwards and backwards.
const LOOKED_AT: usize = 48;

/// The instructions of results besides the last one.
type Others = SmallVec<[usize; 4]>;

/// All programs, in the order in which they were first met.
#[derive(Default)]
pub(super) struct Programs(Vec<(Box<[Instruction]>, Kinds, Others, Arc<Program>)>);

impl Programs {
    /// The program of these instructions on operands of these kinds.
    pub(super) fn of(&mut self, instructions: &[Instruction], kinds: &[Kind]) -> Arc<Program> {
        self.of_several(instructions, &[], kinds)
    }

    /// The same of one with several results: also those of these instructions.
    pub(super) fn of_several(
        &mut self,
        instructions: &[Instruction],
        results: &[usize],
        kinds: &[Kind],
    ) -> Arc<Program> {
        let are_same = |known: &[Instruction]| {
            known.len() == instructions.len() && known.iter().zip(instructions).all(|(x, y)| x.is_same(y))
        };
        for (known, of, others, program) in self.0.iter().rev().take(LOOKED_AT) {
            if are_same(known) && of[..] == *kinds && others[..] == *results {
                return program.clone();
            }
        }
        let program = Arc::new(Program::of_several(instructions.to_vec(), results, kinds));
        self.0.push((instructions.into(), Kinds::from_slice(kinds), Others::from_slice(results), program.clone()));
        program
    }

    /// What a program that was met here consists of: instructions, the kinds of its operands, results besides the last one.
    pub(super) fn parts(&self, program: &Arc<Program>) -> Option<(&[Instruction], &[Kind], &[usize])> {
        let known = self.0.iter().rev().find(|(.., known)| Arc::ptr_eq(known, program));
        known.map(|(instructions, kinds, others, _)| (&**instructions, &**kinds, &**others))
    }
}

/// All products, in the order in which they were first met: their axes, the axes wanted fastest, the description.
#[derive(Default)]
pub(super) struct Products(Vec<(SmallVec<[Axis; 8]>, (Order, bool), Product)>);

impl Products {
    /// The description of the product over these axes, of which `tail` are wanted fastest in the result.
    pub(super) fn of(&mut self, axes: &[Axis], tail: Wanted<'_>) -> Product {
        for (known, wanted, product) in self.0.iter().rev().take(LOOKED_AT) {
            if known[..] == *axes && (&wanted.0[..], wanted.1) == (tail.axes, tail.anywhere) {
                return product.clone();
            }
        }
        let product = contract::product(axes, tail);
        let tail = (Order::from_slice(tail.axes), tail.anywhere);
        self.0.push((SmallVec::from_slice(axes), tail, product.clone()));
        product
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
    fn a_product_is_described_by_its_axes_and_by_what_is_wanted_of_it() {
        let axis =
            |size, left: isize, right: isize, summed| Axis { size, left, right, has: (left != 0, right != 0), summed };
        let of = |rows| [axis(rows, 6, 0, false), axis(6, 1, 4, true), axis(4, 0, 1, false)];
        let mut products = Products::default();
        for (rows, axes, anywhere) in
            [(5, &[][..], false), (7, &[], false), (5, &[0, 2], true), (5, &[], false), (5, &[0, 2], false)]
        {
            let tail = Wanted { axes, anywhere };
            let (found, expected) = (products.of(&of(rows), tail), contract::product(&of(rows), tail));
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{rows} rows, wanted {tail:?}");
        }
        assert_eq!(products.0.len(), 4, "one is the first again");
    }

    #[test]
    fn zero_and_minus_zero_are_two_constants() {
        let mut programs = Programs::default();
        let [zero, minus] = [0.0, -0.0].map(|number| programs.of(&[Instruction::Constant(Kind::F32, number)], &[]));
        assert!(!Arc::ptr_eq(&zero, &minus), "1 / 0 is not 1 / -0");
    }
}
