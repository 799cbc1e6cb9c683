use named_tensor::prelude::*;
axes! { key, seq, val, batch }

named! {
    fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
        softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V
    }

    fn Look(X: R[val, key], K: R[seq, key], V: R[seq, val]) -> R[val] {
        Attention(X, K, V)
    }
}

fn main() {}
