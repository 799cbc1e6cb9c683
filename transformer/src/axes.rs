//! The legend: every symbol of every equation in this crate.
//!
//! | axis | symbol | meaning |
//! |---|---|---|
//! | `batch` | batch | examples that do not know of each other |
//! | `batch_` | batch′ | the same examples once more, to compare each with each |
//! | `seq` | seq | positions of a text, as keys and values of attention and everywhere else |
//! | `seq_` | seq′ | positions of a text, as queries, where keys are present too |
//! | `source` | source | positions of the text that is translated, n_input |
//! | `chans` | chans | features of one position, d_model |
//! | `heads` | heads | attention heads |
//! | `key` | key | features by which queries and keys are compared, d_k |
//! | `val` | val | features that attention passes on, d_v |
//! | `query` | query | features of a query, where they need not be those of the keys |
//! | `state` | state | features of the state of a recurrent network |
//! | `state_` | state′ | the same after a step, before it is called the state again |
//! | `groups` | groups | groups of attention heads that share their keys and values |
//! | `shared` | shared | heads of one group, which share its keys and values |
//! | `hidden` | hidden | features inside the feed-forward network, d_ff |
//! | `layer` | layer | features of a normalisation layer, beside its channels |
//! | `layers` | layers | layers of a stack, N |
//! | `half` | half | the two numbers of a pair that is turned as a point of the plane |
//! | `pair` | pair | pairs of features that are turned together |
//! | `places` | places | positions for which there are learned vectors |
//! | `segments` | segments | kinds of segments that a text may be made of |
//! | `out` | out | features that a linear layer gives |
//! | `beam` | beam | continuations of a text that are kept side by side |
//! | `choice` | choice | pairs of a continuation and its next word |
//! | `vocab` | vocab | the words, or bytes, that a text is made of |

use named_tensor::axes;

axes! {
    /// Examples that do not know of each other.
    batch,
    /// The same examples once more, to compare each with each; printed batch′.
    batch_,
    /// Positions of a text.
    seq,
    /// Positions of a text as queries, where keys are present too; printed seq′.
    seq_,
    /// Positions of the text that is translated, n_input.
    source,
    /// Features of one position, d_model.
    chans,
    /// Attention heads.
    heads,
    /// Features by which queries and keys are compared, d_k.
    key,
    /// Features that attention passes on, d_v.
    val,
    /// Features of a query, where they need not be those of the keys.
    query,
    /// Features of the state of a recurrent network.
    state,
    /// Features of the next state of a recurrent network; printed state′.
    state_,
    /// Groups of attention heads that share their keys and values.
    groups,
    /// Heads of one group, which share its keys and values.
    shared,
    /// Features inside the feed-forward network, d_ff.
    hidden,
    /// Features of a normalisation layer, beside its channels.
    layer,
    /// Layers of a stack, N.
    layers,
    /// The two numbers of a pair that is turned as a point of the plane.
    half,
    /// Pairs of features that are turned together.
    pair,
    /// Positions for which there are learned vectors.
    places,
    /// Kinds of segments that a text may be made of.
    segments,
    /// Features that a linear layer gives.
    out,
    /// Continuations of a text that are kept side by side.
    beam,
    /// Pairs of a continuation and its next word.
    choice,
    /// Words, or bytes, that a text is made of.
    vocab,
}
