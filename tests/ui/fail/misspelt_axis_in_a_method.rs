use named_tensor::prelude::*;
axes! { key, seq }

fn main() {
    let q: Tensor<R![seq, key]> = Tensor::zeros((seq.of(2), key.of(3)));
    let _ = q.dot(kay, &q);
}
