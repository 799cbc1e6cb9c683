use named_tensor::prelude::*;
axes! { seq }

named! {
    fn F(X: R[seq]) -> R[seq] {
        softmax_seq(X, X)
    }
}

fn main() {}
