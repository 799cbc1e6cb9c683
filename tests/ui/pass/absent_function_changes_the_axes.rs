use named_tensor::prelude::*;
axes! { chans, out }

named! {
    fn Linear(X: R[chans]; W: R[chans, out]) -> R[chans] {
        (X dot_chans W)_{out -> chans}
    }

    fn F(X: R[chans]; linear: Linear?) -> R[chans] {
        linear(X)
    }
}

fn main() {}
