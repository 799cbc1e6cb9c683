//! The factors of a square matrix: `P S = L U`, with the rows exchanged so that each pivot is the largest of its column.
//!
//! L has ones on the diagonal and U nothing below it, so both fit in the room of S. In `f64`, by the textbook (Golub and
//! Van Loan, Matrix Computations, section 3.4); no number of L is larger than 1, which keeps the rounding errors small.
//! Lives here: the factors, and what is computed from them. Not here: which axes are rows and columns (`matrix`).

/// A matrix as its factors.
pub(super) struct Factors {
    /// L below the diagonal, U on it and above, row by row.
    rows: Vec<Vec<f64>>,
    /// Which row of the matrix each row of L U is.
    order: Vec<usize>,
    /// Whether the rows were exchanged an odd number of times.
    is_odd: bool,
}

impl Factors {
    /// The factors of the matrix with these numbers, row by row.
    pub(super) fn of(numbers: impl ExactSizeIterator<Item = f64>) -> Factors {
        let size = numbers.len().isqrt();
        let numbers: Vec<f64> = numbers.collect();
        let mut rows: Vec<Vec<f64>> = numbers.chunks(size.max(1)).map(<[f64]>::to_vec).collect();
        let mut order: Vec<usize> = (0..size).collect();
        let mut is_odd = false;
        for column in 0..size {
            let (mut pivot, mut largest) = (column, rows[column][column].abs());
            for (i, row) in rows.iter().enumerate().skip(column + 1) {
                // What is no number is larger than nothing; it spoils its own row, whose pivot says so later.
                if row[column].abs() > largest {
                    (pivot, largest) = (i, row[column].abs());
                }
            }
            if pivot != column {
                rows.swap(pivot, column);
                order.swap(pivot, column);
                is_odd = !is_odd;
            }
            if largest == 0.0 {
                continue;
            }
            let (done, below) = rows.split_at_mut(column + 1);
            let top = &done[column];
            for row in below {
                let times = row[column] / top[column];
                row[column] = times;
                for (number, &above) in row.iter_mut().zip(top).skip(column + 1) {
                    *number -= times * above;
                }
            }
        }
        Factors { rows, order, is_odd }
    }

    fn pivots(&self) -> impl Iterator<Item = f64> + '_ {
        self.rows.iter().enumerate().map(|(i, row)| row[i])
    }

    /// Whether there is an inverse: no pivot is 0, and each is a finite number.
    pub(super) fn is_regular(&self) -> bool {
        self.pivots().all(|pivot| pivot != 0.0 && pivot.is_finite())
    }

    /// The determinant of the matrix; 1 if it is empty.
    pub(super) fn determinant(&self) -> f64 {
        let product = self.pivots().product::<f64>();
        if self.is_odd { -product } else { product }
    }

    /// The logarithm of its magnitude; 0 if the matrix is empty.
    pub(super) fn log_determinant(&self) -> f64 {
        self.pivots().fold(0.0, |sum, pivot| sum + pivot.abs().ln())
    }

    /// The columns of the inverse, one after the other: for each unit vector e the x with S x = e.
    pub(super) fn inverse(&self) -> impl Iterator<Item = Vec<f64>> + '_ {
        (0..self.rows.len()).map(|column| {
            let mut x: Vec<f64> = self.order.iter().map(|&row| if row == column { 1.0 } else { 0.0 }).collect();
            let sum = |terms: &[f64], x: &[f64]| terms.iter().zip(x).map(|(term, x)| term * x).sum::<f64>();
            // L y = P e from the first row on, then U x = y from the last.
            for (i, row) in self.rows.iter().enumerate() {
                x[i] -= sum(&row[..i], &x[..i]);
            }
            for (i, row) in self.rows.iter().enumerate().rev() {
                x[i] = (x[i] - sum(&row[i + 1..], &x[i + 1..])) / row[i];
            }
            x
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(a: &[f64], b: &[Vec<f64>], size: usize) -> Vec<f64> {
        let number = |at: usize| (0..size).map(|k| a[at / size * size + k] * b[at % size][k]).sum();
        (0..size * size).map(number).collect()
    }

    #[test]
    fn the_matrix_times_its_inverse_is_the_identity_up_to_rounding() {
        // Hilbert matrices are as badly conditioned as small ones can be; the others have a first pivot of 0.
        for size in 1..=9_usize {
            let hilbert: Vec<f64> = (0..size * size).map(|at| 1.0 / ((at / size + at % size) as f64 + 1.0)).collect();
            let distance: Vec<f64> = (0..size * size).map(|at| (at / size).abs_diff(at % size) as f64).collect();
            for (matrix, bound) in [(hilbert, 1e-3), (distance, 1e-12)] {
                let factors = Factors::of(matrix.iter().copied());
                if size == 1 && matrix == [0.0] {
                    continue;
                }
                assert!(factors.is_regular(), "{size} × {size}");
                let inverse: Vec<Vec<f64>> = factors.inverse().collect();
                for (at, found) in product(&matrix, &inverse, size).into_iter().enumerate() {
                    let expected = if at / size == at % size { 1.0 } else { 0.0 };
                    assert!((found - expected).abs() < bound, "{found} at {at} of {size} × {size}");
                }
            }
        }
    }

    #[test]
    fn pivots_are_chosen_so_that_small_numbers_do_not_drown_the_others() {
        // Without exchanging the rows the second pivot would be -1e20, and the 1 beside it lost.
        let factors = Factors::of([1e-20, 1.0, 1.0, 1.0].into_iter());
        assert!((factors.determinant() + 1.0).abs() < 1e-15, "{}", factors.determinant());
        let inverse: Vec<f64> = factors.inverse().flatten().collect();
        for (found, expected) in inverse.iter().zip([-1.0, 1.0, 1.0, 0.0]) {
            assert!((found - expected).abs() < 1e-15, "{inverse:?}");
        }
    }

    #[test]
    fn exchanging_two_rows_changes_the_sign_of_the_determinant() {
        let determinant = |numbers: [f64; 9]| Factors::of(numbers.into_iter()).determinant();
        let (x, y, z) = ([2.0, 0.5, 1.0], [4.0, 1.0, -3.0], [0.0, 5.0, 2.0]);
        let of = |rows: [[f64; 3]; 3]| determinant(std::array::from_fn(|at| rows[at / 3][at % 3]));
        // By the rule of Sarrus: 4 + 0 + 20 - 0 + 30 - 4.
        assert!((of([x, y, z]) - 50.0).abs() < 1e-12, "{}", of([x, y, z]));
        assert!((of([y, x, z]) + 50.0).abs() < 1e-12 && (of([y, z, x]) - 50.0).abs() < 1e-12, "one exchange and two");
    }

    #[test]
    fn a_matrix_without_an_inverse_is_told_by_its_pivots() {
        for singular in [[1.0, 2.0, 2.0, 4.0], [0.0; 4], [1.0, f64::NAN, 0.0, 1.0], [1.0, 0.0, f64::INFINITY, 1.0]] {
            assert!(!Factors::of(singular.into_iter()).is_regular(), "{singular:?}");
        }
    }
}
