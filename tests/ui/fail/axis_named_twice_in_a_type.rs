use named_tensor::prelude::*;
axes! { seq, key }

named! {
    fn F(X: R[seq, seq]) -> R[seq] {
        X + 1
    }

    fn G(X: R[seq]; W: R[seq, seq]) -> R[seq] {
        X dot_seq W
    }
}

fn main() {}
