//! Functions of each element, of one tensor and of several, with vectors along rows and columns.
//!
//! Not here: functions of whole rows (`rows`).

use named_tensor::prelude::*;

use crate::axes::*;
use crate::case::odd;
use crate::protocol::Run;

named! {
    fn Softplus(X: R[]) -> R[] { log(1 + exp(X)) }
    fn Root(X: R[]) -> R[] { sqrt(X * X + 1) }
    fn Power(X: R[]) -> R[] { (X * X + 1) ^ 0.75 }
    fn Cube(X: R[]) -> R[] { max(X, 0) ^ 3 }
    fn Cubic(X: R[]) -> R[] { ((X - 0.5) * X + 2) * X - 1 }
    fn Bell(X: R[], μ: R[], ς: R[]) -> R[] { exp(-((X - μ) / (ς * ς + 1)) ^ 2) }
    fn Fused(X: R[], Y: R[], Z: R[]) -> R[] { X * Y + Z }
    fn Quotient(X: R[], Y: R[]) -> R[] { X / (Y * Y + 1) }
    fn Chosen(X: R[], Y: R[]) -> R[] { if X > Y { X * Y } else { X - Y } }
    fn Gated(X: R[], Y: R[]) -> R[] { X * σ(Y) }
    fn Between(X: R[], Y: R[], A: R[]) -> R[] { X + σ(A) * (Y - X) }
    fn Wave(X: R[]) -> R[] { sin(3 * X) * cos(X) }
}

/// A function of one number, for two sizes.
macro_rules! function {
    ($run:ident $kind:literal $of:expr) => {
        odd! { $run $kind [m, n] in [[31, 17], [1001, 773]]; x [row m, col n] => [row, col] { $of(x) } }
    };
}

fn of_one(run: &mut Run) -> Result<(), Error> {
    type Table = Tensor<R![row, col]>;
    function! { run "element/exp" Table::exp }
    function! { run "element/tanh" Table::tanh }
    function! { run "element/sigmoid" Table::sigmoid }
    function! { run "element/erf" Table::erf }
    function! { run "element/gelu" Table::gelu }
    function! { run "element/gelu-tanh" Table::gelu_tanh }
    function! { run "element/silu" Table::silu }
    function! { run "element/relu" Table::relu }
    function! { run "element/wave" Wave }
    function! { run "element/softplus" Softplus }
    function! { run "element/root" Root }
    function! { run "element/power" Power }
    function! { run "element/cube" Cube }
    function! { run "element/cubic" Cubic }
    function! { run "element/clamp" |x: &Table| x.clamp(-0.5, 0.7) }
    Ok(())
}

/// All functions of elements.
pub(crate) fn elements(run: &mut Run) -> Result<(), Error> {
    of_one(run)?;
    let two = [[31, 17], [1001, 773]];
    odd! {
        run "elements/add" [m, n] in [[31, 17], [300, 401], [1001, 773]];
        x [row m, col n], y [row m, col n] => [row, col] { x + y }
    }
    odd! {
        run "elements/add-turned" [m, n] in [[31, 17], [300, 401], [1001, 773]];
        x [row m, col n], y [col n, row m] => [row, col] { x + y }
    }
    odd! {
        run "elements/add-row" [m, n] in [[31, 17], [1001, 773], [60000, 7]];
        x [row m, col n], b [col n] => [row, col] { x + b }
    }
    odd! {
        run "elements/add-column" [m, n] in [[31, 17], [1001, 773], [60000, 7]];
        x [row m, col n], b [row m] => [row, col] { x + b }
    }
    odd! {
        run "elements/times-row" [m, n] in [[1001, 773], [7, 60000]];
        x [row m, col n], w [col n] => [row, col] { x * w }
    }
    odd! {
        run "elements/middle" [p, m, n] in [[31, 17, 9], [30, 401, 77]];
        x [plane p, row m, col n], w [row m], b [row m] => [plane, row, col] { x * w + b }
    }
    odd! { run "elements/outer-tanh" [m, n] in two; x [row m], y [col n] => [row, col] { (x + y).tanh() } }
    odd! {
        run "elements/product-sum" [m, n] in two;
        x [row m, col n], y [row m, col n], z [row m, col n] => [row, col] { Fused(x, y, z) }
    }
    odd! {
        run "elements/quotient" [m, n] in two;
        x [row m, col n], y [row m, col n] => [row, col] { Quotient(x, y) }
    }
    odd! {
        run "elements/maximum" [m, n] in two;
        x [row m, col n], y [row m, col n] => [row, col] { x.maximum(y) }
    }
    odd! {
        run "elements/chosen" [m, n] in two;
        x [row m, col n], y [row m, col n] => [row, col] { Chosen(x, y) }
    }
    odd! {
        run "elements/gated" [m, n] in two;
        x [row m, col n], y [row m, col n] => [row, col] { Gated(x, y) }
    }
    odd! {
        run "elements/between" [m, n] in two;
        x [row m, col n], y [row m, col n], a [col n] => [row, col] { Between(x, y, a) }
    }
    odd! {
        run "elements/bell" [m, n] in two;
        x [row m, col n], u [col n], s [col n] => [row, col] { Bell(x, u, s) }
    }
    Ok(())
}
