//! Rearrangements: the same numbers at other places.
//!
//! Lives here: order of axes, flatten and split, partial indexing, slices, concatenation.
//! Not here: places computed from numbers (`indexing`), windows (`unroll`). Renaming changes no number.

use super::Grid;
use std::ops::Range;

/// The same grid with its axes in another order: axis `order[n]` of X becomes axis n.
#[must_use]
pub fn reorder(x: &Grid, order: &[usize]) -> Grid {
    let sizes: Vec<usize> = order.iter().map(|&axis| x.sizes[axis]).collect();
    Grid::from_fn(&sizes, |place| {
        let mut source = vec![0; place.len()];
        for (position, &axis) in order.iter().enumerate() {
            source[axis] = place[position];
        }
        x.get(&source)
    })
}

/// `Y_{l} = X_{i,j}` with `l = i |j| + j`: the first of the two axes is the slowest. They must be the first axes of X.
#[must_use]
pub fn flatten(x: &Grid) -> Grid {
    let mut sizes = vec![x.sizes[0] * x.sizes[1]];
    sizes.extend(&x.sizes[2..]);
    Grid::from_fn(&sizes, |place| {
        let mut source = vec![place[0] / x.sizes[1], place[0] % x.sizes[1]];
        source.extend(&place[1..]);
        x.get(&source)
    })
}

/// `Y_{i,j} = X_{i |j| + j}`, the inverse of [`flatten`]: the first axis of X becomes two of these sizes.
#[must_use]
pub fn split(x: &Grid, first: usize, second: usize) -> Grid {
    let mut sizes = vec![first, second];
    sizes.extend(&x.sizes[1..]);
    Grid::from_fn(&sizes, |place| {
        let mut source = vec![place[0] * second + place[1]];
        source.extend(&place[2..]);
        x.get(&source)
    })
}

/// `X_{ax(i)}`: the numbers at position i of one axis, which is lost.
#[must_use]
pub fn at(x: &Grid, axis: usize, position: usize) -> Grid {
    x.reduce(&[axis], |line| line[position])
}

/// `Y_i = X_{start + i}`: a range of one axis.
#[must_use]
pub fn slice(x: &Grid, axis: usize, range: Range<usize>) -> Grid {
    let mut sizes = x.sizes.clone();
    sizes[axis] = range.len();
    Grid::from_fn(&sizes, |place| {
        let mut source = place.to_vec();
        source[axis] += range.start;
        x.get(&source)
    })
}

/// `X ⊕ Y` along one axis: the positions of X, then those of Y.
#[must_use]
pub fn concat(x: &Grid, y: &Grid, axis: usize) -> Grid {
    let mut sizes = x.sizes.clone();
    sizes[axis] += y.sizes[axis];
    Grid::from_fn(&sizes, |place| {
        if place[axis] < x.sizes[axis] {
            return x.get(place);
        }
        let mut source = place.to_vec();
        source[axis] -= x.sizes[axis];
        y.get(&source)
    })
}

#[cfg(test)]
mod tests {
    use super::super::paper::a;
    use super::*;

    #[test]
    fn p2_partial_indices_of_a_counted_from_0() {
        assert_eq!(a().get(&[0, 2]), 4.);
        assert_eq!(at(&a(), 0, 0).values, [3., 1., 4.]);
        assert_eq!(at(&a(), 1, 2).values, [4., 9., 5.]);
    }

    #[test]
    fn p23_flatten_of_a_is_height_major() {
        assert_eq!(flatten(&a()).values, [3., 1., 4., 1., 5., 9., 2., 6., 5.]);
        assert_eq!(split(&flatten(&a()), 3, 3), a());
        assert_eq!(flatten(&reorder(&a(), &[1, 0])).values, [3., 1., 2., 1., 5., 6., 4., 9., 5.]);
    }

    #[test]
    fn concatenations_of_the_papers_history() {
        let top = Grid::new(&[2, 3], vec![3., 1., 4., 1., 5., 9.]);
        let bottom = Grid::new(&[2, 3], vec![2., 7., 1., 8., 2., 8.]);
        assert_eq!(concat(&top, &bottom, 0).values, [3., 1., 4., 1., 5., 9., 2., 7., 1., 8., 2., 8.]);
        assert_eq!(concat(&top, &bottom, 1).values, [3., 1., 4., 2., 7., 1., 1., 5., 9., 8., 2., 8.]);
        assert_eq!(slice(&concat(&top, &bottom, 1), 1, 3..6), bottom);
    }
}
