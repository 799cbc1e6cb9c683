use named_tensor::prelude::*;
axes! { chans }

named! {
    fn F(X: R[chans]; s: R[chans]? = 1) -> R[chans] {
        X * s
    }
}

fn main() {}
