use named_tensor::prelude::*;
axes! { key, seq, val }

named! {
    fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
        softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V
    }

    fn Look(X: R[seq, key], V: R[seq, val]) -> R[seq, val] {
        Attention(V, X, V)
    }
}

fn main() {}
