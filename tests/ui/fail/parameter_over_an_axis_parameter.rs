use named_tensor::prelude::*;
axes! { chans }

named! {
    fn Norm_{ax}(X: R[ax, chans]; W: R[ax] = 1) -> R[ax, chans] {
        standardize_ax(X) * W
    }
}

fn main() {}
