//! Functions along axes that stay: softmax and its kin, standardisation, cumulative sum, order.
//!
//! Lives here: softmax, log_softmax, argmax and argmin as one-hot, standardize, cumsum, sort, maxk and argmaxk.
//! Not here: reductions, which lose their axis (`reduction`).

use super::Grid;
use super::reduction::{mean_of, var_of};

/// `softmax X = exp X / sum(exp X)`
///
/// Computed as `exp(X - max X) / sum(exp(X - max X))`, which is the same for finite numbers and does not overflow.
/// An entry of -∞ gives 0. A line that is all -∞, or holds +∞ or NaN, gives NaN everywhere.
#[must_use]
pub fn softmax(x: &Grid, axes: &[usize]) -> Grid {
    x.along(axes, softmax_of)
}

/// `log_softmax X = X - log(sum(exp X))`
#[must_use]
pub fn log_softmax(x: &Grid, axes: &[usize]) -> Grid {
    x.along(axes, |line| {
        let largest = line.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = line.iter().map(|x| (x - largest).exp()).sum();
        line.iter().map(|x| x - largest - sum.ln()).collect()
    })
}

/// The softmax of some numbers.
#[must_use]
pub fn softmax_of(line: &[f64]) -> Vec<f64> {
    let largest = line.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exponentials: Vec<f64> = line.iter().map(|x| (x - largest).exp()).collect();
    let sum: f64 = exponentials.iter().sum();
    exponentials.iter().map(|e| e / sum).collect()
}

/// `argmax X`: 1 at the first of the largest numbers, 0 elsewhere.
#[must_use]
pub fn argmax(x: &Grid, axes: &[usize]) -> Grid {
    x.along(axes, |line| one_hot_of(descending(line)[0], line.len()))
}

/// `argmin X`: 1 at the first of the smallest numbers, 0 elsewhere.
#[must_use]
pub fn argmin(x: &Grid, axes: &[usize]) -> Grid {
    x.along(axes, |line| one_hot_of(ascending(line)[0], line.len()))
}

/// `standardize X = (X - mean X) / √(var X + ε)`
#[must_use]
pub fn standardize(x: &Grid, axes: &[usize], epsilon: f64) -> Grid {
    x.along(axes, |line| {
        let (mean, deviation) = (mean_of(line), (var_of(line) + epsilon).sqrt());
        line.iter().map(|x| (x - mean) / deviation).collect()
    })
}

/// `cumsum(X)_i = Σ_{j ≤ i} X_j`
#[must_use]
pub fn cumsum(x: &Grid, axis: usize) -> Grid {
    x.along(&[axis], |line| (0..line.len()).map(|i| line[..=i].iter().sum()).collect())
}

/// The same numbers, the smallest first.
#[must_use]
pub fn sort(x: &Grid, axis: usize) -> Grid {
    x.along(&[axis], |line| ascending(line).into_iter().map(|position| line[position]).collect())
}

/// `maxk X`: the k largest numbers, the largest first; the axis is replaced by one of size k at its place.
#[must_use]
pub fn maxk(x: &Grid, axis: usize, k: usize) -> Grid {
    let sorted = x.along(&[axis], |line| descending(line).into_iter().map(|position| line[position]).collect());
    first(&sorted, axis, k)
}

/// The positions of the k largest numbers, the largest first and of equal ones the first first.
#[must_use]
pub fn argmaxk(x: &Grid, axis: usize, k: usize) -> Grid {
    let sorted = x.along(&[axis], |line| descending(line).into_iter().map(|position| position as f64).collect());
    first(&sorted, axis, k)
}

fn first(x: &Grid, axis: usize, k: usize) -> Grid {
    let mut sizes = x.sizes.clone();
    sizes[axis] = k;
    Grid::from_fn(&sizes, |place| x.get(place))
}

/// Positions in the order of falling numbers, by selection: the first of the largest that are left, again and again.
fn descending(line: &[f64]) -> Vec<usize> {
    let mut order = Vec::new();
    while order.len() < line.len() {
        let mut best = None;
        for position in 0..line.len() {
            if !order.contains(&position) && best.is_none_or(|best: usize| line[position] > line[best]) {
                best = Some(position);
            }
        }
        order.extend(best);
    }
    order
}

/// Positions in the order of rising numbers; of equal ones the first first.
fn ascending(line: &[f64]) -> Vec<usize> {
    descending(&line.iter().map(|x| -x).collect::<Vec<f64>>())
}

fn one_hot_of(position: usize, size: usize) -> Vec<f64> {
    (0..size).map(|i| if i == position { 1.0 } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::paper::a;
    use super::*;
    use crate::closeness::{Bound, assert_close};

    const PRINTED: Bound = Bound::absolute(5e-7);

    #[test]
    fn p19_p20_softmax_of_a() {
        let height =
            [0.665_241, 0.004_902, 0.006_573, 0.090_031, 0.267_623, 0.975_559, 0.244_728, 0.727_475, 0.017_868];
        let width = [0.259_496, 0.035_119, 0.705_385, 0.000_329, 0.017_980, 0.981_690, 0.013_213, 0.721_399, 0.265_388];
        assert_close(&softmax(&a(), &[0]).values, &Grid::new(&[3, 3], height.to_vec()), PRINTED);
        assert_close(&softmax(&a(), &[1]).values, &Grid::new(&[3, 3], width.to_vec()), PRINTED);
        let logarithms = Grid::new(&[3, 3], softmax(&a(), &[0]).values.iter().map(|p| p.ln()).collect());
        assert_close(&log_softmax(&a(), &[0]).values, &logarithms, Bound::absolute(1e-14));
    }

    #[test]
    fn p21_argmax_and_argmin_of_a_take_the_first_of_equals() {
        assert_eq!(argmax(&a(), &[0]).values, [1., 0., 0., 0., 0., 1., 0., 1., 0.]);
        assert_eq!(argmin(&a(), &[0]).values, [0., 1., 1., 1., 0., 0., 0., 0., 0.]);
        assert_eq!(argmax(&Grid::new(&[3], vec![2., 5., 5.]), &[0]).values, [0., 1., 0.]);
    }

    #[test]
    fn n10_standardize_a_over_width() {
        let first_row: Vec<f64> = standardize(&a(), &[1], 0.0).values[..3].to_vec();
        assert_close(&first_row, &Grid::new(&[3], vec![0.267_261, -1.336_306, 1.069_045]), PRINTED);
        let moments = standardize(&Grid::new(&[4], vec![1., 2., 3., 4.]), &[0], 1e-5).values[..2].to_vec();
        assert_close(&moments, &Grid::new(&[2], vec![-1.341_635, -0.447_212]), PRINTED);
    }

    #[test]
    fn n16_the_two_best_of_a_beam() {
        let best = Grid::new(&[3], vec![0.2, 0.42, 0.12]);
        assert_eq!(maxk(&best, 0, 2).values, [0.42, 0.2]);
        assert_eq!(argmaxk(&best, 0, 2).values, [1., 0.]);
        assert_eq!(sort(&best, 0).values, [0.12, 0.2, 0.42]);
    }
}
