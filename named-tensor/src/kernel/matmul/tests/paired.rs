//! Sums of products of pairs against plain loops in `f64`.

use super::check_both;
use crate::kernel::matmul::matmul;
use crate::kernel::testing::Random;
use crate::kernel::{View, ViewMut};

#[test]
fn neighbours_with_a_sum_each_agree_with_plain_loops() {
    for (size, k) in [(15, 9), (16, 1), (17, 255), (511, 256), (513, 257), (1030, 600), (96, 5000)] {
        let (row, wide) = (size as isize, size as isize + 3);
        check_both(&[size], [1, k, 1], [&[1, 1, row], &[1, wide, 1], &[1, 1, 1]]);
        check_both(&[3, size], [1, k, 1], [&[wide, 1, 1, 3 * wide], &[0, 1, row, 7], &[wide, 1, 1, 1]]);
        check_both(&[size, 2], [1, k, 1], [&[1, row, 1, 2 * row], &[1, row, 2 * row, 1], &[1, row, 1, 1]]);
    }
}

#[test]
fn few_neighbours_with_a_long_sum_each_agree_with_plain_loops() {
    for (size, k) in
        [(2, 512), (7, 146), (7, 147), (7, 60_000), (15, 9_000), (16, 64), (100, 3_000), (256, 700), (3, 70_000)]
    {
        let (row, all) = (size as isize, (size * k) as isize);
        check_both(&[size], [1, k, 1], [&[1, 1, row], &[1, row, 1], &[1, 1, 1]]);
        if k < 10_000 {
            check_both(&[3, size], [1, k, 1], [&[all + 5, 1, 1, row], &[0, 1, row, 7], &[row + 2, 1, 1, 1]]);
            check_both(&[size], [1, k, 1], [&[1, 1, row + 1], &[1, row + 1, 1], &[1, 1, 1]]);
        }
    }
}

#[test]
fn short_sums_along_both_operands_agree_with_plain_loops() {
    for (size, k) in [(15, 3), (16, 1), (63, 2), (64, 64), (65, 63), (700, 5), (513, 16)] {
        let (row, wide) = (k as isize, k as isize + 3);
        check_both(&[size], [1, k, 1], [&[row, 1, 1], &[wide, 1, 1], &[1, 1, 1]]);
        check_both(&[3, size], [1, k, 1], [&[1, wide, 3, 1], &[0, row, 1, 7], &[size as isize + 2, 1, 1, 1]]);
        check_both(&[size, 3], [1, k, 1], [&[3 * row, row, 9, 1], &[row, 0, 1, 1], &[1, size as isize, 1, 1]]);
    }
}

#[test]
fn long_sums_of_squares_are_rounded_once_in_every_layout_and_are_not_those_of_neighbours() {
    let data = Random::new(9).reals(40_000);
    // The strides of both operands along the batch and the sum, and those of the result.
    let cases: [(usize, [isize; 3], [isize; 3], [isize; 2]); 7] = [
        (0, [1300, 100, 1], [1300, 100, 1], [13, 1]),
        (5, [1, 10, 130], [1, 10, 130], [1, 10]),
        (5, [1300, 100, 1], [1300, 100, 1], [1, 10]),
        (5, [1300, 100, 1], [1300, 100, 1], [20, 1]),
        (0, [0, 7, 2], [0, 7, 2], [13, 1]),
        (0, [1300, 100, 1], [1300, 100, 2], [13, 1]),
        (1, [10, 100, 1], [10, 101, 1], [13, 1]),
    ];
    for (offset, left, right, to) in cases {
        for (k, scale) in [(64, 1.0), (65, 1.0), (100, 0.5)] {
            let strides = |[a, b, _]: [isize; 3], last: [isize; 2]| [a, b, last[0], last[1]];
            let (l_strides, r_strides) = (strides(left, [0, left[2]]), strides(right, [right[2], 0]));
            let lhs = View { data: &data[..], offset, strides: &l_strides };
            let rhs = View { data: &data[..], offset: 5, strides: &r_strides };
            let mut out = vec![f32::NAN; 300];
            let dst = ViewMut { data: &mut out, offset: 2, strides: &[to[0], to[1], 1, 1] };
            matmul(scale, &[10, 13], [1, k, 1], lhs, rhs, dst, None);
            for (i, j) in (0..10).flat_map(|i| (0..13).map(move |j| (i, j))) {
                let x = |offset: usize, [a, b, c]: [isize; 3], at: isize| {
                    f64::from(data[offset.wrapping_add_signed(a * i + b * j + c * at)])
                };
                let exact: f64 = (0..k as isize).map(|at| x(offset, left, at) * x(5, right, at)).sum();
                let exact = exact * f64::from(scale);
                let got = f64::from(out[2_usize.wrapping_add_signed(to[0] * i + to[1] * j)]);
                // Neighbours of one run are summed as products of any other two.
                let is_square = offset == 5 && left == right && left[0] != 1;
                let bound = if is_square && k > 64 && to[0] != 20 { 6.0e-8 * exact } else { 1e-4 };
                assert!((got - exact).abs() <= bound, "{got} for {exact} at {i}, {j}: {k}, {left:?}, {right:?}");
            }
        }
    }
}

#[test]
fn short_sums_of_squares_are_not_those_of_neighbours_in_one_slice() {
    let data = Random::new(4).reals(6000);
    let cases: [([usize; 2], [isize; 2]); 5] =
        [([0, 0], [7, 7]), ([3, 3], [9, 9]), ([0, 1], [7, 7]), ([5, 0], [7, 7]), ([0, 0], [7, 8])];
    for (offsets, [left, right]) in cases {
        let lhs = View { data: &data[..], offset: offsets[0], strides: &[left, 0, 1] };
        let rhs = View { data: &data[..], offset: offsets[1], strides: &[right, 1, 0] };
        let mut out = vec![f32::NAN; 600];
        let dst = ViewMut { data: &mut out, offset: 0, strides: &[1, 1, 1] };
        matmul(1.0, &[600], [1, 7, 1], lhs, rhs, dst, None);
        for (i, &got) in out.iter().enumerate() {
            let x = |offset: usize, stride: isize, k: usize| f64::from(data[offset + i * stride as usize + k]);
            let exact: f64 = (0..7).map(|k| x(offsets[0], left, k) * x(offsets[1], right, k)).sum();
            assert!((f64::from(got) - exact).abs() < 1e-5, "{got} for {exact} at {i}, {offsets:?}");
        }
    }
}
