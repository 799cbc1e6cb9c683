use named_tensor::prelude::*;
axes! { chans, key }

named! {
    fn F(X: R[chans]) -> R[chans] {
        Y = X + ;
        Z = Y * * 2;
        Z
    }
}

fn main() {}
