use named_tensor::prelude::*;
axes! { seq }

#[lift]
fn double(x: &Tensor<R![seq]>) -> Tensor<R![seq]> {
    x * 2.0
}

fn main() {
    let x: Tensor<R![seq]> = Tensor::zeros(seq.of(2));
    let _ = double(&x);
}
