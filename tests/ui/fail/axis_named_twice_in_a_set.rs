use named_tensor::prelude::*;
axes! { seq, key }

fn f(_: &Tensor<R![seq, seq]>) {}

fn main() {}
