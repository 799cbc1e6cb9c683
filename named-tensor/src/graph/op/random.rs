//! Random numbers that never change: a stream named in full, so that stored results stay right.
//!
//! The bits are ChaCha with 8 rounds; the key is the seed in little-endian bytes followed by zeros, stream and
//! counter start at 0. Element i, counted in the order of the shape with the last axis fastest, takes the i-th
//! 64-bit word; its upper 53 bits over 2⁵³ are `u` in [0, 1).
//! Lives here: the distributions, the shape rule and the stream. Not here: initial values of parameters.

use std::f64::consts::TAU;

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};

use super::rule::refused;
use super::walk::{finished, real, repeated};
use crate::element::{Kind, Stored};
use crate::error::Result;
use crate::graph::{Node, Op, Shape, Value};

/// Where random numbers come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Uniform in [low, high).
    Uniform {
        /// The least value.
        low: f64,
        /// The bound that is never reached.
        high: f64,
    },
    /// Normal.
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        deviation: f64,
    },
}

impl Node {
    /// Random numbers: the same for the same seed, distribution and sizes.
    #[must_use]
    #[track_caller]
    pub fn random(distribution: Distribution, seed: u64, kind: Kind, shape: Shape) -> Node {
        Node::build(Op::Random(distribution, seed), kind, [], |operation| {
            let (name, [one, other]) = match distribution {
                Distribution::Uniform { low, high } => ("uniform", [low, high]),
                Distribution::Normal { mean, deviation } => ("normal", [mean, deviation]),
            };
            let sound = match distribution {
                Distribution::Uniform { low, high } => low < high && (high - low).is_finite(),
                Distribution::Normal { mean, deviation } => {
                    mean.is_finite() && deviation.is_finite() && deviation >= 0.0
                }
            };
            let is_beyond = |x: &f64| kind != Kind::F64 && (*x as f32).is_infinite();
            Err(match distribution {
                _ if !kind.is_real() => refused(operation, format_args!("draws real numbers, not {kind:?}")),
                Distribution::Uniform { .. } if !sound => {
                    refused(name, format_args!("draws from a low bound to a higher one, not from {one:?} to {other:?}"))
                }
                Distribution::Normal { .. } if !sound => refused(
                    name,
                    format_args!(
                        "needs a mean and a deviation of at least 0, not the mean {one:?} and the deviation {other:?}"
                    ),
                ),
                _ => match [one, other].into_iter().find(is_beyond) {
                    None => return Ok(shape),
                    Some(x) => refused(name, format_args!("cannot draw elements of kind {kind:?} from {x:?}")),
                },
            })
        })
    }
}

pub(super) fn random(node: &Node, distribution: Distribution, seed: u64) -> Result<Value> {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    let mut stream = ChaCha8Rng::from_seed(key);
    let mut next = || (stream.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    real!(node.kind(), T => {
        let mut values: Vec<T> = repeated(node, T::default())?;
        match distribution {
            Distribution::Uniform { low, high } => {
                for value in &mut values {
                    let number = T::from_f64(low + (high - low) * next());
                    // Rounding may reach the bound, which is not part of the interval: then the number below it.
                    let last = || T::from_f64(high).next_down();
                    *value = if number.to_f64() < high { number } else { last() };
                }
            }
            Distribution::Normal { mean, deviation } => {
                // Box and Muller (1958): a pair of normal numbers from a radius and an angle. 1 - u is never 0.
                for pair in values.chunks_mut(2) {
                    let radius = (-2.0 * (1.0 - next()).ln()).sqrt();
                    let (sine, cosine) = (TAU * next()).sin_cos();
                    for (value, direction) in pair.iter_mut().zip([cosine, sine]) {
                        *value = T::from_f64(mean + deviation * radius * direction);
                    }
                }
            }
        }
        Ok(finished(node, values))
    }, else Err(refused("random", "draws real numbers")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::graph::testing::{A, B, error, read};

    const UNIT: Distribution = Distribution::Uniform { low: 0.0, high: 1.0 };
    const NORMAL: Distribution = Distribution::Normal { mean: 0.0, deviation: 1.0 };

    fn draw(distribution: Distribution, seed: u64, kind: Kind, size: usize) -> Vec<f64> {
        read(&Node::random(distribution, seed, kind, Shape::new([(A, size)])))
    }

    #[test]
    fn the_stream_never_changes() {
        // The first words of ChaCha8 under the all-zero key: 3e00ef2f895f40d6 7f5bb8e81f09a5a1 (bytes), from the
        // test vectors of draft-strombergson-chacha-test-vectors-01, TC1.
        let word = |bytes: [u8; 8]| (u64::from_le_bytes(bytes) >> 11) as f64 / 2_f64.powi(53);
        let expected = [
            word([0x3e, 0x00, 0xef, 0x2f, 0x89, 0x5f, 0x40, 0xd6]),
            word([0x7f, 0x5b, 0xb8, 0xe8, 0x1f, 0x09, 0xa5, 0xa1]),
        ];
        assert_eq!(draw(UNIT, 0, Kind::F64, 2), expected);
        let (radius, angle) = ((-2.0 * (1.0 - expected[0]).ln()).sqrt(), TAU * expected[1]);
        assert_eq!(draw(NORMAL, 0, Kind::F64, 2), [radius * angle.cos(), radius * angle.sin()]);
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers_and_another_others() {
        assert_eq!(draw(NORMAL, 7, Kind::F64, 9), draw(NORMAL, 7, Kind::F64, 9));
        assert_eq!(draw(NORMAL, 7, Kind::F64, 9)[..5], draw(NORMAL, 7, Kind::F64, 5));
        assert_ne!(draw(NORMAL, 7, Kind::F64, 9), draw(NORMAL, 8, Kind::F64, 9));
        let rounded: Vec<f64> = draw(NORMAL, 7, Kind::F64, 9).iter().map(|&x| f64::from(x as f32)).collect();
        assert_eq!(draw(NORMAL, 7, Kind::F32, 9), rounded);
        let grid = Node::random(NORMAL, 7, Kind::F64, Shape::new([(A, 3), (B, 3)]));
        assert_eq!(read(&grid), draw(NORMAL, 7, Kind::F64, 9));
    }

    #[test]
    fn moments_are_those_of_the_distribution() {
        let (size, within) = (100_000, 0.02);
        let moments = |x: &[f64]| {
            let mean = x.iter().sum::<f64>() / x.len() as f64;
            (mean, x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64)
        };
        let (mean, variance) = moments(&draw(Distribution::Normal { mean: 3.0, deviation: 2.0 }, 1, Kind::F32, size));
        assert!((mean - 3.0).abs() < within && (variance / 4.0 - 1.0).abs() < within, "{mean} {variance}");
        let (mean, variance) = moments(&draw(Distribution::Uniform { low: -1.0, high: 3.0 }, 1, Kind::F32, size));
        assert!((mean - 1.0).abs() < within && (variance * 12.0 / 16.0 - 1.0).abs() < within, "{mean} {variance}");
    }

    #[test]
    fn uniform_numbers_stay_below_their_bound_even_when_rounded() {
        let high = 1.0 + 3.0 * f64::from(f32::EPSILON);
        let narrow = Distribution::Uniform { low: 1.0, high };
        let found = draw(narrow, 5, Kind::F32, 1000);
        assert!(found.iter().all(|&x| (1.0..high).contains(&x)));
        assert!(found.iter().any(|&x| x > 1.0));
    }

    #[test]
    fn distributions_that_are_none_are_refused() {
        let none = [
            Distribution::Uniform { low: 1.0, high: 1.0 },
            Distribution::Uniform { low: 0.0, high: f64::INFINITY },
            Distribution::Uniform { low: f64::NAN, high: 1.0 },
            Distribution::Normal { mean: 0.0, deviation: -1.0 },
            Distribution::Normal { mean: f64::NAN, deviation: 1.0 },
        ];
        for distribution in none {
            let refused = Node::random(distribution, 0, Kind::F64, Shape::default());
            let name = if matches!(distribution, Distribution::Uniform { .. }) { "`uniform`" } else { "`normal`" };
            assert_eq!(error(&refused).kind(), ErrorKind::Value, "{distribution:?}");
            assert!(error(&refused).to_string().starts_with(name), "{distribution:?}");
        }
        let beyond = [
            Distribution::Uniform { low: -1e300, high: 0.0 },
            Distribution::Uniform { low: 0.0, high: 1e300 },
            Distribution::Normal { mean: -1e300, deviation: 1.0 },
            Distribution::Normal { mean: 0.0, deviation: 1e300 },
        ];
        for distribution in beyond {
            let refused = Node::random(distribution, 0, Kind::F32, Shape::default());
            assert!(error(&refused).to_string().contains("1e300"), "{distribution:?}");
            assert!(draw(distribution, 0, Kind::F64, 9).iter().all(|x| x.is_finite()), "{distribution:?}");
        }
        assert_eq!(error(&Node::random(UNIT, 0, Kind::Bool, Shape::default())).kind(), ErrorKind::Value);
        assert_eq!(draw(Distribution::Normal { mean: 2.0, deviation: 0.0 }, 0, Kind::F64, 3), [2.0; 3]);
    }
}
