//! Determinants and inverses against plain loops in `f64`, in all layouts, alone and together.

use super::*;
use crate::kernel::testing::{Random, positions};

const SIZES: [usize; 10] = [0, 1, 2, 3, 7, 16, 17, 33, 64, 100];

/// The determinant by plain elimination, and whether all pivots are numbers but 0.
fn eliminated(matrix: &[f64], size: usize) -> (f64, bool) {
    let mut rows: Vec<Vec<f64>> = matrix.chunks(size.max(1)).map(<[f64]>::to_vec).collect();
    let (mut is_odd, mut product, mut is_regular) = (false, 1.0, true);
    for column in 0..size {
        let mut pivot = column;
        for i in column + 1..size {
            if rows[i][column].abs() > rows[pivot][column].abs() {
                pivot = i;
            }
        }
        is_odd ^= pivot != column;
        rows.swap(pivot, column);
        let top = rows[column].clone();
        product *= top[column];
        is_regular &= top[column] != 0.0 && top[column].is_finite();
        if top[column] != 0.0 {
            for row in &mut rows[column + 1..] {
                let times = row[column] / top[column];
                (column + 1..size).for_each(|j| row[j] -= times * top[j]);
            }
        }
    }
    (if is_odd { -product } else { product }, is_regular)
}

/// Strides of (matrix, row, column) in which no two numbers of `count` matrices meet.
fn layouts(count: usize, size: usize) -> [[isize; 3]; 5] {
    let [count, size] = [count, size].map(|size| size.max(1) as isize);
    let (one, all) = (size * size, size * count);
    [[one, size, 1], [one, 1, size], [1, size * count, count], [size, all, 1], [2 * one, 2 * size, 2]]
}

/// The numbers of each matrix, row by row.
fn matrices<T: Scalar>(data: &[T], count: usize, size: usize, strides: &[isize; 3]) -> Vec<Vec<f64>> {
    let places: Vec<isize> = positions(&[size, size], &strides[1..]).collect();
    let of = |first: isize| places.iter().map(|at| data[(first + at) as usize].wide()).collect();
    positions(&[count], &strides[..1]).map(of).collect()
}

fn numbers<T: Scalar>(random: &mut Random, count: usize) -> Vec<T> {
    random.reals(count).into_iter().map(|x| T::narrow(x.into())).collect()
}

fn determinants<T: Scalar>(data: &[T], count: usize, size: usize, strides: &[isize; 3]) -> Vec<T> {
    let mut dst = vec![T::narrow(7.0); count];
    determinant(&[count], size, View { data, offset: 0, strides }, &mut dst);
    dst
}

fn inverses<T: Scalar>(data: &[T], count: usize, size: usize, strides: &[isize; 3]) -> Option<Vec<T>> {
    let mut dst = vec![T::narrow(7.0); count * size * size];
    inverse(&[count], size, View { data, offset: 0, strides }, &mut dst).then_some(dst)
}

fn bits<T: Scalar>(numbers: &[T]) -> Vec<u64> {
    numbers.iter().map(|x| x.wide().to_bits()).collect()
}

/// Each matrix, contracted over its rows with what is said to be its inverse, is the identity up to the rounding of as many
/// products as there are rows, of the largest numbers there are.
fn is_inverse(matrix: &[f64], found: &[f64], size: usize, unit: f64) {
    let largest = found.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    for (b, other) in (0..size).flat_map(|b| (0..size).map(move |other| (b, other))) {
        let terms = || (0..size).map(|a| matrix[a * size + b] * found[a * size + other]);
        let magnitude: f64 = (0..size).map(|a| matrix[a * size + b].abs() * largest).sum();
        let distance = (terms().sum::<f64>() - if b == other { 1.0 } else { 0.0 }).abs();
        assert!(distance <= 4.0 * unit * magnitude * size as f64, "{size}: {distance} at {b}, {other} of {magnitude}");
    }
}

fn agree<T: Scalar>(unit: f64) {
    for size in SIZES {
        for count in [0, 1, 3, 4, 19] {
            if count > 4 && size > 40 {
                continue;
            }
            for strides in layouts(count, size) {
                let data: Vec<T> = numbers(&mut Random::new(size as u64 + 1), 2 * count * size * size + 1);
                let plain = matrices(&data, count, size, &strides);
                let expected: Vec<T> = plain.iter().map(|matrix| T::narrow(eliminated(matrix, size).0)).collect();
                let found = determinants(&data, count, size, &strides);
                assert_eq!(bits(&found), bits(&expected), "{count} of {size} in {strides:?}");
                let found = inverses(&data, count, size, &strides).expect("they are regular");
                let found: Vec<f64> = found.iter().map(|x| x.wide()).collect();
                for (matrix, found) in plain.iter().zip(found.chunks((size * size).max(1))) {
                    is_inverse(matrix, found, size, unit);
                }
            }
        }
    }
}

#[test]
fn of_floats_in_any_layout_determinants_are_the_plain_ones_and_inverses_give_the_identity() {
    agree::<f32>(f32::EPSILON.into());
}

#[test]
fn of_doubles_in_any_layout_determinants_are_the_plain_ones_and_inverses_give_the_identity() {
    agree::<f64>(f64::EPSILON);
}

#[test]
fn a_matrix_among_others_has_the_numbers_that_it_has_alone() {
    for size in (0..=18).chain([31, 32, 33]) {
        let strides = layouts(11, size)[0];
        let mut data: Vec<f64> = numbers(&mut Random::new(3), 11 * size * size);
        // Pivots whose inverses lose digits, and one that all other numbers drown in.
        data.iter_mut().skip(4 * size * size).take(size * size).for_each(|x| *x *= f64::MAX / 8.0);
        data.iter_mut().take(1).for_each(|x| *x = 1e-300);
        let all = determinants(&data, 11, size, &strides);
        let inverted = inverses(&data, 11, size, &strides).expect("they are regular");
        for (i, matrix) in data.chunks((size * size).max(1)).enumerate() {
            assert_eq!(bits(&determinants(matrix, 1, size, &strides)), bits(&all[i..=i]), "{size}");
            let alone = inverses(matrix, 1, size, &strides).expect("it is regular");
            assert_eq!(bits(&alone), bits(&inverted[i * size * size..][..size * size]), "{i} of size {size}");
        }
    }
}

#[test]
fn pivots_near_the_ends_of_the_range_are_divided_by_and_not_multiplied() {
    for (pivot, count) in [(1.5e308, 1), (1.5e308, 9), (2.5e-308, 1), (2.5e-308, 9)] {
        let data = [pivot, 0.0, 0.0, -3.0].repeat(count);
        let found = inverses(&data, count, 2, &[4, 2, 1]).expect("they are regular");
        assert_eq!(found, [1.0 / pivot, 0.0, 0.0, -1.0 / 3.0].repeat(count), "{pivot}");
    }
}

#[test]
fn one_singular_matrix_among_regular_ones_is_told_wherever_it_is_and_whatever_makes_it_so() {
    for size in SIZES.into_iter().filter(|&size| size > 0) {
        for count in [1, 5, 12] {
            let regular: Vec<f64> = numbers(&mut Random::new(9), count * size * size);
            let strides = layouts(count, size)[0];
            assert!(inverses(&regular, count, size, &strides).is_some(), "{count} of {size} are regular");
            for (wrong, place) in [(0, count - 1), (1, 0), (2, count / 2), (3, count - 1)] {
                let mut data = regular.clone();
                let matrix = &mut data[place * size * size..][..size * size];
                let at = place % size;
                match wrong {
                    0 => matrix[at * size..][..size].fill(0.0),
                    1 => matrix.chunks_mut(size).for_each(|row| row[at] = 0.0),
                    2 => matrix[at * size + size - 1] = f64::NAN,
                    _ => matrix[(size - 1) * size + at] = f64::INFINITY,
                }
                assert!(inverses(&data, count, size, &strides).is_none(), "{wrong} in one of {count} of {size}");
                let found = determinants(&data, count, size, &strides);
                for (i, (found, matrix)) in found.iter().zip(data.chunks(size * size)).enumerate() {
                    let (expected, is_regular) = eliminated(matrix, size);
                    assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(), "{found}");
                    assert_eq!(is_regular, i != place, "only one is singular");
                }
            }
        }
    }
}

#[test]
fn rows_that_are_multiples_of_one_another_leave_nothing() {
    for factor in 2..50 {
        for count in [1, 4] {
            let factor = f64::from(factor);
            let data = [1.0, factor, 3.0, 3.0 * factor].repeat(count);
            assert_eq!(determinants(&data, count, 2, &[4, 2, 1]), vec![0.0; count], "{factor}");
            assert!(inverses(&data, count, 2, &[4, 2, 1]).is_none(), "{factor}");
        }
    }
}

#[test]
#[should_panic(expected = "determinant: elements 0 to 8 of a slice of 8")]
fn a_matrix_past_its_slice_is_refused() {
    determinants(&[1.0; 8], 1, 3, &[9, 3, 1]);
}

#[test]
#[should_panic(expected = "as many numbers as there are are needed")]
fn room_for_too_few_numbers_is_refused() {
    inverse(&[1], 2, View { data: &[1.0; 4], offset: 0, strides: &[4, 2, 1] }, &mut [0.0; 3]);
}

#[cfg(feature = "parallel")]
#[test]
fn determinants_and_inverses_do_not_depend_on_the_number_of_threads() {
    use crate::kernel::threads::with_threads;
    for (count, size) in [(1000, 7), (30, 33), (1, 200), (2, 130)] {
        let data: Vec<f32> = numbers(&mut Random::new(4), count * size * size);
        let strides = layouts(count, size)[0];
        let all = || {
            let inverses = inverses(&data, count, size, &strides).expect("they are regular");
            (bits(&determinants(&data, count, size, &strides)), bits(&inverses))
        };
        let alone = with_threads(1, all);
        assert!([2, 3].into_iter().all(|threads| with_threads(threads, all) == alone), "{count} of {size}");
    }
}
