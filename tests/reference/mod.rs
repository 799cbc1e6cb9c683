//! Plain matrix code: what every operation, network and block computes, in nested loops over `usize` and in `f64`.
//!
//! Written from the formulas of the paper and of the notes, which each function quotes, and not from the library.
//! Axes are numbered, not named: which number is which axis is said where a function is declared.
//! Lives here: the formulas, one file per chapter. Not here: names, types, speed, and the library itself.

pub mod alignment;
pub mod attention;
pub mod block;
pub mod contraction;
pub mod einsum;
pub mod elementwise;
pub mod feed_forward;
mod grid;
pub mod indexing;
pub mod language_model;
pub mod lenet;
pub mod mask;
pub mod matrix;
pub mod norm;
pub mod position;
pub mod rearrangement;
pub mod recurrent;
pub mod reduction;
pub mod softmax;
pub mod sources;
pub mod unroll;

pub use grid::{Grid, places};

/// The numbers that the examples of the paper share: `A` over (height, width), `x` over height, `y` over width.
pub mod paper {
    use super::Grid;

    /// `A = [[3, 1, 4], [1, 5, 9], [2, 6, 5]]`
    #[must_use]
    pub fn a() -> Grid {
        Grid::new(&[3, 3], vec![3., 1., 4., 1., 5., 9., 2., 6., 5.])
    }

    /// `x = [2, 7, 1]`
    #[must_use]
    pub fn x() -> Grid {
        Grid::new(&[3], vec![2., 7., 1.])
    }

    /// `y = [1, 4, 1]`
    #[must_use]
    pub fn y() -> Grid {
        Grid::new(&[3], vec![1., 4., 1.])
    }
}
