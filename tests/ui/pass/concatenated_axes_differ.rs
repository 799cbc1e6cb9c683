use named_tensor::prelude::*;
axes! { seq, key, val }

named! {
    fn F(X: R[seq, key], Y: R[seq, key]) -> R[seq, key] {
        concat_seq(X, Y)
    }

    fn G(X: R[seq, key], Y: R[seq, key]) -> R[seq, key] {
        concat_seq(X, Y)
    }
}

fn main() {}
