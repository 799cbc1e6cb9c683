//! The stars of a derivative are new axes.

use named_tensor::prelude::*;

axes! { chans }

fn main() {
    let x = Tensor::new(chans, [1.0, 2.0]);
    let first = jacobian(&x.exp(), &x);
    let _ = jacobian(&first, &x);
}
