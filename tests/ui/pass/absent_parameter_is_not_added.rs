use named_tensor::prelude::*;
axes! { chans }

named! {
    fn F(X: R[chans]; b: R[chans]? = 0) -> R[chans] {
        X + b
    }
}

fn main() {}
