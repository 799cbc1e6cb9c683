//! A context that is kept: to read on is to have read the whole text.

use named_tensor::prelude::*;
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::Grid;
use named_tensor_tests::reference::rearrangement::at;
use named_tensor_tests::strategies::cases;
use proptest::prelude::*;
use transformer::axes::{batch, heads, key, seq, seq_, vocab};
use transformer::generate::sample::Sampling;
use transformer::generate::stream::words;
use transformer::generate::{Continues, Limits};

use super::model::Model;

/// Logits of some ten features of size 1, after two layers that standardise, in `f32`. What a wrong mask changes is
/// some hundred times as large.
const CLOSE: Bound = Bound::absolute(2e-4);

const WORDS: usize = 7;
const PLACES: usize = 12;

fn model() -> impl Strategy<Value = Model> {
    (any::<u64>(), 1_usize..3, 1_usize..3, 2_usize..4)
        .prop_map(|(seed, n, h, k)| Model::drawn(seed, WORDS, PLACES, [n, h, k]))
}

fn text(longest: usize) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..WORDS, 1..=longest)
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Model")
    }
}

fn greedy(model: &Model, prompt: &[usize], longest: usize) -> Vec<usize> {
    let limits = Limits { longest, ..Limits::default() };
    words(model, prompt, Sampling::GREEDY, limits, seeded(0)).unwrap().map(Result::unwrap).collect()
}

/// The most probable next word of a text, by plain code, and by how much it leads.
fn best(model: &Model, text: &[usize]) -> (usize, f64) {
    let last = at(&model.plainly(text), 0, text.len() - 1).values;
    let mut order: Vec<usize> = (0..last.len()).collect();
    order.sort_by(|&a, &b| last[b].total_cmp(&last[a]));
    (order[0], last[order[0]] - last[order[1]])
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn s2_16_reading_a_context_gives_the_logits_of_the_plain_model(model in model(), text in text(PLACES)) {
        let (logits, kept) = model.read(&[&text], &[0], &model.nothing(1)).unwrap();
        assert_close(&logits.at(batch, 0).to_vec((seq_, vocab)).unwrap(), &model.plainly(&text), CLOSE);
        prop_assert_eq!(kept[0].0.size(seq), text.len());
    }

    #[test]
    fn s2_18_s4_21_a_text_read_in_any_pieces_is_the_text_read_at_once(
        model in model(), text in text(PLACES), cuts in prop::collection::vec(1_usize..5, 12),
    ) {
        let expected = model.plainly(&text);
        let (mut context, mut from) = (model.nothing(1), 0);
        for cut in cuts {
            let to = text.len().min(from + cut);
            if from < to {
                let (logits, longer) = model.read(&[&text[from..to]], &[0], &context).unwrap();
                let rows = Grid::from_fn(&[to - from, WORDS], |at| expected.get(&[from + at[0], at[1]]));
                assert_close(&logits.at(batch, 0).to_vec((seq_, vocab)).unwrap(), &rows, CLOSE);
                (context, from) = (longer, to);
            }
        }
    }

    #[test]
    fn s2_17_s2_18_texts_of_different_lengths_in_one_batch_are_what_each_is_alone(
        model in model(), texts in prop::collection::vec(text(6), 1..4), more in prop::collection::vec(0..WORDS, 3 * 4),
    ) {
        let longest = texts.iter().map(Vec::len).max().unwrap_or(0);
        let filled: Vec<usize> = texts.iter().map(|text| longest - text.len()).collect();
        // Any word may stand before a text: it is not seen.
        let padded: Vec<Vec<usize>> =
            texts.iter().zip(&filled).map(|(text, &n)| [&more[..n], &text[..]].concat()).collect();
        let padded: Vec<&[usize]> = padded.iter().map(Vec::as_slice).collect();
        let (logits, mut context) = model.read(&padded, &filled, &model.nothing(texts.len())).unwrap();
        let mut alone = texts.clone();
        for (b, text) in texts.iter().enumerate() {
            let own = logits.at(batch, b).slice(seq_, filled[b]..).to_vec((seq_, vocab)).unwrap();
            assert_close(&own, &model.plainly(text), CLOSE);
        }
        // Then they all go on by one word at a time.
        for step in more.chunks(4) {
            let next: Vec<&[usize]> = (0..texts.len()).map(|b| &step[b..=b]).collect();
            let (logits, longer) = model.read(&next, &filled, &context).unwrap();
            context = longer;
            for (b, text) in alone.iter_mut().enumerate() {
                text.push(step[b]);
                let expected = at(&model.plainly(text), 0, text.len() - 1);
                assert_close(&logits.at(batch, b).at(seq_, 0).to_vec(vocab).unwrap(), &expected, CLOSE);
            }
        }
    }

    #[test]
    fn s4_18_each_word_is_the_most_probable_one_after_all_words_before_it(model in model(), prompt in text(5)) {
        let written = greedy(&model, &prompt, 6);
        prop_assert_eq!(written.len(), 6);
        let mut text = prompt;
        for word in written {
            let (expected, lead) = best(&model, &text);
            prop_assert!(word == expected || lead < CLOSE.absolute, "{word} after {text:?}, not {expected}");
            text.push(word);
        }
    }

    #[test]
    fn s4_20_a_word_that_was_written_never_changes(model in model(), prompt in text(4), short in 1_usize..5) {
        let (short, long) = (greedy(&model, &prompt, short), greedy(&model, &prompt, 8));
        prop_assert_eq!(&long[..short.len()], &short[..]);
    }

    #[test]
    fn s4_20_s4_21_a_context_can_be_continued_in_several_ways_and_stays_as_it_is(
        model in model(), prompt in text(6), ways in prop::collection::vec(0..WORDS, 2..5),
    ) {
        let (_, context) = model.extend(&prompt, &model.start()).unwrap();
        let before = context[0].0.to_vec((batch, heads, key, seq)).unwrap();
        for &word in &ways {
            let (logits, longer) = model.extend(&[word], &context).unwrap();
            let text = [&prompt[..], &[word]].concat();
            assert_close(&logits.to_vec(vocab).unwrap(), &at(&model.plainly(&text), 0, prompt.len()), CLOSE);
            let (logits, _) = model.extend(&ways, &longer).unwrap();
            let text = [&text[..], &ways].concat();
            assert_close(&logits.to_vec(vocab).unwrap(), &at(&model.plainly(&text), 0, text.len() - 1), CLOSE);
        }
        prop_assert_eq!(context[0].0.to_vec((batch, heads, key, seq)).unwrap(), before);
    }
}

#[test]
fn s4_19_without_the_mask_later_words_change_what_was_said_of_earlier_ones() {
    let changed = |causal: bool, seed: u64| {
        let mut model = Model::drawn(seed, WORDS, PLACES, [2, 2, 3]);
        model.causal = causal;
        let first = |text: &[usize]| {
            let (logits, _) = model.read(&[text], &[0], &model.nothing(1)).unwrap();
            logits.at(batch, 0).at(seq_, 0).to_vec(vocab).unwrap()
        };
        let (beginning, whole) = (first(&[2, 4, 1]), first(&[2, 4, 1, 6, 3]));
        beginning.iter().zip(&whole).any(|(x, y)| f64::from(x - y).abs() > 10.0 * CLOSE.absolute)
    };
    assert_eq!((0..20).filter(|&seed| changed(true, seed)).count(), 0, "the mask keeps them as they were");
    let without = (0..20).filter(|&seed| changed(false, seed)).count();
    assert!(without >= 18, "it is the mask that does: {without} of 20 change without it");
}
