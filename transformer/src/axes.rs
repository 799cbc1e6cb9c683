//! The legend: every symbol of every equation in this crate.
//!
//! | axis | symbol | meaning |
//! |---|---|---|
//! | `batch` | batch | examples that do not know of each other |
//! | `seq` | seq | positions of a text, as keys and values of attention and everywhere else |
//! | `seq_` | seq′ | positions of a text, as queries, where keys are present too |
//! | `chans` | chans | features of one position, d_model |
//! | `heads` | heads | attention heads |
//! | `key` | key | features by which queries and keys are compared, d_k |
//! | `val` | val | features that attention passes on, d_v |
//! | `hidden` | hidden | features inside the feed-forward network, d_ff |
//! | `layer` | layer | features of a normalisation layer, beside its channels |
//! | `out` | out | features that a linear layer gives |
//! | `beam` | beam | continuations of a text that are kept side by side |
//! | `choice` | choice | pairs of a continuation and its next word |
//! | `vocab` | vocab | the words, or bytes, that a text is made of |

use named_tensor::axes;

axes! {
    /// Examples that do not know of each other.
    batch,
    /// Positions of a text.
    seq,
    /// Positions of a text as queries, where keys are present too; printed seq′.
    seq_,
    /// Features of one position, d_model.
    chans,
    /// Attention heads.
    heads,
    /// Features by which queries and keys are compared, d_k.
    key,
    /// Features that attention passes on, d_v.
    val,
    /// Features inside the feed-forward network, d_ff.
    hidden,
    /// Features of a normalisation layer, beside its channels.
    layer,
    /// Features that a linear layer gives.
    out,
    /// Continuations of a text that are kept side by side.
    beam,
    /// Pairs of a continuation and its next word.
    choice,
    /// Words, or bytes, that a text is made of.
    vocab,
}
