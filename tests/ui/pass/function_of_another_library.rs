use named_tensor::prelude::*;
axes! { key, seq }

named! {
    fn Length(X: R[seq, key]) -> R[seq] {
        X_{key(0)} / sqrt(var_key(X))
    }
}

fn main() {}
