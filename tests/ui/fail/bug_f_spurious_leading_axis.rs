use named_tensor::prelude::*;
axes! { batch, one, seq, chans }

named! {
    fn Encode(X: R[batch, seq, chans], P: R[one, seq, chans]) -> R[batch, seq, chans] {
        X + P
    }
}

fn main() {}
