use named_tensor::prelude::*;
axes! { key, seq }

named! {
    fn Weights(S: R[seq]) -> R[seq] {
        softmax_seq(S)
    }
}

fn main() {}
