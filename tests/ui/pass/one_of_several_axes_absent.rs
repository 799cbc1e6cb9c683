use named_tensor::prelude::*;
axes! { height, width, chans }

named! {
    fn Total(A: R[height, width]) -> R[] {
        sum_{height, width}(A)
    }
}

fn main() {}
