use named_tensor::prelude::*;
axes! { key, seq }

#[lift]
fn total(x: &Tensor<R![seq, key]>) -> Tensor<R![seq]> {
    x.sum(key)
}

fn main() {}
