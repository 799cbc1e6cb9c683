use named_tensor::prelude::*;
axes! { seq, key }

fn f(x: &Tensor<R![seq, key]>) -> Tensor<R![key]> {
    x.sum(seq)
}

fn main() {
    f(&Tensor::zeros((seq.of(1), key.of(1))));
}
