//! Lines that lie side by side: what is known of them, and their moments.
//!
//! An element of each of many lines is a vector. Each line goes its own way: its numbers do not depend on those beside it.
//! Not here: how the sums are taken (`standardize`, `gradient`).

use super::{Near, ORDINARY, Standardize};
use crate::kernel::line::{Known, WIDTH, repeated};
use crate::kernel::math::Scalar;

/// Mean and scale of some lines, and how an element of each is standardized.
pub(super) struct Moments<T, const N: usize> {
    mean: [f64; N],
    scale: [f64; N],
    /// The same as numbers of the lines, in parts.
    near: [[T; N]; 4],
}

impl<T: Scalar, const N: usize> Moments<T, N> {
    /// From what [`Standardize::moments`] takes, of each line.
    #[inline(always)]
    pub(super) fn of(
        all: &Standardize,
        [first, sums, squares]: [&[f64; N]; 3],
        part: impl Fn(usize) -> f64,
    ) -> Moments<T, N> {
        let (mut mean, mut scale, mut near) = ([0.0; N], [0.0; N], [[T::default(); N]; 4]);
        for j in 0..N {
            (mean[j], scale[j]) = all.moments(first[j], sums[j], squares[j], part(j));
        }
        for j in 0..N {
            let Near { mean, scale, scale_rest, shift } = Near::of(mean[j], scale[j]);
            [near[0][j], near[1][j], near[2][j], near[3][j]] = [mean, scale, scale_rest, shift];
        }
        Moments { mean, scale, near }
    }

    /// Whether no line needs `f64` to be standardized.
    #[inline(always)]
    pub(super) fn are_ordinary(&self) -> bool {
        self.scale.iter().all(|scale| ORDINARY.contains(scale))
    }

    /// An element of each line, standardized.
    #[inline(always)]
    pub(super) fn standardized<const ARE_ORDINARY: bool>(&self, mut row: [T; N]) -> [T; N] {
        let [mean, scale, rest, shift] = &self.near;
        for (j, x) in row.iter_mut().enumerate() {
            *x = if ARE_ORDINARY || ORDINARY.contains(&self.scale[j]) {
                Near { mean: mean[j], scale: scale[j], scale_rest: rest[j], shift: shift[j] }.apply(*x)
            } else {
                T::narrow((x.wide() - self.mean[j]) * self.scale[j])
            };
        }
        row
    }

    /// A number of each line, divided by its deviation.
    #[inline(always)]
    pub(super) fn divided<const ARE_ORDINARY: bool>(&self, mut row: [T; N]) -> [T; N] {
        for (j, x) in row.iter_mut().enumerate() {
            *x = if ARE_ORDINARY || ORDINARY.contains(&self.scale[j]) {
                *x * self.near[1][j]
            } else {
                T::narrow(x.wide() * self.scale[j])
            };
        }
        row
    }
}

/// What is known of some columns: how many elements were read, the first, and the sums of distances from it.
pub(super) struct Distances {
    pub(super) size: [usize; WIDTH],
    pub(super) first: [f64; WIDTH],
    pub(super) sum: [f64; WIDTH],
    pub(super) squares: [f64; WIDTH],
}

impl Distances {
    /// Before any row was read.
    pub(super) const NONE: Distances =
        Distances { size: [0; WIDTH], first: [0.0; WIDTH], sum: [0.0; WIDTH], squares: [0.0; WIDTH] };

    /// Mean and scale of the columns.
    #[inline(always)]
    pub(super) fn moments<T: Scalar>(&self, all: &Standardize) -> Moments<T, WIDTH> {
        Moments::of(all, [&self.first, &self.sum, &self.squares], |lane| 1.0 / self.size[lane] as f64)
    }

    /// Takes in what another one knows of the line in its lane `from`, for that in the lane `lane` here.
    fn take_in(&mut self, lane: usize, other: &Distances, from: usize) {
        let (size, sum) = (other.size[from], other.sum[from]);
        if self.size[lane] == 0 {
            self.first[lane] = other.first[from];
        }
        if size > 0 {
            // The distances of the others are taken from the first element here.
            let (step, n) = (other.first[from] - self.first[lane], size as f64);
            self.sum[lane] += n * step + sum;
            self.squares[lane] += n * step * step + 2.0 * step * sum + other.squares[from];
            self.size[lane] += size;
        }
    }
}

impl Known for Distances {
    fn join(&mut self, other: &Distances) {
        (0..WIDTH).for_each(|lane| self.take_in(lane, other, lane));
    }

    fn folded(&self, count: usize, width: usize) -> Distances {
        let mut all = Distances::NONE;
        (0..count * width).for_each(|from| all.take_in(from % width, self, from));
        all
    }

    fn spread(&self, width: usize) -> Distances {
        let Distances { first, size, sum, squares } = self;
        Distances {
            first: repeated(first, width),
            size: repeated(size, width),
            sum: repeated(sum, width),
            squares: repeated(squares, width),
        }
    }
}
