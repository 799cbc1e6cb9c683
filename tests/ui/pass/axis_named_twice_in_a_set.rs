use named_tensor::prelude::*;
axes! { seq, key }

fn f(_: &Tensor<R![seq, key]>) {}

fn main() {
    f(&Tensor::zeros((seq.of(1), key.of(1))));
}
