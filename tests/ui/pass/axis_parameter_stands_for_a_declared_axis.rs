use named_tensor::prelude::*;
axes! { chans, seq }

named! {
    fn scale_{ax}(X: R[ax, seq]) -> R[ax, seq] {
        X / sum_{ax, seq}(X)
    }

    fn F(X: R[chans, seq]) -> R[chans, seq] {
        scale_chans(X)
    }
}

fn main() {}
