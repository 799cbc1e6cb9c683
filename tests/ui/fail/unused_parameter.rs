use named_tensor::prelude::*;
axes! { chans, key }

named! {
    fn F(X: R[chans]; W: R[chans, key], b: R[key]) -> R[key] {
        X dot_chans W
    }
}

fn main() {}
