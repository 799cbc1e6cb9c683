//! The stars are declared.

use named_tensor::prelude::*;

axes! { chans }

named! {
    fn Slope(X: R[chans]) -> R[chans, star(chans)] {
        d(exp(X), X)
    }
}

fn main() {}
