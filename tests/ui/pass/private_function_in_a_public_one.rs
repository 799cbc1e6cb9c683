//! Whoever can name the struct can name what it is made of.

use named_tensor::prelude::*;

axes! { chans, out }

named! {
    pub fn Linear(X: R[chans]; W: R[chans, out]) -> R[out] {
        X dot_chans W
    }

    pub fn Scaled(X: R[chans]; linear: Linear, b: R[out] = 1) -> R[out] {
        linear(X) * b
    }
}

fn main() {}
