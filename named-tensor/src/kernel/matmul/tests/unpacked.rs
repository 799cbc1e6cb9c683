//! Windows that are read where they lie: which are, the same numbers as through panels, and what ends them.

use super::*;
use crate::kernel::map::Finisher;
use crate::kernel::matmul::packing::Packing;
use crate::kernel::matmul::windows::Lying;
use crate::kernel::tiles::Group;
use crate::kernel::vectors;

/// Windows of `side` by `side` in a picture with channels.
fn lying([chans, height, width, side]: [usize; 4]) -> Lying {
    let step = width as isize;
    Lying::new(Windows {
        terms: &[(chans, height as isize * step), (side, step), (side, 1)],
        columns: &[(height - side + 1, step), (width - side + 1, 1)],
    })
}

#[test]
fn what_begins_no_window_is_left_out_of_groups() {
    let lying = lying([1, 5, 9, 3]);
    let groups = |start, end, last| lying.columns.groups(start, end, last).collect::<Vec<Group>>();
    // Rows of seven windows and two places that begin none.
    let whole = [Group { from: 0, kept: 0b1111_1110_0111_1111 }, Group { from: 18, kept: 0b111_1111 }];
    assert_eq!(groups(0, 21, 100), whole);
    assert_eq!(groups(3, 9, 100), [Group { from: 3, kept: 0b1100_1111 }], "some columns");
    assert_eq!(groups(14, 21, 16), [Group { from: 16, kept: 0b1_1111_1100 }], "none begins after the last place");
}

#[test]
fn windows_are_packed_where_more_would_be_left_out_than_packing_takes() {
    let is_near = |sizes, rows| lying(sizes).is_near(rows);
    if vectors::are_none() {
        return assert!(!is_near([1, 60, 60, 3], 8), "numbers one by one are packed");
    }
    assert!(is_near([1, 60, 60, 3], 8) && is_near([16, 28, 28, 3], 32), "few are left out");
    assert!(is_near([1, 60, 60, 3], 128) && !is_near([1, 60, 60, 3], 1024), "they are computed for every row");
    assert!(!is_near([1, 12, 12, 9], 16), "as many are left out as there are");
    let apart = Lying::new(Windows { terms: &[(3, 1)], columns: &[(30, 120), (29, 2)] });
    assert!(!apart.is_near(8), "windows apart are packed");
}

#[test]
fn windows_read_where_they_lie_give_the_numbers_of_packed_ones() {
    for (sizes, m) in [([3, 9, 13, 3], 1), ([2, 8, 40, 5], 7), ([130, 7, 11, 3], 17), ([1, 30, 6, 2], 100)] {
        let lying = lying(sizes);
        let [k, n] = [lying.all_terms.len(), lying.columns.count()];
        let mut random = Random::new(8);
        let (a, b) = (random.reals(m * k), random.reals(sizes[0] * sizes[1] * sizes[2]));
        let [lhs, rhs] = [&a, &b].map(|data| View { data, offset: 0, strides: &[] });
        let rows = Axis { size: m, lhs: k as isize, rhs: 0, dst: n as isize };
        let columns = Axis { size: n, lhs: 0, rhs: 0, dst: 1 };
        let product = Product::new(0.5, [rows, columns], (k, 1, 0), [lhs, rhs]);
        let multiply = |packing, start: usize| -> Vec<u32> {
            let mut out = vec![f32::NAN; m * n];
            let part = Product { packing: Some(packing), ..product };
            let (part, distances) = part.part(0..m, start..n);
            let nothing: Option<&mut Finisher<'_, f32>> = None;
            // SAFETY: the result has all rows and columns, and is borrowed mutably.
            unsafe { part.compute(distances, &Shared::new(&mut out), 0, nothing) };
            out.into_iter().map(f32::to_bits).collect()
        };
        for start in [0, 5] {
            let packed = multiply(Packing::Windows(&lying, 0), start);
            assert!(multiply(Packing::Lying(&lying, 0), start) == packed, "{sizes:?}, {m} rows from {start} on");
        }
    }
}

#[test]
fn bias_relu_and_residual_end_sums_of_windows_in_each_row_and_column() {
    use crate::element::{Binary, Buffer, Kind, Unary};
    use crate::kernel::map::{Instruction, Operand, Program, Tail};
    // relu(y + b) + r, with b one for each row.
    let instructions = vec![
        Instruction::Own(Kind::F32),
        Instruction::Load(0),
        Instruction::Binary(Binary::Add, 0, 1),
        Instruction::Unary(Unary::Relu, 2),
        Instruction::Load(1),
        Instruction::Binary(Binary::Add, 3, 4),
    ];
    let program = Program::new(instructions, &[Kind::F32; 2]);
    for (sizes @ [chans, height, width, side], m) in [([3, 13, 29, 3], 9), ([2, 40, 41, 2], 32), ([120, 9, 40, 3], 6)] {
        let step = width as isize;
        let (terms, columns) = (
            [(chans, height as isize * step), (side, step), (side, 1)],
            [(height - side + 1, step), (width - side + 1, 1)],
        );
        let lying = lying(sizes);
        let [k, n] = [lying.all_terms.len(), lying.columns.count()];
        let mut random = Random::new(3);
        let (a, b) = (random.reals(m * k), random.reals(chans * height * width));
        let (bias, residual) = (random.reals(m), random.reals(m * n));
        let buffers = [&bias, &residual].map(|numbers| Buffer::F32(numbers.clone().into()));
        let steps = [[1, 0], [n as isize, 1]];
        let operands: Vec<Operand<'_>> =
            buffers.iter().zip(&steps).map(|(buffer, strides)| Operand { buffer, offset: 0, strides }).collect();
        let tail = Tail::new(&program, &[m, n], &operands);
        let mut out = vec![f32::NAN; m * n];
        windowed(
            0.5,
            &[],
            m,
            Windows { terms: &terms, columns: &columns },
            View { data: &a, offset: 0, strides: &[k as isize, 1] },
            View { data: &b, offset: 0, strides: &[] },
            ViewMut { data: &mut out, offset: 0, strides: &[n as isize, 1] },
            Some(&tail),
        );
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let right = |t: usize| f64::from(b[lying.all_terms[t] + lying.columns.at(j)]);
            let sum: f64 = (0..k).map(|t| f64::from(a[i * k + t]) * right(t)).sum();
            let exact = (sum / 2.0 + f64::from(bias[i])).max(0.0) + f64::from(residual[i * n + j]);
            let got = f64::from(out[i * n + j]);
            assert!((got - exact).abs() < 1e-4, "{sizes:?}, at {i}, {j}: {got} for {exact}");
        }
    }
}
