//! One variable is borrowed, several are a tuple.

use named_tensor::prelude::*;

axes! { chans }

fn main() {
    let w = Tensor::new(chans, [1.0, 2.0]);
    let loss = w.dot(chans, &w);
    let _: Tensor<R![chans]> = grad(&loss, &w);
}
