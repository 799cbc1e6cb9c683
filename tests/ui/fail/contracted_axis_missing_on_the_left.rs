use named_tensor::prelude::*;
axes! { key, seq, val }

named! {
    fn Attention(Q: R[val], K: R[seq, key], V: R[seq, val]) -> R[val] {
        softmax_seq(Q dot_key K / sqrt(2)) dot_seq V
    }
}

fn main() {}
