use named_tensor::prelude::*;
axes! { batch, hidden }

fn centre<A: With<hidden>>(x: &Tensor<A>) -> Tensor<A> {
    x - x.mean(hidden)
}

fn main() {
    let x: Tensor<R![batch, hidden]> = Tensor::zeros((batch.of(2), hidden.of(3)));
    let _ = centre(&x);
}
