use named_tensor::prelude::*;
axes! { key, seq }

named! {
    fn Doubled(X: R[key, seq]) -> R[key, seq] {
        Y_{key(i)} = X_{key(i)} * 2;
        Y
    }
}

fn main() {}
