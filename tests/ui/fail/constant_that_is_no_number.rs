use named_tensor::prelude::*;
axes! { seq }

const SCALE: &str = "0.5";

named! {
    fn Scaled(X: R[seq]) -> R[seq] {
        X * SCALE
    }
}

fn main() {}
