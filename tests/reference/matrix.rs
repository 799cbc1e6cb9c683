//! Functions of matrices, from their textbook definitions.
//!
//! Lives here: the determinant by expansion along the first row, and the inverse by cofactors. Not here: products of
//! matrices (`contraction`).

use super::Grid;

/// `det A = Σ_j A_{1,j} C_{1,j}`, with the cofactors C; 1 for a matrix without rows.
#[must_use]
pub fn determinant(a: &Grid) -> f64 {
    if a.sizes[0] == 0 {
        return 1.0;
    }
    let mut sum = 0.0;
    for j in 0..a.sizes[1] {
        sum += a.get(&[0, j]) * cofactor(a, 0, j);
    }
    sum
}

/// `(A⁻¹)_{j,i} = C_{i,j} / det A`, over (row of A⁻¹, column of A⁻¹).
#[must_use]
pub fn inverse(a: &Grid) -> Grid {
    let determinant = determinant(a);
    Grid::from_fn(&a.sizes, |place| cofactor(a, place[1], place[0]) / determinant)
}

/// `C_{i,j} = (-1)^{i+j} det(A without row i and column j)`
fn cofactor(a: &Grid, row: usize, column: usize) -> f64 {
    let rest = a.sizes[0] - 1;
    let beside = |position: usize, gone: usize| if position < gone { position } else { position + 1 };
    let minor = Grid::from_fn(&[rest, rest], |place| a.get(&[beside(place[0], row), beside(place[1], column)]));
    if (row + column).is_multiple_of(2) { determinant(&minor) } else { -determinant(&minor) }
}

#[cfg(test)]
mod tests {
    use super::super::contraction::{eye, matrix_matrix};
    use super::super::paper::a;
    use super::*;
    use crate::closeness::{Bound, assert_close};

    #[test]
    fn determinant_and_inverse_of_the_papers_matrix() {
        // 3 (25 - 54) - 1 (5 - 18) + 4 (6 - 10)
        assert_eq!(determinant(&a()), -90.0);
        assert_eq!(determinant(&Grid::new(&[0, 0], vec![])), 1.0);
        assert_close(&matrix_matrix(&a(), &inverse(&a())).values, &eye(3), Bound::absolute(1e-14));
        assert_close(&matrix_matrix(&inverse(&a()), &a()).values, &eye(3), Bound::absolute(1e-14));
    }
}
