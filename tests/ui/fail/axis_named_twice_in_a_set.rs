use named_tensor::prelude::*;
axes! { seq, key }

fn f(x: &Tensor<R![seq, seq]>) -> Tensor<R![]> {
    x.sum(seq)
}

fn main() {}
