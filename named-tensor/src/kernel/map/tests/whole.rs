//! Rows that are computed one after the other, wherever their sources lie.

use super::super::*;
use super::{check, data};
use crate::kernel::span::row_major;
use Instruction::{Constant, Load};

type Strides = SmallVec<[isize; 8]>;

#[test]
fn whole_rows_are_those_of_their_operands_wherever_these_begin_and_however_far_apart_they_lie() {
    use Binary::{Add, Div, Mul, Sub};
    let [reals, doubles, ..] = &data();
    let binary = Instruction::Binary;
    let quotient = vec![Load(0), Load(1), binary(Div, 0, 1)];
    let shifted = vec![Load(0), Load(1), binary(Mul, 0, 1), binary(Add, 2, 1)];
    let longer =
        vec![Load(0), Load(1), Constant(Kind::F32, 0.5), binary(Sub, 0, 1), binary(Mul, 3, 2), binary(Mul, 4, 4)];
    let apart =
        |sizes: &[usize]| -> Strides { row_major(sizes).iter().map(|&step| step + isize::from(step > 1)).collect() };
    for sizes in [
        &[6, 128][..],
        &[3, 5, 131],
        &[40, 257],
        &[250, 261],
        &[1000, 131],
        &[2, 3, 4, 600],
        &[5, 127],
        &[40, 16],
        &[9, 5, 17],
        &[7, 6, 2, 32],
        &[3, 4, 5, 33],
        &[5, 3, 70],
        &[900, 31],
    ] {
        let (dense, apart) = (row_major(sizes), apart(sizes));
        let inner = *sizes.last().unwrap() as isize;
        // One number for each row, for each of the first axis, and a row for all; backwards, too.
        let each: Strides = dense.iter().map(|&step| step / inner * isize::from(step > 1)).collect();
        let first: Strides = (0..sizes.len()).map(|axis| isize::from(axis == 0)).collect();
        let row: Strides = dense.iter().map(|&step| isize::from(step == 1)).collect();
        let back: Strides = each.iter().map(|&step| -step).collect();
        for (x, y) in
            [(&dense, &each), (&apart, &each), (&each, &apart), (&row, &first), (&each, &row), (&dense, &back)]
        {
            // There are not so many numbers that lie in the order of a large space; its pieces begin and end within rows.
            let is_large = sizes[0] >= 900;
            if is_large && [x, y].iter().any(|strides| strides[..] == dense[..] || strides[..] == apart[..]) {
                continue;
            }
            for of in [reals, doubles] {
                let strides = [x, y].map(|strides| &strides[..]);
                let [x, y] = strides.map(|strides| Operand { buffer: of, offset: 1000, strides });
                check(quotient.clone(), sizes, &[x, y], 1e-6);
                check(shifted.clone(), sizes, &[x, y], 1e-6);
                if of.kind() == Kind::F32 {
                    check(longer.clone(), sizes, &[x, y], 1e-6);
                }
            }
        }
    }
}
