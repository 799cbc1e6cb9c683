use named_tensor::prelude::*;
axes! { height, width }

named! {
    fn Sums(X: R[height, width], Y: R[width]) -> R[width] {
        X dot_height Y
    }
}

fn main() {}
