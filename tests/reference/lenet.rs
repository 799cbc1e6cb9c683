//! LeNet as the paper's appendix has it, on (channel, row, column) (row N19).
//!
//! Lives here: convolution of channels in two axes, and the network made of it. Not here: pooling (`unroll`).

use super::Grid;
use super::contraction::matrix_vector;
use super::elementwise::{map, relu, zip};
use super::rearrangement::{at, flatten, reorder};
use super::softmax::softmax;
use super::unroll::max_pool_2d;

/// The weights of the network, and the sizes of its windows.
#[derive(Clone, Debug, PartialEq)]
pub struct LeNet {
    /// `W¹`, `b¹` over (out, in, row of the kernel, column of the kernel) and out, and the window (rows, columns).
    pub first: (Grid, Grid, [usize; 2]),
    /// The same of the second convolution.
    pub second: (Grid, Grid, [usize; 2]),
    /// `W³`, `b³` over (hidden, layer) and hidden; layer is (row, column, channel) flattened, the row slowest.
    pub third: (Grid, Grid),
    /// `W⁴`, `b⁴` over (class, hidden) and class.
    pub fourth: (Grid, Grid),
}

/// `Y_{o,h,w} = Σ_{c,i,j} W_{o,c,i,j} X_{c,h+i,w+j} + b_o`
#[must_use]
pub fn convolution(x: &Grid, w: &Grid, b: &Grid) -> Grid {
    let (rows, columns) = (x.sizes[1] - w.sizes[2] + 1, x.sizes[2] - w.sizes[3] + 1);
    Grid::from_fn(&[w.sizes[0], rows, columns], |place| {
        let mut sum = b.get(&place[..1]);
        for c in 0..w.sizes[1] {
            for i in 0..w.sizes[2] {
                for j in 0..w.sizes[3] {
                    sum += w.get(&[place[0], c, i, j]) * x.get(&[c, place[1] + i, place[2] + j]);
                }
            }
        }
        sum
    })
}

impl LeNet {
    /// `T = relu(Conv(X))`, then `MaxPool(T)` of each channel.
    fn convolved(x: &Grid, (w, b, [rows, columns]): &(Grid, Grid, [usize; 2])) -> Grid {
        let t = map(&convolution(x, w, b), relu);
        let pooled: Vec<Grid> = (0..t.sizes[0]).map(|c| max_pool_2d(&at(&t, 0, c), *rows, *columns)).collect();
        let sizes = [t.sizes[0], pooled[0].sizes[0], pooled[0].sizes[1]];
        Grid::new(&sizes, pooled.into_iter().flat_map(|channel| channel.values).collect())
    }

    /// What the linear layers see, over (row, column, channel).
    #[must_use]
    pub fn picture(&self, x: &Grid) -> Grid {
        let x2 = Self::convolved(&Self::convolved(x, &self.first), &self.second);
        reorder(&x2, &[1, 2, 0])
    }

    /// `softmax_classes(W⁴ ⊙ relu(W³ ⊙ X² + b³) + b⁴)`
    #[must_use]
    pub fn apply(&self, x: &Grid) -> Grid {
        let layer = flatten(&flatten(&self.picture(x)));
        let linear = |(w, b): &(Grid, Grid), x: &Grid| zip(&matrix_vector(w, x), b, |product, b| product + b);
        softmax(&linear(&self.fourth, &map(&linear(&self.third, &layer), relu)), &[0])
    }
}

#[cfg(test)]
mod tests {
    use super::super::paper::a;
    use super::super::unroll::convolution_2d;
    use super::*;

    #[test]
    fn n7_a_convolution_of_one_channel_is_that_of_a_picture() {
        let kernel = Grid::new(&[2, 2], vec![1., 0., 0., 1.]);
        let x = Grid::new(&[1, 3, 3], a().values);
        let w = Grid::new(&[1, 1, 2, 2], kernel.values.clone());
        assert_eq!(convolution(&x, &w, &Grid::new(&[1], vec![0.])).values, convolution_2d(&a(), &kernel).values);
    }
}
