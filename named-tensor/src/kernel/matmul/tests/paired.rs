//! Sums of products of pairs against plain loops in `f64`.

use super::check_both;

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
fn short_sums_along_both_operands_agree_with_plain_loops() {
    for (size, k) in [(15, 3), (16, 1), (63, 2), (64, 64), (65, 63), (700, 5), (513, 16)] {
        let (row, wide) = (k as isize, k as isize + 3);
        check_both(&[size], [1, k, 1], [&[row, 1, 1], &[wide, 1, 1], &[1, 1, 1]]);
        check_both(&[3, size], [1, k, 1], [&[1, wide, 3, 1], &[0, row, 1, 7], &[size as isize + 2, 1, 1, 1]]);
        check_both(&[size, 3], [1, k, 1], [&[3 * row, row, 9, 1], &[row, 0, 1, 1], &[1, size as isize, 1, 1]]);
    }
}
