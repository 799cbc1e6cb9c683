use named_tensor::prelude::*;
axes! { seq }

named! {
    fn F(X: R[seq]) -> R[seq] {
        F(X) + 1
    }
}

fn main() {}
