//! Products with windows against plain loops.

use super::*;
use crate::kernel::matmul::{Windows, windowed};

/// Compares with plain loops in `f64`: rows and terms of the left operand side by side, or the terms with a gap before the next row.
fn compare<T: Lanes>(
    batch: &[(usize, isize)],
    m: usize,
    [terms, columns]: [&[(usize, isize)]; 2],
    gap: usize,
    epsilon: f64,
) {
    let parts = |axes: &[(usize, isize)]| -> (Vec<usize>, Vec<isize>) { axes.iter().copied().unzip() };
    let places = |axes: &[(usize, isize)]| -> Vec<usize> {
        let (sizes, strides) = parts(axes);
        positions(&sizes, &strides).map(|at| at as usize).collect()
    };
    let [of_batch, of_terms, of_columns] = [batch, terms, columns].map(places);
    let (k, n) = (of_terms.len(), of_columns.len());
    let sizes = parts(batch).0;
    let mut random = Random::new(5);
    let mut data = |size| -> Vec<T> { random.reals(size).into_iter().map(|x| T::narrow(f64::from(x))).collect() };
    let reach: usize = [&of_batch, &of_terms, &of_columns].iter().map(|all| all.iter().max().unwrap_or(&0)).sum();
    let (a, b) = (data(2 + of_batch.len() * m * (k + gap)), data(3 + reach + 1));
    let mut out = vec![T::narrow(f64::NAN); 1 + of_batch.len() * m * (n + gap)];
    let strides = |last: usize| row_major(&[&sizes[..], &[m, last + gap]].concat());
    let (left, right, to) = (strides(k), parts(batch).1, strides(n));
    windowed(
        T::narrow(0.5),
        &sizes,
        m,
        Windows { terms, columns },
        View { data: &a, offset: 2, strides: &left },
        View { data: &b, offset: 3, strides: &right },
        ViewMut { data: &mut out, offset: 1, strides: &to },
        None,
    );
    for (position, from) in of_batch.iter().enumerate() {
        for i in 0..m {
            let (row, to) = ((position * m + i) * (k + gap) + 2, (position * m + i) * (n + gap) + 1);
            for (j, column) in of_columns.iter().enumerate() {
                let product = |(t, term): (usize, &usize)| a[row + t].wide() * b[3 + from + term + column].wide() / 2.0;
                let sum: f64 = of_terms.iter().enumerate().map(product).sum();
                let size: f64 = of_terms.iter().enumerate().map(|all| product(all).abs()).sum();
                let (got, bound) = (out[to + j].wide(), 2.0 * k as f64 * epsilon * size);
                assert!(
                    (got - sum).abs() <= bound,
                    "{got} for {sum} at {i}, {j} of {batch:?} {m} {terms:?} {columns:?}"
                );
            }
            assert!(out[to + n..].iter().take(gap).all(|x| x.wide().is_nan()), "nothing is written beside a row");
        }
    }
}

fn compare_both(batch: &[(usize, isize)], m: usize, windows: [&[(usize, isize)]; 2], gap: usize) {
    compare::<f32>(batch, m, windows, gap, f64::from(f32::EPSILON) / 2.0);
    compare::<f64>(batch, m, windows, gap, f64::EPSILON / 2.0);
}

/// Axes of windows of a picture of 23 columns and 19 rows with channels, windows so far apart: those inside, and which one.
fn picture(chans: usize, side: usize, apart: usize) -> [Vec<(usize, isize)>; 2] {
    let step = apart as isize;
    [
        vec![(chans, 23 * 19), (side, 23), (side, 1)],
        vec![((19 - side) / apart + 1, 23 * step), ((23 - side) / apart + 1, step)],
    ]
}

#[test]
fn windows_of_pictures_are_multiplied_where_they_lie() {
    for (m, chans, side, apart) in [
        (1, 1, 1, 1),
        (2, 3, 3, 1),
        (7, 3, 5, 1),
        (8, 1, 3, 2),
        (13, 4, 3, 3),
        (25, 2, 2, 4),
        (60, 2, 3, 1),
        (6, 130, 3, 1),
    ] {
        let [inside, which] = picture(chans, side, apart);
        for gap in [0, 3] {
            compare_both(&[], m, [&inside, &which], gap);
            // Several pictures, as a batch and among the columns.
            compare_both(&[(2, 23 * 19 * chans as isize)], m, [&inside, &which], gap);
            let all = [&[(3, 23 * 19 * chans as isize)], &which[..]].concat();
            compare_both(&[], m, [&inside, &all], gap);
        }
    }
}

#[test]
fn windows_are_summed_over_pictures_where_they_lie() {
    for (m, chans, side, apart) in [(1, 1, 3, 1), (5, 3, 3, 1), (17, 8, 3, 1), (8, 2, 5, 2), (30, 40, 3, 1)] {
        let [inside, which] = picture(chans, side, apart);
        let all = [&[(4, 23 * 19 * chans as isize)], &which[..]].concat();
        compare_both(&[], m, [&which, &inside], 0);
        compare_both(&[], m, [&all, &inside], 2);
        compare_both(&[(3, 1)], m, [&all, &inside], 1);
    }
}

#[test]
fn a_row_or_column_of_one_position_is_a_product_as_any() {
    compare_both(&[], 9, [&[(1, 0)], &[(2, 5)]], 0);
    compare_both(&[(1, 7)], 1, [&[(1, 0), (1, 3)], &[(1, 1), (70, 2)]], 0);
    compare_both(&[(4, 0)], 3, [&[(70, 1)], &[(5, 1), (1, 1)]], 4);
}

#[cfg(feature = "parallel")]
#[test]
fn threads_share_a_product_with_windows() {
    let [inside, which] = picture(20, 3, 1);
    let all = [&[(9, 23 * 19 * 20)], &which[..]].concat();
    for threads in [1, 2, 3] {
        crate::kernel::threads::with_threads(threads, || {
            compare::<f32>(&[], 40, [&inside, &all], 0, f64::from(f32::EPSILON) / 2.0);
            compare::<f32>(&[], 33, [&all, &inside], 0, f64::from(f32::EPSILON) / 2.0);
        });
    }
}
