use named_tensor::prelude::*;
axes! { chans, out }

named! {
    fn F(X: R[chans, out]; b: R[chans, out]?) -> R[chans, out] {
        X + b
    }
}

fn main() {}
