//! Light programs over a few numbers that all lie in the order of the result: no blocks, no registers, no threads.
//!
//! To set those up takes some hundred nanoseconds, which a step of a small model or of a recurrence does not.
//! Lives here: what is so simple. Not here: what it computes (`strip`), everything else (`block`).

use smallvec::SmallVec;

use super::cell::Cell;
use super::program::Source;
use super::strip::Numbers;
use super::{Operand, Program};
use crate::kernel::stream::Stream;

/// Elements up to which the numbers of a scalar may be written down for each.
const FEW: usize = 512;

/// How the elements of an operand follow each other.
enum Lies {
    Dense,
    Same,
}

/// Runs a program at every position of a space if that is simple. Returns whether it did: not where an operand leaves its
/// buffer or is of another kind either, which is for the caller to tell.
pub(super) fn run<T: Cell>(
    program: &Program,
    sizes: &[usize],
    operands: &[Operand<'_>],
    out: &mut [T],
    others: &mut [&mut [T]],
) -> bool {
    let size = out.len();
    let is_for_us =
        (1..=FEW).contains(&size) && program.result() == T::KIND && operands.len() == program.operands().len();
    let Some(light) = program.light().filter(|_| is_for_us) else { return false };
    let mut repeated: SmallVec<[Vec<T>; 2]> = SmallVec::new();
    let mut found: SmallVec<[Option<&[T]>; 8]> = SmallVec::new();
    for source in program.sources() {
        let Source::Operand(number) = *source else { return false };
        let Some(operand) = operands.get(number).filter(|operand| operand.buffer.kind() == T::KIND) else {
            return false;
        };
        let values = T::of(operand.buffer);
        match lies(sizes, operand.strides) {
            Some(Lies::Dense) => match values.get(operand.offset..).and_then(|values| values.get(..size)) {
                Some(values) => found.push(Some(values)),
                None => return false,
            },
            Some(Lies::Same) => match values.get(operand.offset) {
                Some(&value) => {
                    repeated.push(vec![value; size]);
                    found.push(None);
                }
                None => return false,
            },
            None => return false,
        }
    }
    let mut repeated = repeated.iter();
    let mut sources: SmallVec<[Numbers<'_, T>; 8]> = SmallVec::new();
    for values in found {
        match values.map(Numbers::each).or_else(|| repeated.next().map(|values| Numbers::same(values))) {
            Some(values) => sources.push(values),
            None => return false,
        }
    }
    T::run_light(light, &sources, &mut T::strips(light), &Stream::usual(), out, others);
    true
}

/// How an operand lies under a space; none if not in one of these ways.
fn lies(sizes: &[usize], strides: &[isize]) -> Option<Lies> {
    if sizes.len() != strides.len() {
        return None;
    }
    let (mut is_dense, mut is_same, mut step) = (true, true, 1);
    for (&size, &stride) in sizes.iter().zip(strides).rev() {
        if size != 1 {
            is_dense &= stride == step;
            is_same &= stride == 0;
            step *= size as isize;
        }
    }
    match (is_dense, is_same) {
        (true, _) => Some(Lies::Dense),
        (_, true) => Some(Lies::Same),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Binary, Buffer, Kind, Unary};
    use crate::kernel::map::Instruction;

    #[test]
    fn what_lies_in_the_order_of_the_result_or_is_one_number_is_computed_and_the_rest_is_not() {
        let program = Program::new(
            vec![
                Instruction::Load(0),
                Instruction::Load(1),
                Instruction::Binary(Binary::Mul, 0, 1),
                Instruction::Unary(Unary::Neg, 2),
            ],
            &[Kind::F32; 2],
        );
        let (x, y) = (Buffer::F32((0..60_u8).map(f32::from).collect()), Buffer::F32(vec![7.0, 3.0].into()));
        let done = |sizes: &[usize], x_strides: &[isize], y_strides: &[isize], offset: usize| {
            let operands = [
                Operand { buffer: &x, offset, strides: x_strides },
                Operand { buffer: &y, offset: 1, strides: y_strides },
            ];
            let mut out = vec![f32::NAN; sizes.iter().product()];
            run(&program, sizes, &operands, &mut out, &mut []).then_some(out)
        };
        for size in [1_usize, 5, 16, 50] {
            let expected: Vec<f32> = (0..size).map(|i| -3.0 * (i + 10) as f32).collect();
            assert_eq!(done(&[size], &[1], &[0], 10), Some(expected), "{size} numbers");
        }
        assert!(done(&[3, 1, 4], &[4, 9, 1], &[0, 9, 0], 0).is_some(), "an axis of one position may have any stride");
        assert!(done(&[3, 4], &[1, 3], &[0, 0], 0).is_none(), "the first operand lies in another order");
        assert!(done(&[3, 4], &[4, 1], &[0, 0], 50).is_none(), "the first operand leaves its buffer");
        assert!(done(&[0], &[1], &[0], 0).is_none(), "there is nothing to do");
    }
}
