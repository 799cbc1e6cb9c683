use named_tensor::prelude::*;
axes! { row, col }

named! {
    /// One letter for another.
    fn Turned(X: R[row, col]) -> R[row, col] {
        Y_{row(i), col(j)} = X_{row(j), col(i)};
        Y
    }

    /// i is used, and is no position along col.
    fn Diagonal(X: R[row, col]) -> R[row] {
        D_{row(i)} = X_{row(i), col(i)};
        D
    }
}

fn main() {}
