use named_tensor::prelude::*;
axes! { chans, heads, key }

named! {
    fn F(X: R[chans]) -> R[heads, key] {
        X_{chans -> (heads: 2, key)}
    }
}

fn main() {}
