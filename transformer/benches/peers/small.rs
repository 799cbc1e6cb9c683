//! W6: 1000 dependent operations on 8 × 8 tensors, each computed before the next is written down.
//!
//! What is timed is everything but arithmetic: names checked, a node made, the plan found, a buffer taken.

use named_tensor::prelude::*;

use crate::protocol::{Cost, Run, fill, summary};

axes! {
    /// Rows of a square.
    row,
    /// Columns of a square.
    column,
    /// Columns on their way to be columns again.
    turned,
}

type Square = Tensor<R![row, column]>;

fn thousand(x: &Square, of: &dyn Fn(&Square) -> Result<Square, Error>) -> Result<Square, Error> {
    (0..1000).try_fold(x.clone(), |x, _| of(&x))
}

/// W6.
pub(crate) fn small(run: &Run) -> Result<(), Error> {
    let square = |numbers| Square::from_vec((row.of(8), column.of(8)), numbers);
    let (x, b) = (square(fill(60, 64, 1.0))?, square(fill(61, 64, 1.0 / 1024.0))?);
    let shift = (0..64).map(|i| if (i / 8 + 1) % 8 == i % 8 { 1.0 } else { 0.0 }).collect();
    let w: Tensor<R![column, turned]> = Tensor::from_vec((column.of(8), turned.of(8)), shift)?;
    let steps: [(&str, &dyn Fn(&Square) -> Result<Square, Error>); 3] = [
        ("W6/add", &|x| (x + &b).eval()),
        ("W6/matmul", &|x| x.dot(column, &w).rename(turned, column).eval()),
        ("W6/softmax", &|x| x.softmax(column).eval()),
    ];
    for (case, of) in steps {
        if run.wants(case) {
            let checks = [summary("y", &thousand(&x, of)?.to_vec((row, column))?)];
            run.time(case, Cost { flops: 0.0, bytes: 0.0 }, &checks, || thousand(&x, of))?;
        }
    }
    Ok(())
}
