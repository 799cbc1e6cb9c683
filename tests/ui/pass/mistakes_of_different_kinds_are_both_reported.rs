use named_tensor::prelude::*;
axes! { seq }

named! {
    fn F(X: R[seq]) -> R[seq] {
        X * 1
    }

    fn G(X: R[seq]) -> R[seq] {
        X * 2
    }
}

fn main() {}
