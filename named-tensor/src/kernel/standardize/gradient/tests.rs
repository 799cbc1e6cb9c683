//! What rows owe, against plain loops in `f64`.

use super::*;
use crate::kernel::span::row_major;
use crate::kernel::testing::{Random, positions};

const EPSILON: f64 = 1e-5;

/// Mean and deviation.
fn moments(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    (mean, (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n + EPSILON).sqrt())
}

fn plain(x: &[f64], g: &[f64]) -> Vec<f64> {
    let (n, (mean, deviation)) = (x.len() as f64, moments(x));
    let y: Vec<f64> = x.iter().map(|x| (x - mean) / deviation).collect();
    let total = g.iter().sum::<f64>() / n;
    let along = y.iter().zip(g).map(|(y, g)| y * g).sum::<f64>() / n;
    y.iter().zip(g).map(|(y, g)| (g - total - y * along) / deviation).collect()
}

/// Rows that lie `strides` apart, against plain loops; each number may be off by so much of the largest that is owed, over the deviation.
fn check<T: Scalar>(outer: &[usize], size: usize, strides: [&[isize]; 2], shift: f64, tolerance: f64) {
    let sizes = [outer, &[size]].concat();
    let with_row = strides.map(|strides| [strides, &[1]].concat());
    let reach = |strides: &[isize]| positions(&sizes, strides).max().map_or(0, |last| last as usize + 1);
    let mut random = Random::new(11);
    let [x, g] = [(0, shift), (1, 0.0)].map(|(which, shift)| -> Vec<T> {
        let reals = random.reals(3 + reach(&with_row[which]));
        reals.into_iter().map(|x| T::narrow(shift + f64::from(x))).collect()
    });
    let mut out = vec![T::narrow(f64::NAN); sizes.iter().product()];
    let [of_x, of_g] =
        [(&x, &with_row[0]), (&g, &with_row[1])].map(|(data, strides)| View { data, offset: 3, strides });
    let dense = row_major(&sizes);
    gradient(EPSILON, outer, size, [of_x, of_g], None, ViewMut { data: &mut out, offset: 0, strides: &dense }, None);
    let read = |data: &[T], strides: &[isize]| -> Vec<f64> {
        positions(&sizes, strides).map(|at| data[3 + at as usize].wide()).collect()
    };
    let [x, g] = [read(&x, &with_row[0]), read(&g, &with_row[1])];
    for ((x, g), out) in x.chunks(size).zip(g.chunks(size)).zip(out.chunks(size)) {
        let exact = plain(x, g);
        // What is left of what is owed may be little: of two elements next to nothing.
        let largest = 1.0 / moments(x).1 * g.iter().fold(0.0, |largest: f64, g| largest.max(g.abs()));
        for (out, exact) in out.iter().zip(&exact) {
            assert!((out.wide() - exact).abs() <= tolerance * largest, "{} for {exact}: {sizes:?}", out.wide());
        }
    }
}

#[test]
fn rows_of_every_size_and_distance_agree_with_plain_loops() {
    for size in [2, 3, 31, 32, 33, 64, 100, 257, 1500] {
        let row = size as isize;
        for strides in
            [[&[7 * row, row][..], &[7 * row, row]], [&[row, 3 * row], &[row + 5, 0]], [&[0, row], &[8 * row, row]]]
        {
            check::<f32>(&[3, 7], size, strides, 0.0, 1e-6);
            check::<f64>(&[3, 7], size, strides, 0.0, 1e-13);
        }
    }
    check::<f32>(&[], 40, [&[], &[]], 0.0, 1e-6);
    check::<f32>(&[500], 100, [&[100], &[100]], 0.0, 1e-6);
}

#[test]
fn a_large_mean_does_not_swallow_what_is_owed() {
    check::<f32>(&[2], 700, [&[700], &[700]], 4096.0, 1e-6);
}

#[test]
fn a_constant_row_owes_what_is_left_of_the_mean() {
    let (x, g) = ([3.0_f32; 4], [1.0, 2.0, 3.0, 6.0]);
    let view = |data| View { data, offset: 0, strides: &[1] };
    for epsilon in [1e-4, 1e-44] {
        let mut out = [0.0; 4];
        gradient(
            epsilon,
            &[],
            4,
            [view(&x), view(&g)],
            None,
            ViewMut { data: &mut out, offset: 0, strides: &[1] },
            None,
        );
        let exact = g.map(|g| (g - 3.0) / (epsilon.sqrt() as f32));
        assert!(
            out.iter().zip(exact).all(|(out, exact)| (out - exact).abs() <= 1e-6 * exact.abs()),
            "{out:?} {exact:?}"
        );
    }
}

#[test]
fn nan_makes_its_row_nan_and_no_other() {
    let row = |at: Option<usize>| -> Vec<f32> {
        let mut data = Random::new(3).reals(120);
        at.into_iter().for_each(|at| data[at] = f32::NAN);
        data
    };
    for (x, g) in [(row(Some(45)), row(None)), (row(None), row(Some(45)))] {
        let mut out = vec![0.0; 120];
        let view = |data| View { data, offset: 0, strides: &[40, 1] };
        gradient(
            EPSILON,
            &[3],
            40,
            [view(&x), view(&g)],
            None,
            ViewMut { data: &mut out, offset: 0, strides: &[40, 1] },
            None,
        );
        assert!(out.iter().enumerate().all(|(i, x)| x.is_nan() == (40..80).contains(&i)), "{out:?}");
    }
}

/// The same numbers with rows side by side as with elements side by side, but for the order of sums.
#[test]
fn rows_side_by_side_owe_what_they_owe_one_after_the_other() {
    for (outer, size) in [(1, 5), (31, 2), (32, 100), (33, 7), (100, 64), (500, 300)] {
        let mut random = Random::new(5);
        let [mut x, g] = [0, 1].map(|_| random.reals(2 * outer * size));
        // A constant row, beside others: with no ε under the root it would be divided by 0.
        (0..size).for_each(|i| x[i * outer] = 0.5);
        let turned = |data: &[f32]| -> Vec<f32> {
            let half = |data: &[f32]| -> Vec<f32> {
                (0..outer)
                    .flat_map(|row| (0..size).map(move |i| (row, i)))
                    .map(|(row, i)| data[i * outer + row])
                    .collect()
            };
            data.chunks(outer * size).flat_map(half).collect()
        };
        let (across, down) =
            ([(outer * size) as isize, 1, outer as isize], [(outer * size) as isize, size as isize, 1]);
        let of = |x: &[f32], g: &[f32], strides: &[isize], epsilon: f64| {
            let mut out = vec![f32::NAN; x.len()];
            let [x, g] = [x, g].map(|data| View { data, offset: 0, strides });
            gradient(epsilon, &[2, outer], size, [x, g], None, ViewMut { data: &mut out, offset: 0, strides }, None);
            out
        };
        for epsilon in [1e-5, 1e-40] {
            let (found, expected) =
                (turned(&of(&x, &g, &across, epsilon)), of(&turned(&x), &turned(&g), &down, epsilon));
            for (row, (found, expected)) in found.chunks(size).zip(expected.chunks(size)).enumerate() {
                let largest = expected.iter().fold(1.0, |largest: f32, x| largest.max(x.abs()));
                let is_near = |(x, y): (&f32, &f32)| (x - y).abs() <= 1e-5 * largest;
                assert!(
                    found.iter().zip(expected).all(is_near),
                    "row {row} of {outer} × {size}: {found:?} {expected:?}"
                );
            }
        }
    }
}

#[test]
#[should_panic(expected = "standardize gradient: rows side by side")]
fn rows_with_gaps_are_refused() {
    let data = [0.0_f32; 24];
    let view = View { data: &data, offset: 0, strides: &[8, 2] };
    gradient(EPSILON, &[3], 4, [view, view], None, ViewMut { data: &mut [0.0; 12], offset: 0, strides: &[4, 1] }, None);
}

#[test]
fn what_is_owed_is_multiplied_by_a_gain_first() {
    for (rows, size) in [(1, 1), (3, 7), (5, 40), (2, 773), (70, 16)] {
        let mut random = Random::new(size as u64);
        let [x, g] = [(); 2].map(|()| random.reals(rows * size));
        let gain = random.reals(size);
        let product: Vec<f32> = g.iter().zip(gain.iter().cycle()).map(|(g, gain)| g * gain).collect();
        let strides: &[isize] = &[size as isize, 1];
        let owes = |g: &[f32], gain| {
            let mut out = vec![f32::NAN; x.len()];
            let [x, g] = [&x, g].map(|data| View { data, offset: 0, strides });
            gradient(EPSILON, &[rows], size, [x, g], gain, ViewMut { data: &mut out, offset: 0, strides }, None);
            out.into_iter().map(f32::to_bits).collect::<Vec<_>>()
        };
        assert_eq!(owes(&g, Some(&gain)), owes(&product, None), "{rows} rows of {size}");
    }
}

#[test]
#[should_panic(expected = "a gain for each element of a row")]
fn a_gain_that_is_no_row_is_refused() {
    let view = View { data: &[1.0_f32; 12], offset: 0, strides: &[4, 1] };
    let dst = ViewMut { data: &mut [0.0; 12], offset: 0, strides: &[4, 1] };
    gradient(EPSILON, &[3], 4, [view, view], Some(&[1.0; 3]), dst, None);
}
