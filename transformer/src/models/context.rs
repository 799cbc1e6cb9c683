//! Reading a text piece by piece: what a causal model keeps of the words it has read; rows 2.16–2.18, 4.18–4.21.
//!
//! New words look at themselves and at all words before them, of which only keys and values are needed. So a layer takes
//! the keys and values of the context and gives them back with those of the new words after them; to read a whole text
//! is the case of an empty context. Several texts of different lengths are read side by side: the shorter ones are filled
//! up with words that nobody sees.
//! Lives here: what each model offers, and reading by it. Not here: the equations of a layer (`gpt2`, `llama`).

#![allow(non_snake_case, reason = "the letters of the equations")]

use super::refused;
use crate::axes::{batch, chans, heads, key, places, seq, seq_, val, vocab};
use crate::mask::{ContextMask, PlacedMask};
use named_tensor::lift::Lift;
use named_tensor::prelude::*;

/// Keys and values of the words of one text, in one layer.
#[derive(Clone, Debug)]
pub struct Kept<K: Axes = R![seq, heads, key], V: Axes = R![seq, heads, val]> {
    /// What later words compare their queries with.
    pub K: Tensor<K>,
    /// What they draw from these words.
    pub V: Tensor<V>,
}

/// Keys and values of several texts in one layer.
pub type KeptOfTexts = Kept<R![batch, seq, heads, key], R![batch, seq, heads, val]>;

/// What a model keeps of a text that it has read. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Context {
    /// Keys and values in each layer.
    pub layers: Vec<Kept>,
}

impl Context {
    /// How many words have been read.
    #[must_use]
    pub fn words(&self) -> usize {
        self.layers.first().map_or(0, |kept| kept.K.size(seq))
    }
}

/// What a model keeps of several texts that it reads side by side.
#[derive(Clone, Debug)]
pub struct Contexts {
    /// Keys and values in each layer.
    pub layers: Vec<KeptOfTexts>,
    /// The position of each word in its text; infinite for those that fill up a text, so that nobody sees them.
    places: Vec<Vec<f32>>,
}

/// The sizes that reading asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// How many words a text may have.
    pub positions: usize,
    /// How many words there are to choose from.
    pub words: usize,
    /// Layers.
    pub layers: usize,
    /// Heads of keys and values.
    pub heads: usize,
    /// Features of a key.
    pub key: usize,
    /// Features of a value.
    pub val: usize,
}

/// The features of new words after the last layer.
pub type Features = Tensor<R![seq_, chans]>;

/// What a layer gives: features of the new words, keys and values of all words.
pub type Extended<T> = (Tensor<R![seq_, chans], T>, Tensor<R![seq, heads, key], T>, Tensor<R![seq, heads, val], T>);

/// A causal model that reads new words after a context.
pub trait Reads {
    /// Its sizes.
    fn sizes(&self) -> Sizes;

    /// The layers for the words I at the positions p, which under the mask M see the context and each other. Nothing is
    /// computed yet, so it may be differentiated.
    fn read(
        &self,
        words: &Tensor<R![seq_], Index<vocab>>,
        at: &Tensor<R![seq_], Index<places>>,
        mask: &Tensor<R![seq, seq_]>,
        context: &[Kept],
    ) -> (Features, Vec<Kept>);

    /// The scores of the word that follows each of the new words.
    fn logits(&self, features: &Features) -> Tensor<R![seq_, vocab]>;

    /// The context before the first word.
    fn start(&self) -> Context {
        let Sizes { heads: h, key: k, val: v, layers, .. } = self.sizes();
        let K = Tensor::zeros((seq.of(0), heads.of(h), key.of(k)));
        let V = Tensor::zeros((seq.of(0), heads.of(h), val.of(v)));
        Context { layers: vec![Kept { K, V }; layers] }
    }

    /// The context of several texts before their first words.
    fn start_texts(&self, texts: usize) -> Contexts {
        let Sizes { heads: h, key: k, val: v, layers, .. } = self.sizes();
        let K = Tensor::zeros((batch.of(texts), seq.of(0), heads.of(h), key.of(k)));
        let V = Tensor::zeros((batch.of(texts), seq.of(0), heads.of(h), val.of(v)));
        Contexts { layers: vec![Kept { K, V }; layers], places: vec![Vec::new(); texts] }
    }

    /// Reads words: the features of each, computed, and the context with them.
    ///
    /// # Errors
    /// No words; a word outside of the vocabulary; more words than there are positions.
    fn features(&self, words: &[usize], context: &Context) -> Result<(Features, Context), Error> {
        let (x, layers) = reading(self, words, context)?;
        let (x, layers) = computed(x, &layers)?;
        Ok((x, Context { layers }))
    }

    /// Reads words: the scores of the word that follows each of them, and the context with them.
    ///
    /// # Errors
    /// As [`features`](Reads::features).
    fn extend(
        &self,
        words: &Tensor<R![seq], Index<vocab>>,
        context: &Context,
    ) -> Result<(Tensor<R![seq, vocab]>, Context), Error> {
        let (x, context) = self.features(&words.to_vec(seq)?, context)?;
        Ok((self.logits(&x).rename(seq_, seq).eval()?, context))
    }

    /// Reads words: the scores of the word that follows the last of them alone, and the context with them.
    ///
    /// # Errors
    /// As [`features`](Reads::features).
    fn next(&self, words: &[usize], context: &Context) -> Result<(Tensor<R![vocab]>, Context), Error> {
        let (x, layers) = reading(self, words, context)?;
        // Nothing is computed yet: of the last layer only this word will be, beside keys and values.
        let last = x.slice(seq_, words.len() - 1..);
        let (logits, layers) = computed(self.logits(&last).at(seq_, 0), &layers)?;
        Ok((logits, Context { layers }))
    }

    /// Reads words of several texts side by side, of each text its own number: the scores after each word, and the
    /// contexts with them. What stands after the last word of a shorter text means nothing.
    ///
    /// # Errors
    /// As [`features`](Reads::features); another number of texts than there are contexts.
    fn extend_texts(
        &self,
        texts: &[Vec<usize>],
        contexts: &Contexts,
    ) -> Result<(Tensor<R![batch, seq, vocab]>, Contexts), Error> {
        if texts.len() != contexts.places.len() {
            let message = format!("{} texts cannot go on after {} contexts", texts.len(), contexts.places.len());
            return Err(Error::here(ErrorKind::SizeClash, message));
        }
        let read = |places: &Vec<f32>| places.iter().filter(|place| place.is_finite()).count();
        let before: Vec<usize> = contexts.places.iter().map(read).collect();
        let Sizes { words: known, positions, .. } = self.sizes();
        texts.iter().zip(&before).try_for_each(|(words, &before)| refused(words, before, known, positions))?;
        let (b, n) = (texts.len(), texts.iter().map(Vec::len).max().unwrap_or(0));

        let filled = |words: &Vec<usize>| words.iter().copied().chain(vec![0; n - words.len()]).collect::<Vec<_>>();
        let ids = texts.iter().flat_map(filled).collect();
        let new = |(words, &before): (&Vec<usize>, &usize)| -> Vec<f32> {
            (0..n).map(|i| if i < words.len() { (before + i) as f32 } else { f32::INFINITY }).collect()
        };
        let new: Vec<Vec<f32>> = texts.iter().zip(&before).map(new).collect();
        let places_of = contexts.places.iter().zip(&new).map(|(old, new)| [&old[..], new].concat());
        let all: Vec<Vec<f32>> = places_of.collect();
        // A word that fills up a text stands somewhere; where does not matter.
        let at = new.concat().into_iter().map(|p| if p.is_finite() { p as usize } else { 0 }).collect();

        let q = Tensor::from_vec((batch.of(b), seq_.of(n)), new.concat())?;
        let p = Tensor::from_vec((batch.of(b), seq.of(all.first().map_or(0, Vec::len))), all.concat())?;
        let ids: Tensor<R![batch, seq_], _> = Tensor::indices_from_vec((batch.of(b), seq_.of(n)), vocab, ids)?;
        let at: Tensor<R![batch, seq_], _> = Tensor::indices_from_vec((batch.of(b), seq_.of(n)), places, at)?;

        // The equations speak of one text; several are the same under one more axis.
        let mut lift = Lift::new("extend_texts");
        let (ids, at) = (lift.enter::<_, R![seq_], _>(&ids), lift.enter::<_, R![seq_], _>(&at));
        let mask = lift.enter::<_, R![seq, seq_], _>(&PlacedMask(&p, &q));
        let inside = |kept: &KeptOfTexts| Kept { K: lift.enter(&kept.K), V: lift.enter(&kept.V) };
        let inside: Vec<Kept> = contexts.layers.iter().map(inside).collect();
        let (x, layers) = self.read(&ids, &at, &mask, &inside);
        let outside = |kept: &Kept| Kept { K: lift.exit(kept.K.clone()), V: lift.exit(kept.V.clone()) };
        let layers: Vec<KeptOfTexts> = layers.iter().map(outside).collect();
        let logits: Tensor<R![batch, seq_, vocab]> = lift.exit(self.logits(&x));
        let (logits, layers) = computed(logits, &layers)?;
        Ok((logits.rename(seq_, seq), Contexts { layers, places: all }))
    }
}

/// The features of words after a context, and the context with them, not computed yet.
fn reading(model: &(impl Reads + ?Sized), words: &[usize], context: &Context) -> Result<(Features, Vec<Kept>), Error> {
    let (before, n) = (context.words(), words.len());
    refused(words, before, model.sizes().words, model.sizes().positions)?;
    let ids = Tensor::indices_from_vec(seq_.of(n), vocab, words.to_vec())?;
    let at = Tensor::indices_from_vec(seq_.of(n), places, (before..before + n).collect())?;
    let mask = ContextMask(&Tensor::<_, f32>::zeros(seq.of(before + n)), &Tensor::zeros(seq_.of(n)));
    Ok(model.read(&ids, &at, &mask, &context.layers))
}

/// A tensor, keys and values, all computed at once, and how they were made forgotten.
fn computed<A: Axes, K: Axes, V: Axes>(
    x: Tensor<A>,
    layers: &[Kept<K, V>],
) -> Result<(Tensor<A>, Vec<Kept<K, V>>), Error> {
    let (keys, values) = layers.iter().map(|kept| (kept.K.clone(), kept.V.clone())).unzip();
    let Together((x, keys, values)): Together<(_, Vec<_>, Vec<_>)> = Together((x, keys, values)).eval()?;
    Ok((x, keys.into_iter().zip(values).map(|(K, V)| Kept { K, V }).collect()))
}
