//! Tables of few columns with a vector or a few, in both orders and with gaps between rows.

use super::*;

#[test]
fn dot_products_of_short_rows_agree_with_plain_loops() {
    for rows in [63, 64, 65, 67, 1000] {
        for k in [2, 3, 7, 16, 33, 48, 49] {
            let (b, r) = (rows as isize, k as isize);
            for pitch in [r, r + 3] {
                check_both(&[], [rows, k, 1], [&[pitch, 1], &[1, 1], &[1, 1]]);
                // The vector has gaps, and the table is on the other side.
                check_both(&[], [1, k, rows], [&[1, 5], &[1, pitch], &[b, 1]]);
            }
            // What does not lie side by side.
            check_both(&[], [rows, k, 1], [&[r, 1], &[1, 1], &[2, 1]]);
            check_both(&[], [rows, k, 1], [&[1, b], &[1, 1], &[1, 1]]);
        }
    }
    check_both(&[], [60_000, 7, 1], [&[7, 1], &[1, 1], &[1, 1]]);
}

#[test]
fn sums_of_short_rows_agree_with_plain_loops() {
    for rows in [63, 64, 66, 255, 256, 257, 515] {
        for columns in [2, 3, 7, 8, 15, 16, 17, 40, 64, 65] {
            for vectors in [1, 2, 3, 4, 5, 7, 8, 9] {
                let [m, n, k] = [columns, vectors, rows].map(|size: usize| size as isize);
                check_both(&[], [columns, rows, vectors], [&[1, m], &[n, 1], &[n, 1]]);
                check_both(&[], [vectors, rows, columns], [&[1, n + 2], &[m + 5, 1], &[m, 1]]);
                // Vectors that lie along the sum, and results by columns.
                check_both(&[], [columns, rows, vectors], [&[1, m + 1], &[1, k], &[1, m]]);
            }
        }
    }
    check_both(&[], [7, 60_000, 2], [&[1, 7], &[2, 1], &[2, 1]]);
    check_both(&[], [1, 30_001, 33], [&[1, 1], &[33, 1], &[33, 1]]);
}

#[test]
fn numbers_between_and_behind_the_rows_are_not_looked_at() {
    let (rows, columns, pitch) = (102_usize, 7_usize, 9_usize);
    let mut table = vec![f32::NAN; (rows + 4) * pitch];
    table.chunks_mut(pitch).take(rows).for_each(|row| row[..columns].fill(1.0));
    let vector = vec![2.0_f32; rows];
    let x = |strides| View { data: &table[..], offset: 0, strides };
    let y = View { data: &vector[..], offset: 0, strides: &[1, 1] };
    let mut sums = [f32::NAN; 7];
    matmul(1.0, &[], [7, rows, 1], x(&[1, 9]), y, ViewMut { data: &mut sums, offset: 0, strides: &[1, 1] }, None);
    assert_eq!(sums, [204.0; 7]);
    let mut dots = [f32::NAN; 102];
    matmul(1.0, &[], [rows, 7, 1], x(&[9, 1]), y, ViewMut { data: &mut dots, offset: 0, strides: &[1, 1] }, None);
    assert_eq!(dots, [14.0; 102]);
}

#[test]
fn long_sums_of_few_rows_and_columns_agree_with_plain_loops_in_every_order() {
    for [m, k, n] in [[75, 8_192, 3], [8, 8_200, 75], [9, 9_000, 75], [75, 12_289, 20], [60, 8_193, 1]] {
        let [rows, sum, columns] = [m, k, n].map(|size: usize| size as isize);
        for left in [[1, rows], [sum, 1]] {
            for right in [[columns, 1], [1, sum]] {
                check_both(&[], [m, k, n], [&left, &right, &[columns, 1]]);
                check_both(&[], [m, k, n], [&left, &right, &[1, rows]]);
            }
        }
    }
}
