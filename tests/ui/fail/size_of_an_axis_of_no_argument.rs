use named_tensor::prelude::*;
axes! { chans, key }

named! {
    fn F(X: R[chans]) -> R[chans] {
        X / |key|
    }
}

fn main() {}
