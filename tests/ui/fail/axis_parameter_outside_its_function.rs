use named_tensor::prelude::*;
axes! { chans, seq }

named! {
    fn centre_{ax}(X: R[ax]) -> R[ax] {
        X - mean_ax(X)
    }

    fn F(X: R[chans, seq]) -> R[chans, seq] {
        X - mean_ax(X)
    }
}

fn main() {}
