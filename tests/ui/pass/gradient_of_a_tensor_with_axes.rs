//! The loss is averaged first.

use named_tensor::prelude::*;

axes! { batch, chans }

fn main() {
    let w = Tensor::new(chans, [1.0, 2.0]);
    let x = Tensor::new((batch, chans), [[1.0, 2.0], [3.0, 4.0]]);
    let loss = x.dot(chans, &w).mean(batch);
    let _ = grad(&loss, &w);
}
