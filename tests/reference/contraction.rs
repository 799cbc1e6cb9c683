//! Contraction: products summed over shared axes.
//!
//! Lives here: inner and outer products, matrix products plain and batched, contraction over several axes, identity.
//! Not here: what networks make of them (`feed_forward`, `attention`).

use super::Grid;

/// `x ⊙ y = Σ_i x_i y_i`
#[must_use]
pub fn inner(x: &Grid, y: &Grid) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.sizes[0] {
        sum += x.get(&[i]) * y.get(&[i]);
    }
    sum
}

/// `(x * y)_{i,j} = x_i y_j`
#[must_use]
pub fn outer(x: &Grid, y: &Grid) -> Grid {
    Grid::from_fn(&[x.sizes[0], y.sizes[0]], |place| x.get(&place[..1]) * y.get(&place[1..]))
}

/// `(x ⊙ A)_j = Σ_i x_i A_{i,j}`
#[must_use]
pub fn vector_matrix(x: &Grid, a: &Grid) -> Grid {
    Grid::from_fn(&[a.sizes[1]], |place| {
        let mut sum = 0.0;
        for i in 0..a.sizes[0] {
            sum += x.get(&[i]) * a.get(&[i, place[0]]);
        }
        sum
    })
}

/// `(A ⊙ y)_i = Σ_j A_{i,j} y_j`
#[must_use]
pub fn matrix_vector(a: &Grid, y: &Grid) -> Grid {
    Grid::from_fn(&[a.sizes[0]], |place| {
        let mut sum = 0.0;
        for j in 0..a.sizes[1] {
            sum += a.get(&[place[0], j]) * y.get(&[j]);
        }
        sum
    })
}

/// `(A ⊙ B)_{i,j} = Σ_k A_{i,k} B_{k,j}`
#[must_use]
pub fn matrix_matrix(a: &Grid, b: &Grid) -> Grid {
    Grid::from_fn(&[a.sizes[0], b.sizes[1]], |place| {
        let mut sum = 0.0;
        for k in 0..a.sizes[1] {
            sum += a.get(&[place[0], k]) * b.get(&[k, place[1]]);
        }
        sum
    })
}

/// `(A ⊙ B)_{n,i,j} = Σ_k A_{n,i,k} B_{n,k,j}`: a shared axis that is not summed is aligned.
#[must_use]
pub fn batched(a: &Grid, b: &Grid) -> Grid {
    Grid::from_fn(&[a.sizes[0], a.sizes[1], b.sizes[2]], |place| {
        let mut sum = 0.0;
        for k in 0..a.sizes[2] {
            sum += a.get(&[place[0], place[1], k]) * b.get(&[place[0], k, place[2]]);
        }
        sum
    })
}

/// `(A ⊙_{k,l} B)_{n,i,j} = Σ_{k,l} A_{n,i,k,l} B_{n,k,l,j}`: two axes summed, one aligned.
#[must_use]
pub fn batched_over_two_axes(a: &Grid, b: &Grid) -> Grid {
    Grid::from_fn(&[a.sizes[0], a.sizes[1], b.sizes[3]], |place| {
        let mut sum = 0.0;
        for k in 0..a.sizes[2] {
            for l in 0..a.sizes[3] {
                sum += a.get(&[place[0], place[1], k, l]) * b.get(&[place[0], k, l, place[2]]);
            }
        }
        sum
    })
}

/// `A ⊙_{i,j} B = Σ_{i,j} A_{i,j} B_{i,j}`
#[must_use]
pub fn over_both_axes(a: &Grid, b: &Grid) -> f64 {
    let mut sum = 0.0;
    for i in 0..a.sizes[0] {
        for j in 0..a.sizes[1] {
            sum += a.get(&[i, j]) * b.get(&[i, j]);
        }
    }
    sum
}

/// `I_{i,j} = 1 if i = j, else 0`
#[must_use]
pub fn eye(n: usize) -> Grid {
    Grid::from_fn(&[n, n], |place| if place[0] == place[1] { 1.0 } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::super::paper::{a, x, y};
    use super::*;

    #[test]
    fn p13_p14_contractions_of_a() {
        assert_eq!(vector_matrix(&x(), &a()).values, [15., 43., 76.]);
        assert_eq!(matrix_vector(&a(), &y()).values, [11., 30., 31.]);
        assert_eq!(over_both_axes(&a(), &a()), 198.);
    }

    #[test]
    fn p15_inner_and_outer_products() {
        assert_eq!(inner(&x(), &x()), 54.);
        assert_eq!(outer(&x(), &y()).values, [2., 8., 2., 7., 28., 7., 1., 4., 1.]);
        assert_eq!(matrix_matrix(&a(), &eye(3)), a());
    }
}
