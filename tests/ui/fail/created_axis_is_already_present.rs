use named_tensor::prelude::*;
axes! { seq, kernel }

named! {
    fn F(X: R[seq, kernel]) -> R[seq, kernel] {
        unroll_{seq, kernel}(X, 2)
    }
}

fn main() {}
