//! Rows that are mixed in blocks: what they read is gathered for each block, or once for all of them.

use super::super::*;
use super::{check, data, number};
use crate::kernel::span::row_major;
use Instruction::{Cast, Compare, Load, Position, Select};

/// Columns of rows around the sizes of what is written at once, of a block, and of half of one.
const COLUMNS: [usize; 18] = [3, 8, 9, 16, 17, 31, 32, 33, 77, 128, 203, 511, 513, 773, 1023, 1024, 1025, 2100];

/// e^((x - y) z) of operands 0, 1 and 2.
fn exponential() -> Vec<Instruction> {
    let (difference, product) = (Instruction::Binary(Binary::Sub, 0, 1), Instruction::Binary(Binary::Mul, 2, 3));
    vec![Load(0), Load(1), Load(2), difference, product, Instruction::Unary(Unary::Exp, 4)]
}

/// Strides of what lies dense in rows of so many elements, has one number for each, the same with a distance, or is the same
/// in all.
fn ways(sizes: &[usize]) -> [Vec<isize>; 5] {
    let dense = row_major(sizes).to_vec();
    let inner = *sizes.last().unwrap() as isize;
    let each: Vec<isize> = dense.iter().map(|&step| step / inner * isize::from(step > 1)).collect();
    let apart = each.iter().map(|&step| 3 * step).collect();
    let first = (0..sizes.len()).map(|axis| isize::from(axis == 0)).collect();
    let row = dense.iter().map(|&step| isize::from(step == 1)).collect();
    [dense, each, apart, first, row]
}

#[test]
fn rows_of_any_length_have_their_own_numbers_and_those_of_all_rows_in_programs_that_are_not_light() {
    let [reals, doubles, ..] = &data();
    for columns in COLUMNS {
        let rows = 5000 / columns + 2;
        for sizes in [&[rows, columns][..], &[2, rows / 2 + 1, columns]] {
            let [dense, each, apart, first, row] = ways(sizes);
            for strides in [[&dense, &each, &row], [&apart, &dense, &first], [&row, &each, &apart]] {
                for buffer in [reals, doubles] {
                    let operands = strides.map(|strides| Operand { buffer, offset: 11, strides });
                    check(exponential(), sizes, &operands, 1e-5);
                }
            }
        }
    }
}

#[test]
fn truth_values_and_positions_of_rows_are_mixed_as_reals_are() {
    let [reals, _, indices, truths] = &data();
    for columns in COLUMNS {
        let sizes = [5000 / columns + 2, columns];
        let [dense, each, _, _, row] = &ways(&sizes);
        for (which, bound) in [(each, row), (row, each)] {
            let operands = [(reals, dense), (truths, which), (indices, bound)];
            let operands = operands.map(|(buffer, strides)| Operand { buffer, offset: 5, strides });
            let instructions = vec![
                Load(0),
                Load(1),
                Load(2),
                Position(1),
                Compare(Comparison::Lt, 2, 3),
                Instruction::Binary(Binary::And, 1, 4),
                Instruction::Unary(Unary::Sigmoid, 0),
                Cast(Kind::F32, 2),
                Select(5, 6, 7),
            ];
            check(instructions, &sizes, &operands, 1e-5);
        }
    }
}

#[test]
fn a_stretch_that_begins_anywhere_has_the_numbers_of_the_whole() {
    let [reals, doubles, ..] = &data();
    for columns in COLUMNS {
        let sizes = [6000 / columns + 3, columns];
        let [dense, each, _, _, row] = &ways(&sizes);
        let total = sizes[0] * columns;
        for buffer in [reals, doubles] {
            let program = Program::new(exponential(), &[buffer.kind(); 3]);
            let operands = [dense, each, row].map(|strides| Operand { buffer, offset: 3, strides });
            let mut whole = Buffer::zeros(buffer.kind(), total);
            run(&program, &sizes, &operands, &mut whole, &mut [], false);
            let computed = Computed::new(&program, &sizes, &operands);
            // One worker goes from stretch to stretch, of one row and of several.
            let stretches = [(0, columns), (columns, total - columns), (columns / 2, total / 2), (2 * columns + 1, 2)];
            let back = [(total / 3, 3 * columns + 1), (columns - 1, columns), (columns + columns / 3, 1), (0, total)];
            macro_rules! check_stretches {
                ($kind:ident) => {{
                    let mut one = computed.by_one::<$kind>(total);
                    for (first, size) in stretches.into_iter().chain(back) {
                        let size = size.min(total - first);
                        let mut out = vec![$kind::NAN; size];
                        one.stretch(first, &mut out);
                        let is_same = (0..size).all(|i| f64::from(out[i]) == number(&whole, first + i));
                        assert!(is_same, "{size} from {first} on, rows of {columns}");
                    }
                }};
            }
            if buffer.kind() == Kind::F32 { check_stretches!(f32) } else { check_stretches!(f64) }
        }
    }
}

#[test]
fn operands_of_small_matrices_that_lack_an_axis_or_lie_in_another_order_stand_at_every_position() {
    let [reals, doubles, indices, truths] = &data();
    for [rows, columns] in [[3, 3], [2, 2], [4, 4], [3, 5], [8, 8], [2, 15], [1, 3]] {
        let (size, count) = (rows * columns, 4000 / (rows * columns));
        let [size, r, c] = [size, rows, columns].map(|size| size as isize);
        let [dense, row, column, turned] = [[size, c, 1], [r, 1, 0], [c, 0, 1], [size, 1, r]];
        let [same, backwards, apart] = [[0, c, 1], [-c, 0, -1], [1, count as isize, 0]];
        let sizes = [count, rows, columns];
        for strides in
            [[dense, column, row], [turned, dense, column], [same, column, dense], [backwards, apart, turned]]
        {
            for buffers in [[reals; 3], [doubles; 3]] {
                let operand = |i: usize| Operand { buffer: buffers[i], offset: 30_000, strides: &strides[i] };
                check(exponential(), &sizes, &[0, 1, 2].map(operand), 1e-5);
                let sum = vec![Load(0), Load(1), Load(2), Instruction::Binary(Binary::Add, 0, 1)];
                let light = [sum, vec![Instruction::Binary(Binary::Mul, 2, 3)]].concat();
                check(light, &sizes, &[0, 1, 2].map(operand), 1e-6);
            }
            let operand = |i: usize, buffer| Operand { buffer, offset: 30_000, strides: &strides[i] };
            let operands = [operand(0, truths), operand(1, indices), operand(2, reals)];
            let is_diagonal = vec![Load(0), Load(1), Load(2), Position(1), Position(2), Compare(Comparison::Eq, 3, 4)];
            let rest = vec![Select(5, 3, 1), Cast(Kind::F32, 6), Select(0, 7, 2)];
            check([is_diagonal, rest].concat(), &sizes, &operands, 1e-6);
        }
    }
}
