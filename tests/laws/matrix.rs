//! Determinant and inverse over two axes are those of the textbook, for every position of the other axes.
//!
//! Lives here: det and inv as methods and as equations, sizes 0 and 1, layouts, lifting. Not here: matrices that have
//! none (`refusals`), the density of the normal distribution (`examples`).

use named_tensor::prelude::*;
use named_tensor_tests::axes::{batch, height, height_, width, width_};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::rearrangement::{at, reorder};
use named_tensor_tests::reference::{Grid, contraction, matrix};
use named_tensor_tests::strategies::{Layout, cases, grid, in_both_precisions, laid_out, layout};
use proptest::prelude::*;

named! {
    fn Volume(S: R[height, width]) -> R[] {
        det_{height, width}(S)
    }

    fn LogVolume(S: R[height, width]) -> R[] {
        logdet_{height, width}(S)
    }

    fn Inverse(S: R[height, width]) -> R[height, width] {
        inv_{height, width}(S)
    }

    /// A product with the inverse over each of the two axes: both are identities.
    fn OverWidth(S: R[height, width]) -> R[height, height_] {
        S dot_width inv_{height, width}(S)_{height -> height_}
    }

    fn OverHeight(S: R[height, width]) -> R[width, width_] {
        S dot_height inv_{height, width}(S)_{width -> width_}
    }
}

/// Some matrices of one size, none and size 0 among them.
fn matrices() -> impl Strategy<Value = Grid> {
    (0_usize..7, 0_usize..=5).prop_flat_map(|(b, n)| grid(&[b, n, n]))
}

/// The same with 3 n more on the diagonal, so that its least distance from the other numbers of a row is n: the inverse
/// has numbers of at most 1, and the condition is at most 5.
fn regular(x: &Grid) -> Grid {
    let weight = 3.0 * x.sizes[1] as f64;
    Grid::from_fn(&x.sizes, |place| x.get(place) + if place[1] == place[2] { weight } else { 0.0 })
}

/// Elimination takes n operations for each of n² numbers; its error is relative to the largest number in it, which is at
/// most 2ⁿ⁻¹ times that of the matrix (Higham, *Accuracy and Stability of Numerical Algorithms*, section 9.3).
fn eliminated(n: usize, magnitude: f64, unit: f64) -> Bound {
    Bound::roundings(8 * n.pow(3) + 2, magnitude, unit)
}

/// Elimination and substitution from the definitions, for sizes at which an expansion by cofactors would take for ever: the
/// determinant, and the inverse over (row, column) of the matrix that it is the inverse of, transposed.
fn by_elimination(x: &Grid) -> (f64, Vec<f64>) {
    let n = x.sizes[0];
    // The matrix, and beside it what becomes of the identity.
    let number = |i: usize, j: usize| if j < n { x.get(&[i, j]) } else { f64::from(u8::from(j - n == i)) };
    let mut rows: Vec<Vec<f64>> = (0..n).map(|i| (0..2 * n).map(|j| number(i, j)).collect()).collect();
    let mut determinant = 1.0;
    // The diagonal outweighs each row, and goes on to while columns are eliminated.
    for k in 0..n {
        let pivot = rows[k][k];
        determinant *= pivot;
        rows[k].iter_mut().for_each(|number| *number /= pivot);
        let top = rows[k].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|&(i, _)| i != k) {
            let times = row[k];
            row.iter_mut().zip(&top).for_each(|(number, top)| *number -= times * top);
        }
    }
    let inverse = (0..n * n).map(|at| rows[at % n][n + at / n]).collect();
    (determinant, inverse)
}

#[test]
fn large_matrices_and_many_small_ones_have_the_determinants_and_inverses_of_plain_elimination() {
    for (count, n) in [(9, 7), (21, 16), (2, 17), (20, 33), (1, 64), (2, 100)] {
        // Numbers that `f32` holds as they are.
        let wave = |place: &[usize]| {
            let angle = place.iter().fold(0.7, |sum, &at| 3.1 * sum + at as f64);
            (1024.0 * angle.sin()).round() / 1024.0
        };
        let x = regular(&Grid::from_fn(&[count, n, n], wave));
        for l in [Layout::Plain, Layout::Reversed, Layout::Sliced] {
            in_both_precisions!({
                let t = laid_out!(Number, &x, l, (batch, height, width));
                let determinants: Vec<Number> = t.det(height, width).to_vec(batch).unwrap();
                let inverses: Vec<Number> = t.inv(height, width).to_vec((batch, height, width)).unwrap();
                for b in 0..count {
                    let (determinant, inverse) = by_elimination(&at(&x, 0, b));
                    // Of large matrices it is too large for `f32`.
                    if determinants[b].is_finite() {
                        let bound = Bound::roundings(n * n, determinant.abs(), UNIT);
                        assert_close(&determinants[b..=b], &Grid::new(&[1], vec![determinant]), bound);
                    } else {
                        assert!(determinant > f64::from(f32::MAX) && UNIT > f64::EPSILON, "{determinant}");
                        assert_eq!(determinants[b], Number::INFINITY, "{determinant}");
                    }
                    let found = &inverses[b * n * n..][..n * n];
                    assert_close(found, &Grid::new(&[n, n], inverse), Bound::roundings(n, 1.0, UNIT));
                }
            });
        }
    }
}

#[test]
fn what_a_singular_matrix_owes_for_its_determinant_is_refused_where_the_determinant_stands() {
    let s = Tensor::<R![height, width], f64>::from_array((height, width), [[1.0, 2.0], [2.0, 4.0]]);
    let det = s.det(height, width);
    let [owed, change] = [grad(&det, &s).to_vec((height, width)).map(drop), jvp(&det, &s, &s).item().map(drop)];
    for error in [owed.unwrap_err(), change.unwrap_err()] {
        assert!(error.place().is_some_and(|place| place.file().ends_with("matrix.rs")), "{error}");
    }
}

#[test]
fn the_logarithm_of_a_determinant_is_there_where_the_determinant_is_beyond_all_numbers() {
    for (scale, n) in [(0.1_f32, 64), (10.0, 64), (0.1, 400), (10.0, 400)] {
        let s: Tensor<R![height, width]> = Tensor::eye(height, width, n) * scale;
        let log = LogVolume(&s);
        let expected = n as f32 * scale.ln();
        assert!((log.item().unwrap() / expected - 1.0).abs() < 1e-6, "{scale}, {n}: {log}");
        let slope = grad(&log, &s).at(height, 1).at(width, 1).item().unwrap();
        assert!((slope * scale - 1.0).abs() < 1e-6, "{slope}");
    }
    let singular = Tensor::<R![height, width], f64>::from_array((height, width), [[1.0, 2.0], [2.0, 4.0]]);
    assert_eq!(singular.logdet(height, width).item().unwrap(), f64::NEG_INFINITY);
    let error = grad(&singular.logdet(height, width), &singular).to_vec((height, width)).unwrap_err();
    assert!(error.to_string().contains("singular"), "{error}");
    assert_eq!(LogVolume(&Tensor::<_, f64>::eye(height, width, 0)).item().unwrap().to_bits(), 0.0_f64.to_bits());
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn the_determinant_is_the_plain_one_at_each_position(x in matrices(), l in layout()) {
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (batch, height, width));
            let n = x.sizes[1];
            // Hadamard: at most the product of the lengths of the rows, each below 2 √n.
            let largest = 2_f64.powi(n as i32) * (2.0 * (n as f64).sqrt()).powi(n as i32);
            let expected: Vec<f64> = (0..x.sizes[0]).map(|b| matrix::determinant(&at(&x, 0, b))).collect();
            let expected = Grid::new(&x.sizes[..1], expected);
            let bound = eliminated(n, largest, UNIT);
            assert_close(&t.det(height, width).to_vec(batch).unwrap(), &expected, bound);
            assert_close(&t.det(width, height).to_vec(batch).unwrap(), &expected, bound);
            assert_close(&Volume(&t).to_vec(batch).unwrap(), &expected, bound);
        });
    }

    #[test]
    fn the_logarithm_of_a_determinant_is_that_of_its_magnitude_by_either_name(x in matrices(), l in layout()) {
        let x = regular(&x);
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (batch, height, width));
            let logs = (0..x.sizes[0]).map(|b| matrix::determinant(&at(&x, 0, b)).abs().ln());
            let expected = Grid::new(&x.sizes[..1], logs.collect());
            let bound = eliminated(x.sizes[1], 10.0, UNIT);
            assert_close(&LogVolume(&t).to_vec(batch).unwrap(), &expected, bound);
            assert_close(&t.logdet(width, height).to_vec(batch).unwrap(), &expected, bound);
            // Two rows exchanged are a determinant of the other sign.
            let turned = t.logdet(height, width) - (-&t).logdet(height, width);
            assert_close(&turned.to_vec(batch).unwrap(), &Grid::new(&x.sizes[..1], vec![0.0; x.sizes[0]]), bound);
        });
    }

    #[test]
    fn the_inverse_is_the_plain_one_at_each_position(x in matrices(), l in layout()) {
        let x = regular(&x);
        in_both_precisions!({
            let t = laid_out!(Number, &x, l, (batch, height, width));
            let bound = eliminated(x.sizes[1], 5.0 * 2.0, UNIT);
            let found: [Tensor<R![batch, height, width], Number>; 3] =
                [t.inv(height, width), t.inv(width, height), Inverse(&t)];
            for inverse in &found {
                for b in 0..x.sizes[0] {
                    // The rows of the textbook's inverse are the columns of the matrix, width.
                    let expected = matrix::inverse(&at(&x, 0, b));
                    assert_close(&inverse.at(batch, b).to_vec((width, height)).unwrap(), &expected, bound);
                }
            }
        });
    }

    #[test]
    fn a_matrix_contracted_with_its_inverse_over_either_axis_is_the_identity(x in matrices(), l in layout()) {
        let x = regular(&x);
        let t = laid_out!(f64, &x, l, (batch, height, width));
        let n = x.sizes[1];
        // Products with numbers below 5 n on top.
        let bound = eliminated(n, 10.0 * 5.0 * n as f64, f64::EPSILON);
        for b in 0..x.sizes[0] {
            let (rows, columns) = (OverWidth(&t).at(batch, b), OverHeight(&t).at(batch, b));
            assert_close(&rows.to_vec((height, height_)).unwrap(), &contraction::eye(n), bound);
            assert_close(&columns.to_vec((width, width_)).unwrap(), &contraction::eye(n), bound);
        }
    }

    #[test]
    fn the_derivative_of_the_logarithm_of_a_determinant_is_the_inverse(x in matrices(), l in layout()) {
        let x = regular(&x);
        let t = laid_out!(f64, &x, l, (batch, height, width));
        let slope: Tensor<R![batch, height, width], f64> = grad(&t.det(height, width).log().sum(batch), &t);
        let order = (batch, height, width);
        let inverse = Grid::new(&x.sizes, t.inv(height, width).to_vec(order).unwrap());
        assert_close(&slope.to_vec(order).unwrap(), &inverse, Bound::roundings(4, 1.0, f64::EPSILON));
        let slope: Tensor<R![batch, height, width], f64> = grad(&LogVolume(&t).sum(batch), &t);
        assert_close(&slope.to_vec(order).unwrap(), &inverse, Bound::roundings(4, 1.0, f64::EPSILON));
    }

    #[test]
    fn transposing_changes_neither_the_determinant_nor_the_pairs_of_the_inverse(x in matrices()) {
        let x = regular(&x);
        let turned = reorder(&x, &[0, 2, 1]);
        let t = laid_out!(f64, &x, Layout::Plain, (batch, height, width));
        let other = laid_out!(f64, &turned, Layout::Plain, (batch, width, height));
        prop_assert_eq!(t.det(height, width).to_vec(batch).unwrap(), other.det(height, width).to_vec(batch).unwrap());
        let order = (batch, height, width);
        prop_assert_eq!(t.inv(height, width).to_vec(order).unwrap(), other.inv(height, width).to_vec(order).unwrap());
    }
}
