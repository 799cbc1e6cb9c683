//! Windows: unrolling and pooling of one axis, and the convolutions and maxima made of them.
//!
//! Lives here: unroll, pool, convolution and max-pooling in one and two axes. Positions are counted from 0.
//! Not here: reductions of other kinds (`reduction`).

use super::Grid;

/// `Y_{i,j} = X_{i+j}` for the last axis, of size n: windows of size k, and n - k + 1 of them.
#[must_use]
pub fn unroll(x: &Grid, kernel: usize) -> Grid {
    let (last, mut sizes) = (x.sizes.len() - 1, x.sizes.clone());
    sizes[last] = x.sizes[last] - kernel + 1;
    sizes.push(kernel);
    Grid::from_fn(&sizes, |place| {
        let mut source = place[..=last].to_vec();
        source[last] += place[last + 1];
        x.get(&source)
    })
}

/// `Y_{i,j} = X_{i k + j}` for the last axis, of size n: n / k windows side by side.
#[must_use]
pub fn pool(x: &Grid, kernel: usize) -> Grid {
    let (last, mut sizes) = (x.sizes.len() - 1, x.sizes.clone());
    sizes[last] = x.sizes[last] / kernel;
    sizes.push(kernel);
    Grid::from_fn(&sizes, |place| {
        let mut source = place[..=last].to_vec();
        source[last] = place[last] * kernel + place[last + 1];
        x.get(&source)
    })
}

/// `Y_{o,i} = Σ_{c,j} W_{o,c,j} X_{c,i+j} + b_o`
#[must_use]
pub fn convolution(x: &Grid, w: &Grid, b: &Grid) -> Grid {
    let (channels, kernel) = (w.sizes[1], w.sizes[2]);
    Grid::from_fn(&[w.sizes[0], x.sizes[1] - kernel + 1], |place| {
        let mut sum = b.get(&[place[0]]);
        for c in 0..channels {
            for j in 0..kernel {
                sum += w.get(&[place[0], c, j]) * x.get(&[c, place[1] + j]);
            }
        }
        sum
    })
}

/// `Y_{h,w} = Σ_{i,j} K_{i,j} X_{h+i,w+j}`: one channel in two axes.
#[must_use]
pub fn convolution_2d(x: &Grid, k: &Grid) -> Grid {
    Grid::from_fn(&[x.sizes[0] - k.sizes[0] + 1, x.sizes[1] - k.sizes[1] + 1], |place| {
        let mut sum = 0.0;
        for i in 0..k.sizes[0] {
            for j in 0..k.sizes[1] {
                sum += k.get(&[i, j]) * x.get(&[place[0] + i, place[1] + j]);
            }
        }
        sum
    })
}

/// `Y_{h,w} = max_{i,j} X_{h n + i, w m + j}`
#[must_use]
pub fn max_pool_2d(x: &Grid, n: usize, m: usize) -> Grid {
    Grid::from_fn(&[x.sizes[0] / n, x.sizes[1] / m], |place| {
        let mut largest = f64::NEG_INFINITY;
        for i in 0..n {
            for j in 0..m {
                largest = largest.max(x.get(&[place[0] * n + i, place[1] * m + j]));
            }
        }
        largest
    })
}

#[cfg(test)]
mod tests {
    use super::super::{contraction::eye, paper};
    use super::*;

    #[test]
    fn n5_n8_windows() {
        assert_eq!(unroll(&paper::x(), 2), Grid::new(&[2, 2], vec![2., 7., 7., 1.]));
        assert_eq!(pool(&Grid::new(&[4], vec![3., 1., 4., 1.]), 2), Grid::new(&[2, 2], vec![3., 1., 4., 1.]));
    }

    #[test]
    fn n6_n7_convolutions() {
        let (w, b) = (Grid::new(&[1, 1, 2], vec![1., -1.]), Grid::new(&[1], vec![0.5]));
        assert_eq!(convolution(&Grid::new(&[1, 3], paper::x().values), &w, &b).values, [-4.5, 6.5]);
        assert_eq!(convolution_2d(&paper::a(), &eye(2)).values, [8., 10., 7., 10.]);
    }

    #[test]
    fn n9_max_pool_of_the_first_sixteen_numbers() {
        let x = Grid::from_fn(&[4, 4], |place| (4 * place[0] + place[1]) as f64);
        assert_eq!(max_pool_2d(&x, 2, 2).values, [5., 7., 13., 15.]);
    }
}
