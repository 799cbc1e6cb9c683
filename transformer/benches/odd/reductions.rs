//! Sums, means, variances, largest numbers, norms and products over rows, columns, and whatever lies between.
//!
//! Not here: what keeps the axis (`rows`), running sums (`joining`).

use named_tensor::prelude::*;

use crate::axes::*;
use crate::case::odd;
use crate::protocol::Run;

named! {
    fn Squares(X: R[row, col]) -> R[] { sum_{row, col}(X * X) }
    fn Norm3(X: R[col]) -> R[] { norm_col(X, 3) }
    fn Growth(X: R[col]) -> R[] { prod_col(1 + X / 10) }
    fn MaskedMean(X: R[row], M: R[row]) -> R[] { sum_row(X * M) / sum_row(M * M) }
}

/// Sums and means.
fn sums(run: &mut Run) -> Result<(), Error> {
    let sizes = [[31, 17], [300, 401], [1001, 773], [7, 60000], [60000, 7]];
    odd! { run "sum/rows" [m, n] in sizes; x [row m, col n] => [row] { x.sum(col) } }
    odd! { run "sum/columns" [m, n] in sizes; x [row m, col n] => [col] { x.sum(row) } }
    odd! {
        run "sum/middle" [p, m, n] in [[31, 17, 9], [300, 401, 9]];
        x [plane p, row m, col n] => [plane, col] { x.sum(row) }
    }
    odd! {
        run "sum/outer" [p, m, n] in [[31, 17, 9], [300, 9, 401]];
        x [plane p, row m, col n] => [row] { x.sum((plane, col)) }
    }
    odd! { run "sum/all" [m, n] in [[31, 17], [300, 401], [1001, 773]]; x [row m, col n] => [] { x.sum((row, col)) } }
    odd! { run "sum/squares" [m, n] in [[31, 17], [300, 401], [1001, 773]]; x [row m, col n] => [] { Squares(x) } }
    odd! { run "mean/rows" [m, n] in [[300, 401], [1001, 773]]; x [row m, col n] => [row] { x.mean(col) } }
    odd! { run "mean/columns" [m, n] in [[300, 401], [1001, 773]]; x [row m, col n] => [col] { x.mean(row) } }
    odd! {
        run "mean/weighted" [m, n] in [[77, 100], [1001, 773]];
        x [row m, col n], w [row m] => [col] { MaskedMean(x, w) }
    }
    Ok(())
}

/// All reductions.
pub(crate) fn reductions(run: &mut Run) -> Result<(), Error> {
    sums(run)?;
    let sizes = [[31, 17], [300, 401], [1001, 773], [60000, 7]];
    odd! { run "var/rows" [m, n] in sizes; x [row m, col n] => [row] { x.var(col) } }
    odd! { run "var/columns" [m, n] in sizes; x [row m, col n] => [col] { x.var(row) } }
    odd! { run "max/rows" [m, n] in sizes; x [row m, col n] => [row] { x.max(col) } }
    odd! { run "max/columns" [m, n] in sizes; x [row m, col n] => [col] { x.max(row) } }
    odd! {
        run "min/middle" [p, m, n] in [[31, 17, 9], [300, 401, 9]];
        x [plane p, row m, col n] => [plane, col] { x.min(row) }
    }
    odd! { run "norm/rows" [m, n] in sizes; x [row m, col n] => [row] { x.norm(col) } }
    odd! { run "norm/columns" [m, n] in sizes; x [row m, col n] => [col] { x.norm(row) } }
    odd! { run "norm3/rows" [m, n] in [[31, 17], [300, 401]]; x [row m, col n] => [row] { Norm3(x) } }
    odd! { run "prod/rows" [m, n] in [[31, 17], [300, 401]]; x [row m, col n] => [row] { Growth(x) } }
    Ok(())
}
