use named_tensor::prelude::*;
axes! { seq }

named! {
    fn F(X: R[seq]) -> R[seq] {
        sqrt(X)
    }
}

fn main() {}
