//! Random tensors: seeded, and the same on every machine.
//!
//! Lives here: uniform and normal tensors, and the initialisers of Glorot and He, written over axis names: which axes
//! come in and which go out decides the scale. Not here: the stream of numbers itself (`graph::op::random`).

pub use chacha20::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use crate::axes::Axes;
use crate::axes::rules::{Has, Once};
use crate::axes::selector::{Extents, Selector};
use crate::element::Real;
use crate::graph::op::Distribution;
use crate::graph::shape::Names;
use crate::graph::{Node, Shape};
use crate::tensor::Tensor;

/// A source of random numbers that gives the same ones for the same seed, on every machine and in every release.
#[must_use]
pub fn seeded(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

impl<A: Axes, T: Real> Tensor<A, T> {
    /// Numbers uniform in `[low, high)`.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { chans }
    /// let x: Tensor<R![chans]> = Tensor::uniform(&mut seeded(0), chans.of(1000), -1.0, 1.0);
    /// assert!(x.abs().max(chans).item()? < 1.0);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn uniform<E>(rng: &mut impl Rng, axes: E, low: f64, high: f64) -> Self
    where
        E: Extents<Set = A> + Once<E::Repeated>,
    {
        drawn(rng, axes, |_| Distribution::Uniform { low, high })
    }

    /// Normal numbers.
    #[must_use]
    #[track_caller]
    pub fn normal<E>(rng: &mut impl Rng, axes: E, mean: f64, deviation: f64) -> Self
    where
        E: Extents<Set = A> + Once<E::Repeated>,
    {
        drawn(rng, axes, |_| Distribution::Normal { mean, deviation })
    }

    /// Glorot's initialisation: uniform in ±√(6 / (|incoming| + |outgoing|)).
    /// (Glorot and Bengio, *Understanding the difficulty of training deep feedforward neural networks*, 2010.)
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { chans, heads, key }
    /// let w: Tensor<R![chans, heads, key]> =
    ///     Tensor::glorot(&mut seeded(0), (chans.of(8), heads.of(2), key.of(4)), chans, (heads, key));
    /// assert!(w.abs().max((chans, heads, key)).item()? <= (6.0_f32 / 16.0).sqrt());
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn glorot<E, I, O>(rng: &mut impl Rng, axes: E, incoming: I, outgoing: O) -> Self
    where
        E: Extents<Set = A> + Once<E::Repeated>,
        I: Selector + Once<I::Repeated>,
        O: Selector + Once<O::Repeated>,
        A: Has<I::Set> + Has<O::Set>,
    {
        let _ = (incoming, outgoing);
        drawn(rng, axes, |shape| {
            let bound = glorot_bound(fan(shape, &I::names()), fan(shape, &O::names()));
            Distribution::Uniform { low: -bound, high: bound }
        })
    }

    /// He's initialisation: normal with deviation √(2 / |incoming|).
    /// (He, Zhang, Ren and Sun, *Delving Deep into Rectifiers*, 2015.)
    #[must_use]
    #[track_caller]
    pub fn he<E, I>(rng: &mut impl Rng, axes: E, incoming: I) -> Self
    where
        E: Extents<Set = A> + Once<E::Repeated>,
        I: Selector + Once<I::Repeated>,
        A: Has<I::Set>,
    {
        let _ = incoming;
        drawn(rng, axes, |shape| Distribution::Normal { mean: 0.0, deviation: he_deviation(fan(shape, &I::names())) })
    }
}

impl<A: Axes, T: Real> Tensor<A, T> {
    /// Numbers uniform in `[low, high)`, one for each number of this tensor. Inside a lifted function these are also those
    /// along the axes that its type does not say.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { batch, chans }
    /// #[lift]
    /// fn noise(x: &Tensor<R![chans]>, seed: u64) -> Tensor<R![chans]> {
    ///     x.uniform_like(&mut seeded(seed), 0.0, 1.0)
    /// }
    ///
    /// let noise = noise(&Tensor::new((batch, chans), [[0.0, 0.0], [0.0, 0.0]]), 1);
    /// assert_ne!(noise.at(batch, 0).to_vec(chans)?, noise.at(batch, 1).to_vec(chans)?);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn uniform_like(&self, rng: &mut impl Rng, low: f64, high: f64) -> Self {
        self.drawn_like(rng, Distribution::Uniform { low, high })
    }

    /// Normal numbers, one for each number of this tensor, as [`uniform_like`](Tensor::uniform_like): the ε of
    /// `μ + σ ⊙ ε`.
    ///
    /// ```
    /// # use named_tensor::prelude::*;
    /// # axes! { batch, chans }
    /// #[lift]
    /// fn noisy(μ: &Tensor<R![chans]>, σ: &Tensor<R![chans]>, seed: u64) -> Tensor<R![chans]> {
    ///     μ + σ * μ.normal_like(&mut seeded(seed), 0.0, 1.0)
    /// }
    ///
    /// let (μ, σ) = (Tensor::new((batch, chans), [[0.0, 0.0], [0.0, 0.0]]), Tensor::new(chans, [1.0, 0.0]));
    /// let x = noisy(&μ, &σ, 1);
    /// assert_ne!(x.at(batch, 0).to_vec(chans)?, x.at(batch, 1).to_vec(chans)?);
    /// assert_eq!(x.at(chans, 1).to_vec(batch)?, [0.0, 0.0]);
    /// # Ok::<(), named_tensor::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn normal_like(&self, rng: &mut impl Rng, mean: f64, deviation: f64) -> Self {
        self.drawn_like(rng, Distribution::Normal { mean, deviation })
    }

    #[track_caller]
    fn drawn_like(&self, rng: &mut impl Rng, distribution: Distribution) -> Self {
        let seed = rng.next_u64();
        let node = self.node();
        match node.error() {
            Some(error) => Tensor::failed(error.clone()),
            None => Tensor::from_node(Node::random(distribution, seed, T::KIND, node.shape().clone())),
        }
    }
}

/// √(6 / (in + out))
pub(crate) fn glorot_bound(incoming: f64, outgoing: f64) -> f64 {
    (6.0 / (incoming + outgoing).max(1.0)).sqrt()
}

/// √(2 / in)
pub(crate) fn he_deviation(incoming: f64) -> f64 {
    (2.0 / incoming.max(1.0)).sqrt()
}

/// The product of the sizes of these axes.
fn fan(shape: &Shape, axes: &Names) -> f64 {
    axes.iter().map(|&name| shape.size(name).unwrap_or(1) as f64).product()
}

/// A random tensor with its own stream, whose seed comes from `rng`.
#[track_caller]
fn drawn<A, T, E>(rng: &mut impl Rng, axes: E, distribution: impl Fn(&Shape) -> Distribution) -> Tensor<A, T>
where
    A: Axes,
    T: Real,
    E: Extents<Set = A>,
{
    let seed = rng.next_u64();
    match crate::tensor::shape(axes, "random") {
        Ok(shape) => Tensor::from_node(Node::random(distribution(&shape), seed, T::KIND, shape)),
        Err(error) => Tensor::failed(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_these_numbers_in_every_release() {
        let draws = |seed| {
            let mut rng = seeded(seed);
            (rng.next_u64(), rng.next_u64(), rng.next_u32(), rng.next_u64())
        };
        // What the crate `rand_chacha` 0.10.0 gives.
        assert_eq!(draws(0), (0xb585_f767_a79a_3b6c, 0x7746_a55f_bad8_c037, 0x81e2_a6e6, 0x8f9b_887c_b2fb_0d32));
        assert_eq!(draws(7), (0x2865_5334_23d7_43bb, 0x2b01_59d3_2e9b_293a, 0x4524_9531, 0x093e_3ae3_b44b_70b9));
    }
}
