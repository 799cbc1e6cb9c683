//! Products of matrices and vectors, in whatever order their axes lie: one equation each, told apart by names.
//!
//! Not here: sums of one tensor (`reductions`), layers made of products (`networks`).

use named_tensor::prelude::*;

use crate::axes::*;
use crate::case::odd;
use crate::protocol::{Run, positions};

named! {
    fn Product(A: R[row, inner], B: R[inner, col]) -> R[row, col] { A dot_inner B }
    fn Along(A: R[row, inner], x: R[inner]) -> R[row] { A dot_inner x }
    fn TwoAxes(A: R[row, inner, plane], B: R[inner, plane, col]) -> R[row, col] { A dot_{inner, plane} B }
    fn Outer(x: R[row], y: R[col]) -> R[row, col] { x * y }
    fn Chain(A: R[row, inner], B: R[inner, col], C: R[col, far]) -> R[row, far] { A dot_inner B dot_col C }
    fn RowsByRows(A: R[row, col]) -> R[row, row_] { A dot_col A_{row -> row_} }
    fn ColumnsByColumns(A: R[row, col]) -> R[col, col_] { A dot_row A_{col -> col_} }
    fn Bilinear(x: R[row], A: R[row, col], y: R[col]) -> R[] { x dot_row A dot_col y }
    fn Apart(X: R[row, inner], W: R[inner, far, col], Y: R[row, far]) -> R[row, col] { sum_{inner, far}(X * W * Y) }
    fn Chained(A: R[plane, inner], B: R[inner, heads, far], C: R[far, col]) -> R[] {
        sum_{plane, heads, col, inner, far, row, row_}(
            A * B * C * A_{inner -> row} * B_{inner -> row, far -> row_} * C_{far -> row_})
    }
    fn Fisher(X: R[row, inner], P: R[row, col], V: R[inner, col]) -> R[inner, col] {
        G = X * P;
        mean_row(G * sum_{inner, col}(G * V))
    }
    fn Triples(E: R[row, inner], W: R[inner, far], I: row[seq]) -> R[seq, row] {
        sum_{inner, far}(index_row(E, I) * W * E_{inner -> far})
    }
    fn Covariance(A: R[row, col]) -> R[col, col_] {
        D = A - mean_row(A);
        D dot_row D_{col -> col_} / |row|
    }
    fn Cosines(A: R[row, inner], B: R[col, inner]) -> R[row, col] {
        (A / norm_inner(A)) dot_inner (B / norm_inner(B))
    }
}

/// Two matrices: m × k times k × n, either of them turned or not.
fn matrices(run: &mut Run) -> Result<(), Error> {
    let sizes = [[17, 23, 19], [201, 303, 97], [773, 333, 501]];
    odd! {
        run "product/plain" [m, k, n] in [sizes[0], sizes[1], sizes[2], [1001, 7, 773], [1001, 773, 3]];
        a [row m, inner k], b [inner k, col n] => [row, col] { Product(a, b) }
    }
    odd! {
        run "product/turned" [m, k, n] in [sizes[0], sizes[1], sizes[2], [7, 60000, 5]];
        a [inner k, row m], b [inner k, col n] => [row, col] { Product(a, b) }
    }
    odd! {
        run "product/along" [m, k, n] in [sizes[0], sizes[1], sizes[2], [3, 700, 2000]];
        a [row m, inner k], b [col n, inner k] => [row, col] { Product(a, b) }
    }
    odd! {
        run "product/both-turned" [m, k, n] in sizes;
        a [inner k, row m], b [col n, inner k] => [row, col] { Product(a, b) }
    }
    odd! {
        run "product/chain" [m, k, n, p] in [[10, 501, 11, 503], [301, 11, 303, 12]];
        a [row m, inner k], b [inner k, col n], c [col n, far p] => [row, far] { Chain(a, b, c) }
    }
    odd! {
        run "product/written-apart" [m, k, f, n] in [[31, 17, 19, 5], [301, 64, 65, 33]];
        x [row m, inner k], w [inner k, far f, col n], y [row m, far f] => [row, col] { Apart(x, w, y) }
    }
    odd! {
        run "product/norm-of-chain" [p, m, s, n, q] in [[5, 17, 3, 19, 7], [9, 65, 4, 66, 11]];
        a [plane p, inner m], b [inner m, heads s, far n], c [far n, col q] => [] { Chained(a, b, c) }
    }
    odd! {
        run "product/fisher" [m, k, n] in [[31, 17, 5], [301, 129, 33]];
        x [row m, inner k], p [row m, col n], v [inner k, col n] => [inner, col] { Fisher(x, p, v) }
    }
    odd! {
        run "product/triples" [m, k, f, n] in [[31, 17, 17, 5], [501, 33, 33, 101]];
        e [row m, inner k], w [inner k, far f] => [seq, row] { Triples(e, w, &ids) }
        where ids = Tensor::<R![seq], Index<row>>::indices_from_vec(seq.of(n), row, positions(50, n, m))?
    }
    odd! {
        run "product/rows-by-rows" [m, n] in [[33, 47], [301, 203]];
        a [row m, col n] => [row, row_] { RowsByRows(a) }
    }
    odd! {
        run "product/cols-by-cols" [m, n] in [[301, 203], [60000, 7]];
        a [row m, col n] => [col, col_] { ColumnsByColumns(a) }
    }
    odd! {
        run "product/covariance" [m, n] in [[1001, 77], [60000, 7]];
        a [row m, col n] => [col, col_] { Covariance(a) }
    }
    odd! {
        run "product/cosines" [m, k, n] in [[31, 17, 29], [301, 77, 203]];
        a [row m, inner k], b [col n, inner k] => [row, col] { Cosines(a, b) }
    }
    Ok(())
}

/// A matrix and a vector, and vectors alone.
fn vectors(run: &mut Run) -> Result<(), Error> {
    let sizes = [[31, 17], [300, 401], [1001, 773], [60000, 7], [7, 60000]];
    odd! {
        run "vector/along" [m, n] in sizes;
        a [row m, inner n], x [inner n] => [row] { Along(a, x) }
    }
    odd! {
        run "vector/across" [m, n] in sizes;
        a [inner m, row n], x [inner m] => [row] { Along(a, x) }
    }
    odd! {
        run "vector/middle" [p, m, n] in [[31, 17, 9], [512, 4, 256], [2000, 5, 64]];
        x [plane p, row m, col n], a [row m] => [plane, col] { x.dot(row, a) }
    }
    odd! {
        run "vector/outer" [m, n] in [[31, 17], [1001, 773], [7, 60000]];
        x [row m], y [col n] => [row, col] { Outer(x, y) }
    }
    odd! {
        run "vector/inner" [n] in [[301], [60000], [774000]];
        x [col n], y [col n] => [] { x.dot(col, y) }
    }
    odd! {
        run "vector/row-by-row" [m, n] in [[300, 401], [1001, 773], [60000, 7]];
        x [row m, col n], y [row m, col n] => [row] { x.dot(col, y) }
    }
    odd! {
        run "vector/bilinear" [b, m, n] in [[101, 33, 47], [1000, 17, 9]];
        x [batch b, row m], a [row m, col n], y [batch b, col n] => [batch] { Bilinear(x, a, y) }
    }
    Ok(())
}

/// Many products at once, and products over two axes.
fn batches(run: &mut Run) -> Result<(), Error> {
    let sizes = [[500, 8, 16, 8], [30, 33, 47, 21]];
    odd! {
        run "batched/plain" [b, m, k, n] in sizes;
        x [batch b, row m, inner k], y [batch b, inner k, col n] => [batch, row, col] { Product(x, y) }
    }
    odd! {
        run "batched/along" [b, m, k, n] in sizes;
        x [batch b, row m, inner k], y [batch b, col n, inner k] => [batch, row, col] { Product(x, y) }
    }
    odd! {
        run "batched/turned" [b, m, k, n] in sizes;
        x [batch b, inner k, row m], y [batch b, inner k, col n] => [batch, row, col] { Product(x, y) }
    }
    odd! {
        run "batched/both-turned" [b, m, k, n] in sizes;
        x [batch b, inner k, row m], y [batch b, col n, inner k] => [batch, row, col] { Product(x, y) }
    }
    odd! {
        run "batched/vector" [b, m, k] in [[30, 47, 33], [1000, 17, 9]];
        x [batch b, row m, inner k], y [batch b, inner k] => [batch, row] { Along(x, y) }
    }
    odd! {
        run "batched/one-matrix" [b, m, k, n] in [[30, 33, 47, 21], [7, 101, 300, 75]];
        x [batch b, row m, inner k], y [inner k, col n] => [batch, row, col] { Product(x, y) }
    }
    odd! {
        run "batched/between" [b, m, h, k] in [[3, 77, 5, 19], [2, 201, 12, 33]];
        x [batch b, row m, heads h, inner k], y [batch b, col m, heads h, inner k] => [batch, heads, row, col] {
            Product(x, y) }
    }
    odd! {
        run "batched/back-between" [b, m, h, k] in [[3, 77, 5, 19], [2, 201, 12, 33]];
        x [batch b, heads h, row m, inner m], y [batch b, inner m, heads h, col k] => [batch, row, heads, col] {
            Product(x, y) }
    }
    odd! {
        run "batched/two-axes" [m, k, p, n] in [[23, 9, 14, 31], [101, 33, 27, 55]];
        x [row m, inner k, plane p], y [plane p, inner k, col n] => [row, col] { TwoAxes(x, y) }
    }
    Ok(())
}

/// All contractions.
pub(crate) fn contractions(run: &mut Run) -> Result<(), Error> {
    matrices(run)?;
    vectors(run)?;
    batches(run)
}
