use named_tensor::prelude::*;
axes! { seq }

named! {
    fn F(X: R[seq]) -> R[seq] {
        relu(X) + 1
    }
}

fn main() {}
