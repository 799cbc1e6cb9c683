//! A text word by word: what is shown when, and where it ends.

use named_tensor::prelude::*;
use named_tensor_tests::strategies::cases;
use proptest::prelude::*;
use std::cell::RefCell;
use transformer::generate::Limits;
use transformer::generate::sample::Sampling;
use transformer::generate::stop::Stop;
use transformer::generate::stream::{text, words};

use super::table::{Table, any};

/// The word after the last one, in a circle.
fn counting(words: usize) -> impl Fn(&[usize]) -> Vec<f32> {
    move |text| (0..words).map(|word| f32::from(u8::from(word == (text[text.len() - 1] + 1) % words))).collect()
}

fn limits(longest: usize) -> Limits {
    Limits { longest, ..Limits::default() }
}

fn written(
    model: &Table<impl Fn(&[usize]) -> Vec<f32>>,
    prompt: &[usize],
    limits: Limits,
) -> Result<Vec<usize>, Error> {
    words(model, prompt, Sampling::GREEDY, limits, seeded(0))?.collect()
}

/// Shows pieces of a text until it stops.
fn shown(pieces: &[&str], stops: &[&str]) -> Vec<String> {
    let decode = |word: Option<usize>| Ok::<_, Error>(word.map_or(String::new(), |word| pieces[word].to_owned()));
    text((0..pieces.len()).map(Ok), decode, Stop::at(stops.iter().copied())).map(Result::unwrap).collect()
}

#[test]
fn s4_18_a_text_ends_at_its_limit_or_at_a_word_that_ends_it_which_is_not_shown() {
    let model = Table::new(counting(10));
    assert_eq!(written(&model, &[3], limits(4)).unwrap(), [4, 5, 6, 7]);
    assert!(written(&model, &[3], limits(0)).unwrap().is_empty());
    let ends = Limits { ends: vec![2, 6], ..limits(100) };
    assert_eq!(written(&model, &[3], ends.clone()).unwrap(), [4, 5]);
    assert!(written(&model, &[5], ends).unwrap().is_empty());
}

#[test]
fn s4_21_a_word_is_read_when_the_next_one_is_asked_for_and_only_once() {
    let read = RefCell::new(vec![]);
    let model = Table::new(|text: &[usize]| {
        read.borrow_mut().push(text.len());
        counting(10)(text)
    });
    let mut text = words(&model, &[1, 2], Sampling::GREEDY, limits(3), seeded(0)).unwrap();
    assert_eq!(*read.borrow(), [2], "the prompt");
    assert_eq!(text.next().unwrap().unwrap(), 3);
    assert_eq!(*read.borrow(), [2], "the first word costs nothing more");
    assert_eq!((text.next().unwrap().unwrap(), text.next().unwrap().unwrap()), (4, 5));
    assert!(text.next().is_none() && text.next().is_none());
    assert_eq!(*read.borrow(), [2, 3, 4], "and the last one is not read");
    assert_eq!(text.text(), [1, 2, 3, 4, 5]);
}

#[test]
fn an_empty_prompt_and_texts_longer_than_the_positions_are_refused() {
    let model = Table { logits: counting(10), positions: Some(4) };
    let error = written(&model, &[], limits(1)).unwrap_err();
    assert!(error.to_string().contains("an empty prompt"), "{error}");
    let error = written(&model, &[1; 5], limits(1)).unwrap_err();
    assert!(error.to_string().contains("a text of 5 words, where the model has 4 positions"), "{error}");
    // Four words fit, and the one after them is known without being read.
    assert_eq!(written(&model, &[1, 2], limits(3)).unwrap(), [3, 4, 5]);
    let mut text = words(&model, &[1, 2], Sampling::GREEDY, limits(9), seeded(0)).unwrap();
    assert_eq!(text.by_ref().take(3).map(Result::unwrap).collect::<Vec<_>>(), [3, 4, 5]);
    let error = text.next().unwrap().unwrap_err();
    assert!(error.to_string().contains("a text of 5 words, where the model has 4 positions"), "{error}");
    assert!(text.next().is_none(), "after an error it is over");
}

#[test]
fn a_text_may_slide_along_the_positions() {
    let read = RefCell::new(vec![]);
    let logits = |text: &[usize]| {
        read.borrow_mut().push(text.to_vec());
        counting(20)(text)
    };
    let model = Table { logits, positions: Some(4) };
    let sliding = Limits { slide: Some(2), ..limits(7) };
    assert_eq!(written(&model, &[1, 2, 3], sliding.clone()).unwrap(), [4, 5, 6, 7, 8, 9, 10]);
    let expected: [&[usize]; 7] = [&[1, 2, 3], &[1, 2, 3, 4], &[4, 5], &[4, 5, 6], &[4, 5, 6, 7], &[7, 8], &[7, 8, 9]];
    assert_eq!(*read.borrow(), expected);
    // A prompt that is too long is read from where it fits.
    assert_eq!(written(&model, &[1, 2, 3, 4, 5, 6], sliding).unwrap()[0], 7);
    // Before anything is written, however short the text will be.
    for kept in [0, 4, 5] {
        let error = words(&model, &[1], Sampling::GREEDY, Limits { slide: Some(kept), ..limits(1) }, seeded(0));
        let error = error.map(drop).unwrap_err().to_string();
        assert!(
            error.contains(&format!("reading {kept} words again")) && error.contains("from 1 to 3 words"),
            "{error}"
        );
    }
}

#[test]
fn an_error_of_the_model_is_told_once() {
    let nan = |text: &[usize]| if text.len() < 4 { counting(10)(text) } else { vec![f32::NAN; 10] };
    let model = Table::new(nan);
    let all: Vec<_> = words(&model, &[1, 2], Sampling::GREEDY, limits(9), seeded(0)).unwrap().collect();
    assert_eq!(all.len(), 3);
    let error = all[2].as_ref().unwrap_err();
    assert!(error.to_string().contains("the logit of word 0 after 4 words is NaN"), "{error}");
}

#[test]
fn a_string_ends_a_text_wherever_the_borders_of_words_lie() {
    assert_eq!(shown(&["Hello", " wor", "ld. Bye", "!"], &["ld."]), ["Hello", " wor"]);
    assert_eq!(shown(&["one\n", "\ntwo"], &["\n\n"]), ["one"]);
    assert_eq!(shown(&["a", "b", "c", "d"], &["bcx", "cd"]), ["a", "b"]);
    assert_eq!(shown(&["STOP", "more"], &["STOP"]), Vec::<String>::new());
    // Of two strings the one that comes first ends it.
    assert_eq!(shown(&["x END y STOP"], &["STOP", "END"]), ["x "]);
}

#[test]
fn what_may_be_the_beginning_of_a_stop_is_held_back_until_it_is_known() {
    assert_eq!(shown(&["1", "<", "2", "<|", "end", "> 3"], &["<|end|>"]), ["1", "<2", "<|end> 3"]);
    assert_eq!(shown(&["aaa", "a", "b"], &["aab"]), ["a", "a"]);
    // At the end of the text it is shown.
    assert_eq!(shown(&["on and o"], &["over"]), ["on and ", "o"]);
    // Letters of several bytes are not cut.
    assert_eq!(shown(&["gr\u{fc}", "\u{df}e"], &["\u{fc}b"]), ["gr", "\u{fc}\u{df}e"]);
    assert_eq!(shown(&["a", "b"], &[""]), ["a", "b"]);
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn however_a_text_is_cut_what_is_shown_is_what_stands_before_the_stop(
        whole in "[abc]{0,20}", stops in prop::collection::vec("[abc]{1,3}", 0..3), cuts in prop::collection::vec(1_usize..4, 20),
    ) {
        let mut rest = &whole[..];
        let mut pieces = vec![];
        for cut in cuts {
            let (piece, others) = rest.split_at(cut.min(rest.len()));
            pieces.push(piece);
            rest = others;
        }
        pieces.push(rest);
        let stops: Vec<&str> = stops.iter().map(String::as_str).collect();
        // The first string that is complete ends the text; it begins where the earliest of those then complete begins.
        let ends = |end: usize| stops.iter().filter_map(|stop| whole[..end].find(stop)).min();
        let mut end = 0;
        let expected = pieces.iter().find_map(|piece| {
            end += piece.len();
            ends(end)
        });
        prop_assert_eq!(shown(&pieces, &stops).concat(), &whole[..expected.unwrap_or(whole.len())]);
    }

    #[test]
    fn the_same_seed_writes_the_same_text_and_a_shorter_one_is_its_beginning(seed: u64, short in 0_usize..12) {
        let model = Table::new(any(seed, 6));
        let of = |longest| -> Vec<usize> {
            words(&model, &[0], Sampling::default(), limits(longest), seeded(seed)).unwrap().map(Result::unwrap).collect()
        };
        let (whole, short) = (of(12), of(short));
        prop_assert_eq!(&whole[..short.len()], &short[..]);
        prop_assert_eq!(whole, of(12));
    }
}
