use named_tensor::prelude::*;
axes! { height, width }

named! {
    fn Sums(X: R[height, width], Y: R[width]) -> R[width] {
        sum_height(X * Y)
    }
}

fn main() {}
