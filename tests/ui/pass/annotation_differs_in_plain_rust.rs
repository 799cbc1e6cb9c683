use named_tensor::prelude::*;
axes! { seq, key }

fn main() {
    let x: Tensor<R![seq, key]> = Tensor::zeros((seq.of(2), key.of(3)));
    let _: Tensor<R![seq]> = x.sum(key);
}
