//! Products of some rows with a matrix that is larger than a cache.

use super::*;

#[test]
fn some_rows_times_a_matrix_larger_than_a_cache_agree_with_plain_loops_where_panels_lie_or_are_packed() {
    // Panels that stay where they lie, of which the last is cut off; rows too far apart to stay; a sum in two parts.
    for ([k, n], pitch) in [([600, 451], 451), ([600, 448], 4096), ([1030, 260], 263)] {
        for m in [13, 29, 40, 64] {
            let (left, pitch) = (k as isize + 3, pitch as isize);
            check_both(&[], [m, k, n], [&[left, 1], &[pitch, 1], &[n as isize, 1]]);
        }
    }
    check_both(&[], [451, 600, 14], [&[1, 451], &[1, 603], &[1, 451]]);
}

#[test]
fn rows_that_do_not_stay_near_agree_with_plain_loops_beside_several_panels() {
    for [m, k, n] in [[901, 300, 330], [250, 2500, 200]] {
        let (left, right, to) = (k as isize, n as isize, n as isize);
        check_both(&[], [m, k, n], [&[left, 1], &[right, 1], &[to, 1]]);
    }
    // Turned around for panels.
    check_both(&[], [901, 300, 330], [&[300, 1], &[1, 300], &[330, 1]]);
}

#[test]
fn a_long_sum_beside_a_large_matrix_keeps_its_digits() {
    let [k, n] = [50_000, 257];
    let data = vec![0.1_f32; k * n];
    for m in [1, 9, product::FEW_OF_LARGE] {
        let lhs = View { data: &data, offset: 0, strides: &[k as isize, 1] };
        let rhs = View { data: &data, offset: 0, strides: &[n as isize, 1] };
        let mut out = vec![0.0; m * n];
        matmul(1.0, &[], [m, k, n], lhs, rhs, ViewMut { data: &mut out, offset: 0, strides: &[n as isize, 1] }, None);
        let exact = f64::from(0.1_f32).powi(2) * k as f64;
        let furthest = out.iter().map(|&x| (f64::from(x) - exact).abs()).fold(0.0, f64::max);
        assert!(furthest < 1e-5 * exact, "{furthest} from {exact} with {m} rows");
    }
}

#[test]
fn some_rows_times_a_matrix_that_is_far_agree_with_plain_loops_in_every_order_of_their_operands() {
    for (m, [k, n]) in [(5, [530, 2001]), (8, [530, 517]), (13, [530, 517]), (20, [530, 517])] {
        let (rows, columns, own) = (m as isize, n as isize, k as isize);
        for left in [[own, 1], [1, rows], [own + 7, 1]] {
            check_both(&[], [m, k, n], [&left, &[columns + 2, 1], &[columns + 3, 1]]);
        }
        // The matrix on the left, and its result in columns.
        check_both(&[], [n, k, m], [&[1, columns], &[1, own], &[1, columns]]);
    }
}

#[cfg(feature = "parallel")]
#[test]
fn a_product_with_a_matrix_that_is_far_does_not_depend_on_the_number_of_threads() {
    let [m, k, n] = [13, 400, 1501];
    let mut random = Random::new(3);
    let (a, b) = (random.reals(m * k), random.reals(k * n));
    let product = || {
        let mut out = vec![f32::NAN; m * n];
        let lhs = View { data: &a, offset: 0, strides: &[k as isize, 1] };
        let rhs = View { data: &b, offset: 0, strides: &[n as isize, 1] };
        matmul(0.5, &[], [m, k, n], lhs, rhs, ViewMut { data: &mut out, offset: 0, strides: &[n as isize, 1] }, None);
        out
    };
    let alone = crate::kernel::threads::with_threads(1, product);
    for threads in 2..5 {
        assert!(crate::kernel::threads::with_threads(threads, product) == alone, "bit for bit on {threads} threads");
    }
}
