//! The stars of the first derivative make room for those of the second.

use named_tensor::prelude::*;

axes! { chans, first }

fn main() {
    let x = Tensor::new(chans, [1.0, 2.0]);
    let derivative = jacobian(&x.exp(), &x).rename(star(chans), first);
    let _: Tensor<R![chans, first, star(chans)]> = jacobian(&derivative, &x);
}
