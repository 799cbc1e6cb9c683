use named_tensor::prelude::*;
axes! { key, seq }

named! {
    fn Total(S: R[seq, key]) -> R[seq] {
        sum_key(S)
    }
}

fn main() {}
