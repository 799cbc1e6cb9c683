use named_tensor::prelude::*;
axes! { seq, key }
named! { fn Scale(X: R[key]; w: R[key] = 1) -> R[key] { w * X } }

fn main() {
    let x: Tensor<R![seq, key]> = Tensor::zeros((seq.of(2), key.of(3)));
    let _ = x.sum((seq, seq));
    let _ = Scale::init(&mut seeded(0), (key.of(2), key.of(3)));
}
