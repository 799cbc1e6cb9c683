use named_tensor::prelude::*;
axes! { batch, hidden }

fn centre<A: With<hidden>>(x: &Tensor<A>) -> Tensor<A> {
    x - x.mean(hidden)
}

fn main() {
    let x: Tensor<R![batch]> = Tensor::zeros(batch.of(2));
    let _ = centre(&x);
}
