//! The practical of source 003: a small GPT counts how often each digit occurs (row 3.21).
//!
//! Its attention has no mask, no positions, no normalisation and no biases; 0 is the word that begins a text, 1 to 4 are
//! digits. Two sets of weights are made by hand, and need no training; the third model learns the same from all texts.
//! Lives here: the three models, the weights made by hand, the data. Not here: the loop that trains (`train`).

use crate::attention::Attention;
use crate::axes::{batch, chans, hidden, key, out, seq, seq_, val, vocab};
use crate::feed_forward::{FFN, Linear};
use named_tensor::prelude::*;

/// The words: the beginning, and four digits.
pub const WORDS: usize = 5;
/// The digits of one text of the data set.
pub const DIGITS: usize = 30;

named! {
    /// Attention of every position to every position, without biases (row 3.11).
    pub fn BareAttention(X: R[chans, seq]; W_Q: R[chans, key], W_K: R[chans, key], W_V: R[chans, val]) -> R[chans, seq] {
        Attention(X dot_chans W_Q, X dot_chans W_K, X dot_chans W_V)_{val -> chans}
    }

    /// Its weights, for pictures: how much each position seq′ looks at each position seq.
    pub fn BareWeights(X: R[chans, seq], W_Q: R[chans, key], W_K: R[chans, key]) -> R[seq, seq_] {
        Q = X_{seq -> seq_} dot_chans W_Q;
        softmax_seq(Q dot_key (X dot_chans W_K) / sqrt(|key|))
    }

    /// A GPT that says each word again: attention, and a head w that reads a number off.
    pub fn IdentityGPT(I: R[vocab, seq]; E: R[vocab, chans], att: BareAttention, w: R[chans]) -> R[seq] {
        att(I dot_vocab E) dot_chans w
    }

    /// A GPT that says how often each digit occurs: 1/(n + 1) is what attention leaves of the beginning.
    pub fn HistogramGPT(I: R[vocab, seq]; E: R[vocab, chans], att: BareAttention) -> R[seq] {
        1 / sum_chans(att(I dot_vocab E)) - 1
    }

    /// A GPT that learns it: attention and a feed-forward network, each added to its input, and a head that tells counts.
    pub fn MicroGPT(I: R[vocab, seq]; E: R[vocab, chans] ~ normal(0, 1), att: BareAttention, ffn: FFN, head: Linear) -> R[out, seq] {
        X = I dot_vocab E;
        X1 = X + att(X);
        head(X1 + ffn(X1))
    }

    /// -log of the share that the right count Y has among all (row 4.17).
    pub fn CountLoss(Z: R[out], Y: R[out]) -> R[] {
        -(Y dot_out log_softmax_out(Z))
    }

    /// 1 where the largest logit is at the right count, else 0.
    pub fn IsRight(Z: R[out], Y: R[out]) -> R[] {
        argmax_out(Z) dot_out Y
    }
}

/// Weights that compare words so sharply that each looks at its equals alone: W_Q = W_K = 100 I.
fn sharp(w_v: Tensor<R![chans, val]>) -> BareAttention {
    let i: Tensor<R![chans, key]> = Tensor::eye(chans, key, WORDS);
    BareAttention { W_Q: &i * 100.0, W_K: i * 100.0, W_V: w_v }
}

/// The first model with its weights: E, W_V = I and w = (0, 1, 2, 3, 4).
#[must_use]
pub fn identity() -> IdentityGPT {
    let w = Tensor::from_fn(chans.of(WORDS), |[c]| c as f32);
    IdentityGPT { E: Tensor::eye(vocab, chans, WORDS), att: sharp(Tensor::eye(chans, val, WORDS)), w }
}

/// The second model with its weights. The beginning is all ones, so that it fits every digit as well as the digit itself
/// does; only its first feature is passed on. So a digit that occurs n times draws 1/(n + 1).
#[must_use]
pub fn histogram() -> HistogramGPT {
    let e = Tensor::from_fn((vocab.of(WORDS), chans.of(WORDS)), |[word, c]| f32::from(word == 0 || word == c));
    let w_v = Tensor::from_fn((chans.of(WORDS), val.of(WORDS)), |[c, v]| f32::from(c == 0 && v == 0));
    HistogramGPT { E: e, att: sharp(w_v) }
}

/// The third model before training: 32 channels, keys of 64, 128 features inside; 14,688 numbers in all.
///
/// Its matrices begin with the variance 1/(3n) for n features that come in, as the layers of the practical do: with the
/// 1/n that equations have by themselves it learns the same, in more steps.
///
/// # Errors
/// None at these sizes; those of drawing parameters.
pub fn micro(seed: u64) -> Result<MicroGPT, Error> {
    let sizes = (vocab.of(WORDS), chans.of(32), key.of(64), val.of(32), hidden.of(128), out.of(DIGITS + 2));
    let third = Tensor::scalar((1.0_f32 / 3.0).sqrt());
    let model = MicroGPT::init(&mut seeded(seed), sizes)?;
    model.combine([], |name, θ, []| if name == "E" { θ.clone() } else { θ * &third }).eval()
}

/// Texts, and how often the digit at each position occurs in its text, each word and each count as a 1 among zeros.
#[derive(Clone, Debug)]
pub struct Examples {
    /// What is read.
    pub texts: Tensor<R![batch, seq, vocab]>,
    /// What is right.
    pub counts: Tensor<R![batch, seq, out]>,
}

/// A text as the models read it: the beginning, and then the digits, each as a 1 among zeros.
///
/// # Errors
/// A digit that is none of 1 to 4.
pub fn text(digits: &[usize]) -> Result<Tensor<R![vocab, seq]>, Error> {
    let words = words(digits)?;
    Ok(Tensor::indices_from_vec(seq.of(words.len()), vocab, words)?.one_hot(vocab.of(WORDS)))
}

/// The beginning and the digits.
fn words(digits: &[usize]) -> Result<Vec<usize>, Error> {
    if let Some(wrong) = digits.iter().find(|digit| !(1..WORDS).contains(digit)) {
        let message = format!("{wrong} is no word of the practical: its digits are 1 to {}", WORDS - 1);
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(std::iter::once(0).chain(digits.iter().copied()).collect())
}

/// What is right at each position: 0 at the beginning, and how often its digit occurs.
#[must_use]
pub fn counts(digits: &[usize]) -> Vec<usize> {
    let count = |digit: &usize| digits.iter().filter(|other| *other == digit).count();
    std::iter::once(0).chain(digits.iter().map(count)).collect()
}

/// Texts of equal length as the models read them, with what is right at each position.
///
/// # Errors
/// A digit that is none of 1 to 4; texts of several lengths, or so long that the third model has no such counts.
pub fn examples(texts: &[Vec<usize>]) -> Result<Examples, Error> {
    let length = texts.first().map_or(0, Vec::len);
    if let Some(other) = texts.iter().find(|text| text.len() != length) {
        let message = format!("texts of one batch have one length, but {length} digits stand beside {}", other.len());
        return Err(Error::new(ErrorKind::SizeClash, message));
    }
    if length > DIGITS + 1 {
        let message =
            format!("texts of {length} digits have counts up to {length}, but the model tells up to {}", DIGITS + 1);
        return Err(Error::new(ErrorKind::Value, message));
    }
    let words = texts.iter().map(|digits| words(digits)).collect::<Result<Vec<_>, _>>()?.concat();
    let counts = texts.iter().flat_map(|digits| counts(digits)).collect();
    let sizes = (batch.of(texts.len()), seq.of(length + 1));
    Ok(Examples {
        texts: Tensor::indices_from_vec(sizes, vocab, words)?.one_hot(vocab.of(WORDS)),
        counts: Tensor::indices_from_vec(sizes, out, counts)?.one_hot(out.of(DIGITS + 2)),
    })
}

/// The mean loss of the third model over all positions of all texts.
#[must_use]
pub fn loss(model: &MicroGPT, examples: &Examples) -> Tensor<R![]> {
    CountLoss(&model.apply(&examples.texts), &examples.counts).mean((batch, seq))
}

/// What part of all positions of all texts the third model tells right.
#[must_use]
pub fn accuracy(model: &MicroGPT, examples: &Examples) -> Tensor<R![]> {
    IsRight(&model.apply(&examples.texts), &examples.counts).mean((batch, seq))
}

/// All texts of the data set: each way to write 30 digits in rising order with at most four kinds of them, 5456 in all.
#[must_use]
pub fn texts() -> Vec<Vec<usize>> {
    let splits = |left: usize| (0..=left).rev();
    let of = |[a, b, c, d]: [usize; 4]| [vec![1; a], vec![2; b], vec![3; c], vec![4; d]].concat();
    let pairs = splits(DIGITS).flat_map(|a| splits(DIGITS - a).map(move |b| (a, b)));
    let all = pairs.flat_map(|(a, b)| splits(DIGITS - a - b).map(move |c| [a, b, c, DIGITS - a - b - c]));
    all.map(of).collect()
}
