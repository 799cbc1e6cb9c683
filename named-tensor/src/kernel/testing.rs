//! What the tests of the kernels share: random numbers without a crate, and positions by plain counting.
//!
//! Not here: anything that the kernels use.

/// A linear congruential generator (Knuth's MMIX constants); the top bits are good enough for test data.
pub(super) struct Random(u64);

impl Random {
    /// A sequence of its own for each seed.
    pub(super) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The next number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    /// The next number in (-1, 1).
    pub(super) fn real(&mut self) -> f32 {
        self.below(1 << 24) as f32 / f32::powi(2.0, 23) - 1.0
    }

    /// The next `size` of them.
    pub(super) fn reals(&mut self, size: usize) -> Vec<f32> {
        (0..size).map(|_| self.real()).collect()
    }
}

/// The distances from the first element of all positions of a space, in row-major order.
pub(super) fn positions(sizes: &[usize], strides: &[isize]) -> impl Iterator<Item = isize> {
    let mut distances = vec![0];
    for (&size, &stride) in sizes.iter().zip(strides) {
        distances = distances.iter().flat_map(|d| (0..size as isize).map(move |i| d + i * stride)).collect();
    }
    distances.into_iter()
}
