use named_tensor::prelude::*;
axes! { chans, hidden }

named! {
    fn FFN(X: R[chans]; W1: R[chans, hidden], b1: R[hidden], W2: R[hidden, chans] = 0, b2: R[chans]) -> R[chans] {
        relu(X dot_chans W1 + b1) + W2 + b2
    }
}

fn main() {}
