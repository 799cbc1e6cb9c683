use named_tensor::prelude::*;
axes! { key, seq }

named! {
    fn Doubled(X: R[key, seq]) -> R[key, seq] {
        Y_{key(i), seq(j)} = X_{key(i), seq(j)} * 2;
        Y
    }
}

fn main() {}
