use named_tensor::prelude::*;
axes! { chans, key }

named! {
    fn F(X: R[chans]) -> R[chans] {
        X / |chans|
    }
}

fn main() {}
