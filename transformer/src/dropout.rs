//! Dropout (Srivastava and others, *Dropout: A Simple Way to Prevent Neural Networks from Overfitting*, 2014).
//!
//! In training a part of all numbers is set to 0 by chance, and the others grow so that the mean stays; a model that is
//! used leaves it out, or has the rate 0, which is the identity. The chance is an argument, so that a model stays a
//! function: `U` has one number for each of `X`, and where it lacks an axis of `X`, whole slices are dropped together.
//! Lives here: the equation, and the same with numbers of its own for every axis. Not here: which numbers (`random`).

use named_tensor::prelude::*;

named! {
    /// X with a part p of its numbers replaced by 0; U is uniform in [0, 1).
    pub fn Dropout(X: R[], U: R[], p: R[]) -> R[] {
        if U < p { 0 } else { X / (1 - p) }
    }
}

/// [`Dropout`](fn@Dropout) where each number is dropped by itself, also along the axes over which the function is lifted. The same
/// seed drops the same numbers.
///
/// ```
/// use named_tensor::prelude::*;
/// use transformer::{axes::*, dropout::dropped};
///
/// let x: Tensor<R![batch, chans]> = Tensor::ones((batch.of(100), chans.of(100)));
/// let y: Tensor<R![batch, chans]> = dropped(&x, 0.5, 7);
/// let numbers = y.to_vec((batch, chans))?;
/// assert!(numbers.iter().all(|&y| y == 0.0 || y == 2.0));
/// assert!((y.mean((batch, chans)).item()? - 1.0).abs() < 0.05);
/// # Ok::<(), Error>(())
/// ```
///
/// A rate that is not in `[0, 1)` gives a tensor that carries an error.
#[lift]
#[track_caller]
pub fn dropped<T: Real>(x: &Tensor<R![], T>, rate: f64, seed: u64) -> Tensor<R![], T> {
    // A rate just below 1 may be 1 in the type of the numbers.
    let part = T::from_f64(rate);
    if !(0.0..1.0).contains(&rate) || part.to_f64() >= 1.0 {
        let message = format!("the rate of dropout is {rate}, but must be at least 0 and less than 1");
        return Tensor::failed(Error::here(ErrorKind::Value, message));
    }
    if rate == 0.0 {
        return x.clone();
    }
    Dropout(x, &x.uniform_like(&mut seeded(seed), 0.0, 1.0), &Tensor::scalar(part))
}
