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
