//! Reductions of every kind over every layout, against plain loops in `f64`.

use super::*;
use crate::kernel::span::row_major;
use crate::kernel::testing::{Random, positions};

/// The same reduction by plain loops in `f64`.
fn plain(op: Reduction, kept: &[usize], reduced: &[usize], src: View<'_, f32>) -> Vec<f64> {
    let (outer, inner) = src.strides.split_at(kept.len());
    let one = |base: isize| {
        let xs = positions(reduced, inner).map(|d| f64::from(src.data[(src.offset as isize + base + d) as usize]));
        match op {
            Reduction::Sum => xs.sum(),
            Reduction::Product => xs.product(),
            Reduction::Max => xs.fold(f64::NEG_INFINITY, f64::max),
            Reduction::Min => xs.fold(f64::INFINITY, f64::min),
        }
    };
    positions(kept, outer).map(one).collect()
}

#[test]
fn every_layout_agrees_with_plain_loops() {
    // Rows of 20 go side by side, columns of 48 in strips.
    [[3, 40, 5, 37], [3, 7, 6, 48], [4, 50, 3, 20], [3, 35, 60, 5]].into_iter().for_each(agrees_in_every_layout);
}

fn agrees_in_every_layout(sizes: [usize; 4]) {
    let mut random = Random::new(1);
    let all = [Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min];
    let strides = row_major(&sizes);
    let data = random.reals(sizes.iter().product());
    for kept_axes in 0..16_usize {
        let pick = |wanted: bool| (0..4).filter(move |axis| (kept_axes >> axis & 1 == 1) == wanted);
        for reversed in [false, true] {
            let order: Vec<usize> = if reversed {
                pick(true).rev().chain(pick(false)).collect()
            } else {
                pick(true).chain(pick(false)).collect()
            };
            let by_order: Vec<usize> = order.iter().map(|&axis| sizes[axis]).collect();
            let by_stride: Vec<isize> = order.iter().map(|&axis| strides[axis]).collect();
            let (kept, reduced) = by_order.split_at(pick(true).count());
            let src = View { data: &data, offset: 0, strides: &by_stride };
            for op in all {
                let mut out = vec![0.0; kept.iter().product()];
                reduce(op, kept, reduced, src, &mut out);
                for (&got, exact) in out.iter().zip(plain(op, kept, reduced, src)) {
                    let bound = exact.abs() * 6.0e-8 + 1e-9;
                    assert!((f64::from(got) - exact).abs() <= bound, "{op:?} over {order:?}: {got} for {exact}");
                }
            }
        }
    }
}

#[test]
fn rows_of_which_many_belong_to_one_result_agree_with_plain_loops() {
    let data = Random::new(4).reals(131 * 470);
    for (kept, rows) in [(&[][..], 131), (&[3], 40), (&[2], 1), (&[], 3)] {
        for size in [31, 32, 39, 64, 75, 401] {
            // A result of all of them is cut into pieces, which begin anywhere in a row.
            let strides: &[isize] = if kept.is_empty() { &[470, 1] } else { &[470, 3 * 470, 1] };
            let (reduced, src) = ([rows, size], View { data: &data, offset: 5, strides });
            let mut out = vec![f32::NAN; kept.iter().product()];
            reduce(Reduction::Sum, kept, &reduced, src, &mut out);
            for (&got, exact) in out.iter().zip(plain(Reduction::Sum, kept, &reduced, src)) {
                let error = (f64::from(got) - exact).abs();
                assert!(error <= exact.abs() * 6.0e-8 + 1e-9, "{rows} rows of {size}: {got} for {exact}");
            }
        }
    }
}

#[test]
fn the_middle_axis_of_many_small_matrices_is_reduced_wherever_they_lie() {
    let data = Random::new(4).reals(60_000);
    let cases: [([usize; 2], usize, [isize; 3]); 9] = [
        ([1000, 3], 3, [9, 1, 3]),
        ([1000, 3], 3, [-9, 1, 3]),
        ([1000, 2], 2, [4, 1, 2]),
        ([700, 4], 4, [16, 1, 4]),
        ([1000, 3], 4, [12, -1, 3]),
        ([1000, 3], 3, [0, 1, 3]),
        ([1000, 3], 9, [27, 1, 3]),
        ([1025, 7], 2, [14, 1, 7]),
        ([90, 3], 3, [9, 1, 3]),
    ];
    for (kept, reduced, strides) in cases {
        let src = View { data: &data, offset: 15_000, strides: &strides };
        for op in [Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min] {
            let mut out = vec![0.0; kept[0] * kept[1]];
            reduce(op, &kept, &[reduced], src, &mut out);
            for (i, (&got, exact)) in out.iter().zip(plain(op, &kept, &[reduced], src)).enumerate() {
                let bound = exact.abs() * 6.0e-8 + 1e-9;
                assert!(
                    (f64::from(got) - exact).abs() <= bound,
                    "{op:?} of {kept:?} {strides:?}, {i}: {got} for {exact}"
                );
            }
        }
    }
}

#[test]
fn a_long_sum_is_rounded_once() {
    let data = vec![0.1_f32; 3_000_000];
    let mut out = [0.0];
    reduce(Reduction::Sum, &[], &[data.len()], View { data: &data, offset: 0, strides: &[1] }, &mut out);
    assert_eq!(out[0], (3.0e6 * f64::from(0.1_f32)) as f32, "naive summation in f32 would be off by percents");
}

#[test]
fn nothing_gives_the_neutral_element() {
    let ops = [Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min];
    for (op, expected) in ops.into_iter().zip([0.0, 1.0, f64::NEG_INFINITY, f64::INFINITY]) {
        for kept in [2, 9] {
            let mut out = vec![7.0; kept];
            reduce(op, &[kept], &[0], View { data: &[], offset: 0, strides: &[1, 1] }, &mut out);
            assert_eq!(out, vec![expected; kept], "{op:?}");
        }
        reduce::<f64>(op, &[0], &[4], View { data: &[], offset: 0, strides: &[4, 1] }, &mut []);
    }
}

#[test]
fn extremes_pass_nan_on_wherever_it_stands() {
    for at in 0..100 {
        let mut data = vec![1.0_f32; 100];
        data[at] = f32::NAN;
        for op in [Reduction::Max, Reduction::Min] {
            let mut row = [0.0];
            reduce(op, &[], &[100], View { data: &data, offset: 0, strides: &[1] }, &mut row);
            assert!(row[0].is_nan(), "{op:?} along a row with NaN at {at}");
            let mut columns = [0.0; 10];
            reduce(op, &[10], &[10], View { data: &data, offset: 0, strides: &[1, 10] }, &mut columns);
            for (i, x) in columns.iter().enumerate() {
                assert_eq!(x.is_nan(), i == at % 10, "{op:?} of column {i} with NaN at {at}");
            }
        }
    }
}

#[test]
fn short_rows_agree_with_plain_loops_wherever_they_begin_and_pass_nan_on() {
    let short = [(16, 2, 0), (130, 2, 1), (130, 3, 0), (77, 4, 0), (64, 16, 0), (65, 17, 3), (5, 64, 0)];
    let longer = [(16, 24, 0), (129, 64, 0), (200, 63, 1), (70, 65, 0), (67, 200, 2), (17, 512, 0), (17, 513, 0)];
    for (rows, size, gap) in short.into_iter().chain(longer) {
        let apart = size + gap;
        let mut data = Random::new(7).reals(2 + 2 * rows * apart);
        data[2 + 3 * apart + size - 1] = f32::NAN;
        // Rows one behind the other, and every second one backwards.
        for (offset, strides) in [(2, [apart as isize, 1]), (2 + 2 * (rows - 1) * apart, [-2 * apart as isize, 1])] {
            check_rows::<f32>(&data, offset, strides, [rows, size], 6.0e-8);
            check_rows::<f64>(&data, offset, strides, [rows, size], 1.0e-13);
        }
    }
}

#[test]
fn patches_agree_with_plain_loops_wherever_they_lie_and_pass_nan_on() {
    let mut random = Random::new(8);
    let mut data = random.reals(140_000);
    // Channels, and rows and columns of patches; the axes inside a patch in either order of memory, apart or overlapping.
    for (count, [high, wide], step) in
        [(7, [2, 2], 2), (8, [2, 2], 2), (63, [2, 3], 2), (64, [2, 2], 2), (65, [3, 3], 3), (130, [2, 3], 1)]
    {
        let (row, reach) = (count as isize * step + 2, 4);
        for (across, down) in [(step, row), (row * 70, 1), (-step, row)] {
            let first = if across < 0 { (count + 3) * step as usize } else { 0 };
            let count = if across > 500 { 8 } else { count };
            let (sizes, strides) = ([3, reach, count], [row * 11, step * down, across]);
            let strides = [&strides[..], &[down, across / step.max(1)]].concat();
            for op in [Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min] {
                let src = View { data: &data[..], offset: first, strides: &strides };
                let mut out = vec![7.0; sizes.iter().product()];
                reduce(op, &sizes, &[high, wide], src, &mut out);
                for (&got, exact) in out.iter().zip(plain(op, &sizes, &[high, wide], src)) {
                    let close = (f64::from(got) - exact).abs() <= exact.abs() * 6.0e-8 + 1e-9;
                    assert!(close, "{op:?} {count} {high} {wide}: {got} for {exact}");
                }
            }
        }
    }
    // So many of them that they are cut into pieces inside of a row.
    let (sizes, strides) = ([101, 101], [668, 2, 334, 1]);
    let src = View { data: &data[..], offset: 0, strides: &strides };
    let mut out = vec![7.0_f32; 10_201];
    reduce(Reduction::Max, &sizes, &[2, 2], src, &mut out);
    assert!(out.iter().map(|&x| f64::from(x)).eq(plain(Reduction::Max, &sizes, &[2, 2], src)), "in pieces");
    data[334 * 77 + 101] = f32::NAN;
    let src = View { data: &data[..], offset: 0, strides: &strides };
    reduce(Reduction::Max, &sizes, &[2, 2], src, &mut out);
    assert_eq!(out.iter().filter(|x| x.is_nan()).count(), 1, "one patch has the NaN");
}

#[test]
fn few_columns_whose_rows_follow_each_other_agree_with_plain_loops_however_many_rows_there_are() {
    for columns in 1..=17 {
        for rows in [1, 2, 7, 8, 9, 15, 16, 17, 47, 63, 64, 300, 9001] {
            let mut data = Random::new(8).reals(3 + 2 * rows * columns);
            data[3 + (rows - 1) * columns] = f32::NAN;
            let both: [(&[usize], &[isize]); 2] =
                [(&[columns], &[1]), (&[2, columns], &[(rows * columns) as isize, 1])];
            for ((kept, strides), op) in both
                .into_iter()
                .flat_map(|of| [Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min].map(|op| (of, op)))
            {
                let strides = [strides, &[columns as isize]].concat();
                let src = View { data: &data, offset: 3, strides: &strides };
                let mut out = vec![0.0; kept.iter().product()];
                reduce(op, kept, &[rows], src, &mut out);
                for (i, (&got, exact)) in out.iter().zip(plain(op, kept, &[rows], src)).enumerate() {
                    let bound = exact.abs() * 6.0e-8 + 1e-9;
                    assert_eq!(got.is_nan(), i == 0, "{op:?} of column {i} of {rows} × {columns}");
                    assert!(
                        i == 0 || (f64::from(got) - exact).abs() <= bound,
                        "{op:?} of column {i} of {rows} × {columns}: {got} for {exact}"
                    );
                }
            }
        }
    }
}

/// Compares reductions of rows, of which the fourth has NaN if they lie one behind the other, with plain loops.
fn check_rows<T: Reducible>(
    data: &[f32],
    offset: usize,
    strides: [isize; 2],
    [rows, size]: [usize; 2],
    tolerance: f64,
) {
    let own: Vec<T> = data.iter().map(|&x| T::from_f64(x.into())).collect();
    for op in [Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min] {
        let mut out = vec![T::default(); rows];
        reduce(op, &[rows], &[size], View { data: &own, offset, strides: &strides }, &mut out);
        let exact = plain(op, &[rows], &[size], View { data, offset, strides: &strides });
        for (row, (got, exact)) in out.into_iter().map(T::to_f64).zip(exact).enumerate() {
            let has_nan = strides[0] > 0 && row == 3;
            assert_eq!(got.is_nan(), has_nan, "{op:?} of row {row} of {rows} × {size}");
            let bound = exact.abs() * tolerance + tolerance / 60.0;
            assert!(has_nan || (got - exact).abs() <= bound, "{op:?}, row {row} of {rows} × {size}: {got} for {exact}");
        }
    }
}

#[test]
fn positions_are_reduced_exactly() {
    let data: Vec<i64> = (0..1000).map(|i| (i * 7919) % 1013 - 500).collect();
    let src = View { data: &data, offset: 0, strides: &[1] };
    let mut out = [0; 3];
    for (op, out) in [Reduction::Sum, Reduction::Max, Reduction::Min].into_iter().zip(&mut out) {
        reduce(op, &[], &[1000], src, std::slice::from_mut(out));
    }
    let expected = [data.iter().sum(), *data.iter().max().unwrap(), *data.iter().min().unwrap()];
    assert_eq!(out, expected, "sum, largest, smallest");
    let rows: Vec<i64> = data.chunks_exact(50).map(|row| row.iter().sum()).collect();
    let mut sums = [0; 20];
    reduce(Reduction::Sum, &[20], &[50], View { data: &data, offset: 0, strides: &[50, 1] }, &mut sums);
    assert_eq!(sums[..], rows, "sums of short rows");
}

#[test]
fn sums_and_products_of_positions_stay_at_the_largest_as_the_operations_of_two_do() {
    for (op, number, count) in [(Reduction::Sum, 1 << 60, 8), (Reduction::Product, 2, 64), (Reduction::Product, 3, 129)]
    {
        let data = vec![number; count * 70];
        for strides in [[count as isize, 1], [1, 70]] {
            let mut out = [0; 70];
            reduce(op, &[70], &[count], View { data: &data, offset: 0, strides: &strides }, &mut out);
            assert_eq!(out, [i64::MAX; 70], "{op:?} of {count} times {number}");
        }
    }
}

#[test]
fn a_view_may_repeat_and_run_backwards() {
    let data = [1.0_f64, 2.0, 3.0];
    let mut out = [0.0; 2];
    reduce(Reduction::Sum, &[2], &[4, 3], View { data: &data, offset: 2, strides: &[0, 0, -1] }, &mut out);
    assert_eq!(out, [24.0, 24.0], "four times 1 + 2 + 3, twice");
}

#[test]
fn an_axis_that_repeats_its_numbers_counts_as_often_as_it_has_positions() {
    let data = [0.5_f32, -1.25, 3.0];
    let all = [Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min];
    for (op, times) in all.into_iter().flat_map(|op| (1..9).map(move |times| (op, times))) {
        for (kept, reduced, strides) in
            [(&[3][..], &[times][..], &[1, 0][..]), (&[], &[times, 3], &[0, 1]), (&[2], &[3, times, 2], &[0, 1, 0, 0])]
        {
            let src = View { data: &data, offset: 0, strides };
            let mut out = vec![f32::NAN; kept.iter().product()];
            reduce(op, kept, reduced, src, &mut out);
            let expected: Vec<f32> = plain(op, kept, reduced, src).into_iter().map(|x| x as f32).collect();
            assert_eq!(out, expected, "{op:?} of {times}");
        }
    }
}

#[test]
fn the_sum_of_a_number_that_is_repeated_without_end_is_found_at_once() {
    let (one, nan, many) = ([1.5_f32], [f32::NAN], (usize::MAX >> 14) + 1);
    let of = |op, data: &[f32]| {
        let mut out = [0.0];
        reduce(op, &[], &[many, 4], View { data, offset: 0, strides: &[0, 0] }, &mut out);
        out[0]
    };
    assert_eq!(of(Reduction::Sum, &one), 1.5 * 4.0 * many as f32);
    assert_eq!(of(Reduction::Product, &one), f32::INFINITY);
    assert_eq!((of(Reduction::Max, &one), of(Reduction::Min, &one)), (1.5, 1.5));
    assert!([Reduction::Sum, Reduction::Max].iter().all(|&op| of(op, &nan).is_nan()), "NaN stays NaN");
    let (mut sum, mut product) = ([0], [0]);
    for (op, out) in [(Reduction::Sum, &mut sum), (Reduction::Product, &mut product)] {
        reduce(op, &[], &[many + 1], View { data: &[-7_i64], offset: 0, strides: &[0] }, out);
    }
    assert_eq!((sum, product), ([-7 * (many as i64 + 1)], [i64::MIN]), "an odd number of negative factors");
}

#[test]
fn over_an_empty_axis_there_is_nothing_however_large_the_others_are() {
    let (vast, none) = (usize::MAX >> 24, View { data: &[], offset: 0, strides: &[0, 0, 0] });
    for reduced in [[vast, vast, 0], [0, vast, vast]] {
        let (mut sum, mut product) = ([f32::NAN], [f32::NAN]);
        reduce(Reduction::Sum, &[], &reduced, none, &mut sum);
        reduce(Reduction::Product, &[], &reduced, none, &mut product);
        assert_eq!((sum, product), ([0.0], [1.0]), "{reduced:?}");
    }
}
