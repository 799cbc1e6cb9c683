//! Sorted lines against a stable sort, whole and the first few of them, for all layouts.

use super::*;
use crate::kernel::testing::{Random, positions};
use std::cmp::Ordering;

/// The places in the order of a stable sort by the definition.
fn plain(row: &[f64], descending: bool) -> Vec<i64> {
    let mut places: Vec<i64> = (0..row.len() as i64).collect();
    places.sort_by(|&a, &b| {
        let (a, b) = (row[a as usize], row[b as usize]);
        let order = if descending { b.partial_cmp(&a) } else { a.partial_cmp(&b) };
        order.unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())).then(Ordering::Equal)
    });
    places
}

/// Sorts so many of each row, and compares them with the first ones of the definition.
fn agree<T: Ranked>(data: &[f64], rows: usize, [size, wanted]: [usize; 2], from: (usize, [isize; 2]), to: [isize; 2]) {
    let own: Vec<T> = data.iter().map(|&x| T::from_f64(x)).collect();
    let (first, from) = from;
    for descending in [false, true] {
        let view = View { data: &own[..], offset: first, strides: &from };
        let (mut places, mut numbers) = (vec![-1; 2 * rows * wanted], vec![T::from_f64(9.0); 2 * rows * wanted]);
        argsort(descending, &[rows], [size, wanted], view, ViewMut { data: &mut places, offset: 0, strides: &to });
        sort(descending, &[rows], [size, wanted], view, ViewMut { data: &mut numbers, offset: 0, strides: &to });
        for (a, b) in positions(&[rows], &from[..1]).zip(positions(&[rows], &to[..1])) {
            let at = |i: isize| data[(first as isize + a + i * from[1]) as usize];
            let row: Vec<f64> = (0..size as isize).map(at).collect();
            for (i, place) in (0..).zip(plain(&row, descending).into_iter().take(wanted)) {
                let at = (b + i * to[1]) as usize;
                assert_eq!(places[at], place, "{descending} {wanted} of {row:?}");
                let same = numbers[at].to_f64().to_bits() == T::from_f64(row[place as usize]).to_f64().to_bits();
                assert!(same || row[place as usize].is_nan(), "{descending} {wanted} of {row:?}");
            }
        }
        let untouched = places.iter().filter(|&&place| place == -1).count();
        assert_eq!(untouched, rows * wanted, "what lies between is not written");
    }
}

/// Both kinds of numbers, in rows and in columns, forwards and backwards, repeated and with gaps.
fn agree_in_any_layout(data: &[f64], rows: usize, [size, wanted]: [usize; 2]) {
    let (x, s, w) = (rows as isize, size as isize, wanted as isize);
    let last = rows * size;
    for (from, to) in [
        ((1, [s, 1]), [w, 1]),
        ((1, [1, x]), [1, x]),
        ((1, [s, 1]), [1, x]),
        ((1, [s, 1]), [2 * w, 2]),
        ((1, [1, x]), [2 * w, 1]),
        ((1, [0, 1]), [w, 1]),
        ((1, [1, 0]), [1, x]),
        ((last, [-s, -1]), [w, 1]),
        ((last, [-1, -x]), [1, x]),
        ((last - rows + 1, [1, -x]), [1, x]),
    ] {
        agree::<f32>(data, rows, [size, wanted], from, to);
        agree::<f64>(data, rows, [size, wanted], from, to);
    }
}

/// Some of few numbers, infinities and NaN among them.
fn numbers(random: &mut Random, count: usize, wild: usize) -> Vec<f64> {
    let few = 1 + random.below(60);
    let number = |random: &mut Random| match random.below(wild) {
        0 => f64::NAN,
        1 => f64::NEG_INFINITY,
        2 => f64::INFINITY,
        3 => -0.0,
        _ => random.below(few) as f64 - 10.0,
    };
    (0..count).map(|_| number(random)).collect()
}

#[test]
fn numbers_and_places_come_in_the_order_of_a_stable_sort() {
    let mut random = Random::new(5);
    for (rows, size) in [(1, 1), (4, 2), (3, 7), (5, 20), (2, 50), (40, 33), (64, 2), (150, 8), (70, 256), (2, 1000)] {
        let data = numbers(&mut random, rows * size + 1, 20);
        agree_in_any_layout(&data, rows, [size; 2]);
    }
}

#[test]
fn the_first_few_are_those_of_the_whole_order_in_any_layout() {
    let mut random = Random::new(7);
    for (rows, size) in [(1, 1), (3, 7), (5, 31), (3, 32), (17, 63), (33, 64), (65, 67), (130, 129), (2, 700)] {
        for wild in [4, 5, 20, 1000] {
            let data = numbers(&mut random, rows * size + 1, wild);
            for wanted in [0, 1, 2, 3, 8, 10, size / 4, size / 2, size - 1, size] {
                if wanted <= size {
                    agree_in_any_layout(&data, rows, [size, wanted]);
                }
            }
        }
    }
}

#[test]
fn the_first_few_of_a_line_that_rises_or_falls_or_is_nothing_but_nan_are_those_of_the_order() {
    for (rows, size) in [(1, 1000), (40, 333)] {
        let rises: Vec<f64> = (0..=rows * size).map(|i| i as f64).collect();
        let falls: Vec<f64> = rises.iter().map(|x| -x).collect();
        // Fewer numbers than are wanted among what is none, in the middle and at the end.
        let mut few = vec![f64::NAN; rows * size + 1];
        (few[size / 2], few[rows * size]) = (1.0, f64::NEG_INFINITY);
        // Of the lowest number there may be fewer than are wanted, or nothing else.
        let mut low = vec![f64::NEG_INFINITY; rows * size + 1];
        let lowest = low.clone();
        low.iter_mut().step_by(97).for_each(|x| *x = -0.0);
        for data in [rises, falls, few, low, lowest, vec![0.0; rows * size + 1]] {
            for wanted in [1, 5, 80] {
                agree_in_any_layout(&data, rows, [size, wanted]);
            }
        }
    }
}

#[cfg(feature = "parallel")]
#[test]
fn what_is_sorted_does_not_depend_on_the_number_of_threads() {
    use crate::kernel::threads::with_threads;
    let data: Vec<f32> = Random::new(6).reals(300 * 200).into_iter().map(|x| (x * 20.0).floor()).collect();
    let all = || {
        let mut out = vec![0; data.len()];
        let view = View { data: &data[..], offset: 0, strides: &[200, 1] };
        argsort(true, &[300], [200; 2], view, ViewMut { data: &mut out, offset: 0, strides: &[200, 1] });
        for strides in [[200, 1], [1, 300]] {
            let view = View { data: &data[..], offset: 0, strides: &strides };
            let mut few = vec![0; 300 * 9];
            argsort(false, &[300], [200, 9], view, ViewMut { data: &mut few, offset: 0, strides: &[1, 300] });
            out.extend(few);
        }
        out
    };
    let alone = with_threads(1, all);
    assert!([2, 3, 7].into_iter().all(|count| with_threads(count, all) == alone), "the same places");
}
