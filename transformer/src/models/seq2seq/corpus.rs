//! A small corpus of two languages: 200 French sentences with their English translations, written for this crate.
//!
//! Adjectives of colour follow their noun in French and precede it in English, "ne … pas" stands around the verb, and
//! objects precede it; so words change places, and sentences their lengths. Every fifth pair is held out.
//! Lives here: the pairs as ids of words, and batches of pairs of equal lengths. Not here: the model.

use crate::axes::{batch, seq, seq_, vocab};
use named_tensor::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The place of the word that ends a translation.
pub const STOP: usize = 0;

/// Sentences in ids: what is read, and what is to be said, the stop word included.
pub type Pair = (Vec<usize>, Vec<usize>);

/// Pairs of sentences, and all their words.
#[derive(Clone, Debug, PartialEq)]
pub struct Corpus {
    /// The words of both languages, the stop word first.
    pub words: Vec<String>,
    /// What is trained on.
    pub training: Vec<Pair>,
    /// What is not.
    pub held_out: Vec<Pair>,
}

/// Pairs of equal lengths, each word a 1 among zeros.
#[derive(Clone, Debug)]
pub struct Batch {
    /// What is read.
    pub x: Tensor<R![batch, seq, vocab]>,
    /// What is to be said.
    pub y: Tensor<R![batch, seq_, vocab]>,
}

impl Corpus {
    /// The corpus of this crate.
    ///
    /// # Errors
    /// None: its text is part of the program, and a test reads it.
    pub fn french_to_english() -> Result<Corpus, Error> {
        Corpus::read(include_str!("../../../data/french-english.txt"))
    }

    /// A corpus from text: one pair on each line, a tab between the sentences, blanks between words.
    ///
    /// # Errors
    /// A line without a tab or with an empty sentence: the number of the line and what it says.
    pub fn read(text: &str) -> Result<Corpus, Error> {
        let pairs = text.lines().enumerate().map(|(number, line)| {
            let wrong = || {
                let message =
                    format!("line {} of a corpus is not two sentences with a tab between: `{line}`", number + 1);
                Error::new(ErrorKind::File, message)
            };
            let (x, y) = line.split_once('\t').ok_or_else(wrong)?;
            if x.trim().is_empty() || y.trim().is_empty() { Err(wrong()) } else { Ok((x, y)) }
        });
        let pairs = pairs.collect::<Result<Vec<(&str, &str)>, Error>>()?;
        let found: BTreeSet<&str> =
            pairs.iter().flat_map(|(x, y)| [x, y]).flat_map(|text| text.split_whitespace()).collect();
        let words = std::iter::once("</s>").chain(found).map(str::to_owned).collect();
        let mut corpus = Corpus { words, training: Vec::new(), held_out: Vec::new() };
        let pair = |(x, y): &(&str, &str)| Ok((corpus.ids(x)?, [corpus.ids(y)?, vec![STOP]].concat()));
        let pairs = pairs.iter().map(pair).collect::<Result<Vec<Pair>, Error>>()?;
        let (held_out, training): (Vec<_>, Vec<_>) =
            pairs.into_iter().enumerate().partition(|(place, _)| place % 5 == 4);
        corpus.training = training.into_iter().map(|(_, pair)| pair).collect();
        corpus.held_out = held_out.into_iter().map(|(_, pair)| pair).collect();
        Ok(corpus)
    }

    /// A sentence as ids.
    ///
    /// # Errors
    /// A word that the corpus does not have, named; a sentence without words.
    pub fn ids(&self, sentence: &str) -> Result<Vec<usize>, Error> {
        let id = |word: &str| {
            let unknown = || Error::new(ErrorKind::Value, format!("the corpus does not have the word `{word}`"));
            self.words.iter().position(|other| other == word).ok_or_else(unknown)
        };
        let ids = sentence.split_whitespace().map(id).collect::<Result<Vec<usize>, Error>>()?;
        if ids.is_empty() { Err(Error::new(ErrorKind::Empty, "a sentence without words")) } else { Ok(ids) }
    }

    /// Ids as a sentence, without the stop word.
    #[must_use]
    pub fn sentence(&self, ids: &[usize]) -> String {
        let words = ids.iter().filter(|&&id| id != STOP).filter_map(|&id| self.words.get(id));
        words.map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// Pairs of equal lengths together, so that nothing is padded; shortest first.
    ///
    /// # Errors
    /// An empty sentence; none for pairs of this corpus.
    pub fn batches(&self, pairs: &[Pair]) -> Result<Vec<Batch>, Error> {
        if pairs.iter().any(|(x, y)| x.is_empty() || y.is_empty()) {
            return Err(Error::new(ErrorKind::Empty, "a sentence without words"));
        }
        let mut groups: BTreeMap<(usize, usize), (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        pairs.iter().for_each(|(x, y)| {
            let (xs, ys) = groups.entry((x.len(), y.len())).or_default();
            xs.extend(x);
            ys.extend(y);
        });
        let of = |((n, m), (xs, ys)): ((usize, usize), (Vec<usize>, Vec<usize>))| {
            let (examples, words) = (batch.of(xs.len() / n), vocab.of(self.words.len()));
            let x: Tensor<R![batch, seq], Index<vocab>> = Tensor::indices_from_vec((examples, seq.of(n)), vocab, xs)?;
            let y: Tensor<R![batch, seq_], Index<vocab>> = Tensor::indices_from_vec((examples, seq_.of(m)), vocab, ys)?;
            Ok(Batch { x: x.one_hot(words).eval()?, y: y.one_hot(words).eval()? })
        };
        groups.into_iter().map(of).collect()
    }
}
