use named_tensor::prelude::*;
axes! { seq, key }

named! {
    fn F(X: R[seq, key], Y: R[key]) -> R[seq] {
        X dot_key Y
    }
}

fn main() {}
