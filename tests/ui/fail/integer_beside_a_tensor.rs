use named_tensor::prelude::*;
axes! { key, seq }

fn mean(x: &Tensor<R![seq, key]>) -> Tensor<R![seq]> {
    x.sum(key) / x.size(key)
}

fn main() {}
