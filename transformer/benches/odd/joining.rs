//! What is joined, taken apart, read at positions, put in order and summed on the way.
//!
//! Not here: tables of words (`networks`), windows of pictures (`convolutions`).

use named_tensor::prelude::*;

use crate::axes::*;
use crate::case::odd;
use crate::protocol::{Run, positions};

named! {
    fn Steps(X: R[col]) -> R[col] { X_{col(1..)} - X_{col(..|col| - 1)} }
    fn Picked(X: R[col], I: col[]) -> R[] { index_col(X, I) }
    fn RunningMean(X: R[col]) -> R[col] { mean_kernel(unroll_{col, kernel}(X, 5)) }
    fn Doubled(X: R[row, col]) -> R[row, col] {
        Y_{row(i: 2 * |row|), col(j: 2 * |col|)} = X_{row(div(i, 2)), col(div(j, 2))};
        Y
    }
    fn Halves(X: R[col]) -> R[col] {
        S = X_{col -> (half: 2, col_)};
        (S_{half(0)} * S_{half(1)})_{col_ -> col}
    }
}

/// Pieces joined, cut and read at positions.
fn pieces(run: &mut Run) -> Result<(), Error> {
    let sizes = [[31, 17], [300, 401], [7, 60000], [60000, 7]];
    odd! {
        run "concat/rows" [m, n] in sizes;
        x [row m, col n], y [row m, col n] => [row, col] { x.concat(row, y) }
    }
    odd! {
        run "concat/columns" [m, n] in sizes;
        x [row m, col n], y [row m, col n] => [row, col] { x.concat(col, y) }
    }
    odd! {
        run "slices/steps" [m, n] in [[31, 17], [1001, 773], [7, 60000]];
        x [row m, col n] => [row, col] { Steps(x) }
    }
    odd! { run "slices/halves" [m, n] in [[31, 18], [1001, 774]]; x [row m, col n] => [row, col] { Halves(x) } }
    odd! {
        run "slices/running-mean" [m, n] in [[31, 17], [300, 401], [7, 60000]];
        x [row m, col n] => [row, col] { RunningMean(x) }
    }
    odd! {
        run "gather/rows" [m, n, k] in [[31, 17, 29], [1001, 773, 500], [60000, 7, 5000]];
        x [row m, col n] => [out, col] { x.index(row, &ids) }
        where ids = Tensor::<R![out], Index<row>>::indices_from_vec(out.of(k), row, positions(50, k, m))?
    }
    odd! {
        run "gather/columns" [m, n, k] in [[31, 17, 29], [1001, 773, 500]];
        x [row m, col n] => [row, out] { x.index(col, &ids) }
        where ids = Tensor::<R![out], Index<col>>::indices_from_vec(out.of(k), col, positions(50, k, n))?
    }
    odd! {
        run "gather/one-of-each" [m, n] in [[31, 17], [1001, 773], [60000, 7]];
        x [row m, col n] => [row] { Picked(x, &ids) }
        where ids = Tensor::<R![row], Index<col>>::indices_from_vec(row.of(m), col, positions(50, m, n))?
    }
    odd! { run "gather/doubled" [m, n] in [[31, 17], [300, 401]]; x [row m, col n] => [row, col] { Doubled(x) } }
    Ok(())
}

/// All that is joined, taken apart and put in order.
pub(crate) fn joining(run: &mut Run) -> Result<(), Error> {
    pieces(run)?;
    odd! {
        run "sort/rows" [m, n] in [[31, 17], [1001, 773], [7, 60000], [60000, 7]];
        x [row m, col n] => [row, col] { x.sort(col) }
    }
    odd! { run "sort/columns" [m, n] in [[31, 17], [300, 401]]; x [row m, col n] => [row, col] { x.sort(row) } }
    odd! {
        run forwards "argsort/rows" [m, n] in [[31, 17], [300, 401]];
        x [row m, col n] => [row, col] { x.argsort(col).real() }
    }
    odd! {
        run "top10/rows" [m, n] in [[31, 17], [1001, 773], [7, 60000]];
        x [row m, col n] => [row, out] { x.maxk(col, out.of(10)) }
    }
    odd! {
        run forwards "argmax/rows" [m, n] in [[31, 17], [1001, 773], [60000, 7]];
        x [row m, col n] => [row] { x.argmaxk(col, out.of(1)).at(out, 0).real() }
    }
    let sizes = [[31, 17], [300, 401], [1001, 773], [7, 60000], [60000, 7]];
    odd! { run "cumsum/rows" [m, n] in sizes; x [row m, col n] => [row, col] { x.cumsum(col) } }
    odd! { run "cumsum/columns" [m, n] in sizes; x [row m, col n] => [row, col] { x.cumsum(row) } }
    Ok(())
}
