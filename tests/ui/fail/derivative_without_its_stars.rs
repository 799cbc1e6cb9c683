//! A derivative has the starred axes of its variable.

use named_tensor::prelude::*;

axes! { chans }

named! {
    fn Slope(X: R[chans]) -> R[chans] {
        d(exp(X), X)
    }
}

fn main() {}
