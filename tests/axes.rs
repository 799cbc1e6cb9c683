//! The axes over which the laws are stated: those of the paper's examples, and spare ones for layouts.
//!
//! Lives here: one declaration for all laws. Not here: the axes of the models, which are those of the transformer.

use named_tensor::prelude::*;

axes! {
    pub
    height, width, depth, height_, width_, layer,
    batch, seq, seq_, subseq, heads, key, val, chans, chans_, hidden, emb, vocab, kernel, kh, kw, out,
    input, hidden1, hidden2, hidden_, layer_, classes, clusters, beam, state, assign, a, b,
    spare, spare1, spare2, spare3, spare4
}
