//! The task `alignment`: French to English by recurrent networks that align (rows 3.1–3.6).
//!
//! Four fifths of the corpus are learnt, the rest is translated in the end; the alignment of one sentence is drawn.

use named_tensor::prelude::*;
use transformer::alignment::Additive;
use transformer::models::seq2seq::corpus::{Batch, Corpus, Pair};
use transformer::models::seq2seq::{Alignment, Context, Heard, Said, Seq2Seq, Word, WordLoss, loss, translate};
use transformer::picture::heat_map;
use transformer::recurrent::GRU;
use transformer::schedule::cosine;

use super::folder::Folder;
use super::task::Task;

/// What part of the words is forced (row 3.5).
const FORCED: f64 = 0.9;
/// At most so many words are said.
const MOST: usize = 12;
/// The sentence whose alignment is drawn.
const SHOWN: &str = "le petit chat noir ne dort pas";

pub(crate) struct Aligned {
    corpus: Corpus,
    batches: Vec<Batch>,
}

impl Aligned {
    /// The corpus of the library.
    pub(crate) fn new() -> Result<Aligned, Error> {
        let corpus = Corpus::french_to_english()?;
        let batches = corpus.batches(&corpus.training)?;
        Ok(Aligned { corpus, batches })
    }

    /// How many sentences are translated word for word as the corpus has them.
    fn right(&self, model: &Seq2Seq<GRU>, pairs: &[Pair]) -> Result<usize, Error> {
        let right = pairs.iter().map(|(x, y)| {
            let found = translate(model, &self.corpus, &self.corpus.sentence(x), MOST)?;
            Ok(usize::from(found.words.join(" ") == self.corpus.sentence(y)))
        });
        right.sum()
    }
}

impl Task for Aligned {
    type Model = Seq2Seq<GRU>;

    const NAME: &'static str = "alignment";

    fn data(&self) -> String {
        format!("{} sentences", self.corpus.training.len())
    }

    fn equations(&self) -> Vec<&'static str> {
        vec![
            Word::EQUATION,
            GRU::EQUATION,
            Additive::EQUATION,
            Alignment::EQUATION,
            Context::EQUATION,
            Heard::EQUATION,
            Said::EQUATION,
            WordLoss::EQUATION,
        ]
    }

    fn model(&self, seed: u64) -> Result<Seq2Seq<GRU>, Error> {
        Seq2Seq::drawn(seed, self.corpus.words.len(), 32, 64)
    }

    /// A group of sentences of equal lengths is one example, and a batch by itself.
    fn examples(&self) -> (usize, usize) {
        (self.batches.len(), 1)
    }

    fn tokens(&self) -> f64 {
        let words: usize = self.corpus.training.iter().map(|(_, said)| said.len()).sum();
        words as f64 / self.batches.len() as f64
    }

    fn steps(&self) -> u64 {
        60 * self.batches.len() as u64
    }

    fn rate(&self, step: u64, last: u64) -> f64 {
        cosine(step, 10, last, 0.01, 0.0)
    }

    fn longest(&self) -> Option<f64> {
        Some(1.0)
    }

    fn loss(&self, model: &Seq2Seq<GRU>, batch: &[usize], seed: u64) -> Tensor<R![]> {
        let missing = || Tensor::failed(Error::new(ErrorKind::Empty, "a batch without sentences"));
        batch.first().map_or_else(missing, |&place| loss(model, &self.batches[place], FORCED, seed))
    }

    fn report(&self, model: &Seq2Seq<GRU>, folder: &Folder) -> Result<String, Error> {
        let found = translate(model, &self.corpus, SHOWN, MOST)?;
        let [said, read] =
            [&found.words, &found.sentence].map(|words| words.iter().map(String::as_str).collect::<Vec<_>>());
        folder.write("alignment.svg", &heat_map("Alignment", &said, &read, &found.alignment))?;
        let (learnt, held_out) = (&self.corpus.training, &self.corpus.held_out);
        Ok(format!(
            "{SHOWN} -> {}\nRight: {} of {} sentences that were learnt, {} of {} that were not",
            said.join(" "),
            self.right(model, learnt)?,
            learnt.len(),
            self.right(model, held_out)?,
            held_out.len()
        ))
    }
}
