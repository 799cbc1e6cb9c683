//! Lines of every width and length at which a path ends or begins, with and without a tail, against plain loops.

mod beside;
mod wide;

use super::columns::{GROUPS, PART, RAW, ROOM, WIDTH};
use super::sweep::BLOCK;
use super::tall::PIECE;
use super::*;
use crate::element::{Binary, Buffer, Kind, Unary};
use crate::kernel::map::{Instruction, Operand, Program};
use crate::kernel::softmax::{log_softmax, softmax};
use crate::kernel::standardize::standardize;
use crate::kernel::testing::Random;

const EPSILON: f64 = 1e-5;

/// The function of this number along some axis, with a tail.
fn apply(what: usize, sizes: [usize; 2], src: View<'_, f32>, dst: ViewMut<'_, f32>, tail: Option<&Tail<'_>>) {
    let [outer, size] = sizes;
    match what {
        0 => softmax(&[outer], size, src, dst, tail),
        1 => log_softmax(&[outer], size, src, dst, tail),
        _ => standardize(EPSILON, &[outer], size, src, dst, tail),
    }
}

/// The same for one line, in `f64`.
fn plain(what: usize, line: &[f64]) -> Vec<f64> {
    let top = line.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = line.iter().map(|x| (x - top).exp()).sum();
    let mean = line.iter().sum::<f64>() / line.len() as f64;
    let variance = line.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / line.len() as f64;
    let one = |&x: &f64| match what {
        0 => (x - top).exp() / sum,
        1 => x - top - sum.ln(),
        _ => (x - mean) / (variance + EPSILON).sqrt(),
    };
    line.iter().map(one).collect()
}

/// `rows` rows of `columns`, a row `step` after the one before, computed along the rows or across them.
fn check(what: usize, [rows, columns, step]: [usize; 3], across: bool) {
    let data: Vec<f32> = Random::new(11).reals(rows * step).into_iter().map(|x| 5.0 * x).collect();
    let mut out = vec![7.0; rows * step + 5];
    let (sizes, strides): ([usize; 2], [isize; 2]) =
        if across { ([columns, rows], [1, step as isize]) } else { ([rows, columns], [step as isize, 1]) };
    let src = View { data: &data, offset: 0, strides: &strides };
    apply(what, sizes, src, ViewMut { data: &mut out, offset: 5, strides: &strides }, None);
    for i in 0..sizes[0] {
        let at = |j: usize| (i as isize * strides[0] + j as isize * strides[1]) as usize;
        let line: Vec<f64> = (0..sizes[1]).map(|j| f64::from(data[at(j)])).collect();
        for (j, exact) in plain(what, &line).into_iter().enumerate() {
            let (got, bound) = (f64::from(out[5 + at(j)]), 1e-6 * (1.0 + exact.abs()));
            assert!((got - exact).abs() <= bound, "{what}: {got} for {exact}, line {i}, {j} of {sizes:?} {strides:?}");
        }
    }
    let is_between = |at: usize| at < 5 || (at - 5) % step >= columns;
    assert!(
        (0..out.len()).filter(|&at| is_between(at)).all(|at| out[at] == 7.0),
        "{sizes:?} {strides:?}: between rows"
    );
}

#[test]
fn columns_of_every_width_at_which_tiles_end_are_the_plain_ones() {
    let wide = WIDTH * GROUPS;
    for columns in [8, 9, WIDTH - 1, WIDTH, WIDTH + 1, 2 * WIDTH + 7, wide - 1, wide, wide + 1, 2 * wide + 3] {
        for what in 0..3 {
            check(what, [37, columns, columns], true);
            check(what, [5, columns, columns + 3], true);
        }
    }
}

#[test]
fn short_columns_are_the_plain_ones_where_they_lie() {
    for rows in [2, 3, 4, 5, 8, 31, 32, 33] {
        for columns in [15, 16, 17, 31, 33, 511, 512, 513, 1037] {
            for what in 0..3 {
                check(what, [rows, columns, columns], true);
                check(what, [rows, columns, columns + 5], true);
            }
        }
    }
    // Large enough to pass the caches by.
    for columns in [1 << 16, (1 << 16) + 3] {
        (0..3).for_each(|what| check(what, [7, columns, columns], true));
    }
}

#[test]
fn columns_of_every_length_at_which_tiles_are_split_are_the_plain_ones() {
    let longest = ROOM / WIDTH;
    for rows in [2, PART - 1, PART + 1, longest / GROUPS, longest / GROUPS + 1, longest, longest + 1, longest + PART] {
        for what in 0..3 {
            check(what, [rows, 9, 9], true);
            check(what, [rows, WIDTH + 1, 600], true);
        }
    }
}

#[test]
fn columns_of_every_length_at_which_parts_end_are_the_plain_ones() {
    for rows in [RAW - 1, RAW, RAW + 1, RAW + 4, 2 * RAW - 1, 2 * RAW, 2 * RAW + 1, 3 * RAW + 3] {
        for columns in [33, WIDTH, WIDTH + 1, 3 * WIDTH - 1, GROUPS * WIDTH, GROUPS * WIDTH + 1] {
            check(0, [rows, columns, columns], true);
            check(0, [rows, columns, columns + 600], true);
        }
    }
    // Large enough to pass the caches by, with rows that begin anywhere in a line of memory or always at one place.
    for columns in [2 * GROUPS * WIDTH, 2 * GROUPS * WIDTH + 16, 2 * GROUPS * WIDTH + 1] {
        for rows in [RAW * 17 + 1, BLOCK * 20 - 1, BLOCK * 20 + 4] {
            check(0, [rows, columns, columns], true);
        }
    }
}

/// Softmax of columns that are large enough to be swept, for each place what is there.
fn swept([rows, columns]: [usize; 2], x: impl Fn(usize, usize) -> f32) -> Vec<f32> {
    let data: Vec<f32> = (0..rows * columns).map(|at| x(at / columns, at % columns)).collect();
    let (mut out, strides): (_, &[isize]) = (vec![0.0; rows * columns], &[1, columns as isize]);
    let dst = ViewMut { data: &mut out, offset: 0, strides };
    softmax(&[columns], rows, View { data: &data, offset: 0, strides }, dst, None);
    out
}

#[test]
fn columns_that_rise_slowly_or_fast_while_they_are_swept_are_as_exact_as_others() {
    let sizes = [300, 1040];
    // Some columns begin with -∞, far below where they end.
    let x = |i: usize, j: usize| {
        if i < j % 90 { f32::NEG_INFINITY } else { (i as f32).mul_add((j % 7) as f32 * 0.11, -1000.0 * (j % 2) as f32) }
    };
    let out = swept(sizes, x);
    for j in 0..sizes[1] {
        let line: Vec<f64> = (0..sizes[0]).map(|i| f64::from(x(i, j))).collect();
        let top = line.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (i, exact) in plain(0, &line).into_iter().enumerate() {
            let got = f64::from(out[i * sizes[1] + j]);
            let below = if line[i] > f64::NEG_INFINITY { top - line[i] } else { 0.0 };
            let bound = (4.125 + below / 2.0) * f64::from(f32::EPSILON) * exact + f64::from(f32::MIN_POSITIVE);
            assert!((got - exact).abs() <= bound, "{got} for {exact}, row {i}, column {j}");
        }
    }
}

#[cfg(feature = "parallel")]
#[test]
fn columns_are_swept_to_the_same_numbers_by_any_number_of_threads() {
    let x = |i: usize, j: usize| ((i * 7919 + j * 104_729) % 1013) as f32 / 100.0;
    let with = |threads: usize| crate::kernel::threads::with_threads(threads, || swept([130, 3008], x));
    let one = with(1);
    for threads in [2, 3, 7] {
        assert!(with(threads) == one, "{threads} threads");
    }
}

#[test]
fn nan_and_infinities_at_any_place_of_a_column_change_that_column_alone() {
    let (rows, columns) = (2 * RAW + 5, GROUPS * WIDTH + 21);
    for round in 0..5 {
        let mut data: Vec<f32> = Random::new(17).reals(rows * columns).into_iter().map(|x| 40.0 * x).collect();
        for column in 0..columns {
            let at = column * 7 % rows * columns + column;
            match (column + round) % 5 {
                0 => data[at] = f32::NAN,
                1 => data[at] = f32::INFINITY,
                2 => data[at] = f32::NEG_INFINITY,
                3 => (0..rows).filter(|i| i * columns + column != at).for_each(|i| {
                    // All but one: nothing is known until that is read.
                    data[i * columns + column] = f32::NEG_INFINITY;
                }),
                _ => (0..rows).for_each(|i| data[i * columns + column] = f32::NEG_INFINITY),
            }
        }
        let mut out = vec![0.0; rows * columns];
        let strides: &[isize] = &[1, columns as isize];
        let src = View { data: &data, offset: 0, strides };
        softmax(&[columns], rows, src, ViewMut { data: &mut out, offset: 0, strides }, None);
        for column in 0..columns {
            let line: Vec<f64> = (0..rows).map(|i| f64::from(data[i * columns + column])).collect();
            for (i, exact) in plain(0, &line).into_iter().enumerate() {
                let got = f64::from(out[i * columns + column]);
                let is_right = match (column + round) % 5 {
                    2 | 3 => (got - exact).abs() <= 1e-5 * exact + 1e-37 && (exact > 0.0 || got == 0.0),
                    _ => got.is_nan(),
                };
                assert!(is_right, "{got} for {exact} in row {i} of column {column}, round {round}");
            }
        }
    }
}

/// Rows at which something begins or ends if so many columns lie side by side and are folded: `k` elements of each column
/// in one row of a tile, `PART` of those in a part, and pieces of parts.
fn ends(columns: usize) -> Vec<usize> {
    let k = (WIDTH / columns.min(WIDTH)).max(1);
    let piece = (PIECE / columns.min(WIDTH)).next_multiple_of(WIDTH);
    let near = [2 * WIDTH / columns, 3 * k, PART * k, piece, 2 * piece];
    near.into_iter().filter(|&rows| rows > 2).flat_map(|rows| [rows - 1, rows, rows + 1]).collect()
}

#[test]
fn few_columns_are_the_plain_ones_however_they_are_folded_and_cut_into_pieces() {
    for columns in [2, 3, 7, 8, 21, 31, 32, 33] {
        for rows in ends(columns) {
            for what in 0..3 {
                check(what, [rows, columns, columns], true);
            }
            check(0, [rows, columns, columns + 3], true);
            check(2, [rows, columns, columns + 3], true);
        }
    }
    check(0, [2 * PIECE + 5, 1, 1], true);
    check(0, [2 * PIECE + 5, 1, 3], true);
}

#[test]
fn many_long_columns_and_some_more_are_the_plain_ones() {
    for columns in [WIDTH - 1, WIDTH, WIDTH + 1, 2 * WIDTH + 2] {
        let longest = ROOM / WIDTH;
        for rows in [longest + 1, 5 * PIECE / WIDTH - 1, 5 * PIECE / WIDTH + 1] {
            for what in 0..3 {
                check(what, [rows, columns, columns], true);
            }
        }
    }
}

#[test]
fn what_pieces_know_is_put_together_whatever_is_not_finite_in_some_of_them() {
    let columns = 8;
    let rows = 3 * PIECE / columns + 77;
    let least = f32::NEG_INFINITY;
    let mut data: Vec<f32> = Random::new(14).reals(rows * columns).into_iter().map(|x| 1000.0 + x).collect();
    let at = |row: usize, column: usize| row * columns + column;
    // Column 1 is -∞ up to the last piece, 2 has NaN in the first one, 3 among -∞ in the second, 4 has +∞ in the last one,
    // 5 is -∞, 6 begins far from all others; 0 and 7 are as they were.
    for row in 0..rows {
        if row < rows - 70 {
            data[at(row, 1)] = least;
        }
        if row < 2 * PIECE / columns {
            data[at(row, 3)] = least;
        }
        data[at(row, 5)] = least;
    }
    data[at(5, 2)] = f32::NAN;
    data[at(PIECE / columns + 3, 3)] = f32::NAN;
    data[at(rows - 1, 4)] = f32::INFINITY;
    data[at(0, 6)] = 1e6;
    let strides: &[isize] = &[1, columns as isize];
    for what in 0..3 {
        let run = || {
            let mut out = vec![0.0; data.len()];
            let src = View { data: &data, offset: 0, strides };
            apply(what, [columns, rows], src, ViewMut { data: &mut out, offset: 0, strides }, None);
            out
        };
        let out = run();
        for column in 0..columns {
            let line: Vec<f64> = (0..rows).map(|row| f64::from(data[at(row, column)])).collect();
            for (row, exact) in plain(what, &line).into_iter().enumerate() {
                let got = f64::from(out[at(row, column)]);
                let has_none = [2, 3, 4, 5].contains(&column) || what == 2 && column == 1;
                let is_right = if has_none {
                    got.is_nan()
                } else {
                    got == exact || (got - exact).abs() <= 1e-6 * (1.0 + exact.abs())
                };
                assert!(is_right, "{what}: {got} for {exact}, row {row} of column {column}");
            }
        }
        #[cfg(feature = "parallel")]
        for threads in [1, 2, 3] {
            let other = crate::kernel::threads::with_threads(threads, run);
            assert!(out.iter().zip(&other).all(|(x, y)| x.to_bits() == y.to_bits()), "{what}: {threads} threads");
        }
    }
}

#[test]
fn large_results_are_sent_to_their_place_whatever_their_rows_begin_with() {
    for (columns, step) in [(528, 528), (1037, 1040), (1024, 1031), (512, 1040), (700, 704)] {
        for what in 0..3 {
            check(what, [600, columns, step], true);
            check(what, [600, columns, step], false);
        }
    }
}

#[test]
fn rows_of_every_length_are_the_plain_ones() {
    for columns in [1, 5, 31, 32, 33, 63, 64, 65, 129, 1023, 1024, 1025, 2047, 2048, 2049, 4100] {
        for what in 0..3 {
            check(what, [50, columns, columns], false);
            check(what, [50, columns, columns + 1], false);
        }
    }
}

#[test]
fn rows_of_any_length_are_sent_while_others_are_computed() {
    for columns in [32, 33, 65, 341, 342, 500, 512, 513, 1000, 1025, 4099] {
        let rows = 300_000 / columns;
        check(0, [rows, columns, columns], false);
        check(0, [rows, columns, columns + 1], false);
    }
}

#[test]
fn rows_so_long_that_the_next_is_not_asked_for_are_the_plain_ones() {
    for columns in [65_535, 65_536, 65_537] {
        check(0, [5, columns, columns], false);
        check(0, [3, columns, columns + 9], false);
    }
}

#[test]
fn a_row_that_is_not_finite_somewhere_does_not_change_the_others_of_a_large_result() {
    let (rows, columns) = (2100, 131);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for what in [0, 2] {
            let mut data = random_rows(rows * columns);
            // Every second row, in each place of a line.
            (0..rows).step_by(2).for_each(|row| data[row * columns + row / 2 % columns] = bad);
            let mut out = vec![7.0; data.len()];
            let strides: &[isize] = &[columns as isize, 1];
            let src = View { data: &data, offset: 0, strides };
            apply(what, [rows, columns], src, ViewMut { data: &mut out, offset: 0, strides }, None);
            for (row, (line, got)) in data.chunks(columns).zip(out.chunks(columns)).enumerate() {
                if row % 2 == 0 && (what == 2 || bad > 0.0 || bad.is_nan()) {
                    assert!(got.iter().all(|x| x.is_nan()), "{what}: row {row} with {bad}");
                    continue;
                }
                let exact = plain(what, &line.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
                let is_near = |(&x, y): (&f32, f64)| (f64::from(x) - y).abs() <= 1e-6 * (1.0 + y.abs());
                assert!(got.iter().zip(exact).all(is_near), "{what}: row {row} with {bad} in others");
            }
        }
    }
}

#[test]
fn every_line_has_its_own_gain_and_shift_where_those_differ() {
    let program = program(2);
    for (rows, columns) in [(70, 768), (400, 129), (300, 1025)] {
        let buffer = || Buffer::F32(random_rows(2 * rows * columns).into());
        let buffers = [buffer(), buffer(), buffer(), buffer()];
        let own: &[isize] = &[columns as isize, 1];
        for strides in [[own, own], [own, &[0, 1]], [&[0, 1], own]] {
            let operands: Vec<Operand<'_>> =
                (0..4).map(|i| Operand { buffer: &buffers[i], offset: 5 * i, strides: strides[i.min(1)] }).collect();
            let data = random_rows(rows * columns);
            let tail = Tail::new(&program, &[rows, columns], &operands);
            let (mut alone, mut out) = (vec![0.0; data.len()], vec![0.0; data.len()]);
            let src = View { data: &data, offset: 0, strides: own };
            apply(2, [rows, columns], src, ViewMut { data: &mut alone, offset: 0, strides: own }, None);
            apply(2, [rows, columns], src, ViewMut { data: &mut out, offset: 0, strides: own }, Some(&tail));
            let read = |i: usize, at: usize| match &buffers[i] {
                Buffer::F32(values) => values[5 * i + at / columns * strides[i][0] as usize + at % columns],
                _ => unreachable!("these are reals"),
            };
            for (at, (&got, &x)) in out.iter().zip(&alone).enumerate() {
                assert_eq!(got, x * read(0, at) + read(1, at), "element {at} of {rows} × {columns}");
            }
        }
    }
}

#[test]
fn a_line_of_several_rows_of_its_tail_has_gain_and_shift_of_each() {
    let (program, [rows, parts, columns]) = (program(2), [130, 2, 128]);
    let (size, own): (usize, &[isize]) = (parts * columns, &[256, 1]);
    let buffers = [(); 2].map(|()| Buffer::F32(random_rows(2 * rows * size).into()));
    // The same beside both parts; more elements than are read; another for each part, with gaps.
    for strides in [[128_isize, 0, 1], [0, 0, 1], [260, 130, 1], [256, 128, 1]] {
        let operands: Vec<Operand<'_>> =
            (0..4).map(|i| Operand { buffer: &buffers[i % 2], offset: i, strides: &strides }).collect();
        let data = random_rows(rows * size);
        let (mut alone, mut out) = (vec![0.0; data.len()], vec![0.0; data.len()]);
        let src = View { data: &data, offset: 0, strides: own };
        let tail = Tail::new(&program, &[rows, parts, columns], &operands);
        apply(2, [rows, size], src, ViewMut { data: &mut alone, offset: 0, strides: own }, None);
        apply(2, [rows, size], src, ViewMut { data: &mut out, offset: 0, strides: own }, Some(&tail));
        for (at, (&got, &x)) in out.iter().zip(&alone).enumerate() {
            let index = [at / size, at / columns % parts, at % columns].map(|i| i as isize);
            let place: isize = index.iter().zip(strides).map(|(i, stride)| i * stride).sum();
            let read = |i: usize| match &buffers[i] {
                Buffer::F32(values) => values[i + place as usize],
                _ => unreachable!("these are reals"),
            };
            assert_eq!(got, x * read(0) + read(1), "element {at}, {strides:?}");
        }
    }
}

/// A tail that scales and shifts; adds what stands at the same place; subtracts a number of the row; takes the floor: so
/// many of these. The first two alone are read row by row, the third as well, the others not.
fn program(steps: usize) -> Program {
    let mut all = vec![Instruction::Own(Kind::F32)];
    for (operand, op) in [Binary::Mul, Binary::Add, Binary::Add, Binary::Sub].into_iter().enumerate().take(steps) {
        let last = all.len() - 1;
        all.push(Instruction::Load(operand));
        all.push(Instruction::Binary(op, last, last + 1));
    }
    if steps > 4 {
        all.push(Instruction::Unary(Unary::Floor, all.len() - 1));
    }
    Program::new(all, &[Kind::F32; 4])
}

#[test]
fn a_tail_finds_its_operands_whatever_the_length_of_the_rows() {
    let mut random = Random::new(12);
    for columns in
        [1, 3, 7, 20, 64, 127, 128, 129, 255, 256, 257, 300, 511, 512, 513, 768, 1023, 1024, 1025, 2048, 2049, 5000]
    {
        for rows in
            [3, 41_000_usize.div_ceil(columns), 101_000_usize.div_ceil(columns), 300_000_usize.div_ceil(columns)]
        {
            let mut buffer = |size: usize| Buffer::F32(random.reals(size).into());
            let operands = [buffer(columns), buffer(columns), buffer(rows * columns), buffer(rows)];
            let strides: [[isize; 2]; 4] = [[0, 1], [0, 1], [columns as isize, 1], [1, 0]];
            let operands: Vec<Operand<'_>> =
                operands.iter().zip(&strides).map(|(buffer, strides)| Operand { buffer, offset: 0, strides }).collect();
            let data = random_rows(rows * columns);
            let all = [(5, 2), (2, 0), (4, 2), (3, 2), (2, 2), (1, 2)];
            // A program of every length, where there are many rows those alone that take most and least of it.
            for (steps, what) in all.into_iter().take(if rows * columns > 100_000 { 2 } else { all.len() }) {
                let program = program(steps);
                let tail = Tail::new(&program, &[rows, columns], &operands);
                for across in [false, true] {
                    let (sizes, strides): ([usize; 2], [isize; 2]) = if across {
                        ([columns, rows], [1, columns as isize])
                    } else {
                        ([rows, columns], [columns as isize, 1])
                    };
                    let (mut alone, mut out) = (vec![0.0; data.len()], vec![0.0; data.len()]);
                    let src = View { data: &data, offset: 0, strides: &strides };
                    apply(what, sizes, src, ViewMut { data: &mut alone, offset: 0, strides: &strides }, None);
                    apply(what, sizes, src, ViewMut { data: &mut out, offset: 0, strides: &strides }, Some(&tail));
                    let read = |i: usize, at: usize| match operands[i].buffer {
                        Buffer::F32(values) => values[at],
                        _ => unreachable!("these are reals"),
                    };
                    for (at, (&got, &x)) in out.iter().zip(&alone).enumerate() {
                        let (row, column) = (at / columns, at % columns);
                        let mut wanted = x * read(0, column);
                        let after = [read(1, column), read(2, at), -read(3, row)];
                        after.iter().take(steps - 1).for_each(|term| wanted += term);
                        let wanted = if steps > 4 { wanted.floor() } else { wanted };
                        assert_eq!(got, wanted, "element {at} of {sizes:?} {strides:?}, {steps} steps");
                    }
                }
            }
        }
    }
}

fn random_rows(size: usize) -> Vec<f32> {
    Random::new(13).reals(size)
}

#[test]
fn columns_of_small_matrices_are_lines_at_every_position_of_a_batch() {
    let data: Vec<f32> = Random::new(12).reals(9000).into_iter().map(|x| 5.0 * x).collect();
    for (count, [rows, columns]) in
        [(500, [3, 3]), (400, [2, 2]), (300, [4, 4]), (201, [5, 3]), (300, [3, 7]), (9, [3, 3])]
    {
        let [size, total] = [rows * columns, count * rows * columns];
        let strides = [size as isize, 1, columns as isize];
        for what in 0..3 {
            let (mut out, outer) = (vec![7.0; total], [count, columns]);
            let src = View { data: &data, offset: 5, strides: &strides };
            let dst = ViewMut { data: &mut out, offset: 0, strides: &strides };
            match what {
                0 => softmax(&outer, rows, src, dst, None),
                1 => log_softmax(&outer, rows, src, dst, None),
                _ => standardize(EPSILON, &outer, rows, src, dst, None),
            }
            for line in 0..count * columns {
                let at = |i: usize| line / columns * size + line % columns + i * columns;
                let exact: Vec<f64> = (0..rows).map(|i| f64::from(data[5 + at(i)])).collect();
                for (i, exact) in plain(what, &exact).into_iter().enumerate() {
                    let (got, bound) = (f64::from(out[at(i)]), 1e-6 * (1.0 + exact.abs()));
                    assert!(
                        (got - exact).abs() <= bound,
                        "{what}: {got} for {exact}, {i} of line {line}, {rows} × {columns}"
                    );
                }
            }
        }
    }
}
