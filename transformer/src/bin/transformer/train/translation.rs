//! The task `translation`: "je suis étudiant" becomes "i am a student", by the model of source 004 (row 4.22).
//!
//! Thirty sentences of the same two patterns are learnt, each with the stop word that decoding needs at its end. They
//! have two lengths in English, and those of one length are one batch. In the end each is decoded, word by word.

use named_tensor::prelude::*;
use transformer::axes::*;
use transformer::layer::{DecoderLayer, Layer};
use transformer::loss::SmoothedCrossEntropy;
use transformer::models::translation::{Reader, Translation, Writer};
use transformer::optimizer::Adam;
use transformer::schedule::warm_up;

use super::folder::Folder;
use super::task::Task;

/// Who, and what they are, in both languages.
const SUBJECTS: [(&str, &str); 5] =
    [("je suis", "i am"), ("tu es", "you are"), ("il est", "he is"), ("luc est", "luc is"), ("paul est", "paul is")];
const PREDICATES: [(&str, &str); 6] = [
    ("étudiant", "a student"),
    ("médecin", "a doctor"),
    ("artiste", "an artist"),
    ("ici", "here"),
    ("fatigué", "tired"),
    ("heureux", "happy"),
];
/// The word that ends a translation; it has the first place among all words.
const STOP: &str = "×";
/// At most so many words are said.
const MOST: usize = 8;
const CHANS: usize = 32;

/// Sentences of one length in each language: French and English with the stop word, one after the other.
struct Group {
    french: Vec<usize>,
    english: Vec<usize>,
    sentences: usize,
}

pub(crate) struct Toy {
    words: Vec<&'static str>,
    pairs: Vec<(Vec<usize>, Vec<usize>)>,
    groups: Vec<Group>,
}

impl Toy {
    pub(crate) fn new() -> Toy {
        let all = SUBJECTS.iter().chain(&PREDICATES).flat_map(|(french, english)| [french, english]);
        let mut words: Vec<&str> = all.flat_map(|text| text.split(' ')).collect();
        words.sort_unstable();
        words.dedup();
        words.insert(0, STOP);
        let ids = |texts: [&str; 2]| -> Vec<usize> {
            let said = texts.into_iter().flat_map(|text| text.split(' '));
            said.filter_map(|word| words.iter().position(|other| *other == word)).collect()
        };
        let pair = |subject: &(&str, &str), predicate: &(&str, &str)| {
            (ids([subject.0, predicate.0]), [ids([subject.1, predicate.1]), vec![0]].concat())
        };
        let of = |predicate| SUBJECTS.iter().map(move |subject| pair(subject, predicate));
        let pairs: Vec<(Vec<usize>, Vec<usize>)> = PREDICATES.iter().flat_map(of).collect();
        let groups = [5, 4].map(|length| {
            let chosen: Vec<_> = pairs.iter().filter(|(_, english)| english.len() == length).collect();
            let french = chosen.iter().flat_map(|(french, _)| french.clone()).collect();
            let english = chosen.iter().flat_map(|(_, english)| english.clone()).collect();
            Group { french, english, sentences: chosen.len() }
        });
        Toy { words, pairs, groups: groups.into() }
    }

    /// The summed loss of a group, a mean over its sentences (row 4.17), with a tenth of the target spread over all words.
    fn loss_of(&self, model: &Translation, group: &Group) -> Result<Tensor<R![]>, Error> {
        let Group { french, english, sentences } = group;
        let (examples, said) = (batch.of(*sentences), english.len() / sentences);
        let read: Tensor<R![batch, source], Index<vocab>> =
            Tensor::indices_from_vec((examples, source.of(french.len() / sentences)), vocab, french.clone())?;
        let right: Tensor<R![batch, seq], Index<vocab>> =
            Tensor::indices_from_vec((examples, seq.of(said)), vocab, english.clone())?;
        let open: Tensor<R![source]> = Tensor::zeros(source.of(read.size(source)));
        let scores = model.apply(&read, &right.slice(seq, ..said - 1), &open);
        Ok(SmoothedCrossEntropy(&scores, &right, &Tensor::scalar(0.1)).sum(seq).mean(batch))
    }

    /// The words said for a sentence: the best one at each place, up to the stop word (row 4.18).
    fn decoded(&self, model: &Translation, french: &[usize]) -> Result<Vec<usize>, Error> {
        let read: Tensor<R![source], Index<vocab>> =
            Tensor::indices_from_vec(source.of(french.len()), vocab, french.to_vec())?;
        let open: Tensor<R![source]> = Tensor::zeros(source.of(french.len()));
        let next = |said: &[usize]| -> Result<usize, Error> {
            let heard: Tensor<R![seq], Index<vocab>> =
                Tensor::indices_from_vec(seq.of(said.len()), vocab, said.to_vec())?;
            let scores = model.apply(&read, &heard, &open).at(seq, said.len()).to_vec(vocab)?;
            let best = scores.iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
            Ok(best.map_or(0, |(place, _)| place))
        };
        let mut said = Vec::new();
        while said.len() < MOST && said.last() != Some(&0) {
            said.push(next(&said)?);
        }
        Ok(said)
    }

    /// Words as a text, without the stop word.
    fn text(&self, ids: &[usize]) -> String {
        ids.iter().filter(|&&id| id != 0).map(|&id| self.words[id]).collect::<Vec<_>>().join(" ")
    }
}

impl Task for Toy {
    type Model = Translation;

    const NAME: &'static str = "translation";

    fn data(&self) -> String {
        format!("{} sentences", self.pairs.len())
    }

    fn equations(&self) -> Vec<&'static str> {
        vec![Layer::EQUATION, DecoderLayer::EQUATION, Reader::EQUATION, Writer::EQUATION, Translation::EQUATION]
    }

    fn model(&self, seed: u64) -> Result<Translation, Error> {
        let words = (vocab.of(self.words.len()), layers.of(2), chans.of(CHANS));
        let sizes = (words.0, words.1, words.2, heads.of(4), key.of(8), val.of(8), hidden.of(2 * CHANS));
        Translation::init(&mut seeded(seed), sizes)?.as_printed()
    }

    /// With the second mean that its paper has for the rates of `warm_up`.
    fn optimizer(&self, model: &Translation) -> Adam<Translation> {
        Adam { beta2: 0.98, ..Adam::new(model) }
    }

    fn examples(&self) -> (usize, usize) {
        (self.groups.len(), 1)
    }

    fn tokens(&self) -> f64 {
        self.pairs.iter().map(|(_, english)| english.len()).sum::<usize>() as f64 / self.groups.len() as f64
    }

    fn steps(&self) -> u64 {
        400
    }

    fn rate(&self, step: u64, _: u64) -> f64 {
        0.3 * warm_up(step, CHANS, 100)
    }

    fn loss(&self, model: &Translation, batch: &[usize], _: u64) -> Tensor<R![]> {
        let missing = || Tensor::failed(Error::new(ErrorKind::Empty, "a batch without sentences"));
        let loss = |&place: &usize| self.loss_of(model, &self.groups[place]).unwrap_or_else(Tensor::failed);
        batch.first().map_or_else(missing, loss)
    }

    fn report(&self, model: &Translation, _: &Folder) -> Result<String, Error> {
        let said = self.pairs.iter().map(|(french, _)| self.decoded(model, french));
        let said = said.collect::<Result<Vec<_>, Error>>()?;
        let right = self.pairs.iter().zip(&said).filter(|((_, english), said)| english == *said).count();
        let shown = self.pairs.iter().zip(&said).step_by(7);
        let lines: String =
            shown.map(|((french, _), said)| format!("{} -> {}\n", self.text(french), self.text(said))).collect();
        Ok(format!("{lines}Right: {right} of {} sentences", self.pairs.len()))
    }
}
