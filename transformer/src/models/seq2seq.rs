//! Translation by recurrent networks that align: the first attention; rows 3.1–3.6.
//!
//! An encoder reads a sentence and leaves a state at each word. The decoder looks at all of them before each word it says:
//! its last state is the query, and the weights are an alignment. One run serves training and translating, since what the
//! decoder hears back is either the right word (teacher forcing) or the one it has said.
//! Not here: the corpus (`corpus`), the cells (`recurrent`), the scores (`alignment`).

pub mod corpus;

use crate::alignment::Additive;
use crate::axes::{batch, chans, hidden, key, query, seq, seq_, state, state_, val, vocab};
use crate::recurrent::Cell;
use corpus::{Batch, Corpus};
use named_tensor::axes::set::Union;
use named_tensor::params::{self, Init, Parameter, ParameterMut, Path, visit_nested, visit_nested_mut};
use named_tensor::prelude::*;

named! {
    /// A word, a 1 among zeros, as features; no word at all is 0.
    pub fn Word(Y: R[vocab]; E: R[vocab, chans] ~ normal(0, 1)) -> R[chans] {
        Y dot_vocab E
    }

    /// How much each word of the sentence counts for the next word: softmax_j a(s_{i-1}, h_j) (row 3.3).
    pub fn Alignment(S: R[state], H: R[seq, state]; a: Additive) -> R[seq] {
        softmax_seq(a(S_{state -> query}, H_{state -> key}))
    }

    /// The states of the sentence as the alignment weighs them: c_i (row 3.2).
    pub fn Context(α: R[seq], H: R[seq, state]) -> R[val] {
        α dot_seq H_{state -> val}
    }

    /// What the decoder's cell is told: the last word, and the context.
    pub fn Heard(Y: R[chans], C: R[val]; W: R[val, chans]) -> R[chans] {
        Y + C dot_val W
    }

    /// What is said, from the last word, the new state and the context: the g of row 3.1, as logits.
    pub fn Said(Y: R[chans], S: R[state], C: R[val]; W_Y: R[chans, vocab], W_S: R[state, vocab], W_C: R[val, vocab],
                b: R[vocab] = 0) -> R[vocab] {
        Y dot_chans W_Y + S dot_state W_S + C dot_val W_C + b
    }

    /// What the decoder hears as its last word: the right one where F is 1, and where F is 0 its own (row 3.5).
    pub fn Forced(Y: R[vocab], Z: R[vocab], F: R[]) -> R[vocab] {
        F * Y + (1 - F) * argmax_vocab(Z)
    }

    /// -log of the share that the right word Y has among all (row 4.17).
    pub fn WordLoss(Z: R[vocab], Y: R[vocab]) -> R[] {
        -(Y dot_vocab log_softmax_vocab(Z))
    }
}

/// The parameters, for cells `C`: `GRU` or `Elman`.
#[derive(Clone, Debug)]
pub struct Seq2Seq<C, T: Real = f32> {
    /// Words as the encoder reads them.
    pub reads: Word<T>,
    /// The encoder's cell.
    pub encoder: C,
    /// Words as the decoder hears them.
    pub hears: Word<T>,
    /// How the decoder's state looks at the encoder's.
    pub alignment: Alignment<T>,
    /// How the context enters the decoder.
    pub heard: Heard<T>,
    /// The decoder's cell.
    pub decoder: C,
    /// How a word is chosen.
    pub said: Said<T>,
}

impl<C: Parameters<f32>> Seq2Seq<C> {
    /// A model before training, for so many words, with so many features of a word and of a state.
    ///
    /// # Errors
    /// A size that does not fit in memory.
    pub fn drawn(seed: u64, words: usize, features: usize, size: usize) -> Result<Self, Error> {
        let states = (state.of(size), state_.of(size), query.of(size), key.of(size), val.of(size));
        let (s, s_, q, k, v) = states;
        params::init(&mut seeded(seed), (vocab.of(words), chans.of(features), hidden.of(size), s, s_, q, k, v))
    }
}

/// Logits and alignment of one sentence `x`, while the words `y` are forced where `f` is 1.
///
/// Rows 3.1 to 3.3: `α = softmax(a(s, h)); c = α ⊙ h; s = f(s, y, c); z = g(y, s, c)`, beginning with the state 0 and with
/// no word, so that whatever is known of the sentence has come through the alignment.
#[allow(clippy::type_complexity, reason = "two tensors")]
fn run<T: Real, C: Cell<T>>(
    model: &Seq2Seq<C, T>,
    x: &Tensor<R![seq, vocab], T>,
    y: &Tensor<R![seq_, vocab], T>,
    f: &Tensor<R![seq_], T>,
) -> (Tensor<R![seq_, vocab], T>, Tensor<R![seq, seq_], T>) {
    let (_, h) = scan(seq, model.encoder.start(), &model.reads.apply(x), |h, x| {
        let h = model.encoder.next(&h, &x);
        (h.clone(), h)
    });
    let silence: Tensor<R![vocab], T> = Tensor::zeros(vocab.of(y.size(vocab)));
    let (_, (z, α)) = scan(seq_, (model.decoder.start(), silence), (y, f), |(s, said), (y, f)| {
        let α = model.alignment.apply(&s, &h);
        let c = Context(&α, &h);
        let word = model.hears.apply(&said);
        let s = model.decoder.next(&s, &model.heard.apply(&word, &c));
        let z = model.said.apply(&word, &s, &c);
        ((s, Forced(&y, &z, &f)), (z, α))
    });
    (z, α)
}

/// The logits of each word of the translation; see [`Forced()`] for `y` and `f`.
#[lift]
pub fn logits<T: Real, C: Cell<T>>(
    model: &Seq2Seq<C, T>,
    x: &Tensor<R![seq, vocab], T>,
    y: &Tensor<R![seq_, vocab], T>,
    f: &Tensor<R![seq_], T>,
) -> Tensor<R![seq_, vocab], T> {
    run(model, x, y, f).0
}

/// The alignment α_ij of each word seq′ of the translation with each word seq of the sentence (row 3.6).
#[lift]
pub fn alignment<T: Real, C: Cell<T>>(
    model: &Seq2Seq<C, T>,
    x: &Tensor<R![seq, vocab], T>,
    y: &Tensor<R![seq_, vocab], T>,
    f: &Tensor<R![seq_], T>,
) -> Tensor<R![seq, seq_], T> {
    run(model, x, y, f).1
}

/// The mean loss over all words of all sentences of a batch; `forced` is the part of words that are forced (row 3.5).
#[must_use]
pub fn loss<C: Cell<f32>>(model: &Seq2Seq<C>, batch_: &Batch, forced: f64, seed: u64) -> Tensor<R![]> {
    let sizes = (batch.of(batch_.y.size(batch)), seq_.of(batch_.y.size(seq_)));
    let drawn: Tensor<R![batch, seq_]> = Tensor::uniform(&mut seeded(seed), sizes, 0.0, 1.0);
    let f = drawn.lt(forced as f32).real();
    WordLoss(&logits(model, &batch_.x, &batch_.y, &f), &batch_.y).mean((batch, seq_))
}

/// A translation, word by word, with what was looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation {
    /// The words of the sentence.
    pub sentence: Vec<String>,
    /// The words that are said, without the stop word.
    pub words: Vec<String>,
    /// How much each of them is aligned with each word of the sentence: one row for each word said.
    pub alignment: Vec<Vec<f32>>,
}

/// The translation of a sentence, the best word at each place, up to the stop word or `most` words.
///
/// # Errors
/// A word that the corpus does not have, named; a sentence without words.
pub fn translate<C: Cell<f32>>(
    model: &Seq2Seq<C>,
    corpus: &Corpus,
    sentence: &str,
    most: usize,
) -> Result<Translation, Error> {
    let read = corpus.ids(sentence)?;
    let (words, x) = (corpus.words.len(), Tensor::indices_from_vec(seq.of(read.len()), vocab, read)?);
    let x: Tensor<R![seq, vocab]> = x.one_hot(vocab.of(words));
    let (y, f) = (Tensor::zeros((seq_.of(most), vocab.of(words))), Tensor::zeros(seq_.of(most)));
    let (z, α) = run(model, &x, &y, &f);
    let places: Tensor<R![vocab]> = Tensor::positions(vocab.of(words)).real();
    let said = z.argmax(vocab).dot(vocab, &places);
    eval(&[&said, &α])?;
    let said = said.to_vec(seq_)?.into_iter().map(|place| place as usize).take_while(|&place| place != corpus::STOP);
    let words: Vec<String> = said.map(|place| corpus.words[place].clone()).collect();
    let rows = α.to_vec((seq_, seq))?;
    let alignment = rows.chunks(x.size(seq)).take(words.len()).map(<[f32]>::to_vec).collect();
    Ok(Translation { sentence: sentence.split_whitespace().map(str::to_owned).collect(), words, alignment })
}

impl<C: Parameters<T>, T: Real> Parameters<T> for Seq2Seq<C, T> {
    type Axes = Union<C::Axes, R![chans, hidden, key, query, state, val, vocab]>;
    type Of<U: Real> = Seq2Seq<C::Of<U>, U>;

    fn visit(&self, path: &mut Path, visitor: &mut dyn FnMut(Parameter<'_, T>)) {
        visit_nested(path, "reads", &self.reads, visitor);
        visit_nested(path, "encoder", &self.encoder, visitor);
        visit_nested(path, "hears", &self.hears, visitor);
        visit_nested(path, "alignment", &self.alignment, visitor);
        visit_nested(path, "heard", &self.heard, visitor);
        visit_nested(path, "decoder", &self.decoder, visitor);
        visit_nested(path, "said", &self.said, visitor);
    }

    fn visit_mut(&mut self, path: &mut Path, visitor: &mut dyn FnMut(ParameterMut<'_, T>)) {
        visit_nested_mut(path, "reads", &mut self.reads, visitor);
        visit_nested_mut(path, "encoder", &mut self.encoder, visitor);
        visit_nested_mut(path, "hears", &mut self.hears, visitor);
        visit_nested_mut(path, "alignment", &mut self.alignment, visitor);
        visit_nested_mut(path, "heard", &mut self.heard, visitor);
        visit_nested_mut(path, "decoder", &mut self.decoder, visitor);
        visit_nested_mut(path, "said", &mut self.said, visitor);
    }

    fn init_from(init: &mut Init<'_>) -> Result<Self, Error> {
        Ok(Seq2Seq {
            reads: init.nested("reads")?,
            encoder: init.nested("encoder")?,
            hears: init.nested("hears")?,
            alignment: init.nested("alignment")?,
            heard: init.nested("heard")?,
            decoder: init.nested("decoder")?,
            said: init.nested("said")?,
        })
    }

    fn cast<U: Real>(&self) -> Self::Of<U> {
        Seq2Seq {
            reads: self.reads.cast(),
            encoder: self.encoder.cast(),
            hears: self.hears.cast(),
            alignment: self.alignment.cast(),
            heard: self.heard.cast(),
            decoder: self.decoder.cast(),
            said: self.said.cast(),
        }
    }
}
