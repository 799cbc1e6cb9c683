//! Products of a few terms whose results no near cache keeps.

use super::*;
use crate::kernel::low::has_registers;

#[test]
fn products_of_a_few_terms_agree_with_plain_loops_in_every_order_of_their_operands() {
    for ([m, k, n], gap) in [([601, 2, 439], 0), ([439, 5, 600], 3), ([530, 31, 501], 1), ([264, 64, 1001], 0)] {
        let along = |size: usize| (size + gap) as isize;
        for lhs in [[1, along(m)], [along(k), 1]] {
            for rhs in [[along(n), 1], [1, along(k)]] {
                check_both(&[], [m, k, n], [&lhs, &rhs, &[along(n), 1]]);
            }
        }
        // The same seen from the other side.
        check_both(&[], [n, k, m], [&[1, along(n)], &[along(m), 1], &[1, along(n)]]);
    }
    // Neither operand of the rows has neighbours; and two products at once.
    check_both(&[], [530, 3, 500], [&[7, 2], &[500, 1], &[500, 1]]);
    check_both(&[2], [520, 6, 505], [&[520 * 6, 1, 520], &[505 * 6, 505, 1], &[520 * 505, 505, 1]]);
}

#[test]
fn products_of_a_few_terms_are_computed_in_strips_where_their_results_are_large() {
    let numbers = vec![0.0_f32; 100_000];
    let view = View { data: &numbers, offset: 0, strides: &[] };
    let is_in_strips = |[m, k, n]: [usize; 3], dst: isize| {
        let rows = Axis { size: m, lhs: 1, rhs: 0, dst: dst * n as isize };
        let columns = Axis { size: n, lhs: 0, rhs: 1, dst };
        let inner = (k, m as isize, n as isize);
        let product = Product::new(1.0, [rows, columns], inner, [view; 2]);
        product.in_strips_if_worth_it().in_strips
    };
    for sizes in [[600, 2, 500], [24, 31, 20_000], [600, 64, 500]] {
        assert_eq!(is_in_strips(sizes, 1), has_registers(), "{sizes:?}");
    }
    for sizes in [[600, 1, 500], [600, 65, 500], [500, 30, 500], [23, 31, 20_000], [20_000, 31, 63]] {
        assert!(!is_in_strips(sizes, 1), "{sizes:?}");
    }
    assert!(!is_in_strips([600, 2, 500], 2), "no neighbours in the result");
}

#[cfg(feature = "parallel")]
#[test]
fn products_of_a_few_terms_do_not_depend_on_the_number_of_threads() {
    let [m, k, n] = [733, 9, 1100];
    let mut random = Random::new(3);
    let (a, b) = (random.reals(m * k), random.reals(k * n));
    let product = || {
        let mut out = vec![f32::NAN; m * n];
        let lhs = View { data: &a, offset: 0, strides: &[1, m as isize] };
        let rhs = View { data: &b, offset: 0, strides: &[n as isize, 1] };
        matmul(0.5, &[], [m, k, n], lhs, rhs, ViewMut { data: &mut out, offset: 0, strides: &[n as isize, 1] }, None);
        out
    };
    let alone = crate::kernel::threads::with_threads(1, product);
    for threads in 2..4 {
        assert!(crate::kernel::threads::with_threads(threads, product) == alone, "bit for bit on {threads} threads");
    }
}
