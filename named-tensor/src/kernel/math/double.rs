//! The scalar functions of the notation in `f64`, in loops that the compiler turns into vectors.
//!
//! Lives here: the names under which `math` finds them; each is in the file of its kind, with derivation and bound.
//! Not here: their definitions (`crate::element`), which compute one number at a time and say what is right.
//!
//! "ulp" below is the distance between neighbouring `f64` at the exact result (subnormals: 2⁻¹⁰⁷⁴). Bounds are the largest
//! error among 5000 random arguments in each of three to five ranges, against 50 digits, rounded up. The polynomials are minimax
//! fits (Remez, 50 digits).

mod exp;
mod log;
mod normal;
mod power;
mod trig;

pub(super) use exp::{decay, exp, gelu_tanh, sigmoid, silu, tanh};
pub(super) use log::log;
pub(super) use normal::{erf, gelu};
pub(super) use power::{powers, powers_of_floats};
pub(super) use trig::{cos, sin};

/// 1.5·2⁵²: adding it to a number below 2⁵¹ leaves its nearest integer in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

#[cfg(test)]
mod tests;
