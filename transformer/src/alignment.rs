//! Attention with any score: rows 1.10, 3.2–3.4, 3.7–3.9.
//!
//! A score says how well one key fits one query. What is retrieved is the mean of the values, weighed by a softmax of the
//! scores; the score is an argument of that one equation, and these are four of them. Query and key need not live in
//! the same space, so their axes have two names; the two products compare them position by position, and say so.
//! Not here: attention as the Transformer writes it (`attention`), recurrent networks that align (`models::seq2seq`).

use crate::axes::{hidden, key, query, seq, val};
use named_tensor::prelude::*;

named! {
    /// The product of query and key.
    pub fn DotProduct(Q: R[query], K: R[key]) -> R[] where |query| = |key| {
        Q_{query -> key} dot_key K
    }

    /// The same, so scaled that its variance does not grow with the number of features (row 3.9).
    pub fn ScaledDotProduct(Q: R[query], K: R[key]) -> R[] where |query| = |key| {
        Q_{query -> key} dot_key K / sqrt(|key|)
    }

    /// Any product of query and key, as learnt (Luong, Pham and Manning, 2015: "general").
    pub fn Bilinear(Q: R[query], K: R[key]; W: R[query, key]) -> R[] {
        Q dot_query W dot_key K
    }

    /// A network with one layer inside (Bahdanau, Cho and Bengio, 2015; row 3.4).
    pub fn Additive(Q: R[query], K: R[key]; W_Q: R[query, hidden], W_K: R[key, hidden], b: R[hidden] = 0, v: R[hidden]) -> R[] {
        v dot_hidden tanh(Q dot_query W_Q + K dot_key W_K + b)
    }

    /// The values as the scores of their keys weigh them (rows 3.2, 3.8).
    pub fn Retrieved(S: R[seq], V: R[seq, val]) -> R[val] {
        softmax_seq(S) dot_seq V
    }

    /// The value of the key with the highest score, the first of equals: what a search returns (row 3.7), and what
    /// `Retrieved` comes to where scores are far apart.
    pub fn Found(S: R[seq], V: R[seq, val]) -> R[val] {
        argmax_seq(S) dot_seq V
    }
}

/// Attention of one query with any score: `softmax_seq(score(Q, K)) ⊙_seq V` (rows 1.10, 3.8).
///
/// A score of this file is written as it is called: it is lifted over the keys.
///
/// ```
/// use named_tensor::prelude::*;
/// use transformer::alignment::{Additive, ScaledDotProduct, retrieval};
/// use transformer::axes::*;
///
/// let mut rng = seeded(0);
/// let q: Tensor<R![seq_, query]> = Tensor::normal(&mut rng, (seq_.of(2), query.of(4)), 0.0, 1.0);
/// let k: Tensor<R![seq, key]> = Tensor::normal(&mut rng, (seq.of(3), key.of(4)), 0.0, 1.0);
/// let v: Tensor<R![seq, val]> = Tensor::normal(&mut rng, (seq.of(3), val.of(5)), 0.0, 1.0);
///
/// let scaled = retrieval(|q, k| ScaledDotProduct(q, k), &q, &k, &v);
/// let network = Additive::init(&mut rng, (query.of(4), key.of(4), hidden.of(8)))?;
/// let additive: Tensor<R![seq_, val]> = retrieval(|q, k| network.apply(q, k), &q, &k, &v);
/// assert_eq!((scaled.size(seq_), additive.size(val)), (2, 5));
/// # Ok::<(), named_tensor::Error>(())
/// ```
///
/// The softmax is over the keys, and over nothing else: the queries' axis is not there to be normalised over (row 3.13).
///
/// ```compile_fail
/// # use named_tensor::prelude::*;
/// # use transformer::axes::*;
/// named! {
///     fn Wrong(S: R[seq], V: R[seq, val]) -> R[val] { softmax_seq_(S) dot_seq V }
/// }
/// ```
#[lift]
pub fn retrieval<T, S>(
    score: S,
    q: &Tensor<R![query], T>,
    k: &Tensor<R![seq, key], T>,
    v: &Tensor<R![seq, val], T>,
) -> Tensor<R![val], T>
where
    T: Real,
    S: Fn(&Tensor<R![query], T>, &Tensor<R![seq, key], T>) -> Tensor<R![seq], T>,
{
    Retrieved(&score(q, k), v)
}
