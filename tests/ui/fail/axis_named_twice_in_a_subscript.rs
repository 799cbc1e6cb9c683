use named_tensor::prelude::*;
axes! { seq, key }

named! {
    fn F(X: R[seq, key]) -> R[] {
        sum_{seq, seq}(X)
    }
}

fn main() {}
