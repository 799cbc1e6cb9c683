//! Functions from vectors to vectors, along rows, columns, and between: softmax and the normalisations.
//!
//! Not here: attention (`attention`), losses (`networks`).

use named_tensor::prelude::*;
use transformer::norm::{BatchNorm, LayerNorm};

use crate::axes::*;
use crate::case::odd;
use crate::protocol::Run;

named! {
    fn logsumexp_{ax}(X: R[ax]) -> R[] {
        M = max_ax(X);
        M + log(sum_ax(exp(X - M)))
    }
    fn unit_{ax}(X: R[ax]) -> R[ax] { X / norm_ax(X) }
    fn RootMeanSquare(X: R[chans], γ: R[chans]) -> R[chans] { X / sqrt(mean_chans(X * X) + 1e-5) * γ }
    fn Written(X: R[chans]) -> R[chans] { (X - mean_chans(X)) / sqrt(var_chans(X) + 1e-5) }
    fn Sharp(X: R[col], t: R[]) -> R[col] { softmax_col(X * (t * t + 1)) }
}

fn softmaxes(run: &mut Run) -> Result<(), Error> {
    let sizes = [[31, 17], [300, 401], [1001, 773], [7, 60000], [60000, 7]];
    odd! { run "softmax/rows" [m, n] in sizes; x [row m, col n] => [row, col] { x.softmax(col) } }
    odd! { run "softmax/columns" [m, n] in sizes; x [row m, col n] => [row, col] { x.softmax(row) } }
    odd! {
        run "softmax/middle" [p, m, n] in [[31, 17, 9], [300, 401, 9]];
        x [plane p, row m, col n] => [plane, row, col] { x.softmax(row) }
    }
    odd! {
        run "softmax/sharpened" [m, n] in [[31, 17], [1001, 773]];
        x [row m, col n], t [row m] => [row, col] { Sharp(x, t) }
    }
    let sizes = [[31, 17], [1001, 773], [60000, 7]];
    odd! { run "log-softmax/rows" [m, n] in sizes; x [row m, col n] => [row, col] { x.log_softmax(col) } }
    odd! { run "log-softmax/columns" [m, n] in sizes; x [row m, col n] => [row, col] { x.log_softmax(row) } }
    odd! { run "logsumexp/rows" [m, n] in sizes; x [row m, col n] => [row] { logsumexp(col, x) } }
    odd! { run "logsumexp/columns" [m, n] in sizes; x [row m, col n] => [col] { logsumexp(row, x) } }
    Ok(())
}

/// All functions of rows.
pub(crate) fn rows(run: &mut Run) -> Result<(), Error> {
    softmaxes(run)?;
    let sizes = [[31, 17], [300, 401], [1001, 773], [60000, 7]];
    odd! {
        run "layer-norm/written-out" [m, n] in [[31, 17], [1001, 773]];
        x [row m, chans n] => [row, chans] { Written(x) }
    }
    odd! {
        run "layer-norm/rows" [m, n] in sizes;
        x [row m, chans n], g [chans n], b [chans n] => [row, chans] {
            LayerNorm { γ: g.clone(), β: b.clone() }.apply(x) }
    }
    odd! {
        run "layer-norm/of-a-sum" [m, n] in [[31, 17], [1001, 773]];
        x [row m, chans n], y [row m, chans n], g [chans n], b [chans n] => [row, chans] {
            LayerNorm { γ: g.clone(), β: b.clone() }.apply(&(x + y)) }
    }
    odd! {
        run "rms-norm/rows" [m, n] in [[31, 17], [1001, 773], [60000, 7]];
        x [row m, chans n], g [chans n] => [row, chans] { RootMeanSquare(x, g) }
    }
    odd! {
        run "batch-norm" [b, c, l] in [[7, 5, 33], [16, 33, 401]];
        x [batch b, chans c, layer l], g [chans c], s [chans c] => [batch, chans, layer] {
            BatchNorm { γ: g.clone(), β: s.clone() }.apply(x) }
    }
    odd! { run "standardize/rows" [m, n] in sizes; x [row m, col n] => [row, col] { x.standardize(col) } }
    odd! { run "standardize/columns" [m, n] in sizes; x [row m, col n] => [row, col] { x.standardize(row) } }
    odd! {
        run "unit/rows" [m, n] in [[31, 17], [1001, 773], [60000, 7]];
        x [row m, col n] => [row, col] { unit(col, x) }
    }
    odd! {
        run "unit/columns" [m, n] in [[31, 17], [1001, 773], [60000, 7]];
        x [row m, col n] => [row, col] { unit(row, x) }
    }
    Ok(())
}
