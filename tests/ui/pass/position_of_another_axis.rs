use named_tensor::prelude::*;
axes! { row, col }

named! {
    /// Each letter along its own axis.
    fn Same(X: R[row, col]) -> R[row, col] {
        Y_{row(i), col(j)} = X_{row(i), col(j)};
        Y
    }

    /// The number of a row, as a position along col.
    fn Diagonal(X: R[row, col]) -> R[row] {
        D_{row(i)} = X_{row(i), col(i + 0)};
        D
    }
}

fn main() {}
