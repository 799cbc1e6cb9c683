//! W5: passes over memory, whose limit is bandwidth.

use named_tensor::prelude::*;
use transformer::axes::{chans, seq};
use transformer::norm::LayerNorm;

use crate::protocol::{Cost, Run, fill, gain, summary};

axes! {
    /// Rows of a square.
    row,
    /// Columns of a square.
    column,
}

named! {
    fn OverColumns(X: R[row, column]) -> R[row, column] { softmax_column(X) }
    fn OverRows(X: R[row, column]) -> R[row, column] { softmax_row(X) }
    fn Rectified(A: R[row, column], B: R[row, column], C: R[column]) -> R[row, column] { relu(A * B + C) }
    fn AndTurned(A: R[row, column], B: R[row, column]) -> R[row, column] {
        A + B_{row -> column, column -> row}
    }
}

const SIDE: usize = 4096;

fn square(seed: u32, scale: f32) -> Result<Tensor<R![row, column]>, Error> {
    Tensor::from_slice((row.of(SIDE), column.of(SIDE)), &fill(seed, SIDE * SIDE, scale))
}

/// W5.
pub(crate) fn passes(run: &Run) -> Result<(), Error> {
    let bytes = 4.0 * (SIDE * SIDE) as f64;
    let go = |case: &str, squares: f64, y: &dyn Fn() -> Tensor<R![row, column]>| {
        let checks = [summary("y", &y().to_vec((row, column))?)];
        run.time(case, Cost { flops: 0.0, bytes: squares * bytes }, &checks, || y().eval())
    };
    if run.wants("W5/softmax_last") {
        let x = square(30, 8.0)?;
        go("W5/softmax_last", 2.0, &|| OverColumns(&x))?;
    }
    if run.wants("W5/softmax_first") {
        let x = square(30, 8.0)?;
        go("W5/softmax_first", 2.0, &|| OverRows(&x))?;
    }
    if run.wants("W5/layernorm") {
        let x = Tensor::from_slice((seq.of(SIDE), chans.of(768)), &fill(31, SIDE * 768, 4.0))?;
        let norm = LayerNorm {
            γ: Tensor::from_vec(chans.of(768), gain(32, 768))?,
            β: Tensor::from_vec(chans.of(768), fill(33, 768, 0.2))?,
        };
        let checks = [summary("y", &norm.apply(&x).to_vec((seq, chans))?)];
        let cost = Cost { flops: 0.0, bytes: 8.0 * (SIDE * 768) as f64 };
        run.time("W5/layernorm", cost, &checks, || norm.apply(&x).eval())?;
    }
    if run.wants("W5/chain") {
        let (a, b) = (square(34, 2.0)?, square(35, 2.0)?);
        let c = Tensor::from_vec(column.of(SIDE), fill(36, SIDE, 2.0))?;
        go("W5/chain", 3.0, &|| Rectified(&a, &b, &c))?;
    }
    if run.wants("W5/addT") {
        let (a, b) = (square(37, 2.0)?, square(38, 2.0)?);
        go("W5/addT", 3.0, &|| AndTurned(&a, &b))?;
    }
    Ok(())
}
