use named_tensor::prelude::*;
axes! { chans, out }

named! {
    fn F(X: R[chans], W: R[chans, out]) -> R[out] {
        Y: R[chans] = X dot_chans W;
        relu(Y dot_chans W)
    }
}

fn main() {}
