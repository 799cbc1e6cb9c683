//! Positions of the largest and smallest numbers against a plain search, for all layouts and sizes around registers.

use super::*;
use crate::kernel::testing::{Random, positions};

/// What the sort would put first: NaN is last in either order, and of equal numbers the first comes first.
fn plain(largest: bool, row: &[f64]) -> i64 {
    let sign = if largest { 1.0 } else { -1.0 };
    let mut best = 0;
    for (i, x) in row.iter().enumerate() {
        let other: f64 = row[best];
        if !x.is_nan() && (other.is_nan() || sign * x > sign * other) {
            best = i;
        }
    }
    best as i64
}

/// Numbers of which many are equal, and some are none.
fn numbers(random: &mut Random, count: usize, wild: bool) -> Vec<f64> {
    let few = 1 + random.below(200);
    let number = |random: &mut Random| match random.below(if wild { 12 } else { 1000 }) {
        0 => f64::NAN,
        1 => f64::NEG_INFINITY,
        2 if wild => f64::INFINITY,
        3 => -0.0,
        _ => random.below(few) as f64 - 10.0,
    };
    (0..count).map(|_| number(random)).collect()
}

fn agree<T: Ordered>(data: &[f64], kept: &[usize], size: usize, offset: usize, strides: &[isize]) {
    let own: Vec<T> = data.iter().map(|&x| T::from_f64(x)).collect();
    let (&stride, kept_strides) = strides.split_last().unwrap();
    for largest in [true, false] {
        let mut out = vec![-1; kept.iter().product()];
        best(largest, kept, size, View { data: &own, offset, strides }, &mut out);
        for (found, start) in out.iter().zip(positions(kept, kept_strides)) {
            let row: Vec<f64> =
                (0..size as isize).map(|i| data[(offset as isize + start + i * stride) as usize]).collect();
            assert_eq!(*found, plain(largest, &row), "{largest} {kept:?} {size} {strides:?} {row:?}");
        }
    }
}

fn both(data: &[f64], kept: &[usize], size: usize, offset: usize, strides: &[isize]) {
    agree::<f32>(data, kept, size, offset, strides);
    agree::<f64>(data, kept, size, offset, strides);
}

#[test]
fn rows_of_any_size_have_the_first_of_the_best_as_their_place() {
    let mut random = Random::new(1);
    for size in (1..140).chain([500, 1023, 1024, 1025, 1030, 1040, 2048, 2051, 3000]) {
        for wild in [false, true] {
            let rows = 5;
            let data = numbers(&mut random, rows * (size + 2) + 1, wild);
            both(&data, &[rows], size, 1, &[size as isize + 2, 1]);
            both(&data, &[rows], size, 0, &[1, rows as isize]);
        }
    }
}

#[test]
fn rows_that_lie_apart_side_by_side_backwards_or_are_repeated_have_the_same_place() {
    let mut random = Random::new(2);
    for (kept, size) in [([3, 20], 7), ([2, 600], 9), ([1, 8], 40), ([7, 1], 33), ([4, 5], 1)] {
        let [a, b] = kept;
        let (x, y, s) = (a as isize, b as isize, size as isize);
        for strides in [[s * y, s, 1], [y * s, 1, y], [1, x, x * y], [s, 0, 1], [y, 1, 0], [0, 1, y], [s * y, 1, -y]] {
            let offset = if strides[2] < 0 { (size - 1) * b } else { 2 };
            let data = numbers(&mut random, a * b * size + 3, true);
            both(&data, &kept, size, offset, &strides);
        }
    }
}

#[test]
fn many_short_rows_have_the_same_places_wherever_they_begin() {
    let mut random = Random::new(5);
    for size in [1, 2, 7, 15, 16, 17, 50, 63, 64, 65] {
        for rows in [15, 16, 64, 65, 200] {
            let apart = size + 3;
            let data = numbers(&mut random, rows * apart + 2, true);
            both(&data, &[rows], size, 2, &[apart as isize, 1]);
            both(&data, &[rows], size, (rows - 1) * apart, &[-(apart as isize), 1]);
            both(&data, &[2, rows], size, 1, &[0, apart as isize, 1]);
        }
    }
}

#[test]
fn a_row_of_nan_alone_has_the_place_0_and_the_lowest_number_counts_more_than_nan() {
    for size in [1, 3, 16, 17, 40, 1024, 5000] {
        for layout in [[size as isize, 1], [1, 8]] {
            let mut data = vec![f64::NAN; 8 * size];
            both(&data, &[8], size, 0, &layout);
            let last = data.len() - 1;
            data[last] = f64::NEG_INFINITY;
            both(&data, &[8], size, 0, &layout);
            data[last] = f64::INFINITY;
            both(&data, &[8], size, 0, &layout);
        }
    }
}

#[test]
fn a_number_that_is_repeated_without_end_has_the_place_0() {
    let mut out = [-1; 2];
    best(true, &[2], usize::MAX >> 14, View { data: &[1.0_f32, f32::NAN], offset: 0, strides: &[1, 0] }, &mut out);
    assert_eq!(out, [0; 2]);
}

#[test]
fn over_no_rows_nothing_is_written() {
    best::<f32>(true, &[0, 3], 4, View { data: &[], offset: 0, strides: &[12, 4, 1] }, &mut []);
}

#[test]
#[should_panic(expected = "among no numbers")]
fn an_axis_without_a_position_is_refused() {
    best::<f32>(true, &[1], 0, View { data: &[], offset: 0, strides: &[0, 1] }, &mut [0]);
}

#[cfg(feature = "parallel")]
#[test]
fn places_do_not_depend_on_the_number_of_threads() {
    use crate::kernel::threads::with_threads;
    let mut random = Random::new(3);
    let data: Vec<f32> = numbers(&mut random, 900 * 700, true).into_iter().map(|x| x as f32).collect();
    let all = || {
        let mut out = vec![0; 900 + 700 + 12_600];
        let (rows, rest) = out.split_at_mut(900);
        let (columns, short) = rest.split_at_mut(700);
        best(true, &[900], 700, View { data: &data, offset: 0, strides: &[700, 1] }, rows);
        best(false, &[700], 900, View { data: &data, offset: 0, strides: &[1, 700] }, columns);
        best(true, &[12_600], 50, View { data: &data, offset: 0, strides: &[50, 1] }, short);
        out
    };
    let alone = with_threads(1, all);
    assert!([2, 3, 7].into_iter().all(|count| with_threads(count, all) == alone), "the same places");
}
