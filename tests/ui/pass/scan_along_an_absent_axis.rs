use named_tensor::prelude::*;
axes! { hidden, seq }

fn main() {
    let x: Tensor<R![seq, hidden]> = Tensor::zeros((seq.of(2), hidden.of(3)));
    let h: Tensor<R![]> = Tensor::scalar(0.0);
    let _ = scan(seq, h, &x, |h, _| (h, ()));
}
