//! Dot products of vectors against plain loops in `f64`.

use super::check_both;
use crate::kernel::matmul::matmul;
use crate::kernel::testing::Random;
use crate::kernel::{View, ViewMut};

#[test]
fn dot_products_of_any_size_and_strides_agree_with_plain_loops() {
    for k in [1, 7, 8, 9, 63, 64, 65, 1000, 16_384, 65_535, 65_536, 65_537, 200_000] {
        check_both(&[], [1, k, 1], [&[1, 1], &[1, 1], &[1, 1]]);
        check_both(&[], [1, k, 1], [&[7, 2], &[1, 9], &[1, 5]]);
        check_both(&[], [1, k, 1], [&[7, 0], &[3, 9], &[1, 5]]);
    }
}

#[test]
fn many_dot_products_agree_with_plain_loops() {
    for k in [1, 65, 131, 70_000] {
        let (row, wide) = (k as isize, k as isize + 3);
        check_both(&[5], [1, k, 1], [&[row, 1, 1], &[wide, 1, 1], &[2, 1, 1]]);
        check_both(&[3, 5], [1, k, 1], [&[5 * row, row, 1, 1], &[0, wide, 1, 1], &[1, 3, 1, 1]]);
        check_both(&[3, 5], [1, k, 1], [&[2, 6, 1, 30], &[row, 0, 1, 1], &[7, 1, 1, 1]]);
    }
    check_both(&[40, 70], [1, 100, 1], [&[7000, 100, 1, 1], &[7000, 100, 1, 1], &[70, 1, 1, 1]]);
}

#[test]
fn a_few_vectors_at_each_of_many_positions_are_each_multiplied_with_each() {
    for k in [64, 127, 128, 200, 4096, 4097] {
        for (m, n) in [(1, 2), (2, 1), (3, 2), (1, 8), (2, 4), (3, 3)] {
            let (row, out) = (k as isize, (m * n) as isize);
            let (left, right) = (m as isize * row, n as isize * (row + 1));
            check_both(&[6], [m, k, n], [&[left, row, 1], &[right, 1, row + 1], &[out, n as isize, 1]]);
            check_both(&[2, 3], [m, k, n], [&[0, left, row, 1], &[right, 0, 1, row + 1], &[3, 1, 6, 6 * m as isize]]);
            check_both(&[6], [m, k, n], [&[left, row, 1], &[0, 1, row + 1], &[out, 1, m as isize]]);
        }
    }
}

#[test]
fn a_few_neighbours_with_a_short_sum_each_agree_with_plain_loops() {
    for size in 2..16 {
        for k in [1, 17, 60] {
            let (row, wide) = (size as isize, size as isize + 3);
            let all = wide * k as isize;
            check_both(&[9, size], [1, k, 1], [&[all, 1, 1, wide], &[all, 1, row, 1], &[wide, 1, 1, 1]]);
            check_both(&[9, size], [1, k, 1], [&[0, 1, 1, row], &[1, 1, 9 + row, 1], &[row, 1, 1, 1]]);
        }
    }
}

#[test]
fn a_vector_may_lie_backwards() {
    let (xs, ys) = (Random::new(3).reals(900), Random::new(4).reals(900));
    for (size, k) in [(1, 100), (5, 100)] {
        let mut out = vec![0.0; size];
        let (l_strides, r_strides) = ([1, 1, -8], [1, 7, 1]);
        let lhs = View { data: &xs[..], offset: 800, strides: &l_strides };
        let rhs = View { data: &ys[..], offset: 2, strides: &r_strides };
        matmul(0.5, &[size], [1, k, 1], lhs, rhs, ViewMut { data: &mut out, offset: 0, strides: &[1, 1, 1] }, None);
        for (b, &got) in out.iter().enumerate() {
            let terms = (0..k).map(|i| f64::from(xs[800 + b - 8 * i]) * f64::from(ys[2 + b + 7 * i]));
            let exact: f64 = terms.sum::<f64>() / 2.0;
            assert!((f64::from(got) - exact).abs() < 1e-4, "{got} for {exact} of {b}");
        }
    }
}

#[cfg(feature = "parallel")]
#[test]
fn dot_products_are_the_same_on_any_number_of_threads() {
    use crate::kernel::threads::with_threads;
    let (xs, ys) = (Random::new(5).reals(300_000), Random::new(6).reals(300_000));
    for (batch, k) in [(1, 300_000), (3, 100_000), (1000, 300)] {
        let all = || -> Vec<u32> {
            let mut out = vec![0.0; batch];
            let strides = [k as isize, 1, 1];
            let [lhs, rhs] = [&xs, &ys].map(|data| View { data: &data[..], offset: 0, strides: &strides });
            let dst = ViewMut { data: &mut out, offset: 0, strides: &[1, 1, 1] };
            matmul(1.0, &[batch], [1, k, 1], lhs, rhs, dst, None);
            out.into_iter().map(f32::to_bits).collect()
        };
        let alone = with_threads(1, all);
        assert!([2, 3, 7].into_iter().all(|count| with_threads(count, all) == alone), "{batch} of {k} terms");
    }
}
