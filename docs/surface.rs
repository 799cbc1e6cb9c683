//! The model, the points and the loss that the chapter on training shares with all its examples.
//!
//! Lives here: what its first example shows, once more. Not here: how it learns, which the chapter shows.

pub use crate::paper::*;

named! {
    /// A surface over two numbers, by one hidden layer.
    pub fn Surface(X: R[chans]; W: R[chans, hidden], b: R[hidden], v: R[hidden]) -> R[] {
        tanh(X dot_chans W + b) dot_hidden v
    }
}

/// Positions and heights of points.
pub type Points = (Tensor<R![batch, chans]>, Tensor<R![batch]>);

/// Points of the surface y = sin(3 x₀) x₁.
///
/// # Errors
/// Those of computing them.
pub fn points(seed: u64, n: usize) -> Result<Points, Error> {
    let x = Tensor::uniform(&mut seeded(seed), (batch.of(n), chans.of(2)), -1.0, 1.0);
    let y = (x.at(chans, 0) * 3.0).sin() * x.at(chans, 1);
    Ok((x, y.eval()?))
}

/// The mean square of the distance of heights.
#[must_use]
pub fn loss(model: &Surface, (x, y): &Points) -> Tensor<R![]> {
    (model.apply(x) - y).pow(2.0).mean(batch)
}

/// Some of the points.
///
/// # Errors
/// None where all places are places of points.
pub fn some((x, y): &Points, places: Vec<usize>) -> Result<Points, Error> {
    let places = Tensor::indices_from_vec(batch.of(places.len()), batch, places)?;
    Ok((x.index(batch, &places), y.index(batch, &places)))
}
