//! The axes and tensors of the paper's examples, which the chapters share.
//!
//! Lives here: one declaration for all chapters, as every project has one, and the comparison of printed numbers.
//! Not here: numbers that belong to a single example.

pub use named_tensor::prelude::*;

axes! {
    /// Rows of the paper's matrix A.
    height,
    /// Columns of A.
    width,
    /// A second axis of columns, printed width′.
    width_,
    /// What several axes are flattened into.
    layer,
    /// Groups that a layer is split into.
    heads,
    /// Features by which queries and keys are compared.
    key,
    /// Features that attention passes on.
    val,
    /// Positions of a text.
    seq,
    /// Positions of a text beside seq, printed seq′.
    seq_,
    /// Some positions of a text.
    subseq,
    /// Independent examples.
    batch,
    /// Features of one position.
    chans,
    /// Features inside a network.
    hidden,
    /// Words.
    vocab,
    /// Features of a word.
    emb,
    /// Positions inside a window.
    kernel,
}

/// A over height and width, x over height, y over width, with the numbers of the paper.
#[must_use]
pub fn tensors() -> (Tensor<R![height, width]>, Tensor<R![height]>, Tensor<R![width]>) {
    let a = Tensor::new((height, width), [[3.0, 1.0, 4.0], [1.0, 5.0, 9.0], [2.0, 6.0, 5.0]]);
    (a, Tensor::new(height, [2.0, 7.0, 1.0]), Tensor::new(width, [1.0, 4.0, 1.0]))
}

/// Whether numbers agree with numbers that are printed to six decimals.
#[must_use]
pub fn close(numbers: &[f32], printed: &[f32]) -> bool {
    let agrees = |(x, y): (&f32, &f32)| (x - y).abs() <= 1e-6 * (1.0 + y.abs());
    numbers.len() == printed.len() && numbers.iter().zip(printed).all(agrees)
}
