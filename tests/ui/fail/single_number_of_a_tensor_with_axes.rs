use named_tensor::prelude::*;
axes! { seq }

fn main() {
    let x: Tensor<R![seq]> = Tensor::zeros(seq.of(2));
    let _ = x.item();
}
