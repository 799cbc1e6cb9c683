//! Products in every layout against plain loops in `f64`.

mod dots;
mod large;
mod paired;
mod shallow;
mod tall;
mod thin;
mod turned;
mod unpacked;
mod windows;

use super::*;
use crate::kernel::span::row_major;
use crate::kernel::testing::{Random, positions};

/// Compares with three plain loops in `f64`; the destination starts as NaN.
fn check<T: Lanes>(batch: &[usize], [m, k, n]: [usize; 3], [lhs, rhs, dst]: [&[isize]; 3], epsilon: f64) {
    let reach = |sizes: &[usize], strides: &[isize]| -> usize {
        1 + sizes.iter().zip(strides).map(|(&n, &s)| n.saturating_sub(1) * s as usize).sum::<usize>()
    };
    let with = |rows, columns| [batch, &[rows, columns]].concat();
    let mut random = Random::new(11);
    let mut data = |size| -> Vec<T> { random.reals(size).into_iter().map(|x| T::narrow(f64::from(x))).collect() };
    let (a, b) = (data(reach(&with(m, k), lhs)), data(reach(&with(k, n), rhs)));
    let mut out = vec![T::narrow(f64::NAN); reach(&with(m, n), dst)];
    let scale = T::narrow(0.25);
    let (left, right) = (View { data: &a, offset: 0, strides: lhs }, View { data: &b, offset: 0, strides: rhs });
    matmul(scale, batch, [m, k, n], left, right, ViewMut { data: &mut out, offset: 0, strides: dst }, None);
    let outer = batch.len();
    let first =
        positions(batch, &lhs[..outer]).zip(positions(batch, &rhs[..outer])).zip(positions(batch, &dst[..outer]));
    // Along an axis of the batch that the destination does not have, terms are added.
    let mut exact: Vec<Option<(usize, f64, f64)>> = vec![None; out.len()];
    for ((l, r), d) in first {
        for (i, j) in (0..m as isize).flat_map(|i| (0..n as isize).map(move |j| (i, j))) {
            let at = (d + i * dst[outer] + j * dst[outer + 1]) as usize;
            let (terms, sum, size) = exact[at].get_or_insert_default();
            for x in 0..k as isize {
                let term = a[(l + i * lhs[outer] + x * lhs[outer + 1]) as usize].wide()
                    * b[(r + x * rhs[outer] + j * rhs[outer + 1]) as usize].wide();
                *terms += 1;
                *sum += term / 4.0;
                *size += f64::abs(term) / 4.0;
            }
        }
    }
    for (at, (got, exact)) in out.iter().zip(exact).enumerate() {
        let got = got.wide();
        match exact {
            Some((terms, sum, size)) => {
                let bound = 2.0 * terms as f64 * epsilon * size;
                assert!((got - sum).abs() <= bound, "{got} for {sum} at {at} of {batch:?} {m}x{k}x{n}");
            }
            None => assert!(got.is_nan(), "nothing is written between the rows of {batch:?} {m}x{k}x{n}"),
        }
    }
}

fn check_both(batch: &[usize], sizes: [usize; 3], strides: [&[isize]; 3]) {
    check::<f32>(batch, sizes, strides, f64::from(f32::EPSILON) / 2.0);
    check::<f64>(batch, sizes, strides, f64::EPSILON / 2.0);
}

#[test]
fn every_order_of_rows_and_columns_agrees_with_plain_loops() {
    for [m, k, n] in [
        [1, 1, 1],
        [1, 70, 33],
        [33, 70, 1],
        [1, 5, 1],
        [5, 1, 7],
        [7, 2, 5],
        [17, 300, 19],
        [64, 64, 64],
        [3, 1100, 4],
        [1, 77, 300],
        [300, 33, 1],
        [5, 130, 120],
        [90, 70, 8],
        [37, 61, 50],
        [20, 700, 105],
        [1, 520, 300],
        [259, 530, 1],
        [3, 500, 270],
        [280, 480, 2],
        [12, 300, 520],
        [520, 310, 17],
    ] {
        let orders =
            |rows: usize, columns: usize| [[columns as isize, 1], [1, rows as isize], [2 * columns as isize + 1, 2]];
        for lhs in orders(m, k) {
            for rhs in orders(k, n) {
                for dst in orders(m, n) {
                    check_both(&[], [m, k, n], [&lhs, &rhs, &dst]);
                }
            }
        }
    }
}

#[test]
fn an_operand_that_is_turned_around_agrees_at_every_edge_of_panels() {
    for [m, k, n] in [
        [8, 64, 32],
        [9, 65, 70],
        [17, 300, 33],
        [24, 128, 32],
        [25, 129, 33],
        [27, 127, 48],
        [30, 1023, 47],
        [49, 1024, 64],
        [29, 1025, 65],
        [24, 2050, 65],
        [31, 140, 191],
        [150, 130, 140],
    ] {
        for gap in [0, 3] {
            let along = |size: usize| (size + gap) as isize;
            for lhs in [[along(k), 1], [1, along(m)]] {
                check_both(&[], [m, k, n], [&lhs, &[1, along(k)], &[along(n), 1]]);
                // The same seen from the other side.
                check_both(&[], [n, k, m], [&[along(k), 1], &[lhs[1], lhs[0]], &[1, along(n)]]);
            }
        }
    }
}

#[test]
fn matrices_that_lie_backwards_agree_with_those_that_lie_forwards() {
    let [m, k, n] = [31, 40, 27];
    let mut random = Random::new(5);
    let (a, b) = (random.reals(m * k), random.reals(k * n));
    let run = |ways: [[isize; 2]; 3]| {
        let mut out = vec![f32::NAN; m * n];
        let seen = |[rows, columns]: [usize; 2], [down, along]: [isize; 2]| {
            let first = |size: usize, way: isize, step: usize| if way < 0 { (size - 1) * step } else { 0 };
            (first(rows, down, columns) + first(columns, along, 1), [down * columns as isize, along])
        };
        let [(left, lhs), (right, rhs), (first, dst)] =
            [seen([m, k], ways[0]), seen([k, n], ways[1]), seen([m, n], ways[2])];
        let view = |data, offset, strides| View { data, offset, strides };
        let to = ViewMut { data: &mut out, offset: first, strides: &dst };
        matmul(1.0, &[], [m, k, n], view(&a, left, &lhs), view(&b, right, &rhs), to, None);
        out
    };
    let forwards = run([[1, 1]; 3]);
    // What lies the other way round in both places where it is, comes to lie as before.
    for (what, ways) in [
        ("rows", [[-1, 1], [1, 1], [-1, 1]]),
        ("columns", [[1, 1], [1, -1], [1, -1]]),
        ("terms", [[1, -1], [-1, 1], [1, 1]]),
        ("all", [[-1, -1]; 3]),
    ] {
        assert!(run(ways).iter().zip(&forwards).all(|(x, y)| (x - y).abs() < 1e-4), "{what} backwards");
    }
}

#[test]
fn batches_agree_with_plain_loops_whether_operands_have_them_or_not() {
    let (b, h, m, k, n) = (3, 4, 6, 5, 7);
    let dense = |sizes: &[usize]| row_major(sizes);
    // Both operands have the batch, in rows that interleave with the heads.
    let (lhs, rhs) = ([m * h * k, k, h * k, 1].map(|s| s as isize), [n * h * k, k, 1, h * k].map(|s| s as isize));
    check_both(&[b, h], [m, k, n], [&lhs, &rhs, &dense(&[b, h, m, n])]);
    // One matrix for all: rows absorb the batch, from outside and from inside.
    check_both(&[b, h], [m, k, n], [&dense(&[b, h, m, k]), &[0, 0, n as isize, 1], &dense(&[b, h, m, n])]);
    check_both(
        &[h],
        [m, k, n],
        [&[k as isize, (h * k) as isize, 1], &[0, n as isize, 1], &[n as isize, (h * n) as isize, 1]],
    );
    // The right operand has the batch: columns absorb it.
    check_both(
        &[h],
        [m, k, n],
        [&[0, k as isize, 1], &[n as isize, (h * n) as isize, 1], &[n as isize, (h * n) as isize, 1]],
    );
    // Neither has it.
    check_both(&[h], [m, k, n], [&[0, k as isize, 1], &[0, n as isize, 1], &dense(&[h, m, n])]);
    // Rows that go on evenly in the operand but not in the result stay a batch.
    check_both(&[h], [m, k, n], [&dense(&[h, m, k]), &[0, n as isize, 1], &[(2 * m * n) as isize, n as isize, 1]]);
}

#[test]
fn a_sum_over_two_axes_that_no_stride_walks_through_agrees_with_plain_loops() {
    for (size, [m, k, n]) in [
        (2, [24, 64, 32]),
        (3, [5, 7, 6]),
        (5, [25, 33, 65]),
        (2, [30, 511, 64]),
        (9, [31, 114, 47]),
        (2, [24, 1024, 33]),
        (33, [26, 32, 66]),
        (1, [30, 130, 40]),
        (4, [24, 0, 32]),
    ] {
        let strides = |sizes: [usize; 3], order: [usize; 3]| {
            let mut strides = [0; 3];
            let mut step = 1;
            for axis in order.into_iter().rev() {
                strides[axis] = step as isize;
                step *= sizes[axis];
            }
            strides
        };
        let (left, right) = ([size, m, k], [size, k, n]);
        // The sum is one run of the left operand, of the right one, or of neither; and it lies along rows or across.
        for lhs in [strides(left, [1, 0, 2]), strides(left, [0, 1, 2]), strides(left, [0, 2, 1])] {
            for rhs in [strides(right, [1, 0, 2]), strides(right, [0, 1, 2]), strides(right, [2, 0, 1])] {
                for dst in [[0, n as isize, 1], [0, 1, m as isize]] {
                    check_both(&[size], [m, k, n], [&lhs, &rhs, &dst]);
                    let [l, r] = [(size * m * k) as isize, 0];
                    let to = (m * n) as isize;
                    let batched = |of: [isize; 3], batch: isize| [of[0], batch, of[1], of[2]];
                    check_both(&[size, 2], [m, k, n], [&batched(lhs, l), &batched(rhs, r), &batched(dst, to)]);
                }
            }
        }
    }
}

#[test]
fn work_for_several_threads_agrees_with_plain_loops() {
    check_both(&[], [130, 120, 110], [&[120, 1], &[110, 1], &[110, 1]]);
    check_both(&[16], [40, 30, 50], [&[1200, 30, 1], &[1500, 50, 1], &[2000, 50, 1]]);
    check_both(&[2], [100, 90, 110], [&[9000, 90, 1], &[9900, 1, 90], &[11000, 110, 1]]);
}

#[test]
fn many_rows_times_a_matrix_across_the_sum_agree_with_plain_loops_at_every_edge_of_panels() {
    for [m, k, n] in
        [[48, 300, 79], [77, 64, 200], [128, 256, 64], [130, 257, 65], [151, 300, 79], [129, 1029, 80], [1100, 256, 64]]
    {
        let [left, right, to] = [k + 3, n + 5, n + 2].map(|pitch| pitch as isize);
        check_both(&[], [m, k, n], [&[left, 1], &[right, 1], &[to, 1]]);
        check_both(&[], [n, k, m], [&[1, right], &[1, left], &[1, to]]);
    }
    let [m, k, n] = [150, 260, 70];
    check_both(&[9], [m, k, n], [&[0, 260, 1], &[18200, 70, 1], &[70, 630, 1]]);
    check_both(&[9], [m, k, n], [&[39000, 260, 1], &[0, 70, 1], &[10500, 70, 1]]);
    // A sum over two axes, of which the inner one has one term, whose step then means nothing.
    check_both(&[300], [130, 1, 64], [&[1, 300, 1], &[64, isize::MAX / 2, 1], &[0, 64, 1]]);
    check_both(&[1100], [130, 1, 64], [&[1, 1100, 1], &[0, isize::MAX / 2, 1], &[0, 64, 1]]);
}

#[test]
fn panels_that_are_packed_together_agree_with_plain_loops_at_every_edge() {
    // Whole products of a batch: panels of short sums have room together, all of them, some, and one alone.
    for [m, k, n] in [[24, 64, 200], [50, 70, 1100], [31, 400, 200], [25, 513, 130], [26, 1100, 130]] {
        let [inner, columns] = [k, n].map(|size| size as isize);
        let [left, right, to] = [m * k, k * n, m * n].map(|size| size as isize);
        check_both(&[9], [m, k, n], [&[left, inner, 1], &[right, 1, inner], &[to, columns, 1]]);
    }
    // Their rows copied, beside those of the next group.
    check_both(&[8], [128, 300, 400], [&[38_400, 300, 1], &[120_000, 400, 1], &[51_200, 400, 1]]);
    check_both(&[8], [129, 65, 100], [&[129 * 65, 65, 1], &[6500, 100, 1], &[12_900, 100, 1]]);
}

#[test]
fn an_empty_sum_is_zero_and_an_empty_result_is_nothing() {
    let mut out = [f32::NAN; 6];
    let empty = View { data: &[][..], offset: 0, strides: &[0, 1] };
    let dst = ViewMut { data: &mut out, offset: 0, strides: &[3, 1] };
    matmul(1.0, &[], [2, 0, 3], empty, View { strides: &[3, 1], ..empty }, dst, None);
    assert_eq!(out, [0.0; 6], "sums of nothing");
    let (data, mut out) = ([1.0; 20], [f32::NAN; 6]);
    let (view, dst) = (View { data: &data[..], ..empty }, ViewMut { data: &mut out, offset: 0, strides: &[0, 3, 1] });
    matmul(1.0, &[0], [2, 4, 3], View { strides: &[0, 4, 1], ..view }, View { strides: &[0, 3, 1], ..view }, dst, None);
    assert_eq!(out, [0.0; 6], "sums over nothing outside");
    matmul(1.0, &[], [0, 4, 0], empty, empty, ViewMut { data: &mut [], offset: 0, strides: &[0, 1] }, None);
}

#[test]
#[should_panic(expected = "matmul: right operand")]
fn an_operand_past_its_slice_is_refused() {
    let data = [1.0_f32; 6];
    let view = View { data: &data[..], offset: 0, strides: &[3, 1] };
    matmul(1.0, &[], [2, 3, 2], view, view, ViewMut { data: &mut [0.0; 4], offset: 0, strides: &[2, 1] }, None);
}

#[test]
fn bias_relu_and_residual_end_sums_in_registers_in_each_row_and_column() {
    use crate::element::{Binary, Buffer, Kind, Unary};
    use crate::kernel::map::{Instruction, Operand, Program, Tail};
    // relu(y · g + b) + r, with g and b one for each column; r lies as the result does, or with gaps between its rows.
    let instructions = vec![
        Instruction::Own(Kind::F32),
        Instruction::Load(0),
        Instruction::Binary(Binary::Mul, 0, 1),
        Instruction::Load(1),
        Instruction::Binary(Binary::Add, 2, 3),
        Instruction::Unary(Unary::Relu, 4),
        Instruction::Load(2),
        Instruction::Binary(Binary::Add, 5, 6),
    ];
    let program = Program::new(instructions, &[Kind::F32; 3]);
    // Operands that are turned, and such as are packed beside the first rows; sums in one part and in two.
    for ([m, k, n], is_turned) in [
        ([24, 64, 64], true),
        ([31, 70, 200], true),
        ([8, 70, 96], true),
        ([128, 64, 64], false),
        ([150, 300, 144], false),
        ([135, 1100, 200], false),
        // A few terms and a result that no near cache keeps.
        ([520, 20, 510], true),
        ([520, 20, 510], false),
    ] {
        let mut random = Random::new(3);
        let (a, b) = (random.reals(m * k), random.reals(k * n));
        let [gain, bias] = [(); 2].map(|()| random.reals(n));
        for gap in [0, 5] {
            let residual = random.reals(m * (n + gap));
            let strides = if is_turned { [1, k as isize] } else { [n as isize, 1] };
            let [lhs, rhs] = [(&a, [k as isize, 1]), (&b, strides)];
            let buffers = [&gain, &bias, &residual].map(|numbers| Buffer::F32(numbers.clone().into()));
            let steps = [[0, 1], [0, 1], [(n + gap) as isize, 1]];
            let operands: Vec<Operand<'_>> =
                buffers.iter().zip(&steps).map(|(buffer, strides)| Operand { buffer, offset: 0, strides }).collect();
            let tail = Tail::new(&program, &[m, n], &operands);
            let mut out = vec![f32::NAN; m * n];
            let dst = ViewMut { data: &mut out, offset: 0, strides: &[n as isize, 1] };
            let lhs = View { data: lhs.0, offset: 0, strides: &lhs.1 };
            let rhs = View { data: rhs.0, offset: 0, strides: &rhs.1 };
            matmul(0.5, &[], [m, k, n], lhs, rhs, dst, Some(&tail));
            for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let right = |t: usize| if is_turned { b[j * k + t] } else { b[t * n + j] };
                let sum: f64 = (0..k).map(|t| f64::from(a[i * k + t]) * f64::from(right(t))).sum();
                let ended = (sum / 2.0 * f64::from(gain[j]) + f64::from(bias[j])).max(0.0);
                let exact = ended + f64::from(residual[i * (n + gap) + j]);
                let got = f64::from(out[i * n + j]);
                assert!((got - exact).abs() < 1e-4, "{:?}, gap {gap}, at {i}, {j}: {got} for {exact}", [m, k, n]);
            }
        }
    }
}

#[test]
fn a_tail_finishes_every_element_once_in_any_layout() {
    use crate::element::{Binary, Buffer, Kind};
    use crate::kernel::map::{Instruction, Operand, Program, Tail};
    // (y² + r) · s - b, where r lies in an order of its own, s is one number and b one for each column j; and perhaps + j,
    // without which the tail is a light one.
    let instructions = |columns: usize, is_light: bool| {
        let mut all = vec![
            Instruction::Own(Kind::F32),
            Instruction::Binary(Binary::Mul, 0, 0),
            Instruction::Load(0),
            Instruction::Binary(Binary::Add, 1, 2),
            Instruction::Load(1),
            Instruction::Binary(Binary::Mul, 3, 4),
            Instruction::Load(2),
            Instruction::Binary(Binary::Sub, 5, 6),
        ];
        if !is_light {
            all.push(Instruction::Position(columns));
            all.push(Instruction::Cast(Kind::F32, 8));
            all.push(Instruction::Binary(Binary::Add, 7, 9));
        }
        all
    };
    for [m, k, n] in [
        [1, 5, 1],
        [1, 40, 300],
        [300, 40, 1],
        [3, 4, 2],
        [40, 30, 50],
        [130, 7, 300],
        [200, 140, 170],
        [5, 300, 700],
        [700, 64, 3],
        [1, 520, 300],
        [18, 70, 200],
        [21, 600, 150],
        [131, 1030, 65],
        [40, 70, 90],
    ] {
        for items in [1, 3, 20] {
            let mut random = Random::new(7);
            let (a, b) = (random.reals(items * m * k), random.reals(items * k * n));
            let rest = Buffer::F32(random.reals(items * m * n).into());
            let (lhs, rhs) =
                (row_major(&[items, m, k]), [[(k * n) as isize, 1, k as isize], [(k * n) as isize, n as isize, 1]]);
            let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [2, 0, 1], [1, 2, 0]];
            for (order, rhs) in orders.into_iter().flat_map(|order| rhs.map(|rhs| (order, rhs))) {
                let sizes = order.map(|axis| [items, m, n][axis]);
                let dense = row_major(&sizes);
                let (mut strides, mut turned) = ([0; 3], [0; 3]);
                (0..3).for_each(|i| strides[order[i]] = dense[i]);
                (0..3).for_each(|i| turned[i] = row_major(&[items, m, n])[order[i]]);
                let run = |tail: Option<&Tail<'_>>| {
                    let mut out = vec![f32::NAN; items * m * n];
                    let view = |data, strides| View { data, offset: 0, strides };
                    let dst = ViewMut { data: &mut out, offset: 0, strides: &strides };
                    matmul(0.5, &[items], [m, k, n], view(&a, &lhs), view(&b, &rhs), dst, tail);
                    out
                };
                let columns = order.iter().position(|&axis| axis == 2).unwrap_or(0);
                let along = [0, 1, 2].map(|axis| isize::from(axis == columns));
                let scale = Buffer::F32(vec![0.75].into());
                let operands = [
                    Operand { buffer: &rest, offset: 0, strides: &turned },
                    Operand { buffer: &scale, offset: 0, strides: &[0; 3] },
                    Operand { buffer: &rest, offset: 0, strides: &along },
                ];
                let plain = run(None);
                let Buffer::F32(numbers) = &rest else { continue };
                for is_light in [true, false] {
                    let program = Program::new(instructions(columns, is_light), &[Kind::F32; 3]);
                    let ended = run(Some(&Tail::new(&program, &sizes, &operands)));
                    let along = positions(&sizes, &turned).zip(positions(&sizes, &along));
                    for (place, (from, column)) in along.enumerate() {
                        let y = plain[place];
                        let expected = (y * y + numbers[from as usize]) * 0.75 - numbers[column as usize];
                        let expected = if is_light { expected } else { expected + column as f32 };
                        assert_eq!(ended[place], expected, "at {place} of {items} of {m}x{k}x{n} in order {order:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_long_sum_of_few_rows_and_columns_keeps_its_digits() {
    let size = 30_000;
    let data = vec![0.1_f32; 2 * size];
    let lhs = View { data: &data, offset: 0, strides: &[size as isize, 1] };
    for strides in [[2, 1], [1, size as isize]] {
        let rhs = View { data: &data, offset: 0, strides: &strides };
        let mut out = [0.0; 4];
        let dst = ViewMut { data: &mut out, offset: 0, strides: &[2, 1] };
        matmul(1.0, &[], [2, size, 2], lhs, rhs, dst, None);
        let exact = f64::from(0.1_f32).powi(2) * size as f64;
        assert!(out.iter().all(|&x| (f64::from(x) - exact).abs() < 2e-5 * exact), "{out:?} for {exact}");
    }
}

#[cfg(feature = "parallel")]
#[test]
fn a_product_is_the_same_on_any_number_of_threads() {
    use crate::kernel::threads::with_threads;
    for [m, k, n] in [
        [1, 8192, 300],
        [2, 4096, 300],
        [8, 2048, 70],
        [20, 3000, 300],
        [3, 300, 5000],
        [1, 1000, 257],
        [260, 300, 200],
        // One piece on one thread.
        [200, 80, 64],
        // Pieces of other heights on three threads.
        [256, 300, 256],
        // Seen from the other side, the right operand is turned around.
        [260, 520, 512],
        // Several panels at once.
        [900, 310, 450],
        // Small parts of tall products.
        [9000, 30, 7],
        [5, 7, 9000],
        [3000, 40, 27],
    ] {
        let mut random = Random::new(11);
        let (x, w) = (random.reals(m * k), random.reals(k * n));
        for (strides, to) in
            [([n as isize, 1], [n as isize, 1]), ([1, k as isize], [n as isize, 1]), ([n as isize, 1], [1, m as isize])]
        {
            let product = || -> Vec<u32> {
                let mut out = vec![0.0; m * n];
                let lhs = View { data: &x, offset: 0, strides: &[k as isize, 1] };
                let rhs = View { data: &w, offset: 0, strides: &strides };
                let dst = ViewMut { data: &mut out, offset: 0, strides: &to };
                matmul(1.0, &[], [m, k, n], lhs, rhs, dst, None);
                out.into_iter().map(f32::to_bits).collect()
            };
            let alone = with_threads(1, product);
            for count in [2, 3, 4, 7] {
                assert!(
                    with_threads(count, product) == alone,
                    "{count} threads and one agree: {m}×{k}×{n}, {strides:?}"
                );
            }
        }
    }
}

#[cfg(feature = "parallel")]
#[test]
fn threads_share_many_small_products_evenly() {
    use crate::kernel::threads::with_threads;
    for (pieces, work, shared) in
        [(1000, SMALL / 857, 500), (5, SMALL, 1), (17, SMALL, 1), (3, 10, 3), (800, SMALL / 8, 50)]
    {
        assert_eq!(with_threads(2, || shared_by(pieces, work)), shared, "{pieces} of {work}");
    }
}
