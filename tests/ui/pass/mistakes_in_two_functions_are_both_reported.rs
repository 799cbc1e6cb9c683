use named_tensor::prelude::*;
axes! { seq, key }

named! {
    fn F(X: R[seq]) -> R[] {
        sum_seq(X)
    }

    fn G(X: R[seq]) -> R[] {
        max_seq(X)
    }
}

fn main() {}
