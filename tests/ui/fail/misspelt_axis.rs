use named_tensor::prelude::*;
axes! { key, seq, val }

named! {
    fn Attention(Q: R[key], K: R[seq, key], V: R[seq, val]) -> R[val] {
        softmax_seq(Q dot_kay K / sqrt(|key|)) dot_seq V
    }
}

fn main() {}
