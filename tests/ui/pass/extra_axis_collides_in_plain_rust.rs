use named_tensor::prelude::*;
axes! { key, seq, val }

#[lift]
fn double(x: &Tensor<R![seq]>) -> Tensor<R![val]> {
    x.rename(seq, val) * 2.0
}

fn main() {
    let q: Tensor<R![seq, key]> = Tensor::zeros((seq.of(2), key.of(3)));
    let _ = double(&q.sum(key));
}
