use named_tensor::prelude::*;
axes! { chans, out }

named! {
    fn Linear(X: R[chans]; W: R[chans, out]) -> R[out] {
        X dot_chans W
    }

    fn F(X: R[chans]; linear: Linear?) -> R[out] {
        linear(X)
    }
}

fn main() {}
