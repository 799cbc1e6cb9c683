use named_tensor::prelude::*;
axes! { height, width, chans }

named! {
    fn Total(A: R[height, chans]) -> R[chans] {
        sum_{height, width}(A)
    }
}

fn main() {}
