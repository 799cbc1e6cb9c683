use named_tensor::prelude::*;
axes! { chans, seq, key, val }

named! {
    fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
        softmax_seq(Q dot_key K / sqrt(|key|)) dot_seq V
    }

    fn SelfAttention(X: R[chans, seq]; W_Q: R[chans, key], W_K: R[chans, key]) -> R[val, seq] {
        Attention(X dot_chans W_Q, X dot_chans W_K, X dot_chans W_Q)
    }
}

fn main() {}
