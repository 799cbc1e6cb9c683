//! The axes of the odd cases: those of the transformer, and what tables, pictures and points have besides.
//!
//! Not here: sizes; they stand with the cases.

use named_tensor::axes;

pub(crate) use transformer::axes::{
    batch, chans, half, heads, hidden, key, layer, out, pair, seq, seq_, shared, state, state_, val, vocab,
};

axes! {
    /// Rows of a table.
    row,
    /// The same rows once more, to compare each with each; printed row′.
    row_,
    /// Columns of a table.
    col,
    /// The same columns once more; printed col′.
    col_,
    /// What a product of matrices is summed over.
    inner,
    /// What a third table adds to a chain.
    far,
    /// Tables that lie behind one another.
    plane,
    /// Features that go into a layer.
    input,
    /// The four gates of a recurrent cell: input, forgetting, content, output.
    gates,
    /// Features of a point, or of a word.
    depth,
    /// Centres of clusters.
    clusters,
    /// Rows of a picture.
    height,
    /// Columns of a picture.
    width,
    /// Rows of a window.
    kh,
    /// Columns of a window.
    kw,
    /// Positions of a window along a line.
    kernel,
}
