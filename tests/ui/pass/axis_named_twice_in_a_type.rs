use named_tensor::prelude::*;
axes! { seq, key }

named! {
    fn F(X: R[seq, key]) -> R[seq, key] {
        X + 1
    }

    fn G(X: R[seq]; W: R[seq, key]) -> R[key] {
        X dot_seq W
    }
}

fn main() {}
