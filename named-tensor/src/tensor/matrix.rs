//! Functions of matrices: determinant, its logarithm and inverse over two axes of equal size.
//!
//! Lives here: their rule of names. Not here: what is computed, and what is singular (`graph::op::matrix`).

use super::Tensor;
use crate::axes::rules::{Has, Once};
use crate::axes::selector::Selector;
use crate::axes::set::{Axes, Reduced};
use crate::axis::{Axis, Name};
use crate::element::Real;

impl<A: Axes, T: Real> Tensor<A, T> {
    /// Computes `det_{a,b} S`, for every position of the other axes; 1 if both axes have size 0.
    ///
    /// The axes have one size, else the tensor carries an error; which of them is named first makes no difference.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { height, width }
    /// let s = Tensor::new((height, width), [[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(s.det(height, width).item()?, -2.0);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn det<X: Axis, Y: Axis, F, G>(&self, axis: F, other: G) -> Tensor<Reduced<Reduced<A, X>, Y>, T>
    where
        F: Fn() -> X + Copy,
        G: Fn() -> Y + Copy,
        (F, G): Once<<(F, G) as Selector>::Repeated>,
        A: Has<X> + Has<Y>,
    {
        let _ = (axis, other);
        Tensor::from_node(self.node().determinant(Name::of::<X>(), Name::of::<Y>()))
    }

    /// Computes `logdet_{a,b} S = log |det_{a,b} S|`, for every position of the other axes: the sum of the logarithms of the
    /// pivots, which is there long after the determinant is beyond the numbers; 0 if both axes have size 0.
    ///
    /// Of a singular matrix it is -∞. Its derivative by S is inv S, which reading refuses there. Axes as for
    /// [`det`](Tensor::det).
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { height, width }
    /// // 0.01 I of 400 rows: the determinant is 10⁻⁸⁰⁰.
    /// let s: Tensor<R![height, width]> = Tensor::eye(height, width, 400) * 0.01;
    /// assert_eq!(s.det(height, width).item()?, 0.0);
    /// assert!((s.logdet(height, width).item()? / (400.0 * 0.01_f32.ln()) - 1.0).abs() < 1e-6);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn logdet<X: Axis, Y: Axis, F, G>(&self, axis: F, other: G) -> Tensor<Reduced<Reduced<A, X>, Y>, T>
    where
        F: Fn() -> X + Copy,
        G: Fn() -> Y + Copy,
        (F, G): Once<<(F, G) as Selector>::Repeated>,
        A: Has<X> + Has<Y>,
    {
        let _ = (axis, other);
        Tensor::from_node(self.node().log_determinant(Name::of::<X>(), Name::of::<Y>()))
    }

    /// Computes `inv_{a,b} S`, for every position of the other axes: contracted with S over either axis it gives the
    /// identity, `S ⊙_b inv(S)_{a→a'} = I_{a,a'}` and `S ⊙_a inv(S)_{b→b'} = I_{b,b'}`.
    ///
    /// So if `Y = S ⊙_a X` has the axis b, then `inv(S) ⊙_b Y` has the axis a and is X again. Written as a matrix of
    /// rows a and columns b, it is the transpose of the textbook's S⁻¹, whose rows are b (row E14). The axes have one
    /// size, else the tensor carries an error; reading refuses a singular matrix, which is one with a pivot that is 0
    /// or not finite.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { height, width }
    /// let s = Tensor::new((height, width), [[1.0, 2.0], [3.0, 4.0]]);
    /// let x = Tensor::new(height, [5.0, 6.0]);
    /// let y: Tensor<R![width]> = s.dot(height, &x);
    /// assert_eq!(y.to_vec(width)?, [23.0, 34.0]);
    /// assert!((s.inv(height, width).dot(width, &y) - &x).abs().max(height).item()? < 1e-5);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn inv<X: Axis, Y: Axis, F, G>(&self, axis: F, other: G) -> Tensor<A, T>
    where
        F: Fn() -> X + Copy,
        G: Fn() -> Y + Copy,
        (F, G): Once<<(F, G) as Selector>::Repeated>,
        A: Has<X> + Has<Y>,
    {
        let _ = (axis, other);
        Tensor::from_node(self.node().inverse(Name::of::<X>(), Name::of::<Y>()))
    }
}
