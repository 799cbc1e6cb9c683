//! Programs against plain evaluation of their instructions, element by element in `f64`.

mod mixed;
mod several;
mod whole;

use super::*;
use crate::element::{Numbers, Stored};
use crate::kernel::span::row_major;
use crate::kernel::testing::{Random, positions};
use Instruction::{Cast, Compare, Constant, Load, Own, Position, Select};

/// The number at a position of a buffer.
fn number(buffer: &Buffer, at: usize) -> f64 {
    match buffer.numbers() {
        Numbers::F32(values) => values[at].to_f64(),
        Numbers::F64(values) => values[at].to_f64(),
        Numbers::Index(values) => values[at].to_f64(),
        Numbers::Bool(values) => values[at].to_f64(),
        Numbers::Bf16(values) => values[at].to_f64(),
    }
}

/// What a program means: each instruction at each position. Kinds matter only where numbers are rounded or cut off.
fn plain(instructions: &[Instruction], sizes: &[usize], operands: &[Operand<'_>]) -> Vec<f64> {
    let walks: Vec<Vec<isize>> = operands.iter().map(|o| positions(sizes, o.strides).collect()).collect();
    let dense = row_major(sizes);
    let one = |at: usize| {
        let mut values: Vec<f64> = Vec::new();
        for &instruction in instructions {
            let value = match instruction {
                Load(i) => number(operands[i].buffer, (operands[i].offset as isize + walks[i][at]) as usize),
                // `check` has the results written over zeros.
                Own(_) => 0.0,
                Constant(_, value) => value,
                Position(axis) => (at / dense[axis] as usize % sizes[axis]) as f64,
                Instruction::Unary(op, x) => op.of(values[x]),
                Instruction::Binary(op, x, y) => op.of(values[x], values[y]),
                Compare(op, x, y) => f64::from(u8::from(op.holds(values[x], values[y]))),
                Select(condition, x, y) => {
                    if values[condition] != 0.0 {
                        values[x]
                    } else {
                        values[y]
                    }
                }
                Cast(Kind::Index, x) => values[x].trunc(),
                Cast(Kind::Bool, x) => f64::from(u8::from(values[x] != 0.0)),
                Cast(_, x) => values[x],
            };
            values.push(value);
        }
        *values.last().unwrap()
    };
    (0..sizes.iter().product()).map(one).collect()
}

/// The same number, or none both times.
fn same(x: f64, y: f64) -> bool {
    x == y || x.is_nan() && y.is_nan()
}

/// Runs a program, and once more as if nothing were small: the results are the same.
fn run(
    program: &Program,
    sizes: &[usize],
    operands: &[Operand<'_>],
    out: &mut Buffer,
    others: &mut [&mut Buffer],
    is_last: bool,
) {
    let again = |buffer: &Buffer| Buffer::zeros(buffer.kind(), buffer.size());
    let (mut out_again, mut others_again) = (again(out), Vec::new());
    others_again.extend(others.iter().map(|other| again(other)));
    super::run(program, sizes, operands, out, others, is_last);
    in_blocks(program, sizes, operands, &mut out_again, &mut others_again.iter_mut().collect::<Vec<_>>(), is_last);
    let alike = |x: &Buffer, y: &Buffer| (0..x.size()).all(|i| same(number(x, i), number(y, i)));
    assert!(alike(out, &out_again), "{program:?} over {sizes:?}, {operands:?}");
    assert!(others.iter().zip(&others_again).all(|(x, y)| alike(x, y)), "{program:?} over {sizes:?}, {operands:?}");
}

/// Runs a program into a buffer of its kind and compares.
fn check(instructions: Vec<Instruction>, sizes: &[usize], operands: &[Operand<'_>], tolerance: f64) {
    let kinds: Vec<Kind> = operands.iter().map(|operand| operand.buffer.kind()).collect();
    let exact = plain(&instructions, sizes, operands);
    let program = Program::new(instructions, &kinds);
    let mut out = Buffer::zeros(program.result(), exact.len());
    run(&program, sizes, operands, &mut out, &mut [], false);
    for (i, exact) in exact.into_iter().enumerate() {
        let got = number(&out, i);
        assert!(
            same(got, exact) || (got - exact).abs() <= tolerance * (1.0 + exact.abs()),
            "{got} for {exact} at {i} of {sizes:?}, {program:?}"
        );
    }
}

/// Operands of the four kinds, large enough for all the spaces below.
fn data() -> [Buffer; 4] {
    let mut random = Random::new(2);
    let size = 70_000;
    let reals = random.reals(size);
    let doubles = reals.iter().rev().map(|&x| f64::from(x)).collect();
    let indices = (0..size).map(|_| random.below(40) as i64 - 20).collect();
    let truths = (0..size).map(|_| random.below(3) == 0).collect();
    [Buffer::F32(reals.into()), Buffer::F64(doubles), Buffer::Index(indices), Buffer::Bool(truths)]
}

/// What lies across the rows, by tiles of every size at which one ends: x · 3 + y + z, with x across.
#[test]
fn light_programs_with_a_source_across_their_rows_agree_with_their_instructions() {
    let reals = Random::new(5).reals(300_000);
    let doubles = Buffer::F64(reals.iter().map(|&x| f64::from(x)).collect());
    let reals = Buffer::F32(reals.into());
    let widths = [16, 17, 31, 32, 33, 50, 96, 127, 128, 129, 143, 144, 145, 160, 256, 272, 511, 512, 513, 528];
    let mut spaces: Vec<Vec<usize>> =
        [8, 15, 16, 17].into_iter().flat_map(|height| widths.map(|width| vec![height, width])).collect();
    for height in [255, 256, 257] {
        spaces.extend([16, 17, 33, 50, 143, 144, 145, 513].map(|width| vec![height, width]));
    }
    // The results of these pass the caches by, with and without rows that begin in one place of a line of memory.
    spaces.extend([vec![515, 528], vec![515, 530], vec![2, 260, 512], vec![3, 130, 700]]);
    for sizes in spaces {
        let rank = sizes.len();
        let [height, width] = [sizes[rank - 2], sizes[rank - 1]];
        let outer = &[(height * width) as isize][..rank - 2];
        let with = |last: [isize; 2]| -> Vec<isize> { outer.iter().copied().chain(last).collect() };
        let across = with([1, height as isize]);
        let bias: Vec<isize> = (0..rank).map(|axis| isize::from(axis + 1 == rank)).collect();
        let one = vec![0; rank];
        for third in [&with([width as isize, 1]), &bias, &one, &across, &with([1, 0])] {
            for (buffer, kind) in [(&reals, Kind::F32), (&doubles, Kind::F64)] {
                let dense = row_major(&sizes);
                let strides: [&[isize]; 3] = [&across, &dense, third];
                let operands = strides.map(|strides| Operand { buffer, offset: 7, strides });
                let sum = vec![
                    Load(0),
                    Constant(kind, 3.0),
                    Instruction::Binary(Binary::Mul, 0, 1),
                    Load(1),
                    Instruction::Binary(Binary::Add, 2, 3),
                    Load(2),
                    Instruction::Binary(Binary::Add, 4, 5),
                ];
                check(sum, &sizes, &operands, 1e-6);
            }
        }
    }
}

const SPACES: [&[usize]; 13] = [
    &[],
    &[1],
    &[5],
    &[7, 3],
    &[2, 3, 4],
    &[30, 600],
    &[3, 1, 2000],
    &[0, 4],
    &[20_000, 3],
    &[11, 5, 13, 17],
    // Sources across these rows are turned around.
    &[32, 1030],
    &[130, 460],
    &[3, 16, 300],
];

#[test]
fn a_fused_chain_agrees_with_its_instructions_in_every_space_and_layout() {
    let [reals, ..] = &data();
    for sizes in SPACES {
        let dense = row_major(sizes);
        let rank = sizes.len();
        // Dense, the last axis alone (a bias), all but the last (a mean), the axes reversed, one number.
        let bias: Vec<isize> = (0..rank).map(|axis| isize::from(axis + 1 == rank)).collect();
        let mut mean = vec![0; rank];
        let mut reversed = vec![1; rank];
        for axis in 1..rank {
            reversed[axis] = reversed[axis - 1] * sizes[axis - 1] as isize;
        }
        let lead = row_major(&sizes[..rank.saturating_sub(1)]);
        mean[..lead.len()].copy_from_slice(&lead);
        let none = vec![0; rank];
        let layouts: [&[isize]; 5] = [&dense, &bias, &mean, &reversed, &none];
        for first in layouts {
            for second in layouts {
                let operands = [
                    Operand { buffer: reals, offset: 5, strides: first },
                    Operand { buffer: reals, offset: 900, strides: second },
                ];
                // relu((x + y) · 3) - tanh y
                let chain = vec![
                    Load(0),
                    Load(1),
                    Instruction::Binary(Binary::Add, 0, 1),
                    Constant(Kind::F32, 3.0),
                    Instruction::Binary(Binary::Mul, 2, 3),
                    Instruction::Unary(Unary::Relu, 4),
                    Instruction::Unary(Unary::Tanh, 1),
                    Instruction::Binary(Binary::Sub, 5, 6),
                ];
                check(chain, sizes, &operands, 1e-6);
            }
        }
    }
}

#[test]
fn large_results_of_light_programs_are_sent_whole_whatever_their_rows_end_with() {
    let mut random = Random::new(6);
    let buffers = [(); 3].map(|()| Buffer::F32(random.reals(280_000).into()));
    let around = |size: usize| [size - 1, size, size + 1];
    // Stretches, blocks and strips that end everywhere, and begin where no line of memory does.
    let spaces =
        [[90_000, 3], [2200, 127], [2100, 128], [2040, 129], [128, 2047], [128, 2049], [2, 131_075], [1, 262_160]]
            .into_iter()
            .chain(around(262_144 + 112).map(|size| [1, size]));
    for sizes in spaces {
        let (dense, bias) = ([sizes[1] as isize, 1], [0, 1]);
        let strides: [&[isize]; 3] = [&dense, &dense, &bias];
        let operands: Vec<Operand<'_>> =
            (0..3).map(|i| Operand { buffer: &buffers[i], offset: 3 * i, strides: strides[i] }).collect();
        let binary = Instruction::Binary;
        let product = vec![Load(0), Load(1), binary(Binary::Mul, 0, 1)];
        let sum = [product.as_slice(), &[Load(2), binary(Binary::Add, 2, 3)]].concat();
        let chain = [sum.as_slice(), &[Instruction::Unary(Unary::Relu, 4)]].concat();
        let from_bias =
            [Load(2), Constant(Kind::F32, 2.0), binary(Binary::Mul, 0, 1), Load(0), binary(Binary::Add, 2, 3)];
        let no_chain = [sum.as_slice(), &[binary(Binary::Sub, 2, 3), binary(Binary::Mul, 4, 5)]].concat();
        check(product, sizes.as_slice(), &operands[..2], 1e-6);
        check(sum, sizes.as_slice(), &operands, 1e-6);
        check(from_bias.to_vec(), sizes.as_slice(), &operands, 1e-6);
        check(no_chain, sizes.as_slice(), &operands, 1e-6);
        check(chain, sizes.as_slice(), &operands, 1e-6);
    }
}

#[test]
fn what_has_one_number_for_each_row_or_for_all_rows_agrees_with_its_instructions() {
    let reals = Random::new(8).reals(300_000);
    let doubles = Buffer::F64(reals.iter().map(|&x| f64::from(x)).collect());
    let reals = Buffer::F32(reals.into());
    // The results of the last one pass the caches by.
    for sizes in
        [vec![3, 127], vec![4, 255], vec![5, 257], vec![7, 600], vec![2, 3, 1_029], vec![3, 2_100], vec![520, 515]]
    {
        let dense = row_major(&sizes).to_vec();
        let mut of_row: Vec<isize> = row_major(&sizes[..sizes.len() - 1]).to_vec();
        of_row.push(0);
        let of_all = vec![0; sizes.len()];
        for buffer in [&reals, &doubles] {
            for strides in [[&of_row, &dense], [&dense, &of_row], [&of_all, &dense], [&dense, &of_all], [&of_row; 2]] {
                let operands = strides.map(|strides| Operand { buffer, offset: 11, strides });
                for op in [Binary::Add, Binary::Sub, Binary::Mul, Binary::Max] {
                    let one_step = vec![Load(0), Load(1), Instruction::Binary(op, 0, 1)];
                    let two_steps = [one_step.clone(), vec![Instruction::Binary(Binary::Mul, 2, 2)]].concat();
                    let joined = [one_step.clone(), vec![Instruction::Binary(Binary::Add, 2, 0)]].concat();
                    let long = [one_step.clone(), vec![Instruction::Unary(Unary::Tanh, 2)]].concat();
                    for program in [one_step, two_steps, joined, long] {
                        check(program, &sizes, &operands, 1e-6);
                    }
                }
            }
        }
    }
}

#[test]
fn long_programs_read_the_numbers_of_rows_of_every_kind_beside_what_lies_across_them() {
    let buffers = data();
    // Rows of one block, of several, and those that threads cut; the second space is walked tile by tile.
    for sizes in [[3, 511], [60, 77], [5, 1_030], [2, 30_000]] {
        let (dense, of_row, across) = ([sizes[1] as isize, 1], [1, 0], [1, sizes[0] as isize]);
        for x in [&dense, &across] {
            for number in &buffers {
                let operands = [
                    Operand { buffer: &buffers[0], offset: 3, strides: x },
                    Operand { buffer: number, offset: 5, strides: &of_row },
                ];
                let program = vec![
                    Load(0),
                    Load(1),
                    Cast(Kind::F32, 1),
                    Instruction::Binary(Binary::Mul, 0, 2),
                    Instruction::Unary(Unary::Tanh, 3),
                ];
                check(program, &sizes, &operands, 1e-6);
            }
        }
    }
}

#[test]
fn what_lies_in_pieces_is_read_there_and_gathered_where_a_block_crosses_them() {
    let [reals, doubles, ..] = &data();
    // Pieces of fewer elements than a block, of one, and of several.
    for sizes in [[9, 3, 50], [5, 16, 64], [33, 77, 16], [4, 45, 130], [3, 5, 700]] {
        let [_, rows, columns] = sizes.map(|size| size as isize);
        let matrix = [0, columns, 1];
        for buffer in [reals, doubles] {
            for x in [[columns, 0, 1], [rows * columns, columns, 1], [rows, 1, 0]] {
                let operands = [&x, &matrix].map(|strides| Operand { buffer, offset: 31, strides });
                let sum = vec![Load(0), Load(1), Instruction::Binary(Binary::Add, 0, 1)];
                let long = [sum.clone(), vec![Instruction::Unary(Unary::Tanh, 2)]].concat();
                check(sum, &sizes, &operands, 1e-6);
                check(long, &sizes, &operands, 1e-6);
            }
        }
    }
}

#[test]
fn rows_that_are_cut_where_lines_of_memory_begin_have_their_own_numbers_and_those_of_all_rows() {
    let reals = Random::new(9).reals(300_000);
    let doubles = Buffer::F64(reals.iter().map(|&x| f64::from(x)).collect());
    let reals = Buffer::F32(reals.into());
    // All of them pass the caches by; rows end at lines of memory, or before or after.
    for sizes in [[500, 528], [505, 521], [390, 683], [130, 2_047], [3, 90_001]] {
        let [dense, of_row, of_all] = [[sizes[1] as isize, 1], [1, 0], [0, 1]];
        for buffer in [&reals, &doubles] {
            let operands: [Operand<'_>; 3] =
                [&dense, &of_row, &of_all].map(|strides| Operand { buffer, offset: 13, strides });
            let loads = [Load(0), Load(1), Load(2)];
            let binary = Instruction::Binary;
            for steps in [
                [binary(Binary::Mul, 0, 1), binary(Binary::Add, 3, 2)],
                [binary(Binary::Sub, 0, 1), binary(Binary::Mul, 3, 2)],
                [binary(Binary::Add, 1, 2), binary(Binary::Max, 3, 0)],
            ] {
                check([loads.as_slice(), &steps].concat(), sizes.as_slice(), &operands, 1e-6);
            }
        }
    }
}

#[test]
fn positions_are_those_along_the_axis_of_the_space() {
    for sizes in SPACES {
        for axis in 0..sizes.len() {
            check(vec![Position(axis)], sizes, &[], 0.0);
            let last = sizes.len() - 1;
            let program = vec![Position(axis), Position(last), Compare(Comparison::Le, 0, 1)];
            check(program, sizes, &[], 0.0);
        }
    }
}

#[test]
fn a_mask_selects_and_casts_go_between_all_kinds() {
    let buffers = data();
    let kinds = [Kind::F32, Kind::F64, Kind::Index, Kind::Bool];
    let operands: Vec<Operand<'_>> =
        buffers.iter().map(|buffer| Operand { buffer, offset: 3, strides: &[50, 1] }).collect();
    for (from, operand) in operands.iter().enumerate() {
        for to in kinds {
            check(vec![Load(0), Cast(to, 0)], &[40, 50], &[*operand], 1e-7);
        }
        let choice = vec![Load(from), Load(3), Constant(kinds[from], 1.0), Select(1, 0, 2)];
        check(choice, &[40, 50], &operands, 0.0);
        for comparison in
            [Comparison::Eq, Comparison::Ne, Comparison::Lt, Comparison::Le, Comparison::Gt, Comparison::Ge]
        {
            let half = if from < 2 { 0.5 } else { 1.0 };
            check(vec![Load(from), Constant(kinds[from], half), Compare(comparison, 0, 1)], &[40, 50], &operands, 0.0);
        }
    }
}

#[test]
fn comparisons_and_choices_of_a_number_or_0_are_light_programs() {
    let [reals, doubles, ..] = &data();
    let some = [f32::NAN, -0.0, 0.0, f32::INFINITY, -1.0, f32::MIN_POSITIVE];
    let hostile = Buffer::F32(some.repeat(200).into());
    // Instruction 4 compares these two, 5 chooses from those: numbers of operands are 0 and 1, constants 2 and 3.
    let program = |kind, constants: [f64; 2], how, compared: [usize; 2], selected: [usize; 2]| {
        vec![
            Load(0),
            Load(1),
            Constant(kind, constants[0]),
            Constant(kind, constants[1]),
            Compare(how, compared[0], compared[1]),
            Select(4, selected[0], selected[1]),
        ]
    };
    let with = |program: &[Instruction], more: &[Instruction]| [program, more].concat();
    for (gradient, of) in [(reals, reals), (doubles, doubles), (reals, &hostile), (&hostile, &hostile)] {
        let kind = gradient.kind();
        let passed_back = program(kind, [0.0; 2], Comparison::Gt, [1, 2], [0, 3]);
        let both = program(kind, [0.5, 0.0], Comparison::Ge, [0, 2], [0, 3]);
        let mut programs = vec![
            with(&passed_back, &[Cast(kind, 4), Instruction::Binary(Binary::Mul, 5, 6)]),
            passed_back,
            program(kind, [1.0, 0.0], Comparison::Gt, [1, 2], [0, 3]),
            program(kind, [0.0; 2], Comparison::Gt, [1, 2], [3, 0]),
        ];
        for op in [Binary::And, Binary::Or] {
            let second = Compare(Comparison::Ne, 1, 3);
            programs.push(with(&both, &[second, Instruction::Binary(op, 4, 6), Select(7, 1, 3)]));
        }
        for how in [Comparison::Eq, Comparison::Ne, Comparison::Lt, Comparison::Le, Comparison::Gt, Comparison::Ge] {
            programs.push(program(kind, [0.0, 2.0], how, [0, 1], [1, 2]));
            programs.push(program(kind, [0.0, 2.0], how, [1, 3], [2, 0]));
            let compared = program(kind, [0.0, 2.0], how, [1, 2], [1, 2]);
            programs.push(with(&compared, &[Cast(kind, 4), Instruction::Binary(Binary::Mul, 3, 6)]));
            let of_computed = [Instruction::Binary(Binary::Sub, 0, 1), Compare(how, 2, 6), Cast(kind, 7)];
            programs.push(with(&compared, &of_computed));
        }
        let others = [
            (program(kind, [0.0, -0.0], Comparison::Gt, [0, 2], [0, 3]), "what is not chosen is a zero with a sign"),
            (program(kind, [0.0; 2], Comparison::Lt, [0, 1], [0, 1]), "or another number"),
        ];
        let programs = programs.into_iter().map(|program| (program, None));
        for (program, reason) in programs.chain(others.map(|(program, reason)| (program, Some(reason)))) {
            let is_light = Program::new(program.clone(), &[kind; 2]).light().is_some();
            assert_eq!(is_light, reason.is_none(), "{program:?}, {reason:?}");
            for sizes in [&[5_usize][..], &[7, 3], &[2, 130], &[3, 300]] {
                let dense = row_major(sizes);
                let row = dense.iter().map(|&stride| isize::from(stride == 1)).collect();
                for strides in [[&dense, &dense], [&dense, &row]] {
                    let operands = [
                        Operand { buffer: gradient, offset: 7, strides: strides[0] },
                        Operand { buffer: of, offset: 1, strides: strides[1] },
                    ];
                    check(program.clone(), sizes, &operands, 0.0);
                }
            }
        }
    }
}

#[test]
fn truth_values_that_are_stored_or_given_are_no_numbers_of_a_light_program() {
    let kind = Kind::F32;
    let given = vec![Load(0), Load(1), Compare(Comparison::Gt, 0, 1)];
    assert!(Program::new(given, &[kind; 2]).light().is_none());
    let stored = vec![Load(0), Load(1), Cast(kind, 1), Instruction::Binary(Binary::Mul, 0, 2)];
    assert!(Program::new(stored, &[kind, Kind::Bool]).light().is_none());
    let of_positions = vec![Load(0), Position(0), Position(1), Compare(Comparison::Gt, 1, 2), Cast(kind, 3)];
    assert!(Program::new(of_positions, &[kind]).light().is_none());
}

#[test]
fn truth_values_are_combined_and_negated() {
    let [.., truths] = &data();
    let strides: [&[isize]; 2] = [&[1], &[7]];
    let operands = strides.map(|strides| Operand { buffer: truths, offset: 0, strides });
    for op in [Binary::And, Binary::Or] {
        let program = vec![Load(0), Load(1), Instruction::Unary(Unary::Not, 1), Instruction::Binary(op, 0, 2)];
        check(program, &[3000], &operands, 0.0);
    }
}

#[test]
fn index_arithmetic_neither_overflows_nor_divides_by_zero() {
    // Often enough for whole vectors.
    let many = |five: [i64; 5]| Buffer::Index(five.repeat(9).into());
    let (extremes, others) = (many([i64::MIN, i64::MAX, -7, 7, 0]), many([-1, i64::MAX, 2, -2, 0]));
    let operand = |buffer| Operand { buffer, offset: 0, strides: &[1] };
    let cases = [
        (Binary::Add, [i64::MIN, i64::MAX, -5, 5, 0]),
        (Binary::Sub, [i64::MIN + 1, 0, -9, 9, 0]),
        (Binary::Mul, [i64::MAX, i64::MAX, -14, -14, 0]),
        (Binary::Div, [i64::MAX, 1, -4, -3, 0]),
        (Binary::Max, [-1, i64::MAX, 2, 7, 0]),
        (Binary::Min, [i64::MIN, i64::MAX, -7, -2, 0]),
    ];
    for (op, expected) in cases {
        let program = Program::new(vec![Load(0), Load(1), Instruction::Binary(op, 0, 1)], &[Kind::Index; 2]);
        let mut out = Buffer::zeros(Kind::Index, 45);
        run(&program, &[45], &[operand(&extremes), operand(&others)], &mut out, &mut [], false);
        assert_eq!(out, many(expected), "{op:?}");
    }
}

#[test]
fn many_values_alive_at_once_keep_their_registers() {
    let [reals, ..] = &data();
    let operand = Operand { buffer: reals, offset: 0, strides: &[1] };
    // Twelve scaled copies, summed from the last to the first.
    let mut program = vec![Load(0)];
    for i in 0..12 {
        program.push(Constant(Kind::F32, f64::from(i)));
        program.push(Instruction::Binary(Binary::Mul, 0, 2 * i as usize + 1));
    }
    let mut sum = 24;
    for i in (0..11).rev() {
        program.push(Instruction::Binary(Binary::Add, sum, 2 * i + 2));
        sum = program.len() - 1;
    }
    check(program, &[5000], &[operand], 1e-5);
}

#[test]
#[should_panic(expected = "map: operand: elements 0 to 9 of a slice of 5")]
fn an_operand_past_its_buffer_is_refused() {
    let buffer = Buffer::F32(vec![0.0; 5].into());
    let operand = Operand { buffer: &buffer, offset: 0, strides: &[1] };
    let mut out = Buffer::zeros(Kind::F32, 10);
    run(&Program::new(vec![Load(0)], &[Kind::F32]), &[10], &[operand], &mut out, &mut [], false);
}
