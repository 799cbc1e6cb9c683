//! A gradient is that of a scalar.

use named_tensor::prelude::*;

axes! { batch, chans }

fn main() {
    let w = Tensor::new(chans, [1.0, 2.0]);
    let x = Tensor::new((batch, chans), [[1.0, 2.0], [3.0, 4.0]]);
    let loss = x.dot(chans, &w);
    let _ = grad(&loss, &w);
}
