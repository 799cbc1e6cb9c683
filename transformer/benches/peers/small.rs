//! W6: 1000 dependent operations on 8 × 8 tensors.
//!
//! What is timed is everything but arithmetic: names checked, nodes made, the plan found, buffers taken.

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

/// W6: a graph of 1000 operations computed at its end, as programs are written; in the rows `../each` every operation is
/// computed before the next is written down.
pub(crate) fn small(run: &Run) -> Result<(), Error> {
    let square = |numbers| Square::from_vec((row.of(8), column.of(8)), numbers);
    let (x, b) = (square(fill(60, 64, 1.0))?, square(fill(61, 64, 1.0 / 1024.0))?);
    let shift = (0..64).map(|i| if (i / 8 + 1) % 8 == i % 8 { 1.0 } else { 0.0 }).collect();
    let w: Tensor<R![column, turned]> = Tensor::from_vec((column.of(8), turned.of(8)), shift)?;
    let steps: [(&str, &dyn Fn(&Square) -> Square); 3] = [
        ("W6/add", &|x| x + &b),
        ("W6/matmul", &|x| x.dot(column, &w).rename(turned, column)),
        ("W6/softmax", &|x| x.softmax(column)),
    ];
    for (case, of) in steps {
        let whole = || (0..1000).fold(x.clone(), |x, _| of(&x)).eval();
        let each = || (0..1000).try_fold(x.clone(), |x, _| of(&x).eval());
        let calls: [(String, &dyn Fn() -> Result<Square, Error>); 2] =
            [(case.to_owned(), &whole), (format!("{case}/each"), &each)];
        for (case, call) in calls {
            if run.wants(&case) {
                let checks = [summary("y", &call()?.to_vec((row, column))?)];
                run.time(&case, Cost { flops: 0.0, bytes: 0.0 }, &checks, call)?;
            }
        }
    }
    Ok(())
}
