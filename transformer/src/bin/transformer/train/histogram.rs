//! The task `histogram`: how often each digit occurs in its text, learnt by the micro GPT of the practical (row 3.21).
//!
//! All 5456 texts of the data set are learnt; in the end they are told again, and the learnt attention is drawn beside
//! the one that is made by hand.

use named_tensor::prelude::*;
use transformer::attention::Attention;
use transformer::axes::*;
use transformer::feed_forward::{FFN, Linear};
use transformer::models::practical::{
    BareAttention, BareWeights, CountLoss, DIGITS, MicroGPT, accuracy, counts, examples, histogram, loss, micro, text,
    texts,
};
use transformer::optimizer::Adam;
use transformer::picture::heat_maps;
use transformer::schedule::cosine;

use super::folder::Folder;
use super::task::Task;

/// Texts in a batch: fewer than the practical's 128, since more steps of fewer texts need less time to the last count.
const BATCH: usize = 32;
/// A text whose attention is drawn.
const SHOWN: [usize; 9] = [1, 3, 2, 1, 4, 2, 3, 1, 1];
/// A text whose counts are told: as long as those that are learnt, but in no order.
const TOLD: [usize; DIGITS] =
    [3, 1, 4, 1, 2, 3, 2, 1, 1, 3, 2, 1, 4, 3, 2, 1, 2, 1, 3, 1, 2, 2, 1, 4, 1, 3, 1, 2, 1, 2];

pub(crate) struct Histogram {
    texts: Vec<Vec<usize>>,
}

impl Histogram {
    pub(crate) fn new() -> Histogram {
        Histogram { texts: texts() }
    }

    /// How many counts of all texts are told right, and how many there are.
    fn right(&self, model: &MicroGPT) -> Result<(f64, usize), Error> {
        let counts = |texts: &[Vec<usize>]| texts.iter().map(|text| text.len() + 1).sum::<usize>();
        let right = self.texts.chunks(1024).map(|chunk| {
            let accuracy = accuracy(model, &examples(chunk)?).item()?;
            Ok(f64::from(accuracy) * counts(chunk) as f64)
        });
        Ok((right.sum::<Result<f64, Error>>()?.round(), counts(&self.texts)))
    }
}

/// What the model says of a text, count by count.
fn told(model: &MicroGPT, digits: &[usize]) -> Result<Vec<usize>, Error> {
    let logits = model.apply(&text(digits)?);
    let places: Tensor<R![out]> = Tensor::positions(out.of(logits.size(out))).real();
    Ok(logits.argmax(out).dot(out, &places).to_vec(seq)?.into_iter().map(|count| count as usize).collect())
}

/// The attention of the model that is made by hand and of the learnt one to one text.
fn drawn(model: &MicroGPT, digits: &[usize]) -> Result<String, Error> {
    let (by_hand, text) = (histogram(), text(digits)?);
    let words: Vec<String> = std::iter::once("^".to_owned()).chain(digits.iter().map(usize::to_string)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let rows = |weights: Tensor<R![seq, seq_]>| {
        Ok::<_, Error>(weights.to_vec((seq_, seq))?.chunks(words.len()).map(<[f32]>::to_vec).collect::<Vec<_>>())
    };
    let hand = rows(BareWeights(&text.dot(vocab, &by_hand.E), &by_hand.att.W_Q, &by_hand.att.W_K))?;
    let learnt = rows(BareWeights(&text.dot(vocab, &model.E), &model.att.W_Q, &model.att.W_K))?;
    Ok(heat_maps(&["made by hand", "learnt"], &words, &words, &[&hand, &learnt]))
}

impl Task for Histogram {
    type Model = MicroGPT;

    const NAME: &'static str = "histogram";

    fn data(&self) -> String {
        format!("{} texts", self.texts.len())
    }

    fn equations(&self) -> Vec<&'static str> {
        vec![
            Attention::EQUATION,
            BareAttention::EQUATION,
            FFN::EQUATION,
            Linear::EQUATION,
            MicroGPT::EQUATION,
            CountLoss::EQUATION,
        ]
    }

    fn model(&self, seed: u64) -> Result<MicroGPT, Error> {
        micro(seed)
    }

    /// A mean of squares over a hundred steps: with a thousand, a few counts stay wrong.
    fn optimizer(&self, model: &MicroGPT) -> Adam<MicroGPT> {
        Adam { beta2: 0.99, ..Adam::new(model) }
    }

    fn examples(&self) -> (usize, usize) {
        (self.texts.len(), BATCH)
    }

    fn tokens(&self) -> f64 {
        self.texts.first().map_or(0.0, |text| text.len() as f64 + 1.0)
    }

    fn steps(&self) -> u64 {
        4500
    }

    fn rate(&self, step: u64, last: u64) -> f64 {
        cosine(step, last / 40, last, 0.01, 1e-5)
    }

    fn loss(&self, model: &MicroGPT, batch: &[usize], _: u64) -> Tensor<R![]> {
        let chosen: Vec<Vec<usize>> = batch.iter().map(|&place| self.texts[place].clone()).collect();
        examples(&chosen).map_or_else(Tensor::failed, |examples| loss(model, &examples))
    }

    fn report(&self, model: &MicroGPT, folder: &Folder) -> Result<String, Error> {
        let (right, all) = self.right(model)?;
        folder.write("attention.svg", &drawn(model, &SHOWN)?)?;
        let spoken =
            |numbers: &[usize]| numbers.iter().map(|number| format!("{number:2}")).collect::<Vec<_>>().join(" ");
        let (found, wanted) = (told(model, &TOLD)?, counts(&TOLD));
        Ok(format!(
            "Right: {right} of {all} counts, {:.2} %\n\ntext   {}\ntold   {}\nright  {}\n",
            100.0 * right / all as f64,
            spoken(&TOLD),
            spoken(&found[1..]),
            spoken(&wanted[1..])
        ))
    }
}
