use named_tensor::prelude::*;
axes! { seq, key }

named! {
    fn F(X: R[seq]) -> R[] {
        sum_key(X)
    }

    fn G(X: R[seq]) -> R[] {
        max_key(X)
    }
}

fn main() {}
